//! Repairs a damaged data directory: what is intact is kept, the rest is set apart under a name
//! that ends in `.damaged`, and nothing is removed.
//!
//! Each step can be repeated, so that a run that was interrupted is run again. What is set apart is
//! durable before anything takes its place.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use journal::codec::{Source, put_bytes, put_number};
use journal::reader::{self, Report};
use journal::snapshot::{self, Reader, Writer};
use journal::{Disk, Manifest, Segments, manifest, salvage, segment};

use super::check::{Part, Problem, chunk, entries, first_records};
use super::snapshot_coverage::{CHUNKS, MOVED, OTHERS};
use super::value_chunks::{Again, Arriving};
use journal::wall_clock;

/// Repairs one problem; what was done.
///
/// # Errors
/// It cannot be repaired, or the disk refuses.
pub fn repair(
    disk: &Arc<dyn Disk>,
    manifest: Option<&Manifest>,
    problem: &Problem,
) -> io::Result<String> {
    match (problem.part, manifest) {
        (Part::Manifest, _) => repair_manifest(&**disk),
        (Part::Snapshot, Some(manifest)) => repair_snapshot(disk, manifest),
        (Part::Journal { segment, offset, next_frame }, Some(manifest)) => {
            repair_journal(&**disk, manifest, (segment, offset), next_frame)
        }
        _ => Err(io::Error::other("there is no manifest")),
    }
}

/// A name for a file that is set apart.
fn aside(disk: &dyn Disk, name: &str) -> io::Result<String> {
    let names = disk.list()?;
    let numbered = |n: u32| match n {
        0 => format!("{name}.damaged"),
        n => format!("{name}.damaged-{n}"),
    };
    let free = (0..u32::MAX).map(numbered).find(|candidate| !names.contains(candidate));
    free.ok_or_else(|| io::Error::other("there is no free name"))
}

fn put_aside(disk: &dyn Disk, name: &str) -> io::Result<String> {
    let other = aside(disk, name)?;
    disk.rename(name, &other)?;
    disk.sync_names()?;
    Ok(other)
}

/// Copies a file under a name for what is set apart.
fn copy_aside(disk: &dyn Disk, name: &str) -> io::Result<String> {
    let other = aside(disk, name)?;
    let (from, to) = (disk.open(name)?, disk.create(&other)?);
    let mut chunk = vec![0; 1 << 20];
    let mut at = 0;
    loop {
        let got = from.read_at(at, &mut chunk)?;
        if got == 0 {
            break;
        }
        to.write_at(at, &chunk[..got])?;
        at += got as u64;
    }
    to.sync()?;
    disk.sync_names()?;
    Ok(other)
}

/// Copies what the manifest names under names for what is set apart, before something else takes
/// its place; those names. (Files of the journal are used again, so a second name is not enough.)
///
/// # Errors
/// The disk refuses.
pub fn keep_files(disk: &dyn Disk) -> io::Result<Vec<String>> {
    let Some(manifest) = Manifest::read(disk)? else { return Ok(Vec::new()) };
    let segments = segment::all(disk)?.into_iter().filter(|&number| match manifest.journal {
        Segments::None => false,
        Segments::From(first, _) => number >= first,
        Segments::Between(first, last) => (first..=last).contains(&number),
    });
    let names = [manifest::NAME.to_owned()].into_iter().chain(manifest.snapshot);
    names.chain(segments.map(segment::name)).map(|name| copy_aside(disk, &name)).collect()
}

/// A manifest is made of the newest snapshot that is whole: it says whose it is, and with which
/// segment its journal begins.
fn repair_manifest(disk: &dyn Disk) -> io::Result<String> {
    let mut numbers: Vec<u64> =
        disk.list()?.iter().filter_map(|name| snapshot::number(name)).collect();
    numbers.sort_unstable();
    let whole = |&number: &u64| {
        let reader = Reader::open(disk, &snapshot::name(number)).ok()?;
        Some((number, reader.header))
    };
    let (number, header) = numbers.iter().rev().find_map(whole).ok_or_else(|| {
        io::Error::other("there is no whole snapshot to make a manifest of: restore a backup")
    })?;
    let follows = segment::all(disk)?.contains(&number);
    let manifest = Manifest {
        id: header.id,
        hashing: header.hashing,
        shards: usize::try_from(header.shards).unwrap_or(0),
        snapshot: Some(snapshot::name(number)),
        journal: if follows { Segments::From(number, 0) } else { Segments::None },
    };
    let kept = match disk.list()?.iter().any(|name| name == manifest::NAME) {
        true => format!("; the old one is {}", copy_aside(disk, manifest::NAME)?),
        false => String::new(),
    };
    manifest.write(disk)?;
    Ok(format!("{} is made of {}{kept}", manifest::NAME, snapshot::name(number)))
}

/// The values of a snapshot of which all chunks can be read, and how many entries the last chunk of
/// each makes complete.
fn whole_values(disk: &Arc<dyn Disk>, name: &str) -> io::Result<HashMap<u64, u64>> {
    let (mut whole, mut arriving) = (HashMap::new(), Arriving::default());
    salvage::blocks(&**disk, name, &mut |place, raw| {
        if place.db == CHUNKS
            && let Ok((value, Some(entries))) = chunk(&raw, &mut arriving)
        {
            whole.insert(value, entries);
        }
        Ok(())
    })?;
    Ok(whole)
}

