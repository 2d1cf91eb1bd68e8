//! Values on the stack to JSON text.

use crate::json::decode::DEEPEST;
use crate::json::{Invalid, Settings, settings};
use crate::number::write_g;
use crate::stack::{Raise, Stack, Type, raise};
use crate::state::Inner;

/// What stands for each byte in a string: 0 itself, 1 six characters, else a backslash and this.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 32 {
        table[i] = 1;
        i += 1;
    }
    table[0x7F] = 1;
    table[8] = b'b';
    table[9] = b't';
    table[10] = b'n';
    table[12] = b'f';
    table[13] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'/' as usize] = b'/';
    table
};

pub fn encode(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    if stack.top() != 1 {
        stack.bad_arg(1, c"expected 1 argument");
    }
    inner.buffer.clear();
    let mut encoder = Encoder { stack, inner, settings: *settings(stack) };
    encoder.value(0)?;
    stack.push(&inner.buffer);
    inner.tidy();
    Ok(1)
}

struct Encoder<'s, 'i> {
    stack: Stack<'s>,
    inner: &'i mut Inner,
    settings: Settings,
}

impl Encoder<'_, '_> {
    /// Appends the value on top, which stays.
    fn value(&mut self, depth: i32) -> Result<(), Raise> {
        match self.stack.kind(-1) {
            Type::String => self.string(-1),
            Type::Number => self.number(-1),
            Type::Boolean => {
                let text: &[u8] = if self.stack.is_true(-1) { b"true" } else { b"false" };
                self.inner.buffer.extend_from_slice(text);
                Ok(())
            }
            Type::Table => self.table(depth + 1),
            Type::Nil => {
                self.inner.buffer.extend_from_slice(b"null");
                Ok(())
            }
            Type::Light if self.stack.is_null_pointer(-1) => {
                self.inner.buffer.extend_from_slice(b"null");
                Ok(())
            }
            kind => Err(self.refuse(kind, "type not supported")),
        }
    }

    fn refuse(&mut self, kind: Type, why: &str) -> Raise {
        let name = kind.name();
        raise!(self.stack, self.inner, "Cannot serialise {name}: {why}")
    }

    fn string(&mut self, index: i32) -> Result<(), Raise> {
        let Some(text) = self.stack.text(index) else { return Ok(()) };
        if self.inner.is_full(text.len()) {
            return Err(self.stack.raise_at(b"not enough memory"));
        }
        let out = &mut self.inner.buffer;
        out.reserve(text.len() + 2);
        out.push(b'"');
        let mut rest = text;
        loop {
            let (plain, special) = rest.split_at(plain_len(rest));
            out.extend_from_slice(plain);
            let Some((&byte, after)) = special.split_first() else { break };
            match ESCAPES[usize::from(byte)] {
                0 => out.push(byte),
                1 => {
                    const HEX: &[u8; 16] = b"0123456789abcdef";
                    out.extend_from_slice(b"\\u00");
                    out.push(HEX[usize::from(byte >> 4)]);
                    out.push(HEX[usize::from(byte & 15)]);
                }
                escape => out.extend_from_slice(&[b'\\', escape]),
            }
            rest = after;
        }
        out.push(b'"');
        Ok(())
    }

    fn number(&mut self, index: i32) -> Result<(), Raise> {
        let n = self.stack.number(index);
        let out = &mut self.inner.buffer;
        if n.is_finite() {
            write_g(out, n, usize::try_from(self.settings.precision).unwrap_or(14));
            return Ok(());
        }
        match self.settings.encode_invalid {
            Invalid::Refuse => {
                return Err(self.refuse(Type::Number, "must not be NaN or Inf"));
            }
            Invalid::Null => out.extend_from_slice(b"null"),
            Invalid::Write if n.is_nan() => out.extend_from_slice(b"nan"),
            Invalid::Write => write_g(out, n, 14),
        }
        Ok(())
    }

