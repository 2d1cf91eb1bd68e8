//! The values of one property of many nodes or edges, as a vector of their type.

use super::chunk::{Chunk, Packed};
use super::view::View;
use super::{Entity, KeyId, PropertyRef, SEGMENT, segment_of, slot_of};

/// Values, and which of them are null.
#[derive(Debug, Default)]
pub struct Vector<'a> {
    values: Values<'a>,
    len: usize,
    /// A bit for each that is null, as far as there are any; behind the end none is.
    nulls: Vec<u64>,
}

/// Values of one type. Where a value is null, there is one of no meaning.
#[derive(Debug, Default)]
pub enum Values<'a> {
    /// All are null.
    #[default]
    Nulls,
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Texts, where they lie.
    Texts(Vec<&'a str>),
    /// Of several types.
    Mixed(Vec<PropertyRef<'a>>),
}

impl<'a> Vector<'a> {
    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &Values<'a> {
        &self.values
    }

    /// The values, to keep.
    #[must_use]
    pub fn into_values(self) -> Values<'a> {
        self.values
    }

    /// Whether any is null.
    #[must_use]
    pub fn has_nulls(&self) -> bool {
        !self.nulls.is_empty()
    }

    /// Whether the value at a position is null.
    #[inline]
    #[must_use]
    pub fn is_null(&self, at: usize) -> bool {
        self.nulls.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// The value at a position.
    #[must_use]
    pub fn get(&self, at: usize) -> PropertyRef<'a> {
        if self.is_null(at) {
            return PropertyRef::Null;
        }
        let value = match &self.values {
            Values::Nulls => None,
            Values::Integers(all) => all.get(at).map(|&number| PropertyRef::Integer(number)),
            Values::Floats(all) => all.get(at).map(|&number| PropertyRef::Float(number)),
            Values::Bools(all) => all.get(at).map(|&flag| PropertyRef::Bool(flag)),
            Values::Texts(all) => all.get(at).map(|&text| PropertyRef::Text(text)),
            Values::Mixed(all) => all.get(at).copied(),
        };
        value.unwrap_or(PropertyRef::Null)
    }

    /// Empties it, but keeps its room and, for now, its type.
    pub fn clear(&mut self) {
        self.len = 0;
        self.nulls.clear();
        match &mut self.values {
            Values::Nulls => {}
            Values::Integers(all) => all.clear(),
            Values::Floats(all) => all.clear(),
            Values::Bools(all) => all.clear(),
            Values::Texts(all) => all.clear(),
            Values::Mixed(all) => all.clear(),
        }
    }

    fn push_null(&mut self) {
        let word = self.len / 64;
        if self.nulls.len() <= word {
            self.nulls.resize(word + 1, 0);
        }
        self.nulls[word] |= 1 << (self.len % 64);
        self.len += 1;
        match &mut self.values {
            Values::Nulls => {}
            Values::Integers(all) => all.push(0),
            Values::Floats(all) => all.push(0.0),
            Values::Bools(all) => all.push(false),
            Values::Texts(all) => all.push(""),
            Values::Mixed(all) => all.push(PropertyRef::Null),
        }
    }

    /// Makes the type such that values of this chunk can be appended.
    fn suit(&mut self, packed: &Packed) {
        let suits = match (&self.values, packed) {
            (Values::Mixed(_), _) => self.len > 0 || matches!(packed, Packed::Mixed { .. }),
            (Values::Integers(_), Packed::Integers(_))
            | (Values::Floats(_), Packed::Floats { .. })
            | (Values::Bools(_), Packed::Bools(_))
            | (Values::Texts(_), Packed::Texts(_)) => true,
            _ => false,
        };
        if suits {
            return;
        }
        let len = self.len;
        let is_empty = matches!(self.values, Values::Nulls) || len == 0;
        self.values = match packed {
            Packed::Integers(_) if is_empty => Values::Integers(vec![0; len]),
            Packed::Floats { .. } if is_empty => Values::Floats(vec![0.0; len]),
            Packed::Bools(_) if is_empty => Values::Bools(vec![false; len]),
            Packed::Texts(_) if is_empty => Values::Texts(vec![""; len]),
            _ => Values::Mixed((0..len).map(|at| self.get(at)).collect()),
        };
    }

    fn push(&mut self, value: PropertyRef<'a>) {
        if value.is_null() {
            return self.push_null();
        }
        match (&mut self.values, value) {
            (Values::Integers(all), PropertyRef::Integer(number)) => all.push(number),
            (Values::Floats(all), PropertyRef::Float(number)) => all.push(number),
            (Values::Bools(all), PropertyRef::Bool(flag)) => all.push(flag),
            (Values::Texts(all), PropertyRef::Text(text)) => all.push(text),
            (Values::Mixed(all), value) => all.push(value),
            _ => debug_assert!(false, "the vector suits the chunk"),
        }
        self.len += 1;
    }

    /// Appends the values of ids of one segment.
    fn append(&mut self, chunk: &'a Chunk, ids: &[u32]) {
        self.suit(&chunk.values);
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else { return };
        // That many different ids in order are a run.
        let is_run = first <= last
            && (last - first) as usize + 1 == ids.len()
            && ids.is_sorted_by(|one, next| one < next);
        let run = if is_run { chunk.run(slot_of(first), slot_of(last)) } else { None };
        match (&mut self.values, &chunk.values, run) {
            (Values::Integers(out), Packed::Integers(all), Some(run)) => all.append_run(run, out),
            (Values::Floats(out), Packed::Floats { all, .. }, Some(run)) => {
                out.extend_from_slice(&all[run]);
            }
            (Values::Integers(out), Packed::Integers(all), _) if chunk.is_full() => {
                all.append(ids.iter().map(|&id| usize::from(slot_of(id))), out);
            }
            (Values::Floats(out), Packed::Floats { all, .. }, _) if chunk.is_full() => {
                out.extend(ids.iter().map(|&id| all[usize::from(slot_of(id))]));
            }
            _ => return ids.iter().for_each(|&id| self.push(chunk.get(slot_of(id)))),
        }
        self.len += ids.len();
    }
}

impl View {
    /// Appends the values that a property has of these nodes.
    pub fn fetch_of_nodes<'a>(&'a self, key: KeyId, ids: &[u32], out: &mut Vector<'a>) {
        self.fetch((Entity::Node, key), ids, out);
    }

    /// Appends the values that a property has of these edges.
    pub fn fetch_of_edges<'a>(&'a self, key: KeyId, ids: &[u32], out: &mut Vector<'a>) {
        self.fetch((Entity::Edge, key), ids, out);
    }

    fn fetch<'a>(
        &'a self,
        (entity, key): (fn(u32) -> Entity, KeyId),
        ids: &[u32],
        out: &mut Vector<'a>,
    ) {
        let column = self.column(entity(0), key);
        let mut rest = ids;
        while let Some(&first) = rest.first() {
            let segment = segment_of(first);
            let (low, span) = (segment * SEGMENT, SEGMENT);
            let other = rest.iter().position(|&id| (id as usize).wrapping_sub(low) >= span);
            let (here, behind) = rest.split_at(other.unwrap_or(rest.len()));
            match column.and_then(|column| column.get(segment)) {
                Some(chunk) => out.append(chunk, here),
                None => here.iter().for_each(|_| out.push_null()),
            }
            rest = behind;
        }
    }
}
