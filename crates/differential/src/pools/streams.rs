//! Values for commands about streams: ids that grow, ids that were there, ids that are none.
//!
//! No id comes from a clock, as two servers have two: what `*` does with one is tested elsewhere.

use super::{Draw, Pool, from};

/// Ids at the limits, and what Redis takes for one or does not.
const ODD_IDS: [&str; 24] = [
    "0",
    "0-0",
    "0-1",
    "-",
    "+",
    "$",
    ">",
    "",
    "a-1",
    "1-a",
    "1-",
    "-1",
    "1-2-3",
    "007-007",
    " 5",
    "+5-+6",
    "1--1",
    "1- -1",
    "18446744073709551615",
    "18446744073709551615-18446744073709551615",
    "18446744073709551616",
    "9223372036854775808-1",
    "(5-1",
    "5-*",
];
const GROUPS: [&str; 6] = ["g0", "g0", "g0", "g1", "g2", ""];
const CONSUMERS: [&str; 6] = ["c0", "c0", "c1", "c2", "c10", ""];
const IDLE: [&str; 8] = ["0", "0", "0", "0", "1000000000", "-5", "x", "100000"];
const NODE_ENTRIES: [&str; 5] = ["3", "5", "10", "100", "0"];
const NODE_BYTES: [&str; 5] = ["0", "64", "200", "1000", "4096"];
const LENGTHS: [&str; 12] =
    ["0", "1", "2", "3", "5", "8", "20", "50", "100", "-1", "x", "9223372036854775807"];

/// The pool of a name, if it is about streams.
pub(super) fn named(name: &str) -> Option<Pool> {
    Some(match name {
        "new-id" => new_id,
        "id" => id,
        "id-bound" => bound,
        "group" => |d, a| from(&GROUPS, d, a),
        "consumer" => |d, a| from(&CONSUMERS, d, a),
        "idle" => |d, a| from(&IDLE, d, a),
        "node-entries" => |d, a| from(&NODE_ENTRIES, d, a),
        "node-bytes" => |d, a| from(&NODE_BYTES, d, a),
        "length" => |d, a| from(&LENGTHS, d, a),
        "read-from" => read_from,
        "read-keys" => |d, a| pairs(d, a, id),
        "group-keys" => |d, a| pairs(d, a, read_from),
        _ => return None,
    })
}

/// The id of an entry that is to be added: greater than those before, mostly.
fn new_id(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    draw.entries += 1;
    let (ms, seq) = (draw.entries / 4, draw.entries % 4);
    args.push(match draw.rng.below(40) {
        0 => return from(&ODD_IDS, draw, args),
        1 => return id(draw, args),
        2..6 => format!("{ms}-*").into_bytes(),
        6 => format!("{ms}").into_bytes(),
        7 => {
            draw.entries += 4 * 70_000;
            format!("{}-{}", draw.entries / 4, draw.rng.below(1000)).into_bytes()
        }
        _ => format!("{ms}-{seq}").into_bytes(),
    });
}

/// An id that is likely to be there, or was.
fn id(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    if draw.rng.chance(5) {
        return from(&ODD_IDS, draw, args);
    }
    let back = if draw.rng.chance(50) { 24 } else { 400 };
    let entry = draw.entries.saturating_sub(draw.rng.below(back));
    args.push(match draw.rng.below(12) {
        0 => format!("{}", entry / 4).into_bytes(),
        1 => b"0".to_vec(),
        _ => format!("{}-{}", entry / 4, entry % 4).into_bytes(),
    });
}

/// An end of an interval.
fn bound(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    match draw.rng.below(8) {
        0 | 1 => args.push(b"-".to_vec()),
        2 | 3 => args.push(b"+".to_vec()),
        4 => {
            id(draw, args);
            if let Some(last) = args.last_mut() {
                last.insert(0, b'(');
            }
        }
        _ => id(draw, args),
    }
}

/// What a group reads from: mostly what is new.
fn read_from(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    match draw.rng.below(10) {
        0 | 1 => args.push(b"0".to_vec()),
        2 => id(draw, args),
        _ => args.push(b">".to_vec()),
    }
}

/// Keys, then as many ids; now and then not as many.
fn pairs(draw: &mut Draw, args: &mut Vec<Vec<u8>>, id: Pool) {
    let count = *draw.rng.pick(&[1, 1, 1, 2, 3]);
    for _ in 0..count {
        let key = draw.key();
        args.push(key);
    }
    let ids = if draw.rng.chance(3) { count - 1 } else { count };
    (0..ids).for_each(|_| id(draw, args));
}
