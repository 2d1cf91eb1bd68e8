//! Servers on data directories, and redis-server to check the files they write.
#![allow(dead_code)] // each test program uses a part

use std::path::Path;
use std::process::Output;

use base::Rng;
use testkit::folder::Folder;
use testkit::oracle::{self, Oracle};
pub use testkit::seed::rng;

use crate::server::{self, Server, program};
use crate::tame;

/// A server on this directory.
pub fn serve(dir: &Folder, more: &[&str]) -> Server {
    let dir = dir.at("data");
    let args = ["--dir", &dir, "--appendonly", "yes", "--enable-debug-command", "yes"];
    Server::start(&[&args[..], more].concat())
}

/// Stops a server in order.
pub fn stop(mut server: Server) {
    server.signal("TERM");
    assert!(server.ended().success());
}

/// Runs the program; whether it succeeds, and what it says.
pub fn kvist(args: &[&str]) -> (bool, String) {
    let Output { status, stdout, stderr } = program().args(args).output().unwrap();
    let text = [stdout, stderr].concat();
    (status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Sends random requests.
pub fn fill(client: &mut server::Client, rng: &mut Rng, requests: usize) {
    for n in 0..requests {
        if n % 100 == 0 {
            client.ask(&["SELECT", &rng.below(4).to_string()]);
        }
        let request = tame::any_request(rng);
        client.send(&wire::request(request.iter().map(Vec::as_slice)));
        client.hear();
    }
}

/// `DEBUG DIGEST`.
pub fn digest(client: &mut server::Client) -> String {
    format!("+{}", String::from_utf8_lossy(client.ask(&["DEBUG", "DIGEST"]).as_bytes().unwrap()))
}

/// What redis-server makes of a file; `None` if there is no redis-server.
pub fn loaded_by_redis(file: &Path) -> Option<(Oracle, oracle::Client)> {
    let bytes = std::fs::read(file).unwrap();
    let options = ["--enable-debug-command", "yes"];
    let oracle = Oracle::start_with(&[("dump.rdb", &bytes)], &options)?;
    let checked = std::process::Command::new("redis-check-rdb").arg(file).output().unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success() && said.contains("RDB looks OK"), "{said}");
    let client = oracle::Client::new(&oracle);
    Some((oracle, client))
}
