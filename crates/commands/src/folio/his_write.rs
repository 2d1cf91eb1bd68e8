//! FOLIO.HIS.WRITE: puts samples into a point's history, all or none.

use ::folio::{Clear, HisWritten, Project, change};
use base::{
    Args, Behaviour, Category, CmdError, Command, Edit, Edited, Effect, Flag, Forks, Group, Key,
    KeyFlag, KeySpec, Property, Reply, Run, Spec, error,
};
use haystack::Name;
use types::Folio;

use super::format::{self, Format};
use super::his::{self, Range};
use super::install::{effect, install, note};
use super::{NO_PROJECT, text, told, try_change};

/// Texts of more bytes are read, and written, on a thread for queries.
const FEW: usize = 16 << 10;
const EVENT: &str = "folio.his.write";
/// The place of the id.
const ID: usize = 2;

/// Puts samples into a history.
pub struct HisWrite<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    asked: Asked,
    edited: Option<Edited>,
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked {
    clear: Cleared,
    format: Option<Format>,
    /// The place of the items.
    items: usize,
}

#[derive(Clone, Copy)]
enum Cleared {
    Nothing,
    All,
    Range(Range),
}

impl<'a> Command<'a> for HisWrite<'a> {
    const SPEC: Spec = Spec {
        name: "folio.his.write",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Puts samples into the history of a point: all of them or none.",
        complexity: "O(N * log(N) + M), when N is the number of samples and M that of those in the \
                     blocks that they fall in",
        grammar: "key:key id:string [clear=(CLEARALL | CLEAR range={start:string end:string})] \
                  [FORMAT format=(zinc | hayson | json | trio | csv)] items:string",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let edited = args.take_edited();
        let (key, words) = (args.key()?, args.argv());
        args.next()?;
        let mut asked = Asked { clear: Cleared::Nothing, format: None, items: 0 };
        while args.left() > 1 {
            if args.token("CLEARALL") {
                asked.clear = Cleared::All;
            } else if args.token("CLEAR") {
                asked.clear = Cleared::Range(Range::take(&mut args)?);
            } else if let Some(format) = Format::take(&mut args)? {
                asked.format = Some(format);
            } else {
                return Err(error::SYNTAX);
            }
        }
        asked.items = words.len() - args.left();
        args.next()?;
        Ok(HisWrite { key, words, asked, edited })
    }
}

impl<H: Forks<Folio>> Run<H> for HisWrite<'_> {
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
                value.tell([&done.2]);
                Ok(Some(done))
            })?;
            let (written, changes, _) = done.ok_or(NO_PROJECT)?;
            his::show(&written, None, out);
            return Ok(effect(host, self.key, EVENT, &changes));
        }
        let fork = host.fork(self.key)?;
        Ok(Effect::Edit(Edit::of_with_words(fork, move |fork, words, _, out| {
            let (written, changes, point) = asked.write(&mut fork.project, words)?;
            note(fork, changes, [point]);
            his::show(&written, None, out);
            Ok(())
        })))
    }
}

impl Asked {
    /// Writes what the words of a request say, and tells what was done as the journal has it.
    fn write(
        self,
        project: &mut Project,
        words: &[&[u8]],
    ) -> Result<(HisWritten, Vec<Vec<u8>>, Name), CmdError> {
        let word = |at: usize| words.get(at).copied().ok_or(error::SYNTAX);
        let slot = his::point(project, word(ID)?)?;
        let records = format::records(text(word(self.items)?)?, self.format)?;
        let items = records.into_iter().map(his::item).collect::<Result<Vec<_>, _>>()?;
        let clear = match self.clear {
            Cleared::Nothing => Clear::Nothing,
            Cleared::All => Clear::All,
            Cleared::Range(range) => Clear::Span(range.span(his::zone(project, slot))?),
        };
        let written = project.his_write(slot, &items, clear).map_err(|error| told(&error))?;
        let id = Name::new(project.id_of(slot));
        let changes = change::of_samples(&id, &written.samples, clear);
        Ok((written, changes, id))
    }
}
