//! The library `cmsgpack`: MessagePack to values and back, straight between bytes and the stack.
//!
//! It writes what version 0.4.0 of the original writes: integers where a number is one, `float 32`
//! where that loses nothing, strings of the `str` family; a table whose keys are 1…n is an array,
//! even if empty; below 16 levels everything is nil. It reads neither `bin` nor extension types.

mod pack;
mod unpack;

use crate::interpreter::frame::entry;
use crate::interpreter::stack::Stack;

/// Pushes the library.
pub fn open(stack: Stack<'_>) {
    stack.push_table(0, 8);
    let functions = [
        (c"pack", entry!(pack::pack)),
        (c"unpack", entry!(unpack::unpack)),
        (c"unpack_one", entry!(unpack::unpack_one)),
        (c"unpack_limit", entry!(unpack::unpack_limit)),
    ];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
    let texts = [
        (c"_NAME", "cmsgpack"),
        (c"_VERSION", "lua-cmsgpack 0.4.0"),
        (c"_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo"),
        (c"_DESCRIPTION", "MessagePack C implementation for Lua"),
    ];
    for (name, text) in texts {
        stack.push(text.as_bytes());
        stack.set_field(-2, name);
    }
}
