//! How large a reply may be, and what may be wrong with one, for all that read replies.

use std::fmt;

/// How large a reply may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Aggregates inside each other.
    pub depth: usize,
    /// Elements of one reply, all levels together.
    pub elements: u64,
    /// Bytes of one string or line.
    pub bytes: usize,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        ReplyLimits { depth: 512, elements: 1 << 30, bytes: 512 * 1024 * 1024 }
    }
}

/// What makes a reply unreadable; what follows on its connection is then unreadable too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyError {
    /// No type begins with this byte.
    UnknownType(u8),
    /// A length is not a number or not allowed.
    BadLength,
    /// A number, boolean or null is malformed.
    BadScalar,
    /// A string is not followed by a line break.
    Unterminated,
    /// Nested deeper than [`ReplyLimits::depth`].
    TooDeep,
    /// More elements than [`ReplyLimits::elements`].
    TooManyElements,
    /// A string or line is longer than [`ReplyLimits::bytes`].
    TooLong,
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType(byte) => {
                write!(f, "a reply cannot begin with '{}'", byte.escape_ascii())
            }
            Self::BadLength => f.write_str("a reply has an invalid length"),
            Self::BadScalar => f.write_str("a reply has a malformed value"),
            Self::Unterminated => f.write_str("a reply's string does not end where it should"),
            Self::TooDeep => f.write_str("a reply is nested too deeply"),
            Self::TooManyElements => f.write_str("a reply has too many elements"),
            Self::TooLong => f.write_str("a reply has too long a string"),
        }
    }
}

impl std::error::Error for ReplyError {}
