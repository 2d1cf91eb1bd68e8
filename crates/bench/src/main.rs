//! `kvist-bench`, side-by-side measurements: the same load on Kvist and on every peer found, in
//! alternation.
//!
//! The figure that can be trusted on a shared machine is **server CPU-seconds per million
//! operations**, read from the server's own accounting; rates and latencies are reported beside
//! it. All figures are medians over rounds, and ratios are taken round by round, so that a change
//! of the machine's speed hits both sides.
//!
//! Each server is pinned to processor 0 and the load to processor 1 where `taskset` exists.
//! Answers are checked before anything is timed.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program for the terminal

mod cache;
mod chart;
mod client;
mod durability;
mod families;
mod folio;
mod graph;
mod json;
mod keyvalue;
mod load;
mod peer;
mod process;
mod python;
mod range;
mod report;
mod scripting;
mod scripts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("--help" | "-h") | None => {
            println!("{USAGE}");
            Ok(())
        }
        Some(report) => server().and_then(|program| measure(report, &program, &args[1..])),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("kvist-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The server to measure: the one that was built beside this program, else the one that is
/// installed.
fn server() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| format!("where is this program? {e}"))?;
    let beside = here.with_file_name("kvist");
    let found = if beside.is_file() { Some(beside) } else { peer::find("kvist") };
    found
        .ok_or_else(|| "there is no kvist to measure: cargo build --release --bin kvist".to_owned())
}

/// Runs the report of a name.
fn measure(report: &str, program: &Path, args: &[String]) -> Result<(), String> {
    let done = match report {
        "keyvalue" => keyvalue::run(program, &keyvalue::Options::parse(args)?),
        "families" => families::run(program, &families::Options::parse(args)?),
        "folio" => folio::run(program, &folio::Options::parse(args)?),
        "graph" => graph::run(program, &graph::Options::parse(args)?),
        "json" => json::run(program, &json::Options::parse(args)?),
        "scripts" => scripts::run(program, &scripts::Options::parse(args)?),
        "range" => range::run(program, &range::Options::parse(args)?),
        "cache" => cache::run(program, &cache::Options::parse(args)?),
        "durability" => durability::run(&durability::Options::parse(program, args)?),
        "python" => python::run(program, &python::Options::parse(args)?),
        other => return Err(format!("unknown report '{other}'\n\n{USAGE}")),
    };
    done.map_err(|error| error.to_string())
}

const USAGE: &str = "\
Usage: kvist-bench keyvalue [OPTIONS]
       kvist-bench families [OPTIONS]
       kvist-bench folio [OPTIONS]
       kvist-bench graph [OPTIONS]
       kvist-bench json [OPTIONS]
       kvist-bench scripts [OPTIONS]
       kvist-bench cache [OPTIONS]
       kvist-bench durability [OPTIONS]
       kvist-bench range [OPTIONS]
       kvist-bench python [OPTIONS]

keyvalue: measures Kvist beside the peers it finds (redis-server, valkey-server), with
redis-benchmark as the load. Writes CSV, Markdown and a PNG chart.

Options:
  --rounds N          alternating rounds; figures are medians (default 5)
  --requests N        requests per run (default 400000; a tenth of it without pipelining)
  --keys N            keys loaded before the runs (default 1000000)
  --tests LIST        redis-benchmark tests, or 'all' (default set,get)
  --shapes LIST       client shapes CLIENTS:PIPELINE (default 50:1,50:16,50:100)
  --threads N         worker threads of the servers (default 1, all pinned to one processor)
  --peer NAME=HOST:PORT
                      a running server to measure too; its processes must be ours to read
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

families: measures heavier commands of each type, and the memory that small values of each take.

Options:
  --rounds N          alternating rounds; figures are medians (default 5)
  --pipeline N        requests sent at a time by each of 50 clients (default 16)
  --tests LIST        of memory and the tests' names (default all)
  --peer NAME=HOST:PORT
                      a running server to measure too; it is emptied
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

folio: measures projects of records: the 324 records of hxRedis's benchmark and its five queries,
cold and warm, over a Unix socket, TCP, HTTP and inside the process, beside redis-server used as
hxRedis does; then many records, commits, memory and samples.

