//! SSCAN.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Holds, KeyFlag, KeySpec, Reply, Run,
    Spec,
};
use types::Set;

use crate::walk::{Step, reply};

/// Walks over a set in steps.
pub struct SScan<'a>(Step<'a>);

impl<'a> Command<'a> for SScan<'a> {
    const SPEC: Spec = Spec {
        name: "sscan",
        group: Group::Set,
        since: "2.8.0",
        summary: "Walks over the members of a set in steps.",
        complexity: "O(1) for each call, O(N) for a whole walk",
        grammar: "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Step::parse(args).map(SScan)
    }
}

impl<H: Holds<Set>> Run<H> for SScan<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(set) = host.peek(self.0.key)? else {
            reply(0, &[], out);
            return Ok(Effect::None);
        };
        let options = self.0.options()?;
        let mut members = Vec::new();
        let next = options.walk(self.0.cursor, |cursor| {
            let mut seen = 0;
            let next = set.scan(cursor, &mut |member| {
                seen += 1;
                if options.accepts(member) {
                    members.push(member.to_vec());
                }
            });
            (next, seen)
        });
        reply(next, &members, out);
        Ok(Effect::None)
    }
}
