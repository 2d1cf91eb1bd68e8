//! How a command that came by its words runs here, if at all.

use bytes::Bytes;
use engine::Engine;
use smallvec::SmallVec;
use tonic::Status;

use crate::aside;
use crate::status;

/// How.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Where all do.
    Ordinary,
    /// Aside: it may take long.
    Long,
}

impl Manner {
    /// Of these words.
    ///
    /// # Errors
    /// It does not run here.
    pub fn of(engine: &Engine, words: &[Bytes]) -> Result<Self, Status> {
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let Some(entry) = engine.table.find(&argv) else { return Ok(Manner::Ordinary) };
        let name = entry.name();
        if engine.changes_connection(&argv) {
            return Err(status::not_here(name));
        }
        Ok(if aside::is_long(entry, &argv) { Manner::Long } else { Manner::Ordinary })
    }
}
