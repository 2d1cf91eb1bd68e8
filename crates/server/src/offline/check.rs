//! `kvist check`: what is in a data directory, and whether it is whole; `--fix` mends it. Without
//! `--fix` the dataset is not read into memory: that every record can be applied is not looked at,
//! only that its command is known.
//!
//! Exit codes: 0 whole (or mended), 1 damaged or not for this program, 2 the command line makes no
//! sense.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use engine::persistence::{self, Checked, Claim, Failing, Reason};
use journal::{Disk, Segments};

use super::arguments::Arguments;
use super::directory;
use crate::{loading, usage};

/// Mend what is damaged.
const FIX: &str = "--fix";

/// What is told of a journal with commands that this program does not have.
const UNKNOWN: &str = "This kvist does not know these commands and will not start on the \
    directory: use one as new as the one that has written it. Nothing of that is damaged";

/// More rounds than a directory has parts mean that mending does not help.
const ROUNDS: usize = 8;

/// Runs the verb.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match Arguments::parse(args, &[FIX]) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&what),
    };
    let [dir] = arguments.plain.as_slice() else {
        return usage::wrong("check needs one directory");
    };
    let done = if arguments.has(FIX) { fix(dir, &arguments) } else { look(dir, &arguments) };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn claim(dir: &str) -> Result<Claim, String> {
    if !Path::new(dir).is_dir() {
        return Err(format!("{dir}: there is no such directory"));
    }
    Claim::on(Path::new(dir)).map_err(|error| error.to_string())
}

fn check(disk: &Arc<dyn Disk>, arguments: &Arguments) -> Result<Checked, String> {
    let dir = disk.path().display();
    let table = engine::command_table_as_called(&arguments.settings)?;
    persistence::check_for(&**disk, &table).map_err(|error| format!("{dir}: {error}"))
}

/// Looks and tells; whether all is whole.
fn look(dir: &str, arguments: &Arguments) -> Result<bool, String> {
    let claim = claim(dir)?;
    let checked = check(&claim.disk, arguments)?;
    tell(dir, &checked);
    if checked.problems.is_empty() {
        return Ok(checked.unknown.is_empty());
    }
    println!(
        "Nothing was changed. 'kvist check {dir} --fix' keeps what stands before the damage and \
         puts the rest aside. Copy the directory first."
    );
    Ok(false)
}

fn tell(dir: &str, checked: &Checked) {
    for problem in &checked.problems {
        println!("DAMAGED: {}", problem.what);
    }
    match &checked.manifest {
        None if checked.problems.is_empty() => println!("{dir}: no dataset is in it"),
        None => {}
        Some(manifest) => {
            let id: String = manifest.id.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{dir}: dataset {id}, {} shards", manifest.shards);
            match &manifest.snapshot {
                Some(name) => {
                    println!("{name}: {} keys, {} bytes", checked.keys, checked.snapshot_bytes);
                }
                None => println!("no snapshot"),
            }
            let (segments, frames, bytes) = checked.journal;
            match manifest.journal {
                Segments::None => println!("no journal"),
                Segments::From(first, _) | Segments::Between(first, _) => println!(
                    "journal from {}: {segments} segments, {frames} frames, {} records, {bytes} \
                     bytes",
                    journal::segment::name(first),
                    checked.records
                ),
            }
        }
    }
    if let Some(cut) = &checked.cut {
        println!(
            "{}: the next start cuts {} bytes of an unfinished write at offset {}",
            cut.file, cut.bytes, cut.offset
        );
    }
    for stray in &checked.strays {
        println!("{stray}: not part of the dataset; the server removes it");
    }
    for (name, unknown) in &checked.unknown {
        let (records, (file, offset)) = (unknown.records, &unknown.first);
        println!(
            "UNKNOWN: {records} records of the command '{name}', the first in {file} at offset \
             {offset}"
        );
    }
    if !checked.unknown.is_empty() {
        println!("{UNKNOWN}");
    } else if checked.problems.is_empty() {
        println!("Whole");
    }
}

/// Mends one problem after the other, then saves what stands as a whole.
fn fix(dir: &str, arguments: &Arguments) -> Result<bool, String> {
    directory::log_warnings()?;
    let claim = claim(dir)?;
    let mut checked = check(&claim.disk, arguments)?;
    let was_whole = checked.problems.is_empty();
    for _ in 0..ROUNDS {
        let Some(problem) = checked.problems.first() else { break };
        println!("DAMAGED: {}", problem.what);
        let mended = persistence::repair(&claim.disk, checked.manifest.as_ref(), problem)
            .map_err(|error| format!("it cannot be mended: {error}"))?;
        println!("MENDED: {mended}");
        checked = check(&claim.disk, arguments)?;
    }
    if let Some(problem) = checked.problems.first() {
        return Err(format!("mending does not help: {}", problem.what));
    }
    if !checked.unknown.is_empty() {
        // To leave them out would be to lose what can be read elsewhere.
        tell(dir, &checked);
        return Ok(false);
    }
    drop(claim);
    if checked.manifest.is_some() {
        read_and_save(dir, arguments, was_whole)?;
    }
    let claim = self::claim(dir)?;
    let checked = check(&claim.disk, arguments)?;
    tell(dir, &checked);
    Ok(checked.problems.is_empty())
}

/// Reads what stands, and saves it: what comes after it must not be taken for what was cut. Where
/// nothing was damaged, only if there are records that cannot be applied.
fn read_and_save(dir: &str, arguments: &Arguments, was_whole: bool) -> Result<(), String> {
    let mut settings = arguments.settings.clone();
    let fixed = ["--dir", dir, "--appendonly", "no", "--rdb-export", "no"];
    settings.apply_args(&fixed.map(str::to_owned)).map_err(|error| error.to_string())?;
    let data_dir = directory::open(&settings.config())?;
    let (manifest, disk) = (data_dir.manifest.clone(), Arc::clone(&data_dir.disk));
    let engine = directory::engine(&settings, manifest.as_ref())?;
    engine.attach_data_dir(data_dir);
    let read = || engine.recover_with(Failing::LeaveOut);
    let recovered = loading::with_progress(&engine, "Reading", read)?;
    if was_whole && recovered.failed == 0 {
        engine.close_data_dir();
        return Ok(());
    }
    if recovered.failed > 0 {
        println!("LEFT OUT: {} records that could not be applied, told above", recovered.failed);
    }
    if was_whole {
        let kept = persistence::keep_files(&*disk).map_err(|error| format!("{dir}: {error}"))?;
        println!("The files as they were are {}", kept.join(", "));
    }
    let saved = engine.save(Reason::Rewrite, false).map_err(|error| error.to_string())?;
    engine.close_data_dir();
    println!("Saved the {} keys that stand", saved.keys);
    Ok(())
}
