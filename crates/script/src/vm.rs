//! A thread's interpreter: compiles, calls, and turns what comes out into a reply or an error.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use base::{CmdError, Protocol, Reply};
use foldhash::{HashMap, HashMapExt};
use lua::{LUA_REGISTRYINDEX, lua_Debug, lua_State};

use crate::compile::compile;
use crate::errors::{Extract, extract, trimmed};
use crate::interrupt::{FIRST, KILLED, STEPS, look};
use crate::library::{Header, Library, Loading, finished};
use crate::lower::{Cut, lower, one_line};
use crate::memory::Memory;
use crate::sandbox::{self, GLOBALS, HANDLER, shared};
use crate::source::Script;
use crate::stack::{Stack, Type};
use crate::state::{Inner, Shared};
use crate::{Host, Refusal};

/// Bytes a small state may grow by before the collector begins a cycle.
const SLACK: usize = 512 << 10;
/// What scripts are answered if another interpreter has been linked.
const UNKNOWN: &str =
    "ERR scripts cannot run: this server was linked with a Lua that it was not built for";

/// What a [`Vm`] may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes each of its two states may allocate while a script runs.
    pub memory: usize,
    /// Bytes of garbage that each of them may keep when no script runs.
    pub garbage: usize,
}

impl Limits {
    /// So much memory while a script runs; little of its garbage afterwards.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        Limits { memory, garbage: 256 << 10 }
    }
}

/// An interpreter for scripts and one for functions. Belongs to one thread at a time.
///
/// Errors are returned, not written: what a client is to see after a `-`.
///
/// ```
/// use kvist_script::{Limits, Script, Vm};
/// # use base::Reply;
/// # use kvist_script::Refusal;
/// # struct NoCommands;
/// # impl kvist_script::Host for NoCommands {
/// #     fn call(&mut self, _: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
/// #         Ok(out.ok())
/// #     }
/// #     fn note_error(&mut self, _: &[u8], _: bool) {}
/// #     fn log(&mut self, _: u8, _: &[u8]) {}
/// #     fn may(&mut self, _: &[&[u8]]) -> Option<bool> { None }
/// #     fn interrupted(&mut self) -> bool { false }
/// #     fn set_repl(&mut self, _: u8) {}
/// # }
/// let mut vm = Vm::new(Limits::new(1 << 20));
/// let script = Script::new(b"return #KEYS + ARGV[1]").unwrap();
/// let mut bytes = Vec::new();
/// let mut out = wire::RespWriter::new(&mut bytes, base::Protocol::Resp2);
/// vm.eval(&script, &[b"a", b"b"], &[b"40"], &mut NoCommands, &mut out).unwrap();
/// assert_eq!(bytes, b":42\r\n");
/// ```
pub struct Vm {
    limits: Limits,
    scripts: State,
    functions: Option<State>,
}

impl std::fmt::Debug for Vm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vm").field("memory", &self.memory()).finish_non_exhaustive()
    }
}

