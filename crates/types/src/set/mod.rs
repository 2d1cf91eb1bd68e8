//! Sets: distinct byte strings without order.
//!
//! ```text
//!   integers    sorted array (see `intset`)                  reported as intset
//!   packed      | member | member | ...                      reported as hashtable
//!   table       table of entries without value               reported as hashtable
//! ```
//!
//! A set starts as integers and leaves that form, for good, with its first member that is no
//! canonical 64-bit integer, or with more than `set-max-intset-entries` members. From then on
//! Redis 7.0 keeps a hash table however small the set is; we keep up to 32 short
//! members packed and only then make a table. That is invisible but for the memory it saves.
//!
//! Complexities are given for the table. Integers: O(log n) to look up, O(n) with a tiny factor to
//! change. Packed: O(n), n bounded as above.

mod copy;
mod image;
mod portable;

use std::fmt;
use std::ops::Deref;

use base::codec::{Malformed, Source};
use base::num::parse_i64;
use base::{Copier, DataType, Growing, Kind, PackLimits, Rng};
use table::UnalignedBox;

use crate::hasher::{Places, hash_in};
use crate::intset::IntSet;
use crate::packed::{self, Packed};
use crate::pre_image::Noted;
use crate::sample;
use crate::table_copy::TableCopy;
use crate::traced::Traced;

/// Members a packed set has at most: some cache lines to search.
const PACKED_MEMBERS: usize = 32;
/// Bytes a member of a packed set has at most.
const PACKED_MEMBER: usize = 64;
/// Integers a set has at most, whatever the limits say: as Redis, 2^30.
const MOST_INTEGERS: usize = 1 << 30;

enum Shape {
    Ints(IntSet),
    Packed(Packed),
    Table(UnalignedBox<Traced>),
}

/// The value of a key of type set.
///
/// ```
/// use base::DataType;
/// use kvist_types::Set;
/// let limits = base::PackLimits::default();
/// let mut set = Set::collect([&b"30"[..], b"4", b"4"], &limits);
/// assert_eq!((set.len(), set.encoding()), (2, "intset"));
/// assert!(set.iter().map(|member| member.to_vec()).eq([b"4".to_vec(), b"30".to_vec()]));
/// set.add(b"x", &limits);
/// assert_eq!(set.encoding(), "hashtable");
/// ```
pub struct Set {
    shape: Shape,
}

impl Default for Set {
    fn default() -> Self {
        Set { shape: Shape::Ints(IntSet::default()) }
    }
}

/// A member of a set: bytes, or an integer that stands for its decimal form.
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// A member that is stored as bytes.
    Bytes(&'a [u8]),
    /// A member that is stored as an integer.
    Int(i64),
}

impl<'a> Member<'a> {
    /// Its bytes.
    #[inline]
    #[must_use]
    pub fn text(self) -> Text<'a> {
        match self {
            Member::Bytes(bytes) => Text(Form::Borrowed(bytes)),
            Member::Int(value) => {
                let mut buffer = itoa::Buffer::new();
                let digits = buffer.format(value).as_bytes();
                let mut bytes = [0; 20];
                bytes[..digits.len()].copy_from_slice(digits);
                // At most 20 digits with the sign.
                Text(Form::Digits(bytes, u8::try_from(digits.len()).unwrap_or(20)))
            }
        }
    }

    /// Its bytes, copied.
    #[must_use]
    pub fn to_vec(self) -> Vec<u8> {
        self.text().to_vec()
    }
}

impl PartialEq for Member<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Member::Int(a), Member::Int(b)) => a == b,
            _ => *self.text() == *other.text(),
        }
    }
}

impl Eq for Member<'_> {}

/// The bytes of a [`Member`]; dereferences to them.
#[derive(Clone, Copy)]
pub struct Text<'a>(Form<'a>);

#[derive(Clone, Copy)]
enum Form<'a> {
    Borrowed(&'a [u8]),
    Digits([u8; 20], u8),
}

impl Deref for Text<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Form::Borrowed(bytes) => bytes,
            Form::Digits(bytes, len) => &bytes[..usize::from(*len)],
        }
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.escape_ascii())
    }
}

