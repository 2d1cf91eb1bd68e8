//! ZSCAN.

use base::{
    Args, Category, CmdError, Command, DataType, Effect, Flag, Group, Holds, KeyFlag, KeySpec,
    Reply, Run, Spec, num,
};
use types::ZSet;

use crate::walk::{Step, reply};

/// Walks over a sorted set in steps.
pub struct ZScan<'a>(Step<'a>);

impl<'a> Command<'a> for ZScan<'a> {
    const SPEC: Spec = Spec {
        name: "zscan",
        group: Group::SortedSet,
        since: "2.8.0",
        summary: "Walks over the members of a sorted set and their scores in steps.",
        complexity: "O(1) for each call, O(N) for a whole walk",
        grammar: "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::SortedSet],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        tips: &["nondeterministic_output"],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Step::parse(args).map(ZScan)
    }
}

/// The score as text. Redis keeps whole numbers of a packed sorted set as integers and shows them
/// here as they are kept: in full, up to 2^62, where other replies turn to powers of ten.
fn text(score: f64, packed: bool) -> Vec<u8> {
    const INTEGERS: f64 = (1u64 << 62) as f64;
    if packed && score.abs() <= INTEGERS && score.fract() == 0.0 {
        return format!("{score:.0}").into_bytes();
    }
    let mut text = Vec::with_capacity(24);
    num::write_f64(&mut text, score);
    text
}

impl<H: Holds<ZSet>> Run<H> for ZScan<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(zset) = host.peek(self.0.key)? else {
            reply(0, &[], out);
            return Ok(Effect::None);
        };
        let options = self.0.options()?;
        let packed = zset.encoding() == "listpack";
        let mut elements = Vec::new();
        let next = options.walk(self.0.cursor, |cursor| {
            let mut seen = 0;
            let next = zset.scan(cursor, &mut |member, score| {
                seen += 1;
                if options.accepts(member) {
                    elements.extend([member.to_vec(), text(score, packed)]);
                }
            });
            (next, seen)
        });
        reply(next, &elements, out);
        Ok(Effect::None)
    }
}
