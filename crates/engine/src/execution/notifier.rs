//! Delivers notifications about keys: keyspace events are published, invalidations are sent.
//!
//! Runs under the locks of the shards the notifications are about, so that a key's notifications
//! are delivered in the order of its changes. It only posts to mailboxes.

use std::collections::BTreeMap;
use std::sync::Weak;

use store::{Notification, NotificationSink, Txn};

use crate::client::ClientId;
use crate::engine::Engine;
use crate::execution::delivery::Delivery;

/// Receives the notifications of a store.
pub(crate) struct Notifier(pub Weak<Engine>);

impl NotificationSink for Notifier {
    fn deliver(&self, notifications: Vec<Notification>, asker: ClientId, own: &mut Vec<u8>) {
        let Some(engine) = self.0.upgrade() else { return };
        let mut delivery = Delivery { engine: &engine, asker, own };
        let mut changed: BTreeMap<&[u8], bool> = BTreeMap::new();
        for notification in &notifications {
            match notification {
                Notification::Event(event) => delivery.publish(event),
                Notification::Flushed => delivery.all_stale(),
                Notification::Stale { key, readers, asked, changed: has_changed } => {
                    delivery.stale(key, readers, *asked);
                    if *has_changed {
                        changed.entry(key).or_insert(*asked);
                    }
                }
            }
        }
        if !changed.is_empty() {
            delivery.broadcast(&changed);
        }
    }

    fn serve(&self, txn: &mut Txn) {
        if let Some(engine) = self.0.upgrade() {
            crate::execution::serving::serve_ready(&engine, txn);
        }
    }
}
