//! Streams of requests, mostly sound, and the small damage that finds bugs in parsers.
#![allow(dead_code)] // each test program uses a part

use base::Rng;
use testkit::fuzz;

const INTERESTING: &[&[u8]] = &[
    b"\r",
    b"\n",
    b"\0",
    b"\r\n",
    b"$",
    b"*",
    b"-",
    b"+",
    b"0",
    b"1",
    b"9",
    b" ",
    b"\"",
    b"'",
    b"\\",
    b"\\x41",
    b"\xff",
    b"\x0b",
    b"\t",
    b"*-1\r\n",
    b"*0\r\n",
    b"$-1\r\n",
    b"*1\r\n",
    b"2147483648",
    b"9223372036854775807",
    b"9223372036854775808",
    b"536870913",
    b"\r\n\r\n",
    b"*2\r\n$4\r\nECHO\r\n",
    b"a",
    b"ECHO ",
];

fn word(rng: &mut Rng) -> Vec<u8> {
    let len = match rng.below(8) {
        0 => rng.below(1200),
        1..=3 => rng.below(130),
        _ => rng.below(12),
    };
    let alphabet = b"abcxyz019 \r\n$*\"'\\\0\xff";
    let plain = rng.below(3) > 0;
    let letters = if plain { 9 } else { alphabet.len() };
    (0..len).map(|_| alphabet[rng.below(letters)]).collect()
}

fn quoted(rng: &mut Rng, word: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match rng.below(3) {
        0 => out.extend(word.iter().filter(|c| c.is_ascii_alphanumeric())),
        1 => {
            out.push(b'\'');
            out.extend(word.iter().filter(|c| !b"\n\0'\\".contains(c)));
            out.push(b'\'');
        }
        _ => {
            out.push(b'"');
            for &c in word {
                match (c, rng.below(3)) {
                    (b'"' | b'\\', 0) => out.extend([b'\\', c]),
                    (b'a', 0) => out.extend(b"\\a"),
                    (b'0'..=b'z', 1..) if c != b'\\' => out.push(c),
                    _ => out.extend(format!("\\x{c:02x}").bytes()),
                }
            }
            out.push(b'"');
        }
    }
    out
}

/// A few `ECHO` requests in every form a client may choose.
pub fn requests(rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..=rng.below(4) {
        let word = word(rng);
        match rng.below(4) {
            0 => {
                out.extend_from_slice(b"ECHO ");
                out.extend(quoted(rng, &word));
                out.extend_from_slice([&b"\r\n"[..], b"\n", b" \r\n"][rng.below(3)]);
            }
            1 if rng.below(4) == 0 => {
                out.extend_from_slice([&b"\r\n"[..], b"*0\r\n", b"*-7\r\n"][rng.below(3)]);
            }
            _ => kvist_wire::encode(&mut out, [&b"ECHO"[..], &word]),
        }
    }
    out
}

/// Does a little damage, or none.
pub fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    fuzz::damage(rng, bytes, INTERESTING);
}
