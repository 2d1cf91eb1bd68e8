//! FOLIO.EXPLAIN: how a filter would be answered.

use ::folio::View;
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Forks, Group, Key, KeyFlag,
    KeySpec, Property, Reply, Run, Spec,
};
use types::Folio;

use super::reading::{Asked, Reading};

/// Tells how a filter would be answered.
pub struct Explain<'a> {
    key: Key<'a>,
    words: &'a [&'a [u8]],
    reading: Reading,
}

impl<'a> Command<'a> for Explain<'a> {
    const SPEC: Spec = Spec {
        name: "folio.explain",
        group: Group::Folio,
        since: "1.0.0",
        summary: "Shows how a filter would be answered: the kind of plan, then a line for each \
                  step.",
        complexity: "O(N) in the length of the filter, and in the records that its paths lead to",
        grammar: "key:key filter:string",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Folio],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let words = args.argv();
        Ok(Explain { key, words, reading: Reading::parse(&mut args, |_| false)? })
    }
}

impl<H: Forks<Folio>> Run<H> for Explain<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.reading.answer(host, (self.key, self.words), out, |view, asked, _, out| {
            show(view, asked, out);
            Ok(())
        })
    }
}

fn show(view: &View, (query, _): &Asked, out: &mut dyn Reply) {
    let text = view.explain(query);
    let lines: Vec<&str> = text.lines().collect();
    out.array(lines.len());
    lines.iter().for_each(|line| out.bulk(line.as_bytes()));
}
