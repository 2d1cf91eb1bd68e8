//! What can go wrong, in the classes that users of redis-py know.
//!
//! A reply of the server is classed by its first word, and `ERR` by its text where older servers
//! had no word of their own. The classes and their ancestry are those of redis-py, so that a
//! handler written for one client means the same in the other; [`Class::parents`] is the whole
//! tree.

use std::fmt;
use std::io;
use wire::ReplyError;

/// Which kind of failure an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// No connection could be made, or it broke.
    Connection,
    /// The server did not answer in time; what it did is not known.
    Timeout,
    /// The password, or the user, is wrong or missing.
    Authentication,
    /// `AUTH` was called with a number of arguments this server does not know.
    AuthenticationArguments,
    /// The service the server asks about users failed.
    ExternalAuthentication,
    /// The server is still reading its files.
    BusyLoading,
    /// Bytes came that are no reply.
    InvalidResponse,
    /// The server refused the command; there is no class of its own for the reason.
    Response,
    /// The script is not known to the server.
    NoScript,
    /// The server has no memory left for the command.
    OutOfMemory,
    /// A transaction was given up because a command in it was refused.
    ExecAbort,
    /// The server is a replica.
    ReadOnly,
    /// The user may not do this.
    NoPermission,
    /// A module could not be loaded or unloaded.
    Module,
    /// A field set that the connection has not prepared.
    NoSuchFieldset,
    /// The slot moves to another node; ask there, this once.
    Ask,
    /// The slot belongs to another node.
    Moved,
    /// Some of the keys are not here yet.
    TryAgain,
    /// The cluster does not cover the slot.
    ClusterDown,
    /// The keys belong to different slots.
    CrossSlot,
    /// A replica without its primary does not serve.
    MasterDown,
    /// An argument that cannot be sent, or options that contradict each other.
    Data,
}

impl Class {
    /// redis-py's name of the class.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Connection => "ConnectionError",
            Self::Timeout => "TimeoutError",
            Self::Authentication => "AuthenticationError",
            Self::AuthenticationArguments => "AuthenticationWrongNumberOfArgsError",
            Self::ExternalAuthentication => "ExternalAuthProviderError",
            Self::BusyLoading => "BusyLoadingError",
            Self::InvalidResponse => "InvalidResponse",
            Self::Response => "ResponseError",
            Self::NoScript => "NoScriptError",
            Self::OutOfMemory => "OutOfMemoryError",
            Self::ExecAbort => "ExecAbortError",
            Self::ReadOnly => "ReadOnlyError",
            Self::NoPermission => "NoPermissionError",
            Self::Module => "ModuleError",
            Self::NoSuchFieldset => "NoSuchFieldsetError",
            Self::Ask => "AskError",
            Self::Moved => "MovedError",
            Self::TryAgain => "TryAgainError",
            Self::ClusterDown => "ClusterDownError",
            Self::CrossSlot => "ClusterCrossSlotError",
            Self::MasterDown => "MasterDownError",
            Self::Data => "DataError",
        }
    }

    /// The classes this one is a kind of, itself excluded.
    ///
    /// ```
    /// use kvist_client::Class;
    ///
    /// assert_eq!(Class::BusyLoading.parents(), [Class::Connection]);
    /// assert_eq!(Class::Moved.parents(), [Class::Ask, Class::Response]);
    /// ```
    #[must_use]
    pub fn parents(self) -> &'static [Class] {
        match self {
            Self::Authentication | Self::BusyLoading | Self::ExternalAuthentication => {
                &[Self::Connection]
            }
            Self::NoScript
            | Self::OutOfMemory
            | Self::ExecAbort
            | Self::ReadOnly
            | Self::NoPermission
            | Self::Module
            | Self::NoSuchFieldset
            | Self::AuthenticationArguments
            | Self::Ask
            | Self::TryAgain
            | Self::ClusterDown
            | Self::CrossSlot => &[Self::Response],
            Self::Moved => &[Self::Ask, Self::Response],
            Self::MasterDown => &[Self::ClusterDown, Self::Response],
            Self::Connection
            | Self::Timeout
            | Self::InvalidResponse
            | Self::Response
            | Self::Data => &[],
        }
    }

    /// Whether an error of this class is also one of `other`.
    #[must_use]
    pub fn is_a(self, other: Class) -> bool {
        self == other || self.parents().contains(&other)
    }

    /// Whether trying again, over a new connection, may help.
    #[must_use]
    pub fn is_worth_retrying(self) -> bool {
        self.is_a(Self::Timeout) || matches!(self, Self::Connection | Self::BusyLoading)
    }
}

/// An error a server replied with.
///
/// ```
/// use kvist_client::{Class, ServerError};
///
/// let error = ServerError::new("NOSCRIPT No matching script.");
/// assert_eq!((error.class, error.message()), (Class::NoScript, "No matching script."));
///
/// let error = ServerError::new("WRONGTYPE Operation against a key");
/// assert_eq!(error.class, Class::Response);
/// assert_eq!(error.message(), "WRONGTYPE Operation against a key");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// What it is a case of.
    pub class: Class,
    /// The text as the server sent it.
    pub text: String,
    /// Where the message begins: behind the first word, if that chose the class.
    message: usize,
}

