//! FT.CHECK: whether an index is what the documents make of it.

use ::search::evaluate::Partitions;
use ::search::partition::Partition;
use base::{CmdError, Reply, Spec};
use store::{HeldShards, Seen};
use wire::RespWriter;

use super::pace::{Asking, Pace, run};
use super::{READS, UNKNOWN, refused};
use crate::control::{acts, worded};
use crate::engine::entry::Action;
use crate::search::Index;
use crate::search::document::Stored;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![FtCheck]
}

worded! {
    /// Compares an index with its documents.
    FtCheck, Spec {
        name: "ft.check",
        summary: "Indexes all documents once more, compares, and counts the differences.",
        complexity: "O(N) in the keys of the database",
        grammar: "index:string",
        ..READS
    }, |control, words, out| {
        control.index("ft.check", words.first().ok_or(UNKNOWN)?)?;
        run(control, ("ft.check", words), check, out)
    }
}

fn check(
    asking: &mut Asking<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let name = words.first().ok_or(UNKNOWN)?;
    let known = asking.engine.catalog.known();
    let (_, index) = known.index(asking.db, name).ok_or(UNKNOWN)?;
    let counted = count(asking.held, (asking.db, index), &mut asking.pace)?;
    put(out, &counted);
    Ok(())
}

/// What was compared.
#[derive(Default)]
struct Counted {
    /// Documents that belong to the index.
    documents: usize,
    /// Those that it lacks.
    missing: usize,
    /// Entries of keys that do not belong to it.
    stale: usize,
    /// Entries that are not what their documents make of them.
    different: usize,
    /// One key of those that differ.
    example: Option<Box<[u8]>>,
}

impl Counted {
    fn differs(&mut self, key: &[u8], count: impl FnOnce(&mut Self) -> &mut usize) {
        *count(self) += 1;
        self.example.get_or_insert_with(|| key.into());
    }
}

fn count(
    held: &mut HeldShards,
    (db, index): (usize, &Index),
    pace: &mut Pace<'_>,
) -> Result<Counted, CmdError> {
    let mut counted = Counted::default();
    for shard in 0..held.store().shards() {
        let mut position = Some(0);
        while let Some(from) = position {
            pace.check().map_err(refused)?;
            position = store::each_entry_from(held, shard, db, from, &mut |seen| {
                if index.concerns(seen.key) {
                    compare(index, shard, &seen, &mut counted);
                }
            });
        }
    }
    for at in 0..index.count() {
        let keys: Vec<Box<[u8]>> = index.with(at, |partition| {
            partition.live_rows().filter_map(|row| partition.key_of(row).map(Box::from)).collect()
        });
        for (nth, key) in keys.iter().enumerate() {
            if nth % 256 == 255 {
                pace.check().map_err(refused)?;
            }
            // What was deleted since its row was seen has no row any more.
            let is_stale = store::look_at(held, (db, key), |seen| {
                seen.is_none() && index.with(at, |partition| partition.row_of(key).is_some())
            });
            if is_stale {
                counted.differs(key, |counted| &mut counted.stale);
            }
        }
    }
    Ok(counted)
}

/// Compares the entry of a key, whose shard is held.
fn compare(index: &Index, shard: usize, seen: &Seen<'_>, counted: &mut Counted) {
    let stored = Stored::of(seen, index.source());
    let passes = |stored: &Stored<'_>| {
        index.filter.as_ref().is_none_or(|filter| filter.passes(seen.key, stored))
    };
    let stored = stored.filter(passes);
    let expected =
        stored.and_then(|stored| Partition::expected(&index.definition, seen.key, &stored));
    let at = shard % index.count();
    let contents = index.with(at, |partition| partition.contents(seen.key));
    counted.documents += usize::from(expected.is_some());
    match (expected, contents) {
        (Some(_), None) => counted.differs(seen.key, |counted| &mut counted.missing),
        (None, Some(_)) => counted.differs(seen.key, |counted| &mut counted.stale),
        (expected, contents) if expected != contents => {
            counted.differs(seen.key, |counted| &mut counted.different);
        }
        _ => {}
    }
}

fn put(out: &mut RespWriter<'_>, counted: &Counted) {
    out.map(5);
    for (name, count) in [
        ("documents", counted.documents),
        ("missing", counted.missing),
        ("stale", counted.stale),
        ("different", counted.different),
    ] {
        out.bulk(name.as_bytes());
        out.count(count);
    }
    out.bulk(b"example");
    out.bulk_or_null(counted.example.as_deref());
}
