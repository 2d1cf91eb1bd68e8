//! JSON text to values on the stack, in one pass without tokens in between.
//!
//! What is wrong with a text is told as the original does: which token was expected and which was
//! found. So when something does not fit, the offending token is read once more, for its name.

use crate::builtins::json::settings;
use crate::interpreter::interrupt::{tick, tick_bytes};
use crate::interpreter::stack::{Raise, Stack, raise};
use crate::interpreter::state::ScriptState;
use crate::number::read_f64;

/// Elements of an array that wait on the stack until their number, and so the size of the table,
/// is known.
const WAITING: i32 = 32;
/// Levels of nesting that are read, whatever was set: as many as a thread's stack surely bears.
pub const DEEPEST: i32 = 2000;
/// Nesting below which arrays may use that much of the stack.
const SHALLOW: i32 = 64;

pub fn decode(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    if stack.top() != 1 {
        stack.bad_arg(1, c"expected 1 argument");
    }
    let text = stack.check_text(1);
    let settings = *settings(stack);
    if text.len() >= 2 && (text[0] == 0 || text[1] == 0) {
        return Err(stack.raise_at(b"JSON parser does not support UTF-16 or UTF-32"));
    }
    tick_bytes(stack, script, text.len())?;
    let mut decoder = Decoder {
        stack,
        script,
        // The original relies on the zero byte behind a string of Lua, which also ends a text.
        text: &text[..memchr::memchr(0, text).unwrap_or(text.len())],
        at: 0,
        depth: 0,
        max_depth: settings.decode_depth,
        invalid: settings.decode_invalid,
    };
    decoder.value()?;
    decoder.space();
    if decoder.at < decoder.text.len() {
        return Err(decoder.unexpected("the end"));
    }
    Ok(1)
}

struct Decoder<'s, 'i> {
    stack: Stack<'s>,
    script: &'i mut ScriptState,
    text: &'s [u8],
    at: usize,
    depth: i32,
    max_depth: i32,
    invalid: bool,
}

/// What a string is made of besides bytes that stand for themselves.
#[derive(Debug)]
struct Fault {
    text: &'static str,
    at: usize,
}

