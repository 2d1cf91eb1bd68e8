//! What a file may hold beside what redis-server 7.0 writes today.

use super::*;

fn read(file: &[u8], set_up: impl Fn(&mut Reader<&[u8]>)) -> Result<Vec<Item>, Error> {
    let mut reader = Reader::new(Input::new(file))?;
    set_up(&mut reader);
    let mut items = Vec::new();
    while let Some(item) = reader.next()? {
        items.push(item);
    }
    Ok(items)
}

fn summed(mut file: Vec<u8>) -> Vec<u8> {
    file.push(0xff);
    let sum = crate::crc64(&file);
    file.extend(sum.to_le_bytes());
    file
}

fn text(bytes: &str) -> Vec<u8> {
    let mut out = Vec::new();
    text::write(&mut out, bytes.as_bytes(), None).unwrap();
    out
}

fn hash(pairs: &[(&str, &str)]) -> Value {
    Value::Hash(pairs.iter().map(|(field, value)| ((*field).into(), (*value).into())).collect())
}

#[test]
fn everything_about_a_key_is_told() {
    let file =
        summed(b"REDIS0009\xfe\x03\xfc\x01\x02\0\0\0\0\0\0\xf8\x07\xf9\x05\0\x01k\x01v".into());
    let items = read(&file, |_| ()).unwrap();
    let key =
        Key { db: 3, name: b"k".into(), deadline: Some(513), idle: Some(7), frequency: Some(5) };
    assert_eq!(items[1], Item::Key(key, Value::String(b"v".into())));
    // It is said once and does not cling to the next key.
    let file = summed(b"REDIS0009\xfd\x01\0\0\0\0\x01k\x01v\0\x01l\x01v".into());
    let items = read(&file, |_| ()).unwrap();
    let deadline = |item: &Item| match item {
        Item::Key(key, _) => key.deadline,
        _ => None,
    };
    assert_eq!((deadline(&items[0]), deadline(&items[1])), (Some(1000), None));
}

#[test]
fn both_magics_and_their_versions() {
    let file =
        summed(b"VALKEY080\xf3\x03job\x02\x01\x02\x03\x04\xf4\x01\x02\x03\0\x01k\x01v".into());
    let mut reader = Reader::new(Input::new(&file[..])).unwrap();
    assert_eq!((reader.magic(), reader.version()), (Magic::Valkey, 80));
    assert!(matches!(reader.next().unwrap(), Some(Item::Key(..))));
    assert_eq!(reader.next().unwrap(), None);
    for file in [&b"REDIS00x0\xff"[..], b"REDIS0000\xff", b"VALKEX080\xff", b"GARBAGE!!"] {
        assert!(matches!(Reader::new(Input::new(file)), Err(Error { offset: 0, .. })));
    }
    assert!(Reader::new(Input::new(&b"REDIS"[..])).is_err_and(|error| error.is_truncated()));
}

