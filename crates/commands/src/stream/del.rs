//! XDEL.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, StreamId,
};
use types::Stream;

use super::ids;

/// Deletes entries.
pub struct XDel<'a> {
    key: Key<'a>,
    ids: &'a [&'a [u8]],
}

impl<'a> Command<'a> for XDel<'a> {
    const SPEC: Spec = Spec {
        name: "xdel",
        group: Group::Stream,
        since: "5.0.0",
        summary: "Deletes entries of a stream.",
        complexity: "O(log N) for each, when N is the number of entries",
        grammar: "key:key id:string...",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Stream],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(XDel { key: args.key()?, ids: args.rest() })
    }
}

impl<H: Holds<Stream>> Run<H> for XDel<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if host.peek(self.key)?.is_none() {
            out.int(0);
            return Ok(Effect::None);
        }
        let ids: Result<Vec<StreamId>, CmdError> =
            self.ids.iter().map(|word| ids::strict(word)).collect();
        let ids = ids?;
        let gone = host.edit(self.key, |stream| stream.delete(&ids))?;
        if gone > 0 {
            host.notify(Class::Stream, "xdel", self.key);
        }
        out.count(gone);
        Ok(if gone > 0 { Effect::AsSent } else { Effect::None })
    }
}
