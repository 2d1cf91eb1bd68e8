//! How the engine reaches the sessions and the connections of doors that run on async runtimes.
//!
//! ```text
//!   post ─► MessageQueue  the session's: what ends a wait     ─► next()
//!             │ an order to close
//!             ▼
//!   post ─► CloseSignal   the connection's: close, make room  ─► ended(), must_make_room()
//! ```
//!
//! Messages are posted by any thread while it holds locks of the engine, so posting only notes
//! them. Each is waited for by one task at most: that of the connection, and the call that has the
//! session. No runtime is needed for that, and none is named here.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::client::{ClientId, Mailbox, Message};

/// Something that happens again and again, and a task that waits for it.
#[derive(Default)]
struct Signal(Mutex<Signalled>);

#[derive(Default)]
struct Signalled {
    /// It has happened since the task last heard of it.
    raised: bool,
    waiting: Option<Waker>,
}

impl Signal {
    fn raise(&self) {
        let mut signalled = self.0.lock();
        signalled.raised = true;
        let waiting = signalled.waiting.take();
        drop(signalled);
        waiting.inspect(Waker::wake_by_ref);
    }

    /// Waits until it has happened since the last call.
    async fn raised(&self) {
        poll_fn(|context| {
            let mut signalled = self.0.lock();
            if std::mem::take(&mut signalled.raised) {
                return Poll::Ready(());
            }
            keep(&mut signalled.waiting, context);
            Poll::Pending
        })
        .await;
    }
}

/// Keeps what wakes the task that waits.
fn keep(waiting: &mut Option<Waker>, context: &Context<'_>) {
    match waiting {
        Some(waker) => waker.clone_from(context.waker()),
        None => *waiting = Some(context.waker().clone()),
    }
}

/// The order to close a connection, given by another client or the server; and the wish for its
/// room, which goes no further if its caller is known.
#[derive(Default)]
pub struct CloseSignal {
    over: AtomicBool,
    end: Signal,
    room: Signal,
}

impl CloseSignal {
    /// Ends the connection.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.end.raise();
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Waits for the end.
    pub async fn ended(&self) {
        while !self.is_over() {
            self.end.raised().await;
        }
    }

    /// Waits until others need the room that the connection takes while its caller is not known.
    pub async fn must_make_room(&self) {
        self.room.raised().await;
    }
}

impl Mailbox for CloseSignal {
    fn post(&self, _: ClientId, message: Message) {
        match message {
            Message::MakeRoom => self.room.raise(),
            // There is no socket of its own that a copy could be sent through.
            Message::Kill | Message::Transfer(_) => self.end(),
            // These are for sessions.
            Message::Unblocked { .. } | Message::Push(_) | Message::Resume => {}
        }
    }
}

/// A session's messages.
pub struct MessageQueue {
    state: Mutex<Queued>,
    close_signal: Arc<CloseSignal>,
}

#[derive(Default)]
struct Queued {
    messages: VecDeque<Message>,
    waiting: Option<Waker>,
}

impl MessageQueue {
    /// None yet, for a session of the connection that ends so.
    #[must_use]
    pub fn new(close_signal: Arc<CloseSignal>) -> Self {
        MessageQueue { state: Mutex::default(), close_signal }
    }

    /// The next message, when there is one.
    pub async fn next(&self) -> Message {
        poll_fn(|context| {
            let mut state = self.state.lock();
            if let Some(message) = state.messages.pop_front() {
                return Poll::Ready(message);
            }
            keep(&mut state.waiting, context);
            Poll::Pending
        })
        .await
    }

    /// Forgets what came for a request that is over.
    pub fn clear(&self) {
        let mut state = self.state.lock();
        if !state.messages.is_empty() {
            state.messages.clear();
        }
    }
}

impl Mailbox for MessageQueue {
    fn post(&self, client: ClientId, message: Message) {
        match message {
            Message::Kill | Message::Transfer(_) => self.close_signal.post(client, message),
            // Nothing out of band reaches a call, and nothing of that kind is asked for. It is the
            // connection that makes room, not a session.
            Message::Push(_) | Message::MakeRoom => {}
            message => {
                let mut state = self.state.lock();
                // That a pause is over is said as often as one ends, also while no request runs.
                let is_known = matches!(
                    (state.messages.back(), &message),
                    (Some(Message::Resume), Message::Resume)
                );
                if !is_known {
                    state.messages.push_back(message);
                }
                let waiting = state.waiting.take();
                drop(state);
                waiting.inspect(Waker::wake_by_ref);
            }
        }
    }
}

#[cfg(test)]
#[path = "mailbox_tests.rs"]
mod tests;
