//! PFCOUNT.
//!
//! It counts as a command that only reads, and yet keeps the cardinality it worked out in the
//! header of the HyperLogLog. As in Redis, that is a change like any other: those who watch the key
//! are told, and it is recorded.

use base::{
    Args, Category, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply, Run,
    Spec, Strings,
};
use types::hyperloglog::{self, Registers};

use super::{corrupted, find, report_raw};

/// Estimates how many distinct elements HyperLogLogs have seen together.
pub struct PfCount<'a> {
    keys: Vec<Key<'a>>,
}

impl<'a> Command<'a> for PfCount<'a> {
    const SPEC: Spec = Spec {
        name: "pfcount",
        group: Group::HyperLogLog,
        since: "2.8.9",
        summary: "Estimates the number of distinct elements that HyperLogLogs have seen.",
        complexity: "O(1) for one key that did not change since; else O(N), when N is the number \
                     of keys, with a large constant",
        grammar: "key:key...",
        flags: &[Flag::ReadOnly, Flag::MayReplicate],
        categories: &[Category::HyperLogLog],
        keys: &[KeySpec::range(1, -1, 1, &[KeyFlag::ReadWrite, KeyFlag::Access])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PfCount { keys: args.keys_to_end() })
    }
}

/// Cardinalities are unsigned, replies are not; Redis does not care.
fn answer(card: u64, out: &mut dyn Reply) {
    out.int(i64::from_ne_bytes(card.to_ne_bytes()));
}

impl<H: Strings> Run<H> for PfCount<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        if let [key] = self.keys[..] {
            return one(host, key, out);
        }
        let mut registers = Registers::default();
        for key in self.keys {
            if let Some((bytes, _)) = find(host, key)? {
                registers.merge(bytes).map_err(corrupted)?;
            }
        }
        answer(registers.count(), out);
        Ok(Effect::None)
    }
}

fn one<H: Strings>(host: &mut H, key: Key<'_>, out: &mut dyn Reply) -> Result<Effect, CmdError> {
    let Some((bytes, _)) = find(host, key)? else {
        out.int(0);
        return Ok(Effect::None);
    };
    let (length, cached) = (bytes.len(), hyperloglog::cached(bytes));
    let card = match cached {
        Some(card) => Ok(card),
        None => hyperloglog::count(bytes).map_err(corrupted),
    };
    report_raw(host, key, length)?;
    let card = card?;
    if cached.is_none() {
        host.edit_string(key, |bytes| hyperloglog::cache(bytes, card))?;
    }
    answer(card, out);
    Ok(if cached.is_none() { Effect::AsSent } else { Effect::None })
}
