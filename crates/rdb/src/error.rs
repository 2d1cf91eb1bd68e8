//! What can be wrong with a file: where, and what.

use std::borrow::Cow;
use std::{fmt, io};

/// Why bytes could not be read, and how far reading had come.
#[derive(Debug)]
pub struct Error {
    /// Bytes of the input before the point of the failure.
    pub offset: u64,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong.
#[derive(Debug)]
pub enum Reason {
    /// The source failed.
    Io(io::Error),
    /// The input ends in the middle of something.
    Truncated,
    /// The bytes contradict the format.
    Corrupt(Cow<'static, str>),
    /// The bytes may be in order, but of a kind that is not known or not taken.
    Unsupported(Cow<'static, str>),
    /// The bytes are not those that were written.
    Checksum {
        /// The sum at the end of the file.
        stored: u64,
        /// The sum of what was read.
        computed: u64,
    },
}

impl Error {
    pub(crate) fn corrupt(offset: u64, what: impl Into<Cow<'static, str>>) -> Self {
        Error { offset, reason: Reason::Corrupt(what.into()) }
    }

    pub(crate) fn unsupported(offset: u64, what: impl Into<Cow<'static, str>>) -> Self {
        Error { offset, reason: Reason::Unsupported(what.into()) }
    }

    /// Whether the input merely ends too early.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self.reason, Reason::Truncated)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Io(error) => write!(f, "cannot read: {error}"),
            Reason::Truncated => f.write_str("unexpected end of file"),
            Reason::Corrupt(what) | Reason::Unsupported(what) => f.write_str(what),
            Reason::Checksum { stored, computed } => {
                write!(f, "the checksum is {computed:016x}, but {stored:016x} was written")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::Io(error) => Some(error),
            _ => None,
        }
    }
}
