//! Bitmaps: single bits, counting, searching, and BITFIELD with all its overflow modes.

use super::Family;
use crate::pools::KeyKind;

/// The family.
pub const FAMILY: Family =
    Family { name: "bitmaps", home: KeyKind::Text, forms: &FORMS, scenario: None };

const FORMS: [(usize, &str); 24] = [
    (8, "SETBIT <key> <bit-offset> { 0 | 1 | 1 | 2 | x }"),
    (6, "SETBIT <key> <bit-offset> 1"),
    (6, "GETBIT <key> <bit-offset>"),
    (3, "BITCOUNT <key>"),
    (6, "BITCOUNT <key> <index> <index> [ BYTE | BIT | bit | WORD ]"),
    (1, "BITCOUNT <key> <index>"),
    (3, "BITPOS <key> { 0 | 1 | 2 | x }"),
    (6, "BITPOS <key> { 0 | 1 } <index> [ <index> ]"),
    (4, "BITPOS <key> { 0 | 1 } <index> <index> { BYTE | BIT | WORD }"),
    (6, "BITOP { AND | OR | XOR | and | NAND } <key> ( <key> )+"),
    (3, "BITOP NOT <key> <key> [ <key> ]"),
    (8, "BITFIELD <key> ( GET <bit-type> <bit-offset> )+"),
    (6, "BITFIELD <key> ( SET <bit-type> <bit-offset> <index> )+"),
    (
        8,
        "BITFIELD <key> ( [ OVERFLOW { WRAP | SAT | FAIL | FOO } ] INCRBY \
         <bit-type> <bit-offset> <index> )+",
    ),
    (2, "BITFIELD <key> GET <bit-type> #1 SET <bit-type> #2 <index> INCRBY u8 #0 <small>"),
    (1, "BITFIELD <key>"),
    (3, "BITFIELD_RO <key> ( GET <bit-type> <bit-offset> )+"),
    (1, "BITFIELD_RO <key> SET u8 0 1"),
    (5, "SET <key> <value>"),
    (4, "GET <key>"),
    (3, "DEL <key>"),
    (2, "STRLEN <key>"),
    (2, "OBJECT ENCODING <key>"),
    (2, "RPUSH <any> <value>"),
];
