//! The command line of the `differential` program, for developers.

use std::fs;
use std::process::ExitCode;

use testkit::seed::seed;
use testkit::server::Program;

use crate::exchange;
use crate::families::{self, Family, WIRE};
use crate::known::Known;
use crate::report::Report;
use crate::session::{self, Settings};

const USAGE: &str = "\
differential: the same random commands to redis-server and Kvist; says where they part

  differential [--family F]… [--steps N] [--seed S] [--protocol 2|3] [--known FILE] [--most K]

  --family F      a family of commands; see the end (default: all)
  --steps N       steps per family and protocol (default 20000)
  --seed S        repeats a run (default: KVIST_SEED, else the clock)
  --protocol P    2 or 3 (default: both)
  --known FILE    accepted differences, lines of `command | kind | reason`
                  (default: the crate's known-differences.txt)
  --most K        stop a family after K different differences (default 25)
  KVIST_BIN       the server under test (default: the newer of target/debug/kvist and
                  target/release/kvist); a redis-server here must show no differences
  KVIST_JSON_MODULE
                  the module of documents for redis-server, for --family json
  KVIST_ARGS      more arguments for it
";

struct Options {
    families: Vec<&'static Family>,
    wire: bool,
    steps: usize,
    seed: u64,
    protocols: Vec<u8>,
    known: Known,
    most: usize,
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        let names: Vec<&str> = families::every().map(|family| family.name).collect();
        println!("{USAGE}\nfamilies: {} {WIRE}", names.join(" "));
        return ExitCode::SUCCESS;
    }
    match parse(&args).and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("differential: {text}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        families: vec![],
        wire: false,
        steps: 20_000,
        seed: seed(),
        protocols: vec![],
        known: Known::of_the_project()?,
        most: 25,
    };
    let mut words = args.iter();
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{option} {value}: no number"));
        let size = || value.parse::<usize>().map_err(|_| format!("{option} {value}: no number"));
        match option.as_str() {
            "--family" if value == WIRE => options.wire = true,
            "--family" => options.families.push(
                families::named(value).ok_or_else(|| format!("no family '{value}'\n{USAGE}"))?,
            ),
            "--steps" => options.steps = size()?,
            "--seed" => options.seed = number()?,
            "--most" => options.most = size()?,
            "--protocol" if value == "2" => options.protocols.push(2),
            "--protocol" if value == "3" => options.protocols.push(3),
            "--known" => {
                let text = fs::read_to_string(value).map_err(|e| format!("{value}: {e}"))?;
                options.known = Known::parse(&text).map_err(|e| format!("{value}: {e}"))?;
            }
            _ => return Err(format!("{option} {value}: not understood\n{USAGE}")),
        }
    }
    if options.families.is_empty() && !options.wire {
        options.families = families::ALL.to_vec();
        options.wire = true;
    }
    if options.protocols.is_empty() {
        options.protocols = vec![2, 3];
    }
    Ok(options)
}

fn run(options: &Options) -> Result<bool, String> {
    let oracle = Program::redis()
        .ok_or("redis-server not found; install it with apt-get install redis-server")?;
    let tested = Program::kvist().ok_or("kvist not found; build it or set KVIST_BIN")?;
    println!("seed {}: {} against {}", options.seed, oracle.path.display(), tested.path.display());
    let mut clean = true;
    let mut show = |report: Report| {
        clean &= report.clean();
        print!("{report}");
    };
    for family in &options.families {
        let documents = families::WITH_MODULE.iter().any(|known| known.name == family.name);
        let oracle = match documents.then(Program::redis_with_documents) {
            None => oracle.clone(),
            Some(with) => with.ok_or("set KVIST_JSON_MODULE to the module of documents")?,
        };
        for protocol in &options.protocols {
            let settings = settings(options, &oracle, &tested, *protocol);
            show(session::run(family, &settings)?);
        }
    }
    if options.wire {
        let settings = settings(options, &oracle, &tested, 2);
        show(exchange::run(&settings, options.steps / 20));
    }
    Ok(clean)
}

fn settings(options: &Options, oracle: &Program, tested: &Program, protocol: u8) -> Settings {
    Settings {
        programs: [oracle.clone(), tested.clone()],
        seed: options.seed,
        steps: options.steps,
        protocol,
        most: options.most,
        known: options.known.clone(),
    }
}
