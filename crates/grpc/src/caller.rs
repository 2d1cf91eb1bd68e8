//! A call: from whom, until when; and how it runs requests.
//!
//! ```text
//!   ask ─► seat: run ─┬─► answered, nothing to wait for ─► read the reply where it lies
//!                     └─► waits: for a key, for the end of a pause, for the disk
//!                           └─ asleep until a letter comes or the time is up ─► read the reply
//! ```
//!
//! A call that is cancelled is dropped where it waits: its session leaves every queue it stood in.

use std::sync::Arc;
use std::time::Duration;

use engine::Message;
use journal::wall_clock;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::{Request, Status};

use crate::guest::{Guest, Held};
use crate::house::{House, Seat};
use crate::status;

/// What dispatch knows of a call and its handler wants to: put into the request's extensions.
#[derive(Clone)]
pub struct Arrived {
    /// The user.
    pub guest: Arc<Guest>,
    /// When the client no longer waits.
    pub until: Option<Instant>,
}

/// Who calls.
pub struct Caller {
    /// The user.
    pub guest: Arc<Guest>,
    /// When the client no longer waits.
    pub until: Option<Instant>,
}

impl Caller {
    /// The caller of a request, whom dispatch has found out.
    ///
    /// # Errors
    /// It has not.
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        let arrived = request.extensions().get::<Arrived>();
        let Arrived { guest, until } = arrived.ok_or_else(|| Status::internal("no caller"))?;
        Ok(Caller { guest: Arc::clone(guest), until: *until })
    }

    /// A session to run requests in.
    ///
    /// # Errors
    /// The credentials of a call that goes on for long do not hold any more.
    pub fn hold(&self) -> Result<Held, Status> {
        if self.guest.holds() { Ok(self.guest.take()) } else { Err(status::no_longer()) }
    }

    /// Runs one request; `read` makes something of the reply.
    ///
    /// # Errors
    /// As [`Held::ask`].
    pub async fn ask<R>(
        &self,
        db: u32,
        argv: &[&[u8]],
        read: impl FnOnce(&[u8]) -> Result<R, Status>,
    ) -> Result<R, Status> {
        self.hold()?.ask(db, argv, read).await
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

impl Held {
    /// Runs a request; `true` if it is answered, by what is in the seat's `out`, and may be told.
    ///
    /// # Errors
    /// There is no such database.
    pub fn begin(&mut self, seat: &mut Seat, db: u32, argv: &[&[u8]]) -> Result<bool, Status> {
        let session = self.session();
        let db = usize::try_from(db).unwrap_or(usize::MAX);
        if session.db != db {
            if db >= seat.worker.engine.store.databases() {
                return Err(status::no_such_database());
            }
            session.select(db);
        }
        seat.run(session, argv);
        let waits = session.blocked.is_some()
            || session.is_paused()
            || (session.awaits > 0 && seat.worker.must_hold(session));
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
            let house = Arc::clone(self.house());
            let mut seat = house.sit();
            if self.begin(&mut seat, db, argv)? {
                let result = read(&seat.out);
                drop(seat);
                house.look_whether_stopping();
                return result;
            }
            std::mem::take(&mut seat.out)
        };
        read(&self.finish(begun).await?)
    }

    /// Waits until a request that began is answered and may be told; its reply.
    ///
    /// # Errors
    /// The connection was ended meanwhile; the disk cannot confirm what has been done.
    pub async fn finish(&mut self, mut out: Vec<u8>) -> Result<Vec<u8>, Status> {
        let house = Arc::clone(self.house());
        loop {
            let seated = self.seated();
            let until = match &seated.session.blocked {
                Some(blocked) => blocked.until,
                None if seated.session.is_paused() => {
                    Some(house.engine.resumes_at(&seated.session))
                }
                None => break,
            };
            let left = until.map(|until| Duration::from_millis(until.saturating_sub(wall_clock())));
            let letters = Arc::clone(&seated.letters);
            let guest = Arc::clone(self.guest());
            tokio::select! {
                () = guest.no_longer_holds() => return Err(status::no_longer()),
                message = letters.next() => self.deliver(&house, message, &mut out),
                () = sleep_for(left) => self.time_is_up(&house, &mut out).await,
            }
        }
        self.seated().letters.clear();
        house.wait_for_disk(self.session()).await?;
        Ok(out)
    }

    fn deliver(&mut self, house: &House, message: Message, out: &mut Vec<u8>) {
        let session = self.session();
        match message {
            Message::Unblocked { ticket, reply } => {
                house.sit().worker.unblock(session, ticket, &reply, out);
            }
            Message::Resume if session.is_paused() => {
                house.sit().worker.feed(session, &mut [], out);
            }
            // Others end the connection, and never get here.
            _ => {}
        }
    }

    async fn time_is_up(&mut self, house: &House, out: &mut Vec<u8>) {
        let session = self.session();
        if session.blocked.is_some() {
            let gave_up = house.sit().worker.give_up(session, out);
            if !gave_up {
                // Somebody has just ended the wait: the letter is there, or will be in a moment.
                let message = Arc::clone(&self.seated().letters).next().await;
                self.deliver(house, message, out);
            }
        } else if session.is_paused() {
            house.sit().worker.feed(session, &mut [], out);
        }
    }
}

async fn sleep_for(time: Option<Duration>) {
    match time {
        Some(time) => sleep(time).await,
        None => std::future::pending().await,
    }
}
