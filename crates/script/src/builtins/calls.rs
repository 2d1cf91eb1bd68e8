//! Functions that call others and catch what they raise: `pcall`, `xpcall`, coroutines.
//!
//! They call back into Lua, so they touch nothing that other functions of ours use while that runs,
//! and none of them lets a script go on that its host has ended: a script that catches the error
//! that says so is ended at its next line.

use std::ffi::{CStr, c_int};
use std::mem::{MaybeUninit, replace};

use lua::{LUA_ERRERR, LUA_ERRMEM, LUA_MULTRET, LUA_YIELD, lua_Debug, lua_State, lua_upvalueindex};

use crate::interpreter::frame::script_of;
use crate::interpreter::interrupt::end_at_next_line;
use crate::interpreter::stack::{Raise, Stack, Type};

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

/// Whether the host has ended the script; a script that asks ends at its next line then.
fn is_killed(stack: Stack<'_>) -> bool {
    let killed = script_of(stack).run.killed;
    if killed {
        end_at_next_line(stack);
    }
    killed
}

/// Runs what catches errors, and tells the state so meanwhile. It may hold nothing of the state.
fn catching(stack: Stack<'_>, run: impl FnOnce() -> c_int) -> c_int {
    let around = replace(&mut script_of(stack).run.catching, true);
    let status = run();
    script_of(stack).run.catching = around;
    status
}

/// `lua_pcall` without a handler.
///
/// # Safety
/// Function and arguments lie on top, and no reference into what the state carries is held.
unsafe fn caught(stack: Stack<'_>, args: c_int, results: c_int) -> c_int {
    // SAFETY: as the caller says.
    catching(stack, || unsafe { lua::lua_pcall(stack.state(), args, results, 0) })
}

/// Makes the error in a slot the text of its field `err`, if it is a table that has one; whatever
/// else the field holds comes after the table.
fn spell_out(stack: Stack<'_>, error: c_int) {
    if stack.kind(error) == Type::Table {
        stack.get_field(error, c"err");
        if matches!(stack.kind(-1), Type::String | Type::Number) {
            stack.replace(error);
        }
    }
}

/// `pcall` as Redis has it: an error table becomes the text of its field `err`.
unsafe extern "C-unwind" fn pcall(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        let given = stack.top();
        if given == 0 {
            stack.push_boolean(false);
            stack.push(b"attempt to call a boolean value");
            return 2;
        }
        // The answer lies below the function from the start: results may leave no room for it.
        stack.push_boolean(true);
        stack.insert(1);
        if caught(stack, given - 1, LUA_MULTRET) != 0 {
            is_killed(stack);
            stack.push_boolean(false);
            stack.replace(1);
            spell_out(stack, 2);
        }
        stack.top()
    }
}

