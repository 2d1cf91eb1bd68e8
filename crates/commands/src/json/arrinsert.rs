//! JSON.ARRINSERT.

use ::json::{EditError, Kind, Tree};
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, error,
};
use types::Documents;

use super::array::{self, Elements};
use super::edit::{Edit, Plan};

/// A place that is not in the array, nor at its end.
const OUT_OF_BOUNDS: CmdError = CmdError::new("ERR index out of bounds");

/// Inserts into arrays.
pub struct ArrInsert<'a> {
    key: Key<'a>,
    path: &'a [u8],
    index: i64,
    values: &'a [&'a [u8]],
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
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path) = (args.key()?, args.next()?);
        let index = array::place(&mut args)?;
        let values = args.rest();
        if values.is_empty() {
            return Err(error::wrong_arity(Self::SPEC.name));
        }
        Ok(ArrInsert { key, path, index, values })
    }
}

impl<H: Documents> Run<H> for ArrInsert<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let index = |len| array::from_start(self.index, len).filter(|&index| index <= len);
        let edited = host.with_tools(|host, tools| {
            let elements = Elements::parse(self.values, &mut tools.registry)?;
            let nodes = elements.nodes();
            let edit = Edit {
                key: self.key,
                path: self.path,
                event: "json.arrinsert",
                unfit: array::NO_ARRAY,
                adds: elements.memory(),
            };
            edit.run(
                host,
                tools,
                |node, depth| {
                    if node.kind() != Kind::Array {
                        return Ok(Plan::Unfit);
                    }
                    index(node.len()).ok_or(OUT_OF_BOUNDS)?;
                    elements.fit_below(depth)?;
                    Ok(Plan::Change)
                },
                |value, place, registry| {
                    let index = index(array::len_at(value, place)).ok_or(EditError::NotFound)?;
                    value.insert_elements(place, index, &nodes, registry)
                },
            )
        })?;
        Ok(edited.reply(out, |out, len| out.count(len)))
    }
}
