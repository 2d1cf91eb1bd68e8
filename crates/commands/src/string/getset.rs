//! GETSET, GETDEL, GETEX: answer the string, then change the key.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Deadline, Deprecated, Effect,
    Extent, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run, Spec, Strings, behaviour,
};

use super::expiry::Expiry;
use super::set::notify;

/// Replaces the string; answers the old one.
pub struct GetSet<'a> {
    key: Key<'a>,
    value: &'a [u8],
}

impl<'a> Command<'a> for GetSet<'a> {
    const SPEC: Spec = Spec {
        name: "getset",
        group: Group::String,
        since: "1.0.0",
        summary: "Replaces a string and answers the previous one.",
        complexity: "O(1)",
        grammar: "key:key value:string",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        deprecated: Some(Deprecated { since: "6.2.0", instead: "`SET` with `GET`" }),
        behaviour: Behaviour::NEW.extent(Extent::Whole),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GetSet { key: args.key()?, value: args.next()? })
    }
}

impl<H: Strings> Run<H> for GetSet<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.notify_if_missing(self.key);
        let old = host.string(self.key)?.map(<[u8]>::to_vec);
        host.set_string(self.key, self.value, Deadline::Clear);
        notify(host, self.key, Deadline::Clear);
        out.bulk_or_null(old.as_deref());
        Ok(Effect::Rewritten(Argv::new(&[b"SET", self.key.bytes, self.value])))
    }
}

/// Answers the string and removes the key.
pub struct GetDel<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for GetDel<'a> {
    const SPEC: Spec = Spec {
        name: "getdel",
        group: Group::String,
        since: "6.2.0",
        summary: "Answers a string and removes its key.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        behaviour: Behaviour::NEW.extent(Extent::Whole),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(GetDel { key: args.key()? })
    }
}

impl<H: Strings> Run<H> for GetDel<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.notify_if_missing(self.key);
        let Some(old) = host.string(self.key)?.map(<[u8]>::to_vec) else {
            out.null();
            return Ok(Effect::None);
        };
        host.remove(self.key, false);
        host.notify(Class::Generic, "del", self.key);
        out.bulk(&old);
        Ok(Effect::Rewritten(Argv::new(&[b"DEL", self.key.bytes])))
    }
}

/// Answers the string and changes the key's time to live.
pub struct GetEx<'a> {
    key: Key<'a>,
    expiry: Option<Expiry<'a>>,
}

impl<'a> Command<'a> for GetEx<'a> {
    const SPEC: Spec = Spec {
        name: "getex",
        group: Group::String,
        since: "6.2.0",
        summary: "Answers a string and changes its time to live.",
        complexity: "O(1)",
        grammar: "key:key [expiration=(EX seconds:integer | PX milliseconds:integer | \
                  EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | \
                  PERSIST)]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW
            .from_now(|argv| behaviour::says(argv, 2, &["EX", "PX"]))
            .extent(Extent::Whole),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let mut getex = GetEx { key: args.key()?, expiry: None };
        while args.left() > 0 {
            getex.expiry = Expiry::take(&mut args, ("PERSIST", Expiry::Persist), getex.expiry)?;
        }
        Ok(getex)
    }
}

impl<H: Strings> Run<H> for GetEx<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.notify_if_missing(self.key);
        let Some(value) = host.string(self.key)?.map(<[u8]>::to_vec) else {
            out.null();
            return Ok(Effect::None);
        };
        let effect = match self.expiry {
            None => Effect::None,
            Some(expiry) => match expiry.deadline(host.now(), "getex")? {
                Deadline::At(at) if at <= host.now() => {
                    host.remove(self.key, false);
                    host.notify(Class::Generic, "del", self.key);
                    Effect::Rewritten(Argv::new(&[b"DEL", self.key.bytes]))
                }
                Deadline::At(at) => {
                    host.set_deadline(self.key, Some(at));
                    host.notify(Class::Generic, "expire", self.key);
                    let mut argv = Argv::new(&[b"PEXPIREAT", self.key.bytes]);
                    argv.push_int(i64::try_from(at).unwrap_or(i64::MAX));
                    Effect::Rewritten(argv)
                }
                Deadline::Keep | Deadline::Clear => match host.deadline(self.key) {
                    Some(Some(_)) => {
                        host.set_deadline(self.key, None);
                        host.notify(Class::Generic, "persist", self.key);
                        Effect::Rewritten(Argv::new(&[b"PERSIST", self.key.bytes]))
                    }
                    _ => Effect::None,
                },
            },
        };
        out.bulk(&value);
        Ok(effect)
    }
}
