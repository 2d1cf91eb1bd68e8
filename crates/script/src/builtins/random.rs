//! `math.random` and `math.randomseed`.

use crate::interpreter::frame::entry;
use crate::interpreter::stack::{Raise, Stack};
use crate::interpreter::state::ScriptState;

/// Puts both functions into the table on top of the stack.
pub fn open(stack: Stack<'_>) {
    stack.push_function(entry!(random));
    stack.set_field(-2, c"random");
    stack.push_function(entry!(randomseed));
    stack.set_field(-2, c"randomseed");
}

const MAX: u32 = 0x7FFF_FFFF;

fn random(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    // Drawn before the arguments are looked at: a failing call moves the sequence on, too.
    let r = f64::from(script.random.next() % MAX) / f64::from(MAX);
    let (low, high) = match stack.top() {
        0 => {
            stack.push_number(r);
            return Ok(1);
        }
        1 => (1, stack.check_int(1)),
        2 => (stack.check_int(1), stack.check_int(2)),
        _ => return Err(stack.raise_at(b"wrong number of arguments")),
    };
    if low > high {
        stack.bad_arg(stack.top(), c"interval is empty");
    }
    let count = f64::from(high.wrapping_sub(low).wrapping_add(1));
    stack.push_number((r * count).floor() + f64::from(low));
    Ok(1)
}

fn randomseed(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    script.random.seed(stack.check_int(1).cast_unsigned());
    Ok(0)
}
