//! How listening sockets are made.
//!
//! It is done before any thread starts, so that a busy port ends the program with a plain message
//! instead of a running server that cannot be reached.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use config::{BindAddress, Config};
use mio::net::{TcpListener, UnixListener};
use socket2::{Domain, SockAddr, Socket, Type};

/// A listening socket.
pub enum Listener {
    /// On a TCP address.
    Tcp(TcpListener),
    /// On a TCP address, for TLS.
    Tls(TcpListener),
    /// On a unix socket at this path.
    Unix(UnixListener, PathBuf),
}

/// What is spoken on a TCP port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    /// RESP.
    Plain,
    /// RESP in TLS.
    Tls,
}

impl Spoken {
    /// Both.
    pub(super) const BOTH: [Spoken; 2] = [Spoken::Plain, Spoken::Tls];

    /// The port for it; 0 for none.
    pub(super) fn port(self, config: &Config) -> u16 {
        match self {
            Spoken::Plain => config.network.port,
            Spoken::Tls => config.tls.port,
        }
    }

    fn listener(self, socket: TcpListener) -> Listener {
        match self {
            Spoken::Plain => Listener::Tcp(socket),
            Spoken::Tls => Listener::Tls(socket),
        }
    }

    /// What is spoken there; `None` on a unix socket.
    pub(super) fn of(listener: &Listener) -> Option<Self> {
        match listener {
            Listener::Tcp(_) => Some(Spoken::Plain),
            Listener::Tls(_) => Some(Spoken::Tls),
            Listener::Unix(..) => None,
        }
    }
}

impl Listener {
    /// The address people connect to.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Listener::Tcp(listener) | Listener::Tls(listener) => {
                listener.local_addr().map_or_else(|e| e.to_string(), |addr| addr.to_string())
            }
            Listener::Unix(_, path) => path.display().to_string(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // No client can connect there any more; it may be gone already.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Opens all listening sockets a configuration asks for.
///
/// # Errors
/// What to print before giving up.
pub fn open(config: &Config) -> Result<Vec<Listener>, String> {
    let mut listeners = open_tcp(config, &Spoken::BOTH)?;
    if let Some(path) = &config.network.unixsocket {
        let path = PathBuf::from(path);
        let listener = unix(&path, config).map_err(|e| {
            format!("Failed opening Unix socket: {}: {}", path.display(), plain(&e))
        })?;
        listeners.push(Listener::Unix(listener, path));
    }
    if listeners.is_empty() {
        return Err("Configured to not listen anywhere, exiting.".to_owned());
    }
    Ok(listeners)
}

/// Opens the TCP sockets a configuration asks for, of these kinds.
pub(super) fn open_tcp(config: &Config, kinds: &[Spoken]) -> Result<Vec<Listener>, String> {
    let mut listeners = Vec::new();
    for spoken in kinds {
        let port = spoken.port(config);
        if port == 0 {
            continue;
        }
        let before = listeners.len();
        for bind in &config.network.bind {
            let socket = tcp(bind, port, config, *spoken)?;
            listeners.extend(socket.map(|socket| spoken.listener(socket)));
        }
        if listeners.len() == before && !config.network.bind.is_empty() {
            return Err(failed(port, *spoken));
        }
    }
    Ok(listeners)
}

fn failed(port: u16, spoken: Spoken) -> String {
    let kind = if spoken == Spoken::Tls { "TLS" } else { "TCP" };
    format!("Failed listening on port {port} ({kind}), aborting.")
}

/// A socket on a TCP address; `None` if the address is optional and this machine lacks it.
fn tcp(
    bind: &BindAddress,
    port: u16,
    config: &Config,
    spoken: Spoken,
) -> Result<Option<TcpListener>, String> {
    let opened = resolve(&bind.address, port).and_then(|addr| tcp_on(addr, config));
    match opened {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if is_absent(&error, bind.optional) => {
            tracing::debug!(address = bind.address, %error, "address left out");
            Ok(None)
        }
        Err(error) => Err(format!(
            "Could not create server TCP listening socket {}:{port}: bind: {}\n{}",
            bind.address,
            plain(&error),
            failed(port, spoken)
        )),
    }
}

/// The sockets of a door for another protocol, if there is to be one. `directive` names its port,
/// which must be had if it `is_given`; a default one that cannot be had is done without.
///
/// # Errors
/// What to print before giving up.
pub fn open_door(
    (directive, port, is_given): (&str, u16, bool),
    bind: &[BindAddress],
    config: &Config,
) -> Result<Vec<std::net::TcpListener>, String> {
    if port == 0 {
        return Ok(Vec::new());
    }
    match open_on(bind, port, config) {
        Err(error) if !is_given => {
            let first = error.lines().next().unwrap_or_default();
            tracing::warn!(
                "{first}. Going on without it; {directive} says where else, or 0 for nowhere"
            );
            Ok(Vec::new())
        }
        opened => opened,
    }
}

/// The sockets for a port of another protocol, on addresses of its own.
///
/// # Errors
/// What to print before giving up.
fn open_on(
    bind: &[BindAddress],
    port: u16,
    config: &Config,
) -> Result<Vec<std::net::TcpListener>, String> {
    let mut sockets = Vec::new();
    for BindAddress { address, optional } in bind {
        let opened = resolve(address, port).and_then(|addr| socket_on(addr, config));
        match opened {
            Ok(socket) => sockets.push(socket.into()),
            Err(error) if is_absent(&error, *optional) => {}
            Err(error) => {
                return Err(format!("Could not listen on {address}:{port}: {}", plain(&error)));
            }
        }
    }
    Ok(sockets)
}

fn tcp_on(addr: SocketAddr, config: &Config) -> io::Result<TcpListener> {
    socket_on(addr, config).map(|socket| TcpListener::from_std(socket.into()))
}

fn socket_on(addr: SocketAddr, config: &Config) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, None)?;
    if addr.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_reuse_address(true)?;
    socket.bind(&addr.into())?;
    listen(&socket, config)?;
    Ok(socket)
}