impl ServerError {
    /// Classes the text of an error reply.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let word = text.split(' ').next().unwrap_or_default();
        let rest = text.get(word.len() + 1..).unwrap_or_default();
        let (class, stripped) = match word {
            "ERR" => (class_of_text(rest), true),
            "OOM" => (Class::OutOfMemory, true),
            "WRONGPASS" | "NOAUTH" => (Class::Authentication, true),
            "EXECABORT" => (Class::ExecAbort, true),
            "LOADING" => (Class::BusyLoading, true),
            "NOSCRIPT" => (Class::NoScript, true),
            "READONLY" => (Class::ReadOnly, true),
            "NOPERM" => (Class::NoPermission, true),
            "ASK" => (Class::Ask, true),
            "TRYAGAIN" => (Class::TryAgain, true),
            "MOVED" => (Class::Moved, true),
            "CLUSTERDOWN" => (Class::ClusterDown, true),
            "CROSSSLOT" => (Class::CrossSlot, true),
            "MASTERDOWN" => (Class::MasterDown, true),
            _ => (Class::Response, false),
        };
        let message = if stripped { (word.len() + 1).min(text.len()) } else { 0 };
        ServerError { class, text, message }
    }

    /// The text for people: without the first word where the class says the same.
    #[must_use]
    pub fn message(&self) -> &str {
        self.text.get(self.message..).unwrap_or_default()
    }

    /// The first word of the text, such as `WRONGTYPE`.
    #[must_use]
    pub fn code(&self) -> &str {
        self.text.split(' ').next().unwrap_or_default()
    }

    /// Slot, host and port of a redirection. A server that does not know its own name sends none.
    ///
    /// ```
    /// let error = kvist_client::ServerError::new("MOVED 3999 127.0.0.1:6381");
    /// assert_eq!(error.redirection(), Some((3999, "127.0.0.1", 6381)));
    /// ```
    #[must_use]
    pub fn redirection(&self) -> Option<(u16, &str, u16)> {
        if !self.class.is_a(Class::Ask) {
            return None;
        }
        let (slot, address) = self.message().split_once(' ')?;
        let (host, port) = address.rsplit_once(':')?;
        Some((slot.parse().ok()?, host, port.parse().ok()?))
    }
}

/// The class of an `ERR`, by what follows the word.
fn class_of_text(text: &str) -> Class {
    const NO_PASSWORD: &str = "AUTH <password> called without any password configured for the \
                               default user. Are you sure your configuration is correct?";
    match text {
        "max number of clients reached" => Class::Connection,
        "invalid password" | NO_PASSWORD | "Client sent AUTH, but no password is set" => {
            Class::Authentication
        }
        "wrong number of arguments for 'auth' command"
        | "wrong number of arguments for 'AUTH' command" => Class::AuthenticationArguments,
        "Error loading the extension. Please check the server logs."
        | "Error unloading module: no such module with that name"
        | "Error unloading module: operation not possible."
        | "Error unloading module: the module exports one or more module-side data types, can't \
           unload" => Class::Module,
        "problem with LDAP service" => Class::ExternalAuthentication,
        "no such fieldset" => Class::NoSuchFieldset,
        _ => Class::Response,
    }
}

/// Why there is no reply, or not the one hoped for.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No connection could be made, or it broke. The text names the server.
    Connection(String, Option<io::Error>),
    /// Nothing came in time. The connection is closed: an answer that came later would be taken
    /// for that of another request.
    Timeout(String),
    /// The stream cannot be understood. The connection is closed.
    Protocol(ReplyError),
    /// The server replied with an error. The connection is as good as before.
    Server(ServerError),
    /// Options or an address make no sense.
    Invalid(String),
}

impl Error {
    /// What it is a case of.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Connection(..) => Class::Connection,
            Self::Timeout(_) => Class::Timeout,
            Self::Protocol(_) => Class::InvalidResponse,
            Self::Server(error) => error.class,
            Self::Invalid(_) => Class::Data,
        }
    }

    /// Whether the connection it happened on may still be used.
    #[must_use]
    pub fn leaves_connection_usable(&self) -> bool {
        matches!(self, Self::Server(_) | Self::Invalid(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(text, Some(error)) => write!(f, "{text}: {error}"),
            Self::Connection(text, None) | Self::Timeout(text) | Self::Invalid(text) => {
                f.write_str(text)
            }
            Self::Protocol(error) => write!(f, "{error}"),
            Self::Server(error) => f.write_str(&error.text),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Connection(_, Some(error)) => Some(error),
            Self::Protocol(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ReplyError> for Error {
    fn from(error: ReplyError) -> Self {
        Self::Protocol(error)
    }
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Self {
        Self::Server(error)
    }
}
