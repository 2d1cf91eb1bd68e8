//! `string.find`, `match`, `gmatch` and `gsub`: the interpreter's own can neither be ended nor are
//! they safe from deep patterns.

mod matcher;

use std::ffi::c_int;

use lua::{lua_State, lua_upvalueindex};

use crate::interpreter::builder::Builder;
use crate::interpreter::frame::{entry, script_of};
use crate::interpreter::interrupt::tick_bytes;
use crate::interpreter::stack::{Raise, Stack, Type};
use crate::interpreter::state::ScriptState;
use crate::number::truncated;

use matcher::{Capture, End, Matcher, Stop};

/// Bytes that mean something in a pattern.
const SPECIAL: &[u8] = b"^$*+?.([%-";

/// Puts the functions into the table on top.
pub fn open(stack: Stack<'_>) {
    let functions = [
        (c"find", entry!(find)),
        (c"match", entry!(find_match)),
        (c"gmatch", entry!(gmatch)),
        (c"gsub", gsub as lua::lua_CFunction),
    ];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
    // The old name, which is the same function.
    stack.get_field(-1, c"gmatch");
    stack.set_field(-2, c"gfind");
}

/// An error with its position, as all of these are.
fn stopped(stack: Stack<'_>, stop: Stop) -> Raise {
    match stop {
        Stop::Fault(text) => stack.raise_at(text.as_bytes()),
        Stop::Raise(raise) => raise,
    }
}

fn find(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    search(stack, script, true)
}

fn find_match(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    search(stack, script, false)
}

/// Where to begin, from 0: negative positions count from the end.
fn start(stack: Stack<'_>, arg: i32, len: usize) -> usize {
    let at = stack.check_whole_or(arg, 1);
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let at = if at < 0 { at.saturating_add(len).saturating_add(1) } else { at };
    usize::try_from(at.saturating_sub(1).clamp(0, len)).unwrap_or(0)
}

/// Whether a pattern stands for itself. As in the original, only what is before a zero byte is
/// looked at.
fn is_plain(pattern: &[u8]) -> bool {
    let end = memchr::memchr(0, pattern).unwrap_or(pattern.len());
    !pattern[..end].iter().any(|byte| SPECIAL.contains(byte))
}

fn search(stack: Stack<'_>, script: &mut ScriptState, finds: bool) -> Result<i32, Raise> {
    let (text, pattern) = (stack.check_text(1), stack.check_text(2));
    let mut at = start(stack, 3, text.len());
    tick_bytes(stack, script, pattern.len())?;
    if finds && (stack.is_true(4) || is_plain(pattern)) {
        tick_bytes(stack, script, text.len() - at)?;
        let Some(found) = memchr::memmem::find(&text[at..], pattern) else {
            stack.push_nil();
            return Ok(1);
        };
        stack.push_count(at + found + 1);
        stack.push_count(at + found + pattern.len());
        return Ok(2);
    }
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(text, if anchored { &pattern[1..] } else { pattern });
    loop {
        let found = matcher.run(stack, script, at).map_err(|stop| stopped(stack, stop))?;
        if let Some(end) = found {
            if !finds {
                return push_captures(stack, text, &matcher, Some((at, end)));
            }
            stack.push_count(at + 1);
            stack.push_count(end);
            return Ok(2 + push_captures(stack, text, &matcher, None)?);
        }
        if anchored || at == text.len() {
            break;
        }
        at += 1;
    }
    stack.push_nil();
    Ok(1)
}

/// Pushes what the parentheses have found; if there are none, what was found at all.
fn push_captures(
    stack: Stack<'_>,
    text: &[u8],
    matcher: &Matcher<'_>,
    whole: Option<(usize, usize)>,
) -> Result<i32, Raise> {
    let captures = matcher.captures();
    stack.make_room(i32::try_from(captures.len()).unwrap_or(0) + 1, c"too many captures");
    if let (true, Some((start, end))) = (captures.is_empty(), whole) {
        stack.push(&text[start..end]);
        return Ok(1);
    }
    for capture in captures {
        push_capture(stack, text, *capture)?;
    }
    Ok(i32::try_from(captures.len()).unwrap_or(0))
}

fn push_capture(stack: Stack<'_>, text: &[u8], capture: Capture) -> Result<(), Raise> {
    match capture.end {
        End::Open => return Err(stack.raise_at(b"unfinished capture")),
        End::At(end) => stack.push(&text[capture.start..end]),
        End::Position => stack.push_count(capture.start + 1),
    }
    Ok(())
}

#[allow(clippy::unnecessary_wraps)] // the shape of every function
fn gmatch(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    stack.check_text(1);
    stack.check_text(2);
    stack.set_top(2);
    stack.push_number(0.0);
    stack.push_closure(entry!(next_match), 3);
    Ok(1)
}

