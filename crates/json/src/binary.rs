//! The binary form: documents in snapshots, in the journal and in `DUMP`.
//!
//! `docs/internals/json.md` has it to the byte. It stands alone: names of objects that share a
//! shape are written once per document, and nothing refers to a registry. Arrays keep their kinds.
//!
//! The reader must accept nothing else than what the writer makes of some value, whatever bytes it
//! is given, and allocate no more than a small multiple of them.

use std::fmt;

use crate::build::Builder;
use crate::cell::{Cell, tag};
use crate::escape::is_clean;
use crate::layout::Form;
use crate::lex::{Fail, MAX_DEPTH};
use crate::node::{Node, Seen};
use crate::packed::Element;
use crate::registry::Registry;
use crate::shape::SHAPE_NAMES;
use crate::tree::{Kind, Num, Tree};
use crate::value::Value;

/// The version that is written, and the only one that is read.
const VERSION: u8 = 1;

/// The first byte of each value.
mod lead {
    pub const NULL: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INTEGER: u8 = 3;
    pub const UNSIGNED: u8 = 4;
    pub const FLOAT: u8 = 5;
    pub const DECIMAL: u8 = 6;
    pub const STRING: u8 = 7;
    pub const ARRAY: u8 = 8;
    pub const PACKED: u8 = 9;
    pub const OBJECT: u8 = 10;
    pub const FORM: u8 = 11;
    pub const SAME_FORM: u8 = 12;
    pub const SHORT_STRING: u8 = 0x20;
    pub const SHORT_ARRAY: u8 = 0x40;
    pub const SMALL: u8 = 0x80;
}

/// Bytes that are not the binary form of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corrupt;

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a JSON document in binary form")
    }
}

impl std::error::Error for Corrupt {}

impl From<Fail> for Corrupt {
    fn from(_: Fail) -> Corrupt {
        Corrupt
    }
}

impl Node<'_> {
    /// Appends the binary form of the value. O(n).
    pub fn encode(self, out: &mut Vec<u8>) {
        out.push(VERSION);
        let places = self.home.shared.len();
        Encoder { out, forms: vec![None; places], count: 0 }.value(self);
    }
}

struct Encoder<'o> {
    out: &'o mut Vec<u8>,
    /// By places in the list of the document, the numbers of the forms that were written.
    forms: Vec<Option<usize>>,
    count: usize,
}

fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

impl Encoder<'_> {
    fn length(&mut self, lead: u8, length: usize) {
        self.out.push(lead);
        put_varint(self.out, length as u64);
    }

    fn text(&mut self, text: &[u8]) {
        put_varint(self.out, text.len() as u64);
        self.out.extend_from_slice(text);
    }

    fn value(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Null => self.out.push(lead::NULL),
            Kind::Bool => {
                let is_true = node.as_bool() == Some(true);
                self.out.push(if is_true { lead::TRUE } else { lead::FALSE });
            }
            Kind::Integer | Kind::Number => self.number(node),
            Kind::String => {
                let text = node.as_bytes().unwrap_or_default();
                match u8::try_from(text.len()) {
                    Ok(len) if len < 32 => {
                        self.out.push(lead::SHORT_STRING + len);
                        self.out.extend_from_slice(text);
                    }
                    _ => {
                        self.out.push(lead::STRING);
                        self.text(text);
                    }
                }
            }
            Kind::Array => self.array(node),
            Kind::Object => self.object(node),
        }
    }

    fn number(&mut self, node: Node<'_>) {
        if let Seen::Cell(cell, _) = node.what
            && cell.tag() == tag::DECIMAL
        {
            let (mantissa, places) = cell.as_decimal();
            self.out.extend_from_slice(&[lead::DECIMAL, places as u8]);
            return put_varint(self.out, zigzag(mantissa.into()));
        }
        match node.as_num() {
            Some(Num::I64(small @ 0..=127)) => self.out.push(lead::SMALL | small as u8),
            Some(Num::I64(value)) => {
                self.out.push(lead::INTEGER);
                put_varint(self.out, zigzag(value));
            }
            Some(Num::U64(value)) => {
                self.out.push(lead::UNSIGNED);
                put_varint(self.out, value);
            }
            Some(Num::F64(value)) => {
                self.out.push(lead::FLOAT);
                self.out.extend_from_slice(&value.to_le_bytes());
            }
            None => self.out.push(lead::NULL),
        }
    }

    fn array(&mut self, node: Node<'_>) {
        let seq = node.cell().and_then(|cell| node.home.arena.seq(cell));
        if let Some(seq) = seq.filter(|seq| seq.element != Element::Cell) {
            self.out.extend_from_slice(&[lead::PACKED, seq.element.code()]);
            put_varint(self.out, seq.len as u64);
            let bytes = node.home.arena.bytes(seq.data, seq.len * seq.element.width());
            return self.out.extend_from_slice(bytes);
        }
        match u8::try_from(node.len()) {
            Ok(len) if len < 64 => self.out.push(lead::SHORT_ARRAY + len),
            _ => self.length(lead::ARRAY, node.len()),
        }
        for element in (0..node.len()).filter_map(|index| node.at(index)) {
            self.value(element);
        }
    }

    fn object(&mut self, node: Node<'_>) {
        let home = node.home;
        let Some(object) = node.cell().and_then(|cell| home.arena.object(cell)) else {
            return self.length(lead::OBJECT, 0);
        };
        let entries = (0..object.used).filter(|&entry| !home.is_hole(&object, entry));
        let is_new = match object.form {
            Form::Shaped(place) => match self.forms[place] {
                Some(number) => {
                    self.length(lead::SAME_FORM, number);
                    false
                }
                None => {
                    self.forms[place] = Some(self.count);
                    self.count += 1;
                    self.length(lead::FORM, object.len);
                    true
                }
            },
            _ => {
                self.length(lead::OBJECT, object.len);
                true
            }
        };
        if is_new {
            for entry in entries.clone() {
                self.text(home.name(&object, entry));
            }
        }
        for entry in entries {
            self.value(Node::new(home, object.value(entry)));
        }
    }
}

