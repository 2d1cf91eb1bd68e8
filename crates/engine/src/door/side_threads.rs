//! Which requests run beside the few threads that serve a port: other clients are answered
//! meanwhile. One rule for all doors that have such threads.
//!
//! Those that run for long by their nature do, a few at a time; and so do, on threads of their own,
//! those that end soon unless their words or what their keys hold is large (`weight.rs`): no script
//! is in their way there. The same threads do what a door itself has to do with a large request or
//! reply.

use std::sync::Arc;

use crate::client::session::Session;
use crate::door::exchange::NoAnswer;
use crate::door::long_requests::{LongRequest, LongRequests};
use crate::door::weight::LIGHT;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::worker::Worker;

/// Requests of a port that run for long, at a time.
const LONG: usize = 4;
/// Those that are about large values, at a time.
const HEAVY: usize = 2;

/// How far a request has come that asks for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing of it has happened: it can be refused.
    New,
    /// It was let in, and some of it may have happened: so will the rest.
    Begun,
}

/// The threads beside those of one port.
pub struct SideThreads {
    long: Arc<LongRequests>,
    heavy: Arc<LongRequests>,
}

impl SideThreads {
    /// Threads of these names, of which none is there before it is needed. `seed` is unpredictable
    /// bits.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, names: [&'static str; 2], seed: u64) -> Self {
        SideThreads {
            long: LongRequests::new(engine, (names[0], LONG), seed),
            heavy: LongRequests::new(engine, (names[1], HEAVY), seed.rotate_left(32)),
        }
    }

    /// Where a request of a session runs: on a side thread, if something is answered.
    ///
    /// # Errors
    /// Too many wait already.
    pub fn permit(
        &self,
        worker: &mut Worker,
        session: &mut Session,
        argv: &[&[u8]],
        stage: Stage,
    ) -> Result<Option<LongRequest>, NoAnswer> {
        let engine = Arc::clone(&worker.engine);
        let Some(entry) = engine.table.find(argv) else { return Ok(None) };
        if entry.spec.runs_long(argv) || finds_few_of_many(&engine, session, entry) {
            return enter(&self.long, stage);
        }
        if worker.is_heavy(session, entry, argv) { enter(&self.heavy, stage) } else { Ok(None) }
    }

    /// Where something is done that goes through so many bytes: on a side thread, if something is
    /// answered.
    ///
    /// # Errors
    /// Too many wait already.
    pub fn permit_bytes(
        &self,
        bytes: usize,
        stage: Stage,
    ) -> Result<Option<LongRequest>, NoAnswer> {
        if bytes > LIGHT { enter(&self.heavy, stage) } else { Ok(None) }
    }
}

fn enter(requests: &Arc<LongRequests>, stage: Stage) -> Result<Option<LongRequest>, NoAnswer> {
    match stage {
        Stage::New => requests.enter().map(Some).ok_or(NoAnswer::Crowded),
        Stage::Begun => Ok(Some(requests.enter_again())),
    }
}

/// Whether it has to look for keys among others that its user may not see, however few it asks for.
fn finds_few_of_many(engine: &Engine, session: &mut Session, entry: &Entry) -> bool {
    entry.facts.ordered && !engine.may_see_every_key(session)
}
