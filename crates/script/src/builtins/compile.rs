//! Compiling: text only, never more of it than fits, and never without being asked whether to go
//! on. `load`, `loadstring` and the bodies of scripts all come through here.
//!
//! The parser gets a text that is complete: the pieces that a function gives `load` are gathered
//! before, so that no code of a script runs while the parser's own state is half made. The name of
//! the chunk lies on the stack as long as the parser runs: it keeps the name without telling the
//! garbage collector.

use std::ffi::{c_char, c_int, c_void};

use lua::{LUA_ERRMEM, LUA_ERRSYNTAX, LUA_REGISTRYINDEX, LUA_TFUNCTION, lua_State};

use crate::interpreter::builder::Builder;
use crate::interpreter::errors::HANDLER;
use crate::interpreter::frame::script_of;
use crate::interpreter::interrupt::{ask, end_at_next_line};
use crate::interpreter::stack::{Stack, Type};

/// Bytes the parser gets at a time. Between two pieces the host is asked whether to go on.
const PIECE: usize = 1024;
/// The longest text: the parser counts in 32 bits.
const LONGEST: usize = 1 << 30;
/// What text cannot begin with: the parser would take it for bytecode, which is not verified.
const BYTECODE: u8 = 0x1B;

/// A text on its way to the parser.
struct Source {
    at: *const u8,
    left: usize,
    /// Pieces until the host is asked.
    pieces: u32,
    /// A blank goes in front, so that the parser says that it is no Lua.
    blank: bool,
}

/// Compiles a text and pushes the function, or why it is none: zero, or what went wrong. `name`
/// ends with a zero byte, and lies on the stack as a string as well.
pub fn compile(stack: Stack<'_>, code: &[u8], name: &[u8]) -> c_int {
    debug_assert_eq!(name.last(), Some(&0));
    if code.len() > LONGEST {
        stack.push(b"chunk has too many bytes");
        return LUA_ERRSYNTAX;
    }
    let blank = code.first() == Some(&BYTECODE);
    let mut source = Source { at: code.as_ptr(), left: code.len(), pieces: 0, blank };
    let data = (&raw mut source).cast::<c_void>();
    // SAFETY: the state is valid, name and text outlive this call, which protects itself.
    unsafe { lua::lua_load(stack.state(), piece, data, name.as_ptr().cast()) }
}

unsafe extern "C-unwind" fn piece(
    state: *mut lua_State,
    data: *mut c_void,
    len: *mut usize,
) -> *const c_char {
    // SAFETY: `compile` handed the source in; the parser calls this with a valid state and where to
    // put the length. Neither frame holds a destructor.
    unsafe {
        let source = &mut *data.cast::<Source>();
        if source.blank {
            source.blank = false;
            *len = 1;
            return c" ".as_ptr();
        }
        source.pieces += 1;
        if source.pieces.is_multiple_of(4) {
            let stack = Stack::new(state);
            if ask(stack, script_of(stack)).is_err() {
                lua::lua_error(state);
            }
        }
        *len = source.left.min(PIECE);
        let at = source.at;
        source.at = at.add(*len);
        source.left -= *len;
        if *len == 0 { std::ptr::null() } else { at.cast() }
    }
}

/// Puts `load` and `loadstring` into the table of globals on top.
pub fn open(stack: Stack<'_>) {
    stack.push_function(loadstring);
    stack.set_field(-2, c"loadstring");
    stack.push_function(load);
    stack.set_field(-2, c"load");
}

/// The text of a slot with the zero byte Lua keeps behind every string; what is behind another one
/// is no part of a name.
fn name(stack: Stack<'_>, index: i32) -> &[u8] {
    let text = stack.text_and_zero(index);
    let end = memchr::memchr(0, text).unwrap_or(0);
    &text[..=end]
}

unsafe extern "C-unwind" fn loadstring(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    let stack = unsafe { Stack::new(state) };
    let text = stack.check_text(1);
    match stack.kind(2) {
        Type::None | Type::Nil => {
            stack.set_top(1);
            stack.push_copy(1);
        }
        _ => _ = stack.check_text(2),
    }
    compiled(stack, text)
}

/// Compiles under the name in the second slot: the function, or nil and why not.
fn compiled(stack: Stack<'_>, text: &[u8]) -> i32 {
    let name = name(stack, 2);
    // A name with a zero byte in it is another string up to there.
    stack.push(&name[..name.len() - 1]);
    match compile(stack, text, name) {
        0 => 1,
        // A script that has used up its memory ends, as it would anywhere else.
        // SAFETY: Lua has called the caller; the error lies on top.
        LUA_ERRMEM => unsafe { lua::lua_error(stack.state()) },
        _ => failed(stack),
    }
}

/// Nil, and why on top.
fn failed(stack: Stack<'_>) -> i32 {
    if script_of(stack).run.killed {
        end_at_next_line(stack);
    }
    stack.push_nil();
    stack.insert(-2);
    2
}

/// `load`: calls a function until it gives nothing more, and compiles all it gave.
unsafe extern "C-unwind" fn load(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    let stack = unsafe { Stack::new(state) };
    match stack.kind(2) {
        Type::None | Type::Nil => {
            stack.check_type(1, LUA_TFUNCTION);
            stack.set_top(1);
            stack.push(b"=(load)");
        }
        _ => {
            stack.check_text(2);
            stack.check_type(1, LUA_TFUNCTION);
            stack.set_top(2);
        }
    }
    stack.push_function(gather);
    stack.push_copy(1);
    // Errors of the function are told, not raised. The handler of the script sees them first.
    let handler = if script_of(stack).run.catching { 0 } else { 3 };
    stack.get_field(LUA_REGISTRYINDEX, HANDLER);
    stack.insert(3);
    // SAFETY: as above.
    let status = unsafe { lua::lua_pcall(state, 1, 1, handler) };
    stack.remove(3);
    if status != 0 {
        return failed(stack);
    }
    let text = stack.text(3).unwrap_or_default();
    compiled(stack, text)
}

/// Joins the strings a function gives until it gives nil or an empty one.
unsafe extern "C-unwind" fn gather(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    let stack = unsafe { Stack::new(state) };
    let mut text = Builder::new(stack);
    loop {
        stack.push_copy(1);
        // SAFETY: as above.
        unsafe { lua::lua_call(state, 0, 1) };
        match stack.kind(-1) {
            Type::Nil => break,
            Type::String | Type::Number => {}
            _ => stack.raise_from(2, b"reader function must return a string"),
        }
        let piece = stack.text(-1).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        text.push(piece);
        stack.pop(1);
    }
    text.finish();
    1
}
