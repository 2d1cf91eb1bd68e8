//! The scripts that applications without `JSON.*` keep documents with: as text, or as MessagePack.
//!
//! Each takes one key. Paths are given as steps: names, or positions from 0.

use json::{Registry, Value};

use super::documents::{Document, at};
use super::rows::RANDOM;
use crate::client::Reply;

/// Their sources, in the order in which [`Digests`] has their digests.
pub(super) const SOURCES: [&str; 8] = [
    include_str!("scripts/json-set-root.lua"),
    include_str!("scripts/json-get-root.lua"),
    include_str!("scripts/json-set-path.lua"),
    include_str!("scripts/json-get-path.lua"),
    include_str!("scripts/msgpack-set-root.lua"),
    include_str!("scripts/msgpack-get-root.lua"),
    include_str!("scripts/msgpack-set-path.lua"),
    include_str!("scripts/msgpack-get-path.lua"),
];

/// How scripts keep documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    MessagePack,
}

impl Form {
    /// As the scripts' names begin.
    pub fn name(self) -> &'static str {
        match self {
            Form::Text => "json",
            Form::MessagePack => "msgpack",
        }
    }
}

/// The scripts as `EVALSHA` wants them.
pub(super) struct Digests(pub Vec<String>);

impl Digests {
    fn command(&self, form: Form, script: usize, args: &[String]) -> Vec<String> {
        let at = script + if form == Form::Text { 0 } else { 4 };
        let digest = self.0.get(at).cloned().unwrap_or_default();
        let head = ["EVALSHA".to_owned(), digest, "1".to_owned(), "text".to_owned()];
        head.into_iter().chain(args.iter().cloned()).collect()
    }

    pub fn set_root(&self, form: Form, text: &str) -> Vec<String> {
        self.command(form, 0, &[text.to_owned()])
    }

    pub fn get_root(&self, form: Form) -> Vec<String> {
        self.command(form, 1, &[])
    }

    pub fn set_path(&self, form: Form, path: &str) -> Vec<String> {
        let mut args = vec![format!("1{RANDOM}")];
        args.extend(steps(path));
        self.command(form, 2, &args)
    }

    pub fn get_path(&self, form: Form, path: &str) -> Vec<String> {
        self.command(form, 3, &steps(path))
    }
}

/// The steps of a path: `a.b[1]["c"]` is a, b, 1, c.
pub(super) fn steps(path: &str) -> Vec<String> {
    let (mut steps, mut step, mut quoted) = (Vec::new(), String::new(), false);
    for letter in path.chars() {
        match letter {
            '"' => quoted = !quoted,
            '.' | '[' | ']' if !quoted => {
                if !step.is_empty() {
                    steps.push(std::mem::take(&mut step));
                }
            }
            _ => step.push(letter),
        }
    }
    if !step.is_empty() {
        steps.push(step);
    }
    steps
}

/// What an answer must be.
#[derive(Debug)]
pub(super) enum Answer {
    /// This JSON, however its members are ordered.
    Value(String),
    /// A document with these values at these paths: numbers of scripts have 14 digits and their
    /// empty arrays are objects, so that as a whole it is another one.
    Scalars(Vec<(&'static str, String)>),
}

impl Answer {
    /// A whole document that went through a script.
    pub fn document(document: &Document) -> Result<Answer, String> {
        let scalars = document.scalars.iter();
        let found = scalars.map(|path| Ok((*path, document.at(path)?)));
        found.collect::<Result<_, String>>().map(Answer::Scalars)
    }

    /// Compares.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, reply: &Reply) -> Result<(), String> {
        let Reply::Bytes(Some(text)) = reply else { return Err(format!("{reply:?}")) };
        let parse = |text: &[u8]| {
            Value::parse(text, &mut Registry::new()).map_err(|error| error.to_string())
        };
        let value = parse(text)?;
        match self {
            Answer::Value(wanted) => {
                if value.root().equals(parse(wanted.as_bytes())?.root()) {
                    return Ok(());
                }
                Err(format!("{} instead of {wanted}", String::from_utf8_lossy(text)))
            }
            Answer::Scalars(scalars) => {
                for (path, wanted) in scalars {
                    let found = at(&value, path)?;
                    if found != *wanted {
                        return Err(format!("{found} instead of {wanted} at {path}"));
                    }
                }
                Ok(())
            }
        }
    }
}
