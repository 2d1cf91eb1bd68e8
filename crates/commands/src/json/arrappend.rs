//! JSON.ARRAPPEND.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Paths,
    Reply, Run, Spec,
};
use types::Documents;

use super::array::Elements;

/// Appends to arrays.
pub struct ArrAppend<'a>(Elements<'a>);

impl<'a> Command<'a> for ArrAppend<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrappend",
        group: Group::Json,
        since: "1.0.0",
        summary: "Appends values to the arrays at a path.",
        complexity: "O(1) amortised for a static path, O(N) in the values that any other one \
                     visits",
        grammar: "key:key path:string value:string...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Insert])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let place = (args.key()?, args.next()?);
        Elements::parse(place, &mut args, Self::SPEC.name).map(ArrAppend)
    }
}

impl<H: Documents> Run<H> for ArrAppend<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.put("json.arrappend", Some, host, out)
    }
}
