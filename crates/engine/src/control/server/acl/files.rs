//! ACL LOAD, ACL SAVE.

use std::sync::Arc;

use base::{CmdError, Spec};
use wire::RespWriter;

use super::MANAGING;
use crate::control::{Act, Control, bare};
use crate::engine::context::Done;

const NO_FILE: CmdError = CmdError::new(
    "ERR This Redis instance is not configured to use an ACL file. You may want to specify users \
     via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis \
     configuration file set) in order to store users in the Redis configuration.",
);

bare! {
    /// Reads the file of users.
    AclLoad,
    Spec {
        name: "acl|load",
        summary: "Puts the users of the ACL file in the place of all users.",
        complexity: "O(N) in the number of users",
        ..MANAGING
    }
}

impl Act for AclLoad<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let path = control.engine.acl_file().ok_or(NO_FILE)?;
        let own = Arc::clone(&control.session.client);
        control.leave_to_background(
            out,
            0,
            Box::new(move |engine, _| match engine.reload_users(&path, &own) {
                Ok(true) => Ok(Done::OkAndGone),
                Ok(false) => Ok(Done::Ok),
                Err(text) => Err(CmdError::from_bytes([b"ERR ", text.as_slice()].concat())),
            }),
        )
    }
}

bare! {
    /// Writes the file of users.
    AclSave,
    Spec {
        name: "acl|save",
        summary: "Writes all users to the ACL file.",
        complexity: "O(N) in the number of users",
        ..MANAGING
    }
}

impl Act for AclSave<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let path = control.engine.acl_file().ok_or(NO_FILE)?;
        control.leave_to_background(
            out,
            0,
            Box::new(move |engine, _| match engine.save_users(&path) {
                Ok(()) => Ok(Done::Ok),
                Err(error) => {
                    tracing::warn!(%error, "ACL SAVE failed");
                    Err(CmdError::new(
                        "ERR There was an error trying to save the ACLs. Please check the server \
                         logs for more information",
                    ))
                }
            }),
        )
    }
}
