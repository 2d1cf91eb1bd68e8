//! Values of Lua where they lie: what its functions say one by one, read at once.
//!
//! Encoders walk tables of many thousand values. By Lua's functions each step looks for the key of
//! the last one, pushes two values and asks four questions; here it is one look at memory. They are
//! the structures of `lobject.h` and `lstate.h` of Lua 5.1.5, the last release of that version, so
//! they do not change any more; [`is_known`] compares them with what Lua's functions say all the
//! same, before a state is used.
//!
//! Nothing is written here but a value onto the stack, exactly as `lua_pushvalue` writes it. What
//! `strings.rs` keeps in order is described here, too.

use std::ffi::{c_char, c_int, c_void};

use crate::{
    LUA_TBOOLEAN, LUA_TLIGHTUSERDATA, LUA_TNIL, LUA_TNONE, LUA_TNUMBER, LUA_TSTRING, LUA_TTABLE,
    lua_State,
};

/// What a value is made of: a number, a boolean or a pointer.
#[derive(Clone, Copy)]
#[repr(C)]
union Content {
    number: f64,
    boolean: c_int,
    pointer: *const c_void,
}

/// A value of Lua with its type.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Value {
    content: Content,
    kind: c_int,
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Value").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A string's header; its bytes follow, and a zero.
#[repr(C)]
pub(crate) struct Text {
    pub next: *mut Text,
    pub object: u8,
    pub marked: u8,
    /// Which word of the language it is.
    pub reserved: u8,
    pub hash: u32,
    pub len: usize,
}

/// The header of a userdata.
#[repr(C)]
pub(crate) struct Block {
    pub next: *mut c_void,
    pub object: u8,
    pub marked: u8,
    pub metatable: *mut c_void,
    pub environment: *mut c_void,
    pub len: usize,
}

/// All strings of a state, in chains.
#[repr(C)]
pub(crate) struct Strings {
    pub buckets: *mut *mut Text,
    pub count: u32,
    /// How many buckets there are: a power of two.
    pub size: c_int,
}

/// What all coroutines of a state share, up to where it names the main one.
#[repr(C)]
pub(crate) struct Global {
    pub strings: Strings,
    allocate: *const c_void,
    user_data: *mut c_void,
    /// The mark of what is new.
    pub white: u8,
    /// What the collector does now.
    pub phase: u8,
    swept: c_int,
    lists: [*mut c_void; 6],
    buffer: [usize; 3],
    sizes: [usize; 4],
    paces: [c_int; 2],
    panic: *const c_void,
    registry: Value,
    pub main: *mut State,
}

#[repr(C)]
struct Key {
    value: Value,
    next: *const Node,
}

#[repr(C)]
struct Node {
    value: Value,
    key: Key,
}

#[repr(C)]
struct Table {
    next: *const c_void,
    object: u8,
    marked: u8,
    flags: u8,
    log_nodes: u8,
    metatable: *const Table,
    array: *const Value,
    nodes: *const Node,
    last_free: *const Node,
    gray: *const c_void,
    array_len: c_int,
}

#[repr(C)]
struct Call {
    base: *mut Value,
    function: *mut Value,
    top: *mut Value,
    instruction: *const u32,
    results: c_int,
    tail_calls: c_int,
}

/// How a state begins.
#[repr(C)]
pub(crate) struct State {
    pub next: *mut c_void,
    object: u8,
    marked: u8,
    status: u8,
    top: *mut Value,
    base: *mut Value,
    pub global: *mut Global,
    call: *const Call,
}

impl Text {
    /// The bytes.
    ///
    /// # Safety
    /// It is a string of a state, which keeps it for as long as `'s`.
    #[inline]
    pub unsafe fn bytes<'s>(text: *const Text) -> &'s [u8] {
        // SAFETY: the bytes lie right behind the header.
        unsafe { std::slice::from_raw_parts(text.add(1).cast::<u8>(), (*text).len) }
    }
}

impl Value {
    /// As `lua_type` says it.
    #[inline]
    #[must_use]
    pub fn kind(&self) -> c_int {
        self.kind
    }

