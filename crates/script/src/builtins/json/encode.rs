//! Values on the stack to JSON text.

use crate::builtins::json::decode::DEEPEST;
use crate::builtins::json::{Invalid, Settings, settings};
use crate::interpreter::interrupt::{tick, tick_bytes};
use crate::interpreter::stack::{Peek, Raise, Stack, Type, Walk, raise};
use crate::interpreter::state::ScriptState;
use crate::number::write_g;

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

pub fn encode(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    if stack.top() != 1 {
        stack.bad_arg(1, c"expected 1 argument");
    }
    script.buffers.result.clear();
    let mut encoder = Encoder { stack, script, settings: *settings(stack) };
    match stack.peek(1) {
        Peek::Table => encoder.table(1)?,
        plain => encoder.scalar(plain)?,
    }
    stack.push(&script.buffers.result);
    script.buffers.tidy();
    Ok(1)
}

struct Encoder<'s, 'i> {
    stack: Stack<'s>,
    script: &'i mut ScriptState,
    settings: Settings,
}

impl Encoder<'_, '_> {
    /// Appends a value that is no table.
    #[inline]
    fn scalar(&mut self, value: Peek<'_>) -> Result<(), Raise> {
        tick(self.stack, self.script, 1)?;
        let text: &[u8] = match value {
            Peek::Text(text) => return self.string(text),
            Peek::Number(n) => return self.number(n),
            Peek::Boolean(true) => b"true",
            Peek::Boolean(false) => b"false",
            Peek::Nil | Peek::Null => b"null",
            Peek::Table => return Err(self.refuse(Type::Table, "type not supported")),
            Peek::Other(kind) => return Err(self.refuse(kind, "type not supported")),
        };
        self.script.buffers.result.extend_from_slice(text);
        Ok(())
    }

    fn refuse(&mut self, kind: Type, why: &str) -> Raise {
        let name = kind.name();
        raise!(self.stack, self.script, "Cannot serialise {name}: {why}")
    }

    fn string(&mut self, text: &[u8]) -> Result<(), Raise> {
        if self.script.buffers.is_full(text.len()) {
            return Err(self.stack.raise_at(b"not enough memory"));
        }
        tick_bytes(self.stack, self.script, text.len() * 2)?;
        let out = &mut self.script.buffers.result;
        out.reserve(text.len() + 16);
        out.push(b'"');
        let mut rest = text;
        // Eight bytes are copied as they are; those from the first that must not be go again.
        while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
            out.extend_from_slice(chunk);
            let plain = plain_len(u64::from_le_bytes(*chunk));
            if plain == 8 {
                rest = after;
                continue;
            }
            out.truncate(out.len() - 8 + plain);
            escape(out, rest[plain]);
            rest = &rest[plain + 1..];
        }
        for &byte in rest {
            if ESCAPES[usize::from(byte)] == 0 {
                out.push(byte);
            } else {
                escape(out, byte);
            }
        }
        out.push(b'"');
        Ok(())
    }

    fn number(&mut self, n: f64) -> Result<(), Raise> {
        let out = &mut self.script.buffers.result;
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
                self.script,
                "Cannot serialise, excessive nesting ({depth})"
            ));
        }
        tick(self.stack, self.script, 1)?;
        if self.script.buffers.is_full(2) {
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
        let mut walk = Walk::default();
        while let Some((key, _)) = self.stack.walk(-1, &mut walk) {
            tick(self.stack, self.script, 1)?;
            let Peek::Number(key) = key else { return Ok(-1) };
            if !(key >= 1.0 && key.floor() == key) {
                return Ok(-1);
            }
            if key > f64::from(max) {
                max = cut32(key);
            }
            items += 1;
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
        self.script.buffers.result.push(b'[');
        for n in 1..=len {
            if n > 1 {
                self.script.buffers.result.push(b',');
            }
            match self.stack.peek_at(-1, n) {
                Peek::Table => {
                    self.stack.raw_get_at(-1, n);
                    self.table(depth + 1)?;
                    self.stack.pop(1);
                }
                plain => self.scalar(plain)?,
            }
        }
        self.script.buffers.result.push(b']');
        Ok(())
    }

    fn object(&mut self, depth: i32) -> Result<(), Raise> {
        self.script.buffers.result.push(b'{');
        let (mut walk, mut first) = (Walk::default(), true);
        while let Some((key, value)) = self.stack.walk(-1, &mut walk) {
            if !first {
                self.script.buffers.result.push(b',');
            }
            first = false;
            match key {
                Peek::Text(text) => {
                    self.string(text)?;
                    self.script.buffers.result.push(b':');
                }
                Peek::Number(n) => {
                    self.script.buffers.result.push(b'"');
                    self.number(n)?;
                    self.script.buffers.result.extend_from_slice(b"\":");
                }
                other => {
                    let why = "table key must be a number or string";
                    return Err(self.refuse(other.kind(), why));
                }
            }
            match value {
                Peek::Table => {
                    self.stack.push_value(&walk);
                    self.table(depth + 1)?;
                    self.stack.pop(1);
                }
                plain => self.scalar(plain)?,
            }
        }
        self.script.buffers.result.push(b'}');
        Ok(())
    }
}

/// How many of eight bytes stand for themselves before one that does not.
#[inline]
fn plain_len(word: u64) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The lowest bit of each of these is right, and that is all that is looked at.
    let below = |word: u64, n: u8| word.wrapping_sub(LOW * u64::from(n)) & !word & HIGH;
    let is = |word: u64, byte: u8| below(word ^ (LOW * u64::from(byte)), 1);
    let hit =
        below(word, 0x20) | is(word, b'"') | is(word, b'\\') | is(word, b'/') | is(word, 0x7F);
    hit.trailing_zeros() as usize / 8
}

/// Appends a byte that does not stand for itself.
#[inline]
fn escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match ESCAPES[usize::from(byte)] {
        1 => {
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digits[0], digits[1]]);
        }
        letter => out.extend_from_slice(&[b'\\', letter]),
    }
}

/// A whole number cut to 32 bits as the processor does it.
#[allow(clippy::cast_possible_truncation)] // it was checked
fn cut32(n: f64) -> i32 {
    if n < 2_147_483_648.0 { n as i32 } else { i32::MIN }
}
