//! BITCOUNT.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Strings, error,
};

use super::popcount;
use super::span::{Span, Unit};

/// Counts the bits that are set. As in Redis, a missing key is 0 whatever the other arguments
/// are, so they are read after it.
pub struct BitCount<'a> {
    key: Key<'a>,
    part: Args<'a>,
}

impl<'a> Command<'a> for BitCount<'a> {
    const SPEC: Spec = Spec {
        name: "bitcount",
        group: Group::Bitmap,
        since: "2.6.0",
        summary: "Counts the bits that are set in a string or a part of it.",
        complexity: "O(N), when N is the length of the part",
        grammar: "key:key [index={start:integer end:integer [index_unit=(BYTE | BIT) @7.0.0]}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Bitmap],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("7.0.0", "`BYTE`, `BIT`.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(BitCount { key: args.key()?, part: args })
    }
}

impl<H: Strings> Run<H> for BitCount<'_> {
    fn run(mut self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let count = match host.string(self.key)? {
            Some(bytes) => {
                part(&mut self.part, bytes.len())?.map_or(0, |span| popcount::count(bytes, span))
            }
            None => 0,
        };
        out.int(i64::try_from(count).unwrap_or(i64::MAX));
        Ok(Effect::None)
    }
}

fn part(args: &mut Args<'_>, length: usize) -> Result<Option<Span>, CmdError> {
    if args.left() == 0 {
        return Ok(Span::of(0, -1, length, Unit::Byte));
    }
    if !(2..=3).contains(&args.left()) {
        return Err(error::SYNTAX);
    }
    let (start, end) = (args.integer()?, args.integer()?);
    if start < 0 && end < 0 && start > end {
        return Ok(None); // before the unit is read
    }
    let unit = args.take().map_or(Ok(Unit::Byte), Unit::parse)?;
    Ok(Span::of(start, end, length, unit))
}
