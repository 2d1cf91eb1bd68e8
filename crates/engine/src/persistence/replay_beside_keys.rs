//! What belongs to no key, read back: libraries of functions, and secondary indexes. Both have
//! their place among what happened to shard 0, so only the replayer of shard 0 meets them.

use journal::codec::Source;
use journal::record::Record;
use journal::snapshot;

use super::replay::{Replayer, text};
use super::snapshot_coverage::{INDEXES, LIBRARIES, SnapshotCoverage};

impl Replayer<'_> {
    /// A block of the snapshot, if it is one of these.
    pub(super) fn load_beside_keys(
        &self,
        raw: &[u8],
        db: u32,
        coverage: &mut SnapshotCoverage,
    ) -> Option<Result<(), String>> {
        if !matches!(db, LIBRARIES | INDEXES) {
            return None;
        }
        let mut source = Source::new(raw);
        let step = match snapshot::step(&mut source) {
            Ok(step) => step,
            Err(error) => return Some(Err(text(error))),
        };
        coverage.add(db, step.end, step.seq);
        Some(self.apply_beside_keys(db, source.rest()))
    }

    fn apply_beside_keys(&self, db: u32, body: &[u8]) -> Result<(), String> {
        let engine = self.engine;
        let done = match db {
            LIBRARIES => engine.scripts.functions.apply(body),
            _ => engine.catalog.apply(body),
        };
        done.map_err(text)
    }

    /// A record of these, which stand in a snapshot as database `db`.
    pub(super) fn record_beside_keys(
        &mut self,
        record: &Record<'_>,
        db: u32,
        coverage: &SnapshotCoverage,
    ) -> Result<(), String> {
        if record.shard != 0 {
            return Err("libraries or indexes in a shard that holds none".to_owned());
        }
        let new = coverage.lacks(db, 0, record.seq);
        self.counts.applied += u64::from(new);
        self.counts.known += u64::from(!new);
        if new { self.apply_beside_keys(db, record.body) } else { Ok(()) }
    }

    /// The indexes of databases that were emptied go with them. Shard 0 says when.
    pub(super) fn flush_indexes(&self, record: &Record<'_>, db: u32, coverage: &SnapshotCoverage) {
        if record.shard == 0 && coverage.lacks(INDEXES, 0, record.seq) {
            self.engine.catalog.flushed(db as usize);
        }
    }

    /// The indexes of databases that have changed places go along. Shard 0 says when.
    pub(super) fn swap_indexes(
        &self,
        record: &Record<'_>,
        (a, b): (usize, usize),
        coverage: &SnapshotCoverage,
    ) {
        if record.shard == 0 && coverage.lacks(INDEXES, 0, record.seq) {
            self.engine.catalog.swapped(a, b);
        }
    }
}
