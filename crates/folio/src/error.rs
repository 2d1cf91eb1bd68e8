//! Why something was refused, in the words of Folio's contract.

use std::fmt;

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A diff, or a batch of them, is malformed.
    Diff,
    /// A batch does not fit what is there.
    Commit,
    /// A record has changed since the diff's author read it. It is a commit error, too.
    ConcurrentChange,
    /// There is no such record.
    UnknownRec,
    /// No record may have this id.
    InvalidRecId,
    /// No tag may be called so.
    InvalidTagName,
    /// The value cannot be stored.
    InvalidTagVal,
    /// The record is no point with a history.
    HisConfig,
    /// A sample is not one of this point's.
    HisWrite,
    /// There is no such watch any more.
    UnknownWatch,
    /// The search or filter cannot be read.
    Parse,
}

impl ErrorKind {
    /// The name that the contract has for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Diff => "DiffErr",
            ErrorKind::Commit => "CommitErr",
            ErrorKind::ConcurrentChange => "ConcurrentChangeErr",
            ErrorKind::UnknownRec => "UnknownRecErr",
            ErrorKind::InvalidRecId => "InvalidRecIdErr",
            ErrorKind::InvalidTagName => "InvalidTagNameErr",
            ErrorKind::InvalidTagVal => "InvalidTagValErr",
            ErrorKind::HisConfig => "HisConfigErr",
            ErrorKind::HisWrite => "HisWriteErr",
            ErrorKind::UnknownWatch => "UnknownWatchErr",
            ErrorKind::Parse => "ParseErr",
        }
    }
}

/// Why something was refused. Its text begins with the name of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the batch did not fit what is there, for whichever reason.
    #[must_use]
    pub fn is_commit_error(&self) -> bool {
        matches!(self.kind, ErrorKind::Commit | ErrorKind::ConcurrentChange)
    }

    /// The text without the name of the kind.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Error {}

impl From<haystack::Error> for Error {
    fn from(error: haystack::Error) -> Error {
        Error::new(ErrorKind::Parse, error.to_string())
    }
}
