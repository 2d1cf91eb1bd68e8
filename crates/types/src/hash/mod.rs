//! Hashes: fields with values.
//!
//! ```text
//!   listpack    | field | value | field | value | ...       in the order of first setting
//!   hashtable   table of entries: field as key, value as inline bytes
//! ```
//!
//! A hash starts packed and becomes a table when it has more than `hash-max-listpack-entries`
//! fields or is given a field or value longer than `hash-max-listpack-value`; it never goes back.
//! The moments are Redis's, so that `OBJECT ENCODING` agrees.
//!
//! Complexities are given for the table; packed, they are O(n) for an n bounded by the limits.

mod copy;
mod image;
mod portable;

use base::codec::{Malformed, Source};
use base::{Copier, DataType, Growing, Kind, PackLimits, Rng};
use table::UnalignedBox;

use crate::hasher::{Places, hash_in};
use crate::packed::{self, At, Packed, element_size};
use crate::pre_image::Noted;
use crate::sample;
use crate::table_copy::TableCopy;
use crate::traced::Traced;

/// A packed collection never exceeds this many bytes, whatever the limits say.
pub(crate) const PACKED_BYTES: usize = 1 << 30;

enum Shape {
    Packed(Packed),
    Table(UnalignedBox<Traced>),
}

/// The value of a key of type hash.
///
/// ```
/// use kvist_types::Hash;
/// let limits = base::PackLimits::default();
/// let mut hash = Hash::default();
/// assert!(hash.set(b"name", b"kvist", &limits));
/// assert!(!hash.set(b"name", b"twig", &limits));
/// assert_eq!(hash.get(b"name"), Some(&b"twig"[..]));
/// ```
pub struct Hash {
    shape: Shape,
}

impl Default for Hash {
    fn default() -> Self {
        Hash { shape: Shape::Packed(Packed::new()) }
    }
}

impl Hash {
    /// A hash of the given fields, in the form in which setting them one by one ends.
    pub fn collect<'a>(
        fields: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
        limits: &PackLimits,
    ) -> Self {
        let mut hash = Hash::default();
        for (field, value) in fields {
            hash.set(field, value, limits);
        }
        hash
    }

    /// How many fields there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.shape {
            Shape::Packed(packed) => packed.len() / 2,
            Shape::Table(table) => table.len(),
        }
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of `field`. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, field: &[u8]) -> Option<&[u8]> {
        match &self.shape {
            Shape::Packed(packed) => {
                let at = packed.next(packed.find(field, 2)?)?;
                Some(packed.get(at))
            }
            Shape::Table(table) => table.find(hash_in(table, field), field)?.bytes(),
        }
    }

    /// Whether there is such a field. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, field: &[u8]) -> bool {
        match &self.shape {
            Shape::Packed(packed) => packed.find(field, 2).is_some(),
            Shape::Table(table) => table.find(hash_in(table, field), field).is_some(),
        }
    }

    /// Bytes of the value of `field`, 0 if there is none. O(1).
    #[must_use]
    pub fn value_len(&self, field: &[u8]) -> usize {
        self.get(field).map_or(0, <[u8]>::len)
    }

    /// Sets `field` to `value`; whether the field is new. O(1).
    pub fn set(&mut self, field: &[u8], value: &[u8], limits: &PackLimits) -> bool {
        if let Shape::Packed(packed) = &mut self.shape {
            let more = element_size(field.len()) + element_size(value.len());
            let fits = field.len().max(value.len()) <= limits.hash_value
                && packed.bytes() + more <= PACKED_BYTES;
            if fits {
                let new = set_packed(packed, field, value);
                if packed.len() / 2 > limits.hash_entries {
                    self.convert();
                }
                return new;
            }
        }
        self.convert();
        match &mut self.shape {
            Shape::Table(table) => table.put(field, value),
            Shape::Packed(_) => false, // never: it was just converted
        }
    }

    /// Removes `field`; whether there was one. O(1).
    pub fn remove(&mut self, field: &[u8]) -> bool {
        match &mut self.shape {
            Shape::Packed(packed) => match packed.find(field, 2) {
                Some(at) => {
                    packed.remove(at, 2);
                    true
                }
                None => false,
            },
            Shape::Table(table) => table.remove(field),
        }
    }

    /// All fields with their values; a packed hash in the order in which fields were first set.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter(match &self.shape {
            Shape::Packed(packed) => Walk::Packed(packed.iter()),
            Shape::Table(table) => Walk::Table(table.iter()),
        })
    }

    /// A field drawn at random, with its value; `None` only if there are none. O(1).
    #[must_use]
    pub fn random(&self, rng: &mut Rng) -> Option<(&[u8], &[u8])> {
        match &self.shape {
            Shape::Packed(packed) => {
                let at = packed.at(2 * rng.below(packed.len() / 2))?;
                Some(pair(packed, at))
            }
            Shape::Table(table) => {
                let entry = table.random(&mut || rng.next_u64())?;
                Some((entry.key(), entry.bytes().unwrap_or_default()))
            }
        }
    }

    /// `count` distinct fields drawn at random, or all if there are no more. O(count) for small
    /// counts, O(n) if most are wanted.
    #[must_use]
    pub fn random_distinct(&self, count: usize, rng: &mut Rng) -> Vec<(&[u8], &[u8])> {
        match &self.shape {
            Shape::Packed(_) => sample::select(self.iter(), count, rng),
            Shape::Table(_) => {
                sample::distinct(count, rng, self.iter(), |rng| self.random(rng), |item| item.0)
            }
        }
    }

    /// Visits some fields of a scan that began with cursor 0 and returns the next cursor, 0 at the
    /// end. A packed hash is visited whole at once. A field that is there throughout is visited
    /// at least once, whatever changes meanwhile. O(1) per step.
    pub fn scan(&self, cursor: u64, visit: &mut dyn FnMut(&[u8], &[u8])) -> u64 {
        match &self.shape {
            Shape::Packed(_) => {
                self.iter().for_each(|(field, value)| visit(field, value));
                0
            }
            Shape::Table(table) => table.scan(cursor, &mut |entry| {
                visit(entry.key(), entry.bytes().unwrap_or_default());
            }),
        }
    }

    /// Keeps notes from now on of what fields were before they change, for a copier that takes them
    /// in chunks by [`scan`](Self::scan); `false` for a packed hash, which is copied at once.
    pub fn follow(&mut self, copier: &Copier) -> bool {
        match &mut self.shape {
            Shape::Packed(_) => return false,
            Shape::Table(table) => table.follow(copier),
        }
        true
    }

    /// Takes the notes since the last time: fields with the values they had. `None` if no notes
    /// are kept for this copier any more. O(1).
    pub fn noted(&mut self, copier: &Copier) -> Option<Noted> {
        match &mut self.shape {
            Shape::Packed(_) => None,
            Shape::Table(table) => table.noted(copier),
        }
    }

    /// Where fields stand in the order of [`scan`](Self::scan); `None` if it is no table.
    #[must_use]
    pub fn places(&self) -> Option<Places> {
        match &self.shape {
            Shape::Packed(_) => None,
            Shape::Table(table) => Some(Places::in_table(table)),
        }
    }

    /// Keeps no notes any more.
    pub fn unfollow(&mut self) {
        if let Shape::Table(table) = &mut self.shape {
            table.unfollow();
        }
    }

    /// Moves all fields to a table, if they are packed.
    fn convert(&mut self) {
        if let Shape::Packed(packed) = &self.shape {
            let mut table = Traced::default();
            for (field, value) in Pairs(packed.iter()) {
                table.put(field, value);
            }
            self.shape = Shape::Table(UnalignedBox::new(table));
        }
    }
}

