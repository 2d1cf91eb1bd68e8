//! XACK.

use base::{
    Args, Argv, Category, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, StreamId,
};
use types::Stream;

use super::ids;

/// Acknowledges entries.
pub struct XAck<'a> {
    key: Key<'a>,
    group: &'a [u8],
    ids: &'a [&'a [u8]],
    argv: &'a [&'a [u8]],
}

impl<'a> Command<'a> for XAck<'a> {
    const SPEC: Spec = Spec {
        name: "xack",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Says that entries a group has delivered are done with.",
        complexity: "O(log N) for each, when N is the number of pending entries",
        grammar: "key:key group:string id:string...",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let argv = args.argv();
        Ok(XAck { key: args.key()?, group: args.next()?, ids: args.rest(), argv })
    }
}

impl<H: Holds<Stream>> Run<H> for XAck<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.notify_if_missing(self.key);
        if host.peek(self.key)?.is_none_or(|stream| stream.group(self.group).is_none()) {
            out.int(0);
            return Ok(Effect::None);
        }
        let ids: Result<Vec<StreamId>, CmdError> =
            self.ids.iter().map(|word| ids::strict(word)).collect();
        let ids = ids?;
        let done = host.edit(self.key, |stream| {
            stream.edit_group(self.group, |_, group| {
                ids.iter().filter(|&&id| group.acknowledge(id)).count()
            })
        })?;
        let done = done.unwrap_or(0);
        out.count(done);
        Ok(match done {
            0 => Effect::None,
            _ => Effect::Unwatched(vec![Argv::new(self.argv)]),
        })
    }
}
