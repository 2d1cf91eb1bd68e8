//! The sets that union, intersection and difference read, and where results go.

use base::{
    Args, Behaviour, Category, Class, CmdError, Deadline, Effect, Flag, Group, Holds, Key, KeyFlag,
    KeySpec, Reply, Spec, Stores,
};
use types::{Set, set::Member};

/// What the operations that answer their result have in common.
pub(super) const ANSWERING: Spec = Spec {
    group: Group::Set,
    grammar: "key:key...",
    flags: &[Flag::ReadOnly],
    categories: &[Category::Set],
    keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
    tips: &["nondeterministic_output_order"],
    ..Spec::NEW
};

/// What the operations that store their result have in common.
pub(super) const STORING: Spec = Spec {
    group: Group::Set,
    grammar: "destination:key key:key#1...",
    flags: &[Flag::Write, Flag::DenyOom],
    categories: &[Category::Set],
    keys: &[
        KeySpec::one(1, &[KeyFlag::Overwrite, KeyFlag::Update]),
        KeySpec::range(2, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
    ],
    behaviour: Behaviour::NEW.stores(Stores::Derived),
    ..Spec::NEW
};

/// The keys of the sets an operation reads.
pub(super) struct Sources<'a>(pub Vec<Key<'a>>);

impl<'a> Sources<'a> {
    /// All remaining arguments.
    pub fn parse(args: &mut Args<'a>) -> Self {
        Sources(args.keys_to_end())
    }

    /// The sets; `None` where there is no key.
    ///
    /// # Errors
    /// Any of the keys holds another type, even if no set could change the result any more.
    pub fn sets<'h, H: Holds<Set>>(&self, host: &'h H) -> Result<Vec<Option<&'h Set>>, CmdError> {
        let set = |key: &Key<'a>| {
            host.notify_if_missing(*key);
            host.peek(*key)
        };
        self.0.iter().map(set).collect()
    }
}

/// A destination and the sources, as the storing variants take them.
pub(super) struct Storing<'a> {
    pub destination: Key<'a>,
    pub sources: Sources<'a>,
}

impl<'a> Storing<'a> {
    /// # Errors
    /// There is no argument.
    pub fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Storing { destination: args.key()?, sources: Sources::parse(&mut args) })
    }

    /// Puts the result in place of whatever the destination holds and answers its size; an empty
    /// one removes the destination. `event` is told if there is a result.
    pub fn store<H: Holds<Set>>(
        self,
        event: &'static str,
        result: Set,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Effect {
        let members = result.len();
        out.count(members);
        if members == 0 {
            let removed = host.remove(self.destination, true);
            if removed {
                host.notify(Class::Generic, "del", self.destination);
            }
            return if removed { Effect::AsSent } else { Effect::None };
        }
        host.put(self.destination, result, Deadline::Clear);
        host.notify(Class::Set, event, self.destination);
        Effect::AsSent
    }
}

/// Answers a result.
pub(super) fn reply<'m>(members: impl ExactSizeIterator<Item = Member<'m>>, out: &mut dyn Reply) {
    out.set(members.len());
    members.for_each(|member| out.bulk(&member.text()));
}
