//! Connections: accepted, counted, secured, and served one request after another.
//!
//! ```text
//!   accept ─► room? welcome? ─► (TLS) ─► head ─► site, credentials, route ─► body ─► handler
//!                │ no                     │ late, long, broken                 │ late, long
//!                └ 503, 403, closed       └ 408, 431, 400, closed              └ 408, 413
//! ```
//!
//! Whatever a peer does or leaves undone, it costs a bounded time and a bounded memory: a head has
//! seconds to come and 64 KiB to fit in, a body has `request-body-timeout` and the size of one
//! value, a peer that does not read is disconnected, what runs for one that has gone ends, and
//! there are never more peers than `maxclients`.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use engine::unauthenticated::{self, Charge};
use engine::{ClientMemory, CloseSignal, CountedBytes, Origin};
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONNECTION, EXPECT, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio_rustls::TlsAcceptor;

use crate::auth;
use crate::body;
use crate::departure::{SharedSocket, departed};
use crate::handlers;
use crate::haystack::{self, Arrival};
use crate::port::Http;
use crate::reply::{Answer, Content, Refusal};
use crate::request::ApiRequest;
use crate::route::{self, Found, Op, ROUTES, Route};
use crate::session::{ClientSession, Meter};
use crate::text::Query;
use crate::timed_stream::TimedStream;

/// How long the head of a request, or the next request, may take to come.
const HEAD: Duration = Duration::from_secs(30);
/// How long a peer may take nothing of what it is sent.
const STALL: Duration = Duration::from_secs(60);
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long a peer that is refused may take to hear it.
const FAREWELL: Duration = Duration::from_secs(5);
/// The longest head, in bytes.
const LONGEST_HEAD: usize = 64 << 10;
/// Answers up to this count as part of their connection.
const SMALL: usize = 16 << 10;
/// The most headers.
const MOST_HEADERS: usize = 100;
/// How long accepting rests when the system has nothing to give.
const REST: Duration = Duration::from_millis(100);

