//! `kvist import`: a dataset of Redis comes into a data directory, without a server.
//!
//! Nothing counts before all of it is saved: a run that was interrupted is simply run again. Keys
//! of the files replace those of the same name, so that running it twice changes nothing.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use config::Settings;
use engine::Engine;
use engine::persistence::{DataDir, Reason};
use engine::redis_files::{Imported, Options, RedisFiles};
use journal::snapshot::Reader;
use store::Txn;

use super::arguments::Arguments;
use super::projects::{files, hxredis};
use super::{directory, falkordb, graph_text};
use crate::{loading, usage};
use journal::wall_clock;

/// Fields of hashes that have deadlines of their own are taken without.
const DROP_FIELD_TTL: &str = "--drop-field-ttl";

/// Runs the verb.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    if let Some((first, rest)) = args.split_first() {
        match first.as_str() {
            "falkordb" => return falkordb::main(rest),
            graph_text::WORD => return graph_text::import::main(rest),
            files::WORD => return files::import::main(rest),
            hxredis::WORD => return hxredis::import::main(rest),
            _ => {}
        }
    }
    let arguments = match Arguments::parse(args, &[DROP_FIELD_TTL]) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&what),
    };
    let [from] = arguments.plain.as_slice() else {
        return usage::wrong("import needs one file or directory, and --dir DATADIR");
    };
    if !arguments.settings.is_given("dir") {
        return usage::wrong("import needs --dir DATADIR");
    }
    match import(Path::new(from), &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn import(from: &Path, arguments: &Arguments) -> Result<(), String> {
    directory::log_warnings()?;
    let config = arguments.settings.config();
    let from = RedisFiles::at(from, &config)?;
    let options = Options {
        skip_unknown: config.persistence.import_skip_unknown,
        drop_field_ttls: arguments.has(DROP_FIELD_TTL),
        load_truncated: config.persistence.aof_load_truncated,
    };
    let (engine, settings, is_new) = open(arguments)?;
    let imported = if is_new {
        read(&engine, &from, options)?
    } else {
        let side = directory::engine(&settings, None)?;
        let imported = read(&side, &from, options)?;
        merge(&engine, &side)?;
        imported
    };
    println!("Imported {imported}");
    save(engine)
}

/// An engine for the data directory, which has read what is there, its settings, and whether
/// nothing is.
///
/// # Errors
/// The directory cannot be used, or read.
pub(super) fn open(arguments: &Arguments) -> Result<(Arc<Engine>, Settings, bool), String> {
    let mut settings = arguments.settings.clone();
    // What is written is a snapshot; whether a journal follows is the server's to say.
    settings
        .apply_args(&["--appendonly", "no", "--rdb-export", "no"].map(str::to_owned))
        .map_err(|error| error.to_string())?;
    let config = settings.config();
    let data_dir = directory::open(&config)?;
    let manifest = data_dir.manifest.clone();
    let engine = directory::engine(&settings, manifest.as_ref())?;
    engine.attach_data_dir(data_dir);
    if manifest.is_some() {
        let there =
            loading::with_progress(&engine, "Reading the data directory", || engine.recover())?;
        println!("In {}: {there}", config.process.dir);
    }
    Ok((engine, settings, manifest.is_none()))
}

/// Saves what an engine holds to its data directory, and reads it back.
///
/// # Errors
/// It cannot be saved, or is not what is read.
pub(super) fn save(engine: Arc<Engine>) -> Result<(), String> {
    let dir = engine.config().process.dir.clone();
    let saved = engine.save(Reason::Save, false).map_err(|error| error.to_string())?;
    let there = engine.store.entries() as u64;
    verify(&engine, there)?;
    engine.close_data_dir();
    println!("Saved {there} keys in {} bytes to {dir}; read back and checked", saved.bytes);
    // Giving it all back piece by piece would only delay the exit.
    std::mem::forget(engine);
    Ok(())
}

fn read(engine: &Arc<Engine>, from: &RedisFiles, options: Options) -> Result<Imported, String> {
    loading::with_progress(engine, "Reading", || engine.import(from, options))
}

/// Copies every key and library of one engine over those of the other.
fn merge(into: &Arc<Engine>, from: &Arc<Engine>) -> Result<(), String> {
    let context = |engine: &Arc<Engine>| {
        let mut txn = Txn::new(Arc::clone(&engine.store), 0);
        txn.begin(wall_clock());
        txn
    };
    let (mut target, mut source) = (context(into), context(from));
    let (mut fresh, mut replaced) = (0, 0);
    for db in 0..into.store.databases() {
        let copied = store::copy_database(&mut target, &mut source, db)?;
        fresh += copied.fresh;
        replaced += copied.replaced;
    }
    println!("{fresh} keys are new, {replaced} replace keys of the same name");
    into.take_libraries(&mut target, from)
        .map_err(|why| format!("libraries of functions: {why}; nothing was saved"))?;
    Ok(())
}

/// Opens the directory's snapshot and reads every block: as many keys as there are.
fn verify(engine: &Engine, keys: u64) -> Result<(), String> {
    let dir = engine.config().process.dir.clone();
    let disk = journal::Directory::open(Path::new(&dir)).map_err(|error| error.to_string())?;
    let found = DataDir::on(Arc::new(disk)).map_err(|error| error.to_string())?;
    let name = found.manifest.and_then(|manifest| manifest.snapshot);
    let name = name.ok_or("the snapshot was not saved")?;
    let reader = Reader::open(&*found.disk, &name).map_err(|error| error.to_string())?;
    for place in &reader.blocks {
        reader.block(place).map_err(|error| error.to_string())?;
    }
    if reader.entries == keys {
        return Ok(());
    }
    Err(format!("{name} holds {} keys, not the {keys} that were read", reader.entries))
}
