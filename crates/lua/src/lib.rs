//! Lua 5.1.5 as published, with tables that can be made read-only and without bytecode: the C
//! sources of `c/` and the declarations to call them.
//!
//! Scripts of Redis rely on the exact behaviour of this interpreter, and on global tables that
//! nothing can change. The stock interpreter has no such tables, and metatables cannot make one,
//! so the sources are here with that change (`c/README.md`).
//!
//! This crate only declares. Errors of Lua are `longjmp`s: a function here marked *raises* must not
//! be called while a frame between it and the protecting call holds a value with a destructor, and
//! all of them want a valid state and valid indexes. `kvist-script` keeps those promises.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_double, c_int, c_uint, c_void};

/// A state of the interpreter, or one of its coroutines.
#[repr(C)]
pub struct lua_State {
    _private: [u8; 0],
    _marker: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
}

/// A function that Lua can call: arguments on the stack, the count of results returned.
pub type lua_CFunction = unsafe extern "C-unwind" fn(state: *mut lua_State) -> c_int;
/// Allocates, changes the size of, and frees memory, like `realloc`.
pub type lua_Alloc = unsafe extern "C" fn(
    ud: *mut c_void,
    block: *mut c_void,
    old: usize,
    new: usize,
) -> *mut c_void;
/// Called as often as `lua_sethook` says.
pub type lua_Hook = unsafe extern "C-unwind" fn(state: *mut lua_State, ar: *mut lua_Debug);

/// What `lua_getinfo` tells about a function call.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // the fields are those of Lua's manual
pub struct lua_Debug {
    pub event: c_int,
    pub name: *const c_char,
    pub namewhat: *const c_char,
    pub what: *const c_char,
    pub source: *const c_char,
    pub currentline: c_int,
    pub nups: c_int,
    pub linedefined: c_int,
    pub lastlinedefined: c_int,
    pub short_src: [c_char; 60],
    pub i_ci: c_int,
}

/// Kvist's own: a value as it lies in a table. Which fields are set depends on the type.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lua_Peek {
    /// As `lua_type` says it.
    pub kind: c_int,
    /// A boolean, or whether a light userdata is the null pointer.
    pub boolean: c_int,
    /// A number.
    pub number: c_double,
    /// The bytes of a string, which live as long as it does.
    pub text: *const c_char,
    /// How many there are.
    pub len: usize,
}

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: c_int = $value;)*
    };
}

constants! {
    /// The table only C code sees.
    LUA_REGISTRYINDEX = -10000;
    /// The table of globals.
    LUA_GLOBALSINDEX = -10002;
    /// As many results as there are.
    LUA_MULTRET = -1;
    /// Nothing at this index.
    LUA_TNONE = -1;
    /// `nil`
    LUA_TNIL = 0;
    /// `true`, `false`
    LUA_TBOOLEAN = 1;
    /// A pointer.
    LUA_TLIGHTUSERDATA = 2;
    /// A double.
    LUA_TNUMBER = 3;
    /// A byte string.
    LUA_TSTRING = 4;
    /// A table.
    LUA_TTABLE = 5;
    /// A function.
    LUA_TFUNCTION = 6;
    /// A block of memory.
    LUA_TUSERDATA = 7;
    /// A coroutine.
    LUA_TTHREAD = 8;
    /// The allocator refused.
    LUA_ERRMEM = 4;
    /// `lua_gc`: collect everything.
    LUA_GCCOLLECT = 2;
    /// `lua_gc`: do some work.
    LUA_GCSTEP = 5;
    /// `lua_gc`: how much memory may grow before the next cycle, in percent.
    LUA_GCSETPAUSE = 6;
    /// A hook on every line.
    LUA_MASKLINE = 4;
    /// A hook every so many instructions.
    LUA_MASKCOUNT = 8;
}

/// The index of a closure's n-th upvalue, from 1.
#[must_use]
pub const fn lua_upvalueindex(n: c_int) -> c_int {
    LUA_GLOBALSINDEX - n
}