/// Counted until it is dropped.
struct CountedConnection(Arc<Http>);

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.0.connections.leave();
        self.0.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Http {
    /// Takes connections until `stop` says so.
    pub async fn listen(self: Arc<Self>, listener: TcpListener, mut stop: watch::Receiver<bool>) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => return,
            };
            match accepted {
                Ok((stream, peer)) => {
                    // As old as it is, not as its task is.
                    let signal = Arc::new(CloseSignal::default());
                    let mailbox = Arc::clone(&signal) as _;
                    let engine = &self.workers.engine;
                    let unknown = unauthenticated::Connection::new(engine, mailbox, 0).charge();
                    let new = (unknown, signal);
                    tokio::spawn(Arc::clone(&self).welcome((stream, peer), new, stop.clone()));
                }
                Err(error) => {
                    tracing::debug!(%error, "accepting an HTTP connection failed");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }

    async fn welcome(
        self: Arc<Self>,
        (stream, peer): (TcpStream, SocketAddr),
        (mut unknown, signal): (Charge, Arc<CloseSignal>),
        stop: watch::Receiver<bool>,
    ) {
        let config = self.workers.engine.config();
        let connection = auth::charge_of_connection(&self.workers.engine, &config, self.secured);
        let refusal = if !self.connections.enter() {
            Some("max number of clients reached")
        } else if !has_room(&mut unknown, connection).await {
            self.connections.leave();
            Some("max memory of clients that have not shown who they are reached")
        } else if !auth::welcome(&self.workers.engine, &config, peer) {
            self.connections.leave();
            Some(
                "protected mode: without a password for the default user or http-token, \
                 connections are accepted from this machine only",
            )
        } else {
            None
        };
        if let Some(why) = refusal {
            self.counts.refused.fetch_add(1, Ordering::Relaxed);
            self.workers.count(|counters| counters.refused.add(1));
            return self.refuse(stream, why).await;
        }
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        let _place = CountedConnection(Arc::clone(&self));
        self.workers.count(|counters| counters.connections.add(1));
        let origin = Origin {
            addr: peer.to_string(),
            laddr: stream.local_addr().map_or_else(|_| String::new(), |addr| addr.to_string()),
            fd: i64::from(stream.as_raw_fd()),
            unix: false,
            memory: Some(Arc::default()),
        };
        let mut memory = ClientMemory::new(&self.workers.engine.memory.buffers, &origin);
        memory.set(auth::takes(self.secured));
        // Both only make things better.
        let _ = stream.set_nodelay(true);
        if let Some(every) = config.network.tcp_keepalive {
            let probes = socket2::TcpKeepalive::new().with_time(every);
            let _ = socket2::SockRef::from(&stream).set_tcp_keepalive(&probes);
        }
        let meter = Meter::new(unknown, connection);
        let socket = Arc::new(stream);
        let stream = SharedSocket(Arc::clone(&socket));
        let client = (meter, signal, socket);
        if let Some(context) = self.context() {
            let shaken = TlsAcceptor::from(context).accept(stream);
            let shaken = tokio::select! {
                shaken = tokio::time::timeout(HANDSHAKE, shaken) => shaken,
                () = client.1.must_make_room() => return,
            };
            match shaken {
                Ok(Ok(stream)) => self.serve(stream, origin, client, stop).await,
                Ok(Err(error)) => tls::failures::tell(&peer, &error),
                Err(_) => tracing::debug!("a handshake took too long"),
            }
        } else {
            self.serve(stream, origin, client, stop).await;
        }
    }

    /// Tells a peer why it is not served.
    async fn refuse(&self, stream: TcpStream, why: &'static str) {
        let Ok(_one) = self.farewells.try_acquire() else { return };
        let told = async {
            if let Some(context) = self.context() {
                if let Ok(stream) = TlsAcceptor::from(context).accept(stream).await {
                    farewell(stream, why).await;
                }
            } else {
                farewell(stream, why).await;
            }
        };
        let _ = tokio::time::timeout(FAREWELL, told).await;
    }

    /// Serves a connection to its end.
    async fn serve<S>(
        self: Arc<Self>,
        stream: S,
        origin: Origin,
        (meter, signal, socket): (Meter, Arc<CloseSignal>, Arc<TcpStream>),
        mut stop: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let meter = Arc::new(meter);
        let memory = Arc::new(ClientMemory::new(&self.workers.engine.memory.buffers, &origin));
        let client = ClientSession::new(&self.workers, origin, &meter, &signal);
        let client = Arc::new(AsyncMutex::new(client));
        let service = service_fn(|request| {
            let (http, client) = (Arc::clone(&self), Arc::clone(&client));
            let (meter, memory) = (Arc::clone(&meter), Arc::clone(&memory));
            async move {
                meter.begin_answer();
                let answer = answer(http, (Arc::clone(&client), memory), request).await;
                // A task that writes a long answer still holds it, and its request was admitted.
                meter.end_answer(client.try_lock().map_or(true, |client| client.is_admitted()));
                Ok::<_, Infallible>(answer)
            }
        });
        let io = TokioIo::new(TimedStream::new(stream, &meter, STALL));
        let connection = builder().serve_connection(io, service);
        let departed = departed(&socket, &meter.delivery);
        tokio::pin!(connection, departed);
        let mut stopping = false;
        loop {
            tokio::select! {
                // How it ends is the peer's affair.
                _ = connection.as_mut() => break,
                // Whatever runs for it ends with its session.
                () = departed.as_mut() => break,
                () = signal.ended() => break,
                () = signal.must_make_room() => if meter.is_charged() { break },
                _ = stop.wait_for(|stop| *stop), if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// Waits a moment for memory: connections that were told to make room may not have gone yet.
async fn has_room(unknown: &mut Charge, bytes: usize) -> bool {
    let deadline = Instant::now() + unauthenticated::WAIT;
    while !unknown.set(bytes) {
        let _ = unknown.set(0);
        if Instant::now() >= deadline {
            return false;
        }
        tokio::time::sleep(unauthenticated::LOOK).await;
    }
    true
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // Whether a peer that has said its last has gone is decided in `departure.rs`.
        .half_close(true)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MOST_HEADERS);
    builder
}

fn farewell<S>(stream: S, why: &'static str) -> impl Future<Output = ()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |_| async move {
        let status = if why.starts_with("max") { 503 } else { 403 };
        Ok::<_, Infallible>(Refusal::new(status, why).and_close().answer())
    });
    let mut builder = builder();
    let connection = builder.keep_alive(false).serve_connection(TokioIo::new(stream), service);
    async move {
        let _ = connection.await;
    }
}

/// Answers a request.
async fn answer(
    http: Arc<Http>,
    (client, memory): (Arc<AsyncMutex<ClientSession>>, Arc<ClientMemory>),
    request: Request<Incoming>,
) -> Answer {
    let begun = Instant::now();
    let found = route::find(request.method(), request.uri().path());
    let number = match &found {
        Found::Route(route, _) => ROUTES.iter().position(|each| std::ptr::eq(each, *route)),
        _ => None,
    };
    let (parts, body) = request.into_parts();
    let (head, mut body) = (Request::from_parts(parts, ()), Some(body));
    let expects = head.headers().contains_key(EXPECT);
    let done = carry_out(&http, (&client, &memory), found, (head, &mut body)).await;
    let took = begun.elapsed();
    let mut answer = done.unwrap_or_else(Refusal::answer);
    if let Some(unread) = body
        && !answer.headers().contains_key(CONNECTION)
        && (expects || !body::pass_over(unread).await)
    {
        // The connection ends here: its peer is told, or it would send the next request.
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if let Content::Whole(Some(body)) = answer.body_mut()
        && body.len() > SMALL
    {
        // It is there until the peer has taken it.
        let whole = std::mem::take(body);
        *body = Bytes::from_owner(CountedBytes::new(whole, &memory));
    }
    http.counts.answered(number, answer.status().as_u16(), took);
    answer
}

async fn carry_out(
    http: &Arc<Http>,
    (client, memory): (&Arc<AsyncMutex<ClientSession>>, &ClientMemory),
    found: Found,
    (request, unread): (Request<()>, &mut Option<Incoming>),
) -> Result<Answer, Refusal> {
    let engine = &http.workers.engine;
    let config = engine.config();
    if length_of_head(&request) > LONGEST_HEAD {
        return Err(Refusal::new(431, "the head is too long").and_close());
    }
    auth::check_site(engine, &config, request.headers())?;
    if let Found::Route(Route { op: Op::Haystack, .. }, values) = found {
        let head = request.into_parts().0;
        return haystack::answer(Arrival { http, client, memory, head, unread, values }).await;
    }
    if !matches!(&found, Found::Route(route, _) if route.open) {
        let mut client = client.lock().await;
        auth::admit(engine, &config, request.headers(), &mut client).await?;
        client.let_in();
    }
    let (route, values) = routed(found)?;
    let query = Query::read(request.uri().query().unwrap_or_default());
    let query = query.ok_or_else(|| Refusal::new(400, "the query is not percent-encoded"))?;
    let known = |name: &[u8]| route.params.iter().any(|param| param.name.as_bytes() == name);
    if let Some(name) = query.unknown(known) {
        let error = format!("unknown parameter {:?}", String::from_utf8_lossy(name));
        return Err(Refusal::new(400, error));
    }
    let body = match unread.take_if(|_| route.body.is_some()) {
        Some(body) => Some(body::read(body, (engine, &http.budget), memory.beside(0)).await?),
        None => None,
    };
    let (http, client) = (Arc::clone(http), Arc::clone(client));
    let memory = memory.beside(0);
    handlers::handle(route.op, ApiRequest { http, client, memory, values, query, body }).await
}

/// Bytes of a head, about. hyper's own limit is one on what it reads before it looks, so a longer
/// head that comes at once passes it.
fn length_of_head(request: &Request<()>) -> usize {
    let uri = request.uri();
    let line = uri.path().len() + uri.query().map_or(0, str::len);
    let headers = request.headers().iter();
    line + headers.map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>()
}

fn routed(found: Found) -> Result<(&'static Route, Vec<Vec<u8>>), Refusal> {
    match found {
        Found::Route(route, values) => Ok((route, values)),
        Found::Methods(methods) => {
            let mut names = methods;
            if names.contains(&"GET") {
                names.push("HEAD");
            }
            let mut refusal = Refusal::new(405, "this path has no such method");
            if let Ok(allowed) = HeaderValue::from_str(&names.join(", ")) {
                refusal.headers.push((ALLOW, allowed));
            }
            Err(refusal)
        }
        Found::Later => Err(Refusal::new(501, "this version does not do that yet")),
        Found::Broken => Err(Refusal::new(400, "the path is not percent-encoded")),
        Found::Nothing => Err(Refusal::new(404, "there is no such path; see /openapi.json")),
    }
}
