//! The pause there is, and the clients that wait for its end. What is done with them is in
//! `execution/pause.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::Millis;
use parking_lot::Mutex;

use super::{Client, ClientId};

/// The pause, if there is one.
#[derive(Default)]
pub struct Pauses {
    pub(crate) state: Mutex<Pause>,
    /// When it ends; 0 is no pause.
    pub(crate) until: AtomicU64,
    /// The clients that wait.
    pub(crate) waiting: Mutex<BTreeMap<ClientId, Arc<Client>>>,
}

/// One pause.
#[derive(Default)]
pub(crate) struct Pause {
    /// When it ends; 0 is no pause.
    pub(crate) until: Millis,
    /// All requests wait, not only those that may change something.
    pub(crate) all: bool,
}

impl Pauses {
    /// When the pause ends; 0 if there is none.
    #[must_use]
    pub fn until(&self) -> Millis {
        self.until.load(Ordering::Acquire)
    }

    /// The clients that wait for its end, or for an index.
    pub(crate) fn all_waiting(&self) -> Vec<Arc<Client>> {
        self.waiting.lock().values().map(Arc::clone).collect()
    }

    /// How many clients wait for its end.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.lock().len()
    }
}
