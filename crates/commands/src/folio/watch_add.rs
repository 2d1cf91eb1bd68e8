//! FOLIO.WATCH.ADD: adds records to a watch.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Folio;

use super::watch::{names, number, with};

/// Adds records to a watch, all or none, whether they are there or not.
pub struct WatchAdd<'a> {
    key: Key<'a>,
    watch: &'a [u8],
    ids: &'a [&'a [u8]],
}

impl<'a> Command<'a> for WatchAdd<'a> {
    const SPEC: Spec = Spec {
        name: "folio.watch.add",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Adds records to a watch, all or none, whether they are there or not.",
        complexity: "O(N * log(M)), when N is the number of ids and M that of all that is watched",
        grammar: "key:key watch:string id:string...",
        flags: &[Flag::ReadOnly, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, watch) = (args.key()?, args.next()?);
        Ok(WatchAdd { key, watch, ids: args.rest() })
    }
}

impl<H: Holds<Folio>> Run<H> for WatchAdd<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (watch, ids) = (number(self.watch)?, names(self.ids)?);
        with(host, self.key, |all, now| all.add(watch, ids, now))?;
        out.ok();
        Ok(Effect::None)
    }
}
