//! `REDUCE`: what a group of rows is reduced to.
//!
//! Rows without the property count for `COUNT` alone. What is no number is left out of sums; of no
//! numbers at all the sum is 0, and the least, the greatest, the average and the others are `Null`.

use std::hash::BuildHasher;

use foldhash::quality::RandomState;
use hashbrown::{HashSet, HashTable};

use super::Record;
use super::sketch::Sketch;
use crate::error::Result;
use crate::expression::{Row, Value};
use crate::request::{self, SortKey};

/// A reducer whose properties are columns.
#[derive(Clone, Debug)]
pub(super) struct Reducer {
    place: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Count,
    CountDistinct,
    CountDistinctish,
    Sum,
    Min,
    Max,
    Avg,
    Stddev,
    Quantile(f64),
    ToList,
    FirstValue,
    FirstValueBy { place: usize, descending: bool },
    RandomSample(usize),
}

impl Reducer {
    /// Resolves the properties of a reducer.
    pub(super) fn compile(
        reducer: &request::Reducer,
        resolve: &mut dyn FnMut(&[u8]) -> Result<usize>,
    ) -> Result<Self> {
        use request::Reducer as R;
        let (property, kind) = match reducer {
            R::Count => return Ok(Self { place: 0, kind: Kind::Count }),
            R::CountDistinct(property) => (property, Kind::CountDistinct),
            R::CountDistinctish(property) => (property, Kind::CountDistinctish),
            R::Sum(property) => (property, Kind::Sum),
            R::Min(property) => (property, Kind::Min),
            R::Max(property) => (property, Kind::Max),
            R::Avg(property) => (property, Kind::Avg),
            R::Stddev(property) => (property, Kind::Stddev),
            R::Quantile { property, quantile } => (property, Kind::Quantile(*quantile)),
            R::ToList(property) => (property, Kind::ToList),
            R::FirstValue { property, by: None } => (property, Kind::FirstValue),
            R::FirstValue { property, by: Some(SortKey { name, descending }) } => {
                let place = resolve(name)?;
                (property, Kind::FirstValueBy { place, descending: *descending })
            }
            R::RandomSample { property, size } => (property, Kind::RandomSample(*size)),
        };
        Ok(Self { place: resolve(property)?, kind })
    }

    /// The state of a group without rows.
    pub(super) fn start(&self) -> State {
        match self.kind {
            Kind::Count => State::Count(0),
            Kind::CountDistinct => State::Hashes(Box::default()),
            Kind::CountDistinctish => State::Sketch(Box::default()),
            Kind::Sum | Kind::Min | Kind::Max | Kind::Avg => {
                State::Number { number: 0.0, count: 0 }
            }
            Kind::Stddev => State::Deviation { count: 0, mean: 0.0, squares: 0.0 },
            Kind::Quantile(_) => State::Numbers(Vec::new()),
            Kind::ToList => State::List(Box::default()),
            Kind::FirstValue => State::First(None),
            Kind::FirstValueBy { .. } => State::FirstBy(None),
            Kind::RandomSample(_) => State::Sample { seen: 0, values: Vec::new() },
        }
    }
}

/// What is kept of a group.
#[derive(Debug)]
pub(super) enum State {
    Count(u64),
    /// Hashes of 64 bits under a secret: two that are equal are of one value.
    Hashes(Box<HashSet<u64, RandomState>>),
    Sketch(Box<Sketch>),
    Number {
        number: f64,
        count: u64,
    },
    Deviation {
        count: u64,
        mean: f64,
        squares: f64,
    },
    Numbers(Vec<f64>),
    List(Box<Distinct>),
    First(Option<Value>),
    FirstBy(Option<Box<(Value, Value)>>),
    Sample {
        seen: u64,
        values: Vec<Value>,
    },
}

/// Values that differ, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    values: Vec<Value>,
    table: HashTable<usize>,
}

impl Distinct {
    fn add(&mut self, value: &Value, hasher: &RandomState) -> usize {
        let values = &self.values;
        let hash = hasher.hash_one(value);
        if self.table.find(hash, |at| values[*at] == *value).is_some() {
            return 0;
        }
        self.table.insert_unique(hash, values.len(), |at| hasher.hash_one(&values[*at]));
        self.values.push(value.clone());
        value.heap() + size_of::<Value>() + 2 * size_of::<usize>()
    }
}

