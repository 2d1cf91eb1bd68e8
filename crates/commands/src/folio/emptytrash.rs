//! FOLIO.EMPTYTRASH: removes the records in the trash for good.

use ::folio::{Diff, Flags, Query, ReadOptions, Trash, View};
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec,
};
use types::Folio;

use super::batch::instant;
use super::install::{commit_to_fork, install};
use super::{project, told};

/// Removes the records in the trash.
pub struct EmptyTrash<'a> {
    key: Key<'a>,
    edited: Option<Edited>,
}

impl<'a> Command<'a> for EmptyTrash<'a> {
    const SPEC: Spec = Spec {
        name: "folio.emptytrash",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Removes the records of a project that are in the trash, and answers how many \
                  those were.",
        complexity: "O(N * M), when N is the number of those records and M that of different tags",
        grammar: "key:key",
        flags: &[Flag::Write],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        Ok(EmptyTrash { key: args.key()?, edited })
    }
}

impl<H: Forks<Folio>> Run<H> for EmptyTrash<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, "folio.emptytrash", edited)?
        {
            return Ok(effect);
        }
        let project = project(host, self.key)?;
        if project.tag_count("trash") == 0 {
            out.int(0);
            return Ok(Effect::None);
        }
        let now = instant(host.now());
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of(fork, move |fork, pace, out| {
            let mut removed = 0;
            loop {
                let diffs = trash(&fork.project)?;
                if diffs.is_empty() {
                    break;
                }
                removed += diffs.len();
                commit_to_fork(fork, &diffs, now)?;
                pace.go_on(&*out, fork.changes.iter().map(Vec::len).sum())?;
            }
            out.count(removed);
            Ok(())
        })))
    }
}

/// So many records are removed in one batch.
const BATCH: usize = 1024;

fn trash(view: &View) -> Result<Vec<Diff>, CmdError> {
    let query = Query::parse("trash").map_err(|error| told(&error))?;
    let options = ReadOptions { trash: Trash::Only, ..ReadOptions::limit(BATCH) };
    let slots = view.find_all(&query, &options).map_err(|error| told(&error))?;
    let diffs = slots.iter().map(|slot| Diff::remove(view.id_of(*slot), None));
    let diffs = diffs.map(|diff| diff.map(|diff| diff.with(Flags::FORCE)));
    diffs.collect::<Result<_, _>>().map_err(|error| told(&error))
}
