//! PFMERGE.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, Strings,
};
use types::hyperloglog::{self, Encoding, Registers};

use super::{corrupted, find};

/// Lets a HyperLogLog have seen whatever others have.
pub struct PfMerge<'a> {
    /// The destination, which counts as a source, then the sources.
    keys: Vec<Key<'a>>,
}

impl<'a> Command<'a> for PfMerge<'a> {
    const SPEC: Spec = Spec {
        name: "pfmerge",
        group: Group::HyperLogLog,
        since: "2.8.9",
        summary: "Merges HyperLogLogs into one.",
        complexity: "O(N), when N is the number of HyperLogLogs, with a large constant",
        grammar: "destkey:key sourcekey:key#1...",
        arity: -2,
        flags: &[Flag::Write, Flag::DenyOom],
        categories: &[Category::HyperLogLog],
        keys: &[
            KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Insert]),
            KeySpec::range(2, -1, 1, &[KeyFlag::ReadOnly, KeyFlag::Access]),
        ],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PfMerge { keys: args.keys_to_end() })
    }
}

impl<H: Strings> Run<H> for PfMerge<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let sparse_max = host.limits().hll_sparse;
        let mut registers = Registers::default();
        let mut any_dense = false;
        for key in &self.keys {
            host.notify_if_missing(*key);
            if let Some((bytes, encoding)) = find(host, *key)? {
                registers.merge(bytes).map_err(corrupted)?;
                any_dense |= encoding == Encoding::Dense;
            }
        }
        let Some(destination) = self.keys.first() else { return Err(super::CORRUPTED) };
        let is_new = host.string(*destination)?.is_none();
        let merged = host.edit_string(*destination, |bytes| {
            if is_new {
                *bytes = hyperloglog::empty();
            }
            if any_dense {
                hyperloglog::to_dense(bytes)?;
            }
            registers.raise_all(bytes, sparse_max)?;
            hyperloglog::invalidate(bytes);
            Ok(())
        })?;
        merged.map_err(corrupted)?;
        host.notify(Class::String, "pfadd", *destination);
        out.ok();
        Ok(Effect::AsSent)
    }
}
