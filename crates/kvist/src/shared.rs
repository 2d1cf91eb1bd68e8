//! What all handles and sessions share: the engine, its workers, starting and stopping.
//!
//! ```text
//!   request ─► worker ─► engine ─► reply
//!                │          ├ blocked, paused: release it, wait for a message, lock one again
//!                │          └ `appendfsync always`: release it, wait for the disk
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base::Millis;
use config::BufferLimit;
use engine::persistence::Recovered;
use engine::{Answer, Answered, Confirmation, Cron, Engine, Message, Session, Worker};
use journal::wall_clock;
use parking_lot::Mutex;

use crate::client_session::ClientSession;
use crate::durability_wakeup::DurabilityWakeup;
use crate::error::Error;
use crate::inbox::SLICE;
use crate::workers::{WorkerGuard, Workers};

/// Called regularly during a wait: whether to give up.
pub(crate) type CancelCheck<'p> = &'p mut dyn FnMut() -> bool;

/// What is shared.
pub(crate) struct Shared {
    pub engine: Arc<Engine>,
    pub workers: Workers,
    pub recovered: Recovered,
    /// The process that may use it.
    pid: u32,
    closed: AtomicBool,
    cron: Mutex<Option<Cron>>,
    wakeup: Arc<DurabilityWakeup>,
}

impl Shared {
    pub fn new(engine: Arc<Engine>, cron: Cron, recovered: Recovered, seed: u64) -> Self {
        let wakeup = Arc::new(DurabilityWakeup::default());
        let woken = Arc::clone(&wakeup);
        engine.persistence.tell_durable(Box::new(move || woken.wake_all()));
        Shared {
            engine,
            workers: Workers::new(seed),
            recovered,
            pid: std::process::id(),
            closed: AtomicBool::new(false),
            cron: Mutex::new(Some(cron)),
            wakeup,
        }
    }

    /// What messages that a session has not been handed may come to: a server's limit for
    /// subscribers, which applies to all pushed messages.
    pub fn limit_of_pushes(&self) -> BufferLimit {
        self.engine.config().client_output_buffer_limit.pubsub
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
        answer: &mut dyn Answer,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<Answered, Error> {
        let how = slot.worker.answer(&mut client.session, argv, answer, &mut client.out);
        drop(slot);
        self.settle(client, is_cancelled)?;
        Ok(how)
    }

    /// After requests have run: waits until the last is answered and may be told.
    #[inline]
    pub fn settle(
        &self,
        client: &mut ClientSession,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<(), Error> {
        if client.waits() {
            self.wait(client, None, is_cancelled)?;
        }
        self.settle_disk(client, is_cancelled)?;
        if self.is_stopping() { self.settle_stop() } else { Ok(()) }
    }

    /// Waits until a client's replies may be returned.
    #[inline]
    pub fn settle_disk(
        &self,
        client: &mut ClientSession,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<(), Error> {
        match self.engine.must_hold(client.session.awaits) {
            true => self.wait_for_disk(&mut client.session, is_cancelled),
            false => Ok(()),
        }
    }

    /// Whether the engine has been asked to stop.
    #[inline]
    pub fn is_stopping(&self) -> bool {
        self.engine.stopping.load(Ordering::Relaxed)
    }

    /// After `SHUTDOWN`: does it, and refuses to answer.
    #[cold]
    pub fn settle_stop<T>(&self) -> Result<T, Error> {
        self.close()?;
        Err(Error::Closed)
    }

    /// Waits until a client's request is answered, or until `deadline`; whether it is.
    pub fn wait(
        &self,
        client: &mut ClientSession,
        deadline: Option<Instant>,
        is_cancelled: CancelCheck<'_>,
    ) -> Result<bool, Error> {
        while client.waits() {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(false);
            }
            if self.is_closed() {
                return Err(Error::Closed);
            }
            let until = match &client.session.blocked {
                Some(blocked) => blocked.until,
                None => Some(self.engine.resumes_at(&client.session)),
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
        let mut slot = self.lock_worker()?;
        if client.session.blocked.is_some() {
            return Ok(slot.worker.give_up(&mut client.session, &mut client.out));
        }
        resume(&mut slot.worker, client);
        Ok(true)
    }

    /// Handles a message.
    pub fn deliver(&self, client: &mut ClientSession, message: Message) -> Result<(), Error> {
        match message {
            Message::Unblocked { ticket, reply } => {
                let mut slot = self.lock_worker()?;
                slot.worker.unblock(&mut client.session, ticket, &reply, &mut client.out);
            }
            Message::Resume if client.session.is_paused() => {
                resume(&mut self.lock_worker()?.worker, client);
            }
            Message::Resume => {}
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
        let awaits = session.awaits;
        let must_wait = || self.engine.must_hold(awaits);
        let mut look = |over| match self.engine.confirmation(session) {
            Confirmation::Troubled(why) => Err(Error::NotDurable(why)),
            // What has run cannot be taken back, but the caller need not wait until it is durable.
            Confirmation::Awaited if over && is_cancelled() => Err(Error::Interrupted),
            _ => Ok(()),
        };
        // This also asks the disk to hurry.
        look(false)?;
        self.wakeup.wait(SLICE, must_wait, look)
    }

    /// Disconnects a client: nothing is served to it any more.
    pub fn disconnect(&self, mut client: Box<ClientSession>) {
        // When the engine has been closed, its waits cannot be served any more.
        if let Ok(mut slot) = self.lock_worker() {
            slot.worker.disconnect(&mut client.session);
        }
    }

    /// Ends everything, once: no request begins any more, those that run are waited for, the
    /// journal is written to its end and the directory let go.
    pub fn close(&self) -> Result<(), Error> {
        if self.is_elsewhere() {
            return Err(Error::Forked);
        }
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.engine.stopping.store(true, Ordering::Release);
        for client in self.engine.clients.all() {
            client.mailbox.post(client.id, Message::Kill);
        }
        self.workers.clear();
        // The cron thread takes locks of shards, as saving does.
        drop(self.cron.lock().take());
        self.engine.close().map_err(|error| Error::NotDurable(error.to_string()))
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

/// Runs a request that waited for the end of a pause.
fn resume(worker: &mut Worker, client: &mut ClientSession) {
    worker.feed(&mut client.session, &mut [], &mut client.out);
}

/// How long to wait before looking again.
fn slice(until: Option<Millis>) -> Duration {
    let left = until.map(|until| Duration::from_millis(until.saturating_sub(wall_clock())));
    left.map_or(SLICE, |left| left.clamp(Duration::from_millis(1), SLICE))
}
