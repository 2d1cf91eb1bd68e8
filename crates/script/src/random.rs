//! `math.random` and `math.randomseed`: the generator of `drand48`, the same on every platform.
//!
//! The algorithm is the linear congruence x ← 0x5DEECE66D·x + 11 modulo 2⁴⁸ that POSIX describes
//! for `lrand48`; a fresh process starts from the state POSIX leaves open and glibc chose.

use crate::sandbox::entry;
use crate::stack::{Raise, Stack};
use crate::state::Inner;

/// The state of the sequence: 48 bits.
#[derive(Debug)]
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Random(0x1234_ABCD_330E)
    }
}

impl Random {
    /// Starts the sequence of a seed.
    pub fn seed(&mut self, seed: u32) {
        self.0 = (u64::from(seed) << 16) | 0x330E;
    }

    /// The next number, 31 bits.
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & 0xFFFF_FFFF_FFFF;
        u32::try_from(self.0 >> 17).unwrap_or(0) // 31 bits are left
    }
}

/// Puts both functions into the table on top of the stack.
pub fn open(stack: Stack<'_>) {
    stack.push_function(entry!(random));
    stack.set_field(-2, c"random");
    stack.push_function(entry!(randomseed));
    stack.set_field(-2, c"randomseed");
}

const MAX: u32 = 0x7FFF_FFFF;

fn random(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    // Drawn before the arguments are looked at: a failing call moves the sequence on, too.
    let r = f64::from(inner.random.next() % MAX) / f64::from(MAX);
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

fn randomseed(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    inner.random.seed(stack.check_int(1).cast_unsigned());
    Ok(0)
}
