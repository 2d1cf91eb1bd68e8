//! FOLIO.READ: the first record that a filter finds.

use ::folio::{Layer, Slot, View};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Property, Reply, Run, Spec,
};
use types::Folio;

use super::by_id;
use super::reading::{Asked, Reading};

/// Reads the first record that a filter finds.
pub struct Read<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    reading: Reading,
}

fn knows(option: &str) -> bool {
    ["SEARCH", "TRASH", "UNCHECKED", "FORMAT"].contains(&option)
}

impl<'a> Command<'a> for Read<'a> {
    const SPEC: Spec = Spec {
        name: "folio.read",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers the first record of a project that a filter finds.",
        complexity: "O(N), when N is the number of records before it that the filter looks at",
        grammar: "key:key filter:string [SEARCH search:string] [TRASH] [UNCHECKED] \
                  [FORMAT format=(zinc | hayson | json | trio | csv | columns)]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let words = args.argv();
        Ok(Read { key, words, reading: Reading::parse(&mut args, knows)?.first() })
    }
}

impl<H: Forks<Folio>> Run<H> for Read<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let reading = self.reading;
        reading.answer(host, (self.key, self.words), out, move |view, asked, pace, out| {
            let slots = Reading::find(view, asked, pace, &*out)?;
            write(view, &slots, (asked, reading), out)
        })
    }
}

fn write(
    view: &View,
    slots: &[Slot],
    (asked, reading): (&Asked, Reading),
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    match slots.first() {
        Some(slot) => by_id::write(view, *slot, Layer::Merged, reading.format, out),
        None if reading.unchecked => out.null(),
        None => {
            let text = format!("UnknownRecErr {}", asked.0.filter());
            return Err(CmdError::owned(text.replace(['\r', '\n'], " ")));
        }
    }
    Ok(())
}
