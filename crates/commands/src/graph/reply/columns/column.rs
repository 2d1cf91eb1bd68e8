//! One column: of which kind it is, then its cells.
//!
//! ```text
//!   texts           length … | bytes
//!   texts that      bytes of a place: 1 or 2 | texts: 4 bytes | length … | bytes | place …
//!   repeat
//!   dates and times cells | zones: 4 bytes | zone …
//! ```

use std::sync::Arc;

use ::graph::execute::{Batch, Column};
use ::graph::query::Answer;
use ::graph::temporal::Zone;
use ::graph::value::Value;
use base::CmdError;
use hashbrown::HashMap;

use super::entities::Entities;
use super::kind::Kind;
use super::value::{fixed, instant, value, zone};
use super::{Going, PIECE, count};

/// Texts that repeat are at most so many: their places are two bytes.
const MOST_TEXTS: usize = 1 << 16;
/// So many may be different before they must repeat.
const FIRST_TEXTS: usize = 64;
/// How often each must come, all in all.
const REPEATS: usize = 4;

/// A column of an answer, of so many rows at most.
///
/// # Errors
/// It is to end.
pub(super) fn packed(
    (answer, most): (&Answer, usize),
    place: usize,
    entities: &mut Entities,
    going: &mut Going<'_>,
) -> Result<Vec<u8>, CmdError> {
    let mut rows = Rows { answer, most, place, going, bytes: Vec::new(), beside: 0 };
    let (mut kind, present) = rows.kind()?;
    let texts = if kind == Kind::Texts { rows.repeated()? } else { None };
    if texts.is_some() {
        kind = Kind::RepeatedTexts;
    }
    let count = answer.batches.iter().map(Batch::len).sum::<usize>().min(most) as u64;
    rows.bytes.extend_from_slice(&[kind as u8, u8::from(present.is_some())]);
    rows.bytes.extend_from_slice(&count.to_le_bytes());
    rows.bytes.extend(present.into_iter().flat_map(|bits| bits.bytes));
    match (kind, texts) {
        (_, Some(texts)) => rows.places(&texts)?,
        (Kind::Nothing, _) => {}
        (Kind::Truths, _) => rows.truths()?,
        (Kind::Texts, _) => rows.texts()?,
        (Kind::DateTimes, _) => rows.date_times()?,
        (Kind::Values, _) => {
            rows.each(entities, value)?;
        }
        _ => rows.fixed(kind, entities)?,
    }
    Ok(rows.bytes)
}

/// Bits, the lowest first.
#[derive(Default)]
struct BitBuffer {
    bytes: Vec<u8>,
    len: usize,
}

impl BitBuffer {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
    }
}

/// Texts that repeat: each once, and which one each row has.
#[derive(Default)]
struct RepeatedTexts {
    all: Vec<Arc<str>>,
    places: Vec<u16>,
}

/// A column while it is packed.
struct Rows<'a, 'g> {
    answer: &'a Answer,
    /// Rows that are told: the first of them.
    most: usize,
    place: usize,
    going: &'a mut Going<'g>,
    bytes: Vec<u8>,
    /// What is kept beside the bytes.
    beside: usize,
}

