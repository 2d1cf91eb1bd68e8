//! RESET.

use base::{Category, CmdError, Flag, Group, Locks, Protocol, Reply, Spec};
use wire::RespWriter;

use crate::control::{Act, Control, bare};
use crate::multi;

bare! {
    /// Makes the session what it was when the connection was opened.
    Reset,
    Spec {
        name: "reset",
        group: Group::Connection,
        since: "6.2.0",
        summary: "Makes the session as good as new.",
        flags: &[
            Flag::NoScript,
            Flag::Loading,
            Flag::Stale,
            Flag::Fast,
            Flag::NoAuth,
            Flag::AllowBusy,
        ],
        categories: &[Category::Connection],
        locks: |_| Locks::Nothing,
        ..Spec::NEW
    }
}

impl Act for Reset<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let Control { engine, txn, session, .. } = control;
        // Never inside EXEC: it is not queued, it ends the transaction.
        multi::discard(engine, txn, session);
        engine.pubsub.leave_all(session);
        session.client.labels.lock().name.clear();
        session.select(0);
        session.speak(Protocol::Resp2);
        session.replies.reset();
        session.authenticated = engine.config().requirepass.is_none();
        out.set_protocol(Protocol::Resp2);
        out.simple("RESET");
        Ok(())
    }
}
