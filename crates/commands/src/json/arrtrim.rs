//! JSON.ARRTRIM.

use std::ops::Range;

use ::json::{Kind, Tree};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec,
};
use types::Documents;

use super::edit::{Edit, Plan};
use super::{array, document};

/// Leaves a part of arrays.
pub struct ArrTrim<'a> {
    key: Key<'a>,
    path: &'a [u8],
    start: i64,
    stop: i64,
}

impl<'a> Command<'a> for ArrTrim<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrtrim",
        group: Group::Json,
        since: "1.0.0",
        summary: "Leaves a range of elements in the arrays at a path and deletes all others.",
        complexity: "O(N), when N is the size of the arrays and the values that the path visits",
        grammar: "key:key path:string start:integer stop:integer",
        flags: &[Flag::Write],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path) = (args.key()?, args.next()?);
        let (start, stop) = (array::place(&mut args)?, array::place(&mut args)?);
        args.end()?;
        Ok(ArrTrim { key, path, start, stop })
    }
}

impl ArrTrim<'_> {
    /// What is left of an array; both ends belong to it.
    fn range(&self, len: usize) -> Range<usize> {
        let start = array::from_start(self.start, len).unwrap_or(0);
        let end = array::from_start(self.stop, len).map_or(0, |stop| stop.saturating_add(1));
        let end = end.min(len);
        start.min(end)..end
    }
}

impl<H: Documents> Run<H> for ArrTrim<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let edit = Edit {
            key: self.key,
            path: self.path,
            event: "json.arrtrim",
            unfit: document::NO_ARRAY,
            adds: 0,
        };
        let edited = host.with_tools(|host, tools| {
            edit.run(
                host,
                tools,
                |node, _| {
                    Ok(match node.kind() {
                        Kind::Array if self.range(node.len()).len() == node.len() => {
                            Plan::Keep(node.len())
                        }
                        Kind::Array => Plan::Change,
                        _ => Plan::Unfit,
                    })
                },
                |value, place, registry| {
                    let Range { start, end } = self.range(array::len_at(value, place));
                    value.trim_array(place, start, end, registry)
                },
            )
        })?;
        Ok(edited.reply(out, |out, len| out.count(len)))
    }
}
