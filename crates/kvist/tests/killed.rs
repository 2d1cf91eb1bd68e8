//! What `appendfsync always` has acknowledged outlives the process that wrote it, and a server goes
//! on with it: a writer in a process of its own is killed, again and again.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kvist::{Error, Kvist};
use testkit::skip;

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
    let dir = std::env::temp_dir().join(format!("kvist-killed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    let mut told = [0_i64; 3];
    for round in 0..3 {
        let mut writer = start_writer(&dir);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        for _ in 0..200 * (round + 1) {
            note(&mut told, &lines.next().unwrap().unwrap());
        }
        assert!(matches!(Kvist::open(&dir), Err(Error::InUse(_))), "the writer has it");
        writer.kill().unwrap();
        writer.wait().unwrap();
        // What it said before it died was acknowledged as well.
        lines.map_while(Result::ok).for_each(|line| note(&mut told, &line));
        let db = Kvist::open(&dir).unwrap();
        for (thread, told) in told.iter().enumerate() {
            let kept: i64 = db.get(format!("n{thread}")).unwrap().unwrap_or(0);
            assert!(kept >= *told, "thread {thread} was told {told}, {kept} is kept");
        }
    }
    assert!(told.iter().any(|&n| n > 0));
    serve_it(&dir, told[0]);
    let _ = std::fs::remove_dir_all(&dir);
}

fn note(told: &mut [i64; 3], line: &str) {
    let Some(rest) = line.strip_prefix("told ") else { return };
    let Some((thread, n)) = rest.split_once(' ') else { return };
    if let (Ok(thread), Ok(n)) = (thread.parse::<usize>(), n.parse::<i64>()) {
        told[thread] = told[thread].max(n);
    }
}

/// The program `kvist`, if it has been built.
fn program() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("KVIST_BIN") {
        return Some(PathBuf::from(path));
    }
    let built = std::env::current_exe().ok()?.parent()?.parent()?.join("kvist");
    built.is_file().then_some(built)
}

/// A server opens the same directory and has what was kept.
fn serve_it(dir: &Path, at_least: i64) {
    let Some(program) = program() else {
        skip::because(NO_KVIST);
        return;
    };
    let socket = dir.join("socket");
    let mut server = Command::new(program)
        .args(["serve", "--port", "0", "--unixsocket"])
        .arg(&socket)
        .arg("--dir")
        .arg(dir)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    let said = loop {
        let said = UnixStream::connect(&socket).and_then(|mut stream| {
            stream.write_all(b"GET n0\r\nQUIT\r\n")?;
            let mut said = String::new();
            stream.read_to_string(&mut said).map(|_| said)
        });
        match said {
            Ok(said) if !said.starts_with("-LOADING") => break said,
            _ => {
                assert!(Instant::now() < until, "the server does not answer");
                assert_eq!(server.try_wait().unwrap(), None, "the server does not start");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    };
    server.kill().unwrap();
    server.wait().unwrap();
    let kept: i64 = said.lines().nth(1).unwrap().parse().unwrap();
    assert!(kept >= at_least, "{said}");
}
