//! JSON.ARRINDEX.

use std::ops::Range;

use ::json::{Kind, Node, Tree, Value};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Reply, Run, Spec, num,
};
use types::Documents;

use super::{array, document};

/// Answers where in arrays a value is first found; -1 if it is not.
pub struct ArrIndex<'a> {
    key: Key<'a>,
    path: &'a [u8],
    value: &'a [u8],
    start: i64,
    stop: i64,
}

impl<'a> Command<'a> for ArrIndex<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrindex",
        group: Group::Json,
        since: "1.0.0",
        summary: "Answers where in arrays a value is first found.",
        complexity: "O(N) in the elements that are looked at, and in the values that a path \
                     visits that is not static",
        grammar: "key:key path:string value:string [range={start:integer [stop:integer]}]",
        flags: &[Flag::ReadOnly],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path, value) = (args.key()?, args.next()?, args.next()?);
        let mut number = || match args.take() {
            Some(word) => num::parse_i64(word).ok_or(array::NOT_INTEGER),
            None => Ok(0),
        };
        let (start, stop) = (number()?, number()?);
        args.end()?;
        Ok(ArrIndex { key, path, value, start, stop })
    }
}

impl ArrIndex<'_> {
    /// Which elements are looked at. Negative numbers count from the end; 0 as the stop means all.
    fn range(&self, len: usize) -> Range<usize> {
        let place = |index| array::from_start(index, len).unwrap_or(0).min(len);
        place(self.start)..if self.stop == 0 { len } else { place(self.stop) }
    }

    /// Where the value is; `None` in what is no array.
    fn find(&self, array: Node<'_>, wanted: Node<'_>) -> Option<i64> {
        if array.kind() != Kind::Array {
            return None;
        }
        let is_it = |&index: &usize| array.at(index).is_some_and(|item| item.equals(wanted));
        let found = self.range(array.len()).find(is_it);
        Some(found.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1))
    }
}

impl<H: Documents> Run<H> for ArrIndex<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        host.with_tools(|host, tools| {
            let path = document::selection(tools, self.path)?;
            document::peek(host, self.key)?.ok_or(document::NO_PATH)?;
            let wanted =
                Value::parse(self.value, &mut tools.registry).map_err(document::of_text)?;
            let found = document::look(host, self.key, tools.lookers(), |root, budget| {
                let found = document::matches(&path, root, budget)?;
                if path.is_legacy() {
                    let array = found.first().copied().ok_or(document::NO_PATH)?;
                    let index = self.find(array, wanted.root());
                    out.int(index.ok_or_else(|| document::wrong_type("array", array))?);
                    return Ok(());
                }
                out.array(found.len());
                for array in found {
                    match self.find(array, wanted.root()) {
                        Some(index) => out.int(index),
                        None => out.null(),
                    }
                }
                Ok(())
            })?;
            found.ok_or(document::NO_PATH)??;
            Ok(Effect::None)
        })
    }
}
