//! Lua 5.1.5 with the correction of CVE-2014-5461: the crate `lua-src` brings its sources, with
//! that change made, and compiles them; here are the declarations to call it, [`layout`], which
//! reads its tables where they lie, and `strings`, which takes the place of its table of strings.
//!
//! Scripts of Redis rely on the exact behaviour of this interpreter: its error texts, the order in
//! which it walks tables, how it writes numbers. What Redis adds to it is built around it, in
//! `kvist-script`.
//!
//! Otherwise this crate only declares. Errors of Lua are `longjmp`s: a function here marked
//! *raises* must not be called while a frame between it and the protecting call holds a value with
//! a destructor, and all of them want a valid state and valid indexes. `kvist-script` keeps those
//! promises.
#![allow(non_camel_case_types)]

mod hash;
pub mod layout;
mod strings;

pub use hash::{seed_strings, strings_have_a_seed};

use std::ffi::{c_char, c_double, c_int, c_void};

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

/// Gives `lua_load` the next piece of a text, null at its end.
pub type lua_Reader =
    unsafe extern "C-unwind" fn(*mut lua_State, *mut c_void, *mut usize) -> *const c_char;

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
    /// A coroutine has yielded.
    LUA_YIELD = 1;
    /// A text is no Lua.
    LUA_ERRSYNTAX = 3;
    /// The allocator refused.
    LUA_ERRMEM = 4;
    /// A handler of errors failed.
    LUA_ERRERR = 5;
    /// `lua_gc`: collect everything.
    LUA_GCCOLLECT = 2;
    /// `lua_gc`: KiB in use.
    LUA_GCCOUNT = 3;
    /// `lua_gc`: do some work.
    LUA_GCSTEP = 5;
    /// `lua_gc`: how much memory may grow before the next cycle, in percent.
    LUA_GCSETPAUSE = 6;
    /// `lua_gc`: how much of its work the collector does at a time; all if zero.
    LUA_GCSETSTEPMUL = 7;
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
    pub fn lua_newthread(state: *mut lua_State) -> *mut lua_State;
    pub fn lua_tothread(state: *mut lua_State, index: c_int) -> *mut lua_State;
    pub fn lua_setlevel(from: *mut lua_State, to: *mut lua_State);
    pub fn lua_xmove(from: *mut lua_State, to: *mut lua_State, n: c_int);
    pub fn lua_resume(state: *mut lua_State, args: c_int) -> c_int;
    pub fn lua_status(state: *mut lua_State) -> c_int;
    pub fn lua_iscfunction(state: *mut lua_State, index: c_int) -> c_int;
    pub fn lua_lessthan(state: *mut lua_State, left: c_int, right: c_int) -> c_int;
    pub fn lua_load(
        state: *mut lua_State,
        reader: lua_Reader,
        data: *mut c_void,
        name: *const c_char,
    ) -> c_int;
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
    pub fn lua_tocfunction(state: *mut lua_State, index: c_int) -> Option<lua_CFunction>;
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

    pub fn luaL_ref(state: *mut lua_State, table: c_int) -> c_int;
    pub fn luaL_unref(state: *mut lua_State, table: c_int, reference: c_int);
    pub fn luaL_where(state: *mut lua_State, level: c_int);
    pub fn luaL_argerror(state: *mut lua_State, arg: c_int, text: *const c_char) -> c_int;
    pub fn luaL_checknumber(state: *mut lua_State, arg: c_int) -> c_double;
    pub fn luaL_checklstring(state: *mut lua_State, arg: c_int, len: *mut usize) -> *const c_char;
    pub fn luaL_checktype(state: *mut lua_State, arg: c_int, kind: c_int);
    pub fn luaL_checkany(state: *mut lua_State, arg: c_int);
    pub fn luaL_checkstack(state: *mut lua_State, extra: c_int, text: *const c_char);
    pub fn luaL_typerror(state: *mut lua_State, arg: c_int, name: *const c_char) -> c_int;

    pub fn luaopen_base(state: *mut lua_State) -> c_int;
    pub fn luaopen_table(state: *mut lua_State) -> c_int;
    pub fn luaopen_string(state: *mut lua_State) -> c_int;
    pub fn luaopen_math(state: *mut lua_State) -> c_int;
}
