//! Listening: addresses, ports, sockets.

use crate::directive::{Directive as D, INT_MAX, Kind};

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
