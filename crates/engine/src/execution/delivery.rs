//! Notifications on their way to clients: how each is encoded, and who is told.
//!
//! Runs under the locks of the shards the notifications are about, or in the thread of the client
//! that is told. It only posts to mailboxes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{Event, Protocol, Reply};
use store::{BY_EVENT, BY_KEY};
use wire::RespWriter;

use crate::client::query_reads::StaleKeys;
use crate::client::{Client, ClientId, Message};
use crate::engine::Engine;

/// The channel in which a RESP2 connection hears of stale copies.
const CHANNEL: &[u8] = b"__redis__:invalidate";

/// Tells a client once more what has become stale while its query read it: the reply is written.
#[cold]
pub(crate) fn tell_behind_query(engine: &Engine, client: &Client, stale: &StaleKeys) {
    let keys: Vec<&[u8]> = match stale {
        StaleKeys::None => return,
        StaleKeys::Some(keys) => keys.iter().map(|key| &**key).collect(),
        StaleKeys::All => Vec::new(),
    };
    let mut notice = Notice::of((*stale != StaleKeys::All).then_some(&keys));
    // No request of its own runs: it hears of it behind the reply, as of what others do.
    Delivery { engine, asker: 0, own: &mut Vec::new() }.send(client, &mut notice);
}

/// Delivers notifications, some of them to the client whose request caused them.
pub(super) struct Delivery<'t> {
    pub engine: &'t Engine,
    pub asker: ClientId,
    pub own: &'t mut Vec<u8>,
}

impl Delivery<'_> {
    /// Publishes an event, and tells those that watch keys.
    pub fn publish(&self, event: &Event) {
        self.engine.notify.watchers.tell(event);
        if !self.engine.notify.watchers.publishes(event) {
            return;
        }
        let Event { name, db, key, .. } = event;
        let channels = self.engine.store.interest();
        let name = name.as_bytes();
        if channels & BY_KEY != 0 {
            let channel = [format!("__keyspace@{db}__:").as_bytes(), key].concat();
            self.publish_in(&channel, name);
        }
        if channels & BY_EVENT != 0 {
            let channel = [format!("__keyevent@{db}__:").as_bytes(), name].concat();
            self.publish_in(&channel, key);
        }
    }

    /// A client that listens to what it does itself gets that, too, through its mailbox: what
    /// others do is in there, and has its place in the order.
    fn publish_in(&self, channel: &[u8], message: &[u8]) {
        const NO_CLIENT: ClientId = 0;
        self.engine.notify.pubsub.publish(channel, message, NO_CLIENT, &mut |_| ());
    }

    /// Tells the readers of a key.
    pub fn stale(&mut self, key: &[u8], readers: &[ClientId], asked: bool) {
        let keys = [key];
        let mut notice = Notice::of(Some(&keys));
        for &reader in readers {
            let Some(client) = self.engine.clients.get(reader) else { continue };
            // It may have changed its mind since it read the key.
            let on = client.tracking.on.load(Ordering::Relaxed);
            let elsewhere = client.tracking.broadcast.load(Ordering::Relaxed);
            if on && !elsewhere && !(asked && self.is_spared(&client)) {
                self.send(&client, &mut notice);
            }
        }
    }

    /// Tells every tracking client that all copies are stale.
    pub fn all_stale(&mut self) {
        let mut notice = Notice::of(None);
        for client in self.engine.clients.all() {
            if client.tracking.on.load(Ordering::Relaxed) {
                self.send(&client, &mut notice);
            }
        }
    }

    /// Tells the clients that track by prefix.
    pub fn broadcast(&mut self, changed: &BTreeMap<&[u8], bool>) {
        let tracking = &self.engine.notify.tracking;
        tracking.each_prefix(changed, |keys, listeners| {
            let all: Vec<&[u8]> = keys.iter().map(|(key, _)| *key).collect();
            let mut notice = Notice::of(Some(&all));
            for client in listeners.values() {
                if !self.is_spared(client) {
                    self.send(client, &mut notice);
                    continue;
                }
                let others = keys.iter().filter(|(_, asked)| !asked);
                let others: Vec<&[u8]> = others.map(|(key, _)| *key).collect();
                if !others.is_empty() {
                    self.send(client, &mut Notice::of(Some(&others)));
                }
            }
        });
    }

    /// Whether a client does not want to hear of what the running request does: it is its own.
    fn is_spared(&self, client: &Client) -> bool {
        client.id == self.asker && client.tracking.no_loop.load(Ordering::Relaxed)
    }

    /// Sends a notice to a client, or to the one it named instead.
    fn send(&mut self, client: &Client, notice: &mut Notice<'_>) {
        client.tracking.query.note(notice.keys);
        let redirect = client.tracking.redirect.load(Ordering::Relaxed);
        if redirect == 0 {
            if speaks_resp3(client) {
                let message = notice.push();
                self.post(client, message);
            }
            return;
        }
        let other = self.engine.clients.get(redirect);
        // It may have been told already that its connection ends.
        let Some(other) = other.filter(|other| !other.state.gone.load(Ordering::Acquire)) else {
            client.tracking.broken_redirect.store(true, Ordering::Relaxed);
            if speaks_resp3(client) {
                self.post(client, broken(redirect));
            }
            return;
        };
        if speaks_resp3(&other) {
            self.post(&other, notice.push());
        } else if other.is_subscriber() {
            self.post(&other, notice.message());
        }
    }

    fn post(&mut self, client: &Client, message: Arc<[u8]>) {
        if client.id == self.asker {
            self.own.extend_from_slice(&message);
        } else {
            client.mailbox.post(client.id, Message::Push(message));
        }
    }
}

