//! JSON.ARRLEN.

use ::json::Kind;
use base::{Args, CmdError, Command, Effect, Reply, Run, Spec};
use types::Documents;

use super::document;
use super::length::{self, Measure};
use super::place::Place;

/// Answers how many elements arrays have.
pub struct ArrLen<'a>(Place<'a>);

impl<'a> Command<'a> for ArrLen<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrlen",
        summary: "Answers how many elements arrays have.",
        ..length::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(ArrLen)
    }
}

impl<H: Documents> Run<H> for ArrLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let measure = Measure {
            kind: Kind::Array,
            no_key: document::NO_KEY,
            no_path: Some(document::NO_ARRAY),
            mismatch: |_| document::NO_ARRAY,
        };
        measure.run(&self.0, host, out)
    }
}
