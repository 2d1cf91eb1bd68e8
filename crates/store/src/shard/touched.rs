//! A key that needs attention.

/// A key that needs attention after a request: changed while clients watch or wait for keys of its
/// shard, or met after its deadline.
#[derive(Clone, Debug)]
pub struct Touched {
    /// The database.
    pub db: usize,
    /// The key's hash.
    pub hash: u64,
    /// The key.
    pub key: Box<[u8]>,
}