impl Decoder<'_, '_> {
    /// The next byte, 0 at the end.
    #[inline]
    fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    fn space(&mut self) {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<(), Raise> {
        tick(self.stack, self.script, 2)?;
        self.space();
        match self.byte() {
            b'"' => self.string(),
            b'{' => self.object(),
            b'[' => self.array(),
            b'-' | b'0'..=b'9' => self.number(),
            b't' if self.text[self.at..].starts_with(b"true") => {
                self.at += 4;
                self.stack.push_boolean(true);
                Ok(())
            }
            b'f' if self.text[self.at..].starts_with(b"false") => {
                self.at += 5;
                self.stack.push_boolean(false);
                Ok(())
            }
            b'n' if self.text[self.at..].starts_with(b"null") => {
                self.at += 4;
                self.stack.push_null_pointer();
                Ok(())
            }
            _ if self.invalid && looks_invalid(&self.text[self.at..]) => self.number(),
            _ => Err(self.unexpected("value")),
        }
    }

    #[inline]
    fn number(&mut self) -> Result<(), Raise> {
        if let Some((n, len)) = plain_number(&self.text[self.at..]) {
            self.at += len;
            self.stack.push_number(n);
            return Ok(());
        }
        let rest = &self.text[self.at..];
        match read_f64(rest) {
            Some((n, len)) if self.invalid || !looks_invalid(rest) => {
                self.at += len;
                self.stack.push_number(n);
                Ok(())
            }
            _ => Err(self.unexpected("value")),
        }
    }

    /// Pushes the string that begins here.
    #[inline]
    fn string(&mut self) -> Result<(), Raise> {
        let start = self.at + 1;
        let end = start + plain_len(&self.text[start..]);
        if self.text.get(end) == Some(&b'"') {
            self.stack.push(&self.text[start..end]);
            self.at = end + 1;
            return Ok(());
        }
        match unescape(self.text, start, &mut self.script.buffers.result) {
            Ok(end) => {
                self.stack.push(&self.script.buffers.result);
                self.at = end;
                Ok(())
            }
            Err(_) => Err(self.unexpected("value")),
        }
    }

    fn descend(&mut self, slots: i32) -> Result<(), Raise> {
        self.depth += 1;
        self.at += 1;
        if self.depth <= self.max_depth.min(DEEPEST) && self.stack.has_room(slots) {
            return Ok(());
        }
        let (depth, at) = (self.depth, self.at);
        Err(raise!(
            self.stack,
            self.script,
            "Found too many nested data structures ({depth}) at character {at}"
        ))
    }

    fn array(&mut self) -> Result<(), Raise> {
        self.descend(if self.depth < SHALLOW { WAITING + 4 } else { 2 })?;
        self.space();
        if self.byte() == b']' {
            self.at += 1;
            self.depth -= 1;
            self.stack.push_table(0, 0);
            return Ok(());
        }
        let (mut made, mut count) = (false, 0);
        self.stack.push_nil(); // where the table will be
        let wait = if self.depth <= SHALLOW { WAITING } else { 0 };
        loop {
            if !made && count == wait {
                self.make(count, count + 1);
                made = true;
            }
            self.value()?;
            count += 1;
            if made {
                self.stack.raw_set_at(-2, count);
            }
            self.space();
            match self.byte() {
                b',' => self.at += 1,
                b']' => break,
                _ => return Err(self.unexpected("comma or array end")),
            }
        }
        self.at += 1;
        self.depth -= 1;
        if !made {
            self.make(count, count);
        }
        Ok(())
    }

    /// Puts the waiting elements into a table of the size that a table filled one by one has.
    fn make(&mut self, waiting: i32, size: i32) {
        let size = u32::try_from(size).unwrap_or(0).next_power_of_two();
        self.stack.push_table(i32::try_from(size).unwrap_or(0), 0);
        self.stack.replace(-(waiting + 2));
        for n in (1..=waiting).rev() {
            self.stack.raw_set_at(-(n + 1), n);
        }
    }

    fn object(&mut self) -> Result<(), Raise> {
        self.descend(3)?;
        self.stack.push_table(0, 0);
        self.space();
        if self.byte() == b'}' {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            if self.byte() != b'"' || self.string().is_err() {
                return Err(self.unexpected("object key string"));
            }
            self.space();
            if self.byte() != b':' {
                return Err(self.unexpected("colon"));
            }
            self.at += 1;
            self.value()?;
            self.stack.raw_set(-3);
            self.space();
            match self.byte() {
                b',' => self.at += 1,
                b'}' => break,
                _ => return Err(self.unexpected("comma or object end")),
            }
            self.space();
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    /// The error that something else was expected than the token that is here.
    fn unexpected(&mut self, expected: &str) -> Raise {
        let (found, at) = self.token();
        let at = at + 1;
        raise!(self.stack, self.script, "Expected {expected} but found {found} at character {at}")
    }

    /// The name of the token here, or what is wrong with it, and where.
    fn token(&mut self) -> (&'static str, usize) {
        let (at, rest) = (self.at, &self.text[self.at..]);
        let found = match self.byte() {
            0 => "T_END",
            b'{' => "T_OBJ_BEGIN",
            b'}' => "T_OBJ_END",
            b'[' => "T_ARR_BEGIN",
            b']' => "T_ARR_END",
            b',' => "T_COMMA",
            b':' => "T_COLON",
            b'"' => match unescape(self.text, at + 1, &mut self.script.buffers.result) {
                Ok(_) => "T_STRING",
                Err(fault) => return (fault.text, fault.at),
            },
            b'-' | b'0'..=b'9' if !self.invalid && looks_invalid(rest) => "invalid number",
            b'-' | b'0'..=b'9' if read_f64(rest).is_none() => "invalid number",
            b'-' | b'0'..=b'9' => "T_NUMBER",
            b't' if rest.starts_with(b"true") => "T_BOOLEAN",
            b'f' if rest.starts_with(b"false") => "T_BOOLEAN",
            b'n' if rest.starts_with(b"null") => "T_NULL",
            b'+' | b'i' | b'I' | b'n' | b'N' if self.invalid && looks_invalid(rest) => {
                if read_f64(rest).is_some() { "T_NUMBER" } else { "invalid number" }
            }
            _ => "invalid token",
        };
        (found, at)
    }
}

/// A number of at most 15 digits and a small power of ten: both are exact as doubles, so one
/// multiplication or division rounds correctly (Clinger's fast path).
#[inline]
#[allow(clippy::cast_precision_loss)] // 15 digits fit
fn plain_number(text: &[u8]) -> Option<(f64, usize)> {
    const TENS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut at, mut whole, mut point) = (start, 0u64, None);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => {
                if at - start > 15 {
                    return None;
                }
                whole = whole * 10 + u64::from(byte - b'0');
            }
            b'.' if point.is_none() && at > start => point = Some(at),
            b'.' | b'e' | b'E' | b'x' | b'X' => return None,
            _ => break,
        }
        at += 1;
    }
    let len = at - start;
    let leading_zero = len > 1 && text[start] == b'0' && text[start + 1] != b'.';
    if len == 0 || leading_zero || point == Some(at - 1) {
        return None;
    }
    if len > 15 + usize::from(point.is_some()) {
        return None;
    }
    let mut n = whole as f64;
    if let Some(point) = point {
        n /= TENS[at - point - 1];
    }
    Some((if negative { -n } else { n }, at))
}

