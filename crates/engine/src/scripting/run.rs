//! A script from its request to its reply: which shards it holds, and what happens when it wants
//! others.
//!
//! It begins with the shards of the keys it declares. The first command that wants another key, or
//! would change a value that is too large to remember, ends it: what it changed is taken back
//! (`store::Txn::roll_back`), and it runs again from its start, with every shard, at the same time
//! and with the same random seed. That it needs them all is remembered. So no script ever waits for
//! a lock while it holds one, and no request sees a script that was half run.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use base::{CmdError, Reply, error};
use script::{Library, Limits, ScriptFlags, Vm};
use store::{Failed, Txn};
use wire::RespWriter;

use super::caller::{Caller, ScriptMode};
use super::ending::Ended;
use crate::client::demands::Demands;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::context::Control;
use crate::engine::plan::Plan;
use crate::engine::worker::WorkerContext;
use crate::execution::serving;
use crate::scripts::Cached;
use crate::scripts::Needs;

/// Bytes of garbage that the interpreters of all threads keep together while no script runs; and
/// what each may keep at least, so as not to be collecting all the time.
const GARBAGE: usize = 4 << 20;
const LEAST_GARBAGE: usize = 64 << 10;

/// What is to run.
pub(crate) enum Code<'a> {
    /// A script.
    Script(Arc<Cached>),
    /// A function of a library.
    Function { library: Arc<Library>, name: &'a str, needs: Arc<Needs> },
}

/// A request to run it.
pub(crate) struct Job<'a> {
    pub code: Code<'a>,
    /// All words of the request.
    pub argv: &'a [&'a [u8]],
    pub keys: &'a [&'a [u8]],
    pub args: &'a [&'a [u8]],
    /// The command promises that nothing is written: `EVAL_RO`.
    pub read_only: bool,
}

impl Job<'_> {
    /// What the code says about itself; none if it is a script from the time before flags.
    fn flags(&self) -> Option<ScriptFlags> {
        match &self.code {
            Code::Script(cached) => cached.script.flags(),
            Code::Function { library, name, .. } => {
                library.function(name.as_bytes()).map(|function| function.flags)
            }
        }
    }

    fn needs(&self) -> &Needs {
        match &self.code {
            Code::Script(cached) => &cached.needs,
            Code::Function { needs, .. } => needs,
        }
    }

    fn name(&self) -> &str {
        match &self.code {
            Code::Script(cached) => cached.script.name(),
            Code::Function { name, .. } => name,
        }
    }

    /// The number of the command that runs it.
    fn command(&self, engine: &Engine) -> usize {
        engine.table.find(self.argv).map_or(0, |entry| entry.number)
    }

    /// What may keep it from running at all, in Redis's order.
    fn admit(&self, engine: &Engine, context: &WorkerContext) -> Result<ScriptMode, CmdError> {
        let function = matches!(self.code, Code::Function { .. });
        let mut mode = ScriptMode { read_only: self.read_only, function, ..ScriptMode::default() };
        let Some(flags) = self.flags() else { return Ok(mode) };
        if !flags.no_writes && (context.full || context.hindered) {
            let grows = if flags.allow_oom { Demands::default() } else { Demands::GROWS };
            context.grant(engine, Demands::WRITES | grows)?;
        }
        if self.read_only && !flags.no_writes {
            return Err(CmdError::new(
                "ERR Can not execute a script with write flag using *_ro command.",
            ));
        }
        mode.read_only |= flags.no_writes;
        mode.allow_oom = flags.allow_oom;
        Ok(mode)
    }
}

/// What one attempt came to.
enum Attempt {
    /// It ran.
    Done,
    /// It needs every shard.
    Again,
    /// Clients are paused.
    Postponed,
    /// It publishes, and others may have to be served first.
    Tells,
    /// It takes long, and is to do so in another thread.
    Late,
}

