//! Loading at start: files, command line, environment.
//!
//! Redis turns its command line into lines of a file and reads those; so does this, which makes the
//! two agree in every corner. Nothing here reads a file itself (`disk` does) or parses a value
//! (`value`).

use std::io;
use std::path::{Path, PathBuf};

use crate::directive::{Directive, Kind, Support};
use crate::directives::file_only::{self, Action, FileOnly};
use crate::disk;
use crate::error::{LoadError, Source};
use crate::line;
use crate::memorize;
use crate::settings::{Rank, RenameLine, Settings, UserLine};
use crate::value;

/// How deep files may include each other; deeper is taken for a circle.
const DEEPEST_INCLUDE: usize = 16;

const BAD: &str = "Bad directive or wrong number of arguments";

impl Settings {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// The file (or one that it includes) can't be read, or the first line that can't be accepted.
    /// The settings are then half changed and should be thrown away.
    pub fn apply_file(&mut self, path: &Path) -> Result<(), LoadError> {
        self.read(path, 0)
    }

    /// Reads text in the syntax of a configuration file, such as standard input; `name` stands for
    /// it in messages.
    ///
    /// # Errors
    /// Like [`apply_file`](Self::apply_file).
    pub fn apply_text(&mut self, text: &[u8], name: &str) -> Result<(), LoadError> {
        self.read_text(text, name, 0)
    }

    /// Reads the arguments of the program behind the name of the configuration file.
    ///
    /// One that begins with `--` opens a directive, and those behind it are its values. The
    /// argument right behind an opened directive is a value even if it begins with `--`, except
    /// behind `--save`, which may stand alone for `--save ""`. `"--port 7000"` in one argument
    /// works too.
    ///
    /// # Errors
    /// The first option that can't be accepted.
    pub fn apply_args(&mut self, args: &[String]) -> Result<(), LoadError> {
        let lines = lines_of_args(args);
        for (option, text) in lines.iter().enumerate() {
            let source = Source::CommandLine { option: option + 1 };
            self.read_line(text.as_bytes(), source, Rank::CommandLine, 0)?;
        }
        Ok(())
    }

    /// Reads the variables `KVIST_<NAME>`, where the name is a directive in upper case with `_` for
    /// `-`. Others are skipped; a `KVIST_` variable that names no directive draws a warning only,
    /// because the environment is shared with other programs. Those of Memorize (`MEMORIZE_*`) are
    /// read as well, and are weaker.
    ///
    /// # Errors
    /// The first value that can't be accepted.
    pub fn apply_env<I>(&mut self, variables: I) -> Result<(), LoadError>
    where
        I: IntoIterator<Item = (String, String)>,
    {
        for (variable, text) in variables {
            if variable.starts_with(memorize::PREFIX) {
                self.apply_memorize(variable, text)?;
                continue;
            }
            let Some(wanted) = variable.strip_prefix("KVIST_") else { continue };
            let name = self
                .slots
                .iter()
                .flat_map(|slot| [Some(slot.directive.name), slot.directive.alias])
                .flatten()
                .find(|name| name.to_ascii_uppercase().replace('-', "_") == wanted);
            let Some(name) = name else {
                self.notes.push(format!("{variable} in the environment names no directive"));
                continue;
            };
            let source = Source::Environment { variable: variable.clone() };
            self.assign(name, vec![text.clone().into_bytes()], &source, Rank::Environment)
                .map_err(|reason| LoadError::Rejected { source, text, reason })?;
        }
        Ok(())
    }

    fn read(&mut self, path: &Path, depth: usize) -> Result<(), LoadError> {
        let text = disk::read_conf_file(path).map_err(|error| unreadable(path, &error))?;
        self.read_text(&text, &path.to_string_lossy(), depth)
    }

    fn read_text(&mut self, text: &[u8], name: &str, depth: usize) -> Result<(), LoadError> {
        for (at, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let source = Source::File { name: name.to_owned(), line: at + 1 };
            self.read_line(line, source, Rank::File, depth)?;
        }
        Ok(())
    }

