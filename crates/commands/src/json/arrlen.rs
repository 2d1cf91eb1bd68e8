//! JSON.ARRLEN.

use ::json::Kind;
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Reply, Run, Spec,
};
use types::Documents;

use super::document;
use super::length::{Measure, Place};

/// Answers how many elements arrays have.
pub struct ArrLen<'a>(Place<'a>);

impl<'a> Command<'a> for ArrLen<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrlen",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers how many elements arrays have.",
        complexity: "O(1) for a static path, O(N) in the values that any other one visits",
        grammar: "key:key [path:string]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly])],
        ..Spec::NEW
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
