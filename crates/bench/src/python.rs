//! The report on Python's clients: ours beside those that are installed, on one server.
//!
//! What is measured is a Python program's own time, so the measuring is done in Python, by a
//! program that this one carries along (`python/bench/clients.py`). Here a server is started for
//! it, and both are given a processor of their own.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peer::{self, Peer, Processors, find, have};

/// What measures.
const CLIENTS: &str = include_str!("../../../python/bench/clients.py");

/// What to measure, and with what.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    tests: String,
    python: Option<PathBuf>,
    peer: Option<(String, String)>,
    falkordb: Option<u16>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `python`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Options {
            rounds: 15,
            tests: String::new(),
            python: None,
            peer: None,
            falkordb: None,
            out: PathBuf::from("bench/out"),
        };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                options.rounds = 1;
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--rounds" => {
                    let rounds = value.parse::<usize>();
                    options.rounds = rounds.map_err(|_| format!("{flag}: not a number"))?.max(1);
                }
                "--falkordb" => {
                    let port = value.parse().map_err(|_| format!("{flag}: not a port"))?;
                    options.falkordb = Some(port);
                }
                "--tests" => options.tests.clone_from(value),
                "--python" => options.python = Some(PathBuf::from(value)),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => options.peer = Some(peer::named(value)?),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }

    /// The interpreter that has the clients: the one named, the tests' own, or the system's.
    fn interpreter(&self) -> io::Result<PathBuf> {
        let tests = Path::new("target/venv-python/bin/python");
        let named = self.python.clone().or_else(|| tests.is_file().then(|| tests.to_owned()));
        let python = named.or_else(|| find("python3"));
        let python = python.ok_or_else(|| io::Error::other("python3 not found: name --python"))?;
        let wanted = ["kvist", "redis"].map(|name| format!("import {name}")).join("; ");
        let probe = Command::new(&python).args(["-c", &wanted]).output()?;
        if probe.status.success() {
            return Ok(python);
        }
        let text = format!(
            "{} has not both kvist and redis: pip install ./python -r \
             python/requirements-test.txt, or name another with --python",
            python.display()
        );
        Err(io::Error::other(text))
    }
}

/// Runs the report.
///
/// # Errors
/// No interpreter has the clients, no server can be started, or a client answered wrongly.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    let python = options.interpreter()?;
    let server = match &options.peer {
        Some((name, addr)) => Peer::running(name, addr)?,
        None => Peer::kvist(program, 1, Processors::First)?,
    };
    println!("{} {} is the server", server.name, server.version);
    let mut command = if have("taskset") {
        let mut command = Command::new("taskset");
        command.args(["-c", "1"]).arg(&python);
        command
    } else {
        Command::new(&python)
    };
    let rounds = options.rounds.to_string();
    let falkordb = options.falkordb.map(|port| ["--falkordb".to_owned(), port.to_string()]);
    let status = command
        .args(["-c", CLIENTS, "--port", server.port(), "--rounds", &rounds])
        .args(["--tests", &options.tests])
        .args(falkordb.into_iter().flatten())
        .arg("--out")
        .arg(&options.out)
        .status()?;
    if !status.success() {
        return Err(io::Error::other(format!("the clients failed: {status}")));
    }
    println!("Written to {}", options.out.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn parse(line: &str) -> Result<Options, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&args)
    }

    #[test]
    fn options() {
        let line = "--rounds 3 --tests rows --falkordb 7 --peer redis=localhost:1";
        let options = parse(line).expect("options");
        assert_eq!(options.falkordb, Some(7));
        assert_eq!((options.rounds, options.tests.as_str()), (3, "rows"));
        assert_eq!(options.peer, Some(("redis".to_owned(), "localhost:1".to_owned())));
        assert_eq!(parse("--quick").expect("options").rounds, 1);
        for wrong in ["--rounds x", "--rounds", "--falkordb x", "--nothing 1", "--peer redis"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_interpreter_without_the_clients_is_refused() {
        let options = parse("--python /bin/false").expect("options");
        let error = options.interpreter().expect_err("it runs nothing");
        assert!(error.to_string().contains("--python"), "{error}");
    }
}
