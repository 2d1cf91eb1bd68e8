//! INCR, DECR, INCRBY, DECRBY: one addition under four names.

use base::{
    Args, Category, Class, CmdError, Command, Deadline, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Reply, Run, Spec, Strings, error, num,
};

/// Adds to the integer at `key`; answers the sum.
struct Addition<'a> {
    key: Key<'a>,
    by: i64,
}

impl Addition<'_> {
    fn run<H: Strings>(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let old = match host.string(self.key)? {
            Some(text) => num::parse_i64(text).ok_or(error::NOT_INTEGER)?,
            None => 0,
        };
        let sum = old.checked_add(self.by).ok_or(error::OVERFLOW)?;
        let mut text = itoa::Buffer::new();
        host.set_string(self.key, text.format(sum).as_bytes(), Deadline::Keep);
        host.notify(Class::String, "incrby", self.key);
        out.int(sum);
        Ok(Effect::AsSent)
    }
}

macro_rules! addition {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<'a>(Addition<'a>);

        impl<H: Strings> Run<H> for $name<'_> {
            fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
                self.0.run(host, out)
            }
        }
    };
}

addition! {
    /// Adds one.
    Incr
}
addition! {
    /// Subtracts one.
    Decr
}
addition! {
    /// Adds a number.
    IncrBy
}
addition! {
    /// Subtracts a number.
    DecrBy
}

impl<'a> Command<'a> for Incr<'a> {
    const SPEC: Spec = Spec {
        name: "incr",
        group: Group::String,
        since: "1.0.0",
        summary: "Adds one to the integer at a key.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Incr(Addition { key: args.key()?, by: 1 }))
    }
}

impl<'a> Command<'a> for Decr<'a> {
    const SPEC: Spec = Spec {
        name: "decr",
        group: Group::String,
        since: "1.0.0",
        summary: "Subtracts one from the integer at a key.",
        complexity: "O(1)",
        grammar: "key:key",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Decr(Addition { key: args.key()?, by: -1 }))
    }
}

impl<'a> Command<'a> for IncrBy<'a> {
    const SPEC: Spec = Spec {
        name: "incrby",
        group: Group::String,
        since: "1.0.0",
        summary: "Adds a number to the integer at a key.",
        complexity: "O(1)",
        grammar: "key:key increment:integer",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(IncrBy(Addition { key: args.key()?, by: args.integer()? }))
    }
}

impl<'a> Command<'a> for DecrBy<'a> {
    const SPEC: Spec = Spec {
        name: "decrby",
        group: Group::String,
        since: "1.0.0",
        summary: "Subtracts a number from the integer at a key.",
        complexity: "O(1)",
        grammar: "key:key decrement:integer",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::String],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, by) = (args.key()?, args.integer()?);
        let by = by.checked_neg().ok_or(error::DECR_OVERFLOW)?;
        Ok(DecrBy(Addition { key, by }))
    }
}
