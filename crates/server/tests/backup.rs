//! Copies that are kept: `BACKUP` under load, killed in the middle, and a plain copy of a directory
//! that a server is writing to, which must be refused or be a state that the dataset had.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use testkit::folder::Folder;
use wire::Value;

use crate::compared::{digest, fill, kvist, rng, serve, stop};
use crate::server::{self, Server, eventually, free_port, program, text};

const EQUAL: usize = 12;

/// Writes until it is told to stop: some keys that are equal at every moment, and more.
fn write(server: &Server, done: &AtomicBool, written: &AtomicU64) {
    let mut writer = server.connect();
    let names: Vec<String> = (0..EQUAL).map(|n| format!("equal:{n}")).collect();
    let mut round = 0;
    while !done.load(Ordering::Relaxed) {
        round += 1;
        let value = round.to_string();
        let mut words = vec!["MSET"];
        words.extend(names.iter().flat_map(|name| [name.as_str(), &value]));
        let rest = format!("rest:{}", round % 5000);
        words.extend([rest.as_str(), &value]);
        writer.say(&words);
        // It may be killed.
        match writer.try_hear() {
            Some(_) => written.store(round, Ordering::Release),
            None => return,
        }
    }
}

/// Ends the writers, also when the test fails.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The number that all of the equal keys hold.
fn number(server: &Server) -> u64 {
    let mut client = server.connect();
    let values: Vec<Value> =
        (0..EQUAL).map(|n| client.ask(&["GET", &format!("equal:{n}")])).collect();
    assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
    let text = values[0].as_bytes().map(|text| std::str::from_utf8(text).unwrap().to_owned());
    text.map_or(0, |text| text.parse().unwrap())
}

fn copy(from: &Path, to: &Path) -> bool {
    let done = Command::new("cp").arg("-r").arg(from).arg(to).stderr(Stdio::null()).status();
    done.unwrap().success()
}

fn serve_at(dir: &Path) -> Server {
    Server::start(&["--dir", dir.to_str().unwrap(), "--appendonly", "yes"])
}

/// Keys that stay as they are. `DEBUG POPULATE` is in no journal.
fn populate(client: &mut server::Client) {
    let value = "x".repeat(64);
    for chunk in 0..200 {
        let names: Vec<String> = (0..100).map(|n| format!("filling:{}", chunk * 100 + n)).collect();
        let mut words = vec!["MSET"];
        words.extend(names.iter().flat_map(|name| [name.as_str(), &value]));
        client.ask(&words);
    }
}

#[test]
fn a_backup_is_a_data_directory_of_one_moment() {
    for appendonly in ["yes", "no"] {
        let folder = Folder::new("backup");
        let server = serve(&folder, &["--appendonly", appendonly, "--appendfsync", "no"]);
        let mut client = server.connect();
        populate(&mut client);
        let (done, written) = (AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| write(&server, &done, &written));
            let _end = Raise(&done);
            eventually("the first write", || (written.load(Ordering::Acquire) > 0).then_some(()));
            for name in ["first", "second"] {
                let before = written.load(Ordering::Acquire);
                let path = text(&client.ask(&["BACKUP", name]));
                let after = written.load(Ordering::Acquire) + 1;
                assert!(path.ends_with(&format!("/backups/{name}")), "{path}");
                let (whole, said) = kvist(&["check", &path]);
                assert!(whole && said.contains("Whole"), "{said}");
                assert!(!said.contains("not part") && !said.contains("cuts"), "{said}");
                let to = folder.join(name);
                assert!(copy(Path::new(&path), &to));
                let restored = serve_at(&to);
                let found = number(&restored);
                assert!((before..=after).contains(&found), "{before} {found} {after}");
                let keys = restored.connect().ask(&["EXISTS", "filling:0", "filling:19999"]);
                assert_eq!(keys.as_i64(), Some(2));
                stop(restored);
            }
            let again = client.ask(&["BACKUP", "first"]);
            assert!(text(&again).contains("exists already"), "{again:?}");
            for name in ["", ".", "..", "../x", "a/b", ".x"] {
                assert!(text(&client.ask(&["BACKUP", name])).starts_with("ERR a backup's name"));
            }
        });
        let wanted = digest(&mut client);
        stop(server);
        let (whole, said) = kvist(&["check", &folder.at("data")]);
        assert!(whole && !said.contains("not part"), "{said}");
        // With the journal off nothing was current before, and nothing is now.
        let server = serve(&folder, &["--appendonly", appendonly]);
        match appendonly {
            "yes" => assert_eq!(digest(&mut server.connect()), wanted),
            _ => assert_eq!(server.connect().ask(&["DBSIZE"]).as_i64(), Some(0)),
        }
        stop(server);
    }
}

