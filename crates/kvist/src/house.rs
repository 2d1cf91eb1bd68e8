//! What all handles and sessions share: the engine, its seats and its end.
//!
//! ```text
//!   request ─► seat ─► engine ─► reply
//!                │        ├ blocked, paused: get up, wait for a letter, sit down again
//!                │        └ `appendfsync always`: get up, wait for the disk
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base::Millis;
use config::BufferLimit;
use engine::durable::Recovered;
use engine::{Answer, Answered, Confirmation, Engine, Keeper, Message, Session, Worker};
use journal::wall_clock;
use parking_lot::Mutex;

use crate::bell::Bell;
use crate::error::Error;
use crate::inbox::SLICE;
use crate::party::Party;
use crate::seats::{Seats, Taken};

/// Asked now and then during a wait: whether to wait no longer.
pub(crate) type Patience<'p> = &'p mut dyn FnMut() -> bool;

/// What is shared.
pub(crate) struct House {
    pub engine: Arc<Engine>,
    pub seats: Seats,
    pub recovered: Recovered,
    /// The process that may use it.
    pid: u32,
    closed: AtomicBool,
    keeper: Mutex<Option<Keeper>>,
    bell: Arc<Bell>,
}

impl House {
    pub fn new(engine: Arc<Engine>, keeper: Keeper, recovered: Recovered, chance: u64) -> Self {
        let bell = Arc::new(Bell::default());
        let rung = Arc::clone(&bell);
        engine.durable.tell_durable(Box::new(move || rung.ring()));
        House {
            engine,
            seats: Seats::new(chance),
            recovered,
            pid: std::process::id(),
            closed: AtomicBool::new(false),
            keeper: Mutex::new(Some(keeper)),
            bell,
        }
    }

    /// What messages that a session has not been handed may come to: what a server has for those
    /// who listen to channels, as it has for all that is pushed.
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

