//! CLIENT GETNAME, CLIENT SETNAME.

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::OWN;
use crate::client::session::Session;
use crate::control::{Act, Control, bare};

bare! {
    /// Answers the connection's name.
    ClientGetName,
    Spec {
        name: "client|getname",
        since: "2.6.9",
        summary: "Answers the name of this connection.",
        ..OWN
    }
}

impl Act for ClientGetName<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let labels = control.session.client.labels.lock();
        let name = Some(labels.name.as_bytes()).filter(|name| !name.is_empty());
        out.bulk_or_null(name);
        Ok(())
    }
}

/// Names the connection; an empty name takes it away.
pub struct ClientSetName<'a> {
    name: &'a [u8],
}

impl<'a> Command<'a> for ClientSetName<'a> {
    const SPEC: Spec = Spec {
        name: "client|setname",
        since: "2.6.9",
        summary: "Gives this connection a name.",
        grammar: "connection-name:string",
        ..OWN
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ClientSetName { name: args.next()? })
    }
}

impl Act for ClientSetName<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        set_name(control.session, self.name)?;
        out.ok();
        Ok(())
    }
}

/// Names a session.
///
/// # Errors
/// The name would break the lines of `CLIENT LIST`.
pub(in crate::control::connection) fn set_name(
    session: &mut Session,
    name: &[u8],
) -> Result<(), CmdError> {
    let name = printable(name).ok_or(CmdError::new(
        "ERR Client names cannot contain spaces, newlines or special characters.",
    ))?;
    session.client.label(|labels| labels.name = name);
    Ok(())
}

/// The text, if it has nothing but visible ASCII.
pub(super) fn printable(text: &[u8]) -> Option<String> {
    let visible = text.iter().all(u8::is_ascii_graphic);
    visible.then(|| String::from_utf8_lossy(text).into_owned())
}
