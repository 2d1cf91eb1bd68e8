//! Scripts in append-only files: Redis wrote them as they were called until its version 7, and runs
//! them when it loads such a file. Here a session without a connection runs them, which is not
//! refused while data is read.

use std::sync::Arc;

use base::Protocol;
use journal::wall_clock;

use crate::ClientId;
use crate::Mailbox;
use crate::Message;
use crate::Origin;
use crate::Session;
use crate::Worker;
use crate::engine::Engine;

/// A mailbox that keeps nothing.
struct Discard;

impl Mailbox for Discard {
    fn post(&self, _: ClientId, _: Message) {}
}

/// A client that runs scripts.
pub(super) struct Scripter {
    worker: Worker,
    session: Session,
}

impl Scripter {
    pub fn new(engine: &Arc<Engine>) -> Self {
        let client = engine.clients.add(Origin::default(), wall_clock(), Arc::new(Discard));
        let mut session = Session::new(client, true);
        session.speak(Protocol::Resp2);
        Scripter { worker: Worker::new(engine, engine.run.hashing.seed), session }
    }

    /// Runs a request in database `db`; its error, if it has one.
    pub fn run(&mut self, db: usize, argv: &[&[u8]]) -> Option<String> {
        let now = wall_clock();
        self.worker.begin(now);
        // While a file is read nothing is overdue, and no request is refused for it.
        self.worker.txn.begin_replay(now);
        self.worker.context.hindered = false;
        self.session.db = db;
        let mut reply = Vec::new();
        self.worker.execute(&mut self.session, argv, &mut reply);
        let error = reply.strip_prefix(b"-")?;
        Some(error.trim_ascii_end().escape_ascii().to_string())
    }
}

impl Drop for Scripter {
    fn drop(&mut self) {
        self.worker.disconnect(&mut self.session);
    }
}
