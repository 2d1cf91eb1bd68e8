//! Looks through a data directory without a server: what is there, and what of it is damaged.
//! Nothing is changed.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind};

use base::PackLimits;
use journal::codec::{Malformed, Source};
use journal::reader::{self, Cut, ReadError};
use journal::snapshot::{self, Reader};
use journal::{Disk, Manifest, Segments, manifest, record, segment};
use store::image;
use types::Contexts;

use super::record_order;
use super::snapshot_coverage::{CHUNKS, INDEXES, LIBRARIES, MOVED, OTHERS};
use super::value_chunks::{Again, Arriving};
use crate::durability::named_once;
use crate::engine::table::Table;
use crate::scripts::read_libraries;
use crate::search::catalog_image;

/// What is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong: it names the file and, where there is one, the offset.
    pub what: String,
    /// Which part of the dataset it is in.
    pub part: Part,
}

/// A part of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The manifest.
    Manifest,
    /// The snapshot.
    Snapshot,
    /// The journal, from here on.
    Journal {
        /// The segment.
        segment: u64,
        /// Where in it.
        offset: u64,
        /// The number of the next frame if it is cut there.
        next_frame: u64,
    },
}

/// What is there.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What counts; `None` where there is no dataset, or its manifest is damaged.
    pub manifest: Option<Manifest>,
    /// Keys of the snapshot.
    pub keys: u64,
    /// Bytes of the snapshot.
    pub snapshot_bytes: u64,
    /// Segments, frames, bytes of the journal.
    pub journal: (u64, u64, u64),
    /// Records of the journal.
    pub records: u64,
    /// The torn end that the next start would cut.
    pub cut: Option<Cut>,
    /// Files that belong to no dataset: left by a snapshot that was never finished, for example.
    pub strays: Vec<String>,
    /// What is damaged. Behind a damaged part, others may not have been looked at.
    pub problems: Vec<Problem>,
    /// Commands in the journal that this program does not have, some of them: nothing is damaged,
    /// but it cannot apply them, and a start refuses.
    pub unknown: BTreeMap<String, UnknownCommand>,
}

/// A command in the journal that this program does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCommand {
    /// How many records have it.
    pub records: u64,
    /// Where the first of them is: a file, and the offset of its frame.
    pub first: (String, u64),
}

/// So many different ones are told.
const TOLD: usize = 16;

/// Looks at everything but whether the commands of the journal are known.
///
/// # Errors
/// The directory cannot be read.
pub fn check(disk: &dyn Disk) -> io::Result<Checked> {
    look(disk, None)
}

/// Looks at everything, for a program with these commands.
///
/// # Errors
/// The directory cannot be read.
pub fn check_for(disk: &dyn Disk, table: &Table) -> io::Result<Checked> {
    look(disk, Some(table))
}

fn look(disk: &dyn Disk, table: Option<&Table>) -> io::Result<Checked> {
    let mut checked = Checked::default();
    match Manifest::read(disk) {
        Ok(manifest) => checked.manifest = manifest,
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            checked.problem(Part::Manifest, format!("{}: {error}", manifest::NAME));
            return Ok(checked);
        }
        Err(error) => return Err(error),
    }
    let Some(manifest) = checked.manifest.clone() else {
        if let Some(name) = named_once(disk)? {
            let what = format!("{} is missing, but {name} is there", manifest::NAME);
            checked.problem(Part::Manifest, what);
        }
        return Ok(checked);
    };
    checked.strays = strays(disk, checked.manifest.as_ref())?;
    let mut begun = HashMap::new();
    if let Some(name) = &manifest.snapshot {
        checked.snapshot((disk, &manifest), name, &mut begun);
    }
    // Where the snapshot is damaged, it does not tell with which record the journal goes on.
    let begun = checked.problems.is_empty().then_some(begun);
    checked.journal((disk, &manifest), begun, table)?;
    Ok(checked)
}

/// Files of ours that the manifest does not name and that are not kept on purpose.
fn strays(disk: &dyn Disk, manifest: Option<&Manifest>) -> io::Result<Vec<String>> {
    let counts = |number: u64| match manifest.map(|manifest| manifest.journal) {
        Some(Segments::From(first, _)) => number >= first,
        Some(Segments::Between(first, last)) => (first..=last).contains(&number),
        _ => false,
    };
    let named = manifest.and_then(|manifest| manifest.snapshot.as_deref());
    let stray = |name: &String| {
        let base = name.strip_suffix(".tmp").unwrap_or(name);
        snapshot::number(base).is_some() && named != Some(name)
            || segment::number(name).is_some_and(|number| !counts(number))
    };
    let mut found: Vec<String> = disk.list()?.into_iter().filter(stray).collect();
    found.sort();
    Ok(found)
}

impl Checked {
    fn problem(&mut self, part: Part, what: String) {
        self.problems.push(Problem { what, part });
    }

