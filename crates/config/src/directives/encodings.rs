//! Up to which size a value keeps its compact form.
//!
//! These decide what OBJECT ENCODING answers, so they are exactly Redis's.

use super::I64;
use crate::directive::{Directive as D, INT_MAX};
use crate::settings::Settings;

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

/// Up to which size values keep their compact forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodingSettings {
    /// Most fields of a compact hash.
    pub hash_max_listpack_entries: u64,
    /// Longest field or value, in bytes, of a compact hash.
    pub hash_max_listpack_value: u64,
    /// Size of a node of a list: elements if positive, -1 to -5 for 4 to 64 kb.
    pub list_max_listpack_size: i64,
    /// Uncompressed nodes at either end of a list; 0 compresses none.
    pub list_compress_depth: u32,
    /// Most members of a compact set of integers.
    pub set_max_intset_entries: u64,
    /// Most members of a compact sorted set.
    pub zset_max_listpack_entries: u64,
    /// Longest member, in bytes, of a compact sorted set.
    pub zset_max_listpack_value: u64,
    /// Bytes up to which a HyperLogLog stays sparse.
    pub hll_sparse_max_bytes: u64,
    /// Most bytes of a node of a stream; 0 no limit.
    pub stream_node_max_bytes: u64,
    /// Most entries of a node of a stream; 0 no limit.
    pub stream_node_max_entries: u64,
}

impl EncodingSettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            hash_max_listpack_entries: settings.int("hash-max-listpack-entries"),
            hash_max_listpack_value: settings.bytes("hash-max-listpack-value"),
            list_max_listpack_size: settings.int("list-max-listpack-size"),
            list_compress_depth: settings.int("list-compress-depth"),
            set_max_intset_entries: settings.int("set-max-intset-entries"),
            zset_max_listpack_entries: settings.int("zset-max-listpack-entries"),
            zset_max_listpack_value: settings.bytes("zset-max-listpack-value"),
            hll_sparse_max_bytes: settings.bytes("hll-sparse-max-bytes"),
            stream_node_max_bytes: settings.bytes("stream-node-max-bytes"),
            stream_node_max_entries: settings.int("stream-node-max-entries"),
        }
    }
}
