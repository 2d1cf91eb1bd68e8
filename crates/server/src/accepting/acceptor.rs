//! Accepting: worker 0 takes connections from the listeners and deals them out to all workers.
//!
//! A refusal (too many clients, protected mode) is written before the connection ever reaches a
//! worker. A worker in the middle of something long is dealt none. When the process runs out of
//! descriptors the listeners rest for a moment: events are edge-triggered, so they are tried again
//! by the clock, neither spinning nor forgotten.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::Millis;
use config::Config;
use engine::{Counters, Origin, is_local_address};
use journal::wall_clock;
use rustls::ServerConfig;

use super::bind::Listener;
use super::listening::Listening;
use crate::connection::{Stream, Tls};
use crate::workers::{InboxMessage, WorkerPool};

/// Connections accepted from one listener before others get a turn; Redis's number.
const BATCH: usize = 1000;
/// How long the listeners rest when no connection can be accepted.
const REST: Millis = 100;
/// How often that is logged.
const LOG_EVERY: Millis = 1000;

const TOO_MANY: &[u8] = b"-ERR max number of clients reached\r\n";
const DENIED: &[u8] = b"-DENIED Redis is running in protected mode because protected mode is \
enabled and no password is set for the default user. In this mode connections are only accepted \
from the loopback interface. If you want to connect from external computers to Redis you may \
adopt one of the following solutions: 1) Just disable protected mode sending the command \
'CONFIG SET protected-mode no' from the loopback interface by connecting to Redis from the same \
host the server is running, however MAKE SURE Redis is not publicly accessible from internet if \
you do so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just \
disable the protected mode by editing the Redis configuration file, and setting the protected \
mode option to 'no', and then restarting the server. 3) If you started the server manually just \
for testing, restart it with the '--protected-mode no' option. 4) Setup a an authentication \
password for the default user. NOTE: You only need to do one of the above things in order for \
the server to start accepting connections from the outside.\r\n";

/// What decides whether a connection is taken.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The default user needs no password.
    pub without_password: bool,
}

/// The listeners, and the next worker to be dealt a connection.
pub struct Acceptor {
    listening: Arc<Listening>,
    next: usize,
    resting_until: Option<Millis>,
    logged: Millis,
}

/// What stopped accepting.
enum Stop {
    /// No other connection is waiting.
    Empty,
    /// Others should have a turn first.
    Batch,
    /// The system cannot give us more for now.
    Exhausted(io::Error),
}

impl Acceptor {
    /// Acceptor for these sockets.
    #[must_use]
    pub fn new(listening: Arc<Listening>) -> Self {
        Acceptor { listening, next: 0, resting_until: None, logged: 0 }
    }

    /// Closes the sockets: no connection can be made any more.
    pub fn close(self) {
        self.listening.lock().clear();
    }

    /// When the listeners must be tried again.
    #[must_use]
    pub fn resting_until(&self) -> Option<Millis> {
        self.resting_until
    }

    /// Accepts from every listener.
    pub fn accept_all(
        &mut self,
        pool: &WorkerPool,
        rules: Rules<'_>,
        counters: &Counters,
        now: Millis,
    ) {
        self.resting_until = None;
        let listening = Arc::clone(&self.listening);
        let open = listening.lock();
        let context = listening.context();
        for listener in open.iter() {
            match self.accept_from(listener, context.as_ref(), pool, rules, counters) {
                Stop::Empty => {}
                Stop::Batch => self.resting_until = Some(now),
                Stop::Exhausted(error) => {
                    self.resting_until = Some(now + REST);
                    if now.saturating_sub(self.logged) >= LOG_EVERY {
                        self.logged = now;
                        tracing::warn!(%error, "Accepting client connection failed");
                    }
                }
            }
        }
    }

    /// The next worker to be dealt a connection: not one in the middle of something long, unless
    /// all are.
    pub fn next_of(&mut self, pool: &WorkerPool) -> usize {
        let (count, now) = (pool.inboxes.len(), wall_clock());
        let mut all = (0..count).map(|step| (self.next + step) % count);
        let chosen = all.find(|&number| !pool.is_stalled(number, now)).unwrap_or(self.next);
        self.next = (chosen + 1) % count;
        chosen
    }

