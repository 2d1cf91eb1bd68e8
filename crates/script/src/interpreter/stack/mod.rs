//! The stack of the interpreter, with the calls of the C library behind methods.
//!
//! A [`Stack`] is made in two places only: where Lua calls a function of ours, and where a `Vm`
//! prepares a call. Both make the promises that the methods build on: the state is valid; indexes
//! name slots that are there (arguments are checked first, others were pushed by the caller); the
//! caller has made room for what it pushes (Lua gives each function 20 slots); and no frame that a
//! raised error jumps over holds a value with a destructor.

use std::ffi::c_int;
use std::marker::PhantomData;

use lua::layout;
use lua::{lua_CFunction, lua_Hook, lua_State};

mod arguments;
mod tables;
mod value;

pub(crate) use arguments::raise;
use value::seen;
pub use value::{Peek, Type, Walk};

/// The error to raise lies on top of the stack.
#[derive(Debug)]
pub struct Raise;

/// The stack of a function that runs; valid for `'s`.
#[derive(Clone, Copy)]
pub struct Stack<'s> {
    state: *mut lua_State,
    lifetime: PhantomData<&'s ()>,
}

/// Methods that only call the function of that name in C.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? = $c:ident;)*) => {
        $($(#[$doc])* #[inline] pub fn $name(self $(, $arg: $type)*) $(-> $result)? {
            // SAFETY: promised by the code that made the stack (see the top of the file).
            unsafe { lua::$c(self.state $(, $arg)*) }
        })*
    };
}

impl<'s> Stack<'s> {
    /// The stack of a state.
    ///
    /// # Safety
    /// The promises at the top of the file hold as long as `'s`.
    #[inline]
    pub unsafe fn new(state: *mut lua_State) -> Self {
        Stack { state, lifetime: PhantomData }
    }

    /// Has a hook called at these events, or after so many instructions.
    pub fn set_hook(self, hook: lua_Hook, mask: c_int, count: c_int) {
        // SAFETY: promised by the code that made the stack; setting a hook raises nothing.
        unsafe { lua::lua_sethook(self.state, Some(hook), mask, count) };
    }

    calls! {
        /// How many slots are in use.
        top() -> c_int = lua_gettop;
        /// Cuts or extends with nils.
        set_top(index: c_int) = lua_settop;
        /// Pushes a copy.
        push_copy(index: c_int) = lua_pushvalue;
        /// Takes a slot out.
        remove(index: c_int) = lua_remove;
        /// Moves the top value to a slot.
        insert(index: c_int) = lua_insert;
        /// Moves the top value into a slot.
        replace(index: c_int) = lua_replace;
        /// Pushes nil.
        push_nil() = lua_pushnil;
        /// Pushes a number.
        push_number(n: f64) = lua_pushnumber;
        /// Pushes an empty table with room.
        push_table(array: c_int, others: c_int) = lua_createtable;
        /// `t[k]` without metatables; the key on top is replaced.
        raw_get(index: c_int) = lua_rawget;
        /// `t[n]` without metatables.
        raw_get_at(index: c_int, n: c_int) = lua_rawgeti;
        /// `t[k] = v` without metatables; both are popped.
        raw_set(index: c_int) = lua_rawset;
        /// `t[n] = v` without metatables; the value is popped.
        raw_set_at(index: c_int, n: c_int) = lua_rawseti;
        /// `t[k]`; the key on top is replaced. May call a metamethod.
        get(index: c_int) = lua_gettable;
        /// `t[k] = v`; both are popped.
        set(index: c_int) = lua_settable;
        /// The number in a slot, or what a string in it says, or zero.
        number(index: c_int) -> f64 = lua_tonumber;
        /// Joins the topmost values.
        concat(n: c_int) = lua_concat;
        /// The number of an argument; raises if it is none.
        check_number(arg: c_int) -> f64 = luaL_checknumber;
        /// A reference to the top value, which is popped.
        reference(table: c_int) -> c_int = luaL_ref;
        /// Gives a reference up.
        unreference(table: c_int, reference: c_int) = luaL_unref;
    }