#[test]
fn fields_with_deadlines_are_refused_and_counted_or_stripped() {
    let mut redis = b"REDIS0012\x18\x01a".to_vec();
    redis.extend(1000_u64.to_le_bytes());
    redis.extend(b"\x03\x00\x01f\x01v\x01\x01g\x01w\x41\xf5\x01h\x01x"); // none, 1000, 1500
    let mut pack = crate::listpack::Builder::default();
    for word in ["f", "v", "0", "g", "w", "1000", "h", "x", "1500"] {
        pack.push(word.as_bytes());
    }
    let pack = pack.finish();
    redis.extend(b"\x19\x01b");
    redis.extend(1000_u64.to_le_bytes());
    text::write(&mut redis, &pack, None).unwrap();
    redis.extend(b"\x16\x01c\x03\x00\x01f\x01v\x43\xe8\x01g\x01w\x45\xdc\x01h\x01x");
    redis.extend(b"\x17\x01d");
    text::write(&mut redis, &pack, None).unwrap();
    let mut valkey = b"VALKEY080\x16\x01a\x03\x01f\x01v".to_vec();
    valkey.extend((-1_i64).to_le_bytes());
    valkey.extend(b"\x01g\x01w");
    valkey.extend(1000_i64.to_le_bytes());
    valkey.extend(b"\x01h\x01x");
    valkey.extend(1500_i64.to_le_bytes());
    for (file, keys) in [(summed(redis), 4), (summed(valkey), 1)] {
        let mut reader = Reader::new(Input::new(&file[..])).unwrap();
        while let Some(item) = reader.next().unwrap() {
            assert!(matches!(item, Item::Refused(_, Refusal::FieldTtls(2))));
        }
        assert_eq!(reader.field_ttl_count(), FieldTtlCount { keys, fields: 2 * keys });
        let mut reader = Reader::new(Input::new(&file[..])).unwrap();
        reader.field_ttls(FieldTtls::Drop { now: 1200 });
        while let Some(item) = reader.next().unwrap() {
            let Item::Key(_, value) = item else { panic!() };
            assert_eq!(value, hash(&[("f", "v"), ("h", "x")]), "what is dead stays dead");
        }
        assert_eq!(reader.field_ttl_count(), FieldTtlCount { keys, fields: 2 * keys });
    }
}

#[test]
fn modules_are_read_without_them() {
    let id = crate::Module::id_of("ReJSON-RL", 3).unwrap();
    let mut body = Vec::new();
    length::write(&mut body, id).unwrap();
    body.extend(b"\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff\x02\x05\x03\0\0\0\x3f");
    body.extend(b"\x04\0\0\0\0\0\0\xe0\x3f\x05\x02{}\x00");
    let mut file = b"REDIS0010\x07\x01k".to_vec();
    file.extend(&body);
    file.push(0xf7);
    length::write(&mut file, id).unwrap();
    file.extend(b"\x02\x01\x05\x03aux\x00");
    let items = read(&summed(file), |_| ()).unwrap();
    let Item::Key(_, Value::Module(module)) = &items[0] else { panic!() };
    use crate::ModulePart::*;
    let parts = [Signed(-1), Unsigned(5), Float(0.5), Double(0.5), String(b"{}".into())];
    assert_eq!(
        (module.name().as_str(), module.version(), &module.parts[..]),
        ("ReJSON-RL", 3, &parts[..])
    );
    let Item::ModuleAux(aux) = &items[1] else { panic!() };
    assert_eq!((aux.name().as_str(), aux.when), ("ReJSON-RL", 1));
    // And written as they were.
    let mut out = Vec::new();
    let mut encoder = crate::Encoder::new(crate::Limits::default(), true);
    encoder.module(&mut out, None, module).unwrap();
    assert_eq!(out[1..], body);
}

#[test]
fn the_functions_of_release_candidates() {
    let code = [text("lib"), text("LUA"), vec![1], text("words"), text("return 1")].concat();
    let file = summed([&b"REDIS0010\xf6"[..], &code].concat());
    let items = read(&file, |_| ()).unwrap();
    assert_eq!(items, [Item::Function(b"#!LUA name=lib\nreturn 1".into())]);
}

#[test]
fn the_first_scores_were_text() {
    let zset = b"REDIS0003\x03\x01z\x03\x01a\x031.5\x01b\xff\x01c\xfe\xff";
    let expected = [("a", 1.5), ("b", f64::NEG_INFINITY), ("c", f64::INFINITY)];
    let expected = expected.map(|(member, score)| (member.into(), score));
    let items = read(zset, |_| ()).unwrap();
    assert!(matches!(&items[0], Item::Key(_, Value::ZSet(pairs)) if *pairs == expected));
    assert!(read(b"REDIS0003\x03\x01z\x01\x01a\xfd\xff", |_| ()).is_err(), "not a number");
    assert!(read(b"REDIS0003\x03\x01z\x01\x01a\x02xx\xff", |_| ()).is_err());
}

