//! The steps of a request that may wait: what is waited for, and what follows when a message comes
//! or the time is up. Every door that waits for a request takes its steps from here, and has only a
//! way of its own to wait.

use base::Millis;

use crate::client::Message;
use crate::client::held::PostedReply;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::worker::Worker;
use crate::execution::feed::State;

/// What is done next.
#[derive(Debug, Default)]
pub enum Step {
    /// Run what is left of the input, after a request that has been postponed.
    #[default]
    Feed,
    /// Run a request that came as words.
    Execute(Vec<Vec<u8>>),
    /// Another thread has ended the wait with this ticket.
    Unblock(u64, PostedReply),
    /// The wait has lasted as long as it may.
    GiveUp,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is answered.
    Answered,
    /// Others are to go first.
    Again,
    /// It waits, until then at most.
    Waits(Option<Millis>),
    /// The session is to be closed.
    Ended,
}

impl Step {
    /// What follows when a session is told this while its request waits.
    ///
    /// # Errors
    /// Nothing for the request: the message is about something else.
    pub fn told(message: Message, session: &Session) -> Result<Self, Message> {
        match message {
            Message::Unblocked { ticket, reply } => Ok(Step::Unblock(ticket, reply)),
            Message::Resume if session.is_paused() => Ok(Step::Feed),
            other => Err(other),
        }
    }

    /// What follows when a request has waited as long as it may.
    #[must_use]
    pub fn in_time(session: &Session) -> Self {
        if session.blocked.is_some() { Step::GiveUp } else { Step::Feed }
    }

    /// Does it, with a worker that has begun, and runs what input is left behind it: how far the
    /// requests have come, and how many bytes of the input have been read.
    pub fn run(
        self,
        worker: &mut Worker,
        session: &mut Session,
        input: &mut [u8],
        out: &mut Vec<u8>,
    ) -> (Progress, usize) {
        match self {
            Step::Execute(words) => {
                let argv: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
                worker.execute(session, &argv, out);
            }
            Step::Feed => return feed(worker, session, input, out),
            Step::Unblock(ticket, reply) => {
                worker.unblock(session, ticket, &reply, out);
            }
            Step::GiveUp => {
                if !worker.give_up(session, out) {
                    // Another thread has just ended the wait: the message is there, or will be in a
                    // moment.
                    return (Progress::Waits(None), 0);
                }
            }
        }
        match progress(&worker.engine, session) {
            // Others stand behind the one that has waited.
            Progress::Answered if !input.is_empty() => feed(worker, session, input, out),
            progress => (progress, 0),
        }
    }
}

/// Runs what requests there are in the input; how far they have come, and how many bytes have been
/// read.
fn feed(
    worker: &mut Worker,
    session: &mut Session,
    input: &mut [u8],
    out: &mut Vec<u8>,
) -> (Progress, usize) {
    let fed = worker.feed(session, input, out);
    let progress = match fed.state {
        State::Full => Progress::Again,
        State::Closing => Progress::Ended,
        State::Open | State::Blocked | State::Paused => progress(&worker.engine, session),
    };
    (progress, fed.consumed)
}

/// How far the request of a session has come that has run.
#[must_use]
pub fn progress(engine: &Engine, session: &Session) -> Progress {
    match &session.blocked {
        Some(blocked) => Progress::Waits(blocked.until),
        None if session.is_paused() => Progress::Waits(Some(engine.resumes_at(session))),
        None => Progress::Answered,
    }
}
