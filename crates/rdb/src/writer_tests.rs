//! Bytes of files; that Redis takes them is tested against it.

use super::*;
use crate::{Input, Item, Reader};

#[test]
fn a_file_in_all_its_bytes() {
    let mut writer = Writer::new(Vec::new(), Limits::default(), true, false).unwrap();
    let header = Header {
        redis_version: "7.0.15",
        created: 300,
        used_memory: 70_000,
        replication: Some(Replication { db: 0, id: "ab", offset: 5 }),
        aof_base: true,
    };
    writer.header(&header).unwrap();
    writer.function(b"#!lua name=x\n").unwrap();
    writer.database(2, 1, 1).unwrap();
    let meta = Meta { deadline: Some(258), idle: Some(9), frequency: Some(3) };
    writer.key(meta, b"k", &Value::Set(vec![b"7".to_vec()])).unwrap();
    let place = writer.offset();
    let file = writer.finish().unwrap();
    let expected = [
        &b"REDIS0010\xfa\x09redis-ver\x067.0.15\xfa\x0aredis-bits\xc0\x40\xfa\x05ctime\xc1\x2c\x01"
            [..],
        b"\xfa\x08used-mem\xc2\x70\x11\x01\x00\xfa\x0erepl-stream-db\xc0\x00\xfa\x07repl-id\x02ab",
        b"\xfa\x0brepl-offset\xc0\x05\xfa\x08aof-base\xc0\x01\xf5\x0d#!lua name=x\n",
        b"\xfe\x02\xfb\x01\x01\xfc\x02\x01\0\0\0\0\0\0\xf8\x09\xf9\x03",
        b"\x0b\x01k\x0a\x02\0\0\0\x01\0\0\0\x07\0\xff\0\0\0\0\0\0\0\0",
    ]
    .concat();
    assert_eq!(file.escape_ascii().to_string(), expected.escape_ascii().to_string());
    assert_eq!(place + 9, file.len() as u64);
}

/// Fails after some bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let take = bytes.len().min(self.0);
        self.0 -= take;
        if take == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(take) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told() {
    let value = Value::String(vec![b'x'; 100_000]);
    let mut writer = Writer::new(Full(70_000), Limits::default(), false, true).unwrap();
    let written =
        writer.key(Meta::default(), b"k", &value).and_then(|()| writer.finish().map(drop));
    assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[test]
fn a_list_is_cut_into_nodes_like_redis() {
    // 8192 bytes at most, where an element counts 8 more than it has and a node 7.
    let elements: Vec<Vec<u8>> = (0..9).map(|_| vec![b'x'; 2000]).collect();
    for (size, nodes) in [(-2, 3), (-1, 5), (-5, 1), (2, 5), (100, 3)] {
        let limits = Limits { list_size: size, ..Limits::default() };
        let mut out = Vec::new();
        let mut encoder = Encoder::new(limits, false);
        encoder.value(&mut out, None, &Value::List(elements.clone())).unwrap();
        assert_eq!(out[1], nodes, "list-max-listpack-size {size}");
        let payload = crate::dump::seal(out);
        assert_eq!(crate::dump::decode(&payload).unwrap(), Value::List(elements.clone()));
    }
}

#[test]
fn values_of_every_size_read_back() {
    let mut writer = Writer::new(Vec::new(), Limits::default(), true, true).unwrap();
    let mut values = Vec::new();
    let word = |number: usize| match number % 3 {
        0 => number.to_string().into_bytes(),
        1 => format!("word-{number}").into_bytes(),
        _ => [&b"long "[..], &vec![b'a'; number % 200]].concat(),
    };
    for count in [1, 5, 128, 129, 513, 3000] {
        let words: Vec<Vec<u8>> = (0..count).map(word).collect();
        values.push(Value::List(words.clone()));
        values.push(Value::Hash(words.iter().cloned().zip(words.iter().rev().cloned()).collect()));
        values.push(Value::String(words.concat()));
        values.push(Value::Set(words));
    }
    for (at, value) in values.iter().enumerate() {
        writer.key(Meta::default(), at.to_string().as_bytes(), value).unwrap();
    }
    let file = writer.finish().unwrap();
    let mut reader = Reader::new(Input::new(&file[..])).unwrap();
    for expected in values {
        let Some(Item::Key(_, value)) = reader.next().unwrap() else { panic!() };
        assert_eq!(value, expected);
    }
    assert_eq!(reader.next().unwrap(), None);
}
