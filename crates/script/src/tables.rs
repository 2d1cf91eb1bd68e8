//! The functions of the table library that write to tables or may work for long. They refuse tables
//! that nothing may change, and can be ended.

use lua::{LUA_TFUNCTION, LUA_TTABLE, lua_State};

use crate::builder::Builder;
use crate::interrupt::tick;
use crate::sandbox::{entry, inner_of};
use crate::sealed::{check_open, open_seal};
use crate::stack::{Raise, Stack, Type, raise};
use crate::state::Inner;

/// Elements between two questions whether to go on, for work that asks the host itself.
const ROUND: u32 = 64;

/// Calls a function of ours that calls back into Lua, and so takes nothing along.
macro_rules! calling {
    ($function:expr) => {{
        unsafe extern "C-unwind" fn entry(state: *mut lua_State) -> i32 {
            // SAFETY: Lua calls this with a valid state; no frame holds anything with a destructor.
            unsafe {
                match $function(Stack::new(state)) {
                    Ok(results) => results,
                    Err(Raise) => lua::lua_error(state),
                }
            }
        }
        entry as lua::lua_CFunction
    }};
}

/// Puts the functions into the table on top.
pub fn open(stack: Stack<'_>) {
    let functions = [
        (c"concat", entry!(concat)),
        (c"insert", entry!(insert)),
        (c"remove", entry!(remove)),
        (c"sort", calling!(sort)),
        (c"foreach", calling!(foreach)),
        (c"foreachi", calling!(foreachi)),
    ];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
}

/// How many elements the table in the first slot has.
fn len(stack: Stack<'_>) -> i32 {
    stack.check_type(1, LUA_TTABLE);
    i32::try_from(stack.len(1)).unwrap_or(i32::MAX)
}

/// An optional argument as C makes an `int` of it.
fn int_or(stack: Stack<'_>, arg: i32, default: i32) -> i32 {
    match stack.kind(arg) {
        Type::None | Type::Nil => default,
        _ => stack.check_int(arg),
    }
}

fn concat(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    let separator: &[u8] = match stack.kind(2) {
        Type::None | Type::Nil => b"",
        _ => stack.check_text(2),
    };
    stack.check_type(1, LUA_TTABLE);
    let first = int_or(stack, 3, 1);
    let last = match stack.kind(4) {
        Type::None | Type::Nil => len(stack),
        _ => stack.check_int(4),
    };
    let mut text = Builder::new(stack);
    for n in first..=last {
        tick(stack, inner, 1)?;
        stack.raw_get_at(1, n);
        let kind = stack.kind(-1);
        if !matches!(kind, Type::String | Type::Number) {
            let name = kind.name();
            return Err(raise!(
                stack,
                inner,
                "invalid value ({name}) at index {n} in table for 'concat'"
            ));
        }
        text.push(stack.text(-1).unwrap_or_default());
        stack.pop(1);
        if n < last {
            text.push(separator);
        }
    }
    text.finish();
    Ok(1)
}

fn insert(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    let mut end = len(stack).wrapping_add(1);
    let at = match stack.top() {
        2 => end,
        3 => {
            let at = stack.check_int(2);
            end = end.max(at);
            at
        }
        _ => return Err(stack.raise_at(b"wrong number of arguments to 'insert'")),
    };
    check_open(stack, inner, 1)?;
    let mut to = end;
    while to > at {
        tick(stack, inner, 1)?;
        stack.raw_get_at(1, to - 1);
        stack.raw_set_at(1, to);
        to -= 1;
    }
    stack.raw_set_at(1, at);
    Ok(0)
}

fn remove(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    let end = len(stack);
    let at = int_or(stack, 2, end);
    if !(1..=end).contains(&at) {
        return Ok(0);
    }
    check_open(stack, inner, 1)?;
    stack.raw_get_at(1, at);
    for to in at..end {
        tick(stack, inner, 1)?;
        stack.raw_get_at(1, to + 1);
        stack.raw_set_at(1, to);
    }
    stack.push_nil();
    stack.raw_set_at(1, end);
    Ok(1)
}

fn foreach(stack: Stack<'_>) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    stack.check_type(2, LUA_TFUNCTION);
    open_seal(stack, inner_of(stack), 1);
    stack.push_nil();
    while stack.next(1) {
        tick(stack, inner_of(stack), ROUND)?;
        stack.push_copy(2);
        stack.push_copy(-3);
        stack.push_copy(-3);
        stack.call(2, 1);
        if stack.kind(-1) != Type::Nil {
            return Ok(1);
        }
        stack.pop(2);
    }
    Ok(0)
}

