//! A column out of its bytes.

use graph::value::Value;

use super::read::Read;
use super::{GraphCell, Malformed, PackedColumn};
use crate::column::Bitmap;

/// Texts behind each other.
pub(super) struct PackedTexts {
    /// Where each begins, and where the last ends.
    pub offsets: Vec<i64>,
    pub text: String,
}

impl PackedTexts {
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn get(&self, at: usize) -> &str {
        let bound = |at: usize| usize::try_from(*self.offsets.get(at)?).ok();
        let text = || self.text.get(bound(at)?..bound(at + 1)?);
        text().unwrap_or_default()
    }

    fn read(read: &mut Read<'_>, many: usize) -> Result<Self, Malformed> {
        let lengths = read.cells(many, 4)?;
        let mut offsets = Vec::with_capacity(many + 1);
        let mut end = 0_i64;
        offsets.push(end);
        for length in chunks(lengths) {
            end += i64::from(u32::from_le_bytes(length));
            offsets.push(end);
        }
        let bytes = read.take(usize::try_from(end).unwrap_or(usize::MAX))?;
        let text = std::str::from_utf8(bytes).map_err(|_| Malformed("a text is no text"))?;
        let whole = |at: &i64| usize::try_from(*at).is_ok_and(|at| text.is_char_boundary(at));
        if !offsets.iter().all(whole) {
            return Err(Malformed("a text ends within a character"));
        }
        Ok(PackedTexts { offsets, text: text.to_owned() })
    }
}

/// The cells of a column.
pub(super) enum Packed {
    Nothing,
    Truths(Bitmap),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Texts(PackedTexts),
    Repeated { texts: PackedTexts, places: Vec<u32> },
    Nodes(Vec<u32>),
    Relationships(Vec<u32>),
    Values(Vec<Value>),
}

impl Packed {
    /// A cell that is there.
    pub fn get(&self, row: usize) -> Option<GraphCell<'_>> {
        Some(match self {
            Packed::Nothing => GraphCell::Null,
            Packed::Truths(bits) => GraphCell::Boolean(bits.get(row)),
            Packed::Integers(numbers) => GraphCell::Integer(*numbers.get(row)?),
            Packed::Floats(numbers) => GraphCell::Float(*numbers.get(row)?),
            Packed::Texts(texts) => GraphCell::Text(texts.get(row)),
            Packed::Repeated { places, .. } => GraphCell::Repeated(*places.get(row)? as usize),
            Packed::Nodes(places) => GraphCell::Node(*places.get(row)?),
            Packed::Relationships(places) => GraphCell::Relationship(*places.get(row)?),
            Packed::Values(values) => GraphCell::Value(values.get(row)?),
        })
    }
}

/// Reads a column, and how many rows it has.
pub(super) fn column(bytes: &[u8]) -> Result<(usize, PackedColumn), Malformed> {
    let read = &mut Read::new(bytes);
    let (kind, missing, rows) = (read.byte()?, read.byte()?, read.u64()?);
    // A server has no more; and where nothing is there, none needs a byte.
    let rows = u32::try_from(rows).map_err(|_| Malformed("there are too many rows"))? as usize;
    let present = match missing {
        0 => None,
        1 => Some(Bitmap::new(read.take(rows.div_ceil(8))?.to_vec(), rows)),
        _ => return Err(Malformed("there is a mark that this client does not know")),
    };
    let cells = match kind {
        0 => Packed::Nothing,
        1 => Packed::Truths(Bitmap::new(read.take(rows.div_ceil(8))?.to_vec(), rows)),
        2 => Packed::Integers(chunks(read.cells(rows, 8)?).map(i64::from_le_bytes).collect()),
        3 => Packed::Floats(chunks(read.cells(rows, 8)?).map(f64::from_le_bytes).collect()),
        4 => Packed::Texts(PackedTexts::read(read, rows)?),
        5 => repeated(read, rows)?,
        6 => Packed::Nodes(chunks(read.cells(rows, 4)?).map(u32::from_le_bytes).collect()),
        7 => Packed::Relationships(chunks(read.cells(rows, 4)?).map(u32::from_le_bytes).collect()),
        _ => Packed::Values(values(kind, read, rows, present.as_ref())?),
    };
    read.is_over()?;
    Ok((rows, PackedColumn { cells, present }))
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

fn repeated(read: &mut Read<'_>, rows: usize) -> Result<Packed, Malformed> {
    let width = read.byte()?;
    let many = read.count(4)?;
    let texts = PackedTexts::read(read, many)?;
    let places: Vec<u32> = match width {
        1 => read.take(rows)?.iter().map(|&place| place.into()).collect(),
        2 => chunks(read.cells(rows, 2)?).map(|it| u16::from_le_bytes(it).into()).collect(),
        _ => return Err(Malformed("places are one or two bytes")),
    };
    // A place that is missing is 0, also where there is no text at all.
    if places.iter().any(|&place| place as usize >= many.max(1)) {
        return Err(Malformed("there is a place beyond the texts"));
    }
    Ok(Packed::Repeated { texts, places })
}

/// Cells that are kept as values.
fn values(
    kind: u8,
    read: &mut Read<'_>,
    rows: usize,
    present: Option<&Bitmap>,
) -> Result<Vec<Value>, Malformed> {
    if kind == 12 {
        return date_times(read, rows, present);
    }
    // Each takes a byte at least.
    let mut values = Vec::new();
    for row in 0..rows {
        let value = match kind {
            8 => read.date(),
            9 => read.local_time(),
            10 => read.time(),
            11 => read.local_date_time(),
            13 => read.duration(),
            14 => read.point(),
            15 => read.value(0),
            _ => return Err(Malformed("there is a column that this client does not know")),
        }?;
        let there = present.is_none_or(|present| present.get(row));
        values.push(if there { value } else { Value::Null });
    }
    Ok(values)
}

fn date_times(
    read: &mut Read<'_>,
    rows: usize,
    present: Option<&Bitmap>,
) -> Result<Vec<Value>, Malformed> {
    let cells = &mut Read::new(read.cells(rows, 16)?);
    let many = read.count(2)?;
    let zones = (0..many).map(|_| read.zone()).collect::<Result<Vec<_>, _>>()?;
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let (instant, place) = (cells.instant()?, cells.u32()? as usize);
        if present.is_some_and(|present| !present.get(row)) {
            values.push(Value::Null);
            continue;
        }
        let zone = zones.get(place).ok_or(Malformed("there is a place beyond the zones"))?;
        values.push(Read::date_time(instant, *zone)?);
    }
    Ok(values)
}