fn set_packed(packed: &mut Packed, field: &[u8], value: &[u8]) -> bool {
    let found = packed.find(field, 2).and_then(|at| packed.next(at));
    match found {
        Some(at) => {
            packed.replace(at, value);
            false
        }
        None => {
            packed.push_back(field);
            packed.push_back(value);
            true
        }
    }
}

fn pair(packed: &Packed, at: At) -> (&[u8], &[u8]) {
    (packed.get(at), packed.next(at).map_or(&[], |at| packed.get(at)))
}

/// Elements of a packed hash, two at a time.
struct Pairs<'a>(packed::Iter<'a>);

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }
}

enum Walk<'a> {
    Packed(packed::Iter<'a>),
    Table(table::Iter<'a, std::convert::Infallible>),
}

/// The fields and values of a [`Hash`](struct@Hash).
pub struct Iter<'a>(Walk<'a>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(elements) => Some((elements.next()?, elements.next()?)),
            Walk::Table(entries) => {
                let entry = entries.next()?;
                Some((entry.key(), entry.bytes().unwrap_or_default()))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Walk::Packed(elements) => elements.len() / 2,
            Walk::Table(entries) => entries.len(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl Clone for Hash {
    fn clone(&self) -> Self {
        let shape = match &self.shape {
            Shape::Packed(packed) => Shape::Packed(packed.clone()),
            Shape::Table(table) => Shape::Table(table.clone()),
        };
        Hash { shape }
    }
}

impl DataType for Hash {
    const KIND: Kind = Kind::Hash;
    type Context = ();
    type Copying = TableCopy;
    type Assembly = Growing<Hash>;

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn memory(&self) -> usize {
        match &self.shape {
            Shape::Packed(packed) => packed.memory(),
            Shape::Table(table) => table.heap(),
        }
    }

    fn encoding(&self) -> &'static str {
        match &self.shape {
            Shape::Packed(_) => "listpack",
            Shape::Table(_) => "hashtable",
        }
    }

    fn free_effort(&self) -> usize {
        match &self.shape {
            Shape::Packed(_) => 1,
            Shape::Table(table) => table.len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        image::encode(out, self);
    }

    fn decode(
        source: &mut Source<'_>,
        limits: &PackLimits,
        _context: &mut (),
    ) -> Result<Self, Malformed> {
        image::decode(source, limits)
    }

    fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
        image::skip(source)
    }

    fn is_divisible(&self) -> bool {
        matches!(self.shape, Shape::Table(_))
    }
}

#[cfg(test)]
#[path = "hash_tests.rs"]
mod tests;
