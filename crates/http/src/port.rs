//! The port: what its connections and its handlers share.

use std::sync::Arc;

use engine::Engine;
use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::sync::{Notify, Semaphore};

use crate::body::Budget;
use crate::counts::Counts;
use crate::haystack::Logins;
use crate::session::Workers;

/// Peers at a time that are told why they are refused; others are only closed.
const FAREWELLS: usize = 128;

/// Counts connections of all ports together.
pub trait ConnectionCounter: Send + Sync {
    /// Whether there is room for one more, which is counted then.
    fn enter(&self) -> bool;
    /// One that was counted has gone.
    fn leave(&self);
}

/// What the port is made with.
pub struct HttpOptions {
    /// The engine.
    pub engine: Arc<Engine>,
    /// Counts connections.
    pub connections: Arc<dyn ConnectionCounter>,
    /// What TLS is made with, if it is spoken.
    pub context: Option<Arc<ServerConfig>>,
    /// Rung when something has become durable.
    pub durable: Arc<Notify>,
    /// Threads that serve the port.
    pub threads: usize,
    /// Unpredictable bits.
    pub seed: u64,
}

/// The port.
pub struct Http {
    /// Workers of the engine.
    pub workers: Arc<Workers>,
    /// What it counts.
    pub counts: Counts,
    pub(crate) budget: Arc<Budget>,
    pub(crate) connections: Arc<dyn ConnectionCounter>,
    pub(crate) context: Mutex<Option<Arc<ServerConfig>>>,
    pub(crate) secured: bool,
    pub(crate) farewells: Arc<Semaphore>,
    /// Logins of the Haystack API.
    pub(crate) logins: Logins,
}

impl Http {
    /// A port that listens nowhere yet.
    #[must_use]
    pub fn new(options: HttpOptions) -> Arc<Self> {
        let HttpOptions { engine, connections, context, durable, threads, seed } = options;
        Arc::new(Http {
            workers: Arc::new(Workers::new(&engine, threads + 1, seed, durable)),
            counts: Counts::default(),
            budget: Arc::default(),
            connections,
            secured: context.is_some(),
            context: Mutex::new(context),
            farewells: Arc::new(Semaphore::new(FAREWELLS)),
            logins: Logins::default(),
        })
    }

    /// What new connections with TLS go by from now on.
    pub fn secure_with(&self, context: Arc<ServerConfig>) {
        *self.context.lock() = Some(context);
    }

    /// Whether TLS is spoken.
    #[must_use]
    pub fn is_secured(&self) -> bool {
        self.secured
    }

    /// What new connections with TLS go by.
    pub(crate) fn context(&self) -> Option<Arc<ServerConfig>> {
        self.context.lock().clone()
    }
}
