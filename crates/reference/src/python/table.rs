//! The table of redis-py's methods: the names, arguments, defaults and replies that Python
//! programs rely on, and what words a call becomes.
//!
//! A command's grammar says what a server accepts; it cannot say that `ZADD` takes a dict. So a
//! method that Python programs know has a row here, in `data/python/*.methods`; a command without
//! one gets a method from its grammar (`derive`).
//!
//! ```text
//! name(parameters) -> reply       a method; the types are for the stubs, `S` is str or bytes
//!   over (parameters) -> reply    a narrower signature, for the stubs alone
//!   " text                        what it does, where no spec of Kvist says so
//!   # acl|cat                     the command whose spec says what it does
//!   ! condition : message         a DataError; `!!` a ValueError
//!   = name = expression           a statement before the words
//!   | line                        the same, in several lines
//!   quick condition : template    the words of the usual case
//!   template                      the words; without one the lines above answer by themselves
//! alias = name                    another name of a method above
//! ```
//!
//! The notation of a template is explained in `template`. This module reads and never guesses: a
//! line it does not know is an error that shows the line.

use super::template::{self, Template};

/// The rows of one class.
pub(crate) struct Table {
    pub(crate) methods: Vec<Method>,
}

/// A method, or another name of one.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) kind: MethodKind,
}

pub(crate) enum MethodKind {
    Alias(String),
    Call(Box<Call>),
}

/// What a method takes, sends and answers.
pub(crate) struct Call {
    pub(crate) main: Signature,
    /// Narrower signatures, for type checkers.
    pub(crate) over: Vec<Signature>,
    /// What it does, if no spec says so.
    pub(crate) doc: Option<String>,
    /// The command whose spec says what it does, if not the one of the template.
    pub(crate) command: Option<String>,
    pub(crate) lines: Vec<Line>,
    pub(crate) words: Option<Template>,
}

/// What happens before the words are put together.
pub(crate) enum Line {
    Check { condition: String, message: String, error: &'static str },
    Statement(String),
    Quick { condition: String, words: Template },
}

#[derive(Clone)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) reply: String,
}

/// `name: type = default`, with its stars.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// With its stars; a lone `*` for what separates keywords.
    pub(crate) name: String,
    pub(crate) of: Option<String>,
    pub(crate) default: Option<String>,
}

impl Call {
    /// A call without extras.
    pub(crate) fn plain(main: Signature, words: Template) -> Call {
        let words = Some(words);
        Call { main, over: Vec::new(), doc: None, command: None, lines: Vec::new(), words }
    }

    /// The lower-case name of the command in a [`base::Spec`]'s form.
    pub(crate) fn spec_name(&self) -> Option<String> {
        let of_words = || self.words.as_ref().map(|words| words.command.replace(' ', "|"));
        self.command.clone().or_else(of_words).map(|name| name.to_ascii_lowercase())
    }

    /// Whether unknown keyword arguments are handed on.
    pub(crate) fn takes_options(&self) -> bool {
        self.main.parameters.iter().any(|parameter| parameter.name == "**kwargs")
    }
}

/// Reads the text of a table.
pub(crate) fn read(text: &str) -> Result<Table, String> {
    let mut table = Table { methods: Vec::new() };
    for line in text.lines() {
        let row = line.trim();
        if row.is_empty() || line.starts_with('#') {
            continue;
        }
        let done = match line.starts_with(' ') {
            true => body(&mut table, row),
            false => head(&mut table, row),
        };
        done.map_err(|why| format!("{why} in {line:?}"))?;
    }
    Ok(table)
}

