//! CLIENT ID.

use base::{CmdError, Reply, Spec};
use wire::RespWriter;

use super::OWN;
use crate::control::{Act, Control, bare};

bare! {
    /// Answers the connection's number.
    ClientId,
    Spec {
        name: "client|id",
        since: "5.0.0",
        summary: "Answers the number of this connection.",
        ..OWN
    }
}

impl Act for ClientId<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        out.int(i64::try_from(control.session.client.id).unwrap_or(i64::MAX));
        Ok(())
    }
}
