//! Copies of a directory that was written to meanwhile: what lacks a part is refused, and never
//! taken for an older state. And data that looks like the journal: it is taken for data.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use kvist_journal::frame::{self, Secret};
use kvist_journal::reader::{self, ReadError, Report};
use kvist_journal::{Directory, Disk, Flusher, Log, Place, Policy, Segments, segment};
use testkit::folder::Folder;

const ID: [u8; 16] = [7; 16];
const SIZE: u64 = 1 << 16;

/// An empty directory.
fn folder(name: &str) -> (Folder, Arc<dyn Disk>) {
    let folder = Folder::missing(name);
    let disk: Arc<dyn Disk> = Arc::new(Directory::open(folder.path()).unwrap());
    (folder, disk)
}

/// Writes segments from number `first` on, with these bytes as a frame each. As a copier finds it:
/// the last one was not ended.
fn write(folder: &Folder, disk: &Arc<dyn Disk>, first: (u64, u64), frames: &[&[u8]]) {
    let log = Log::new(Policy::Never);
    let disk = Arc::clone(disk);
    let (segment, frame) = first;
    let place = Place { disk, id: ID, segment, frame, segment_size: SIZE, seed: 5 };
    let flusher = Flusher::start(&log, place, || {}).unwrap();
    let write_buffer = log.open_write_buffer();
    for bytes in frames {
        log.roll(false).unwrap();
        log.append(&write_buffer, bytes);
        log.sync().unwrap();
    }
    let last = folder.join(segment::name(segment + frames.len() as u64 - 1));
    let open = std::fs::read(&last).unwrap();
    drop(flusher);
    std::fs::write(last, open).unwrap();
}

/// Three segments with a frame each, the last of them open.
fn written(name: &str) -> (Folder, Arc<dyn Disk>) {
    let (folder, disk) = folder(name);
    write(&folder, &disk, (1, 1), &[&b"what happened"[..]; 3]);
    (folder, disk)
}

fn read(disk: &dyn Disk) -> Result<Report, String> {
    read_from(disk, 1)
}

fn read_from(disk: &dyn Disk, first: u64) -> Result<Report, String> {
    let mut take = |_: &mut Vec<u8>, _: &_, _: &str, _| Ok(());
    reader::read(disk, ID, Segments::From(first, 0), &mut take).map_err(|error| match error {
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
    let three = std::fs::read(folder.join(segment::name(3))).unwrap();
    segment::drop_below(&*disk, 4, SIZE).unwrap();
    write(&folder, &disk, (4, 4), &[&b"what happened later"[..]; 2]);
    // The copier had the header of segment 3 when the file became another segment.
    let later = [4, 5].map(|number| std::fs::read(folder.join(segment::name(number))).unwrap());
    let again = later.iter().find(|file| file[56..64] == three[56..64]).unwrap();
    let mut copied = three[..64].to_vec();
    copied.extend_from_slice(&again[64..]);
    std::fs::write(folder.join(segment::name(3)), copied).unwrap();
    disk.remove(&segment::name(4)).unwrap();
    disk.remove(&segment::name(5)).unwrap();
    let refused = read_from(&*disk, 3).unwrap_err();
    assert!(refused.contains("used again"), "{refused}");
}

/// Frames of later segments, and of this one that say much is durable, as they stand in files: of
/// older versions, and of other files.
fn forged() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for secret in [Secret::NONE, Secret::of(5, 77), Secret::from_bits(u64::MAX)] {
        for (segment, flags) in [(1, 0), (2, 0), (7, frame::END), (u64::MAX, 0)] {
            let (number, synced) = (2, u64::MAX);
            let records = b"records";
            let len = records.len() as u64;
            let header = frame::Header { len, flags, number, segment, synced, time: 0 };
            let mut frame = header.encode(secret, &[records]).to_vec();
            frame.extend_from_slice(records);
            all.push(frame);
        }
    }
    all
}

/// What stands behind the last whole frame is looked through: there it must be told from frames.
#[test]
fn data_is_never_taken_for_frames() {
    let (folder, disk) = folder("forged");
    let path = folder.join(segment::name(1));
    for shift in 0..frame::ALIGN as usize {
        let mut data = vec![b'x'; shift];
        for (n, frame) in forged().iter().enumerate() {
            data.resize(data.len() + n, b'y');
            data.extend_from_slice(frame);
        }
        write(&folder, &disk, (1, 1), &[&data]);
        let whole = std::fs::read(&path).unwrap();
        let report = read(&*disk).unwrap();
        assert_eq!((report.frames, report.cut), (1, None));
        // Cut, or not written, at any place of the frame: nothing of it counts, and that is all.
        for torn in (64..64 + frame::HEADER + data.len()).step_by(37) {
            for keep_behind in [false, true] {
                let mut bytes = whole.clone();
                let end = if keep_behind { torn + 1 } else { bytes.len() };
                bytes[torn..end].iter_mut().for_each(|byte| *byte = !*byte);
                std::fs::write(&path, &bytes).unwrap();
                let report = read(&*disk).unwrap_or_else(|error| panic!("{shift} {torn}: {error}"));
                assert_eq!(report.frames, 0, "{shift} {torn}");
            }
        }
        std::fs::remove_file(&path).unwrap();
    }
}

/// A file that has been used before, full of data that looks like frames.
#[test]
fn what_an_earlier_use_left_is_never_taken_for_frames() {
    let (folder, disk) = folder("earlier");
    let mut frames = forged();
    frames.iter_mut().for_each(|frame| frame.resize(64, 0));
    let data: Vec<u8> = frames.concat().repeat(20);
    write(&folder, &disk, (1, 1), &[&data]);
    // The frame itself, whole, as a process finds it that may read the file.
    let whole = std::fs::read(folder.join(segment::name(1))).unwrap();
    segment::drop_below(&*disk, 2, SIZE).unwrap();
    write(&folder, &disk, (2, 2), &[&whole[64..64 + 4096]]);
    let report = read_from(&*disk, 2).unwrap();
    assert_eq!((report.frames, report.cut), (1, None));
    let now = std::fs::read(folder.join(segment::name(2))).unwrap();
    assert_eq!(now[56..64], whole[56..64], "another file was used");
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
