//! The functions of the table library that write to tables or may work for long. They refuse tables
//! that nothing may change, and can be ended.
//!
//! `table.sort` is the quicksort that Sedgewick describes, with the median of three as pivot. It
//! may be no other: see [`Sort`].

use lua::{LUA_TFUNCTION, LUA_TTABLE, lua_State};

use crate::builtins::sealed::{check_open, open_seal};
use crate::interpreter::builder::Builder;
use crate::interpreter::frame::{entry, script_of};
use crate::interpreter::interrupt::tick;
use crate::interpreter::stack::{Raise, Stack, Type, raise};
use crate::interpreter::state::ScriptState;

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

fn concat(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
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
        tick(stack, script, 1)?;
        stack.raw_get_at(1, n);
        let kind = stack.kind(-1);
        if !matches!(kind, Type::String | Type::Number) {
            let name = kind.name();
            return Err(raise!(
                stack,
                script,
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

/// Moves the elements at these places up or down, one after another.
fn shift(
    stack: Stack<'_>,
    script: &mut ScriptState,
    places: impl Iterator<Item = i32>,
    by: i32,
) -> Result<(), Raise> {
    for place in places {
        tick(stack, script, 1)?;
        stack.raw_get_at(1, place);
        stack.raw_set_at(1, place + by);
    }
    Ok(())
}

fn insert(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let behind = len(stack).wrapping_add(1);
    let args = stack.top();
    if !(2..=3).contains(&args) {
        return Err(stack.raise_at(b"wrong number of arguments to 'insert'"));
    }
    let at = if args == 3 { stack.check_int(2) } else { behind };
    check_open(stack, script, 1)?;
    shift(stack, script, (at..behind).rev(), 1)?;
    stack.raw_set_at(1, at);
    Ok(0)
}

fn remove(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let last = len(stack);
    let at = int_or(stack, 2, last);
    if at < 1 || last < at {
        return Ok(0);
    }
    check_open(stack, script, 1)?;
    stack.raw_get_at(1, at); // the result
    shift(stack, script, at + 1..=last, -1)?;
    stack.push_nil();
    stack.raw_set_at(1, last);
    Ok(1)
}

/// Calls the function in the second slot with the key and the value on top: whether that gave
/// something, which ends the walk as its result.
fn visit(stack: Stack<'_>) -> Result<bool, Raise> {
    tick(stack, script_of(stack), ROUND)?;
    stack.push_copy(2);
    stack.insert(-3);
    stack.call(2, 1);
    let ends = stack.kind(-1) != Type::Nil;
    if !ends {
        stack.pop(1);
    }
    Ok(ends)
}

fn foreach(stack: Stack<'_>) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    stack.check_type(2, LUA_TFUNCTION);
    open_seal(stack, script_of(stack), 1);
    stack.push_nil();
    while stack.next(1) {
        stack.push_copy(-2); // the walk goes on from this key
        stack.insert(-2);
        if visit(stack)? {
            return Ok(1);
        }
    }
    Ok(0)
}

fn foreachi(stack: Stack<'_>) -> Result<i32, Raise> {
    let last = len(stack);
    stack.check_type(2, LUA_TFUNCTION);
    for n in 1..=last {
        stack.push_number(f64::from(n));
        stack.raw_get_at(1, n);
        if visit(stack)? {
            return Ok(1);
        }
    }
    Ok(0)
}

fn sort(stack: Stack<'_>) -> Result<i32, Raise> {
    let last = len(stack);
    let by = !matches!(stack.kind(2), Type::None | Type::Nil);
    if by {
        stack.check_type(2, LUA_TFUNCTION);
    }
    stack.set_top(2);
    Sort { stack, by }.sort(Range { low: 1, high: last })?;
    Ok(0)
}

/// A range of the table's elements, both ends included.
#[derive(Clone, Copy)]
struct Range {
    low: i32,
    high: i32,
}

impl Range {
    const EMPTY: Range = Range { low: 1, high: 0 };

    /// What lies on both sides of a place, the smaller part last.
    fn around(self, at: i32) -> [Range; 2] {
        let below = Range { high: at - 1, ..self };
        let above = Range { low: at + 1, ..self };
        if at - self.low < self.high - at { [above, below] } else { [below, above] }
    }
}

/// Ranges that wait to be sorted while what was added last is. Each is at least as large as all
/// that are above it, so that as many as a number has bits are enough.
struct Waiting {
    ranges: [Range; 32],
    count: usize,
}

impl Waiting {
    fn push(&mut self, range: Range) {
        if range.low < range.high {
            self.ranges[self.count] = range;
            self.count += 1;
        }
    }

    fn pop(&mut self) -> Option<Range> {
        self.count = self.count.checked_sub(1)?;
        Some(self.ranges[self.count])
    }
}

/// Where the element lies, while a range is divided, that is greater than one part of it and less
/// than the other. The table is in the first slot, the function in the second.
const PIVOT: i32 = 3;

/// The table in the first slot being sorted, by the function in the second if there is one.
///
/// This is quicksort around the median of first, middle and last, as Sedgewick describes it, and
/// may be no other way: scripts see which elements are compared, and in which order, by the
/// function they give, and by the places where equal elements end. So ranges, comparisons and
/// exchanges are those of Lua.
#[derive(Clone, Copy)]
struct Sort<'s> {
    stack: Stack<'s>,
    by: bool,
}

impl Sort<'_> {
    fn sort(self, all: Range) -> Result<(), Raise> {
        let mut waiting = Waiting { ranges: [Range::EMPTY; 32], count: 0 };
        waiting.push(all);
        while let Some(range) = waiting.pop() {
            if let Some(middle) = self.order_three(range)? {
                let at = self.divide(range, middle)?;
                range.around(at).into_iter().for_each(|part| waiting.push(part));
            }
        }
        Ok(())
    }

    /// Whether the value in one slot is less than that in another.
    fn is_less(self, left: i32, right: i32) -> Result<bool, Raise> {
        let stack = self.stack;
        tick(stack, script_of(stack), 1)?;
        if !self.by {
            return Ok(stack.is_less(left, right));
        }
        for slot in [2, left, right] {
            stack.push_copy(slot);
        }
        stack.call(2, 1);
        let less = stack.is_true(-1);
        stack.pop(1);
        Ok(less)
    }

    /// Pushes two elements: the slot of the first.
    fn push(self, one: i32, other: i32) -> i32 {
        self.stack.raw_get_at(1, one);
        self.stack.raw_get_at(1, other);
        self.stack.top() - 1
    }

    /// Stores the two values on top at these places, the topmost at the first.
    fn store(self, one: i32, other: i32) {
        self.stack.raw_set_at(1, one);
        self.stack.raw_set_at(1, other);
    }

    /// Puts two elements in order: whether they were not.
    fn order(self, low: i32, high: i32) -> Result<bool, Raise> {
        let slot = self.push(low, high);
        let exchanges = self.is_less(slot + 1, slot)?;
        if exchanges {
            self.store(low, high);
        } else {
            self.stack.pop(2);
        }
        Ok(exchanges)
    }

    /// Puts the first, the middle and the last element in order: where the middle is, if there are
    /// others besides.
    fn order_three(self, Range { low, high }: Range) -> Result<Option<i32>, Raise> {
        let distance = high - low;
        self.order(low, high)?;
        if distance == 1 {
            return Ok(None);
        }
        let middle = low + distance / 2;
        if !self.order(low, middle)? {
            self.order(middle, high)?;
        }
        Ok((distance > 2).then_some(middle))
    }

    /// Divides a range whose first, middle and last element are in order by the middle one: where
    /// that lies then.
    fn divide(self, range: Range, middle: i32) -> Result<i32, Raise> {
        // It waits beside the last element, which is in the right part already.
        let aside = range.high - 1;
        self.push(middle, aside);
        self.store(middle, aside);
        self.stack.raw_get_at(1, aside);
        let mut partition = Partition { sort: self, range, left: range.low, right: aside };
        while partition.close_in()? {
            self.store(partition.left, partition.right);
        }
        self.stack.set_top(PIVOT - 1);
        let at = partition.left;
        self.push(aside, at);
        self.store(aside, at);
        Ok(at)
    }
}

/// A range being divided from both ends: up to `left` nothing is greater than the pivot, from
/// `right` on nothing is less.
struct Partition<'s> {
    sort: Sort<'s>,
    range: Range,
    left: i32,
    right: i32,
}

impl Partition<'_> {
    /// Finds the next two elements that lie in each other's part, and pushes both: whether there
    /// are any, or the parts have met.
    fn close_in(&mut self) -> Result<bool, Raise> {
        self.left = self.seek(self.left, 1, |sort, slot| sort.is_less(slot, PIVOT))?;
        self.right = self.seek(self.right, -1, |sort, slot| sort.is_less(PIVOT, slot))?;
        Ok(self.left <= self.right)
    }

    /// The next place, one after another, of an element that does not belong there; it is pushed.
    /// The median stops this at the range's ends, unless the function contradicts itself.
    fn seek(
        &self,
        mut at: i32,
        step: i32,
        belongs: impl Fn(Sort<'_>, i32) -> Result<bool, Raise>,
    ) -> Result<i32, Raise> {
        let stack = self.sort.stack;
        loop {
            at += step;
            stack.raw_get_at(1, at);
            if !belongs(self.sort, stack.top())? {
                return Ok(at);
            }
            if !(self.range.low..=self.range.high).contains(&at) {
                return Err(stack.raise_at(b"invalid order function for sorting"));
            }
            stack.pop(1);
        }
    }
}
