//! The stack of the interpreter, with the calls of the C library behind methods.
//!
//! A [`Stack`] is made in two places only: where Lua calls a function of ours, and where a `Vm`
//! prepares a call. Both make the promises that the methods build on: the state is valid; indexes
//! name slots that are there (arguments are checked first, others were pushed by the caller); the
//! caller has made room for what it pushes (Lua gives each function 20 slots); and no frame that a
//! raised error jumps over holds a value with a destructor.

use std::ffi::{CStr, c_int, c_void};
use std::marker::PhantomData;

use lua::layout::{self, Value};
use lua::{
    LUA_TBOOLEAN, LUA_TFUNCTION, LUA_TLIGHTUSERDATA, LUA_TNIL, LUA_TNUMBER, LUA_TSTRING,
    LUA_TTABLE, LUA_TTHREAD, LUA_TUSERDATA, lua_CFunction, lua_State,
};

/// The error to raise lies on top of the stack.
#[derive(Debug)]
pub struct Raise;

/// What kind of value a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    None,
    Nil,
    Boolean,
    Light,
    Number,
    String,
    Table,
    Function,
    Userdata,
    Thread,
}

impl Type {
    #[inline]
    fn of(kind: c_int) -> Self {
        match kind {
            LUA_TNIL => Type::Nil,
            LUA_TBOOLEAN => Type::Boolean,
            LUA_TLIGHTUSERDATA => Type::Light,
            LUA_TNUMBER => Type::Number,
            LUA_TSTRING => Type::String,
            LUA_TTABLE => Type::Table,
            LUA_TFUNCTION => Type::Function,
            LUA_TUSERDATA => Type::Userdata,
            LUA_TTHREAD => Type::Thread,
            _ => Type::None,
        }
    }

    /// As `type()` says it.
    pub fn name(self) -> &'static str {
        match self {
            Type::None => "no value",
            Type::Nil => "nil",
            Type::Boolean => "boolean",
            Type::Light | Type::Userdata => "userdata",
            Type::Number => "number",
            Type::String => "string",
            Type::Table => "table",
            Type::Function => "function",
            Type::Thread => "thread",
        }
    }
}

/// A value that was looked at where it lies. What it holds lives as long as the table that holds it
/// is on the stack and not changed.
#[derive(Clone, Copy, Debug)]
pub enum Peek<'s> {
    Nil,
    Boolean(bool),
    Number(f64),
    Text(&'s [u8]),
    /// The null pointer, `cjson.null`.
    Null,
    Table,
    Other(Type),
}

impl Peek<'_> {
    /// What kind of value it is.
    pub fn kind(self) -> Type {
        match self {
            Peek::Nil => Type::Nil,
            Peek::Boolean(_) => Type::Boolean,
            Peek::Number(_) => Type::Number,
            Peek::Text(_) => Type::String,
            Peek::Null => Type::Light,
            Peek::Table => Type::Table,
            Peek::Other(kind) => kind,
        }
    }
}

