//! The table `redis`: what a script can ask of the server.

use sha1::{Digest, Sha1};

use base::Protocol;
use base::error::until_zero;

use crate::host::Refusal;
use crate::interpreter::errors::{push_command_error, push_error};
use crate::interpreter::frame::{entry, memory_of};
use crate::interpreter::interrupt::{end, end_at_next_line, tick, tick_bytes};
use crate::interpreter::memory::Memory;
use crate::interpreter::stack::{Peek, Raise, Stack};
use crate::interpreter::state::ScriptState;
use crate::number::{truncated, write_g};
use crate::replies::lift::Lift;
use crate::source::hex;

/// The version scripts see.
const VERSION: &str = "7.0.15";
/// The same as a number: a byte each for major, minor and patch level.
const VERSION_NUMBER: f64 = 458_767.0;

/// More words than this lie in a table while a command runs. A function has room for 8000 values.
const MANY: i32 = 4000;

/// Bytes of a digest between two questions whether to go on.
const PIECE: usize = 64 << 10;

/// What a command counts as, in steps: a script that runs little else is asked for, too.
const COMMAND: u32 = 200;

/// Puts the table's common part into the table on top.
pub fn open(stack: Stack<'_>) {
    let functions = [
        (c"call", entry!(call)),
        (c"pcall", entry!(pcall)),
        (c"setresp", entry!(setresp)),
        (c"sha1hex", entry!(sha1hex)),
        (c"error_reply", entry!(error_reply)),
        (c"status_reply", entry!(status_reply)),
        (c"set_repl", entry!(set_repl)),
        (c"acl_check_cmd", entry!(acl_check_cmd)),
    ];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
    let repl = [
        (c"REPL_NONE", 0.0),
        (c"REPL_AOF", 1.0),
        (c"REPL_SLAVE", 2.0),
        (c"REPL_REPLICA", 2.0),
        (c"REPL_ALL", 3.0),
    ];
    for (name, value) in repl {
        stack.push_number(value);
        stack.set_field(-2, name);
    }
    open_log(stack);
}

/// What a function library may use while it is loaded, too: the log and the version.
pub fn open_log(stack: Stack<'_>) {
    stack.push_function(entry!(log));
    stack.set_field(-2, c"log");
    let names = [c"LOG_DEBUG", c"LOG_VERBOSE", c"LOG_NOTICE", c"LOG_WARNING"];
    for (level, name) in names.into_iter().enumerate() {
        stack.push_count(level);
        stack.set_field(-2, name);
    }
    stack.push(VERSION.as_bytes());
    stack.set_field(-2, c"REDIS_VERSION");
    stack.push_number(VERSION_NUMBER);
    stack.set_field(-2, c"REDIS_VERSION_NUM");
}

/// What scripts have and functions do not.
pub fn open_for_scripts(stack: Stack<'_>) {
    let functions = [
        (c"replicate_commands", entry!(replicate_commands)),
        (c"breakpoint", entry!(breakpoint)),
        (c"debug", entry!(debug)),
    ];
    for (name, function) in functions {
        stack.push_function(function);
        stack.set_field(-2, name);
    }
}

fn raised(stack: Stack<'_>, text: &[u8]) -> Raise {
    push_error(stack, text);
    Raise
}

/// What running a command left behind.
enum Outcome {
    /// Its reply, on top.
    Value,
    /// Nothing, as it is not wanted.
    Nothing,
    /// An error, on top.
    Error,
}

fn call(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    match run(stack, script)? {
        Outcome::Value => Ok(1),
        Outcome::Nothing => Ok(0),
        Outcome::Error => Err(Raise),
    }
}

fn pcall(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    match run(stack, script)? {
        Outcome::Value | Outcome::Error => Ok(1),
        Outcome::Nothing => Ok(0),
    }
}

