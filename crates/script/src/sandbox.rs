//! What scripts and functions find: exactly the globals of Redis, and no way to change them.

use lua::{LUA_GLOBALSINDEX, LUA_REGISTRYINDEX, lua_State};

use crate::memory::Memory;
use crate::stack::{Raise, Stack, Type};
use crate::state::{Inner, Shared};
use crate::{
    api, basics, bits, calls, charged, compile, errors, json, msgpack, packing, patterns, random,
    register, sealed, tables,
};

/// A function of ours as one that Lua can call.
macro_rules! entry {
    ($function:expr) => {{
        unsafe extern "C-unwind" fn entry(state: *mut lua::lua_State) -> i32 {
            // SAFETY: Lua calls this, with a valid state.
            unsafe { $crate::sandbox::enter(state, $function) }
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
    function: fn(Stack<'_>, &mut Inner) -> Result<i32, Raise>,
) -> i32 {
    // SAFETY: a `Vm` made this state, so the user data is there; only one function of ours runs at
    // a time, as none of them calls back into Lua. Neither frame holds a destructor.
    unsafe {
        let inner = &mut *shared(state).inner.get();
        match function(Stack::new(state), inner) {
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
pub unsafe fn shared<'s>(state: *mut lua_State) -> &'s Shared {
    let mut ud = std::ptr::null_mut();
    // SAFETY: as the caller says.
    unsafe {
        lua::lua_getallocf(state, &raw mut ud);
        &*ud.cast::<Shared>()
    }
}

/// The allocator of a state.
pub fn memory_of(stack: Stack<'_>) -> &Memory {
    // SAFETY: a stack belongs to a state of a `Vm`.
    unsafe { &shared(stack.state()).memory }
}

/// What a state carries, for code that calls back into Lua and so cannot hold it meanwhile.
#[allow(clippy::mut_from_ref)]
pub fn inner_of<'s>(stack: Stack<'s>) -> &'s mut Inner {
    // SAFETY: a stack belongs to a state of a `Vm`; a caller lets go of it before anything else
    // of ours runs.
    unsafe { &mut *shared(stack.state()).inner.get() }
}

/// Functions of the base library that Redis does not give to scripts.
const ABSENT: [&std::ffi::CStr; 6] =
    [c"print", c"dofile", c"loadfile", c"getfenv", c"setfenv", c"newproxy"];

/// Names in the registry.
pub const HANDLER: &std::ffi::CStr = c"handler";
/// The real table of globals.
pub const GLOBALS: &std::ffi::CStr = c"globals";
const LOADING: &std::ffi::CStr = c"loading";

/// Fills a new state.
pub fn open(stack: Stack<'_>, functions: bool) {
    for library in [lua::luaopen_base, lua::luaopen_table, lua::luaopen_string, lua::luaopen_math] {
        stack.push_function(library);
        stack.call_library();
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
        open_libraries(stack);
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

/// Seals the libraries in the globals on top, and shows all code globals that are sealed.
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

/// Functions see their globals through a table of their own, so that a library being loaded can be
/// shown others: `redis.register_function` and little else.
fn open_libraries(stack: Stack<'_>) {
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

/// Shows the globals of a library being loaded, or those of functions that run.
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

fn absent(stack: Stack<'_>, inner: &mut Inner) -> Result<i32, Raise> {
    let Some(name) = stack.text(-1) else {
        let text = b"Second argument to luaProtectedTableError must be a string or number";
        return Err(stack.raise_at(text));
    };
    let text = &mut inner.text;
    text.clear();
    text.extend_from_slice(b"Script attempted to access nonexistent global variable '");
    text.extend_from_slice(base::error::until_zero(name));
    text.push(b'\'');
    Err(stack.raise_at(text))
}
