//! EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT: one deadline under four spellings; PERSIST.

use base::{
    Args, Argv, Category, Class, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Millis, Reply, Run, Spec, Types, error, num,
};

/// Gives `key` a deadline.
struct Expire<'a> {
    key: Key<'a>,
    number: &'a [u8],
    conditions: Conditions,
}

/// When the deadline may be set.
#[derive(Clone, Copy, Default)]
struct Conditions {
    /// Only if the key has none.
    if_none: bool,
    /// Only if the key has one.
    if_any: bool,
    /// Only if the new one is later.
    if_later: bool,
    /// Only if the new one is earlier.
    if_earlier: bool,
}

impl Conditions {
    fn parse(args: &mut Args<'_>) -> Result<Self, CmdError> {
        let mut conditions = Conditions::default();
        while let Some(word) = args.peek() {
            if args.token("NX") {
                conditions.if_none = true;
            } else if args.token("XX") {
                conditions.if_any = true;
            } else if args.token("GT") {
                conditions.if_later = true;
            } else if args.token("LT") {
                conditions.if_earlier = true;
            } else {
                return Err(CmdError::quoting("ERR Unsupported option ", word, ""));
            }
        }
        if conditions.if_none && (conditions.if_any || conditions.if_later || conditions.if_earlier)
        {
            return Err(CmdError::new(
                "ERR NX and XX, GT or LT options at the same time are not compatible",
            ));
        }
        if conditions.if_later && conditions.if_earlier {
            return Err(CmdError::new("ERR GT and LT options at the same time are not compatible"));
        }
        Ok(conditions)
    }

    /// Whether `new` may replace `old`; no deadline counts as infinitely late.
    fn allow(self, old: Option<Millis>, new: i64) -> bool {
        let later = |old: Millis| i64::try_from(old).is_ok_and(|old| new > old);
        let earlier = |old: Millis| i64::try_from(old).is_ok_and(|old| new < old);
        match old {
            None => !self.if_any && !self.if_later,
            Some(old) => {
                !self.if_none
                    && (!self.if_later || later(old))
                    && (!self.if_earlier || earlier(old))
            }
        }
    }
}

impl<'a> Expire<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, number) = (args.key()?, args.next()?);
        Ok(Expire { key, number, conditions: Conditions::parse(&mut args)? })
    }

    fn run<H: Types>(
        self,
        (name, unit_ms, absolute): (&str, i64, bool),
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let number = num::parse_i64(self.number).ok_or(error::NOT_INTEGER)?;
        let invalid = || error::invalid_expire(name);
        let time = number.checked_mul(unit_ms).ok_or_else(invalid)?;
        let base = if absolute { 0 } else { i64::try_from(host.now()).unwrap_or(i64::MAX) };
        let at = time.checked_add(base).ok_or_else(invalid)?;
        let Some(old) = host.deadline(self.key) else {
            out.int(0);
            return Ok(Effect::None);
        };
        if !self.conditions.allow(old, at) {
            out.int(0);
            return Ok(Effect::None);
        }
        out.int(1);
        match Millis::try_from(at) {
            Ok(deadline) if deadline > host.now() => {
                host.set_deadline(self.key, Some(deadline));
                host.notify(Class::Generic, "expire", self.key);
                let mut argv = Argv::new(&[b"PEXPIREAT", self.key.bytes]);
                argv.push_int(at);
                Ok(Effect::Rewritten(argv))
            }
            // A deadline in the past removes the key at once.
            _ => {
                host.remove(self.key, false);
                host.notify(Class::Generic, "del", self.key);
                Ok(Effect::Rewritten(Argv::new(&[b"DEL", self.key.bytes])))
            }
        }
    }
}

/// What the four have in common.
const SPELLING: Spec = Spec {
    flags: &[Flag::Write, Flag::Fast],
    categories: &[Category::Keyspace],
    keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
    history: &[("7.0.0", "`NX`, `XX`, `GT`, `LT`.")],
    ..Spec::NEW
};

macro_rules! spelling {
    ($(#[$doc:meta])* $name:ident, $text:literal, $unit:literal, $absolute:literal) => {
        $(#[$doc])*
        pub struct $name<'a>(Expire<'a>);

        impl<H: Types> Run<H> for $name<'_> {
            fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
                self.0.run(($text, $unit, $absolute), host, out)
            }
        }
    };
}

spelling! {
    /// Seconds from now.
    ExpireIn, "expire", 1000, false
}
spelling! {
    /// Milliseconds from now.
    PExpire, "pexpire", 1, false
}
spelling! {
    /// Seconds since the epoch.
    ExpireAt, "expireat", 1000, true
}
spelling! {
    /// Milliseconds since the epoch.
    PExpireAt, "pexpireat", 1, true
}

impl<'a> Command<'a> for ExpireIn<'a> {
    const SPEC: Spec = Spec {
        name: "expire",
        since: "1.0.0",
        summary: "Gives a key a time to live in seconds.",
        grammar: "key:key seconds:integer [condition=(NX | XX | GT | LT) @7.0.0]",
        behaviour: SPELLING.behaviour.from_now(|_| true),
        ..SPELLING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Expire::parse(args).map(ExpireIn)
    }
}

impl<'a> Command<'a> for PExpire<'a> {
    const SPEC: Spec = Spec {
        name: "pexpire",
        since: "2.6.0",
        summary: "Gives a key a time to live in milliseconds.",
        grammar: "key:key milliseconds:integer [condition=(NX | XX | GT | LT) @7.0.0]",
        behaviour: SPELLING.behaviour.from_now(|_| true),
        ..SPELLING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Expire::parse(args).map(PExpire)
    }
}

impl<'a> Command<'a> for ExpireAt<'a> {
    const SPEC: Spec = Spec {
        name: "expireat",
        since: "1.2.0",
        summary: "Gives a key a deadline in seconds since the epoch.",
        grammar: "key:key unix-time-seconds:unix-time [condition=(NX | XX | GT | LT) @7.0.0]",
        ..SPELLING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Expire::parse(args).map(ExpireAt)
    }
}

impl<'a> Command<'a> for PExpireAt<'a> {
    const SPEC: Spec = Spec {
        name: "pexpireat",
        since: "2.6.0",
        summary: "Gives a key a deadline in milliseconds since the epoch.",
        grammar: "key:key unix-time-milliseconds:unix-time [condition=(NX | XX | GT | LT) \
                  @7.0.0]",
        ..SPELLING
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Expire::parse(args).map(PExpireAt)
    }
}

/// Takes the deadline away.
pub struct Persist<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Persist<'a> {
    const SPEC: Spec = Spec {
        name: "persist",
        group: Group::Generic,
        since: "2.2.0",
        summary: "Takes the time to live away from a key.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Keyspace],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Persist { key: args.key()? })
    }
}

impl<H: Types> Run<H> for Persist<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(Some(_)) = host.deadline(self.key) {
            host.set_deadline(self.key, None);
            host.notify(Class::Generic, "persist", self.key);
            out.int(1);
            return Ok(Effect::AsSent);
        }
        out.int(0);
        Ok(Effect::None)
    }
}