    /// The state itself.
    pub fn state(self) -> *mut lua_State {
        self.state
    }

    /// Calls the function on top, which opens a built-in library. Nothing protects this.
    pub fn call_opener(self) {
        // SAFETY: as above.
        unsafe { lua::lua_call(self.state, 0, 0) }
    }

    /// Collects all garbage.
    pub fn collect(self) {
        // SAFETY: as above.
        unsafe { lua::lua_gc(self.state, lua::LUA_GCCOLLECT, 0) };
    }

    /// Does some of the collector's work; whether that was the end of a cycle.
    pub fn collect_some(self, size: c_int) -> bool {
        // SAFETY: as above.
        unsafe {
            lua::lua_gc(self.state, lua::LUA_GCSETSTEPMUL, 200);
            let done = lua::lua_gc(self.state, lua::LUA_GCSTEP, size) != 0;
            lua::lua_gc(self.state, lua::LUA_GCSETSTEPMUL, 0);
            done
        }
    }

    /// Has each cycle of the collector done in one go, once the memory in use is so many percent of
    /// what was left by the last one: with a collector that works by steps large strings become
    /// garbage faster than it goes.
    pub fn set_collector(self, percent: c_int) {
        // SAFETY: as above.
        unsafe {
            lua::lua_gc(self.state, lua::LUA_GCSETSTEPMUL, 0);
            lua::lua_gc(self.state, lua::LUA_GCSETPAUSE, percent);
        }
    }

    /// Pops values.
    #[inline]
    pub fn pop(self, n: c_int) {
        self.set_top(-n - 1);
    }

    /// Whether there is room for this many more values; makes it.
    #[inline]
    pub fn has_room(self, extra: c_int) -> bool {
        // SAFETY: as above.
        unsafe { lua::lua_checkstack(self.state, extra) != 0 }
    }

    /// The kind of value in a slot.
    #[inline]
    pub fn kind(self, index: c_int) -> Type {
        // SAFETY: as above.
        Type::of(unsafe { lua::lua_type(self.state, index) })
    }

    /// How many results the caller of the function that runs takes, -1 if as many as there are.
    #[inline]
    pub fn wanted(self) -> c_int {
        // SAFETY: as above; a function that Lua has called asks.
        unsafe { layout::wanted(self.state) }
    }