impl Vm {
    /// An interpreter with fresh globals; that for functions is made when it is first needed.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Vm { limits, scripts: State::new(limits, false), functions: None }
    }

    /// Other limits from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        for state in [Some(&mut self.scripts), self.functions.as_mut()].into_iter().flatten() {
            state.shared.memory.set_limit(limits.memory);
            state.shared.inner.get_mut().limit = limits.memory;
            state.garbage = limits.garbage;
        }
    }

    /// Bytes its states take. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.script_memory() + self.function_memory()
    }

    /// Bytes the state of scripts takes: `used_memory_vm_eval`.
    #[must_use]
    pub fn script_memory(&self) -> usize {
        self.scripts.shared.memory.used()
    }

    /// Bytes the state of functions takes: `used_memory_vm_functions`.
    #[must_use]
    pub fn function_memory(&self) -> usize {
        self.functions.as_ref().map_or(0, |state| state.shared.memory.used())
    }

    /// Compiles a script if this interpreter has not seen it yet. `interrupted` is asked now and
    /// then whether that takes too long.
    ///
    /// # Errors
    /// `ERR Error compiling script (new function): …`
    pub fn load(
        &mut self,
        script: &Script,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(), CmdError> {
        self.scripts.prepare(self.limits, false)?;
        let compiled = self.scripts.script(script, &mut Impatient(interrupted)).map(|_| ());
        self.scripts.clean();
        compiled
    }

    /// Forgets a compiled script.
    pub fn forget(&mut self, digest: &[u8; 40]) {
        if let Some(reference) = self.scripts.scripts.remove(digest) {
            self.scripts.stack().unreference(LUA_REGISTRYINDEX, reference);
        }
    }

    /// Forgets all compiled scripts, and all that they left behind: a new state.
    pub fn flush_scripts(&mut self) {
        self.scripts = State::new(self.limits, false);
    }

    /// Forgets compiled scripts if they take much of the memory that scripts may take: a client
    /// that runs some of which each is long, or many, must leave enough for the next.
    pub fn make_room(&mut self) {
        let most = self.limits.memory / 4;
        if self.script_memory() > most {
            self.scripts.collect();
            if self.script_memory() > most {
                self.flush_scripts();
            }
        }
    }

    /// Forgets all libraries.
    pub fn flush_libraries(&mut self) {
        self.functions = None;
    }

    /// Runs a script and writes what it returns.
    ///
    /// # Errors
    /// The error to answer: it could not be compiled, or raised one, or its host has ended it; then
    /// a part of what it returned may be written, which the caller takes back.
    pub fn eval(
        &mut self,
        script: &Script,
        keys: &[&[u8]],
        args: &[&[u8]],
        host: &mut dyn Host,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        self.scripts.prepare(self.limits, false)?;
        let function = self.scripts.script(script, host)?;
        let stack = self.scripts.stack();
        let Names { handler, globals, keys: keys_name, argv } = self.scripts.names;
        stack.raw_get_at(LUA_REGISTRYINDEX, handler);
        stack.raw_get_at(LUA_REGISTRYINDEX, function);
        stack.raw_get_at(LUA_REGISTRYINDEX, globals);
        for (name, words) in [(keys_name, keys), (argv, args)] {
            stack.raw_get_at(LUA_REGISTRYINDEX, name);
            if push_words(stack, words, host).is_none() {
                stack.set_top(0);
                return Err(killed().of(script.name(), host));
            }
            stack.raw_set(-3);
        }
        stack.pop(1);
        self.scripts.call(0, host).map_err(|failed| failed.of(script.name(), host))?;
        self.scripts.answer(host, out).map_err(|failed| failed.of(script.name(), host))
    }

    /// Runs a library's code, which registers its functions. One of the same name is replaced only
    /// if that succeeds. The host's `interrupted` ends code that takes too long.
    ///
    /// # Errors
    /// The error to answer `FUNCTION LOAD` with.
    pub fn load_library(&mut self, code: &[u8], host: &mut dyn Host) -> Result<Library, CmdError> {
        let header = Header::new(code)?;
        let state = self.functions.get_or_insert_with(|| State::new(self.limits, true));
        state.prepare(self.limits, true)?;
        let registered = state.load_library(&header, host)?;
        let (functions, references): (Vec<_>, Vec<_>) = registered.into_iter().unzip();
        let library = finished(header.name, code, functions);
        state.drop_library(library.name());
        let names = library.functions().iter().map(|function| function.name.clone());
        let loaded = Loaded { digest: library.digest, functions: names.zip(references).collect() };
        state.libraries.insert(library.name().to_owned(), loaded);
        Ok(library)
    }

    /// Forgets a library.
    pub fn drop_library(&mut self, name: &str) {
        if let Some(state) = &mut self.functions {
            state.drop_library(name);
        }
    }

    /// Runs a function and writes what it returns. A library that another interpreter loaded is
    /// loaded here first.
    ///
    /// # Errors
    /// The error to answer `FCALL` with, instead of what may be written already.
    pub fn call_function(
        &mut self,
        library: &Library,
        function: &str,
        keys: &[&[u8]],
        args: &[&[u8]],
        host: &mut dyn Host,
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let state = self.functions.get_or_insert_with(|| State::new(self.limits, true));
        state.prepare(self.limits, true)?;
        let known = |state: &State| {
            let loaded = state.libraries.get(library.name())?;
            (loaded.digest == library.digest).then(|| loaded.functions.get(function).copied())
        };
        if known(state).is_none() {
            self.load_library(&library.code, host)?;
        }
        let state = self.functions.get_or_insert_with(|| State::new(self.limits, true));
        let reference = known(state).flatten().ok_or(CmdError::new("ERR Function not found"))?;
        let stack = state.stack();
        stack.raw_get_at(LUA_REGISTRYINDEX, state.names.handler);
        stack.raw_get_at(LUA_REGISTRYINDEX, reference);
        for words in [keys, args] {
            if push_words(stack, words, host).is_none() {
                stack.set_top(0);
                return Err(killed().of(function, host));
            }
        }
        state.call(2, host).map_err(|failed| failed.of(function, host))?;
        state.answer(host, out).map_err(|failed| failed.of(function, host))
    }
}