#[allow(missing_docs)] // these are the functions of Lua's manual
unsafe extern "C-unwind" {
    pub fn lua_newstate(alloc: lua_Alloc, ud: *mut c_void) -> *mut lua_State;
    pub fn lua_close(state: *mut lua_State);
    pub fn lua_atpanic(state: *mut lua_State, panic: lua_CFunction) -> Option<lua_CFunction>;
    pub fn lua_getallocf(state: *mut lua_State, ud: *mut *mut c_void) -> lua_Alloc;

    pub fn lua_gettop(state: *mut lua_State) -> c_int;
    pub fn lua_settop(state: *mut lua_State, index: c_int);
    pub fn lua_pushvalue(state: *mut lua_State, index: c_int);
    pub fn lua_remove(state: *mut lua_State, index: c_int);
    pub fn lua_insert(state: *mut lua_State, index: c_int);
    pub fn lua_replace(state: *mut lua_State, index: c_int);
    pub fn lua_checkstack(state: *mut lua_State, extra: c_int) -> c_int;

    pub fn lua_isnumber(state: *mut lua_State, index: c_int) -> c_int;
    pub fn lua_type(state: *mut lua_State, index: c_int) -> c_int;
    pub fn lua_tonumber(state: *mut lua_State, index: c_int) -> c_double;
    pub fn lua_toboolean(state: *mut lua_State, index: c_int) -> c_int;
    pub fn lua_tolstring(state: *mut lua_State, index: c_int, len: *mut usize) -> *const c_char;
    pub fn lua_objlen(state: *mut lua_State, index: c_int) -> usize;
    pub fn lua_touserdata(state: *mut lua_State, index: c_int) -> *mut c_void;
    pub fn lua_topointer(state: *mut lua_State, index: c_int) -> *const c_void;

    pub fn lua_pushnil(state: *mut lua_State);
    pub fn lua_pushnumber(state: *mut lua_State, n: c_double);
    pub fn lua_pushlstring(state: *mut lua_State, text: *const c_char, len: usize);
    pub fn lua_pushcclosure(state: *mut lua_State, function: lua_CFunction, upvalues: c_int);
    pub fn lua_pushboolean(state: *mut lua_State, b: c_int);
    pub fn lua_pushlightuserdata(state: *mut lua_State, p: *mut c_void);

    pub fn lua_gettable(state: *mut lua_State, index: c_int);
    pub fn lua_getfield(state: *mut lua_State, index: c_int, name: *const c_char);
    pub fn lua_rawget(state: *mut lua_State, index: c_int);
    pub fn lua_rawgeti(state: *mut lua_State, index: c_int, n: c_int);
    pub fn lua_createtable(state: *mut lua_State, array: c_int, others: c_int);
    pub fn lua_newuserdata(state: *mut lua_State, size: usize) -> *mut c_void;
    pub fn lua_getmetatable(state: *mut lua_State, index: c_int) -> c_int;

    pub fn lua_settable(state: *mut lua_State, index: c_int);
    pub fn lua_setfield(state: *mut lua_State, index: c_int, name: *const c_char);
    pub fn lua_rawset(state: *mut lua_State, index: c_int);
    pub fn lua_rawseti(state: *mut lua_State, index: c_int, n: c_int);
    pub fn lua_setmetatable(state: *mut lua_State, index: c_int) -> c_int;
    /// Kvist's own: makes a table read-only, or no longer so.
    pub fn lua_setreadonly(state: *mut lua_State, index: c_int, on: c_int);
    /// Kvist's own: whether a table is read-only.
    pub fn lua_isreadonly(state: *mut lua_State, index: c_int) -> c_int;
    /// Kvist's own: how many results the caller of the function that runs takes.
    pub fn lua_wanted(state: *mut lua_State) -> c_int;
    /// Kvist's own: what a slot holds.
    pub fn lua_peek(state: *mut lua_State, index: c_int, value: *mut lua_Peek);
    /// Kvist's own: what `t[n]` is, without metatables.
    pub fn lua_peekat(state: *mut lua_State, index: c_int, n: c_int, value: *mut lua_Peek);
    /// Kvist's own: the next pair of a table that is not changed meanwhile, 0 at the end. `at` is 0
    /// at first.
    pub fn lua_walk(
        state: *mut lua_State,
        index: c_int,
        at: *mut c_uint,
        key: *mut lua_Peek,
        value: *mut lua_Peek,
    ) -> c_int;
    /// Kvist's own: pushes what `lua_walk` showed last: the key or the value.
    pub fn lua_pushwalked(state: *mut lua_State, index: c_int, at: c_uint, key: c_int);

    pub fn lua_call(state: *mut lua_State, args: c_int, results: c_int);
    pub fn lua_pcall(state: *mut lua_State, args: c_int, results: c_int, handler: c_int) -> c_int;
    pub fn lua_error(state: *mut lua_State) -> !;
    pub fn lua_next(state: *mut lua_State, index: c_int) -> c_int;
    pub fn lua_concat(state: *mut lua_State, n: c_int);
    pub fn lua_gc(state: *mut lua_State, what: c_int, data: c_int) -> c_int;

    pub fn lua_sethook(
        state: *mut lua_State,
        hook: Option<lua_Hook>,
        mask: c_int,
        count: c_int,
    ) -> c_int;
    pub fn lua_getstack(state: *mut lua_State, level: c_int, ar: *mut lua_Debug) -> c_int;
    pub fn lua_getinfo(state: *mut lua_State, what: *const c_char, ar: *mut lua_Debug) -> c_int;

    pub fn luaL_loadbuffer(
        state: *mut lua_State,
        text: *const c_char,
        len: usize,
        name: *const c_char,
    ) -> c_int;
    pub fn luaL_ref(state: *mut lua_State, table: c_int) -> c_int;
    pub fn luaL_unref(state: *mut lua_State, table: c_int, reference: c_int);
    pub fn luaL_where(state: *mut lua_State, level: c_int);
    pub fn luaL_argerror(state: *mut lua_State, arg: c_int, text: *const c_char) -> c_int;
    pub fn luaL_checknumber(state: *mut lua_State, arg: c_int) -> c_double;
    pub fn luaL_checklstring(state: *mut lua_State, arg: c_int, len: *mut usize) -> *const c_char;
    pub fn luaL_checkstack(state: *mut lua_State, extra: c_int, text: *const c_char);
    pub fn luaL_typerror(state: *mut lua_State, arg: c_int, name: *const c_char) -> c_int;

    pub fn luaopen_base(state: *mut lua_State) -> c_int;
    pub fn luaopen_table(state: *mut lua_State) -> c_int;
    pub fn luaopen_string(state: *mut lua_State) -> c_int;
    pub fn luaopen_math(state: *mut lua_State) -> c_int;
}
