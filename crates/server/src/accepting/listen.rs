//! The listening sockets: made at start, moved by CONFIG SET.
//!
//! Sockets are made before any thread starts, so that a busy port ends the program with a plain
//! message instead of a running server that cannot be reached. For the same reason they are moved
//! before the request to do so is answered.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use config::{BindAddress, Config};
use mio::net::{TcpListener, UnixListener};
use mio::{Interest, Registry, Token};
use parking_lot::{Mutex, MutexGuard};
use rustix::buffer::spare_capacity;
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::io::Errno;
use rustls::ServerConfig;
use socket2::{Domain, SockAddr, Socket, Type};

use crate::accept::WorkerPool;
use crate::slab::RESERVED;

/// The worker that accepts connections.
const WELCOMING: usize = 0;

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
enum Spoken {
    Plain,
    Tls,
}

impl Spoken {
    const BOTH: [Spoken; 2] = [Spoken::Plain, Spoken::Tls];

    /// The port for it; 0 for none.
    fn port(self, config: &Config) -> u16 {
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

    fn of(listener: &Listener) -> Option<Self> {
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

/// The open listening sockets, the poller that watches them, and what TLS on them is made with.
pub struct Listening {
    listeners: Mutex<Vec<Listener>>,
    context: Mutex<Option<Arc<ServerConfig>>>,
    registry: Registry,
    pool: Arc<WorkerPool>,
    /// Watches them as well, and `signal_event`, for the backup acceptor.
    new_connections: OwnedFd,
    /// Signalled when connections have been dealt to workers.
    signal_event: OwnedFd,
    /// It has been signalled, and the backup acceptor has not looked yet.
    signalled: AtomicBool,
}

impl Listening {
    /// Has these sockets watched.
    ///
    /// # Errors
    /// The poller does not take one.
    pub fn new(
        listeners: Vec<Listener>,
        context: Option<Arc<ServerConfig>>,
        registry: &Registry,
        pool: &Arc<WorkerPool>,
    ) -> io::Result<Self> {
        let listening = Listening {
            listeners: Mutex::new(Vec::new()),
            context: Mutex::new(context),
            registry: registry.try_clone()?,
            pool: Arc::clone(pool),
            new_connections: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            signal_event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            signalled: AtomicBool::new(false),
        };
        listening.announce(&listening.signal_event)?;
        listening.add(&mut listening.listeners.lock(), listeners)?;
        Ok(listening)
    }

    /// What new connections with TLS go by.
    pub fn context(&self) -> Option<Arc<ServerConfig>> {
        self.context.lock().clone()
    }

    /// Says what new connections with TLS go by from now on.
    pub fn secure_with(&self, context: Option<Arc<ServerConfig>>) {
        *self.context.lock() = context;
    }

    /// The sockets; they are not moved while they are locked.
    pub fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.listeners.lock()
    }

    fn add(&self, open: &mut Vec<Listener>, new: Vec<Listener>) -> io::Result<()> {
        for mut listener in new {
            // Which listener an event is for does not matter: all of them are asked.
            let token = Token(RESERVED as usize);
            match &mut listener {
                Listener::Tcp(socket) | Listener::Tls(socket) => {
                    self.registry.register(socket, token, Interest::READABLE)?;
                    self.pool.watch(WELCOMING, &*socket)?;
                    self.announce(&*socket)?;
                }
                Listener::Unix(socket, _) => {
                    self.registry.register(socket, token, Interest::READABLE)?;
                    self.pool.watch(WELCOMING, &*socket)?;
                    self.announce(&*socket)?;
                }
            }
            open.push(listener);
        }
        Ok(())
    }

    fn announce(&self, socket: impl AsFd) -> io::Result<()> {
        let (nothing, once) = (epoll::EventData::new_u64(0), epoll::EventFlags::ET);
        Ok(epoll::add(&self.new_connections, socket, nothing, epoll::EventFlags::IN | once)?)
    }

    /// Says that a connection has been dealt to a worker, which may be in the middle of something.
    pub fn signal(&self) {
        if !self.signalled.swap(true, Ordering::AcqRel)
            && let Err(error) = rustix::io::write(&self.signal_event, &1_u64.to_ne_bytes())
        {
            tracing::error!(%error, "newcomers may have to wait for long commands");
        }
    }

    /// Waits for connections that have arrived since the last call.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn wait_for_connections(&self) -> io::Result<()> {
        let mut events = Vec::with_capacity(16);
        loop {
            match epoll::wait(&self.new_connections, spare_capacity(&mut events), None) {
                Err(Errno::INTR) => {}
                done => {
                    self.signalled.store(false, Ordering::Release);
                    return Ok(done.map(drop)?);
                }
            }
        }
    }

    /// Listens on other TCP addresses, if they are others. If they cannot be had, the old ones
    /// stay.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub fn relocate(&self, before: &Config, after: &Config) -> Result<(), String> {
        let moves = |spoken: &Spoken| {
            before.network.bind != after.network.bind || spoken.port(before) != spoken.port(after)
        };
        let moved: Vec<Spoken> = Spoken::BOTH.into_iter().filter(moves).collect();
        if moved.is_empty() {
            return Ok(());
        }
        let mut open = self.listeners.lock();
        let stays = |listener: &Listener| Spoken::of(listener).is_none_or(|s| !moved.contains(&s));
        // A port that is in use can only be had once the old sockets are closed, and a new one is
        // better tried before.
        let in_use = |spoken: &Spoken| {
            let port = spoken.port(after);
            port != 0 && moved.iter().any(|old| old.port(before) == port)
        };
        let first_close = moved.iter().any(in_use);
        let opened = if first_close {
            open.retain(stays);
            open_tcp(after, &moved)
        } else {
            open_tcp(after, &moved).inspect(|_| open.retain(stays))
        };
        let failure = match opened {
            Ok(listeners) => self.add(&mut open, listeners).err().map(|e| e.to_string()),
            Err(error) => Some(error),
        };
        if let Some(error) = failure {
            if open.iter().all(stays) {
                let back = open_tcp(before, &moved);
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
fn open_tcp(config: &Config, kinds: &[Spoken]) -> Result<Vec<Listener>, String> {
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
