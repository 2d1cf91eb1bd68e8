//! The values of one property for 1,024 consecutive ids.
//!
//! ```text
//!   few have a value    slots    3  17  900        sorted
//!                       values   a   b    c        one after the other
//!   more                bits     1 0 1 1 …         who has one
//!                       values   a . b c …         each at its slot
//! ```
//!
//! With more than a quarter of the slots filled values lie at their slots: nothing needs to be
//! ranked to read one, or moved to add one, and what that costs is bounded by four times a narrow
//! value. All values are of one type; where types mix, each is kept by itself.

mod integers;
mod texts;

use std::mem::discriminant;
use std::ops::Range;

use blocks::Block;

use self::integers::{Integers, place};
use self::texts::TextChunk;
use super::{Property, PropertyRef, SEGMENT, Slot, SlotSet, make_room, vec_bytes};

/// With more values than this they lie at their slots.
const FEW: usize = 256;
/// With no more than this they do not any more.
const FEW_AGAIN: usize = 128;

/// The values of one property for 1,024 ids.
#[derive(Clone)]
pub struct Chunk {
    filled: Filled,
    pub(super) values: Packed,
}

/// Which slots have a value.
#[derive(Clone)]
enum Filled {
    Few(Vec<Slot>),
    Many { bits: Box<SlotSet>, count: u16 },
}

/// The values, by position.
#[derive(Clone)]
pub(super) enum Packed {
    Integers(Integers),
    Floats {
        all: Vec<f64>,
        low: f64,
        high: f64,
    },
    /// By slot.
    Bools(Box<SlotSet>),
    Texts(TextChunk),
    /// `changes`: how many values were replaced since all were looked at.
    Mixed {
        all: Vec<Property>,
        heap: usize,
        changes: u16,
    },
}

/// Between which values all of a chunk lie: they may be farther apart than the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// There is no order among them, or it was not noted.
    Unknown,
    /// Whole numbers.
    Integers(i64, i64),
    /// Numbers; those that are none are not regarded.
    Floats(f64, f64),
}

impl Chunk {
    /// A chunk with one value.
    pub(super) fn new(slot: Slot, value: PropertyRef<'_>) -> Self {
        let filled = Filled::Few(Vec::new());
        let mut chunk = Chunk { filled, values: Packed::for_value(value) };
        chunk.set(slot, value);
        chunk
    }

