//! FOLIO.IMPORT: makes records, or puts samples in, of a piece of a text.
//!
//! ```text
//!   FOLIO.IMPORT key RECORDS text       a piece of FOLIO.EXPORT, or any records
//!   FOLIO.IMPORT key SAMPLES text       rows of id, ts, val
//! ```
//!
//! A piece is imported whole or not at all. Each stands for itself, so that a text can be cut
//! between any two, and go on after a restart.

use ::folio::{Diff, Flags, Layer, Project, is_always_transient, is_never_set};
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec, error,
};
use haystack::{DateTime, Dict, Name, Value};
use types::Folio;

use super::batch::{Ids, instant};
use super::export::of_csv;
use super::format::{self, Format};
use super::his_writeall;
use super::install::{commit, effect, install, note};
use super::remap::Remap;
use super::{NO_PROJECT, text, told, try_change};

const NO_RULE: CmdError = CmdError::new("ERR the rules of CONFLICT are FAIL, SKIP and REPLACE");
const NO_PART: CmdError = CmdError::new("ERR a piece is RECORDS text or SAMPLES text");
const NO_ID: CmdError = CmdError::new("DiffErr The tag 'id' is a Ref");
/// Texts of more bytes are read, and imported, on a thread for queries.
const FEW: usize = 16 << 10;
const EVENT: &str = "folio.import";

/// Imports a piece.
pub struct Import<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    asked: Asked,
    edited: Option<Edited>,
}

/// What becomes of a record whose id another has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conflict {
    /// Nothing is imported.
    Fail,
    /// It is passed over.
    Skip,
    /// The other becomes what it is.
    Replace,
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked {
    /// The place of what ids are given before them.
    prefix: Option<usize>,
    conflict: Conflict,
    format: Option<Format>,
    samples: bool,
    /// The place of the text.
    text: usize,
}

impl<'a> Command<'a> for Import<'a> {
    const SPEC: Spec = Spec {
        name: "folio.import",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Imports a piece of a project, records or samples, all or nothing.",
        complexity: "O(N * log(M)), when N is the number of tags or samples and M that of records",
        grammar: "key:key [PREFIX prefix:string] [CONFLICT conflict=(FAIL | SKIP | REPLACE)] \
                  [FORMAT format=(zinc | hayson | json | trio | csv)] part=(RECORDS | SAMPLES) \
                  text:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let (key, words) = (args.key()?, args.argv());
        let (prefix, conflict, format) = (None, Conflict::Fail, None);
        let mut asked = Asked { prefix, conflict, format, samples: false, text: 0 };
        while args.left() > 2 {
            if args.token("PREFIX") {
                asked.prefix = Some(words.len() - args.left());
                args.next()?;
            } else if args.token("CONFLICT") {
                asked.conflict = rule(&mut args)?;
            } else {
                asked.format = Some(Format::take(&mut args)?.ok_or(error::SYNTAX)?);
            }
        }
        asked.samples = match () {
            () if args.token("RECORDS") => false,
            () if args.token("SAMPLES") => true,
            () => return Err(NO_PART),
        };
        asked.text = words.len() - args.left();
        args.next()?;
        args.end()?;
        Ok(Import { key, words, asked, edited })
    }
}

fn rule(args: &mut Args<'_>) -> Result<Conflict, CmdError> {
    match () {
        () if args.token("FAIL") => Ok(Conflict::Fail),
        () if args.token("SKIP") => Ok(Conflict::Skip),
        () if args.token("REPLACE") => Ok(Conflict::Replace),
        () => Err(NO_RULE),
    }
}

impl<H: Forks<Folio>> Run<H> for Import<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, EVENT, edited)?
        {
            return Ok(effect);
        }
        host.peek(self.key)?.ok_or(NO_PROJECT)?;
        let now = instant(host.now());
        let mut ids = Ids::new(host.now(), host.rng().next_u64());
        let asked = self.asked;
        if self.words.get(asked.text).is_some_and(|text| text.len() <= FEW) {
            let mut counts = Vec::new();
            let done = try_change(host, self.key, |value| {
                let project = value.project_mut().ok_or(NO_PROJECT)?;
                let done = asked.import(project, self.words, (&mut ids, now), |_| Ok(()))?;
                value.tell(&done.touched);
                counts = done.counts;
                Ok((!done.touched.is_empty()).then_some(done.changes))
            })?;
            show(&counts, out);
            return Ok(done.map_or(Effect::None, |it| effect(host, self.key, EVENT, &it)));
        }
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, pace, out| {
            let goes_on = |held| pace.go_on(&*out, held);
            let done = asked.import(&mut fork.project, words, (&mut ids, now), goes_on)?;
            show(&done.counts, out);
            note(fork, done.changes, done.touched);
            Ok(())
        })))
    }
}

