//! ACL LOG.

use base::{Args, CmdError, Command, Reply, Spec};
use wire::RespWriter;

use super::MANAGING;
use crate::control::{Act, Control, misused};

/// How many entries are shown if nothing is said.
const SHOWN: usize = 10;

/// Shows the last refusals, or forgets them.
pub enum AclLog {
    /// So many.
    Show(usize),
    /// Forgets them.
    Reset,
}

impl<'a> Command<'a> for AclLog {
    const SPEC: Spec = Spec {
        name: "acl|log",
        summary: "Shows the last requests and logins that were refused.",
        complexity: "O(N) in the number of entries shown",
        grammar: "[operation=(count:integer | RESET)]",
        ..MANAGING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        match args.left() {
            0 => Ok(AclLog::Show(SHOWN)),
            1 if args.token("RESET") => Ok(AclLog::Reset),
            1 => Ok(AclLog::Show(usize::try_from(args.integer()?.max(0)).unwrap_or(usize::MAX))),
            _ => Err(misused(args.argv())),
        }
    }
}

impl Act for AclLog {
    fn act(self, control: &mut Control<'_>, out: &mut RespWriter<'_>) -> Result<(), CmdError> {
        let log = &control.engine.users.log;
        let AclLog::Show(count) = self else {
            log.clear();
            out.ok();
            return Ok(());
        };
        let refusals = log.newest(count);
        out.array(refusals.len());
        for refusal in refusals {
            out.map(7);
            out.bulk(b"count");
            out.int(i64::try_from(refusal.count).unwrap_or(i64::MAX));
            let millis = u32::try_from(control.context.now.saturating_sub(refusal.at));
            let texts: [(&str, &[u8]); 4] = [
                ("reason", refusal.reason.name().as_bytes()),
                ("context", refusal.context.name().as_bytes()),
                ("object", &refusal.object),
                ("username", &refusal.username),
            ];
            for (name, text) in texts {
                out.bulk(name.as_bytes());
                out.bulk(text);
            }
            out.bulk(b"age-seconds");
            out.double(f64::from(millis.unwrap_or(u32::MAX)) / 1000.0);
            out.bulk(b"client-info");
            out.bulk(refusal.client.as_bytes());
        }
        Ok(())
    }
}
