//! Values and grids to Zinc.

use crate::scalar::keeps_backslash;
use crate::value::{Col, Rows, append_number};
use crate::{Cell, Dict};

/// Appends rows below a head; see [`super::write_grid`] for all at once.
///
/// ```
/// use kvist_haystack::{Cell, Col, Dict, Tag, zinc::Writer};
/// let mut out = Vec::new();
/// let cols = [Col::new(Tag::new("val")?)];
/// let mut writer = Writer::new(&mut out, &Dict::new(), &cols);
/// writer.row(&mut out, [Cell::Number(20.5, Some("°C"))]);
/// writer.row(&mut out, [Cell::Null]);
/// assert_eq!(String::from_utf8(out).unwrap(), "ver:\"3.0\"\nval\n20.5°C\nN\n");
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub struct Writer {
    cols: usize,
}

impl Writer {
    /// Appends the head of a grid.
    pub fn new(out: &mut Vec<u8>, meta: &Dict, cols: &[Col]) -> Writer {
        head(out, "3.0", meta, cols);
        Writer { cols: cols.len() }
    }

    /// Appends a row: a cell for each column.
    pub fn row<'a>(&mut self, out: &mut Vec<u8>, cells: impl IntoIterator<Item = Cell<'a>>) {
        append_row((out, usize::MAX), self.cols, cells);
    }
}

fn append_row<'a>(
    (out, most): (&mut Vec<u8>, usize),
    cols: usize,
    cells: impl IntoIterator<Item = Cell<'a>>,
) {
    for (col, cell) in cells.into_iter().enumerate() {
        if out.len() >= most {
            break;
        }
        if col > 0 {
            out.push(b',');
        }
        // A row of nothing but nothing would be an empty line, which ends the grid.
        if !cell.is_null() || cols == 1 {
            append_within(out, most, &cell);
        }
    }
    out.push(b'\n');
}

pub(super) fn head(out: &mut Vec<u8>, version: &str, meta: &Dict, cols: &[Col]) {
    head_within((out, usize::MAX), version, (meta, cols));
}

fn head_within((out, most): (&mut Vec<u8>, usize), version: &str, (meta, cols): (&Dict, &[Col])) {
    out.extend_from_slice(b"ver:");
    append_quoted(out, version);
    append_meta((out, most), meta, "ver");
    out.push(b'\n');
    for (place, col) in cols.iter().enumerate() {
        if out.len() >= most {
            break;
        }
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(col.name.as_bytes());
        append_meta((out, most), &col.meta, "");
    }
    out.push(b'\n');
}

/// Entries with a space before each, but for one whose place is taken.
fn append_meta((out, most): (&mut Vec<u8>, usize), meta: &Dict, without: &str) {
    for (tag, value) in meta.iter().filter(|(tag, _)| tag.as_str() != without) {
        if out.len() >= most {
            break;
        }
        out.push(b' ');
        append_entry((out, most), tag, &value.cell());
    }
}

fn append_entry((out, most): (&mut Vec<u8>, usize), tag: &str, value: &Cell<'_>) {
    out.extend_from_slice(tag.as_bytes());
    if !matches!(value, Cell::Marker) {
        out.push(b':');
        append_within(out, most, value);
    }
}

/// Appends a value.
pub(crate) fn append(out: &mut Vec<u8>, value: &Cell<'_>) {
    append_within(out, usize::MAX, value);
}