fn head(table: &mut Table, row: &str) -> Result<(), String> {
    let kind = match row.split_once('(') {
        Some((name, _)) => {
            let main = signature(&row[name.len()..])?;
            let call = Call {
                main,
                over: Vec::new(),
                doc: None,
                command: None,
                lines: Vec::new(),
                words: None,
            };
            (name, MethodKind::Call(Box::new(call)))
        }
        None => {
            let (alias, name) = row.split_once(" = ").ok_or("no method")?;
            (alias, MethodKind::Alias(name.to_owned()))
        }
    };
    table.methods.push(Method { name: kind.0.to_owned(), kind: kind.1 });
    Ok(())
}

fn body(table: &mut Table, row: &str) -> Result<(), String> {
    let Some(Method { kind: MethodKind::Call(call), .. }) = table.methods.last_mut() else {
        return Err("no method before".to_owned());
    };
    let colon = |text: &str| -> Result<(String, String), String> {
        let (before, after) = text.split_once(" : ").ok_or("no colon between blanks")?;
        Ok((before.trim().to_owned(), after.trim().to_owned()))
    };
    if let Some(rest) = row.strip_prefix("over ") {
        call.over.push(signature(rest)?);
    } else if let Some(rest) = row.strip_prefix("\" ") {
        call.doc = Some(rest.to_owned());
    } else if let Some(rest) = row.strip_prefix("# ") {
        call.command = Some(rest.to_owned());
    } else if let Some(rest) = row.strip_prefix("!! ") {
        let (condition, message) = colon(rest)?;
        call.lines.push(Line::Check { condition, message, error: "ValueError" });
    } else if let Some(rest) = row.strip_prefix("! ") {
        let (condition, message) = colon(rest)?;
        call.lines.push(Line::Check { condition, message, error: "DataError" });
    } else if let Some(rest) = row.strip_prefix("= ").or_else(|| row.strip_prefix("| ")) {
        call.lines.push(Line::Statement(rest.to_owned()));
    } else if let Some(rest) = row.strip_prefix("quick ") {
        let (condition, words) = colon(rest)?;
        let words = template::read(&words)?;
        call.lines.push(Line::Quick { condition, words });
    } else if call.words.is_some() {
        return Err("a second template".to_owned());
    } else {
        call.words = Some(template::read(row)?);
    }
    Ok(())
}

/// Reads `(parameters) -> reply`.
pub(crate) fn signature(text: &str) -> Result<Signature, String> {
    let inner = text.strip_prefix('(').ok_or("no parameters")?;
    let end = template::closing(inner, ')').ok_or("parameters that do not end")?;
    let reply = inner[end + 1..].trim().strip_prefix("-> ").ok_or("no reply")?.to_owned();
    let parameters = template::split(&inner[..end], ',').into_iter().map(parameter).collect();
    Ok(Signature { parameters, reply })
}

fn parameter(text: &str) -> Parameter {
    let (rest, default) = match text.split_once(" = ") {
        Some((rest, default)) => (rest, Some(default.trim().to_owned())),
        None => (text, None),
    };
    match rest.split_once(':') {
        Some((name, of)) => {
            Parameter { name: name.trim().to_owned(), of: Some(of.trim().to_owned()), default }
        }
        None => Parameter { name: rest.trim().to_owned(), of: None, default },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let text = "# a comment\n\nget(name: KeyT, *rest: str, deep: list[int] = [1, 2]) -> S\n  \
                    over (name: KeyT) -> int\n  ! not name : no name\n  GET name\n\nfetch = get\n";
        let table = read(text).unwrap();
        let names: Vec<&str> = table.methods.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["get", "fetch"]);
        let MethodKind::Call(call) = &table.methods[0].kind else { panic!("an alias") };
        let parameters: Vec<&str> = call.main.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(parameters, ["name", "*rest", "deep"]);
        assert_eq!(call.main.parameters[2].default.as_deref(), Some("[1, 2]"));
        assert_eq!((call.over.len(), call.lines.len()), (1, 1));
        assert_eq!(call.spec_name().as_deref(), Some("get"));
    }

    #[test]
    fn broken_rows_are_shown() {
        for text in ["get(name", "  GET name", "get() -> S\n  ! no message", "get"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
