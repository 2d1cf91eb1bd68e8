//! JSON.STRLEN.

use ::json::Kind;
use base::{Args, CmdError, Command, Effect, Reply, Run, Spec};
use types::Documents;

use super::document;
use super::length::{self, Measure};
use super::place::Place;

/// Answers how many bytes strings have.
pub struct StrLen<'a>(Place<'a>);

impl<'a> Command<'a> for StrLen<'a> {
    const SPEC: Spec = Spec {
        name: "json.strlen",
        summary: "Answers how many bytes strings have.",
        ..length::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(StrLen)
    }
}

impl<H: Documents> Run<H> for StrLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let measure = Measure {
            kind: Kind::String,
            no_key: document::NO_KEY,
            no_path: Some(document::NO_PATH),
            mismatch: |node| document::wrong_type("string", node),
        };
        measure.run(&self.0, host, out)
    }
}
