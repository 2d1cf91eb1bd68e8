//! One request of a door that answers each of them by itself, from its first step to an answer that
//! may be told: the same for all such doors, whatever threads they have.
//!
//! ```text
//!   step ─► answered ─► the disk has what it tells ─► told
//!    ▲  └─► waits: for a key, for the end of a pause, for an index
//!    └───── a message comes, or the time is up ◄┘
//! ```
//!
//! Steps run with a worker of the door's, on its own threads ([`on_port`]), or all of them on the
//! threads for long requests ([`aside`]): what waited for a pause is as long when it goes on.
//! Between two [steps](super::step) nothing is held, neither a thread nor a worker. How a door
//! waits is its own affair ([`DoorSession`]).

use std::ops::DerefMut;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use journal::wall_clock;

use crate::client::Message;
use crate::client::session::Session;
use crate::door::confirmation::Confirmation;
use crate::door::long_requests::LongRequest;
use crate::door::step::{Progress, Step, progress};
use crate::engine::Engine;
use crate::engine::worker::Worker;

/// How long a wait with an end goes on before the clock is looked at again: it may have been set
/// back.
const SLICE: Duration = Duration::from_secs(1);
/// How long the disk is waited for before it is looked whether it is in trouble, of which no door
/// hears.
const LOOK: Duration = Duration::from_millis(100);

/// A session of a door, and how that waits.
pub trait DoorSession: Send {
    /// Why there is no answer, as the door tells it.
    type Refusal: Send;

    /// How the door tells that there is no answer.
    fn refusal(why: NoAnswer) -> Self::Refusal;

    /// What all share.
    fn engine(&self) -> Arc<Engine>;

    /// The session.
    fn session(&mut self) -> &mut Session;

    /// Does something with a worker of the door's own threads, and the session.
    fn with_worker<R>(&mut self, work: impl FnOnce(&mut Worker, &mut Session) -> R) -> R;

    /// Waits for a message to the session, so long at most, or for ever.
    ///
    /// # Errors
    /// The call ends, whatever it waits for.
    fn message(
        &mut self,
        time: Option<Duration>,
    ) -> impl Future<Output = Result<Option<Message>, Self::Refusal>> + Send;

    /// Waits until something has become durable. What happens after the call is heard, even if the
    /// wait begins later.
    fn durable(&self) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Waits for something, so long at most.
    fn at_most(
        &self,
        time: Duration,
        what: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> impl Future<Output = ()> + Send;

    /// Lets others go first.
    fn give_way(&self) -> impl Future<Output = ()> + Send;
}

/// A session behind a guard that can go from thread to thread.
impl<G: DerefMut<Target: DoorSession> + Send> DoorSession for G {
    type Refusal = <G::Target as DoorSession>::Refusal;

    fn refusal(why: NoAnswer) -> Self::Refusal {
        <G::Target as DoorSession>::refusal(why)
    }

    fn engine(&self) -> Arc<Engine> {
        self.deref().engine()
    }

    fn session(&mut self) -> &mut Session {
        self.deref_mut().session()
    }

    fn with_worker<R>(&mut self, work: impl FnOnce(&mut Worker, &mut Session) -> R) -> R {
        self.deref_mut().with_worker(work)
    }

    fn message(
        &mut self,
        time: Option<Duration>,
    ) -> impl Future<Output = Result<Option<Message>, Self::Refusal>> + Send {
        self.deref_mut().message(time)
    }

    fn durable(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.deref().durable()
    }

    fn at_most(
        &self,
        time: Duration,
        what: Pin<Box<dyn Future<Output = ()> + Send>>,
    ) -> impl Future<Output = ()> + Send {
        self.deref().at_most(time, what)
    }

    fn give_way(&self) -> impl Future<Output = ()> + Send {
        self.deref().give_way()
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The session has ended.
    Ended,
    /// Too many requests that may take long run or wait already.
    Crowded,
    /// Something broke, or the system has no thread.
    Broken,
    /// It has run, but the disk is in trouble, which is this.
    NotDurable(String),
}

/// A request under way.
#[derive(Debug, Default)]
pub struct Exchange {
    input: Vec<u8>,
    /// Bytes of the input that have been read.
    read: usize,
    out: Vec<u8>,
    next: Step,
}

impl Exchange {
    /// Requests as bytes of the protocol.
    #[must_use]
    pub fn of_bytes(input: Vec<u8>) -> Self {
        Exchange { input, ..Exchange::default() }
    }

    /// A request as words.
    #[must_use]
    pub fn of_words(words: Vec<Vec<u8>>) -> Self {
        Exchange { next: Step::Execute(words), ..Exchange::default() }
    }

