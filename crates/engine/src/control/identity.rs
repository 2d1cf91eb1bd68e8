//! What this server says it is.

/// The version of Redis whose commands and replies are promised.
pub(crate) const REDIS_VERSION: &str = "7.0.15";
/// The version of Kvist.
pub(crate) const KVIST_VERSION: &str = env!("CARGO_PKG_VERSION");
/// Who allocates memory; the `kvist` binary installs it.
pub(crate) const ALLOCATOR: &str = "mimalloc";
