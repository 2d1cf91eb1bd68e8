//! `kvist export`: a snapshot for Redis, of a data directory without a server, or of a running
//! server.

use std::path::Path;
use std::process::ExitCode;

use engine::redis_files::{self, Until};
use tls::client::Trust;

use super::PASSWORDS;
use super::arguments::Arguments;
use super::directory;
use super::fetch::{self, Source};
use super::graph_text;
use super::projects::{files, hxredis};
use crate::usage;

/// Runs the verb.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    if let Some((first, rest)) = args.split_first() {
        match first.as_str() {
            graph_text::WORD => return graph_text::export::main(rest),
            files::WORD => return files::export::main(rest),
            hxredis::WORD => return hxredis::export::main(rest),
            _ => {}
        }
    }
    if args.iter().any(|arg| arg == "--from") {
        return match running(args) {
            Ok((to, source)) => ended(fetch_to(Path::new(&to), &source)),
            Err(what) => usage::wrong(&what),
        };
    }
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
    ended(export(Path::new(to), &arguments))
}

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The arguments of an export from a running server: the file, and where from.
fn running(args: &[String]) -> Result<(String, Source), String> {
    let password = PASSWORDS.iter().find_map(|name| std::env::var(name).ok());
    let mut source = Source { password, ..Source::default() };
    let (mut file, mut secure, mut trust) = (None, false, Trust::default());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--from" => source.address = value()?,
            "--user" => source.user = Some(value()?),
            "--pass" => source.password = Some(value()?),
            "--tls" => secure = true,
            "--insecure" => trust.insecure = true,
            "--cacert" | "--cacertdir" | "--cert" | "--key" | "--sni" => {
                trust.option(arg, &value()?);
            }
            option if option.starts_with("--") => {
                return Err(format!("'{option}' does not go with --from"));
            }
            _ if file.is_some() => return Err("export writes one file".to_owned()),
            _ => file = Some(arg.clone()),
        }
    }
    if source.user.is_some() && source.password.is_none() {
        return Err("--user needs --pass, or KVISTCLI_AUTH in the environment".to_owned());
    }
    source.tls = secure.then_some(trust);
    let file = file.ok_or("export needs the name of one file")?;
    Ok((file, source))
}

fn fetch_to(to: &Path, source: &Source) -> Result<(), String> {
    let fetched = fetch::fetch(source, to)?;
    let sum = if fetched.summed { "its sum is right" } else { "it has no sum to check" };
    println!("Received {} bytes into {}; {sum}", fetched.bytes, to.display());
    Ok(())
}

fn export(to: &Path, arguments: &Arguments) -> Result<(), String> {
    directory::log_warnings()?;
    let config = arguments.settings.config();
    if !Path::new(&config.process.dir).join(journal::manifest::NAME).exists() {
        return Err(format!("{}: no dataset of Kvist is in it", config.process.dir));
    }
    let data_dir = directory::open(&config)?;
    let manifest = data_dir.manifest.as_ref().ok_or("the manifest is gone")?;
    let exported =
        redis_files::export(&arguments.settings, (&data_dir.disk, manifest), Until::End, to)?;
    let (keys, bytes) = (exported.keys, exported.bytes);
    println!("Exported {keys} keys in {bytes} bytes to {}", to.display());
    if let Some(cut) = exported.cut {
        println!(
            "The journal ends in an unfinished write, at offset {} of {}",
            cut.offset, cut.file
        );
    }
    Ok(())
}
