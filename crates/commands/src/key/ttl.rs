//! TTL, PTTL, EXPIRETIME, PEXPIRETIME: when a key dies.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Key, KeyFlag, KeySpec, Millis, Reply, Run,
    Spec, Types,
};

/// Answered for a missing key.
const MISSING: i64 = -2;
/// Answered for a key that lives for ever.
const FOR_EVER: i64 = -1;

fn answer<H: Types>(
    host: &mut H,
    key: Key<'_>,
    out: &mut dyn Reply,
    show: fn(Millis, Millis) -> Millis,
) -> Result<Effect, CmdError> {
    let now = host.now();
    out.int(match host.deadline(key) {
        None => MISSING,
        Some(None) => FOR_EVER,
        Some(Some(at)) => i64::try_from(show(at, now)).unwrap_or(i64::MAX),
    });
    Ok(Effect::None)
}

macro_rules! lifetime {
    ($(#[$doc:meta])* $name:ident, $show:expr) => {
        $(#[$doc])*
        pub struct $name<'a> {
            key: Key<'a>,
        }

        impl<H: Types> Run<H> for $name<'_> {
            fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
                answer(host, self.key, out, $show)
            }
        }
    };
}

lifetime! {
    /// Seconds left, rounded.
    Ttl, |at, now| (at.saturating_sub(now) + 500) / 1000
}
lifetime! {
    /// Milliseconds left.
    PTtl, |at, now| at.saturating_sub(now)
}
lifetime! {
    /// The deadline in seconds since the epoch, rounded.
    ExpireTime, |at, _| (at.saturating_add(500)) / 1000
}
lifetime! {
    /// The deadline in milliseconds since the epoch.
    PExpireTime, |at, _| at
}

/// What the four have in common.
const LIFETIME: Spec = Spec {
    grammar: "key:key",
    flags: &[Flag::ReadOnly, Flag::Fast],
    categories: &[Category::Keyspace],
    keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
    ..Spec::NEW
};

impl<'a> Command<'a> for Ttl<'a> {
    const SPEC: Spec = Spec {
        name: "ttl",
        since: "1.0.0",
        summary: "Answers the seconds a key has left to live.",
        tips: &["nondeterministic_output"],
        history: &[("2.8.0", "-2 for a missing key.")],
        ..LIFETIME
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Ttl { key: args.key()? })
    }
}

impl<'a> Command<'a> for PTtl<'a> {
    const SPEC: Spec = Spec {
        name: "pttl",
        since: "2.6.0",
        summary: "Answers the milliseconds a key has left to live.",
        tips: &["nondeterministic_output"],
        history: &[("2.8.0", "-2 for a missing key.")],
        ..LIFETIME
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PTtl { key: args.key()? })
    }
}

impl<'a> Command<'a> for ExpireTime<'a> {
    const SPEC: Spec = Spec {
        name: "expiretime",
        since: "7.0.0",
        summary: "Answers a key's deadline in seconds since the epoch.",
        ..LIFETIME
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(ExpireTime { key: args.key()? })
    }
}

impl<'a> Command<'a> for PExpireTime<'a> {
    const SPEC: Spec = Spec {
        name: "pexpiretime",
        since: "7.0.0",
        summary: "Answers a key's deadline in milliseconds since the epoch.",
        ..LIFETIME
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PExpireTime { key: args.key()? })
    }
}