/// Words that become values between two questions whether to go on.
const WORDS: usize = 1000;

/// Pushes words as a table. `None` if the host ends the script meanwhile: there may be millions.
fn push_words(stack: Stack<'_>, words: &[&[u8]], host: &mut dyn Host) -> Option<()> {
    stack.push_table(i32::try_from(words.len()).unwrap_or(i32::MAX), 0);
    for (n, word) in words.iter().enumerate() {
        if (n + 1) % WORDS == 0 && host.interrupted() {
            return None;
        }
        stack.push(word);
        stack.raw_set_at(-2, i32::try_from(n + 1).unwrap_or(i32::MAX));
    }
    Some(())
}

/// The end of a script that its host has ended outside of it.
fn killed() -> Failed {
    let text = [b"ERR ", KILLED].concat();
    let (source, line, counted) = (None, None, false);
    Failed::Table(Extract { text, source, line, counted })
}

/// A library as one state has it.
struct Loaded {
    digest: [u8; 40],
    functions: HashMap<String, c_int>,
}

/// Where the registry has what every call needs, so that no name must be looked up.
#[derive(Clone, Copy)]
struct Names {
    /// The handler of errors.
    handler: c_int,
    /// The real table of globals.
    globals: c_int,
    /// The names of the globals `KEYS` and `ARGV`.
    keys: c_int,
    argv: c_int,
}

impl Names {
    fn new(stack: Stack<'_>) -> Self {
        stack.get_field(LUA_REGISTRYINDEX, HANDLER);
        let handler = stack.reference(LUA_REGISTRYINDEX);
        stack.get_field(LUA_REGISTRYINDEX, GLOBALS);
        let globals = stack.reference(LUA_REGISTRYINDEX);
        let name = |text: &[u8]| {
            stack.push(text);
            stack.reference(LUA_REGISTRYINDEX)
        };
        Names { handler, globals, keys: name(b"KEYS"), argv: name(b"ARGV") }
    }
}

/// One state of the interpreter.
struct State {
    state: NonNull<lua_State>,
    shared: Box<Shared>,
    /// Whether it is an interpreter that this was built for; nothing runs in it otherwise.
    known: bool,
    /// Whether a call has begun and not ended. It stays so if a panic passed through.
    running: bool,
    names: Names,
    /// Bytes of garbage that may stay between calls.
    garbage: usize,
    /// Bytes in use when the garbage collector had last finished.
    settled: usize,
    scripts: HashMap<[u8; 40], c_int>,
    libraries: HashMap<String, Loaded>,
}

// SAFETY: nothing outside refers to the state or what it carries, and while it is moved nothing
// runs in it, so any one thread may use it at a time.
unsafe impl Send for State {}

impl Drop for State {
    fn drop(&mut self) {
        self.shared.memory.set_lenient(true);
        self.shared.memory.unwatch();
        // SAFETY: the state is ours and is not used afterwards; what it carries is freed later.
        unsafe { lua::lua_close(self.state.as_ptr()) }
    }
}

