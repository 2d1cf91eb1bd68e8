//! The gRPC port: its sockets, and the thread that serves them.
//!
//! One thread with a runtime of its own: calls are small, and passing them between threads would
//! cost more than most of them do. Without a port there is no thread.
//!
//! If the port was configured explicitly and cannot be bound, the server does not start. The
//! default port is used if it is free: another server on this machine is no reason not to start.

use std::net::TcpListener;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use config::{Config, SetError};
use engine::Engine;
use grpc::{Hooks, Shared};
use rustls::ServerConfig;
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::accepting::bind;
use crate::reconfigure;
use crate::workers::WorkerPool;

/// Sockets that are not served yet.
pub struct GrpcSockets {
    sockets: Vec<TcpListener>,
    context: Option<Arc<ServerConfig>>,
}

/// Opens the port, if there is to be one.
///
/// # Errors
/// What to print before giving up.
pub fn open(config: &Config) -> Result<GrpcSockets, String> {
    let grpc = &config.grpc;
    let context = if grpc.tls && grpc.port > 0 {
        let context = tls::server::context(&config.tls);
        Some(context.map_err(|error| format!("{error}\nFailed to configure TLS for gRPC."))?)
    } else {
        None
    };
    let port = ("grpc-port", grpc.port, grpc.port_is_given);
    let sockets = bind::open_door(port, &grpc.bind, config)?;
    Ok(GrpcSockets { sockets, context })
}

impl GrpcSockets {
    /// The addresses people connect to.
    pub fn names(&self) -> Vec<String> {
        let addr = |socket: &TcpListener| socket.local_addr().map(|addr| format!("{addr} (gRPC)"));
        self.sockets.iter().filter_map(|socket| addr(socket).ok()).collect()
    }

    /// Begins to serve.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(
        self,
        engine: &Arc<Engine>,
        pool: &Arc<WorkerPool>,
        seed: u64,
    ) -> std::io::Result<GrpcServer> {
        let GrpcSockets { sockets, context } = self;
        if sockets.is_empty() {
            return Ok(GrpcServer { serving: None });
        }
        let shared = Shared::new(engine, seed, context, hooks(pool));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = watch::channel(false);
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("grpc".to_owned()).spawn(move || {
            // What runs on other threads may take its time; no request waits for it any more.
            runtime.block_on(serve(&served, sockets, &stopped));
        })?;
        Ok(GrpcServer { serving: Some(Serving { shared, stop, thread }) })
    }
}

async fn serve(shared: &Arc<Shared>, sockets: Vec<TcpListener>, stop: &watch::Receiver<bool>) {
    let serve = |socket| tokio::spawn(grpc::serve(Arc::clone(shared), socket, stop.clone()));
    let serving: Vec<_> = sockets.into_iter().map(serve).collect();
    for one in serving {
        match one.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "a gRPC socket cannot be served"),
            Err(error) => tracing::error!(%error, "serving gRPC ended"),
        }
    }
}

fn hooks(pool: &Arc<WorkerPool>) -> Hooks {
    let (all, enter, leave) = (Arc::clone(pool), Arc::clone(pool), Arc::clone(pool));
    Hooks {
        stopping: Box::new(move || all.wake_all()),
        enter: Box::new(move || enter.admit()),
        leave: Box::new(move || leave.release()),
    }
}

/// The gRPC port, being served or not there.
pub struct GrpcServer {
    serving: Option<Serving>,
}

struct Serving {
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl GrpcServer {
    /// The state to notify of events elsewhere in the server.
    pub fn shared(&self) -> Weak<Shared> {
        self.serving.as_ref().map_or_else(Weak::new, |serving| Arc::downgrade(&serving.shared))
    }

    /// Stops accepting, and ends when the running calls have, or after a moment.
    pub fn stop(self) {
        let Some(Serving { stop, thread, .. }) = self.serving else { return };
        // Fails only if the thread has ended.
        let _ = stop.send(true);
        if thread.join().is_err() {
            tracing::error!("the gRPC thread broke");
        }
    }
}

/// Reads the files of TLS anew if any of its directives was named; open connections keep theirs.
///
/// # Errors
/// They cannot be used; then nothing has changed.
pub fn follow(
    shared: &Weak<Shared>,
    after: &Config,
    named: &[&'static str],
) -> Result<(), SetError> {
    let Some(shared) = shared.upgrade().filter(|shared| shared.is_secured()) else { return Ok(()) };
    if let Some(context) = reconfigure::tls_anew(after, named)? {
        shared.secure_with(&context);
    }
    Ok(())
}
