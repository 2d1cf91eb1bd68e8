//! Copies of a directory that was written to meanwhile: what lacks a part is refused, and never
//! taken for an older state.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::PathBuf;
use std::sync::Arc;

use kvist_journal::reader::{self, ReadError, Report};
use kvist_journal::{Directory, Disk, Flusher, Log, Place, Policy, Segments, segment};

const ID: [u8; 16] = [7; 16];

/// A directory that goes with its owner.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Three segments with a frame each, the last of them open.
fn written(name: &str) -> (Folder, Arc<dyn Disk>) {
    let path = std::env::temp_dir().join(format!("kvist-copies-{}-{name}", std::process::id()));
    let folder = Folder(path.clone());
    let disk: Arc<dyn Disk> = Arc::new(Directory::open(&path).unwrap());
    let log = Log::new(Policy::Never);
    let place =
        Place { disk: Arc::clone(&disk), id: ID, segment: 1, frame: 1, segment_size: 1 << 16 };
    let flusher = Flusher::start(&log, place, || {}).unwrap();
    let lane = log.open_lane();
    for _ in 0..3 {
        log.roll(false).unwrap();
        log.append(&lane, b"what happened");
        log.sync().unwrap();
    }
    // As a copier finds it: nobody has ended the last one.
    let open = std::fs::read(path.join(segment::name(3))).unwrap();
    drop(flusher);
    std::fs::write(path.join(segment::name(3)), open).unwrap();
    (folder, disk)
}

fn read(disk: &dyn Disk) -> Result<Report, String> {
    let mut take = |_: &mut Vec<u8>, _: &_, _: &str, _| Ok(());
    reader::read(disk, ID, Segments::From(1, 0), &mut take).map_err(|error| match error {
        ReadError::Damage(damage) => damage.to_string(),
        other => panic!("{other}"),
    })
}

#[test]
fn a_segment_that_vanished_is_missed() {
    let (_folder, disk) = written("vanished");
    assert_eq!(read(&*disk).unwrap().frames, 3);
    disk.remove(&segment::name(3)).unwrap();
    let refused = read(&*disk).unwrap_err();
    assert!(refused.contains(&segment::name(3)) && refused.contains("missing"), "{refused}");
    disk.remove(&segment::name(2)).unwrap();
    let refused = read(&*disk).unwrap_err();
    assert!(refused.contains(&segment::name(2)) && refused.contains("missing"), "{refused}");
}

#[test]
fn a_file_used_again_while_it_was_read_is_seen() {
    let (folder, disk) = written("reused");
    // The copier had the header of segment 2 when the file became segment 3.
    let mut two = std::fs::read(folder.0.join(segment::name(2))).unwrap();
    let three = std::fs::read(folder.0.join(segment::name(3))).unwrap();
    two[64..].copy_from_slice(&three[64..]);
    std::fs::write(folder.0.join(segment::name(2)), two).unwrap();
    disk.remove(&segment::name(3)).unwrap();
    let refused = read(&*disk).unwrap_err();
    assert!(refused.contains("used again"), "{refused}");
}

#[test]
fn what_was_closed_in_order_misses_nothing() {
    let (folder, disk) = written("closed");
    let report = read(&*disk).unwrap();
    reader::seal(&*disk, &report).unwrap();
    let report = read(&*disk).unwrap();
    assert_eq!((report.frames, report.open_end, report.goes_on), (3, None, false));
    drop(folder);
}