/// When the collector is to begin a cycle, in percent of what lives. A cycle costs as much as what
/// lives, so a small state may grow by half a megabyte first; and no script is to be refused memory
/// that garbage takes.
fn pause(lives: usize, limit: usize) -> c_int {
    let lives = lives.max(1);
    let grown = (lives + SLACK) * 100 / lives;
    let most = limit / 8 * 7 * 100 / lives;
    c_int::try_from(grown.max(200).min(most).clamp(105, 2000)).unwrap_or(200)
}

/// Asks a closure whether to go on, and runs nothing.
struct Impatient<'a>(&'a mut dyn FnMut() -> bool);

impl Host for Impatient<'_> {
    fn call(&mut self, _: &[&[u8]], _: &mut dyn Reply) -> Result<(), Refusal> {
        Err(Refusal::Abandon)
    }
    fn note_error(&mut self, _: &[u8], _: bool) {}
    fn log(&mut self, _: u8, _: &[u8]) {}
    fn may(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }
    fn interrupted(&mut self) -> bool {
        (self.0)()
    }
    fn set_repl(&mut self, _: u8) {}
}

/// An error that ended a call.
enum Failed {
    /// A table, or what its handler made one of.
    Table(Extract),
    /// What Lua raises without asking the handler: memory, errors in the handler.
    Plain(Vec<u8>),
}

impl Failed {
    /// The reply to a call of the script or function of this name, which the host is told of.
    fn of(self, name: &str, host: &mut dyn Host) -> CmdError {
        let counted = matches!(&self, Failed::Table(error) if error.counted);
        let text = match self {
            Failed::Plain(text) => {
                [b"ERR Error running script ", name.as_bytes(), b", ", &text].concat()
            }
            Failed::Table(error) => {
                let mut text = error.text;
                if let (Some(source), Some(line)) = (error.source, error.line) {
                    let place = [b" script: ", name.as_bytes(), b", on ", &source, b":", &line];
                    text.extend_from_slice(&place.concat());
                    text.push(b'.');
                }
                text
            }
        };
        let text = one_line(trimmed(&text));
        host.note_error(&text, counted);
        CmdError::from_bytes(text.into_owned())
    }
}

impl State {
    fn new(limits: Limits, functions: bool) -> Self {
        let inner = Inner { limit: limits.memory, pause: 200, step: 200, ..Inner::default() };
        let memory = Memory::new(limits.memory);
        let shared = Box::new(Shared { memory, inner: inner.into() });
        let ud = (&raw const *shared).cast_mut().cast::<c_void>();
        // SAFETY: the allocator is ours, and its user data lives in a box that outlives the state.
        let state = unsafe { lua::lua_newstate(allocate, ud) };
        // The allocator is lenient: it ends the process rather than refuse.
        let Some(state) = NonNull::new(state) else { std::process::abort() };
        // SAFETY: the state is new.
        unsafe { lua::lua_atpanic(state.as_ptr(), unprotected) };
        // SAFETY: as above, and nothing raises while allocations are lenient.
        let known = unsafe { lua::layout::is_known(state.as_ptr()) };
        let names = {
            // SAFETY: the state is new, and nothing raises while allocations are lenient.
            let stack = unsafe { Stack::new(state.as_ptr()) };
            stack.set_collector(pause(shared.memory.used(), limits.memory));
            if known {
                sandbox::open(stack, functions);
            }
            Names::new(stack)
        };
        State {
            state,
            settled: shared.memory.used(),
            shared,
            known,
            running: false,
            garbage: limits.garbage,
            names,
            scripts: HashMap::new(),
            libraries: HashMap::new(),
        }
    }