impl Set {
    /// A set of the given members, in the form in which adding them one by one ends.
    pub fn collect<'a>(members: impl IntoIterator<Item = &'a [u8]>, limits: &PackLimits) -> Self {
        let mut set = Set::default();
        for member in members {
            set.add(member, limits);
        }
        set
    }

    /// How many members there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.shape {
            Shape::Ints(ints) => ints.len(),
            Shape::Packed(packed) => packed.len(),
            Shape::Table(table) => table.len(),
        }
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `member` is one. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, member: &[u8]) -> bool {
        match &self.shape {
            Shape::Ints(ints) => parse_i64(member).is_some_and(|value| ints.contains(value)),
            Shape::Packed(packed) => packed.find(member, 1).is_some(),
            Shape::Table(table) => table.find(hash_in(table, member), member).is_some(),
        }
    }

    /// Whether the member of another set is one of this. O(1); integers meet without text.
    #[inline]
    #[must_use]
    pub fn contains_member(&self, member: Member<'_>) -> bool {
        match (&self.shape, member) {
            (Shape::Ints(ints), Member::Int(value)) => ints.contains(value),
            _ => self.contains(&member.text()),
        }
    }

    /// Adds `member`; whether it is new. O(1).
    pub fn add(&mut self, member: &[u8], limits: &PackLimits) -> bool {
        match &mut self.shape {
            Shape::Ints(_) => {
                if let Some(value) = parse_i64(member) {
                    return self.add_int(value, limits);
                }
                self.leave_ints(member.len());
                self.add(member, limits)
            }
            Shape::Packed(packed) => {
                if packed.find(member, 1).is_some() {
                    return false;
                }
                if packed.len() < PACKED_MEMBERS && member.len() <= PACKED_MEMBER {
                    packed.push_back(member);
                    return true;
                }
                self.make_table();
                self.add(member, limits)
            }
            Shape::Table(table) => table.put(member, b""),
        }
    }

    /// Adds a member of another set; whether it is new. O(1).
    pub fn add_member(&mut self, member: Member<'_>, limits: &PackLimits) -> bool {
        match (&self.shape, member) {
            (Shape::Ints(_), Member::Int(value)) => self.add_int(value, limits),
            _ => self.add(&member.text(), limits),
        }
    }

    /// Adds an integer to a set of integers.
    fn add_int(&mut self, value: i64, limits: &PackLimits) -> bool {
        let Shape::Ints(ints) = &mut self.shape else {
            return self.add(&Member::Int(value).text(), limits);
        };
        let new = ints.insert(value);
        if new && ints.len() > limits.set_intset_entries.min(MOST_INTEGERS) {
            self.leave_ints(0);
        }
        new
    }

    /// Removes `member`; whether it was one. O(1).
    pub fn remove(&mut self, member: &[u8]) -> bool {
        match &mut self.shape {
            Shape::Ints(ints) => parse_i64(member).is_some_and(|value| ints.remove(value)),
            Shape::Packed(packed) => match packed.find(member, 1) {
                Some(at) => {
                    packed.remove(at, 1);
                    true
                }
                None => false,
            },
            Shape::Table(table) => table.remove(member),
        }
    }

    /// All members: integers in ascending order, others in no order that means anything.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter(match &self.shape {
            Shape::Ints(ints) => Walk::Ints(ints, 0),
            Shape::Packed(packed) => Walk::Packed(packed.iter()),
            Shape::Table(table) => Walk::Table(table.iter()),
        })
    }

    /// A member drawn at random; `None` only if there are none. O(1).
    #[must_use]
    pub fn random(&self, rng: &mut Rng) -> Option<Member<'_>> {
        match &self.shape {
            Shape::Ints(ints) => ints.get(rng.below(ints.len())).map(Member::Int),
            Shape::Packed(packed) => {
                let at = packed.at(rng.below(packed.len()))?;
                Some(Member::Bytes(packed.get(at)))
            }
            Shape::Table(table) => {
                table.random(&mut || rng.next_u64()).map(|entry| Member::Bytes(entry.key()))
            }
        }
    }

    /// `count` distinct members drawn at random, or all if there are no more. O(count) for small
    /// counts, O(n) if most are wanted.
    #[must_use]
    pub fn random_distinct(&self, count: usize, rng: &mut Rng) -> Vec<Member<'_>> {
        let Shape::Table(table) = &self.shape else {
            return sample::select(self.iter(), count, rng);
        };
        let keys = table.iter().map(|entry| entry.key());
        let draw = |rng: &mut Rng| table.random(&mut || rng.next_u64()).map(|entry| entry.key());
        let drawn = sample::distinct(count, rng, keys, draw, |key| *key);
        drawn.into_iter().map(Member::Bytes).collect()
    }

    /// Removes a member drawn at random and returns it. O(1).
    pub fn pop(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        let member = self.random(rng)?.to_vec();
        self.remove(&member);
        Some(member)
    }

    /// Removes `count` members drawn at random, or all, and returns them. When few stay, those
    /// are moved to a new set, as Redis does, which may then be one of integers again. O(count)
    /// for small counts, O(n) if most are wanted.
    pub fn pop_many(&mut self, count: usize, rng: &mut Rng, limits: &PackLimits) -> Vec<Vec<u8>> {
        let staying = self.len().saturating_sub(count);
        if staying == 0 {
            let all = self.iter().map(Member::to_vec).collect();
            *self = Set::default();
            return all;
        }
        // Redis moves the others if that is five times less work.
        if staying.saturating_mul(5) > count {
            return (0..count).map_while(|_| self.pop(rng)).collect();
        }
        let mut kept = Set::default();
        for _ in 0..staying {
            if let Some(member) = self.pop(rng) {
                kept.add(&member, limits);
            }
        }
        let popped = self.iter().map(Member::to_vec).collect();
        *self = kept;
        popped
    }

    /// Visits some members of a scan that began with cursor 0 and returns the next cursor, 0 at
    /// the end. Small sets are visited whole at once. A member that is there throughout is visited
    /// at least once, whatever changes meanwhile. O(1) per step.
    pub fn scan(&self, cursor: u64, visit: &mut dyn FnMut(&[u8])) -> u64 {
        match &self.shape {
            Shape::Ints(_) | Shape::Packed(_) => {
                self.iter().for_each(|member| visit(&member.text()));
                0
            }
            Shape::Table(table) => table.scan(cursor, &mut |entry| visit(entry.key())),
        }
    }

    /// Keeps notes from now on of which members there were before that changes, for a copier that
    /// takes them in chunks by [`scan`](Self::scan); `false` if it is no table: such sets are
    /// copied at once.
    pub fn follow(&mut self, copier: &Copier) -> bool {
        match &mut self.shape {
            Shape::Ints(_) | Shape::Packed(_) => return false,
            Shape::Table(table) => table.follow(copier),
        }
        true
    }

    /// Takes the notes since the last time: members, or `None` for what was none. `None` if no
    /// notes are kept for this copier any more. O(1).
    pub fn noted(&mut self, copier: &Copier) -> Option<Noted> {
        match &mut self.shape {
            Shape::Ints(_) | Shape::Packed(_) => None,
            Shape::Table(table) => table.noted(copier),
        }
    }

    /// Where members stand in the order of [`scan`](Self::scan); `None` if it is no table.
    #[must_use]
    pub fn places(&self) -> Option<Places> {
        match &self.shape {
            Shape::Ints(_) | Shape::Packed(_) => None,
            Shape::Table(table) => Some(Places::in_table(table)),
        }
    }

    /// Keeps no notes any more.
    pub fn unfollow(&mut self) {
        if let Shape::Table(table) = &mut self.shape {
            table.unfollow();
        }
    }

    /// Gives up the form of integers for the one that fits the number of members, and a further
    /// member of `len` bytes.
    fn leave_ints(&mut self, len: usize) {
        let members = self.len();
        if members > PACKED_MEMBERS || len > PACKED_MEMBER {
            return self.make_table();
        }
        let mut packed = Packed::new();
        for member in self.iter() {
            packed.push_back(&member.text());
        }
        self.shape = Shape::Packed(packed);
    }

    fn make_table(&mut self) {
        let mut table = Traced::default();
        for member in self.iter() {
            table.put(&member.text(), b"");
        }
        self.shape = Shape::Table(UnalignedBox::new(table));
    }
}

