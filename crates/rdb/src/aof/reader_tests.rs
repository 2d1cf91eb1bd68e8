//! Commands, notes, and every way of ending early.

use super::*;

fn read(file: &[u8]) -> (Vec<Record>, Option<AofError>) {
    let (mut reader, mut records) = (Reader::new(file), Vec::new());
    loop {
        match reader.next() {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return (records, None),
            Err(error) => return (records, Some(error)),
        }
    }
}

const FILE: &[u8] = b"#TS:1700000000\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n#a note\r\n\
    *3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\n\r\n*\r\n\
    *1\r\n$5\r\nmulti\r\n*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n*1\r\n$4\r\nEXEC\r\n";

#[test]
fn commands_with_their_offsets() {
    let (records, error) = read(FILE);
    assert!(error.is_none());
    assert_eq!(records[0], Record::Time(1_700_000_000));
    let commands: Vec<&Command> = records
        .iter()
        .filter_map(|record| match record {
            Record::Command(command) => Some(command),
            _ => None,
        })
        .collect();
    assert_eq!(commands.len(), 5);
    assert_eq!(commands[1].words, [&b"SET"[..], b"k", b"\r\n*"]);
    assert_eq!((commands[0].at, commands[0].end), (16, 39));
    for command in &commands {
        let (at, end) = (command.at as usize, command.end as usize);
        assert_eq!(FILE[at], b'*');
        assert!(FILE[..end].ends_with(b"\r\n"));
    }
    assert_eq!(commands[4].end, FILE.len() as u64);
}

#[test]
fn every_cut_is_told_with_what_is_whole() {
    let set_end = FILE.windows(5).position(|bytes| bytes == b"multi").unwrap() - 8;
    for cut in 0..FILE.len() {
        let (records, error) = read(&FILE[..cut]);
        let whole = match error {
            None => cut as u64,
            Some(AofError::Truncated { valid }) => valid,
            Some(error) => panic!("cut at {cut}: {error}"),
        };
        assert!(whole <= cut as u64);
        if cut > set_end {
            assert_eq!(whole, set_end as u64, "a transaction without its end does not count");
        }
        // What is left reads without complaint, and is the same but for an open transaction.
        let (kept, error) = read(&FILE[..usize::try_from(whole).unwrap()]);
        assert!(error.is_none(), "cut at {cut}");
        assert_eq!(kept[..], records[..kept.len()]);
    }
}

#[test]
fn broken_files_are_told_with_their_offset() {
    for (file, offset) in [
        (&b"hello\r\n"[..], 0),
        (b"*1\r\n$4\r\nPING\r\n*0\r\n", 14),
        (b"*x\r\n", 0),
        (b"*1\r\n+4\r\nPING\r\n", 4),
        (b"*1\r\n$-4\r\nPING\r\n", 4),
        (b"*1\r\n$4\r\nPINGxx", 12),
    ] {
        match read(file).1 {
            Some(AofError::Broken(error)) => assert_eq!(error.offset, offset),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn lengths_that_lie_cost_nothing() {
    let (_, error) = read(b"*1\r\n$9223372036854775807\r\nabc");
    assert!(matches!(error, Some(AofError::Truncated { valid: 0 })));
    let (_, error) = read(b"*9223372036854775807\r\n$1\r\na\r\n");
    assert!(matches!(error, Some(AofError::Truncated { valid: 0 })));
}

#[test]
fn a_preamble_comes_first() {
    let file = [&b"REDIS0003\xfe\x00\x00\x01k\x01v\xff"[..], FILE].concat();
    let (records, error) = read(&file);
    assert!(error.is_none());
    assert!(matches!(records[1], Record::Item(Item::Key(..))));
    assert_eq!(records.len(), 8);
    // One that ends early is broken, not merely cut.
    assert!(matches!(read(&file[..12]).1, Some(AofError::Broken(_))));
}

#[test]
fn a_snapshot_is_an_rdb_file_and_nothing_else() {
    let read = |file: &[u8]| {
        let mut reader = Reader::new(file).of_snapshot(true);
        let mut count = 0;
        while reader.next()?.is_some() {
            count += 1;
        }
        Ok::<_, AofError>(count)
    };
    let rdb = b"REDIS0003\xfe\x00\x00\x01k\x01v\xff";
    assert_eq!(read(rdb).unwrap(), read(&[&rdb[..], FILE].concat()).unwrap());
    for foreign in [&b""[..], b"RED", FILE, b"#a note\r\n", b"hello"] {
        assert!(matches!(read(foreign), Err(AofError::Broken(_))), "{}", foreign.escape_ascii());
    }
}