    /// The number; what else it is, if it is none, means nothing.
    #[inline]
    #[must_use]
    pub fn number(&self) -> f64 {
        debug_assert_eq!(self.kind, LUA_TNUMBER);
        // SAFETY: any eight bytes are a number.
        unsafe { self.content.number }
    }

    /// Whether it is `true`, or a light userdata that is the null pointer.
    #[inline]
    #[must_use]
    pub fn is_true_or_null(&self) -> bool {
        // SAFETY: both are plain data.
        unsafe {
            match self.kind {
                LUA_TBOOLEAN => self.content.boolean != 0,
                LUA_TLIGHTUSERDATA => self.content.pointer.is_null(),
                _ => false,
            }
        }
    }

    /// The bytes of a string.
    ///
    /// # Safety
    /// It is one, and is kept by the state for as long as `'s`.
    #[inline]
    #[must_use]
    pub unsafe fn text<'s>(&self) -> &'s [u8] {
        debug_assert_eq!(self.kind, LUA_TSTRING);
        // SAFETY: it is a string, as the caller says.
        unsafe { Text::bytes(self.content.pointer.cast()) }
    }

    /// Where the object is.
    #[inline]
    #[must_use]
    pub fn address(&self) -> *const c_void {
        // SAFETY: any eight bytes are a pointer that is not followed.
        unsafe { self.content.pointer }
    }
}

/// The slot of an index that is none of Lua's pseudo-indexes; null if nothing is there.
///
/// # Safety
/// The state is valid.
#[inline]
unsafe fn slot(state: *mut lua_State, index: c_int) -> *const Value {
    let state = state.cast::<State>();
    // SAFETY: the slots from `base` to `top` are those of the function that runs.
    unsafe {
        if index < 0 {
            return (*state).top.offset(index as isize);
        }
        let slot = (*state).base.add(index.unsigned_abs() as usize).sub(1);
        if slot < (*state).top { slot } else { std::ptr::null() }
    }
}

/// What a slot holds.
///
/// # Safety
/// The state is valid, and the index is none of Lua's pseudo-indexes; a negative one names a slot
/// that is there.
#[inline]
#[must_use]
pub unsafe fn peek(state: *mut lua_State, index: c_int) -> Value {
    // SAFETY: as the caller says.
    unsafe {
        let slot = slot(state, index);
        if slot.is_null() {
            return Value { content: Content { number: 0.0 }, kind: LUA_TNONE };
        }
        *slot
    }
}

/// The table in a slot.
///
/// # Safety
/// As for [`peek`], and there is a table.
#[inline]
unsafe fn table<'s>(state: *mut lua_State, index: c_int) -> &'s Table {
    // SAFETY: as the caller says.
    unsafe {
        let value = &*slot(state, index);
        debug_assert_eq!(value.kind, LUA_TTABLE);
        &*value.content.pointer.cast::<Table>()
    }
}

/// `t[n]` for `n` from 1, if it lies in the table's array.
///
/// # Safety
/// As for [`peek`], and there is a table.
#[inline]
#[must_use]
pub unsafe fn in_array(state: *mut lua_State, index: c_int, n: c_int) -> Option<Value> {
    // SAFETY: as the caller says; the array is as long as the table says.
    unsafe {
        let table = table(state, index);
        (n >= 1 && n <= table.array_len).then(|| *table.array.add(n.unsigned_abs() as usize - 1))
    }
}

/// Where the metatable of a table is; null if it has none.
///
/// # Safety
/// As for [`peek`], and there is a table.
#[inline]
#[must_use]
pub unsafe fn metatable(state: *mut lua_State, index: c_int) -> *const c_void {
    // SAFETY: as the caller says.
    unsafe { table(state, index).metatable.cast() }
}

