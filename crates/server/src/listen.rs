//! The listening sockets: made at start, moved by CONFIG SET.
//!
//! Sockets are made before any thread starts, so that a busy port ends the program with a plain
//! message instead of a running server nobody can reach. For the same reason they are moved by the
//! thread that was asked to, before it answers.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use config::{BindAddress, Config};
use mio::net::{TcpListener, UnixListener};
use mio::{Interest, Registry, Token};
use parking_lot::{Mutex, MutexGuard};
use socket2::{Domain, SockAddr, Socket, Type};

use crate::slab::RESERVED;

/// A listening socket.
pub enum Listener {
    /// On a TCP address.
    Tcp(TcpListener),
    /// On a unix socket at this path.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// The address people connect to.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Listener::Tcp(listener) => {
                listener.local_addr().map_or_else(|e| e.to_string(), |addr| addr.to_string())
            }
            Listener::Unix(_, path) => path.display().to_string(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // Nobody can connect there any more; if it has gone already, all the better.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The open listening sockets and the poller that watches them.
pub struct Listening {
    listeners: Mutex<Vec<Listener>>,
    registry: Registry,
}

impl Listening {
    /// Has these sockets watched.
    ///
    /// # Errors
    /// The poller does not take one.
    pub fn new(listeners: Vec<Listener>, registry: &Registry) -> io::Result<Self> {
        let listening =
            Listening { listeners: Mutex::new(Vec::new()), registry: registry.try_clone()? };
        listening.add(&mut listening.listeners.lock(), listeners)?;
        Ok(listening)
    }

    /// The sockets; nobody moves them as long as they are locked.
    pub fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.listeners.lock()
    }

    fn add(&self, open: &mut Vec<Listener>, new: Vec<Listener>) -> io::Result<()> {
        for mut listener in new {
            // Which listener an event is for does not matter: all of them are asked.
            let token = Token(RESERVED as usize);
            match &mut listener {
                Listener::Tcp(socket) => {
                    self.registry.register(socket, token, Interest::READABLE)?;
                }
                Listener::Unix(socket, _) => {
                    self.registry.register(socket, token, Interest::READABLE)?;
                }
            }
            open.push(listener);
        }
        Ok(())
    }

    /// Listens on other TCP addresses. If they cannot be had, the old ones stay.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub fn relocate(&self, before: &Config, after: &Config) -> Result<(), String> {
        let mut open = self.listeners.lock();
        let is_unix = |listener: &Listener| matches!(listener, Listener::Unix(..));
        // The same port on other addresses can only be had once the old sockets are closed, and a
        // new port is better tried before.
        let opened = if after.port == before.port {
            open.retain(is_unix);
            open_tcp(after)
        } else {
            open_tcp(after).inspect(|_| open.retain(is_unix))
        };
        let failure = match opened {
            Ok(listeners) => self.add(&mut open, listeners).err().map(|e| e.to_string()),
            Err(error) => Some(error),
        };
        if let Some(error) = failure {
            if open.iter().all(is_unix) {
                let back = open_tcp(before);
                let back = back.and_then(|l| self.add(&mut open, l).map_err(|e| e.to_string()));
                if let Err(error) = back {
                    tracing::error!("The old addresses are lost as well: {error}");
                }
            }
            return Err(error);
        }
        let names: Vec<String> = open.iter().map(Listener::name).collect();
        tracing::warn!("Now accepting connections on {}", names.join(", "));
        Ok(())
    }
}

/// Opens all listening sockets a configuration asks for.
///
/// # Errors
/// What to print before giving up.
pub fn open(config: &Config) -> Result<Vec<Listener>, String> {
    let mut listeners = open_tcp(config)?;
    if let Some(path) = &config.unixsocket {
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

/// Opens the TCP sockets a configuration asks for.
fn open_tcp(config: &Config) -> Result<Vec<Listener>, String> {
    let mut listeners = Vec::new();
    if config.port == 0 {
        return Ok(listeners);
    }
    for bind in &config.bind {
        listeners.extend(tcp(bind, config)?.map(Listener::Tcp));
    }
    if listeners.is_empty() && !config.bind.is_empty() {
        return Err(format!("Failed listening on port {} (TCP), aborting.", config.port));
    }
    Ok(listeners)
}

/// A socket on a TCP address; `None` if the address is optional and this machine lacks it.
fn tcp(bind: &BindAddress, config: &Config) -> Result<Option<TcpListener>, String> {
    let opened = resolve(&bind.address, config.port).and_then(|addr| tcp_on(addr, config));
    match opened {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if is_absent(&error, bind.optional) => {
            tracing::debug!(address = bind.address, %error, "address left out");
            Ok(None)
        }
        Err(error) => Err(format!(
            "Could not create server TCP listening socket {}:{}: bind: {}\n\
             Failed listening on port {} (TCP), aborting.",
            bind.address,
            config.port,
            plain(&error),
            config.port
        )),
    }
}

fn tcp_on(addr: SocketAddr, config: &Config) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, None)?;
    if addr.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_reuse_address(true)?;
    socket.bind(&addr.into())?;
    listen(&socket, config)?;
    Ok(TcpListener::from_std(socket.into()))
}

fn unix(path: &Path, config: &Config) -> io::Result<UnixListener> {
    let addr = SockAddr::unix(path)?;
    remove_stale(path, &addr)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&addr)?;
    if let Some(mode) = config.unixsocketperm {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    }
    listen(&socket, config)?;
    Ok(UnixListener::from_std(socket.into()))
}

fn listen(socket: &Socket, config: &Config) -> io::Result<()> {
    socket.listen(i32::try_from(config.tcp_backlog).unwrap_or(i32::MAX))?;
    socket.set_nonblocking(true)
}

/// Removes a socket file that a server which is no more has left. Somebody answering there, or a
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

/// Whether the machine lacks the address or the whole protocol family, as Redis judges it.
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
