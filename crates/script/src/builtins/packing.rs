//! The library `struct`: numbers and strings to bytes and back, by a format of letters.

use crate::interpreter::frame::entry;
use crate::interpreter::interrupt::tick_bytes;
use crate::interpreter::stack::{Raise, Stack, raise};
use crate::interpreter::state::ScriptState;
use crate::number::{truncated, truncated_unsigned};

/// Bytes the widest integer may take.
const WIDEST: i32 = 32;
/// The alignment of `!` without a number.
const NATURAL: i32 = 8;

/// Pushes the library.
pub fn open(stack: Stack<'_>) {
    stack.push_table(0, 4);
    let functions = [(c"pack", entry!(pack)), (c"unpack", entry!(unpack)), (c"size", entry!(size))];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
}

/// A format being read, and what it has set so far.
struct Format<'s> {
    letters: &'s [u8],
    big: bool,
    align: usize,
}

impl<'s> Format<'s> {
    fn new(stack: Stack<'s>) -> Self {
        let letters = stack.check_text(1);
        let end = memchr::memchr(0, letters).unwrap_or(letters.len());
        Format { letters: &letters[..end], big: cfg!(target_endian = "big"), align: 1 }
    }

    /// The next letter and the size it asks for.
    fn next(
        &mut self,
        stack: Stack<'_>,
        script: &mut ScriptState,
    ) -> Result<Option<(u8, usize)>, Raise> {
        let Some((&letter, rest)) = self.letters.split_first() else { return Ok(None) };
        self.letters = rest;
        let size = match letter {
            b'b' | b'B' | b'x' => 1,
            b'h' | b'H' => 2,
            b'f' => 4,
            b'l' | b'L' | b'T' | b'd' => 8,
            b'c' => self.count(stack, 1)?,
            b'i' | b'I' => {
                let size = self.count(stack, 4)?;
                if size > WIDEST {
                    return Err(raise!(
                        stack,
                        script,
                        "integral size {size} is larger than limit of {WIDEST}"
                    ));
                }
                size
            }
            _ => 0,
        };
        Ok(Some((letter, usize::try_from(size).unwrap_or(0))))
    }

    /// The number here, if there is one.
    fn count(&mut self, stack: Stack<'_>, default: i32) -> Result<i32, Raise> {
        let digits = self.letters.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(default);
        }
        let (number, rest) = self.letters.split_at(digits);
        self.letters = rest;
        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| stack.raise_at(b"integral size overflow"))
    }

    /// Bytes to skip at a position so that an item is aligned.
    fn padding(&self, at: usize, letter: u8, size: usize) -> usize {
        if size == 0 || letter == b'c' {
            return 0;
        }
        let size = size.min(self.align);
        size.wrapping_sub(at & size.wrapping_sub(1)) & size.wrapping_sub(1)
    }

    /// A letter that stands for no item.
    fn control(
        &mut self,
        stack: Stack<'_>,
        script: &mut ScriptState,
        letter: u8,
    ) -> Result<(), Raise> {
        match letter {
            b' ' => {}
            b'>' => self.big = true,
            b'<' => self.big = false,
            b'!' => {
                let align = self.count(stack, NATURAL)?;
                if align <= 0 || align & (align - 1) != 0 {
                    return Err(raise!(stack, script, "alignment {align} is not a power of 2"));
                }
                self.align = usize::try_from(align).unwrap_or(1);
            }
            _ => {
                let text = &mut script.buffers.text;
                text.clear();
                text.extend_from_slice(b"invalid format option '");
                text.extend_from_slice(&[letter, b'\'', 0]);
                let text = std::ffi::CStr::from_bytes_until_nul(text).unwrap_or_default();
                stack.bad_arg(1, text);
            }
        }
        Ok(())
    }
}

