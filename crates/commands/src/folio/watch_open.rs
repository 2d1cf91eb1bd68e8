//! FOLIO.WATCH.OPEN: opens a watch of nothing yet.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, error,
};
use types::Folio;

use super::watch::with;

/// Opens a watch of a project and answers its name.
pub struct WatchOpen<'a> {
    key: Key<'a>,
    dis: &'a [u8],
    lease: Option<u64>,
}

impl<'a> Command<'a> for WatchOpen<'a> {
    const SPEC: Spec = Spec {
        name: "folio.watch.open",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Opens a watch of a project and answers its name.",
        complexity: "O(1)",
        grammar: "key:key dis:string [LEASE seconds:integer]",
        flags: &[Flag::ReadOnly, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, dis, mut lease) = (args.key()?, args.next()?, None);
        while args.left() > 0 {
            if !args.token("LEASE") {
                return Err(error::SYNTAX);
            }
            lease = Some(u64::try_from(args.integer()?).map_err(|_| error::SYNTAX)?);
        }
        Ok(WatchOpen { key, dis, lease })
    }
}

impl<H: Holds<Folio>> Run<H> for WatchOpen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let dis = super::text(self.dis)?;
        let watch = with(host, self.key, |all, now| all.open(dis, self.lease, now))?;
        out.bulk(format!("{watch:x}").as_bytes());
        Ok(Effect::None)
    }
}
