//! Tables of the interpreter: their fields, ways through them, their metatables.

use std::ffi::{CStr, c_int, c_void};

use lua::layout;

use super::{Peek, Stack, Walk, seen};

impl<'s> Stack<'s> {
    /// What `t[n]` is, without metatables.
    #[inline]
    pub fn peek_at(self, index: c_int, n: c_int) -> Peek<'s> {
        // SAFETY: promised by the stack's maker. The table still keeps what the slot above the top
        // held.
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
        // SAFETY: promised by the stack's maker.
        unsafe {
            walk.pair = layout::walk(self.state, index, &mut walk.at);
            walk.pair.map(|(key, value)| (seen(key), seen(value)))
        }
    }

    /// Pushes the key of the pair that was walked to.
    pub fn push_key(self, walk: &Walk) {
        if let Some((key, _)) = walk.pair {
            // SAFETY: promised by the stack's maker; the table that is walked keeps the key.
            unsafe { layout::push(self.state, key) }
        }
    }

    /// Pushes the value of the pair that was walked to.
    pub fn push_value(self, walk: &Walk) {
        if let Some((_, value)) = walk.pair {
            // SAFETY: promised by the stack's maker; the table that is walked keeps the value.
            unsafe { layout::push(self.state, value) }
        }
    }

    /// Where the metatable of the table in a slot is.
    #[inline]
    pub fn metatable_at(self, index: c_int) -> *const c_void {
        // SAFETY: promised by the stack's maker.
        unsafe { layout::metatable(self.state, index) }
    }

    /// `t.name = v`; the value is popped.
    pub fn set_field(self, index: c_int, name: &CStr) {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::lua_setfield(self.state, index, name.as_ptr()) }
    }

    /// Pushes `t.name`. May call a metamethod.
    pub fn get_field(self, index: c_int, name: &CStr) {
        // SAFETY: promised by the stack's maker.
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
        // SAFETY: promised by the stack's maker; keys come from earlier steps, so none is invalid.
        unsafe { lua::lua_next(self.state, index) != 0 }
    }

    /// Gives the table or userdata in a slot the metatable on top.
    pub fn set_metatable(self, index: c_int) {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::lua_setmetatable(self.state, index) };
    }

    /// Pushes the metatable of a value, if it has one.
    pub fn metatable(self, index: c_int) -> bool {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::lua_getmetatable(self.state, index) != 0 }
    }

    /// Where a table is, to know it again.
    pub fn address(self, index: c_int) -> usize {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::lua_topointer(self.state, index).addr() }
    }

    /// How many elements the table in a slot has in order, without metatables.
    #[inline]
    pub fn len(self, index: c_int) -> usize {
        // SAFETY: promised by the stack's maker.
        unsafe { lua::lua_objlen(self.state, index) }
    }
}
