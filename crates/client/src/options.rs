//! The server, and how to connect to it: everything a connection needs to know before it is made.

use crate::secure::Tls;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use wire::ReplyLimits;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A name or an address, and a port.
    Tcp(String, u16),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host, port) => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Which of the two protocols to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP3 if the server can, RESP2 if it is too old for `HELLO`.
    #[default]
    Newest,
    /// RESP2: `HELLO` is never sent.
    Resp2,
    /// RESP3, or no connection at all.
    Resp3,
}

/// How dead peers are found on a connection that is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    /// Silence before the first probe.
    pub idle: Duration,
    /// Between probes.
    pub interval: Duration,
    /// Probes that may go unanswered.
    pub probes: u32,
}

impl Default for Keepalive {
    fn default() -> Self {
        Keepalive { idle: Duration::from_secs(30), interval: Duration::from_secs(5), probes: 3 }
    }
}

/// How a connection is made.
///
/// ```
/// use kvist_client::{Options, Protocol};
/// use std::time::Duration;
///
/// let options = Options {
///     db: 3,
///     password: Some("secret".into()),
///     protocol: Protocol::Resp2,
///     timeout: Some(Duration::from_millis(500)),
///     ..Options::tcp("cache.example", 6379)
/// };
/// assert_eq!(options.address.to_string(), "cache.example:6379");
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The server to connect to.
    pub address: Address,
    /// The database to select.
    pub db: u32,
    /// The user to be; the default user if there is only a password.
    pub username: Option<String>,
    /// The password of the user.
    pub password: Option<String>,
    /// Which protocol to speak.
    pub protocol: Protocol,
    /// How long making the connection may take, the handshake included.
    pub connect_timeout: Option<Duration>,
    /// How long the server may be silent while an answer is due.
    pub timeout: Option<Duration>,
    /// Whether and how the kernel looks for dead peers (TCP only).
    pub keepalive: Option<Keepalive>,
    /// What `CLIENT LIST` shows as the connection's name.
    pub name: Option<String>,
    /// What `CLIENT LIST` shows as the library's name and version; servers that do not know this
    /// are not told.
    pub library: Option<(String, String)>,
    /// Encryption (TCP only).
    pub tls: Option<Tls>,
    /// How large a reply may be.
    pub limits: ReplyLimits,
}

impl Options {
    /// The options for an address, with everything else as it usually is.
    #[must_use]
    pub fn new(address: Address) -> Self {
        Options {
            address,
            db: 0,
            username: None,
            password: None,
            protocol: Protocol::default(),
            connect_timeout: Some(Duration::from_secs(5)),
            timeout: Some(Duration::from_secs(5)),
            keepalive: Some(Keepalive::default()),
            name: None,
            library: Some(("kvist".to_owned(), env!("CARGO_PKG_VERSION").to_owned())),
            tls: None,
            limits: ReplyLimits::default(),
        }
    }

    /// The options for a host and a port.
    #[must_use]
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self::new(Address::Tcp(host.into(), port))
    }

    /// The options for the path of a Unix socket.
    #[must_use]
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::new(Address::Unix(path.into()))
    }
}

impl Default for Options {
    /// `localhost:6379`.
    fn default() -> Self {
        Self::tcp("localhost", 6379)
    }
}
