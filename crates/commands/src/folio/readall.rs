//! FOLIO.READALL: the records that a filter finds.

use ::folio::{Found, View};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Pace, Property, Query, Reply, Run, Spec,
};
use types::Folio;

use super::paced::AtOnce;
use super::reading::{Reading, is_short, shortened};
use super::{NO_PROJECT, format::Format, project, reply};

/// Reads the records that a filter finds.
pub struct ReadAll<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    reading: Reading,
}

fn knows(option: &str) -> bool {
    option != "UNCHECKED"
}

impl<'a> Command<'a> for ReadAll<'a> {
    const SPEC: Spec = Spec {
        name: "folio.readall",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers the records of a project that a filter finds.",
        complexity: "O(N), when N is the number of values that the filter compares and of records \
                     that are answered; for tags and refs a 64th of the records",
        grammar: "key:key filter:string [LIMIT limit:integer] [SORT] [SEARCH search:string] \
                  [TRASH] [FORMAT format=(zinc | hayson | json | trio | csv | columns)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let words = args.argv();
        Ok(ReadAll { key, words, reading: Reading::parse(&mut args, knows)? })
    }
}

impl<H: Forks<Folio>> Run<H> for ReadAll<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let project = project(host, self.key)?;
        if let Some(asked) = self.reading.at_once(self.words, project)? {
            if self.reading.format == Some(Format::Columns) && out.takes_objects() {
                let slots = Reading::find(project, &asked, &mut AtOnce, &*out)?;
                let version = host.share(self.key)?.ok_or(NO_PROJECT)?;
                out.object(Box::new(Found::new(version, slots)));
                return Ok(Effect::None);
            }
            let asked = shortened(asked, self.reading.format);
            let slots = Reading::find(project, &asked, &mut AtOnce, &*out)?;
            if is_short(slots.len(), self.reading.format) {
                write(project, slots, self.reading.format, &mut AtOnce, out)?;
                return Ok(Effect::None);
            }
        }
        let version = host.share(self.key)?.ok_or(NO_PROJECT)?;
        let reading = self.reading;
        Ok(Effect::Query(Query::over_with_words(version, move |view, words, pace, out| {
            let slots = Reading::find(view, &reading.prepare(words)?, pace, &*out)?;
            write(view, slots, reading.format, pace, out)
        })))
    }
}

fn write(
    view: &View,
    slots: Vec<::folio::Slot>,
    format: Option<Format>,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    reply::answer(&view.answer(slots), format, pace, out)
}
