//! JSON.OBJLEN.

use ::json::Kind;
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Reply, Run, Spec,
};
use types::Documents;

use super::document;
use super::length::{Measure, Place};

/// Answers how many members objects have.
pub struct ObjLen<'a>(Place<'a>);

impl<'a> Command<'a> for ObjLen<'a> {
    const SPEC: Spec = Spec {
        name: "json.objlen",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers how many members objects have.",
        complexity: "O(1) for a static path, O(N) in the values that any other one visits",
        grammar: "key:key [path:string]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
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
