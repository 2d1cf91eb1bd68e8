//! Watching keys: a stream of their events.
//!
//! ```text
//!   transaction ─► engine's watchers ─► queue of this watcher ─► messages, as they are taken
//!                  (shards locked)       bounded
//! ```
//!
//! Events wait in a queue until the client takes them. The queue is bounded, and so is the sum of
//! all queues. A client that exceeds a bound has missed events, and its stream ends with an error
//! that says so: later events are never delivered after a gap.

use std::collections::VecDeque;
use std::sync::Arc;

use base::Event;
use bytes::Bytes;
use engine::{ClientMemory, WatchedKeys, Watcher, Watching};
use futures_util::stream::{self, Stream};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tonic::Status;

use crate::budget::{Budget, Share};
use crate::caller::{Caller, before, may_use};
use crate::generated::kvist::watch_response::Kind;
use crate::generated::kvist::{WatchEvent, WatchEvents, WatchRequest, WatchResponse, WatchStarted};
use crate::status;

/// Bytes of events that may wait for one watcher.
const QUEUE: usize = 1 << 20;
/// What an event takes beside its key.
const EVENT: usize = size_of::<KeyEvent>();
/// Events in a message.
const PAGE: usize = 512;
/// Names in a request.
const NAMES: usize = 10_000;

/// An event of a key.
struct KeyEvent {
    event: &'static str,
    key: Box<[u8]>,
}

/// Events of one watcher.
struct EventQueue {
    waiting: Mutex<PendingEvents>,
    wakeup: Notify,
}

struct PendingEvents {
    events: VecDeque<KeyEvent>,
    bytes: usize,
    share: Share,
    memory: ClientMemory,
    /// Some had no room.
    missed: bool,
}

impl EventQueue {
    fn new(budget: &Arc<Budget>, memory: ClientMemory) -> Arc<Self> {
        let share = Share::of(budget);
        let waiting =
            PendingEvents { events: VecDeque::new(), bytes: 0, share, memory, missed: false };
        Arc::new(EventQueue { waiting: Mutex::new(waiting), wakeup: Notify::new() })
    }

    /// The next events, all that there is room for in a message; `None` if some were missed.
    async fn next(&self) -> Option<Vec<WatchEvent>> {
        loop {
            {
                let mut waiting = self.waiting.lock();
                if waiting.missed {
                    return None;
                }
                if !waiting.events.is_empty() {
                    return Some(waiting.take());
                }
            }
            self.wakeup.notified().await;
        }
    }
}

impl PendingEvents {
    fn take(&mut self) -> Vec<WatchEvent> {
        let count = self.events.len().min(PAGE);
        let some = self.events.drain(..count);
        let events = some.map(|KeyEvent { event, key }| WatchEvent {
            event: event.to_owned(),
            key: Bytes::from(key),
        });
        let events: Vec<WatchEvent> = events.collect();
        if self.events.is_empty() {
            self.bytes = 0;
            self.share.clear();
            self.memory.set(0);
            self.events.shrink_to(PAGE);
        }
        events
    }
}

impl Watcher for EventQueue {
    fn hear(&self, event: &Event) {
        let mut waiting = self.waiting.lock();
        if waiting.missed {
            return;
        }
        let takes = EVENT + event.key.len();
        if waiting.bytes + takes > QUEUE || !waiting.share.take(takes) {
            waiting.missed = true;
            // They will not be delivered.
            waiting.events = VecDeque::new();
            waiting.share.clear();
            waiting.memory.set(0);
        } else {
            waiting.bytes += takes;
            waiting.memory.add(takes);
            waiting.events.push_back(KeyEvent { event: event.name, key: event.key.clone() });
            if waiting.events.len() > 1 {
                // The reader has been woken for the first and has not looked yet.
                return;
            }
        }
        drop(waiting);
        self.wakeup.notify_one();
    }
}

/// A stream's state.
struct Listener {
    caller: Caller,
    queue: Arc<EventQueue>,
    /// Ends when the stream does.
    _watching: Watching,
    started: bool,
    db: usize,
    /// The channel for which a subscriber's rights would be checked, one for each name.
    channels: Vec<Vec<u8>>,
    /// Counts the names, here and in the engine.
    _memory: ClientMemory,
}

