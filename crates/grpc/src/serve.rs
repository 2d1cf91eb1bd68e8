//! From a listening socket to calls: accepting, TLS, HTTP/2, and which service a call is for.
//!
//! Everything that a peer can make the server keep is limited: streams at a time on a connection,
//! bytes in flight in either direction, the length of headers and messages, the time to begin.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use engine::unauthenticated::{self, Charge, Connection, TLS};
use engine::{ClientMemory, CloseSignal, Origin, is_local_address};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};

use crate::peer::Peer;
use crate::routes::{Routes, deadline};
use crate::shared::Shared;
use crate::status;
use crate::throttled_stream::{CONNECTION, ThrottledStream};

/// Calls at a time on a connection.
const STREAMS: u32 = 1024;
/// Bytes of a call that a client may send before they are taken.
const STREAM_WINDOW: u32 = 256 << 10;
/// The same of a connection.
const CONNECTION_WINDOW: u32 = 1 << 20;
/// Bytes of an answer that wait for the client to take them.
const SEND_BUFFER: usize = 32 << 10;
/// Bytes of a call's headers.
const HEADERS: u32 = 16 << 10;
/// How long a client may take to say anything at all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client that protected mode refuses may take to read the refusal.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long a client may take to answer that it is still there.
const PONG: Duration = Duration::from_secs(20);
/// About what a connection takes that has sent nothing yet.
const NEW_CONNECTION: usize = 8 << 10;
/// How long the listener rests when no connection can be accepted.
const REST: Duration = Duration::from_millis(100);
/// How long calls may go on when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Takes connections from a socket that does not block, and serves them until `stop` says so, then
/// lets calls come to their end for a moment. Runs on a runtime of one thread.
///
/// # Errors
/// The socket cannot be used.
pub async fn serve(
    shared: Arc<Shared>,
    socket: std::net::TcpListener,
    mut stop: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let listener = TcpListener::from_std(socket)?;
    let routes = Routes::new(&shared);
    let health = tokio::spawn(routes.clone().follow_health(Arc::clone(&shared), stop.clone()));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((socket, peer)) => {
                let Some(incoming) = IncomingConnection::enter(&shared, socket, peer) else {
                    continue;
                };
                let tls = shared.tls.lock().clone();
                tokio::spawn(incoming.serve(routes.clone(), tls, stop.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "Accepting a gRPC connection failed");
                sleep(REST).await;
            }
        }
    }
    drop(listener);
    let deadline = Instant::now() + LAST_WORDS;
    while shared.connections.load(Ordering::Relaxed) > 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(5)).await;
    }
    health.abort();
    Ok(())
}

/// A connection that was accepted.
struct IncomingConnection {
    shared: Arc<Shared>,
    socket: Option<TcpStream>,
    addr: SocketAddr,
    denied: bool,
    came: Instant,
    close_signal: Arc<CloseSignal>,
    unauthenticated: Arc<Connection>,
}

impl Drop for IncomingConnection {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::Relaxed);
        (self.shared.hooks.leave)();
    }
}

impl IncomingConnection {
    /// Admits a connection, unless there are too many.
    fn enter(shared: &Arc<Shared>, socket: TcpStream, addr: SocketAddr) -> Option<Self> {
        let counters = Arc::clone(&shared.slot.lock().worker.context.counters);
        if !(shared.hooks.enter)() {
            counters.refused.add(1);
            return None;
        }
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let config = shared.engine.config();
        let guarded = config.network.protected_mode && shared.engine.users.is_open();
        let denied = guarded && shared.settings.api_key.is_none() && !is_local_address(addr.ip());
        counters.connections.add(1);
        if denied {
            counters.refused.add(1);
        }
        if let Err(error) = tune(&socket, config.network.tcp_keepalive) {
            tracing::debug!(%error, "a client left while it was accepted");
        }
        // As old as it is, not as its task is.
        let close_signal = Arc::new(CloseSignal::default());
        let mailbox = Arc::clone(&close_signal) as _;
        Some(IncomingConnection {
            unauthenticated: Connection::new(&shared.engine, mailbox, 0),
            close_signal,
            shared: Arc::clone(shared),
            socket: Some(socket),
            addr,
            denied,
            came: Instant::now(),
        })
    }

    async fn serve(self, routes: Routes, tls: Option<TlsAcceptor>, stop: watch::Receiver<bool>) {
        if self.denied {
            // Refused clients must not keep others from connecting.
            let _ = timeout(FAREWELL, self.attend(routes, tls, stop)).await;
        } else {
            self.attend(routes, tls, stop).await;
        }
    }

