//! Up to which size a value keeps its compact form.
//!
//! These decide what OBJECT ENCODING answers, so they are exactly Redis's.

use super::I64;
use crate::directive::{Directive as D, INT_MAX};

pub(super) const LIST: &[D] = &[
    D::int(
        "hash-max-listpack-entries",
        "512",
        0,
        i64::MAX,
        "Most fields of a hash in compact form.",
    )
    .alias("hash-max-ziplist-entries"),
    D::memory(
        "hash-max-listpack-value",
        "64",
        0,
        I64,
        "Longest field or value, in bytes, of a hash in compact form.",
    )
    .alias("hash-max-ziplist-value"),
    D::int(
        "list-max-listpack-size",
        "-2",
        i32::MIN as i64,
        INT_MAX,
        "Size of one node of a list: a positive number counts elements; -1 to -5 mean 4, 8, 16, 32 \
         and 64 kb.",
    )
    .alias("list-max-ziplist-size"),
    D::int(
        "list-compress-depth",
        "0",
        0,
        INT_MAX,
        "Nodes at either end of a list that are never compressed. 0 compresses none.",
    ),
    D::int(
        "set-max-intset-entries",
        "512",
        0,
        i64::MAX,
        "Most members of a set of integers in compact form.",
    ),
    D::int(
        "zset-max-listpack-entries",
        "128",
        0,
        i64::MAX,
        "Most members of a sorted set in compact form.",
    )
    .alias("zset-max-ziplist-entries"),
    D::memory(
        "zset-max-listpack-value",
        "64",
        0,
        I64,
        "Longest member, in bytes, of a sorted set in compact form.",
    )
    .alias("zset-max-ziplist-value"),
    D::memory(
        "hll-sparse-max-bytes",
        "3000",
        0,
        I64,
        "Size, in bytes, up to which a HyperLogLog stays sparse.",
    ),
    D::memory(
        "stream-node-max-bytes",
        "4kb",
        0,
        I64,
        "Most bytes of one node of a stream. 0: no limit.",
    ),
    D::int(
        "stream-node-max-entries",
        "100",
        0,
        i64::MAX,
        "Most entries of one node of a stream. 0: no limit.",
    ),
    D::one_of(
        "sanitize-dump-payload",
        &["no", "yes", "clients"],
        "no",
        "Whether RESTORE and loading check every element of what they are given.",
    )
    .pending(),
];