fn speaks_resp3(client: &Client) -> bool {
    client.resp.load(Ordering::Relaxed) == 3
}

/// Which copies are stale, encoded in each form at most once.
struct Notice<'k> {
    /// The keys; `None` is all of them.
    keys: Option<&'k [&'k [u8]]>,
    push: Option<Arc<[u8]>>,
    message: Option<Arc<[u8]>>,
}

impl<'k> Notice<'k> {
    fn of(keys: Option<&'k [&'k [u8]]>) -> Self {
        Notice { keys, push: None, message: None }
    }

    /// For a client that speaks RESP3.
    fn push(&mut self) -> Arc<[u8]> {
        let keys = self.keys;
        Arc::clone(self.push.get_or_insert_with(|| {
            encoded(Protocol::Resp3, |out| {
                out.push(2);
                out.bulk(b"invalidate");
                write_keys(keys, out);
            })
        }))
    }

    /// For a client that speaks RESP2 and listens to channels.
    fn message(&mut self) -> Arc<[u8]> {
        let keys = self.keys;
        Arc::clone(self.message.get_or_insert_with(|| {
            encoded(Protocol::Resp2, |out| {
                out.push(3);
                out.bulk(b"message");
                out.bulk(CHANNEL);
                write_keys(keys, out);
            })
        }))
    }
}

fn write_keys(keys: Option<&[&[u8]]>, out: &mut RespWriter<'_>) {
    match keys {
        Some(keys) => {
            out.array(keys.len());
            keys.iter().for_each(|key| out.bulk(key));
        }
        None => out.null(),
    }
}

/// What a client gets whose notices go to a client that is gone.
fn broken(redirect: ClientId) -> Arc<[u8]> {
    encoded(Protocol::Resp3, |out| {
        out.push(2);
        out.bulk(b"tracking-redir-broken");
        out.int(i64::try_from(redirect).unwrap_or(i64::MAX));
    })
}

fn encoded(protocol: Protocol, write: impl FnOnce(&mut RespWriter<'_>)) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    write(&mut RespWriter::new(&mut bytes, protocol));
    bytes.into()
}
