//! Malformed bytes: the explicit list, and valid frames with a few bytes changed.
//!
//! Only commands that write nothing appear here, since many connections are tried at once. Inline
//! commands longer than the limit come without their line end: with it, the answer would depend on
//! how the bytes happen to be split among reads.

use crate::command::Command;
use crate::rng::Rng;

/// The explicit cases.
const CASES: [&[u8]; 74] = [
    b"PING\r\n",
    b"ping\n",
    b"  PING  \r\n",
    b"\r\n\r\nPING\r\n",
    b"\n\nPING\n",
    b"PING\r\nPING\r\nECHO x\r\n",
    b"PING a b c\r\n",
    b"NOSUCH a b\r\n",
    b"ECHO \"a b\"\r\n",
    b"ECHO \"a\\x41\\n\\t\\\"\"\r\n",
    b"ECHO 'a \\' b'\r\n",
    b"ECHO 'a\\n'\r\n",
    b"ECHO \"unbalanced\r\n",
    b"ECHO 'unbalanced\r\n",
    b"ECHO \"a\"b\r\n",
    b"ECHO 'a'b\r\n",
    b"ECHO a\"b c\"\r\n",
    b"ECHO a\"b\r\n",
    b"ECHO \"\\x4\"\r\n",
    b"ECHO \"\"\r\n",
    b"\"\"\r\n",
    b"\0PING\r\n",
    b"ECHO a\0b\r\n",
    b"\tPING\t\r\n",
    b"\x80\xff\r\n",
    b"QUIT\r\nPING\r\n",
    b"quit now\r\nPING\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST / HTTP/1.1\r\n\r\n",
    b"host: x\r\nPING\r\n",
    b"*\r\n",
    b"*0\r\n",
    b"*0\r\n*1\r\n$4\r\nPING\r\n",
    b"*-1\r\n",
    b"*-1\r\n*1\r\n$4\r\nPING\r\n",
    b"*-2147483649\r\n",
    b"*abc\r\n",
    b"*1a\r\n",
    b"* 1\r\n$4\r\nPING\r\n",
    b"*+1\r\n$4\r\nPING\r\n",
    b"*01\r\n$4\r\nPING\r\n",
    b"*1\n$4\nPING\n",
    b"*1\r\n$4\nPING\r\n",
    b"*1.0\r\n$4\r\nPING\r\n",
    b"*1048576\r\n",
    b"*1048577\r\n",
    b"*2147483647\r\n",
    b"*2147483648\r\n",
    b"*9223372036854775807\r\n",
    b"*99999999999999999999\r\n",
    b"*1\r\nPING\r\n",
    b"*1\r\n\r\n",
    b"*1\r\n:4\r\n",
    b"*1\r\n+PING\r\n",
    b"*1\r\n*1\r\n$4\r\nPING\r\n",
    b"*2\r\n$4\r\nECHO\r\n*1\r\n$1\r\nx\r\n",
    b"*1\r\n$\r\n",
    b"*1\r\n$-1\r\n",
    b"*1\r\n$-0\r\n",
    b"*1\r\n$abc\r\n",
    b"*1\r\n$4x\r\nPING\r\n",
    b"*1\r\n$04\r\nPING\r\n",
    b"*1\r\n$ 4\r\nPING\r\n",
    b"*1\r\n$0\r\n\r\n",
    b"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n",
    b"*1\r\n$536870912\r\n",
    b"*1\r\n$536870913\r\n",
    b"*1\r\n$9223372036854775808\r\n",
    b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n",
    b"*1\r\n$4\r\nPING\n\n",
    b"*1\r\n$3\r\nPING\r\n",
    b"*1\r\n$5\r\nPING\r\n",
    b"*1\r\n$4\r\nPING\r\nPING\r\n*1\r\n$4\r\nPING\r\n",
    b"*2\r\n$4\r\nECHO\r\n$5\r\na\r\nb\0\r\n",
];

/// All explicit cases, the long ones included.
#[must_use]
pub fn explicit() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = CASES.iter().map(|case| case.to_vec()).collect();
    for length in [65_535, 65_536, 65_537, 66_000] {
        all.push(vec![b'a'; length]);
        all.push([&b"*"[..], &vec![b'1'; length]].concat());
        all.push([&b"*1\r\n$"[..], &vec![b'1'; length]].concat());
        all.push([&b"PING\r\n*2\r\n$4\r\nECHO\r\n$"[..], &vec![b'1'; length]].concat());
    }
    all.push([&b"ECHO "[..], &[b'x'; 60_000], b"\r\n"].concat());
    all.push(b"*1\r\n$4\r\nPING\r\n".repeat(500));
    all.push(b"PING\r\n".repeat(500));
    all
}

/// A few valid frames or lines, with some bytes changed.
#[must_use]
pub fn random(rng: &mut Rng) -> Vec<u8> {
    const BYTES: &[u8] = b"*$\r\n:+-0123456789aP \"'\\x\0\xff";
    let mut bytes = Vec::new();
    for _ in 0..=rng.below(3) {
        let words: &[&str] = match rng.below(6) {
            0 => &["PING"],
            1 => &["ECHO", "hello"],
            2 => &["STRLEN", "none"],
            3 => &["EXISTS", "none", "none"],
            4 => &["LRANGE", "none", "0", "-1"],
            _ => &["ECHO", ""],
        };
        if rng.chance(65) {
            Command::words(words).encode(&mut bytes);
        } else {
            bytes.extend_from_slice(format!("{}\r\n", words.join(" ")).as_bytes());
        }
    }
    for _ in 0..=rng.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        match rng.below(5) {
            0 => {
                bytes.remove(at);
            }
            1 => bytes.insert(at, *rng.pick(BYTES)),
            2 => bytes[at] = *rng.pick(BYTES),
            3 => bytes.truncate(at),
            _ => {
                let other = rng.below(bytes.len());
                bytes.swap(at, other);
            }
        }
    }
    bytes
}
