//! RING.WORDS: answers the words of a ring, in its shard.

use base::{
    Args, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply, Run, Spec,
};
use types::example::Ring;

/// Answers the words of a ring.
pub(super) struct Words<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Words<'a> {
    const SPEC: Spec = Spec {
        name: "ring.words",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers the words.",
        complexity: "O(N)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Words { key: args.key()? })
    }
}

impl<H: Holds<Ring>> Run<H> for Words<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let ring = host.peek(self.key)?;
        out.array(ring.map_or(0, Ring::len));
        ring.into_iter().flat_map(Ring::words).for_each(|word| out.bulk(word));
        Ok(Effect::None)
    }
}
