//! `kvist-cli`: the client as a program of its own, for machines without the server.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    kvist_cli::main(&args)
}
