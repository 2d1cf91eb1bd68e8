//! How it is remembered that a key was used: 24 bits of its entry.
//!
//! ```text
//!   recency     | second of the last use, modulo 2^24    |
//!   frequency   | minute of the last use (16) | count (8) |
//! ```
//!
//! The count is logarithmic and fades, as in Redis: a use raises it with a probability that falls
//! as it grows, and it loses one for every so many minutes without a use. Which of the two is kept
//! depends on the eviction policy; after a change of policy the old bits mean little for a while.

use std::cell::Cell;

use base::{Millis, Rng};
use table::EntryRef;

use super::Object;

/// The count of a key that is new: others must not outlive it at once.
const NEW: u32 = 5;

/// What is remembered about the use of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// When a key was last used.
    #[default]
    Recency,
    /// How often a key is used: the larger `log_factor`, the more uses it takes to raise the
    /// count; it falls by one every `decay` minutes, or never if that is 0.
    Frequency {
        /// How hard it is to raise the count.
        log_factor: u32,
        /// Minutes.
        decay: u32,
    },
}

/// A use that happens now.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// Nothing but its moment is remembered.
    At(u32),
    /// It may raise the count: at random, by these 32 bits.
    Counted { minute: u32, log_factor: u32, decay: u32, entropy: u32 },
}

impl Use {
    /// What is remembered of a key after this use; `word` is what was before, 0 for a new key.
    #[inline]
    pub fn after(self, word: u32) -> u32 {
        match self {
            Use::At(second) => second,
            Use::Counted { minute, .. } if word == 0 => minute << 8 | NEW,
            Use::Counted { minute, log_factor, decay, entropy } => {
                let count = faded(word, minute, decay);
                let odds = u64::from(count.saturating_sub(NEW)) * u64::from(log_factor) + 1;
                let raised = count < 255 && u64::from(entropy) * odds <= u64::from(u32::MAX);
                minute << 8 | (count + u32::from(raised))
            }
        }
    }
}

/// The count in `word` as it is at this minute.
pub(crate) fn faded(word: u32, minute: u32, decay: u32) -> u32 {
    let (since, count) = (word >> 8, word & 0xff);
    let idle = minute.wrapping_sub(since) & 0xffff;
    count.saturating_sub(idle.checked_div(decay).unwrap_or(0))
}

/// The clock by which a transaction remembers uses of keys.
pub(crate) struct Uses {
    /// What is remembered.
    pub measure: Measure,
    /// The second, in 24 bits.
    pub second: u32,
    /// The minute, in 16 bits.
    pub minute: u32,
    /// Reads leave the access time of keys alone: `CLIENT NO-TOUCH`.
    pub keeping: bool,
    /// Where counting uses takes its random numbers from.
    entropy: Cell<u64>,
}

impl Uses {
    pub fn new(measure: Measure, seed: u64) -> Self {
        Uses { measure, second: 0, minute: 0, keeping: false, entropy: Cell::new(seed) }
    }

    /// Sets the time.
    pub fn begin(&mut self, now: Millis) {
        // 24 bits of seconds, as Redis keeps them.
        self.second = ((now / 1000) & 0xff_ffff) as u32;
        self.minute = ((now / 60_000) & 0xffff) as u32;
    }

    /// A use at this moment.
    #[inline]
    pub fn now(&self) -> Use {
        match self.measure {
            Measure::Recency => Use::At(self.second),
            Measure::Frequency { log_factor, decay } => {
                let mut rng = Rng::new(self.entropy.get());
                let drawn = rng.next_u64();
                self.entropy.set(drawn);
                // The upper half of it.
                let entropy = (drawn >> 32) as u32;
                Use::Counted { minute: self.minute, log_factor, decay, entropy }
            }
        }
    }

    /// Notes that an entry is used.
    #[inline]
    pub fn note(&self, entry: &EntryRef<'_, Object>) {
        let (before, used) = (entry.access(), self.now());
        let after = used.after(before);
        // Reads should not dirty cache lines for nothing.
        if after != before {
            entry.set_access(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rise_ever_more_slowly_and_fade() {
        let used = |word, entropy| {
            Use::Counted { minute: 7, log_factor: 10, decay: 1, entropy }.after(word)
        };
        assert_eq!(used(0, u32::MAX), 7 << 8 | 5);
        // The first step beyond that of a new key is certain, the next one a probability of one in
        // eleven.
        assert_eq!(used(7 << 8 | 5, u32::MAX), 7 << 8 | 6);
        assert_eq!(used(7 << 8 | 6, u32::MAX), 7 << 8 | 6);
        assert_eq!(used(7 << 8 | 6, u32::MAX / 11), 7 << 8 | 7);
        assert_eq!(used(7 << 8 | 6, u32::MAX / 11 + 1), 7 << 8 | 6);
        assert_eq!(used(7 << 8 | 255, 0), 7 << 8 | 255);
        // Three minutes later, over the end of the clock too.
        assert_eq!((faded(4 << 8 | 9, 7, 1), faded(4 << 8 | 9, 7, 0)), (6, 9));
        assert_eq!((faded(0xfffe << 8 | 9, 1, 1), faded(1 << 8 | 2, 9, 1)), (6, 0));
    }
}
