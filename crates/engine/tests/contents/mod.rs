//! What an engine holds, for tests to compare.
#![allow(dead_code)] // each test program uses a part

use std::sync::Arc;

use kvist_engine::Engine;

use crate::test_client::TestClient;

/// A key of a database and its deadline.
pub type Deadline = (usize, Vec<u8>, Option<u64>, String);

/// What the digest does not see of a stream: counters, groups, what is pending. When a consumer was
/// seen is not written down, as in Redis.
pub fn unseen(seen: &store::Seen<'_>) -> String {
    let store::Value::Object(store::Object::Stream(stream)) = seen.value else {
        return String::new();
    };
    let log = stream.log();
    let ids = [log.last_id(), log.first_id(), log.max_deleted_id()];
    let mut text = format!("{ids:?} {} in {}", log.entries_added(), log.node_count());
    for group in stream.groups() {
        let name = |number: u32| group.consumer(number).map(|one| one.name().to_vec());
        let pending: Vec<_> = group
            .pending_from(base::StreamId::MIN)
            .map(|one| (one.id, one.delivered, one.deliveries, name(one.consumer)))
            .collect();
        let consumers: Vec<_> = group.numbers().iter().map(|&number| name(number)).collect();
        let progress = (group.name(), group.last_id, group.entries_read);
        text += &format!("; {progress:?} {pending:?} {consumers:?}");
    }
    text
}

/// What an engine holds: its digest, and every key with its deadline and what the digest leaves
/// out.
pub fn contents(engine: &Arc<Engine>) -> (String, Vec<Deadline>) {
    seen_by(&mut TestClient::new(engine))
}

/// The same, by a client that is connected already.
pub fn seen_by(eyes: &mut TestClient) -> (String, Vec<Deadline>) {
    let digest = eyes.ask("DEBUG DIGEST");
    let (shards, databases) = {
        let store = &eyes.worker.engine.store;
        (store.shards(), store.databases())
    };
    let mut keys = Vec::new();
    for db in 0..databases {
        for shard in 0..shards {
            store::each_entry(&mut eyes.worker.txn.held, shard, db, &mut |seen| {
                keys.push((db, seen.key.to_vec(), seen.deadline, unseen(&seen)));
            });
        }
    }
    keys.sort();
    (digest, keys)
}
