//! The copy of a large sorted set on its way: in the order of ranks.

use base::codec::{Malformed, Source};
use base::{Changed, Copier, DataType, Elements, IncrementalCopy, NOTES, PackLimits};

use super::{ZSet, order};
use crate::elements::{put_scored, score};
use crate::notes::ByRank;
use crate::pre_image::Noted;

/// See the [module](self).
pub struct ZSetCopy {
    /// The pairs that were read last: behind one, up to another.
    from: Option<(Box<[u8]>, f64)>,
    to: Option<(Box<[u8]>, f64)>,
    /// The last pair there was.
    until: (Box<[u8]>, f64),
    /// How many were found there.
    found: usize,
    notes: ByRank,
    /// Pairs there were, and how many are settled.
    count: usize,
    settled: usize,
    /// How many bytes of notes there may be.
    limit: usize,
    /// What was read last, and the notes that came with it.
    read: Vec<u8>,
    fresh: Noted,
}

impl ZSetCopy {
    /// Reads pairs from where it ended; whether there is more.
    fn go_on(&mut self, zset: &ZSet, bytes: usize) -> bool {
        self.from = self.to.take();
        self.found = 0;
        let mut pairs = match &self.from {
            Some((member, score)) => zset.beyond(member, *score),
            None => zset.iter(),
        };
        let until = (&*self.until.0, self.until.1);
        let mut last = None;
        while self.read.len() < bytes {
            let next = pairs.next().filter(|pair| order(*pair, until).is_le());
            let Some(pair) = next else { return false };
            put_scored(&mut self.read, pair);
            self.found += 1;
            last = Some(pair);
        }
        self.to = last.map(|(member, score)| (member.into(), score));
        true
    }

    /// Appends the pairs read last as they were; how many.
    fn put(&mut self, out: &mut Vec<u8>) -> usize {
        if self.notes.is_empty() {
            out.extend_from_slice(&self.read);
            return self.found;
        }
        let (mut source, mut count) = (Source::new(&self.read), 0);
        while let (Ok(member), Ok(bits)) = (source.bytes(), source.fixed_u64()) {
            if self.notes.knows(member) {
                continue;
            }
            let pair = (member, f64::from_bits(bits));
            self.notes.take(Some(pair), &mut |was| {
                put_scored(out, was);
                count += 1;
            });
            put_scored(out, pair);
            count += 1;
        }
        let to = self.to.as_ref().map(|(member, score)| (&**member, *score));
        self.notes.take(to, &mut |was| {
            put_scored(out, was);
            count += 1;
        });
        count
    }
}

impl IncrementalCopy<ZSet> for ZSetCopy {
    fn begin(zset: &mut ZSet, copier: &Copier) -> Option<Self> {
        let (last, score) = zset.get(zset.len().checked_sub(1)?)?;
        let copy = ZSetCopy {
            from: None,
            to: None,
            until: (last.into(), score),
            found: 0,
            notes: ByRank::default(),
            count: zset.len(),
            settled: 0,
            limit: zset.memory().saturating_add(NOTES),
            read: Vec::new(),
            fresh: Noted::default(),
        };
        zset.follow(copier).then_some(copy)
    }

    fn count(&self) -> usize {
        self.count
    }

    fn make_room(&mut self, bytes: usize) {
        self.read.reserve(2 * bytes);
    }

    fn read(&mut self, zset: &mut ZSet, copier: &Copier, bytes: usize) -> Result<bool, Changed> {
        self.read.clear();
        self.fresh = zset.noted(copier).ok_or(Changed)?;
        let more = self.go_on(zset, bytes);
        if !more {
            zset.unfollow();
        }
        Ok(more)
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let from = self.from.as_ref().map(|(member, score)| (&**member, *score));
        self.notes.add(&std::mem::take(&mut self.fresh), from);
        self.settled += self.put(out);
        if self.notes.bytes() > self.limit { Err(Changed) } else { Ok(()) }
    }

    fn finish(self, _out: &mut Vec<u8>) -> Result<(), Changed> {
        debug_assert_eq!(self.settled, self.count, "a change without a note");
        if self.settled == self.count { Ok(()) } else { Err(Changed) }
    }

    fn last_read(&self) -> usize {
        self.read.len()
    }

    fn noted(&self) -> usize {
        self.notes.bytes()
    }
}

impl Elements for ZSet {
    fn add_element(
        &mut self,
        source: &mut Source<'_>,
        limits: &PackLimits,
    ) -> Result<(), Malformed> {
        let (member, score) = (source.bytes()?, score(source)?);
        if score == 0.0 && score.is_sign_negative() {
            // A packed one has no such score, so what was copied was none.
            self.unpack();
        }
        self.insert(member, score, limits);
        Ok(())
    }
}