/// Runs a script and writes its reply.
///
/// # Errors
/// What to answer instead: it may not run, or has failed. What it changed before stays.
pub(crate) fn run(
    control: &mut Control<'_>,
    job: &Job<'_>,
    writer: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let Control { engine, txn, context, session, in_exec, .. } = control;
    if engine.scripts.runs.are_too_many() {
        return Err(engine.busy());
    }
    let mut mode = job.admit(engine, context)?;
    let publishes = !*in_exec && job.needs().publishes.load(Ordering::Relaxed);
    if publishes && must_give_way(context, session) {
        return Ok(());
    }
    let mut vm = context.interpreters.take(limits(&context.config));
    loop {
        mode.wide = *in_exec || job.needs().wide.load(Ordering::Relaxed);
        let done = if mode.wide && session.terms.leaves_long && !*in_exec {
            // Nothing of it could be undone, so its thread could not leave it.
            Ok(Attempt::Late)
        } else if *in_exec {
            let mode = (mode, Instant::now());
            Ok(attempt((engine, txn), (context, session), &mut vm, (job, mode), writer))
        } else {
            let mut plan = planned(engine, context, job, mode);
            let done = txn.with(&engine.store, plan.scope(), |txn| {
                // Asked again now that the shards are held: see `execution/pause.rs`. `EXEC` has
                // asked for all its commands.
                let paused = engine.run.request_flags.now().paused();
                if paused && engine.is_script_paused(session, mode.read_only, context.now) {
                    return Attempt::Postponed;
                }
                let began = Instant::now();
                let job = (job, (mode, began));
                let done = attempt((engine, txn), (context, session), &mut vm, job, writer);
                serving::serve_later(engine, txn, began);
                done
            });
            context.plan = plan;
            done
        };
        match done {
            Ok(Attempt::Again) => job.needs().wide.store(true, Ordering::Relaxed),
            Ok(Attempt::Tells) => {
                job.needs().publishes.store(true, Ordering::Relaxed);
                if must_give_way(context, session) {
                    put_back(context, vm);
                    return Ok(());
                }
            }
            Ok(end) => {
                put_back(context, vm);
                match end {
                    Attempt::Late => go_aside(session),
                    Attempt::Postponed => {
                        (session.wait.postponed, session.wait.told) = (true, true)
                    }
                    _ => {}
                }
                return Ok(());
            }
            Err(Failed::Busy) => {
                put_back(context, vm);
                return Err(engine.busy());
            }
            // The interpreter may be anywhere: it is not used again.
            Err(failed) => {
                tracing::error!(%failed, "a script panicked and was contained");
                context.tell_interpreters();
                return Err(error::INTERNAL);
            }
        }
    }
}

/// The shards it begins with: those of the keys it declares, or all.
fn planned(engine: &Engine, context: &mut WorkerContext, job: &Job<'_>, mode: ScriptMode) -> Plan {
    let mut plan = std::mem::take(&mut context.plan);
    plan.clear();
    if mode.wide {
        plan.add_every();
    } else {
        plan.add_keys(&engine.store, job.keys);
    }
    plan
}

/// An interpreter is free again.
fn put_back(context: &mut WorkerContext, vm: Box<Vm>) {
    context.interpreters.put(vm);
    context.tell_interpreters();
}

/// Postpones a script, to be run in another thread.
fn go_aside(session: &mut Session) {
    (session.wait.postponed, session.wait.told, session.wait.goes_aside) = (true, true, true);
}

/// Whether what came before a script that publishes has yet to be served.
fn must_give_way(context: &WorkerContext, session: &mut Session) -> bool {
    session.wait.told = context.must_give_way(session);
    session.wait.told
}

/// Runs it once, on the shards that are held since the moment `began`.
fn attempt(
    (engine, txn): (&Engine, &mut Txn),
    (context, session): (&mut WorkerContext, &mut Session),
    vm: &mut Vm,
    (job, (mode, began)): (&Job<'_>, (ScriptMode, Instant)),
    writer: &mut RespWriter<'_>,
) -> Attempt {
    let mark = writer.raw().len();
    let name = || (job.name().to_owned(), job.argv.iter().map(|word| word.to_vec()).collect());
    let mut caller = Caller::new(engine, txn, (context, session), (mode, began), &name);
    let done = match &job.code {
        Code::Script(cached) => vm.eval(&cached.script, job.keys, job.args, &mut caller, writer),
        Code::Function { library, name, .. } => {
            vm.call_function(library, name, job.keys, job.args, &mut caller, writer)
        }
    };
    if caller.outcome.abandoned {
        let why = match (caller.outcome.publishes, caller.outcome.late) {
            (true, _) => Attempt::Tells,
            (_, true) => Attempt::Late,
            _ => Attempt::Again,
        };
        drop(caller);
        txn.roll_back();
        writer.raw().truncate(mark);
        return why;
    }
    if let Some(ended @ (Ended::Undone | Ended::BrokenOff)) = caller.outcome.ended {
        let name = job.name();
        tracing::warn!(name, ?ended, "a script that has written was ended");
        drop(caller);
        match ended {
            Ended::BrokenOff => txn.break_off(),
            _ => txn.roll_back(),
        }
        writer.raw().truncate(mark);
        writer.error_bytes(done.err().unwrap_or(error::INTERNAL).bytes());
        return Attempt::Done;
    }
    caller.txn.undo.forget();
    if caller.outcome.errors > 0 {
        caller.context.counters.commands[job.command(engine)].failed.add(1);
    }
    if caller.has_published() {
        job.needs().publishes.store(true, Ordering::Relaxed);
    }
    if let Err(failure) = done {
        // It has been counted already. One that was ended has written a part of its reply.
        writer.raw().truncate(mark);
        writer.error_bytes(failure.bytes());
    }
    caller.finish(writer, mark);
    Attempt::Done
}

/// What an interpreter may use.
pub(crate) fn limits(config: &config::Config) -> Limits {
    let memory = usize::try_from(config.scripts.memory).unwrap_or(usize::MAX);
    Limits { memory, garbage: (GARBAGE / config.process.io_threads.max(1)).max(LEAST_GARBAGE) }
}
