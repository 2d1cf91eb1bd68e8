//! Disks that are nearly full: a server starts on them, keeps what it promised, and goes on by
//! itself once there is room.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::time::Instant;

use base::Rng;
use journal::Disk;
use kvist_engine::CronRounds;
use kvist_engine::persistence::Reason;

use crate::disk::{Leaves, Liar};
use crate::faults::{Life, PATIENCE};

/// A whole segment of the tests about disks that are nearly full.
const WHOLE: u64 = 1 << 20;

/// Overwrites one key until the disk takes no more; what stands in it is a number and filling.
fn fill(life: &mut Life, context: &str) {
    for n in 0..2000 {
        if life.engine.store.log().is_troubled() {
            return;
        }
        life.step(&format!("set a {n}-{}", "x".repeat(10_000)));
    }
    panic!("{context}: the disk is never full");
}

/// Where files may not become as long as a segment is, segments are shorter: a server starts,
/// writes and starts again, also where that changes while it runs.
#[test]
fn segments_are_as_long_as_files_may_become() {
    for longest in [64 << 10, 100_000, 300_000] {
        let context = format!("files of {longest}");
        let disk = Liar::default();
        disk.limit_files(Some(longest));
        let mut life = Life::begin_with(&disk, "always", WHOLE).unwrap();
        for n in 0..60 {
            // It goes meanwhile.
            disk.limit_files((n < 40).then_some(longest));
            let replies = life.step(&format!("set a {n}-{}", "x".repeat(15_000)));
            assert_eq!(replies, "+OK\r\n", "{context}");
        }
        assert_eq!(life.kept, life.states.len() - 1, "{context}");
        life.engine.save(Reason::Rewrite, true).unwrap();
        // And it comes back.
        disk.limit_files(Some(longest));
        for n in 0..30 {
            let replies = life.step(&format!("set b {n}-{}", "y".repeat(15_000)));
            assert_eq!(replies, "+OK\r\n", "{context}");
        }
        let last = life.states.last().unwrap().clone();
        let found = disk.crash(Leaves::Nothing);
        life.end();
        found.limit_files(Some(longest));
        let mut life = Life::begin_with(&found, "always", WHOLE).unwrap();
        assert_eq!(life.states[0], last, "{context}");
        // What fits into no file is refused, and what comes behind it waits for the limit to go.
        let long = "z".repeat(350_000);
        let long = format!("*3\r\n$3\r\nset\r\n$1\r\nc\r\n${}\r\n{long}", long.len());
        assert_eq!(life.step(&long), "+OK\r\n", "{context}");
        assert!(life.engine.store.log().is_troubled(), "{context}");
        assert!(life.step("set b 2").starts_with("-MISCONF"), "{context}");
        found.limit_files(None);
        life.wait(&context, |life| !life.engine.store.log().is_troubled());
        assert_eq!(life.step("set b 3"), "+OK\r\n", "{context}");
        life.end();
    }
}

/// What a disk that was full takes after a snapshot: much, and it stays.
fn goes_on(mut life: Life, disk: &Liar, context: &str) {
    life.wait(context, |life| !life.engine.store.log().is_troubled());
    for n in 0..30 {
        let replies = life.step(&format!("set b {n}-{}", "y".repeat(10_000)));
        assert_eq!(replies, "+OK\r\n", "{context}");
    }
    assert_eq!(life.kept, life.states.len() - 1, "{context}");
    let last = life.states.last().unwrap().clone();
    let found = disk.crash(Leaves::Nothing);
    life.end();
    let life = Life::begin_with(&found, "always", WHOLE).unwrap();
    assert_eq!(life.states[0], last, "{context}");
    life.end();
}

/// A full disk is no reason not to start, and a snapshot that makes most of the journal needless
/// gives it its room back.
#[test]
fn a_server_starts_on_a_full_disk_and_a_snapshot_gives_room() {
    for (at, more) in [0, 1, 2, 16, 31, 100, 256, 300].into_iter().enumerate() {
        let context = format!("{more} pages more");
        let disk = Liar::default();
        let mut life = Life::begin_with(&disk, "always", WHOLE).unwrap();
        disk.has_room(3 * WHOLE + (40 + more) * 4096);
        fill(&mut life, &context);
        assert!(life.step("set b 1").starts_with("-MISCONF"), "{context}");
        let leaves = [Leaves::Nothing, Leaves::Everything, Leaves::Some(more)][at % 3];
        let found = disk.crash(leaves);
        // In the running server.
        let saved = life.engine.save(Reason::Rewrite, true);
        assert!(saved.is_ok(), "{context}: {saved:?}");
        let (states, kept) = (life.states.clone(), life.kept);
        goes_on(life, &disk, &context);
        // In one that starts again, also where others have taken all the room there was.
        for left in [None, Some(0), Some(1), Some(3)] {
            let context = format!("{context}, then {left:?}");
            let found = found.crash(Leaves::Everything);
            if let Some(pages) = left {
                found.has_room(found.used() + pages * 4096);
            }
            let mut life = Life::begin_with(&found, "always", WHOLE)
                .unwrap_or_else(|error| panic!("{context}: {error}"));
            assert!(states[kept..].contains(&life.states[0]), "{context}");
            if life.engine.save(Reason::Rewrite, true).is_err() {
                assert!(left.is_some(), "{context}");
                // Not even that fits: nothing is lost, and a little room is enough.
                found.has_room(found.used() + 16 * 4096);
                life.look();
                life.engine.save(Reason::Rewrite, true).unwrap();
            }
            goes_on(life, &found, &context);
        }
    }
}

