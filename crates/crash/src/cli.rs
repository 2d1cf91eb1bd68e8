//! The command line of the `crash` program, for developers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use testkit::seed::seed;
use testkit::server::Program;

use crate::cycle;
use crate::settings::{Fsync, Settings};

const USAGE: &str = "\
crash: kills a server under load, again and again on one directory; says what it forgot

  crash [--program PATH] [--cycles N] [--seed S] [--fsync MODE] [--seconds-per-cycle X] [OPTIONS]

  --program PATH         the server: a kvist, or a redis-server (default: KVIST_BIN, else the newer
                         of target/debug/kvist and target/release/kvist)
  --cycles N             how often it is killed (default 20)
  --seed S               repeats the choices of a run (default: KVIST_SEED, else the clock); what is
                         in flight when the kill comes is up to the machine
  --fsync MODE           always, everysec, no, or mix: another after every kill (default mix)
  --seconds-per-cycle X  average time from recovery to kill (default 1)
  --connections N        connections that write (default 10)
  --pipeline N           longest pipeline (default 16)
  --ballast N            keys that make recovery take its time (default 20000)
  --flush-ms N           how long a flush may take beyond the second of everysec (default 1000)
  --switches yes|no      whether appendonly is switched off and on, and the server asked to end,
                         now and then (default yes)
  --calm yes|no          whether nothing is done to the server besides work and kills (default no)
  --dir PATH             where the server's directory is made (default: the system's)
  --arg WORD             one more argument for the server; may be repeated
  --verbose              a line per cycle
  KVIST_ARGS             more arguments for the server, separated by spaces

After a failure the server's directory is kept as it was at the kill and as it is.
";

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    let settings = match parse(&args) {
        Ok(settings) => settings,
        Err(text) => {
            eprintln!("crash: {text}");
            return ExitCode::from(2);
        }
    };
    println!("seed {}: {}", settings.seed, settings.repeat());
    match cycle::run(&settings) {
        Ok(outcome) => {
            print!("{outcome}");
            println!("{:.1} s", begin.elapsed().as_secs_f64());
            if outcome.violations.is_empty() {
                return ExitCode::SUCCESS;
            }
            println!("to repeat: {}", settings.repeat());
        }
        Err(error) => eprintln!("crash: {error}\nto repeat: {}", settings.repeat()),
    }
    ExitCode::FAILURE
}

fn parse(args: &[String]) -> Result<Settings, String> {
    let none = Program { path: PathBuf::new(), extra: vec![] };
    let mut settings = Settings { fsync: None, ..Settings::new(none, seed()) };
    let mut path = None;
    let mut extra = Vec::new();
    let mut words = args.iter();
    while let Some(option) = words.next() {
        if option == "--verbose" {
            settings.verbose = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{option} {value}: no number"));
        let size = || value.parse::<usize>().map_err(|_| format!("{option} {value}: no number"));
        match option.as_str() {
            "--program" => path = Some(PathBuf::from(value)),
            "--cycles" => settings.cycles = number()?,
            "--seed" => settings.seed = number()?,
            "--fsync" if value == "mix" => settings.fsync = None,
            "--fsync" => {
                let mode = Fsync::parse(value);
                settings.fsync = Some(mode.ok_or_else(|| format!("no policy '{value}'"))?);
            }
            "--seconds-per-cycle" => {
                let seconds = value.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
                settings.seconds = seconds.ok_or_else(|| format!("{option} {value}: no time"))?;
            }
            "--connections" => settings.connections = size()?.clamp(1, 99),
            "--pipeline" => settings.pipeline = size()?.max(1),
            "--ballast" => settings.ballast = size()?,
            "--flush-ms" => settings.flush_ms = i64::try_from(number()?).unwrap_or(i64::MAX / 2),
            "--switches" => settings.switches = value != "no",
            "--calm" => settings.calm = value == "yes",
            "--dir" => settings.place = PathBuf::from(value),
            "--arg" => extra.push(value.clone()),
            _ => return Err(format!("{option} {value}: not understood\n{USAGE}")),
        }
    }
    settings.program = program(path, extra)?;
    Ok(settings)
}

fn program(path: Option<PathBuf>, extra: Vec<String>) -> Result<Program, String> {
    let mut program = match path {
        Some(path) => {
            let more = std::env::var("KVIST_ARGS").unwrap_or_default();
            let more = more.split_whitespace().map(str::to_owned).collect();
            // The server is started in a directory of its own.
            let path =
                std::path::absolute(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            Program { path, extra: more }
        }
        None => Program::kvist().ok_or("kvist not found; build it, set KVIST_BIN or --program")?,
    };
    program.extra.extend(extra);
    Ok(program)
}
