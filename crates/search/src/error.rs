//! Why a definition, a query or an expression is refused.

use std::fmt;

/// An error whose text is sent to the client as it is, after `ERR ` unless it has a code of its
/// own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl Error {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The result of what may be refused.
pub type Result<T> = std::result::Result<T, Error>;
