//! Values and grids to JSON as of Haystack 3.

use crate::json::{append_escaped, append_string};
use crate::value::{Col, append_number};
use crate::{Cell, Dict};

/// Appends rows behind a head, then the end; see [`super::write_grid`] for all at once.
pub struct Writer {
    /// The names of columns as members, each with its colon.
    names: Vec<Vec<u8>>,
    rows: usize,
}

impl Writer {
    /// Appends the head of a grid.
    pub fn new(out: &mut Vec<u8>, meta: &Dict, cols: &[Col]) -> Writer {
        out.extend_from_slice(b"{\"meta\":{\"ver\":\"3.0\"");
        append_members(out, meta, "ver");
        out.extend_from_slice(b"},\"cols\":[");
        for (place, col) in cols.iter().enumerate() {
            out.extend_from_slice(if place > 0 { b",{\"name\":" } else { b"{\"name\":" });
            append_string(out, &col.name);
            append_members(out, &col.meta, "name");
            out.push(b'}');
        }
        out.extend_from_slice(b"],\"rows\":[");
        let names = cols.iter().map(|col| format!("\"{}\":", col.name).into_bytes()).collect();
        Writer { names, rows: 0 }
    }

    /// Appends a row: a cell for each column.
    pub fn row<'a>(&mut self, out: &mut Vec<u8>, cells: impl IntoIterator<Item = Cell<'a>>) {
        out.extend_from_slice(if self.rows > 0 { b",\n{" } else { b"\n{" });
        self.rows += 1;
        let start = out.len();
        for (name, cell) in self.names.iter().zip(cells) {
            if cell.is_null() {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            out.extend_from_slice(name);
            append(out, &cell);
        }
        out.push(b'}');
    }

    /// Appends the end.
    pub fn finish(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}");
    }
}

/// Appends members, each with a comma before it; what has the name of ours cannot be said.
fn append_members(out: &mut Vec<u8>, dict: &Dict, without: &str) {
    for (tag, value) in dict.iter().filter(|(tag, _)| tag.as_str() != without) {
        out.push(b',');
        append_member(out, tag, &value.cell());
    }
}

fn append_member(out: &mut Vec<u8>, name: &str, value: &Cell<'_>) {
    append_string(out, name);
    out.push(b':');
    append(out, value);
}

/// Appends a string with a letter in front.
fn append_code(out: &mut Vec<u8>, code: u8, text: &str) {
    out.extend([b'"', code, b':']);
    append_escaped(out, text);
    out.push(b'"');
}

/// Appends a value.
pub(super) fn append(out: &mut Vec<u8>, value: &Cell<'_>) {
    match value {
        Cell::Null => out.extend_from_slice(b"null"),
        Cell::Marker => append_code(out, b'm', ""),
        Cell::Na => append_code(out, b'z', ""),
        Cell::Remove => append_code(out, b'-', ""),
        Cell::Bool(true) => out.extend_from_slice(b"true"),
        Cell::Bool(false) => out.extend_from_slice(b"false"),
        Cell::Number(value, unit) => {
            out.extend_from_slice(b"\"n:");
            append_number(out, *value);
            if let Some(unit) = unit {
                out.push(b' ');
                append_escaped(out, unit);
            }
            out.push(b'"');
        }
        Cell::Str(text) if text.contains(':') => append_code(out, b's', text),
        Cell::Str(text) => append_string(out, text),
        Cell::Uri(text) => append_code(out, b'u', text),
        Cell::Ref(id, None) => append_code(out, b'r', id),
        Cell::Ref(id, Some(dis)) => append_code(out, b'r', &format!("{id} {dis}")),
        Cell::Symbol(name) => append_code(out, b'y', name),
        Cell::Date(date) => append_code(out, b'd', &date.to_string()),
        Cell::Time(time) => append_code(out, b'h', &time.to_string()),
        Cell::DateTime(instant) => append_code(out, b't', &instant.to_string()),
        Cell::Coord(coord) => {
            append_code(out, b'c', &format!("{:?},{:?}", coord.lat(), coord.lng()));
        }
        Cell::XStr("Bin", mime) => append_code(out, b'b', mime),
        Cell::XStr(kind, text) => append_code(out, b'x', &format!("{kind}:{text}")),
        Cell::List(list) => {
            out.push(b'[');
            for (place, value) in list.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                append(out, &value.cell());
            }
            out.push(b']');
        }
        Cell::Dict(dict) => {
            out.push(b'{');
            for (place, (tag, value)) in dict.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                append_member(out, tag, &value.cell());
            }
            out.push(b'}');
        }
        Cell::Grid(grid) => super::write_grid(out, *grid),
    }
}
