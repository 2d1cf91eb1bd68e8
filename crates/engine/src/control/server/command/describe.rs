//! What follows from a spec: flags, ACL categories and the old `first, last, step` triple, by the
//! rules of Redis.

use base::{Find, Flag, KeyFlag, KeySpec, Spec, Start};

use crate::control::identity::Module;
use crate::engine::entry::Entry;

/// Flags in the order of `COMMAND INFO`.
const FLAGS: [Flag; 19] = [
    Flag::Write,
    Flag::ReadOnly,
    Flag::DenyOom,
    Flag::Admin,
    Flag::PubSub,
    Flag::NoScript,
    Flag::Blocking,
    Flag::Loading,
    Flag::Stale,
    Flag::SkipMonitor,
    Flag::SkipSlowlog,
    Flag::Asking,
    Flag::Fast,
    Flag::NoAuth,
    Flag::NoMandatoryKeys,
    Flag::NoAsyncLoading,
    Flag::NoMulti,
    Flag::MovableKeys,
    Flag::AllowBusy,
];

/// The flags of a command, `movablekeys` derived from its key specs.
pub(super) fn flags(entry: &Entry) -> Vec<&'static str> {
    let movable = legacy_range(entry.spec).movable;
    let told = |flag: &&Flag| entry.has(**flag) || (movable && **flag == Flag::MovableKeys);
    let mut words: Vec<&str> = FLAGS.iter().filter(told).map(|flag| flag.name()).collect();
    if Module::of(entry.spec.group).is_some() {
        // It stands behind these three.
        let before = [Flag::Write, Flag::ReadOnly, Flag::DenyOom];
        let at = before.iter().filter(|flag| entry.has(**flag)).count();
        words.insert(at, "module");
    }
    words
}

/// Key positions as clients before key specs understand them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LegacyRange {
    /// Position of the first key; 0 if there is none.
    pub first: i64,
    /// Position of the last key, from the end if negative.
    pub last: i64,
    /// Distance between keys.
    pub step: i64,
    /// The triple does not tell all: clients must ask.
    pub movable: bool,
}

/// The triple that covers as many of the key specs as can be, and whether any is left out.
///
/// One range tells itself. Of several, those that follow each other without a gap are put
/// together; all others make the keys movable.
pub(super) fn legacy_range(spec: &Spec) -> LegacyRange {
    let mut sum = LegacyRange::default();
    for key in spec.keys {
        let incomplete = key.flags.contains(&KeyFlag::Incomplete);
        let Some((first, last, step)) = plain_range(key) else {
            sum.movable = true;
            continue;
        };
        let follows = sum.first == 0 || (step == 1 && sum.step == 1 && sum.last == first - 1);
        let joinable = spec.keys.len() == 1 || step == 1;
        if !(follows && joinable) {
            sum.movable = true;
            continue;
        }
        sum.movable |= incomplete;
        if sum.first == 0 {
            sum.first = first;
            sum.step = step;
        }
        sum.last = last;
    }
    sum
}

/// Position of the first and the last key, and their distance.
fn plain_range(key: &KeySpec) -> Option<(i64, i64, i64)> {
    let (Start::Index(first), Find::Range { last, step, .. }) = (key.start, key.find) else {
        return None;
    };
    let first = i64::try_from(first).ok()?;
    let last = i64::from(last) + if last >= 0 { first } else { 0 };
    Some((first, last, i64::try_from(step).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RO: &[KeyFlag] = &[KeyFlag::ReadOnly];

    fn of(keys: &'static [KeySpec]) -> (i64, i64, i64, bool) {
        let range = legacy_range(&Spec { keys, ..Spec::NEW });
        (range.first, range.last, range.step, range.movable)
    }

    #[test]
    fn ranges_are_told_as_redis_tells_them() {
        assert_eq!(of(&[]), (0, 0, 0, false));
        assert_eq!(of(const { &[KeySpec::one(1, RO)] }), (1, 1, 1, false)); // GET
        assert_eq!(of(const { &[KeySpec::range(1, -1, 2, RO)] }), (1, -1, 2, false)); // MSET
        assert_eq!(of(const { &[KeySpec::range(1, -2, 1, RO)] }), (1, -2, 1, false)); // BLPOP
        let two = const { &[KeySpec::one(1, RO), KeySpec::one(2, RO)] };
        assert_eq!(of(two), (1, 2, 1, false)); // COPY
        assert_eq!(of(const { &[KeySpec::counted(1, RO)] }), (0, 0, 0, true)); // SINTERCARD
        let stored = const { &[KeySpec::one(1, RO), KeySpec::counted(2, RO)] };
        assert_eq!(of(stored), (1, 1, 1, true)); // ZUNIONSTORE
        let joined = const { &[KeySpec::one(2, RO), KeySpec::range(3, -1, 1, RO)] };
        assert_eq!(of(joined), (2, -1, 1, false)); // BITOP
    }
}
