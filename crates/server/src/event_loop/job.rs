//! Why a connection has a turn, and what is done in it.

use base::Millis;
use engine::Message;

use crate::connection::{Connection, Listed, Readiness, ThreadState, Turn};
use crate::workers::must_back_off;

/// Why a connection has a turn.
pub(super) enum Job {
    /// The poller has seen something.
    Event(Readiness),
    /// A message for it has arrived.
    Message(Message),
    /// There was more to do when its last turn was over.
    Again,
    /// The disk may have what its replies tell.
    Release,
    /// Messages to it have come: they are sent at once.
    Flush,
    /// The wait of its request is over, which was to end at this time.
    GiveUp(Millis),
    /// Other workers have served what came before its request.
    GoFirst,
    /// The pause that its request waits for is over.
    EndPause,
}

impl Job {
    /// Gives the connection its turn.
    #[inline]
    pub(super) fn perform(self, connection: &mut Connection, thread: &mut ThreadState) -> Turn {
        match self {
            Job::Event(seen) => happened(connection, thread, seen),
            Job::Message(message) => connection.deliver(thread, message),
            Job::Again => {
                connection.listed.queued = false;
                connection.turn(thread, must_back_off())
            }
            Job::Release => connection.release(thread),
            Job::Flush => connection.writable(thread),
            Job::GiveUp(deadline) => {
                connection.listed.deadline = Listed::NEVER;
                let turn = connection.give_up(thread);
                let blocked = connection.session.blocked.as_ref();
                if blocked.is_some_and(|blocked| blocked.until == Some(deadline)) {
                    // Another thread has just ended the wait; the reply is in the inbox.
                    connection.listed.deadline = deadline;
                }
                turn
            }
            Job::GoFirst => {
                connection.listed.paused = false;
                connection.go_first(thread)
            }
            Job::EndPause => {
                connection.listed.paused = false;
                connection.end_pause(thread)
            }
        }
    }
}

/// An event has been seen for a connection.
fn happened(connection: &mut Connection, thread: &mut ThreadState, seen: Readiness) -> Turn {
    let mut turn = Turn::Wait;
    if seen.writable {
        turn = connection.writable(thread);
    }
    if turn != Turn::Close && seen.readable {
        turn = connection.readable(thread, seen, must_back_off());
    }
    turn
}
