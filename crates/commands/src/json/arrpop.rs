//! JSON.ARRPOP.

use ::json::path::Computed;
use ::json::{Kind, Tree, Value};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Protocol, Reply, Run, Spec,
};
use types::Documents;

use super::edit::{Edit, Plan};
use super::get::{NOT_IN_RESP2, WRONG_FORMAT};
use super::native::{self, Form};
use super::{array, document};

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
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
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
    /// The form of what is answered, if it is not text.
    fn form(&self, protocol: Protocol) -> Result<Option<Form>, CmdError> {
        match (self.format, protocol) {
            (None, _) => Ok(None),
            (Some(_), Protocol::Resp2) => Err(NOT_IN_RESP2),
            (Some(b"STRINGS"), _) => Ok(None),
            (Some(b"EXPAND1"), _) => Ok(Some(Form::Shallow)),
            (Some(b"EXPAND"), _) => Ok(Some(Form::Expanded)),
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
        let form = self.form(out.protocol())?;
        let edit = Edit {
            key: self.key,
            path: self.path,
            event: "json.arrpop",
            unfit: document::NO_ARRAY,
            adds: 0,
        };
        let edited = host.with_tools(|host, tools| {
            if form.is_some() && document::selection(tools, self.path)?.is_legacy() {
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
        let mut buffer = Vec::new();
        Ok(edited.reply(out, |out, popped| match popped.as_ref().map(Value::root) {
            None => out.null(),
            Some(popped) => match form {
                Some(form) => native::reply(&Computed::Node(popped), form, &mut buffer, out),
                None => {
                    buffer.clear();
                    popped.write(&mut buffer);
                    out.bulk(&buffer);
                }
            },
        }))
    }
}
