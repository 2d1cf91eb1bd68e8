//! Why a path could not be compiled or run, in one line fit for an error reply.
//!
//! The text names the place and what would have been right there. It quotes a few characters of the
//! path at most, and no control characters, so that a reply stays one short line whatever was sent.

use std::fmt;

/// How many characters of the path are shown on either side of the place.
const SHOWN: usize = 32;

/// Why a path could not be compiled or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// It does not read as a path.
    Syntax(Box<SyntaxError>),
    /// It is not UTF-8.
    Encoding,
    /// It is longer than [`MAX_LENGTH`](super::MAX_LENGTH) bytes.
    TooLong,
    /// It nests deeper than [`MAX_NESTING`](super::MAX_NESTING).
    TooDeep,
    /// Its patterns are more, or larger, than those of one path may be.
    Patterns,
    /// It would have needed more work than it was given.
    TooMuchWork,
}

/// Where a text stops being a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The place, in bytes from the start.
    pub position: usize,
    /// The last characters before the place.
    pub before: Box<str>,
    /// The first characters from there on.
    pub after: Box<str>,
    /// What may stand there.
    pub expected: &'static str,
}

impl PathError {
    #[cold]
    pub(super) fn syntax(text: &str, position: usize, expected: &'static str) -> PathError {
        let (before, after) = text.split_at_checked(position).unwrap_or((text, ""));
        let skip = before.chars().count().saturating_sub(SHOWN);
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        PathError::Syntax(Box::new(SyntaxError {
            position,
            before: before.chars().skip(skip).map(clean).collect(),
            after: after.chars().take(SHOWN).map(clean).collect(),
            expected,
        }))
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::Syntax(error) => {
                let SyntaxError { position, before, after, expected } = &**error;
                write!(
                    f,
                    "Error occurred at position {position}, \"{before} ---->>>> {after}\", \
                     expected one of the following: {expected}."
                )
            }
            PathError::Encoding => f.write_str("path is not UTF-8"),
            PathError::TooLong => {
                write!(f, "path is longer than {} bytes", super::MAX_LENGTH)
            }
            PathError::TooDeep => {
                write!(f, "path nests deeper than {} levels", super::MAX_NESTING)
            }
            PathError::Patterns => write!(
                f,
                "path holds more than {} patterns, or they are too large",
                super::MAX_PATTERNS
            ),
            PathError::TooMuchWork => f.write_str("path needs too much work on this document"),
        }
    }
}

impl std::error::Error for PathError {}
