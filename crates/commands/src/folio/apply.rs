//! FOLIO.APPLY: does again what was done to a project. The journal has it.

use base::codec::Malformed;
use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::Folio;

use super::{NO_PROJECT, try_change};

/// Does again what was done to a project.
pub struct Apply<'a> {
    key: Key<'a>,
    changes: &'a [u8],
}

impl<'a> Command<'a> for Apply<'a> {
    const SPEC: Spec = Spec {
        name: "folio.apply",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Makes changes of a project as the journal has them: all or none.",
        complexity: "O(N * log(M)), when N is the number of changes and M that of records",
        grammar: "key:key changes:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Folio, Category::Dangerous],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Apply { key: args.key()?, changes: args.next()? })
    }
}

fn no_changes(error: Malformed) -> CmdError {
    CmdError::owned(format!("ERR these are no changes of it: {error}"))
}

impl<H: Holds<Folio>> Run<H> for Apply<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.peek(self.key)?.ok_or(NO_PROJECT)?;
        let done = try_change(host, self.key, |value| {
            let touched = value.project_mut().ok_or(NO_PROJECT)?.apply(self.changes);
            value.tell(&touched.map_err(no_changes)?);
            Ok(Some(()))
        })?;
        done.ok_or(NO_PROJECT)?;
        host.notify(Class::Module, "folio.apply", self.key);
        out.ok();
        Ok(Effect::AsSent)
    }
}