/// The pair at `at` or the next one after it; `at`, 0 at first, becomes what comes after it.
///
/// # Safety
/// As for [`peek`], and there is a table, which has not changed since the first step.
#[inline]
#[must_use]
pub unsafe fn walk(state: *mut lua_State, index: c_int, at: &mut u32) -> Option<(Value, Value)> {
    // SAFETY: as the caller says; both parts are as long as the table says.
    unsafe {
        let table = table(state, index);
        let array = table.array_len.unsigned_abs();
        while *at < array {
            let value = *table.array.add(*at as usize);
            *at += 1;
            if value.kind != LUA_TNIL {
                let number = f64::from(*at);
                return Some((Value { content: Content { number }, kind: LUA_TNUMBER }, value));
            }
        }
        let nodes = 1u32 << table.log_nodes;
        while *at - array < nodes {
            let node = &*table.nodes.add((*at - array) as usize);
            *at += 1;
            if node.value.kind != LUA_TNIL {
                return Some((node.key.value, node.value));
            }
        }
        None
    }
}

/// Pushes a value.
///
/// # Safety
/// The state is valid, has room, and keeps the value.
#[inline]
pub unsafe fn push(state: *mut lua_State, value: Value) {
    let state = state.cast::<State>();
    // SAFETY: as the caller says.
    unsafe {
        (*state).top.write(value);
        (*state).top = (*state).top.add(1);
    }
}

/// How many results the caller of the function that runs takes, -1 if as many as there are.
///
/// # Safety
/// The state is valid, and a function that Lua called runs in it.
#[inline]
#[must_use]
pub unsafe fn wanted(state: *mut lua_State) -> c_int {
    // SAFETY: as the caller says.
    unsafe { (*(*state.cast::<State>()).call).results }
}

/// Whether values, strings and tables of this state lie as this file says. Leaves the stack as it
/// was.
///
/// # Safety
/// The state is valid, new, and cannot raise.
#[must_use]
pub unsafe fn is_known(state: *mut lua_State) -> bool {
    // SAFETY: as the caller says; what is read was pushed here.
    unsafe {
        let known = probe(state);
        crate::lua_settop(state, 0);
        known
    }
}

/// # Safety
/// As for [`is_known`].
unsafe fn probe(state: *mut lua_State) -> bool {
    let push_text = |text: &'static str| {
        // SAFETY: as the caller says.
        unsafe { crate::lua_pushlstring(state, text.as_ptr().cast::<c_char>(), text.len()) };
    };
    // SAFETY: as the caller says. Each look is at what the one before has shown to be there.
    unsafe {
        crate::lua_settop(state, 0);
        if (*state.cast::<State>()).top != (*state.cast::<State>()).base {
            return false;
        }
        crate::lua_createtable(state, 2, 2);
        if (*state.cast::<State>()).top != (*state.cast::<State>()).base.add(1) {
            return false;
        }
        let first = peek(state, 1);
        if first.kind != LUA_TTABLE || first.address() != crate::lua_topointer(state, 1) {
            return false;
        }
        crate::lua_pushnumber(state, 42.5);
        crate::lua_rawseti(state, 1, 1);
        push_text("value");
        crate::lua_setfield(state, 1, c"key".as_ptr());
        crate::lua_createtable(state, 0, 0);
        let metatable_at = crate::lua_topointer(state, -1);
        crate::lua_setmetatable(state, 1);
        let one = table(state, 1);
        if one.array_len != 2 || one.log_nodes != 1 || metatable(state, 1) != metatable_at {
            return false;
        }
        let mut at = 0;
        let (Some((n, number)), Some((key, text)), None) =
            (walk(state, 1, &mut at), walk(state, 1, &mut at), walk(state, 1, &mut at))
        else {
            return false;
        };
        let kinds = [n.kind, number.kind, key.kind, text.kind];
        if kinds != [LUA_TNUMBER, LUA_TNUMBER, LUA_TSTRING, LUA_TSTRING] {
            return false;
        }
        crate::lua_pushboolean(state, 1);
        crate::lua_pushlightuserdata(state, std::ptr::null_mut());
        push(state, number);
        n.number().to_bits() == 1f64.to_bits()
            && crate::lua_tonumber(state, -1).to_bits() == 42.5f64.to_bits()
            && key.text() == b"key"
            && text.text() == b"value"
            && peek(state, 2).is_true_or_null()
            && peek(state, -2).is_true_or_null()
            && peek(state, 9).kind == LUA_TNONE
    }
}
