//! Aggregations, as accumulators: one for each group, which takes the arguments of each row and has
//! a value in the end. Null is not counted, and `DISTINCT` leaves out what is equivalent to what
//! was taken before.

mod deviation;
mod percentile;
mod sum;

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::value::equivalence::Key;
use crate::value::{Error, Value, order};

use deviation::Deviation;
use percentile::Percentile;
use sum::Sum;

/// An aggregation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// `count(x)`; `count(*)` is that of something that is never null.
    Count,
    /// `sum(x)`
    Sum,
    /// `avg(x)`
    Average,
    /// `min(x)`
    Least,
    /// `max(x)`
    Greatest,
    /// `collect(x)`
    Collect,
    /// `percentileCont(x, p)`
    PercentileContinuous,
    /// `percentileDisc(x, p)`
    PercentileDiscrete,
    /// `stDev(x)`
    DeviationOfSample,
    /// `stDevP(x)`
    DeviationOfAll,
}

/// The aggregations, with the names by which they are called and the number of their arguments.
pub const ALL: [(&str, usize, Aggregation); 10] = [
    ("count", 1, Aggregation::Count),
    ("sum", 1, Aggregation::Sum),
    ("avg", 1, Aggregation::Average),
    ("min", 1, Aggregation::Least),
    ("max", 1, Aggregation::Greatest),
    ("collect", 1, Aggregation::Collect),
    ("percentileCont", 2, Aggregation::PercentileContinuous),
    ("percentileDisc", 2, Aggregation::PercentileDiscrete),
    ("stDev", 1, Aggregation::DeviationOfSample),
    ("stDevP", 1, Aggregation::DeviationOfAll),
];

impl Aggregation {
    /// The aggregation of a name, in letters of any case.
    pub fn named(name: &str) -> Option<Aggregation> {
        Some(ALL.iter().find(|known| known.0.eq_ignore_ascii_case(name))?.2)
    }
}

#[derive(Debug)]
enum State {
    Count(i64),
    Sum(Sum),
    Average(Sum),
    Extreme(Ordering, Option<Value>),
    Collect(Vec<Value>),
    Percentile(Percentile),
    Deviation(Deviation),
}

/// What an aggregation knows of the rows of a group so far.
#[derive(Debug)]
pub struct Accumulator {
    state: State,
    seen: Option<HashSet<Key>>,
    /// The bytes of what is held: values with all that they share.
    held: usize,
}

impl Accumulator {
    /// Of no rows yet.
    pub fn new(aggregation: Aggregation, distinct: bool) -> Accumulator {
        let state = match aggregation {
            Aggregation::Count => State::Count(0),
            Aggregation::Sum => State::Sum(Sum::default()),
            Aggregation::Average => State::Average(Sum::default()),
            Aggregation::Least => State::Extreme(Ordering::Less, None),
            Aggregation::Greatest => State::Extreme(Ordering::Greater, None),
            Aggregation::Collect => State::Collect(Vec::new()),
            Aggregation::PercentileContinuous => State::Percentile(Percentile::new(true)),
            Aggregation::PercentileDiscrete => State::Percentile(Percentile::new(false)),
            Aggregation::DeviationOfSample => State::Deviation(Deviation::new(true)),
            Aggregation::DeviationOfAll => State::Deviation(Deviation::new(false)),
        };
        Accumulator { state, seen: distinct.then(HashSet::new), held: 0 }
    }

    /// Takes the value of a row, and the second argument of a percentile.
    pub fn take(&mut self, value: &Value, percentile: Option<&Value>) -> Result<(), Error> {
        if let State::Percentile(state) = &mut self.state {
            state.set(percentile)?;
        }
        if value.is_null() {
            return Ok(());
        }
        if let Some(seen) = &mut self.seen {
            if !seen.insert(Key(value.clone())) {
                return Ok(());
            }
            self.held += size_of::<Value>() + value.memory();
        }
        match &mut self.state {
            State::Count(count) => *count += 1,
            State::Sum(sum) | State::Average(sum) => sum.add(value)?,
            State::Extreme(wanted, best) => {
                let better = |best: &Value| order::compare(value, best) == *wanted;
                if best.as_ref().is_none_or(better) {
                    *best = Some(value.clone());
                }
            }
            State::Collect(values) => {
                values.push(value.clone());
                self.held += size_of::<Value>() + value.memory();
            }
            State::Percentile(state) => {
                state.add(value)?;
                self.held += size_of::<Value>();
            }
            State::Deviation(state) => state.add(value)?,
        }
        Ok(())
    }

    /// Takes a number that is no integer, as [`take`](Self::take) would.
    #[inline]
    pub fn take_float(&mut self, number: f64) -> Result<(), Error> {
        match (&mut self.state, &self.seen) {
            (State::Count(count), None) => *count += 1,
            (State::Sum(sum) | State::Average(sum), None) => sum.add_float(number),
            _ => return self.take(&Value::Float(number), None),
        }
        Ok(())
    }

    /// Takes an integer, as [`take`](Self::take) would.
    #[inline]
    pub fn take_integer(&mut self, number: i64) -> Result<(), Error> {
        match (&mut self.state, &self.seen) {
            (State::Count(count), None) => *count += 1,
            (State::Sum(sum) | State::Average(sum), None) => sum.add_integer(number),
            _ => return self.take(&Value::Integer(number), None),
        }
        Ok(())
    }

    /// Whether it keeps some of what it takes, and so grows.
    pub fn keeps(&self) -> bool {
        let keeps = matches!(self.state, State::Collect(_) | State::Percentile(_));
        keeps || self.seen.is_some()
    }

    /// Whether all that it does is to count what is not null.
    pub fn only_counts(&self) -> bool {
        matches!(self.state, State::Count(_)) && self.seen.is_none()
    }

    /// Counts one more, if that is what it does.
    #[inline]
    pub fn count_one(&mut self) {
        if let State::Count(count) = &mut self.state {
            *count += 1;
        }
    }

    /// The bytes that it holds, about: what was collected, and what is known to be there already.
    pub fn memory(&self) -> usize {
        size_of::<Accumulator>() + self.held
    }

    /// The value of the group.
    pub fn finish(self) -> Result<Value, Error> {
        match self.state {
            State::Count(count) => Ok(Value::Integer(count)),
            State::Sum(sum) => sum.total(),
            State::Average(sum) => sum.average(),
            State::Extreme(_, best) => Ok(best.unwrap_or_default()),
            State::Collect(values) => Value::from(values).checked(),
            State::Percentile(state) => Ok(state.finish()),
            State::Deviation(state) => Ok(Value::Float(state.finish())),
        }
    }
}
