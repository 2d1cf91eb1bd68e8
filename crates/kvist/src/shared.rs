//! What all handles and sessions share: the engine, its workers, starting and stopping.
//!
//! ```text
//!   request ─► worker ─► engine ─► reply
//!                │          ├ blocked, paused: release it, wait for a message, lock one again
//!                │          └ `appendfsync always`: release it, wait for the disk
//! ```

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use base::Millis;
use config::BufferLimit;
use engine::persistence::Recovered;
use engine::step::{Progress, Step, progress};
use engine::{Answered, Confirmation, Cron, DirectReply, Engine, Message, Session, Worker};
use journal::wall_clock;
use parking_lot::{Condvar, Mutex};

use crate::client_session::ClientSession;
use crate::durability_wakeup::DurabilityWakeup;
use crate::error::Error;
use crate::inbox::SLICE;
use crate::workers::{WorkerGuard, Workers};

/// Called regularly during a wait: whether to give up.
pub(crate) type CancelCheck<'p> = &'p mut dyn FnMut() -> bool;

/// Only the engine ends a wait.
pub(crate) fn never_cancelled() -> bool {
    false
}

/// How far the end has come.
enum End {
    /// It has not begun.
    Open,
    /// This thread is at it.
    Closing(ThreadId),
    /// It is over. What went wrong, for those that wait for it.
    Over(Option<String>),
}

/// What programs hold of the engine: when the last is dropped, it is closed. Threads of scripts
/// hold it without, so they keep no engine open.
pub(crate) struct SharedHandle(Arc<Shared>);

impl SharedHandle {
    pub fn new(shared: Shared) -> Self {
        shared.handles.fetch_add(1, Ordering::Relaxed);
        SharedHandle(Arc::new(shared))
    }

    /// For threads of the engine's own.
    pub fn arc(&self) -> &Arc<Shared> {
        &self.0
    }
}

impl Clone for SharedHandle {
    fn clone(&self) -> Self {
        self.0.handles.fetch_add(1, Ordering::Relaxed);
        SharedHandle(Arc::clone(&self.0))
    }
}

impl Deref for SharedHandle {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Drop for SharedHandle {
    fn drop(&mut self) {
        if self.0.handles.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Errors are returned by `close`; they are in the log, too.
            let _ = self.0.close();
        }
    }
}

/// What is shared.
pub(crate) struct Shared {
    pub engine: Arc<Engine>,
    pub workers: Workers,
    pub recovered: Recovered,
    /// The process that may use it.
    pid: u32,
    /// How many handles, sessions and channels there are.
    handles: AtomicUsize,
    /// It ends, or has ended.
    closed: AtomicBool,
    end: Mutex<End>,
    ended: Condvar,
    cron: Mutex<Option<Cron>>,
    wakeup: Arc<DurabilityWakeup>,
}

impl Shared {
    pub fn new(engine: Arc<Engine>, cron: Cron, recovered: Recovered, seed: u64) -> Self {
        let wakeup = Arc::new(DurabilityWakeup::default());
        let woken = Arc::clone(&wakeup);
        engine.durability.tell_durable(Box::new(move || woken.wake_all()));
        Shared {
            engine,
            workers: Workers::new(seed),
            recovered,
            pid: std::process::id(),
            handles: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            end: Mutex::new(End::Open),
            ended: Condvar::new(),
            cron: Mutex::new(Some(cron)),
            wakeup,
        }
    }

    /// What messages that a session has not been handed may come to: a server's limit for
    /// subscribers, which applies to all pushed messages.
    pub fn limit_of_pushes(&self) -> BufferLimit {
        self.engine.config().clients.client_output_buffer_limit.pubsub
    }

    /// Whether this is another process than the one it was opened in.
    pub fn is_elsewhere(&self) -> bool {
        std::process::id() != self.pid
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Locks a worker, ready for a request.
    #[inline]
    pub fn lock_worker(&self) -> Result<WorkerGuard<'_>, Error> {
        // In a forked process another thread may have held any lock when it vanished.
        if self.is_elsewhere() {
            return Err(Error::Forked);
        }
        if self.is_closed() {
            return Err(Error::Closed);
        }
        let mut slot = self.workers.lock(&self.engine);
        // Closing takes the workers away after it has set the flag: no request begins after that.
        if self.is_closed() {
            return Err(Error::Closed);
        }
        slot.worker.begin(wall_clock());
        Ok(slot)
    }

