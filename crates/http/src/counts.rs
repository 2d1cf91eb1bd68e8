//! What the port counts of itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::route::ROUTES;

/// What this port counts: requests by route and status.
pub struct Counts {
    /// By route, the last for what is none; by hundreds of the status.
    pub(crate) requests: Vec<[AtomicU64; 6]>,
    /// Time that they took, by route.
    pub(crate) nanos: Vec<AtomicU64>,
    /// Connections that are open.
    pub open: AtomicU64,
    /// Connections that were refused.
    pub refused: AtomicU64,
}

impl Default for Counts {
    fn default() -> Self {
        let each = || 0..=ROUTES.len();
        Counts {
            requests: each().map(|_| Default::default()).collect(),
            nanos: each().map(|_| AtomicU64::new(0)).collect(),
            open: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }
}

impl Counts {
    /// A request to this route was answered.
    pub fn answered(&self, route: Option<usize>, status: u16, took: Duration) {
        let at = route.unwrap_or(ROUTES.len());
        let class = usize::from(status / 100).min(5);
        if let (Some(counts), Some(nanos)) = (self.requests.get(at), self.nanos.get(at)) {
            counts[class].fetch_add(1, Ordering::Relaxed);
            let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
            nanos.fetch_add(took, Ordering::Relaxed);
        }
    }
}
