//! A thread's interpreter: compiles, calls, and turns what comes out into a reply or an error.

use base::{CmdError, Reply};
use lua::LUA_REGISTRYINDEX;

use crate::function_library::{Header, Library, finished};
use crate::interpreter::stack::Stack;
use crate::source::Script;
use crate::{Host, Refusal};

mod failed;
mod state;

use failed::killed;
use state::{Loaded, Names, State};

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
            state.allocator_data.memory.set_limit(limits.memory);
            state.allocator_data.script.get_mut().buffers.limit = limits.memory;
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
        self.scripts.allocator_data.memory.used()
    }

    /// Bytes the state of functions takes: `used_memory_vm_functions`.
    #[must_use]
    pub fn function_memory(&self) -> usize {
        self.functions.as_ref().map_or(0, |state| state.allocator_data.memory.used())
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

#[cfg(test)]
#[path = "vm_tests.rs"]
mod tests;
