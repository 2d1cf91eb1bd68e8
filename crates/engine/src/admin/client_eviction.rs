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
        // The thread that has the lock looks at the same clients; what it misses is found by the
        // clock.
        let Some(mut search) = self.memory.eviction_search.try_lock() else { return };
        if search.rest_until > now && search.rest_until <= now + REST {
            return;
        }
        search.ending.retain(|sum| sum.strong_count() > 0);
        let (mut left, mut told) = (0, 0);
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
            let Some((memory, client)) = largest.pop() else {
                tracing::warn!("Over client maxmemory after evicting all evictable clients");
                break;
            };
            self.evict_client(&client, now);
            search.ending.extend(client.origin.memory.as_ref().map(Arc::downgrade));
            left -= memory;
            told += 1;
        }
        if told == 0 || left >= limit {
            search.rest_until = now + REST;
        }
    }

    fn evict_client(&self, client: &Client, now: Millis) {
        let viewer = Viewer { engine: self, now, own: 0 };
        let nothing = Asking { command: "NULL", words: &[] };
        let line = line(&viewer, client, &nothing);
        client.state.evicted.store(true, Relaxed);
        self.metrics.stats.evicted_clients.fetch_add(1, Relaxed);
        client.kill();
        tracing::info!("Evicting client: {line}");
    }
}