#[test]
fn everything_there_is_comes_back_from_a_backup() {
    let (folder, mut rng) = (Folder::new("all"), rng());
    let server = serve(&folder, &[]);
    let mut client = server.connect();
    for round in 0..3 {
        fill(&mut client, &mut rng, 1000);
        if round == 1 {
            client.ask(&["BGREWRITEAOF"]);
        }
        client.ask(&["SWAPDB", "0", "1"]);
        let library = "#!lua name=l\nredis.register_function('f', function() return ";
        let library = format!("{library}{round} end)");
        client.ask(&["FUNCTION", "LOAD", "REPLACE", &library]);
        let wanted = digest(&mut client);
        let path = text(&client.ask(&["BACKUP", &format!("round-{round}")]));
        let restored = Server::start(&[
            "--dir",
            &path,
            "--appendonly",
            "yes",
            "--enable-debug-command",
            "yes",
            "--io-threads",
            "1",
        ]);
        assert_eq!(digest(&mut restored.connect()), wanted, "round {round}");
        assert_eq!(restored.connect().ask(&["FCALL", "f", "0"]).as_i64(), Some(round));
        stop(restored);
    }
    stop(server);
}

#[test]
fn a_killed_backup_looks_like_nothing() {
    let folder = Folder::new("killed");
    for round in 0..6_u64 {
        let appendonly = if round % 2 == 0 { "yes" } else { "no" };
        let options = ["--appendonly", appendonly, "--save", "", "--appendfsync", "no"];
        let mut server = serve(&folder, &options);
        let mut client = server.connect();
        client.ask(&["DEBUG", "POPULATE", "30000", "filling", "100"]);
        client.ask(&["MSET", "equal:0", "1", "equal:1", "1"]);
        let name = format!("round-{round}");
        client.say(&["BACKUP", &name]);
        // The kill is to come at different moments of the backup; nothing depends on the time.
        std::thread::sleep(Duration::from_millis(round * 13));
        server.signal("KILL");
        server.ended();
        let backup = folder.join("data/backups").join(&name);
        if backup.exists() {
            let (whole, said) = kvist(&["check", backup.to_str().unwrap()]);
            assert!(whole && said.contains("Whole"), "{said}");
            let restored = serve_at(&backup);
            let there = restored.connect().ask(&["EXISTS", "filling:29999", "equal:0"]);
            assert_eq!(there.as_i64(), Some(2));
            stop(restored);
        }
        let (whole, said) = kvist(&["check", &folder.at("data")]);
        assert!(whole, "round {round}: {said}");
        let server = serve(&folder, &options);
        let unfinished = folder.join("data/unfinished");
        assert!(!unfinished.exists(), "round {round}");
        // The name is free, or taken by what is whole.
        let again = text(&server.connect().ask(&["BACKUP", &name]));
        assert_eq!(again.contains("exists already"), backup.exists() && !again.contains("/data/"));
        server.connect().ask(&["FLUSHALL"]);
        stop(server);
    }
}