#[test]
fn unknown_bytes_are_named_with_their_place() {
    let text = |file: &[u8]| read(file, |_| ()).unwrap_err().to_string();
    assert_eq!(
        text(b"REDIS0099\x00\x01k\x01v\xf0"),
        "at byte 14: unknown opcode 240 in a file of version 99"
    );
    assert_eq!(text(b"REDIS0010\x08\x01k"), "at byte 12: unknown type 8 of a value");
    assert!(text(b"REDIS0010\x06\x01k").contains("candidates of Redis 4.0"));
    assert_eq!(text(b"REDIS0010\x00\x01k\x05v"), "at byte 14: unexpected end of file");
    assert!(read(b"VALKEY080\x18\x01k", |_| ()).is_err(), "a type of Redis alone");
}

#[test]
fn the_checksum_counts_unless_it_is_absent_or_not_wanted() {
    let mut file = summed(b"REDIS0010\x00\x01k\x01v".into());
    assert!(read(&file, |_| ()).is_ok());
    file[11] ^= 1;
    let error = read(&file, |_| ()).unwrap_err();
    assert!(matches!(error, Error { offset: 15, reason: Reason::Checksum { .. } }));
    assert!(read(&file, |reader| reader.verify_checksum(false)).is_ok());
    file.truncate(15);
    file.extend([0; 8]);
    assert!(read(&file, |_| ()).is_ok());
}

#[test]
fn empty_collections_are_refused_by_name() {
    let items = read(b"REDIS0003\x01\x01k\x00\xff", |_| ()).unwrap();
    assert!(matches!(&items[..], [Item::Refused(key, Refusal::Empty)] if key.name == b"k"));
}

/// The same file, whole and in parts.
#[test]
fn parts_of_collections_make_the_whole() {
    let words: Vec<Vec<u8>> = (0..2000).map(|n| format!("element {n:020}").into()).collect();
    let words = || words.iter().map(Vec::as_slice);
    let mut writer = crate::Writer::new(Vec::new(), crate::Limits::default(), true, true).unwrap();
    writer.database(0, 5, 0).unwrap();
    let meta = crate::Meta::default;
    writer.key_with(meta(), |encoder, out| encoder.list(out, Some(b"list"), words())).unwrap();
    writer.key_with(meta(), |encoder, out| encoder.set_plain(out, Some(b"set"), words())).unwrap();
    let pairs = || words().map(|word| (word, &b"value"[..]));
    writer
        .key_with(meta(), |encoder, out| encoder.hash_plain(out, Some(b"hash"), pairs()))
        .unwrap();
    let scored = || words().map(|word| (word, 1.5));
    writer
        .key_with(meta(), |encoder, out| encoder.zset_plain(out, Some(b"zset"), scored()))
        .unwrap();
    writer.key(meta(), b"last", &Value::String(b"v".to_vec())).unwrap();
    let file = writer.finish().unwrap();
    let whole = read(&file, |_| ()).unwrap();
    let mut parts = 0;
    let mut joined: Vec<Item> = Vec::new();
    for item in read(&file, |reader| reader.in_parts(5000)).unwrap() {
        let Item::More(more) = item else {
            joined.push(item);
            continue;
        };
        parts += 1;
        let Some(Item::Key(_, value)) = joined.last_mut() else { panic!("parts of nothing") };
        match (value, more) {
            (Value::List(all), Value::List(more)) | (Value::Set(all), Value::Set(more)) => {
                // A node of a list may be longer than a part.
                assert!(more.len() < 400, "{} at once", more.len());
                all.extend(more);
            }
            (Value::Hash(all), Value::Hash(more)) => {
                assert!(more.len() < 100);
                all.extend(more);
            }
            (Value::ZSet(all), Value::ZSet(more)) => {
                assert!(more.len() < 100);
                all.extend(more);
            }
            (value, more) => panic!("{more:?} of {value:?}"),
        }
    }
    assert!(joined == whole);
    assert!(parts > 60, "{parts} parts");
    for cut in [file.len() / 5, file.len() / 2] {
        assert!(read(&file[..cut], |reader| reader.in_parts(5000)).is_err());
    }
}
