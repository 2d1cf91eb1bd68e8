//! How the engine reaches a session of this door.
//!
//! Letters come from any thread, under locks of the engine's: posting only puts them down. Whoever
//! waits is the call that has the session, or nobody.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{ClientId, Mailbox, Message};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The end of a connection, as somebody wants it from outside.
#[derive(Default)]
pub struct Ending {
    over: AtomicBool,
    bell: Notify,
}

impl Ending {
    /// Ends the connection.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
        // One task waits, that of the connection; a permit stays for it if it does not wait yet.
        self.bell.notify_one();
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Waits for the end.
    pub async fn ended(&self) {
        while !self.is_over() {
            self.bell.notified().await;
        }
    }
}

/// A session's letters.
pub struct Letters {
    waiting: Mutex<VecDeque<Message>>,
    bell: Notify,
    ending: Arc<Ending>,
}

impl Letters {
    /// None yet, for a session of the connection that ends so.
    pub fn new(ending: Arc<Ending>) -> Self {
        Letters { waiting: Mutex::default(), bell: Notify::new(), ending }
    }

    /// The next letter, when there is one.
    pub async fn next(&self) -> Message {
        loop {
            if let Some(message) = self.waiting.lock().pop_front() {
                return message;
            }
            self.bell.notified().await;
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

impl Mailbox for Letters {
    fn post(&self, _: ClientId, message: Message) {
        match message {
            // There is no socket of its own that a copy could be sent through.
            Message::Kill | Message::Transfer(_) => self.ending.end(),
            // Nothing out of band reaches a call, and nothing of that kind is asked for.
            Message::Push(_) => {}
            message => {
                self.waiting.lock().push_back(message);
                self.bell.notify_one();
            }
        }
    }
}
