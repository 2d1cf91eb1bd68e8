//! A text that is read from the front, and where in it something is wrong.

use crate::{Error, Limits};

/// A place in a text.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Units of values that may still come of it, see [`Limits::units`].
    left: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor::within(text, Limits::DEFAULT)
    }

    /// The same where no more may come of it than limits say.
    pub fn within(text: &'a str, limits: Limits) -> Cursor<'a> {
        Cursor { text, at: 0, left: limits.units }
    }

    /// Counts units of values that are made of it; an error if they have become too many.
    pub fn charge(&mut self, units: usize) -> Result<(), Error> {
        let left = self.left.checked_sub(units);
        self.left = left.ok_or_else(|| self.error("Too many values for one text"))?;
        Ok(())
    }

    /// Counts so many units in place of those that were counted since it was here.
    pub fn charge_instead(&mut self, since: &Cursor<'_>, units: usize) -> Result<(), Error> {
        self.left = since.left;
        self.charge(units)
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte so many after the next.
    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at.checked_add(ahead)?).copied()
    }

    /// The next character.
    pub fn peek_char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The place, in bytes.
    pub fn place(&self) -> usize {
        self.at
    }

    /// What was read since a place.
    pub fn since(&self, place: usize) -> &'a str {
        self.text.get(place..self.at).unwrap_or_default()
    }

    /// Goes back, or on, to a place.
    pub fn go_to(&mut self, place: usize) {
        self.at = place.min(self.text.len());
    }

    /// Goes on by so many bytes, which have been looked at.
    pub fn skip(&mut self, bytes: usize) {
        self.go_to(self.at.saturating_add(bytes));
    }

    /// Takes a byte if it is the next.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes a text if it is next.
    pub fn take_text(&mut self, text: &str) -> bool {
        let found = self
            .text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(text.as_bytes()));
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Takes what consists of such bytes, all of which are ASCII.
    pub fn take_while(&mut self, is_one: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        self.at += bytes.iter().take_while(|byte| is_one(**byte)).count();
        self.since(start)
    }

    /// Takes what consists of such characters.
    pub fn take_chars(&mut self, is_one: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_one(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Skips spaces and tabs.
    pub fn skip_blanks(&mut self) {
        self.take_while(|byte| byte == b' ' || byte == b'\t');
    }

    /// Skips spaces, tabs and ends of lines.
    pub fn skip_space(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    /// Takes the end of a line, if it is here; that of the text is none.
    pub fn take_line_end(&mut self) -> bool {
        let at = self.at;
        self.take(b'\r');
        self.take(b'\n');
        self.at > at
    }

    pub fn is_line_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\r' | b'\n'))
    }

    /// An error here.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::at(self.text, self.at, message)
    }

    /// An error at another place.
    pub fn error_at(&self, place: usize, message: impl Into<String>) -> Error {
        Error::at(self.text, place, message)
    }

    /// The error that something else was expected here.
    pub fn expected(&self, what: &str) -> Error {
        let found = match self.peek_char() {
            None => "the end".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(c) => format!("{c:?}"),
        };
        self.error(format!("Expected {what}, not {found}"))
    }

    /// Takes a byte that has to be here.
    pub fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.take(byte) {
            return Ok(());
        }
        Err(self.expected(&format!("'{}'", char::from(byte))))
    }
}
