//! A server that is ours or Redis's, for tests that ask both the same.

use crate::oracle::Oracle;
use crate::server::{Client, Server, Socket};

/// A server of either kind.
pub enum Host {
    /// The program under test.
    Ours(Server),
    /// redis-server.
    Theirs(Oracle),
}

impl Host {
    /// A new connection.
    pub fn connect(&self) -> Client {
        match self {
            Host::Ours(server) => server.connect(),
            Host::Theirs(oracle) => Client::new(Socket::Tcp(oracle.connect())),
        }
    }
}
