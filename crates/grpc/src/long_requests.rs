//! Which requests run on other threads than the one that all calls share: calls that come meanwhile
//! are answered.
//!
//! Those that run for long by their nature do, a few at a time ([`engine::LongRequests`]); and so
//! do, on threads of their own, those that are quick unless what their keys hold is large.

use engine::exchange::NoAnswer;
use engine::{Entry, LongRequest, Session, Worker};
use tonic::Status;

use crate::shared::Shared;
use crate::status;

/// Where a request of a session runs: aside, if something is answered, as one of the long ones or
/// of those about large values.
///
/// # Errors
/// Too many wait already.
pub fn permit(
    shared: &Shared,
    worker: &mut Worker,
    session: &mut Session,
    words: &[&[u8]],
) -> Result<Option<LongRequest>, Status> {
    let Some(entry) = shared.engine.table.find(words) else { return Ok(None) };
    let requests = if entry.spec.runs_long(words) || finds_few_of_many(shared, session, entry) {
        &shared.long
    } else if worker.is_heavy(session, entry, words) {
        &shared.heavy
    } else {
        return Ok(None);
    };
    requests.enter().map(Some).ok_or_else(|| status::no_answer(NoAnswer::Crowded))
}

/// Whether it has to look for keys among others that its user may not see, however few it asks for.
fn finds_few_of_many(shared: &Shared, session: &mut Session, entry: &Entry) -> bool {
    entry.ordered && !shared.engine.may_see_every_key(session)
}
