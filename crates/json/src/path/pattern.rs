//! Regular expressions of paths: compiled once if they stand in the path, remembered for one
//! evaluation if they come from the document.
//!
//! The engine is linear in the text for any pattern, so that no pattern backtracks for ever; what a
//! pattern may grow to is bounded too, and text is charged by its length. A pattern that does not
//! compile, or is too large, matches nothing.

use regex::{Regex, RegexBuilder};

use super::budget::{Budget, Flow};

/// How large a compiled pattern may be, in bytes.
const MAX_COMPILED: usize = 256 * 1024;

/// How long a pattern may be, in bytes.
const MAX_PATTERN: usize = 4096;

/// How many patterns of one document are remembered.
const REMEMBERED: usize = 64;

/// What compiling costs, beside the length of the pattern.
const COMPILING: usize = 20_000;

/// How a pattern is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// `match()`: the whole text, I-Regexp.
    Match,
    /// `search()`: anywhere, I-Regexp.
    Search,
    /// `=~`: anywhere, with all the syntax of the `regex` crate.
    Operator,
}

/// A pattern, ready to be used.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Option<Regex>);

impl Pattern {
    pub fn new(text: &str, usage: Usage) -> Pattern {
        if text.len() > MAX_PATTERN {
            return Pattern(None);
        }
        let compile = |text: &str| {
            let mut builder = RegexBuilder::new(text);
            builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).nest_limit(64);
            // In RFC 9485 a dot is anything but the two line ends.
            builder.crlf(usage != Usage::Operator);
            builder.build().ok()
        };
        let plain = compile(text);
        if usage != Usage::Match || plain.is_none() {
            return Pattern(plain);
        }
        // Only what is a pattern by itself is put between anchors: `a)|(b` is none.
        Pattern(compile(&format!(r"\A(?:{text})\z")))
    }

    /// Whether it matches, at the price of the text's length.
    pub fn matches(&self, text: &str, budget: &mut Budget) -> Flow<bool> {
        budget.charge(1 + text.len() / 8)?;
        Ok(self.0.as_ref().is_some_and(|regex| regex.is_match(text)))
    }

    /// Bytes on the heap at most, roughly: what is built while matching grows with use.
    pub fn memory(&self) -> usize {
        if self.0.is_some() { MAX_COMPILED / 4 } else { 0 }
    }
}

/// Patterns that came from the document, the last used first.
#[derive(Default)]
pub(super) struct Patterns {
    known: Vec<(Usage, Box<str>, Pattern)>,
}

impl Patterns {
    /// Whether a pattern matches a text.
    pub fn matches(
        &mut self,
        pattern: &str,
        usage: Usage,
        text: &str,
        budget: &mut Budget,
    ) -> Flow<bool> {
        let found =
            self.known.iter().position(|(of, known, _)| *of == usage && **known == *pattern);
        let at = match found {
            Some(at) => at,
            None => {
                budget.charge(COMPILING + 100 * pattern.len())?;
                self.known.truncate(REMEMBERED - 1);
                self.known.push((usage, pattern.into(), Pattern::new(pattern, usage)));
                self.known.len() - 1
            }
        };
        self.known[..=at].rotate_right(1);
        budget.charge(at)?;
        match self.known.first() {
            Some((_, _, pattern)) => pattern.matches(text, budget),
            None => Ok(false),
        }
    }
}
