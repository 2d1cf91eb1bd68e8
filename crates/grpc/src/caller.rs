//! A call: its user, its deadline, and how it runs requests.
//!
//! ```text
//!   ask ─┬─► worker: run ─┬─► answered, nothing to wait for ─► read the reply where it lies
//!        │              └─► waits: for a key, for the end of a pause, for the disk
//!        │                    └─ asleep until a message comes or the time is up ─► read the reply
//!        └─► another thread, if it may take longer than a moment ─► read the reply
//! ```
//!
//! A reply of a request that waited or ran on another thread may be long: what is read of any reply
//! is read on another thread then, too (`kvist/operation.rs`).
//!
//! Every request of every call goes this way. (What else the door has a worker for is no request of
//! a call: an `AUTH` with a wrong password, which never waits, and the end of a session.) What is
//! waited for and what follows is the engine's affair (`engine::exchange`).
//!
//! A call that is cancelled is dropped where it waits: its session leaves every queue it stood in.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::exchange::{self, DoorSession, Exchange, NoAnswer};
use engine::{Engine, LongRequest, Message, Session, Stage, Worker};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tonic::{Request, Status};

use crate::call_memory::CallMemory;
use crate::connection_user::{ConnectionUser, SessionGuard};
use crate::shared::{Shared, WorkerSlot};
use crate::status;

/// What dispatch knows of a call and its handler wants to: put into the request's extensions.
#[derive(Clone)]
pub struct CallInfo {
    /// The user.
    pub user: Arc<ConnectionUser>,
    /// When the client no longer waits.
    pub until: Option<Instant>,
    /// Counts what the call takes.
    pub memory: CallMemory,
}

/// The caller of a request.
pub struct Caller {
    /// The user.
    pub user: Arc<ConnectionUser>,
    /// When the client no longer waits.
    pub until: Option<Instant>,
    /// Counts what the call takes.
    pub memory: CallMemory,
}

impl Caller {
    /// The caller that dispatch has put into the request.
    ///
    /// # Errors
    /// There is none.
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        let arrived = request.extensions().get::<CallInfo>();
        let CallInfo { user, until, memory } =
            arrived.ok_or_else(|| Status::internal("no caller"))?;
        Ok(Caller { user: Arc::clone(user), until: *until, memory: memory.clone() })
    }

    /// A session to run requests in.
    ///
    /// # Errors
    /// The credentials of a call that goes on for long do not hold any more.
    pub fn take_session(&self) -> Result<SessionGuard, Status> {
        match self.user.holds() {
            true => Ok(self.user.take().of_call(&self.memory)),
            false => Err(status::no_longer()),
        }
    }

    /// Runs one request; `read` makes something of the reply.
    ///
    /// # Errors
    /// As [`SessionGuard::ask`].
    pub async fn ask<R>(
        &self,
        db: u32,
        argv: &[&[u8]],
        read: impl FnOnce(&[u8]) -> Result<R, Status>,
    ) -> Result<R, Status> {
        let asked = self.take_session()?.ask(db, argv, read).await;
        asked.map(|(_, result)| result)
    }
}

/// Fails when a stream's deadline is over.
///
/// # Errors
/// `DEADLINE_EXCEEDED`.
pub fn in_time(until: Option<Instant>) -> Result<(), Status> {
    match until {
        Some(until) if until <= Instant::now() => Err(status::too_late()),
        _ => Ok(()),
    }
}

/// Waits for something no longer than until a deadline.
///
/// # Errors
/// `DEADLINE_EXCEEDED`.
pub async fn before<F: Future>(until: Option<Instant>, work: F) -> Result<F::Output, Status> {
    match until {
        None => Ok(work.await),
        Some(until) => timeout_at(until, work).await.map_err(|_| status::too_late()),
    }
}

/// Looks whether a user may use a database: to all but the first it takes the right to `SELECT`, as
/// it does on Redis's port.
///
/// # Errors
/// It may not.
pub fn may_use(worker: &Worker, session: &mut Session, db: usize) -> Result<(), Status> {
    if db == 0 {
        return Ok(());
    }
    let allowed = worker.may(session, &[b"SELECT", db.to_string().as_bytes()]);
    allowed.map_err(|error| status::refusal(error.bytes()))
}

/// What became of a request at once.
pub enum Begun {
    /// It is answered, by what is in the worker's `out`, and that may be told.
    Answered,
    /// It waits; what was written is in the worker's `out`.
    Waits,
    /// It was not begun: it runs on another thread.
    Aside(LongRequest),
}

/// What there is of a reply, and the session that has got it.
pub enum Replied<R> {
    /// What was made of it.
    Read(SessionGuard, R),
    /// Its bytes.
    Unread(SessionGuard, Vec<u8>),
}

