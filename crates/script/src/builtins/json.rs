//! The library `cjson`: JSON text to values and back, straight between bytes and the stack.
//!
//! Its quirks are part of what scripts rely on: an empty table is an object, a table with holes is
//! an error or an object, numbers have 14 digits, a slash is escaped, a zero byte ends the text.
//! Settings hold for the state, or for one `cjson.new()`; they live in a userdata that is an
//! upvalue of its functions.

mod decode;
mod encode;

use std::io::Write;

use crate::interpreter::frame::entry;
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;

/// What to do with numbers JSON has no words for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Invalid {
    Refuse,
    Write,
    Null,
}

/// The settings of one instance of the library.
#[derive(Clone, Copy, Debug)]
struct Settings {
    sparse_convert: bool,
    sparse_ratio: i32,
    sparse_safe: i32,
    encode_depth: i32,
    decode_depth: i32,
    precision: i32,
    keep_buffer: bool,
    encode_invalid: Invalid,
    decode_invalid: bool,
}

const DEFAULT: Settings = Settings {
    sparse_convert: false,
    sparse_ratio: 2,
    sparse_safe: 10,
    encode_depth: 1000,
    decode_depth: 1000,
    precision: 14,
    keep_buffer: true,
    encode_invalid: Invalid::Refuse,
    decode_invalid: true,
};

/// Pushes a new instance of the library.
pub fn open(stack: Stack<'_>) {
    let functions = [
        (c"encode", entry!(encode::encode)),
        (c"decode", entry!(decode::decode)),
        (c"encode_sparse_array", entry!(encode_sparse_array)),
        (c"encode_max_depth", entry!(encode_max_depth)),
        (c"decode_max_depth", entry!(decode_max_depth)),
        (c"encode_number_precision", entry!(encode_number_precision)),
        (c"encode_keep_buffer", entry!(encode_keep_buffer)),
        (c"encode_invalid_numbers", entry!(encode_invalid_numbers)),
        (c"decode_invalid_numbers", entry!(decode_invalid_numbers)),
        (c"new", entry!(new)),
    ];
    stack.push_table(0, 0);
    stack.push_plain(DEFAULT);
    for (name, function) in functions {
        stack.push_copy(-1);
        stack.push_closure(function, 1);
        stack.set_field(-3, name);
    }
    stack.pop(1);
    stack.push_null_pointer();
    stack.set_field(-2, c"null");
    stack.push(b"cjson");
    stack.set_field(-2, c"_NAME");
    stack.push(b"2.1.0");
    stack.set_field(-2, c"_VERSION");
}

/// The settings of the instance whose function runs.
fn settings(stack: Stack<'_>) -> &mut Settings {
    // SAFETY: `open` gave every function of this library that upvalue, and each asks once.
    unsafe { stack.upvalue() }
}

fn new(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    open(stack);
    Ok(1)
}

/// Fills missing arguments up with nil; raises if there are too many.
fn take(stack: Stack<'_>, args: i32) {
    if stack.top() > args {
        stack.bad_arg(args + 1, c"found too many arguments");
    }
    stack.set_top(args);
}

/// Sets an integer if one is given, and pushes what holds then.
fn integer(
    stack: Stack<'_>,
    script: &mut ScriptState,
    arg: i32,
    setting: &mut i32,
    low: i32,
    high: i32,
) {
    if stack.kind(arg) != Type::Nil {
        let value = stack.check_int(arg);
        if value < low || value > high {
            let text = &mut script.buffers.text;
            text.clear();
            let _ = write!(text, "expected integer between {low} and {high}\0");
            let text = std::ffi::CStr::from_bytes_until_nul(text).unwrap_or_default();
            stack.bad_arg(1, text);
        }
        *setting = value;
    }
    stack.push_number(f64::from(*setting));
}

/// A boolean or one of the words; its position among them, where false and true are 0 and 1.
fn choice(stack: Stack<'_>, script: &mut ScriptState, arg: i32, words: &[&str]) -> Option<usize> {
    if stack.kind(arg) == Type::Nil {
        return None;
    }
    if stack.kind(arg) == Type::Boolean {
        return Some(usize::from(stack.is_true(arg)));
    }
    let word = stack.check_text(arg);
    let found = words.iter().position(|known| known.as_bytes() == word);
    if found.is_none() {
        let text = &mut script.buffers.text;
        text.clear();
        text.extend_from_slice(b"invalid option '");
        text.extend_from_slice(word);
        text.extend_from_slice(b"'\0");
        let text = std::ffi::CStr::from_bytes_until_nul(text).unwrap_or_default();
        stack.bad_arg(arg, text);
    }
    found
}

fn flag(stack: Stack<'_>, script: &mut ScriptState, setting: &mut bool) {
    if let Some(chosen) = choice(stack, script, 1, &["off", "on"]) {
        *setting = chosen == 1;
    }
    stack.push_boolean(*setting);
}

fn encode_sparse_array(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let settings = settings(stack);
    take(stack, 3);
    flag(stack, script, &mut settings.sparse_convert);
    integer(stack, script, 2, &mut settings.sparse_ratio, 0, i32::MAX);
    integer(stack, script, 3, &mut settings.sparse_safe, 0, i32::MAX);
    Ok(3)
}

fn encode_max_depth(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    take(stack, 1);
    integer(stack, script, 1, &mut settings(stack).encode_depth, 1, i32::MAX);
    Ok(1)
}

fn decode_max_depth(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    take(stack, 1);
    integer(stack, script, 1, &mut settings(stack).decode_depth, 1, i32::MAX);
    Ok(1)
}

fn encode_number_precision(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    take(stack, 1);
    integer(stack, script, 1, &mut settings(stack).precision, 1, 14);
    Ok(1)
}

/// Remembered and told, but of no effect: buffers are always kept.
fn encode_keep_buffer(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    take(stack, 1);
    flag(stack, script, &mut settings(stack).keep_buffer);
    Ok(1)
}

fn encode_invalid_numbers(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    take(stack, 1);
    let setting = &mut settings(stack).encode_invalid;
    match choice(stack, script, 1, &["off", "on", "null"]) {
        Some(0) => *setting = Invalid::Refuse,
        Some(1) => *setting = Invalid::Write,
        Some(_) => *setting = Invalid::Null,
        None => {}
    }
    match setting {
        Invalid::Refuse => stack.push_boolean(false),
        Invalid::Write => stack.push_boolean(true),
        Invalid::Null => stack.push(b"null"),
    }
    Ok(1)
}

fn decode_invalid_numbers(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    take(stack, 1);
    flag(stack, script, &mut settings(stack).decode_invalid);
    Ok(1)
}
