//! The durability report: what a journal costs, what a snapshot disturbs, how long a recovery
//! takes, and whether what was acknowledged is there after `kill -9`.
//!
//! A rate that loses data is worth nothing, so every row is followed by a kill and a count; a
//! server that misses something it had promised fails the whole report.

mod peers;
mod rates;
mod recovery;
mod rows;
mod snapshot;
mod survive;

use std::io;
use std::path::{Path, PathBuf};

use self::peers::Program;
use self::rows::Rows;
use crate::keyvalue::list;
use crate::load;
use crate::peer::find;

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    parts: Vec<String>,
    rounds: usize,
    requests: u64,
    keys: u64,
    sizes: Vec<u64>,
    program: PathBuf,
    dir: PathBuf,
    out: PathBuf,
}

const PARTS: [&str; 3] = ["rates", "snapshot", "recovery"];

impl Options {
    /// Reads the command line behind `durability`; `program` is measured unless another is named.
    pub fn parse(program: &Path, args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            parts: PARTS.map(str::to_owned).to_vec(),
            rounds: 5,
            requests: 400_000,
            keys: 1_000_000,
            sizes: vec![100_000, 500_000, 1_000_000],
            program: program.to_owned(),
            dir: std::env::temp_dir(),
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                options.rounds = 1;
                options.requests = 50_000;
                options.keys = 100_000;
                options.sizes = vec![50_000];
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--parts" => options.parts = list(value),
                "--rounds" => options.rounds = usize::try_from(number()?).unwrap_or(1).max(1),
                "--requests" => options.requests = number()?.max(10_000),
                "--keys" => options.keys = number()?.max(1000),
                "--sizes" => {
                    let sizes: Result<Vec<u64>, _> =
                        list(value).iter().map(|size| size.parse()).collect();
                    options.sizes = sizes.map_err(|_| "--sizes wants numbers".to_owned())?;
                }
                "--program" => {
                    let path = std::path::absolute(value).map_err(|e| format!("{value}: {e}"))?;
                    options.program = path;
                }
                "--dir" => {
                    let path = std::path::absolute(value).map_err(|e| format!("{value}: {e}"))?;
                    options.dir = path;
                }
                "--out" => options.out = PathBuf::from(value),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        match options.parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
            Some(part) => Err(format!("no part '{part}'; there are {}", PARTS.join(", "))),
            None => Ok(options),
        }
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.iter().any(|wanted| wanted == part)
    }
}

/// Runs the report.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    load::is_possible()?;
    let mut programs = vec![Program::new("kvist", &options.program)];
    for name in ["redis-server", "valkey-server"] {
        match find(name) {
            Some(file) => programs.push(Program::new(name.trim_end_matches("-server"), &file)),
            None => println!("SKIP: {name} not found; install it to compare with it"),
        }
    }
    let mut rows = Rows::new(&programs, options)?;
    if options.wants("rates") {
        rates::run(&programs, options, &mut rows)?;
    }
    if options.wants("snapshot") {
        snapshot::run(&programs, options, &mut rows)?;
    }
    if options.wants("recovery") {
        recovery::run(&programs, options, &mut rows)?;
    }
    rows.write(&options.out)?;
    println!("{}", rows.markdown());
    println!("written to {}", options.out.display());
    rows.verdict()
}
