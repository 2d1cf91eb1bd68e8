//! What a session keeps of a transaction: the commands it has queued, the keys it watches. What is
//! done with them is in `execution/multi.rs`.

use std::sync::Arc;

use hashbrown::HashMap;
use store::Watch;

use super::demands::Demands;

/// A transaction being queued.
#[derive(Default)]
pub struct Multi {
    pub(crate) queued: Vec<Queued>,
    /// A command was refused while queueing: `EXEC` will refuse too.
    pub(crate) aborted: bool,
    /// What the queued commands demand.
    pub(crate) demands: Demands,
}

/// A command that waits for `EXEC`.
pub(crate) struct Queued {
    /// Its command's number.
    pub(crate) entry: usize,
    /// Its words.
    pub(crate) words: Vec<Vec<u8>>,
}

/// The keys a session watches.
#[derive(Default)]
pub struct Watched {
    pub(crate) watch: Option<Arc<Watch>>,
    /// By database and name: whether each was there when the watch began. Its disappearing by
    /// expiry is then a change.
    pub(crate) keys: HashMap<(usize, Box<[u8]>), bool>,
}

impl Multi {
    /// What the queued commands demand.
    pub(crate) fn demands(&self) -> Demands {
        self.demands
    }
}