impl Value {
    /// The value of a binary form, all of it.
    ///
    /// # Errors
    /// [`Corrupt`] if it is no binary form of a value.
    ///
    /// ```
    /// use kvist_json::{Registry, Value};
    /// let mut registry = Registry::new();
    /// let value = Value::parse(br#"{"a":[1,2.5,"three"]}"#, &mut registry)?;
    /// let mut bytes = Vec::new();
    /// value.root().encode(&mut bytes);
    /// let copy = Value::decode(&bytes, &mut registry)?;
    /// assert!(copy.root().equals(value.root()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(bytes: &[u8], registry: &mut Registry) -> Result<Value, Corrupt> {
        let rest = bytes.strip_prefix(&[VERSION]).ok_or(Corrupt)?;
        let mut decoder = Decoder { rest, forms: Vec::new(), build: Builder::new(registry) };
        match decoder.value(0) {
            Ok(root) if decoder.rest.is_empty() => Ok(decoder.build.finish(root)?),
            _ => {
                decoder.build.abandon();
                Err(Corrupt)
            }
        }
    }
}

struct Decoder<'b, 'r> {
    rest: &'b [u8],
    forms: Vec<ReadForm<'b>>,
    build: Builder<'r>,
}

/// A list of names that objects refer to.
#[derive(Clone, Copy)]
struct ReadForm<'b> {
    count: usize,
    /// The names with their lengths.
    names: &'b [u8],
    /// The slot of the shape that objects of this form have, if it is known.
    shape: Option<u32>,
}

fn take<'b>(rest: &mut &'b [u8], len: usize) -> Result<&'b [u8], Corrupt> {
    let (taken, left) = rest.split_at_checked(len).ok_or(Corrupt)?;
    *rest = left;
    Ok(taken)
}

fn varint(rest: &mut &[u8]) -> Result<u64, Corrupt> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        let part = u64::from(byte & 0x7F);
        if part << shift >> shift != part || (byte == 0 && shift > 0) {
            return Err(Corrupt);
        }
        number |= part << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Corrupt)
}

/// A length, or a number of things that take a byte each at least.
fn length(rest: &mut &[u8]) -> Result<usize, Corrupt> {
    let length = usize::try_from(varint(rest)?).map_err(|_| Corrupt)?;
    if length > rest.len() { Err(Corrupt) } else { Ok(length) }
}

fn signed(rest: &mut &[u8]) -> Result<i64, Corrupt> {
    let number = varint(rest)?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

fn text<'b>(rest: &mut &'b [u8], len: usize) -> Result<&'b [u8], Corrupt> {
    let text = take(rest, len)?;
    str::from_utf8(text).map(str::as_bytes).map_err(|_| Corrupt)
}

