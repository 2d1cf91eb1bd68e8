//! Queries that are worked out where shards are held: in `EXEC`, and where a request is served that
//! has waited for a key.
//!
//! ```text
//!   20 ms                     another thread serves the other clients of this one
//!   busy-reply-threshold      the shards are marked: others are answered BUSY and do not wait
//!   SCRIPT KILL, CLIENT KILL, the client leaves, the server ends: the query ends, with an error
//! ```
//!
//! To others it is as a script that takes long and has written nothing. What ends is the query
//! alone: it changes nothing, so there is nothing to be undone, and the commands of a transaction
//! that stand behind it run as behind any other that fails. A transaction that has written stays
//! whole. (Inside a script it is the script that others see and end: `scripting/caller.rs`.)

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base::{CmdError, Pace, QueryBounds, Reply, error};
use store::Txn;

use crate::client::Client;
use crate::client::held::Held;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::execution::data_command::Counting;
use crate::execution::query::import_folder;
use crate::scripts::{LONG, Registered, RunKind, Running};

/// For whom a query runs with shards in hand.
pub(crate) struct Holder<'a> {
    /// The client that is answered.
    pub client: &'a Arc<Client>,
    /// Set when its caller does not wait any more.
    pub cancelled: Option<&'a AtomicBool>,
    /// Since when the shards are held.
    pub since: Instant,
    /// The ticket of its client, which waits: others know it by that from the beginning.
    pub ticket: Option<u64>,
}

/// The pace of a query whose shards are held until it has ended.
pub(crate) struct UnderLocks<'a> {
    engine: &'a Engine,
    txn: &'a mut Txn,
    request: (&'a Entry, &'a [&'a [u8]]),
    holder: Holder<'a>,
    started: Instant,
    /// So long the shards may be held before others are told.
    busy_after: Option<Duration>,
    /// Counts what it holds as its client's memory.
    held: Held,
    /// Set while others can see that it runs.
    running: Option<Registered<'a>>,
}

impl<'a> UnderLocks<'a> {
    /// It begins now.
    ///
    /// # Errors
    /// So many that hold shards take too long that no other is begun: each may have a thread.
    pub fn new(
        engine: &'a Engine,
        txn: &'a mut Txn,
        request: (&'a Entry, &'a [&'a [u8]]),
        holder: Holder<'a>,
    ) -> Result<Self, CmdError> {
        if engine.scripts.runs.are_too_many() {
            return Err(engine.busy());
        }
        let (started, busy_after) = (Instant::now(), engine.config().scripts.busy_after);
        let (held, is_known) = (Held::new(holder.client, 0), holder.ticket.is_some());
        let running = None;
        let mut pace =
            UnderLocks { engine, txn, request, holder, started, busy_after, held, running };
        if is_known {
            pace.show();
        }
        Ok(pace)
    }

    /// It has ended. If it took long, the loop of this thread may have another by now: then the
    /// turn ends with the request. No client ends it any more: one that has since it was asked last
    /// has been told that nothing of it stays.
    ///
    /// # Errors
    /// As it has ended, or was ended.
    pub fn end<T>(self, counters: impl Counting, done: Result<T, CmdError>) -> Result<T, CmdError> {
        let Some(running) = self.running else { return done };
        self.txn.held.overrun();
        if running.leave() && done.is_ok() {
            counters.failed(self.engine, self.request.0, &error::QUERY_KILLED);
            return Err(error::QUERY_KILLED);
        }
        done
    }

    /// Lets others know that it takes long; whether it was killed.
    fn look_at_clock(&mut self) -> bool {
        let took = self.holder.since.elapsed();
        if took < LONG {
            return false;
        }
        let overdue = self.busy_after.is_some_and(|limit| took >= limit);
        let running = self.show();
        let killed = running.killed.load(Ordering::Acquire);
        if overdue && running.is_overdue_now() {
            self.txn.held.obstruct();
            // Told when it is so: what reads the line and then asks is not kept waiting.
            let command = self.request.0.name();
            tracing::warn!(
                command,
                "a query has held its keys for longer than busy-reply-threshold"
            );
        }
        if let Some(hand_over) = self.engine.hooks.hand_over.get() {
            hand_over(overdue);
        }
        killed
    }

    fn show(&mut self) -> &Registered<'a> {
        let UnderLocks { engine, request: (entry, argv), holder, running, .. } = self;
        running.get_or_insert_with(|| {
            engine.scripts.runs.add(Running {
                number: holder.ticket.unwrap_or_else(|| engine.waits.blocked.number()),
                kind: RunKind::Query,
                name: entry.name().to_owned(),
                command: argv.iter().map(|word| word.to_vec()).collect(),
                since: holder.since,
                // The query has not, and nothing else is ended.
                wrote: AtomicBool::new(false),
                overdue: AtomicBool::new(false),
                killed: AtomicBool::new(false),
            })
        })
    }
}

impl Pace for UnderLocks<'_> {
    fn go_on(&mut self, out: &dyn Reply, holds: usize) -> Result<(), CmdError> {
        self.held.holds(holds);
        go_on(self.engine, out)?;
        let Holder { client, cancelled, .. } = &self.holder;
        let gone = client.state.gone.load(Ordering::Acquire);
        let cancelled = cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Acquire));
        if self.look_at_clock() || gone || cancelled { Err(error::QUERY_KILLED) } else { Ok(()) }
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn bounds(&self) -> QueryBounds {
        self.engine.config().queries.bounds()
    }

    fn open(&self, path: &str) -> Result<Box<dyn Read>, CmdError> {
        import_folder::open(self.engine.config().queries.graph_import_folder.as_deref(), path)
    }
}

/// Whether a query goes on, wherever it runs.
pub(crate) fn go_on(engine: &Engine, out: &dyn Reply) -> Result<(), CmdError> {
    if engine.run.stopping.load(Ordering::Acquire) {
        return Err(error::QUERY_STOPPED);
    }
    if out.is_over() { Err(error::REPLY_TOO_LONG) } else { Ok(()) }
}