    /// `begun` learns the last record before each shard was read.
    fn snapshot(
        &mut self,
        (disk, manifest): (&dyn Disk, &Manifest),
        name: &str,
        begun: &mut HashMap<u16, u64>,
    ) {
        let reader = match Reader::open(disk, name) {
            Ok(reader) => reader,
            Err(error) => return self.problem(Part::Snapshot, error.to_string()),
        };
        if !manifest.knows(&reader.header) {
            let what = format!("{name} belongs to another dataset");
            return self.problem(Part::Snapshot, what);
        }
        self.snapshot_bytes = reader.bytes;
        let mut arriving = Arriving::default();
        for place in &reader.blocks {
            let entries = reader.block(place).and_then(|raw| {
                let entries = match place.db {
                    CHUNKS => {
                        chunk(&raw, &mut arriving).map(|(_, entries)| (entries.unwrap_or(0), 0))
                    }
                    db => entries(&raw, db),
                };
                entries.map_err(|what| {
                    let offset = place.offset;
                    io::Error::other(format!("{name} is damaged at offset {offset}: {what}"))
                })
            });
            match entries {
                Ok((entries, seq)) => {
                    self.keys += entries;
                    if place.db == OTHERS {
                        begun.insert(u16::try_from(place.shard).unwrap_or(u16::MAX), seq);
                    }
                }
                Err(error) => self.problem(Part::Snapshot, error.to_string()),
            }
        }
        if self.problems.is_empty()
            && let Err(what) = arriving.finish()
        {
            self.problem(Part::Snapshot, format!("{name} is damaged: {what}"));
        }
        if self.problems.is_empty() && self.keys != reader.entries {
            let what = format!("{name} says {} keys and holds {}", reader.entries, self.keys);
            self.problem(Part::Snapshot, what);
        }
    }

    fn journal(
        &mut self,
        (disk, manifest): (&dyn Disk, &Manifest),
        begun: Option<HashMap<u16, u64>>,
        table: Option<&Table>,
    ) -> io::Result<()> {
        let mut walked = Walked { shards: manifest.shards, begun, table, ..Walked::default() };
        let mut bad = None;
        let mut next_frame = None;
        let mut take = |body: &mut Vec<u8>, header: &journal::frame::Header, name: &str, offset| {
            if let Err(what) = walked.frame(body, (name, offset)) {
                let what = format!("{name} is damaged at offset {offset}: {what}");
                let (segment, next_frame) = (header.segment, header.number);
                bad = Some((what.clone(), Part::Journal { segment, offset, next_frame }));
                return Err(what);
            }
            next_frame = Some(header.number + 1);
            Ok(())
        };
        let read = reader::read(disk, manifest.id, manifest.journal, &mut take);
        (self.records, self.unknown) = (walked.records, walked.unknown);
        match read {
            Ok(report) => {
                self.journal = (report.segments, report.frames, report.bytes);
                self.cut = report.cut;
            }
            Err(ReadError::Io(file, error)) => {
                return Err(io::Error::new(error.kind(), format!("{file}: {error}")));
            }
            Err(ReadError::Damage(damage)) => {
                let (segment, offset) = (damage.segment, damage.offset);
                let next_frame = match next_frame {
                    Some(next) => next,
                    None => first_frame(disk, segment),
                };
                let part = Part::Journal { segment, offset, next_frame };
                self.problem(part, damage.to_string());
            }
            Err(ReadError::Refused(_)) => {
                if let Some((what, part)) = bad {
                    self.problem(part, what);
                }
            }
        }
        Ok(())
    }
}

/// The number of a segment's first frame, if its header can be read.
fn first_frame(disk: &dyn Disk, number: u64) -> u64 {
    let file = disk.open(&segment::name(number));
    let header = file.and_then(|file| segment::Header::read(&*file));
    header.ok().flatten().map_or(1, |header| header.first_frame)
}

/// Which value a chunk belongs to, and how many entries it makes complete, if it is the last one.
pub(super) fn chunk(raw: &[u8], arriving: &mut Arriving) -> Result<(u64, Option<u64>), String> {
    let (value, entry) = arriving.take(raw, &PackLimits::default())?;
    Ok((value, entry.map(|entry| u64::from(!entry.again))))
}

/// The number of entries of a block, each of which can be read, and the youngest record that it
/// knows of.
pub(super) fn entries(raw: &[u8], db: u32) -> Result<(u64, u64), String> {
    let (limits, mut contexts) = (PackLimits::default(), Contexts::new(0));
    let mut source = Source::new(raw);
    let (mut all, mut newest) = (0, 0);
    if db == LIBRARIES {
        let step = snapshot::step(&mut source).map_err(|error| error.to_string())?;
        read_libraries(source.rest()).map_err(|error| error.to_string())?;
        return Ok((0, step.seq));
    }
    if db == INDEXES {
        let step = snapshot::step(&mut source).map_err(|error| error.to_string())?;
        catalog_image::read(source.rest()).map_err(|error| error.to_string())?;
        return Ok((0, step.seq));
    }
    if db == MOVED {
        // Counted where it stands otherwise.
        let again = Again::of(&mut source).map_err(|error| error.to_string())?;
        for _ in 0..again.step.entries {
            image::read(&mut source, &limits, &mut contexts).map_err(|error| error.to_string())?;
        }
        return match source.is_done() {
            true => Ok((0, again.step.seq)),
            false => Err("bytes behind a key".to_owned()),
        };
    }
    while !source.is_done() {
        let step = snapshot::step(&mut source).map_err(|error| error.to_string())?;
        for _ in 0..step.entries {
            image::read(&mut source, &limits, &mut contexts).map_err(|error| error.to_string())?;
        }
        if db == OTHERS && step.entries > 0 {
            return Err("keys of no database".to_owned());
        }
        all += step.entries;
        newest = newest.max(step.seq);
    }
    Ok((all, newest))
}

