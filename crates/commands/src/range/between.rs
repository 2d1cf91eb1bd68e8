//! RANGE.

use base::{Args, CmdError, Command, Effect, Page, Reply, Run, RunTime, Spec};
use types::{Ordered, Span};

use super::options::Options;
use super::page::Query;
use super::{COMPLEXITY, READING, span};

/// Answers the keys between two bounds, in the order of their names.
pub struct Range<'a> {
    span: Span<'a>,
    options: Options,
}

impl<'a> Command<'a> for Range<'a> {
    const SPEC: Spec = Spec {
        name: "range",
        summary: "Answers the keys between two bounds, in the order of their names.",
        complexity: COMPLEXITY,
        grammar: "start:string end:string [REV] [LIMIT count:integer] [CURSOR cursor:string] \
                  [TYPE type:string] [WITHVALUES]",
        behaviour: READING.behaviour.run_time(RunTime::Page(Page {
            options: 3,
            size: "LIMIT",
            cursor: Some("CURSOR"),
            values: Some("WITHVALUES"),
        })),
        ..READING
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (start, end) = (args.next()?, args.next()?);
        let options = Options::parse(args)?;
        // The bounds stand in the order in which the keys come.
        let (least, greatest) = if options.reverse { (end, start) } else { (start, end) };
        Ok(Range { span: span::between(least, greatest)?, options })
    }
}

impl<H: Ordered> Run<H> for Range<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        Query { span: self.span, options: &self.options }.answer(host, out)
    }
}
