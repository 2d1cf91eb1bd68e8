//! HSCAN.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, KeyFlag, KeySpec, Reply, Run,
    Spec,
};
use types::Hash;

use crate::walk::{Step, reply};

/// Walks over a hash in steps.
pub struct HScan<'a>(Step<'a>);

impl<'a> Command<'a> for HScan<'a> {
    const SPEC: Spec = Spec {
        name: "hscan",
        group: Group::Hash,
        since: "2.8.0",
        summary: "Walks over the fields of a hash in steps.",
        complexity: "O(1) for each call, O(N) for a whole walk",
        grammar: "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Hash],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Step::parse(args).map(HScan)
    }
}

impl<H: Holds<Hash>> Run<H> for HScan<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(hash) = host.peek(self.0.key)? else {
            reply(0, &[], out);
            return Ok(Effect::None);
        };
        let options = self.0.options()?;
        let mut elements = Vec::new();
        let next = options.walk(self.0.cursor, |cursor| {
            let mut seen = 0;
            let next = hash.scan(cursor, &mut |field, value| {
                seen += 1;
                if options.accepts(field) {
                    elements.extend([field.to_vec(), value.to_vec()]);
                }
            });
            (next, seen)
        });
        reply(next, &elements, out);
        Ok(Effect::None)
    }
}
