//! The library `bit`: operations on 32 bits.

use crate::interpreter::frame::entry;
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;

/// Pushes the library.
pub fn open(stack: Stack<'_>) {
    let functions = [
        (c"tobit", entry!(tobit)),
        (c"bnot", entry!(bnot)),
        (c"band", entry!(band)),
        (c"bor", entry!(bor)),
        (c"bxor", entry!(bxor)),
        (c"lshift", entry!(lshift)),
        (c"rshift", entry!(rshift)),
        (c"arshift", entry!(arshift)),
        (c"rol", entry!(rol)),
        (c"ror", entry!(ror)),
        (c"bswap", entry!(bswap)),
        (c"tohex", entry!(tohex)),
    ];
    stack.push_table(0, 12);
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
}

/// An argument as 32 bits: rounded to an integer, modulo 2³². Adding 1.5·2⁵² puts them at the low
/// end of a double's fraction, rounded as the processor rounds.
fn bits(stack: Stack<'_>, arg: i32) -> u32 {
    let shifted = stack.number(arg) + 6_755_399_441_055_744.0;
    let low = u32::try_from(shifted.to_bits() & 0xFFFF_FFFF).unwrap_or(0);
    if low == 0 && !stack.is_numeric(arg) {
        stack.bad_type(arg, c"number");
    }
    low
}

#[allow(clippy::unnecessary_wraps)] // the shape of every function
fn give(stack: Stack<'_>, bits: u32) -> Result<i32, Raise> {
    stack.push_number(f64::from(bits.cast_signed()));
    Ok(1)
}

fn tobit(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    give(stack, bits(stack, 1))
}

fn bnot(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    give(stack, !bits(stack, 1))
}

fn bswap(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    give(stack, bits(stack, 1).swap_bytes())
}

fn fold(stack: Stack<'_>, step: fn(u32, u32) -> u32) -> Result<i32, Raise> {
    let first = bits(stack, 1);
    give(stack, (2..=stack.top()).rev().fold(first, |sum, arg| step(sum, bits(stack, arg))))
}

fn band(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    fold(stack, |a, b| a & b)
}

fn bor(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    fold(stack, |a, b| a | b)
}

fn bxor(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    fold(stack, |a, b| a ^ b)
}

fn shift(stack: Stack<'_>, by: fn(u32, u32) -> u32) -> Result<i32, Raise> {
    let value = bits(stack, 1);
    give(stack, by(value, bits(stack, 2) & 31))
}

fn lshift(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    shift(stack, |a, n| a << n)
}

fn rshift(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    shift(stack, |a, n| a >> n)
}

fn arshift(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    shift(stack, |a, n| (a.cast_signed() >> n).cast_unsigned())
}

fn rol(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    shift(stack, u32::rotate_left)
}

fn ror(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    shift(stack, u32::rotate_right)
}

fn tohex(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    let mut value = bits(stack, 1);
    let count = if stack.kind(2) == Type::None { 8 } else { bits(stack, 2).cast_signed() };
    let digits: &[u8; 16] = if count < 0 { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let mut text = [0u8; 8];
    let text = &mut text[..usize::try_from(count.unsigned_abs().min(8)).unwrap_or(8)];
    for place in text.iter_mut().rev() {
        *place = digits[usize::try_from(value & 15).unwrap_or(0)];
        value >>= 4;
    }
    stack.push(text);
    Ok(1)
}
