//! While the dataset is read, every door says so; once it is there, no more.
//!
//! What is read is a FIFO, so that it takes exactly as long as the test wants.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

mod calls;
mod server;
mod web;

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;

use calls::{Calls, bytes, refused};
use grpc::generated::kvist as pb;
use serde_json::json;
use server::{READY, bulk, eventually, temporary, text};
use tonic::Code::Unavailable;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use web::Web;

/// What a server says once it has begun to read such a dataset.
const READING: &str = "files of Redis";
/// More than the kernel keeps of what nobody has read.
const LENGTH: usize = 256 << 10;

/// A data directory with an append-only file of Redis that is not at its end until [`Slow::end`].
struct Slow {
    folder: PathBuf,
    feed: File,
}

impl Slow {
    fn new() -> Self {
        let folder = temporary("slow");
        let files = folder.join("appendonlydir");
        std::fs::create_dir_all(&files).unwrap();
        let name = "appendonly.aof.1.incr.aof";
        let manifest = format!("file {name} seq 1 type i\n");
        std::fs::write(files.join("appendonly.aof.manifest"), manifest).unwrap();
        let fifo = files.join(name);
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        // To read as well: then opening it waits for nobody, and it has no end while it is open.
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let feed = options.open(&fifo).unwrap();
        Slow { folder, feed }
    }

    fn args(&self) -> [&str; 2] {
        ["--dir", self.folder.to_str().unwrap()]
    }

    /// Lets the server read to the end: the key `k`, and nothing else.
    fn end(&mut self) {
        let value = "v".repeat(LENGTH);
        let command = wire::request(&["SET", "k", &value]);
        let mut left = command.as_slice();
        // All of it is taken only once the server reads, and so has the other end open.
        eventually("the end of the dataset", || {
            match self.feed.write(left) {
                Ok(written) => left = &left[written..],
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
            left.is_empty().then_some(())
        });
        self.feed = File::open("/dev/null").unwrap();
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn http_is_ready_when_the_dataset_is_there() {
    let mut slow = Slow::new();
    let web = Web::start_until(READING, &slow.args());
    let loading = "LOADING Redis is loading the dataset in memory";
    let mut http = web.connect();
    for _ in 0..3 {
        let page = http.ask("GET /ready", "");
        assert_eq!((page.status, page.text()), (503, format!("{loading}\n")));
        assert_eq!(http.ask("HEAD /ready", "").status, 503);
    }
    // It lives, and says what keeps it.
    assert_eq!(http.ask("GET /health", "").status, 200);
    let page = http.ask("GET /api/v1/health", "");
    assert_eq!((page.status, &page.json()["status"]), (503, &json!("loading")));
    assert_eq!(http.ask("GET /api/v1/records/k", "").status, 503);
    let mut redis = web.server.connect();
    assert_eq!(text(&redis.ask(&["GET", "k"])), loading);
    assert!(!web.server.log().contains(READY));

    slow.end();
    // On the connection that was there before.
    eventually("readiness", || (http.ask("GET /ready", "").status == 200).then_some(()));
    assert_eq!(http.ask("GET /ready", "").text(), "OK\n");
    assert_eq!(http.ask("GET /api/v1/health", "").json()["status"], json!("healthy"));
    assert_eq!(redis.ask(&["GET", "k"]), bulk("v".repeat(LENGTH)));
    web.server.logged(READY);
}

#[test]
fn grpc_serves_when_the_dataset_is_there() {
    let mut slow = Slow::new();
    let calls = Calls::start_until(READING, &slow.args());
    let mut kvist = calls.kvist();
    let get = || pb::GetRequest { key: bytes("k"), database: 0 };
    let (code, said) = refused(calls.run(kvist.get(get())));
    assert_eq!((code, said.starts_with("LOADING ")), (Unavailable, true), "{said}");
    let mut probe = HealthClient::new(calls.line());
    let mut is = |status: ServingStatus| {
        let answer = calls.run(probe.check(HealthCheckRequest::default())).unwrap();
        answer.into_inner().status == i32::from(status)
    };
    // It is looked at now and then.
    eventually("the news", || is(ServingStatus::NotServing).then_some(()));

    slow.end();
    eventually("readiness", || is(ServingStatus::Serving).then_some(()));
    let found = calls.run(kvist.get(get())).unwrap().into_inner();
    assert_eq!(found.value.map(|value| value.len()), Some(LENGTH));
}