enum Walk<'a> {
    Ints(&'a IntSet, usize),
    Packed(packed::Iter<'a>),
    Table(table::Iter<'a, std::convert::Infallible>),
}

/// The members of a [`Set`].
pub struct Iter<'a>(Walk<'a>);

impl<'a> Iterator for Iter<'a> {
    type Item = Member<'a>;

    #[inline]
    fn next(&mut self) -> Option<Member<'a>> {
        match &mut self.0 {
            Walk::Ints(ints, index) => {
                let value = ints.get(*index)?;
                *index += 1;
                Some(Member::Int(value))
            }
            Walk::Packed(elements) => elements.next().map(Member::Bytes),
            Walk::Table(entries) => entries.next().map(|entry| Member::Bytes(entry.key())),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Walk::Ints(ints, index) => ints.len() - index,
            Walk::Packed(elements) => elements.len(),
            Walk::Table(entries) => entries.len(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl Clone for Set {
    fn clone(&self) -> Self {
        let shape = match &self.shape {
            Shape::Ints(ints) => Shape::Ints(ints.clone()),
            Shape::Packed(packed) => Shape::Packed(packed.clone()),
            Shape::Table(table) => Shape::Table(table.clone()),
        };
        Set { shape }
    }
}

impl DataType for Set {
    const KIND: Kind = Kind::Set;
    type Context = ();
    type Copying = TableCopy;
    type Assembly = Growing<Set>;

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn memory(&self) -> usize {
        match &self.shape {
            Shape::Ints(ints) => ints.memory(),
            Shape::Packed(packed) => packed.memory(),
            Shape::Table(table) => table.heap(),
        }
    }

    fn encoding(&self) -> &'static str {
        match &self.shape {
            Shape::Ints(_) => "intset",
            Shape::Packed(_) | Shape::Table(_) => "hashtable",
        }
    }

    fn free_effort(&self) -> usize {
        match &self.shape {
            Shape::Ints(_) | Shape::Packed(_) => 1,
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
        !matches!(self.shape, Shape::Ints(_))
    }
}

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;