fn foreachi(stack: Stack<'_>) -> Result<i32, Raise> {
    let last = len(stack);
    stack.check_type(2, LUA_TFUNCTION);
    for n in 1..=last {
        tick(stack, inner_of(stack), ROUND)?;
        stack.push_copy(2);
        stack.push_number(f64::from(n));
        stack.raw_get_at(1, n);
        stack.call(2, 1);
        if stack.kind(-1) != Type::Nil {
            return Ok(1);
        }
        stack.pop(1);
    }
    Ok(0)
}

fn sort(stack: Stack<'_>) -> Result<i32, Raise> {
    let last = len(stack);
    stack.make_room(40, c"");
    let by = !matches!(stack.kind(2), Type::None | Type::Nil);
    if by {
        stack.check_type(2, LUA_TFUNCTION);
    }
    stack.set_top(2);
    Sort { stack, by }.range(1, last)?;
    Ok(0)
}

/// The table in the first slot being sorted, by the function in the second if there is one.
///
/// Which elements are compared, and in what order, can be seen: by the function, and where elements
/// are equal. So the ways are those of Lua: quicksort around the median of first, middle and last.
#[derive(Clone, Copy)]
struct Sort<'s> {
    stack: Stack<'s>,
    by: bool,
}

impl Sort<'_> {
    /// Whether the value at one index of the stack is less than that at another.
    fn is_less(self, left: i32, right: i32) -> Result<bool, Raise> {
        let stack = self.stack;
        tick(stack, inner_of(stack), 1)?;
        if !self.by {
            return Ok(stack.is_less(left, right));
        }
        stack.push_copy(2);
        stack.push_copy(left - 1);
        stack.push_copy(right - 2);
        stack.call(2, 1);
        let less = stack.is_true(-1);
        stack.pop(1);
        Ok(less)
    }

    /// Pushes two elements.
    fn push(self, one: i32, other: i32) {
        self.stack.raw_get_at(1, one);
        self.stack.raw_get_at(1, other);
    }

    /// Stores the two values on top at these places, the topmost at the first.
    fn store(self, one: i32, other: i32) {
        self.stack.raw_set_at(1, one);
        self.stack.raw_set_at(1, other);
    }

    /// Puts two elements in order: whether they were not.
    fn order(self, low: i32, high: i32) -> Result<bool, Raise> {
        self.push(low, high);
        let swaps = self.is_less(-1, -2)?;
        if swaps {
            self.store(low, high);
        } else {
            self.stack.pop(2);
        }
        Ok(swaps)
    }

    fn range(self, mut low: i32, mut high: i32) -> Result<(), Raise> {
        while low < high {
            self.order(low, high)?;
            if high - low == 1 {
                break;
            }
            let middle = i32::midpoint(low, high);
            if !self.order(low, middle)? {
                self.order(middle, high)?;
            }
            if high - low == 2 {
                break;
            }
            let at = self.partition(low, middle, high)?;
            // The smaller part first, so that this is never deep.
            if at - low < high - at {
                self.range(low, at - 1)?;
                low = at + 1;
            } else {
                self.range(at + 1, high)?;
                high = at - 1;
            }
        }
        Ok(())
    }

    /// Puts what is less than the element in the middle before it: where that lies then.
    fn partition(self, low: i32, middle: i32, high: i32) -> Result<i32, Raise> {
        const INVALID: &[u8] = b"invalid order function for sorting";
        let stack = self.stack;
        stack.raw_get_at(1, middle);
        stack.push_copy(-1);
        stack.raw_get_at(1, high - 1);
        self.store(middle, high - 1);
        // The element stays on top from here on.
        let (mut up, mut down) = (low, high - 1);
        loop {
            loop {
                up += 1;
                stack.raw_get_at(1, up);
                if !self.is_less(-1, -2)? {
                    break;
                }
                if up > high {
                    return Err(stack.raise_at(INVALID));
                }
                stack.pop(1);
            }
            loop {
                down -= 1;
                stack.raw_get_at(1, down);
                if !self.is_less(-3, -1)? {
                    break;
                }
                if down < low {
                    return Err(stack.raise_at(INVALID));
                }
                stack.pop(1);
            }
            if down < up {
                break;
            }
            self.store(up, down);
        }
        stack.pop(3);
        self.push(high - 1, up);
        self.store(high - 1, up);
        Ok(up)
    }
}
