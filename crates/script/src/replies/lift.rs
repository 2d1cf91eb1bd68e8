//! Replies of commands become values of Lua, in the shapes of RESP2 or RESP3.
//!
//! The values are built on the stack while the command writes: an aggregate that is not complete
//! lies there with what it is made of, and is noted in a list. The host's frames lie between this
//! and Lua, so nothing here may raise: allocations are lenient meanwhile, and what does not fit the
//! stack or a table is dropped and told afterwards.
//!
//! As they are lenient, the limit of memory is asked before each value: for what it takes itself,
//! its header included, and for what the table around it grows by. What goes beyond it all the same
//! is what the interpreter's table of strings grows by now and then, 8 bytes for each string.

use base::{Protocol, Reply};

use crate::interpreter::errors::push_command_error;
use crate::interpreter::frame::memory_of;
use crate::interpreter::memory::Memory;
use crate::interpreter::stack::{Stack, Type};
use crate::interpreter::state::{Aggregate, Open};

/// The most elements a table of the interpreter can have in order.
const LARGEST: usize = 1 << 26;
/// Room announced lengths get at once; tables grow anyway.
const AT_ONCE: usize = 1 << 16;

/// What the interpreter takes for things, in bytes: a string beside its own, a table, a slot of one
/// that is in order, and one with a key. (The sizes of Lua 5.1.5, rounded up.)
const TEXT: usize = 32;
const TABLE: usize = 64;
const SLOT: usize = 16;
const PAIR: usize = 40;
/// A table with one field, of a name that is a string, too.
const TAGGED: usize = TABLE + PAIR + TEXT;

/// Makes values of what is written; the first reply that is complete lies on top of the stack.
pub struct Lift<'s, 'i> {
    stack: Stack<'s>,
    memory: &'s Memory,
    /// Bytes that were allocated before.
    before: usize,
    open: &'i mut Vec<Open>,
    protocol: Protocol,
    /// Whether the caller takes the reply.
    wanted: bool,
    /// Whether it was not made, as the caller does not. Errors and aggregates always are.
    pub dropped: bool,
    /// Whether the reply as a whole is an error.
    pub failed: bool,
    /// Whether something did not fit.
    pub overflow: bool,
    /// Whether it was more than the script may have memory.
    pub full: bool,
}

impl<'s, 'i> Lift<'s, 'i> {
    pub fn new(
        stack: Stack<'s>,
        open: &'i mut Vec<Open>,
        protocol: Protocol,
        wanted: bool,
    ) -> Self {
        open.clear();
        let memory = memory_of(stack);
        let before = memory.used();
        let (dropped, failed, overflow, full) = (false, false, false, false);
        Lift { stack, memory, before, open, protocol, wanted, dropped, failed, overflow, full }
    }

    /// Makes room for a value of so many bytes that is no aggregate, if it is wanted.
    #[inline]
    fn room_for_one(&mut self, bytes: usize) -> bool {
        if !self.wanted && self.open.is_empty() {
            self.dropped = true;
            return false;
        }
        self.has_room(bytes)
    }

    fn is_resp3(&self) -> bool {
        self.protocol == Protocol::Resp3
    }

    /// Makes room for a value of so many bytes and what is around it.
    #[inline]
    fn has_room(&mut self, bytes: usize) -> bool {
        let fits = self.stack.has_room(6);
        self.overflow |= !fits;
        fits && !self.overflow && self.affords(bytes)
    }

    /// Whether the script may take so many bytes more. Once it may not, nothing more is made.
    #[inline]
    fn affords(&mut self, bytes: usize) -> bool {
        !self.full && (self.memory.leaves(bytes) || self.affords_without_garbage(bytes))
    }

    /// A reply makes none itself, so this happens seldom.
    #[cold]
    fn affords_without_garbage(&mut self, bytes: usize) -> bool {
        self.stack.collect();
        self.full = !self.memory.leaves(bytes);
        !self.full
    }

    /// Whether the script may have the innermost table larger, if it grows with the value on top.
    #[inline]
    fn affords_growth(&mut self, kind: Aggregate, done: usize) -> bool {
        // Tables double. While they do so, those with keys are there twice.
        let bytes = match kind {
            Aggregate::Array if done <= AT_ONCE => return true,
            Aggregate::Array if (done - 1).is_power_of_two() => SLOT * (done - 1),
            Aggregate::Map if done.is_multiple_of(2) && (done / 2 - 1).is_power_of_two() => {
                PAIR * done
            }
            Aggregate::Set if (done - 1).is_power_of_two() => PAIR * 2 * done,
            _ => return true,
        };
        self.affords(bytes)
    }

