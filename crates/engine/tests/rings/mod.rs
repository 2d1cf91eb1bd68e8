//! Commands on rings, the type to copy from (`types::example`), written as those of
//! `crates/commands` are, and an engine that knows them.
#![cfg(debug_assertions)] // rings are there in such builds only
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use base::{
    Args, Class, CmdError, Command, Effect, Flag, Group, Holds, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, rows,
};
use kvist_engine::{Action, Engine, Start, Table, command_table};
use store::Txn;
use types::example::Ring;

/// Appends a word to a ring of at most so many.
struct Push<'a> {
    key: Key<'a>,
    most: usize,
    word: &'a [u8],
}

impl<'a> Command<'a> for Push<'a> {
    const SPEC: Spec = Spec {
        name: "ring.push",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Appends a word.",
        complexity: "O(1)",
        grammar: "key:key most:integer word:string",
        flags: &[Flag::Write, Flag::DenyOom],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, most) = (args.key()?, args.integer()?);
        Ok(Push { key, most: usize::try_from(most).unwrap_or(0), word: args.next()? })
    }
}

impl<H: Holds<Ring>> Run<H> for Push<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let pushed = host.edit(self.key, |ring| {
            ring.push(self.word, self.most);
            ring.len()
        })?;
        host.notify(Class::Generic, "ring.push", self.key);
        out.int(i64::try_from(pushed).unwrap_or(i64::MAX));
        Ok(Effect::AsSent)
    }
}

/// Answers the words of a ring.
struct Words<'a> {
    key: Key<'a>,
}

impl<'a> Command<'a> for Words<'a> {
    const SPEC: Spec = Spec {
        name: "ring.words",
        group: Group::Generic,
        since: "1.0.0",
        summary: "Answers the words.",
        complexity: "O(N)",
        grammar: "key:key",
        flags: &[Flag::ReadOnly],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Words { key: args.key()? })
    }
}

impl<H: Holds<Ring>> Run<H> for Words<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let ring = host.peek(self.key)?;
        out.array(ring.map_or(0, Ring::len));
        ring.into_iter().flat_map(Ring::words).for_each(|word| out.bulk(word));
        Ok(Effect::None)
    }
}

/// An engine that knows these commands, too.
pub fn engine(start: Start) -> Arc<Engine> {
    let known = command_table().unwrap();
    let mut all: Vec<_> = known.entries().iter().map(|entry| (entry.spec, entry.action)).collect();
    let own = rows![Txn; Push, Words];
    all.extend(own.into_iter().map(|row| (row.spec, Action::Data(row.run))));
    Engine::with_table(start, Table::new(all).unwrap())
}
