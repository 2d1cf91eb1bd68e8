//! Functions of the interpreter's own libraries that work in proportion to the bytes they are given
//! or make: the same functions, whose work is counted.

use std::ffi::{CStr, c_int};

use lua::{lua_CFunction, lua_State};

use crate::interpreter::frame::script_of;
use crate::interpreter::interrupt::tick_bytes;
use crate::interpreter::stack::{Peek, Stack};

/// Those of `string` that are not written anew.
const OF_STRINGS: [&CStr; 7] =
    [c"upper", c"lower", c"reverse", c"sub", c"byte", c"char", c"format"];

/// Puts them into the table of globals on top, in the place of the uncounted ones.
pub fn open(stack: Stack<'_>) {
    charge(stack, c"tonumber");
    stack.get_field(-1, c"string");
    OF_STRINGS.into_iter().for_each(|name| charge(stack, name));
    stack.pop(1);
}

fn charge(stack: Stack<'_>, name: &CStr) {
    stack.get_field(-1, name);
    // SAFETY: the state is valid.
    let original = unsafe { lua::lua_tocfunction(stack.state(), -1) };
    stack.pop(1);
    if let Some(original) = original {
        stack.push_plain(original);
        // The substring of a long text costs what it has itself.
        let charged = if name == c"sub" { results } else { arguments };
        stack.push_closure(charged, 1);
        stack.set_field(-2, name);
    }
}

/// Bytes of the strings in the topmost slots.
fn bytes(stack: Stack<'_>, slots: c_int) -> usize {
    let top = stack.top();
    let strings = (top - slots + 1..=top).map(|slot| match stack.peek(slot) {
        Peek::Text(text) => text.len(),
        _ => 1,
    });
    strings.sum()
}

/// Counts the arguments and calls the original.
unsafe extern "C-unwind" fn arguments(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state, and `charge` made the upvalue; no frame holds a
    // destructor, nor what the state carries while the original runs.
    unsafe {
        let stack = Stack::new(state);
        if tick_bytes(stack, script_of(stack), bytes(stack, stack.top())).is_err() {
            lua::lua_error(state);
        }
        let original = *stack.upvalue::<lua_CFunction>();
        original(state)
    }
}

/// Calls the original and counts its results.
unsafe extern "C-unwind" fn results(state: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let stack = Stack::new(state);
        let original = *stack.upvalue::<lua_CFunction>();
        let count = original(state);
        if tick_bytes(stack, script_of(stack), bytes(stack, count)).is_err() {
            lua::lua_error(state);
        }
        count
    }
}
