//! Libraries of functions on disk: what is acknowledged is there after a start, from the journal,
//! from snapshots taken meanwhile, and with another number of shards.
//!
//! `KVIST_SEED` repeats a run, `KVIST_ROUNDS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use base::Rng;
use journal::{Directory, Disk};
use kvist_engine::Engine;
use kvist_engine::persistence::{Part, Reason, check, repair};
use testkit::folder::Folder;
use testkit::seed::{rng, setting};

use crate::data_dir::open;
use crate::test_client::{self, TestClient};

fn ask(client: &mut TestClient, words: &[&str]) -> String {
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut out);
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

fn library(name: &str, functions: &[&str]) -> String {
    let mut code = format!("#!lua name={name}\n");
    for function in functions {
        code += &format!(
            "redis.register_function{{function_name='{function}', callback=function() return \
             '{name}' end, description='{function} \\195\\164', flags={{'no-writes'}}}}\n"
        );
    }
    code
}

fn contents(engine: &Arc<Engine>) -> String {
    let mut client = TestClient::new(engine);
    ask(&mut client, &["FUNCTION", "LIST", "WITHCODE"]) + &ask(&mut client, &["DEBUG", "DIGEST"])
}

fn change(client: &mut TestClient, rng: &mut Rng) {
    let name = format!("l{}", rng.below(5));
    let functions = [format!("f{}", rng.below(6)), format!("f{}", 6 + rng.below(6))];
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    let code = library(&name, &functions[..=rng.below(2)]);
    let dump = |client: &mut TestClient| {
        let mut out = Vec::new();
        client.worker.execute(&mut client.session, &[b"FUNCTION", b"DUMP"], &mut out);
        let start = out.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        out[start..out.len() - 2].to_vec()
    };
    match rng.below(12) {
        0 => _ = ask(client, &["FUNCTION", "DELETE", &name]),
        1 if rng.below(4) == 0 => _ = ask(client, &["FUNCTION", "FLUSH"]),
        2 => {
            let payload = dump(client);
            change(client, rng);
            let policy = [&b"FLUSH"[..], b"REPLACE", b"APPEND"][rng.below(3)];
            let words = [&b"FUNCTION"[..], b"RESTORE", &payload, policy];
            client.worker.execute(&mut client.session, &words, &mut Vec::new());
        }
        3 => {
            for words in [
                &["MULTI"][..],
                &["SET", &name, "1"],
                &["FUNCTION", "LOAD", "REPLACE", &code],
                &["FUNCTION", "DELETE", "l0"],
                &["SET", functions[0], "1"],
                &["EXEC"],
            ] {
                ask(client, words);
            }
        }
        4 => _ = ask(client, &["FLUSHALL"]),
        5 => _ = ask(client, &["APPEND", &name, functions[0]]),
        _ => _ = ask(client, &["FUNCTION", "LOAD", "REPLACE", &code]),
    }
}

#[test]
fn what_was_there_is_there_again() {
    let (folder, mut rng) = (Folder::new("engine"), rng());
    let mut wanted = None;
    for round in 0..setting("KVIST_ROUNDS", 24) {
        let lines = format!("save \"\"\nappendfsync no\nshards {}", [64, 64, 16, 4][round % 4]);
        let (engine, recovered) = open(folder.path(), &lines).unwrap();
        assert_eq!(recovered.failed, 0);
        let found = contents(&engine);
        assert_eq!(wanted.unwrap_or_else(|| found.clone()), found, "round {round}");
        let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
        let changes = rng.below(30);
        let saved = rng.below(30);
        for n in 0..changes {
            change(&mut clients[rng.below(2)], &mut rng);
            if n == saved {
                engine.save(Reason::Save, true).unwrap();
            }
        }
        // What is read back can be run.
        let known = ask(&mut clients[0], &["FCALL", "f1", "0"]);
        assert_eq!(ask(&mut clients[1], &["FCALL", "f1", "0"]), known);
        if rng.below(2) == 0 {
            assert_eq!(clients[0].ask("DEBUG RELOAD"), "+OK");
            assert_eq!(ask(&mut clients[0], &["FCALL", "f1", "0"]), known);
        }
        wanted = Some(contents(&engine));
        engine.close_data_dir();
        let checked = check(&Directory::open(folder.path()).unwrap()).unwrap();
        assert!(checked.problems.is_empty(), "{checked:?}");
    }
}

