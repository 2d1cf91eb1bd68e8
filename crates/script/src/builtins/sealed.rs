//! Tables that nothing can change: what scripts find as `_G`, `redis`, `string` and so on.
//!
//! Lua has no such tables. What a script gets is an empty table in front of the real one, with a
//! metatable that reads from there and refuses to write. Assignments to fields that exist ask no
//! metatable, so the table in front stays empty; and whatever looks at tables without asking
//! metatables (`next`, `pairs`, `rawget`, `rawset`, `getmetatable`, `setmetatable`, the table
//! library) is ours, and knows the tables in front. No real table is ever handed to a script.

use lua::{LUA_REGISTRYINDEX, LUA_TTABLE, lua_upvalueindex};

use crate::interpreter::frame::{entry, script_of};
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;

/// The error of a script that writes to one, as in Redis.
const READONLY: &[u8] = b"Attempt to modify a readonly table";
/// Where the metatable of a table in front has what `getmetatable` shows.
const SHOWN: i32 = 1;
/// Where the registry has what `getmetatable("")` shows.
const OF_STRINGS: &std::ffi::CStr = c"metatable of strings";

/// Puts a table in front of the one on top, in its place.
pub fn seal(stack: Stack<'_>) {
    stack.push_table(0, 0);
    stack.insert(-2);
    stack.push_table(1, 2);
    stack.insert(-2);
    stack.set_field(-2, c"__index");
    stack.push_function(entry!(refuse));
    stack.set_field(-2, c"__newindex");
    script_of(stack).seals.push(stack.address(-1));
    stack.set_metatable(-2);
}

/// Says what `getmetatable` shows for the sealed table below: the value on top, which is popped.
pub fn show_metatable(stack: Stack<'_>) {
    stack.metatable(-2);
    stack.insert(-2);
    stack.raw_set_at(-2, SHOWN);
    stack.pop(1);
}

/// Says what `getmetatable` shows for strings: the value on top, which is popped.
pub fn show_metatable_of_strings(stack: Stack<'_>) {
    stack.set_field(LUA_REGISTRYINDEX, OF_STRINGS);
}

/// Whether the table in a slot is one in front of another.
#[inline]
fn is_sealed(stack: Stack<'_>, script: &ScriptState, index: i32) -> bool {
    let metatable = stack.metatable_at(index).addr();
    metatable != 0 && script.seals.contains(&metatable)
}

/// Puts the real table into the slot of one in front of it. Not to be shown to scripts.
#[inline]
pub fn open_seal(stack: Stack<'_>, script: &ScriptState, index: i32) {
    if is_sealed(stack, script, index) {
        stack.metatable(index);
        stack.raw_field(-1, "__index");
        stack.replace(index);
        stack.pop(1);
    }
}

/// Refuses to change a table that is sealed.
#[inline]
pub fn check_open(stack: Stack<'_>, script: &ScriptState, index: i32) -> Result<(), Raise> {
    if is_sealed(stack, script, index) {
        stack.push(READONLY);
        return Err(Raise);
    }
    Ok(())
}

fn refuse(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    Err(stack.raise_at(READONLY))
}

/// Puts the functions that look at tables without metatables into the table of globals on top.
pub fn open(stack: Stack<'_>) {
    let functions = [
        (c"rawget", entry!(rawget)),
        (c"rawset", entry!(rawset)),
        (c"getmetatable", entry!(getmetatable)),
        (c"setmetatable", entry!(setmetatable)),
        (c"next", entry!(next)),
    ];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
    stack.get_field(-1, c"next");
    stack.push_closure(entry!(pairs), 1);
    stack.set_field(-2, c"pairs");
}

fn next(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    stack.set_top(2);
    open_seal(stack, script, 1);
    if stack.next(1) {
        return Ok(2);
    }
    stack.push_nil();
    Ok(1)
}

#[allow(clippy::unnecessary_wraps)] // the shape of every function
fn pairs(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    stack.push_copy(lua_upvalueindex(1));
    stack.push_copy(1);
    stack.push_nil();
    Ok(3)
}

fn rawget(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    stack.check_any(2);
    stack.set_top(2);
    open_seal(stack, script, 1);
    stack.raw_get(1);
    Ok(1)
}

fn rawset(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    stack.check_any(2);
    stack.check_any(3);
    stack.set_top(3);
    check_open(stack, script, 1)?;
    stack.raw_set(1);
    Ok(1)
}

fn getmetatable(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_any(1);
    match stack.kind(1) {
        Type::String => stack.get_field(LUA_REGISTRYINDEX, OF_STRINGS),
        Type::Table if is_sealed(stack, script, 1) => {
            stack.metatable(1);
            stack.raw_get_at(-1, SHOWN);
        }
        _ if stack.metatable(1) => {
            stack.raw_field(-1, "__metatable");
            if stack.kind(-1) == Type::Nil {
                stack.pop(1);
            }
        }
        _ => stack.push_nil(),
    }
    Ok(1)
}

fn setmetatable(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_type(1, LUA_TTABLE);
    if !matches!(stack.kind(2), Type::Nil | Type::Table) {
        stack.bad_arg(2, c"nil or table expected");
    }
    check_open(stack, script, 1)?;
    if stack.metatable(1) {
        stack.raw_field(-1, "__metatable");
        if stack.kind(-1) != Type::Nil {
            return Err(stack.raise_at(b"cannot change a protected metatable"));
        }
    }
    stack.set_top(2);
    stack.set_metatable(1);
    Ok(1)
}
