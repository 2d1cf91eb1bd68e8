//! HDEL.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::Hash;

/// Removes fields; answers how many there were. The key goes with its last field.
pub struct HDel<'a> {
    key: Key<'a>,
    fields: &'a [&'a [u8]],
}

impl<'a> Command<'a> for HDel<'a> {
    const SPEC: Spec = Spec {
        name: "hdel",
        group: Group::Hash,
        since: "2.0.0",
        summary: "Removes fields from a hash.",
        complexity: "O(N), when N is the number of fields named",
        grammar: "key:key field:string...",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Delete])],
        history: &[("2.4.0", "Several fields at a time.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(HDel { key: args.key()?, fields: args.rest() })
    }
}

impl<H: Holds<Hash>> Run<H> for HDel<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let removed = host.edit_existing(self.key, |hash| {
            self.fields.iter().filter(|field| hash.remove(field)).count()
        })?;
        let removed = removed.unwrap_or(0);
        if removed > 0 {
            host.notify_taken(Class::Hash, "hdel", self.key);
        }
        out.count(removed);
        Ok(if removed == 0 { Effect::None } else { Effect::AsSent })
    }
}
