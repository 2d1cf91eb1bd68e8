//! Reads CBOR (RFC 8949) with typed arrays (RFC 8746): the form in which RedisJSON saves documents
//! since its encoding version 4. (Versions 2 and 3 are JSON text.)
//!
//! Only what JSON has: a byte string outside a typed array, a map whose keys are no text, a number
//! that is not finite or has more than 64 bits are refused, and so are tags that are not known to
//! leave the value as it is. Maps and arrays may be of indefinite length, strings may not.

use crate::binary::Corrupt;
use crate::build::Builder;
use crate::cell::Cell;
use crate::escape::is_clean;
use crate::lex::MAX_DEPTH;
use crate::packed::Element;
use crate::registry::Registry;
use crate::tree::Num;
use crate::value::Value;

impl Value {
    /// The value of a CBOR data item, all of it. `brain_floats` is the tag of arrays of brain
    /// floats, little-endian, for which there is no standard one.
    ///
    /// # Errors
    /// [`Corrupt`] if it is not well-formed or has no counterpart in JSON.
    ///
    /// ```
    /// use kvist_json::{Registry, Tree, Value};
    /// let mut registry = Registry::new();
    /// // {"a": [1, -2]}
    /// let value = Value::from_cbor(&[0xA1, 0x61, b'a', 0x82, 1, 0x21], None, &mut registry)?;
    /// assert_eq!(format!("{:?}", value.root()), r#"{"a":[1,-2]}"#);
    /// # Ok::<(), kvist_json::Corrupt>(())
    /// ```
    pub fn from_cbor(
        bytes: &[u8],
        brain_floats: Option<u64>,
        registry: &mut Registry,
    ) -> Result<Value, Corrupt> {
        let mut reader = Reader { rest: bytes, brain_floats, build: Builder::new(registry) };
        match reader.item(0) {
            Ok(root) if reader.rest.is_empty() => Ok(reader.build.finish(root)?),
            _ => {
                reader.build.abandon();
                Err(Corrupt)
            }
        }
    }
}

struct Reader<'b, 'r> {
    rest: &'b [u8],
    brain_floats: Option<u64>,
    build: Builder<'r>,
}

/// The first byte of an item, and what follows it.
struct Head {
    major: u8,
    minor: u8,
    argument: u64,
}

/// The additional information that says "until a break".
const INDEFINITE: u8 = 31;
const BREAK: u8 = 0xFF;

