//! BITOP.

use base::{
    Args, Behaviour, Category, Class, CmdError, Command, Deadline, Effect, Flag, Group, Key,
    KeyFlag, KeySpec, Kind, Reply, Run, Spec, Stores, Strings, error,
};

use super::combine::{Operation, combine, longest};

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
        behaviour: Behaviour::NEW.stores(Stores::Derived),
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

impl BitOp<'_> {
    /// Puts the result in place of whatever there is, an empty one by removing it. Whether there
    /// was anything.
    fn put<H: Strings>(&self, result: Vec<u8>, host: &mut H) -> Result<bool, CmdError> {
        let key = self.destination;
        if result.is_empty() {
            let existed = host.remove(key, true);
            if existed {
                host.notify(Class::Generic, "del", key);
            }
            return Ok(existed);
        }
        let before = host.kind(key);
        match before {
            None => {}
            Some(Kind::String) => _ = host.set_deadline(key, None),
            Some(_) => host.set_string(key, b"", Deadline::Clear),
        }
        // As an edit: the bytes are moved, and reported as `raw`.
        host.edit_string(key, |bytes| *bytes = result)?;
        host.notify(Class::String, "set", key);
        Ok(before.is_some())
    }
}

impl<H: Strings> Run<H> for BitOp<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        for key in &self.sources {
            host.notify_if_missing(*key);
            host.string(*key)?;
        }
        let length = longest(&sources(&self.sources, host)?);
        // Untouched memory is dear: a megabyte of it costs more than the work that is done in it.
        // So the destination's is used again, if there is about as much as is needed.
        let old = host.string(self.destination).unwrap_or(None).map_or(0, <[u8]>::len);
        let fits = length > 0 && (length..=length.saturating_mul(2)).contains(&old);
        let is_source = self.sources.iter().any(|key| key.bytes == self.destination.bytes);
        let memory = if fits && !is_source {
            host.edit_string(self.destination, std::mem::take)?
        } else {
            Vec::new()
        };
        let result = combine(self.operation, &sources(&self.sources, host)?, memory);
        let existed = self.put(result, host)?;
        out.count(length);
        Ok(if existed || length > 0 { Effect::AsSent } else { Effect::None })
    }
}

/// The strings at `keys`; missing ones are empty.
fn sources<'h, H: Strings>(keys: &[Key<'_>], host: &'h H) -> Result<Vec<&'h [u8]>, CmdError> {
    keys.iter().map(|key| Ok(host.string(*key)?.unwrap_or_default())).collect()
}
