//! MessagePack to values on the stack.

use crate::interpreter::interrupt::{tick, tick_number};
use crate::interpreter::stack::{Raise, Stack, Type, raise};
use crate::interpreter::state::ScriptState;
use crate::number::truncated;

/// What can be wrong with bytes.
#[derive(Debug)]
enum Fault {
    Missing,
    Bad,
    /// Nothing: the host has ended the script.
    Ended(Raise),
}

pub fn unpack(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    run(stack, script, 0, 0)
}

pub fn unpack_one(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let offset = stack.check_whole_or(2, 0);
    // Where the original takes a second look, what is behind the string is gone.
    if stack.top() > 1 {
        stack.set_top(1);
    }
    run(stack, script, 1, offset)
}

pub fn unpack_limit(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let limit = truncated(stack.check_number(2));
    let offset = stack.check_whole_or(3, 0);
    stack.set_top(1);
    run(stack, script, limit, offset)
}

/// An offset as messages show it.
#[allow(clippy::cast_possible_truncation)] // as the original does
fn cut(offset: i64) -> i32 {
    offset as i32
}

const TOO_MANY: &std::ffi::CStr =
    c"too many return values at once; use unpack_one or unpack_limit instead.";

/// Decodes up to `limit` objects (0: all) from `offset`; with a limit, the offset of what follows
/// comes first, -1 at the end.
fn run(stack: Stack<'_>, script: &mut ScriptState, limit: i64, offset: i64) -> Result<i32, Raise> {
    let text = stack.check_text(1);
    let len = text.len();
    let Some(start) = usize::try_from(offset).ok().filter(|_| limit >= 0) else {
        return Err(raise!(
            stack,
            script,
            "Invalid request to unpack with offset of {} and limit of {len}.",
            cut(offset)
        ));
    };
    if start > len {
        return Err(raise!(
            stack,
            script,
            "Start offset {} greater than input length {len}.",
            cut(offset)
        ));
    }
    let all = limit == 0 && offset == 0;
    let mut reader = Reader { stack, script, depth: 0, rest: &text[start..] };
    if !all {
        stack.push_nil(); // where the offset will be
    }
    let mut count = 0;
    while !reader.rest.is_empty() && (all || i64::from(count) < limit) {
        stack.make_room(2, TOO_MANY);
        match reader.value() {
            Ok(()) => count += 1,
            Err(Fault::Missing) => return Err(stack.raise_at(b"Missing bytes in input.")),
            Err(Fault::Ended(raise)) => return Err(raise),
            Err(Fault::Bad) => return Err(stack.raise_at(b"Bad data format in input.")),
        }
    }
    if all {
        return Ok(count);
    }
    if reader.rest.is_empty() {
        stack.push_number(-1.0);
    } else {
        stack.push_count(len - reader.rest.len());
    }
    stack.replace(-(count + 2));
    Ok(count + 1)
}

/// Elements of an array that wait on the stack until it is known whether one is nil, and the
/// nesting below which they may.
const WAITING: usize = 32;
const SHALLOW: u32 = 64;
/// Levels of nesting that are read: as many as a thread's stack surely bears.
const DEEPEST: u32 = 2000;

struct Reader<'s, 'i> {
    stack: Stack<'s>,
    script: &'i mut ScriptState,
    depth: u32,
    rest: &'s [u8],
}

