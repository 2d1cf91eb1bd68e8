//! Batches of diffs: checked whole, then done whole.

use haystack::{Cell, DateTime, Dict, Name, Value, Zone};

use crate::Slot;
use crate::diff::{Diff, Flags};
use crate::error::{Error, ErrorKind};
use crate::project::{Project, too_many_tags};
use crate::view::{MOD, View};
use crate::{limits, rules};

/// What became of a diff.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// The record.
    pub id: Name,
    /// Its place, or the one that it had.
    pub slot: Slot,
    /// The diff's flags with those that follow from what it changed.
    pub flags: Flags,
    /// When the record had been changed before; none if it is new.
    pub old_mod: Option<DateTime>,
    /// Its `mod` from now on; none if it is gone.
    pub new_mod: Option<DateTime>,
}

const MILLISECOND: i64 = 1_000_000;

impl Project {
    /// Does a batch of diffs, or nothing. `now` becomes the `mod` of the records, in whole
    /// milliseconds, unless that would not be later than the one they have.
    ///
    /// Takes O(log n) for each tag that changes; removing a record takes O(tags of the project).
    ///
    /// # Errors
    /// `DiffErr` and its like for what cannot be; `CommitErr` for a new record that is there, or
    /// another that is not, and for a tag that is on the other side, transient or persistent;
    /// `ConcurrentChangeErr` for another `mod`. The first one is told.
    pub fn commit(&mut self, diffs: &[Diff], now: DateTime) -> Result<Vec<Committed>, Error> {
        rules::check_batch(diffs)?;
        let slots = diffs.iter().map(|diff| check(self, diff)).collect::<Result<Vec<_>, _>>()?;
        check_room(self, diffs)?;
        let is_persistent = diffs.first().is_some_and(|diff| !diff.flags.has(Flags::TRANSIENT));
        self.edit(|view, ledger| {
            // A journal or an image may have said any number.
            view.version = view.version.saturating_add(u64::from(is_persistent));
            let all = diffs.iter().zip(slots);
            all.map(|(diff, slot)| apply(view, ledger, (diff, slot), now)).collect()
        })
    }
}

fn commit_error(message: String) -> Error {
    Error::new(ErrorKind::Commit, message)
}

/// Whether a diff fits what is there: the record it is about, unless that is to be made.
fn check(view: &View, diff: &Diff) -> Result<Option<Slot>, Error> {
    let found = view.slot_of(&diff.id);
    if diff.flags.has(Flags::ADD) {
        let message = || commit_error(format!("Record already exists: {}", diff.id));
        return if found.is_none() { Ok(None) } else { Err(message()) };
    }
    let slot = found.ok_or_else(|| commit_error(format!("Record not found: {}", diff.id)))?;
    if !diff.flags.has(Flags::FORCE) && diff.old_mod != mod_of(view, slot) {
        let message = format!("{}: it has changed since it was read", diff.id);
        return Err(Error::new(ErrorKind::ConcurrentChange, message));
    }
    let transient = diff.flags.has(Flags::TRANSIENT);
    for (tag, _) in diff.changes.iter() {
        let Some(column) = view.column(tag) else { continue };
        if !column.cell(slot).is_null() && column.is_transient(slot) != transient {
            let side = if transient { "persistent" } else { "transient" };
            return Err(commit_error(format!("Tag '{tag}' of {} is {side}", diff.id)));
        }
    }
    Ok(Some(slot))
}

/// Whether there is room for the tags and records that are new.
fn check_room(view: &View, diffs: &[Diff]) -> Result<(), Error> {
    let tags = diffs.iter().flat_map(|diff| diff.changes.iter());
    let new = tags.filter(|(_, value)| **value != Value::REMOVE).map(|(tag, _)| tag.as_str());
    let new: std::collections::HashSet<&str> = new.filter(|tag| !view.is_used(tag)).collect();
    if !view.has_room_for_tags(new.len()) {
        return Err(too_many_tags());
    }
    let added = diffs.iter().filter(|diff| diff.flags.has(Flags::ADD)).count();
    if added + view.len() > limits::MOST_RECORDS {
        return Err(commit_error("Too many records".to_owned()));
    }
    Ok(())
}

pub(crate) fn mod_of(view: &View, slot: Slot) -> Option<DateTime> {
    if let Cell::DateTime(instant) = view.cell_of(slot, MOD) { Some(instant) } else { None }
}

/// Does a diff that was checked.
fn apply(
    view: &mut View,
    ledger: &mut blocks::Ledger,
    (diff, slot): (&Diff, Option<Slot>),
    now: DateTime,
) -> Result<Committed, Error> {
    let slot = slot.or_else(|| view.add(ledger, &diff.id));
    let slot = slot.ok_or_else(|| commit_error("Too many records".to_owned()))?;
    let old_mod = mod_of(view, slot);
    let transient = diff.flags.has(Flags::TRANSIENT);
    for (tag, value) in diff.changes.iter() {
        let is_removed = *value == Value::REMOVE;
        if is_removed && view.number(tag).is_none() {
            continue;
        }
        let number = view.make_tag(ledger, tag).ok_or_else(too_many_tags)?;
        let value = if is_removed { Value::NULL } else { rules::stored(value) };
        view.set(ledger, (slot, number), &value, transient);
    }
    let flags = derived(view, slot, diff);
    let new_mod = if diff.flags.has(Flags::REMOVE) {
        view.remove(ledger, slot);
        None
    } else if transient {
        old_mod
    } else {
        let next = next_mod(old_mod, now);
        view.set(ledger, (slot, MOD), &next.into(), false);
        if rules::changes_history(&diff.changes) {
            view.tell_history(ledger, slot);
        }
        Some(next)
    };
    Ok(Committed { id: diff.id.clone(), slot, flags, old_mod, new_mod })
}

/// Later than the one before by a millisecond at least.
fn next_mod(old: Option<DateTime>, now: DateTime) -> DateTime {
    let utc = Zone::named("UTC").unwrap_or(now.zone());
    let now = now.nanos() - now.nanos().rem_euclid(MILLISECOND);
    let least = old.map_or(i64::MIN, |old| old.nanos().saturating_add(MILLISECOND));
    DateTime::from_nanos(now.max(least), utc)
}

/// The flags of a diff, with those that follow from what it changes.
fn derived(view: &View, slot: Slot, diff: &Diff) -> Flags {
    let asked = Flags(diff.flags.0 & !Flags::DERIVED);
    let when = |is_so: bool, flag: Flags| if is_so { flag } else { Flags::default() };
    asked
        | when(diff.changes.has("curVal"), Flags::CUR_VAL)
        | when(!view.value(slot, "point").is_null(), Flags::POINT)
        | when(updates_tree(diff), Flags::TREE_UPDATE)
}

fn updates_tree(diff: &Diff) -> bool {
    let whole = diff.flags.has(Flags::ADD) || diff.flags.has(Flags::REMOVE);
    let is_about =
        |dict: &Dict| dict.has("trash") || dict.iter().any(|(_, value)| value.as_id().is_some());
    whole || !diff.flags.has(Flags::TRANSIENT) && is_about(&diff.changes)
}