    /// A seat, its worker ready for a request.
    #[inline]
    pub fn sit(&self) -> Result<Taken<'_>, Error> {
        // In a forked process another thread may have held any lock when it vanished.
        if self.is_elsewhere() {
            return Err(Error::Forked);
        }
        if self.is_closed() {
            return Err(Error::Closed);
        }
        let mut seat = self.seats.take(&self.engine);
        // Whoever closes takes the seats away after it has said so: nobody begins behind its back.
        if self.is_closed() {
            return Err(Error::Closed);
        }
        seat.worker.begin(wall_clock());
        Ok(seat)
    }

    /// Runs a request of a party and waits for its reply: in `answer`, or among the bytes of the
    /// party. Gives the seat back at the latest when it waits.
    pub fn run(
        &self,
        mut seat: Taken<'_>,
        party: &mut Party,
        argv: &[&[u8]],
        answer: &mut dyn Answer,
        patience: Patience<'_>,
    ) -> Result<Answered, Error> {
        let how = seat.worker.answer(&mut party.session, argv, answer, &mut party.out);
        drop(seat);
        self.settle(party, patience)?;
        Ok(how)
    }

    /// After requests have run: waits until the last is answered and may be told.
    #[inline]
    pub fn settle(&self, party: &mut Party, patience: Patience<'_>) -> Result<(), Error> {
        if party.waits() {
            self.wait(party, None, patience)?;
        }
        self.settle_disk(party, patience)?;
        if self.is_stopping() { self.settle_stop() } else { Ok(()) }
    }

    /// Waits until what a party has seen may be told.
    #[inline]
    pub fn settle_disk(&self, party: &mut Party, patience: Patience<'_>) -> Result<(), Error> {
        match self.engine.must_hold(party.session.awaits) {
            true => self.wait_for_disk(&mut party.session, patience),
            false => Ok(()),
        }
    }

    /// Whether somebody has asked the engine to stop.
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

    /// Waits until a party's request is answered, or until `deadline`; whether it is.
    pub fn wait(
        &self,
        party: &mut Party,
        deadline: Option<Instant>,
        patience: Patience<'_>,
    ) -> Result<bool, Error> {
        while party.waits() {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(false);
            }
            if self.is_closed() {
                return Err(Error::Closed);
            }
            let until = match &party.session.blocked {
                Some(blocked) => blocked.until,
                None => Some(self.engine.resumes_at(&party.session)),
            };
            if until.is_some_and(|until| until <= wall_clock()) && self.time_is_up(party)? {
                continue;
            }
            let mut look = Instant::now() + slice(until);
            if let Some(deadline) = deadline {
                look = look.min(deadline);
            }
            match party.inbox.next(look) {
                Some(message) => self.deliver(party, message)?,
                None if patience() => {
                    party.over = true;
                    return Err(Error::Interrupted);
                }
                None => {}
            }
        }
        Ok(true)
    }

    /// A wait has lasted as long as it may. `false` if somebody else has just ended it: then the
    /// reply is in the inbox, or will be in a moment.
    fn time_is_up(&self, party: &mut Party) -> Result<bool, Error> {
        let mut seat = self.sit()?;
        if party.session.blocked.is_some() {
            return Ok(seat.worker.give_up(&mut party.session, &mut party.out));
        }
        resume(&mut seat.worker, party);
        Ok(true)
    }

    /// Does what a letter says.
    pub fn deliver(&self, party: &mut Party, message: Message) -> Result<(), Error> {
        match message {
            Message::Unblocked { ticket, reply } => {
                let mut seat = self.sit()?;
                seat.worker.unblock(&mut party.session, ticket, &reply, &mut party.out);
            }
            Message::Resume if party.session.is_paused() => {
                resume(&mut self.sit()?.worker, party);
            }
            Message::Resume => {}
            Message::Push(bytes) => {
                let mut seat = self.sit()?;
                seat.worker.note_now(&mut party.session);
                party.out.extend_from_slice(&bytes);
                party.pushed += bytes.len();
            }
            // There is no socket that a copy could be sent through.
            Message::Kill | Message::Transfer(_) => {
                party.over = true;
                return Err(Error::Closed);
            }
        }
        Ok(())
    }

    #[cold]
    fn wait_for_disk(&self, session: &mut Session, patience: Patience<'_>) -> Result<(), Error> {
        let awaits = session.awaits;
        let must_wait = || self.engine.must_hold(awaits);
        let mut look = |over| match self.engine.confirmation(session) {
            Confirmation::Troubled(why) => Err(Error::NotDurable(why)),
            // What has run cannot be taken back, but nobody need wait to hear that it is kept.
            Confirmation::Awaited if over && patience() => Err(Error::Interrupted),
            _ => Ok(()),
        };
        // This also asks the disk to hurry.
        look(false)?;
        self.bell.wait(SLICE, must_wait, look)
    }

    /// A party is over: nothing is served to it any more.
    pub fn part(&self, mut party: Box<Party>) {
        // When the engine has been closed, nobody is left who could serve it.
        if let Ok(mut seat) = self.sit() {
            seat.worker.disconnect(&mut party.session);
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
        self.seats.clear();
        // The keeper takes locks of shards, as saving does.
        drop(self.keeper.lock().take());
        self.engine.close().map_err(|error| Error::NotDurable(error.to_string()))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if self.is_elsewhere() {
            // The threads it would wait for are the parent's, and so is the directory.
            std::mem::forget(self.keeper.get_mut().take());
            std::mem::forget(Arc::clone(&self.engine));
            return;
        }
        // Whoever wants to know what went wrong calls `close`; it is in the log too.
        let _ = self.close();
    }
}

/// Judges a request that waited for the end of a pause anew.
fn resume(worker: &mut Worker, party: &mut Party) {
    worker.feed(&mut party.session, &mut [], &mut party.out);
}

/// How long to wait before looking again.
fn slice(until: Option<Millis>) -> Duration {
    let left = until.map(|until| Duration::from_millis(until.saturating_sub(wall_clock())));
    left.map_or(SLICE, |left| left.clamp(Duration::from_millis(1), SLICE))
}
