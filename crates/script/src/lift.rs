//! Replies of commands become values of Lua, in the shapes of RESP2 or RESP3.
//!
//! The values are built on the stack while the command writes: an aggregate that is not complete
//! lies there with what it is made of, and is noted in a list. The host's frames lie between this
//! and Lua, so nothing here may raise: allocations are lenient meanwhile, and what does not fit the
//! stack or a table is dropped and told afterwards.

use base::{Protocol, Reply};

use crate::errors::push_command_error;
use crate::stack::{Stack, Type};

/// An aggregate that waits for more.
#[derive(Debug)]
pub struct Open {
    kind: Kind,
    /// Values still to come.
    left: usize,
    /// Values that have come.
    done: usize,
    /// The field of a table around it, in RESP3.
    around: Option<&'static std::ffi::CStr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    Map,
    Set,
}

/// The most elements a table of the interpreter can have in order.
const LARGEST: usize = 1 << 26;
/// Room announced lengths get at once; tables grow anyway.
const AT_ONCE: usize = 1 << 16;

/// Makes values of what is written; the first reply that is complete lies on top of the stack.
pub struct Lift<'s, 'i> {
    stack: Stack<'s>,
    open: &'i mut Vec<Open>,
    protocol: Protocol,
    /// Whether somebody takes the reply.
    wanted: bool,
    /// Whether it was not made, as nobody does. Errors and aggregates always are.
    pub dropped: bool,
    /// Whether the reply as a whole is an error.
    pub failed: bool,
    /// Whether something did not fit.
    pub overflow: bool,
    /// Whether there was more text than the script may have memory.
    pub full: bool,
    /// Bytes of text that it may still be.
    left: usize,
}

impl<'s, 'i> Lift<'s, 'i> {
    pub fn new(
        stack: Stack<'s>,
        open: &'i mut Vec<Open>,
        protocol: Protocol,
        (wanted, left): (bool, usize),
    ) -> Self {
        open.clear();
        let (dropped, failed, overflow, full) = (false, false, false, false);
        Lift { stack, open, protocol, wanted, dropped, failed, overflow, full, left }
    }

    /// Makes room for a value that is no aggregate, unless nobody wants it.
    #[inline]
    fn room_for_one(&mut self) -> bool {
        if !self.wanted && self.open.is_empty() {
            self.dropped = true;
            return false;
        }
        self.has_room()
    }

    fn is_resp3(&self) -> bool {
        self.protocol == Protocol::Resp3
    }

    /// Makes room for a value and what is around it.
    fn has_room(&mut self) -> bool {
        let fits = self.stack.has_room(6);
        self.overflow |= !fits;
        fits && !self.overflow && !self.full
    }

    /// The value on top belongs to the innermost aggregate, which may be complete with it.
    fn placed(&mut self) {
        while let Some(open) = self.open.last_mut() {
            open.left -= 1;
            open.done += 1;
            match open.kind {
                Kind::Array if open.done > LARGEST => {
                    self.overflow = true;
                    self.stack.pop(1);
                }
                Kind::Array => {
                    self.stack.raw_set_at(-2, i32::try_from(open.done).unwrap_or(i32::MAX));
                }
                Kind::Map if open.done % 2 == 1 => return, // a key waits for its value
                Kind::Map => self.pair(),
                Kind::Set => {
                    self.stack.push_boolean(true);
                    self.pair();
                }
            }
            if self.open.last().is_some_and(|open| open.left > 0) {
                return;
            }
            self.close();
        }
    }

    /// Puts key and value into the table below them; nil and NaN cannot be keys.
    fn pair(&mut self) {
        let key = self.stack.kind(-2);
        if key == Type::Nil || (key == Type::Number && self.stack.number(-2).is_nan()) {
            self.stack.pop(2);
        } else {
            self.stack.raw_set(-3);
        }
    }

    fn close(&mut self) {
        if let Some(Open { around: Some(name), .. }) = self.open.pop() {
            self.stack.set_field(-2, name);
        }
    }

