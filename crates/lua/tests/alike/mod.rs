//! Strings chosen to hash alike, for tests of what they do to tables.
#![allow(dead_code)] // each test program uses a part

use std::collections::HashMap;

/// Bytes that texts of JSON can hold as they are.
const PLAIN: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Alike for Lua as it is published: of 64 bytes it looks at every third.
pub fn to_lua(count: usize) -> Vec<Vec<u8>> {
    let free: Vec<usize> = (0..64).filter(|at| (63 - at) % 3 != 0).collect();
    let one = |n: usize| {
        let mut text = vec![b'a'; 64];
        (0..20).filter(|bit| n >> bit & 1 == 1).for_each(|bit| text[free[bit]] = b'b');
        text
    };
    (0..count).map(one).collect()
}

/// A step of Redis's hash, which begins with the length and goes from a string's end to its start.
pub fn step(hash: u32, byte: u8) -> u32 {
    hash ^ (hash << 5).wrapping_add(hash >> 2).wrapping_add(u32::from(byte))
}

/// Alike for Redis, which looks at all bytes: 48 of them, three at a time one of two groups from
/// which the hash goes on alike. At most 65,536.
pub fn to_redis(count: usize) -> Vec<Vec<u8>> {
    let mut hash = 48;
    let pairs: Vec<[[u8; 3]; 2]> = (0..16)
        .map(|_| {
            let (pair, after) = pair(hash);
            hash = after;
            pair
        })
        .collect();
    let one = |n: usize| {
        let groups = pairs.iter().enumerate().map(|(bit, pair)| pair[n >> bit & 1]);
        groups.rev().flatten().collect()
    };
    (0..count).map(one).collect()
}

/// Two groups of bytes after which the hash is the same, and that hash.
fn pair(hash: u32) -> ([[u8; 3]; 2], u32) {
    let mut seen: HashMap<u32, [u8; 3]> = HashMap::new();
    for &a in PLAIN {
        for &b in PLAIN {
            for &c in PLAIN {
                let after = [c, b, a].into_iter().fold(hash, step);
                if let Some(other) = seen.insert(after, [a, b, c]) {
                    return ([other, [a, b, c]], after);
                }
            }
        }
    }
    panic!("no two groups collide");
}

/// As many that have nothing to do with each other, and are as long as the others.
pub fn not(count: usize, len: usize) -> Vec<Vec<u8>> {
    let mut state = 1u64;
    let mut byte = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        PLAIN[(state >> 33) as usize % PLAIN.len()]
    };
    (0..count).map(|_| (0..len).map(|_| byte()).collect()).collect()
}
