//! FOLIO.COUNT: how many records a filter finds.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Property, Reply, Run, Spec,
};
use types::Folio;

use super::reading::Reading;

/// Counts the records that a filter finds.
pub struct Count<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    reading: Reading,
}

fn knows(option: &str) -> bool {
    ["LIMIT", "SEARCH", "TRASH"].contains(&option)
}

impl<'a> Command<'a> for Count<'a> {
    const SPEC: Spec = Spec {
        name: "folio.count",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Answers how many records of a project a filter finds.",
        complexity: "O(N), when N is the number of values that the filter compares; for tags and \
                     refs a 64th of the records",
        grammar: "key:key filter:string [LIMIT limit:integer] [SEARCH search:string] [TRASH]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let words = args.argv();
        Ok(Count { key, words, reading: Reading::parse(&mut args, knows)? })
    }
}

impl<H: Forks<Folio>> Run<H> for Count<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let asked = (self.key, self.words);
        self.reading.answer(host, asked, out, |view, asked, pace, out| {
            out.count(Reading::count(view, asked, pace, &*out)?);
            Ok(())
        })
    }
}
