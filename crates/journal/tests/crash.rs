//! Power lost after every single call to the disk, and what is read afterwards.
//!
//! A fixed workload of numbered changes runs again and again, and the disk dies one call later each
//! time. What is read back must be a prefix of the changes, in order, groups whole, with all that
//! was reported durable in it; and the journal must go on from there as if nothing had been.
#![allow(clippy::unwrap_used)] // a test says why by failing

use journal::{Disk as _, Policy, segment};

use crate::disk::{Call, EIO, ENOSPC, Fault, Leaves, Liar, Random};
use crate::logbook::{self, Logbook, read, recover, recover_sized};

const ALL: [Leaves; 5] =
    [Leaves::Nothing, Leaves::Everything, Leaves::Some(1), Leaves::Some(2), Leaves::Some(3)];

/// Changes, and segments begun in between.
fn workload(book: &mut Logbook) {
    for n in 0..18 {
        book.change(1 + n % 5);
        if n % 7 == 6 {
            book.roll();
        }
    }
}

fn crash_everywhere(policy: Policy) {
    let whole = Liar::default();
    let mut book = Logbook::begin(&whole, policy);
    workload(&mut book);
    book.end();
    for cut in 0..=whole.changes() {
        let dying = Liar::default();
        dying.cut_after(cut);
        let Some(mut book) = Logbook::try_begin(&dying, policy) else { continue };
        workload(&mut book);
        let bounds = book.end();
        for leaves in ALL {
            check_after(&dying, leaves, bounds, (cut, policy));
        }
    }
}

/// After a crash: what is there is right; a crash in the middle of recovery changes nothing; what
/// is written afterwards is kept.
fn check_after(dying: &Liar, leaves: Leaves, (durable, made): (u64, u64), what: (u64, Policy)) {
    let found = dying.crash(leaves);
    let context = format!("{what:?} {leaves:?}");
    let mut random = Random::new(what.0);
    let again = found.crash(Leaves::Everything);
    again.cut_after(random.below(8));
    drop(recover(&again, what.1, &context));
    let second = again.crash(Leaves::Some(what.0 + 7));
    for (disk, context) in [(found, context.clone()), (second, format!("{context}, twice"))] {
        let Some(mut book) = recover(&disk, what.1, &context) else {
            panic!("{context}: recovery failed")
        };
        let there = book.changes();
        assert!((durable..=made).contains(&there), "{context}: {durable} <= {there} <= {made}");
        for size in 1..4 {
            book.change(size);
        }
        book.sync();
        // Power is lost once more: nothing that recovery took for granted may vanish.
        let (durable, made) = book.end();
        assert_eq!((durable, made), (there + 6, there + 6), "{context}");
        for leaves in [Leaves::Nothing, Leaves::Some(5)] {
            let later = read(&disk.crash(leaves), &format!("{context}, later {leaves:?}"));
            assert_eq!(later, there + 6, "{context}, later {leaves:?}");
        }
    }
}

#[test]
fn power_is_lost_after_every_call_under_always() {
    crash_everywhere(Policy::Always);
}

#[test]
fn power_is_lost_after_every_call_under_everysec() {
    crash_everywhere(Policy::EverySecond);
}

#[test]
fn every_call_fails_once_or_for_long() {
    let whole = Liar::default();
    let mut book = Logbook::begin(&whole, Policy::Always);
    let begun = whole.changes();
    workload(&mut book);
    book.end();
    for after in 0..whole.changes() - begun {
        for (errno, once) in [(EIO, true), (EIO, false), (ENOSPC, true), (ENOSPC, false)] {
            let disk = Liar::default();
            let mut book = Logbook::begin(&disk, Policy::Always);
            disk.fail(Fault { after, errno, once, only: None });
            workload(&mut book);
            // Power lost while it fails, or just after.
            for leaves in [Leaves::Nothing, Leaves::Everything, Leaves::Some(after)] {
                let bounds = (book.durable(), book.changes());
                check_after(&disk, leaves, bounds, (after, Policy::Always));
            }
            disk.heal();
            let context = format!("{after} {errno} {once}");
            book.repair(&context);
            book.change(3);
            book.sync();
            let durable = book.durable();
            assert_eq!(durable, book.changes(), "{context}: nothing that was accepted is missing");
            let bounds = book.end();
            assert_eq!(bounds.0, durable, "{context}");
            for leaves in [Leaves::Nothing, Leaves::Some(after)] {
                let there = read(&disk.crash(leaves), &format!("{context} {leaves:?}"));
                assert_eq!(there, durable, "{context} {leaves:?}");
            }
        }
    }
}

/// After a failed sync a later one that succeeds proves nothing: the disk has forgotten the pages.
#[test]
fn only_a_new_segment_ends_a_failed_sync() {
    let disk = Liar::default();
    let mut book = Logbook::begin(&disk, Policy::Always);
    book.change(2);
    disk.fail(Fault { after: 0, errno: EIO, once: true, only: Some(Call::Sync) });
    book.change(1);
    let log = book.log();
    assert!(log.trouble().unwrap().unsynced);
    assert_eq!(book.durable(), 2);
    assert!(log.sync().is_err() && log.close().is_err() && log.roll(false).is_err());
    book.change(1);
    assert!(log.trouble().unwrap().unsynced);
    assert_eq!(book.durable(), 2);
    // Power lost now leaves what was durable.
    assert_eq!(read(&disk.crash(Leaves::Nothing), "failed sync"), 2);
    // A segment alone ends nothing, nor does a full disk that is no longer full.
    disk.fail(Fault { after: 3, errno: ENOSPC, once: true, only: Some(Call::Write) });
    log.roll(true).unwrap();
    book.change(1);
    book.change(1);
    log.flush_soon();
    assert!(log.trouble().unwrap().unsynced);
    assert_eq!(book.durable(), 2);
    assert_eq!(read(&disk.crash(Leaves::Nothing), "no snapshot yet"), 2);
}