/// The events of some keys.
///
/// # Errors
/// The user has no right to them; the request names too many, or none.
pub fn events(
    caller: Caller,
    request: WatchRequest,
) -> Result<impl Stream<Item = Result<WatchResponse, Status>> + Send, Status> {
    let WatchRequest { keys, prefixes, database } = request;
    if keys.is_empty() && prefixes.is_empty() {
        return Err(status::invalid("prefixes", "name keys or prefixes to watch"));
    }
    if keys.len() + prefixes.len() > NAMES {
        return Err(status::invalid("keys", "no more than 10000 keys and prefixes can be watched"));
    }
    let db = usize::try_from(database).unwrap_or(usize::MAX);
    let shared = Arc::clone(&caller.user.shared);
    if db >= shared.engine.store.databases() {
        return Err(status::no_such_database());
    }
    let channel =
        |name: &[u8], end: &[u8]| [format!("__keyspace@{db}__:").as_bytes(), name, end].concat();
    let mut channels: Vec<Vec<u8>> = keys.iter().map(|key| channel(key, b"")).collect();
    channels.extend(prefixes.iter().map(|prefix| channel(prefix, b"*")));
    may_hear(&caller, db, &channels)?;
    let watch = WatchedKeys {
        db,
        keys: keys.iter().map(|key| Box::from(&key[..])).collect(),
        prefixes: prefixes.iter().map(|prefix| Box::from(&prefix[..])).collect(),
    };
    let named = channels.iter().map(|channel| 2 * (size_of::<Vec<u8>>() + channel.len())).sum();
    let memory = caller.memory.memory().beside(named);
    let queue = EventQueue::new(&shared.watch_budget, memory.beside(0));
    let watcher: Arc<dyn Watcher> = Arc::clone(&queue) as _;
    let watching = shared.lock_worker().worker.watch(watch, watcher);
    let state = Listener {
        caller,
        queue,
        _watching: watching,
        started: false,
        db,
        channels,
        _memory: memory,
    };
    Ok(stream::try_unfold(state, |mut state| async move {
        let kind = state.next().await?;
        Ok(Some((WatchResponse { kind: Some(kind) }, state)))
    }))
}

/// Whether the caller might use the database, and subscribe to what is published of these keys: the
/// same rights.
fn may_hear(caller: &Caller, db: usize, channels: &[Vec<u8>]) -> Result<(), Status> {
    let mut argv: Vec<&[u8]> = vec![b"PSUBSCRIBE"];
    argv.extend(channels.iter().map(Vec::as_slice));
    let mut guard = caller.take_session()?;
    let shared = Arc::clone(guard.shared());
    let slot = shared.lock_worker();
    may_use(&slot.worker, guard.session(), db)?;
    let allowed = slot.worker.may(guard.session(), &argv);
    allowed.map_err(|error| status::refusal(error.bytes()))
}

impl Listener {
    async fn next(&mut self) -> Result<Kind, Status> {
        if !std::mem::replace(&mut self.started, true) {
            return Ok(Kind::Started(WatchStarted {}));
        }
        let events = before(self.caller.until, self.queue.next()).await?;
        let Some(events) = events else {
            return Err(status::exhausted("the watcher was too slow: some news were missed"));
        };
        // Rights may have been taken away since.
        may_hear(&self.caller, self.db, &self.channels)?;
        Ok(Kind::Events(WatchEvents { events }))
    }
}

#[cfg(test)]
mod tests {
    use base::Class;

    use super::*;

    fn event(key: &[u8]) -> Event {
        Event { class: Class::String, name: "set", db: 0, key: key.into() }
    }

    #[test]
    fn a_queue_has_an_end_and_gives_back_what_it_took() {
        let budget = Arc::new(Budget::new(QUEUE + QUEUE / 2));
        let (one, other) = (
            EventQueue::new(&budget, ClientMemory::default()),
            EventQueue::new(&budget, ClientMemory::default()),
        );
        let key = vec![b'k'; 1000];
        let fits = QUEUE / (1000 + EVENT);
        (0..fits).for_each(|_| one.hear(&event(&key)));
        assert!(!one.waiting.lock().missed);
        // What all may hold together ends sooner.
        (0..fits).for_each(|_| other.hear(&event(&key)));
        assert!(other.waiting.lock().missed && other.waiting.lock().events.is_empty());
        while !one.waiting.lock().events.is_empty() {
            assert_eq!(one.waiting.lock().take()[0].event, "set");
        }
        assert!(budget.take(QUEUE + QUEUE / 2));
    }

    #[test]
    fn one_too_many_ends_it() {
        let budget = Arc::new(Budget::new(usize::MAX));
        let queue = EventQueue::new(&budget, ClientMemory::default());
        let key = vec![b'k'; QUEUE / 2];
        queue.hear(&event(&key));
        queue.hear(&event(&key));
        assert!(queue.waiting.lock().missed);
        queue.hear(&event(b"later"));
        assert!(queue.waiting.lock().events.is_empty());
    }
}
