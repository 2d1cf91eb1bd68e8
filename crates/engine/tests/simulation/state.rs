//! What a dataset is: all that clients could see of it, as a few bytes that can be compared.

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::contents::{Deadline, seen_by};
use crate::test_client::TestClient;

/// All of a dataset, whatever the time: what is overdue is still there.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    digest: String,
    keys: Vec<Deadline>,
    libraries: u64,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { digest, keys, libraries } = self;
        write!(f, "{} keys {digest} {libraries:x}", keys.len())
    }
}

impl State {
    /// What another one has that this one has not, key by key; values are not told apart.
    pub fn lacks(&self, other: &State) -> String {
        let lacking = other.keys.iter().filter(|key| !self.keys.contains(key));
        let show = |(db, key, deadline, unseen): &Deadline| {
            format!("{db}/{} {deadline:?} {unseen}", key.escape_ascii())
        };
        lacking.map(show).collect::<Vec<_>>().join("; ")
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// What the engine of this client holds.
pub fn look(eyes: &mut TestClient) -> State {
    let (digest, keys) = seen_by(eyes);
    let mut libraries = Vec::new();
    let list: [&[u8]; 3] = [b"FUNCTION", b"LIST", b"WITHCODE"];
    eyes.worker.execute(&mut eyes.session, &list, &mut libraries);
    // In the order of their names, as they came in different orders.
    let mut lines: Vec<&[u8]> = libraries.split(|&byte| byte == b'\n').collect();
    lines.sort();
    State { digest, keys, libraries: hash(&lines) }
}
