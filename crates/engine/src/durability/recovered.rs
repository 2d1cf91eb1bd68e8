//! What loading found.

use std::fmt;

use journal::reader::Cut;

use super::Imported;

/// What recovery found.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// Keys the snapshot held.
    pub keys: u64,
    /// Those of them that were past their deadline.
    pub overdue: u64,
    /// Large values of the snapshot, which came in chunks: a key read once more has two.
    pub large: u64,
    /// Records of the journal that were applied.
    pub records: u64,
    /// Records that the snapshot knew already.
    pub known: u64,
    /// Records that could not be applied and were left out: none, but during a repair.
    pub failed: u64,
    /// Of those applied, values that went from one key to another, told by the keys' names.
    pub moved: u64,
    /// Of those applied, commands that made a large value of other keys', told by themselves.
    pub derived: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Frames of the journal.
    pub frames: u64,
    /// What was cut off its end.
    pub cut: Option<Cut>,
    /// Milliseconds it took.
    pub millis: u64,
    /// When the last change was written, in milliseconds since the Unix epoch; 0 if unknown.
    pub last_write: u64,
    /// What came from files of Redis, if there was nothing else.
    pub imported: Option<Imported>,
}

impl Recovered {
    /// Adds what a part of it came to.
    pub(crate) fn add(&mut self, counts: &Counts) {
        self.records += counts.applied;
        self.known += counts.known;
        self.failed += counts.failed;
        self.moved += counts.moved;
        self.derived += counts.derived;
    }
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(imported) = &self.imported {
            return imported.fmt(f);
        }
        write!(
            f,
            "{} keys of the snapshot and {} records of the journal ({} more were in the snapshot), \
             {} bytes in {:.3} seconds",
            self.keys,
            self.records,
            self.known,
            self.bytes,
            self.millis as f64 / 1000.0
        )?;
        if let Some(cut) = &self.cut {
            let Cut { file, offset, bytes } = cut;
            write!(f, "; cut {bytes} bytes of an unfinished write off {file} at offset {offset}")?;
        }
        if self.failed > 0 {
            write!(f, "; {} RECORDS COULD NOT BE APPLIED AND WERE LEFT OUT", self.failed)?;
        }
        Ok(())
    }
}

/// What became of the records a replayer met.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub applied: u64,
    pub known: u64,
    pub failed: u64,
    /// Keys of the snapshot that were past their deadline.
    pub overdue: u64,
    /// Large values of the snapshot, which came in chunks.
    pub large: u64,
    /// Values that went from one key to another, told by their names.
    pub moved: u64,
    /// Commands that made a value of other keys', told by themselves.
    pub derived: u64,
}