    /// A request that has been begun, and what was answered by now.
    #[must_use]
    pub fn begun(out: Vec<u8>) -> Self {
        Exchange { out, ..Exchange::default() }
    }

    /// What was answered, and the buffer of the input.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.out, self.input)
    }

    /// Says what is next: what has come to the session while it waited.
    pub fn told(&mut self, step: Step) {
        self.next = step;
    }

    /// Does what is next, with a worker that has begun.
    pub fn step(&mut self, worker: &mut Worker, session: &mut Session) -> Progress {
        let rest = self.input.get_mut(self.read..).unwrap_or_default();
        let step = std::mem::take(&mut self.next);
        let (progress, consumed) = step.run(worker, session, rest, &mut self.out);
        self.read += consumed;
        progress
    }
}

/// Goes through with a request on the door's own threads.
///
/// # Errors
/// There is no answer.
pub async fn on_port<C: DoorSession>(
    caller: &mut C,
    mut exchange: Exchange,
) -> Result<Exchange, C::Refusal> {
    loop {
        let progress = caller.with_worker(|worker, session| exchange.step(worker, session));
        if follow(caller, &mut exchange, progress).await? {
            break;
        }
    }
    confirmed(caller).await?;
    Ok(exchange)
}

/// Goes on with a request that has been begun on the door's own threads.
///
/// # Errors
/// There is no answer.
pub async fn go_on<C: DoorSession>(
    caller: &mut C,
    mut exchange: Exchange,
) -> Result<Exchange, C::Refusal> {
    let begun = progress(&caller.engine(), caller.session());
    if follow(caller, &mut exchange, begun).await? {
        confirmed(caller).await?;
        return Ok(exchange);
    }
    on_port(caller, exchange).await
}

/// Goes through with a request on the threads for long ones. One that blocks is served by others,
/// and is none of them any more.
///
/// # Errors
/// There is no answer; the session has gone then.
pub async fn aside<C: DoorSession + 'static>(
    mut caller: C,
    mut exchange: Exchange,
    long: LongRequest,
) -> Result<(C, Exchange), C::Refusal> {
    loop {
        let step = move |worker: &mut Worker| {
            let progress = exchange.step(worker, caller.session());
            (caller, exchange, progress)
        };
        let progress;
        (caller, exchange, progress) =
            long.run(step).await.ok_or_else(|| C::refusal(NoAnswer::Broken))?;
        if caller.session().blocked.is_some() {
            drop(long);
            exchange = go_on(&mut caller, exchange).await?;
            return Ok((caller, exchange));
        }
        if follow(&mut caller, &mut exchange, progress).await? {
            break;
        }
    }
    confirmed(&mut caller).await?;
    Ok((caller, exchange))
}

/// Waits for what a request has stopped at; whether it is answered.
async fn follow<C: DoorSession>(
    caller: &mut C,
    exchange: &mut Exchange,
    progress: Progress,
) -> Result<bool, C::Refusal> {
    let mut until = match progress {
        Progress::Answered => return Ok(true),
        Progress::Ended => return Err(C::refusal(NoAnswer::Ended)),
        Progress::Again => {
            caller.give_way().await;
            return Ok(false);
        }
        Progress::Waits(until) => until,
    };
    loop {
        let left = until.map(|until| Duration::from_millis(until.saturating_sub(wall_clock())));
        match caller.message(left.map(|left| left.min(SLICE))).await? {
            Some(message) => {
                // The others end the connection, and never get here.
                if let Ok(step) = Step::told(message, caller.session()) {
                    exchange.told(step);
                    return Ok(false);
                }
            }
            None if left.is_some_and(|left| left <= SLICE) => {
                exchange.told(Step::in_time(caller.session()));
                return Ok(false);
            }
            None => {}
        }
        if caller.session().is_paused() {
            // The pause may have become longer, or its end may be another's.
            until = Some(caller.engine().resumes_at(caller.session()));
        }
    }
}

/// Waits until what a session has been told may be told.
///
/// # Errors
/// The disk is in trouble: it cannot be known when, or whether, that will be.
pub async fn confirmed<C: DoorSession>(caller: &mut C) -> Result<(), C::Refusal> {
    let engine = caller.engine();
    if !engine.must_hold(caller.session().awaited_epoch) {
        return Ok(());
    }
    loop {
        // Heard from here on, so what is looked at now cannot become stale unheard.
        let rung = caller.durable();
        match engine.confirmation(caller.session()) {
            Confirmation::Given => return Ok(()),
            Confirmation::Troubled(why) => return Err(C::refusal(NoAnswer::NotDurable(why))),
            Confirmation::Awaited => caller.at_most(LOOK, rung).await,
        }
    }
}
