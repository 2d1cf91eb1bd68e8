//! Reading a token: nothing in it is believed.

use ::graph::value::{DEEPEST, LARGEST, Value};

/// What is wrong with a token.
pub(super) type Wrong = String;

/// The bytes of a token that are left.
pub(super) struct Token<'a> {
    bytes: &'a [u8],
    left: &'a [u8],
    /// Values that the value which is read may still have in it.
    room: u32,
}

impl<'a> Token<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Token { bytes, left: bytes, room: LARGEST }
    }

    pub fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether another has the same bytes.
    pub fn is_as(&self, other: &Token<'_>) -> bool {
        self.bytes == other.bytes
    }

    /// Where it is read.
    pub fn at(&self) -> usize {
        self.bytes.len() - self.left.len()
    }

    /// A text up to a zero byte.
    pub fn text(&mut self) -> Result<&'a str, Wrong> {
        let end = self.left.iter().position(|&byte| byte == 0);
        let end = end.ok_or("a text has no end")?;
        let text = std::str::from_utf8(&self.left[..end]).map_err(|_| "a text is not UTF-8")?;
        self.left = &self.left[end + 1..];
        Ok(text)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        let (array, rest) = self.left.split_first_chunk().ok_or("it ends in a value")?;
        self.left = rest;
        Ok(*array)
    }

    pub fn u32(&mut self) -> Result<u32, Wrong> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Wrong> {
        self.array().map(u64::from_le_bytes)
    }

    /// A value of a property.
    pub fn value(&mut self) -> Result<Value, Wrong> {
        self.room = LARGEST;
        self.nested(0)
    }

    fn nested(&mut self, depth: u32) -> Result<Value, Wrong> {
        // A byte may be a value, which takes many times as much.
        self.room = self.room.checked_sub(1).ok_or("a list is too large")?;
        let [kind] = self.array()?;
        Ok(match kind {
            0 => Value::Null,
            1 => {
                let [byte] = self.array()?;
                Value::Boolean(byte != 0)
            }
            2 => Value::Float(f64::from_le_bytes(self.array()?)),
            3 => Value::from(self.text()?),
            4 => Value::Integer(i64::from_le_bytes(self.array()?)),
            5 => {
                let count = usize::try_from(i64::from_le_bytes(self.array()?)).ok();
                // Each takes a byte at least.
                let count = count.filter(|&count| count <= self.left.len());
                let count = count.ok_or("a list has more elements than there are bytes")?;
                if count > self.room as usize {
                    return Err("a list is too large".to_owned());
                }
                if depth >= DEEPEST.min(MOST_NESTED) {
                    return Err("lists are nested too deeply".to_owned());
                }
                let values: Result<Vec<Value>, Wrong> =
                    (0..count).map(|_| self.nested(depth + 1)).collect();
                Value::list(values?).checked().map_err(|_| "a list is too large")?
            }
            other => return Err(format!("there is no type {other} of values")),
        })
    }
}

/// Lists in lists that are read: each takes some of the stack.
const MOST_NESTED: u32 = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8]) -> Result<Value, Wrong> {
        Token::new(bytes).value()
    }

    #[test]
    fn values_are_read() {
        assert_eq!(value(b"\x03a\xc3\xb6\0"), Ok(Value::from("aö")));
        assert_eq!(value(b"\x01\x01"), Ok(Value::Boolean(true)));
        assert_eq!(value(b"\x04\xff\xff\xff\xff\xff\xff\xff\xff"), Ok(Value::Integer(-1)));
        let list = value(b"\x05\x02\0\0\0\0\0\0\0\0\x03x\0");
        assert_eq!(list, Ok(Value::list([Value::Null, Value::from("x")])));
    }

    #[test]
    fn nothing_is_believed() {
        for (bytes, wrong) in [
            (&b""[..], "it ends in a value"),
            (b"\x04\x01", "it ends in a value"),
            (b"\x03ab", "a text has no end"),
            (b"\x03\xff\0", "a text is not UTF-8"),
            (b"\x06", "there is no type 6 of values"),
            (
                b"\x05\xff\xff\xff\xff\xff\xff\xff\x7f",
                "a list has more elements than there are bytes",
            ),
            (
                b"\x05\xff\xff\xff\xff\xff\xff\xff\xff",
                "a list has more elements than there are bytes",
            ),
        ] {
            assert_eq!(value(bytes), Err(wrong.to_owned()));
        }
        let mut long = b"\x05".to_vec();
        long.extend((u64::from(LARGEST) + 1).to_le_bytes());
        long.resize(long.len() + LARGEST as usize + 1, 0);
        assert_eq!(value(&long), Err("a list is too large".to_owned()));
        let one = b"\x05\x01\0\0\0\0\0\0\0";
        let deep = one.repeat(100_000);
        assert_eq!(value(&deep), Err("lists are nested too deeply".to_owned()));
    }
}
