//! `kvist export graph HOST:PORT KEY`.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use client::Value;

use super::tables::Folder;
use super::{Arguments, parse};
use crate::offline::remote::{Progress, Server};
use crate::usage;

/// So many nodes and relationships a part has.
const COUNT: &[u8] = b"10000";

/// Runs the verb; `args` stand behind `graph`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match parse(args) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&format!("export graph: {what}")),
    };
    if arguments.csv != arguments.path.is_some() {
        return usage::wrong(
            "export graph writes tables to a folder, and statements to its output",
        );
    }
    match export(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn export(arguments: &Arguments) -> Result<(), String> {
    let mut server = Server::connect(&arguments.address, &arguments.login)?;
    let mut progress = Progress::new();
    let unexpected = server.unexpected();
    let unexpected = || unexpected.clone();
    let failed = |error: std::io::Error| format!("it cannot be written: {error}");
    match &arguments.path {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let (mut statements, mut bytes) = (0_u64, 0_u64);
            each_piece(&mut server, arguments, |piece| {
                let text = piece.as_bytes().ok_or_else(unexpected)?;
                statements += 1;
                bytes += text.len() as u64;
                progress.show(|| format!("{statements} statements, {bytes} bytes"));
                out.write_all(text).and_then(|()| out.write_all(b"\n")).map_err(failed)
            })?;
            out.flush().map_err(failed)?;
            progress.end(&format!("Exported {statements} statements in {bytes} bytes"));
        }
        Some(path) => {
            let mut folder = Folder::create(Path::new(path))?;
            each_piece(&mut server, arguments, |piece| {
                let parts =
                    piece.as_slice().filter(|parts| parts.len() == 3).ok_or_else(unexpected)?;
                let words: Option<Vec<&[u8]>> = parts.iter().map(Value::as_bytes).collect();
                let words = words.ok_or_else(unexpected)?;
                folder.add(words[0], words[1], words[2])?;
                progress.show(|| format!("{} files, {} bytes", folder.files(), folder.bytes));
                Ok(())
            })?;
            let (files, bytes) = (folder.files(), folder.bytes);
            let command = folder.end(&arguments.key)?;
            progress.end(&format!("Exported {files} files of {bytes} bytes to {path}"));
            println!("{command}");
        }
    }
    Ok(())
}

/// Asks for part after part.
fn each_piece(
    server: &mut Server,
    arguments: &Arguments,
    mut write: impl FnMut(&Value) -> Result<(), String>,
) -> Result<(), String> {
    let format: &[u8] = if arguments.csv { b"CSV" } else { b"CYPHER" };
    let mut cursor = b"0".to_vec();
    loop {
        let key = arguments.key.as_bytes();
        let words: [&[u8]; 8] =
            [b"GRAPH.EXPORT", key, b"FORMAT", format, b"CURSOR", &cursor, b"COUNT", COUNT];
        let part = server.ask(&words)?;
        let Some([next, pieces]) = part.as_slice() else { return Err(server.unexpected()) };
        let pieces = pieces.as_slice().ok_or_else(|| server.unexpected())?;
        for piece in pieces {
            write(piece)?;
        }
        let next = next.as_bytes().ok_or_else(|| server.unexpected())?;
        if next == b"0" {
            return Ok(());
        }
        cursor = next.to_vec();
    }
}
