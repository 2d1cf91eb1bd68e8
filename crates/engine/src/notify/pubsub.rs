//! Publish and subscribe: which clients listen to which channel or pattern.
//!
//! One register for all threads: publishing reads it under a shared lock and posts one encoded
//! message per protocol to the listeners' owners.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{Protocol, Reply, glob};
use hashbrown::{HashMap, HashSet};
use parking_lot::RwLock;
use wire::RespWriter;

use crate::client::session::Session;
use crate::client::{Client, ClientId, Message};

/// What can be listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A channel by its name.
    Channel,
    /// All channels whose name matches.
    Pattern,
    /// A shard channel by its name. Without a cluster it differs from a channel only in that the
    /// two never hear each other.
    Shard,
}

type Listeners = HashMap<ClientId, Arc<Client>>;
type Register = RwLock<HashMap<Arc<[u8]>, Listeners>>;

/// The register of listeners.
#[derive(Default)]
pub struct PubSub {
    channels: Register,
    patterns: Register,
    shard_channels: Register,
}

/// An encoded message, once per protocol, made when first needed.
#[derive(Default)]
struct Encoded([Option<Arc<[u8]>>; 2]);

impl Encoded {
    fn get(&mut self, client: &Client, words: &[&[u8]]) -> Arc<[u8]> {
        let resp3 = client.resp.load(Ordering::Relaxed) == 3;
        let slot = &mut self.0[usize::from(resp3)];
        Arc::clone(slot.get_or_insert_with(|| {
            let protocol = if resp3 { Protocol::Resp3 } else { Protocol::Resp2 };
            let mut bytes = Vec::new();
            let mut writer = RespWriter::new(&mut bytes, protocol);
            writer.push(words.len());
            words.iter().for_each(|word| writer.bulk(word));
            bytes.into()
        }))
    }
}

/// Hands messages over and counts them.
struct Sender<'s> {
    publisher: ClientId,
    own: &'s mut dyn FnMut(&[u8]),
    receivers: usize,
}

impl Sender<'_> {
    fn send(&mut self, listeners: &Listeners, words: &[&[u8]]) {
        let mut encoded = Encoded::default();
        for client in listeners.values() {
            self.receivers += 1;
            let message = encoded.get(client, words);
            if client.id == self.publisher {
                (self.own)(&message);
            } else {
                client.mailbox.post(client.id, Message::Push(message));
            }
        }
    }
}

impl PubSub {
    /// Sends `message` to every client that listens to `channel`; how many that are. A message to
    /// the publisher itself is handed to `own` instead, to be written before its reply.
    pub fn publish(
        &self,
        channel: &[u8],
        message: &[u8],
        publisher: ClientId,
        own: &mut dyn FnMut(&[u8]),
    ) -> usize {
        let mut sender = Sender { publisher, own, receivers: 0 };
        if let Some(listeners) = self.channels.read().get(channel) {
            sender.send(listeners, &[b"message", channel, message]);
        }
        for (pattern, listeners) in self.patterns.read().iter() {
            if glob::matches(pattern, channel) {
                sender.send(listeners, &[b"pmessage", pattern, channel, message]);
            }
        }
        sender.receivers
    }

    /// As [`PubSub::publish`], for a shard channel: patterns do not see it.
    pub fn publish_shard(
        &self,
        channel: &[u8],
        message: &[u8],
        publisher: ClientId,
        own: &mut dyn FnMut(&[u8]),
    ) -> usize {
        let mut sender = Sender { publisher, own, receivers: 0 };
        if let Some(listeners) = self.shard_channels.read().get(channel) {
            sender.send(listeners, &[b"smessage", channel, message]);
        }
        sender.receivers
    }

    /// How many would hear a message to a channel.
    pub(crate) fn receivers(&self, channel: &[u8], sharded: bool) -> usize {
        if sharded {
            return self.listeners(Topic::Shard, channel);
        }
        let patterns = self.patterns.read();
        let by_pattern = patterns.iter().filter(|(pattern, _)| glob::matches(pattern, channel));
        let by_pattern: usize = by_pattern.map(|(_, listeners)| listeners.len()).sum();
        self.listeners(Topic::Channel, channel) + by_pattern
    }