/// A way through a table, which must not be changed meanwhile.
#[derive(Debug, Default)]
pub struct Walk {
    at: u32,
    pair: Option<(Value, Value)>,
}

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

    /// Makes the script end at its next line at the latest, by an error that follows it wherever it
    /// is caught: for a script whose end is decided.
    pub fn end_at_next_line(self) {
        // No other hook is set instead.
        crate::sandbox::memory_of(self).unwatch();
        // SAFETY: promised by the code that made the stack; setting a hook raises nothing.
        unsafe { lua::lua_sethook(self.state, Some(crate::vm::hook), lua::LUA_MASKLINE, 0) };
    }

    /// Has the hook called after so many instructions, again and again.
    pub fn call_hook_after(self, instructions: u32) {
        let count = c_int::try_from(instructions).unwrap_or(c_int::MAX);
        let (hook, mask) = (Some(crate::vm::hook as lua::lua_Hook), lua::LUA_MASKCOUNT);
        // SAFETY: promised by the code that made the stack; setting a hook raises nothing.
        unsafe { lua::lua_sethook(self.state, hook, mask, count) };
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

    /// Calls the function on top, which opens a library. Nothing protects this.
    pub fn call_library(self) {
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

    /// Makes room or raises `stack overflow (…)`.
    pub fn make_room(self, extra: c_int, why: &CStr) {
        // SAFETY: as above.
        unsafe { lua::luaL_checkstack(self.state, extra, why.as_ptr()) }
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

    /// What `t[n]` is, without metatables.
    #[inline]
    pub fn peek_at(self, index: c_int, n: c_int) -> Peek<'s> {
        // SAFETY: as above. What the slot above the top held is still kept by the table.
        unsafe {
            if let Some(value) = layout::in_array(self.state, index, n) {
                return seen(value);
            }
            lua::lua_rawgeti(self.state, index, n);
            let value = layout::peek(self.state, -1);
            lua::lua_settop(self.state, -2);
            seen(value)
        }
    }

    /// The next pair of a table; none at the end.
    #[inline]
    pub fn walk(self, index: c_int, walk: &mut Walk) -> Option<(Peek<'s>, Peek<'s>)> {
        // SAFETY: as above.
        unsafe {
            walk.pair = layout::walk(self.state, index, &mut walk.at);
            walk.pair.map(|(key, value)| (seen(key), seen(value)))
        }
    }

    /// Pushes the key of the pair that was walked to.
    pub fn push_key(self, walk: &Walk) {
        if let Some((key, _)) = walk.pair {
            // SAFETY: as above; the table that is walked keeps the key.
            unsafe { layout::push(self.state, key) }
        }
    }

    /// Pushes the value of the pair that was walked to.
    pub fn push_value(self, walk: &Walk) {
        if let Some((_, value)) = walk.pair {
            // SAFETY: as above; the table that is walked keeps the value.
            unsafe { layout::push(self.state, value) }
        }
    }

    /// Where the metatable of the table in a slot is.
    #[inline]
    pub fn metatable_at(self, index: c_int) -> *const c_void {
        // SAFETY: as above.
        unsafe { layout::metatable(self.state, index) }
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

    /// The bytes of an argument; raises if it is neither a string nor a number.
    #[inline]
    pub fn check_text(self, arg: c_int) -> &'s [u8] {
        let mut len = 0;
        // SAFETY: as in `text`.
        unsafe {
            let text = lua::luaL_checklstring(self.state, arg, &raw mut len);
            std::slice::from_raw_parts(text.cast(), len)
        }
    }

    /// An argument as C makes an `int` of it: cut to 64 bits, then to 32.
    #[allow(clippy::cast_possible_truncation)] // as C does
    pub fn check_int(self, arg: c_int) -> i32 {
        crate::number::truncated(self.check_number(arg)) as i32
    }

    /// An optional argument, cut to 64 bits.
    pub fn check_whole_or(self, arg: c_int, default: i64) -> i64 {
        match self.kind(arg) {
            Type::None | Type::Nil => default,
            _ => crate::number::truncated(self.check_number(arg)),
        }
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

    /// `t.name = v`; the value is popped.
    pub fn set_field(self, index: c_int, name: &CStr) {
        // SAFETY: as above.
        unsafe { lua::lua_setfield(self.state, index, name.as_ptr()) }
    }

    /// Pushes `t.name`. May call a metamethod.
    pub fn get_field(self, index: c_int, name: &CStr) {
        // SAFETY: as above.
        unsafe { lua::lua_getfield(self.state, index, name.as_ptr()) }
    }

    /// Pushes `t[name]` without metatables.
    pub fn raw_field(self, index: c_int, name: &str) {
        self.push(name.as_bytes());
        self.raw_get(if index < 0 { index - 1 } else { index });
    }

    /// The next pair of a table after the key on top, which is popped; false at the end.
    #[inline]
    pub fn next(self, index: c_int) -> bool {
        // SAFETY: as above; keys come from earlier steps, so there is no invalid one.
        unsafe { lua::lua_next(self.state, index) != 0 }
    }

    /// Gives the table or userdata in a slot the metatable on top.
    pub fn set_metatable(self, index: c_int) {
        // SAFETY: as above.
        unsafe { lua::lua_setmetatable(self.state, index) };
    }

    /// Pushes the metatable of a value, if it has one.
    pub fn metatable(self, index: c_int) -> bool {
        // SAFETY: as above.
        unsafe { lua::lua_getmetatable(self.state, index) != 0 }
    }

    /// Where a table is, to know it again.
    pub fn address(self, index: c_int) -> usize {
        // SAFETY: as above.
        unsafe { lua::lua_topointer(self.state, index).addr() }
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

    /// An error with the position of the function's caller in front, as most libraries raise them.
    pub fn raise_at(self, text: &[u8]) -> Raise {
        self.room_to_raise();
        // SAFETY: as above.
        unsafe { lua::luaL_where(self.state, 1) };
        self.push(text);
        self.concat(2);
        Raise
    }

    /// Makes room for an error, of what is there if need be.
    pub fn room_to_raise(self) {
        if !self.has_room(6) {
            self.pop(6);
        }
    }

    /// Raises an error with the position of the function's caller in front.
    pub fn raise_now(self, text: &[u8]) -> ! {
        self.raise_from(1, text)
    }

    /// Raises an error with the position of the function so many levels up in front.
    pub fn raise_from(self, level: c_int, text: &[u8]) -> ! {
        self.room_to_raise();
        // SAFETY: as above.
        unsafe {
            lua::luaL_where(self.state, level);
            self.push(text);
            self.concat(2);
            lua::lua_error(self.state)
        }
    }

    /// Raises `bad argument #n to 'f' (… expected, got …)` unless the argument is of this type.
    pub fn check_type(self, arg: c_int, kind: c_int) {
        // SAFETY: as above.
        unsafe { lua::luaL_checktype(self.state, arg, kind) }
    }

    /// Raises `bad argument #n to 'f' (value expected)` unless there is one.
    pub fn check_any(self, arg: c_int) {
        // SAFETY: as above.
        unsafe { lua::luaL_checkany(self.state, arg) }
    }

    /// How many elements the table in a slot has in order, without metatables.
    #[inline]
    pub fn len(self, index: c_int) -> usize {
        // SAFETY: as above.
        unsafe { lua::lua_objlen(self.state, index) }
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

    /// Raises `bad argument #n to 'f' (…)`.
    pub fn bad_arg(self, arg: c_int, text: &CStr) -> ! {
        // SAFETY: as above; this call never returns, which its type in C does not say.
        unsafe {
            lua::luaL_argerror(self.state, arg, text.as_ptr());
            lua::lua_error(self.state)
        }
    }

    /// Raises `bad argument #n to 'f' (number expected, got …)`.
    pub fn bad_type(self, arg: c_int, expected: &CStr) -> ! {
        // SAFETY: as in `bad_arg`.
        unsafe {
            lua::luaL_typerror(self.state, arg, expected.as_ptr());
            lua::lua_error(self.state)
        }
    }
}

/// A value as it was found.
///
/// # Safety
/// It is kept by the state for as long as `'s`.
#[inline]
unsafe fn seen<'s>(value: Value) -> Peek<'s> {
    match value.kind() {
        LUA_TNIL => Peek::Nil,
        LUA_TBOOLEAN => Peek::Boolean(value.is_true_or_null()),
        LUA_TNUMBER => Peek::Number(value.number()),
        // SAFETY: it is a string, and kept as the caller says.
        LUA_TSTRING => Peek::Text(unsafe { value.text() }),
        LUA_TLIGHTUSERDATA if value.is_true_or_null() => Peek::Null,
        LUA_TTABLE => Peek::Table,
        kind => Peek::Other(Type::of(kind)),
    }
}

/// Puts a message together in the state's buffer and raises it with its position.
macro_rules! raise {
    ($stack:expr, $inner:expr, $($format:tt)+) => {{
        $inner.text.clear();
        // Writing to a vector cannot fail.
        let _ = std::io::Write::write_fmt(&mut $inner.text, format_args!($($format)+));
        $stack.raise_at(&$inner.text)
    }};
}
pub(crate) use raise;
