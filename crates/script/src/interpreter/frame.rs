//! How Lua calls a function of ours, and how that finds what its state carries.

use lua::lua_State;

use crate::interpreter::memory::Memory;
use crate::interpreter::stack::{Raise, Stack};
use crate::interpreter::state::{AllocatorData, ScriptState};

/// A function of ours as one that Lua can call.
macro_rules! entry {
    ($function:expr) => {{
        unsafe extern "C-unwind" fn entry(state: *mut lua::lua_State) -> i32 {
            // SAFETY: Lua calls this, with a valid state.
            unsafe { $crate::interpreter::frame::enter(state, $function) }
        }
        entry as lua::lua_CFunction
    }};
}
pub(crate) use entry;

/// Runs a function of ours and raises what it asks for.
///
/// # Safety
/// The state is valid and was made by `Vm`; Lua calls this.
#[inline]
pub unsafe fn enter(
    state: *mut lua_State,
    function: fn(Stack<'_>, &mut ScriptState) -> Result<i32, Raise>,
) -> i32 {
    // SAFETY: a `Vm` made this state, so the user data is there; only one function of ours runs at
    // a time, as none of them calls back into Lua. Neither frame holds a destructor.
    unsafe {
        let script = &mut *allocator_data(state).script.get();
        match function(Stack::new(state), script) {
            Ok(results) => results,
            Err(Raise) => lua::lua_error(state),
        }
    }
}

/// What belongs to a state.
///
/// # Safety
/// A `Vm` made the state, and outlives what is done with it.
#[inline]
pub unsafe fn allocator_data<'s>(state: *mut lua_State) -> &'s AllocatorData {
    let mut ud = std::ptr::null_mut();
    // SAFETY: as the caller says.
    unsafe {
        lua::lua_getallocf(state, &raw mut ud);
        &*ud.cast::<AllocatorData>()
    }
}

/// The allocator of a state.
pub fn memory_of(stack: Stack<'_>) -> &Memory {
    // SAFETY: a stack belongs to a state of a `Vm`.
    unsafe { &allocator_data(stack.state()).memory }
}

/// What a state carries, for code that calls back into Lua and so cannot hold it meanwhile.
#[allow(clippy::mut_from_ref)]
pub fn script_of<'s>(stack: Stack<'s>) -> &'s mut ScriptState {
    // SAFETY: a stack belongs to a state of a `Vm`; a caller lets go of it before anything else
    // of ours runs.
    unsafe { &mut *allocator_data(stack.state()).script.get() }
}
