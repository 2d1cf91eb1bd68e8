//! Values on the stack to MessagePack.

use crate::interpreter::interrupt::{tick, tick_bytes};
use crate::interpreter::stack::{Peek, Raise, Stack, Walk};
use crate::interpreter::state::ScriptState;
use crate::number::exact;

/// Tables nested deeper than this are nil.
const NESTING: u32 = 16;

pub fn pack(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let count = stack.top();
    if count == 0 {
        stack.bad_arg(0, c"MessagePack pack needs input.");
    }
    if !stack.has_room(count) {
        stack.bad_arg(0, c"Too many arguments for MessagePack pack.");
    }
    script.buffers.result.clear();
    for arg in 1..=count {
        stack.make_room(1, c"in function mp_check");
        match stack.peek(arg) {
            Peek::Table => {
                stack.push_copy(arg);
                table(stack, script, 0)?;
                stack.pop(1);
            }
            plain => scalar(stack, script, plain)?,
        }
    }
    stack.push(&script.buffers.result);
    script.buffers.tidy();
    Ok(1)
}

/// Appends a value; what has no form of its own is nil.
#[inline]
fn scalar(stack: Stack<'_>, script: &mut ScriptState, value: Peek<'_>) -> Result<(), Raise> {
    tick(stack, script, 1)?;
    match value {
        Peek::Text(text) => {
            tick_bytes(stack, script, text.len())?;
            if script.buffers.is_full(text.len()) {
                return Err(stack.raise_at(b"not enough memory"));
            }
            let out = &mut script.buffers.result;
            out.reserve(text.len() + 5);
            head(out, text.len(), (0xA0, 32), Some(0xD9), [0xDA, 0xDB]);
            out.extend_from_slice(text);
        }
        Peek::Boolean(b) => script.buffers.result.push(if b { 0xC3 } else { 0xC2 }),
        Peek::Number(n) => number(&mut script.buffers.result, n),
        _ => script.buffers.result.push(0xC0),
    }
    Ok(())
}

/// A count with its type: in the type's byte if it is small, else behind it.
fn head(out: &mut Vec<u8>, len: usize, fix: (u8, u8), eight: Option<u8>, wide: [u8; 2]) {
    let (base, end) = fix;
    match (u8::try_from(len), u16::try_from(len), u32::try_from(len)) {
        (Ok(len), ..) if len < end => out.push(base | len),
        (Ok(len), ..) if eight.is_some() => out.extend([eight.unwrap_or_default(), len]),
        (_, Ok(len), _) => {
            out.push(wide[0]);
            out.extend(len.to_be_bytes());
        }
        (.., len) => {
            out.push(wide[1]);
            out.extend(len.unwrap_or(u32::MAX).to_be_bytes());
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::float_cmp)] // whether it is exact is the question
fn number(out: &mut Vec<u8>, n: f64) {
    match exact(n) {
        Some(whole) => integer(out, whole),
        None if f64::from(n as f32) == n => {
            out.push(0xCA);
            out.extend((n as f32).to_be_bytes());
        }
        None => {
            out.push(0xCB);
            out.extend(n.to_be_bytes());
        }
    }
}

fn integer(out: &mut Vec<u8>, n: i64) {
    if let Ok(n) = u64::try_from(n) {
        match (u8::try_from(n), u16::try_from(n), u32::try_from(n)) {
            (Ok(n), ..) if n < 128 => out.push(n),
            (Ok(n), ..) => out.extend([0xCC, n]),
            (_, Ok(n), _) => {
                out.push(0xCD);
                out.extend(n.to_be_bytes());
            }
            (.., Ok(n)) => {
                out.push(0xCE);
                out.extend(n.to_be_bytes());
            }
            _ => {
                out.push(0xCF);
                out.extend(n.to_be_bytes());
            }
        }
        return;
    }
    match (i8::try_from(n), i16::try_from(n), i32::try_from(n)) {
        (Ok(n), ..) if n >= -32 => out.push(n.cast_unsigned()),
        (Ok(n), ..) => out.extend([0xD0, n.cast_unsigned()]),
        (_, Ok(n), _) => {
            out.push(0xD1);
            out.extend(n.to_be_bytes());
        }
        (.., Ok(n)) => {
            out.push(0xD2);
            out.extend(n.to_be_bytes());
        }
        _ => {
            out.push(0xD3);
            out.extend(n.to_be_bytes());
        }
    }
}

/// Appends the table on top, which stays.
fn table(stack: Stack<'_>, script: &mut ScriptState, level: u32) -> Result<(), Raise> {
    if level >= NESTING {
        script.buffers.result.push(0xC0);
        return Ok(());
    }
    stack.make_room(4, c"in function mp_encode_lua_table");
    if script.buffers.is_full(8) {
        return Err(stack.raise_at(b"not enough memory"));
    }
    tick(stack, script, 1)?;
    let (is_array, count) = shape_of(stack, script)?;
    if is_array {
        head(&mut script.buffers.result, count, (0x90, 16), None, [0xDC, 0xDD]);
        for n in 1..=i32::try_from(count).unwrap_or(i32::MAX) {
            match stack.peek_at(-1, n) {
                Peek::Table => {
                    stack.raw_get_at(-1, n);
                    table(stack, script, level + 1)?;
                    stack.pop(1);
                }
                plain => scalar(stack, script, plain)?,
            }
        }
        return Ok(());
    }
    head(&mut script.buffers.result, count, (0x80, 16), None, [0xDE, 0xDF]);
    let mut walk = Walk::default();
    while let Some((key, value)) = stack.walk(-1, &mut walk) {
        match key {
            Peek::Table => {
                stack.push_key(&walk);
                table(stack, script, level + 1)?;
                stack.pop(1);
            }
            plain => scalar(stack, script, plain)?,
        }
        match value {
            Peek::Table => {
                stack.push_value(&walk);
                table(stack, script, level + 1)?;
                stack.pop(1);
            }
            plain => scalar(stack, script, plain)?,
        }
    }
    Ok(())
}

/// Whether the keys of the table on top are 1…n, and the number of pairs.
fn shape_of(stack: Stack<'_>, script: &mut ScriptState) -> Result<(bool, usize), Raise> {
    let (mut is_array, mut count, mut max) = (true, 0usize, 0i64);
    let mut walk = Walk::default();
    while let Some((key, _)) = stack.walk(-1, &mut walk) {
        count += 1;
        tick(stack, script, 1)?;
        if is_array {
            let key = if let Peek::Number(n) = key { exact(n) } else { None };
            match key {
                Some(key) if key > 0 => max = max.max(key),
                _ => is_array = false,
            }
        }
    }
    Ok((is_array && i64::try_from(count) == Ok(max), count))
}
