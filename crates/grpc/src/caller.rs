//! A call: from whom, until when; and how it runs requests.
//!
//! ```text
//!   ask ─► worker: run ─┬─► answered, nothing to wait for ─► read the reply where it lies
//!                     └─► waits: for a key, for the end of a pause, for the disk
//!                           └─ asleep until a message comes or the time is up ─► read the reply
//! ```
//!
//! A call that is cancelled is dropped where it waits: its session leaves every queue it stood in.

use std::sync::Arc;
use std::time::Duration;

use engine::Message;
use journal::wall_clock;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::{Request, Status};

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
}

/// Who calls.
pub struct Caller {
    /// The user.
    pub user: Arc<ConnectionUser>,
    /// When the client no longer waits.
    pub until: Option<Instant>,
}

impl Caller {
    /// The caller of a request, whom dispatch has found out.
    ///
    /// # Errors
    /// It has not.
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        let arrived = request.extensions().get::<CallInfo>();
        let CallInfo { user, until } = arrived.ok_or_else(|| Status::internal("no caller"))?;
        Ok(Caller { user: Arc::clone(user), until: *until })
    }

    /// A session to run requests in.
    ///
    /// # Errors
    /// The credentials of a call that goes on for long do not hold any more.
    pub fn take_session(&self) -> Result<SessionGuard, Status> {
        if self.user.holds() { Ok(self.user.take()) } else { Err(status::no_longer()) }
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
        self.take_session()?.ask(db, argv, read).await
    }
}

/// Fails once nobody waits for a stream any more.
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

impl SessionGuard {
    /// Runs a request; `true` if it is answered, by what is in the worker's `out`, and may be told.
    ///
    /// # Errors
    /// There is no such database.
    pub fn begin(
        &mut self,
        slot: &mut WorkerSlot,
        db: u32,
        argv: &[&[u8]],
    ) -> Result<bool, Status> {
        let session = self.session();
        let db = usize::try_from(db).unwrap_or(usize::MAX);
        if session.db != db {
            if db >= slot.worker.engine.store.databases() {
                return Err(status::no_such_database());
            }
            session.select(db);
        }
        slot.run(session, argv);
        let waits = session.blocked.is_some()
            || session.is_paused()
            || (session.awaits > 0 && slot.worker.must_hold(session));
        Ok(!waits)
    }

    /// Runs one request, waits for what it waits for, and makes something of the reply.
    ///
    /// # Errors
    /// What `read` makes of the reply, or why there is none.
    pub async fn ask<R>(
        &mut self,
        db: u32,
        argv: &[&[u8]],
        read: impl FnOnce(&[u8]) -> Result<R, Status>,
    ) -> Result<R, Status> {
        let begun = {
            let shared = Arc::clone(self.shared());
            let mut slot = shared.lock_worker();
            if self.begin(&mut slot, db, argv)? {
                let result = read(&slot.out);
                drop(slot);
                shared.look_whether_stopping();
                return result;
            }
            std::mem::take(&mut slot.out)
        };
        read(&self.finish(begun).await?)
    }

    /// Waits until a request that began is answered and may be told; its reply.
    ///
    /// # Errors
    /// The connection was ended meanwhile; the disk cannot confirm what has been done.
    pub async fn finish(&mut self, mut out: Vec<u8>) -> Result<Vec<u8>, Status> {
        let shared = Arc::clone(self.shared());
        loop {
            let client = self.client();
            let until = match &client.session.blocked {
                Some(blocked) => blocked.until,
                None if client.session.is_paused() => {
                    Some(shared.engine.resumes_at(&client.session))
                }
                None => break,
            };
            let left = until.map(|until| Duration::from_millis(until.saturating_sub(wall_clock())));
            let messages = Arc::clone(&client.messages);
            let user = Arc::clone(self.user());
            tokio::select! {
                () = user.no_longer_holds() => return Err(status::no_longer()),
                message = messages.next() => self.deliver(&shared, message, &mut out),
                () = sleep_for(left) => self.time_is_up(&shared, &mut out).await,
            }
        }
        self.client().messages.clear();
        shared.wait_for_disk(self.session()).await?;
        Ok(out)
    }

    fn deliver(&mut self, shared: &Shared, message: Message, out: &mut Vec<u8>) {
        let session = self.session();
        match message {
            Message::Unblocked { ticket, reply } => {
                shared.lock_worker().worker.unblock(session, ticket, &reply, out);
            }
            Message::Resume if session.is_paused() => {
                shared.lock_worker().worker.feed(session, &mut [], out);
            }
            // Others end the connection, and never get here.
            _ => {}
        }
    }

    async fn time_is_up(&mut self, shared: &Shared, out: &mut Vec<u8>) {
        let session = self.session();
        if session.blocked.is_some() {
            let gave_up = shared.lock_worker().worker.give_up(session, out);
            if !gave_up {
                // Somebody has just ended the wait: the message is there, or will be in a moment.
                let message = Arc::clone(&self.client().messages).next().await;
                self.deliver(shared, message, out);
            }
        } else if session.is_paused() {
            shared.lock_worker().worker.feed(session, &mut [], out);
        }
    }
}

async fn sleep_for(time: Option<Duration>) {
    match time {
        Some(time) => sleep(time).await,
        None => std::future::pending().await,
    }
}