/// Numbers that C reads and JSON does not have.
fn looks_invalid(text: &[u8]) -> bool {
    if text.first() == Some(&b'+') {
        return true;
    }
    let body = text.strip_prefix(b"-").unwrap_or(text);
    match body {
        [b'0', next, ..] => matches!(next, b'x' | b'X' | b'0'..=b'9'),
        [b'0'..=b'9', ..] => false,
        _ => body.get(..3).is_some_and(|word| {
            word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"nan")
        }),
    }
}

/// How many bytes of a string stand for themselves.
#[inline]
fn plain_len(text: &[u8]) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte of `word ^ pattern` is zero where the pattern's byte is.
    let zero = |word: u64| word.wrapping_sub(LOW) & !word & HIGH;
    let mut at = 0;
    while let Some(chunk) = text.get(at..at + 8) {
        let Ok(chunk) = chunk.try_into() else { break };
        let word = u64::from_le_bytes(chunk);
        let hit = zero(word ^ (LOW * u64::from(b'"'))) | zero(word ^ (LOW * u64::from(b'\\')));
        if hit != 0 {
            return at + hit.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + text[at..].iter().take_while(|&&byte| byte != b'"' && byte != b'\\').count()
}

/// Copies a string that begins at `start`, after its quote; the position behind its end.
fn unescape(text: &[u8], start: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    out.clear();
    let mut at = start;
    loop {
        let plain = plain_len(&text[at..]);
        out.extend_from_slice(&text[at..at + plain]);
        at += plain;
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            None => return Err(Fault { text: "unexpected end of string", at }),
            Some(_) => {}
        }
        let byte = match text.get(at + 1) {
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'u') => {
                let Some((code, len)) = code_point(&text[at..]) else {
                    return Err(Fault { text: "invalid unicode escape code", at });
                };
                write_utf8(out, code);
                at += len;
                continue;
            }
            _ => return Err(Fault { text: "invalid escape code", at }),
        };
        out.push(byte);
        at += 2;
    }
}

/// The code point of `\uXXXX` or of a pair of surrogates, and its length.
fn code_point(text: &[u8]) -> Option<(u32, usize)> {
    let high = hex4(text.get(2..6)?)?;
    if high & 0xF800 != 0xD800 {
        return Some((high, 6));
    }
    if high & 0x400 != 0 || text.get(6..8)? != b"\\u" {
        return None;
    }
    let low = hex4(text.get(8..12)?)?;
    (low & 0xFC00 == 0xDC00).then(|| (((high & 0x3FF) << 10 | low & 0x3FF) + 0x1_0000, 12))
}

fn hex4(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |sum, &byte| Some(sum << 4 | char::from(byte).to_digit(16)?))
}

fn write_utf8(out: &mut Vec<u8>, code: u32) {
    let mut room = [0; 4];
    // Surrogates were sorted out, so every code is a character.
    let text = char::from_u32(code).map_or("", |c| c.encode_utf8(&mut room));
    out.extend_from_slice(text.as_bytes());
}
