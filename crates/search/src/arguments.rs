//! The words of a command, taken one after another.
//!
//! One place, so that what is missing or no number is refused with the same texts everywhere. Must
//! not know which options there are.

use crate::error::{Error, Result};
use crate::number;

/// What remains of the words of a command.
#[derive(Clone, Debug)]
pub(crate) struct Arguments<'a> {
    words: &'a [&'a [u8]],
    at: usize,
}

impl<'a> Arguments<'a> {
    /// All of these words.
    pub(crate) fn new(words: &'a [&'a [u8]]) -> Self {
        Self { words, at: 0 }
    }

    /// The next word, which stays.
    pub(crate) fn peek(&self) -> Option<&'a [u8]> {
        self.words.get(self.at).copied()
    }

    /// Takes the next word.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    /// Takes the next word if it is this keyword.
    pub(crate) fn take(&mut self, keyword: &str) -> bool {
        let is = self.peek().is_some_and(|word| word.eq_ignore_ascii_case(keyword.as_bytes()));
        self.at += usize::from(is);
        is
    }

    /// What remains.
    pub(crate) fn rest(&self) -> &'a [&'a [u8]] {
        &self.words[self.at..]
    }

    /// The value of an option, which must be there.
    pub(crate) fn value(&mut self, option: &str) -> Result<&'a [u8]> {
        self.next().ok_or_else(|| missing(option))
    }

    /// A number of the option.
    pub(crate) fn number(&mut self, option: &str) -> Result<f64> {
        number::parse(self.value(option)?).ok_or_else(|| no_number(option))
    }

    /// A whole number of the option that is not negative.
    pub(crate) fn count(&mut self, option: &str) -> Result<usize> {
        count(self.value(option)?).ok_or_else(|| no_number(option))
    }

    /// A count, and that many words.
    pub(crate) fn list(&mut self, option: &str) -> Result<&'a [&'a [u8]]> {
        let length = self.count(option)?;
        let list = self.rest().get(..length).ok_or_else(|| missing(option))?;
        self.at += length;
        Ok(list)
    }
}

/// A whole number that is not negative, in decimal.
pub(crate) fn count(word: &[u8]) -> Option<usize> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The option's value is missing.
pub(crate) fn missing(option: &str) -> Error {
    Error::new(format!("Bad arguments for {option}: Expected an argument, but none provided"))
}

/// The option's value is no number.
pub(crate) fn no_number(option: &str) -> Error {
    Error::new(format!("Bad arguments for {option}: Could not convert argument to expected type"))
}

/// The option's value is beyond its limits.
pub(crate) fn out_of_bounds(option: &str) -> Error {
    Error::new(format!("Bad arguments for {option}: Value is outside acceptable bounds"))
}

/// A word that is no option here.
pub(crate) fn unknown(word: &[u8]) -> Error {
    Error::new(format!("Unknown argument `{}`", text(word)))
}

/// A word in the text of an error, cut short if it is long.
pub(crate) fn text(word: &[u8]) -> String {
    const LONGEST: usize = 128;
    let shown = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]).into_owned();
    if word.len() > LONGEST { shown + "..." } else { shown }
}