    /// Runs a request of a client and waits for its reply: in `answer`, or among the bytes of the
    /// client. Gives the worker back at the latest when it waits.
    pub fn run(
        &self,
        mut slot: WorkerGuard<'_>,
        client: &mut ClientSession,
        argv: &[&[u8]],
        answer: &mut dyn DirectReply,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<Answered, Error> {
        let how = slot.worker.answer(&mut client.session, argv, answer, &mut client.out);
        drop(slot);
        self.settle(client, is_cancelled)?;
        Ok(how)
    }

    /// After requests have run: waits until the last is answered and may be told, or goes on
    /// another thread.
    #[inline]
    pub fn settle(
        &self,
        client: &mut ClientSession,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<(), Error> {
        self.count(client);
        let answered = match client.waits() {
            true => {
                let answered = self.wait(client, None, is_cancelled);
                self.count(client);
                answered
            }
            false => Ok(true),
        };
        let done = match answered {
            Ok(true) => self.settle_disk(client, is_cancelled),
            other => other.map(drop),
        };
        if self.is_stopping() { self.settle_stop(client) } else { done }
    }

    /// Counts what a client keeps between its requests.
    #[inline]
    pub fn count(&self, client: &mut ClientSession) {
        if client.count() {
            self.engine.evict_clients(&self.engine.config(), wall_clock());
        }
    }

    /// Waits until a client's replies may be returned.
    #[inline]
    pub fn settle_disk(
        &self,
        client: &mut ClientSession,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<(), Error> {
        match self.engine.must_hold(client.session.awaited_epoch) {
            true => self.wait_for_disk(&mut client.session, is_cancelled),
            false => Ok(()),
        }
    }

    /// Whether the engine has been asked to stop.
    #[inline]
    pub fn is_stopping(&self) -> bool {
        self.engine.run.stopping.load(Ordering::Relaxed)
    }

    /// When the engine stops: refuses to answer. The client that has asked for it, by `SHUTDOWN`,
    /// waits until it is done; others are not kept.
    #[cold]
    pub fn settle_stop<T>(&self, client: &ClientSession) -> Result<T, Error> {
        if client.is_over() && !self.is_closed() {
            self.close()?;
        }
        Err(Error::Closed)
    }

    /// Waits until a client's request is answered, or until `deadline`; whether it is. Not if it
    /// goes on another thread.
    pub fn wait(
        &self,
        client: &mut ClientSession,
        deadline: Option<Instant>,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<bool, Error> {
        while client.waits() {
            if client.session.goes_aside() {
                return Ok(false);
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(false);
            }
            if self.is_closed() {
                return Err(Error::Closed);
            }
            let Progress::Waits(until) = progress(&self.engine, &client.session) else {
                return Ok(true);
            };
            if until.is_some_and(|until| until <= wall_clock()) && self.time_is_up(client)? {
                continue;
            }
            let mut look = Instant::now() + slice(until);
            if let Some(deadline) = deadline {
                look = look.min(deadline);
            }
            match client.inbox.next(look) {
                Some(message) => self.deliver(client, message)?,
                None if is_cancelled() => {
                    client.over = true;
                    return Err(Error::Interrupted);
                }
                None => {}
            }
        }
        Ok(true)
    }

    /// A wait has lasted as long as it may. `false` if another thread has just ended it: then the
    /// reply is in the inbox, or will be in a moment.
    fn time_is_up(&self, client: &mut ClientSession) -> Result<bool, Error> {
        let step = Step::in_time(&client.session);
        Ok(self.step(client, step)? != Progress::Waits(None))
    }

    /// Goes on with a request that waits.
    fn step(&self, client: &mut ClientSession, step: Step) -> Result<Progress, Error> {
        let mut slot = self.lock_worker()?;
        Ok(step.run(&mut slot.worker, &mut client.session, &mut [], &mut client.out).0)
    }

    /// Handles a message.
    pub fn deliver(&self, client: &mut ClientSession, message: Message) -> Result<(), Error> {
        let other = match Step::told(message, &client.session) {
            Ok(step) => return self.step(client, step).map(drop),
            Err(other) => other,
        };
        match other {
            // Nothing is told to make room here: sessions inside the process are known.
            Message::Unblocked { .. } | Message::Resume | Message::MakeRoom => {}
            Message::Push(bytes) => {
                let mut slot = self.lock_worker()?;
                slot.worker.note_now(&mut client.session);
                client.out.extend_from_slice(&bytes);
                client.pushed += bytes.len();
            }
            // There is no socket that a copy could be sent through.
            Message::Kill | Message::Transfer(_) => {
                client.over = true;
                return Err(Error::Closed);
            }
        }
        Ok(())
    }

    #[cold]
    fn wait_for_disk(
        &self,
        session: &mut Session,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<(), Error> {
        let awaited_epoch = session.awaited_epoch;
        let must_hold = || self.engine.must_hold(awaited_epoch);
        let mut look = |over| match self.engine.confirmation(session) {
            Confirmation::Troubled(why) => Err(Error::NotDurable(why)),
            // What has run cannot be taken back, but the caller need not wait until it is durable.
            Confirmation::Awaited if over && is_cancelled() => Err(Error::Interrupted),
            _ => Ok(()),
        };
        // This also asks the disk to hurry.
        look(false)?;
        self.wakeup.wait(SLICE, must_hold, look)
    }

    /// Disconnects a client: nothing is served to it any more.
    pub fn disconnect(&self, mut client: Box<ClientSession>) {
        // When the engine has been closed, its waits cannot be served any more.
        if let Ok(mut slot) = self.lock_worker() {
            slot.worker.disconnect(&mut client.session);
        }
    }

    /// Ends everything, once: no request begins any more, those that run are waited for, the
    /// journal is written to its end and the directory let go. Scripts that have written nothing
    /// are ended at once, others when they have had their time: so this ends.
    pub fn close(&self) -> Result<(), Error> {
        if self.is_elsewhere() {
            return Err(Error::Forked);
        }
        if !self.begin_end()? {
            return Ok(());
        }
        self.engine.run.stopping.store(true, Ordering::Release);
        for client in self.engine.clients.all() {
            client.mailbox.post(client.id, Message::Kill);
        }
        let patience = Instant::now() + self.engine.patience_with_scripts();
        self.workers.clear(patience, || self.engine.end_scripts());
        // The cron thread takes locks of shards, as saving does.
        drop(self.cron.lock().take());
        let done = self.engine.close().map_err(|error| error.to_string());
        *self.end.lock() = End::Over(done.as_ref().err().cloned());
        self.ended.notify_all();
        done.map_err(Error::NotDurable)
    }

    /// Whether this thread is to end everything. One that comes while another is at it waits for
    /// that: the directory is free when it returns.
    fn begin_end(&self) -> Result<bool, Error> {
        let me = thread::current().id();
        let mut end = self.end.lock();
        let mut waited = false;
        loop {
            match &*end {
                End::Open => {
                    *end = End::Closing(me);
                    self.closed.store(true, Ordering::Release);
                    return Ok(true);
                }
                // It has come back to this by way of something that it ends.
                End::Closing(thread) if *thread == me => return Ok(false),
                End::Closing(_) => self.ended.wait(&mut end),
                End::Over(Some(text)) if waited => return Err(Error::NotDurable(text.clone())),
                End::Over(_) => return Ok(false),
            }
            waited = true;
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.is_elsewhere() {
            // The threads it would wait for are the parent's, and so is the directory.
            std::mem::forget(self.cron.get_mut().take());
            std::mem::forget(Arc::clone(&self.engine));
            return;
        }
        // Errors are returned by `close`; they are in the log, too.
        let _ = self.close();
    }
}

/// Runs a request that waited for another thread.
pub(crate) fn resume(worker: &mut Worker, client: &mut ClientSession) {
    worker.feed(&mut client.session, &mut [], &mut client.out);
}

/// How long to wait before looking again.
fn slice(until: Option<Millis>) -> Duration {
    let left = until.map(|until| Duration::from_millis(until.saturating_sub(wall_clock())));
    left.map_or(SLICE, |left| left.clamp(Duration::from_millis(1), SLICE))
}
