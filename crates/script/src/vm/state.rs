//! One state of the interpreter: what is compiled in it, and how it is called.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use base::{CmdError, Protocol, Reply};
use foldhash::{HashMap, HashMapExt};
use lua::{LUA_REGISTRYINDEX, lua_State};

use super::Limits;
use super::failed::{Failed, killed};
use crate::Host;
use crate::builtins::compile::compile;
use crate::builtins::sandbox::{self, GLOBALS};
use crate::function_library::{Header, Loading};
use crate::interpreter::errors::{HANDLER, extract, trimmed};
use crate::interpreter::interrupt::{FIRST, STEPS, call_hook_after, hook};
use crate::interpreter::memory::Memory;
use crate::interpreter::stack::{Stack, Type};
use crate::interpreter::state::{AllocatorData, ScriptState};
use crate::replies::lower::{Cut, lower, one_line};
use crate::source::Script;

/// What scripts are answered if another interpreter has been linked.
pub const UNKNOWN: &str =
    "ERR scripts cannot run: this server was linked with a Lua that it was not built for";

/// A library as one state has it.
pub struct Loaded {
    pub digest: [u8; 40],
    pub functions: HashMap<String, c_int>,
}

/// Where the registry has what every call needs, so that no name must be looked up.
#[derive(Clone, Copy)]
pub struct Names {
    /// The handler of errors.
    pub handler: c_int,
    /// The real table of globals.
    pub globals: c_int,
    /// The names of the globals `KEYS` and `ARGV`.
    pub keys: c_int,
    pub argv: c_int,
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
pub struct State {
    state: NonNull<lua_State>,
    pub allocator_data: Box<AllocatorData>,
    /// Whether it is an interpreter that this was built for; nothing runs in it otherwise.
    pub known: bool,
    /// Whether a call has begun and not ended. It stays so if a panic passed through.
    running: bool,
    pub names: Names,
    /// Bytes of garbage that may stay between calls.
    pub garbage: usize,
    /// Bytes in use when the garbage collector had last finished.
    settled: usize,
    pub scripts: HashMap<[u8; 40], c_int>,
    pub libraries: HashMap<String, Loaded>,
}

// SAFETY: nothing outside refers to the state or what it carries, and while it is moved nothing
// runs in it, so any one thread may use it at a time.
unsafe impl Send for State {}

impl Drop for State {
    fn drop(&mut self) {
        self.allocator_data.memory.set_lenient(true);
        self.allocator_data.memory.unwatch();
        // SAFETY: the state is ours and is not used afterwards; what it carries is freed later.
        unsafe { lua::lua_close(self.state.as_ptr()) }
    }
}

impl State {
    pub fn new(limits: Limits, functions: bool) -> Self {
        let script = ScriptState::new(limits.memory);
        let memory = Memory::new(limits.memory, hook);
        let allocator_data = Box::new(AllocatorData { memory, script: script.into() });
        let ud = (&raw const *allocator_data).cast_mut().cast::<c_void>();
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
            stack.set_collector(allocator_data.memory.pause());
            if known {
                sandbox::open(stack, functions);
            }
            Names::new(stack)
        };
        State {
            state,
            settled: allocator_data.memory.used(),
            allocator_data,
            known,
            running: false,
            garbage: limits.garbage,
            names,
            scripts: HashMap::new(),
            libraries: HashMap::new(),
        }
    }

    /// The stack, for code that Lua has not called. Allocations are lenient there.
    pub fn stack(&self) -> Stack<'_> {
        // SAFETY: the state is valid, and nothing raises while allocations are lenient: values are
        // pushed and tables without metatables are changed, no more.
        unsafe { Stack::new(self.state.as_ptr()) }
    }

    /// Makes the state anew if a panic left it in the middle of a call. All that runs code begins
    /// here.
    ///
    /// # Errors
    /// Values do not lie where `lua::layout` looks for them: another interpreter has been linked.
    pub fn prepare(&mut self, limits: Limits, functions: bool) -> Result<(), CmdError> {
        if self.running {
            *self = State::new(limits, functions);
        }
        if self.known { Ok(()) } else { Err(CmdError::new(UNKNOWN)) }
    }

    /// The reference of a compiled script.
    pub fn script(&mut self, script: &Script, host: &mut dyn Host) -> Result<c_int, CmdError> {
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
    pub fn call(&mut self, args: c_int, host: &mut dyn Host) -> Result<(), Failed> {
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
        self.allocator_data.script.get_mut().run.protocol = Protocol::Resp2;
        self.under(host, |state| {
            let state = state.state.as_ptr();
            // SAFETY: the state is valid, our caller has pushed the values, and errors end here.
            unsafe {
                call_hook_after(Stack::new(state), FIRST);
                lua::lua_pcall(state, args, results, handler)
            }
        })
    }

    /// Does what catches its own errors, with a host and under the limit of memory.
    fn under<R>(&mut self, host: &mut dyn Host, run: impl FnOnce(&Self) -> R) -> R {
        let this_run = &mut self.allocator_data.script.get_mut().run;
        this_run.begin(STEPS, FIRST);
        let host: *mut (dyn Host + '_) = host;
        // SAFETY: only the lifetime changes; the pointer is taken away before this function ends,
        // or the state is made anew before it is used again.
        let host: *mut (dyn Host + 'static) = unsafe { std::mem::transmute(host) };
        this_run.host = NonNull::new(host);
        self.running = true;
        self.allocator_data.memory.set_lenient(false);
        // SAFETY: it is the main state of this memory, and nothing is watched afterwards.
        unsafe { self.allocator_data.memory.watch(self.state.as_ptr()) };
        let result = run(self);
        self.allocator_data.memory.unwatch();
        self.allocator_data.memory.set_lenient(true);
        self.running = false;
        self.allocator_data.script.get_mut().run.host = None;
        result
    }

    /// Writes the result, and clears the stack.
    pub fn answer(&mut self, host: &mut dyn Host, out: &mut dyn Reply) -> Result<(), Failed> {
        let protocol = self.allocator_data.script.get_mut().run.protocol;
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
    pub fn clean(&mut self) {
        self.allocator_data.script.get_mut().rest();
        let used = self.allocator_data.memory.used();
        self.settled = self.settled.min(used);
        if used - self.settled > self.garbage.max(self.settled / 2) {
            self.collect();
        }
    }

    /// Collects all garbage.
    pub fn collect(&mut self) {
        self.stack().collect();
        self.settled = self.allocator_data.memory.used();
        self.stack().set_collector(self.allocator_data.memory.pause());
    }

    pub fn load_library(
        &mut self,
        header: &Header<'_>,
        host: &mut dyn Host,
    ) -> Result<Vec<(crate::Function, c_int)>, CmdError> {
        let prefix = "ERR Error compiling function: ";
        self.compile(header.code, b"@user_function\0", prefix, host)?;
        sandbox::show_loading(self.stack(), true);
        self.allocator_data.script.get_mut().loading = Some(Loading::default());
        let status = self.protected(0, 0, 0, host);
        let loading = self.allocator_data.script.get_mut().loading.take().unwrap_or_default();
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

    pub fn drop_library(&mut self, name: &str) {
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
    unsafe { (*ud.cast::<AllocatorData>()).memory.resize(block, old, new) }
}

/// Called when an error is raised where nothing protects, which the rules of this crate exclude.
unsafe extern "C-unwind" fn unprotected(_: *mut lua_State) -> c_int {
    std::process::abort()
}