    /// How many ids have a value.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.filled {
            Filled::Few(slots) => slots.len(),
            Filled::Many { count, .. } => usize::from(*count),
        }
    }

    /// The value of a slot.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: Slot) -> PropertyRef<'_> {
        let found = self.position(slot).and_then(|at| self.values.get(at, slot));
        found.unwrap_or(PropertyRef::Null)
    }

    /// Between which values all lie.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        match &self.values {
            Packed::Integers(all) => {
                let (low, high) = all.bounds();
                Bounds::Integers(low, high)
            }
            Packed::Floats { low, high, .. } => Bounds::Floats(*low, *high),
            _ => Bounds::Unknown,
        }
    }

    /// The slots that have a value, in order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let (few, many) = match &self.filled {
            Filled::Few(slots) => (Some(slots.iter().copied()), None),
            Filled::Many { bits, .. } => (None, Some(bits.iter())),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }

    /// Sets the value of a slot; not to null.
    pub(super) fn set(&mut self, slot: Slot, value: PropertyRef<'_>) {
        if !self.values.takes(value) {
            self.rebuild(true);
        }
        let held = self.count();
        let before = match &mut self.filled {
            Filled::Few(slots) => match slots.binary_search(&slot) {
                Ok(at) => return self.replace((at, slot), value),
                Err(at) => {
                    make_room(slots);
                    slots.insert(at, slot);
                    Some(at)
                }
            },
            Filled::Many { bits, .. } if bits.has(slot) => {
                return self.replace((usize::from(slot), slot), value);
            }
            Filled::Many { bits, count } => {
                bits.add(slot);
                *count += 1;
                None
            }
        };
        let at = before.unwrap_or(usize::from(slot));
        self.values.put((at, slot), value, before.is_some(), held);
        if matches!(&self.filled, Filled::Few(slots) if slots.len() > FEW) {
            self.rebuild(false);
        }
    }

    /// Takes the value of a slot away. Returns whether there was one.
    pub(super) fn remove(&mut self, slot: Slot) -> bool {
        let Some(at) = self.position(slot) else { return false };
        self.values.release(at);
        match &mut self.filled {
            Filled::Few(slots) => {
                slots.remove(at);
                self.values.remove(at);
            }
            Filled::Many { bits, count } => {
                bits.take(slot);
                *count -= 1;
            }
        }
        let is_sparse = matches!(self.filled, Filled::Many { .. }) && self.count() <= FEW_AGAIN;
        if self.count() > 0 && (is_sparse || self.values.is_wasteful()) {
            self.rebuild(false);
        }
        true
    }

    fn replace(&mut self, (at, slot): (usize, Slot), value: PropertyRef<'_>) {
        let held = self.count();
        self.values.release(at);
        self.values.put((at, slot), value, false, held);
        if self.values.is_wasteful() || self.values.may_be_of_one_type(held) {
            self.rebuild(false);
        }
    }

    /// Where the value of a slot lies, if there is one.
    #[inline]
    fn position(&self, slot: Slot) -> Option<usize> {
        match &self.filled {
            Filled::Few(slots) => slots.binary_search(&slot).ok(),
            Filled::Many { bits, .. } => bits.has(slot).then_some(usize::from(slot)),
        }
    }

    /// Makes everything anew, in the form that suits what is there; with `mixed` for values of any
    /// type.
    fn rebuild(&mut self, mixed: bool) {
        let slots: Vec<Slot> = self.slots().collect();
        let first = slots.first().filter(|_| !mixed).map(|&slot| self.get(slot));
        let mut values = Packed::for_value(first.unwrap_or(PropertyRef::Null));
        let few = slots.len() <= FEW;
        for (held, &slot) in slots.iter().enumerate() {
            let (at, value) = (if few { held } else { usize::from(slot) }, self.get(slot));
            if !values.takes(value) {
                return self.rebuild(true);
            }
            values.put((at, slot), value, few, held);
        }
        self.values = values;
        self.filled = if few {
            Filled::Few(slots)
        } else {
            let mut bits = Box::<SlotSet>::default();
            for &slot in &slots {
                bits.add(slot);
            }
            // 1,024 at most.
            Filled::Many { bits, count: slots.len() as u16 }
        };
    }

    /// The positions of slots that are a run, if all of them have values, at their slots.
    pub(super) fn run(&self, first: Slot, last: Slot) -> Option<Range<usize>> {
        let Filled::Many { bits, .. } = &self.filled else { return None };
        let (from, to) = (usize::from(first), usize::from(last) + 1);
        bits.has_all(from, to).then_some(from..to)
    }

    /// Whether all ids have values, each at its slot.
    pub(super) fn is_full(&self) -> bool {
        self.count() == SEGMENT
    }
}

impl Packed {
    /// Nothing yet, but for values of this one's type.
    fn for_value(value: PropertyRef<'_>) -> Self {
        match value {
            PropertyRef::Integer(number) => Packed::Integers(Integers::new(number)),
            PropertyRef::Float(_) => {
                Packed::Floats { all: Vec::new(), low: f64::INFINITY, high: f64::NEG_INFINITY }
            }
            PropertyRef::Bool(_) => Packed::Bools(Box::default()),
            PropertyRef::Text(_) => Packed::Texts(TextChunk::new()),
            PropertyRef::Null | PropertyRef::Encoded(_) => {
                Packed::Mixed { all: Vec::new(), heap: 0, changes: 0 }
            }
        }
    }

