//! Asking the host whether to go on, from the interpreter's hook and from library functions that
//! may work for long without running a single instruction.

use crate::errors::push_error;
use crate::stack::{Raise, Stack};
use crate::state::Inner;

/// Steps of library functions between two questions: some hundred microseconds.
pub const STEPS: u32 = 100_000;

/// What a script is answered that its host has ended.
pub const KILLED: &[u8] = b"Script killed by user with SCRIPT KILL...";

/// Counts steps of a library function. Every so often the host is asked.
#[inline]
pub fn tick(stack: Stack<'_>, inner: &mut Inner, steps: u32) -> Result<(), Raise> {
    inner.steps = inner.steps.saturating_sub(steps);
    if inner.steps > 0 { Ok(()) } else { ask(stack, inner) }
}

/// Asks the host. Once it says no, every line raises the error, so that no `pcall` of the script
/// can go on for long.
#[cold]
pub fn ask(stack: Stack<'_>, inner: &mut Inner) -> Result<(), Raise> {
    inner.steps = STEPS;
    let Some(mut host) = inner.host else { return Ok(()) };
    // SAFETY: `Vm` sets it for the time of a call and takes it away afterwards; only one function
    // of ours runs at a time, so the reference is the only one.
    if !inner.killed && !unsafe { host.as_mut() }.interrupted() {
        return Ok(());
    }
    inner.killed = true;
    stack.end_at_next_line();
    // Functions are told the same.
    let text: &[u8] = match inner.loading.is_some() {
        true => b"FUNCTION LOAD timeout",
        false => KILLED,
    };
    push_error(stack, text);
    Err(Raise)
}
