//! Watching: what happens to some keys, as a stream.
//!
//! ```text
//!   transaction ─► engine's watchers ─► queue of this watcher ─► messages, as they are taken
//!                  (shards locked)       bounded
//! ```
//!
//! News wait in a queue while the client takes its time. It has an end, as has what all queues may
//! hold together; whoever lets it come to that has missed something, and is told so by the end of
//! the stream. It never hears of a later event as if nothing were missing.

use std::collections::VecDeque;
use std::sync::Arc;

use base::Event;
use bytes::Bytes;
use engine::{Watch, Watcher, Watching};
use futures_util::stream::{self, Stream};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tonic::Status;

use crate::budget::{Budget, Share};
use crate::caller::{Caller, before};
use crate::generated::kvist::watch_response::Kind;
use crate::generated::kvist::{WatchEvent, WatchEvents, WatchRequest, WatchResponse, WatchStarted};
use crate::status;

/// Bytes of news that may wait for one watcher.
const QUEUE: usize = 1 << 20;
/// What an event takes beside its key.
const EVENT: usize = size_of::<News>();
/// Events in a message.
const PAGE: usize = 512;
/// Names in a request.
const NAMES: usize = 10_000;

/// Something that happened.
struct News {
    event: &'static str,
    key: Box<[u8]>,
}

/// News of one watcher.
struct Queue {
    waiting: Mutex<Waiting>,
    bell: Notify,
}

struct Waiting {
    news: VecDeque<News>,
    bytes: usize,
    share: Share,
    /// Some had no room.
    missed: bool,
}

impl Queue {
    fn new(budget: &Arc<Budget>) -> Arc<Self> {
        let share = Share::of(budget);
        let waiting = Waiting { news: VecDeque::new(), bytes: 0, share, missed: false };
        Arc::new(Queue { waiting: Mutex::new(waiting), bell: Notify::new() })
    }

    /// The next news, all that there is room for in a message; `None` if some were missed.
    async fn next(&self) -> Option<Vec<WatchEvent>> {
        loop {
            {
                let mut waiting = self.waiting.lock();
                if waiting.missed {
                    return None;
                }
                if !waiting.news.is_empty() {
                    return Some(waiting.take());
                }
            }
            self.bell.notified().await;
        }
    }
}

impl Waiting {
    fn take(&mut self) -> Vec<WatchEvent> {
        let count = self.news.len().min(PAGE);
        let some = self.news.drain(..count);
        let events = some.map(|News { event, key }| WatchEvent {
            event: event.to_owned(),
            key: Bytes::from(key),
        });
        let events: Vec<WatchEvent> = events.collect();
        if self.news.is_empty() {
            self.bytes = 0;
            self.share.clear();
            self.news.shrink_to(PAGE);
        }
        events
    }
}

impl Watcher for Queue {
    fn hear(&self, event: &Event) {
        let mut waiting = self.waiting.lock();
        if waiting.missed {
            return;
        }
        let takes = EVENT + event.key.len();
        if waiting.bytes + takes > QUEUE || !waiting.share.take(takes) {
            waiting.missed = true;
            // Nobody will be told of them.
            waiting.news = VecDeque::new();
            waiting.share.clear();
        } else {
            waiting.bytes += takes;
            waiting.news.push_back(News { event: event.name, key: event.key.clone() });
            if waiting.news.len() > 1 {
                // Whoever was told of the first has not looked yet.
                return;
            }
        }
        drop(waiting);
        self.bell.notify_one();
    }
}

/// A stream's state.
struct Listener {
    caller: Caller,
    queue: Arc<Queue>,
    /// Ends when the stream does.
    _watching: Watching,
    started: bool,
    /// The request for which a subscriber would be judged, one for each name.
    judged: Vec<Vec<u8>>,
}

/// The news of some keys.
///
/// # Errors
/// The user may not hear them; the request names too many, or none.
pub fn news(
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
    let house = Arc::clone(&caller.guest.house);
    if db >= house.engine.store.databases() {
        return Err(status::no_such_database());
    }
    let channel =
        |name: &[u8], end: &[u8]| [format!("__keyspace@{db}__:").as_bytes(), name, end].concat();
    let mut judged: Vec<Vec<u8>> = keys.iter().map(|key| channel(key, b"")).collect();
    judged.extend(prefixes.iter().map(|prefix| channel(prefix, b"*")));
    may_hear(&caller, &judged)?;
    let watch = Watch {
        db,
        keys: keys.iter().map(|key| Box::from(&key[..])).collect(),
        prefixes: prefixes.iter().map(|prefix| Box::from(&prefix[..])).collect(),
    };
    let queue = Queue::new(&house.news);
    let watcher: Arc<dyn Watcher> = Arc::clone(&queue) as _;
    let watching = house.sit().worker.watch(watch, watcher);
    let state = Listener { caller, queue, _watching: watching, started: false, judged };
    Ok(stream::try_unfold(state, |mut state| async move {
        let kind = state.next().await?;
        Ok(Some((WatchResponse { kind: Some(kind) }, state)))
    }))
}

/// Whether the caller might subscribe to what is published of these keys: the same rights.
fn may_hear(caller: &Caller, channels: &[Vec<u8>]) -> Result<(), Status> {
    let mut argv: Vec<&[u8]> = vec![b"PSUBSCRIBE"];
    argv.extend(channels.iter().map(Vec::as_slice));
    let mut held = caller.hold()?;
    let house = Arc::clone(held.house());
    let judged = house.sit().worker.may(held.session(), &argv);
    judged.map_err(|error| status::refusal(error.bytes()))
}

impl Listener {
    async fn next(&mut self) -> Result<Kind, Status> {
        if !std::mem::replace(&mut self.started, true) {
            return Ok(Kind::Started(WatchStarted {}));
        }
        let news = before(self.caller.until, self.queue.next()).await?;
        let Some(events) = news else {
            return Err(status::exhausted("the watcher was too slow: some news were missed"));
        };
        // Rights may have been taken away since.
        may_hear(&self.caller, &self.judged)?;
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
        let (one, other) = (Queue::new(&budget), Queue::new(&budget));
        let key = vec![b'k'; 1000];
        let fits = QUEUE / (1000 + EVENT);
        (0..fits).for_each(|_| one.hear(&event(&key)));
        assert!(!one.waiting.lock().missed);
        // What all may hold together ends sooner.
        (0..fits).for_each(|_| other.hear(&event(&key)));
        assert!(other.waiting.lock().missed && other.waiting.lock().news.is_empty());
        while !one.waiting.lock().news.is_empty() {
            assert_eq!(one.waiting.lock().take()[0].event, "set");
        }
        assert!(budget.take(QUEUE + QUEUE / 2));
    }

    #[test]
    fn one_too_many_ends_it() {
        let budget = Arc::new(Budget::new(usize::MAX));
        let queue = Queue::new(&budget);
        let key = vec![b'k'; QUEUE / 2];
        queue.hear(&event(&key));
        queue.hear(&event(&key));
        assert!(queue.waiting.lock().missed);
        queue.hear(&event(b"later"));
        assert!(queue.waiting.lock().news.is_empty());
    }
}