/// Runs a command.
fn run(stack: Stack<'_>, script: &mut ScriptState) -> Result<Outcome, Raise> {
    tick(stack, script, COMMAND)?;
    if let Err(text) = words(stack, script) {
        script.command.words.clear();
        push_error(stack, text);
        return Ok(Outcome::Error);
    }
    let Some(host) = host(script) else {
        push_error(stack, b"no commands can be run here");
        return Ok(Outcome::Error);
    };
    make_way(stack);
    let memory = memory_of(stack);
    memory.set_lenient(true);
    let below = stack.top();
    // A call that stands alone takes no result.
    let wanted = stack.wanted() != 0;
    let mut lift = Lift::new(stack, &mut script.command.open, script.run.protocol, wanted);
    let outcome = host.call(&script.command.words, &mut lift);
    let (mut failed, overflow, dropped) = (lift.failed, lift.overflow, lift.dropped);
    let full = lift.full;
    script.command.words.clear();
    let (mut abandoned, mut ended) = (false, false);
    match outcome {
        Ok(()) => {}
        Err(Refusal::Error(error)) => {
            stack.set_top(below);
            push_command_error(stack, error.bytes());
            failed = true;
        }
        Err(Refusal::Abandon) => abandoned = true,
        Err(Refusal::End) => ended = true,
    }
    if full {
        // What there is of the reply is of no use, and room for what the script does then.
        stack.set_top(0);
        stack.collect();
    }
    settle(stack, memory)?;
    if ended {
        stack.set_top(0);
        return Err(end(stack, script));
    }
    if abandoned {
        script.run.killed = true;
        end_at_next_line(stack);
        return Err(raised(stack, b"the script was abandoned"));
    }
    if full {
        stack.set_top(0);
        stack.push(b"not enough memory");
        return Err(Raise);
    }
    if overflow {
        stack.set_top(0);
        return Err(raised(stack, b"the reply is too large for a script"));
    }
    Ok(match (failed, dropped) {
        (true, _) => Outcome::Error,
        (false, true) => Outcome::Nothing,
        (false, false) => Outcome::Value,
    })
}

/// Leaves room on the stack for the reply: where there are so many words that it might not do, they
/// wait in a table.
fn make_way(stack: Stack<'_>) {
    let count = stack.top();
    if count <= MANY {
        return;
    }
    stack.push_table(count, 0);
    stack.insert(1);
    for n in (1..=count).rev() {
        stack.raw_set_at(1, n);
    }
}

/// Ends the lenience a host needed. If more is allocated than may be, garbage goes first.
fn settle(stack: Stack<'_>, memory: &Memory) -> Result<(), Raise> {
    if memory.is_over() {
        stack.collect();
    }
    let is_over = memory.is_over();
    if is_over {
        stack.set_top(0);
        stack.push(b"not enough memory");
    }
    memory.set_lenient(false);
    if is_over { Err(Raise) } else { Ok(()) }
}

/// Who runs commands for the script that runs now.
fn host(script: &ScriptState) -> Option<&'static mut dyn crate::Host> {
    // SAFETY: `Vm` sets it for the time of a call and takes it away afterwards; only one function
    // of ours runs at a time, so the reference is the only one.
    script.run.host.map(|mut host| unsafe { host.as_mut() })
}

/// Gathers the arguments as words: strings where they lie, numbers with 17 digits.
fn words(stack: Stack<'_>, script: &mut ScriptState) -> Result<(), &'static [u8]> {
    let count = stack.top();
    if count == 0 {
        return Err(b"Please specify at least one argument for this redis lib call");
    }
    script.command.words.clear();
    for arg in 1..=count {
        match stack.peek(arg) {
            Peek::Text(text) => script.command.words.push(lasting(text)),
            Peek::Number(_) => return words_and_numbers(stack, script),
            _ => return Err(NO_WORD),
        }
    }
    Ok(())
}

const NO_WORD: &[u8] = b"Lua redis lib command arguments must be strings or integers";

/// A word as the list of words keeps it.
fn lasting(text: &[u8]) -> &'static [u8] {
    // SAFETY: the words are cleared before the script goes on; until then the strings are on its
    // stack, and nothing touches the digits.
    unsafe { std::slice::from_raw_parts(text.as_ptr(), text.len()) }
}

