//! FOLIO.WATCH.INFO: what is to be known of a watch.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Folio;

use super::watch::{number, with};

/// Answers what is to be known of a watch; its lease is not renewed.
pub struct WatchInfo<'a> {
    key: Key<'a>,
    watch: &'a [u8],
}

impl<'a> Command<'a> for WatchInfo<'a> {
    const SPEC: Spec = Spec {
        name: "folio.watch.info",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers what a watch is called, its lease, and how many records it has.",
        complexity: "O(N), when N is the number of its records that have changed",
        grammar: "key:key watch:string",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(WatchInfo { key: args.key()?, watch: args.next()? })
    }
}

impl<H: Holds<Folio>> Run<H> for WatchInfo<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let watch = number(self.watch)?;
        with(host, self.key, |all, now| {
            let info = all.about(watch, now)?;
            out.map(5);
            out.bulk(b"dis");
            out.bulk(info.dis.as_bytes());
            let seconds = |seconds: u64| usize::try_from(seconds).unwrap_or(usize::MAX);
            let (lease, left) = (seconds(info.lease), seconds(info.left));
            let counts = [
                ("lease", lease),
                ("left", left),
                ("records", info.records),
                ("changed", info.changed),
            ];
            for (name, count) in counts {
                out.bulk(name.as_bytes());
                out.count(count);
            }
            Ok(())
        })?;
        Ok(Effect::None)
    }
}