    fn accept_from(
        &mut self,
        listener: &Listener,
        context: Option<&Arc<ServerConfig>>,
        pool: &WorkerPool,
        rules: Rules<'_>,
        counters: &Counters,
    ) -> Stop {
        for _ in 0..BATCH {
            let (mut stream, peer) = match accept(listener, context) {
                Ok(accepted) => accepted,
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Stop::Empty,
                    // The client went away before we came.
                    io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted => continue,
                    _ => return Stop::Exhausted(error),
                },
            };
            if pool.connected.load(Ordering::Relaxed) >= pool.most.load(Ordering::Relaxed) {
                counters.refused.add(1);
                refuse(&mut stream, TOO_MANY);
                continue;
            }
            if !welcome(rules, peer) {
                counters.refused.add(1);
                if let Stream::Tls(tls) = &mut stream {
                    // It can be told after the handshake.
                    tls.last_words = Some(DENIED);
                } else {
                    refuse(&mut stream, DENIED);
                    continue;
                }
            }
            let keepalive = rules.config.network.tcp_keepalive.map_or(0, |every| every.as_secs());
            if let Err(error) = stream.tune(keepalive) {
                tracing::debug!(%error, "a client left while it was accepted");
                continue;
            }
            if !matches!(stream, Stream::Tls(_)) {
                counters.connections.add(1);
            }
            pool.connected.fetch_add(1, Ordering::Relaxed);
            let origin = origin(&stream, peer, listener);
            pool.inboxes[self.next_of(pool)].post(InboxMessage::Connection(stream, origin));
            self.listening.signal();
        }
        Stop::Batch
    }
}

fn accept(
    listener: &Listener,
    context: Option<&Arc<ServerConfig>>,
) -> io::Result<(Stream, Option<SocketAddr>)> {
    match listener {
        Listener::Tls(socket) => {
            let (stream, peer) = socket.accept()?;
            // Without a context there is no such listener.
            let context = context.ok_or(io::ErrorKind::ConnectionAborted)?;
            let tls = Tls::accept(stream, context).map_err(|error| {
                tracing::warn!("Error accepting a client connection: {error}");
                io::ErrorKind::ConnectionAborted
            })?;
            Ok((Stream::Tls(Box::new(tls)), Some(peer)))
        }
        Listener::Tcp(socket) => socket.accept().map(|(s, peer)| (Stream::Tcp(s), Some(peer))),
        Listener::Unix(socket, _) => socket.accept().map(|(s, _)| (Stream::Unix(s), None)),
    }
}

/// Whether protected mode lets a peer in: from this machine, always.
fn welcome(rules: Rules<'_>, peer: Option<SocketAddr>) -> bool {
    let guarded = rules.config.network.protected_mode && rules.without_password;
    !guarded || peer.is_none_or(|peer| is_local_address(peer.ip()))
}

/// Says why, as far as the kernel takes it at once. A client that expects TLS could not read it.
fn refuse(stream: &mut Stream, why: &[u8]) {
    if matches!(stream, Stream::Tls(_)) {
        return;
    }
    // The client is not wanted; whether it hears why is its own affair.
    let _ = stream.send(why);
}

fn origin(stream: &Stream, peer: Option<SocketAddr>, listener: &Listener) -> Origin {
    let fd = i64::from(stream.descriptor());
    let socket = match stream {
        Stream::Tcp(socket) => Some(socket),
        Stream::Tls(tls) => Some(&tls.socket),
        Stream::Unix(_) => None,
    };
    match socket.zip(peer) {
        Some((socket, peer)) => Origin {
            addr: peer.to_string(),
            laddr: socket.local_addr().map_or_else(|_| String::new(), |addr| addr.to_string()),
            fd,
            ..Origin::default()
        },
        None => {
            let path = format!("{}:0", listener.name());
            Origin { addr: path.clone(), laddr: path, fd, unix: true, memory: None }
        }
    }
}
