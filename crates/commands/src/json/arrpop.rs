//! JSON.ARRPOP.

use ::json::{Kind, Tree, Value};
use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Protocol, Reply,
    Run, Spec,
};
use types::Documents;

use super::edit::{Edit, Plan};
use super::{array, document, popped as reply};

/// How elements are answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    /// As texts.
    Strings,
    /// Scalars as themselves, containers as texts.
    Expand1,
    /// As themselves.
    Expand,
}

/// A form of the reply that is none.
const WRONG_FORMAT: CmdError = CmdError::new("ERR wrong reply format");
/// A form of the reply that the protocol does not have.
const NOT_IN_RESP2: CmdError = CmdError::new("ERR FORMAT argument is not supported on RESP2");

/// Takes elements out of arrays.
pub struct ArrPop<'a> {
    key: Key<'a>,
    format: Option<&'a [u8]>,
    path: &'a [u8],
    index: i64,
}

impl<'a> Command<'a> for ArrPop<'a> {
    const SPEC: Spec = Spec {
        name: "json.arrpop",
        group: Group::Json,
        since: "1.0.0",
        summary: "Takes an element out of the arrays at a path and answers it.",
        complexity: "O(N), when N is the number of elements behind it, the size of the element \
                     and the values that the path visits",
        grammar: "key:key [FORMAT format=(STRINGS | EXPAND1 | EXPAND)] \
                  [place={ path:string [index:integer] }]",
        flags: &[Flag::Write],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let key = args.key()?;
        let format = if args.token("FORMAT") { Some(args.next()?) } else { None };
        let path = args.take().unwrap_or(document::ROOT);
        let index = if args.left() > 0 { array::place(&mut args)? } else { -1 };
        args.end()?;
        Ok(ArrPop { key, format, path, index })
    }
}

impl ArrPop<'_> {
    fn format(&self, protocol: Protocol) -> Result<Format, CmdError> {
        match (self.format, protocol) {
            (None, _) => Ok(Format::Strings),
            (Some(_), Protocol::Resp2) => Err(NOT_IN_RESP2),
            (Some(b"STRINGS"), _) => Ok(Format::Strings),
            (Some(b"EXPAND1"), _) => Ok(Format::Expand1),
            (Some(b"EXPAND"), _) => Ok(Format::Expand),
            (Some(_), _) => Err(WRONG_FORMAT),
        }
    }

    /// The place of the element, the nearest one if there is none there. The array has some.
    fn place(&self, len: usize) -> usize {
        array::from_start(self.index, len).unwrap_or(0).min(len.saturating_sub(1))
    }
}

impl<H: Documents> Run<H> for ArrPop<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let format = self.format(out.protocol())?;
        let edit = Edit {
            key: self.key,
            path: self.path,
            event: "json.arrpop",
            unfit: array::NO_ARRAY,
            adds: 0,
        };
        let edited = host.with_tools(|host, tools| {
            if format != Format::Strings && document::selection(tools, self.path)?.is_legacy() {
                return Err(WRONG_FORMAT);
            }
            edit.run(
                host,
                tools,
                |node, _| {
                    Ok(match node.kind() {
                        Kind::Array if node.is_empty() => Plan::Keep(None),
                        Kind::Array => Plan::Change,
                        _ => Plan::Unfit,
                    })
                },
                |value, place, registry| {
                    let index = self.place(array::len_at(value, place));
                    value.pop_element(place, index, registry)
                },
            )
        })?;
        Ok(edited.reply(out, |out, popped| answer(popped.as_ref(), format, out)))
    }
}

fn answer(popped: Option<&Value>, format: Format, out: &mut dyn Reply) {
    let Some(popped) = popped.map(Value::root) else { return out.null() };
    match format {
        Format::Strings => reply::text(popped, out),
        Format::Expand1 => reply::scalar_or_text(popped, out),
        Format::Expand => reply::value(popped, out),
    }
}