/// The beginning of a text of about so many bytes.
fn first(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Appends a value, but of long texts, lists, dicts and grids no more than it takes until so many
/// bytes are there.
pub(crate) fn append_within(out: &mut Vec<u8>, most: usize, value: &Cell<'_>) {
    match value {
        Cell::Null => out.push(b'N'),
        Cell::Marker => out.push(b'M'),
        Cell::Na => out.extend_from_slice(b"NA"),
        Cell::Remove => out.push(b'R'),
        Cell::Bool(value) => out.push(if *value { b'T' } else { b'F' }),
        Cell::Number(value, unit) => {
            append_number(out, *value);
            if value.is_finite() {
                out.extend_from_slice(unit.unwrap_or_default().as_bytes());
            }
        }
        Cell::Str(text) => append_quoted(out, first(text, most)),
        Cell::Uri(text) => append_uri(out, first(text, most)),
        Cell::Ref(id, dis) => append_ref(out, id, *dis),
        Cell::Symbol(name) => {
            out.push(b'^');
            out.extend_from_slice(name.as_bytes());
        }
        Cell::Date(date) => date.append(out),
        Cell::Time(time) => time.append(out),
        Cell::DateTime(instant) => instant.append(out),
        Cell::Coord(coord) => out.extend_from_slice(coord.to_string().as_bytes()),
        Cell::XStr(kind, text) => {
            out.extend_from_slice(kind.as_bytes());
            out.push(b'(');
            append_quoted(out, first(text, most));
            out.push(b')');
        }
        Cell::List(list) => append_list(out, most, list),
        Cell::Dict(dict) => append_dict(out, most, dict),
        Cell::Grid(grid) => append_grid(out, most, *grid),
    }
}

fn append_ref(out: &mut Vec<u8>, id: &str, dis: Option<&str>) {
    out.push(b'@');
    out.extend_from_slice(id.as_bytes());
    if let Some(dis) = dis {
        out.push(b' ');
        append_quoted(out, dis);
    }
}

fn append_list(out: &mut Vec<u8>, most: usize, list: &[crate::Value]) {
    out.push(b'[');
    for (place, value) in list.iter().enumerate() {
        if out.len() >= most {
            break;
        }
        if place > 0 {
            out.extend_from_slice(b", ");
        }
        append_within(out, most, &value.cell());
    }
    out.push(b']');
}

fn append_dict(out: &mut Vec<u8>, most: usize, dict: &Dict) {
    out.push(b'{');
    for (place, (tag, value)) in dict.iter().enumerate() {
        if out.len() >= most {
            break;
        }
        if place > 0 {
            out.push(b' ');
        }
        append_entry((out, most), tag, &value.cell());
    }
    out.push(b'}');
}

fn append_grid(out: &mut Vec<u8>, most: usize, grid: &impl Rows) {
    out.extend_from_slice(b"<<\n");
    head_within((out, most), "3.0", (grid.meta(), grid.cols()));
    let cols = grid.cols().len();
    for row in 0..grid.row_count() {
        append_row((out, most), cols, (0..cols).map(|col| grid.cell(row, col)));
        if out.len() >= most {
            break;
        }
    }
    out.extend_from_slice(b">>");
}

/// Appends a text between quotation marks.
pub(crate) fn append_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let plain = rest.iter().take_while(|byte| !needs_escape(**byte)).count();
        let (before, from) = rest.split_at(plain);
        out.extend_from_slice(before);
        let Some((&byte, after)) = from.split_first() else { break };
        append_escape(out, byte);
        rest = after;
    }
    out.push(b'"');
}

fn needs_escape(byte: u8) -> bool {
    byte < b' ' || matches!(byte, b'"' | b'\\' | b'$')
}

fn append_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        8 => b'b',
        12 => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        byte if byte >= b' ' => byte,
        byte => return append_code(out, byte),
    };
    out.extend([b'\\', short]);
}

/// Appends a character by its number.
fn append_code(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"\\u00");
    out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// Appends a URI between backticks. A backslash that separates no special character is written as
/// its number, as two of them would read back as two.
pub(crate) fn append_uri(out: &mut Vec<u8>, text: &str) {
    out.push(b'`');
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'`' => out.extend_from_slice(b"\\`"),
            b'\\' => match bytes.next_if(|next| keeps_backslash(*next)) {
                Some(next) => out.extend([b'\\', next]),
                None => append_code(out, byte),
            },
            // No reader has short forms for these in URIs.
            byte if byte < b' ' => append_code(out, byte),
            byte => out.push(byte),
        }
    }
    out.push(b'`');
}
