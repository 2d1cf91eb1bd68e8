//! Append-only logs of redis-server are read: what its commands make is what it holds.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fs::{self, File};
use std::path::Path;

use kvist_rdb::aof::{AofError, Log, LogCause, Manifest, Reader, Record};
use kvist_rdb::{Item, Limits, Meta, Writer};
use testkit::oracle::{Client, Oracle};
use testkit::transcript::words;
use testkit::wait::until;

use crate::dataset;

/// All records of a server's log, under the name of the file each came from.
fn records(folder: &Path) -> Vec<(String, Record)> {
    let manifest = fs::read(folder.join("appendonly.aof.manifest")).unwrap();
    let manifest = Manifest::parse(&manifest).unwrap();
    assert_eq!(Manifest::parse(&manifest.to_bytes()).unwrap(), manifest);
    let mut log = Log::new(&manifest, |file| {
        let name = String::from_utf8(file.name.clone()).unwrap();
        File::open(folder.join(name)).map(Reader::new)
    });
    let mut records = Vec::new();
    while let Some(record) = log.next().unwrap() {
        let name = String::from_utf8_lossy(&log.file().unwrap().name).into_owned();
        records.push((name, record));
    }
    records
}

fn wait_for(client: &mut Client, field: &str) {
    until(field, || client.say("INFO persistence").contains(field));
}

/// Replays a log on an empty server: the RDB file at its beginning as ours, then the commands.
fn replayed(records: &[(String, Record)]) -> Option<String> {
    let mut writer = Writer::new(Vec::new(), Limits::default(), true, true).unwrap();
    let (mut database, mut commands) = (0, Vec::new());
    for (_, record) in records {
        match record {
            Record::Item(Item::Database { db }) => database = *db,
            Record::Item(Item::Resize { keys, mortal }) => {
                writer.database(database, *keys, *mortal).unwrap();
            }
            Record::Item(Item::Key(key, value)) => {
                let meta = Meta { deadline: key.deadline, ..Meta::default() };
                writer.key(meta, &key.name, value).unwrap();
            }
            Record::Item(_) | Record::Time(_) => {}
            Record::Command(command) => commands.push(&command.words),
        }
    }
    let base = writer.finish().unwrap();
    let options = ["--enable-debug-command", "yes"];
    let server = Oracle::start_with(&[("dump.rdb", &base)], &options)?;
    let mut client = Client::new(&server);
    for words in commands {
        client.add(&words.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
    for reply in client.run() {
        assert!(reply[0].first() != Some(&b'-'), "{}", reply[0].escape_ascii());
    }
    Some(client.say("DEBUG DIGEST"))
}

/// Fills a server, lets it rewrite its log, goes on, and reads all of it.
fn filled(options: &[&str], name: &str) {
    let all = [
        &["--appendonly", "yes", "--appendfsync", "no", "--appenddirname", name][..],
        &["--enable-debug-command", "yes"],
        options,
    ]
    .concat();
    let Some(server) = Oracle::start(&all) else { return };
    let mut client = Client::new(&server);
    let mut numbers = dataset::Numbers(21);
    dataset::collections(&mut client, &mut numbers, "few", 9, 60);
    client.run();
    wait_for(&mut client, "aof_rewrite_in_progress:0");
    client.say("BGREWRITEAOF");
    client.say("SELECT 3");
    dataset::collections(&mut client, &mut numbers, "more", 9, 60);
    dataset::groups(&mut client, "groups");
    for line in ["MULTI", "SET a 1", "INCR a", "EXEC", "SET b 2 EX 100000", "SPOP more:set"] {
        client.add(&words(line));
    }
    client.run();
    wait_for(&mut client, "aof_rewrite_in_progress:0");
    wait_for(&mut client, "aof_rewrite_scheduled:0");
    let digest = client.say("DEBUG DIGEST");
    let folder = server.folder().join(name);
    let records = records(&folder);
    let base = records.iter().filter(|record| matches!(record.1, Record::Item(_))).count();
    assert_eq!(base > 0, !options.contains(&"no"), "a preamble, unless it is not wanted");
    assert!(records.iter().any(|(file, _)| file.contains(".incr.")));
    if options.contains(&"--aof-timestamp-enabled") {
        assert!(records.iter().any(|record| matches!(record.1, Record::Time(1_600_000_000..))));
    }
    let Some(again) = replayed(&records) else { return };
    assert_eq!(again, digest);
    drop(client);
    cut_anywhere(&folder, &records);
}

/// The last file, cut at many places, reads up to there and no less.
fn cut_anywhere(folder: &Path, records: &[(String, Record)]) {
    let last = &records.last().unwrap().0;
    let whole = fs::read(folder.join(last)).unwrap();
    let manifest = fs::read(folder.join("appendonly.aof.manifest")).unwrap();
    let manifest = Manifest::parse(&manifest).unwrap();
    let mut ends = 0;
    for cut in (0..whole.len()).step_by(61) {
        let mut log = Log::new(&manifest, |file| {
            let name = String::from_utf8(file.name.clone()).unwrap();
            let mut bytes = fs::read(folder.join(&name))?;
            if name == *last {
                bytes.truncate(cut);
            }
            Ok(Reader::new(std::io::Cursor::new(bytes)))
        });
        let error = loop {
            match log.next() {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        if let Some(error) = error {
            assert!(error.is_last, "{error}");
            assert_eq!(error.name, last.as_bytes());
            let LogCause::Content(AofError::Truncated { valid }) = error.cause else {
                panic!("cut at {cut}: {error}");
            };
            assert!(valid <= cut as u64);
            ends += 1;
        }
    }
    assert!(ends > 5);
}

#[test]
fn with_a_preamble() {
    filled(&[], "appendonlydir");
}

#[test]
fn with_commands_alone_and_timestamps() {
    let options = ["--aof-use-rdb-preamble", "no", "--aof-timestamp-enabled", "yes"];
    filled(&options, "the log's folder");
}