impl<'s> Reader<'s, '_> {
    #[inline]
    fn take(&mut self, len: usize) -> Result<&'s [u8], Fault> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Fault::Missing)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Fault::Missing)?;
        self.rest = rest;
        Ok(*taken)
    }

    #[allow(clippy::cast_precision_loss)] // integers become doubles in Lua
    fn value(&mut self) -> Result<(), Fault> {
        tick(self.stack, self.script, 1).map_err(Fault::Ended)?;
        let [kind] = self.bytes::<1>()?;
        let number = match kind {
            0x00..=0x7F => f64::from(kind),
            0x80..=0x8F => return self.map(usize::from(kind & 15)),
            0x90..=0x9F => return self.array(usize::from(kind & 15)),
            0xA0..=0xBF => return self.string(usize::from(kind & 31)),
            0xC0 => {
                self.stack.push_nil();
                return Ok(());
            }
            0xC2 | 0xC3 => {
                self.stack.push_boolean(kind == 0xC3);
                return Ok(());
            }
            0xCA => f64::from(f32::from_be_bytes(self.bytes()?)),
            0xCB => f64::from_be_bytes(self.bytes()?),
            0xCC => f64::from(u8::from_be_bytes(self.bytes()?)),
            0xCD => f64::from(u16::from_be_bytes(self.bytes()?)),
            0xCE => f64::from(u32::from_be_bytes(self.bytes()?)),
            // read as signed, so large ones are negative
            0xCF | 0xD3 => i64::from_be_bytes(self.bytes()?) as f64,
            0xD0 => f64::from(i8::from_be_bytes(self.bytes()?)),
            0xD1 => f64::from(i16::from_be_bytes(self.bytes()?)),
            0xD2 => f64::from(i32::from_be_bytes(self.bytes()?)),
            0xD9..=0xDB => {
                let len = self.length(kind - 0xD9)?;
                return self.string(len);
            }
            0xDC | 0xDD => {
                let len = self.length(kind - 0xDC + 1)?;
                return self.array(len);
            }
            0xDE | 0xDF => {
                let len = self.length(kind - 0xDE + 1)?;
                return self.map(len);
            }
            0xE0..=0xFF => f64::from(kind.cast_signed()),
            0xC1 | 0xC4..=0xC9 | 0xD4..=0xD8 => return Err(Fault::Bad),
        };
        self.stack.push_number(number);
        Ok(())
    }

    /// A length of one, two or four bytes.
    fn length(&mut self, size: u8) -> Result<usize, Fault> {
        Ok(match size {
            0 => usize::from(u8::from_be_bytes(self.bytes()?)),
            1 => usize::from(u16::from_be_bytes(self.bytes()?)),
            _ => u32::from_be_bytes(self.bytes()?) as usize,
        })
    }

    fn string(&mut self, len: usize) -> Result<(), Fault> {
        let text = self.take(len)?;
        self.stack.push(text);
        Ok(())
    }

    /// Makes room for a table and a pair; raises where nesting is too deep.
    fn descend(&mut self, place: &std::ffi::CStr) {
        self.depth += 1;
        // More than the interpreter ever gives, so that this raises its error.
        let room = match self.depth {
            0..SHALLOW => 40,
            SHALLOW..=DEEPEST => 3,
            _ => 1 << 20,
        };
        self.stack.make_room(room, place);
    }

    fn array(&mut self, len: usize) -> Result<(), Fault> {
        self.descend(c"in function mp_decode_to_lua_array");
        self.stack.push_nil(); // where the table will be
        let waiting = if self.depth < SHALLOW { len.min(WAITING) } else { 0 };
        let mut holes = false;
        for _ in 0..waiting {
            self.value()?;
            holes |= self.stack.kind(-1) == Type::Nil;
        }
        self.make(waiting, len, holes);
        for n in waiting + 1..=len {
            self.value()?;
            self.stack.raw_set_at(-2, i32::try_from(n).unwrap_or(i32::MAX));
        }
        self.depth -= 1;
        Ok(())
    }

    /// Puts the waiting elements into a table of the size that a table filled one by one has; nil
    /// leaves holes, on which that size depends, so then it is filled that way.
    fn make(&mut self, waiting: usize, len: usize, holes: bool) {
        let count = i32::try_from(waiting).unwrap_or(0);
        let size = if len > waiting && waiting > 0 { waiting + 1 } else { waiting };
        let size = if holes || size == 0 { 0 } else { size.next_power_of_two() };
        self.stack.push_table(i32::try_from(size).unwrap_or(0), 0);
        self.stack.replace(-(count + 2));
        if holes {
            for n in 1..=count {
                self.stack.push_copy(n - count - 1);
                self.stack.raw_set_at(-(count + 2), n);
            }
            return self.stack.pop(count);
        }
        for n in (1..=count).rev() {
            self.stack.raw_set_at(-(n + 1), n);
        }
    }

    fn map(&mut self, len: usize) -> Result<(), Fault> {
        self.descend(c"in function mp_decode_to_lua_hash");
        self.stack.push_table(0, 0);
        for _ in 0..len {
            self.value()?;
            self.value()?;
            let key = self.stack.kind(-2);
            if key == Type::Number {
                tick_number(self.stack, self.script).map_err(Fault::Ended)?;
            }
            // Not raw: a key that is nil or NaN is an error with Lua's text.
            if key == Type::String {
                self.stack.raw_set(-3);
            } else {
                self.stack.set(-3);
            }
        }
        self.depth -= 1;
        Ok(())
    }
}
