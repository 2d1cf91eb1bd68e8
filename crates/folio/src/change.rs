//! What has been done to a project, as a journal has it: doing it again gives the same project, by
//! whatever clock and on whatever day.
//!
//! ```text
//!   records    | 1 | id, mod, tags | id, mod, tags | …       mod 0: gone
//!   version    | 2 | number |
//!   samples    | 3 | id | what is cleared | instants taken out | blocks put in |
//!   index      | 4 | tag |
//! ```
//!
//! Records are told by their ids; what is made anew gets the same place as it got then. What is
//! transient is not told.

use std::collections::{HashMap, HashSet};

use base::codec::{Malformed, Source, put_bytes, put_number};
use haystack::{DateTime, Dict, Kind, Name, Tag, Value};

use crate::code::{self, put_signed, put_value, utc};
use crate::commit::{Committed, mod_of};
use crate::diff::{Diff, Flags};
use crate::error::{Error, ErrorKind};
use crate::history::{Clear, Sample, Samples, Value as Measured, not_before, pack, unpack};
use crate::project::Project;
use crate::view::{MOD, View};
use crate::{limits, rules};

const RECORDS: u8 = 1;
const VERSION: u8 = 2;
const SAMPLES: u8 = 3;
const INDEX: u8 = 4;

const MADE: u8 = 1;
const CHANGED: u8 = 2;
const GONE: u8 = 3;

const ALL: u8 = 1;
const SPAN: u8 = 2;
/// What a change of a few bytes may not say.
const DIFFERS: Malformed = Malformed("a change of another project");

