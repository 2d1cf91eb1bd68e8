//! What the program says about itself on the command line.

use std::process::ExitCode;

/// Exit code of a command line that makes no sense, as shells have it.
const MISUSE: u8 = 2;

/// Help for the whole program.
pub const KVIST: &str = "\
Kvist: a multi-core in-memory server that speaks the Redis protocol.

Usage:
  kvist serve [FILE.conf] [--directive value ...]   run the server
  kvist cli [options] [command [argument ...]]      talk to a server
  kvist bench REPORT                                measure it beside its peers
  kvist --version                                   print the version
  kvist --help                                      print this

'kvist serve --help' and 'kvist cli --help' tell more.
";

/// Help for `kvist serve`.
pub const SERVE: &str = "\
Usage: kvist serve [FILE.conf] [--directive value ...]

Runs the server in the foreground. Directives are those of redis.conf 7.0; on the command line they
begin with two hyphens. The command line is stronger than the file, the file than the environment
(KVIST_PORT=7000 means 'port 7000'), the environment than the defaults. '-' as FILE.conf reads the
standard input.

Examples:
  kvist serve
  kvist serve /etc/kvist.conf
  kvist serve --port 7000 --io-threads 4
  kvist serve kvist.conf --maxmemory 2gb --loglevel verbose

SIGTERM and SIGINT stop the server in order; a second SIGINT at once.
";

/// Prints help.
#[must_use]
pub fn help(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}

/// Prints the version.
#[must_use]
pub fn version() -> ExitCode {
    println!("kvist {}", env!("CARGO_PKG_VERSION"));
    ExitCode::SUCCESS
}

/// Complains about the command line.
#[must_use]
pub fn wrong(what: &str) -> ExitCode {
    eprintln!("kvist: {what}\nTry 'kvist --help'.");
    ExitCode::from(MISUSE)
}
