//! A thread's interpreters, and the scripts it has at hand.
//!
//! The lists of scripts and libraries belong to all threads and are behind locks. What a thread has
//! run once it finds here again, and asks only two numbers whether it is still so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base::CmdError;
use hashbrown::HashMap;
use script::{Limits, Script, Vm};
use store::Txn;

use super::cache::{Cached, Digest, ScriptCache};
use super::libraries::{Functions, Known};

/// How many scripts are at hand before those that are not known any more are looked for.
const AT_HAND: usize = 1024;

/// How long a script may take to compile: the thread does nothing else meanwhile.
const COMPILING: Duration = Duration::from_secs(2);

/// A thread's interpreters. They take memory, so there are none before the first script.
#[derive(Default)]
pub(crate) struct InterpreterPool {
    vm: Option<Box<Vm>>,
    scripts: HashMap<Digest, Arc<Cached>>,
    /// How often all scripts had been forgotten when these were taken up.
    flushes: u64,
    libraries: Arc<Known>,
    /// The number of the change that led to these.
    version: u64,
    /// The epoch of the log that holds it; `None` if it may not have been told yet.
    epoch: Option<u64>,
}

impl InterpreterPool {
    /// Takes the interpreters out, to run something.
    pub fn take(&mut self, limits: Limits) -> Box<Vm> {
        let mut vm = self.vm.take().unwrap_or_else(|| Box::new(Vm::new(limits)));
        vm.set_limits(limits);
        vm.make_room();
        vm
    }

    /// Puts them back.
    pub fn put(&mut self, vm: Box<Vm>) {
        self.vm = Some(vm);
    }

    /// Bytes of the interpreters: that for scripts, that for functions.
    pub fn memory(&self) -> (usize, usize) {
        self.vm.as_ref().map_or((0, 0), |vm| (vm.script_memory(), vm.function_memory()))
    }

    /// The script of this digest.
    pub fn script(&mut self, scripts: &ScriptCache, digest: &Digest) -> Option<Arc<Cached>> {
        self.follow_flushes(scripts);
        if let Some(cached) = self.scripts.get(digest).filter(|cached| cached.is_known()) {
            return Some(Arc::clone(cached));
        }
        let cached = scripts.get(digest)?;
        self.keep(&cached);
        Some(cached)
    }

    /// The script with this body, which is compiled and made known if it was not.
    ///
    /// # Errors
    /// Its first line is not understood, or it cannot be compiled.
    pub fn add(
        &mut self,
        scripts: &ScriptCache,
        body: &[u8],
        (now, loaded, limits): (base::Millis, bool, Limits),
    ) -> Result<Arc<Cached>, CmdError> {
        let digest = script::digest(body);
        let known = self.script(scripts, &digest);
        if let Some(cached) = known.filter(|_| !loaded) {
            return Ok(cached);
        }
        let script = Script::with_digest(body, digest)?;
        let mut vm = self.take(limits);
        let began = Instant::now();
        let compiled = vm.load(&script, &mut || began.elapsed() > COMPILING);
        self.put(vm);
        compiled?;
        let cached = scripts.add(script, now, loaded);
        self.keep(&cached);
        Ok(cached)
    }

    fn keep(&mut self, cached: &Arc<Cached>) {
        if self.scripts.len() >= AT_HAND {
            let vm = &mut self.vm;
            self.scripts.retain(|digest, cached| {
                let known = cached.is_known();
                if let (false, Some(vm)) = (known, vm.as_mut()) {
                    vm.forget(digest);
                }
                known
            });
        }
        self.scripts.insert(*cached.script.digest(), Arc::clone(cached));
    }

    /// Forgets what all have been told to forget.
    #[inline]
    fn follow_flushes(&mut self, scripts: &ScriptCache) {
        let flushes = scripts.flushes();
        if flushes != self.flushes {
            self.flushes = flushes;
            self.scripts.clear();
            if let Some(vm) = &mut self.vm {
                vm.flush_scripts();
            }
        }
    }

    /// The libraries there are, for a request that holds no shard. What it answers is durable when
    /// they are.
    pub fn libraries(&mut self, functions: &Functions, txn: &mut Txn) -> &Arc<Known> {
        if self.epoch.is_none() || functions.version() != self.version {
            // The thread that changes them has recorded that when the shard is free again.
            let look = || (functions.version(), functions.known());
            let ((version, known), epoch) = txn.held.look_beside_keys(look);
            self.follow(version, known);
            self.epoch = Some(epoch);
        }
        txn.held.note_seen(self.epoch.unwrap_or(0));
        &self.libraries
    }

    /// The same for one that holds every shard: it sees what was told up to now.
    pub fn libraries_in_exec(&mut self, functions: &Functions) -> &Arc<Known> {
        if functions.version() != self.version {
            self.follow(functions.version(), functions.known());
            // It may have changed them itself, and not told yet.
            self.epoch = None;
        }
        &self.libraries
    }

    fn follow(&mut self, version: u64, known: Arc<Known>) {
        if let Some(vm) = &mut self.vm {
            for library in self.libraries.libraries.iter() {
                if known.libraries.library(library.name().as_bytes()).is_none() {
                    vm.drop_library(library.name());
                }
            }
            if known.libraries.is_empty() {
                vm.flush_libraries();
            }
        }
        (self.version, self.libraries) = (version, known);
    }
}
