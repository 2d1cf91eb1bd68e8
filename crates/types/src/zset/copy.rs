//! The copy of a large sorted set on its way: in the order of ranks.

use base::codec::{Malformed, Source};
use base::{Changed, Copier, Elements, IncrementalCopy, PackLimits};

use super::{ZSet, order};
use crate::copied::Copied;
use crate::elements::{put_scored, score};
use crate::notes::ByRank;

/// See the [module](self).
pub struct ZSetCopy {
    /// The pairs that were read last: behind one, up to another.
    from: Option<(Box<[u8]>, f64)>,
    to: Option<(Box<[u8]>, f64)>,
    /// The last pair there was.
    until: (Box<[u8]>, f64),
    copied: Copied,
    notes: ByRank,
}

impl ZSetCopy {
    /// Reads pairs from where it ended; whether there is more.
    fn go_on(&mut self, zset: &ZSet, bytes: usize) -> bool {
        self.from = self.to.take();
        let Copied { read, found, .. } = &mut self.copied;
        let mut pairs = match &self.from {
            Some((member, score)) => zset.beyond(member, *score),
            None => zset.iter(),
        };
        let until = (&*self.until.0, self.until.1);
        let mut last = None;
        while read.len() < bytes {
            let next = pairs.next().filter(|pair| order(*pair, until).is_le());
            let Some(pair) = next else { return false };
            put_scored(read, pair);
            *found += 1;
            last = Some(pair);
        }
        self.to = last.map(|(member, score)| (member.into(), score));
        true
    }

    /// Appends the pairs read last as they were; how many.
    fn put(&mut self, out: &mut Vec<u8>) -> usize {
        if self.notes.is_empty() {
            out.extend_from_slice(&self.copied.read);
            return self.copied.found;
        }
        let (mut source, mut count) = (Source::new(&self.copied.read), 0);
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
            copied: Copied::none_of(zset),
            notes: ByRank::default(),
        };
        zset.follow(copier).then_some(copy)
    }

    fn count(&self) -> usize {
        self.copied.count()
    }

    fn make_room(&mut self, bytes: usize) {
        self.copied.make_room(bytes);
    }

    fn read(&mut self, zset: &mut ZSet, copier: &Copier, bytes: usize) -> Result<bool, Changed> {
        self.copied.begin_part(zset.noted(copier))?;
        let more = self.go_on(zset, bytes);
        if !more {
            zset.unfollow();
        }
        Ok(more)
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let from = self.from.as_ref().map(|(member, score)| (&**member, *score));
        self.notes.add(&self.copied.take_notes(), from);
        let elements = self.put(out);
        self.copied.settle(elements, self.notes.bytes())
    }

    fn finish(self, _out: &mut Vec<u8>) -> Result<(), Changed> {
        self.copied.finish()
    }

    fn last_read(&self) -> usize {
        self.copied.read.len()
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
