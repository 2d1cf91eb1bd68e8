//! Asking the host whether to go on, from the interpreter's hook and from library functions that
//! may work for long without running a single instruction.
//!
//! Work is counted in steps: an instruction, an element, some bytes. What has no steps of its own
//! (comparing strings of many megabytes is one instruction) is found by the clock: the hook is
//! called more often when instructions take long.

use std::ffi::c_int;
use std::time::{Duration, Instant};

use lua::{LUA_MASKCOUNT, LUA_MASKLINE, lua_Debug, lua_State};

use crate::interpreter::errors::push_error;
use crate::interpreter::frame::{allocator_data, memory_of};
use crate::interpreter::memory::Memory;
use crate::interpreter::stack::{Raise, Stack};
use crate::interpreter::state::ScriptState;

/// Steps between two questions: some hundred microseconds.
pub const STEPS: u32 = 100_000;
/// Bytes read or written that count as a step.
pub const BYTES: usize = 64;

/// Steps that a number counts as that becomes a key of a table.
const SOUGHT: u32 = STEPS / 256;

/// Instructions between two calls of the hook: at first, and at most.
pub const FIRST: u32 = 100;
const MOST: u32 = 1_000;
/// So much time between two calls of the hook is too much, so much is little.
const LONG: Duration = Duration::from_millis(1);
const SHORT: Duration = Duration::from_micros(100);
/// The host is asked after this time, whatever was counted.
const PATIENCE: Duration = Duration::from_millis(5);

/// What a script is answered that its host has ended.
pub const KILLED: &[u8] = b"Script killed by user with SCRIPT KILL...";

/// Counts steps of a library function. Every so often the host is asked.
#[inline]
pub fn tick(stack: Stack<'_>, script: &mut ScriptState, steps: u32) -> Result<(), Raise> {
    script.run.clock.steps = script.run.clock.steps.saturating_sub(steps);
    if script.run.clock.steps > 0 { Ok(()) } else { ask(stack, script) }
}

/// Counts a number that a library function makes a key. Unlike strings, numbers can be chosen that
/// hash alike: each is then sought among all before it.
#[inline]
pub fn tick_number(stack: Stack<'_>, script: &mut ScriptState) -> Result<(), Raise> {
    tick(stack, script, SOUGHT)
}

/// Counts bytes that a library function has read or written, or is about to.
#[inline]
pub fn tick_bytes(stack: Stack<'_>, script: &mut ScriptState, bytes: usize) -> Result<(), Raise> {
    tick(stack, script, steps_of(bytes).saturating_add(1))
}

fn steps_of(bytes: usize) -> u32 {
    u32::try_from(bytes / BYTES).unwrap_or(u32::MAX)
}

/// What the hook does: counts instructions, memory and time. Sets when it is called again.
pub fn look(stack: Stack<'_>, script: &mut ScriptState, memory: &Memory) -> Result<(), Raise> {
    if script.run.killed {
        return ask(stack, script);
    }
    let now = Instant::now();
    let asked = *script.run.clock.asked.get_or_insert(now);
    let took = script.run.clock.hooked.replace(now).map_or(Duration::ZERO, |hooked| now - hooked);
    let steps = script.run.clock.interval.saturating_add(steps_of(memory.take_given()));
    if took >= LONG {
        script.run.clock.interval = (script.run.clock.interval / 8).max(1);
    } else if took <= SHORT {
        script.run.clock.interval = (script.run.clock.interval * 2).min(MOST);
    }
    call_hook_after(stack, script.run.clock.interval);
    if now - asked >= PATIENCE {
        return ask(stack, script);
    }
    tick(stack, script, steps)
}

/// Asks the host. Once it says no, every line raises the error, so that no `pcall` of the script
/// can go on for long.
#[cold]
pub fn ask(stack: Stack<'_>, script: &mut ScriptState) -> Result<(), Raise> {
    script.run.clock.steps = STEPS;
    let Some(mut host) = script.run.host else { return Ok(()) };
    // SAFETY: `Vm` sets it for the time of a call and takes it away afterwards; only one function
    // of ours runs at a time, so the reference is the only one.
    if !script.run.killed && !unsafe { host.as_mut() }.interrupted() {
        // Others may have been served meanwhile, which is no work of the script.
        let now = Instant::now();
        (script.run.clock.asked, script.run.clock.hooked) = (Some(now), Some(now));
        return Ok(());
    }
    Err(end(stack, script))
}

/// Ends the script, whatever it tries.
pub fn end(stack: Stack<'_>, script: &mut ScriptState) -> Raise {
    script.run.killed = true;
    end_at_next_line(stack);
    // Functions are told the same.
    let text: &[u8] = match script.loading.is_some() {
        true => b"FUNCTION LOAD timeout",
        false => KILLED,
    };
    stack.room_to_raise();
    push_error(stack, text);
    Raise
}

/// Asks the host whether to go on.
pub unsafe extern "C-unwind" fn hook(state: *mut lua_State, _: *mut lua_Debug) {
    // SAFETY: Lua calls this between instructions, so no function of ours runs and holds what the
    // state carries; the frame holds nothing with a destructor.
    unsafe {
        let script = &mut *allocator_data(state).script.get();
        let (stack, memory) = (Stack::new(state), &allocator_data(state).memory);
        stack.set_collector(memory.pause());
        memory.runs(state);
        if look(stack, script, memory).is_err() {
            lua::lua_error(state);
        }
    }
}

/// Has the hook called after so many instructions, again and again.
pub fn call_hook_after(stack: Stack<'_>, instructions: u32) {
    let count = c_int::try_from(instructions).unwrap_or(c_int::MAX);
    stack.set_hook(hook, LUA_MASKCOUNT, count);
}

/// Makes the script end at its next line at the latest, by an error that follows it wherever it is
/// caught: for a script whose end is decided.
pub fn end_at_next_line(stack: Stack<'_>) {
    // No other hook is set instead.
    memory_of(stack).unwatch();
    stack.set_hook(hook, LUA_MASKLINE, 0);
}
