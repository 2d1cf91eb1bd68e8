//! One page per family of commands.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use base::{Deprecated, grammar};
use engine::{Action, Entry, Table};

use crate::Document;

/// The pages of all families.
pub(crate) fn render(table: &Table) -> Vec<Document> {
    let mut families: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in table.entries() {
        families.entry(entry.spec.group.name()).or_default().push(entry);
    }
    let page = |(family, entries): (&str, Vec<&Entry>)| {
        let mut text = format!(
            "# Commands: {family}\n\nGenerated from the specs in the source by `make gen`; \
             do not edit.\n"
        );
        entries.into_iter().for_each(|entry| describe(entry, &mut text));
        (PathBuf::from(format!("docs/reference/commands/{family}.md")), text)
    };
    families.into_iter().map(page).collect()
}

fn describe(entry: &Entry, text: &mut String) {
    let spec = entry.spec;
    let name = spec.name.replace('|', " ").to_ascii_uppercase();
    let _ = writeln!(text, "\n## {name}\n");
    if matches!(entry.action, Action::Container) {
        let _ = writeln!(text, "{} Only with one of its subcommands.", spec.summary);
        return;
    }
    let usage = grammar::usage(&entry.syntax.arguments);
    let _ = writeln!(text, "```\n{}\n```\n", format!("{name} {usage}").trim_end());
    let _ = writeln!(text, "{}\n", spec.summary);
    let list = |words: Vec<&str>| match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(", "),
    };
    let flags = list(spec.flags.iter().map(|flag| flag.name()).collect());
    let _ = writeln!(text, "* Since: {}", spec.since);
    let _ = writeln!(text, "* Cost: {}", spec.complexity.trim_end_matches('.'));
    let _ = writeln!(text, "* Arity: {}", entry.syntax.arity);
    let _ = writeln!(text, "* Flags: {flags}");
    if let Some(Deprecated { since, instead }) = spec.deprecated {
        let _ = writeln!(text, "* Deprecated since {since}: use {instead}");
    }
    for (version, change) in spec.history {
        let _ = writeln!(text, "* New in {version}: {change}");
    }
}
