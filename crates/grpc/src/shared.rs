//! What all calls share: the engine, a worker at it, and who wakes those that wait for the disk.
//!
//! The worker is locked for as long as some requests run, and never across a wait. All calls are on
//! one thread, so as a rule it is free. Only where a call has gone while its request ran on another
//! thread, the side thread ends its session, and locks the worker for that: neither holds anything
//! then that the other's work needs, and what is done under the lock waits for nothing but shards,
//! as every request does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use config::GrpcSettings;
use engine::{Engine, Session, SideThreads, Worker};
use journal::wall_clock;
use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use crate::budget::Budget;
use crate::credentials::Secret;

/// What the door asks of the program around it.
pub struct Hooks {
    /// The engine has been asked to stop: wakes all threads.
    pub stopping: Box<dyn Fn() + Send + Sync>,
    /// Another connection comes: whether there may be so many.
    pub enter: Box<dyn Fn() -> bool + Send + Sync>,
    /// One that was let in has gone.
    pub leave: Box<dyn Fn() + Send + Sync>,
}

/// What all calls share.
pub struct Shared {
    /// The engine.
    pub engine: Arc<Engine>,
    pub(crate) settings: GrpcSettings,
    pub(crate) slot: Mutex<WorkerSlot>,
    /// Threads for requests that take longer than a moment.
    pub(crate) side: SideThreads,
    /// The hash of the key that calls must carry.
    pub(crate) api_key: Option<Secret>,
    /// Notified when users may have changed.
    pub(crate) users_changed: Notify,
    /// Rung when something has become durable.
    pub(crate) durable: Arc<Notify>,
    pub(crate) hooks: Hooks,
    /// What TLS is made with, if it is spoken.
    pub(crate) tls: Mutex<Option<TlsAcceptor>>,
    /// Streams that are open.
    pub(crate) streams: Budget,
    /// Bounds the bytes of events that watchers have not taken yet.
    pub(crate) watch_budget: Arc<Budget>,
    /// Bytes of requests that have not come to their end.
    pub(crate) inbound: Arc<Budget>,
    /// Connections that are open.
    pub(crate) connections: AtomicUsize,
}

/// A worker of the engine and a reply buffer.
pub(crate) struct WorkerSlot {
    pub worker: Worker,
    /// The bytes of a reply, kept for their memory.
    pub out: Vec<u8>,
}

/// More memory than this is not kept for the next reply.
const KEPT: usize = 1 << 20;

/// Events that all watchers together may leave lying.
const WATCH_BYTES: usize = 64 << 20;
/// Requests of all calls together that may be under way, beside one of the greatest.
const INBOUND: usize = 256 << 20;

impl WorkerSlot {
    fn new(engine: &Arc<Engine>, seed: u64) -> Mutex<Self> {
        Mutex::new(WorkerSlot { worker: Worker::new(engine, seed), out: Vec::new() })
    }

    /// Runs one request; its reply is in `out`, unless the session waits now.
    pub fn run(&mut self, session: &mut Session, argv: &[&[u8]]) {
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
        self.out.clear();
        self.worker.execute(session, argv, &mut self.out);
    }
}

impl Shared {
    /// For an engine. `seed` is unpredictable bits; with a context TLS is spoken.
    #[must_use]
    pub fn new(
        engine: &Arc<Engine>,
        seed: u64,
        context: Option<Arc<ServerConfig>>,
        hooks: Hooks,
    ) -> Arc<Self> {
        let settings = engine.config().grpc.clone();
        let greatest = settings.max_message_size;
        Arc::new(Shared {
            engine: Arc::clone(engine),
            slot: WorkerSlot::new(engine, seed),
            side: SideThreads::new(engine, ["grpc-long", "grpc-heavy"], !seed),
            api_key: settings.api_key.as_deref().map(Secret::of),
            users_changed: Notify::new(),
            durable: Arc::default(),
            hooks,
            tls: Mutex::new(context.as_deref().map(acceptor)),
            streams: Budget::new(settings.max_streams),
            watch_budget: Arc::new(Budget::new(WATCH_BYTES)),
            inbound: Arc::new(Budget::new(INBOUND.saturating_add(greatest))),
            connections: AtomicUsize::new(0),
            settings,
        })
    }

    /// What TLS with new connections is made with from now on, if it is spoken.
    pub fn secure_with(&self, context: &ServerConfig) {
        let mut tls = self.tls.lock();
        if tls.is_some() {
            *tls = Some(acceptor(context));
        }
    }

    /// Whether TLS is spoken.
    #[must_use]
    pub fn is_secured(&self) -> bool {
        self.tls.lock().is_some()
    }

    /// Something has become durable: calls that wait for the disk look again. May be called by any
    /// thread.
    pub fn tell_durable(&self) {
        self.durable.notify_waiters();
    }

    /// The worker, ready for a request.
    pub(crate) fn lock_worker(&self) -> parking_lot::MutexGuard<'_, WorkerSlot> {
        let mut slot = self.slot.lock();
        slot.worker.begin(wall_clock());
        slot
    }

    /// Whether who calls must show who it is.
    pub(crate) fn requires_credentials(&self) -> bool {
        self.api_key.is_some() || self.engine.users.asks_password()
    }

    /// Whether the engine has been asked to stop, in which case every caller is told.
    pub(crate) fn look_whether_stopping(&self) {
        if self.engine.run.stopping.load(Ordering::Relaxed) {
            (self.hooks.stopping)();
        }
    }
}

/// What TLS on the port is made with, of what it is made with elsewhere.
fn acceptor(context: &ServerConfig) -> TlsAcceptor {
    let mut context = context.clone();
    // Without this, clients that insist on HTTP/2 hang up.
    context.alpn_protocols = vec![b"h2".to_vec()];
    TlsAcceptor::from(Arc::new(context))
}
