//! What an import tells: damage as it is found, and what came of it all.

use super::tags::Tags;
use crate::offline::remote::Progress;

/// So many damaged things are told one by one.
const TOLD: u64 = 100;

/// What was found, and taken.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub records: u64,
    pub samples: u64,
    pub histories: u64,
    pub damaged: u64,
    /// What was mended, each with a number.
    notes: Vec<(&'static str, u64)>,
}

impl Report {
    /// Something cannot be taken.
    pub fn damaged(&mut self, key: &str, what: &str) {
        self.damaged += 1;
        if self.damaged <= TOLD {
            eprintln!("kvist: {key}: {what}");
        } else if self.damaged == TOLD + 1 {
            eprintln!("kvist: more is damaged, and is only counted");
        }
    }

    /// Something is taken, but not as it stands.
    pub fn note(&mut self, what: &'static str, count: u64) {
        if count == 0 {
            return;
        }
        match self.notes.iter_mut().find(|(known, _)| *known == what) {
            Some((_, all)) => *all += count,
            None => self.notes.push((what, count)),
        }
    }

    /// A record is taken.
    pub fn taken(&mut self, tags: &Tags) {
        self.records += 1;
        let told = "tags that tell of histories follow from these, and are no part of records";
        self.note(told, tags.told as u64);
        let transient = "tags are transient, and gone when the server starts anew";
        self.note(transient, tags.transient.len() as u64);
    }

    /// Whether all is to count.
    ///
    /// # Errors
    /// Something is damaged, and not to be left out.
    pub fn check(&self, skip_damaged: bool) -> Result<(), String> {
        match self.damaged {
            count if count > 0 && !skip_damaged => {
                Err(format!("{count} things are damaged; --skip-damaged leaves them out"))
            }
            _ => Ok(()),
        }
    }

    /// Tells what came of it all.
    pub fn end(&self, progress: &Progress, project: &str) {
        self.notes.iter().for_each(|(what, count)| progress.end(&format!("{count} {what}")));
        if self.damaged > 0 {
            progress.end(&format!("{} damaged things are left out", self.damaged));
        }
        progress.end(&format!("Imported {} into {project}", self.progress()));
    }

    /// How much has come, on one line.
    pub fn progress(&self) -> String {
        let Report { records, samples, histories, .. } = self;
        format!("{records} records, {samples} samples of {histories} histories")
    }
}