/// A segment made out of a used file, to which the one before it then cannot lead, is replaced by
/// another in one step: a crash that leaves parts of both is no damage.
#[test]
fn a_segment_that_was_made_in_vain_and_made_again_is_no_damage() {
    let disk = Liar::default();
    let mut book = Logbook::begin(&disk, Policy::Always);
    for _ in 0..4 {
        book.change(3);
    }
    let used = disk.bytes(&segment::name(1));
    disk.create("journal-spare-00000000000000000001.log").unwrap().write_at(0, &used).unwrap();
    // The header of the new file is written, and the end of the one before it is not.
    disk.fail(Fault { after: 1, errno: ENOSPC, once: true, only: Some(Call::Write) });
    book.roll();
    assert!(!disk.bytes(&segment::name(2)).is_empty());
    book.change(2);
    disk.fail(Fault { after: 0, errno: EIO, once: true, only: Some(Call::Reserve) });
    book.roll();
    assert_eq!((book.durable(), book.changes()), (14, 14));
    for seed in 0..300 {
        let there = read(&disk.crash(Leaves::Some(seed)), &format!("seed {seed}"));
        assert_eq!(there, 14, "seed {seed}");
    }
}

#[test]
fn flipped_bits_are_seen_or_do_no_harm() {
    for clean in [true, false] {
        let disk = Liar::default();
        let mut book = Logbook::begin(&disk, Policy::Always);
        workload(&mut book);
        let last_group = 3;
        let disk = if clean {
            book.end();
            disk
        } else {
            let copy = disk.crash(Leaves::Nothing);
            book.end();
            copy
        };
        let all = read(&disk, "before");
        let mut refused = 0;
        for (name, len) in disk.files() {
            for offset in 0..len {
                let bits = 1 << (offset % 8);
                disk.flip(&name, offset, bits);
                match logbook::try_read(&disk) {
                    Ok(there) => {
                        // Nothing behind the last group of a journal that was cut off tells that
                        // it was durable: that one may be taken for an unfinished write.
                        let least = if clean { all } else { all - last_group };
                        assert!(there >= least && there <= all, "{name} {offset}: {there} {all}");
                    }
                    Err(text) => {
                        refused += 1;
                        assert!(text.contains(&name), "{name} {offset}: {text}");
                    }
                }
                disk.flip(&name, offset, bits);
            }
        }
        assert!(refused > 1000, "{refused}");
    }
}

/// A segment that does not fit on the disks of the tests below as a whole.
const LARGE: u64 = 1 << 16;
const PAGE: u64 = 4096;

/// Where there is no room for whole segments they are short, and grow: power lost after every call
/// leaves what was durable, and who starts on the full disk goes on behind it, at the latest when
/// there is room again.
#[test]
fn power_is_lost_after_every_call_on_a_disk_that_fills_up() {
    let mut refused = 0;
    for pages in [3, 4, 6, 9] {
        let run = |cut: u64| {
            let disk = Liar::default();
            disk.has_room(pages * PAGE);
            disk.cut_after(cut);
            let mut book = Logbook::try_begin_sized(&disk, Policy::Always, LARGE)?;
            for n in 0..60 {
                book.change(1 + n % 9);
            }
            let full = book.log().is_troubled();
            let bounds = book.end();
            Some((disk, bounds, full))
        };
        let (whole, bounds, full) = run(u64::MAX).unwrap();
        assert!(bounds.0 > 0, "{pages} pages are enough for something");
        assert!(full || pages > 4, "{pages} pages are filled");
        for cut in (0..=whole.changes()).step_by(3) {
            let Some((dying, (durable, made), _)) = run(cut) else { continue };
            for leaves in ALL {
                let context = format!("{pages} pages, cut after {cut}, {leaves:?}");
                let found = dying.crash(leaves);
                // What others took in the meantime.
                found.has_room(if cut % 2 == 0 { found.used() } else { pages * PAGE });
                let Some(mut book) = recover_sized(&found, Policy::Always, &context, LARGE) else {
                    refused += 1;
                    continue;
                };
                let there = book.changes();
                assert!((durable..=made).contains(&there), "{context}: {durable} {there} {made}");
                book.change(3);
                let later = read(&found.crash(Leaves::Nothing), &context);
                assert!(later >= there && later >= book.durable(), "{context}: {later} {there}");
                found.has_room(4 * LARGE);
                book.repair(&context);
                book.change(2);
                book.sync();
                let (durable, made) = book.end();
                assert_eq!(durable, made, "{context}");
                assert_eq!(read(&found.crash(Leaves::Nothing), &context), made, "{context}");
            }
        }
    }
    assert_eq!(refused, 0, "where there is something to read, it is read");
}

/// A segment that was short grows to a whole one when there is room, and is used again as such.
#[test]
fn a_short_segment_grows_when_there_is_room_again() {
    let disk = Liar::default();
    disk.has_room(5 * PAGE);
    let mut book = Logbook::try_begin_sized(&disk, Policy::Always, LARGE).unwrap();
    assert!(book.log().is_short_of_room());
    book.change(4);
    assert!(disk.used() <= 3 * PAGE, "it takes what it needs");
    disk.has_room(8 * LARGE);
    for n in 0..100 {
        book.change(1 + n % 9);
    }
    assert!(!book.log().is_short_of_room());
    assert!(disk.bytes(&segment::name(1)).len() as u64 >= LARGE);
    let (durable, made) = book.end();
    assert_eq!(durable, made);
    assert_eq!(read(&disk.crash(Leaves::Nothing), "later"), made);
}