impl SessionGuard {
    /// Begins a request, unless it runs on another thread.
    ///
    /// # Errors
    /// There is no such database, or the user may not use it; too many requests that run on other
    /// threads wait already.
    pub fn begin(
        &mut self,
        slot: &mut WorkerSlot,
        db: u32,
        argv: &[&[u8]],
    ) -> Result<Begun, Status> {
        let shared = Arc::clone(self.shared());
        let session = self.session();
        let db = usize::try_from(db).unwrap_or(usize::MAX);
        if session.db != db {
            if db >= shared.engine.store.databases() {
                return Err(status::no_such_database());
            }
            session.select(db);
        }
        may_use(&slot.worker, session, db)?;
        let permit = shared.side.permit(&mut slot.worker, session, argv, Stage::New);
        if let Some(long) = permit.map_err(status::no_answer)? {
            return Ok(Begun::Aside(long));
        }
        slot.run(session, argv);
        self.count_reply(slot.out.len());
        self.count(&shared, &slot.worker);
        let session = self.session();
        let waits = session.blocked.is_some()
            || session.is_paused()
            || (session.awaited_epoch > 0 && slot.worker.must_hold(session));
        Ok(if waits { Begun::Waits } else { Begun::Answered })
    }

    /// Counts what the session takes after a request.
    fn count(&mut self, shared: &Shared, worker: &Worker) {
        if self.client().count() {
            shared.engine.evict_clients(&worker.context.config, worker.context.now);
        }
    }

    /// Runs one request, waits for what it waits for, and makes something of the reply. The session
    /// comes back with it: without an answer it is unknown in which state that is, or whether it is
    /// there, and the next request takes another ([`Caller::take_session`]). For replies that are
    /// never long.
    ///
    /// # Errors
    /// What `read` makes of the reply, or why there is none.
    pub async fn ask<R>(
        self,
        db: u32,
        argv: &[&[u8]],
        read: impl FnOnce(&[u8]) -> Result<R, Status>,
    ) -> Result<(Self, R), Status> {
        // Once, here or there.
        let mut read = Some(read);
        let mut read = move |reply: &[u8]| read.take().ok_or_else(status::broken)?(reply);
        let (guard, result) = match self.reply(db, argv, &mut read).await? {
            Replied::Read(guard, result) => (guard, result),
            Replied::Unread(guard, reply) => (guard, read(&reply)),
        };
        Ok((guard, result?))
    }

    /// Runs one request, and waits for what it waits for. `read` makes something of a reply that is
    /// there at once, where it lies; such a one is short.
    ///
    /// # Errors
    /// Why there is no reply.
    pub async fn reply<R>(
        mut self,
        db: u32,
        argv: &[&[u8]],
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Replied<R>, Status> {
        let shared = Arc::clone(self.shared());
        let (begun, out) = {
            let mut slot = shared.lock_worker();
            let begun = self.begin(&mut slot, db, argv)?;
            if let Begun::Answered = begun {
                let result = read(&slot.out);
                drop(slot);
                shared.look_whether_stopping();
                return Ok(Replied::Read(self, result));
            }
            (begun, std::mem::take(&mut slot.out))
        };
        let (guard, reply) = match begun {
            Begun::Aside(long) => {
                let words = argv.iter().map(|word| word.to_vec()).collect();
                self.ask_aside(long, words).await?
            }
            Begun::Answered | Begun::Waits => self.finish(out).await?,
        };
        Ok(Replied::Unread(guard, reply))
    }

    /// Runs one request on another thread, and waits for what it waits for; its reply, with the
    /// session.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn ask_aside(
        self,
        long: LongRequest,
        words: Vec<Vec<u8>>,
    ) -> Result<(Self, Vec<u8>), Status> {
        let asked = exchange::aside(self, Exchange::of_words(words), long).await;
        asked.map(|(guard, exchange)| guard.settled(exchange))
    }

    /// Waits until a request that began is answered and may be told; its reply, with the session.
    ///
    /// # Errors
    /// The connection was ended meanwhile; the disk cannot confirm what has been done.
    pub async fn finish(mut self, out: Vec<u8>) -> Result<(Self, Vec<u8>), Status> {
        let exchange = exchange::go_on(&mut self, Exchange::begun(out)).await?;
        Ok(self.settled(exchange))
    }

    fn settled(mut self, exchange: Exchange) -> (Self, Vec<u8>) {
        self.client().messages.clear();
        self.client().count();
        self.shared().look_whether_stopping();
        let (reply, _) = exchange.into_parts();
        self.count_reply(reply.len());
        (self, reply)
    }
}

impl DoorSession for SessionGuard {
    type Refusal = Status;

    fn refusal(why: NoAnswer) -> Status {
        status::no_answer(why)
    }

    fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.shared().engine)
    }

    fn session(&mut self) -> &mut Session {
        self.session()
    }

    fn with_worker<R>(&mut self, work: impl FnOnce(&mut Worker, &mut Session) -> R) -> R {
        let shared = Arc::clone(self.shared());
        let mut slot = shared.lock_worker();
        let done = work(&mut slot.worker, self.session());
        self.count(&shared, &slot.worker);
        done
    }

    async fn message(&mut self, time: Option<Duration>) -> Result<Option<Message>, Status> {
        let user = Arc::clone(self.user());
        let messages = Arc::clone(&self.client().messages);
        tokio::select! {
            () = user.no_longer_holds() => Err(status::no_longer()),
            message = messages.next() => Ok(Some(message)),
            () = sleep_for(time) => Ok(None),
        }
    }

    fn durable(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Arc::clone(&self.shared().durable).notified_owned())
    }

    async fn at_most(&self, time: Duration, what: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let _ = timeout(time, what).await;
    }

    async fn give_way(&self) {
        tokio::task::yield_now().await;
    }
}

async fn sleep_for(time: Option<Duration>) {
    match time {
        Some(time) => sleep(time).await,
        None => std::future::pending().await,
    }
}
