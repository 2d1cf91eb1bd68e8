//! The value a script returns becomes a reply.
//!
//! Walked with a list of open tables instead of recursion: a table may contain itself, and is then
//! written as deep as the interpreter's stack allows, which is deeper than a thread's.

use std::borrow::Cow;

use base::error::until_zero;
use base::{Protocol, Reply};

use crate::Host;
use crate::interpreter::errors::{extract, trimmed};
use crate::interpreter::interrupt::{BYTES, STEPS};
use crate::interpreter::stack::{Stack, Type};
use crate::number::truncated;

/// A table that is being written. What it holds on the stack is in brackets.
enum Open {
    /// An array: the next element, and how many there are. [table]
    Array(i32, i32),
    /// A map whose next pair is due. [table around, table, last key]
    Map,
    /// A map whose value is due. [table around, table, key, value]
    MapValue,
    /// A set. [table around, table, last element]
    Set,
}

/// Why a value was not written to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The host has ended the script.
    Killed,
    /// The reply has no room left, of which its owner tells.
    Full,
}

/// What a table counts as beside its elements, in steps: several fields are looked for.
const TABLE: usize = 20;
/// Characters of a verbatim text's format, and more than the bytes that these are read from.
const FORMAT: (usize, usize) = (3, 16);

/// Writes the value on top, which is popped. `protocol` is the script's, which decides what
/// booleans are. Errors are also told to the host.
///
/// Tables may share what they hold, so a value can be longer to write than there is time or room
/// for: the host is asked now and then, and nothing is looked at once the reply is full.
pub fn lower(
    stack: Stack<'_>,
    protocol: Protocol,
    host: &mut dyn Host,
    out: &mut dyn Reply,
) -> Result<(), Cut> {
    let mut open = Vec::new();
    let out = &mut Answer { out, host, left: STEPS as usize };
    value(stack, protocol, out, &mut open)?;
    while let Some(last) = open.last_mut() {
        match last {
            Open::Array(next, count) if *next > *count => {
                stack.pop(1);
                open.pop();
            }
            Open::Array(next, _) => {
                stack.raw_get_at(-1, *next);
                *next += 1;
                value(stack, protocol, out, &mut open)?;
            }
            Open::MapValue => {
                *last = Open::Map;
                value(stack, protocol, out, &mut open)?;
            }
            Open::Map if stack.next(-2) => {
                *last = Open::MapValue;
                stack.push_copy(-2);
                value(stack, protocol, out, &mut open)?;
            }
            Open::Set if stack.next(-2) => {
                stack.pop(1);
                stack.push_copy(-1);
                value(stack, protocol, out, &mut open)?;
            }
            Open::Map | Open::Set => {
                stack.pop(2); // `next` has taken the last key

                open.pop();
            }
        }
    }
    Ok(())
}

/// Where the answer goes, and who is told of errors in it.
struct Answer<'a> {
    out: &'a mut dyn Reply,
    host: &'a mut dyn Host,
    /// Steps until the host is asked.
    left: usize,
}

impl Answer<'_> {
    fn error(&mut self, text: &[u8], counted: bool) {
        self.out.error_bytes(text);
        self.host.note_error(text, counted);
    }

    /// Counts steps. Every so often the host is asked whether to go on.
    #[inline]
    fn tick(&mut self, steps: usize) -> Result<(), Cut> {
        self.left = self.left.saturating_sub(steps);
        if self.left > 0 {
            return Ok(());
        }
        self.left = STEPS as usize;
        if self.host.interrupted() { Err(Cut::Killed) } else { Ok(()) }
    }

    /// Nothing more can be written where there is no room, not even what has no length.
    #[inline]
    fn room(&mut self) -> Result<usize, Cut> {
        match self.out.room() {
            0 => {
                self.out.null(); // so that it is known that something is missing
                Err(Cut::Full)
            }
            room => Ok(room),
        }
    }
}

/// Writes one value and pops it, or opens it.
fn value(
    stack: Stack<'_>,
    protocol: Protocol,
    answer: &mut Answer<'_>,
    open: &mut Vec<Open>,
) -> Result<(), Cut> {
    let room = answer.room()?;
    if !stack.has_room(4) {
        answer.error(b"ERR reached lua stack limit", false);
        stack.pop(1);
        return answer.tick(1);
    }
    let out = &mut *answer.out;
    match stack.kind(-1) {
        Type::String => out.bulk(stack.text(-1).unwrap_or_default()),
        Type::Boolean => match (protocol, stack.is_true(-1)) {
            (Protocol::Resp3, b) => out.boolean(b),
            (Protocol::Resp2, true) => out.int(1),
            (Protocol::Resp2, false) => out.null(),
        },
        Type::Number => out.int(truncated(stack.number(-1))),
        Type::Table => return table(stack, answer, open, room),
        _ => out.null(),
    }
    stack.pop(1);
    written(answer, room)
}

