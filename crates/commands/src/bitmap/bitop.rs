//! BITOP.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Strings, error,
};

use super::combine::{Operation, combine};

const NOT_OF_ONE: CmdError =
    CmdError::new("ERR BITOP NOT must be called with a single source key.");

/// Combines strings bit by bit and stores the result; answers its length.
pub struct BitOp<'a> {
    operation: Operation,
    destination: Key<'a>,
    sources: Vec<Key<'a>>,
}

impl<'a> Command<'a> for BitOp<'a> {
    const SPEC: Spec = Spec {
        name: "bitop",
        group: Group::Bitmap,
        since: "2.6.0",
        summary: "Stores the bitwise combination of strings.",
        complexity: "O(N), when N is the sum of the lengths of the strings",
        grammar: "operation:string destkey:key key:key#1...",
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::Bitmap],
        keys: &[
            KeySpec::one(2, &[KeyFlag::Overwrite, KeyFlag::Update]),
            KeySpec::range(3, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
        ],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        let operation = if args.token("AND") {
            Operation::And
        } else if args.token("OR") {
            Operation::Or
        } else if args.token("XOR") {
            Operation::Xor
        } else if args.token("NOT") {
            Operation::Not
        } else {
            return Err(error::SYNTAX);
        };
        let destination = args.key()?;
        if operation == Operation::Not && args.left() != 1 {
            return Err(NOT_OF_ONE);
        }
        Ok(BitOp { operation, destination, sources: args.keys_to_end() })
    }
}

impl<H: Strings> Run<H> for BitOp<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let lookup = |key: &Key<'_>| host.string(*key).map(Option::unwrap_or_default);
        let sources: Vec<&[u8]> = self.sources.iter().map(lookup).collect::<Result<_, _>>()?;
        let result = combine(self.operation, &sources);
        let length = result.len();
        let existed = host.remove(self.destination, true);
        if length > 0 {
            // As an edit of a missing key: the bytes are moved, and reported as `raw`.
            host.edit_string(self.destination, |bytes| *bytes = result)?;
        }
        out.count(length);
        Ok(if existed || length > 0 { Effect::AsSent } else { Effect::None })
    }
}
