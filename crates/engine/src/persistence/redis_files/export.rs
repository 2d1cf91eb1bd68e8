//! A dataset goes out as a snapshot that Redis reads.
//!
//! What is written is what the files of a data directory say, at the moment of their end: an engine
//! of its own reads them, some shards at a time, so that no shard of the running server is locked
//! and the memory of a fraction of the dataset is enough.

use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::Arc;

use base::Databases;
use config::Settings;
use journal::reader::{self, Cut, ReadError};
use journal::snapshot::Reader;
use journal::{Disk, Manifest, Segments, segment};
use rdb::{Header, Meta, Writer};
use store::Txn;

use super::rdb_value;
use crate::engine::{Engine, Start};
use crate::persistence::{Failing, Replayer, SnapshotCoverage};
use crate::replace_file::{beside, create_new};
use crate::scripts::Known;
use journal::wall_clock;

/// The version of Redis that a file is written as, which is the one this server answers for.
const VERSION: &str = "7.0.15";

/// What finishing a file adds: the end and the sum.
const ENDING: u64 = 9;

/// Says that the shards cannot be read one part after the other.
const TOGETHER: &str = "shards have to be read together";

/// In so many parts the shards are read, one after the other.
const PARTS: usize = 8;

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// Keys.
    pub keys: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// What was left out, as a torn end of the journal.
    pub cut: Option<Cut>,
}

/// Which part of a data directory's files counts.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// All of them, up to their end.
    End,
    /// Up to this frame of the journal: others are being written.
    Frame(u64),
}

/// Writes the dataset in a data directory to a file at `path`, which is replaced as a whole.
///
/// # Errors
/// Damage in the files, with the place; or a disk refuses.
pub fn export(
    settings: &Settings,
    (disk, manifest): (&Arc<dyn Disk>, &Manifest),
    until: Until,
    path: &Path,
) -> Result<Exported, String> {
    let temporary = beside(path);
    let temporary = temporary.as_path();
    let at = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let file = create_new(temporary, path).map_err(|error| at(temporary, error))?;
    let written = write(settings, (disk, manifest), until, &file).and_then(|exported| {
        let last = file.sync_all().and_then(|()| std::fs::rename(temporary, path));
        last.and_then(|()| sync_folder(path)).map_err(|error| at(path, error))?;
        Ok(exported)
    });
    if written.is_err() {
        // It may never have been made; the error that counts is the first.
        let _ = std::fs::remove_file(temporary);
    }
    written
}

/// Makes the new name durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Writes the dataset in these files, all of them, into an open file.
///
/// # Errors
/// As [`export`].
pub(crate) fn export_into(
    settings: &Settings,
    files: (&Arc<dyn Disk>, &Manifest),
    file: &File,
) -> Result<Exported, String> {
    write(settings, files, Until::End, file)
}

/// Writes a file of libraries of functions without keys; its length.
///
/// # Errors
/// The disk refuses.
pub(crate) fn export_libraries(known: &Known, compress: bool, file: &File) -> io::Result<u64> {
    let mut writer = Writer::new(file, rdb::Limits::default(), compress, true)?;
    writer.header(&header())?;
    write_libraries(known, &mut writer)?;
    let bytes = writer.offset() + ENDING;
    writer.finish()?;
    Ok(bytes)
}

fn header() -> Header<'static> {
    Header {
        redis_version: VERSION,
        created: wall_clock() / 1000,
        used_memory: 0,
        replication: None,
        aof_base: false,
    }
}

fn write(
    settings: &Settings,
    (disk, manifest): (&Arc<dyn Disk>, &Manifest),
    until: Until,
    file: &File,
) -> Result<Exported, String> {
    let parts = PARTS.min(manifest.shards);
    match write_in_parts(settings, (disk, manifest), until, file, parts) {
        // A value went from a key of one part to a key of another: all are needed at once.
        Err(why) if why == TOGETHER => write_in_parts(settings, (disk, manifest), until, file, 1),
        done => done,
    }
}

fn write_in_parts(
    settings: &Settings,
    (disk, manifest): (&Arc<dyn Disk>, &Manifest),
    until: Until,
    mut file: &File,
    parts: usize,
) -> Result<Exported, String> {
    let engine = reading_engine(settings, manifest)?;
    file.set_len(0).and_then(|()| file.rewind()).map_err(|error| error.to_string())?;
    let limits = engine.store.limits();
    let failed = |error: io::Error| format!("the file cannot be written: {error}");
    let compress = engine.config().persistence.rdbcompression;
    let mut writer =
        Writer::new(file, rdb::Limits::from(&limits), compress, true).map_err(failed)?;
    writer.header(&header()).map_err(failed)?;
    let mut exported = Exported::default();
    let mut txn = Txn::new(Arc::clone(&engine.store), manifest.hashing.seed);
    for part in 0..parts {
        read_part(&engine, (disk, manifest), until, (part, parts), &mut exported)?;
        if part == 0 {
            // They are told with the first shard, and stand before all keys.
            write_libraries(&engine.scripts.functions.known(), &mut writer).map_err(failed)?;
        }
        exported.keys += write_part(&mut txn, &mut writer).map_err(failed)?;
        txn.flush(None, true);
        drop(engine.store.take_trash());
    }
    exported.bytes = writer.offset() + ENDING;
    writer.finish().map_err(failed)?;
    Ok(exported)
}

