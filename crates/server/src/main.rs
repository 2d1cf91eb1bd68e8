//! `kvist`: the program. This file only tells which verb was meant.
#![forbid(unsafe_code)]

mod accepting;
mod connection;
mod dial;
mod event_loop;
mod grpc_server;
mod http_server;
mod loading;
mod log_queue;
mod logging;
mod offline;
mod process;
mod reconfigure;
mod serve;
mod signals;
mod slab;
mod supervisor;
mod usage;
mod withheld_replies;
mod workers;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    allocator::set_up();
    let code = run();
    logging::flush();
    code
}

fn run() -> ExitCode {
    let mut args = Vec::new();
    for arg in std::env::args_os().skip(1) {
        match arg.into_string() {
            Ok(arg) => args.push(arg),
            Err(arg) => return usage::wrong(&format!("not UTF-8: {}", arg.display())),
        }
    }
    let Some((verb, rest)) = args.split_first() else {
        return usage::wrong("what shall it do?");
    };
    if verb != "serve" || rest.iter().any(|arg| arg == "--help") {
        process::end_quietly_when_nobody_reads();
    }
    let asks = rest.iter().any(|arg| arg == "--help");
    match verb.as_str() {
        "serve" if asks => usage::help(usage::SERVE),
        "serve" => serve::main(rest),
        "check" if asks => usage::help(usage::CHECK),
        "check" => offline::check::main(rest),
        "import" if asks => usage::help(usage::IMPORT),
        "import" => offline::import::main(rest),
        "export" if asks => usage::help(usage::EXPORT),
        "export" => offline::export::main(rest),
        "cli" => cli::main(rest),
        "help" | "--help" | "-h" => usage::help(usage::KVIST),
        "version" | "--version" | "-v" | "-V" => usage::version(),
        other => usage::wrong(&format!("unknown command '{other}'")),
    }
}