    async fn attend(
        mut self,
        routes: Routes,
        tls: Option<TlsAcceptor>,
        stop: watch::Receiver<bool>,
    ) {
        let Some(socket) = self.socket.take() else { return };
        let mut charge = self.unauthenticated.charge();
        if !self.has_room(&mut charge, NEW_CONNECTION).await {
            return;
        }
        let origin = Origin {
            addr: self.addr.to_string(),
            laddr: socket.local_addr().map_or_else(|_| String::new(), |addr| addr.to_string()),
            fd: i64::from(socket.as_raw_fd()),
            unix: false,
            memory: Some(Arc::default()),
        };
        match tls {
            None => {
                // A client that connects and sends nothing is disconnected.
                let spoke = tokio::select! {
                    spoke = timeout(PATIENCE, socket.readable()) => spoke,
                    () = self.close_signal.must_make_room() => return,
                };
                if matches!(spoke, Ok(Ok(()))) && self.has_room(&mut charge, CONNECTION).await {
                    self.talk(routes, socket, origin, stop, (charge, 0)).await;
                }
            }
            Some(acceptor) => {
                if !self.has_room(&mut charge, CONNECTION + TLS).await {
                    return;
                }
                let shaken = tokio::select! {
                    shaken = timeout(PATIENCE, acceptor.accept(socket)) => shaken,
                    () = self.close_signal.must_make_room() => return,
                };
                match shaken {
                    Ok(Ok(socket)) => {
                        self.talk(routes, socket, origin, stop, (charge, TLS)).await;
                    }
                    Ok(Err(error)) => tls::failures::tell(&self.addr, &error),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                }
            }
        }
    }

    /// Whether it counts as unauthenticated for now.
    fn counts_as_unauthenticated(&self) -> bool {
        self.denied || self.shared.requires_credentials()
    }

    /// Waits a moment for memory: connections that were told to make room may not have gone yet.
    async fn has_room(&self, charge: &mut Charge, bytes: usize) -> bool {
        let deadline = Instant::now() + unauthenticated::WAIT;
        let before = charge.bytes();
        while self.counts_as_unauthenticated() && !charge.set(bytes) {
            let _ = charge.set(before);
            if Instant::now() >= deadline {
                self.refuse();
                return false;
            }
            sleep(unauthenticated::LOOK).await;
        }
        true
    }

    fn refuse(&self) {
        self.shared.slot.lock().worker.context.counters.refused.add(1);
        tracing::debug!(addr = %self.addr, "unauthenticated clients take all memory they may");
    }

    async fn talk(
        &self,
        routes: Routes,
        socket: impl AsyncRead + AsyncWrite + Unpin + 'static,
        origin: Origin,
        mut stop: watch::Receiver<bool>,
        (charge, below): (Charge, usize),
    ) {
        let mut memory = ClientMemory::new(&self.shared.engine.memory.buffers, &origin);
        memory.set(CONNECTION + below);
        let handles = (Arc::clone(&self.close_signal), Arc::clone(&self.unauthenticated));
        let peer = Peer::new(&self.shared, origin, self.denied, handles);
        let close_signal = Arc::clone(&peer.close_signal);
        let knowing = Arc::clone(&peer);
        let socket = ThrottledStream::new(socket, &peer, charge, below);
        let service = service_fn(move |request| call(routes.clone(), Arc::clone(&peer), request));
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(SEND_BUFFER)
            .max_header_list_size(HEADERS);
        if let Some(every) = self.shared.settings.keepalive {
            builder.keep_alive_interval(every).keep_alive_timeout(PONG);
        }
        let connection = builder.serve_connection(TokioIo::new(socket), service);
        tokio::pin!(connection);
        let stopped = async {
            // The other end of it is there until the runtime ends.
            let _ = stop.wait_for(|stop| *stop).await;
        };
        tokio::pin!(stopped);
        let mut stopping = false;
        // The deadline for an authenticated call.
        let known_by = self.shared.engine.config().clients.callers.unauthenticated_timeout;
        let known_by = known_by.and_then(|time| self.came.checked_add(time));
        let late = sleep_until(known_by.unwrap_or(self.came));
        tokio::pin!(late);
        let (mut waiting, mut leaving) = (known_by.is_some(), false);
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, addr = %self.addr, "a gRPC connection broke");
                    }
                    return;
                }
                () = close_signal.ended() => return,
                () = close_signal.must_make_room() => match knowing.is_known() {
                    true => self.unauthenticated.stays(),
                    false => return,
                },
                () = late.as_mut(), if waiting => {
                    waiting = !knowing.is_known();
                    if waiting && std::mem::replace(&mut leaving, true) {
                        tracing::debug!(addr = %self.addr, "a gRPC connection sent no credentials");
                        return;
                    }
                    // Calls in progress are given a moment, after a GOAWAY.
                    if waiting {
                        connection.as_mut().graceful_shutdown();
                        late.as_mut().reset(Instant::now() + FAREWELL);
                    }
                }
                () = &mut stopped, if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

fn tune(socket: &TcpStream, keepalive: Option<Duration>) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    if let Some(every) = keepalive {
        let settings = socket2::TcpKeepalive::new()
            .with_time(every)
            .with_interval((every / 3).max(Duration::from_secs(1)))
            .with_retries(3);
        socket2::SockRef::from(socket).set_tcp_keepalive(&settings)?;
    }
    Ok(())
}

/// Answers one call, or reports that its deadline is over.
async fn call(
    routes: Routes,
    peer: Arc<Peer>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    // For every service: a refused client need not learn the server's state or services.
    if peer.denied {
        return Ok(status::denied().into_http());
    }
    let until = deadline(request.headers()).and_then(|time| Instant::now().checked_add(time));
    let answer =
        async { routes.answer(&peer, until, request).await.unwrap_or_else(Status::into_http) };
    Ok(match until {
        None => answer.await,
        Some(until) => match tokio::time::timeout_at(until, answer).await {
            Ok(answer) => answer,
            Err(_) => status::too_late().into_http(),
        },
    })
}
