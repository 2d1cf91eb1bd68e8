//! What becomes of a command's effect once it has run: the journal's record, and the notifications.

use base::{CmdError, Edit, Effect, Property, Query, Wait};
use store::{Reach, Txn};

use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::execution::propagate;

/// What is left of a command that has run and written nothing.
pub(crate) enum Unfinished {
    /// It waits for something.
    Waits(Box<Wait>),
    /// It reads a version, which may take long.
    Reads(Query),
    /// It changes a fork, which may take long, and is to be installed then.
    Edits(Edit),
}

/// Propagates what a command has changed to the journal and to the clients it concerns, under the
/// locks under which it ran. Whether it changed something; what to answer instead of what was
/// written, or what is left of it.
pub(crate) fn settle(
    engine: &Engine,
    txn: &mut Txn,
    sent: (&Entry, &[&[u8]], Option<u64>),
    done: Result<Effect, CmdError>,
) -> (bool, Result<Option<Unfinished>, CmdError>) {
    match done {
        Ok(Effect::None) => {
            txn.changes.forget();
            (false, Ok(None))
        }
        Ok(Effect::Block(wait)) => {
            txn.changes.forget();
            (false, Ok(Some(Unfinished::Waits(wait))))
        }
        Ok(Effect::Query(query)) => {
            debug_assert!(sent.0.is(Property::RunsAsQuery), "{} does not say so", sent.0.name());
            txn.changes.forget();
            (false, Ok(Some(Unfinished::Reads(query))))
        }
        Ok(Effect::Edit(edit)) => {
            debug_assert!(sent.0.is(Property::RunsAsQuery), "{} does not say so", sent.0.name());
            txn.changes.forget();
            (false, Ok(Some(Unfinished::Edits(edit))))
        }
        Ok(effect) => {
            propagate::effect(engine, txn, sent, &effect);
            match effect {
                Effect::Unwatched(_) => txn.publish_changes_to(Reach::Nobody),
                Effect::Unblocks(_) => txn.publish_changes_to(Reach::Waiting),
                _ => txn.publish_changes(),
            }
            (true, Ok(None))
        }
        Err(failure) => {
            // A command that failed may still have changed something before.
            let changed = txn.changes.has_changed();
            if changed {
                propagate::keys(engine, txn, sent.0, sent.1);
            }
            txn.publish_changes();
            (changed, Err(failure))
        }
    }
}