impl State {
    /// Takes a row in; returns by how many bytes it grew.
    pub(super) fn add(
        &mut self,
        reducer: &Reducer,
        row: &Record,
        hasher: &RandomState,
        random: &mut Random,
    ) -> usize {
        let value = row.value(reducer.place);
        match self {
            Self::Count(count) => *count += 1,
            _ if value.is_null() && !matches!(self, Self::First(_) | Self::FirstBy(_)) => {}
            Self::Hashes(hashes) => {
                let is_new = hashes.insert(hasher.hash_one(value));
                return if is_new { 2 * size_of::<u64>() } else { 0 };
            }
            Self::Sketch(sketch) => return sketch.add(hasher.hash_one(value)),
            Self::Number { number, count } => {
                if let Some(new) = value.as_number().filter(|new| !new.is_nan()) {
                    *number = match reducer.kind {
                        Kind::Min if *count > 0 => number.min(new),
                        Kind::Max if *count > 0 => number.max(new),
                        Kind::Min | Kind::Max => new,
                        _ => *number + new,
                    };
                    *count += 1;
                }
            }
            Self::Deviation { count, mean, squares } => {
                if let Some(new) = value.as_number() {
                    *count += 1;
                    let before = new - *mean;
                    *mean += before / as_f64(*count);
                    *squares += before * (new - *mean);
                }
            }
            Self::Numbers(numbers) => {
                let before = numbers.capacity();
                numbers.extend(value.as_number().filter(|new| !new.is_nan()));
                return (numbers.capacity() - before) * size_of::<f64>();
            }
            Self::List(list) => {
                return match value {
                    Value::List(values) => values.iter().map(|value| list.add(value, hasher)).sum(),
                    value => list.add(value, hasher),
                };
            }
            Self::First(first) => {
                if first.is_none() {
                    *first = Some(value.clone());
                    return value.heap();
                }
            }
            Self::FirstBy(first) => return add_first(first, reducer.kind, value, row),
            Self::Sample { seen, values } => {
                return add_sample(seen, values, reducer.kind, value, random);
            }
        }
        0
    }

    /// What the group is reduced to.
    pub(super) fn finish(self, reducer: &Reducer) -> Value {
        match self {
            Self::Count(count) => Value::Number(as_f64(count)),
            Self::Hashes(hashes) => Value::Number(as_f64(hashes.len() as u64)),
            Self::Sketch(sketch) => Value::Number(sketch.estimate()),
            Self::Number { number, count } => match reducer.kind {
                Kind::Sum => Value::Number(number),
                _ if count == 0 => Value::Null,
                Kind::Avg => Value::Number(number / as_f64(count)),
                _ => Value::Number(number),
            },
            Self::Deviation { count, squares, .. } => match count {
                0 => Value::Null,
                1 => Value::Number(0.0),
                _ => Value::Number((squares / as_f64(count - 1)).sqrt()),
            },
            Self::Numbers(numbers) => match reducer.kind {
                Kind::Quantile(quantile) => nearest_rank(numbers, quantile),
                _ => Value::Null,
            },
            Self::List(list) => Value::List(list.values),
            Self::First(first) => first.unwrap_or_default(),
            Self::FirstBy(first) => first.map_or(Value::Null, |first| first.1),
            Self::Sample { values, .. } => Value::List(values),
        }
    }
}

#[allow(clippy::cast_precision_loss)] // counts of rows
fn as_f64(count: u64) -> f64 {
    count as f64
}

/// The number of which this share is not greater.
fn nearest_rank(mut numbers: Vec<f64>, quantile: f64) -> Value {
    if numbers.is_empty() {
        return Value::Null;
    }
    let rank = (as_f64(numbers.len() as u64) * quantile).ceil().max(1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 1 and the length
    let at = (rank as usize - 1).min(numbers.len() - 1);
    let (_, number, _) = numbers.select_nth_unstable_by(at, f64::total_cmp);
    Value::Number(*number)
}

fn add_first(
    first: &mut Option<Box<(Value, Value)>>,
    kind: Kind,
    value: &Value,
    row: &Record,
) -> usize {
    let Kind::FirstValueBy { place, descending } = kind else { return 0 };
    let by = row.value(place);
    let is_better = match first {
        None => true,
        Some(_) if by.is_null() => false,
        Some(best) if best.0.is_null() => true,
        Some(best) if descending => by.order(&best.0).is_gt(),
        Some(best) => by.order(&best.0).is_lt(),
    };
    if !is_better {
        return 0;
    }
    let new = Box::new((by.clone(), value.clone()));
    let size = |pair: &(Value, Value)| size_of::<(Value, Value)>() + pair.0.heap() + pair.1.heap();
    let before = first.as_deref().map_or(0, size);
    let after = size(&new);
    *first = Some(new);
    after.saturating_sub(before)
}

/// Keeps each value with the same probability: the n-th takes the place of another with that of
/// size / n.
fn add_sample(
    seen: &mut u64,
    values: &mut Vec<Value>,
    kind: Kind,
    value: &Value,
    random: &mut Random,
) -> usize {
    let Kind::RandomSample(size) = kind else { return 0 };
    *seen += 1;
    if values.len() < size {
        values.push(value.clone());
        return value.heap() + size_of::<Value>();
    }
    let place = usize::try_from(random.below(*seen)).ok();
    if let Some(old) = place.and_then(|place| values.get_mut(place)) {
        let before = old.heap();
        old.clone_from(value);
        return old.heap().saturating_sub(before);
    }
    0
}

/// SplitMix64: a sample needs no secret.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}
