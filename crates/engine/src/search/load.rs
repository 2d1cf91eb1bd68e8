//! The documents of rows that were found, as their keys hold them now.

use base::Millis;
use search::schema::Source;
use store::HeldShards;

use super::document::Stored;

/// Looks at a document; `None` if its key is not there, is past its deadline, or holds something
/// else by now. Holds every shard, or none.
pub(crate) fn with_document<R>(
    held: &mut HeldShards,
    (db, key): (usize, &[u8]),
    (source, now): (Source, Millis),
    look: impl FnOnce(&Stored<'_>) -> R,
) -> Option<R> {
    store::look_at(held, (db, key), |seen| {
        let seen = seen?;
        let is_live = seen.deadline.is_none_or(|deadline| deadline > now);
        let stored = is_live.then(|| Stored::of(&seen, source)).flatten()?;
        Some(look(&stored))
    })
}
