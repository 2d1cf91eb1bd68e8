//! How a command that came by its words runs here, if at all.

use bytes::Bytes;
use engine::Engine;
use smallvec::SmallVec;
use tonic::Status;

use crate::status;

/// How.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Where all do.
    Inline,
    /// Aside: it may take long.
    Long,
}

impl Execution {
    /// Of these words.
    ///
    /// # Errors
    /// It does not run here.
    pub fn of(engine: &Engine, words: &[Bytes]) -> Result<Self, Status> {
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let Some(entry) = engine.table.find(&argv) else { return Ok(Execution::Inline) };
        let name = entry.name();
        if engine.changes_connection(&argv) {
            return Err(status::not_here(name));
        }
        Ok(if entry.spec.runs_long(&argv) { Execution::Long } else { Execution::Inline })
    }
}
