//! Reads rows that are written as columns, where they lie.

use std::ops::Range;

use base::codec::{Malformed, Source};
use haystack::value::Rows;
use haystack::{Cell, Col, DateTime, Dict, Unit, Value, Zone};

use super::{MAGIC, NA, SOME, form};
use crate::code;

/// What of its bytes a column is.
struct Part {
    /// The bitmap of those that have a value, if some have none; and how many have one before each
    /// 64 rows.
    some: Option<(Range<usize>, Vec<u32>)>,
    na: Option<Range<usize>>,
    values: Values,
}

/// The values of a column.
enum Values {
    /// None.
    Nothing,
    /// Markers.
    Markers,
    /// Doubles of a unit.
    Numbers(Option<Unit>, Range<usize>),
    /// Nanoseconds since 1970, in a zone.
    Instants(Zone, Range<usize>),
    /// Texts: where their ends are, and where they are.
    Texts(Range<usize>, Range<usize>),
    /// Ids.
    Refs(Range<usize>, Range<usize>),
    /// Ids, with display names in the column `dis`.
    CalledRefs(Range<usize>, Range<usize>),
    /// Ids and display names.
    NamedRefs([Range<usize>; 2], [Range<usize>; 2]),
    /// A byte each.
    Bools(Range<usize>),
    /// Values of several kinds: these are read when the column is.
    Any(Vec<Value>),
}

/// Rows as columns of bytes.
pub struct Packed<B> {
    bytes: B,
    rows: usize,
    meta: Dict,
    cols: Vec<Col>,
    parts: Vec<Part>,
    /// The place of the column `dis`.
    dis: Option<usize>,
}

const SHORT: Malformed = Malformed("a column ends early");

/// A source that knows where it is.
struct Places<'a> {
    source: Source<'a>,
    /// Where its bytes end.
    end: usize,
}

impl Places<'_> {
    fn take(&mut self, len: usize) -> Result<Range<usize>, Malformed> {
        let start = self.end - self.source.rest().len();
        self.source.take(len)?;
        Ok(start..start + len)
    }

    fn rest(&mut self) -> Result<Range<usize>, Malformed> {
        self.take(self.source.rest().len())
    }
}

impl<B: AsRef<[u8]>> Packed<B> {
    /// Reads what a [`Writer`](super::Writer) has written. O(columns + rows / 64), and what
    /// columns of several kinds take.
    ///
    /// # Errors
    /// It was no such bytes.
    pub fn read(bytes: B) -> Result<Packed<B>, Malformed> {
        let whole = bytes.as_ref();
        let mut source = Source::new(whole);
        if source.take(MAGIC.len())? != MAGIC {
            return Err(Malformed("no columns"));
        }
        let rows = source.length()?;
        // Every column has a bit at least for each row.
        if rows.div_ceil(8) > source.rest().len() {
            return Err(SHORT);
        }
        let meta = code::dict(&mut source)?;
        let (mut cols, mut parts) = (Vec::new(), Vec::new());
        for _ in 0..code::count(&mut source)? {
            let name = code::tag(&mut source)?;
            cols.push(Col { name, meta: code::dict(&mut source)? });
            let length = usize::try_from(source.fixed_u64()?).map_err(|_| SHORT)?;
            let at = whole.len() - source.rest().len();
            let body = source.take(length)?;
            let places = Places { source: Source::new(body), end: at + length };
            parts.push(part(places, whole, rows)?);
        }
        let dis = cols.iter().position(|col: &Col| col.name.as_str() == "dis");
        Ok(Packed { bytes, rows, meta, cols, parts, dis })
    }

    fn at(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.as_ref().get(range.clone()).unwrap_or_default()
    }

    /// The place among its column's values that a row has.
    fn rank(&self, part: &Part, row: usize) -> Option<usize> {
        let Some((bits, ranks)) = &part.some else { return Some(row) };
        let bits = self.at(bits);
        has(bits, row).then(|| {
            let word = row / 64 * 8;
            let within = (word..row / 8).filter_map(|at| bits.get(at));
            let whole: u32 = within.map(|byte| byte.count_ones()).sum();
            let last = bits.get(row / 8).map_or(0, |byte| byte & ((1 << (row % 8)) - 1));
            let before = ranks.get(row / 64).copied().unwrap_or(0);
            (before + whole + last.count_ones()) as usize
        })
    }

    fn text(&self, ends: &Range<usize>, texts: &Range<usize>, rank: usize) -> Option<&str> {
        let ends = self.at(ends);
        let end = |rank: usize| Some(u32::from_le_bytes(*ends.get(rank * 4..)?.first_chunk()?));
        let start = rank.checked_sub(1).map_or(Some(0), end)?;
        let text = self.at(texts).get(start as usize..end(rank)? as usize)?;
        std::str::from_utf8(text).ok()
    }

    /// The text of a row's column `dis`.
    fn name(&self, row: usize) -> Option<&str> {
        let part = self.parts.get(self.dis?)?;
        match &part.values {
            Values::Texts(ends, all) => self.text(ends, all, self.rank(part, row)?),
            _ => None,
        }
    }

