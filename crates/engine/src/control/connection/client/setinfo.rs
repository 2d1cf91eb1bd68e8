//! CLIENT SETINFO. Newer than Redis 7.0; clients send it without being asked.

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::OWN;
use super::name::printable;
use crate::control::{Act, Control};

/// Remembers which library is at the other end.
pub struct ClientSetInfo<'a> {
    attribute: &'a [u8],
    value: &'a [u8],
}

impl<'a> Command<'a> for ClientSetInfo<'a> {
    const SPEC: Spec = Spec {
        name: "client|setinfo",
        since: "7.2.0",
        summary: "Remembers which client library is at the other end.",
        grammar: "attr=(LIB-NAME libname:string | LIB-VER libver:string)",
        ..OWN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ClientSetInfo { attribute: args.next()?, value: args.next()? })
    }
}

impl Act for ClientSetInfo<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let attribute = self.attribute.to_ascii_lowercase();
        let is_name = match attribute.as_slice() {
            b"lib-name" => true,
            b"lib-ver" => false,
            _ => {
                return Err(CmdError::quoting("ERR Unrecognized option '", self.attribute, "'"));
            }
        };
        let Some(value) = printable(self.value) else {
            let after = " cannot contain spaces, newlines or special characters.";
            return Err(CmdError::quoting("ERR ", &attribute, after));
        };
        control.session.client.label(|labels| match is_name {
            true => labels.lib_name = value,
            false => labels.lib_ver = value,
        });
        out.ok();
        Ok(())
    }
}