/// Appends what a batch has done, in pieces of about so many bytes: each is a change by itself, and
/// all are what the batch was. None if it was transient.
#[must_use]
pub fn of_commit(
    diffs: &[Diff],
    committed: &[Committed],
    version: u64,
    bytes: usize,
) -> Vec<Vec<u8>> {
    let is_kept = diffs.first().is_some_and(|diff| !diff.flags.has(Flags::TRANSIENT));
    let (mut pieces, mut piece) = (Vec::new(), Vec::new());
    for (diff, done) in diffs.iter().zip(committed).filter(|_| is_kept) {
        put_record(diff, done, &mut piece);
        if piece.len() >= bytes {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    if is_kept {
        piece.push(VERSION);
        put_number(&mut piece, version);
        pieces.push(piece);
    }
    pieces
}

fn put_record(diff: &Diff, done: &Committed, out: &mut Vec<u8>) {
    out.push(RECORDS);
    out.push(match done.new_mod {
        None => GONE,
        Some(_) if diff.flags.has(Flags::ADD) => MADE,
        Some(_) => CHANGED,
    });
    put_bytes(out, done.id.as_str().as_bytes());
    let Some(time) = done.new_mod else { return };
    put_tags(time, &diff.changes, out);
}

fn put_tags(time: DateTime, tags: &Dict, out: &mut Vec<u8>) {
    put_signed(out, time.nanos());
    put_number(out, tags.len() as u64);
    for (tag, value) in tags.iter() {
        put_bytes(out, tag.as_str().as_bytes());
        put_value(out, &rules::stored(value).cell());
    }
}

/// The change that makes a record with the `mod` that it has in another store, from which it comes;
/// `tags` are those that are kept, without `id` and `mod`. Restricted tags are taken.
///
/// ```
/// use haystack::{DateTime, Zone, trio};
/// use kvist_folio::{Layer, Project, change};
///
/// let time = DateTime::from_nanos(1_700_000_000_000_000_000, Zone::named("UTC")?);
/// let tags = trio::read("dis: \"Main Street\"\nsite\n")?.remove(0);
/// let mut project = Project::default();
/// project.apply(&[change::of_record("a", time, &tags)?, change::of_version(7)].concat())?;
/// let record = project.dict(project.read_by_id("a")?, Layer::Persistent);
/// assert_eq!((record.get("mod"), project.version()), (Some(&time.into()), 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// No record may have this id, or one of the tags, or this `mod`.
pub fn of_record(id: &str, time: DateTime, tags: &Dict) -> Result<Vec<u8>, Error> {
    rules::check_record(id, tags)?;
    if time.nanos() > rules::LATEST_MOD {
        let message = format!("mod: {} is too far a future", time.iso());
        return Err(Error::new(ErrorKind::InvalidTagVal, message));
    }
    let mut out = vec![RECORDS, MADE];
    put_bytes(&mut out, id.as_bytes());
    put_tags(time, tags, &mut out);
    Ok(out)
}

/// The change that makes this the version of the project.
#[must_use]
pub fn of_version(version: u64) -> Vec<u8> {
    let mut out = vec![VERSION];
    put_number(&mut out, version);
    out
}

/// What was written to a record's history: the samples as they were checked, in as many changes as
/// it was done in.
#[must_use]
pub fn of_samples(id: &str, samples: &Samples, clear: Clear) -> Vec<Vec<u8>> {
    let first = samples.0.len().min(limits::SAMPLES_AT_ONCE);
    let (first, rest) = samples.0.split_at(first);
    let mut changes = vec![piece_of(id, first, clear)];
    let rest = rest.chunks(limits::SAMPLES_AT_ONCE);
    changes.extend(rest.map(|samples| piece_of(id, samples, Clear::Nothing)));
    changes
}

fn piece_of(id: &str, samples: &[(i64, Option<Measured>)], clear: Clear) -> Vec<u8> {
    let mut out = vec![SAMPLES];
    put_bytes(&mut out, id.as_bytes());
    match clear {
        Clear::Nothing => out.push(0),
        Clear::All => out.push(ALL),
        Clear::Span(span) => {
            out.push(SPAN);
            put_signed(&mut out, not_before(span.start));
            put_signed(&mut out, not_before(span.end));
        }
    }
    let taken: Vec<i64> =
        samples.iter().filter(|(_, value)| value.is_none()).map(|(at, _)| *at).collect();
    put_number(&mut out, taken.len() as u64);
    taken.iter().for_each(|at| put_signed(&mut out, *at));
    let put = samples
        .iter()
        .filter_map(|(at, value)| value.clone().map(|value| Sample { at: *at, value }));
    let put: Vec<Sample> = put.collect();
    let blocks = put.chunks(limits::SAMPLES_OF_BLOCK);
    put_number(&mut out, blocks.len() as u64);
    blocks.for_each(|block| put_bytes(&mut out, &pack(block)));
    out
}

/// The change that makes an index.
#[must_use]
pub fn of_index(tag: &Tag) -> Vec<u8> {
    let mut out = vec![INDEX];
    put_bytes(&mut out, tag.as_str().as_bytes());
    out
}

enum Change {
    Made(Name, DateTime, Dict),
    Changed(Name, DateTime, Dict),
    Gone(Name),
    Version(u64),
    Samples(Name, Cleared, Vec<(i64, Option<Measured>)>),
    Index(Tag),
}

enum Cleared {
    Nothing,
    All,
    Span(i64, i64),
}

impl Project {
    /// Does again what the bytes of changes say; all of it or nothing. Which records were changed,
    /// made or taken away. Takes as long as it took.
    ///
    /// # Errors
    /// They are no changes, or those of another project.
    pub fn apply(&mut self, changes: &[u8]) -> Result<Vec<Name>, Malformed> {
        let (mut source, mut all) = (Source::new(changes), Vec::new());
        while !source.is_done() {
            all.push(read(&mut source)?);
        }
        self.check(&all)?;
        let mut touched = Vec::new();
        for change in all {
            touched.extend(self.again(change)?);
        }
        Ok(touched)
    }

    /// Whether changes can be done one after another.
    fn check(&self, changes: &[Change]) -> Result<(), Malformed> {
        let mut known = HashMap::new();
        let mut kinds: HashMap<&Name, Option<Kind>> = HashMap::new();
        let mut tags = HashSet::new();
        let mut records = self.len();
        for change in changes {
            if self.goes_back(change) {
                return Err(Malformed("a change of what is older"));
            }
            let (id, needed, left) = match change {
                Change::Made(id, ..) => (id, false, true),
                Change::Changed(id, ..) | Change::Samples(id, ..) => (id, true, true),
                Change::Gone(id) => (id, true, false),
                Change::Version(_) => continue,
                Change::Index(tag) => {
                    tags.insert(tag);
                    continue;
                }
            };
            let was = known.insert(id, left).unwrap_or_else(|| self.slot_of(id).is_some());
            if was != needed {
                return Err(DIFFERS);
            }
            match change {
                Change::Made(..) => records += 1,
                Change::Gone(_) => {
                    records -= 1;
                    kinds.insert(id, None);
                }
                Change::Samples(_, cleared, samples) => {
                    let own = kinds.entry(id).or_insert_with(|| self.kind_of_samples(id));
                    *own = kind_after(*own, cleared, samples)?;
                }
                _ => {}
            }
            if let Change::Made(_, _, dict) | Change::Changed(_, _, dict) = change {
                let is_set = |(_, value): &(&Tag, &Value)| **value != Value::REMOVE;
                tags.extend(dict.iter().filter(is_set).map(|(tag, _)| tag));
            }
        }
        let new = tags.iter().filter(|tag| !self.is_used(tag)).count();
        let fits = self.has_room_for_tags(new) && records <= limits::MOST_RECORDS;
        if fits { Ok(()) } else { Err(DIFFERS) }
    }

    /// The kind of what a record has measured.
    fn kind_of_samples(&self, id: &str) -> Option<Kind> {
        self.histories.get(self.slot_of(id)? as usize)?.kind()
    }

    /// Whether a change is of a time before what is there: `mod` and versions never go back.
    fn goes_back(&self, change: &Change) -> bool {
        match change {
            Change::Version(version) => *version < self.version(),
            Change::Changed(id, time, _) => {
                let there = self.slot_of(id).and_then(|slot| mod_of(self, slot));
                there.is_some_and(|there| time.nanos() < there.nanos())
            }
            _ => false,
        }
    }

    /// Does a change that was checked.
    fn again(&mut self, change: Change) -> Result<Option<Name>, Malformed> {
        if let Change::Index(tag) = &change {
            return self.create_index(tag).map(|_| None).map_err(|_| DIFFERS);
        }
        self.edit(|view, ledger| {
            if let Change::Version(version) = change {
                view.version = version;
                return Ok(None);
            }
            change.apply(view, ledger).ok_or(DIFFERS).map(Some)
        })
    }
}

/// The kind of a history once samples have been put into it.
fn kind_after(
    own: Option<Kind>,
    cleared: &Cleared,
    samples: &[(i64, Option<Measured>)],
) -> Result<Option<Kind>, Malformed> {
    let own = own.filter(|_| !matches!(cleared, Cleared::All));
    let new = samples.iter().find_map(|(_, value)| value.as_ref()?.kind());
    match own.zip(new) {
        Some((own, new)) if own != new => Err(DIFFERS),
        _ => Ok(own.or(new)),
    }
}

impl Change {
    fn apply(self, view: &mut View, ledger: &mut blocks::Ledger) -> Option<Name> {
        match self {
            Change::Made(id, time, dict) => {
                let slot = view.add(ledger, &id)?;
                set_all(view, ledger, slot, (time, &dict))?;
                Some(id)
            }
            Change::Changed(id, time, dict) => {
                let slot = view.slot_of(&id)?;
                set_all(view, ledger, slot, (time, &dict))?;
                Some(id)
            }
            Change::Gone(id) => {
                let slot = view.slot_of(&id)?;
                view.remove(ledger, slot);
                Some(id)
            }
            Change::Samples(id, cleared, samples) => {
                let slot = view.slot_of(&id)?;
                let span = match cleared {
                    Cleared::Nothing => None,
                    Cleared::All => Some((i64::MIN, i64::MAX)),
                    Cleared::Span(from, to) => Some((from, to)),
                };
                view.merge_history(ledger, slot, span, &samples);
                Some(id)
            }
            Change::Version(_) | Change::Index(_) => None,
        }
    }
}

fn set_all(
    view: &mut View,
    ledger: &mut blocks::Ledger,
    slot: crate::Slot,
    (time, changes): (DateTime, &Dict),
) -> Option<()> {
    for (tag, value) in changes.iter() {
        let is_removed = *value == Value::REMOVE;
        if is_removed && view.number(tag).is_none() {
            continue;
        }
        let number = view.make_tag(ledger, tag)?;
        let value = if is_removed { &Value::NULL } else { value };
        view.set(ledger, (slot, number), value, false);
    }
    view.set(ledger, (slot, MOD), &time.into(), false);
    if rules::changes_history(changes) {
        view.tell_history(ledger, slot);
    }
    Some(())
}

fn read(source: &mut Source<'_>) -> Result<Change, Malformed> {
    match source.byte()? {
        RECORDS => read_record(source),
        VERSION => source.number().map(Change::Version),
        SAMPLES => read_samples(source),
        INDEX => code::tag(source).map(Change::Index),
        _ => Err(Malformed("a change of no kind")),
    }
}

fn read_id(source: &mut Source<'_>) -> Result<Name, Malformed> {
    let id = code::text(source)?;
    if haystack::name::is_ref(id) {
        Ok(Name::new(id))
    } else {
        Err(Malformed("an id that is none"))
    }
}

fn read_record(source: &mut Source<'_>) -> Result<Change, Malformed> {
    let what = source.byte()?;
    let id = read_id(source)?;
    if what == GONE {
        return Ok(Change::Gone(id));
    }
    let time = code::signed(source)?;
    if time > rules::LATEST_MOD {
        return Err(Malformed("a record changed in too far a future"));
    }
    let time = DateTime::from_nanos(time, utc());
    let dict = code::dict(source)?;
    let is_kept = |(tag, value): (&Tag, &Value)| {
        !rules::is_never_set(tag) && value.memory() <= limits::LARGEST_VALUE * 2
    };
    if !dict.iter().all(is_kept) {
        return Err(Malformed("a tag that no change sets"));
    }
    match what {
        MADE => Ok(Change::Made(id, time, dict)),
        CHANGED => Ok(Change::Changed(id, time, dict)),
        _ => Err(Malformed("a change of no kind")),
    }
}

fn read_samples(source: &mut Source<'_>) -> Result<Change, Malformed> {
    let id = read_id(source)?;
    let cleared = match source.byte()? {
        0 => Cleared::Nothing,
        ALL => Cleared::All,
        SPAN => Cleared::Span(code::signed(source)?, code::signed(source)?),
        _ => return Err(Malformed("samples that are cleared in no way")),
    };
    let mut samples = std::collections::BTreeMap::new();
    for _ in 0..code::count(source)? {
        samples.insert(code::signed(source)?, None);
    }
    for _ in 0..code::count(source)? {
        let block = unpack(source.bytes()?)?;
        samples.extend(block.into_iter().map(|sample| (sample.at, Some(sample.value))));
    }
    let mut kinds = samples.values().flatten().filter_map(Measured::kind);
    let first = kinds.next();
    if kinds.any(|kind| Some(kind) != first) {
        return Err(Malformed("samples of several kinds"));
    }
    Ok(Change::Samples(id, cleared, samples.into_iter().collect()))
}