    /// What a slot holds.
    #[inline]
    pub fn peek(self, index: c_int) -> Peek<'s> {
        // SAFETY: as above.
        unsafe { seen(layout::peek(self.state, index)) }
    }

    /// Whether a slot holds a number or a string that reads as one.
    pub fn is_numeric(self, index: c_int) -> bool {
        // SAFETY: as above.
        unsafe { lua::lua_isnumber(self.state, index) != 0 }
    }

    /// Whether a slot counts as true.
    #[inline]
    pub fn is_true(self, index: c_int) -> bool {
        // SAFETY: as above.
        unsafe { lua::lua_toboolean(self.state, index) != 0 }
    }

    /// The bytes of a string, or of a number, which becomes a string in its slot. They live as long
    /// as the string does, so as long as it stays on the stack.
    #[inline]
    pub fn text(self, index: c_int) -> Option<&'s [u8]> {
        let mut len = 0;
        // SAFETY: as above; Lua's strings do not move, and the caller keeps it on the stack.
        unsafe {
            let text = lua::lua_tolstring(self.state, index, &raw mut len);
            (!text.is_null()).then(|| std::slice::from_raw_parts(text.cast(), len))
        }
    }

    /// The bytes of a string, nothing else.
    #[inline]
    pub fn string(self, index: c_int) -> Option<&'s [u8]> {
        if self.kind(index) == Type::String { self.text(index) } else { None }
    }

    /// Pushes a string.
    #[inline]
    pub fn push(self, text: &[u8]) {
        // SAFETY: as above; Lua copies the bytes.
        unsafe { lua::lua_pushlstring(self.state, text.as_ptr().cast(), text.len()) }
    }

    /// Pushes a boolean.
    #[inline]
    pub fn push_boolean(self, b: bool) {
        // SAFETY: as above.
        unsafe { lua::lua_pushboolean(self.state, c_int::from(b)) }
    }

    /// Pushes a count. Doubles hold each integer up to 2⁵³.
    #[allow(clippy::cast_precision_loss)]
    pub fn push_count(self, n: usize) {
        self.push_number(n as f64);
    }

    /// Pushes the null pointer, `cjson.null`.
    #[inline]
    pub fn push_null_pointer(self) {
        // SAFETY: as above; Lua never looks behind the pointer.
        unsafe { lua::lua_pushlightuserdata(self.state, std::ptr::null_mut()) }
    }

    /// Pushes a function of ours.
    pub fn push_function(self, function: lua_CFunction) {
        self.push_closure(function, 0);
    }

    /// Pushes a function of ours with the topmost values as its upvalues.
    pub fn push_closure(self, function: lua_CFunction, upvalues: c_int) {
        // SAFETY: as above.
        unsafe { lua::lua_pushcclosure(self.state, function, upvalues) }
    }

    /// Pushes a userdata that holds a plain value.
    pub fn push_plain<T: Copy>(self, value: T) {
        const { assert!(align_of::<T>() <= 8) };
        // SAFETY: as above; the block is new, large enough, and aligned for every C type.
        unsafe { lua::lua_newuserdata(self.state, size_of::<T>()).cast::<T>().write(value) }
    }

    /// The plain value of the userdata that is the first upvalue of this function.
    ///
    /// # Safety
    /// That upvalue was made by `push_plain` with the same type, and no other reference to it is
    /// alive.
    pub unsafe fn upvalue<T: Copy>(self) -> &'s mut T {
        // SAFETY: the caller says what is there; the closure keeps it alive while it runs.
        unsafe { &mut *lua::lua_touserdata(self.state, lua::lua_upvalueindex(1)).cast::<T>() }
    }

    /// Pushes what `tostring` says of a value without asking its metatable.
    pub fn push_described(self, index: c_int) {
        match self.kind(index) {
            Type::String | Type::Number => {
                self.push_copy(index);
                self.text(-1); // a number becomes its text
            }
            Type::Boolean => self.push(if self.is_true(index) { b"true" } else { b"false" }),
            kind @ (Type::None | Type::Nil) => self.push(kind.name()[..].as_bytes()),
            kind => {
                let mut room = [0u8; 40];
                let mut rest = &mut room[..];
                // The longest name and 16 digits fit.
                let _ = std::io::Write::write_fmt(
                    &mut rest,
                    format_args!("{}: {:#x}", kind.name(), self.address(index)),
                );
                let left = rest.len();
                self.push(&room[..40 - left]);
            }
        }
    }

    /// Calls the function below `args` arguments. May run anything.
    #[inline]
    pub fn call(self, args: c_int, results: c_int) {
        // SAFETY: as above; the caller holds nothing that what runs may touch.
        unsafe { lua::lua_call(self.state, args, results) }
    }

    /// Whether one value is less than another. May call a metamethod.
    #[inline]
    pub fn is_less(self, left: c_int, right: c_int) -> bool {
        // SAFETY: as above.
        unsafe { lua::lua_lessthan(self.state, left, right) != 0 }
    }

    /// Pushes a block of so many bytes.
    pub fn push_block(self, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { lua::lua_newuserdata(self.state, size).cast() }
    }

    /// The bytes of the string in a slot, and the zero byte Lua keeps behind them.
    pub fn text_and_zero(self, index: c_int) -> &'s [u8] {
        let text = self.text(index).unwrap_or_default();
        // SAFETY: Lua keeps a zero byte behind each string.
        unsafe { std::slice::from_raw_parts(text.as_ptr(), text.len() + 1) }
    }
}
