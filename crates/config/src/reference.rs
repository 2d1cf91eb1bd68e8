//! The reference, rendered from the lists: `kvist.conf` and a Markdown page.
//!
//! In `kvist.conf` prose begins with `# ` and a setting with `#` alone, so that taking that one
//! character away makes it live; every setting shows its default. A test checks that the file in
//! the repository is this text and that its settings read back as the defaults.

use std::fmt::Write as _;

use crate::directive::{Change, Directive, Kind, Support, TextRule};
use crate::directives::file_only;
use crate::directives::{AREAS, DEFAULTS_OF_OUR_OWN};

const WIDTH: usize = 78;

const HEAD: &str = "\
Kvist configuration.

kvist serve kvist.conf reads this file. Everything in it is a comment: each setting stands at its \
default behind a '#', and taking that '#' away makes it live.

The syntax is redis.conf's, so a redis.conf can be used as it is. A line is a directive and its \
arguments. Double quotes keep blanks together and know the escapes \\n \\r \\t \\b \\a \\\\ \\\" \
and \\xHH; single quotes know only \\'. Sizes may have a unit, in any case: 1k is 1000 bytes, 1kb \
is 1024, and so on with m, mb, g and gb.

Any directive can also be given on the command line, as in --port 7000, or in the environment, as \
in KVIST_PORT=7000. The command line is strongest, then files, then the environment.";

/// The text of `kvist.conf`.
#[must_use]
pub fn reference() -> String {
    let mut out = String::new();
    comment(&mut out, HEAD);
    for area in AREAS {
        out.push_str("\n\n");
        comment(&mut out, &format!("==== {} {}", area.title, "=".repeat(70 - area.title.len())));
        for directive in area.directives().filter(|directive| !directive.hidden) {
            out.push('\n');
            comment(&mut out, directive.doc);
            comment(&mut out, &facts(directive).join(" "));
            if directive.is_computed() {
                comment(&mut out, "The default depends on the machine: no number stands here.");
            } else {
                let _ = writeln!(out, "#{} {}", directive.name, default_text(directive));
            }
        }
    }
    out.push_str("\n\n");
    comment(&mut out, &format!("==== Only in files {}", "=".repeat(57)));
    for directive in file_only::LIST {
        out.push('\n');
        comment(&mut out, &format!("{}: {}", directive.name, directive.doc));
    }
    out
}

/// The same as a Markdown page.
#[must_use]
pub fn reference_markdown() -> String {
    let mut out = String::from("# Configuration reference\n");
    for area in AREAS {
        let _ = writeln!(
            out,
            "\n## {}\n\n| directive | default | meaning |\n| --- | --- | --- |",
            area.title
        );
        for directive in area.directives().filter(|directive| !directive.hidden) {
            let default = match directive.default {
                Directive::CORES => "number of cores".to_owned(),
                Directive::HALF_OF_CORES => "half the number of cores".to_owned(),
                _ => format!("`{}`", default_text(directive)),
            };
            let text = format!("{} {}", directive.doc, facts(directive).join(" "));
            let _ = writeln!(
                out,
                "| `{}` | {default} | {} |",
                directive.name,
                text.replace('|', "\\|")
            );
        }
    }
    out.push_str("\n## Only in files\n\n| directive | meaning |\n| --- | --- |\n");
    for directive in file_only::LIST {
        let _ = writeln!(out, "| `{}` | {} |", directive.name, directive.doc);
    }
    out.push_str(
        "\n## Defaults that differ from Redis 7.0.15\n\n| directive | reason |\n| --- | --- |\n",
    );
    for (name, reason) in DEFAULTS_OF_OUR_OWN {
        let _ = writeln!(out, "| `{name}` | {reason} |");
    }
    out
}

/// The default as it would stand in a file.
fn default_text(directive: &Directive) -> String {
    match directive.kind {
        _ if directive.default.is_empty() => "\"\"".to_owned(),
        Kind::Text(_) if directive.default.contains(' ') => format!("\"{}\"", directive.default),
        _ => directive.default.to_owned(),
    }
}

/// Sentences on kind, range, change and support.
fn facts(directive: &Directive) -> Vec<String> {
    let mut facts = vec![shape(directive.kind)];
    facts.push(match directive.change {
        Change::RunTime => "May change while running.".into(),
        Change::Start => "Fixed at start.".into(),
        Change::Protected => "May change while running if enable-protected-configs allows.".into(),
    });
    facts.extend(directive.alias.map(|alias| format!("Old name: {alias}.")));
    match directive.support {
        Support::Effective => {}
        Support::Inert => facts.push("Without effect here.".into()),
        Support::Pending => facts.push("NOT YET EFFECTIVE: accepted with a warning.".into()),
        Support::DefaultOnly => {
            facts.push("NOT YET IMPLEMENTED: anything but the default is refused.".into());
        }
    }
    facts
}

fn shape(kind: Kind) -> String {
    let range = |min: i64, max: i64| match max {
        i64::MAX => format!("Integer from {min}."),
        _ => format!("Integer from {min} to {max}."),
    };
    match kind {
        Kind::Bool => "yes or no.".into(),
        Kind::Int { min, max } => range(min, max),
        Kind::Clamped { low, high } => range(low, high),
        Kind::PowerOfTwo { max } => format!("0 or a power of two up to {max}."),
        Kind::Memory { min: 0, .. } => "Size.".into(),
        Kind::Memory { min, .. } => format!("Size, at least {min}."),
        Kind::MemoryOrPercent => "Size or percentage.".into(),
        Kind::Enum(words) => format!("One of: {}.", words.join(", ")),
        Kind::EnumSet(words) => format!("Any of: {}.", words.join(", ")),
        Kind::Text(TextRule::Any) => "String.".into(),
        Kind::Text(TextRule::FileName | TextRule::FileNameNotEmpty) => "Name of a file.".into(),
        Kind::Text(TextRule::DirNameNotEmpty) => "Name of a directory.".into(),
        Kind::Text(TextRule::TitleTemplate) => "Template.".into(),
        Kind::Text(TextRule::HostName) => "Host name.".into(),
        Kind::Octal { max } => format!("Octal, up to {max:o}."),
        Kind::Save => "Pairs of integers.".into(),
        Kind::BufferLimits => "Groups of a word, two sizes and an integer.".into(),
        Kind::Percentiles => "Numbers from 0 to 100.".into(),
        Kind::Bind => "Addresses.".into(),
        Kind::OomScores => "Three integers.".into(),
        Kind::Events => "Letters.".into(),
        Kind::ReplicaOf => "Host and port.".into(),
    }
}

/// Writes prose as comment lines.
fn comment(out: &mut String, prose: &str) {
    for paragraph in prose.split('\n') {
        let mut line = String::from("#");
        for word in paragraph.split_whitespace() {
            if line.len() + 1 + word.len() > WIDTH && line.len() > 1 {
                out.push_str(&line);
                out.push('\n');
                line.truncate(1);
            }
            line.push(' ');
            line.push_str(word);
        }
        out.push_str(&line);
        out.push('\n');
    }
}

#[cfg(test)]
#[path = "reference_tests.rs"]
mod tests;
