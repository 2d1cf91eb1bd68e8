//! Every encoding, read back and measured.

use super::*;

#[test]
fn every_encoding_reads_back() {
    let numbers = [0, 127, 128, -1, 4095, 4096, -4096, -4097, 32767, 32768, -32768, -32769];
    let wide = [8_388_607, 8_388_608, -8_388_608, -8_388_609, i32::MAX.into(), 1 << 31, i64::MIN];
    let texts = [0, 1, 63, 64, 125, 126, 4095, 4096, 16_380, 20_000, 3_000_000];
    let mut words: Vec<Vec<u8>> =
        numbers.iter().chain(&wide).map(|n: &i64| n.to_string().into_bytes()).collect();
    words.extend(texts.map(|len| vec![b'x'; len]));
    words.extend([&b"-0"[..], b"01", b"9223372036854775808", b"+1"].map(<[u8]>::to_vec));
    let mut builder = Builder::default();
    for word in &words {
        let before = builder.size();
        builder.push(word);
        assert_eq!(builder.size() - before, element_size(word));
    }
    let size = builder.size();
    let blob = builder.finish();
    assert_eq!(blob.len(), size);
    let found: Vec<_> = entries(&blob).unwrap().into_iter().map(Entry::to_vec).collect();
    assert_eq!(found, words);
}

#[test]
fn more_elements_than_the_header_can_say() {
    let mut builder = Builder::default();
    (0..70_000).for_each(|number| builder.push_int(number));
    let blob = builder.finish();
    assert_eq!(blob[4..6], [0xff, 0xff]);
    assert_eq!(entries(&blob).unwrap().len(), 70_000);
}

#[test]
fn what_does_not_add_up_is_refused() {
    let mut builder = Builder::default();
    builder.push(b"hello");
    builder.push(b"1234567");
    let blob = builder.finish();
    for end in 0..blob.len() {
        assert!(entries(&blob[..end]).is_err());
    }
    for at in 0..blob.len() {
        // A changed letter or digit is another string; all else must be noticed.
        let harmless = (7..12).contains(&at) || (14..17).contains(&at);
        let mut broken = blob.clone();
        broken[at] ^= 0x41;
        assert_eq!(entries(&broken).is_ok(), harmless, "byte {at}");
    }
}
