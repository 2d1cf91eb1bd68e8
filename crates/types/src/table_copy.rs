//! The copy of a large hash or set on its way: in the order of the table's places.

use base::codec::{Source, put_bytes};
use base::{Changed, Copier, DataType, IncrementalCopy};

use crate::Places;
use crate::copied::Copied;
use crate::notes::ByPlace;
use crate::pre_image::Noted;

/// Values that may be tables, scanned by place.
pub trait Scanned: DataType {
    /// Whether something belongs to each name.
    const HAS_VALUES: bool;

    /// Where names stand; `None` if it is no table.
    fn places(&self) -> Option<Places>;
    /// Begins to keep notes; whether it does.
    fn follow(&mut self, copier: &Copier) -> bool;
    /// The notes since the last time.
    fn noted(&mut self, copier: &Copier) -> Option<Noted>;
    /// Ends keeping notes.
    fn unfollow(&mut self);
    /// Appends some elements from a cursor on, and counts them; the next cursor.
    fn read(&self, cursor: u64, out: &mut Vec<u8>, count: &mut usize) -> u64;
}

/// See the [module](self).
pub struct TableCopy {
    /// The places that were read last, up to one they end before.
    from: u64,
    to: u64,
    copied: Copied,
    notes: ByPlace,
}

impl TableCopy {
    /// Appends the elements of the places read last as they were; how many. What was read of
    /// others, that were noted, does not count.
    fn put(&mut self, out: &mut Vec<u8>, values: bool) -> usize {
        if self.notes.is_empty() {
            out.extend_from_slice(&self.copied.read);
            return self.copied.found;
        }
        let (mut source, mut count) = (Source::new(&self.copied.read), 0);
        while !source.is_done() {
            let before = source.rest();
            let Ok(name) = source.bytes() else { break };
            if values && source.bytes().is_err() {
                break;
            }
            if !self.notes.knows(name) {
                out.extend_from_slice(&before[..before.len() - source.rest().len()]);
                count += 1;
            }
        }
        self.notes.take(self.to, &mut |name, was| {
            put_bytes(out, name);
            if values {
                put_bytes(out, was);
            }
            count += 1;
        });
        count
    }
}

impl<T: Scanned> IncrementalCopy<T> for TableCopy {
    fn begin(value: &mut T, copier: &Copier) -> Option<Self> {
        let notes = ByPlace::new(value.places()?);
        let copy = TableCopy { from: 0, to: 0, copied: Copied::none_of(value), notes };
        value.follow(copier).then_some(copy)
    }

    fn count(&self) -> usize {
        self.copied.count()
    }

    fn make_room(&mut self, bytes: usize) {
        self.copied.make_room(bytes);
    }

    fn read(&mut self, value: &mut T, copier: &Copier, bytes: usize) -> Result<bool, Changed> {
        self.copied.begin_part(value.noted(copier))?;
        self.from = self.to;
        let Copied { read, found, .. } = &mut self.copied;
        loop {
            let next = value.read(self.to, read, found);
            if next == 0 {
                self.to = u64::MAX;
                value.unfollow();
                return Ok(false);
            }
            self.to = next;
            if read.len() >= bytes {
                return Ok(true);
            }
        }
    }

    fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        self.notes.add(&self.copied.take_notes(), self.from);
        let elements = self.put(out, T::HAS_VALUES);
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
