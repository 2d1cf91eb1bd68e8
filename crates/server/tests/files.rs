//! Files go to Redis and come from it, by the verbs and by `rdb-export`; redis-server and
//! redis-check-rdb check the files.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use testkit::folder::Folder;
use testkit::oracle::{self, Oracle};

use crate::compared::{digest, fill, kvist, loaded_by_redis, rng, serve, stop};
use crate::server::program;
use crate::tame;

const LIBRARY: &str = "#!lua name=l\nredis.register_function('f', function() return 1 end)";

#[test]
fn what_is_exported_is_what_redis_loads() {
    let (folder, mut rng) = (Folder::new("export"), rng());
    for round in 0..2 {
        let server = serve(&folder, &[]);
        let mut client = server.connect();
        fill(&mut client, &mut rng, 2000);
        client.ask(&["FUNCTION", "LOAD", LIBRARY]);
        if round == 1 {
            assert_eq!(client.ask(&["SAVE"]).as_bytes(), Some(&b"OK"[..]));
            let other = LIBRARY.replace("name=l", "name=m").replace("'f'", "'g'");
            client.ask(&["FUNCTION", "LOAD", &other]);
            fill(&mut client, &mut rng, 1000);
        }
        let wanted = digest(&mut client);
        let data = folder.at("data");
        let (done, said) = kvist(&["export", &folder.at("x.rdb"), "--dir", &data]);
        assert!(!done && said.contains("in use by another process"), "{said}");
        stop(server);
        let before = std::fs::read(folder.join("data/MANIFEST")).unwrap();
        let (done, said) = kvist(&["export", &folder.at("x.rdb"), "--dir", &data]);
        assert!(done && said.contains("Exported"), "{said}");
        let mode = std::fs::metadata(folder.join("x.rdb")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(before, std::fs::read(folder.join("data/MANIFEST")).unwrap());
        let Some((_oracle, mut theirs)) = loaded_by_redis(&folder.join("x.rdb")) else { return };
        assert_eq!(theirs.say("DEBUG DIGEST"), wanted, "round {round}");
        assert_eq!(theirs.say("FCALL f 0"), ":1");
        assert_eq!(theirs.say("FCALL g 0") == ":1", round == 1);
    }
    let (done, said) = kvist(&["export", &folder.at("y.rdb"), "--dir", &folder.at("none")]);
    assert!(!done && said.contains("no dataset"), "{said}");
}

#[test]
fn saving_exports_one_moment() {
    let (folder, mut rng) = (Folder::new("save"), rng());
    for appendonly in ["yes", "no"] {
        let server = serve(&folder, &["--rdb-export", "yes", "--appendonly", appendonly]);
        let mut client = server.connect();
        fill(&mut client, &mut rng, 1500);
        client.ask(&["FUNCTION", "LOAD", LIBRARY]);
        assert_eq!(client.ask(&["SAVE"]).as_bytes(), Some(&b"OK"[..]));
        let file = folder.join("data/dump.rdb");
        let Some((_oracle, mut theirs)) = loaded_by_redis(&file) else { return };
        assert_eq!(theirs.say("DEBUG DIGEST"), digest(&mut client), "appendonly {appendonly}");
        assert_eq!(theirs.say("FCALL f 0"), ":1");
        // Twelve keys that are always equal, in as many shards as the hash has it.
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut writer = server.connect();
                writer.ask(&["SELECT", "5"]);
                let names: Vec<String> = (0..12).map(|n| format!("equal:{n}")).collect();
                for n in 0.. {
                    let value = n.to_string();
                    let mut words = vec!["MSET"];
                    words.extend(names.iter().flat_map(|name| [name.as_str(), &value]));
                    writer.ask(&words);
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            for _ in 0..4 {
                assert_eq!(client.ask(&["SAVE"]).as_bytes(), Some(&b"OK"[..]));
                let (_oracle, mut theirs) = loaded_by_redis(&file).unwrap();
                theirs.say("SELECT 5");
                let values: Vec<String> =
                    (0..12).map(|n| theirs.say(&format!("GET equal:{n}"))).collect();
                assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
            }
            done.store(true, Ordering::Relaxed);
        });
        stop(server);
    }
}