#[test]
fn snapshots_are_taken_while_libraries_change() {
    let (folder, mut rng) = (Folder::new("engine"), rng());
    for round in 0..setting("KVIST_ROUNDS", 6) {
        let (engine, _) = open(folder.path(), "save \"\"\nappendfsync no").unwrap();
        let mut client = TestClient::new(&engine);
        std::thread::scope(|scope| {
            let saver = scope.spawn(|| {
                (0..5).for_each(|_| _ = engine.save(Reason::Save, true).unwrap());
            });
            while !saver.is_finished() {
                change(&mut client, &mut rng);
            }
        });
        let wanted = contents(&engine);
        engine.close_data_dir();
        let (engine, recovered) = open(folder.path(), "save \"\"").unwrap();
        assert_eq!(recovered.failed, 0);
        assert_eq!(contents(&engine), wanted, "round {round}");
        engine.close_data_dir();
    }
}

#[test]
fn a_snapshot_without_a_journal_has_them() {
    let folder = Folder::new("engine");
    let lines = "appendonly no\nsave 3600 1";
    let (engine, _) = open(folder.path(), lines).unwrap();
    let mut client = TestClient::new(&engine);
    ask(&mut client, &["FUNCTION", "LOAD", &library("a", &["f"])]);
    assert_eq!(engine.unsaved_changes(), 1);
    ask(&mut client, &["SAVE"]);
    assert_eq!(client.answered(), "+OK");
    ask(&mut client, &["FUNCTION", "LOAD", &library("lost", &["g"])]);
    engine.close_data_dir();
    let (engine, _) = open(folder.path(), lines).unwrap();
    let mut client = TestClient::new(&engine);
    assert_eq!(ask(&mut client, &["FCALL", "f", "0"]), "$1\r\na");
    assert_eq!(ask(&mut client, &["FCALL", "g", "0"]), "-ERR Function not found");
    engine.close_data_dir();
}

/// Where a text stands in the only file of a kind.
fn place(dir: &Path, prefix: &str, text: &[u8]) -> (std::path::PathBuf, usize) {
    let mut names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let is_meant =
        |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(prefix);
    let path = names.find(is_meant).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(text.len()).position(|window| window == text).unwrap();
    (path, at)
}

#[test]
fn damaged_libraries_are_seen_and_mended() {
    for prefix in ["snapshot-", "journal-0"] {
        let folder = Folder::new("engine");
        let lines = "save \"\"\nrdbcompression no";
        let (engine, _) = open(folder.path(), lines).unwrap();
        let mut client = TestClient::new(&engine);
        ask(&mut client, &["SET", "k", "v"]);
        let kept = library("kept", &["f"]);
        ask(&mut client, &["FUNCTION", "LOAD", &kept]);
        engine.store.log().sync().unwrap();
        if prefix == "snapshot-" {
            ask(&mut client, &["SAVE"]);
            assert_eq!(client.answered(), "+OK");
        } else {
            ask(&mut client, &["FUNCTION", "LOAD", &library("torn", &["g"])]);
            engine.store.log().sync().unwrap();
            ask(&mut client, &["SET", "behind", "it"]);
        }
        engine.close_data_dir();
        let text: &[u8] = if prefix == "snapshot-" { b"name=kept" } else { b"name=torn" };
        let (path, at) = place(folder.path(), prefix, text);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let disk: Arc<dyn Disk> = Arc::new(Directory::open(folder.path()).unwrap());
        let checked = check(&*disk).unwrap();
        let [problem] = &checked.problems[..] else { panic!("{checked:?}") };
        assert_eq!(problem.part == Part::Snapshot, prefix == "snapshot-", "{problem:?}");
        assert!(open(folder.path(), lines).is_err());
        repair(&disk, checked.manifest.as_ref(), problem).unwrap();
        assert!(check(&*disk).unwrap().problems.is_empty());
        let (engine, _) = open(folder.path(), lines).unwrap();
        let mut client = TestClient::new(&engine);
        assert_eq!(ask(&mut client, &["GET", "k"]), "$1\r\nv");
        let there = ask(&mut client, &["FCALL", "f", "0"]);
        assert_eq!(there == "$4\r\nkept", prefix != "snapshot-", "{there}");
        assert_eq!(ask(&mut client, &["FCALL", "g", "0"]), "-ERR Function not found");
        engine.close_data_dir();
    }
}

