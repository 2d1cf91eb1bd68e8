//! SET.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Extent, Flag,
    Group, Key, KeyFlag, KeyRules, KeySpec, Property, Reply, Run, Spec, Strings, behaviour, error,
};

use super::expiry::Expiry;

/// Sets `key` to `value`, whatever it held before. A previous time to live is dropped unless
/// `KEEPTTL` is given.
pub struct Set<'a> {
    key: Key<'a>,
    value: &'a [u8],
    condition: Option<Condition>,
    get: bool,
    expiry: Option<Expiry<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    IfMissing,
    IfPresent,
}

/// Without `GET` the old value is not read.
fn key_flags(_: &KeySpec, argv: &[&[u8]]) -> &'static [KeyFlag] {
    match behaviour::says(argv, 3, &["GET"]) {
        true => &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update],
        false => &[KeyFlag::Overwrite, KeyFlag::Update],
    }
}

impl<'a> Command<'a> for Set<'a> {
    const SPEC: Spec = Spec {
        name: "set",
        group: Group::String,
        since: "1.0.0",
        summary: "Stores a string at a key, replacing what was there.",
        complexity: "O(1)",
        grammar: "key:key value:string [condition=(NX | XX) @2.6.12] [GET @6.2.0] \
                  [expiration=(EX seconds:integer @2.6.12 | PX milliseconds:integer @2.6.12 | \
                  EXAT unix-time-seconds:unix-time @6.2.0 | PXAT \
                  unix-time-milliseconds:unix-time @6.2.0 | KEEPTTL @6.0.0)]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::String],
        keys: &[KeySpec::one(
            1,
            &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update, KeyFlag::VariableFlags],
        )],
        history: &[
            ("2.6.12", "`EX`, `PX`, `NX`, `XX`."),
            ("6.0.0", "`KEEPTTL`."),
            ("6.2.0", "`GET`, `EXAT`, `PXAT`."),
            ("7.0.0", "`NX` and `GET` may go together."),
        ],
        alias: "setb",
        behaviour: Behaviour::NEW
            .properties(&[Property::StoresString])
            .key_rules(KeyRules { flags: key_flags, ..KeyRules::NEW })
            .from_now(|argv| behaviour::says(argv, 3, &["EX", "PX"]))
            .extent(Extent::Elements(|argv| usize::from(behaviour::says(argv, 3, &["GET"])))),
        ..Spec::NEW
    };

    #[inline]
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, value) = (args.key()?, args.next()?);
        let mut set = Set { key, value, condition: None, get: false, expiry: None };
        while args.left() > 0 {
            set.option(&mut args)?;
        }
        Ok(set)
    }
}

impl<'a> Set<'a> {
    fn option(&mut self, args: &mut Args<'a>) -> Result<(), CmdError> {
        let once = |condition: &mut Option<Condition>, new| match condition {
            Some(old) if *old != new => Err(error::SYNTAX),
            _ => {
                *condition = Some(new);
                Ok(())
            }
        };
        if args.token("NX") {
            return once(&mut self.condition, Condition::IfMissing);
        }
        if args.token("XX") {
            return once(&mut self.condition, Condition::IfPresent);
        }
        if args.token("GET") {
            self.get = true;
            return Ok(());
        }
        self.expiry = Expiry::take(args, ("KEEPTTL", Expiry::Keep), self.expiry)?;
        Ok(())
    }
}

impl<H: Strings> Run<H> for Set<'_> {
    #[inline]
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let deadline = match self.expiry {
            None => Deadline::Clear,
            Some(expiry) => expiry.deadline(host.now(), "set")?,
        };
        if self.get {
            return self.run_with_get(host, deadline, out);
        }
        if self.refused(host) {
            out.null();
            return Ok(Effect::None);
        }
        host.set_string(self.key, self.value, deadline);
        notify(host, self.key, deadline);
        out.ok();
        Ok(self.effect(deadline))
    }
}

/// Tells that a key was set and, if so, given a deadline.
#[inline]
pub(super) fn notify<H: Strings>(host: &mut H, key: Key<'_>, deadline: Deadline) {
    host.notify(Class::String, "set", key);
    if let Deadline::At(_) = deadline {
        host.notify(Class::Generic, "expire", key);
    }
}

impl Set<'_> {
    /// Whether NX or XX forbids it.
    #[inline]
    fn refused<H: Strings>(&self, host: &H) -> bool {
        match self.condition {
            None => false,
            Some(Condition::IfMissing) => host.kind(self.key).is_some(),
            Some(Condition::IfPresent) => host.kind(self.key).is_none(),
        }
    }

    fn run_with_get<H: Strings>(
        self,
        host: &mut H,
        deadline: Deadline,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        host.notify_if_missing(self.key);
        let old = host.string(self.key)?.map(<[u8]>::to_vec);
        let refused = self.refused(host);
        if !refused {
            host.set_string(self.key, self.value, deadline);
            notify(host, self.key, deadline);
        }
        out.bulk_or_null(old.as_deref());
        Ok(if refused { Effect::None } else { self.effect(deadline) })
    }

    /// A relative deadline is remembered as the absolute one it became.
    fn effect(&self, deadline: Deadline) -> Effect {
        match deadline {
            Deadline::At(at) => {
                let mut argv = Argv::new(&[b"SET", self.key.bytes, self.value, b"PXAT"]);
                argv.push_int(i64::try_from(at).unwrap_or(i64::MAX));
                Effect::Rewritten(argv)
            }
            Deadline::Clear | Deadline::Keep => Effect::AsSent,
        }
    }
}