#[test]
fn imports_are_whole_or_not_at_all() {
    // With everysec, redis-server puts writing off while a sync lasts.
    let log = ["--appendonly", "yes", "--appendfsync", "no"];
    let options = [&log[..], &["--enable-debug-command", "yes"]].concat();
    let Some(oracle) = Oracle::start(&options) else { return };
    let (folder, mut rng) = (Folder::new("import"), rng());
    let mut theirs = oracle::Client::new(&oracle);
    for _ in 0..2000 {
        let request = tame::any_request(&mut rng);
        theirs.add(&request.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
    theirs.run();
    theirs.say("SAVE");
    let wanted = theirs.say("DEBUG DIGEST");
    let from = |name: &str| oracle.folder().join(name).display().to_string();
    for (source, dir) in [("dump.rdb", "a"), ("appendonlydir", "b"), ("", "c")] {
        // The second time it replaces what it brought the first time.
        for _ in 0..2 {
            let (done, said) = kvist(&["import", &from(source), "--dir", &folder.at(dir)]);
            assert!(done && said.contains("read back and checked"), "{said}");
        }
        let server = serve(&folder, &["--dir", &folder.at(dir)]);
        let mut client = server.connect();
        assert_eq!(digest(&mut client), wanted, "{source}");
        client.ask(&["SET", "own", "1"]);
        client.ask(&["DEL", "key:1", "key:2", "key:3"]);
        stop(server);
        let (done, said) = kvist(&["import", &from(source), "--dir", &folder.at(dir)]);
        assert!(done, "{said}");
        let server = serve(&folder, &["--dir", &folder.at(dir)]);
        let mut client = server.connect();
        assert_eq!(client.ask(&["DEL", "own"]).as_i64(), Some(1));
        assert_eq!(digest(&mut client), wanted, "{source}");
        stop(server);
    }
    // A library comes with the rest, by either way.
    theirs.ask(&[b"FUNCTION", b"LOAD", LIBRARY.as_bytes()]);
    theirs.say("SAVE");
    let payload = theirs.ask(&[b"FUNCTION", b"DUMP"]).remove(0);
    for (source, dir) in [("dump.rdb", "a"), ("appendonlydir", "b")] {
        let (done, said) = kvist(&["import", &from(source), "--dir", &folder.at(dir)]);
        assert!(done && !said.contains("LEFT OUT"), "{said}");
        let server = serve(&folder, &["--dir", &folder.at(dir)]);
        let mut client = server.connect();
        assert_eq!(client.ask(&["FUNCTION", "DUMP"]).as_bytes(), Some(&payload[..]));
        assert_eq!(client.ask(&["FCALL", "f", "0"]).as_i64(), Some(1));
        stop(server);
    }
    // One that needs more memory than there is for scripts does not.
    let large = "#!lua name=large\nlocal t = {} for i = 1, 200000 do t[i] = i end\n\
                 redis.register_function('g', function() return #t end)";
    theirs.ask(&[b"FUNCTION", b"LOAD", large.as_bytes()]);
    theirs.say("SAVE");
    let args = ["import", &from("dump.rdb"), "--dir", &folder.at("d")];
    let args = [&args[..], &["--script-memory-limit", "2mb"]].concat();
    let (done, said) = kvist(&args);
    let counted = said.contains("1 libraries of functions that cannot be loaded");
    assert!(!done && counted && said.contains("import-skip-unknown"), "{said}");
    assert!(!folder.join("d/MANIFEST").exists());
    let (done, said) = kvist(&[&args[..], &["--import-skip-unknown", "yes"]].concat());
    assert!(done && said.contains("LEFT OUT: 1 libraries of functions"), "{said}");
    let (done, said) = kvist(&["import", &folder.at("nothing"), "--dir", &folder.at("d")]);
    assert!(!done && said.contains("No such file"), "{said}");
}

#[test]
fn check_tells_and_mends() {
    let (folder, mut rng) = (Folder::new("check"), rng());
    let server = serve(&folder, &[]);
    let mut client = server.connect();
    fill(&mut client, &mut rng, 500);
    client.ask(&["SAVE"]);
    client.ask(&["SET", "behind", "it"]);
    let wanted = digest(&mut client);
    let data = folder.at("data");
    let (done, said) = kvist(&["check", &data]);
    assert!(!done && said.contains("in use by another process"), "{said}");
    stop(server);
    let (done, said) = kvist(&["check", &data]);
    assert!(done && said.contains("Whole") && said.contains("1 records"), "{said}");
    let manifest = folder.join("data/MANIFEST");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("shards", "shard5")).unwrap();
    let output = program().args(["check", &data]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("DAMAGED: MANIFEST") && said.contains("Nothing was changed"), "{said}");
    let (done, said) = kvist(&["check", &data, "--fix"]);
    assert!(done && said.contains("MENDED") && said.contains("Whole"), "{said}");
    assert!(folder.join("data/MANIFEST.damaged").exists());
    let server = serve(&folder, &[]);
    assert_eq!(digest(&mut server.connect()), wanted);
    stop(server);
    let (done, said) = kvist(&["check", &folder.at("none")]);
    assert!(!done && said.contains("no such directory"), "{said}");
}

/// A journal of a newer program is whole and yet no start takes it: that is said, and nothing is
/// cut from it. Commands on rings stand for what a newer one has.
#[cfg(debug_assertions)]
#[test]
fn check_tells_of_commands_that_are_not_known() {
    let folder = Folder::new("newer");
    let examples = ["--example-commands", "yes"];
    let server = serve(&folder, &examples);
    let mut client = server.connect();
    client.ask(&["SET", "before", "1"]);
    for word in ["a", "b"] {
        client.ask(&["RING.PUSH", "k", "9", word]);
    }
    client.ask(&["SET", "behind", "1"]);
    let wanted = digest(&mut client);
    stop(server);
    let data = folder.at("data");
    for more in [&["check", &data][..], &["check", &data, "--fix"]] {
        let (done, said) = kvist(more);
        assert!(!done && !said.contains("Whole") && !said.contains("DAMAGED"), "{more:?}: {said}");
        let told = "UNKNOWN: 2 records of the command 'ring.push', the first in journal-";
        assert!(said.contains(told) && said.contains("does not know these commands"), "{said}");
    }
    // Reads it as a start does.
    let (done, said) = kvist(&["export", &folder.at("x.rdb"), "--dir", &data]);
    assert!(!done && said.contains("no command RING.PUSH"), "{said}");
    let (done, said) = kvist(&[&["check", &data][..], &examples].concat());
    assert!(done && said.contains("Whole") && !said.contains("UNKNOWN"), "{said}");
    let server = serve(&folder, &examples);
    assert_eq!(digest(&mut server.connect()), wanted);
    stop(server);
}