    /// The stack, for code that Lua has not called. Allocations are lenient there.
    fn stack(&self) -> Stack<'_> {
        // SAFETY: the state is valid, and nothing raises while allocations are lenient: values are
        // pushed and tables without metatables are changed, no more.
        unsafe { Stack::new(self.state.as_ptr()) }
    }

    /// Makes the state anew if a panic left it in the middle of a call. All that runs code begins
    /// here.
    ///
    /// # Errors
    /// Values do not lie where `lua::layout` looks for them: another interpreter has been linked.
    fn prepare(&mut self, limits: Limits, functions: bool) -> Result<(), CmdError> {
        if self.running {
            *self = State::new(limits, functions);
        }
        if self.known { Ok(()) } else { Err(CmdError::new(UNKNOWN)) }
    }

    /// The reference of a compiled script.
    fn script(&mut self, script: &Script, host: &mut dyn Host) -> Result<c_int, CmdError> {
        if let Some(reference) = self.scripts.get(script.digest()) {
            return Ok(*reference);
        }
        let prefix = "ERR Error compiling script (new function): ";
        self.compile(script.code(), b"@user_script\0", prefix, host)?;
        let reference = self.stack().reference(LUA_REGISTRYINDEX);
        self.scripts.insert(*script.digest(), reference);
        Ok(reference)
    }

    /// Pushes the compiled code.
    fn compile(
        &mut self,
        code: &[u8],
        name: &[u8],
        prefix: &str,
        host: &mut dyn Host,
    ) -> Result<(), CmdError> {
        self.stack().push(&name[..name.len() - 1]);
        let compiled = self.under(host, |state| compile(state.stack(), code, name)) == 0;
        let stack = self.stack();
        if compiled {
            stack.remove(-2);
            return Ok(());
        }
        // Texts come from the parser, a table from who has ended it.
        let why = match stack.kind(-1) {
            Type::Table => b"it takes too long",
            _ => stack.text(-1).unwrap_or_default(),
        };
        let text = [prefix.as_bytes(), why].concat();
        stack.set_top(0);
        self.clean();
        Err(CmdError::from_bytes(one_line(trimmed(&text)).into_owned()))
    }

    /// Calls the function below `args` arguments, with the handler below that; one result is left
    /// on the stack, or none.
    fn call(&mut self, args: c_int, host: &mut dyn Host) -> Result<(), Failed> {
        let status = self.protected(args, 1, 1, host);
        let stack = self.stack();
        if status == 0 {
            return Ok(());
        }
        let failed = if stack.kind(-1) == Type::Table {
            Failed::Table(extract(stack))
        } else {
            let text = stack.text(-1).unwrap_or(b"execution failure");
            Failed::Plain(text.get(..100).unwrap_or(text).to_vec())
        };
        stack.set_top(0);
        self.clean();
        Err(failed)
    }

    /// `lua_pcall` with a host.
    fn protected(
        &mut self,
        args: c_int,
        results: c_int,
        handler: c_int,
        host: &mut dyn Host,
    ) -> c_int {
        self.shared.inner.get_mut().protocol = Protocol::Resp2;
        self.under(host, |state| {
            let state = state.state.as_ptr();
            // SAFETY: the state is valid, our caller has pushed the values, and errors end here.
            unsafe {
                Stack::new(state).call_hook_after(FIRST);
                lua::lua_pcall(state, args, results, handler)
            }
        })
    }

    /// Does what catches its own errors, with a host and under the limit of memory.
    fn under<R>(&mut self, host: &mut dyn Host, run: impl FnOnce(&Self) -> R) -> R {
        let inner = self.shared.inner.get_mut();
        (inner.killed, inner.catching) = (false, false);
        (inner.steps, inner.interval) = (STEPS, FIRST);
        (inner.hooked, inner.asked) = (None, None);
        let host: *mut (dyn Host + '_) = host;
        // SAFETY: only the lifetime changes; the pointer is taken away before this function ends,
        // or the state is made anew before it is used again.
        let host: *mut (dyn Host + 'static) = unsafe { std::mem::transmute(host) };
        inner.host = NonNull::new(host);
        self.running = true;
        self.shared.memory.set_lenient(false);
        // SAFETY: it is the main state of this memory, and nothing is watched afterwards.
        unsafe { self.shared.memory.watch(self.state.as_ptr()) };
        let result = run(self);
        self.shared.memory.unwatch();
        self.shared.memory.set_lenient(true);
        self.running = false;
        self.shared.inner.get_mut().host = None;
        result
    }

    /// Writes the result, and clears the stack.
    fn answer(&mut self, host: &mut dyn Host, out: &mut dyn Reply) -> Result<(), Failed> {
        let protocol = self.shared.inner.get_mut().protocol;
        let stack = self.stack();
        let lowered = lower(stack, protocol, host, out);
        stack.set_top(0);
        self.clean();
        match lowered {
            // The caller, which made the room for the reply, says what becomes of one that is too
            // long.
            Ok(()) | Err(Cut::Full) => Ok(()),
            Err(Cut::Killed) => Err(killed()),
        }
    }

    /// Collects what a script has left behind, once it is worth the while: what then stays is at
    /// most what [`Limits::garbage`] allows, or half as much as what lives.
    fn clean(&mut self) {
        self.shared.inner.get_mut().rest();
        let used = self.shared.memory.used();
        self.settled = self.settled.min(used);
        if used - self.settled > self.garbage.max(self.settled / 2) {
            self.collect();
        }
    }

    /// Collects all garbage.
    fn collect(&mut self) {
        self.stack().collect();
        self.settled = self.shared.memory.used();
        self.stack().set_collector(pause(self.settled, self.shared.memory.limit()));
    }

    fn load_library(
        &mut self,
        header: &Header<'_>,
        host: &mut dyn Host,
    ) -> Result<Vec<(crate::Function, c_int)>, CmdError> {
        let prefix = "ERR Error compiling function: ";
        self.compile(header.code, b"@user_function\0", prefix, host)?;
        sandbox::show_loading(self.stack(), true);
        self.shared.inner.get_mut().loading = Some(Loading::default());
        let status = self.protected(0, 0, 0, host);
        let loading = self.shared.inner.get_mut().loading.take().unwrap_or_default();
        let stack = self.stack();
        sandbox::show_loading(stack, false);
        let mut result = Ok(());
        if status != 0 {
            let text = [b"ERR Error registering functions: ", &extract(stack).text[..]].concat();
            result = Err(CmdError::from_bytes(one_line(trimmed(&text)).into_owned()));
        } else if loading.functions.is_empty() {
            result = Err(CmdError::new("ERR No functions registered"));
        }
        if result.is_err() {
            for (_, reference) in &loading.functions {
                stack.unreference(LUA_REGISTRYINDEX, *reference);
            }
        }
        stack.set_top(0);
        self.clean();
        result.map(|()| loading.functions)
    }

    fn drop_library(&mut self, name: &str) {
        let Some(loaded) = self.libraries.remove(name) else { return };
        for reference in loaded.functions.values() {
            self.stack().unreference(LUA_REGISTRYINDEX, *reference);
        }
    }
}

/// The allocator Lua calls.
unsafe extern "C" fn allocate(
    ud: *mut c_void,
    block: *mut c_void,
    old: usize,
    new: usize,
) -> *mut c_void {
    // SAFETY: `State::new` handed the box in, which outlives the state; Lua tells the sizes it
    // asked for.
    unsafe { (*ud.cast::<Shared>()).memory.resize(block, old, new) }
}

/// Called when an error is raised where nothing protects, which the rules of this crate exclude.
unsafe extern "C-unwind" fn unprotected(_: *mut lua_State) -> c_int {
    std::process::abort()
}

/// Asks the host whether to go on.
pub unsafe extern "C-unwind" fn hook(state: *mut lua_State, _: *mut lua_Debug) {
    // SAFETY: Lua calls this between instructions, so no function of ours runs and holds what the
    // state carries; the frame holds nothing with a destructor.
    unsafe {
        let inner = &mut *shared(state).inner.get();
        let (stack, memory) = (Stack::new(state), &shared(state).memory);
        stack.set_collector(pause(memory.used(), memory.limit()));
        memory.runs(state);
        if look(stack, inner, memory).is_err() {
            lua::lua_error(state);
        }
    }
}

#[cfg(test)]
#[path = "vm_tests.rs"]
mod tests;
