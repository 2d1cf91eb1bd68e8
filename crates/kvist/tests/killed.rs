//! What `appendfsync always` has acknowledged outlives the process that wrote it, and a server goes
//! on with it: a writer in a process of its own is killed, again and again.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kvist::{Error, Kvist};
use testkit::folder::Folder;
use testkit::oracle::Client;
use testkit::server::{Log, Process, Program, State};
use testkit::skip;
use testkit::wait::PATIENCE;

/// What is said where the server has not been built.
const NO_KVIST: &str = "kvist is not built: run `cargo build --bin kvist`, or set KVIST_BIN";

const DIR: &str = "KVIST_TEST_WRITES_TO";

/// Not a test of its own: the process that is killed. It tells each number after it was written.
#[test]
fn writer() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let db = Kvist::builder().set("appendfsync", "always").open(PathBuf::from(dir)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let db = &db;
            scope.spawn(move || {
                loop {
                    let n = db.incr(format!("n{thread}")).unwrap();
                    println!("\ntold {thread} {n}");
                }
            });
        }
    });
}

fn start_writer(dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::writer", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = Folder::missing("killed");
    let dir = folder.path();
    let mut told = [0_i64; 3];
    for round in 0..3 {
        let mut writer = start_writer(dir);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        for _ in 0..200 * (round + 1) {
            note(&mut told, &lines.next().unwrap().unwrap());
        }
        assert!(matches!(Kvist::open(dir), Err(Error::InUse(_))), "the writer has it");
        writer.kill().unwrap();
        writer.wait().unwrap();
        // What it said before it died was acknowledged as well.
        lines.map_while(Result::ok).for_each(|line| note(&mut told, &line));
        let db = Kvist::open(dir).unwrap();
        for (thread, told) in told.iter().enumerate() {
            let kept: i64 = db.get(format!("n{thread}")).unwrap().unwrap_or(0);
            assert!(kept >= *told, "thread {thread} was told {told}, {kept} is kept");
        }
    }
    assert!(told.iter().any(|&n| n > 0));
    serve_it(dir, told[0]);
}

fn note(told: &mut [i64; 3], line: &str) {
    let Some(rest) = line.strip_prefix("told ") else { return };
    let Some((thread, n)) = rest.split_once(' ') else { return };
    if let (Ok(thread), Ok(n)) = (thread.parse::<usize>(), n.parse::<i64>()) {
        told[thread] = told[thread].max(n);
    }
}

/// A server opens the same directory and has what was kept.
fn serve_it(dir: &Path, at_least: i64) {
    let Some(program) = Program::kvist() else {
        skip::because(NO_KVIST);
        return;
    };
    let log = Folder::new("killed-log");
    let start = |port| Process::start(program.on(port, dir), port, Log::File(log.join("log")));
    let serves = |server: &Process| server.state() == State::Ready;
    let server = Process::start_until(start, serves, PATIENCE).unwrap();
    let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let said = Client::on(stream).ask(&[b"GET", b"n0"]);
    let kept: i64 = String::from_utf8_lossy(&said[0]).parse().unwrap();
    assert!(kept >= at_least, "{kept}");
}