/// Counts what was written since there was so much room.
#[inline]
fn written(answer: &mut Answer<'_>, room: usize) -> Result<(), Cut> {
    let bytes = room.saturating_sub(answer.out.room());
    answer.tick(1 + bytes / BYTES)
}

fn table(
    stack: Stack<'_>,
    answer: &mut Answer<'_>,
    open: &mut Vec<Open>,
    room: usize,
) -> Result<(), Cut> {
    answer.tick(TABLE)?;
    if tagged(stack, answer)? {
        stack.pop(1);
        return written(answer, room);
    }
    for (name, kind) in [("map", Open::Map), ("set", Open::Set)] {
        stack.raw_field(-1, name);
        if stack.kind(-1) != Type::Table {
            stack.pop(1);
            continue;
        }
        let count = pairs(stack, answer)?;
        if matches!(kind, Open::Map) {
            answer.out.map(count)
        } else {
            answer.out.set(count)
        }
        stack.push_nil();
        open.push(kind);
        return Ok(());
    }
    if rarely_tagged(stack, answer.out) {
        stack.pop(1);
        return written(answer, room);
    }
    let mut count = 0;
    loop {
        stack.raw_get_at(-1, count + 1);
        let end = stack.kind(-1) == Type::Nil;
        stack.pop(1);
        if end {
            break;
        }
        count += 1;
        answer.tick(1)?;
    }
    answer.out.array(usize::try_from(count).unwrap_or(0));
    open.push(Open::Array(1, count));
    Ok(())
}

fn pairs(stack: Stack<'_>, answer: &mut Answer<'_>) -> Result<usize, Cut> {
    let mut count = 0;
    stack.push_nil();
    while stack.next(-2) {
        stack.pop(1);
        count += 1;
        answer.tick(1)?;
    }
    Ok(count)
}

/// Tables that stand for an error, a status, a double.
fn tagged(stack: Stack<'_>, answer: &mut Answer<'_>) -> Result<bool, Cut> {
    stack.raw_field(-1, "err");
    let kind = stack.kind(-1);
    stack.pop(1);
    if kind == Type::String {
        let error = extract(stack);
        answer.error(&one_line(trimmed(&error.text)), error.counted);
        // What is not written was read, too.
        let others = [&error.source, &error.line].map(|text| text.as_ref().map_or(0, Vec::len));
        answer.tick((error.text.len() + others[0] + others[1]) / BYTES)?;
        return Ok(true);
    }
    let out = &mut *answer.out;
    stack.raw_field(-1, "ok");
    let found = stack.string(-1);
    if let Some(text) = found {
        out.simple_bytes(&one_line(until_zero(text)));
    }
    stack.pop(1);
    if found.is_some() {
        return Ok(true);
    }
    stack.raw_field(-1, "double");
    let found = stack.kind(-1) == Type::Number;
    if found {
        out.double(stack.number(-1));
    }
    stack.pop(1);
    Ok(found)
}

/// Tables that stand for a large number or a verbatim text.
fn rarely_tagged(stack: Stack<'_>, out: &mut dyn Reply) -> bool {
    stack.raw_field(-1, "big_number");
    let found = stack.string(-1);
    if let Some(digits) = found {
        out.big_number(&String::from_utf8_lossy(&one_line(digits)));
    }
    stack.pop(1);
    if found.is_some() {
        return true;
    }
    stack.raw_field(-1, "verbatim_string");
    if stack.kind(-1) != Type::Table {
        stack.pop(1);
        return false;
    }
    stack.raw_field(-1, "format");
    stack.raw_field(-2, "string");
    let both = stack.string(-2).zip(stack.string(-1));
    if let Some((format, text)) = both {
        let format = String::from_utf8_lossy(&format[..format.len().min(FORMAT.1)]);
        let three: String = format.chars().chain("   ".chars()).take(FORMAT.0).collect();
        out.verbatim(&three, text);
    }
    stack.pop(3);
    both.is_some()
}

/// A text with blanks for line ends, which a status or an error cannot hold.
pub fn one_line(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'\r', b'\n', text).is_none() {
        return Cow::Borrowed(text);
    }
    let blank = |&byte: &u8| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte };
    Cow::Owned(text.iter().map(blank).collect())
}
