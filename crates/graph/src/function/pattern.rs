//! Regular expressions: `=~`, `string.matchRegEx` and `string.replaceRegEx`. They take time in
//! proportion to the text, whatever the pattern is, and patterns that need much memory are refused.

use regex_automata::nfa::thompson::{self, pikevm};
use regex_automata::{Anchored, Input};

use super::Context;
use crate::value::{Error, Value};

/// The most memory of a compiled pattern, in bytes.
const LARGEST: usize = 1 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    machine: pikevm::PikeVM,
    cache: pikevm::Cache,
}

impl Pattern {
    /// Compiles a pattern that matches anywhere.
    pub fn new(pattern: &str) -> Result<Pattern, Error> {
        let refused = |error: &dyn std::fmt::Display| {
            Error::argument(format!("Invalid regular expression '{pattern}': {error}"))
        };
        let limits = thompson::Config::new().nfa_size_limit(Some(LARGEST));
        let machine = pikevm::Builder::new().thompson(limits).build(pattern);
        let machine = machine.map_err(|error| refused(&error))?;
        let cache = machine.create_cache();
        Ok(Pattern { machine, cache })
    }

    /// Compiles a pattern that matches whole texts, as `=~` wants.
    pub fn whole(pattern: &str) -> Result<Pattern, Error> {
        // Compiled alone first, so that parentheses that do not match cannot close ours.
        Pattern::new(pattern)?;
        Pattern::new(&format!("^(?:{pattern})$"))
    }

    /// Whether the text matches.
    pub fn is_match(&mut self, text: &str) -> bool {
        self.machine.is_match(&mut self.cache, Input::new(text).anchored(Anchored::No))
    }
}

/// All that a pattern finds: for each what it matched, and then what each group did.
pub(super) fn matches(text: &str, pattern: &str) -> Result<Value, Error> {
    let Pattern { machine, mut cache } = Pattern::new(pattern)?;
    let found = machine.captures_iter(&mut cache, text).map(|captures| {
        let group = |span: Option<regex_automata::Span>| {
            Value::from(span.and_then(|span| text.get(span.range())))
        };
        Value::list(captures.iter().map(group))
    });
    Ok(Value::list(found.collect::<Vec<_>>()))
}

/// The text with all that a pattern finds replaced.
pub(super) fn replace(
    context: &Context<'_>,
    text: &str,
    pattern: &str,
    with: &str,
) -> Result<Value, Error> {
    let Pattern { machine, mut cache } = Pattern::new(pattern)?;
    let mut replaced = String::with_capacity(text.len());
    let mut end = 0;
    for found in machine.find_iter(&mut cache, text) {
        replaced.push_str(text.get(end..found.start()).unwrap_or_default());
        replaced.push_str(with);
        context.check_room(replaced.len())?;
        end = found.end();
    }
    replaced.push_str(text.get(end..).unwrap_or_default());
    Ok(replaced.into())
}
