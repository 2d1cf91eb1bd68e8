//! Samples as bytes.
//!
//! ```text
//!   times    first, then differences of differences with how often each repeats: a regular
//!            series is a few bytes
//!   n/a      the places of those
//!   values   numbers: decimals as differences of whole numbers, else XOR with the one before;
//!            bools: a bitmap; texts: a dictionary and places in it; coordinates: differences
//! ```

use arcstr::ArcStr;
use base::codec::{Malformed, Source, put_bytes, put_number};
use haystack::Coord;

use super::{Columns, Sample, Value};
use crate::code::{put_signed, signed};

/// Samples of a block, at most.
pub const MOST: usize = crate::limits::SAMPLES_OF_BLOCK;

const NUMBERS: u8 = 0;
const XOR: u8 = 1;
const BOOLS: u8 = 2;
const TEXTS: u8 = 3;
const COORDS: u8 = 4;
/// Decimal places that are tried.
const MOST_PLACES: u8 = 4;
/// What a whole number is divided by, for each number of places.
const SCALES: [f64; MOST_PLACES as usize + 1] = [1.0, 10.0, 100.0, 1000.0, 10_000.0];
/// Whole numbers up to this are the same as floats.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Samples of one kind, in order of time: [`MOST`] of them at most.
pub fn pack(samples: &[Sample]) -> Box<[u8]> {
    let mut out = Vec::new();
    put_number(&mut out, samples.len() as u64);
    put_times(&mut out, samples);
    let na = samples.iter().enumerate().filter(|(_, sample)| matches!(sample.value, Value::Na));
    let na: Vec<usize> = na.map(|(at, _)| at).collect();
    put_number(&mut out, na.len() as u64);
    na.iter().for_each(|at| put_number(&mut out, *at as u64));
    put_values(&mut out, samples);
    out.into()
}

/// The samples again.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Sample>, Malformed> {
    let mut columns = Columns::default();
    unpack_into(&mut columns, bytes)?;
    Ok(columns.samples().collect())
}

/// Appends the samples to others of the same kind. What is malformed leaves some of them, and
/// takes no more memory than a whole block: a few bytes can say that a step repeats as often as
/// they like.
pub fn unpack_into(columns: &mut Columns, bytes: &[u8]) -> Result<(), Malformed> {
    let mut source = Source::new(bytes);
    let count = source.length()?;
    if count > MOST {
        return Err(Malformed("too many samples"));
    }
    let start = columns.len();
    times(&mut source, count, &mut columns.at)?;
    let na = source.length()?;
    for _ in 0..na {
        let place = source.length()?;
        let is_next = place < count && columns.na.last().is_none_or(|last| *last < start + place);
        if !is_next {
            return Err(Malformed("a place beyond the samples"));
        }
        columns.na.push(start + place);
    }
    let kind = source.byte()?;
    if na == count {
        columns.fill_up();
        return Ok(());
    }
    values(&mut source, kind, columns)
}

fn put_times(out: &mut Vec<u8>, samples: &[Sample]) {
    let (mut before, mut step, mut run) = (0, 0, None::<(i64, u64)>);
    for (at, sample) in samples.iter().enumerate() {
        let next = sample.at - before;
        before = sample.at;
        if at == 0 {
            put_signed(out, sample.at);
            continue;
        }
        let change = next - step;
        step = next;
        match &mut run {
            Some((same, times)) if *same == change => *times += 1,
            _ => {
                put_run(out, run.replace((change, 1)));
            }
        }
    }
    put_run(out, run);
}

fn put_run(out: &mut Vec<u8>, run: Option<(i64, u64)>) {
    if let Some((change, times)) = run {
        put_signed(out, change);
        put_number(out, times);
    }
}

fn times(source: &mut Source<'_>, count: usize, all: &mut Vec<i64>) -> Result<(), Malformed> {
    if count == 0 {
        return Ok(());
    }
    let (mut at, mut step) = (signed(source)?, 0_i64);
    all.push(at);
    let mut left = count - 1;
    while left > 0 {
        let (change, times) = (signed(source)?, source.length()?);
        if times == 0 || times > left {
            return Err(Malformed("a run beyond the samples"));
        }
        left -= times;
        all.extend((0..times).map(|_| {
            step = step.wrapping_add(change);
            at = at.wrapping_add(step);
            at
        }));
    }
    Ok(())
}