    /// The value on top belongs to the innermost aggregate, which may be complete with it.
    fn placed(&mut self) {
        while let Some(open) = self.open.last_mut() {
            open.left -= 1;
            open.done += 1;
            let (kind, done) = (open.kind, open.done);
            if !self.affords_growth(kind, done) {
                return;
            }
            match kind {
                Aggregate::Array if done > LARGEST => {
                    self.overflow = true;
                    self.stack.pop(1);
                }
                Aggregate::Array => {
                    self.stack.raw_set_at(-2, i32::try_from(done).unwrap_or(i32::MAX));
                }
                Aggregate::Map if done % 2 == 1 => return, // a key waits for its value
                Aggregate::Map => self.pair(),
                Aggregate::Set => {
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

    fn aggregate(&mut self, kind: Aggregate, len: usize, around: Option<&'static std::ffi::CStr>) {
        let at_once = if kind == Aggregate::Array { len.min(AT_ONCE) } else { 0 };
        if !self.has_room(TAGGED + TABLE + PAIR + SLOT * at_once) {
            return;
        }
        if around.is_some() {
            self.stack.push_table(0, 1);
        }
        let size = i32::try_from(at_once).unwrap_or(0);
        match kind {
            Aggregate::Array => self.stack.push_table(size, 0),
            Aggregate::Map | Aggregate::Set => self.stack.push_table(0, 0),
        }
        let left = if kind == Aggregate::Map { len.saturating_mul(2) } else { len };
        self.open.push(Open { kind, left, done: 0, around });
        if left == 0 {
            self.close();
            self.placed();
        }
    }

    fn text(&mut self, text: &[u8]) {
        if self.room_for_one(TEXT + text.len()) {
            self.stack.push(text);
            self.placed();
        }
    }

    /// A table with one field, whose value `push` pushes: one of so many bytes.
    fn tagged(&mut self, name: &std::ffi::CStr, bytes: usize, push: impl FnOnce(Stack<'s>)) {
        if self.room_for_one(TAGGED + bytes) {
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
        if !self.wanted && self.open.is_empty() {
            return 0;
        }
        // A part of what there was before may be garbage, which goes when the text comes.
        let taken = self.memory.used().saturating_sub(self.before);
        if self.full { 0 } else { self.memory.limit().saturating_sub(taken) }
    }

    fn is_over(&self) -> bool {
        self.full
    }

    fn simple(&mut self, text: &str) {
        self.simple_bytes(text.as_bytes());
    }

    fn simple_bytes(&mut self, text: &[u8]) {
        self.tagged(c"ok", TEXT + text.len(), |stack| stack.push(text));
    }

    fn error_bytes(&mut self, text: &[u8]) {
        self.failed |= self.open.is_empty();
        // Where it gets a code it is put together.
        if self.has_room(TAGGED + PAIR + 3 * (TEXT + text.len())) {
            push_command_error(self.stack, text);
            self.placed();
        }
    }

    #[allow(clippy::cast_precision_loss)] // numbers of Lua are doubles
    fn int(&mut self, n: i64) {
        if self.room_for_one(0) {
            self.stack.push_number(n as f64);
            self.placed();
        }
    }

    fn bulk(&mut self, bytes: &[u8]) {
        self.text(bytes);
    }

    fn null(&mut self) {
        if self.room_for_one(0) {
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
        self.aggregate(Aggregate::Array, len, None);
    }

    fn map(&mut self, len: usize) {
        if self.is_resp3() {
            self.aggregate(Aggregate::Map, len, Some(c"map"));
        } else {
            self.aggregate(Aggregate::Array, len.saturating_mul(2), None);
        }
    }

    fn set(&mut self, len: usize) {
        if self.is_resp3() {
            self.aggregate(Aggregate::Set, len, Some(c"set"));
        } else {
            self.aggregate(Aggregate::Array, len, None);
        }
    }

    fn push(&mut self, len: usize) {
        self.array(len);
    }

    fn double(&mut self, d: f64) {
        if self.is_resp3() {
            self.tagged(c"double", 0, |stack| stack.push_number(d));
        } else {
            let mut text = Vec::new();
            base::num::write_f64(&mut text, d);
            self.text(&text);
        }
    }

    fn double_digits(&mut self, digits: &str) {
        if self.is_resp3() {
            let d = base::num::parse_f64(digits.as_bytes()).unwrap_or(0.0);
            self.tagged(c"double", 0, |stack| stack.push_number(d));
        } else {
            self.text(digits.as_bytes());
        }
    }

    fn boolean(&mut self, b: bool) {
        if !self.is_resp3() {
            return self.int(i64::from(b));
        }
        if self.room_for_one(0) {
            self.stack.push_boolean(b);
            self.placed();
        }
    }

    fn verbatim(&mut self, format: &str, text: &[u8]) {
        if !self.is_resp3() {
            return self.text(text);
        }
        let bytes = TAGGED + PAIR + 3 * TEXT + text.len();
        self.tagged(c"verbatim_string", bytes, |stack| {
            stack.push_table(0, 2);
            stack.push(text);
            stack.set_field(-2, c"string");
            stack.push(format.as_bytes());
            stack.set_field(-2, c"format");
        });
    }

    fn big_number(&mut self, digits: &str) {
        if self.is_resp3() {
            let bytes = TEXT + digits.len();
            self.tagged(c"big_number", bytes, |stack| stack.push(digits.as_bytes()));
        } else {
            self.text(digits.as_bytes());
        }
    }
}
