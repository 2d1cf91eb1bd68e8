//! Listening: addresses, ports, sockets.

use std::time::Duration;

use crate::directive::{Directive as D, INT_MAX, Kind};
use crate::settings::Settings;
use crate::typed::some_seconds;
use crate::value::Value;

pub(super) const LIST: &[D] = &[
    D::new(
        "bind",
        Kind::Bind,
        "127.0.0.1 -::1",
        "Addresses to listen on, at most sixteen. A leading minus means that an address which this \
         machine lacks is no error; * and ::* stand for every IPv4 and every IPv6 address. An \
         empty string listens on no TCP address at all.",
    ),
    D::int(
        "port",
        "6379",
        0,
        65535,
        "TCP port of the Redis protocol. 0 closes it, which leaves the Unix socket.",
    ),
    D::int(
        "tcp-backlog",
        "511",
        0,
        INT_MAX,
        "Length of the queue of connections the kernel has accepted and the server has not. The \
         kernel caps it at net.core.somaxconn.",
    )
    .at_start(),
    D::text("unixsocket", "", "Path of a Unix socket to listen on as well. Empty means none.")
        .at_start(),
    D::new(
        "unixsocketperm",
        Kind::Octal { max: 0o777 },
        "0",
        "File mode of the Unix socket, in octal. 0 leaves what the umask gives.",
    )
    .at_start(),
    D::int(
        "timeout",
        "0",
        0,
        INT_MAX,
        "Seconds of silence after which an ordinary client is disconnected. 0 never does.",
    ),
    D::int(
        "tcp-keepalive",
        "300",
        0,
        INT_MAX,
        "Seconds between keep-alive probes on idle TCP connections, so that dead peers are \
         noticed. 0 sends none.",
    ),
    D::yes_no(
        "protected-mode",
        "yes",
        "While no password is set for the default user, refuse clients from other machines.",
    ),
    D::text(
        "bind-source-addr",
        "",
        "Local address from which connections to other servers are opened.",
    )
    .pending(),
    D::int(
        "socket-mark-id",
        "0",
        0,
        u32::MAX as i64,
        "Mark put on listening sockets for the packet filter of the system.",
    )
    .at_start()
    .pending(),
];

/// Where the server listens, and how it treats connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkSettings {
    /// Addresses to listen on; none closes TCP.
    pub bind: Vec<BindAddress>,
    /// TCP port of the Redis protocol; 0 closes TCP.
    pub port: u16,
    /// Length of the kernel's queue of connections.
    pub tcp_backlog: u32,
    /// Path of the Unix socket.
    pub unixsocket: Option<String>,
    /// File mode of the Unix socket, if it is to be changed.
    pub unixsocketperm: Option<u32>,
    /// Silence after which an ordinary client is closed.
    pub timeout: Option<Duration>,
    /// Time between keep-alive probes; never more than the kernel takes.
    pub tcp_keepalive: Option<Duration>,
    /// Refuse other machines while the default user has no password.
    pub protected_mode: bool,
}

impl NetworkSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            bind: addresses(settings, "bind"),
            port: settings.int("port"),
            tcp_backlog: settings.int("tcp-backlog"),
            unixsocket: settings.path("unixsocket"),
            unixsocketperm: mode(settings, "unixsocketperm"),
            timeout: some_seconds(settings.int("timeout")),
            tcp_keepalive: some_seconds(settings.int::<u64>("tcp-keepalive").min(MAX_KEEPALIVE)),
            protected_mode: settings.yes("protected-mode"),
        }
    }
}

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindAddress {
    /// An IP address, or `*` for every IPv4, or `::*` for every IPv6 address.
    pub address: String,
    /// Its absence is no error.
    pub optional: bool,
}

/// The addresses of a directive of this kind.
pub(super) fn addresses(settings: &Settings, name: &str) -> Vec<BindAddress> {
    let Some(Value::Bind(addresses)) = settings.value(name) else { return Vec::new() };
    addresses
        .iter()
        .map(|address| match address.strip_prefix('-') {
            Some(address) => BindAddress { address: address.to_owned(), optional: true },
            None => BindAddress { address: address.clone(), optional: false },
        })
        .collect()
}

/// The most seconds that Linux takes for keep-alive probes.
const MAX_KEEPALIVE: u64 = 32_767;

/// The file mode of the Unix socket, if it is to be changed.
fn mode(settings: &Settings, name: &str) -> Option<u32> {
    match settings.value(name) {
        Some(&Value::Octal(mode)) if mode != 0 => Some(mode),
        _ => None,
    }
}