/// How many entries a block holds that is to be kept.
fn kept(raw: &mut Vec<u8>, db: u32, whole: &HashMap<u64, u64>) -> Result<u64, String> {
    if db == MOVED {
        let mut source = Source::new(raw);
        let again = Again::of(&mut source).map_err(|error| error.to_string())?;
        if again.value.is_some_and(|value| !whole.contains_key(&value)) {
            // What the file has of it otherwise is older than the step says.
            let mut gone = Vec::new();
            put_number(&mut gone, again.db);
            put_bytes(&mut gone, again.key);
            snapshot::put_step(&mut gone, again.step.end, again.step.seq, 0);
            *raw = gone;
        }
    }
    if db != CHUNKS {
        return entries(raw, db).map(|(count, _)| count);
    }
    let (value, last) = Arriving::whose(raw)?;
    let entries = *whole.get(&value).ok_or("a value that is not whole")?;
    Ok(if last { entries } else { 0 })
}

/// Whole blocks go into a new file of the same name.
fn repair_snapshot(disk: &Arc<dyn Disk>, manifest: &Manifest) -> io::Result<String> {
    let Some(name) = &manifest.snapshot else { return Err(io::Error::other("no snapshot")) };
    let there = disk.list()?.contains(name);
    // It was set apart already if an earlier run was interrupted.
    let source = if there { name.clone() } else { format!("{name}.damaged") };
    let header = snapshot::Header {
        id: manifest.id,
        hashing: manifest.hashing,
        shards: u32::try_from(manifest.shards).unwrap_or(u32::MAX),
        time: wall_clock(),
        secret: salvage::secret(&**disk, &source)?,
    };
    // What a value lacks cannot be told: one that came only in part is left out.
    let whole = whole_values(disk, &source)?;
    let mut writer = Writer::create(disk, name, header, true)?;
    let (mut keys, mut spoilt) = (0, 0_u64);
    let mut first = first_records(&**disk, manifest);
    let salvaged = salvage::blocks(&**disk, &source, &mut |place, mut raw| match kept(
        &mut raw, place.db, &whole,
    ) {
        Ok(count) if (place.shard as usize) < manifest.shards => {
            keys += count;
            if place.db == OTHERS {
                first.retain(|&shard, _| u32::from(shard) != place.shard);
            }
            writer.block(place.shard, place.db, &raw, count)
        }
        _ => {
            spoilt += 1;
            Ok(())
        }
    });
    let salvaged = match salvaged {
        Ok(salvaged) => salvaged,
        Err(error) => {
            writer.abandon();
            return Err(io::Error::new(error.kind(), format!("{source}: {error}")));
        }
    };
    // Where the block is lost that says which records came before a shard was read, those did that
    // the journal does not have.
    for (shard, seq) in first {
        let mut raw = Vec::new();
        snapshot::put_step(&mut raw, u64::MAX, seq.saturating_sub(1), 0);
        writer.block(u32::from(shard), OTHERS, &raw, 0)?;
    }
    let kept = if there { put_aside(&**disk, name)? } else { source };
    writer.finish()?;
    Ok(format!(
        "{name} holds the {keys} keys of {} whole blocks; {} bytes and {spoilt} blocks could not \
         be read. The old file is {kept}. A key that was lost and has changed since holds only \
         what the journal knows of it",
        salvaged.blocks, salvaged.lost
    ))
}

/// The journal ends before the damage.
fn repair_journal(
    disk: &dyn Disk,
    manifest: &Manifest,
    (number, offset): (u64, u64),
    next_frame: u64,
) -> io::Result<String> {
    let first = match manifest.journal {
        Segments::From(first, _) | Segments::Between(first, _) => first,
        Segments::None => return Err(io::Error::other("there is no journal")),
    };
    let mut kept = Vec::new();
    let behind = segment::all(disk)?.into_iter().rev().filter(|&other| other > number);
    for other in behind {
        kept.push(put_aside(disk, &segment::name(other))?);
    }
    let name = segment::name(number);
    let there = disk.list()?.contains(&name);
    let last = if offset >= segment::HEADER && there {
        kept.push(copy_aside(disk, &name)?);
        let report = Report {
            segments: 1,
            next_segment: number + 1,
            next_frame,
            open_end: Some((number, offset)),
            ..Report::default()
        };
        reader::seal(disk, &report)?;
        number
    } else {
        if there {
            kept.push(put_aside(disk, &name)?);
        }
        number.saturating_sub(1)
    };
    let journal = if last >= first { Segments::Between(first, last) } else { Segments::None };
    Manifest { journal, ..manifest.clone() }.write(disk)?;
    let kept = if kept.is_empty() { "nothing".to_owned() } else { kept.join(", ") };
    Ok(format!("the journal ends before offset {offset} of {name}; put aside: {kept}"))
}
