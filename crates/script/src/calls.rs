//! Functions that call others and catch what they raise: `pcall`, `xpcall`, coroutines.
//!
//! They call back into Lua, so they touch nothing that other functions of ours use while that runs,
//! and none of them lets a script go on that its host has ended: whoever catches the error that
//! says so is ended at its next line.

use std::ffi::{CStr, c_int};

use lua::{LUA_ERRERR, LUA_ERRMEM, LUA_MULTRET, LUA_YIELD, lua_Debug, lua_State, lua_upvalueindex};

use crate::sandbox::inner_of;
use crate::stack::{Stack, Type};

/// How often a handler may fail on its own errors.
const HANDLERS: u32 = 200;

/// Puts the functions into the table of globals on top.
pub fn open(stack: Stack<'_>) {
    let functions: [(&CStr, lua::lua_CFunction); 2] = [(c"pcall", pcall), (c"xpcall", xpcall)];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
    stack.get_field(-1, c"coroutine");
    let functions: [(&CStr, lua::lua_CFunction); 2] = [(c"resume", resume), (c"wrap", wrap)];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
    stack.pop(1);
}

/// Whether the host has ended the script; whoever asks ends at its next line then.
fn is_killed(stack: Stack<'_>) -> bool {
    let killed = inner_of(stack).killed;
    if killed {
        stack.end_at_next_line();
    }
    killed
}

/// `lua_pcall` without a handler.
///
/// # Safety
/// Function and arguments lie on top, and nobody holds what the state carries.
unsafe fn caught(stack: Stack<'_>, args: c_int, results: c_int) -> c_int {
    let around = inner_of(stack).catching;
    inner_of(stack).catching = true;
    // SAFETY: as the caller says.
    let status = unsafe { lua::lua_pcall(stack.state(), args, results, 0) };
    inner_of(stack).catching = around;
    status
}

/// `pcall` as Redis has it: an error table becomes the text of its field `err`.
unsafe extern "C-unwind" fn pcall(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    let (stack, status) = unsafe {
        let stack = Stack::new(state);
        if stack.kind(1) == Type::None {
            stack.push_boolean(false);
            stack.push(b"attempt to call a boolean value");
            return 2;
        }
        let args = stack.top();
        stack.push_boolean(true); // where the result will be
        stack.insert(1);
        (stack, caught(stack, args - 1, LUA_MULTRET))
    };
    if status != 0 {
        is_killed(stack);
        stack.remove(1);
        if stack.kind(-1) == Type::Table {
            stack.get_field(-1, c"err");
            match stack.kind(-1) {
                Type::String | Type::Number => stack.replace(-2),
                _ => {}
            }
        }
        stack.push_boolean(false);
        stack.insert(1);
    }
    stack.top()
}

/// The handler is called when the error has been caught, not where it was raised: hooks run in it
/// then, so that it can be ended, and nothing that a sandbox has can tell the difference.
unsafe extern "C-unwind" fn xpcall(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        stack.check_any(2);
        stack.set_top(2);
        stack.insert(1); // the handler lies below the function
        stack.push_boolean(true);
        stack.insert(1);
        let mut status = caught(stack, 0, LUA_MULTRET);
        if status == 0 {
            stack.remove(2);
            return stack.top();
        }
        let mut left = HANDLERS;
        while status != LUA_ERRMEM && status != LUA_ERRERR && !is_killed(stack) {
            stack.push_copy(2);
            stack.insert(-2);
            status = caught(stack, 1, 1);
            if status == 0 {
                break;
            }
            left -= 1;
            if left == 0 {
                stack.push(b"error in error handling");
                break;
            }
        }
        stack.push_boolean(false);
        stack.insert(-2);
        2
    }
}

/// What a coroutine does, as `coroutine.status` says it.
///
/// # Safety
/// Both are valid states.
unsafe fn status_of(state: *mut lua_State, other: *mut lua_State) -> &'static str {
    if state == other {
        return "running";
    }
    // SAFETY: as the caller says; Lua fills the record in.
    unsafe {
        match lua::lua_status(other) {
            LUA_YIELD => "suspended",
            0 => {
                let mut ar = std::mem::MaybeUninit::<lua_Debug>::zeroed();
                if lua::lua_getstack(other, 0, ar.as_mut_ptr()) > 0 {
                    "normal"
                } else if lua::lua_gettop(other) == 0 {
                    "dead"
                } else {
                    "suspended"
                }
            }
            _ => "dead",
        }
    }
}

/// Resumes a coroutine with the topmost values: how many results lie on top, or none and an error.
///
/// # Safety
/// Both are valid states, and Lua has called whoever calls this.
unsafe fn go_on(state: *mut lua_State, other: *mut lua_State, args: c_int) -> Option<c_int> {
    // SAFETY: as the caller says; room is made before values are moved.
    unsafe {
        let stack = Stack::new(state);
        if lua::lua_checkstack(other, args) == 0 {
            stack.raise_now(b"too many arguments to resume");
        }
        let status = status_of(state, other);
        if status != "suspended" {
            stack.push(b"cannot resume ");
            stack.push(status.as_bytes());
            stack.push(b" coroutine");
            stack.concat(3);
            return None;
        }
        lua::lua_xmove(state, other, args);
        lua::lua_setlevel(state, other);
        let around = inner_of(stack).catching;
        inner_of(stack).catching = true;
        let status = lua::lua_resume(other, args);
        inner_of(stack).catching = around;
        if status != 0 && status != LUA_YIELD {
            is_killed(stack);
            lua::lua_xmove(other, state, 1);
            return None;
        }
        let results = lua::lua_gettop(other);
        if !stack.has_room(results + 1) {
            stack.raise_now(b"too many results to resume");
        }
        lua::lua_xmove(other, state, results);
        Some(results)
    }
}

unsafe extern "C-unwind" fn resume(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        let other = lua::lua_tothread(state, 1);
        if other.is_null() {
            stack.bad_arg(1, c"coroutine expected");
        }
        let results = go_on(state, other, stack.top() - 1);
        stack.push_boolean(results.is_some());
        let results = results.unwrap_or(1);
        stack.insert(-(results + 1));
        results + 1
    }
}

unsafe extern "C-unwind" fn wrap(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        if stack.kind(1) != Type::Function || lua::lua_iscfunction(state, 1) != 0 {
            stack.bad_arg(1, c"Lua function expected");
        }
        let other = lua::lua_newthread(state);
        stack.push_copy(1);
        lua::lua_xmove(state, other, 1);
        stack.push_closure(wrapped, 1);
        1
    }
}

unsafe extern "C-unwind" fn wrapped(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the upvalue is the coroutine.
    unsafe {
        let stack = Stack::new(state);
        let other = lua::lua_tothread(state, lua_upvalueindex(1));
        if let Some(results) = go_on(state, other, stack.top()) {
            return results;
        }
        if matches!(stack.kind(-1), Type::String | Type::Number) {
            lua::luaL_where(state, 1);
            stack.insert(-2);
            stack.concat(2);
        }
        lua::lua_error(state)
    }
}
