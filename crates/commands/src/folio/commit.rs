//! FOLIO.COMMIT: adds, changes and removes records, all or none.

use ::folio::Committed;
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec,
};
use haystack::{Cell, DateTime};
use types::Folio;

use super::batch::{Batch, Ids, instant};
use super::install::{commit, commit_to_fork, effect, install};
use super::{NO_PROJECT, reply, try_change};

/// Texts of more bytes are read, and done, on a thread for queries.
const FEW: usize = 16 << 10;
const EVENT: &str = "folio.commit";

/// Adds, changes and removes records.
pub struct Commit<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    batch: Batch,
    edited: Option<Edited>,
}

impl<'a> Command<'a> for Commit<'a> {
    const SPEC: Spec = Spec {
        name: "folio.commit",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Adds, changes and removes records of a project: all that is asked for, or none.",
        complexity: "O(N * log(M)), when N is the number of tags that change and M that of records",
        grammar: "key:key [TRANSIENT] [FORCE] [BYPASSRESTRICTED] \
                  [FORMAT format=(zinc | hayson | json | trio | csv)] \
                  diff={verb=(ADD | UPDATE | REMOVE) records:string}...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let (key, words) = (args.key()?, args.argv());
        Ok(Commit { key, words, batch: Batch::parse(&mut args)?, edited })
    }
}

impl<H: Forks<Folio>> Run<H> for Commit<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, EVENT, edited)?
        {
            return Ok(effect);
        }
        host.peek(self.key)?.ok_or(NO_PROJECT)?;
        let now = instant(host.now());
        let mut ids = Ids::new(host.now(), host.rng().next_u64());
        let batch = self.batch;
        if batch.size <= FEW {
            let diffs = batch.diffs(self.words, &mut ids, |_| Ok(()))?;
            let done = try_change(host, self.key, |value| {
                let done = commit(value.project_mut().ok_or(NO_PROJECT)?, &diffs, now)?;
                value.tell(done.0.iter().map(|done| &done.id));
                Ok(Some(done))
            })?;
            let (done, changes) = done.ok_or(NO_PROJECT)?;
            write(&done, out);
            return Ok(effect(host, self.key, EVENT, &changes));
        }
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, pace, out| {
            let diffs = batch.diffs(words, &mut ids, |held| pace.go_on(&*out, held))?;
            write(&commit_to_fork(fork, &diffs, now)?, out);
            Ok(())
        })))
    }
}

/// Writes what became of each diff.
fn write(done: &[Committed], out: &mut dyn Reply) {
    let mut text = Vec::new();
    let time = |time: Option<DateTime>| time.map_or(Cell::Null, Cell::DateTime);
    out.array(done.len());
    for one in done {
        let pairs = [
            ("id", Cell::Ref(one.id.as_str(), None)),
            ("oldMod", time(one.old_mod)),
            ("mod", time(one.new_mod)),
        ];
        let there = pairs.iter().filter(|(_, cell)| !cell.is_null());
        out.map(there.clone().count() + 1);
        for (name, cell) in there {
            out.bulk(name.as_bytes());
            reply::value(cell, &mut text, out);
        }
        out.bulk(b"flags");
        out.int(one.flags.0.into());
    }
}
