//! Values and grids to Hayson.

use crate::json::append_string;
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
        out.extend_from_slice(b"{\"_kind\":\"grid\",\"meta\":{\"ver\":\"3.0\"");
        for (tag, value) in meta.iter().filter(|(tag, _)| tag.as_str() != "ver") {
            out.push(b',');
            append_member(out, tag, &value.cell());
        }
        out.extend_from_slice(b"},\"cols\":[");
        for (place, col) in cols.iter().enumerate() {
            out.extend_from_slice(if place > 0 { b",{\"name\":" } else { b"{\"name\":" });
            append_string(out, &col.name);
            if !col.meta.is_empty() {
                out.extend_from_slice(b",\"meta\":");
                append_dict(out, &col.meta);
            }
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

fn append_member(out: &mut Vec<u8>, name: &str, value: &Cell<'_>) {
    append_string(out, name);
    out.push(b':');
    append(out, value);
}

fn append_dict(out: &mut Vec<u8>, dict: &Dict) {
    out.push(b'{');
    for (place, (tag, value)) in dict.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        append_member(out, tag, &value.cell());
    }
    out.push(b'}');
}

/// Appends an object with a `_kind` and members that are texts.
fn append_kind(out: &mut Vec<u8>, kind: &str, members: &[(&str, &str)]) {
    out.extend_from_slice(b"{\"_kind\":");
    append_string(out, kind);
    for (name, text) in members {
        out.push(b',');
        append_member(out, name, &Cell::Str(text));
    }
    out.push(b'}');
}

fn append_numeric(out: &mut Vec<u8>, value: f64, unit: Option<&str>) {
    if value.is_finite() && unit.is_none() {
        return append_number(out, value);
    }
    out.extend_from_slice(b"{\"_kind\":\"number\",\"val\":");
    let mark: &[u8] = if value.is_finite() { b"" } else { b"\"" };
    out.extend_from_slice(mark);
    append_number(out, value);
    out.extend_from_slice(mark);
    if let Some(unit) = unit {
        out.push(b',');
        append_member(out, "unit", &Cell::Str(unit));
    }
    out.push(b'}');
}

/// Appends a value.
pub(super) fn append(out: &mut Vec<u8>, value: &Cell<'_>) {
    match value {
        Cell::Null => out.extend_from_slice(b"null"),
        Cell::Marker => append_kind(out, "marker", &[]),
        Cell::Na => append_kind(out, "na", &[]),
        Cell::Remove => append_kind(out, "remove", &[]),
        Cell::Bool(true) => out.extend_from_slice(b"true"),
        Cell::Bool(false) => out.extend_from_slice(b"false"),
        Cell::Number(value, unit) => append_numeric(out, *value, *unit),
        Cell::Str(text) => append_string(out, text),
        Cell::Uri(text) => append_kind(out, "uri", &[("val", text)]),
        Cell::Ref(id, None) => append_kind(out, "ref", &[("val", id)]),
        Cell::Ref(id, Some(dis)) => append_kind(out, "ref", &[("val", id), ("dis", dis)]),
        Cell::Symbol(name) => append_kind(out, "symbol", &[("val", name)]),
        Cell::Date(date) => append_kind(out, "date", &[("val", &date.to_string())]),
        Cell::Time(time) => append_kind(out, "time", &[("val", &time.to_string())]),
        Cell::DateTime(instant) => {
            let (iso, zone) = (instant.iso(), instant.zone());
            append_kind(out, "dateTime", &[("val", &iso), ("tz", zone.city())]);
        }
        Cell::Coord(coord) => {
            let (lat, lng) = (coord.lat(), coord.lng());
            let text = format!("{{\"_kind\":\"coord\",\"lat\":{lat:?},\"lng\":{lng:?}}}");
            out.extend_from_slice(text.as_bytes());
        }
        Cell::XStr(kind, text) => append_kind(out, "xstr", &[("type", kind), ("val", text)]),
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
        Cell::Dict(dict) => append_dict(out, dict),
        Cell::Grid(grid) => super::write_grid(out, *grid),
    }
}