    fn table(&mut self, depth: i32) -> Result<(), Raise> {
        if depth > self.settings.encode_depth.min(DEEPEST) || !self.stack.has_room(4) {
            return Err(raise!(
                self.stack,
                self.inner,
                "Cannot serialise, excessive nesting ({depth})"
            ));
        }
        if self.inner.is_full(2) {
            return Err(self.stack.raise_at(b"not enough memory"));
        }
        match self.array_len()? {
            len if len > 0 => self.array(depth, len),
            _ => self.object(depth),
        }
    }

    /// The largest index if all keys are positive integers, close enough to each other; else -1.
    /// An empty table is 0, and an object, too.
    fn array_len(&mut self) -> Result<i32, Raise> {
        let (mut max, mut items) = (0i32, 0i32);
        self.stack.push_nil();
        while self.stack.next(-2) {
            let key = if self.stack.kind(-2) == Type::Number { self.stack.number(-2) } else { 0.0 };
            if !(key >= 1.0 && key.floor() == key) {
                self.stack.pop(2);
                return Ok(-1);
            }
            if key > f64::from(max) {
                max = cut32(key);
            }
            items += 1;
            self.stack.pop(1);
        }
        let settings = &self.settings;
        if settings.sparse_ratio > 0
            && max > items.wrapping_mul(settings.sparse_ratio)
            && max > settings.sparse_safe
        {
            if !settings.sparse_convert {
                return Err(self.refuse(Type::Table, "excessively sparse array"));
            }
            return Ok(-1);
        }
        Ok(max)
    }

    fn array(&mut self, depth: i32, len: i32) -> Result<(), Raise> {
        self.inner.buffer.push(b'[');
        for n in 1..=len {
            if n > 1 {
                self.inner.buffer.push(b',');
            }
            self.stack.raw_get_at(-1, n);
            self.value(depth)?;
            self.stack.pop(1);
        }
        self.inner.buffer.push(b']');
        Ok(())
    }

    fn object(&mut self, depth: i32) -> Result<(), Raise> {
        self.inner.buffer.push(b'{');
        let mut first = true;
        self.stack.push_nil();
        while self.stack.next(-2) {
            if !first {
                self.inner.buffer.push(b',');
            }
            first = false;
            match self.stack.kind(-2) {
                Type::Number => {
                    self.inner.buffer.push(b'"');
                    self.number(-2)?;
                    self.inner.buffer.extend_from_slice(b"\":");
                }
                Type::String => {
                    self.string(-2)?;
                    self.inner.buffer.push(b':');
                }
                kind => return Err(self.refuse(kind, "table key must be a number or string")),
            }
            self.value(depth)?;
            self.stack.pop(1);
        }
        self.inner.buffer.push(b'}');
        Ok(())
    }
}

/// How many bytes at the start of a string stand for themselves, eight at a time.
#[inline]
fn plain_len(text: &[u8]) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The lowest bit of each of these is right, and that is all that is looked at.
    let below = |word: u64, n: u8| word.wrapping_sub(LOW * u64::from(n)) & !word & HIGH;
    let is = |word: u64, byte: u8| below(word ^ (LOW * u64::from(byte)), 1);
    let mut at = 0;
    while let Some(chunk) = text.get(at..at + 8) {
        let Ok(chunk) = chunk.try_into() else { break };
        let word = u64::from_le_bytes(chunk);
        let hit =
            below(word, 0x20) | is(word, b'"') | is(word, b'\\') | is(word, b'/') | is(word, 0x7F);
        if hit != 0 {
            return at + hit.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + text[at..].iter().take_while(|&&byte| ESCAPES[usize::from(byte)] == 0).count()
}

/// A whole number cut to 32 bits as the processor does it.
#[allow(clippy::cast_possible_truncation)] // it was checked
fn cut32(n: f64) -> i32 {
    if n < 2_147_483_648.0 { n as i32 } else { i32::MIN }
}
