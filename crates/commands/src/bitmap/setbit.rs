//! SETBIT.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Flag, Group, Key, KeyFlag,
    KeySpec, Makes, Reply, Run, Spec, Strings, num,
};

use super::offset;

const BAD_BIT: CmdError = CmdError::new("ERR bit is not an integer or out of range");

/// Sets or clears one bit; answers what it was.
pub struct SetBit<'a> {
    key: Key<'a>,
    offset: &'a [u8],
    bit: &'a [u8],
}

impl<'a> Command<'a> for SetBit<'a> {
    const SPEC: Spec = Spec {
        name: "setbit",
        group: Group::Bitmap,
        since: "2.2.0",
        summary: "Sets or clears a bit of a string, which grows to reach it.",
        complexity: "O(1)",
        grammar: "key:key offset:integer value:integer",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Bitmap],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.makes(Makes::Length(|argv| offset::length_to(argv, 2, None))),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SetBit { key: args.key()?, offset: args.next()?, bit: args.next()? })
    }
}

impl<H: Strings> Run<H> for SetBit<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let at = offset::parse(self.offset, None, host.limits().string_max)?;
        let on = match num::parse_i64(self.bit) {
            Some(0) => false,
            Some(1) => true,
            _ => return Err(BAD_BIT),
        };
        let (byte, mask) = (offset::byte_of(at), offset::mask_of(at));
        let old = host.string(self.key)?.unwrap_or_default();
        if old.get(byte).is_some_and(|b| (b & mask != 0) == on) && offset::is_raw_anyway(old.len())
        {
            out.int(i64::from(on));
            return Ok(Effect::None);
        }
        let (was, changed) = host.edit_string_within(self.key, byte..byte + 1, |bytes| {
            let grown = offset::grow(bytes, byte + 1);
            let was = bytes[byte] & mask != 0;
            if on {
                bytes[byte] |= mask;
            } else {
                bytes[byte] &= !mask;
            }
            (was, grown || was != on)
        })?;
        if changed {
            host.notify(Class::String, "setbit", self.key);
        }
        out.int(i64::from(was));
        Ok(if changed { Effect::AsSent } else { Effect::None })
    }
}