Options:
  --rounds N          projects that are made; figures are medians (default 5)
  --repeats N         warm queries of each kind in a round (default 500)
  --records N         records of the large project (default 100000)
  --commits N         records that are added one by one (default 5000)
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

graph: measures a graph of two million nodes and four million relationships beside FalkorDB:
loading, memory, queries of up to two million rows, look-ups, hops, batches that are written, reads
beside a writer, and a restart.

Options:
  --rounds N          alternating rounds; figures are medians (default 5)
  --scale F           so many times as large a graph (default 1)
  --requests N        requests of a round of look-ups (default 20000)
  --parts LIST        of large,points,writes,beside,restart (default all)
  --falkordb FOLDER   where the redis-server and the falkordb.so to compare with are (default:
                      the folder that the variable KVIST_FALKORDB names)
  --peer NAME=HOST:PORT
                      a running server to measure too; it is written to, and is not restarted
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

json: measures whole JSON documents and paths in them beside plain strings of the same bytes and
scripts that keep documents as text or as MessagePack, what documents take in memory, and how fast
they are parsed and written.

Options:
  --rounds N          alternating rounds; figures are medians (default 5)
  --requests N        requests per run of a small value; fewer of a large one (default 100000)
  --copies N          copies of each document that are weighed (default 10000)
  --shapes LIST       client shapes CLIENTS:PIPELINE (default 16:1,16:16)
  --documents DIR     where the five documents of RedisJSON's report are; any that is not there is
                      replaced by one that looks like it (default ../shared/data/json)
  --peer NAME=HOST:PORT
                      a running server to measure too, one with RedisJSON for example; it is emptied
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

scripts: measures EVAL, EVALSHA and FCALL, from a single command to documents taken apart, beside
the plain command, and whether two scripts on different keys use two processors.

Options:
  --rounds N          alternating rounds; figures are medians (default 5)
  --tests LIST        words of the tests' names; 'two at once' is one of them (default all)
  --shapes LIST       client shapes CLIENTS:PIPELINE (default 50:1,50:16)
  --documents DIR     as for json
  --peer NAME=HOST:PORT
                      a running server to measure too; its keys are overwritten
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

cache: measures gRPC calls of the cache service one at a time and a hundred at a time, batches of
them, and the same over RESP; searches of 50 keys among 1000.

Options:
  --rounds N          figures are medians (default 5)
  --calls N           calls in a round (default 20000)
  --peer NAME=HOST:PORT@PID
                      a running server of the service to measure too, and its process
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

durability: measures what journals, snapshots and recoveries cost; every row is followed by a
kill -9 and a count of what was acknowledged.

Options:
  --parts LIST        of rates,snapshot,recovery (default all)
  --rounds N          alternating rounds; figures are medians (default 5; recovery: 3 at most)
  --requests N        requests per run (default 400000; a tenth with appendfsync always)
  --keys N            keys of the snapshots and the writes (default 1000000)
  --sizes LIST        keys to recover (default 100000,500000,1000000)
  --program PATH      the server to measure instead of the kvist built beside; may be a redis-server
  --dir DIR           where journals are written (default: the system's for temporary files)
  --out DIR           where to write the report (default bench/out)
  --quick             a small run of about a minute

range: measures keys in the order of their names beside a sorted set of the names that is kept by
hand, SCAN MATCH and KEYS; what the index takes, and what it costs who writes.

Options:
  --rounds N          alternating rounds; figures are medians (default 5)
  --keys N            keys of the ranges (default 1000000)
  --large N           keys of the database whose pages are timed (default 10000000)
  --writes N          writes per run (default 1000000)
  --peer NAME=HOST:PORT
                      a running server to measure too; it is written to
  --out DIR           where to write (default bench/out)
  --quick             a small run that only shows that everything works

python: measures the Python package beside redis-py with and without hiredis, coredis and
valkey-glide, as far as they are installed: wall time and CPU of the client's process.

Options:
  --rounds N          alternating rounds; figures are medians (default 15)
  --tests LIST        words of the tests' names (default all)
  --falkordb PORT     a FalkorDB that runs here, for the rows of graphs
  --python PATH       the interpreter that has the clients (default target/venv-python's, python3)
  --peer NAME=HOST:PORT
                      a running server to use instead of Kvist; it is emptied
  --out DIR           where to write (default bench/out)
  --quick             a single round";
