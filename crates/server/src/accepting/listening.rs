//! The open listening sockets: watched by worker 0 and by the backup acceptor, moved by CONFIG SET.
//!
//! They are moved before the request to do so is answered: so it can be told that a port is busy.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use config::Config;
use mio::{Interest, Registry, Token};
use parking_lot::{Mutex, MutexGuard};
use rustix::buffer::spare_capacity;
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::io::Errno;
use rustls::ServerConfig;

use super::bind::{Listener, Spoken, open_tcp};
use crate::slab::RESERVED;
use crate::workers::WorkerPool;

/// The worker that accepts connections.
const WELCOMING: usize = 0;

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
