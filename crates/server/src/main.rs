//! `kvist`: the program. This file only tells which verb was meant.
//!
//! ```text
//!   serve                                     the program: everything is made, attached, ended
//!     ├─ event_loop                           one worker's loop: turns, what waits, the clock
//!     ├─ accepting ── reconfigure             listening sockets; what CONFIG SET means for them
//!     ├─ http_server, grpc_server, signals    the other threads
//!     ▼
//!   workers                                   what workers know of each other: inboxes, progress
//!     ▼
//!   connection                                one client: bytes in, requests run, replies out
//!   offline                                   the verbs that need no server: check, import, export
//! ```
//!
//! Imports point downwards. All of these use `withheld_replies` (replies that wait for the disk),
//! `slab` (a worker's connections), `loading`, `dial` (connections to other servers), `logging`
//! with `log_queue`, `process`, `supervisor` and `usage`.
//!
//! A connection knows neither its loop nor other threads: the loop gives it a turn and a thread's
//! state, and does what the turn leads to.
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
