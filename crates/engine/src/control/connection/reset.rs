//! RESET.

use std::sync::atomic::Ordering;

use base::{CmdError, InTransaction, Property, Protocol, Reply, Spec};
use wire::RespWriter;

use super::INTRODUCTION;
use crate::control::{Act, Control, bare};
use crate::execution::multi;

bare! {
    /// Makes the session what it was when the connection was opened.
    Reset,
    Spec {
        name: "reset",
        since: "6.2.0",
        summary: "Makes the session as good as new.",
        behaviour: INTRODUCTION
            .behaviour
            .properties(&[Property::OfSession, Property::AllowedWhileSubscribed])
            .transaction(InTransaction::Ends),
        ..INTRODUCTION
    }
}

impl Act for Reset<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let Control { engine, txn, session, .. } = control;
        // Never inside EXEC: it is not queued, it ends the transaction.
        multi::discard(engine, txn, session);
        engine.notify.pubsub.leave_all(session);
        engine.notify.monitors.leave(&engine.run.request_flags, session);
        session.client.state.silent.store(false, Ordering::Relaxed);
        engine.notify.tracking.disable(&engine.store, session);
        session.client.label(|labels| labels.name.clear());
        session.select(0);
        session.speak(Protocol::Resp2);
        session.replies.reset();
        session.log_out(&engine.users);
        out.set_protocol(Protocol::Resp2);
        out.simple("RESET");
        Ok(())
    }
}