/// The same where the journal had been switched off: nothing can be written that would say where it
/// goes on. What was saved is served, writes are refused, and with some room all goes on by itself.
#[test]
fn a_server_starts_on_a_full_disk_without_a_journal_to_go_on_with() {
    let mut refused = 0;
    for (leaves, saved) in [(Leaves::Nothing, false), (Leaves::Everything, true)] {
        for left in [0, 1, 2, 3] {
            let context = format!("{left} pages left, saved: {saved}");
            let disk = Liar::default();
            let mut life = Life::begin_with(&disk, "always", WHOLE).unwrap();
            life.step("set a 1");
            life.step("config set appendonly no");
            if saved {
                life.step("set c 2");
                life.step("save");
            }
            let last = life.states[life.kept].clone();
            let found = disk.crash(leaves);
            life.end();
            for shards in [4, 8] {
                let found = found.crash(Leaves::Everything);
                found.has_room(found.used() + left * 4096);
                let mut life = Life::begin_on(&found, "always", WHOLE, shards)
                    .unwrap_or_else(|error| panic!("{context}: {error}"));
                assert_eq!(life.states[0], last, "{context}");
                if !life.engine.durability.is_journaling() {
                    refused += 1;
                    assert!(life.step("set b 1").starts_with("-MISCONF"), "{context}");
                    // Killed in this state it starts again, from the same.
                    let again = found.crash(Leaves::Nothing);
                    let again = Life::begin_on(&again, "always", WHOLE, shards).unwrap();
                    assert_eq!(again.states[0], last, "{context}");
                    again.end();
                }
                found.has_room(found.used() + 4 * WHOLE);
                life.repair(&context);
                goes_on(life, &found, &context);
            }
        }
    }
    assert!(refused > 4, "{refused}");
}

/// The same where no journal is to go on: nothing can be written that would say so. What was read
/// is served and changed, what cannot be saved counts nowhere, and with some room all is saved.
#[test]
fn a_server_without_a_journal_starts_on_a_full_disk() {
    let off = "always\nappendonly no";
    let mut unsaved = 0;
    for shards in [4, 8] {
        for left in [0, 1, 2, 3] {
            let context = format!("{shards} shards, {left} pages left");
            let disk = Liar::default();
            let mut life = Life::begin_with(&disk, "always", WHOLE).unwrap();
            life.step("set a 1");
            let last = life.states.last().unwrap().clone();
            life.end();
            let found = disk.crash(Leaves::Everything);
            found.has_room(found.used() + left * 4096);
            let mut life = Life::begin_on(&found, off, WHOLE, shards)
                .unwrap_or_else(|error| panic!("{context}: {error}"));
            assert_eq!(life.states[0], last, "{context}");
            assert_eq!(life.step("set b 1"), "+OK\r\n", "{context}");
            let changed = life.states.last().unwrap().clone();
            if life.engine.save(Reason::Save, false).is_err() {
                unsaved += 1;
                nothing_else_counts(&found, &last, &context);
            }
            found.has_room(found.used() + 4 * WHOLE);
            life.engine.save(Reason::Save, false).unwrap();
            nothing_else_counts(&found, &changed, &context);
            life.end();
        }
    }
    assert!(unsaved > 2, "{unsaved}");
}

/// A server on a disk that has room to begin a segment and not for a snapshot, so that its journal
/// does not begin: because it had been switched off, or because there are more shards now. With the
/// state it serves.
fn without_a_journal(shards: usize) -> (Liar, Life, String) {
    let disk = Liar::default();
    let mut life = Life::begin_with(&disk, "always", WHOLE).unwrap();
    let mut rng = Rng::new(7);
    let long: String = (0..30_000).map(|_| char::from(b'!' + rng.below(90) as u8)).collect();
    life.client.feed(&format!("*3\r\n$3\r\nset\r\n$1\r\na\r\n$30000\r\n{long}\r\n"));
    // Long after the time that these servers are told.
    (0..40).for_each(|n| drop(life.step(&format!("set e{n} 1 pxat 4102444800000"))));
    if shards == 4 {
        life.step("config set appendonly no");
    }
    let last = life.states.last().unwrap().clone();
    // Else the segment would have room that a start gives back.
    life.end();
    let found = disk.crash(Leaves::Everything);
    found.has_room(found.used());
    let life = Life::begin_on(&found, "always", WHOLE, shards).unwrap();
    assert!(!life.engine.durability.is_journaling(), "{shards} shards");
    assert_eq!(life.states[0], last, "{shards} shards");
    found.has_room(found.used() + 3 * 4096);
    (found, life, last)
}

