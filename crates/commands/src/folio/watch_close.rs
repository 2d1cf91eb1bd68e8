//! FOLIO.WATCH.CLOSE: ends a watch.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Folio;

use super::watch::{number, with};

/// Ends a watch, and answers whether there was one.
pub struct WatchClose<'a> {
    key: Key<'a>,
    watch: &'a [u8],
}

impl<'a> Command<'a> for WatchClose<'a> {
    const SPEC: Spec = Spec {
        name: "folio.watch.close",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Ends a watch, and answers whether there was one.",
        complexity: "O(N), when N is the number of its records",
        grammar: "key:key watch:string",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(WatchClose { key: args.key()?, watch: args.next()? })
    }
}

impl<H: Holds<Folio>> Run<H> for WatchClose<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let watch = number(self.watch)?;
        let was_there = with(host, self.key, |all, _| Ok(all.close(watch)))?;
        out.int(was_there.into());
        Ok(Effect::None)
    }
}
