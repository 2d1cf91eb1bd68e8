//! SPOP.

use base::{
    Args, Argv, Behaviour, Category, Class, CmdError, Command, Effect, Extent, Flag, Group, Holds,
    Key, KeyFlag, KeySpec, Reply, Rng, Run, Spec, count_at, error,
};
use types::Set;

/// Removes members drawn at random and answers them: one, or a number of them.
pub struct SPop<'a> {
    key: Key<'a>,
    count: Option<usize>,
}

/// Members that one remembered SREM names at most, to keep requests of a reasonable size.
const BATCH: usize = 1024;

impl<'a> Command<'a> for SPop<'a> {
    const SPEC: Spec = Spec {
        name: "spop",
        group: Group::Set,
        since: "1.0.0",
        summary: "Removes members of a set drawn at random, and answers them.",
        complexity: "O(N), when N is the number of members removed",
        grammar: "key:key [count:integer @3.2.0]",
        flags: &[Flag::Write, Flag::Fast],
        categories: &[Category::Set],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        tips: &["nondeterministic_output"],
        history: &[("3.2.0", "A count.")],
        behaviour: Behaviour::NEW.extent(Extent::Elements(|argv| count_at(argv, 2))),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        if args.left() > 1 {
            return Err(error::SYNTAX);
        }
        let count = match args.take() {
            Some(text) => {
                let count = base::num::parse_i64(text).and_then(|n| usize::try_from(n).ok());
                Some(count.ok_or(error::MUST_BE_POSITIVE)?)
            }
            None => None,
        };
        Ok(SPop { key, count })
    }
}

impl<H: Holds<Set>> Run<H> for SPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        match self.count {
            None => self.one(host, out),
            Some(count) => self.many(host, count, out),
        }
    }
}

impl SPop<'_> {
    fn one<H: Holds<Set>>(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let mut rng = Rng::new(host.rng().next_u64());
        let Some(member) = host.edit_existing(self.key, |set| set.pop(&mut rng))?.flatten() else {
            out.null();
            return Ok(Effect::None);
        };
        host.notify_taken(Class::Set, "spop", self.key);
        out.bulk(&member);
        Ok(Effect::Rewritten(Argv::new(&[b"SREM", self.key.bytes, &member])))
    }

    fn many<H: Holds<Set>>(
        self,
        host: &mut H,
        count: usize,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let set = match host.peek(self.key)? {
            Some(set) if count > 0 => set,
            _ => {
                out.set(0);
                return Ok(Effect::None);
            }
        };
        if count >= set.len() {
            out.set(set.len());
            set.iter().for_each(|member| out.bulk(&member.text()));
            host.remove(self.key, true);
            host.notify_taken(Class::Set, "spop", self.key);
            return Ok(Effect::Rewritten(Argv::new(&[b"DEL", self.key.bytes])));
        }
        let (mut rng, limits) = (Rng::new(host.rng().next_u64()), host.limits());
        let popped = host.edit_existing(self.key, |set| set.pop_many(count, &mut rng, &limits))?;
        let popped = popped.unwrap_or_default();
        host.notify_taken(Class::Set, "spop", self.key);
        out.set(popped.len());
        popped.iter().for_each(|member| out.bulk(member));
        Ok(self.remembered(&popped))
    }

    /// What the journal keeps instead of the random choice.
    fn remembered(&self, popped: &[Vec<u8>]) -> Effect {
        let removal = |members: &[Vec<u8>]| {
            let mut argv = Argv::new(&[b"SREM", self.key.bytes]);
            members.iter().for_each(|member| argv.push(member));
            argv
        };
        if popped.len() <= BATCH {
            return Effect::Rewritten(removal(popped));
        }
        Effect::Several(popped.chunks(BATCH).map(removal).collect())
    }
}
