//! What elements of a value were when a copy of it began, until the chunk comes they belong to.
//!
//! ```text
//!   copied already       this chunk            still to come
//!   --------------------|---------------------|----------------------->  places, or ranks
//!   a note is dropped    it tells what stands  it waits
//! ```
//!
//! An element is noted before it changes, and the copier has all notes of changes before he reads a
//! chunk. So what is noted of a range that was copied before was copied as it was.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use base::codec::Source;
use hashbrown::HashSet;
use smallvec::SmallVec;

use crate::pre_image::Noted;
use crate::{Places, zset};

/// What a note takes beside its bytes, about.
const NOTE: usize = 64;

/// A name, and what belonged to it; `None`: there was no such element.
type Was = (Box<[u8]>, Option<Box<[u8]>>);

/// Notes of a hash or a set, which are copied by places.
pub(crate) struct ByPlace {
    places: Places,
    waiting: BTreeMap<u64, SmallVec<[Was; 1]>>,
    bytes: usize,
}

impl ByPlace {
    /// None, of a table in which names stand there.
    pub fn new(places: Places) -> Self {
        ByPlace { places, waiting: BTreeMap::new(), bytes: 0 }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Bytes of all that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds notes made while places below `from` had been copied. Of several of one name, the first
    /// counts.
    pub fn add(&mut self, noted: &Noted, from: u64) {
        for (name, was) in noted.iter() {
            let place = self.places.of(name);
            if place < from {
                continue;
            }
            let here = self.waiting.entry(place).or_default();
            if here.iter().all(|(other, _)| **other != *name) {
                self.bytes += NOTE + name.len() + was.map_or(0, <[u8]>::len);
                here.push((name.into(), was.map(Box::from)));
            }
        }
    }

    /// Whether something waits that tells what this element was.
    pub fn knows(&self, name: &[u8]) -> bool {
        let here = self.waiting.get(&self.places.of(name));
        here.is_some_and(|here| here.iter().any(|(other, _)| **other == *name))
    }

    /// Takes the elements below a place, as they were.
    pub fn take(&mut self, to: u64, put: &mut dyn FnMut(&[u8], &[u8])) {
        while let Some(first) = self.waiting.first_entry()
            && *first.key() < to
        {
            for (name, was) in first.remove() {
                self.bytes -= NOTE + name.len() + was.as_deref().map_or(0, <[u8]>::len);
                if let Some(was) = was {
                    put(&name, &was);
                }
            }
        }
    }
}

/// A member with its score.
pub(crate) type Pair<'a> = (&'a [u8], f64);

struct Ranked(Box<[u8]>, f64);

impl Ranked {
    fn pair(&self) -> Pair<'_> {
        (&self.0, self.1)
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        zset::order(self.pair(), other.pair())
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

/// Notes of a sorted set, which is copied by ranks.
#[derive(Default)]
pub(crate) struct ByRank {
    /// All members that have changed: with another score one may be met again.
    names: HashSet<Box<[u8]>>,
    /// Those that have not been copied, where they were.
    waiting: BTreeSet<Ranked>,
    bytes: usize,
}

impl ByRank {
    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Bytes of all names.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds notes made while pairs up to `after` had been copied.
    pub fn add(&mut self, noted: &Noted, after: Option<Pair<'_>>) {
        for (name, was) in noted.iter() {
            if self.names.contains(name) {
                continue;
            }
            self.names.insert(name.into());
            self.bytes += NOTE + name.len();
            let Some(bits) = was.and_then(|was| Source::new(was).fixed_u64().ok()) else {
                continue;
            };
            let score = f64::from_bits(bits);
            if after.is_none_or(|after| zset::order((name, score), after).is_gt()) {
                self.bytes += NOTE + name.len();
                self.waiting.insert(Ranked(name.into(), score));
            }
        }
    }

    /// Whether what this member was is told by a note, or has been.
    pub fn knows(&self, name: &[u8]) -> bool {
        self.names.contains(name)
    }

    /// Takes those that stood before a pair, or at it; all, where there is none.
    pub fn take(&mut self, to: Option<Pair<'_>>, put: &mut dyn FnMut(Pair<'_>)) {
        while let Some(first) = self.waiting.first()
            && to.is_none_or(|to| zset::order(first.pair(), to).is_le())
        {
            let Some(first) = self.waiting.pop_first() else { break };
            self.bytes -= NOTE + first.0.len();
            put(first.pair());
        }
    }
}
