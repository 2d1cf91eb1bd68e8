//! Limits that decide when a value changes its shape, and how long it may become.

/// Up to which size collections stay packed; the `*-max-listpack-*` directives of Redis 7.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackLimits {
    /// `hash-max-listpack-entries`: fields.
    pub hash_entries: usize,
    /// `hash-max-listpack-value`: bytes of a field or value.
    pub hash_value: usize,
    /// `list-max-listpack-size`: elements per node if positive, size class -1..-5 otherwise.
    pub list_size: i64,
    /// `set-max-intset-entries`: members.
    pub set_intset_entries: usize,
    /// `zset-max-listpack-entries`: members.
    pub zset_entries: usize,
    /// `zset-max-listpack-value`: bytes of a member.
    pub zset_value: usize,
    /// `hll-sparse-max-bytes`: bytes of a HyperLogLog, header included.
    pub hll_sparse: usize,
    /// `stream-node-max-bytes`: bytes of a node as Redis counts them; 0 for the most there can be.
    pub stream_node_bytes: usize,
    /// `stream-node-max-entries`: entries of a node, deleted ones too; 0 for no limit.
    pub stream_node_entries: usize,
    /// `proto-max-bulk-len`: bytes a string may grow to.
    pub string_max: usize,
}

impl Default for PackLimits {
    fn default() -> Self {
        PackLimits {
            hash_entries: 512,
            hash_value: 64,
            list_size: -2,
            set_intset_entries: 512,
            zset_entries: 128,
            zset_value: 64,
            hll_sparse: 3000,
            stream_node_bytes: 4096,
            stream_node_entries: 100,
            string_max: 512 * 1024 * 1024,
        }
    }
}
