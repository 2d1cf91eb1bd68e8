//! What is wrong with a text or a value, and where.

use std::fmt;

/// What is wrong, and where in a text: line and column count from 1, the column in characters.
/// Both are 0 where no text is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    line: usize,
    column: usize,
}

impl Error {
    /// An error that concerns no place.
    pub fn new(message: impl Into<String>) -> Error {
        Error { message: message.into(), line: 0, column: 0 }
    }

    /// An error at a byte of a text. Takes time in proportion to the text before it.
    pub fn at(text: &str, offset: usize, message: impl Into<String>) -> Error {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = text.get(..offset).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        Error { message: message.into(), line, column }
    }

    /// The same, for a text that begins so many lines further down.
    pub fn lines_down(mut self, lines: usize) -> Error {
        if self.line > 0 {
            self.line += lines;
        }
        self
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line, from 1; 0 if no text is concerned.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1; 0 if no text is concerned.
    pub fn column(&self) -> usize {
        self.column
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "{} [line {line}, column {}]", self.message, self.column),
        }
    }
}

impl std::error::Error for Error {}
