//! Requests that run for long by their nature, on another thread: calls that come meanwhile are
//! answered.
//!
//! A few at a time, each with a worker of its own; others wait for their turn, without a thread,
//! and no more than so many. Whoever has sent one and gives up does not end it, but for a script,
//! which others can end (`SCRIPT KILL`); who gives up waiting leaves the queue.

use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;
use tonic::Status;

use crate::connection_user::SessionGuard;
use crate::shared::Shared;
use crate::status;

/// Runs a request aside and waits for its reply.
///
/// # Errors
/// There is no such database; the connection was ended meanwhile; too many wait already.
pub async fn ask(mut guard: SessionGuard, db: u32, words: Vec<Bytes>) -> Result<Vec<u8>, Status> {
    let shared = Arc::clone(guard.shared());
    let _counted = Counted::new(&shared)?;
    let permit = Arc::clone(&shared.permits).acquire_owned().await.map_err(|_| status::broken())?;
    let running = tokio::task::spawn_blocking(move || {
        // Given back when the request is done, whoever still waits for it.
        let _permit = permit;
        let shared = Arc::clone(guard.shared());
        let mut slot = shared.lock_long_worker();
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let answered = guard.begin(&mut slot, db, &argv);
        let out = std::mem::take(&mut slot.out);
        drop(slot);
        answered.map(|answered| (guard, out, answered))
    });
    let done = running.await.map_err(|_| status::broken())?;
    let (mut guard, out, answered) = done?;
    guard.shared().look_whether_stopping();
    if answered { Ok(out) } else { guard.finish(out).await }
}

/// One among those that run for long or wait for that.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Result<Self, Status> {
        if !shared.long.take(1) {
            return Err(status::exhausted("too many requests that run for long are waiting"));
        }
        Ok(Counted(Arc::clone(shared)))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.long.give(1);
    }
}
