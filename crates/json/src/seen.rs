//! Whether something was met before: a table of fingerprints that forgets.
//!
//! ```text
//!   hash  | … | fingerprint, low 32 bits, of which the lowest name the slot |
//! ```
//!
//! What is new overwrites what was in its slot. A fingerprint that happens to be equal makes a
//! new value pass for a known one, which costs a little memory and nothing else. The table
//! doubles as long as it overwrites much, up to 64 KiB.

use table::size_class;

const SMALLEST: usize = 128;
const LARGEST: usize = 16 << 10;

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Seen {
    prints: Box<[u32]>,
    overwritten: usize,
}

impl Seen {
    /// Whether `hash` was met before and not forgotten; if not it will have been.
    pub fn met(&mut self, hash: u64) -> bool {
        if self.prints.is_empty() {
            self.prints = vec![0; SMALLEST].into_boxed_slice();
        }
        let print = hash as u32 | 1 << 31;
        let slot = &mut self.prints[print as usize & (self.prints.len() - 1)];
        if *slot == print {
            return true;
        }
        self.overwritten += usize::from(*slot != 0);
        *slot = print;
        if self.overwritten * 4 > self.prints.len() && self.prints.len() < LARGEST {
            self.grow();
        }
        false
    }

    fn grow(&mut self) {
        let mask = self.prints.len() * 2 - 1;
        let mut larger = vec![0; mask + 1].into_boxed_slice();
        for &print in self.prints.iter().filter(|&&print| print != 0) {
            larger[print as usize & mask] = print;
        }
        self.prints = larger;
        self.overwritten = 0;
    }

    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        size_class(self.prints.len() * 4)
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use crate::hash::hash;

    #[test]
    fn what_was_met_once_is_known_the_second_time() {
        let mut seen = Seen::default();
        assert_eq!(seen.memory(), 0);
        for n in 0..50_u32 {
            assert!(!seen.met(hash(&n.to_le_bytes())));
            assert!(seen.met(hash(&n.to_le_bytes())));
        }
    }

    #[test]
    fn it_grows_with_what_comes_and_has_an_end() {
        let mut seen = Seen::default();
        for n in 0..1_000_000_u32 {
            seen.met(hash(&n.to_le_bytes()));
        }
        assert_eq!(seen.memory(), 64 << 10);
    }
}
