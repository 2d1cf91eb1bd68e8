//! What else of the base and string libraries is ours: `unpack`, `collectgarbage`, `string.rep`.

use lua::LUA_TTABLE;

use crate::interpreter::builder::reserve;
use crate::interpreter::frame::entry;
use crate::interpreter::interrupt::tick;
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;

/// The most values the stack of a function has room for.
const STACK: u32 = 8000;
/// Bytes of a repeated string between two questions whether to go on.
const PIECE: usize = 1 << 20;

/// Puts the functions into the table of globals on top.
pub fn open(stack: Stack<'_>) {
    stack.push_function(entry!(unpack));
    stack.set_field(-2, c"unpack");
    stack.push_function(entry!(collectgarbage));
    stack.set_field(-2, c"collectgarbage");
    stack.get_field(-1, c"string");
    stack.push_function(entry!(rep));
    stack.set_field(-2, c"rep");
    stack.pop(1);
}

fn unpack(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    let first = match stack.kind(2) {
        Type::None | Type::Nil => 1,
        _ => stack.check_int(2),
    };
    let last = match stack.kind(3) {
        Type::None | Type::Nil => i32::try_from(stack.len(1)).unwrap_or(i32::MAX),
        _ => stack.check_int(3),
    };
    if first > last {
        return Ok(0);
    }
    let count = last.abs_diff(first);
    let fits = i32::try_from(count + u32::from(count < STACK)).unwrap_or(0);
    if count >= STACK || !stack.has_room(fits) {
        return Err(stack.raise_at(b"too many results to unpack"));
    }
    for n in first..=last {
        stack.raw_get_at(1, n);
    }
    Ok(fits)
}

/// The interpreter's collector belongs to the server: a script can have garbage collected, but not
/// keep it.
fn collectgarbage(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let option: &[u8] = match stack.kind(1) {
        Type::None | Type::Nil => b"collect",
        _ => stack.check_text(1),
    };
    let number = i32::try_from(stack.check_whole_or(2, 0)).unwrap_or(0);
    match option {
        b"collect" => {
            stack.collect();
            stack.push_number(0.0);
        }
        b"count" => {
            let bytes = crate::interpreter::frame::memory_of(stack).used();
            #[allow(clippy::cast_precision_loss)] // doubles hold each integer up to 2⁵³
            stack.push_number(bytes as f64 / 1024.0);
        }
        b"step" => {
            let done = stack.collect_some(number);
            stack.push_boolean(done);
        }
        b"stop" | b"restart" => stack.push_number(0.0),
        b"setpause" => {
            stack.push_number(f64::from(std::mem::replace(&mut script.collector.pause, number)));
        }
        b"setstepmul" => {
            stack.push_number(f64::from(std::mem::replace(&mut script.collector.step, number)));
        }
        other => return Err(bad_option(stack, script, other)),
    }
    Ok(1)
}

/// `bad argument #1 to 'collectgarbage' (invalid option '…')`.
fn bad_option(stack: Stack<'_>, script: &mut ScriptState, name: &[u8]) -> Raise {
    script.buffers.text.clear();
    script.buffers.text.extend_from_slice(b"invalid option '");
    script.buffers.text.extend_from_slice(base::error::until_zero(name));
    script.buffers.text.extend_from_slice(b"'\0");
    let text = std::ffi::CStr::from_bytes_until_nul(&script.buffers.text).unwrap_or_default();
    stack.bad_arg(1, text)
}

fn rep(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let text = stack.check_text(1);
    let count = usize::try_from(stack.check_int(2)).unwrap_or(0);
    let len = text.len().checked_mul(count).filter(|&len| len <= script.buffers.limit);
    let Some(len) = len else {
        stack.push(b"not enough memory");
        return Err(Raise);
    };
    // The block that it is put together in, and the string.
    reserve(stack, len * 2);
    let block = stack.push_block(len.max(1));
    let mut done = 0;
    while done < len {
        // What is there already is copied, twice as much each time.
        let from = if done == 0 { text.as_ptr() } else { block.cast_const() };
        let most = if done == 0 { text.len() } else { done };
        let piece = most.min(len - done).min(PIECE.max(text.len()) / text.len() * text.len());
        // SAFETY: both have so many bytes, and they do not overlap.
        unsafe { block.add(done).copy_from_nonoverlapping(from, piece) };
        done += piece;
        tick(stack, script, u32::try_from(piece / 64).unwrap_or(u32::MAX))?;
    }
    // SAFETY: all of the block was written.
    stack.push(unsafe { std::slice::from_raw_parts(block, len) });
    Ok(1)
}
