//! A server with a gRPC port, and connections to it.

// Not every test uses all of it.
#![allow(dead_code)]

use std::cell::Cell;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use bytes::Bytes;
use grpc::client_channel::ClientChannel;
use grpc::generated::kvist as pb;
use grpc::generated::kvist::kvist_service_client::KvistServiceClient;
use grpc::generated::memorize::memorize_client::MemorizeClient;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tonic::{Code, Status};

use crate::server::{PATIENCE, READY, Server, eventually, free_port};

/// The client of our own service.
pub type Kvist = KvistServiceClient<ClientChannel>;
/// The client of the cache service.
pub type Memorize = MemorizeClient<ClientChannel>;

/// A running server, and a runtime for clients.
pub struct Calls {
    /// The server.
    pub server: Server,
    /// Its gRPC port.
    pub port: u16,
    runtime: Runtime,
}

impl Calls {
    /// Starts a server with further arguments.
    pub fn start(args: &[&str]) -> Self {
        Self::start_until(READY, args)
    }

    /// The same, and waits until it has said something.
    pub fn start_until(said: &str, args: &[&str]) -> Self {
        let port = Cell::new(0);
        // A file comes first.
        let is_file = args.first().is_some_and(|first| !first.starts_with("--"));
        let (file, args) = args.split_at(usize::from(is_file));
        let words = || {
            port.set(free_port());
            let grpc = port.get().to_string();
            let words = [file, &["--grpc-port", &grpc], args].concat();
            words.into_iter().map(str::to_owned).collect()
        };
        let server = Server::start_with(said, words);
        let port = port.get();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Calls { server, port, runtime }
    }

    /// Where it is.
    pub fn addr(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// Runs something that calls; it may not take for ever.
    pub fn run<F: Future>(&self, work: F) -> F::Output {
        // Longer than what waits for something by name: that says what is missing.
        let done = self.runtime.block_on(async { tokio::time::timeout(2 * PATIENCE, work).await });
        done.expect("it took too long")
    }

    /// Begins something that calls, and goes on beside what runs.
    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime.spawn(work)
    }

    /// A connection.
    pub fn line(&self) -> ClientChannel {
        self.line_from(self.addr().ip())
    }

    /// The same from and to this address of this machine.
    pub fn line_from(&self, address: IpAddr) -> ClientChannel {
        let line = || self.run(ClientChannel::connect((address, self.port).into())).ok();
        eventually("a connection", line)
    }

    /// A connection to our own service.
    pub fn kvist(&self) -> Kvist {
        KvistServiceClient::new(self.line())
    }

    /// A connection to the cache service.
    pub fn memorize(&self) -> Memorize {
        MemorizeClient::new(self.line())
    }

    /// Runs a command through a connection.
    pub fn execute(&self, kvist: &mut Kvist, words: &str) -> Result<pb::value::Kind, Status> {
        let words = words.split(' ').map(|word| Bytes::copy_from_slice(word.as_bytes()));
        let request = pb::ExecuteRequest { words: words.collect(), database: 0 };
        let reply = self.run(kvist.execute(request))?.into_inner().reply;
        Ok(reply.and_then(|value| value.kind).expect("a value"))
    }
}

/// Waits until something is so, while calls go on.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Bytes of a text.
pub fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// The code and the text of a refusal.
pub fn refused<T: std::fmt::Debug>(result: Result<T, Status>) -> (Code, String) {
    let status = result.expect_err("a refusal");
    (status.code(), status.message().to_owned())
}