fn write_libraries(known: &Known, writer: &mut Writer<&File>) -> io::Result<()> {
    known.libraries.iter().try_for_each(|library| writer.function(library.code()))
}

/// An engine for nothing but reading these files.
fn reading_engine(settings: &Settings, manifest: &Manifest) -> Result<Arc<Engine>, String> {
    let mut settings = settings.clone();
    let shards = ["--shards".to_owned(), manifest.shards.to_string()];
    settings.apply_args(&shards).map_err(|error| error.to_string())?;
    let start = Start::new(settings, [0; 4], wall_clock());
    let engine = Engine::new(Start { kept: Some(manifest.clone()), workers: 1, ..start })?;
    engine.durability.set_old_shards(manifest.shards);
    Ok(engine)
}

/// Reads the shards whose number is `part` modulo `parts`.
fn read_part(
    engine: &Arc<Engine>,
    (disk, manifest): (&Arc<dyn Disk>, &Manifest),
    until: Until,
    (part, parts): (usize, usize),
    exported: &mut Exported,
) -> Result<(), String> {
    let mut replayer = Replayer::new(engine, Failing::Refuse, wall_clock());
    let mut coverage: Vec<SnapshotCoverage> = Vec::new();
    let own = manifest.shards.saturating_sub(part).div_ceil(parts);
    coverage.resize_with(own, SnapshotCoverage::default);
    if let Some(name) = &manifest.snapshot {
        let snapshot = Reader::open(&**disk, name).map_err(|error| error.to_string())?;
        for (at, coverage) in coverage.iter_mut().enumerate() {
            let shard = part + at * parts;
            let of_shard = snapshot.blocks.iter().filter(|place| place.shard as usize == shard);
            let places: Vec<_> = of_shard.copied().collect();
            *coverage = replayer.load_shard(&snapshot, &places)?;
        }
    }
    exported.cut = replay(&mut replayer, (disk, manifest), until, (part, parts), &mut coverage)?;
    Ok(())
}

/// Replays the journal; what was cut off its end.
fn replay(
    replayer: &mut Replayer<'_>,
    (disk, manifest): (&Arc<dyn Disk>, &Manifest),
    until: Until,
    part: (usize, usize),
    coverage: &mut [SnapshotCoverage],
) -> Result<Option<Cut>, String> {
    /// Says that what follows does not count. It is not even looked at: it may be half written.
    const ENOUGH: &str = "enough";
    if let (Until::Frame(last), Segments::From(first, _)) = (until, manifest.journal) {
        let name = segment::name(first);
        let header = disk.open(&name).and_then(|file| segment::Header::read(&*file));
        let header = header.map_err(|error| format!("{name}: {error}"))?;
        if header.is_some_and(|header| header.first_frame > last) {
            return Ok(None);
        }
    }
    let mut take = |body: &mut Vec<u8>, header: &journal::frame::Header, name: &str, offset| {
        let done = match replayer.look(body, part) {
            Ok(true) => replayer.apply_own(body, part.1, coverage),
            Ok(false) if part.1 == 1 => replayer.apply_all(body, &mut [&mut *coverage]),
            Ok(false) => return Err(TOGETHER.to_owned()),
            Err(error) => Err(error),
        };
        done.map_err(|what| format!("{name}, the frame at offset {offset}: {what}"))?;
        match until {
            Until::Frame(last) if header.number >= last => Err(ENOUGH.to_owned()),
            _ => Ok(()),
        }
    };
    match reader::read(&**disk, manifest.id, manifest.journal, &mut take) {
        Ok(report) => Ok(report.cut),
        Err(ReadError::Refused(why)) if why == ENOUGH => Ok(None),
        Err(ReadError::Refused(why)) if why == TOGETHER => Err(why),
        Err(error) => Err(error.to_string()),
    }
}

/// Writes every key there is; how many.
fn write_part(txn: &mut Txn, writer: &mut Writer<&File>) -> io::Result<u64> {
    let (shards, databases) = (txn.store().shards(), txn.store().databases());
    let mut all = 0;
    for db in 0..databases {
        let (mut keys, mut mortal) = (0, 0);
        for shard in 0..shards {
            store::each_entry(&mut txn.held, shard, db, &mut |seen| {
                keys += 1;
                mortal += u64::from(seen.deadline.is_some());
            });
        }
        if keys == 0 {
            continue;
        }
        writer.database(db as u64, keys, mortal)?;
        all += keys;
        let mut result = Ok(());
        for shard in 0..shards {
            store::each_entry(&mut txn.held, shard, db, &mut |seen| {
                if result.is_ok() {
                    let deadline = seen.deadline.and_then(|at| i64::try_from(at).ok());
                    let meta = Meta { deadline, ..Meta::default() };
                    result =
                        writer.key_with(meta, |encoder, out| rdb_value::write(encoder, out, seen));
                }
            });
        }
        result?;
    }
    Ok(all)
}