#[test]
fn an_orderly_end_waits_for_a_save_and_gives_a_backup_up() {
    let folder = Folder::new("ending");
    for (round, at_work) in ["BGSAVE", "BACKUP", "BGREWRITEAOF"].into_iter().enumerate() {
        for by_signal in [false, true] {
            let appendonly = if at_work == "BGREWRITEAOF" { "yes" } else { "no" };
            let options = ["--appendonly", appendonly, "--save", "3600 1"];
            let mut server = serve(&folder, &options);
            let mut client = server.connect();
            client.ask(&["FLUSHALL"]);
            client.ask(&["DEBUG", "POPULATE", "60000", "filling", "100"]);
            client.ask(&["SET", "last", "word"]);
            let mut other = server.connect();
            let name = format!("{round}-{by_signal}");
            if at_work == "BACKUP" {
                other.say(&[at_work, &name]);
            } else {
                assert!(!text(&other.ask(&[at_work])).starts_with("ERR"));
            }
            if by_signal {
                server.signal("TERM");
            } else {
                client.say(&["SHUTDOWN"]);
            }
            assert!(server.ended().success(), "{at_work}");
            let data = folder.at("data");
            let (whole, said) = kvist(&["check", &data]);
            assert!(whole && said.contains("Whole"), "{at_work}: {said}");
            let backup = folder.join("data/backups").join(&name);
            if backup.exists() {
                let (whole, said) = kvist(&["check", backup.to_str().unwrap()]);
                assert!(whole && said.contains("Whole"), "{said}");
            }
            let server = serve(&folder, &options);
            // What populates is in no journal, but in what is saved in the end.
            let found = server.connect().ask(&["EXISTS", "last", "filling:59999"]);
            let wanted = if appendonly == "yes" { 1..=2 } else { 2..=2 };
            assert!(!folder.join("data/unfinished").exists());
            assert!(found.as_i64().is_some_and(|n| wanted.contains(&n)), "{at_work}: {found:?}");
            stop(server);
        }
    }
}

#[test]
fn a_shutdown_that_cannot_save_is_refused_and_the_server_goes_on() {
    let folder = Folder::new("unsaved");
    let mut server = serve(&folder, &["--appendonly", "no", "--save", "3600 1"]);
    let mut client = server.connect();
    client.ask(&["SAVE"]);
    client.ask(&["SET", "k", "v"]);
    let (data, away) = (folder.join("data"), folder.join("away"));
    std::fs::rename(&data, &away).unwrap();
    let refused = text(&client.ask(&["SHUTDOWN"]));
    assert_eq!(refused, "ERR Errors trying to SHUTDOWN. Check logs.");
    assert_eq!(text(&client.ask(&["GET", "k"])), "v");
    // The client has had the error; only a failure in the background keeps others from writing.
    assert!(text(&client.ask(&["SAVE"])).starts_with("ERR"));
    assert_eq!(server.info(&mut client, "rdb_last_bgsave_status"), "ok");
    assert_eq!(text(&client.ask(&["SET", "k", "v"])), "OK");
    client.ask(&["BGSAVE"]);
    eventually("a failure", || {
        (server.info(&mut client, "rdb_last_bgsave_status") == "err").then_some(())
    });
    assert!(text(&client.ask(&["SET", "k", "x"])).starts_with("MISCONF"));
    // A backup and another save say so, too, and the next is a real one again.
    assert!(text(&client.ask(&["BACKUP", "b"])).starts_with("ERR"));
    std::fs::rename(&away, &data).unwrap();
    assert_eq!(text(&client.ask(&["SAVE"])), "OK");
    assert_eq!(server.info(&mut client, "rdb_last_bgsave_status"), "ok");
    client.ask(&["SET", "k", "w"]);
    client.say(&["SHUTDOWN"]);
    assert!(server.ended().success());
    let server = serve(&folder, &["--appendonly", "no"]);
    assert_eq!(text(&server.connect().ask(&["GET", "k"])), "w");
    stop(server);
}

