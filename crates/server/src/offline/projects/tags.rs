//! The tags of a record from elsewhere, told apart by what becomes of them.

use folio::{Diff, Flags, Project, change, is_always_transient, is_never_set};
use haystack::{DateTime, Dict};

/// Tags without `id` and `mod`.
#[derive(Debug)]
pub(super) struct Tags {
    pub kept: Dict,
    /// Those that are transient by their names.
    pub transient: Dict,
    /// How many tell of its history, and follow from that.
    pub told: usize,
}

impl Tags {
    pub fn of(mut kept: Dict) -> Tags {
        let before = kept.len();
        kept.retain(|tag, _| !is_never_set(tag));
        let told = before - kept.len();
        let mut transient = kept.clone();
        transient.retain(|tag, _| is_always_transient(tag));
        kept.retain(|tag, _| !is_always_transient(tag));
        Tags { kept, transient, told }
    }

    /// The change that makes the record.
    ///
    /// # Errors
    /// No record may have this id, or one of the tags.
    pub fn change(&self, id: &str, time: DateTime) -> Result<Vec<u8>, String> {
        let made = change::of_record(id, time, &self.kept).map_err(|error| error.to_string())?;
        if !self.transient.is_empty() {
            let mut alone = Project::default();
            alone.apply(&made).map_err(|error| error.to_string())?;
            let diff = Diff::update(id, self.transient.clone(), None);
            let diff = diff.map(|diff| diff.with(Flags::TRANSIENT | Flags::FORCE));
            let done = diff.and_then(|diff| alone.commit(&[diff], time));
            done.map_err(|error| error.to_string())?;
        }
        Ok(made)
    }
}
