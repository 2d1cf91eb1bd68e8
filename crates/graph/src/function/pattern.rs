//! Regular expressions: `=~`, `string.matchRegEx` and `string.replaceRegEx`. To look for a match
//! takes time in proportion to the text and to the pattern, and no more, whatever they are. That
//! product, and the memory of a pattern, are bounded, since a search is not interrupted. All
//! matches of a text are many searches, between which the statement is asked whether it goes on.

use regex_automata::nfa::thompson::{self, pikevm};
use regex_automata::{Anchored, Input};

use super::Context;
use crate::value::{Error, Value};

/// The most memory of a compiled pattern, in bytes.
const LARGEST: usize = 1 << 20;

/// The most bytes of a text, times the states of a pattern.
const LONGEST: usize = 1 << 28;

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

    /// The units of work that a search through a text takes at most.
    ///
    /// # Errors
    /// They are too many.
    pub fn units(&self, text: &str) -> Result<u32, Error> {
        let steps = self.machine.get_nfa().states().len().saturating_mul(text.len());
        if steps > LONGEST {
            return Err(Error::out_of_range("The text is too long for this regular expression"));
        }
        Ok(u32::try_from(steps / 16).map_or(u32::MAX, |units| units + 1))
    }

    /// Whether the text matches.
    pub fn is_match(&mut self, text: &str) -> bool {
        self.machine.is_match(&mut self.cache, Input::new(text).anchored(Anchored::No))
    }
}

/// All that a pattern finds: for each what it matched, and then what each group did.
pub(super) fn matches(context: &Context<'_>, text: &str, pattern: &str) -> Result<Value, Error> {
    let pattern = Pattern::new(pattern)?;
    let units = pattern.units(text)?;
    let Pattern { machine, mut cache } = pattern;
    let (mut found, mut bytes) = (Vec::new(), 0);
    context.work(units)?;
    for captures in machine.captures_iter(&mut cache, text) {
        context.work(units)?;
        let group = |span: Option<regex_automata::Span>| {
            Value::from(span.and_then(|span| text.get(span.range())))
        };
        let groups = Value::list(captures.iter().map(group));
        bytes += size_of::<Value>() + groups.memory();
        context.check_room(bytes)?;
        found.push(groups);
    }
    Ok(Value::list(found))
}

/// The text with all that a pattern finds replaced.
pub(super) fn replace(
    context: &Context<'_>,
    text: &str,
    pattern: &str,
    with: &str,
) -> Result<Value, Error> {
    let pattern = Pattern::new(pattern)?;
    let units = pattern.units(text)?;
    let Pattern { machine, mut cache } = pattern;
    context.work(units)?;
    let mut replaced = String::with_capacity(text.len());
    let mut end = 0;
    for found in machine.find_iter(&mut cache, text) {
        context.work(units)?;
        replaced.push_str(text.get(end..found.start()).unwrap_or_default());
        replaced.push_str(with);
        context.check_room(replaced.len())?;
        end = found.end();
    }
    replaced.push_str(text.get(end..).unwrap_or_default());
    Ok(replaced.into())
}