fn put_values(out: &mut Vec<u8>, samples: &[Sample]) {
    let there = || samples.iter().map(|sample| &sample.value).filter(|it| !matches!(it, Value::Na));
    let numbers =
        || there().filter_map(|it| if let Value::Number(n) = it { Some(*n) } else { None });
    match there().next() {
        None => out.push(NUMBERS),
        Some(Value::Number(_)) => put_numbers(out, &numbers().collect::<Vec<_>>()),
        Some(Value::Bool(_)) => {
            out.push(BOOLS);
            let bits: Vec<bool> = there().map(|it| matches!(it, Value::Bool(true))).collect();
            let byte =
                |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
            out.extend(bits.chunks(8).map(byte));
        }
        Some(Value::Str(_)) => put_texts(out, there()),
        Some(_) => {
            out.push(COORDS);
            let mut before = (0, 0);
            for value in there() {
                let Value::Coord(coord) = value else { continue };
                let now = millionths(*coord);
                put_signed(out, now.0 - before.0);
                put_signed(out, now.1 - before.1);
                before = now;
            }
        }
    }
}

fn millionths(coord: Coord) -> (i64, i64) {
    // Within 180 millions.
    ((coord.lat() * 1e6).round() as i64, (coord.lng() * 1e6).round() as i64)
}

/// The number that a whole number stands for, as a float of half the bits if it has places.
fn of_whole(whole: i64, places: u8) -> f64 {
    let number = whole as f64 / SCALES[usize::from(places)];
    if places == 0 { number } else { f64::from(number as f32) }
}

/// The whole number that stands for a number, if there is one.
fn to_whole(number: f64, places: u8) -> Option<i64> {
    let scaled = (number * SCALES[usize::from(places)]).round();
    // Not so for what is no number, either.
    let fits = scaled.abs() < LARGEST_WHOLE;
    let whole = if fits { scaled as i64 } else { return None };
    (of_whole(whole, places).to_bits() == number.to_bits()).then_some(whole)
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[f64]) {
    for places in 0..=MOST_PLACES {
        let wholes: Option<Vec<i64>> = numbers.iter().map(|it| to_whole(*it, places)).collect();
        let Some(wholes) = wholes else { continue };
        out.extend([NUMBERS, places]);
        let mut before = 0;
        for whole in wholes {
            put_signed(out, whole - before);
            before = whole;
        }
        return;
    }
    out.push(XOR);
    let mut before = 0;
    for number in numbers {
        // What differs is at the top, as what is rounded has zeros at the bottom.
        let bits = number.to_bits();
        put_number(out, (bits ^ before).reverse_bits());
        before = bits;
    }
}

fn put_texts<'a>(out: &mut Vec<u8>, values: impl Iterator<Item = &'a Value>) {
    let (mut places, mut texts) = (Vec::new(), Vec::new());
    let mut known = std::collections::HashMap::new();
    for value in values {
        let Value::Str(text) = value else { continue };
        places.push(*known.entry(text.as_str()).or_insert_with(|| {
            texts.push(text);
            texts.len() - 1
        }));
    }
    out.push(TEXTS);
    put_number(out, texts.len() as u64);
    texts.iter().for_each(|text| put_bytes(out, text.as_bytes()));
    places.iter().for_each(|place| put_number(out, *place as u64));
}

fn values(source: &mut Source<'_>, kind: u8, columns: &mut Columns) -> Result<(), Malformed> {
    match kind {
        NUMBERS => numbers(source, columns),
        XOR => {
            let mut before = 0;
            columns.fill(|| {
                before ^= source.number()?.reverse_bits();
                Ok(f64::from_bits(before))
            })
        }
        BOOLS => {
            let (mut byte, mut left) = (0, 0);
            columns.fill(|| {
                (byte, left) = if left == 0 { (source.byte()?, 8) } else { (byte >> 1, left) };
                left -= 1;
                Ok(byte & 1 == 1)
            })
        }
        TEXTS => texts(source, columns),
        COORDS => {
            let mut at = (0_i64, 0_i64);
            columns.fill(|| {
                at.0 = at.0.wrapping_add(signed(source)?);
                at.1 = at.1.wrapping_add(signed(source)?);
                let coord = Coord::new(at.0 as f64 / 1e6, at.1 as f64 / 1e6);
                coord.map_err(|_| Malformed("no place on earth"))
            })
        }
        _ => Err(Malformed("an unknown kind of samples")),
    }
}

fn numbers(source: &mut Source<'_>, columns: &mut Columns) -> Result<(), Malformed> {
    let (places, mut whole) = (source.byte()?.min(MOST_PLACES), 0_i64);
    columns.fill(|| {
        whole = whole.wrapping_add(signed(source)?);
        Ok(of_whole(whole, places))
    })
}

fn texts(source: &mut Source<'_>, columns: &mut Columns) -> Result<(), Malformed> {
    let count = source.number()?;
    let mut texts = Vec::new();
    for _ in 0..count {
        let text = std::str::from_utf8(source.bytes()?);
        texts.push(ArcStr::from(text.map_err(|_| Malformed("a text is no UTF-8"))?));
    }
    columns.fill(|| {
        let place = source.length()?;
        texts.get(place).cloned().ok_or(Malformed("no such text"))
    })
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
