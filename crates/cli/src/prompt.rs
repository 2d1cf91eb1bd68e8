//! The prompt: a line editor with history, completion of names, and hints behind the cursor.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{DefaultHistory, History as _};
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use crate::docs::Docs;
use crate::run::{Outcome, Terminal, is_farewell};

/// Lines the history keeps.
const REMEMBERED: usize = 1000;

/// Runs until the user leaves.
#[must_use]
pub fn run(terminal: &mut Terminal) -> ExitCode {
    let mut editor = match editor() {
        Ok(editor) => editor,
        Err(error) => {
            eprintln!("Error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let file = history_file();
    if let Some(file) = &file {
        // There is none before the first session.
        let _ = editor.load_history(file);
    }
    if let Err(trouble) = terminal.connect() {
        eprintln!("{trouble}");
    }
    learn(terminal, &mut editor);
    loop {
        match editor.readline(&prompt(terminal)) {
            Ok(line) => {
                let words = wire::split_line(line.as_bytes());
                remember(&mut editor, file.as_ref(), &line, words.as_deref().unwrap_or_default());
                let Some(words) = words else {
                    println!("Invalid argument(s)");
                    continue;
                };
                if !obey(terminal, &mut editor, &words) {
                    return ExitCode::SUCCESS;
                }
            }
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => return ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("Error: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
}

type Line = Editor<Aid, DefaultHistory>;

fn editor() -> rustyline::Result<Line> {
    let config = rustyline::Config::builder()
        .max_history_size(REMEMBERED)?
        .completion_type(rustyline::CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Aid::default()));
    Ok(editor)
}

/// `host:port[db](TX)> `, as in `redis-cli`.
fn prompt(terminal: &Terminal) -> String {
    let client = &terminal.client;
    if !client.is_connected() {
        return "not connected> ".to_owned();
    }
    let db = if client.db == 0 { String::new() } else { format!("[{}]", client.db) };
    let transaction = if client.in_multi { "(TX)" } else { "" };
    format!("{}{db}{transaction}> ", client.target.name())
}

/// Asks the server about its commands; a server that does not know how to answer gives no hints.
fn learn(terminal: &mut Terminal, editor: &mut Line) {
    let client = &mut terminal.client;
    let known = editor.helper().is_some_and(|aid| !aid.docs.borrow().is_empty());
    if known || !client.is_connected() || client.in_multi {
        return;
    }
    let asked = client.send(&[b"COMMAND".to_vec(), b"DOCS".to_vec()]);
    if let (Ok(reply), Some(aid)) = (asked.and_then(|()| client.receive()), editor.helper()) {
        aid.docs.replace(Docs::read(&reply));
    }
}

/// Does what a line says; `false` to leave.
fn obey(terminal: &mut Terminal, editor: &mut Line, words: &[Vec<u8>]) -> bool {
    let Some(first) = words.first() else { return true };
    if is_farewell(first) {
        return false;
    }
    match (first.to_ascii_lowercase().as_slice(), words.len()) {
        (b"help" | b"?", _) => {
            learn(terminal, editor);
            if let Some(aid) = editor.helper() {
                help(&aid.docs.borrow(), &words[1..]);
            }
        }
        (b"clear", 1) => {
            if editor.clear_screen().is_err() {
                println!();
            }
        }
        (b"connect", 3) => connect(terminal, &words[1..]),
        _ => repeat(terminal, words),
    }
    learn(terminal, editor);
    true
}

/// `connect host port`: another server from here on.
fn connect(terminal: &mut Terminal, words: &[Vec<u8>]) {
    let text = |at: usize| String::from_utf8_lossy(&words[at]).into_owned();
    let Ok(port) = text(1).parse() else {
        println!("Invalid port '{}'", text(1));
        return;
    };
    terminal.client.disconnect();
    terminal.client.target.socket = None;
    terminal.client.target.host = text(0);
    terminal.client.target.port = port;
    if let Err(trouble) = terminal.connect() {
        eprintln!("{trouble}");
    }
}

/// Runs a command, or `N command` so many times. A connection that was lost meanwhile is made
/// again, once.
fn repeat(terminal: &mut Terminal, words: &[Vec<u8>]) {
    let count = std::str::from_utf8(&words[0]).ok().and_then(|word| word.parse::<u32>().ok());
    let (times, command) = match count {
        Some(times) if words.len() > 1 => (times, &words[1..]),
        _ => (1, words),
    };
    for _ in 0..times {
        let was_connected = terminal.client.is_connected();
        let outcome = terminal.command(command);
        let lost = outcome == Outcome::Failed && was_connected && !terminal.client.is_connected();
        if lost && terminal.command(command) == Outcome::Failed {
            return;
        }
        if outcome == Outcome::Failed && !lost {
            return;
        }
    }
}

fn help(docs: &Docs, words: &[Vec<u8>]) {
    let group = words.first().and_then(|word| word.strip_prefix(b"@"));
    if let Some(group) = group {
        let group = String::from_utf8_lossy(group).to_ascii_lowercase();
        for (name, doc) in docs.of_group(&group) {
            println!("  {} {}\n  {}\n", name.to_ascii_uppercase(), doc.syntax, doc.summary);
        }
        return;
    }
    let Some((doc, name)) = docs.find(words) else {
        println!(
            "help <command>   what a command does\nhelp @<group>    the commands of a group\n\
             clear            clear the screen\nconnect <host> <port>\n\
             quit             leave (so does Ctrl-D)"
        );
        return;
    };
    let name: Vec<String> =
        words[..name].iter().map(|w| String::from_utf8_lossy(w).to_ascii_uppercase()).collect();
    println!("\n  {} {}", name.join(" "), doc.syntax);
    println!("  summary: {}\n  since: {}\n  group: {}\n", doc.summary, doc.since, doc.group);
}

/// Adds a line to the history, unless it holds a password.
fn remember(editor: &mut Line, file: Option<&PathBuf>, line: &str, words: &[Vec<u8>]) {
    if line.trim().is_empty() || is_secret(words) {
        return;
    }
    // A history that cannot be written is no reason to stop.
    if editor.history_mut().add(line).unwrap_or(false)
        && let Some(file) = file
    {
        let _ = editor.append_history(file);
    }
}

/// Lines with passwords: those of `AUTH`, `HELLO … AUTH`, `ACL SETUSER`, `CONFIG SET …pass`,
/// `MIGRATE … AUTH`.
fn is_secret(words: &[Vec<u8>]) -> bool {
    let lower: Vec<Vec<u8>> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<&[u8]> = lower.iter().map(Vec::as_slice).collect();
    match lower.as_slice() {
        [b"auth", _, ..] | [b"acl", b"setuser" | b"deluser", ..] => true,
        [b"hello" | b"migrate", rest @ ..] => {
            rest.iter().any(|word| matches!(*word, b"auth" | b"auth2"))
        }
        [b"config", b"set", rest @ ..] => rest.iter().any(|word| {
            matches!(*word, b"masterauth" | b"masteruser" | b"requirepass" | b"http-token")
        }),
        _ => false,
    }
}

/// `$KVISTCLI_HISTFILE`, else `~/.kvistcli_history`; `/dev/null` keeps none.
fn history_file() -> Option<PathBuf> {
    let given = std::env::var_os("KVISTCLI_HISTFILE").map(PathBuf::from);
    let home =
        || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".kvistcli_history"));
    given
        .or_else(home)
        .filter(|file| file.as_os_str() != "/dev/null" && !file.as_os_str().is_empty())
}

/// What helps while a line is typed.
#[derive(Default)]
struct Aid {
    docs: RefCell<Docs>,
}

impl Helper for Aid {}
impl Validator for Aid {}

impl Hinter for Aid {
    type Hint = String;

    fn hint(&self, line: &str, position: usize, _: &Context<'_>) -> Option<String> {
        if position < line.len() { None } else { self.docs.borrow().hint(line) }
    }
}

impl Highlighter for Aid {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\x1b[90m{hint}\x1b[0m"))
    }
}

impl Completer for Aid {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = &line[..position];
        let start = typed.to_ascii_lowercase();
        let upper = typed.chars().all(|c| !c.is_ascii_lowercase());
        let docs = self.docs.borrow();
        let names = docs
            .beginning_with(&start)
            .map(|name| if upper { name.to_ascii_uppercase() } else { name.to_owned() });
        Ok((0, names.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_kept() {
        let secret = |line: &str| is_secret(&wire::split_line(line.as_bytes()).unwrap());
        for line in ["auth x", "HELLO 3 AUTH u p", "ACL SETUSER a >b", "config set requirepass x"] {
            assert!(secret(line), "{line}");
        }
        for line in ["get x", "auth", "hello 3", "acl list", "config get requirepass", ""] {
            assert!(!secret(line), "{line}");
        }
    }
}