/// What a crash has left is what was served before, also with another number of shards.
fn nothing_else_counts(left: &Liar, last: &str, context: &str) {
    for shards in [8, 4] {
        let left = left.crash(Leaves::Everything);
        left.has_room(left.used() + 4 * WHOLE);
        let life = Life::begin_on(&left, "always", WHOLE, shards)
            .unwrap_or_else(|error| panic!("{context}, {shards} shards: {error}"));
        assert_eq!(life.states[0], last, "{context}, {shards} shards");
        assert!(life.engine.durability.is_journaling(), "{context}, {shards} shards");
        life.end();
    }
}

/// Attempts to begin the journal leave nothing on the disk that has no room for it.
#[test]
fn a_journal_that_cannot_begin_leaves_no_segments() {
    for shards in [4, 8] {
        let (disk, life, last) = without_a_journal(shards);
        let files = disk.list().unwrap();
        for n in 0..20 {
            assert!(life.engine.save(Reason::Rewrite, true).is_err(), "{shards} shards, {n}");
            assert_eq!(disk.list().unwrap(), files, "{shards} shards, {n}");
        }
        nothing_else_counts(&disk, &last, "afterwards");
        disk.has_room(disk.used() + 4 * WHOLE);
        life.engine.save(Reason::Rewrite, true).unwrap();
        goes_on(life, &disk, "with room");
    }
}

/// Such an attempt ends anywhere, the second and the third too.
#[test]
fn a_journal_that_cannot_begin_dies_after_every_call() {
    for shards in [4, 8] {
        for cut in 0.. {
            let (disk, life, last) = without_a_journal(shards);
            let calls = disk.changes();
            disk.cut_after(calls + cut);
            (0..3).for_each(|_| drop(life.engine.save(Reason::Rewrite, true)));
            let all_done = disk.changes() < calls + cut;
            for leaves in [Leaves::Everything, Leaves::Some(cut)] {
                let context = format!("{shards} shards, then {cut} calls, {leaves:?}");
                nothing_else_counts(&disk.crash(leaves), &last, &context);
            }
            life.end();
            if all_done {
                break;
            }
        }
    }
}

/// What is recorded while such an attempt is made counts nowhere: here that keys have expired.
#[test]
fn what_happens_while_a_journal_cannot_begin_counts_nowhere() {
    let (disk, mut life, last) = without_a_journal(8);
    let engine = Arc::clone(&life.engine);
    let saves = std::thread::spawn(move || {
        (0..40).for_each(|_| assert!(engine.save(Reason::Rewrite, true).is_err()));
    });
    let mut found = Vec::new();
    for n in 0..40 {
        life.wait("a save", |life| {
            life.engine.durability.is_busy_with(Reason::Rewrite) || saves.is_finished()
        });
        life.client.worker.begin(4_102_444_800_001);
        assert_eq!(life.client.feed(&format!("get e{n}\r\n")).0, "$-1\r\n");
        if n % 8 == 0 {
            found.push(disk.crash(Leaves::Everything));
        }
    }
    saves.join().unwrap();
    found.push(disk.crash(Leaves::Everything));
    life.end();
    for (n, left) in found.iter().enumerate() {
        nothing_else_counts(left, &last, &format!("crash {n}"));
    }
}

/// Not even a first manifest can be written.
#[test]
fn a_server_starts_in_an_empty_directory_on_a_full_disk() {
    for left in [0, 1, 2] {
        let context = format!("{left} pages");
        let disk = Liar::default();
        disk.has_room(left * 4096);
        let mut life = Life::begin_on(&disk, "always", WHOLE, 4).unwrap();
        if left == 0 {
            assert!(life.step("set b 1").starts_with("-MISCONF"), "{context}");
            assert!(life.engine.save(Reason::Rewrite, true).is_err(), "{context}");
            assert!(life.step("flushwal").contains("appendonly is yes"), "{context}");
            assert!(life.step("info persistence").contains("aof_last_bgrewrite_status:err"));
        }
        let again = disk.crash(Leaves::Everything);
        Life::begin_on(&again, "always", WHOLE, 4).unwrap().end();
        disk.has_room(disk.used() + 4 * WHOLE);
        life.repair(&context);
        assert!(life.step("info persistence").contains("aof_last_bgrewrite_status:ok"));
        goes_on(life, &disk, &context);
    }
}

/// That snapshot need not be asked for.
#[test]
fn cron_frees_a_full_disk_by_itself() {
    let disk = Liar::default();
    let mut life = Life::begin_with(&disk, "always", WHOLE).unwrap();
    life.step("config set auto-aof-rewrite-percentage 0");
    disk.has_room(6 * WHOLE + 40 * 4096);
    fill(&mut life, "at first");
    let mut cron = CronRounds::new(&life.engine);
    let start = Instant::now();
    while life.engine.store.log().is_troubled() || life.engine.store.log().is_short_of_room() {
        assert!(start.elapsed() < PATIENCE, "{:?}", life.engine.store.log());
        cron.round();
    }
    drop(cron);
    assert!(disk.used() < 3 * WHOLE, "{} bytes", disk.used());
    goes_on(life, &disk, "by itself");
}
