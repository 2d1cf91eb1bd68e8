//! XLEN.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply,
    Run, Spec,
};
use types::Stream;

/// Counts the entries.
pub struct XLen<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for XLen<'a> {
    const SPEC: Spec = Spec {
        name: "xlen",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Answers how many entries a stream has.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(XLen { key: args.key()? })
    }
}

impl<H: Holds<Stream>> Run<H> for XLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.peek(self.key)?.map_or(0, |stream| stream.log().len()));
        Ok(Effect::None)
    }
}
