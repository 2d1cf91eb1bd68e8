//! ACL LOAD, ACL SAVE.

use base::{CmdError, Reply, Spec};
use wire::RespWriter;

use super::MANAGING;
use crate::control::{Act, Control, bare};

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
        match control.engine.reload_users(&control.session.client) {
            Ok(own_too) => {
                control.session.closing |= own_too;
                out.ok();
                Ok(())
            }
            Err(None) => Err(NO_FILE),
            Err(Some(text)) => Err(CmdError::from_bytes([b"ERR ", text.as_slice()].concat())),
        }
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
        match control.engine.save_users() {
            Ok(()) => {
                out.ok();
                Ok(())
            }
            Err(None) => Err(NO_FILE),
            Err(Some(error)) => {
                tracing::warn!(%error, "ACL SAVE failed");
                Err(CmdError::new(
                    "ERR There was an error trying to save the ACLs. Please check the server logs \
                     for more information",
                ))
            }
        }
    }
}
