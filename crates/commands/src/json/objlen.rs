//! JSON.OBJLEN.

use ::json::Kind;
use base::{Args, CmdError, Command, Effect, Reply, Run, Spec};
use types::Documents;

use super::document;
use super::length::{self, Measure};
use super::place::Place;

/// Answers how many members objects have.
pub struct ObjLen<'a>(Place<'a>);

impl<'a> Command<'a> for ObjLen<'a> {
    const SPEC: Spec = Spec {
        name: "json.objlen",
        summary: "Answers how many members objects have.",
        ..length::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Place::parse(args).map(ObjLen)
    }
}

impl<H: Documents> Run<H> for ObjLen<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let measure = Measure {
            kind: Kind::Object,
            no_key: document::NO_OBJECT,
            no_path: None,
            mismatch: |node| document::wrong_type("object", node),
        };
        measure.run(&self.0, host, out)
    }
}
