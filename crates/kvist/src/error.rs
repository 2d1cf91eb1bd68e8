//! What can go wrong, told apart by what a program can do about it.

use std::fmt;
use std::path::PathBuf;

use wire::Value;

/// Why there is no reply, or not the one hoped for.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The command was refused: its text, as a server would send it (`WRONGTYPE …`).
    Refused(String),
    /// The data directory is open already, in this process or another.
    InUse(PathBuf),
    /// The data directory cannot be opened or read.
    Open(String),
    /// A setting is unknown or cannot have that value.
    Setting(String),
    /// The engine has been closed, or this session has been ended by `QUIT` or `CLIENT KILL`.
    Closed,
    /// This process was forked from the one that opened the engine.
    Forked,
    /// The caller asked to wait no longer. The session is over.
    Interrupted,
    /// The command belongs into a session of its own; which kind, the text says.
    NeedsSession(&'static str),
    /// The command ran, but the disk could not confirm that it is durable.
    NotDurable(String),
    /// The reply is not what it was wanted as.
    Unexpected {
        /// What was wanted.
        wanted: &'static str,
        /// What came.
        found: Box<Value>,
    },
}

impl Error {
    /// The first word of a refusal, such as `WRONGTYPE`; empty for other errors.
    ///
    /// ```
    /// let db = kvist::Kvist::in_memory()?;
    /// db.set("k", "text")?;
    /// let refused = db.call(["LPUSH", "k", "x"]).unwrap_err();
    /// assert_eq!(refused.code(), "WRONGTYPE");
    /// # Ok::<(), kvist::Error>(())
    /// ```
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Error::Refused(text) => text.split(' ').next().unwrap_or_default(),
            _ => "",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(text) | Error::Open(text) | Error::Setting(text) => f.write_str(text),
            Error::InUse(dir) => write!(
                f,
                "the data directory {} is in use: it is open in another process, or has been \
                 opened in this one before",
                dir.display()
            ),
            Error::Closed => f.write_str("the engine, or this session of it, has been closed"),
            Error::Forked => f.write_str(
                "this process was forked from the one that opened the engine; open one in this \
                 process, after the fork",
            ),
            Error::Interrupted => f.write_str("interrupted while waiting"),
            Error::NeedsSession(which) => {
                write!(f, "this command changes a connection's state: use {which}")
            }
            Error::NotDurable(text) => {
                write!(f, "the command ran, but its effect is not known to be durable: {text}")
            }
            Error::Unexpected { wanted, found } => {
                write!(f, "the reply is no {wanted}: {found:?}")
            }
        }
    }
}

impl std::error::Error for Error {}
