//! Why an algorithm has no rows.

use std::fmt;

/// Why an algorithm has no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It was told to end.
    Ended,
    /// It would keep more than it may.
    Memory,
    /// Its options, or the numbers it reads, make no sense.
    Wrong(Box<str>),
}

impl Error {
    pub(super) fn wrong(message: impl Into<Box<str>>) -> Self {
        Error::Wrong(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Ended => f.write_str("Query was ended"),
            Error::Memory => f.write_str("Query's mem consumption exceeded capacity"),
            Error::Wrong(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