impl<'b> Reader<'b, '_> {
    fn take(&mut self, len: usize) -> Result<&'b [u8], Corrupt> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Corrupt)?;
        self.rest = rest;
        Ok(taken)
    }

    fn head(&mut self) -> Result<Head, Corrupt> {
        let first = self.take(1)?[0];
        let (major, minor) = (first >> 5, first & 31);
        let argument = match minor {
            0..24 => u64::from(minor),
            24..28 => {
                let bytes = self.take(1 << (minor - 24))?;
                bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
            INDEFINITE if matches!(major, 4 | 5) => 0,
            _ => return Err(Corrupt),
        };
        Ok(Head { major, minor, argument })
    }

    /// A number of items of which each takes a byte at least.
    fn count(&self, argument: u64) -> Result<usize, Corrupt> {
        let count = usize::try_from(argument).map_err(|_| Corrupt)?;
        if count > self.rest.len() { Err(Corrupt) } else { Ok(count) }
    }

    fn text(&mut self, argument: u64) -> Result<&'b [u8], Corrupt> {
        let count = self.count(argument)?;
        let text = self.take(count)?;
        str::from_utf8(text).map(str::as_bytes).map_err(|_| Corrupt)
    }

    fn item(&mut self, depth: usize) -> Result<Cell, Corrupt> {
        let head = self.head()?;
        match head.major {
            0 => Ok(self.build.num(Num::U64(head.argument))),
            1 => {
                let below = i64::try_from(head.argument).map_err(|_| Corrupt)?;
                Ok(self.build.num(Num::I64(-1 - below)))
            }
            3 => {
                let text = self.text(head.argument)?;
                Ok(self.build.string(text, is_clean(text)))
            }
            4 => self.array(&head, depth + 1),
            5 => self.map(&head, depth + 1),
            6 => self.tagged(head.argument, depth + 1),
            7 => self.simple(&head),
            _ => Err(Corrupt),
        }
    }

    fn simple(&mut self, head: &Head) -> Result<Cell, Corrupt> {
        let value = match (head.minor, head.argument) {
            (20, _) => return Ok(Cell::FALSE),
            (21, _) => return Ok(Cell::TRUE),
            (22 | 23, _) => return Ok(Cell::NULL),
            (25, bits) => Element::F16.read(&bits.to_le_bytes()[..2]),
            (26, bits) => Element::F32.read(&bits.to_le_bytes()[..4]),
            (27, bits) => Element::F64.read(&bits.to_le_bytes()),
            _ => return Err(Corrupt),
        };
        if value.as_f64().is_finite() { Ok(self.build.num(value)) } else { Err(Corrupt) }
    }

    /// Whether another item belongs to a container that was announced with `head`.
    fn has_more(&mut self, head: &Head, read: u64) -> Result<bool, Corrupt> {
        if head.minor != INDEFINITE {
            return Ok(read < head.argument);
        }
        let is_over = *self.rest.first().ok_or(Corrupt)? == BREAK;
        if is_over {
            self.take(1)?;
        }
        Ok(!is_over)
    }

    fn array(&mut self, head: &Head, depth: usize) -> Result<Cell, Corrupt> {
        self.count(head.argument)?;
        if depth > MAX_DEPTH {
            return Err(Corrupt);
        }
        let mark = self.build.mark();
        let mut read = 0;
        while self.has_more(head, read)? {
            let cell = self.item(depth)?;
            self.build.push(cell);
            read += 1;
        }
        Ok(self.build.array(mark))
    }

    fn map(&mut self, head: &Head, depth: usize) -> Result<Cell, Corrupt> {
        self.count(head.argument)?;
        if depth > MAX_DEPTH {
            return Err(Corrupt);
        }
        let mark = self.build.mark();
        let mut read = 0;
        while self.has_more(head, read)? {
            let name = self.head()?;
            if name.major != 3 {
                return Err(Corrupt);
            }
            let name = self.text(name.argument)?;
            self.build.name(name);
            let cell = self.item(depth)?;
            self.build.push(cell);
            read += 1;
        }
        Ok(self.build.object(mark))
    }

    /// A tagged item: an array of numbers, or something that says what it is in vain.
    fn tagged(&mut self, tag: u64, depth: usize) -> Result<Cell, Corrupt> {
        /// "This is CBOR."
        const SELF_DESCRIBED: u64 = 55_799;
        if tag == SELF_DESCRIBED && depth <= MAX_DEPTH {
            return self.item(depth);
        }
        let is_brain = Some(tag) == self.brain_floats;
        let (element, is_big) =
            if is_brain { (Element::Bf16, false) } else { typed_array(tag).ok_or(Corrupt)? };
        let head = self.head()?;
        let bytes = match head.major {
            2 if depth <= MAX_DEPTH => self.take(self.count(head.argument)?)?,
            _ => return Err(Corrupt),
        };
        let width = element.width();
        if bytes.len() % width != 0 {
            return Err(Corrupt);
        }
        let mut numbers = Vec::with_capacity(bytes.len() / width);
        for number in bytes.chunks_exact(width) {
            let mut long = [0; 8];
            long[..width].copy_from_slice(number);
            if is_big {
                long[..width].reverse();
            }
            if !element.read(&long[..width]).as_f64().is_finite() {
                return Err(Corrupt);
            }
            numbers.push(long);
        }
        Ok(self.build.packed(element, &numbers))
    }
}

/// The kind of numbers in an array with this tag, and whether their first byte is the highest.
fn typed_array(tag: u64) -> Option<(Element, bool)> {
    Some(match tag {
        64 | 68 => (Element::U8, false),
        65 => (Element::U16, true),
        66 => (Element::U32, true),
        67 => (Element::U64, true),
        69 => (Element::U16, false),
        70 => (Element::U32, false),
        71 => (Element::U64, false),
        72 => (Element::I8, false),
        73 => (Element::I16, true),
        74 => (Element::I32, true),
        75 => (Element::I64, true),
        77 => (Element::I16, false),
        78 => (Element::I32, false),
        79 => (Element::I64, false),
        80 => (Element::F16, true),
        81 => (Element::Single, true),
        82 => (Element::F64, true),
        84 => (Element::F16, false),
        85 => (Element::Single, false),
        86 => (Element::F64, false),
        _ => return None,
    })
}

#[cfg(test)]
#[path = "redisjson_tests.rs"]
mod tests;
