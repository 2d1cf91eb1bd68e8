//! What came from files of Redis, and what of them was left out.

use super::Loss;

/// What came in.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Where from.
    pub from: String,
    /// Keys of snapshots.
    pub keys: u64,
    /// Keys of snapshots that were past their deadline and were left out.
    pub expired: u64,
    /// Libraries of functions of snapshots.
    pub libraries: u64,
    /// Commands.
    pub commands: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Fields that lost their deadlines.
    pub mortal_fields: u64,
    /// Where the last file was cut, and its name, if it ended in the middle of something.
    pub cut: Option<(String, u64)>,
    /// What was left out.
    pub loss: Loss,
    /// Milliseconds it took.
    pub millis: u64,
}

impl std::fmt::Display for Imported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} keys and {} commands of {}, {} bytes in {:.3} seconds",
            self.keys,
            self.commands,
            self.from,
            self.bytes,
            self.millis as f64 / 1000.0
        )?;
        if self.libraries > 0 {
            write!(f, "; {} libraries of functions", self.libraries)?;
        }
        if self.expired > 0 {
            write!(f, "; {} keys were past their deadline", self.expired)?;
        }
        if let Some((file, offset)) = &self.cut {
            write!(f, "; {file} ends inside a command, and what follows offset {offset} was cut")?;
        }
        if self.mortal_fields > 0 {
            write!(f, "; {} fields of hashes lost their own deadlines", self.mortal_fields)?;
        }
        if !self.loss.is_nothing() {
            write!(f, "; LEFT OUT: {}", self.loss)?;
        }
        Ok(())
    }
}
