//! How the engine reaches a session of this door.
//!
//! Messages are posted by any thread while it holds locks of the engine, so posting only queues
//! them. At most one task waits for them: the call that has the session.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{ClientId, Mailbox, Message};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The order to close a connection, given by another client or the server; and the wish for its
/// room, which goes no further if its caller is known.
#[derive(Default)]
pub struct CloseSignal {
    over: AtomicBool,
    wakeup: Notify,
    room: Notify,
}

impl CloseSignal {
    /// Ends the connection.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
        // One task waits, that of the connection; a permit stays for it if it does not wait yet.
        self.wakeup.notify_one();
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Waits for the end.
    pub async fn ended(&self) {
        while !self.is_over() {
            self.wakeup.notified().await;
        }
    }

    /// Waits until others need the room that the connection takes while its caller is not known.
    pub async fn must_make_room(&self) {
        self.room.notified().await;
    }
}

impl Mailbox for CloseSignal {
    fn post(&self, _: ClientId, message: Message) {
        match message {
            Message::MakeRoom => self.room.notify_one(),
            Message::Kill | Message::Transfer(_) => self.end(),
            // These are for sessions.
            Message::Unblocked { .. } | Message::Push(_) | Message::Resume => {}
        }
    }
}

/// A session's messages.
pub struct MessageQueue {
    waiting: Mutex<VecDeque<Message>>,
    wakeup: Notify,
    close_signal: Arc<CloseSignal>,
}

impl MessageQueue {
    /// None yet, for a session of the connection that ends so.
    pub fn new(close_signal: Arc<CloseSignal>) -> Self {
        MessageQueue { waiting: Mutex::default(), wakeup: Notify::new(), close_signal }
    }

    /// The next message, when there is one.
    pub async fn next(&self) -> Message {
        loop {
            if let Some(message) = self.waiting.lock().pop_front() {
                return message;
            }
            self.wakeup.notified().await;
        }
    }

    /// Forgets what came for a request that is over.
    pub fn clear(&self) {
        let mut waiting = self.waiting.lock();
        if !waiting.is_empty() {
            waiting.clear();
        }
    }
}

impl Mailbox for MessageQueue {
    fn post(&self, _: ClientId, message: Message) {
        match message {
            // There is no socket of its own that a copy could be sent through.
            Message::Kill | Message::Transfer(_) => self.close_signal.end(),
            // Nothing out of band reaches a call, and nothing of that kind is asked for. It is the
            // connection that makes room, not a session.
            Message::Push(_) | Message::MakeRoom => {}
            message => {
                self.waiting.lock().push_back(message);
                self.wakeup.notify_one();
            }
        }
    }
}
