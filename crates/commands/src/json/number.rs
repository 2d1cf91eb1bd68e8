//! JSON.NUMINCRBY, JSON.NUMMULTBY and JSON.NUMPOWBY.

use ::json::{Num, Operation, Tree, Value, write_num};
use base::{
    Args, Behaviour, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec,
    Paths, Protocol, Reply, Run, Spec, num,
};
use smallvec::SmallVec;
use types::{Documents, JsonTools};

use super::document;
use super::edit::{Edit, Edited, Plan};
use super::native;

/// An operand that is no number.
const BAD_NUMBER: CmdError = CmdError::new("bad input number");

/// Calculates with the numbers at a path.
struct Calculate<'a> {
    key: Key<'a>,
    path: &'a [u8],
    operand: &'a [u8],
}

impl<'a> Calculate<'a> {
    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let (key, path, operand) = (args.key()?, args.next()?, args.next()?);
        args.end()?;
        Ok(Calculate { key, path, operand })
    }

    fn run<H: Documents>(
        self,
        operation: Operation,
        event: &'static str,
        host: &mut H,
        out: &mut dyn Reply,
    ) -> Result<Effect, CmdError> {
        let edit = Edit {
            key: self.key,
            path: self.path,
            event,
            unfit: CmdError::new("ERR Path does not exist or does not contains a number"),
            adds: size_of::<Num>(),
        };
        let edited = host.with_tools(|host, tools| {
            let operand = operand(self.operand, tools)?;
            edit.run(
                host,
                tools,
                |node, _| {
                    let Some(old) = node.as_num() else { return Ok(Plan::Unfit) };
                    let new = operation.apply(old, operand).map_err(document::of_edit)?;
                    Ok(if is_same(old, new) { Plan::Keep(new) } else { Plan::Change })
                },
                |value, place, registry| value.calculate(place, operation, operand, registry),
            )
        })?;
        Ok(reply(edited, out))
    }
}

/// A word as a number of JSON.
fn operand(word: &[u8], tools: &mut JsonTools) -> Result<Num, CmdError> {
    if let Some(integer) = num::parse_i64(word) {
        return Ok(Num::I64(integer));
    }
    let value = Value::parse(word, &mut tools.registry).ok();
    value.and_then(|value| value.root().as_num()).ok_or(BAD_NUMBER)
}

/// Whether two numbers are written the same; zero has two signs.
fn is_same(a: Num, b: Num) -> bool {
    match (a, b) {
        (Num::F64(a), Num::F64(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// In RESP2 a JSON text: of a number, or of an array. In RESP3 an array of numbers for both.
fn reply(edited: Edited<Num>, out: &mut dyn Reply) -> Effect {
    let Edited { mut answers, is_legacy, effect } = edited;
    if is_legacy {
        let last = answers.into_iter().flatten().next_back();
        answers = SmallVec::from_iter([last]);
    }
    if out.protocol() == Protocol::Resp3 {
        out.array(answers.len());
        for answer in answers {
            match answer {
                Some(num) => native::number(num, out),
                None => out.null(),
            }
        }
        return effect;
    }
    let mut text = Vec::new();
    for (number, answer) in answers.into_iter().enumerate() {
        if number > 0 {
            text.push(b',');
        }
        match answer {
            Some(num) => write_num(num, &mut text),
            None => text.extend_from_slice(b"null"),
        }
    }
    if !is_legacy {
        text.insert(0, b'[');
        text.push(b']');
    }
    out.bulk(&text);
    effect
}

/// Adds to numbers.
pub struct NumIncrBy<'a>(Calculate<'a>);

impl<'a> Command<'a> for NumIncrBy<'a> {
    const SPEC: Spec = Spec {
        name: "json.numincrby",
        group: Group::Json,
        since: "1.0.0",
        summary: "Adds to the numbers at a path.",
        complexity: "O(1) for a static path, O(N) in the values that any other one visits",
        grammar: "key:key path:string value:double",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Json],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update])],
        behaviour: Behaviour::NEW.paths(Paths::At(2)),
        ..Spec::NEW
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Calculate::parse(args).map(NumIncrBy)
    }
}

impl<H: Documents> Run<H> for NumIncrBy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Operation::Add, "json.numincrby", host, out)
    }
}

/// Multiplies numbers.
pub struct NumMultBy<'a>(Calculate<'a>);

impl<'a> Command<'a> for NumMultBy<'a> {
    const SPEC: Spec = Spec {
        name: "json.nummultby",
        summary: "Multiplies the numbers at a path.",
        ..NumIncrBy::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Calculate::parse(args).map(NumMultBy)
    }
}

impl<H: Documents> Run<H> for NumMultBy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Operation::Multiply, "json.nummultby", host, out)
    }
}

/// Raises numbers to a power.
pub struct NumPowBy<'a>(Calculate<'a>);

impl<'a> Command<'a> for NumPowBy<'a> {
    const SPEC: Spec = Spec {
        name: "json.numpowby",
        summary: "Raises the numbers at a path to a power.",
        ..NumIncrBy::SPEC
    };

    fn parse(args: Args<'a>) -> Result<Self, CmdError> {
        Calculate::parse(args).map(NumPowBy)
    }
}

impl<H: Documents> Run<H> for NumPowBy<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        self.0.run(Operation::Power, "json.numpowby", host, out)
    }
}
