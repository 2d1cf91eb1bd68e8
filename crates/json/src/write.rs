//! Values as JSON text: compact, or spread over lines.
//!
//! Names of shared shapes are kept as they are written, and strings know whether they can be
//! written as they are, so that most of the work is copying.

use crate::cell::{Cell, tag};
use crate::escape::write_string;
use crate::layout::Form;
use crate::node::{Node, Seen};
use crate::number::{write_decimal, write_i64, write_num, write_single};
use crate::packed::Element;
use crate::value::Value;

/// What is put between the parts of a text: `INDENT`, `NEWLINE` and `SPACE` of `JSON.GET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style<'a> {
    /// At the begin of a line, once per level.
    pub indent: &'a [u8],
    /// At the end of a line.
    pub newline: &'a [u8],
    /// Between a name's colon and the value.
    pub space: &'a [u8],
    /// No more is put anywhere in a text that is longer than this: it is of no use.
    pub room: usize,
}

impl Default for Style<'_> {
    fn default() -> Self {
        Style { indent: b"", newline: b"", space: b"", room: usize::MAX }
    }
}

impl Style<'_> {
    /// Whether nothing is put anywhere.
    #[must_use]
    pub fn is_compact(&self) -> bool {
        self.indent.is_empty() && self.newline.is_empty() && self.space.is_empty()
    }
}

impl Node<'_> {
    /// Appends the value as compact JSON.
    pub fn write(self, out: &mut Vec<u8>) {
        match self.what {
            Seen::Cell(_, at) => write_cell(self.home, at as usize, out),
            Seen::Num(num) => write_num(num, out),
            Seen::Single(single) => write_single(single, out),
        }
    }

    /// Appends the value as JSON in a style, as it looks `level` levels deep in a larger text.
    pub fn write_styled(self, style: &Style<'_>, level: usize, out: &mut Vec<u8>) {
        match self.what {
            Seen::Cell(_, at) if !style.is_compact() => {
                Styled { style, home: self.home }.write(at as usize, level, out);
            }
            _ => self.write(out),
        }
    }
}

#[inline]
fn write_text((text, clean): (&[u8], bool), out: &mut Vec<u8>) {
    if clean {
        out.reserve(text.len() + 2);
        out.push(b'"');
        out.extend_from_slice(text);
        out.push(b'"');
    } else {
        write_string(text, out);
    }
}

fn write_cell(home: &Value, at: usize, out: &mut Vec<u8>) {
    let cell = home.arena.cell(at);
    match cell.tag() {
        tag::INT => write_i64(cell.as_int(), out),
        tag::SHORT | tag::STRING | tag::PAGED => write_text(home.text(at), out),
        tag::LITERAL => write_literal(cell, out),
        tag::DECIMAL => write_decimal(cell, out),
        tag::ARRAY | tag::ROOMY => {
            let mut next = b'[';
            let mut children = home.arena.children(cell);
            while let Some(at) = children.next() {
                out.push(next);
                next = b',';
                write_cell(home, at, out);
            }
            out.push(b']');
        }
        tag::PACKED | tag::ROOMY_PACKED => write_packed(home, cell, out),
        tag::SHAPED | tag::PAIRS | tag::TABLE => write_object(home, cell, out),
        _ => write_scalar(home, cell, out),
    }
}

fn write_scalar(home: &Value, cell: Cell, out: &mut Vec<u8>) {
    if let Some(num) = home.num(cell) {
        write_num(num, out);
    }
}

fn write_literal(cell: Cell, out: &mut Vec<u8>) {
    out.extend_from_slice(match cell {
        Cell::FALSE => b"false",
        Cell::TRUE => b"true",
        Cell::EMPTY_ARRAY => b"[]",
        Cell::EMPTY_OBJECT => b"{}",
        _ => b"null",
    });
}

fn write_packed(home: &Value, cell: Cell, out: &mut Vec<u8>) {
    let Some(seq) = home.arena.seq(cell) else { return };
    let mut next = b'[';
    for index in 0..seq.len {
        out.push(next);
        next = b',';
        let bytes = home.arena.bytes(seq.at(index), seq.element.width());
        write_element(seq.element, bytes, out);
    }
    out.push(b']');
}

/// An element of a packed array. A single that was asked for is not shown as the double it is equal
/// to: `0.1`, and not `0.10000000149011612`.
fn write_element(element: Element, bytes: &[u8], out: &mut Vec<u8>) {
    match (element, bytes.try_into()) {
        (Element::Single, Ok(bytes)) => write_single(f32::from_le_bytes(bytes), out),
        _ => write_num(element.read(bytes), out),
    }
}

fn write_object(home: &Value, cell: Cell, out: &mut Vec<u8>) {
    let Some(object) = home.arena.object(cell) else { return };
    let mut next = b'{';
    if let Form::Shaped(place) = object.form {
        let Some(shape) = home.shape(place) else { return };
        for entry in 0..object.len {
            out.push(next);
            next = b',';
            out.extend_from_slice(shape.wire(entry));
            write_cell(home, object.value(entry), out);
        }
    } else {
        for entry in 0..object.used {
            if home.is_hole(&object, entry) {
                continue;
            }
            out.push(next);
            next = b',';
            write_text(home.text(object.name(entry)), out);
            out.push(b':');
            write_cell(home, object.value(entry), out);
        }
    }
    out.push(b'}');
}

/// A writer of text that is spread over lines.
struct Styled<'a> {
    style: &'a Style<'a>,
    home: &'a Value,
}

impl Styled<'_> {
    fn line(&self, level: usize, out: &mut Vec<u8>) {
        if out.len() > self.style.room {
            return;
        }
        out.extend_from_slice(self.style.newline);
        for _ in 0..level {
            out.extend_from_slice(self.style.indent);
        }
    }

    fn write(&self, at: usize, level: usize, out: &mut Vec<u8>) {
        let cell = self.home.arena.cell(at);
        if let Some(seq) = self.home.arena.seq(cell) {
            for index in 0..seq.len {
                out.push(if index == 0 { b'[' } else { b',' });
                self.line(level + 1, out);
                if seq.element == Element::Cell {
                    self.write(seq.at(index), level + 1, out);
                } else {
                    let bytes = self.home.arena.bytes(seq.at(index), seq.element.width());
                    write_element(seq.element, bytes, out);
                }
            }
            self.line(level, out);
            out.push(b']');
        } else if let Some(object) = self.home.arena.object(cell) {
            let mut next = b'{';
            for entry in (0..object.used).filter(|&entry| !self.home.is_hole(&object, entry)) {
                out.push(next);
                next = b',';
                self.line(level + 1, out);
                write_string(self.home.name(&object, entry), out);
                out.push(b':');
                if out.len() <= self.style.room {
                    out.extend_from_slice(self.style.space);
                }
                self.write(object.value(entry), level + 1, out);
            }
            self.line(level, out);
            out.push(b'}');
        } else {
            write_cell(self.home, at, out);
        }
    }
}
