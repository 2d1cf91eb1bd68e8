//! What comes to a loop from other threads: taken from its inbox, and handled in order.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::slab::ConnectionKey;
use crate::workers::{Inbox, InboxMessage};

/// Messages on their way from the inbox to connections.
pub(super) struct Messages {
    pub(super) inbox: Arc<Inbox>,
    /// Those to be handled, in the order they came.
    pending: VecDeque<InboxMessage>,
    /// Where they are taken to from the inbox, kept for its memory.
    fresh: Vec<InboxMessage>,
    /// Connections with pushed messages to send.
    pub(super) pushed: VecDeque<ConnectionKey>,
}

impl Messages {
    /// Of this inbox.
    pub(super) fn new(inbox: Arc<Inbox>) -> Self {
        Messages { inbox, pending: VecDeque::new(), fresh: Vec::new(), pushed: VecDeque::new() }
    }

    /// Whether there may be any.
    pub(super) fn is_any_there(&self) -> bool {
        self.inbox.has_messages() || !self.pending.is_empty()
    }

    /// Takes them from the inbox.
    pub(super) fn collect(&mut self) {
        if !self.inbox.has_messages() {
            return;
        }
        self.inbox.take(&mut self.fresh);
        // New connections first: a message may lead to a long command, and the thread that deals
        // connections out looks for those that wait in the inbox alone.
        let is_new = |message: &mut InboxMessage| matches!(message, InboxMessage::Connection(..));
        let new_connections: Vec<_> = self.fresh.extract_if(.., is_new).collect();
        new_connections.into_iter().rev().for_each(|message| self.pending.push_front(message));
        self.pending.extend(self.fresh.drain(..));
    }

    /// The next that was taken from the inbox.
    pub(super) fn next(&mut self) -> Option<InboxMessage> {
        self.pending.pop_front()
    }

    /// All that were taken from the inbox.
    pub(super) fn take_all(&mut self) -> VecDeque<InboxMessage> {
        std::mem::take(&mut self.pending)
    }
}
