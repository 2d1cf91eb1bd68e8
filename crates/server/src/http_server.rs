//! The HTTP port: its sockets, and the tokio runtime that serves them beside the RESP workers.
//!
//! If the port was configured explicitly and cannot be bound, the server does not start. The
//! default port is used if it is free: a second server on a machine, or another program there, is
//! no reason not to start. Without a port there is no runtime and no thread.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use config::{Config, SetError, Settings};
use engine::Engine;
use http::{ConnectionCounter, Http};
use rustls::ServerConfig;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, watch};

use crate::accepting::bind;
use crate::reconfigure;
use crate::workers::WorkerPool;

/// Threads of the runtime. What takes longer runs on others (`http/src/aside.rs`).
const THREADS: usize = 2;
/// How long requests that run when the server stops may go on.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// HttpSockets that are open and not served yet.
#[derive(Default)]
pub struct HttpSockets {
    http: Vec<TcpListener>,
}

impl HttpSockets {
    /// Opens the ports that the configuration wants.
    ///
    /// # Errors
    /// What to print before giving up: a port that was asked for cannot be had.
    pub fn open(config: &Config, settings: &Settings) -> Result<Self, String> {
        let port = ("http-port", config.http.port, settings.is_given("http-port"));
        let http = bind::open_door(port, &config.network.bind, config)?;
        Ok(HttpSockets { http })
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.http.is_empty()
    }

    /// The addresses people connect to, each with what is spoken there.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let name = |socket: &TcpListener| socket.local_addr().map(|addr| format!("{addr} (HTTP)"));
        self.http.iter().filter_map(|socket| name(socket).ok()).collect()
    }
}

/// What TLS on HTTP is made with, if it is wanted.
///
/// # Errors
/// The files cannot be used.
pub fn secure(config: &Config) -> Result<Option<Arc<ServerConfig>>, String> {
    if !config.http.tls || config.http.port == 0 {
        return Ok(None);
    }
    let context = tls::server::context(&config.tls);
    context.map(Some).map_err(|error| format!("{error}\nFailed to configure TLS for HTTP."))
}

impl ConnectionCounter for WorkerPool {
    fn enter(&self) -> bool {
        self.admit()
    }

    fn leave(&self) {
        self.release();
    }
}

/// The HTTP port, being served.
#[derive(Default)]
pub struct HttpServer {
    runtime: Option<(Runtime, watch::Sender<bool>)>,
    /// Rung when something has become durable.
    pub durable: Arc<Notify>,
    /// The HTTP port.
    pub http: Option<Arc<Http>>,
}

impl HttpServer {
    /// Begins to serve.
    ///
    /// # Errors
    /// The system has no threads for it.
    pub fn start(
        sockets: HttpSockets,
        (engine, pool): (&Arc<Engine>, &Arc<WorkerPool>),
        context: Option<Arc<ServerConfig>>,
        seed: u64,
    ) -> std::io::Result<Self> {
        if sockets.is_empty() {
            return Ok(Self::default());
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("door")
            .enable_all()
            .build()?;
        let durable = Arc::new(Notify::new());
        let (stop, stopped) = watch::channel(false);
        let http = Http::new(http::HttpOptions {
            engine: Arc::clone(engine),
            connections: Arc::clone(pool) as _,
            context,
            durable: Arc::clone(&durable),
            threads: THREADS,
            seed,
        });
        let inside = runtime.enter();
        for socket in sockets.http {
            let listener = tokio::net::TcpListener::from_std(socket)?;
            runtime.spawn(Arc::clone(&http).listen(listener, stopped.clone()));
        }
        drop(inside);
        Ok(HttpServer { runtime: Some((runtime, stop)), durable, http: Some(http) })
    }

    /// Applies a changed configuration: reads the files of TLS anew.
    ///
    /// # Errors
    /// What cannot be; then nothing has changed.
    pub fn follow(
        http: Option<&Arc<Http>>,
        after: &Config,
        named: &[&'static str],
    ) -> Result<(), SetError> {
        let Some(http) = http.filter(|http| http.is_secured()) else { return Ok(()) };
        if let Some(context) = reconfigure::tls_anew(after, named)? {
            http.secure_with(context);
        }
        Ok(())
    }

    /// Ends: no new connections, a moment for the requests that run, then nothing is served.
    pub fn stop(&mut self) {
        let Some((runtime, stop)) = self.runtime.take() else { return };
        // Fails only if the port is not served any more.
        let _ = stop.send(true);
        runtime.shutdown_timeout(LAST_WORDS);
        self.http = None;
    }
}
