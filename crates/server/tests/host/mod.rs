//! A server that is ours or Redis's, or our engine without one, for tests that ask them the same.

// Not every test uses all of it.
#![allow(dead_code)]

mod inside;

use crate::server::{Client, Server, Socket};

pub use inside::Engine;
use testkit::oracle::Oracle;

/// What a test sends requests to.
pub enum Host {
    /// The program under test.
    Ours(Server),
    /// redis-server.
    Theirs(Oracle),
    /// The engine inside the test.
    Inside(Engine),
}

impl Host {
    /// A new connection.
    pub fn connect(&self) -> Client {
        match self {
            Host::Ours(server) => server.connect(),
            Host::Theirs(oracle) => Client::new(Socket::Tcp(oracle.connect())),
            Host::Inside(engine) => Client::new(Socket::Inside(Box::new(engine.line()))),
        }
    }
}
