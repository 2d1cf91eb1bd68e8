//! ACL DRYRUN.

use acl::Denied;
use base::{Args, CmdError, Command, Reply, Spec, error};
use wire::RespWriter;

use super::MANAGING;
use crate::control::{Act, Control};
use crate::execution::rights::Asked;

/// Tells whether a user may send a request.
pub struct AclDryRun<'a> {
    user: &'a [u8],
    request: &'a [&'a [u8]],
}

impl<'a> Command<'a> for AclDryRun<'a> {
    const SPEC: Spec = Spec {
        name: "acl|dryrun",
        since: "7.0.0",
        summary: "Tells whether a user may send a request, without running it.",
        grammar: "username:string command:string [arg:string...]",
        // They may be those of `AUTH`, or of any other request.
        behaviour: MANAGING.behaviour.secret(|_, at| at > 3),
        ..MANAGING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let user = args.next()?;
        Ok(AclDryRun { user, request: args.rest() })
    }
}

impl Act for AclDryRun<'_> {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let account = control.engine.users.find(self.user);
        let account = account.ok_or(CmdError::quoting("ERR User '", self.user, "' not found"))?;
        let name = self.request.first().copied().unwrap_or_default();
        let entry = control.engine.table.find(self.request);
        // A container with a word behind it that is none of its subcommands is no command either.
        let entry =
            entry.filter(|entry| entry.naming.children.is_empty() || self.request.len() < 2);
        let entry = entry.ok_or(CmdError::quoting("ERR Command '", name, "' not found"))?;
        if !entry.accepts(self.request.len()) {
            return Err(error::wrong_arity(entry.name()));
        }
        let word = |at: usize| self.request.get(at).copied().unwrap_or_default();
        let (before, quoted, after) = match account.rules().check(&Asked::new(entry, self.request))
        {
            Ok(()) => {
                out.ok();
                return Ok(());
            }
            Err(Denied::Command) => ("run the", entry.name().as_bytes(), "command"),
            Err(Denied::Key(at)) => ("access the", word(at), "key"),
            Err(Denied::Channel(at)) => ("access the", word(at), "channel"),
        };
        let text = CmdError::quoting(
            &format!("This user has no permissions to {before} '"),
            quoted,
            &format!("' {after}"),
        );
        out.bulk(text.bytes());
        Ok(())
    }
}