#[test]
fn a_shutdown_saves_although_nothing_has_changed() {
    let folder = Folder::new("unchanged");
    let manifest = folder.join("data/MANIFEST");
    let options = ["--appendonly", "no", "--save", ""];
    for (words, saved) in [(&["SHUTDOWN"][..], false), (&["SHUTDOWN", "SAVE"], true)] {
        let mut server = serve(&folder, &options);
        server.connect().say(words);
        assert!(server.ended().success());
        assert_eq!(manifest.exists(), saved, "{words:?}");
    }
    let before = std::fs::read(&manifest).unwrap();
    let mut server = serve(&folder, &["--appendonly", "no", "--save", "3600 1"]);
    server.signal("TERM");
    assert!(server.ended().success());
    assert_ne!(std::fs::read(&manifest).unwrap(), before, "no other snapshot");
}

#[test]
fn info_tells_of_a_save_and_of_a_backup_in_the_making() {
    let folder = Folder::new("told");
    let server = serve(&folder, &["--appendonly", "no", "--save", ""]);
    let mut client = server.connect();
    client.ask(&["DEBUG", "POPULATE", "200000", "filling", "100"]);
    assert_eq!(server.info(&mut client, "rdb_current_bgsave_time_sec"), "-1");
    let made = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _made = Raise(&made);
            let path = server.connect().ask(&["BACKUP", "slow"]);
            assert!(text(&path).ends_with("/backups/slow"));
        });
        let total = eventually("a backup at work", || {
            let total = server.info(&mut client, "current_save_keys_total");
            (total != "0" || made.load(Ordering::Relaxed)).then_some(total)
        });
        assert!(total == "0" || total == "200000", "{total}");
        // It is no save: a client that waits for one is not misled.
        assert_eq!(server.info(&mut client, "rdb_bgsave_in_progress"), "0");
        assert_eq!(server.info(&mut client, "aof_rewrite_in_progress"), "0");
    });
    assert_eq!(server.info(&mut client, "current_save_keys_total"), "0");
    assert_eq!(server.info(&mut client, "rdb_saves"), "0");
    stop(server);
}

#[test]
fn a_plain_copy_of_a_live_directory_is_refused_or_true() {
    let folder = Folder::new("live");
    // What is acknowledged is in the file, so a copy that was begun later must have it.
    let server = serve(&folder, &["--appendfsync", "always"]);
    populate(&mut server.connect());
    let (done, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut outcomes = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| write(&server, &done, &written));
        scope.spawn(|| {
            // Snapshots all the time: files come, go and are used again.
            let mut client = server.connect();
            while !done.load(Ordering::Relaxed) {
                client.ask(&["SAVE"]);
            }
        });
        let _end = Raise(&done);
        eventually("the first write", || (written.load(Ordering::Acquire) > 0).then_some(()));
        for round in 0..20 {
            let to = folder.join(format!("copy-{round}"));
            let from = written.load(Ordering::Acquire);
            copy(&folder.join("data"), &to);
            let until = written.load(Ordering::Acquire) + 1;
            match start(&to) {
                Ok(restored) => {
                    let found = number(&restored);
                    assert!((from..=until).contains(&found), "{from} {found} {until}");
                    outcomes.0 += 1;
                }
                Err(why) => {
                    assert!(why.contains("kvist: "), "{why}");
                    outcomes.1 += 1;
                }
            }
            std::fs::remove_dir_all(&to).unwrap();
        }
    });
    println!("{} copies recovered, {} were refused", outcomes.0, outcomes.1);
    stop(server);
}

/// Starts a server on a directory, if it does not refuse.
fn start(dir: &Path) -> Result<Server, String> {
    let checked = program().arg("check").arg(dir).output().unwrap();
    if checked.status.success() {
        return Ok(serve_at(dir));
    }
    let mut refused = program();
    refused.args(["serve", "--bind", "127.0.0.1", "--port", &free_port().to_string()]);
    let refused = refused.args(["--appendonly", "yes", "--dir"]).arg(dir).output().unwrap();
    let said = [refused.stdout, refused.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(!refused.status.success(), "check refuses what serve takes:\n{said}");
    Err(said)
}
