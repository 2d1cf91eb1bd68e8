//! The answer to a request. It is kept until the command has succeeded, which may fail behind the
//! beginning of an array, and sent then.

use std::ffi::{CStr, CString, c_long};

use base::{Protocol, Reply};
use redis_module::{Context, ContextFlags, raw};

use crate::Ctx;

/// A reply's parts, each as what sends it.
pub struct Replies {
    protocol: Protocol,
    parts: Vec<Box<dyn FnOnce(Ctx)>>,
}

impl Replies {
    /// None yet.
    pub fn new(ctx: &Context) -> Self {
        let is_newer = ctx.get_flags().contains(ContextFlags::FLAGS_RESP3);
        let protocol = if is_newer { Protocol::Resp3 } else { Protocol::Resp2 };
        Replies { protocol, parts: Vec::new() }
    }

    /// Sends them.
    pub fn send(self, ctx: Ctx) {
        self.parts.into_iter().for_each(|part| part(ctx));
    }
}

/// A text as the server's functions take it: a zero byte ends it.
fn c_text(text: &[u8]) -> CString {
    CString::new(base::error::until_zero(text)).unwrap_or_default()
}

/// Sends an error. (The crate's function for it makes Latin-1 of the text.)
pub fn send_error(ctx: Ctx, text: &[u8]) {
    let text = c_text(text);
    // SAFETY: the context is that of the request, and the text ends with zero.
    unsafe { raw::RedisModule_ReplyWithError.map(|send| send(ctx, text.as_ptr())) };
}

fn send_simple(ctx: Ctx, text: &CStr) {
    raw::reply_with_simple_string(ctx, text.as_ptr());
}

fn send_bulk(ctx: Ctx, bytes: &[u8]) {
    raw::reply_with_string_buffer(ctx, bytes.as_ptr().cast(), bytes.len());
}

/// The only format there is beside `mkd`, of which no command here knows.
fn send_text(ctx: Ctx, text: &[u8]) {
    raw::reply_with_verbatim_string(ctx, text.as_ptr().cast(), text.len(), c"txt".as_ptr());
}

fn send_big(ctx: Ctx, digits: &str) {
    raw::reply_with_big_number(ctx, digits.as_ptr().cast(), digits.len());
}

fn send_null_array(ctx: Ctx) {
    // SAFETY: the context is that of the request.
    unsafe { raw::RedisModule_ReplyWithNullArray.map(|send| send(ctx)) };
}

/// A line for each kind of reply: what of it is kept, and what sends that.
macro_rules! kept {
    ($($kind:ident($($arg:ident: $type:ty),*) $($kept:ident = $make:expr),* => $send:expr;)*) => {
        $(fn $kind(&mut self $(, $arg: $type)*) {
            $(let $kept = $make;)*
            self.parts.push(Box::new(move |ctx| {
                let send = $send;
                send(ctx);
            }));
        })*
    };
}

impl Reply for Replies {
    fn protocol(&self) -> Protocol {
        self.protocol
    }

    // The server knows no messages out of band from modules, and writes the digits of doubles.
    kept! {
        simple(text: &str) text = c_text(text.as_bytes()) => |ctx| send_simple(ctx, &text);
        error_bytes(text: &[u8]) text = text.to_vec() => |ctx| send_error(ctx, &text);
        int(n: i64) => |ctx| raw::reply_with_long_long(ctx, n);
        bulk(text: &[u8]) text = text.to_vec() => |ctx| send_bulk(ctx, &text);
        null() => raw::reply_with_null;
        null_array() => send_null_array;
        array(len: usize) => |ctx| raw::reply_with_array(ctx, len as c_long);
        map(len: usize) => |ctx| raw::reply_with_map(ctx, len as c_long);
        set(len: usize) => |ctx| raw::reply_with_set(ctx, len as c_long);
        push(len: usize) => |ctx| raw::reply_with_array(ctx, len as c_long);
        double(d: f64) => |ctx| raw::reply_with_double(ctx, d);
        double_digits(d: &str) d = d.parse().unwrap_or(0.0) => |ctx| raw::reply_with_double(ctx, d);
        boolean(b: bool) => |ctx| raw::reply_with_bool(ctx, b.into());
        verbatim(_format: &str, text: &[u8]) text = text.to_vec() => |ctx| send_text(ctx, &text);
        big_number(n: &str) n = n.to_owned() => |ctx| send_big(ctx, &n);
    }
}
