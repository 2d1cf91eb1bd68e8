//! Errors as tables with the field `err`, and what becomes of them.
//!
//! `source` and `line` are added by the handler that runs where an error is raised. A text without
//! a code word gets `ERR`.

use std::ffi::CStr;

use base::error::until_zero;
use lua::{lua_Debug, lua_State};

use crate::interpreter::stack::{Stack, Type};

/// Where the registry has the handler of errors.
pub const HANDLER: &CStr = c"handler";

/// Pushes an error table for a message that `-CODE text` may begin. What has no code gets `ERR`.
pub fn push_error(stack: Stack<'_>, message: &[u8]) {
    stack.push_table(0, 1);
    push_text(stack, message);
    stack.set_field(-2, c"err");
}

/// Pushes the error table of a command that failed: `CODE text`.
pub fn push_command_error(stack: Stack<'_>, text: &[u8]) {
    stack.push_table(0, 2);
    if text.contains(&b' ') {
        stack.push(text);
    } else {
        stack.push(b"ERR ");
        stack.push(text);
        stack.concat(2);
    }
    stack.set_field(-2, c"err");
    // It has been counted already when the command failed.
    stack.push_boolean(true);
    stack.set_field(-2, c"ignore_error_stats_update");
}

fn push_text(stack: Stack<'_>, message: &[u8]) {
    let message = trimmed(message);
    match message.strip_prefix(b"-") {
        Some(coded) if coded.contains(&b' ') => {
            let at = coded.iter().position(|&byte| byte == b' ').unwrap_or(0);
            stack.push(&coded[..=at]);
            stack.push(trimmed(&coded[at + 1..]));
        }
        uncoded => {
            stack.push(b"ERR ");
            stack.push(uncoded.unwrap_or(message));
        }
    }
    stack.concat(2);
}

/// Without line ends at both ends.
pub fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b'\r' | b'\n', rest @ ..] | [rest @ .., b'\r' | b'\n'] = text {
        text = rest;
    }
    text
}

/// What an error says.
pub struct Extract {
    pub text: Vec<u8>,
    pub source: Option<Vec<u8>>,
    pub line: Option<Vec<u8>>,
    /// It has been counted when a command failed with it.
    pub counted: bool,
}

/// Reads the error on top, which stays: a table, or a string if no handler ran.
pub fn extract(stack: Stack<'_>) -> Extract {
    if stack.kind(-1) != Type::Table {
        let text = until_zero(stack.text(-1).unwrap_or(b"unknown error"));
        let text = [b"ERR ", text].concat();
        return Extract { text, source: None, line: None, counted: false };
    }
    let field = |name| {
        stack.raw_field(-1, name);
        let text = stack.text(-1).map(|text| until_zero(text).to_vec());
        stack.pop(1);
        text
    };
    let text = field("err").unwrap_or_else(|| b"ERR unknown error".to_vec());
    let (source, line) = (field("source"), field("line"));
    stack.raw_field(-1, "ignore_error_stats_update");
    let counted = stack.is_true(-1);
    stack.pop(1);
    Extract { text, source, line, counted }
}

/// `__redis__err__handler`: makes a table of what was raised, and adds where that was.
pub unsafe extern "C-unwind" fn handler(state: *mut lua_State) -> i32 {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    let stack = unsafe { Stack::new(state) };
    stack.set_top(1);
    let place = place(state);
    if stack.kind(1) != Type::Table {
        stack.push_table(0, 3);
        stack.push(b"ERR ");
        stack.push_described(1);
        stack.concat(2);
        stack.set_field(-2, c"err");
    }
    if let Some((source, line)) = place {
        stack.push(source);
        stack.set_field(-2, c"source");
        stack.push_number(f64::from(line));
        stack.set_field(-2, c"line");
    }
    1
}

/// The source and line of the innermost function that is not in C, of two.
fn place<'s>(state: *mut lua_State) -> Option<(&'s [u8], i32)> {
    let mut found = None;
    for level in 1..=2 {
        let mut ar = std::mem::MaybeUninit::<lua_Debug>::zeroed();
        // SAFETY: the state is valid, the record is plain data that Lua fills in, and its texts
        // live as long as the functions on the stack.
        let ar = unsafe {
            if lua::lua_getstack(state, level, ar.as_mut_ptr()) == 0 {
                return None;
            }
            lua::lua_getinfo(state, c"nSl".as_ptr(), ar.as_mut_ptr());
            ar.assume_init()
        };
        // SAFETY: as above.
        let (what, source) = unsafe { (CStr::from_ptr(ar.what), CStr::from_ptr(ar.source)) };
        found = Some((source.to_bytes(), ar.currentline));
        if what != c"C" {
            break;
        }
    }
    found
}
