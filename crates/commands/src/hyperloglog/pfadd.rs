//! PFADD.

use base::{
    Args, Category, Class, CmdError, Command, Effect, Flag, Group, Key, KeyFlag, KeySpec, Reply,
    Run, Spec, Strings,
};
use types::hyperloglog::{self, Corrupted};

use super::{corrupted, find, report_raw};

/// Shows elements to a HyperLogLog; answers whether it changed.
pub struct PfAdd<'a> {
    key: Key<'a>,
    elements: &'a [&'a [u8]],
}

impl<'a> Command<'a> for PfAdd<'a> {
    const SPEC: Spec = Spec {
        name: "pfadd",
        group: Group::HyperLogLog,
        since: "2.8.9",
        summary: "Adds elements to a HyperLogLog, created if missing.",
        complexity: "O(1) for each element",
        grammar: "key:key [element:string...]",
        flags: &[Flag::Write, Flag::DenyOom, Flag::Fast],
        categories: &[Category::HyperLogLog],
        keys: &[KeySpec::one(1, &[KeyFlag::ReadWrite, KeyFlag::Insert])],
        ..Spec::NEW
    };

    fn parse(mut args: Args<'a>) -> Result<Self, CmdError> {
        Ok(PfAdd { key: args.key()?, elements: args.rest() })
    }
}

impl<H: Strings> Run<H> for PfAdd<'_> {
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError> {
        let sparse_max = host.limits().hll_sparse;
        let found = find(host, self.key)?;
        let is_new = found.is_none();
        if let Some((bytes, _)) = found {
            // Most elements have been seen before: they need no edit.
            let seen = |element: &&[u8]| hyperloglog::has_seen(bytes, element);
            if self.elements.iter().all(seen) {
                let length = bytes.len();
                report_raw(host, self.key, length)?;
                out.int(0);
                return Ok(Effect::None);
            }
        }
        let added = host.edit_string(self.key, |bytes| {
            if is_new {
                *bytes = hyperloglog::empty();
            }
            add_all(bytes, self.elements, sparse_max).map(|changed| {
                if changed || is_new {
                    hyperloglog::invalidate(bytes);
                }
                changed || is_new
            })
        })?;
        let changed = added.map_err(corrupted)?;
        if changed {
            host.notify(Class::String, "pfadd", self.key);
        }
        out.int(i64::from(changed));
        Ok(if changed { Effect::AsSent } else { Effect::None })
    }
}

fn add_all(bytes: &mut Vec<u8>, elements: &[&[u8]], sparse_max: usize) -> Result<bool, Corrupted> {
    let mut changed = false;
    for element in elements {
        changed |= hyperloglog::add(bytes, element, sparse_max)?;
    }
    Ok(changed)
}