impl<'a> Rows<'a, '_> {
    /// Does something with all pieces of the column: rows from one to another of a batch.
    fn pieces(
        &mut self,
        mut work: impl FnMut(&'a Column, usize, usize, &mut Vec<u8>) -> usize,
    ) -> Result<(), CmdError> {
        let mut left = self.most;
        for batch in &self.answer.batches {
            let column = batch.column(self.place);
            let (mut from, rows) = (0, batch.len().min(left));
            left -= rows;
            while from < rows {
                let to = piece(column, from, rows);
                let beside = work(column, from, to, &mut self.bytes);
                self.going.on(&self.bytes, self.beside + beside)?;
                from = to;
            }
        }
        Ok(())
    }

    /// Appends something for each value.
    fn each(
        &mut self,
        entities: &mut Entities,
        write: impl Fn(&Value, &mut Entities, &mut Vec<u8>),
    ) -> Result<(), CmdError> {
        self.pieces(|column, from, to, out| {
            values(column, from, to, |one| write(one, entities, out));
            entities.memory()
        })
    }

    /// Of which kind the column is, and which values are there, if not all are.
    fn kind(&mut self) -> Result<(Kind, Option<BitBuffer>), CmdError> {
        let (mut kind, mut present, mut missing) = (Kind::Nothing, BitBuffer::default(), false);
        self.pieces(|column, from, to, _| {
            match column {
                Column::Integers(_) => kind = kind.with(Kind::Integers),
                Column::Floats(_) => kind = kind.with(Kind::Floats),
                _ => {
                    values(column, from, to, |one| {
                        kind = kind.with(Kind::of(one));
                        missing |= one.is_null();
                        present.push(!one.is_null());
                    });
                    return present.bytes.capacity();
                }
            }
            (from..to).for_each(|_| present.push(true));
            present.bytes.capacity()
        })?;
        // Where nothing is there, or anything may be, the cells say so.
        let told = missing && !matches!(kind, Kind::Nothing | Kind::Values);
        Ok((kind, told.then_some(present)))
    }

    fn truths(&mut self) -> Result<(), CmdError> {
        let mut bits = BitBuffer::default();
        self.pieces(|column, from, to, _| {
            values(column, from, to, |one| bits.push(*one == Value::Boolean(true)));
            bits.bytes.capacity()
        })?;
        self.bytes.extend(bits.bytes);
        Ok(())
    }

    /// Cells that all have as many bytes.
    fn fixed(&mut self, kind: Kind, entities: &mut Entities) -> Result<(), CmdError> {
        let width = match kind {
            Kind::Nodes | Kind::Relationships => 4,
            Kind::Times | Kind::LocalDateTimes => 12,
            Kind::Durations => 28,
            _ => 8,
        };
        self.pieces(|column, from, to, out| {
            out.reserve(width * (to - from));
            match column {
                Column::Integers(numbers) => {
                    out.extend(numbers[from..to].iter().flat_map(|number| number.to_le_bytes()));
                }
                Column::Floats(numbers) => {
                    out.extend(numbers[from..to].iter().flat_map(|number| number.to_le_bytes()));
                }
                _ => values(column, from, to, |one| match one {
                    Value::Null => out.resize(out.len() + width, 0),
                    one => fixed(one, entities, out),
                }),
            }
            entities.memory()
        })
    }

    fn texts(&mut self) -> Result<(), CmdError> {
        let mut none = Entities::default();
        self.each(&mut none, |one, _, out| match one {
            Value::String(text) => count(text.len(), out),
            _ => count(0, out),
        })?;
        self.each(&mut none, |one, _, out| {
            if let Value::String(text) = one {
                out.extend_from_slice(text.as_bytes());
            }
        })
    }

    /// The texts of a column, if they repeat.
    fn repeated(&mut self) -> Result<Option<RepeatedTexts>, CmdError> {
        let (mut texts, mut found, mut repeat) = (RepeatedTexts::default(), HashMap::new(), true);
        self.pieces(|column, from, to, _| {
            if !repeat {
                return 0;
            }
            values(column, from, to, |one| {
                let Value::String(text) = one else { return texts.places.push(0) };
                if !repeat {
                    return;
                }
                let place = match found.get(&**text) {
                    Some(&place) => place,
                    None => {
                        let next = texts.all.len();
                        let most = FIRST_TEXTS.max(texts.places.len() / REPEATS);
                        repeat = next < most.min(MOST_TEXTS);
                        let next = u16::try_from(next).unwrap_or(u16::MAX);
                        found.insert(Arc::clone(text), next);
                        texts.all.push(Arc::clone(text));
                        next
                    }
                };
                texts.places.push(place);
            });
            let each = size_of::<(Arc<str>, u16)>() + size_of::<Arc<str>>();
            2 * texts.places.capacity() + each * found.capacity()
        })?;
        Ok(repeat.then_some(texts))
    }

    fn places(&mut self, texts: &RepeatedTexts) -> Result<(), CmdError> {
        let narrow = texts.all.len() <= 1 << 8;
        self.bytes.push(if narrow { 1 } else { 2 });
        count(texts.all.len(), &mut self.bytes);
        texts.all.iter().for_each(|text| count(text.len(), &mut self.bytes));
        texts.all.iter().for_each(|text| self.bytes.extend_from_slice(text.as_bytes()));
        let beside = 2 * texts.places.capacity();
        self.going.on(&self.bytes, beside)?;
        if narrow {
            self.bytes.extend(texts.places.iter().map(|&place| place.to_le_bytes()[0]));
        } else {
            self.bytes.extend(texts.places.iter().flat_map(|&place| place.to_le_bytes()));
        }
        self.going.on(&self.bytes, beside)
    }

    fn date_times(&mut self) -> Result<(), CmdError> {
        let (mut zones, mut found): (Vec<Zone>, HashMap<Zone, u32>) = Default::default();
        self.pieces(|column, from, to, out| {
            values(column, from, to, |one| {
                let Value::DateTime(both) = one else { return out.resize(out.len() + 16, 0) };
                // There are fewer zones than this holds.
                let next = u32::try_from(zones.len()).unwrap_or(u32::MAX);
                let place = *found.entry(both.zone()).or_insert_with(|| {
                    zones.push(both.zone());
                    next
                });
                instant(both.instant().seconds, both.instant().nanos, out);
                out.extend_from_slice(&place.to_le_bytes());
            });
            16 * zones.len()
        })?;
        count(zones.len(), &mut self.bytes);
        zones.iter().for_each(|&one| zone(one, &mut self.bytes));
        Ok(())
    }
}

/// Where a piece of work ends that begins in a row: values may be large, and the same one may be in
/// many rows.
fn piece(column: &Column, from: usize, rows: usize) -> usize {
    let most = rows.min(from + PIECE);
    match column {
        Column::Values(values) => {
            let mut units = 0;
            let fits = values[from..most].iter().take_while(|value| {
                let fits = units < PIECE;
                units += value.units() as usize;
                fits
            });
            from + fits.count()
        }
        Column::Constant(value) => most.min(from + (PIECE / value.units() as usize).max(1)),
        _ => most,
    }
}

/// Shows the values of some rows of a column.
fn values(column: &Column, from: usize, to: usize, mut show: impl FnMut(&Value)) {
    match column {
        Column::Values(values) => values[from..to].iter().for_each(show),
        Column::Constant(value) => (from..to).for_each(|_| show(value)),
        _ => (from..to).for_each(|row| show(&column.value(row))),
    }
}
