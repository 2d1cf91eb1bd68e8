//! APPEND.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Key, KeyFlag,
    KeySpec, Reply, Run, Spec, Strings,
};

use super::length::check_length;

/// Appends bytes to the string at `key`; answers the new length.
pub struct Append<'a> {
    key: Key<'a>,
    value: &'a [u8],
}

impl<'a> Command<'a> for Append<'a> {
    const SPEC: Spec = Spec {
        name: "append",
        group: Group::String,
        since: "2.0.0",
        summary: "Appends bytes to a string, created if missing.",
        complexity: "O(1) amortised",
        grammar: "key:key value:string",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        // It may have to move.
        behaviour: Behaviour::NEW.extent(Extent::Whole),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Append { key: args.key()?, value: args.next()? })
    }
}

impl<H: Strings> Run<H> for Append<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let Some(old) = host.string(self.key)?.map(<[u8]>::len) else {
            // A new key is stored as SET would store it, with the encoding its text deserves.
            host.set_string(self.key, self.value, base::Deadline::Clear);
            host.notify(Class::String, "append", self.key);
            out.count(self.value.len());
            return Ok(Effect::AsSent);
        };
        check_length(old, self.value.len(), host)?;
        let length = host.edit_string_within(self.key, old..usize::MAX, |bytes| {
            bytes.extend_from_slice(self.value);
            bytes.len()
        })?;
        host.notify(Class::String, "append", self.key);
        out.count(length);
        Ok(Effect::AsSent)
    }
}
