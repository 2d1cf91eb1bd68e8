//! LPUSH, RPUSH, LPUSHX, RPUSHX.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec,
    Reply, Run, Spec,
};
use types::{End, List};

/// Elements to add at one end.
struct Push<'a> {
    key: Key<'a>,
    elements: &'a [&'a [u8]],
}

impl<'a> Push<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Push { key: args.key()?, elements: args.rest() })
    }

    fn run<H: Holds<List>>(
        self,
        end: End,
        only_existing: bool,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let limits = host.limits();
        let push = |list: &mut List| {
            for element in self.elements {
                list.push(end, element, &limits);
            }
            list.len()
        };
        let length = match only_existing {
            true => host.edit_existing(self.key, push)?,
            false => Some(host.edit(self.key, push)?),
        };
        if length.is_some() {
            let event = if end == End::Head { "lpush" } else { "rpush" };
            host.notify(Class::List, event, self.key);
        }
        out.count(length.unwrap_or(0));
        Ok(if length.is_some() { Effect::AsSent } else { Effect::None })
    }
}

macro_rules! push {
    ($(#[$doc:meta])* $name:ident, $end:expr, $only_existing:literal) => {
        $(#[$doc])*
        pub struct $name<'a>(Push<'a>);

        impl<H: Holds<List>> Run<H> for $name<'_> {
            fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
                self.0.run($end, $only_existing, host, out)
            }
        }
    };
}

push! {
    /// Adds elements at the head; the last one given ends up first.
    LPush, End::Head, false
}
push! {
    /// Adds elements at the tail.
    RPush, End::Tail, false
}
push! {
    /// Adds elements at the head of a list that exists.
    LPushX, End::Head, true
}
push! {
    /// Adds elements at the tail of a list that exists.
    RPushX, End::Tail, true
}

/// What the four have in common.
const PUSH: Spec = Spec {
    group: Group::List,
    complexity: "O(1) for each element",
    grammar: "key:key element:string...",
    flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
    categories: &[Category::List],
    keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
    ..Spec::NEW
};

impl<'a> Command<'a> for LPush<'a> {
    const SPEC: Spec = Spec {
        name: "lpush",
        since: "1.0.0",
        summary: "Adds elements at the head of a list.",
        history: &[("2.4.0", "Several elements at a time.")],
        ..PUSH
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Push::parse(args).map(LPush)
    }
}

impl<'a> Command<'a> for RPush<'a> {
    const SPEC: Spec = Spec {
        name: "rpush",
        since: "1.0.0",
        summary: "Adds elements at the tail of a list.",
        history: &[("2.4.0", "Several elements at a time.")],
        ..PUSH
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Push::parse(args).map(RPush)
    }
}

impl<'a> Command<'a> for LPushX<'a> {
    const SPEC: Spec = Spec {
        name: "lpushx",
        since: "2.2.0",
        summary: "Adds elements at the head of a list, if it exists.",
        history: &[("4.0.0", "Several elements at a time.")],
        ..PUSH
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Push::parse(args).map(LPushX)
    }
}

impl<'a> Command<'a> for RPushX<'a> {
    const SPEC: Spec = Spec {
        name: "rpushx",
        since: "2.2.0",
        summary: "Adds elements at the tail of a list, if it exists.",
        history: &[("4.0.0", "Several elements at a time.")],
        ..PUSH
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Push::parse(args).map(RPushX)
    }
}
