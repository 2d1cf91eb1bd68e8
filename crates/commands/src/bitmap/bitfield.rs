//! BITFIELD and BITFIELD_RO.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Effect, Flag, Group, Key, KeyFlag,
    KeyRules, KeySpec, Makes, Reply, Run, Spec, Strings, error,
};

use super::field::{Overflow, Width};
use super::offset;

const BAD_OVERFLOW: CmdError = CmdError::new("ERR Invalid OVERFLOW type specified");
const ONLY_GET: CmdError = CmdError::new("ERR BITFIELD_RO only supports the GET subcommand");

/// How long the fields that a request writes make its string.
fn longest_reach(argv: &[&[u8]]) -> usize {
    let writes =
        |word: &[u8]| word.eq_ignore_ascii_case(b"SET") || word.eq_ignore_ascii_case(b"INCRBY");
    let reach = |at: usize| {
        let width = argv.get(at + 1).and_then(|word| Width::parse(word).ok());
        width.map_or(0, |width| offset::length_to(argv, at + 2, Some(width.bits)))
    };
    (2..argv.len()).filter(|&at| writes(argv[at])).map(reach).max().unwrap_or(0)
}

/// What is done to one field.
struct Operation {
    width: Width,
    offset: u64,
    action: Action,
}

enum Action {
    Get,
    Set(i64, Overflow),
    IncrBy(i64, Overflow),
}

impl Operation {
    /// Reads all operations; no key is looked up before they are right.
    fn parse(mut args: Args<'_>, string_max: usize) -> Result<Vec<Operation>, CmdError> {
        let mut operations = Vec::new();
        let mut overflow = Overflow::Wrap;
        while args.left() > 0 {
            let enough = |needed: usize| args.left() > needed;
            let (for_two, for_three) = (enough(2), enough(3));
            if enough(1) && args.token("OVERFLOW") {
                overflow = parse_overflow(&mut args)?;
                continue;
            }
            let number: Option<fn(i64, Overflow) -> Action> = if for_two && args.token("GET") {
                None
            } else if for_three && args.token("SET") {
                Some(Action::Set)
            } else if for_three && args.token("INCRBY") {
                Some(Action::IncrBy)
            } else {
                return Err(error::SYNTAX);
            };
            let width = Width::parse(args.next()?)?;
            let offset = offset::parse(args.next()?, Some(width.bits), string_max)?;
            let action = match number {
                Some(action) => action(args.integer()?, overflow),
                None => Action::Get,
            };
            operations.push(Operation { width, offset, action });
        }
        Ok(operations)
    }

    fn is_write(&self) -> bool {
        !matches!(self.action, Action::Get)
    }

    /// How long the string must be to hold the whole field.
    fn reach(&self) -> usize {
        offset::byte_of(self.offset + u64::from(self.width.bits) - 1) + 1
    }

    /// Carries out the operation on bytes that reach far enough. The reply, and whether the field
    /// has another value now.
    fn apply(&self, bytes: &mut [u8]) -> (Option<i64>, bool) {
        let old = self.width.get(bytes, self.offset);
        let new = match self.action {
            Action::Get => return (Some(old), false),
            Action::Set(value, overflow) => self.width.assign(value, overflow),
            Action::IncrBy(by, overflow) => self.width.add(old, by, overflow),
        };
        let Some(new) = new else { return (None, false) };
        self.width.set(bytes, self.offset, new);
        let reply = if matches!(self.action, Action::Set(..)) { old } else { new };
        (Some(reply), new != old)
    }
}

fn parse_overflow(args: &mut Args<'_>) -> Result<Overflow, CmdError> {
    if args.token("WRAP") {
        Ok(Overflow::Wrap)
    } else if args.token("SAT") {
        Ok(Overflow::Saturate)
    } else if args.token("FAIL") {
        Ok(Overflow::Fail)
    } else {
        Err(BAD_OVERFLOW)
    }
}