fn unix(path: &Path, config: &Config) -> io::Result<UnixListener> {
    let addr = SockAddr::unix(path)?;
    remove_stale(path, &addr)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&addr)?;
    if let Some(mode) = config.network.unixsocketperm {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    }
    listen(&socket, config)?;
    Ok(UnixListener::from_std(socket.into()))
}

fn listen(socket: &Socket, config: &Config) -> io::Result<()> {
    socket.listen(i32::try_from(config.network.tcp_backlog).unwrap_or(i32::MAX))?;
    socket.set_nonblocking(true)
}

/// Removes a socket file that a server which is no more has left. A server that answers there, or a
/// file that is no socket, is left alone: binding then fails with "Address already in use".
fn remove_stale(path: &Path, addr: &SockAddr) -> io::Result<()> {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Ok(());
    }
    match Socket::new(Domain::UNIX, Type::STREAM, None)?.connect(addr) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path)
        }
        _ => Ok(()),
    }
}

/// The socket address of a `bind` word.
fn resolve(address: &str, port: u16) -> io::Result<SocketAddr> {
    match address {
        "*" => return Ok((IpAddr::V4(Ipv4Addr::UNSPECIFIED), port).into()),
        "::*" => return Ok((IpAddr::V6(Ipv6Addr::UNSPECIFIED), port).into()),
        _ => {}
    }
    if let Ok(ip) = address.parse::<IpAddr>() {
        return Ok((ip, port).into());
    }
    let unknown = || io::Error::new(io::ErrorKind::NotFound, "Name or service not known");
    (address, port).to_socket_addrs().map_err(|_| unknown())?.next().ok_or_else(unknown)
}

/// Whether the machine lacks the address or the whole protocol family, by Redis's rules.
fn is_absent(error: &io::Error, optional: bool) -> bool {
    match error.raw_os_error() {
        Some(libc::EADDRNOTAVAIL) => optional,
        Some(
            libc::ENOPROTOOPT
            | libc::EPROTONOSUPPORT
            | libc::ESOCKTNOSUPPORT
            | libc::EPFNOSUPPORT
            | libc::EAFNOSUPPORT,
        ) => true,
        _ => false,
    }
}

/// The system's words for an error, without its number.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
