//! What scripts and functions find: exactly the globals of Redis, and no way to change them.

use lua::{LUA_GLOBALSINDEX, LUA_REGISTRYINDEX};

use super::{
    api, basics, bits, calls, charged, compile, json, msgpack, packing, patterns, random, register,
    sealed, tables,
};
use crate::interpreter::errors::{self, HANDLER};
use crate::interpreter::frame::entry;
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;

/// Functions of the base library that Redis does not give to scripts.
const ABSENT: [&std::ffi::CStr; 6] =
    [c"print", c"dofile", c"loadfile", c"getfenv", c"setfenv", c"newproxy"];

/// Where the registry has the real table of globals.
pub const GLOBALS: &std::ffi::CStr = c"globals";
/// Where it has what a function library sees while it is loaded.
const LOADING: &std::ffi::CStr = c"loading";

/// Fills a new state.
pub fn open(stack: Stack<'_>, functions: bool) {
    for library in [lua::luaopen_base, lua::luaopen_table, lua::luaopen_string, lua::luaopen_math] {
        stack.push_function(library);
        stack.call_opener();
    }
    stack.set_top(0);
    for name in ABSENT {
        stack.push_nil();
        stack.set_field(LUA_GLOBALSINDEX, name);
    }
    stack.push_copy(LUA_GLOBALSINDEX);
    open_standard(stack);
    open_ours(stack, functions);
    stack.push_function(errors::handler);
    if !functions {
        stack.push_copy(-1);
        stack.set_field(-3, c"__redis__err__handler");
    }
    stack.set_field(LUA_REGISTRYINDEX, HANDLER);
    guard(stack);
    close(stack);
    stack.set_field(LUA_REGISTRYINDEX, GLOBALS);
    if functions {
        make_loading_globals(stack);
    }
}

/// What of the interpreter's own libraries is made anew. The globals lie on top.
fn open_standard(stack: Stack<'_>) {
    sealed::open(stack);
    calls::open(stack);
    charged::open(stack);
    compile::open(stack);
    basics::open(stack);
    stack.get_field(-1, c"string");
    patterns::open(stack);
    stack.pop(1);
    stack.get_field(-1, c"table");
    tables::open(stack);
    stack.pop(1);
    stack.get_field(-1, c"math");
    random::open(stack);
    stack.pop(1);
}

/// What Redis adds. The globals lie on top.
fn open_ours(stack: Stack<'_>, functions: bool) {
    json::open(stack);
    stack.set_field(-2, c"cjson");
    msgpack::open(stack);
    stack.set_field(-2, c"cmsgpack");
    packing::open(stack);
    stack.set_field(-2, c"struct");
    bits::open(stack);
    stack.set_field(-2, c"bit");
    stack.push_table(0, 0);
    api::open(stack);
    if !functions {
        api::open_for_scripts(stack);
    }
    stack.set_field(-2, c"redis");
}

/// Seals the built-in libraries in the globals on top, and shows all code globals that are sealed.
fn close(stack: Stack<'_>) {
    let globals = stack.address(-1);
    stack.push_nil();
    while stack.next(-2) {
        if stack.kind(-1) == Type::Table && stack.address(-1) != globals {
            sealed::seal(stack);
            stack.push_copy(-2);
            stack.insert(-2);
            stack.raw_set(-4);
        } else {
            stack.pop(1);
        }
    }
    stack.push_copy(-1);
    sealed::seal(stack);
    if stack.metatable(-2) {
        sealed::seal(stack);
        sealed::show_metatable(stack);
    }
    stack.push_copy(-1);
    stack.set_field(-3, c"_G");
    stack.replace(LUA_GLOBALSINDEX);
    stack.push_table(0, 1);
    stack.get_field(-2, c"string");
    stack.set_field(-2, c"__index");
    sealed::seal(stack);
    sealed::show_metatable_of_strings(stack);
}

/// Functions see their globals through a table of their own, so that a function library being
/// loaded can be shown others: `redis.register_function` and little else.
fn make_loading_globals(stack: Stack<'_>) {
    stack.push_table(0, 1);
    stack.push_table(0, 0);
    register::open(stack);
    api::open_log(stack);
    guard(stack);
    sealed::seal(stack);
    stack.set_field(-2, c"redis");
    guard(stack);
    stack.set_field(LUA_REGISTRYINDEX, LOADING);

    stack.get_field(LUA_REGISTRYINDEX, GLOBALS);
    sealed::seal(stack);
    stack.replace(LUA_GLOBALSINDEX);
}

/// Shows the globals of a function library being loaded, or those of functions that run.
pub fn show_loading(stack: Stack<'_>, loading: bool) {
    stack.metatable(LUA_GLOBALSINDEX);
    stack.get_field(LUA_REGISTRYINDEX, if loading { LOADING } else { GLOBALS });
    stack.set_field(-2, c"__index");
    stack.pop(1);
}

/// Makes reading an absent field of the table on top an error.
fn guard(stack: Stack<'_>) {
    stack.push_table(0, 1);
    stack.push_function(entry!(absent));
    stack.set_field(-2, c"__index");
    stack.set_metatable(-2);
}

fn absent(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let Some(name) = stack.text(-1) else {
        let text = b"Second argument to luaProtectedTableError must be a string or number";
        return Err(stack.raise_at(text));
    };
    let text = &mut script.buffers.text;
    text.clear();
    text.extend_from_slice(b"Script attempted to access nonexistent global variable '");
    text.extend_from_slice(base::error::until_zero(name));
    text.push(b'\'');
    Err(stack.raise_at(text))
}
