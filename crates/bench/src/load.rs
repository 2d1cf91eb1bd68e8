//! The load: redis-benchmark, because it is widely available and not ours.

use std::io;
use std::process::{Command, Stdio};

use crate::peer::{Peer, have};
use crate::process;

/// How many clients send how many requests at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub clients: u32,
    pub pipeline: u32,
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "-c {} -P {}", self.clients, self.pipeline)
    }
}

/// What one run of one test gave.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The test's name, as redis-benchmark prints it.
    pub test: String,
    /// Requests per second.
    pub rate: f64,
    /// Milliseconds.
    pub p50: f64,
    /// Milliseconds.
    pub p99: f64,
    /// Server processor seconds per million requests.
    pub cpu: f64,
    /// The part of it spent in the program itself, not in the kernel.
    pub user: f64,
}

/// What redis-benchmark is to send.
pub(crate) enum Load<'a> {
    /// One of its own tests, with values of 100 bytes.
    Test(&'a str),
    /// A command, again and again; `__rand_int__` in it is a number below that of the keys.
    Command { name: &'a str, words: &'a [String] },
}

/// That redis-benchmark is there to be run.
///
/// # Errors
/// It is not; what to do about it.
pub(crate) fn is_possible() -> io::Result<()> {
    if have("redis-benchmark") {
        return Ok(());
    }
    Err(io::Error::other("redis-benchmark is not installed; it is in the package redis-tools"))
}

/// Runs redis-benchmark against a server.
pub(crate) fn run(
    peer: &Peer,
    load: &Load<'_>,
    shape: Shape,
    requests: u64,
    keys: u64,
) -> io::Result<Vec<Sample>> {
    let mut command = if have("taskset") {
        let mut command = Command::new("taskset");
        command.args(["-c", "1", "redis-benchmark"]);
        command
    } else {
        Command::new("redis-benchmark")
    };
    command
        .args(["-h", peer.host(), "-p", peer.port(), "--csv", "-n", &requests.to_string()])
        .args(["-r", &keys.to_string()])
        .args(["-c", &shape.clients.to_string(), "-P", &shape.pipeline.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let name = match load {
        Load::Test(test) => {
            command.args(["-d", "100", "-t", test]);
            test
        }
        Load::Command { name, words } => {
            command.args(*words);
            name
        }
    };
    let before = (process::cpu_seconds(peer.pid)?, process::user_system_seconds(peer.pid)?);
    let output = command.output()?;
    let after = (process::cpu_seconds(peer.pid)?, process::user_system_seconds(peer.pid)?);
    let csv = String::from_utf8_lossy(&output.stdout);
    let mut samples = match load {
        Load::Test(_) => parse(&csv),
        Load::Command { name, .. } => parse_last(&csv, name).into_iter().collect(),
    };
    if samples.is_empty() {
        return Err(io::Error::other(format!("redis-benchmark gave no figures for {name}")));
    }
    // A test name may stand for several tests (lrange); their cost is shared evenly.
    let millions = requests as f64 * samples.len() as f64 / 1e6;
    for sample in &mut samples {
        sample.cpu = (after.0 - before.0) / millions;
        sample.user = (after.1.0 - before.1.0) / millions;
    }
    Ok(samples)
}

fn parse(csv: &str) -> Vec<Sample> {
    let field = |row: &[&str], i: usize| row.get(i).and_then(|f| f.parse().ok()).unwrap_or(0.0);
    csv.lines()
        .filter(|line| line.starts_with('"') && !line.starts_with("\"test\""))
        .map(|line| {
            let row: Vec<&str> = line.trim_matches('"').split("\",\"").map(str::trim).collect();
            Sample {
                test: row.first().unwrap_or(&"").to_string(),
                rate: field(&row, 1),
                p50: field(&row, 4),
                p99: field(&row, 6),
                cpu: 0.0,
                user: 0.0,
            }
        })
        .collect()
}

/// The figures of the one command that was sent. Its words stand in front of them as they are, line
/// breaks, commas and quotes included: so they are read from the end.
fn parse_last(csv: &str, name: &str) -> Option<Sample> {
    /// Behind the words.
    const FIELDS: usize = 7;
    let line = csv.trim_end().trim_end_matches('"');
    let mut fields = line.rsplitn(FIELDS + 1, "\",\"").take(FIELDS).map(str::parse::<f64>);
    let _max = fields.next()?.ok()?;
    let p99 = fields.next()?.ok()?;
    let _p95 = fields.next()?.ok()?;
    let p50 = fields.next()?.ok()?;
    let (_min, _average) = (fields.next()?.ok()?, fields.next()?.ok()?);
    let rate = fields.next()?.ok()?;
    Some(Sample { test: name.to_owned(), rate, p50, p99, cpu: 0.0, user: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_read() {
        let csv = "\"test\",\"rps\",\"avg_latency_ms\"\n\
                   \"SET\",\"52301.26\",\"0.5\",\"0.1\",\"0.47\",\"0.9\",\"1.2\",\"3.0\"\n";
        let samples = parse(csv);
        assert_eq!(samples.len(), 1);
        assert_eq!(samples[0].test, "SET");
        assert!((samples[0].p99 - 1.2).abs() < 1e-9 && (samples[0].p50 - 0.47).abs() < 1e-9);
    }

    #[test]
    fn figures_behind_any_words_are_read() {
        let words = "JSON.SET doc . {\n\"a\":[\"1\",\"2\"]}";
        let figures = "\"52301.26\",\"0.5\",\"0.1\",\"0.47\",\"0.9\",\"1.2\",\"3.0\"";
        let csv = &format!("\"test\",\"rps\"\n\"{words}\",{figures}\n");
        let sample = parse_last(csv, "a name").expect("figures");
        assert_eq!((sample.test.as_str(), sample.rate), ("a name", 52_301.26));
        assert!((sample.p99 - 1.2).abs() < 1e-9 && (sample.p50 - 0.47).abs() < 1e-9);
        assert!(parse_last("", "a name").is_none());
    }
}