    fn takes(&self, value: PropertyRef<'_>) -> bool {
        match (self, value) {
            (Packed::Texts(all), PropertyRef::Text(text)) => all.has_room(text.len()),
            (Packed::Mixed { .. }, _)
            | (Packed::Integers(_), PropertyRef::Integer(_))
            | (Packed::Floats { .. }, PropertyRef::Float(_))
            | (Packed::Bools(_), PropertyRef::Bool(_)) => true,
            _ => false,
        }
    }

    #[inline]
    pub fn get(&self, at: usize, slot: Slot) -> Option<PropertyRef<'_>> {
        Some(match self {
            Packed::Integers(all) => PropertyRef::Integer(all.get(at)?),
            Packed::Floats { all, .. } => PropertyRef::Float(*all.get(at)?),
            Packed::Bools(all) => PropertyRef::Bool(all.has(slot)),
            Packed::Texts(all) => PropertyRef::Text(all.get(at)?),
            Packed::Mixed { all, .. } => all.get(at)?.as_ref(),
        })
    }

    /// Puts a value where none is: at a position, or before what is there. It fits.
    fn put(
        &mut self,
        (at, slot): (usize, Slot),
        value: PropertyRef<'_>,
        before: bool,
        held: usize,
    ) {
        match (self, value) {
            (Packed::Integers(all), PropertyRef::Integer(number)) => all.put(at, number, before),
            (Packed::Floats { all, low, high }, PropertyRef::Float(number)) => {
                // A NaN changes neither.
                (*low, *high) = (low.min(number), high.max(number));
                place(all, at, number, before);
            }
            (Packed::Bools(all), PropertyRef::Bool(flag)) => {
                if flag {
                    all.add(slot);
                } else {
                    all.take(slot);
                }
            }
            (Packed::Texts(all), PropertyRef::Text(text)) => all.put(at, text, before, held),
            (Packed::Mixed { all, heap, .. }, value) => {
                let value = value.to_property();
                *heap += value.memory();
                place(all, at, value, before);
            }
            _ => debug_assert!(false, "it fits"),
        }
    }

    /// A position has its value no more, but stays.
    fn release(&mut self, at: usize) {
        match self {
            Packed::Texts(all) => all.release(at),
            Packed::Mixed { all, heap, .. } => {
                let old = std::mem::replace(&mut all[at], Property::Null);
                *heap -= old.memory();
            }
            _ => {}
        }
    }

    /// A position that has no value any more goes.
    fn remove(&mut self, at: usize) {
        match self {
            Packed::Integers(all) => all.remove(at),
            Packed::Floats { all, .. } => drop(all.remove(at)),
            Packed::Bools(_) => {}
            Packed::Texts(all) => all.remove(at),
            Packed::Mixed { all, .. } => drop(all.remove(at)),
        }
    }

    /// Whether as many values were replaced as there are since types were seen to mix.
    fn may_be_of_one_type(&mut self, held: usize) -> bool {
        let Packed::Mixed { all, changes, .. } = self else { return false };
        *changes += 1;
        if usize::from(*changes) < held {
            return false;
        }
        *changes = 0;
        let mut kinds =
            all.iter().filter(|value| !matches!(value, Property::Null)).map(discriminant);
        let first = kinds.next();
        kinds.all(|kind| Some(kind) == first) && !matches!(all.first(), Some(Property::Encoded(_)))
    }

    fn is_wasteful(&self) -> bool {
        matches!(self, Packed::Texts(all) if all.is_wasteful())
    }

    fn memory(&self) -> usize {
        match self {
            Packed::Integers(all) => all.memory(),
            Packed::Floats { all, .. } => vec_bytes(all),
            Packed::Bools(_) => table::size_class(size_of::<SlotSet>()),
            Packed::Texts(all) => all.memory(),
            Packed::Mixed { all, heap, .. } => vec_bytes(all) + heap,
        }
    }
}

impl Block for Chunk {
    fn memory(&self) -> usize {
        let filled = match &self.filled {
            Filled::Few(slots) => vec_bytes(slots),
            Filled::Many { .. } => table::size_class(size_of::<SlotSet>()),
        };
        filled + self.values.memory()
    }
}
