//! Publish and subscribe: who listens to which channel or pattern.
//!
//! One register for all threads: publishing reads it under a shared lock and posts one encoded
//! message per protocol to the listeners' owners.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{Protocol, Reply, glob};
use hashbrown::HashMap;
use parking_lot::RwLock;
use wire::RespWriter;

use crate::client::{Client, ClientId, Message};
use crate::session::Session;

type Listeners = HashMap<ClientId, Arc<Client>>;

/// The register of listeners.
#[derive(Default)]
pub struct PubSub {
    channels: RwLock<HashMap<Arc<[u8]>, Listeners>>,
    patterns: RwLock<HashMap<Arc<[u8]>, Listeners>>,
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

impl PubSub {
    /// Sends `message` to everybody who listens to `channel`; how many that are. A message to the
    /// publisher itself is handed to `own` instead, to be written before its reply.
    pub fn publish(
        &self,
        channel: &[u8],
        message: &[u8],
        publisher: ClientId,
        own: &mut dyn FnMut(&[u8]),
    ) -> usize {
        let mut receivers = 0;
        let mut send = |client: &Client, encoded: Arc<[u8]>| {
            receivers += 1;
            if client.id == publisher {
                own(&encoded);
            } else {
                client.mailbox.post(client.id, Message::Push(encoded));
            }
        };
        if let Some(listeners) = self.channels.read().get(channel) {
            let mut encoded = Encoded::default();
            for client in listeners.values() {
                send(client, encoded.get(client, &[b"message", channel, message]));
            }
        }
        for (pattern, listeners) in self.patterns.read().iter() {
            if !glob::matches(pattern, channel) {
                continue;
            }
            let mut encoded = Encoded::default();
            for client in listeners.values() {
                send(client, encoded.get(client, &[b"pmessage", pattern, channel, message]));
            }
        }
        receivers
    }

    /// Listens to a channel; `false` if it did already.
    pub fn subscribe(&self, session: &mut Session, channel: &[u8]) -> bool {
        let new = join(&self.channels, &session.client, channel);
        if let Some(name) = new {
            session.channels.insert(name);
            session.client.channels.store(session.channels.len(), Ordering::Relaxed);
            return true;
        }
        false
    }

    /// Listens to a pattern; `false` if it did already.
    pub fn subscribe_pattern(&self, session: &mut Session, pattern: &[u8]) -> bool {
        let new = join(&self.patterns, &session.client, pattern);
        if let Some(name) = new {
            session.patterns.insert(name);
            session.client.patterns.store(session.patterns.len(), Ordering::Relaxed);
            return true;
        }
        false
    }

    /// Stops listening to a channel; whether it did.
    pub fn unsubscribe(&self, session: &mut Session, channel: &[u8]) -> bool {
        leave(&self.channels, session.client.id, channel);
        let did = session.channels.remove(channel);
        session.client.channels.store(session.channels.len(), Ordering::Relaxed);
        did
    }

    /// Stops listening to a pattern; whether it did.
    pub fn unsubscribe_pattern(&self, session: &mut Session, pattern: &[u8]) -> bool {
        leave(&self.patterns, session.client.id, pattern);
        let did = session.patterns.remove(pattern);
        session.client.patterns.store(session.patterns.len(), Ordering::Relaxed);
        did
    }

    /// Stops listening to anything.
    pub fn leave_all(&self, session: &mut Session) {
        for channel in session.channels.clone() {
            self.unsubscribe(session, &channel);
        }
        for pattern in session.patterns.clone() {
            self.unsubscribe_pattern(session, &pattern);
        }
    }

    /// Channels somebody listens to, with how many do.
    #[must_use]
    pub fn channels(&self) -> Vec<(Arc<[u8]>, usize)> {
        self.channels.read().iter().map(|(name, who)| (Arc::clone(name), who.len())).collect()
    }

    /// How many listen to a channel.
    #[must_use]
    pub fn listeners(&self, channel: &[u8]) -> usize {
        self.channels.read().get(channel).map_or(0, HashMap::len)
    }

    /// How many different patterns are listened to.
    #[must_use]
    pub fn patterns(&self) -> usize {
        self.patterns.read().len()
    }
}

fn join(
    register: &RwLock<HashMap<Arc<[u8]>, Listeners>>,
    client: &Arc<Client>,
    name: &[u8],
) -> Option<Arc<[u8]>> {
    let mut register = register.write();
    let name: Arc<[u8]> = match register.get_key_value(name) {
        Some((name, _)) => Arc::clone(name),
        None => name.into(),
    };
    let listeners = register.entry(Arc::clone(&name)).or_default();
    listeners.insert(client.id, Arc::clone(client)).is_none().then_some(name)
}

fn leave(register: &RwLock<HashMap<Arc<[u8]>, Listeners>>, id: ClientId, name: &[u8]) {
    let mut register = register.write();
    if let Some(listeners) = register.get_mut(name) {
        listeners.remove(&id);
        if listeners.is_empty() {
            register.remove(name);
        }
    }
}
