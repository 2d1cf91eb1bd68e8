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
  kvist export graph HOST:PORT KEY > FILE           write a graph of a running server as text
  kvist import graph HOST:PORT KEY < FILE           make a graph of a running server of such text
  kvist import folio HOST:PORT KEY FILE|FOLDER ...  make a project of files of Haystack's formats
  kvist export folio HOST:PORT KEY FOLDER           write a project to such files
  kvist import hxredis --from REDIS --to SERVER KEY take over a project of hxRedis
  kvist export hxredis --from SERVER KEY --to REDIS write a project as hxRedis has it
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
       kvist import falkordb HOST:PORT --dir DATADIR [--graph NAME ...] [--user NAME]
                    [--pass PASSWORD] [--directive value ...]
       kvist import graph HOST:PORT KEY [FILE|FOLDER] [--skip N[:LINES]]
                    [--user NAME] [--pass PASSWORD]
       kvist import hxredis --from HOST:PORT [--db N] [--prefix TEXT] --to HOST:PORT PROJECT
                    [--id-prefix TEXT] [--replace] [--skip-damaged] [--user NAME] [--pass PASSWORD]
       kvist import folio HOST:PORT PROJECT FILE|FOLDER ... [--id-prefix TEXT] [--replace]
                    [--skip-damaged] [--user NAME] [--pass PASSWORD]

Takes over a dataset of Redis or Valkey: an RDB file, an append-only file, or a directory that holds
either. DATADIR may be new, or hold a dataset already, whose keys are replaced where names are the
same; no server may use it meanwhile. Nothing counts before all is saved: an interrupted import is
run again.

Streams and libraries of functions come along. Values of modules are not kept: they are counted, and
the import refused, unless '--import-skip-unknown yes' leaves them out. --drop-field-ttl takes
hashes whose fields have deadlines of their own, without those deadlines.

With 'falkordb' graphs come from a running FalkorDB, by its own commands: those that are named, or
all. Their indexes and constraints come along. What was read is counted at the end: a graph that was
changed meanwhile is refused. The password may also stand in KVISTCLI_AUTH.

With 'graph' a running server, which may also be named by a URL, makes what statements of a file or
of the standard input say, or the tables in a folder that 'kvist export graph' has written: part by
part, each whole or not at all. After an error --skip goes on exactly behind what was made: so many
statements, or files and lines of the next file, as the error says.

With 'hxredis' the records and samples that Haxall's hxRedis keeps in a database of Redis become a
project of a running Kvist: all of them, or nothing. Each may be named by a URL. Keys begin with
--prefix, where that is so; ids may be given without --id-prefix. What is damaged is told by its
key, and refused, unless --skip-damaged leaves it out; --replace takes the place of a key that is
there.

With 'folio' records come from files that end in .trio, .zinc, .json, .hayson or .csv, those of
folders in order of their names, and samples from files whose columns are ts and val. What is
damaged is told by file and line; all the rest is as with 'hxredis'.

Examples:
  kvist import hxredis --from redis://:secret@db.example.com/2 --to 127.0.0.1:6379 demo
  kvist import folio 127.0.0.1:6379 demo site.trio histories
  kvist import graph 127.0.0.1:6379 social social.cypher
  kvist import falkordb db.example.com:6379 --graph social --dir /var/lib/kvist
  kvist import /var/lib/redis/dump.rdb --dir /var/lib/kvist
  kvist import /var/lib/redis/appendonlydir --dir /var/lib/kvist --databases 32
";

/// Help for `kvist export`.
pub const EXPORT: &str = "\
Usage: kvist export FILE.rdb --dir DATADIR [--directive value ...]
       kvist export FILE.rdb --from HOST:PORT [--user NAME] [--pass PASSWORD]
                    [--tls] [--cacert FILE] [--cert FILE --key FILE] [--sni NAME] [--insecure]
       kvist export graph HOST:PORT KEY [--format cypher] [--user NAME] [--pass PASSWORD]
       kvist export graph HOST:PORT KEY FOLDER --format csv [--user NAME] [--pass PASSWORD]
       kvist export hxredis --from HOST:PORT PROJECT --to HOST:PORT [--db N] [--prefix TEXT]
                    [--replace] [--user NAME] [--pass PASSWORD]
       kvist export folio HOST:PORT PROJECT FOLDER [--format trio|zinc|json|csv]
                    [--user NAME] [--pass PASSWORD]

Writes the dataset in DATADIR, which no server may use meanwhile, as a snapshot that Redis 7.0 and
everything later reads. Nothing in DATADIR is changed.

With --from it comes from a running server, Kvist or Redis, over the network: the dataset of one
moment, which stands under the name of FILE.rdb when all of it has come and its sum is right. The
password may also stand in KVISTCLI_AUTH. There is also the directive rdb-export, which makes SAVE
and BGSAVE write such a file.

With 'graph' one graph of a running server, which may also be named by a URL, is written as it was
in one moment: as statements of openCypher to the standard output, or as tables of CSV to a new
folder, which FalkorDB's bulk loader takes; how it is called for them is printed.

With 'hxredis' a project is written to a database of Redis as Haxall's hxRedis has it, as it was in
one moment. It finds records there when all are written. --replace takes away what it had before.

With 'folio' a project is written to a new folder: its records in a file of the format, and samples
in a file for each point, of Zinc, or of CSV if that is the format.

Examples:
  kvist export folio 127.0.0.1:6379 demo demo-files --format zinc
  kvist export hxredis --from 127.0.0.1:6379 demo --to redis://:secret@db.example.com/2 --replace
  kvist export graph 127.0.0.1:6379 social > social.cypher
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
