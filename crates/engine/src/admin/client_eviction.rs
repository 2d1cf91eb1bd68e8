//! When all clients together take too much memory (`maxmemory-clients`): the largest are closed,
//! until the rest fit.
//!
//! Every worker tells what its clients take when that changes; the sum is kept by the engine
//! (`ClientMemoryTotals::buffers`). A thread that raises it compares it with the limit, and so does
//! the cron thread, which also finds that the limit was lowered. Only when the sum is over the
//! limit are the clients looked at one by one, from the register: exactly, largest first. Redis
//! sorts them into classes of powers of two beforehand; here that would be shared work for every
//! change of every client, to save a walk that ends with a client being closed. Sessions of one
//! connection, which gRPC has, count once and go together, however long the last of them takes to
//! end.
//!
//! A client that is to be closed is marked and no longer counted, since its memory is as good as
//! free; its owner closes it at the end of its turn. A client that said `CLIENT NO-EVICT ON` stays,
//! but counts.
//!
//! This file must never close a connection itself: connections belong to their workers.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use base::Millis;
use config::Config;
use hashbrown::HashSet;

use super::client_line::{Asking, Viewer, line};
use crate::client::Client;
use crate::engine::Engine;

/// How long to wait before looking again when no client could be closed.
const REST: Millis = 2;

/// What a search has come to.
struct Marked {
    /// The clients that were told to go, as `CLIENT LIST` shows them.
    lines: Vec<String>,
    /// What is left takes too much, and none of it can be told to go.
    over: bool,
}

impl Engine {
    /// Tells the largest clients to go if all of them take more than `maxmemory-clients` allows.
    /// Costs a comparison if there is no limit or it is kept; else O(n log n) in the number of
    /// clients.
    #[inline]
    pub fn evict_clients(&self, config: &Config, now: Millis) {
        if let Some(limit) = config.clients.maxmemory_clients
            && self.memory.buffers.load(Relaxed) as u64 >= limit
        {
            self.evict_largest(usize::try_from(limit).unwrap_or(usize::MAX), now);
        }
    }

    #[cold]
    fn evict_largest(&self, limit: usize, now: Millis) {
        let Some(marked) = self.mark_largest(limit, now) else { return };
        for line in marked.lines {
            tracing::info!("Evicting client: {line}");
        }
        if marked.over {
            tracing::warn!("Over client maxmemory after evicting all evictable clients");
        }
    }

    /// Tells the largest clients to go, unless it was of no use a moment ago. A thread that finds
    /// another at it waits and looks again: were it to go on, its clients would grow for as long as
    /// the other is kept from running. The lock is a leaf: under it, no thread waits for one that
    /// calls this.
    fn mark_largest(&self, limit: usize, now: Millis) -> Option<Marked> {
        let mut search = self.memory.eviction_search.lock();
        if search.rest_until > now && search.rest_until <= now + REST {
            return None;
        }
        search.ending.retain(|sum| sum.strong_count() > 0);
        let (mut left, mut lines) = (0, Vec::new());
        let viewer = Viewer { engine: self, now, own: 0 };
        let mut largest: Vec<(usize, Arc<Client>)> = Vec::new();
        let mut connections: HashSet<_> = search.ending.iter().map(Weak::as_ptr).collect();
        for client in self.clients.all() {
            let first = client
                .origin
                .memory
                .as_ref()
                .is_none_or(|sum| connections.insert(Arc::as_ptr(sum)));
            if client.state.evicted.load(Relaxed) || !first {
                continue;
            }
            let memory = client.told();
            left += memory;
            let stays = client.state.no_evict.load(Relaxed) || client.state.replica.load(Relaxed);
            if !stays {
                largest.push((memory, client));
            }
        }
        // Of two that take the same, the older one stays.
        largest.sort_unstable_by_key(|(memory, client)| (*memory, client.id));
        while left >= limit {
            let Some((memory, client)) = largest.pop() else { break };
            lines.push(line(&viewer, &client, &Asking { command: "NULL", words: &[] }));
            client.state.evicted.store(true, Relaxed);
            self.metrics.stats.evicted_clients.fetch_add(1, Relaxed);
            client.kill();
            search.ending.extend(client.origin.memory.as_ref().map(Arc::downgrade));
            left -= memory;
        }
        let over = left >= limit;
        if lines.is_empty() || over {
            search.rest_until = now + REST;
        }
        Some(Marked { lines, over })
    }
}