impl Decoder<'_, '_> {
    fn value(&mut self, depth: usize) -> Result<Cell, Corrupt> {
        let first = take(&mut self.rest, 1)?[0];
        Ok(match first {
            lead::NULL => Cell::NULL,
            lead::FALSE => Cell::FALSE,
            lead::TRUE => Cell::TRUE,
            lead::SMALL.. => self.build.num(Num::I64(i64::from(first & 0x7F))),
            lead::INTEGER => {
                let value = signed(&mut self.rest)?;
                self.build.num(Num::I64(value))
            }
            lead::UNSIGNED => {
                let value = varint(&mut self.rest)?;
                self.build.num(Num::U64(value))
            }
            lead::FLOAT => {
                let bytes = take(&mut self.rest, 8)?.try_into().map_err(|_| Corrupt)?;
                let value = f64::from_le_bytes(bytes);
                value.is_finite().then(|| self.build.num(Num::F64(value))).ok_or(Corrupt)?
            }
            lead::DECIMAL => self.decimal()?,
            lead::STRING => {
                let len = length(&mut self.rest)?;
                self.string(len)?
            }
            lead::SHORT_STRING..lead::SHORT_ARRAY => {
                self.string(usize::from(first - lead::SHORT_STRING))?
            }
            lead::SHORT_ARRAY..lead::SMALL => {
                self.array(usize::from(first - lead::SHORT_ARRAY), depth + 1)?
            }
            lead::ARRAY => {
                let len = length(&mut self.rest)?;
                self.array(len, depth + 1)?
            }
            lead::PACKED => self.packed(depth + 1)?,
            lead::OBJECT | lead::FORM => self.object(first == lead::FORM, depth + 1)?,
            lead::SAME_FORM => self.same_form(depth + 1)?,
            _ => return Err(Corrupt),
        })
    }

    fn decimal(&mut self) -> Result<Cell, Corrupt> {
        let places = u32::from(take(&mut self.rest, 1)?[0]);
        let mantissa = signed(&mut self.rest)?;
        let size = mantissa.unsigned_abs();
        if places > 0 && size.is_multiple_of(10) {
            return Err(Corrupt);
        }
        Cell::decimal(mantissa < 0, size, places).ok_or(Corrupt)
    }

    fn string(&mut self, len: usize) -> Result<Cell, Corrupt> {
        let text = text(&mut self.rest, len)?;
        Ok(self.build.string(text, is_clean(text)))
    }

    fn array(&mut self, len: usize, depth: usize) -> Result<Cell, Corrupt> {
        if depth > MAX_DEPTH {
            return Err(Corrupt);
        }
        let mark = self.build.mark();
        self.values(len, depth)?;
        Ok(self.build.array(mark))
    }

    fn values(&mut self, count: usize, depth: usize) -> Result<(), Corrupt> {
        for _ in 0..count {
            let cell = self.value(depth)?;
            self.build.push(cell);
        }
        Ok(())
    }

    fn packed(&mut self, depth: usize) -> Result<Cell, Corrupt> {
        let element = Element::from_code(u32::from(take(&mut self.rest, 1)?[0]));
        let len = length(&mut self.rest)?;
        if element == Element::Cell || len == 0 || depth > MAX_DEPTH {
            return Err(Corrupt);
        }
        let width = element.width();
        let bytes = take(&mut self.rest, len.checked_mul(width).ok_or(Corrupt)?)?;
        let mut numbers = Vec::with_capacity(len);
        for number in bytes.chunks_exact(width) {
            if !element.read(number).as_f64().is_finite() {
                return Err(Corrupt);
            }
            let mut long = [0; 8];
            long[..width].copy_from_slice(number);
            numbers.push(long);
        }
        Ok(self.build.packed(element, &numbers))
    }

    fn object(&mut self, is_form: bool, depth: usize) -> Result<Cell, Corrupt> {
        let count = length(&mut self.rest)?;
        if depth > MAX_DEPTH || is_form && !(1..=SHAPE_NAMES).contains(&count) {
            return Err(Corrupt);
        }
        let names = self.rest;
        for _ in 0..count {
            let len = length(&mut self.rest)?;
            text(&mut self.rest, len)?;
        }
        let number = self.forms.len();
        if is_form {
            self.forms.push(ReadForm { count, names, shape: None });
        }
        let mark = self.build.mark();
        self.push_names(names, count)?;
        self.values(count, depth)?;
        let cell = self.build.object(mark);
        if self.build.members(cell) != count {
            return Err(Corrupt); // names that occur twice
        }
        if is_form {
            self.forms[number].shape = self.build.last_shape;
        }
        Ok(cell)
    }

    fn same_form(&mut self, depth: usize) -> Result<Cell, Corrupt> {
        let number = usize::try_from(varint(&mut self.rest)?).map_err(|_| Corrupt)?;
        let ReadForm { count, names, shape } = *self.forms.get(number).ok_or(Corrupt)?;
        if depth > MAX_DEPTH {
            return Err(Corrupt);
        }
        let mark = self.build.mark();
        if let Some(id) = shape {
            self.values(count, depth)?;
            return Ok(self.build.shaped(mark, id));
        }
        self.push_names(names, count)?;
        self.values(count, depth)?;
        let cell = self.build.object(mark);
        if self.build.members(cell) != count {
            return Err(Corrupt); // names that occur twice
        }
        self.forms[number].shape = self.build.last_shape;
        Ok(cell)
    }

    fn push_names(&mut self, mut names: &[u8], count: usize) -> Result<(), Corrupt> {
        for _ in 0..count {
            let len = length(&mut names)?;
            self.build.name(take(&mut names, len)?);
        }
        Ok(())
    }
}
