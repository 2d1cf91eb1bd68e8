//! Samples as columns: what blocks are unpacked to, and what is read of many samples at once.

use std::ops::Range;

use arcstr::ArcStr;
use base::codec::Malformed;
use haystack::Coord;

use super::{Sample, Value};

/// Samples of one kind, in order of time, as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// When each was measured: milliseconds since 1970.
    pub at: Vec<i64>,
    /// What was measured.
    pub values: Values,
    /// The places of those samples that are n/a, in order. They have a value that means nothing.
    pub na: Vec<usize>,
}

/// A value for each sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Values {
    /// Not even one: all samples are n/a.
    #[default]
    Nothing,
    /// Numbers, without their unit.
    Numbers(Vec<f64>),
    /// States.
    Bools(Vec<bool>),
    /// Texts; the same text is one in a block.
    Strs(Vec<ArcStr>),
    /// Places.
    Coords(Vec<Coord>),
}

/// What may stand in a column. What it is by default stands for n/a.
pub(super) trait Item: Default {
    /// The column of such items, if the samples are of that kind or of none yet.
    fn column(values: &mut Values) -> Option<&mut Vec<Self>>;
}

macro_rules! item {
    ($type:ty, $variant:ident) => {
        impl Item for $type {
            fn column(values: &mut Values) -> Option<&mut Vec<Self>> {
                if matches!(values, Values::Nothing) {
                    *values = Values::$variant(Vec::new());
                }
                if let Values::$variant(column) = values { Some(column) } else { None }
            }
        }
    };
}

item!(f64, Numbers);
item!(bool, Bools);
item!(ArcStr, Strs);
item!(Coord, Coords);

/// Does the same to the column, whatever is in it.
macro_rules! whatever {
    ($values:expr, $column:ident => $done:expr) => {
        match $values {
            Values::Nothing => {}
            Values::Numbers($column) => $done,
            Values::Bools($column) => $done,
            Values::Strs($column) => $done,
            Values::Coords($column) => $done,
        }
    };
}

impl Columns {
    /// How many samples there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Appends a value for each instant that has none yet: those from `next`, but for the places
    /// that are n/a. What is an error leaves the columns of different lengths.
    pub(super) fn fill<T: Item>(
        &mut self,
        mut next: impl FnMut() -> Result<T, Malformed>,
    ) -> Result<(), Malformed> {
        let count = self.at.len();
        let column = T::column(&mut self.values).ok_or(Malformed("samples of two kinds"))?;
        let start = column.len();
        let first = self.na.partition_point(|place| *place < start);
        column.reserve(count - start);
        for stop in self.na[first..].iter().copied().chain([count]) {
            for _ in column.len()..stop {
                column.push(next()?);
            }
            if stop < count {
                column.push(T::default());
            }
        }
        Ok(())
    }

    /// Gives each instant that has none a value that means nothing: all of them are n/a.
    pub(super) fn fill_up(&mut self) {
        let count = self.at.len();
        whatever!(&mut self.values, column => column.resize_with(count, Default::default));
    }

    /// Keeps the samples of some places.
    pub(super) fn keep(&mut self, places: Range<usize>) {
        fn keep<T>(column: &mut Vec<T>, places: &Range<usize>) {
            column.truncate(places.end);
            column.drain(..places.start.min(column.len()));
        }
        keep(&mut self.at, &places);
        whatever!(&mut self.values, column => keep(column, &places));
        self.na.retain(|place| places.contains(place));
        self.na.iter_mut().for_each(|place| *place -= places.start);
    }

    /// The value at a place, unless it is n/a.
    fn value(&self, place: usize) -> Value {
        match &self.values {
            Values::Nothing => None,
            Values::Numbers(column) => column.get(place).map(|number| Value::Number(*number)),
            Values::Bools(column) => column.get(place).map(|value| Value::Bool(*value)),
            Values::Strs(column) => column.get(place).map(|text| Value::Str(text.clone())),
            Values::Coords(column) => column.get(place).map(|coord| Value::Coord(*coord)),
        }
        .unwrap_or(Value::Na)
    }

    /// One sample after the other.
    pub(super) fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        let mut na = self.na.iter().copied().peekable();
        self.at.iter().enumerate().map(move |(place, at)| {
            let is_na = na.next_if_eq(&place).is_some();
            Sample { at: *at, value: if is_na { Value::Na } else { self.value(place) } }
        })
    }
}
