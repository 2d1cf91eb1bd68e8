//! `redis.register_function`, which a function library calls while it is loaded, in both its forms.

use lua::LUA_REGISTRYINDEX;

use crate::function_library::{Function, FunctionFlags, name_of};
use crate::interpreter::errors::push_error;
use crate::interpreter::frame::entry;
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;

/// Puts the function into the table on top.
pub fn open(stack: Stack<'_>) {
    stack.push_function(entry!(register_function));
    stack.set_field(-2, c"register_function");
}

/// What was given so far, with texts still on the stack.
#[derive(Default)]
struct Given<'s> {
    name: Option<&'s [u8]>,
    description: Option<&'s [u8]>,
    flags: FunctionFlags,
    /// Where the callback lies on the stack.
    callback: Option<i32>,
}

fn register_function(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    match register(stack, script) {
        Ok(()) => Ok(0),
        Err(text) => {
            push_error(stack, text.as_bytes());
            Err(Raise)
        }
    }
}

fn register(stack: Stack<'_>, script: &mut ScriptState) -> Result<(), &'static str> {
    if script.loading.is_none() {
        return Err("redis.register_function can only be called on FUNCTION LOAD command");
    }
    let given = match stack.top() {
        1 => named(stack)?,
        2 => positional(stack)?,
        _ => return Err("wrong number of arguments to redis.register_function"),
    };
    let (Some(name), Some(callback)) = (given.name, given.callback) else {
        return Err("redis.register_function must get a callback argument");
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.is_empty() || !name.iter().all(is_name) {
        return Err("Library names can only contain letters, numbers, or underscores(_) and must \
                    be at least one character long");
    }
    let loading = script.loading.iter().flat_map(|loading| &loading.functions);
    if loading.into_iter().any(|(known, _)| known.name.as_bytes() == name) {
        return Err("Function already exists in the library");
    }
    stack.push_copy(callback);
    let reference = stack.reference(LUA_REGISTRYINDEX);
    // From here on nothing raises, so that values with destructors may be made.
    let function = Function {
        name: name_of(name).unwrap_or_default(),
        description: given.description.map(<[u8]>::to_vec),
        flags: given.flags,
    };
    if let Some(loading) = &mut script.loading {
        loading.functions.push((function, reference));
    }
    Ok(())
}

fn positional(stack: Stack<'_>) -> Result<Given<'_>, &'static str> {
    let name = stack.text(1).ok_or("first argument to redis.register_function must be a string")?;
    if stack.kind(2) != Type::Function {
        return Err("second argument to redis.register_function must be a function");
    }
    Ok(Given { name: Some(name), callback: Some(2), ..Given::default() })
}

fn named(stack: Stack<'_>) -> Result<Given<'_>, &'static str> {
    if stack.kind(1) != Type::Table {
        return Err(
            "calling redis.register_function with a single argument is only applicable to \
                    Lua table (representing named arguments).",
        );
    }
    let mut given = Given::default();
    stack.push_nil(); // where the callback will lie
    stack.push_nil();
    while stack.next(1) {
        let key = match stack.kind(-2) {
            Type::String => stack.text(-2).unwrap_or_default(),
            Type::Number => return Err("unknown argument given to redis.register_function"),
            _ => {
                return Err("named argument key given to redis.register_function is not a string");
            }
        };
        let is = |name: &[u8]| key.eq_ignore_ascii_case(name);
        if is(b"function_name") {
            given.name = Some(stack.string(-1).ok_or(
                "function_name argument given to redis.register_function must be a string",
            )?);
        } else if is(b"description") {
            given.description =
                Some(stack.string(-1).ok_or(
                    "description argument given to redis.register_function must be a string",
                )?);
        } else if is(b"callback") {
            if stack.kind(-1) != Type::Function {
                return Err(
                    "callback argument given to redis.register_function must be a function",
                );
            }
            stack.push_copy(-1);
            stack.replace(2);
            given.callback = Some(2);
        } else if is(b"flags") {
            flags(stack, &mut given.flags)?;
        } else {
            return Err("unknown argument given to redis.register_function");
        }
        stack.pop(1);
    }
    if given.name.is_none() {
        return Err("redis.register_function must get a function name argument");
    }
    Ok(given)
}

/// The flags in the table on top.
fn flags(stack: Stack<'_>, flags: &mut FunctionFlags) -> Result<(), &'static str> {
    if stack.kind(-1) != Type::Table {
        return Err("flags argument to redis.register_function must be a table representing \
                    function flags");
    }
    for n in 1.. {
        stack.raw_get_at(-1, n);
        let known = match stack.kind(-1) {
            Type::Nil => break,
            Type::String => flags.set(stack.text(-1).unwrap_or_default()),
            _ => false,
        };
        if !known {
            return Err("unknown flag given");
        }
        stack.pop(1);
    }
    stack.pop(1);
    Ok(())
}
