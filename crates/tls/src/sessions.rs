//! Sessions that clients may resume: `tls-session-cache-size` and `tls-session-cache-timeout`.
//!
//! ```text
//!   by key:  key ─► (session, number, when)        by age:  (number, key) (number, key) …
//!                                                             oldest                youngest
//! ```
//!
//! Sessions are remembered by the server, not handed to clients as tickets: the cache ends with the
//! context it belongs to, so no client resumes a session that was begun under certificates which
//! are no longer trusted.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustls::server::StoresServerSessions;

/// A bounded number of sessions, each for a bounded time.
pub(crate) struct Sessions {
    /// The most of them; 0 is no limit.
    most: usize,
    timeout: Duration,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_key: HashMap<Vec<u8>, Session>,
    by_age: VecDeque<(u64, Vec<u8>)>,
    number: u64,
}

struct Session {
    value: Vec<u8>,
    number: u64,
    since: Instant,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is in it is secret.
        out.debug_struct("Sessions").field("most", &self.most).finish_non_exhaustive()
    }
}

impl Sessions {
    pub(crate) fn new(most: usize, timeout: Duration) -> Self {
        Sessions { most, timeout, kept: Mutex::new(Kept::default()) }
    }

    fn put_at(&self, key: Vec<u8>, value: Vec<u8>, now: Instant) {
        let mut kept = self.kept.lock();
        kept.number += 1;
        let number = kept.number;
        kept.by_age.push_back((number, key.clone()));
        kept.by_key.insert(key, Session { value, number, since: now });
        while let Some((number, key)) = kept.by_age.front() {
            let is_surplus = self.most != 0 && kept.by_key.len() > self.most;
            let goes = kept.by_key.get(key).is_none_or(|session| {
                // Another session may have that key by now.
                session.number != *number
                    || is_surplus
                    || now.saturating_duration_since(session.since) > self.timeout
            });
            if !goes {
                break;
            }
            let number = *number;
            let Some((_, key)) = kept.by_age.pop_front() else { break };
            if kept.by_key.get(&key).is_some_and(|session| session.number == number) {
                kept.by_key.remove(&key);
            }
        }
    }

    fn get_at(&self, key: &[u8], now: Instant) -> Option<Vec<u8>> {
        let kept = self.kept.lock();
        let session = kept.by_key.get(key)?;
        let fresh = now.saturating_duration_since(session.since) <= self.timeout;
        fresh.then(|| session.value.clone())
    }

    fn take_at(&self, key: &[u8], now: Instant) -> Option<Vec<u8>> {
        // Its place by age goes when it is its turn.
        let session = self.kept.lock().by_key.remove(key)?;
        (now.saturating_duration_since(session.since) <= self.timeout).then_some(session.value)
    }
}

impl StoresServerSessions for Sessions {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        self.put_at(key, value, Instant::now());
        true
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.get_at(key, Instant::now())
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.take_at(key, Instant::now())
    }

    fn can_cache(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let (sessions, now) = (Sessions::new(2, Duration::from_secs(300)), Instant::now());
        for key in 1..=3_u8 {
            sessions.put_at(vec![key], vec![key; 3], now);
        }
        assert_eq!(sessions.get_at(&[1], now), None);
        assert_eq!(sessions.get_at(&[2], now), Some(vec![2; 3]));
        assert_eq!(sessions.take_at(&[2], now), Some(vec![2; 3]));
        assert_eq!(sessions.take_at(&[2], now), None);
        assert_eq!(sessions.get_at(&[3], now), Some(vec![3; 3]));
        sessions.put_at(vec![4], vec![], now);
        assert_eq!(sessions.get_at(&[3], now), Some(vec![3; 3]));
        assert!(sessions.kept.lock().by_age.len() <= 3);
    }

    #[test]
    fn none_outlives_its_time() {
        let (sessions, now) = (Sessions::new(0, Duration::from_secs(300)), Instant::now());
        let later = now + Duration::from_secs(301);
        sessions.put_at(vec![1], vec![1], now);
        sessions.put_at(vec![2], vec![2], now);
        assert_eq!(sessions.get_at(&[1], later), None);
        assert_eq!(sessions.take_at(&[1], later), None);
        sessions.put_at(vec![3], vec![3], later);
        assert_eq!(sessions.kept.lock().by_key.len(), 1);
        assert_eq!(sessions.kept.lock().by_age.len(), 1);
    }

    #[test]
    fn a_key_that_comes_again_is_young_again() {
        let (sessions, now) = (Sessions::new(2, Duration::from_secs(300)), Instant::now());
        for key in [1, 2, 1, 3_u8] {
            sessions.put_at(vec![key], vec![key], now);
        }
        assert_eq!(sessions.get_at(&[2], now), None);
        assert_eq!(sessions.get_at(&[1], now), Some(vec![1]));
        assert_eq!(sessions.get_at(&[3], now), Some(vec![3]));
    }
}
