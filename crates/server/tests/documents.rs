//! JSON documents leave a server and come back: files, copies, MIGRATE. redis-server has no such
//! type: what it and redis-check-rdb make of them is told here, too.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::process::Command;

use rdb::{Encoder, Limits, Module, ModulePart, Value, dump};
use testkit::folder::Folder;
use testkit::oracle::Oracle;
use testkit::skip;

use crate::compared::{digest, fill, kvist, rng, serve, stop};
use crate::server::{Client, eventually, ok, text};

const TEXT: &str = r#"{"name":"kvist","list":[1,2.5,"drei",null,{"deep":[true]}],"e":1e300}"#;

/// Makes a document, and looks into every second one.
fn put(client: &mut Client, key: &str, number: usize) {
    let document = TEXT.replace("kvist", &format!("number {number}"));
    let id = Module::id_of("ReJSON-RL", 3).unwrap();
    let parts = vec![ModulePart::String(document.into_bytes())];
    let value = Value::Module(Module { id, parts });
    let payload = dump::encode(&mut Encoder::new(Limits::default(), true), &value);
    let words: [&[u8]; 5] = [b"RESTORE", key.as_bytes(), b"0", &payload, b"REPLACE"];
    client.send(&wire::request(words));
    assert_eq!(client.hear(), ok());
    if number % 2 == 1 {
        assert_eq!(text(&client.ask(&["JSON.TYPE", key, "list"])), "array");
    }
}

/// Documents in several databases, between other keys.
fn fill_with_documents(client: &mut Client) {
    let mut rng = rng();
    fill(client, &mut rng, 500);
    for db in 0..4 {
        client.ask(&["SELECT", &db.to_string()]);
        for number in 0..25 {
            put(client, &format!("doc:{number}"), number);
        }
        assert_eq!(client.ask(&["PEXPIREAT", "doc:3", "9000000000000"]).as_i64(), Some(1));
    }
}

/// What redis-server says of a file that it cannot load; `None` if there is no redis-server, or one
/// that knows documents.
fn refused_by_redis(folder: &Folder, file: &str) -> Option<String> {
    let (dir, socket, log) = (folder.at("."), folder.at("socket"), folder.at("redis.log"));
    let mut command = Command::new("redis-server");
    command.args(["--port", "0", "--unixsocket", &socket, "--save", "", "--dir", &dir]);
    command.args(["--dbfilename", file, "--logfile", &log]);
    let Ok(mut child) = command.spawn() else {
        skip::without("redis-server", "redis-server", "compare with it");
        return None;
    };
    eventually("the end of redis-server", || {
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        if said.contains("Ready to accept connections") {
            child.kill().unwrap();
            child.wait().unwrap();
            skip::because("this redis-server knows documents: use one without modules");
            return Some(None);
        }
        // It ends with the verdict of redis-check-rdb, which is that nothing is wrong.
        child.try_wait().unwrap()?;
        Some(Some(std::fs::read_to_string(&log).unwrap()))
    })
}

/// redis-check-rdb passes over what it does not know; redis-server without the module stops.
fn check_with_redis(folder: &Folder, file: &str) {
    let Ok(checked) = Command::new("redis-check-rdb").arg(folder.at(file)).output() else {
        skip::without("redis-check-rdb", "redis-tools", "have files checked");
        return;
    };
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success() && said.contains("RDB looks OK"), "{said}");
    let Some(said) = refused_by_redis(folder, file) else { return };
    assert!(said.contains("no matching module type 'ReJSON-RL'"), "{said}");
}

#[test]
fn files_take_documents_out_and_bring_them_in() {
    let folder = Folder::new("documents");
    let server = serve(&folder, &["--rdb-export", "yes"]);
    let mut client = server.connect();
    fill_with_documents(&mut client);
    assert_eq!(client.ask(&["SAVE"]), ok());
    let wanted = digest(&mut client);
    let from = format!("127.0.0.1:{}", server.port);
    let (done, said) = kvist(&["export", &folder.at("copy.rdb"), "--from", &from]);
    assert!(done && said.contains("its sum is right"), "{said}");
    client.ask(&["SELECT", "0"]);
    put(&mut client, "behind", 1);
    assert_eq!(client.ask(&["COPY", "behind", "copied"]).as_i64(), Some(1));
    let later = digest(&mut client);
    stop(server);
    let data = folder.at("data");
    let (done, said) = kvist(&["check", &data]);
    assert!(done && said.contains("Whole"), "{said}");
    let (done, said) = kvist(&["export", &folder.at("end.rdb"), "--dir", &data]);
    assert!(done && said.contains("Exported"), "{said}");
    std::fs::copy(folder.join("data/dump.rdb"), folder.join("saved.rdb")).unwrap();
    for (file, wanted) in [("copy.rdb", &wanted), ("saved.rdb", &wanted), ("end.rdb", &later)] {
        check_with_redis(&folder, file);
        let dir = folder.at(&format!("from-{file}"));
        let (done, said) = kvist(&["import", &folder.at(file), "--dir", &dir]);
        assert!(done && said.contains("read back and checked"), "{said}");
        let server = serve(&folder, &["--dir", &dir]);
        assert_eq!(digest(&mut server.connect()), *wanted, "{file}");
        stop(server);
    }
    // And the journal, as it is.
    let server = serve(&folder, &[]);
    assert_eq!(digest(&mut server.connect()), later);
    stop(server);
}

#[test]
fn a_killed_server_has_its_documents() {
    let folder = Folder::new("killed");
    let mut server = serve(&folder, &["--appendfsync", "always"]);
    let mut client = server.connect();
    fill_with_documents(&mut client);
    let wanted = digest(&mut client);
    server.signal("KILL");
    server.ended();
    let server = serve(&folder, &[]);
    assert_eq!(digest(&mut server.connect()), wanted);
    stop(server);
}

#[test]
fn documents_move_between_servers_and_stay_where_they_are_not_known() {
    let (first, second) = (Folder::new("first"), Folder::new("second"));
    let (first, second) = (serve(&first, &[]), serve(&second, &[]));
    let (mut client, mut other) = (first.connect(), second.connect());
    for number in 0..40 {
        put(&mut client, &format!("doc:{number}"), number);
    }
    client.ask(&["PEXPIREAT", "doc:3", "9000000000000"]);
    let wanted = digest(&mut client);
    let keys: Vec<String> = (0..40).map(|number| format!("doc:{number}")).collect();
    let port = second.port.to_string();
    let mut words = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "20000", "KEYS"];
    words.extend(keys.iter().map(String::as_str));
    assert_eq!(client.ask(&words), ok());
    assert_eq!(client.ask(&["DBSIZE"]).as_i64(), Some(0));
    assert_eq!(digest(&mut other), wanted);
    let Some(redis) = Oracle::start(&[]) else { return };
    let port = redis.connect().peer_addr().unwrap().port().to_string();
    let reply = other.ask(&["MIGRATE", "127.0.0.1", &port, "doc:1", "0", "20000"]);
    let said = String::from_utf8_lossy(reply.as_error().unwrap()).into_owned();
    assert_eq!(said, "ERR Target instance replied with error: ERR Bad data format");
    assert_eq!(digest(&mut other), wanted);
}
