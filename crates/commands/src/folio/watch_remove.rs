//! FOLIO.WATCH.REMOVE: takes records out of a watch.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Folio;

use super::watch::{names, number, with};

/// Takes records out of a watch.
pub struct WatchRemove<'a> {
    key: Key<'a>,
    watch: &'a [u8],
    ids: &'a [&'a [u8]],
}

impl<'a> Command<'a> for WatchRemove<'a> {
    const SPEC: Spec = Spec {
        name: "folio.watch.remove",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Takes records out of a watch.",
        complexity: "O(N * log(M)), when N is the number of ids and M that of all that is watched",
        grammar: "key:key watch:string id:string...",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, watch) = (args.key()?, args.next()?);
        Ok(WatchRemove { key, watch, ids: args.rest() })
    }
}

impl<H: Holds<Folio>> Run<H> for WatchRemove<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let (watch, ids) = (number(self.watch)?, names(self.ids)?);
        let ids = ids.iter().map(|id| id.as_str());
        with(host, self.key, |all, now| all.remove(watch, ids, now))?;
        out.ok();
        Ok(Effect::None)
    }
}
