//! Values of the interpreter, looked at where they lie.

use std::ffi::c_int;

use lua::layout::Value;
use lua::{
    LUA_TBOOLEAN, LUA_TFUNCTION, LUA_TLIGHTUSERDATA, LUA_TNIL, LUA_TNUMBER, LUA_TSTRING,
    LUA_TTABLE, LUA_TTHREAD, LUA_TUSERDATA,
};

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
    pub(super) fn of(kind: c_int) -> Self {
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
    pub(super) at: u32,
    pub(super) pair: Option<(Value, Value)>,
}

/// A value as it was found.
///
/// # Safety
/// It is kept by the state for as long as `'s`.
#[inline]
pub(super) unsafe fn seen<'s>(value: Value) -> Peek<'s> {
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
