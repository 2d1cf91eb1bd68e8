//! `kvist import graph HOST:PORT KEY [FILE|FOLDER]`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use ::graph::cypher::Statements;
use ::graph::import::{Row, Rows};
use client::Value;

use super::tables::{HEADER, LIST};
use super::{Arguments, Imported, parse};
use crate::offline::remote::{Progress, Server};
use crate::usage;

/// A part has so many bytes, and what is larger than a part is one by itself.
const PART: usize = 1 << 20;
/// A statement or a line has no more.
const LONGEST: usize = 512 << 20;

/// Runs the verb; `args` stand behind `graph`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match parse(args) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&format!("import graph: {what}")),
    };
    let mut done = arguments.skip;
    let mut server = match Server::connect(&arguments.address, &arguments.login) {
        Ok(server) => server,
        Err(error) => return failed(&error),
    };
    match import(&mut server, &arguments, &mut done) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = failed(&error);
            if done != Imported::default() {
                eprintln!("kvist: what was imported before stays; --skip {done} goes on behind it");
            }
            if server.lost {
                eprintln!("kvist: a reply was lost: the part behind that may have been made, too");
            }
            code
        }
    }
}

fn failed(error: &str) -> ExitCode {
    eprintln!("kvist: {error}");
    ExitCode::FAILURE
}

fn import(server: &mut Server, arguments: &Arguments, done: &mut Imported) -> Result<(), String> {
    let mut progress = Progress::new();
    let is_folder = arguments.path.as_deref().is_some_and(|path| Path::new(path).is_dir());
    if !is_folder && arguments.skip.lines > 0 {
        return Err("--skip counts statements here, not files and lines".to_owned());
    }
    let open =
        |path: &Path| File::open(path).map_err(|error| format!("{}: {error}", path.display()));
    match arguments.path.as_deref().map(Path::new) {
        None => statements(server, arguments, &mut std::io::stdin().lock(), done, &mut progress)?,
        Some(path) if is_folder => tables(server, arguments, path, done, &mut progress)?,
        Some(path) => statements(server, arguments, &mut open(path)?, done, &mut progress)?,
    }
    let what = if is_folder { "files" } else { "statements" };
    progress.end(&format!("Imported {done} {what}"));
    Ok(())
}

/// What has been read of a file and not sent.
struct Input<'a> {
    file: &'a mut dyn Read,
    bytes: Vec<u8>,
    ended: bool,
}

impl Input<'_> {
    /// Reads on: as much as there is already, so that what is long is not looked through often.
    fn more(&mut self) -> Result<(), String> {
        let most = self.bytes.len().max(PART) as u64;
        if self.bytes.len() > LONGEST {
            return Err("a statement or a line has no end".to_owned());
        }
        let read = self.file.take(most).read_to_end(&mut self.bytes);
        self.ended = read.map_err(|error| format!("it cannot be read: {error}"))? == 0;
        Ok(())
    }

    /// The text of it that is whole.
    fn text(&self) -> Result<&str, String> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(text),
            Err(error) if error.error_len().is_none() && !self.ended => {
                let whole = self.bytes.get(..error.valid_up_to()).unwrap_or_default();
                Ok(std::str::from_utf8(whole).unwrap_or_default())
            }
            Err(_) => Err("the text is not valid UTF-8".to_owned()),
        }
    }
}

/// Sends the statements of a file.
fn statements(
    server: &mut Server,
    arguments: &Arguments,
    file: &mut dyn Read,
    done: &mut Imported,
    progress: &mut Progress,
) -> Result<(), String> {
    let mut input = Input { file, bytes: Vec::new(), ended: false };
    let (mut seen, mut sent) = (0, false);
    loop {
        input.more()?;
        let text = input.text()?;
        let mut all = Statements::new(text);
        let mut part = Vec::new();
        let mut bytes = 0;
        loop {
            let next = if input.ended { all.next() } else { all.next_ended() };
            let is_last = next.is_none();
            if let Some(statement) = next {
                seen += 1;
                if seen > arguments.skip.whole {
                    bytes += statement.len();
                    part.push(statement.as_bytes());
                }
            }
            if bytes >= PART || (is_last && !part.is_empty()) {
                let before = seen - part.len() as u64;
                send(server, arguments, b"CYPHER", &part)
                    .map_err(|error| counted_on(&error, "statement", |at| at + before))?;
                (done.whole, sent) = (seen, true);
                progress.show(|| format!("{seen} statements"));
                part.clear();
                bytes = 0;
            }
            if is_last {
                break;
            }
        }
        let rest = all.rest().len();
        let used = text.len() - rest;
        if input.ended {
            break;
        }
        input.bytes.drain(..used);
    }
    // A text without statements is that of an empty graph.
    if !sent && arguments.skip.whole == 0 {
        send(server, arguments, b"CYPHER", &[b""])?;
    }
    done.whole = seen;
    Ok(())
}

fn send(
    server: &mut Server,
    arguments: &Arguments,
    format: &[u8],
    part: &[&[u8]],
) -> Result<Value, String> {
    let mut words: Vec<&[u8]> = vec![b"GRAPH.IMPORT", arguments.key.as_bytes(), b"FORMAT", format];
    words.extend(part);
    server.ask(&words)
}

