//! The arguments of a function that Lua calls, and how it raises an error.

use std::ffi::{CStr, c_int};

use super::{Raise, Stack, Type};

impl<'s> Stack<'s> {
    /// An error with the position of the function's caller in front, as most libraries raise them.
    pub fn raise_at(self, text: &[u8]) -> Raise {
        self.room_to_raise();
        // SAFETY: promised by the stack's maker.
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
        // SAFETY: promised by the stack's maker.
        unsafe {
            lua::luaL_where(self.state, level);
            self.push(text);
            self.concat(2);
            lua::lua_error(self.state)
        }
    }

    /// Makes room or raises `stack overflow (…)`.
    pub fn make_room(self, extra: c_int, why: &CStr) {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::luaL_checkstack(self.state, extra, why.as_ptr()) }
    }

    /// Raises `bad argument #n to 'f' (… expected, got …)` unless the argument is of this type.
    pub fn check_type(self, arg: c_int, kind: c_int) {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::luaL_checktype(self.state, arg, kind) }
    }

    /// Raises `bad argument #n to 'f' (value expected)` unless there is one.
    pub fn check_any(self, arg: c_int) {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::luaL_checkany(self.state, arg) }
    }

    /// The bytes of an argument; raises if it is neither a string nor a number.
    #[inline]
    pub fn check_text(self, arg: c_int) -> &'s [u8] {
        let mut len = 0;
        // SAFETY: as in `Stack::text`.
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

    /// Raises `bad argument #n to 'f' (…)`.
    pub fn bad_arg(self, arg: c_int, text: &CStr) -> ! {
        // SAFETY: promised by the stack's maker; this call never returns, which C does not say.
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

/// Puts a message together in the state's buffer and raises it with its position.
macro_rules! raise {
    ($stack:expr, $script:expr, $($format:tt)+) => {{
        $script.buffers.text.clear();
        // Writing to a vector cannot fail.
        let _ = std::io::Write::write_fmt(&mut $script.buffers.text, format_args!($($format)+));
        $stack.raise_at(&$script.buffers.text)
    }};
}
pub(crate) use raise;