fn next_match(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let text = stack.text(lua_upvalueindex(1)).unwrap_or_default();
    let pattern = stack.text(lua_upvalueindex(2)).unwrap_or_default();
    let at = usize::try_from(truncated(stack.number(lua_upvalueindex(3)))).unwrap_or(0);
    let mut matcher = Matcher::new(text, pattern);
    for at in at..=text.len() {
        let found = matcher.run(stack, script, at).map_err(|stop| stopped(stack, stop))?;
        if let Some(end) = found {
            stack.push_count(if end == at { end + 1 } else { end });
            stack.replace(lua_upvalueindex(3));
            return push_captures(stack, text, &matcher, Some((at, end)));
        }
    }
    Ok(0)
}

/// Calls functions and metamethods, so it holds what others of ours use only while it matches.
unsafe extern "C-unwind" fn gsub(state: *mut lua_State) -> c_int {
    // SAFETY: Lua calls this with a valid state; no frame holds anything with a destructor.
    let stack = unsafe { Stack::new(state) };
    match substituted(stack) {
        Ok(results) => results,
        // SAFETY: as above.
        Err(Raise) => unsafe { lua::lua_error(state) },
    }
}

fn substituted(stack: Stack<'_>) -> Result<i32, Raise> {
    let (text, pattern) = (stack.check_text(1), stack.check_text(2));
    let kind = stack.kind(3);
    let most = match stack.kind(4) {
        Type::None | Type::Nil => i32::try_from(text.len()).unwrap_or(i32::MAX).saturating_add(1),
        _ => stack.check_int(4),
    };
    if !matches!(kind, Type::Number | Type::String | Type::Table | Type::Function) {
        stack.bad_arg(3, c"string/function/table expected");
    }
    stack.set_top(3);
    let replacement = Replacement { text, kind };
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(text, if anchored { &pattern[1..] } else { pattern });
    let mut result = Builder::new(stack);
    let (mut at, mut count) = (0, 0);
    while count < most {
        let found = matcher.run(stack, script_of(stack), at);
        let found = found.map_err(|stop| stopped(stack, stop))?;
        if let Some(end) = found {
            count += 1;
            replacement.push(stack, &matcher, (at, end), &mut result)?;
        }
        match found {
            Some(end) if end > at => at = end,
            _ if at < text.len() => {
                result.push(&text[at..=at]);
                at += 1;
            }
            _ => break,
        }
        if anchored {
            break;
        }
    }
    result.push(&text[at..]);
    result.finish();
    stack.push_number(f64::from(count));
    Ok(2)
}

/// What stands in for a match: the value in the third slot.
struct Replacement<'t> {
    text: &'t [u8],
    kind: Type,
}

impl Replacement<'_> {
    fn push(
        &self,
        stack: Stack<'_>,
        matcher: &Matcher<'_>,
        (start, end): (usize, usize),
        result: &mut Builder<'_>,
    ) -> Result<(), Raise> {
        let whole = &self.text[start..end];
        match self.kind {
            Type::Table => {
                match matcher.captures().first() {
                    None => stack.push(whole),
                    Some(capture) => push_capture(stack, self.text, *capture)?,
                }
                stack.get(3);
            }
            Type::Function => {
                stack.push_copy(3);
                let args = push_captures(stack, self.text, matcher, Some((start, end)))?;
                stack.call(args, 1);
            }
            _ => return self.push_text(stack, matcher, whole, result),
        }
        match stack.kind(-1) {
            Type::String | Type::Number => result.push(stack.text(-1).unwrap_or_default()),
            _ if !stack.is_true(-1) => result.push(whole),
            other => {
                let script = script_of(stack);
                script.buffers.text.clear();
                script.buffers.text.extend_from_slice(b"invalid replacement value (a ");
                script.buffers.text.extend_from_slice(other.name().as_bytes());
                script.buffers.text.push(b')');
                return Err(stack.raise_at(&script.buffers.text));
            }
        }
        stack.pop(1);
        Ok(())
    }

    /// A text in which `%0` to `%9` stand for what was found.
    fn push_text(
        &self,
        stack: Stack<'_>,
        matcher: &Matcher<'_>,
        whole: &[u8],
        result: &mut Builder<'_>,
    ) -> Result<(), Raise> {
        let mut rest = stack.text(3).unwrap_or_default();
        while let Some(at) = memchr::memchr(b'%', rest) {
            result.push(&rest[..at]);
            // Behind the last byte is a zero byte, which then stands for itself.
            let sign = rest.get(at + 1).copied().unwrap_or(0);
            rest = rest.get(at + 2..).unwrap_or_default();
            match (sign, sign.wrapping_sub(b'1')) {
                (b'0', _) => result.push(whole),
                (b'1'..=b'9', n) => match matcher.captures().get(usize::from(n)) {
                    Some(capture) => {
                        push_capture(stack, self.text, *capture)?;
                        result.push(stack.text(-1).unwrap_or_default());
                        stack.pop(1);
                    }
                    None if n == 0 => result.push(whole),
                    None => return Err(stack.raise_at(b"invalid capture index")),
                },
                _ => result.push(&[sign]),
            }
        }
        result.push(rest);
        Ok(())
    }
}