/// Sends the tables of a folder.
fn tables(
    server: &mut Server,
    arguments: &Arguments,
    folder: &Path,
    done: &mut Imported,
    progress: &mut Progress,
) -> Result<(), String> {
    let at = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let list = folder.join(LIST);
    let mut text = std::fs::read(&list).map_err(|error| at(&list, &error))?;
    end_line(&mut text);
    let mut rows = Rows::new(&text);
    let mut number = 0;
    while let Some(row) = rows.next_ended() {
        if row.is_blank() {
            continue;
        }
        let fields = row.fields().ok_or_else(|| at(&list, &"it is malformed"))?;
        let [kind, name, file] = fields.as_slice() else {
            return Err(at(&list, &format!("its header is not {HEADER}")));
        };
        number += 1;
        if number == 1 || number - 1 <= arguments.skip.whole {
            continue;
        }
        let path = folder.join(file);
        let mut opened = File::open(&path).map_err(|error| at(&path, &error))?;
        if kind == "SCHEMA" && done.lines == 0 {
            let mut text = Vec::new();
            opened.read_to_end(&mut text).map_err(|error| at(&path, &error))?;
            send(server, arguments, b"CSV", &[b"SCHEMA", b"", &text])?;
        } else if kind == "SCHEMA" {
            return Err(at(&path, &"it is made whole: it has no lines to skip"));
        } else {
            let table = [kind.as_bytes(), name.as_bytes()];
            let made = &mut done.lines;
            self::table(server, arguments, table, &mut opened, made)
                .map_err(|error| at(&path, &error))?;
        }
        *done = Imported { whole: number - 1, lines: 0 };
        progress.show(|| format!("{done} files"));
    }
    if rows.at() < text.len() {
        return Err(at(&list, &"a field in quotes has no end"));
    }
    let files = number.saturating_sub(1);
    if *done != (Imported { whole: files, lines: 0 }) {
        return Err(at(&list, &format!("there are only {files} files to skip")));
    }
    // A folder without tables is that of an empty graph.
    if files == 0 {
        send(server, arguments, b"CSV", &[b"SCHEMA", b"", b""])?;
    }
    while send(server, arguments, b"CSV", &[b"END"])?.as_i64().is_some_and(|left| left > 0) {}
    Ok(())
}

/// Ends the last line of a text, if it has no end.
fn end_line(text: &mut Vec<u8>) {
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
}

/// An error about a part as one about the file: `at` says where in the file is what the part counts
/// so.
fn counted_on(error: &str, what: &str, at: impl FnOnce(u64) -> u64) -> String {
    let word = format!("ERR {what} ");
    let Some((before, rest)) = error.split_once(&word) else { return error.to_owned() };
    let Some((number, rest)) = rest.split_once(':') else { return error.to_owned() };
    match number.parse() {
        Ok(number) => format!("{before}{word}{}:{rest}", at(number)),
        Err(_) => error.to_owned(),
    }
}

/// How far a table has been read.
#[derive(Default)]
struct TableProgress {
    /// Its header, and the line that this begins on, when it has come.
    header: Option<(Vec<u8>, u64)>,
    /// Lines behind the header.
    rows: u64,
    /// Lines as editors count them, of which those in quotes are several.
    lines: u64,
    /// A part was sent, or skipped.
    begun: bool,
}

impl TableProgress {
    /// Reads the header, if it has not come before, from the beginning of what is there.
    fn read_header(&mut self, rows: &mut Rows<'_>) {
        while self.header.is_none()
            && let Some(row) = rows.next_ended()
        {
            if !row.is_blank() {
                self.header = Some((row.bytes.to_vec(), self.lines));
            }
            self.lines += row.lines();
        }
    }
}

/// Sends a table in parts, each with the header, from behind the lines that have been made; these
/// become more with each part.
fn table(
    server: &mut Server,
    arguments: &Arguments,
    [kind, name]: [&[u8]; 2],
    file: &mut dyn Read,
    made: &mut u64,
) -> Result<(), String> {
    let mut input = Input { file, bytes: Vec::new(), ended: false };
    let mut progress = TableProgress { begun: *made > 0, ..TableProgress::default() };
    loop {
        input.more()?;
        if input.ended {
            end_line(&mut input.bytes);
        }
        let mut rows = Rows::new(&input.bytes);
        progress.read_header(&mut rows);
        let (mut begin, mut before) = (rows.at(), progress.lines);
        while let Some(row) = rows.next_ended() {
            progress.rows += 1;
            progress.lines += row.lines();
            if progress.rows <= *made {
                (begin, before) = (rows.at(), progress.lines);
            }
        }
        let end = rows.at();
        let lines = input.bytes.get(begin..end).unwrap_or_default();
        let is_last = input.ended && end == input.bytes.len();
        if !lines.is_empty() || (is_last && !progress.begun) {
            // Without lines it is looked at whether its header is one.
            let (header, at) =
                progress.header.as_ref().map_or((&[][..], 0), |(bytes, at)| (bytes, *at));
            let header_lines = Row { bytes: header }.lines();
            let part = [header, lines].concat();
            let in_file = |line: u64| match line.checked_sub(header_lines + 1) {
                Some(line) => before + line + 1,
                None => at + line,
            };
            send(server, arguments, b"CSV", &[kind, name, &part])
                .map_err(|error| counted_on(&error, "line", in_file))?;
            (*made, progress.begun) = (progress.rows, true);
        }
        if input.ended {
            let seen = progress.rows;
            return match () {
                () if !is_last => Err(format!(
                    "a field in quotes has no end, from line {} on",
                    progress.lines + 1
                )),
                () if seen < *made => Err(format!("there are only {seen} lines to skip")),
                () => Ok(()),
            };
        }
        input.bytes.drain(..end);
    }
}

#[cfg(test)]
mod tests {
    use super::counted_on;

    #[test]
    fn errors_count_in_the_file() {
        let on = |error: &str| counted_on(error, "line", |line| line + 100);
        assert_eq!(on("h:1: ERR line 7: there: x"), "h:1: ERR line 107: there: x");
        for other in ["h:1: ERR statement 7: x", "h:1: ERR line x: y", "ERR line 7", "closed"] {
            assert_eq!(on(other), other);
        }
    }
}
