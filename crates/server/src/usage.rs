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
  kvist import FILE|DIR --dir DATADIR               take over files of Redis
  kvist export FILE.rdb --dir DATADIR               write a snapshot for Redis
  kvist export FILE.rdb --from HOST:PORT            the same of a running server
  kvist check DATADIR [--fix]                       look whether a data directory is whole
  kvist --version                                   print the version
  kvist --help                                      print this

'kvist VERB --help' tells more.
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

/// Help for `kvist import`.
pub const IMPORT: &str = "\
Usage: kvist import FILE|DIR --dir DATADIR [--drop-field-ttl] [--directive value ...]

Takes over a dataset of Redis or Valkey: an RDB file, an append-only file, or a directory that holds
either. DATADIR may be new, or hold a dataset already, whose keys are replaced where names are the
same; no server may use it meanwhile. Nothing counts before all is saved: an interrupted import is
run again.

Streams and libraries of functions come along. Values of modules are not kept: they are counted, and
the import refused, unless '--import-skip-unknown yes' leaves them out. --drop-field-ttl takes
hashes whose fields have deadlines of their own, without those deadlines.

Examples:
  kvist import /var/lib/redis/dump.rdb --dir /var/lib/kvist
  kvist import /var/lib/redis/appendonlydir --dir /var/lib/kvist --databases 32
";

/// Help for `kvist export`.
pub const EXPORT: &str = "\
Usage: kvist export FILE.rdb --dir DATADIR [--directive value ...]
       kvist export FILE.rdb --from HOST:PORT [--user NAME] [--pass PASSWORD]
                    [--tls] [--cacert FILE] [--cert FILE --key FILE] [--sni NAME] [--insecure]

Writes the dataset in DATADIR, which no server may use meanwhile, as a snapshot that Redis 7.0 and
everything later reads. Nothing in DATADIR is changed.

With --from it comes from a running server, Kvist or Redis, over the network: the dataset of one
moment, which stands under the name of FILE.rdb when all of it has come and its sum is right. The
password may also stand in KVISTCLI_AUTH. There is also the directive rdb-export, which makes SAVE
and BGSAVE write such a file.

Examples:
  kvist export dump.rdb --dir /var/lib/kvist
  kvist export dump.rdb --from db.example.com:6379
";

/// Help for `kvist check`.
pub const CHECK: &str = "\
Usage: kvist check DATADIR [--fix]

Reads the manifest, the snapshot and the journal in DATADIR, which no server may use meanwhile, and
tells what is there and what of it is damaged, with file and offset. Nothing is changed. The exit
code is 0 if all is whole, and 1 if not.

--fix keeps what stands before the damage: the journal up to it, the blocks of the snapshot that are
whole. Files it changes are kept beside it under names that end in '.damaged'. Then it saves what
stands anew, as a server would. Copy the directory first.
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
