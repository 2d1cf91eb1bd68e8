//! Ports for servers that tests start.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::{Mutex, PoisonError};

/// Claims that a process keeps: what asked before so many others listens by now.
const KEPT: usize = 64;

/// A port that is free at the moment, that no other test was given a moment ago, and that no
/// connection is given by chance: the system takes those from 32768 on, and other tests open
/// thousands.
#[must_use]
pub fn free_port() -> u16 {
    loop {
        let random = RandomState::new().build_hasher().finish();
        let port = 10_000 + (random % 22_000) as u16;
        if claim(port) && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Whether no other test, of this process or another, has been given this port a moment ago; it is
/// given to none from now on, until the server that it is for has had the time to take it.
fn claim(port: u16) -> bool {
    static CLAIMS: Mutex<VecDeque<UnixListener>> = Mutex::new(VecDeque::new());
    // A name without a file, which the system forgets when this process ends, however it does.
    let name = SocketAddr::from_abstract_name(format!("kvist-test-port-{port}"));
    let Ok(claim) = name.and_then(|name| UnixListener::bind_addr(&name)) else { return false };
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    if claims.len() == KEPT {
        claims.pop_front();
    }
    claims.push_back(claim);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice_in_a_row() {
        let mut given: Vec<u16> = (0..KEPT).map(|_| free_port()).collect();
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), KEPT);
    }
}