/// The same where there are numbers: first all their digits, which then stay where they are.
fn words_and_numbers(stack: Stack<'_>, script: &mut ScriptState) -> Result<(), &'static [u8]> {
    script.command.digits.clear();
    script.command.words.clear();
    let count = stack.top();
    for arg in 1..=count {
        match stack.peek(arg) {
            Peek::Text(_) => {}
            Peek::Number(n) => {
                write_g(&mut script.command.digits, n, 17);
                script.command.digits.push(0);
            }
            _ => return Err(NO_WORD),
        }
    }
    let mut digits = script.command.digits.split(|&byte| byte == 0);
    for arg in 1..=count {
        let word = match stack.peek(arg) {
            Peek::Text(text) => Some(text),
            _ => digits.next(),
        };
        script.command.words.push(lasting(word.unwrap_or_default()));
    }
    Ok(())
}

fn acl_check_cmd(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    if let Err(text) = words(stack, script) {
        script.command.words.clear();
        return Err(raised(stack, text));
    }
    let answer = host(script).and_then(|host| host.may(&script.command.words));
    script.command.words.clear();
    let Some(answer) = answer else {
        return Err(raised(stack, b"Invalid command passed to redis.acl_check_cmd()"));
    };
    stack.push_boolean(answer);
    Ok(1)
}

fn log(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let count = stack.top();
    if count < 2 {
        return Err(raised(stack, b"redis.log() requires two arguments or more."));
    }
    if !stack.is_numeric(1) {
        return Err(raised(stack, b"First argument must be a number (log level)."));
    }
    let level = truncated(stack.number(1));
    let Some(level) = u8::try_from(level).ok().filter(|level| *level <= 3) else {
        return Err(raised(stack, b"Invalid debug level."));
    };
    script.buffers.text.clear();
    for arg in 2..=count {
        let Some(text) = stack.text(arg) else { continue };
        // The same text can be given many times.
        if script.buffers.text.len() + text.len() > script.buffers.limit {
            return Err(raised(stack, b"not enough memory"));
        }
        tick_bytes(stack, script, text.len())?;
        if arg > 2 {
            script.buffers.text.push(b' ');
        }
        script.buffers.text.extend_from_slice(text);
    }
    if let Some(host) = host(script) {
        host.log(level, &script.buffers.text);
    }
    Ok(0)
}

fn sha1hex(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    if stack.top() != 1 {
        return Err(raised(stack, b"wrong number of arguments"));
    }
    let text = stack.text(1).unwrap_or_default();
    let mut digest = Sha1::new();
    for piece in text.chunks(PIECE) {
        // A byte takes longer here than where it is copied.
        tick_bytes(stack, script, piece.len() * 8)?;
        digest.update(piece);
    }
    stack.push(&hex(digest.finalize().into()));
    Ok(1)
}

fn error_reply(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    let Some(text) = only_string(stack) else { return Ok(1) };
    let text = until_zero(text);
    script.buffers.text.clear();
    script.buffers.text.push(b'-');
    script.buffers.text.extend_from_slice(text.strip_prefix(b"-").unwrap_or(text));
    push_error(stack, &script.buffers.text);
    Ok(1)
}

fn status_reply(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    if only_string(stack).is_none() {
        return Ok(1);
    }
    stack.push_table(0, 1);
    stack.push_copy(1);
    stack.set_field(-2, c"ok");
    Ok(1)
}

/// The only argument if it is a string, else none and an error on top.
fn only_string(stack: Stack<'_>) -> Option<&[u8]> {
    let text = if stack.top() == 1 { stack.string(1) } else { None };
    if text.is_none() {
        push_error(stack, b"wrong number or type of arguments");
    }
    text
}

fn setresp(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    if stack.top() != 1 {
        return Err(raised(stack, b"redis.setresp() requires one argument."));
    }
    script.run.protocol = match truncated(stack.number(1)) {
        2 => Protocol::Resp2,
        3 => Protocol::Resp3,
        _ => return Err(raised(stack, b"RESP version must be 2 or 3.")),
    };
    Ok(0)
}

fn set_repl(stack: Stack<'_>, script: &mut ScriptState) -> Result<i32, Raise> {
    if stack.top() != 1 {
        return Err(raised(stack, b"redis.set_repl() requires two arguments."));
    }
    let flags = u8::try_from(truncated(stack.number(1))).ok().filter(|flags| *flags <= 3);
    let Some(flags) = flags else {
        let text = b"Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.";
        return Err(raised(stack, text));
    };
    if let Some(host) = host(script) {
        host.set_repl(flags);
    }
    Ok(0)
}

#[allow(clippy::unnecessary_wraps)] // the shape of every function
fn replicate_commands(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    stack.push_boolean(true);
    Ok(1)
}

/// There is no debugger, so nothing stops here.
#[allow(clippy::unnecessary_wraps)]
fn breakpoint(stack: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    stack.push_boolean(false);
    Ok(1)
}

#[allow(clippy::unnecessary_wraps)]
fn debug(_: Stack<'_>, _: &mut ScriptState) -> Result<i32, Raise> {
    Ok(0)
}
