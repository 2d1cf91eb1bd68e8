//! What is counted of connections whose callers are not authenticated: see
//! `door/unauthenticated.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{ClientId, Mailbox};

/// Bytes that one connection may have waiting, in both directions, until its caller is known: as
/// many as the longest request that the protocol lets such a one send, and some replies.
pub const ROOM: usize = 256 << 10;

/// A connection whose caller is not known, and how it is told to go.
pub(crate) struct Unknown {
    pub(crate) number: u64,
    pub(crate) mailbox: Arc<dyn Mailbox>,
    pub(crate) client: ClientId,
}

/// The connections whose callers are not authenticated.
#[derive(Default)]
pub(crate) struct Unauthenticated(pub(crate) Mutex<Register>);

#[derive(Default)]
pub(crate) struct Register {
    pub(crate) next: u64,
    /// Bytes of all of them, also of those that were told to go.
    pub(crate) bytes: usize,
    /// Those that take something and may stay, oldest first.
    staying: BTreeMap<u64, Member>,
    /// Bytes of each that was told to go and has not gone.
    going: BTreeMap<u64, usize>,
    /// The sum of them.
    going_bytes: usize,
}

/// One that may be told to go.
pub(crate) struct Member {
    pub(crate) bytes: usize,
    pub(crate) mailbox: Arc<dyn Mailbox>,
    pub(crate) client: ClientId,
}

impl Register {
    /// Counts what a connection takes more or less than before; whether it was told to go.
    pub(crate) fn change(&mut self, connection: &Unknown, before: usize, after: usize) -> bool {
        self.bytes = self.bytes - before + after;
        let number = connection.number;
        if let Some(bytes) = self.going.get_mut(&number) {
            *bytes = *bytes - before + after;
            self.going_bytes = self.going_bytes - before + after;
            let gone = *bytes == 0;
            if gone {
                self.going.remove(&number);
            }
            return !gone;
        }
        let member = self.staying.entry(number).or_insert_with(|| Member {
            bytes: 0,
            mailbox: Arc::clone(&connection.mailbox),
            client: connection.client,
        });
        member.bytes = member.bytes - before + after;
        if member.bytes == 0 {
            self.staying.remove(&number);
        }
        false
    }

    /// A connection that was told to go stays: it is told again when others need its room.
    pub(crate) fn stay(&mut self, connection: &Unknown) {
        let number = connection.number;
        if let Some(bytes) = self.going.remove(&number) {
            self.going_bytes -= bytes;
            let (mailbox, client) = (Arc::clone(&connection.mailbox), connection.client);
            self.staying.insert(number, Member { bytes, mailbox, client });
        }
    }

    /// Chooses the oldest to go, until the others and the connection `number` fit into `most`
    /// bytes; whether they do then. None are chosen as long as too many have not gone.
    pub(crate) fn make_room(&mut self, number: u64, most: usize, chosen: &mut Vec<Member>) -> bool {
        if self.bytes > most.saturating_add((most / 4).max(2 * ROOM)) {
            return false;
        }
        while self.bytes - self.going_bytes > most {
            let Some(oldest) = self.staying.first_entry().filter(|one| *one.key() != number) else {
                return false;
            };
            let (oldest, member) = oldest.remove_entry();
            self.going.insert(oldest, member.bytes);
            self.going_bytes += member.bytes;
            chosen.push(member);
        }
        true
    }
}