/// The handler is called when the error has been caught, not where it was raised: hooks run in it
/// then, so that it can be ended, and nothing that a sandbox has can tell the difference.
unsafe extern "C-unwind" fn xpcall(state: *mut lua_State) -> c_int {
    const ANSWER: c_int = 1;
    const HANDLER: c_int = 2;
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        stack.check_any(2);
        stack.set_top(2);
        stack.push_copy(1);
        stack.push_boolean(true);
        stack.replace(ANSWER); // where the function was given
        let mut status = caught(stack, 0, LUA_MULTRET);
        if status == 0 {
            stack.remove(HANDLER);
            return stack.top();
        }
        let mut left = HANDLERS;
        while status != LUA_ERRMEM && status != LUA_ERRERR && !is_killed(stack) {
            stack.push_copy(HANDLER);
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

/// A coroutine, and the function that wants it to go on. Both stacks may be the same.
#[derive(Clone, Copy)]
struct Coroutine<'s> {
    outside: Stack<'s>,
    inside: Stack<'s>,
}

impl<'s> Coroutine<'s> {
    /// The coroutine in a slot, or an upvalue, of the function that runs.
    fn at(outside: Stack<'s>, index: c_int) -> Option<Self> {
        // SAFETY: the state of a stack is valid, and so is that of a coroutine its slot keeps.
        unsafe {
            let inside = lua::lua_tothread(outside.state(), index);
            (!inside.is_null()).then(|| Coroutine { outside, inside: Stack::new(inside) })
        }
    }

    /// Whether a function is being called in it; one that has yielded counts too.
    fn is_in_a_call(self) -> bool {
        let mut record = MaybeUninit::<lua_Debug>::zeroed();
        // SAFETY: Lua fills the record in if there is such a call.
        unsafe { lua::lua_getstack(self.inside.state(), 0, record.as_mut_ptr()) != 0 }
    }

    /// Why it cannot go on, if so. One that has yielded can, and one that has not begun: nothing is
    /// called in it, and its function lies on its stack. One that has returned has left nothing.
    fn obstacle(self) -> Option<&'static [u8]> {
        // SAFETY: the state is valid.
        let status = unsafe { lua::lua_status(self.inside.state()) };
        if status == LUA_YIELD {
            return None;
        }
        let failed = status != 0;
        if failed || !self.is_in_a_call() {
            let over = failed || self.inside.top() == 0;
            return over.then_some(b"cannot resume dead coroutine");
        }
        // It runs, or waits for one that it has resumed itself.
        Some(if self.inside.state() == self.outside.state() {
            b"cannot resume running coroutine"
        } else {
            b"cannot resume normal coroutine"
        })
    }

    /// Has it go on with the topmost values of the outside. They are replaced by what it yields or
    /// returns, or by the error.
    ///
    /// # Safety
    /// Lua has called the caller, and no reference into what the state carries is held.
    unsafe fn go_on(self, args: c_int) -> Result<(), Raise> {
        let Coroutine { outside, inside } = self;
        let obstacle = self.obstacle();
        if !inside.has_room(args) {
            outside.raise_now(b"too many arguments to resume");
        }
        if let Some(why) = obstacle {
            outside.pop(args);
            outside.push(why);
            return Err(Raise);
        }
        // SAFETY: as the caller says; the values are there, and there is room for them.
        let status = catching(outside, || unsafe {
            lua::lua_xmove(outside.state(), inside.state(), args);
            lua::lua_setlevel(outside.state(), inside.state()); // calls count from ours on
            lua::lua_resume(inside.state(), args)
        });
        let failed = !matches!(status, 0 | LUA_YIELD);
        // Also where it has not failed: it may have caught its end, and be over with that.
        is_killed(outside);
        let given = if failed { 1 } else { inside.top() };
        if !outside.has_room(given + 1) {
            outside.raise_now(b"too many results to resume");
        }
        // SAFETY: the values are there, and there is room for them.
        unsafe { lua::lua_xmove(inside.state(), outside.state(), given) };
        if failed { Err(Raise) } else { Ok(()) }
    }
}

unsafe extern "C-unwind" fn resume(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        let Some(coroutine) = Coroutine::at(stack, 1) else {
            stack.bad_arg(1, c"coroutine expected");
        };
        let went_on = coroutine.go_on(stack.top() - 1).is_ok();
        stack.push_boolean(went_on);
        stack.replace(1); // where the coroutine was given
        stack.top()
    }
}

unsafe extern "C-unwind" fn wrap(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        if stack.kind(1) != Type::Function || lua::lua_iscfunction(state, 1) != 0 {
            stack.bad_arg(1, c"Lua function expected");
        }
        stack.set_top(1);
        let inside = lua::lua_newthread(state);
        stack.insert(1);
        lua::lua_xmove(state, inside, 1);
        stack.push_closure(wrapped, 1);
        1
    }
}

/// What `wrap` makes: it goes on with its upvalue, and raises what that raises, with the place of
/// its own call in front of a text.
unsafe extern "C-unwind" fn wrapped(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; the frame holds nothing with a destructor.
    unsafe {
        let stack = Stack::new(state);
        let Some(coroutine) = Coroutine::at(stack, lua_upvalueindex(1)) else { return 0 };
        if coroutine.go_on(stack.top()).is_ok() {
            return stack.top();
        }
        if let Some(text) = stack.text(-1) {
            stack.raise_at(text);
        }
        lua::lua_error(state)
    }
}
