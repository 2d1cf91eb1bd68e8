//! PREFIX.

use base::{Args, CmdError, Command, Effect, Page, Reply, Run, RunTime, Spec};
use types::Ordered;

use super::options::Options;
use super::page::Query;
use super::{COMPLEXITY, READING, span};

/// Answers the keys whose names begin with a prefix, in the order of their names.
pub struct Prefix<'a> {
    prefix: &'a [u8],
    options: Options,
}

impl<'a> Command<'a> for Prefix<'a> {
    const SPEC: Spec = Spec {
        name: "prefix",
        summary: "Answers the keys that begin with a prefix, in the order of their names.",
        complexity: COMPLEXITY,
        grammar: "prefix:string [REV] [LIMIT count:integer] [CURSOR cursor:string] \
                  [TYPE type:string] [WITHVALUES]",
        behaviour: READING.behaviour.run_time(RunTime::Page(Page {
            options: 2,
            size: "LIMIT",
            cursor: Some("CURSOR"),
            values: Some("WITHVALUES"),
        })),
        ..READING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(Prefix { prefix: args.next()?, options: Options::parse(args)? })
    }
}

impl<H: Ordered> Run<H> for Prefix<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let behind = span::behind(self.prefix);
        let span = span::of_prefix(self.prefix, behind.as_deref());
        Query { span, options: &self.options }.answer(host, out)
    }
}