    /// Shows every subscription: to what, and whose. No client can subscribe meanwhile.
    pub(crate) fn each_subscription(&self, mut look: impl FnMut(Topic, &[u8], &Arc<Client>)) {
        for topic in [Topic::Channel, Topic::Pattern, Topic::Shard] {
            for (name, listeners) in self.register(topic).read().iter() {
                listeners.values().for_each(|client| look(topic, name, client));
            }
        }
    }

    /// Listens to a name; `false` if the session did already.
    pub fn subscribe(&self, session: &mut Session, topic: Topic, name: &[u8]) -> bool {
        let Some(name) = join(self.register(topic), &session.client, name) else { return false };
        session.client.bytes.interests.fetch_add(bytes_of(&name), Ordering::Relaxed);
        let (names, count) = names_of(session, topic);
        names.insert(name);
        count.store(names.len(), Ordering::Relaxed);
        true
    }

    /// Stops listening to a name; whether the session did.
    pub fn unsubscribe(&self, session: &mut Session, topic: Topic, name: &[u8]) -> bool {
        let (names, count) = names_of(session, topic);
        let did = names.remove(name);
        if did {
            count.store(names.len(), Ordering::Relaxed);
            leave(self.register(topic), session.client.id, name);
            session.client.bytes.interests.fetch_sub(bytes_of(name), Ordering::Relaxed);
        }
        did
    }

    /// Stops listening to anything.
    pub fn leave_all(&self, session: &mut Session) {
        for topic in [Topic::Channel, Topic::Pattern, Topic::Shard] {
            let (names, count) = names_of(session, topic);
            let names = std::mem::take(names);
            count.store(0, Ordering::Relaxed);
            for name in names {
                leave(self.register(topic), session.client.id, &name);
                session.client.bytes.interests.fetch_sub(bytes_of(&name), Ordering::Relaxed);
            }
        }
    }

    /// The names with listeners.
    #[must_use]
    pub fn names(&self, topic: Topic) -> Vec<Arc<[u8]>> {
        self.register(topic).read().keys().map(Arc::clone).collect()
    }

    /// How many different names are listened to.
    #[must_use]
    pub fn count(&self, topic: Topic) -> usize {
        self.register(topic).read().len()
    }

    /// How many clients listen to a name.
    #[must_use]
    pub fn listeners(&self, topic: Topic, name: &[u8]) -> usize {
        self.register(topic).read().get(name).map_or(0, HashMap::len)
    }

    fn register(&self, topic: Topic) -> &Register {
        match topic {
            Topic::Channel => &self.channels,
            Topic::Pattern => &self.patterns,
            Topic::Shard => &self.shard_channels,
        }
    }
}

/// What a subscription to a name takes: its place in the session, and the one in the register. Who
/// else listens to that name is not asked: the name counts for all.
fn bytes_of(name: &[u8]) -> usize {
    /// Both places, about.
    const PLACES: usize = 100;
    PLACES + name.len()
}

/// The session's own list, and its public count.
fn names_of(session: &mut Session, topic: Topic) -> (&mut HashSet<Arc<[u8]>>, &AtomicUsize) {
    let client = &*session.client;
    match topic {
        Topic::Channel => (&mut session.listens.channels, &client.subscribed.channels),
        Topic::Pattern => (&mut session.listens.patterns, &client.subscribed.patterns),
        Topic::Shard => (&mut session.listens.shard_channels, &client.subscribed.shard_channels),
    }
}

fn join(register: &Register, client: &Arc<Client>, name: &[u8]) -> Option<Arc<[u8]>> {
    let mut register = register.write();
    let name: Arc<[u8]> = match register.get_key_value(name) {
        Some((name, _)) => Arc::clone(name),
        None => name.into(),
    };
    let listeners = register.entry(Arc::clone(&name)).or_default();
    listeners.insert(client.id, Arc::clone(client)).is_none().then_some(name)
}

fn leave(register: &Register, id: ClientId, name: &[u8]) {
    let mut register = register.write();
    if let Some(listeners) = register.get_mut(name) {
        listeners.remove(&id);
        if listeners.is_empty() {
            register.remove(name);
        }
    }
}