    fn read_line(
        &mut self,
        text: &[u8],
        source: Source,
        rank: Rank,
        depth: usize,
    ) -> Result<(), LoadError> {
        let text = text.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            return Ok(());
        }
        let rejected = |reason: String| LoadError::Rejected {
            source: source.clone(),
            text: String::from_utf8_lossy(text).into_owned(),
            reason,
        };
        let Some(mut args) = line::split(text) else {
            return Err(rejected("Unbalanced quotes in configuration line".into()));
        };
        if args.is_empty() {
            return Ok(());
        }
        let name = String::from_utf8_lossy(&args.remove(0)).to_ascii_lowercase();
        if self.find(&name).is_some() {
            return self.assign(&name, args, &source, rank).map_err(rejected);
        }
        let Some(directive) = file_only::find(&name) else { return Err(rejected(BAD.into())) };
        let files = self.file_only(directive, &args, (&source, text), depth).map_err(rejected)?;
        files.iter().try_for_each(|path| self.read(path, depth + 1))
    }

    /// Carries out a directive of files only, and tells which files to read now.
    fn file_only(
        &mut self,
        directive: &FileOnly,
        args: &[Vec<u8>],
        (source, text): (&Source, &[u8]),
        depth: usize,
    ) -> Result<Vec<PathBuf>, String> {
        let (fewest, most) = directive.args;
        if !(fewest..=most).contains(&args.len()) {
            return Err(BAD.into());
        }
        match directive.action {
            Action::Include if depth >= DEEPEST_INCLUDE => {
                Err("files include each other too deeply, or in a circle".into())
            }
            Action::Include => {
                let path = args.first().map(|arg| String::from_utf8_lossy(arg)).unwrap_or_default();
                Ok(if disk::is_pattern(&path) {
                    disk::matching_files(&path)
                } else {
                    vec![PathBuf::from(path.as_ref())]
                })
            }
            Action::Obsolete => {
                self.notes.push(format!("{source}: '{}' is obsolete and ignored", directive.name));
                Ok(Vec::new())
            }
            Action::User => {
                self.users.push(UserLine { source: source.clone(), words: args.to_vec() });
                Ok(Vec::new())
            }
            Action::Rename => {
                let text = String::from_utf8_lossy(text).into_owned();
                let [from, to] = args else { return Err(BAD.into()) };
                let (from, to) = (from.clone(), to.clone());
                self.renames.push(RenameLine { source: source.clone(), text, from, to });
                Ok(Vec::new())
            }
            Action::Refuse => Err(format!("'{}' is not implemented yet", directive.name)),
            Action::Sentinel => Err("sentinel directive while not in sentinel mode".into()),
        }
    }

    /// Sets one directive, unless a stronger source has set it.
    pub(crate) fn assign(
        &mut self,
        name: &str,
        mut args: Vec<Vec<u8>>,
        source: &Source,
        rank: Rank,
    ) -> Result<(), String> {
        let Some((_, at)) = self.find(name) else { return Err(BAD.into()) };
        let slot = &mut self.slots[at];
        // `save "900 1"` is as good as `save 900 1`; an environment variable has no other way.
        if slot.directive.kind.takes_many() && args.len() == 1 && !args[0].is_empty() {
            args = split_at_spaces(&args[0]);
        }
        // Lines add up, and the command line adds to the file, as it does in Redis; but what the
        // file says replaces the environment and the default.
        let append = slot.rank >= Rank::File && rank >= Rank::File;
        let value = value::parse(slot.directive, &args, Some(&slot.value), append)?;
        if slot.directive.support == Support::DefaultOnly && value != slot.default {
            return Err(only_default(slot.directive));
        }
        if rank >= slot.rank {
            slot.value = value;
            slot.rank = rank;
            slot.source = Some(source.clone());
        }
        Ok(())
    }
}

/// The refusal of a value that would need something not there yet.
pub(crate) fn only_default(directive: &Directive) -> String {
    let default = match (directive.default, directive.kind) {
        ("", _) => "\"\"".to_owned(),
        (default, Kind::Text(_)) => line::quote(default.as_bytes()),
        (default, _) => format!("'{default}'"),
    };
    format!("not implemented yet: '{}' can only be {default} in this release", directive.name)
}

/// Cuts at each single space, as Redis does: two spaces have an empty argument between them.
pub(crate) fn split_at_spaces(text: &[u8]) -> Vec<Vec<u8>> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect()
}

/// The lines of a file that say the same as these arguments.
fn lines_of_args(args: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // The argument right behind a directive that has no value yet is a value, whatever it looks
    // like.
    let mut has_value = true;
    for (at, arg) in args.iter().enumerate() {
        let opened = if has_value { arg.strip_prefix("--") } else { None };
        let Some(directive) = opened else {
            if lines.is_empty() {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(&line::quote(arg.as_bytes()));
                line.push(' ');
            }
            has_value = true;
            continue;
        };
        let mut line = format!("{directive} ");
        has_value = line::split(directive.as_bytes()).is_none_or(|parts| parts.len() != 1);
        let alone = args.get(at + 1).is_none_or(|next| next.starts_with("--"));
        if directive.eq_ignore_ascii_case("save") && alone {
            line.push_str("\"\"");
            has_value = true;
        }
        lines.push(line);
    }
    lines
}

fn unreadable(path: &Path, error: &io::Error) -> LoadError {
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
    LoadError::Unreadable { path: path.to_owned(), reason }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
