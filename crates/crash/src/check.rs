//! Was what the server remembers promised, and is all that was promised remembered?
//!
//! For every partition the history is walked from its base, and after every unit the model is
//! compared with what was read back. Only keys that a unit names are compared again, so a walk
//! costs about as much as the work did. The prefixes that agree are the points at which the
//! partition may have been cut; if none of them holds all that was promised, something is wrong.

use std::collections::BTreeSet;

use crate::model::Model;
use crate::observe::Observation;
use crate::partition::Partition;
use crate::unit::Unit;
use crate::value::{Bytes, Keys, Name, Value, agree, describe};
use crate::workload::{SHARED_DB, shared_group_keys};

/// What the server had promised when it was killed.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// Milliseconds: everything acknowledged by then must be there.
    pub acked_by: i64,
    /// A value of the shared counter that was read and so must have been safe; 0 if none was.
    pub counter_seen: i64,
}

impl Promise {
    /// Everything acknowledged is there.
    pub const EVERYTHING: i64 = i64::MAX;
    /// Anything may be missing.
    pub const NOTHING: i64 = i64::MIN;
}

/// Where a partition may have been cut.
struct Walk {
    /// How many units were promised.
    promised: usize,
    /// The prefixes that agree with what was read.
    cuts: Vec<usize>,
    /// The prefix that comes closest.
    nearest: usize,
}

/// Compares what was read with what was promised. Empty: all is well.
#[must_use]
pub fn check(partitions: &[Partition], seen: &Observation, promise: Promise) -> Vec<String> {
    let mut violations = Vec::new();
    let mut walks = Vec::new();
    for partition in partitions {
        let share = seen.share_of(partition.prefix());
        let walk = walk(partition, &share, seen, promise);
        if !walk.cuts.iter().any(|cut| *cut >= walk.promised) {
            violations.push(explain(partition, &share, seen, &walk));
        }
        walks.push(walk);
    }
    if violations.is_empty() {
        violations.extend(one_cut_for_all(partitions, &walks));
    }
    unknown_items(partitions, seen, &mut violations);
    together(seen, promise, &mut violations);
    violations
}

fn walk(partition: &Partition, share: &Keys, seen: &Observation, promise: Promise) -> Walk {
    let kept = |unit: &&Unit| unit.acked.is_some_and(|at| at <= promise.acked_by);
    let promised = partition.units.iter().take_while(kept).count();
    let mut model = partition.base.clone();
    let mut wrong = differences(&model, share, seen);
    let (mut cuts, mut nearest) = (Vec::new(), (usize::MAX, 0));
    for at in 0..=partition.units.len() {
        if let Some(unit) = at.checked_sub(1).and_then(|last| partition.units.get(last)) {
            model.apply(unit, Some(share));
            if unit.global {
                wrong = differences(&model, share, seen);
            }
            for name in unit.names(partition.prefix()) {
                if agree(model.keys.get(&name), share.get(&name), seen.from, seen.to) {
                    wrong.remove(&name);
                } else {
                    wrong.insert(name);
                }
            }
        }
        if wrong.is_empty() {
            cuts.push(at);
        }
        // Of equally near prefixes the last, if it can be: there is the most to say about it.
        if wrong.len() <= nearest.0 {
            nearest = (wrong.len(), at);
        }
    }
    Walk { promised, cuts, nearest: nearest.1 }
}

fn differences(model: &Model, share: &Keys, seen: &Observation) -> BTreeSet<Name> {
    let names = model.keys.keys().chain(share.keys());
    names
        .filter(|name| !agree(model.keys.get(*name), share.get(*name), seen.from, seen.to))
        .cloned()
        .collect()
}

