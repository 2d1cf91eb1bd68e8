//! SETNX, SETEX, PSETEX: older spellings of what are now options of SET.

use base::{
    Args, Argv, Behaviour, Category, CmdError, Command, Deadline, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Reply, Run, Spec, Strings,
};

use super::expiry::Expiry;
use super::set::notify;

/// Sets a key that does not exist.
pub struct SetNx<'a> {
    key: Key<'a>,
    value: &'a [u8],
}

impl<'a> Command<'a> for SetNx<'a> {
    const SPEC: Spec = Spec {
        name: "setnx",
        group: Group::String,
        since: "1.0.0",
        summary: "Stores a string if the key does not exist.",
        complexity: "O(1)",
        grammar: "key:key value:string",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(SetNx { key: args.key()?, value: args.next()? })
    }
}

impl<H: Strings> Run<H> for SetNx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if host.kind(self.key).is_some() {
            out.int(0);
            return Ok(Effect::None);
        }
        host.set_string(self.key, self.value, Deadline::Clear);
        notify(host, self.key, Deadline::Clear);
        out.int(1);
        Ok(Effect::AsSent)
    }
}

/// A key set with a time to live.
struct Timed<'a> {
    key: Key<'a>,
    value: &'a [u8],
    expiry: Expiry<'a>,
}

impl<'a> Timed<'a> {
    fn parse(mut args: Args<'a>, unit_ms: i64) -> Result<Self, CmdError> {
        let (key, text, value) = (args.key()?, args.next()?, args.next()?);
        Ok(Timed { key, value, expiry: Expiry::Time { text, unit_ms, absolute: false } })
    }

    fn run<H: Strings>(
        self,
        name: &str,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let deadline = self.expiry.deadline(host.now(), name)?;
        host.set_string(self.key, self.value, deadline);
        notify(host, self.key, deadline);
        out.ok();
        let Deadline::At(at) = deadline else { return Ok(Effect::AsSent) };
        let mut argv = Argv::new(&[b"SET", self.key.bytes, self.value, b"PXAT"]);
        argv.push_int(i64::try_from(at).unwrap_or(i64::MAX));
        Ok(Effect::Rewritten(argv))
    }
}

/// Sets a key for some seconds.
pub struct SetEx<'a>(Timed<'a>);

impl<'a> Command<'a> for SetEx<'a> {
    const SPEC: Spec = Spec {
        name: "setex",
        group: Group::String,
        since: "2.0.0",
        summary: "Stores a string for some seconds.",
        complexity: "O(1)",
        grammar: "key:key seconds:integer value:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update])],
        behaviour: Behaviour::NEW.from_now(|_| true),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Timed::parse(args, 1000).map(SetEx)
    }
}

impl<H: Strings> Run<H> for SetEx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run("setex", host, out)
    }
}

/// Sets a key for some milliseconds.
pub struct PSetEx<'a>(Timed<'a>);

impl<'a> Command<'a> for PSetEx<'a> {
    const SPEC: Spec = Spec {
        name: "psetex",
        group: Group::String,
        since: "2.6.0",
        summary: "Stores a string for some milliseconds.",
        complexity: "O(1)",
        grammar: "key:key milliseconds:integer value:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update])],
        behaviour: Behaviour::NEW.from_now(|_| true),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Timed::parse(args, 1).map(PSetEx)
    }
}

impl<H: Strings> Run<H> for PSetEx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run("psetex", host, out)
    }
}
