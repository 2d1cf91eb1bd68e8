//! What a script has turned out to need when it ran.

use std::sync::atomic::AtomicBool;

/// What is known of a script that has run.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// It uses keys of shards it did not declare, or changes large values: it holds every shard.
    pub wide: AtomicBool,
    /// It publishes: what came before it, on whichever thread, is served first.
    pub publishes: AtomicBool,
}