/// What a walk through the journal has met.
#[derive(Default)]
struct Walked<'t> {
    /// The commands that are known, if that is asked.
    table: Option<&'t Table>,
    /// Those that are not.
    unknown: BTreeMap<String, UnknownCommand>,
    shards: usize,
    records: u64,
    /// The last record of each shard before the journal, if that is known.
    begun: Option<HashMap<u16, u64>>,
    last: HashMap<u16, u64>,
    order: record::Order,
}

impl Walked<'_> {
    /// Reads the records of a frame: each is one, and follows the one before it of its shard.
    fn frame(&mut self, frame: &[u8], place: (&str, u64)) -> Result<(), String> {
        let (limits, mut contexts) = (PackLimits::default(), Contexts::new(0));
        let mut words = Vec::new();
        self.order.read(frame, |_| true).map_err(|error| error.to_string())?;
        let order = std::mem::take(&mut self.order);
        for record in order.records(frame) {
            let body = record.body;
            let read = match record.kind {
                record::Kind::Command => {
                    words.clear();
                    record::words(body, &mut words).map(|()| self.command(&words, place))
                }
                record::Kind::Set => record::set(body).map(drop),
                record::Kind::Image => {
                    image::read(&mut Source::new(body), &limits, &mut contexts).map(drop)
                }
                record::Kind::Swap => Source::new(body).number().map(drop),
                record::Kind::Libraries if record.shard != 0 => {
                    Err(Malformed("libraries of functions in a shard that holds none"))
                }
                record::Kind::Libraries => read_libraries(body).map(drop),
                record::Kind::Indexes if record.shard != 0 => {
                    Err(Malformed("indexes in a shard that holds none"))
                }
                record::Kind::Indexes => catalog_image::read(body).map(drop),
                record::Kind::From | record::Kind::To => record::Half::of(body).map(drop),
                record::Kind::Derived => {
                    record::Derived::of(body).map(|derived| self.command(&derived.words, place))
                }
                record::Kind::Barrier => record::RecordId::of(body).map(drop),
                _ => Ok(()),
            };
            read.map_err(|error| error.to_string())?;
            self.follows(record.shard, record.seq)?;
        }
        if order.has_names() {
            // They can be put in the order in which recovery applies them.
            record_order::in_order(order.records(frame).collect(), |_| Ok(()))?;
        }
        self.records += order.len() as u64;
        self.order = order;
        Ok(())
    }

    /// Whether a command is one that a start could run.
    fn command(&mut self, words: &[&[u8]], (name, offset): (&str, u64)) {
        if self.table.is_none_or(|table| table.find_own(words).is_some()) {
            return;
        }
        let name_of = |word: &&[u8]| word.to_ascii_lowercase().escape_ascii().to_string();
        let word = words.first().map_or_else(String::new, name_of);
        let told = self.unknown.len();
        match self.unknown.entry(word) {
            Entry::Occupied(mut known) => known.get_mut().records += 1,
            Entry::Vacant(new) if told < TOLD => {
                new.insert(UnknownCommand { records: 1, first: (name.to_owned(), offset) });
            }
            Entry::Vacant(_) => {}
        }
    }

    fn follows(&mut self, shard: u16, seq: u64) -> Result<(), String> {
        if usize::from(shard) >= self.shards {
            return Err(format!("a record of shard {shard}, which cannot be"));
        }
        let gap = match (self.last.insert(shard, seq), &self.begun) {
            (Some(before), _) => (seq != before + 1).then_some(before),
            (None, Some(begun)) => {
                let before = begun.get(&shard).copied().unwrap_or(0);
                (seq > before + 1).then_some(before)
            }
            (None, None) => None,
        };
        match gap {
            Some(before) => Err(format!("shard {shard} goes from record {before} to {seq}")),
            None => Ok(()),
        }
    }
}

/// The first record of each shard in the journal, as far as it can be read.
pub(super) fn first_records(disk: &dyn Disk, manifest: &Manifest) -> HashMap<u16, u64> {
    let mut first: HashMap<u16, u64> = HashMap::new();
    let mut take = |body: &mut Vec<u8>, _: &journal::frame::Header, _: &str, _| {
        let mut rest = body.as_slice();
        while let Ok(Some(record)) = record::next(&mut rest) {
            let known = first.entry(record.shard).or_insert(record.seq);
            *known = record.seq.min(*known);
        }
        Ok(())
    };
    // What is behind damage is not asked for.
    let _ = reader::read(disk, manifest.id, manifest.journal, &mut take);
    first
}