    fn value<'a>(&'a self, values: &'a Values, rank: usize) -> Option<Cell<'a>> {
        let eight = |range: &Range<usize>| self.at(range).get(rank * 8..)?.first_chunk::<8>();
        let eight = |range| eight(range).copied();
        Some(match values {
            Values::Nothing => return None,
            Values::Markers => Cell::Marker,
            Values::Numbers(unit, all) => {
                let unit = unit.as_ref().map(Unit::symbol);
                Cell::Number(f64::from_le_bytes(eight(all)?), unit)
            }
            Values::Instants(zone, all) => {
                Cell::DateTime(DateTime::from_nanos(i64::from_le_bytes(eight(all)?), *zone))
            }
            Values::Texts(ends, all) => Cell::Str(self.text(ends, all, rank)?),
            Values::Refs(ends, all) | Values::CalledRefs(ends, all) => {
                Cell::Ref(self.text(ends, all, rank)?, None)
            }
            Values::NamedRefs([ends, name_ends], [ids, names]) => {
                Cell::Ref(self.text(ends, ids, rank)?, self.text(name_ends, names, rank))
            }
            Values::Bools(all) => Cell::Bool(self.at(all).get(rank).is_some_and(|is| *is != 0)),
            Values::Any(all) => all.get(rank)?.cell(),
        })
    }

    /// The doubles of a column and their unit, if it is one of numbers and has one in every row.
    pub fn numbers(&self, col: usize) -> Option<(Option<&Unit>, impl Iterator<Item = f64> + '_)> {
        match self.parts.get(col)? {
            Part { some: None, na: None, values: Values::Numbers(unit, all) } => {
                let all = self.at(all).as_chunks().0.iter();
                Some((unit.as_ref(), all.map(|bytes| f64::from_le_bytes(*bytes))))
            }
            _ => None,
        }
    }

    /// The instants of a column in nanoseconds, and their zone, if it is one of those and has one
    /// in every row.
    pub fn instants(&self, col: usize) -> Option<(Zone, impl Iterator<Item = i64> + '_)> {
        match self.parts.get(col)? {
            Part { some: None, na: None, values: Values::Instants(zone, all) } => {
                let all = self.at(all).as_chunks().0.iter();
                Some((*zone, all.map(|bytes| i64::from_le_bytes(*bytes))))
            }
            _ => None,
        }
    }
}

fn has(bits: &[u8], row: usize) -> bool {
    bits.get(row / 8).is_some_and(|byte| byte & (1 << (row % 8)) != 0)
}

/// How many bits are set before each 64 rows, and in all.
fn ranks(bits: &[u8]) -> (Vec<u32>, usize) {
    let mut before = 0;
    let ranks = bits.chunks(8).map(|word| {
        let rank = before;
        before += word.iter().map(|byte| byte.count_ones()).sum::<u32>();
        rank
    });
    let ranks = ranks.collect();
    (ranks, before as usize)
}

fn part(mut places: Places<'_>, whole: &[u8], rows: usize) -> Result<Part, Malformed> {
    let (form, flags) = (places.source.byte()?, places.source.byte()?);
    let (mut some, mut na, mut count) = (None, None, rows);
    if flags & SOME != 0 {
        let bits = places.take(rows.div_ceil(8))?;
        let (ranks, there) = ranks(whole.get(bits.clone()).unwrap_or_default());
        (some, count) = (Some((bits, ranks)), there);
    }
    if flags & NA != 0 {
        na = Some(places.take(rows.div_ceil(8))?);
    }
    let each = |size: usize| count.checked_mul(size).ok_or(SHORT);
    let values = match form {
        form::NOTHING => Values::Nothing,
        form::MARKERS => Values::Markers,
        form::NUMBERS => {
            let unit = code::text(&mut places.source)?;
            let unit = (!unit.is_empty()).then(|| Unit::named(unit)).transpose();
            let unit = unit.map_err(|_| Malformed("a unit that is none"))?;
            Values::Numbers(unit, places.take(each(8)?)?)
        }
        form::INSTANTS => {
            let zone = Zone::named(code::text(&mut places.source)?);
            let zone = zone.map_err(|_| Malformed("a zone that is none"))?;
            Values::Instants(zone, places.take(each(8)?)?)
        }
        form::TEXTS => Values::Texts(places.take(each(4)?)?, places.rest()?),
        form::REFS => Values::Refs(places.take(each(4)?)?, places.rest()?),
        form::CALLED_REFS => Values::CalledRefs(places.take(each(4)?)?, places.rest()?),
        form::NAMED_REFS => {
            let ends = [places.take(each(4)?)?, places.take(each(4)?)?];
            let last = whole.get(ends[0].clone()).and_then(|ends| ends.last_chunk());
            let ids = places.take(last.map_or(0, |end| u32::from_le_bytes(*end) as usize))?;
            Values::NamedRefs(ends, [ids, places.rest()?])
        }
        form::BOOLS => Values::Bools(places.take(each(1)?)?),
        form::ANY => {
            places.take(each(4)?)?;
            let all = (0..count).map(|_| code::value(&mut places.source));
            Values::Any(all.collect::<Result<_, _>>()?)
        }
        _ => return Err(Malformed("a column of another form")),
    };
    Ok(Part { some, na, values })
}

impl<B: AsRef<[u8]>> Rows for Packed<B> {
    fn meta(&self) -> &Dict {
        &self.meta
    }

    fn cols(&self) -> &[Col] {
        &self.cols
    }

    fn row_count(&self) -> usize {
        self.rows
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        let Some(part) = self.parts.get(col).filter(|_| row < self.rows) else {
            return Cell::Null;
        };
        if let Some(rank) = self.rank(part, row) {
            return match (self.value(&part.values, rank).unwrap_or_default(), &part.values) {
                (Cell::Ref(id, _), Values::CalledRefs(..)) => Cell::Ref(id, self.name(row)),
                (cell, _) => cell,
            };
        }
        let is_na = part.na.as_ref().is_some_and(|bits| has(self.at(bits), row));
        if is_na { Cell::Na } else { Cell::Null }
    }
}
