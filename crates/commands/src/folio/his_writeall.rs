//! FOLIO.HIS.WRITEALL: puts samples into the histories of several points, all or none.

use std::collections::HashMap;

use ::folio::{HisWritten, Project, change};
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec, error,
};
use haystack::{Dict, Name, Value};
use types::Folio;

use super::format::{self, Format};
use super::his;
use super::install::{effect, install, note};
use super::{NO_PROJECT, text, told, try_change};

const NO_ID: CmdError = CmdError::new("HisWriteErr An item has a Ref 'id'");
/// Texts of more bytes are read, and written, on a thread for queries.
const FEW: usize = 16 << 10;
const EVENT: &str = "folio.his.write";

/// Puts samples into the histories of several points.
pub struct HisWriteAll<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    asked: Asked,
    edited: Option<Edited>,
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked {
    format: Option<Format>,
    /// The place of the items.
    items: usize,
}

impl<'a> Command<'a> for HisWriteAll<'a> {
    const SPEC: Spec = Spec {
        name: "folio.his.writeall",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Puts samples into the histories of several points: all of them or none.",
        complexity: "O(N * log(N) + M), when N is the number of samples and M that of those in the \
                     blocks that they fall in",
        grammar: "key:key [FORMAT format=(zinc | hayson | json | trio | csv)] items:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let (key, words) = (args.key()?, args.argv());
        let mut asked = Asked { format: None, items: 0 };
        while args.left() > 1 {
            asked.format = Some(Format::take(&mut args)?.ok_or(error::SYNTAX)?);
        }
        asked.items = words.len() - args.left();
        args.next()?;
        Ok(HisWriteAll { key, words, asked, edited })
    }
}

impl<H: Forks<Folio>> Run<H> for HisWriteAll<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let Some(edited) = self.edited
            && let Some(effect) = install(host, self.key, EVENT, edited)?
        {
            return Ok(effect);
        }
        host.peek(self.key)?.ok_or(NO_PROJECT)?;
        let asked = self.asked;
        if self.words.get(asked.items).is_some_and(|items| items.len() <= FEW) {
            let done = try_change(host, self.key, |value| {
                let done = asked.write(value.project_mut().ok_or(NO_PROJECT)?, self.words)?;
                value.tell(done.points.iter().map(|(point, _)| point));
                Ok((!done.points.is_empty()).then_some(done))
            })?;
            let Some(done) = done else {
                out.array(0);
                return Ok(Effect::None);
            };
            done.show(out);
            return Ok(effect(host, self.key, EVENT, &done.changes));
        }
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, _, out| {
            let done = asked.write(&mut fork.project, words)?;
            done.show(out);
            note(fork, done.changes, done.points.into_iter().map(|(point, _)| point));
            Ok(())
        })))
    }
}

/// What was written.
pub(super) struct Written {
    pub points: Vec<(Name, HisWritten)>,
    /// The same as the journal has it.
    pub changes: Vec<Vec<u8>>,
}

impl Asked {
    /// Writes what the words of a request say.
    fn write(self, project: &mut Project, words: &[&[u8]]) -> Result<Written, CmdError> {
        let items = words.get(self.items).copied().ok_or(error::SYNTAX)?;
        write(project, format::records(text(items)?, self.format)?)
    }
}

/// Writes samples: dicts of `id`, `ts` and `val`.
///
/// # Errors
/// One of them is wrong, and none is written.
pub(super) fn write(project: &mut Project, records: Vec<Dict>) -> Result<Written, CmdError> {
    let (mut parts, mut places) = (Vec::new(), HashMap::new());
    for mut record in records {
        let id = record.remove("id").ok_or(NO_ID)?;
        let id = id.as_id().ok_or(NO_ID)?;
        let slot = project.read_by_id(id).map_err(|error| told(&error))?;
        let place = *places.entry(slot).or_insert_with(|| {
            parts.push((slot, Vec::new()));
            parts.len() - 1
        });
        let part: Option<&mut (_, Vec<(_, Value)>)> = parts.get_mut(place);
        part.ok_or(error::INTERNAL)?.1.push(his::item(record)?);
    }
    let written = project.his_write_all(&parts).map_err(|error| told(&error))?;
    let ids = parts.iter().map(|(slot, _)| Name::new(project.id_of(*slot)));
    let points: Vec<(Name, HisWritten)> = ids.zip(written).collect();
    let changes = points.iter().flat_map(|(id, written)| {
        change::of_samples(id, &written.samples, ::folio::Clear::Nothing)
    });
    Ok(Written { changes: changes.collect(), points })
}

impl Written {
    fn show(&self, out: &mut dyn Reply) {
        out.array(self.points.len());
        self.points.iter().for_each(|(id, written)| his::show(written, Some(id.as_str()), out));
    }
}
