//! Records as replies: maps of values as Zinc has them, or a grid as text.

use ::folio::{Answer, packed};
use base::{CmdError, Pace, Reply};
use haystack::value::Rows;
use haystack::{Cell, Col, Dict, Grid, csv, hayson, json3, trio, zinc};

use super::format::Format;
use super::paced::watched;

/// So many rows are a piece of work.
const PIECE: usize = 128;

/// Writes rows: an array of a map for each, or one text in a format.
///
/// # Errors
/// It is to end.
pub(super) fn rows(
    rows: &(impl Rows + ?Sized),
    format: Option<Format>,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let Some(format) = format else {
        out.array(rows.row_count());
        return maps(rows, pace, out);
    };
    let text = match format {
        Format::Columns => as_columns(rows, pace, &*out)?,
        format => as_text(rows, format, pace, &*out)?,
    };
    out.bulk(&text);
    Ok(())
}

/// Writes records that were found, as [`rows`] does.
///
/// # Errors
/// It is to end.
pub(super) fn answer(
    answer: &Answer<'_>,
    format: Option<Format>,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    if format != Some(Format::Columns) {
        return rows(answer, format, pace, out);
    }
    let (mut bytes, room) = (Vec::new(), out.room());
    watched(pace, &*out, |goes_on| {
        answer.write_columns(&mut bytes, |taken| taken <= room && goes_on(taken));
    })?;
    out.bulk(&bytes);
    Ok(())
}

/// Rows as columns of bytes, no longer than there is room for in the reply, by more than some.
fn as_columns(
    rows: &(impl Rows + ?Sized),
    pace: &mut dyn Pace,
    reply: &dyn Reply,
) -> Result<Vec<u8>, CmdError> {
    let (mut out, room) = (Vec::new(), reply.room());
    watched(pace, reply, |goes_on| {
        packed::Writer::write(&mut out, rows, |bytes| bytes <= room && goes_on(bytes));
    })?;
    Ok(out)
}

/// Writes rows as so many replies: a map each, and null for one without any value.
fn maps(
    rows: &(impl Rows + ?Sized),
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let (mut cells, mut text) = (Vec::new(), Vec::new());
    for row in 0..rows.row_count() {
        if row % PIECE == PIECE - 1 {
            pace.go_on(&*out, 0)?;
        }
        cells.clear();
        cells.extend((0..rows.cols().len()).filter(|col| !rows.cell(row, *col).is_null()));
        if cells.is_empty() {
            out.null();
            continue;
        }
        out.map(cells.len());
        for &col in &cells {
            out.bulk(rows.cols().get(col).map_or("", |col| col.name.as_str()).as_bytes());
            value(&rows.cell(row, col), &mut text, out);
        }
    }
    Ok(())
}

/// Writes a dict as a map.
pub(super) fn map(dict: &Dict, out: &mut dyn Reply) {
    let mut text = Vec::new();
    out.map(dict.len());
    for (tag, cell) in dict.iter() {
        out.bulk(tag.as_str().as_bytes());
        value(&cell.cell(), &mut text, out);
    }
}

/// Writes a value: a byte string that is its Zinc. `text`: room for that.
pub(super) fn value(cell: &Cell<'_>, text: &mut Vec<u8>, out: &mut dyn Reply) {
    text.clear();
    zinc::write_value(text, cell);
    out.bulk(text);
}

/// Writes one record: a map, or in a format what that has for a dict; CSV has grids alone.
pub(super) fn record(dict: &Dict, format: Option<Format>, out: &mut dyn Reply) {
    let mut text = Vec::new();
    match format {
        None => return map(dict, out),
        Some(Format::Zinc) => zinc::write_value(&mut text, &Cell::Dict(dict)),
        Some(Format::Hayson) => hayson::write_value(&mut text, &Cell::Dict(dict)),
        Some(Format::Json) => json3::write_value(&mut text, &Cell::Dict(dict)),
        Some(Format::Trio) => trio::append_dict(&mut text, dict),
        Some(Format::Columns) => {
            let grid = Grid::from_dicts(Dict::new(), [dict]).unwrap_or_default();
            packed::Writer::write(&mut text, &grid, |_| true);
        }
        Some(Format::Csv) => {
            let cols: Vec<Col> = dict.iter().map(|(tag, _)| Col::new(tag.clone())).collect();
            let mut writer = csv::Writer::new(&mut text, &cols);
            writer.row(&mut text, dict.iter().map(|(_, value)| value.cell()));
        }
    }
    out.bulk(&text);
}

/// What writes a grid of a format, row by row.
enum Writer {
    Zinc(zinc::Writer),
    Hayson(hayson::Writer),
    Json(json3::Writer),
    Csv(csv::Writer),
    /// It has no head.
    Trio,
}

impl Writer {
    fn new(format: Format, rows: &(impl Rows + ?Sized), out: &mut Vec<u8>) -> Writer {
        let (meta, cols) = (rows.meta(), rows.cols());
        match format {
            Format::Zinc => Writer::Zinc(zinc::Writer::new(out, meta, cols)),
            Format::Hayson => Writer::Hayson(hayson::Writer::new(out, meta, cols)),
            Format::Json => Writer::Json(json3::Writer::new(out, meta, cols)),
            Format::Csv => Writer::Csv(csv::Writer::new(out, cols)),
            Format::Trio | Format::Columns => Writer::Trio,
        }
    }

    fn row(&mut self, rows: &(impl Rows + ?Sized), row: usize, out: &mut Vec<u8>) {
        let cells = (0..rows.cols().len()).map(|col| rows.cell(row, col));
        match self {
            Writer::Zinc(writer) => writer.row(out, cells),
            Writer::Hayson(writer) => writer.row(out, cells),
            Writer::Json(writer) => writer.row(out, cells),
            Writer::Csv(writer) => writer.row(out, cells),
            Writer::Trio => {
                let mut dict = Dict::new();
                for (col, cell) in rows.cols().iter().zip(cells) {
                    dict.set(col.name.clone(), cell.to_value());
                }
                if row > 0 {
                    out.extend_from_slice(b"---\n");
                }
                trio::append_dict(out, &dict);
            }
        }
    }

    fn finish(self, out: &mut Vec<u8>) {
        match self {
            Writer::Hayson(writer) => writer.finish(out),
            Writer::Json(writer) => writer.finish(out),
            Writer::Zinc(_) | Writer::Csv(_) | Writer::Trio => {}
        }
    }
}

/// Rows as text, no longer than there is room for in the reply, by more than some rows.
///
/// # Errors
/// It is to end.
pub(super) fn as_text(
    rows: &(impl Rows + ?Sized),
    format: Format,
    pace: &mut dyn Pace,
    reply: &dyn Reply,
) -> Result<Vec<u8>, CmdError> {
    let mut out = Vec::new();
    let mut writer = Writer::new(format, rows, &mut out);
    for row in 0..rows.row_count() {
        if row % PIECE == PIECE - 1 {
            pace.go_on(reply, out.capacity())?;
            if out.len() > reply.room() {
                break;
            }
        }
        writer.row(rows, row, &mut out);
    }
    writer.finish(&mut out);
    Ok(out)
}
