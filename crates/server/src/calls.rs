//! The gRPC port: its sockets, and the thread that serves them.
//!
//! One thread with a runtime of its own: calls are small, and handing them from thread to thread
//! would cost more than most of them do. Without a port there is no thread.
//!
//! A port that was asked for must be had, or the server does not start. The default one is taken if
//! it is free: another server on this machine is no reason not to start.

use std::net::TcpListener;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use config::{Config, SetError};
use engine::Engine;
use grpc::{Hooks, House, LONG_CALLS};
use rustls::ServerConfig;
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::accept::{self, Crew};
use crate::listen;

/// Sockets that nobody serves yet.
pub struct Open {
    sockets: Vec<TcpListener>,
    context: Option<Arc<ServerConfig>>,
}

/// Opens the port, if there is to be one.
///
/// # Errors
/// What to print before giving up.
pub fn open(config: &Config) -> Result<Open, String> {
    let grpc = &config.grpc;
    let context = if grpc.tls && grpc.port > 0 {
        let context = tls::server::context(&config.tls);
        Some(context.map_err(|error| format!("{error}\nFailed to configure TLS for gRPC."))?)
    } else {
        None
    };
    let port = ("grpc-port", grpc.port, grpc.port_is_given);
    let sockets = listen::open_door(port, &grpc.bind, config)?;
    Ok(Open { sockets, context })
}

impl Open {
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
        crew: &Arc<Crew>,
        chance: u64,
    ) -> std::io::Result<Calls> {
        let Open { sockets, context } = self;
        if sockets.is_empty() {
            return Ok(Calls { serving: None });
        }
        let house = House::new(engine, chance, context, hooks(crew));
        let runtime =
            Builder::new_current_thread().enable_all().max_blocking_threads(LONG_CALLS).build()?;
        let (stop, stopped) = watch::channel(false);
        let served = Arc::clone(&house);
        let thread = std::thread::Builder::new().name("grpc".to_owned()).spawn(move || {
            runtime.block_on(serve(&served, sockets, &stopped));
            // What runs aside may take its time; nobody waits for it any more.
            runtime.shutdown_background();
        })?;
        Ok(Calls { serving: Some(Serving { house, stop, thread }) })
    }
}

async fn serve(house: &Arc<House>, sockets: Vec<TcpListener>, stop: &watch::Receiver<bool>) {
    let serve = |socket| tokio::spawn(grpc::serve(Arc::clone(house), socket, stop.clone()));
    let serving: Vec<_> = sockets.into_iter().map(serve).collect();
    for one in serving {
        match one.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "a gRPC socket cannot be served"),
            Err(error) => tracing::error!(%error, "serving gRPC ended"),
        }
    }
}

fn hooks(crew: &Arc<Crew>) -> Hooks {
    let (all, enter, leave) = (Arc::clone(crew), Arc::clone(crew), Arc::clone(crew));
    Hooks {
        stopping: Box::new(move || all.wake_all()),
        enter: Box::new(move || enter.let_in()),
        leave: Box::new(move || leave.let_go()),
    }
}

/// The gRPC port, being served or not there.
pub struct Calls {
    serving: Option<Serving>,
}

struct Serving {
    house: Arc<House>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Calls {
    /// Whom to tell what happens elsewhere.
    pub fn house(&self) -> Weak<House> {
        self.serving.as_ref().map_or_else(Weak::new, |serving| Arc::downgrade(&serving.house))
    }

    /// Takes nobody any more, and ends when the calls that run have, or after a moment.
    pub fn stop(self) {
        let Some(Serving { stop, thread, .. }) = self.serving else { return };
        // If nobody listens any more, there is nobody to stop.
        let _ = stop.send(true);
        if thread.join().is_err() {
            tracing::error!("the gRPC thread broke");
        }
    }
}

/// Reads the files of TLS anew if any of its directives was named; who is connected keeps what they
/// have.
///
/// # Errors
/// They cannot be used; then nothing has changed.
pub fn follow(house: &Weak<House>, after: &Config, named: &[&'static str]) -> Result<(), SetError> {
    let Some(house) = house.upgrade().filter(|house| house.is_secured()) else { return Ok(()) };
    if let Some(context) = accept::tls_anew(after, named)? {
        house.secure_with(&context);
    }
    Ok(())
}
