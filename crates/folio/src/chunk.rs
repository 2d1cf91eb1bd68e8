//! The values of one tag for 1,024 records: which have one, and the values packed side by side.
//!
//! ```text
//!   bits  1 0 1 1 0 …      who has the tag: a marker is nothing more
//!   values  a   b c        of one kind where they are (numbers of one unit, ids, texts,
//!                          instants of one zone), else 16 bytes each
//! ```

use arcstr::ArcStr;
use blocks::Block;
use haystack::{Cell, DateTime, Name, Unit, Value, Zone};
use table::size_class;

use crate::SEGMENT;
use crate::bits::{Bits, WORDS};

/// What an allocated text takes beside its bytes.
const TEXT_HEAD: usize = 16;

#[derive(Clone, Default)]
pub struct Chunk {
    pub bits: Bits,
    /// How many records each word of the bitmap has before it.
    ranks: [u16; WORDS],
    /// Those that are transient, where any are.
    transient: Option<Box<Bits>>,
    values: Values,
    /// Whether its ids are those of the records, whose texts count here, and not ids of others.
    owns_ids: bool,
    /// Bytes that the values have beside their places in the vector.
    heap: usize,
}

/// The values of a chunk, side by side.
#[derive(Clone, Default)]
pub enum Values {
    #[default]
    Markers,
    Numbers(Option<Unit>, Vec<f64>),
    Ids(Vec<Name>),
    Texts(Vec<ArcStr>),
    Instants(Zone, Vec<i64>),
    Any(Vec<Value>),
}

/// Where a value goes: its rank, and whether the one there is replaced.
#[derive(Clone, Copy)]
struct At {
    rank: usize,
    replaces: bool,
}

fn put<T>(vec: &mut Vec<T>, at: At, item: T) {
    if at.replaces {
        if let Some(place) = vec.get_mut(at.rank) {
            *place = item;
        }
        return;
    }
    if vec.len() == vec.capacity() {
        let most = SEGMENT.saturating_sub(vec.len()).max(1);
        vec.reserve_exact((vec.len() / 4).clamp(4, SEGMENT).min(most));
    }
    vec.insert(at.rank.min(vec.len()), item);
}

fn drop_at<T>(vec: &mut Vec<T>, rank: usize) {
    if rank < vec.len() {
        vec.remove(rank);
    }
}

impl Values {
    /// The narrowest form that a value fits in.
    fn for_value(value: &Value) -> Values {
        match value.cell() {
            Cell::Marker => Values::Markers,
            Cell::Number(..) => {
                Values::Numbers(value.as_number().and_then(|number| number.unit), Vec::new())
            }
            Cell::Ref(_, None) => Values::Ids(Vec::new()),
            Cell::Str(_) => Values::Texts(Vec::new()),
            Cell::DateTime(instant) => Values::Instants(instant.zone(), Vec::new()),
            _ => Values::Any(Vec::new()),
        }
    }

    /// Puts a value in its place; whether it fits in this form.
    fn put(&mut self, at: At, value: &Value) -> bool {
        match (self, value.cell()) {
            (Values::Markers, Cell::Marker) => {}
            (Values::Numbers(unit, all), Cell::Number(number, of))
                if unit.as_ref().map(Unit::symbol) == of =>
            {
                put(all, at, number);
            }
            (Values::Ids(all), Cell::Ref(id, None)) => put(all, at, Name::new(id)),
            (Values::Texts(all), Cell::Str(text)) => put(all, at, text.into()),
            (Values::Instants(zone, all), Cell::DateTime(instant)) if *zone == instant.zone() => {
                put(all, at, instant.nanos());
            }
            (Values::Any(all), _) => put(all, at, value.clone()),
            _ => return false,
        }
        true
    }

    fn remove(&mut self, rank: usize) {
        match self {
            Values::Markers => {}
            Values::Numbers(_, all) => drop_at(all, rank),
            Values::Ids(all) => drop_at(all, rank),
            Values::Texts(all) => drop_at(all, rank),
            Values::Instants(_, all) => drop_at(all, rank),
            Values::Any(all) => drop_at(all, rank),
        }
    }

    fn cell(&self, rank: usize) -> Cell<'_> {
        let cell = match self {
            Values::Markers => Some(Cell::Marker),
            Values::Numbers(unit, all) => {
                all.get(rank).map(|number| Cell::Number(*number, unit.as_ref().map(Unit::symbol)))
            }
            Values::Ids(all) => all.get(rank).map(|id| Cell::Ref(id, None)),
            Values::Texts(all) => all.get(rank).map(|text| Cell::Str(text)),
            Values::Instants(zone, all) => {
                all.get(rank).map(|nanos| Cell::DateTime(DateTime::from_nanos(*nanos, *zone)))
            }
            Values::Any(all) => all.get(rank).map(Value::cell),
        };
        cell.unwrap_or_default()
    }

    /// Bytes that the value of a rank has beside its place.
    fn heap(&self, rank: usize) -> usize {
        match self {
            Values::Texts(all) => {
                all.get(rank).map_or(0, |text| size_class(TEXT_HEAD + text.len()))
            }
            Values::Ids(all) => all.get(rank).map_or(0, Name::long_part),
            Values::Any(all) => all.get(rank).map_or(0, Value::memory),
            _ => 0,
        }
    }

    /// Bytes of the vector.
    fn room(&self) -> usize {
        size_class(match self {
            Values::Markers => 0,
            Values::Numbers(_, all) => all.capacity() * size_of::<f64>(),
            Values::Ids(all) => all.capacity() * size_of::<Name>(),
            Values::Texts(all) => all.capacity() * size_of::<ArcStr>(),
            Values::Instants(_, all) => all.capacity() * size_of::<i64>(),
            Values::Any(all) => all.capacity() * size_of::<Value>(),
        })
    }
}