fn pack(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let mut format = Format::new(stack);
    stack.push_nil(); // what is missing is nil, not "no value"
    script.buffers.result.clear();
    let mut arg = 2;
    // As in the original, the position also counts zero bytes of strings twice over.
    let mut at = 0usize;
    while let Some((letter, mut size)) = format.next(stack, script)? {
        let padding = format.padding(at, letter, size);
        at += padding;
        script.buffers.result.resize(script.buffers.result.len() + padding, 0);
        match letter {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                let value = truncated_unsigned(stack.check_number(arg));
                arg += 1;
                let byte =
                    |n: usize| value.checked_shr(8 * u32_of(n)).unwrap_or(0).to_le_bytes()[0];
                if format.big {
                    script.buffers.result.extend((0..size).rev().map(byte));
                } else {
                    script.buffers.result.extend((0..size).map(byte));
                }
            }
            b'x' => script.buffers.result.push(0),
            b'f' => {
                #[allow(clippy::cast_possible_truncation)] // the format says so
                let value = stack.check_number(arg) as f32;
                arg += 1;
                let bytes = if format.big { value.to_be_bytes() } else { value.to_le_bytes() };
                script.buffers.result.extend(bytes);
            }
            b'd' => {
                let value = stack.check_number(arg);
                arg += 1;
                let bytes = if format.big { value.to_be_bytes() } else { value.to_le_bytes() };
                script.buffers.result.extend(bytes);
            }
            b'c' | b's' => {
                let text = stack.check_text(arg);
                arg += 1;
                if size == 0 {
                    size = text.len();
                }
                let Some(text) = text.get(..size) else {
                    stack.bad_arg(arg, c"string too short");
                };
                if script.buffers.is_full(size) {
                    return Err(stack.raise_at(b"not enough memory"));
                }
                tick_bytes(stack, script, size)?;
                script.buffers.result.extend_from_slice(text);
                if letter == b's' {
                    script.buffers.result.push(0);
                    size += 1;
                }
            }
            _ => format.control(stack, script, letter)?,
        }
        at += size;
    }
    stack.push(&script.buffers.result);
    script.buffers.tidy();
    Ok(1)
}

fn u32_of(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX / 8)
}

fn unpack(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let mut format = Format::new(stack);
    let data = stack.check_text(2);
    let start = match stack.kind(3) {
        crate::interpreter::stack::Type::None | crate::interpreter::stack::Type::Nil => 1,
        _ => truncated(stack.check_number(3)),
    };
    if start == 0 {
        stack.bad_arg(3, c"offset must be 1 or greater");
    }
    stack.set_top(2);
    // A negative offset is one far behind the end.
    let mut at = usize::try_from(start - 1).unwrap_or(usize::MAX / 2);
    let mut count = 0;
    while let Some((letter, mut size)) = format.next(stack, script)? {
        at += format.padding(at, letter, size);
        let Some(mut item) = at.checked_add(size).and_then(|end| data.get(at..end)) else {
            stack.bad_arg(2, c"data string too short");
        };
        stack.make_room(2, c"too many results");
        match letter {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                stack.push_number(integer(item, format.big, letter.is_ascii_lowercase()));
                count += 1;
            }
            b'x' => {}
            b'f' | b'd' => {
                stack.push_number(float(item, format.big));
                count += 1;
            }
            b'c' => {
                if size == 0 {
                    if count == 0 || !stack.is_numeric(-1) {
                        return Err(stack.raise_at(b"format 'c0' needs a previous size"));
                    }
                    size =
                        usize::try_from(truncated_unsigned(stack.number(-1))).unwrap_or(usize::MAX);
                    stack.pop(1);
                    count -= 1;
                    let Some(found) = at.checked_add(size).and_then(|end| data.get(at..end)) else {
                        stack.bad_arg(2, c"data string too short");
                    };
                    item = found;
                }
                stack.push(item);
                count += 1;
            }
            b's' => {
                let rest = data.get(at..).unwrap_or_default();
                let Some(len) = memchr::memchr(0, rest) else {
                    return Err(stack.raise_at(b"unfinished string in data"));
                };
                stack.push(&rest[..len]);
                size = len + 1;
                count += 1;
            }
            _ => format.control(stack, script, letter)?,
        }
        at += size;
    }
    stack.push_count(at + 1);
    Ok(count + 1)
}

/// The integer in some bytes. Of more than eight, the first or last eight count, as they pass
/// through a register of 64 bits.
#[allow(clippy::cast_precision_loss)] // numbers of Lua are doubles
fn integer(item: &[u8], big: bool, signed: bool) -> f64 {
    let join = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
    let bits = if big { item.iter().fold(0, join) } else { item.iter().rev().fold(0, join) };
    if !signed {
        return bits as f64;
    }
    let sign = u64::MAX.wrapping_shl(u32_of(item.len()).wrapping_mul(8).wrapping_sub(1));
    let bits = if bits & sign == 0 { bits } else { bits | sign };
    bits.cast_signed() as f64
}

fn float(item: &[u8], big: bool) -> f64 {
    if let Ok(bytes) = <[u8; 4]>::try_from(item) {
        return f64::from(if big { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) });
    }
    let bytes = <[u8; 8]>::try_from(item).unwrap_or_default();
    if big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
}

fn size(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let mut format = Format::new(stack);
    let mut at = 0usize;
    while let Some((letter, size)) = format.next(stack, script)? {
        at += format.padding(at, letter, size);
        if letter == b's' {
            stack.bad_arg(1, c"option 's' has no fixed size");
        }
        if letter == b'c' && size == 0 {
            stack.bad_arg(1, c"option 'c0' has no fixed size");
        }
        if !letter.is_ascii_alphanumeric() {
            format.control(stack, script, letter)?;
        }
        at += size;
    }
    stack.push_count(at);
    Ok(1)
}
