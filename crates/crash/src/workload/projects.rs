//! Batches on projects: single records, and many at once.

use super::{Draw, Steps};
use crate::project::Batch;
use crate::value::Bytes;

impl Draw<'_> {
    pub(super) fn project(&mut self) -> Steps {
        let key = self.key('r')?;
        if self.is_missing(&key) {
            return self.one("FOLIO.OPEN", &key, Vec::new());
        }
        let batch = self.batch(&key);
        self.one("FOLIO.COMMIT", &key, batch.words())
    }

    /// Some of them cannot be done.
    fn batch(&mut self, key: &Bytes) -> Batch {
        let most = if Self::is_big(key) { 2000 } else { 30 };
        let number = |n: usize| i64::try_from(n).unwrap_or(0);
        let first = number(self.rng.below(most));
        // What is long is done on a fork.
        let last = if self.rng.chance(70) { first } else { first + number(self.rng.below(most)) };
        match self.rng.below(10) {
            0..=4 => Batch::Add(first, last, self.dis()),
            5..=7 => Batch::Update(first, last, self.dis()),
            _ => Batch::Remove(first, last),
        }
    }

    /// A text without quotes; long now and then.
    fn dis(&mut self) -> Bytes {
        let times = if self.rng.chance(5) { 100 } else { 1 };
        format!("text {} ", self.rng.below(1000)).repeat(times).into_bytes()
    }
}
