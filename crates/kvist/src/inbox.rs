//! Messages for a session from outside its own requests: replies that end a wait, pushes.
//!
//! Other threads post to it while they hold shards, so posting only takes this lock, for moments.
//! Messages that are not fetched must not grow without end: they count, wherever they are kept,
//! until the session's user has fetched them, and beyond the limits that a server has for slow
//! subscribers the session is closed, as theirs would be.
//!
//! ```text
//!   post ─► queue ─► ClientSession::out ─► Session::pushes ─► handed out
//!           └──────────── counted here ────────────┘
//! ```

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use base::Millis;
use config::{BufferLimit, Overflow};
use engine::{ClientId, ClientMemory, Mailbox, Message};
use journal::wall_clock;
use parking_lot::{Condvar, Mutex};

struct State {
    queue: VecDeque<Message>,
    /// Bytes of the messages that were pushed and not handed out yet.
    pushed: usize,
    /// Counts them for the engine.
    memory: ClientMemory,
    /// What they may come to.
    limit: BufferLimit,
    /// Since when they are over the soft limit.
    over_soft_since: Option<Millis>,
    /// It is not read again until the end of the session.
    over: bool,
}

/// A session's messages.
pub(crate) struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
}

impl State {
    /// Checks the size of what has not been fetched: too much ends the session, and its messages
    /// are dropped.
    fn check_limit(&mut self) {
        self.memory.set(self.pushed);
        match self.limit.check(self.pushed, self.over_soft_since, wall_clock()) {
            Overflow::None => self.over_soft_since = None,
            Overflow::Soft(since) => self.over_soft_since = Some(since),
            Overflow::Close => {
                self.over = true;
                self.pushed = 0;
                self.memory.set(0);
                self.queue.clear();
                self.queue.push_back(Message::Kill);
            }
        }
    }
}

impl Inbox {
    pub fn new(limit: BufferLimit, memory: ClientMemory) -> Self {
        let state = State {
            queue: VecDeque::new(),
            pushed: 0,
            memory,
            limit,
            over_soft_since: None,
            over: false,
        };
        Inbox { state: Mutex::new(state), arrived: Condvar::new() }
    }

    /// The next message, waited for until `deadline`. A message counts until it is handed out.
    pub fn next(&self, deadline: Instant) -> Option<Message> {
        let mut state = self.state.lock();
        loop {
            if let Some(message) = state.queue.pop_front() {
                return Some(message);
            }
            if self.arrived.wait_until(&mut state, deadline).timed_out() && state.queue.is_empty() {
                return None;
            }
        }
    }

    /// The next message if there is one.
    pub fn take(&self) -> Option<Message> {
        self.next(Instant::now())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.state.lock().queue.is_empty()
    }

    /// So many bytes of messages have been handed out.
    pub fn handed_out(&self, bytes: usize) {
        let mut state = self.state.lock();
        state.pushed = state.pushed.saturating_sub(bytes);
        if !state.over {
            state.check_limit();
        }
    }

    /// Messages of so many bytes are kept for the session, of which `counted` have come through
    /// here. The limit is the one that holds now.
    pub fn kept(&self, bytes: usize, counted: usize, limit: BufferLimit) {
        let mut state = self.state.lock();
        if state.over {
            return;
        }
        state.limit = limit;
        state.pushed = state.pushed.saturating_sub(counted).saturating_add(bytes);
        state.check_limit();
    }
}

impl Mailbox for Inbox {
    fn post(&self, _: ClientId, message: Message) {
        let mut state = self.state.lock();
        if state.over {
            return;
        }
        let pushed = match &message {
            Message::Push(bytes) => bytes.len(),
            _ => 0,
        };
        state.queue.push_back(message);
        if pushed > 0 {
            state.pushed = state.pushed.saturating_add(pushed);
            state.check_limit();
        }
        drop(state);
        self.arrived.notify_one();
    }
}

/// How long a wait goes on before it is asked whether it should.
pub(crate) const SLICE: Duration = Duration::from_millis(100);