/// What was imported.
struct Imported {
    counts: Vec<(&'static str, usize)>,
    /// The same as the journal has it.
    changes: Vec<Vec<u8>>,
    touched: Vec<Name>,
}

fn show(counts: &[(&str, usize)], out: &mut dyn Reply) {
    out.map(counts.len());
    for (name, count) in counts {
        out.bulk(name.as_bytes());
        out.count(*count);
    }
}

impl Asked {
    /// Imports what the words of a request say. `goes_on` is asked with the bytes that are held.
    fn import(
        self,
        project: &mut Project,
        words: &[&[u8]],
        moment: (&mut Ids, DateTime),
        mut goes_on: impl FnMut(usize) -> Result<(), CmdError>,
    ) -> Result<Imported, CmdError> {
        let word = |at: usize| words.get(at).copied().ok_or(error::SYNTAX);
        let mut records = format::records(text(word(self.text)?)?, self.format)?;
        goes_on(records.iter().map(Dict::memory).sum())?;
        if self.format == Some(Format::Csv) {
            records = records.into_iter().map(without_csv).collect();
        }
        if let Some(prefix) = self.prefix {
            let remap = Remap::new(text(word(prefix)?)?)?;
            records = records.iter().map(|record| remap.dict(record)).collect::<Result<_, _>>()?;
        }
        if self.samples {
            samples(project, records)
        } else {
            self.records(project, records, moment)
        }
    }

    fn records(
        self,
        project: &mut Project,
        records: Vec<Dict>,
        (ids, now): (&mut Ids, DateTime),
    ) -> Result<Imported, CmdError> {
        let (mut diffs, mut skipped) = (Vec::new(), 0);
        for record in records {
            match self.diff(project, record, ids)? {
                Some(diff) => diffs.push(diff),
                None => skipped += 1,
            }
        }
        let added = diffs.iter().filter(|diff| diff.flags.has(Flags::ADD)).count();
        let replaced = diffs.len() - added;
        let counts = vec![("added", added), ("replaced", replaced), ("skipped", skipped)];
        if diffs.is_empty() {
            return Ok(Imported { counts, changes: Vec::new(), touched: Vec::new() });
        }
        let (done, changes) = commit(project, &diffs, now)?;
        Ok(Imported { counts, changes, touched: done.into_iter().map(|done| done.id).collect() })
    }

    /// What makes a record; none if it is passed over.
    fn diff(
        self,
        project: &Project,
        mut record: Dict,
        ids: &mut Ids,
    ) -> Result<Option<Diff>, CmdError> {
        let id = record.remove("id").map(|id| id.as_id().cloned().ok_or(NO_ID)).transpose()?;
        let mut tags = Dict::new();
        let kept = record.iter().filter(|(tag, value)| is_kept(tag) && !value.is_null());
        kept.for_each(|(tag, value)| tags.set(tag.clone(), value.clone()));
        let id = id.map_or_else(|| ids.next(), |id| id.as_str().to_owned());
        let there = project.find_any(&id);
        let diff = match (there, self.conflict) {
            (Some(_), Conflict::Skip) => return Ok(None),
            (Some(slot), Conflict::Replace) => {
                for (tag, _) in project.dict(slot, Layer::Persistent).iter() {
                    if is_kept(tag) && !tags.has(tag) {
                        tags.set(tag.clone(), Value::REMOVE);
                    }
                }
                Diff::update(project.id_of(slot), tags, None).map(|diff| diff.with(Flags::FORCE))
            }
            _ => Diff::add(&id, tags),
        };
        diff.map(|diff| Some(diff.with(Flags::BYPASS_RESTRICTED))).map_err(|error| told(&error))
    }
}

fn samples(project: &mut Project, records: Vec<Dict>) -> Result<Imported, CmdError> {
    let done = his_writeall::write(project, records)?;
    let samples = done.points.iter().map(|(_, written)| written.count).sum();
    let counts = vec![("points", done.points.len()), ("samples", samples)];
    let touched = done.points.into_iter().map(|(point, _)| point).collect();
    Ok(Imported { counts, changes: done.changes, touched })
}

/// Whether records keep a tag of this name, so that a diff can set it.
fn is_kept(tag: &str) -> bool {
    !is_never_set(tag) && !is_always_transient(tag)
}

/// A row of CSV with its values.
fn without_csv(row: Dict) -> Dict {
    let mut record = Dict::new();
    row.iter().for_each(|(tag, field)| record.set(tag.clone(), of_csv(field.clone())));
    record
}