#[test]
fn memory_of_scripts_is_told_and_counts() {
    let engine = test_client::engine_with("");
    let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
    let field = |client: &mut TestClient, name: &str| -> usize {
        let info = ask(client, &["INFO", "memory"]);
        let line = info.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
        line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    };
    let [one, other] = &mut clients;
    assert_eq!(field(one, "used_memory_vm_total"), 0);
    assert_eq!(ask(one, &["EVAL", "return 1", "0"]), ":1");
    let single = field(one, "used_memory_vm_eval");
    assert!(single > 10_000, "{single}");
    assert_eq!(ask(other, &["EVAL", "return 1", "0"]), ":1");
    assert!(field(one, "used_memory_lua") > single + single / 2);
    assert_eq!(field(one, "used_memory_vm_functions"), 0);
    let code = library("a", &["f", "g"]);
    assert_eq!(ask(one, &["FUNCTION", "LOAD", &code]), "$1\r\na");
    let functions = field(one, "used_memory_vm_functions");
    assert!(functions > 10_000, "{functions}");
    assert_eq!((field(one, "number_of_libraries"), field(one, "number_of_functions")), (1, 2));
    assert_eq!(field(one, "number_of_cached_scripts"), 1);
    let caches = field(one, "used_memory_functions");
    assert!(caches >= code.len() && caches < code.len() + 1000, "{caches}");
    let scripts = field(one, "used_memory_scripts");
    assert_eq!(scripts, caches + field(one, "used_memory_scripts_eval"));
    let machines = field(one, "used_memory_vm_total");
    assert_eq!(machines, field(one, "used_memory_vm_eval") + functions);
    let used = engine.used_memory();
    // Interpreters have limits of their own, and evict nothing.
    assert!(used >= scripts && used < machines, "{used} {machines} {scripts}");
    // The other thread loads the library when it needs it.
    assert_eq!(ask(other, &["FCALL", "f", "0"]), "$1\r\na");
    assert!(field(one, "used_memory_vm_functions") > functions + functions / 2);
    assert_eq!(ask(other, &["FUNCTION", "FLUSH"]), "+OK");
    assert_eq!(field(one, "used_memory_functions"), 0);
    assert_eq!(ask(one, &["FCALL", "f", "0"]), "-ERR Function not found");
}

#[test]
fn what_runs_is_shown_and_can_be_ended() {
    let engine = test_client::engine_with("");
    let mut client = TestClient::new(&engine);
    let code = "#!lua name=a\nredis.register_function('f', function() while true do end end)";
    assert_eq!(ask(&mut client, &["FUNCTION", "LOAD", code]), "$1\r\na");
    let idle = "*4\r\n$14\r\nrunning_script\r\n$-1\r\n$7\r\nengines\r\n*2\r\n$3\r\nLUA\r\n*4\r\n\
                $15\r\nlibraries_count\r\n:1\r\n$15\r\nfunctions_count\r\n:1";
    assert_eq!(ask(&mut client, &["FUNCTION", "STATS"]), idle);
    std::thread::scope(|scope| {
        let runner = scope.spawn(|| {
            let mut client = TestClient::new(&engine);
            ask(&mut client, &["FCALL", "f", "1", "k", "v"])
        });
        let begun = std::time::Instant::now();
        let shown = loop {
            let stats = ask(&mut client, &["FUNCTION", "STATS"]);
            if stats != idle {
                break stats;
            }
            assert!(begun.elapsed().as_secs() < 20, "it is never seen");
            std::thread::yield_now();
        };
        let running = "*4\r\n$14\r\nrunning_script\r\n*6\r\n$4\r\nname\r\n$1\r\nf\r\n$7\r\n\
                       command\r\n*5\r\n$5\r\nFCALL\r\n$1\r\nf\r\n$1\r\n1\r\n$1\r\nk\r\n$1\r\nv\r\n\
                       $11\r\nduration_ms\r\n:";
        assert!(shown.starts_with(running), "{shown}");
        assert_eq!(ask(&mut client, &["FUNCTION", "KILL"]), "+OK");
        let ended = runner.join().unwrap();
        assert!(ended.contains("Script killed by user with SCRIPT KILL... script: f"), "{ended}");
    });
    assert_eq!(ask(&mut client, &["FUNCTION", "STATS"]), idle);
}

/// One may be paused between running a library's code and adding it.
#[test]
fn libraries_stand_still_while_clients_are_paused() {
    let engine = test_client::engine_with("");
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(ask(&mut other, &["CLIENT", "PAUSE", "100000", "WRITE"]), "+OK");
    assert_eq!(ask(&mut client, &["FUNCTION", "LOAD", &library("a", &["f"])]), "");
    assert_eq!(ask(&mut other, &["FUNCTION", "LIST"]), "*0");
    assert_eq!(ask(&mut other, &["CLIENT", "UNPAUSE"]), "+OK");
    assert_eq!(ask(&mut other, &["FUNCTION", "LOAD", &library("a", &["f"])]), "$1\r\na");
}
