//! What a client that caches replies hears of the keys that its query reads, while it reads them.
//!
//! ```text
//!   query begins ─► the key changes ─► "k is stale" ─► the reply, of before ─► "k is stale"
//! ```
//!
//! The client is told at once that a copy it has is stale, and the readers of the key are forgotten
//! then. The reply that comes later is as old as what is stale, and the client would keep it for
//! ever: so what it was told meanwhile of the keys of its query it is told once more, behind the
//! reply. A query and its note begin under the lock of the keys' shards, as reads do.

use parking_lot::Mutex;

/// The keys of a client's query, and which of them it has been told of.
#[derive(Default)]
pub(crate) struct QueryReads(Mutex<Option<Keys>>);

#[derive(Default)]
struct Keys {
    read: Vec<Box<[u8]>>,
    stale: StaleKeys,
}

/// What a client is to be told of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum StaleKeys {
    /// Nothing.
    #[default]
    None,
    /// These keys.
    Some(Vec<Box<[u8]>>),
    /// All that there are.
    All,
}

impl QueryReads {
    /// The client's query begins, which reads these keys.
    pub fn begin(&self, keys: impl Iterator<Item = Box<[u8]>>) {
        *self.0.lock() = Some(Keys { read: keys.collect(), ..Keys::default() });
    }

    /// The client is told that copies of these keys, or of all, are stale. To be called before.
    pub fn note(&self, told: Option<&[&[u8]]>) {
        let mut query = self.0.lock();
        let Some(Keys { read, stale }) = &mut *query else { return };
        let Some(told) = told else {
            *stale = StaleKeys::All;
            return;
        };
        for key in read.iter().filter(|key| told.contains(&&***key)) {
            match stale {
                StaleKeys::None => *stale = StaleKeys::Some(vec![key.clone()]),
                StaleKeys::Some(keys) if !keys.contains(key) => keys.push(key.clone()),
                StaleKeys::Some(_) | StaleKeys::All => {}
            }
        }
    }

    /// The reply is written: what it has to be told once more.
    pub fn end(&self) -> StaleKeys {
        self.0.lock().take().map_or(StaleKeys::None, |keys| keys.stale)
    }
}