/// Reads fields.
fn read<H: Strings>(
    key: Key<'_>,
    operations: &[Operation],
    host: &H,
    out: &mut dyn Reply,
) -> Result<Effect, CmdError> {
    let bytes = host.string(key)?.unwrap_or_default();
    out.array(operations.len());
    for operation in operations {
        out.int(operation.width.get(bytes, operation.offset));
    }
    Ok(Effect::None)
}

/// Reads and writes integers anywhere in a string.
pub struct BitField<'a> {
    key: Key<'a>,
    operations: Args<'a>,
}

/// With nothing but `GET type offset` it only reads.
fn key_flags(_: &KeySpec, argv: &[&[u8]]) -> &'static [KeyFlag] {
    let mut operations = argv.get(2..).unwrap_or_default().chunks(3);
    match operations.all(|words| words.len() == 3 && words[0].eq_ignore_ascii_case(b"GET")) {
        true => &[KeyFlag::ReadOnly, KeyFlag::Access],
        false => &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update],
    }
}

impl<'a> Command<'a> for BitField<'a> {
    const SPEC: Spec = Spec {
        name: "bitfield",
        group: Group::Bitmap,
        since: "3.2.0",
        summary: "Reads and writes integers of any width anywhere in a string.",
        complexity: "O(1) for each operation",
        grammar: "key:key [operation=(GET encoding_offset={encoding:string offset:integer} | \
                  write={[OVERFLOW wrap_sat_fail=(WRAP | SAT | FAIL)] write_operation=(SET \
                  encoding_offset_value={encoding:string offset:integer value:integer} | INCRBY \
                  encoding_offset_increment={encoding:string offset:integer \
                  increment:integer})}) ...]",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Bitmap],
        keys: &[KeySpec::one(
            1,
            &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Update, KeyFlag::VariableFlags],
        )],
        behaviour: Behaviour::NEW
            .key_rules(KeyRules { flags: key_flags, ..KeyRules::NEW })
            .makes(Makes::Length(longest_reach)),
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(BitField { key: args.key()?, operations: args })
    }
}

impl<H: Strings> Run<H> for BitField<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let operations = Operation::parse(self.operations, host.limits().string_max)?;
        let writes = operations.iter().filter(|operation| operation.is_write());
        let Some(length) = writes.map(Operation::reach).max() else {
            return read(self.key, &operations, host, out);
        };
        let starts = operations.iter().map(|operation| offset::byte_of(operation.offset));
        let range = starts.min().unwrap_or(0)..length;
        let (replies, changed) = host.edit_string_within(self.key, range, |bytes| {
            let mut changed = offset::grow(bytes, length);
            let mut apply = |operation: &Operation| {
                let (reply, different) = operation.apply(bytes);
                changed |= different;
                reply
            };
            let replies: Vec<Option<i64>> = operations.iter().map(&mut apply).collect();
            (replies, changed)
        })?;
        if changed {
            host.notify(Class::String, "setbit", self.key);
        }
        out.array(replies.len());
        for reply in replies {
            match reply {
                Some(number) => out.int(number),
                None => out.null(),
            }
        }
        Ok(if changed { Effect::AsSent } else { Effect::None })
    }
}

/// Reads integers anywhere in a string.
pub struct BitFieldRo<'a> {
    key: Key<'a>,
    operations: Args<'a>,
}

impl<'a> Command<'a> for BitFieldRo<'a> {
    const SPEC: Spec = Spec {
        name: "bitfield_ro",
        group: Group::Bitmap,
        since: "6.0.0",
        summary: "Reads integers of any width anywhere in a string.",
        complexity: "O(1) for each operation",
        grammar: "key:key [GET encoding_offset={encoding:string offset:integer} +...]",
        flags: &[Flag::ReadOnly, Flag::Fast],
        categories: &[Category::Bitmap],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadOnly, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(BitFieldRo { key: args.key()?, operations: args })
    }
}

impl<H: Strings> Run<H> for BitFieldRo<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let operations = Operation::parse(self.operations, host.limits().string_max)?;
        if operations.iter().any(Operation::is_write) {
            return Err(ONLY_GET);
        }
        read(self.key, &operations, host, out)
    }
}
