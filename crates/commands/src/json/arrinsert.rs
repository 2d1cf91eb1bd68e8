//! JSON.ARRINSERT.

use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, KeyFlag, KeySpec, Paths,
    Reply, Run, Spec,
};
use types::Documents;

use super::array::{self, Elements};

/// Inserts into arrays.
pub struct ArrInsert<'a> {
    elements: Elements<'a>,
    index: i64,
}

impl<'a> Command<'a> for ArrInsert<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrinsert",
        group: Group::Json,
        since: "1.0.0",
        summary: "Inserts values into the arrays at a path.",
        complexity: "O(N), when N is the number of elements behind them and of the values that \
                     the path visits",
        grammar: "key:key path:string index:integer value:string...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Insert])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let place = (args.key()?, args.next()?);
        let index = array::place(&mut args)?;
        let elements = Elements::parse(place, &mut args, Self::SPEC.name)?;
        Ok(ArrInsert { elements, index })
    }
}

impl<H: Documents> Run<H> for ArrInsert<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let index = |len| array::from_start(self.index, len).filter(|&index| index <= len);
        self.elements.put("json.arrinsert", index, host, out)
    }
}
