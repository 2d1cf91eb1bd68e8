//! One client of the engine, as a connection is one of a server: its session, its inbox, the bytes
//! that were written for it.

use std::sync::Arc;

use base::Protocol;
use engine::{ClientMemory, Origin, Session};
use journal::wall_clock;

use crate::inbox::Inbox;
use crate::shared::Shared;

/// What `CLIENT LIST` shows as the address of sessions that have none.
const ADDRESS: &str = "embedded:0";

/// A client.
pub(crate) struct ClientSession {
    pub session: Session,
    pub inbox: Arc<Inbox>,
    /// Replies and messages that went over as bytes, in the order they came.
    pub out: Vec<u8>,
    /// How many bytes of them are messages that count in the inbox.
    pub pushed: usize,
    /// It was ended from outside, or a wait of it was given up.
    pub over: bool,
    /// What it keeps between its requests.
    pub memory: ClientMemory,
}

impl ClientSession {
    /// A new client. It has the rights of the default user without being asked for a password: code
    /// in this process could read the memory as well.
    pub fn new(shared: &Shared, protocol: Protocol) -> Box<Self> {
        let origin = Origin {
            addr: ADDRESS.to_owned(),
            laddr: ADDRESS.to_owned(),
            fd: -1,
            unix: true,
            memory: Some(Arc::default()),
        };
        let memory = ClientMemory::new(&shared.engine.memory.buffers, &origin);
        let inbox = Arc::new(Inbox::new(shared.limit_of_pushes(), memory.beside(0)));
        let client = shared.engine.clients.add(origin, wall_clock(), inbox.clone());
        let mut session = Session::new(client, true);
        session.terms.shares = true;
        session.speak(protocol);
        Box::new(ClientSession { session, inbox, out: Vec::new(), pushed: 0, over: false, memory })
    }

    /// Whether its last request has not been answered yet.
    pub fn waits(&self) -> bool {
        self.session.blocked.is_some() || self.session.is_paused()
    }

    /// Counts what it keeps, after a request; whether that has become more.
    #[inline]
    pub fn count(&mut self) -> bool {
        self.memory.set(self.session.memory())
    }

    /// Whether it can have requests.
    pub fn is_over(&self) -> bool {
        self.over || self.session.closing
    }
}
