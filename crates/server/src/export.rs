//! `kvist export`: the dataset of a data directory as a snapshot for Redis, without a server.

use std::path::Path;
use std::process::ExitCode;

use engine::foreign::{self, Until};

use crate::offline::{self, Arguments};
use crate::usage;

/// Runs the verb.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match Arguments::parse(args, &[]) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&what),
    };
    let [to] = arguments.plain.as_slice() else {
        return usage::wrong("export needs the name of one file, and --dir DATADIR");
    };
    if !arguments.settings.is_given("dir") {
        return usage::wrong("export needs --dir DATADIR");
    }
    match export(Path::new(to), &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn export(to: &Path, arguments: &Arguments) -> Result<(), String> {
    offline::log_warnings()?;
    let config = arguments.settings.config();
    if !Path::new(&config.dir).join(journal::manifest::NAME).exists() {
        return Err(format!("{}: no dataset of Kvist is in it", config.dir));
    }
    let home = offline::open(&config)?;
    let manifest = home.manifest.as_ref().ok_or("the manifest is gone")?;
    let exported = foreign::export(&arguments.settings, (&home.disk, manifest), Until::End, to)?;
    let (keys, bytes) = (exported.keys, exported.bytes);
    println!("Exported {keys} keys in {bytes} bytes to {}", to.display());
    if let Some(cut) = exported.cut {
        println!(
            "The journal ends in an unfinished write, at offset {} of {}",
            cut.offset, cut.file
        );
    }
    if exported.failed > 0 {
        return Err(format!("{} records of the journal could not be applied", exported.failed));
    }
    Ok(())
}
