//! What comes for a session from outside its own requests: replies that end a wait, messages.
//!
//! It is posted to by other threads while they hold shards, so posting only takes this lock, for
//! moments. What nobody reads must not grow without end: beyond the limit that a server has for
//! subscribers who do not keep up, the session is ended as theirs would be.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use engine::{ClientId, Mailbox, Message};
use parking_lot::{Condvar, Mutex};

#[derive(Default)]
struct State {
    queue: VecDeque<Message>,
    /// Bytes of the messages that were pushed.
    pushed: usize,
    /// Nobody will look again until the end of the session.
    over: bool,
}

/// A session's letters.
pub(crate) struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
    /// Bytes of messages that may wait; 0 is no limit.
    limit: usize,
}

impl Inbox {
    pub fn new(limit: usize) -> Self {
        Inbox { state: Mutex::default(), arrived: Condvar::new(), limit }
    }

    /// The next letter, waited for until `deadline`.
    pub fn next(&self, deadline: Instant) -> Option<Message> {
        let mut state = self.state.lock();
        loop {
            if let Some(message) = state.queue.pop_front() {
                if let Message::Push(bytes) = &message {
                    state.pushed -= bytes.len();
                }
                return Some(message);
            }
            if self.arrived.wait_until(&mut state, deadline).timed_out() && state.queue.is_empty() {
                return None;
            }
        }
    }

    /// The next letter if there is one.
    pub fn take(&self) -> Option<Message> {
        self.next(Instant::now())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.state.lock().queue.is_empty()
    }
}

impl Mailbox for Inbox {
    fn post(&self, _: ClientId, message: Message) {
        let mut state = self.state.lock();
        if state.over {
            return;
        }
        if let Message::Push(bytes) = &message {
            state.pushed += bytes.len();
        }
        if self.limit > 0 && state.pushed > self.limit {
            state.over = true;
            state.queue.clear();
            state.pushed = 0;
            state.queue.push_back(Message::Kill);
        } else {
            state.queue.push_back(message);
        }
        drop(state);
        self.arrived.notify_one();
    }
}

/// How long a wait goes on before it is asked whether it should.
pub(crate) const SLICE: Duration = Duration::from_millis(100);