fn explain(partition: &Partition, share: &Keys, seen: &Observation, walk: &Walk) -> String {
    let who = String::from_utf8_lossy(partition.prefix()).into_owned();
    let (promised, sent) = (walk.promised, partition.units.len());
    if let Some(cut) = walk.cuts.last() {
        let lost = partition.units[*cut..promised].iter().take(5).map(Unit::describe);
        let lost = lost.collect::<Vec<_>>().join("\n    lost: ");
        return format!(
            "{who} lost what was promised: it was cut after unit {cut}, {promised} of {sent} were \
             promised\n    lost: {lost}"
        );
    }
    let mut model = partition.base.clone();
    for unit in &partition.units[..walk.nearest] {
        model.apply(unit, Some(share));
    }
    let mut text = format!(
        "{who} is in no state it ever had ({promised} of {sent} units promised); nearest is after \
         unit {}:",
        walk.nearest
    );
    for name in differences(&model, share, seen).iter().take(4) {
        let key = name.1.escape_ascii();
        text += &format!(
            "\n  [{}] {key}\n    expected {}\n    found    {}",
            name.0,
            describe(model.keys.get(name)),
            describe(share.get(name)),
        );
        let touching = |(_, unit): &(usize, &Unit)| {
            unit.global || unit.names(partition.prefix()).contains(name)
        };
        let units: Vec<_> = partition.units.iter().enumerate().filter(touching).collect();
        for (at, unit) in units.iter().rev().take(6).rev() {
            text += &format!("\n    unit {at}, sent {}: {}", unit.sent, unit.describe());
        }
    }
    text
}

/// Global units happened to all partitions or to none, in order.
fn one_cut_for_all(partitions: &[Partition], walks: &[Walk]) -> Option<String> {
    let globals = |partition: &Partition, cut: usize| {
        partition.units[..cut].iter().filter(|u| u.global).count()
    };
    let mut possible: Option<BTreeSet<usize>> = None;
    for (partition, walk) in partitions.iter().zip(walks) {
        let cuts = walk.cuts.iter().filter(|cut| **cut >= walk.promised);
        let counts: BTreeSet<usize> = cuts.map(|cut| globals(partition, *cut)).collect();
        possible = Some(possible.map_or_else(|| counts.clone(), |all| &all & &counts));
    }
    possible.is_some_and(|counts| counts.is_empty()).then(|| {
        "a FLUSHDB, SWAPDB or DEL of a shared key is there for some connections and not for others"
            .to_owned()
    })
}

/// Keys and elements that were never written.
fn unknown_items(partitions: &[Partition], seen: &Observation, violations: &mut Vec<String>) {
    let known =
        |bytes: &Bytes| partitions.iter().any(|partition| bytes.starts_with(partition.prefix()));
    for ((db, key), entry) in &seen.keys {
        if let (true, Value::List(list)) = (key.starts_with(b"shared:"), &entry.value) {
            if let Some(item) = list.iter().find(|item| !known(item)) {
                violations.push(format!("no client pushed {} to a list", item.escape_ascii()));
            }
        } else if !key.starts_with(b"shared:") && !known(key) {
            violations.push(format!("no client wrote [{db}] {}", key.escape_ascii()));
        }
    }
}

/// What several write: the sum of the parts, and the group that is always equal.
fn together(seen: &Observation, promise: Promise, violations: &mut Vec<String>) {
    let number = |text: &Bytes| -> i64 {
        std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).unwrap_or(-1)
    };
    let sum: i64 = seen.hash(SHARED_DB, b"shared:counts").values().map(number).sum();
    let counter = seen.text(SHARED_DB, b"shared:counter").map_or(0, number);
    if sum != counter {
        violations.push(format!("half of a group: the counter is {counter}, its parts {sum}"));
    }
    if counter < promise.counter_seen {
        let read = promise.counter_seen;
        violations.push(format!("the counter was read as {read} and is {counter} now"));
    }
    let values: Vec<Option<&Bytes>> =
        shared_group_keys().iter().map(|key| seen.text(SHARED_DB, key)).collect();
    if values.windows(2).any(|pair| pair[0] != pair[1]) {
        let shown: Vec<String> =
            values.iter().map(|v| v.map_or("-".into(), |v| v.escape_ascii().to_string())).collect();
        violations.push(format!("half of a group: the shared keys are {}", shown.join(" ")));
        return;
    }
    let Some(value) = values[0] else { return };
    let mut parts = value.splitn(2, |b| *b == b':');
    let (who, number) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let last = seen.hash(SHARED_DB, b"shared:last");
    if last.get(who).map(Vec::as_slice) != Some(number) {
        let value = value.escape_ascii();
        violations.push(format!("the shared keys say {value}, which is not that writer's last"));
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
