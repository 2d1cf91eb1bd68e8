//! The groups of an aggregation: by their keys, and what is known of each.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem;
use std::sync::Arc;

use super::distinct::memory;
use super::{Batch, Column, Run};
use crate::aggregate::Accumulator;
use crate::evaluate::evaluate;
use crate::plan::{Aggregate, Expression};
use crate::query::Error;
use crate::value::Value;
use crate::value::equivalence::Key;

/// Hashes numbers by one multiplication, both halves of which count: their tables are as large as
/// the groups. It begins with a seed that is drawn, since clients choose the numbers.
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }
}

/// The seed of a table.
struct Seed(u64);

impl Default for Seed {
    fn default() -> Seed {
        Seed(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Seed {
    type Hasher = Multiply;

    fn build_hasher(&self) -> Multiply {
        Multiply(self.0)
    }
}

/// Numbers below this have their groups in an array.
const SMALL: usize = 1 << 16;
/// What stands there where a number has no group.
const NO_GROUP: u32 = u32::MAX;

/// The groups of numbers.
#[derive(Default)]
pub struct ByNumber {
    /// Those of the numbers from 0 on, as far as there are any.
    small: Vec<u32>,
    others: HashMap<i64, u32, Seed>,
}

impl ByNumber {
    #[inline]
    pub fn get(&self, number: i64) -> Option<u32> {
        let small = usize::try_from(number).ok().and_then(|small| self.small.get(small));
        match small {
            Some(&place) if place != NO_GROUP => Some(place),
            _ => self.others.get(&number).copied(),
        }
    }

    pub fn insert(&mut self, number: i64, place: u32) {
        match usize::try_from(number) {
            Ok(small @ 0..SMALL) => {
                if self.small.len() <= small {
                    self.small.resize((small + 1).next_power_of_two(), NO_GROUP);
                }
                self.small[small] = place;
            }
            _ => drop(self.others.insert(number, place)),
        }
    }
}

/// The groups so far.
pub struct Groups<'p> {
    aggregates: &'p [Aggregate],
    by_key: HashMap<Arc<[Key]>, u32>,
    keys: Vec<Arc<[Key]>>,
    /// Of integers, of nodes, and of relationships: a number says something else in each.
    by_number: [ByNumber; 3],
    by_text: HashMap<Arc<str>, u32>,
    /// How many rows each group has.
    rows: Vec<i64>,
    /// Of each aggregation with an argument, what it knows of each group.
    accumulators: Vec<Vec<Accumulator>>,
}

impl<'p> Groups<'p> {
    pub fn new(aggregates: &'p [Aggregate]) -> Groups<'p> {
        Groups {
            aggregates,
            by_key: HashMap::new(),
            keys: Vec::new(),
            by_number: Default::default(),
            by_text: HashMap::new(),
            rows: Vec::new(),
            accumulators: aggregates.iter().map(|_| Vec::new()).collect(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The group of all rows.
    pub fn whole(&mut self, run: &mut Run<'_>) -> Result<(), Error> {
        self.place(Vec::new(), run).map(drop)
    }

    /// The group of some keys.
    fn place(&mut self, key: Vec<Key>, run: &mut Run<'_>) -> Result<u32, Error> {
        if let Some(&place) = self.by_key.get(&key[..]) {
            return Ok(place);
        }
        let place = super::row_number(self.rows.len());
        let key: Arc<[Key]> = key.into();
        let accumulators = self.aggregates.len() * size_of::<Accumulator>();
        run.keep(memory(&key) + accumulators + 96)?;
        self.keys.push(Arc::clone(&key));
        self.by_key.insert(key, place);
        self.rows.push(0);
        for (one, all) in self.aggregates.iter().zip(&mut self.accumulators) {
            if one.argument.is_some() {
                all.push(Accumulator::new(one.aggregation, one.distinct));
            }
        }
        Ok(place)
    }

    /// The groups of rows by several keys.
    pub fn places(
        &mut self,
        keys: &[Column],
        len: usize,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, Error> {
        let mut places = Vec::with_capacity(len);
        for row in 0..len {
            let mut key = Vec::with_capacity(keys.len());
            for column in keys {
                let value = column.value(row);
                run.work(value.units())?;
                key.push(Key(value));
            }
            places.push(self.place(key, run)?);
        }
        Ok(places)
    }

    /// The groups of rows by one key.
    pub fn places_of_one(
        &mut self,
        key: &Expression,
        batch: &Batch,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, Error> {
        let column = evaluate(key, batch, run)?;
        match &column {
            Column::Constant(value) => {
                Ok(vec![self.place(vec![Key(value.clone())], run)?; batch.len()])
            }
            Column::Integers(numbers) => {
                let place = |&number: &i64| self.of_number((0, number), Value::Integer, run);
                numbers.iter().map(place).collect()
            }
            // An id that is null is a number, too.
            Column::Nodes(ids) | Column::Edges(ids) => {
                let kind = if matches!(column, Column::Nodes(_)) { 1 } else { 2 };
                let place = |row: usize| {
                    let id = i64::from(ids[row]);
                    self.of_number((kind, id), |_| column.value(row), run)
                };
                (0..ids.len()).map(place).collect()
            }
            Column::Texts(texts) => texts.iter().map(|text| self.of_text(text, run)).collect(),
            _ => self.places(std::slice::from_ref(&column), batch.len(), run),
        }
    }

    /// The group of a number, which stands for a value.
    #[inline]
    fn of_number(
        &mut self,
        (kind, number): (usize, i64),
        value: impl Fn(i64) -> Value,
        run: &mut Run<'_>,
    ) -> Result<u32, Error> {
        if let Some(place) = self.by_number[kind].get(number) {
            return Ok(place);
        }
        let place = self.place(vec![Key(value(number))], run)?;
        self.by_number[kind].insert(number, place);
        Ok(place)
    }

    /// The group of a text.
    fn of_text(&mut self, text: &str, run: &mut Run<'_>) -> Result<u32, Error> {
        if let Some(&place) = self.by_text.get(text) {
            return Ok(place);
        }
        let text = Arc::<str>::from(text);
        let place = self.place(vec![Key(Value::String(Arc::clone(&text)))], run)?;
        self.by_text.insert(text, place);
        Ok(place)
    }

    /// Counts rows, each for as many as its weight.
    pub fn count(&mut self, places: &[u32], weights: Option<&Column>) {
        match weights {
            None => places.iter().for_each(|&place| self.rows[place as usize] += 1),
            Some(weights) => {
                for (row, &place) in places.iter().enumerate() {
                    if let Value::Integer(weight) = weights.value(row) {
                        self.rows[place as usize] += weight;
                    }
                }
            }
        }
    }

    /// Takes the values that an aggregation has in the rows of groups.
    pub fn take(
        &mut self,
        (one, places): (usize, &[u32]),
        values: &Column,
        second: Option<&Column>,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        let accumulators = &mut self.accumulators[one];
        if second.is_none() && Self::take_at_once(accumulators, places, values)? {
            return Ok(());
        }
        for (row, &place) in places.iter().enumerate() {
            let accumulator = &mut accumulators[place as usize];
            let second = second.map(|column| column.value(row));
            let (before, value) = (accumulator.memory(), values.value(row));
            run.work(value.units())?;
            accumulator.take(&value, second.as_ref())?;
            let more = accumulator.memory().saturating_sub(before);
            if more > 0 {
                run.keep(more)?;
            }
        }
        Ok(())
    }

    /// Takes numbers one by one without making values of them, or counts what is there; whether
    /// that was all there is to do. What is taken so is not kept.
    fn take_at_once(
        accumulators: &mut [Accumulator],
        places: &[u32],
        values: &Column,
    ) -> Result<bool, Error> {
        if accumulators.first().is_some_and(Accumulator::keeps) {
            return Ok(false);
        }
        match values {
            Column::Floats(numbers) => {
                for (&place, &number) in places.iter().zip(&numbers[..]) {
                    accumulators[place as usize].take_float(number)?;
                }
            }
            Column::Integers(numbers) => {
                for (&place, &number) in places.iter().zip(&numbers[..]) {
                    accumulators[place as usize].take_integer(number)?;
                }
            }
            Column::Nodes(_) | Column::Edges(_) | Column::Texts(_) => {
                if !accumulators.first().is_some_and(Accumulator::only_counts) {
                    return Ok(false);
                }
                for (row, &place) in places.iter().enumerate() {
                    if !values.is_null(row) {
                        accumulators[place as usize].count_one();
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A key of a group.
    pub fn key(&self, group: usize, place: usize) -> Value {
        self.keys[group][place].0.clone()
    }

    /// The value of an aggregation of a group, which is asked for once.
    pub fn finish(&mut self, group: usize, one: usize) -> Result<Value, Error> {
        let planned = &self.aggregates[one];
        if planned.argument.is_none() {
            return Ok(Value::Integer(self.rows[group]));
        }
        let empty = Accumulator::new(planned.aggregation, false);
        let accumulator = mem::replace(&mut self.accumulators[one][group], empty);
        Ok(accumulator.finish()?)
    }
}
