//! `kvist cli`: the command line client.
//!
//! ```text
//!   options ─► Client ──► one command · a prompt · lines of a pipe · bulk loading
//!                │                │
//!             wire (RESP)      format: the replies as people read them
//! ```
//!
//! It talks to any server of the protocol, and prints what `redis-cli` prints, so that scripts
//! written for the one run with the other. It knows nothing of the server beside the wire.
#![forbid(unsafe_code)]

mod client;
mod docs;
mod format;
mod options;
mod pipe;
mod prompt;
mod run;
mod stream;
mod uri;

pub use format::{Style, format};

use std::process::ExitCode;

/// Runs the client with these arguments.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let options = match options::parse(args) {
        Ok(options::Invocation::Run(options)) => *options,
        Ok(options::Invocation::Print(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    run::run(options)
}
