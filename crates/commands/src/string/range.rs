//! GETRANGE (and its old name SUBSTR), SETRANGE, STRLEN.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Deprecated, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Makes, Reply, Run, Spec, Strings, error, num,
};

use super::length::check_length;

/// A part of the string at `key`; negative positions count from the end.
struct Part<'a> {
    key: Key<'a>,
    start: i64,
    end: i64,
}

impl<'a> Part<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Part { key: args.key()?, start: args.integer()?, end: args.integer()? })
    }

    fn run<H: Strings>(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let bytes = host.string(self.key)?.unwrap_or_default();
        out.bulk(&bytes[resolve(self.start, self.end, bytes.len())]);
        Ok(Effect::None)
    }
}

/// The range of positions `start..=end` of `len` bytes, clamped; empty if they cross.
fn resolve(start: i64, end: i64, len: usize) -> std::ops::Range<usize> {
    if start < 0 && end < 0 && start > end {
        return 0..0;
    }
    let signed = i64::try_from(len).unwrap_or(i64::MAX);
    let from_end = |at: i64| if at < 0 { (signed.saturating_add(at)).max(0) } else { at };
    let (start, end) = (from_end(start), from_end(end).min(signed - 1));
    match (usize::try_from(start), usize::try_from(end)) {
        (Ok(start), Ok(end)) if start <= end && len > 0 => start..end + 1,
        _ => 0..0,
    }
}

/// Answers a part of a string.
pub struct GetRange<'a>(Part<'a>);

impl<'a> Command<'a> for GetRange<'a> {
    const SPEC: Spec = Spec {
        name: "getrange",
        group: Group::String,
        since: "2.4.0",
        summary: "Answers a part of a string.",
        complexity: "O(N), when N is the length of the part",
        grammar: "key:key start:integer end:integer",
        flags: &[Flag::ReadOnly],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Part::parse(args).map(GetRange)
    }
}

impl<H: Strings> Run<H> for GetRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}

/// The old name of GETRANGE.
pub struct Substr<'a>(Part<'a>);

impl<'a> Command<'a> for Substr<'a> {
    const SPEC: Spec = Spec {
        name: "substr",
        group: Group::String,
        since: "1.0.0",
        summary: "Answers a part of a string: the old name of GETRANGE.",
        complexity: "O(N), when N is the length of the part",
        grammar: "key:key start:integer end:integer",
        flags: &[Flag::ReadOnly],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        deprecated: Some(Deprecated { since: "2.0.0", instead: "`GETRANGE`" }),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Part::parse(args).map(Substr)
    }
}

impl<H: Strings> Run<H> for Substr<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(host, out)
    }
}

/// Overwrites a part of a string, padded with zero bytes where it was shorter.
pub struct SetRange<'a> {
    key: Key<'a>,
    offset: usize,
    value: &'a [u8],
}

/// How long it makes the string.
fn end_of(argv: &[&[u8]]) -> usize {
    match argv {
        [_, _, offset, value, ..] if !value.is_empty() => {
            let offset = num::parse_i64(offset).and_then(|n| usize::try_from(n).ok());
            offset.map_or(0, |offset| offset.saturating_add(value.len()))
        }
        _ => 0,
    }
}

impl<'a> Command<'a> for SetRange<'a> {
    const SPEC: Spec = Spec {
        name: "setrange",
        group: Group::String,
        since: "2.2.0",
        summary: "Overwrites a part of a string from an offset on.",
        complexity: "O(N), when N is the length of the value",
        grammar: "key:key offset:integer value:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        behaviour: Behaviour::NEW.makes(Makes::Length(end_of)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, offset, value) = (args.key()?, args.integer()?, args.next()?);
        let offset = usize::try_from(offset).map_err(|_| error::OFFSET_OUT_OF_RANGE)?;
        Ok(SetRange { key, offset, value })
    }
}

impl<H: Strings> Run<H> for SetRange<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let old = host.string(self.key)?.map_or(0, <[u8]>::len);
        if self.value.is_empty() {
            out.count(old);
            return Ok(Effect::None);
        }
        check_length(self.offset, self.value.len(), host)?;
        let end = self.offset + self.value.len();
        let length = host.edit_string_within(self.key, old.min(self.offset)..end, |bytes| {
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[self.offset..end].copy_from_slice(self.value);
            bytes.len()
        })?;
        host.notify(Class::String, "setrange", self.key);
        out.count(length);
        Ok(Effect::AsSent)
    }
}

/// Answers the length of a string.
pub struct StrLen<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for StrLen<'a> {
    const SPEC: Spec = Spec {
        name: "strlen",
        group: Group::String,
        since: "2.2.0",
        summary: "Answers the length of a string.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(StrLen { key: args.key()? })
    }
}

impl<H: Strings> Run<H> for StrLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        out.count(host.string(self.key)?.map_or(0, <[u8]>::len));
        Ok(Effect::None)
    }
}