impl Chunk {
    /// An empty one of the tag `id`: the texts of its ids count here, as each is one record's.
    pub fn of_ids() -> Chunk {
        Chunk { owns_ids: true, ..Chunk::default() }
    }

    /// Bytes that the value of a rank has beside its place.
    fn heap_of(&self, rank: usize) -> usize {
        match &self.values {
            Values::Ids(all) if self.owns_ids => all.get(rank).map_or(0, Name::memory),
            values => values.heap(rank),
        }
    }

    /// The value of a record, or null.
    #[inline]
    pub fn cell(&self, slot: u16) -> Cell<'_> {
        if self.bits.has(slot) { self.values.cell(self.rank(slot)) } else { Cell::Null }
    }

    pub fn is_transient(&self, slot: u16) -> bool {
        self.transient.as_ref().is_some_and(|bits| bits.has(slot))
    }

    /// Those that are transient.
    pub fn transient(&self) -> Bits {
        self.transient.as_ref().map_or(Bits::NONE, |bits| **bits)
    }

    /// The values, by their ranks.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The rank of a record's value, or of the next one that has one.
    #[inline]
    pub fn rank(&self, slot: u16) -> usize {
        self.bits.rank(slot, &self.ranks)
    }

    /// Gives a record a value, which is not null.
    pub fn set(&mut self, slot: u16, value: &Value, is_transient: bool) {
        if self.bits.is_empty() {
            self.values = Values::for_value(value);
        }
        let at = At { rank: self.rank(slot), replaces: self.bits.has(slot) };
        let before = if at.replaces { self.heap_of(at.rank) } else { 0 };
        if self.values.put(at, value) {
            self.heap -= before;
        } else {
            self.widen();
            self.heap -= if at.replaces { self.heap_of(at.rank) } else { 0 };
            self.values.put(at, value);
        }
        self.heap += self.heap_of(at.rank);
        self.bits.add(slot);
        self.ranks = self.bits.ranks();
        self.mark(slot, is_transient);
    }

    /// Takes a record's value away.
    pub fn remove(&mut self, slot: u16) {
        if !self.bits.has(slot) {
            return;
        }
        let rank = self.rank(slot);
        self.heap -= self.heap_of(rank);
        self.values.remove(rank);
        self.bits.take(slot);
        self.ranks = self.bits.ranks();
        self.mark(slot, false);
    }

    fn mark(&mut self, slot: u16, is_transient: bool) {
        if is_transient {
            self.transient.get_or_insert_default().add(slot);
        } else if let Some(bits) = &mut self.transient {
            bits.take(slot);
            if bits.is_empty() {
                self.transient = None;
            }
        }
    }

    /// Holds values of all kinds from now on.
    fn widen(&mut self) {
        let all = (0..self.bits.count()).map(|rank| self.values.cell(rank).to_value());
        let all: Vec<Value> = all.collect();
        self.heap = all.iter().map(Value::memory).sum();
        self.values = Values::Any(all);
    }

    /// The records, of some, whose values pass a test.
    pub fn filter(&self, of: &Bits, mut test: impl FnMut(&Cell<'_>) -> bool) -> Bits {
        let (mut found, of) = (Bits::NONE, self.bits.and(of));
        for slot in of.iter() {
            if test(&self.values.cell(self.rank(slot))) {
                found.add(slot);
            }
        }
        found
    }

    /// The same of numbers, if all are of this unit.
    pub fn filter_numbers(
        &self,
        unit: Option<&str>,
        mut test: impl FnMut(f64) -> bool,
    ) -> Option<Bits> {
        let Values::Numbers(own, all) = &self.values else { return None };
        if own.as_ref().map(Unit::symbol) != unit {
            return None;
        }
        let mut found = Bits::NONE;
        for (slot, number) in self.bits.iter().zip(all) {
            if test(*number) {
                found.add(slot);
            }
        }
        Some(found)
    }
}

impl Block for Chunk {
    fn memory(&self) -> usize {
        let transient = self.transient.as_ref().map_or(0, |_| size_class(size_of::<Bits>()));
        self.values.room() + self.heap + transient
    }
}

#[cfg(test)]
#[path = "chunk_tests.rs"]
mod tests;
