//! BITPOS.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Strings, error,
};

use super::find;
use super::span::{Span, Unit};

const BAD_BIT: CmdError = CmdError::new("ERR The bit argument must be 1 or 0.");

/// Finds the first bit that is set or clear. As in Redis, the part is read after the key was
/// looked up: a missing key answers whatever it is.
pub struct BitPos<'a> {
    key: Key<'a>,
    bit: bool,
    part: Args<'a>,
}

impl<'a> Command<'a> for BitPos<'a> {
    const SPEC: Spec = Spec {
        name: "bitpos",
        group: Group::Bitmap,
        since: "2.8.7",
        summary: "Finds the first set or clear bit of a string or a part of it.",
        complexity: "O(N), when N is the length of the part",
        grammar: "key:key bit:integer [index={start:integer [end_index={end:integer \
                  [index_unit=(BYTE | BIT) @7.0.0]}]}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Bitmap],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        history: &[("7.0.0", "`BYTE`, `BIT`.")],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let bit = match args.integer()? {
            0 => false,
            1 => true,
            _ => return Err(BAD_BIT),
        };
        Ok(BitPos { key, bit, part: args })
    }
}

impl<H: Strings> Run<H> for BitPos<'_> {
    fn run(mut self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(bytes) = host.string(self.key)? else {
            // A missing key is an endless row of zeros.
            out.int(if self.bit { -1 } else { 0 });
            return Ok(Effect::None);
        };
        let (span, is_open) = part(&mut self.part, bytes.len())?;
        match span {
            None => out.int(-1),
            Some(span) => match find::first(bytes, span, self.bit) {
                Some(at) => out.count(at),
                // Without an end, zeros go on behind the string.
                None if is_open && !self.bit => out.count(bytes.len() * 8),
                None => out.int(-1),
            },
        }
        Ok(Effect::None)
    }
}

/// The part to search in, and whether it has no end of its own.
fn part(args: &mut Args<'_>, length: usize) -> Result<(Option<Span>, bool), CmdError> {
    let given = args.left();
    if given > 3 {
        return Err(error::SYNTAX);
    }
    let start = if given > 0 { args.integer()? } else { 0 };
    // The unit is read before the end, as in Redis: that decides which error comes first.
    let unit = match args.rest() {
        [_, unit] => Unit::parse(unit)?,
        _ => Unit::Byte,
    };
    let end = if given > 1 { args.integer()? } else { -1 };
    Ok((Span::of(start, end, length, unit), given < 2))
}