    fn aggregate(&mut self, kind: Kind, len: usize, around: Option<&'static std::ffi::CStr>) {
        if !self.has_room() {
            return;
        }
        if around.is_some() {
            self.stack.push_table(0, 1);
        }
        let size = i32::try_from(len.min(AT_ONCE)).unwrap_or(0);
        match kind {
            Kind::Array => self.stack.push_table(size, 0),
            Kind::Map | Kind::Set => self.stack.push_table(0, 0),
        }
        let left = if kind == Kind::Map { len.saturating_mul(2) } else { len };
        self.open.push(Open { kind, left, done: 0, around });
        if left == 0 {
            self.close();
            self.placed();
        }
    }

    fn text(&mut self, text: &[u8]) {
        if self.room_for_one() {
            let Some(left) = self.left.checked_sub(text.len()) else {
                self.full = true;
                return;
            };
            self.left = left;
            self.stack.push(text);
            self.placed();
        }
    }

    /// A table with one field, whose value `push` pushes.
    fn tagged(&mut self, name: &std::ffi::CStr, push: impl FnOnce(Stack<'s>)) {
        if self.room_for_one() {
            self.stack.push_table(0, 1);
            push(self.stack);
            self.stack.set_field(-2, name);
            self.placed();
        }
    }
}

impl Reply for Lift<'_, '_> {
    fn protocol(&self) -> Protocol {
        self.protocol
    }

    fn room(&self) -> usize {
        if self.wanted || !self.open.is_empty() { self.left } else { 0 }
    }

    fn simple(&mut self, text: &str) {
        self.tagged(c"ok", |stack| stack.push(text.as_bytes()));
    }

    fn simple_bytes(&mut self, text: &[u8]) {
        self.tagged(c"ok", |stack| stack.push(text));
    }

    fn error_bytes(&mut self, text: &[u8]) {
        self.failed |= self.open.is_empty();
        if self.has_room() {
            push_command_error(self.stack, text);
            self.placed();
        }
    }

    #[allow(clippy::cast_precision_loss)] // numbers of Lua are doubles
    fn int(&mut self, n: i64) {
        if self.room_for_one() {
            self.stack.push_number(n as f64);
            self.placed();
        }
    }

    fn bulk(&mut self, bytes: &[u8]) {
        self.text(bytes);
    }

    fn null(&mut self) {
        if self.room_for_one() {
            if self.is_resp3() {
                self.stack.push_nil()
            } else {
                self.stack.push_boolean(false)
            }
            self.placed();
        }
    }

    fn null_array(&mut self) {
        self.null();
    }

    fn array(&mut self, len: usize) {
        self.aggregate(Kind::Array, len, None);
    }

    fn map(&mut self, len: usize) {
        if self.is_resp3() {
            self.aggregate(Kind::Map, len, Some(c"map"));
        } else {
            self.aggregate(Kind::Array, len.saturating_mul(2), None);
        }
    }

    fn set(&mut self, len: usize) {
        if self.is_resp3() {
            self.aggregate(Kind::Set, len, Some(c"set"));
        } else {
            self.aggregate(Kind::Array, len, None);
        }
    }

    fn push(&mut self, len: usize) {
        self.array(len);
    }

    fn double(&mut self, d: f64) {
        if self.is_resp3() {
            self.tagged(c"double", |stack| stack.push_number(d));
        } else {
            let mut text = Vec::new();
            base::num::write_f64(&mut text, d);
            self.text(&text);
        }
    }

    fn double_digits(&mut self, digits: &str) {
        if self.is_resp3() {
            let d = base::num::parse_f64(digits.as_bytes()).unwrap_or(0.0);
            self.tagged(c"double", |stack| stack.push_number(d));
        } else {
            self.text(digits.as_bytes());
        }
    }

    fn boolean(&mut self, b: bool) {
        if !self.is_resp3() {
            return self.int(i64::from(b));
        }
        if self.room_for_one() {
            self.stack.push_boolean(b);
            self.placed();
        }
    }

    fn verbatim(&mut self, format: &str, text: &[u8]) {
        if !self.is_resp3() {
            return self.text(text);
        }
        self.tagged(c"verbatim_string", |stack| {
            stack.push_table(0, 2);
            stack.push(text);
            stack.set_field(-2, c"string");
            stack.push(format.as_bytes());
            stack.set_field(-2, c"format");
        });
    }

    fn big_number(&mut self, digits: &str) {
        if self.is_resp3() {
            self.tagged(c"big_number", |stack| stack.push(digits.as_bytes()));
        } else {
            self.text(digits.as_bytes());
        }
    }
}
