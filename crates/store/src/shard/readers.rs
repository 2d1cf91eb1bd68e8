//! Which clients have read which key of a shard, and are told when it changes.
//!
//! ```text
//!   index: hash ─► place         slots: (hash, key, clients ascending), dense
//! ```
//!
//! The slots are dense so that any of them can be drawn in O(1) when the table is full, and walked
//! in slices. A key counts whatever database it was read in. There is never a slot without clients.

use hashbrown::HashTable;
use smallvec::SmallVec;

/// Clients by their numbers, ascending.
pub type Ids = SmallVec<[u64; 2]>;

/// Bytes that a key takes beside its own: a slot, a place in the index, the cost of an allocation.
pub(crate) const PER_KEY: usize = size_of::<Slot>() + 2 * size_of::<usize>() + 16;
/// How many slots one sweep looks at: some microseconds.
const SWEEP: usize = 256;

struct Slot {
    hash: u64,
    key: Box<[u8]>,
    clients: Ids,
}

/// The readers of a shard's keys.
#[derive(Default)]
pub struct Readers {
    slots: Vec<Slot>,
    index: HashTable<usize>,
    ids: usize,
    /// Bytes of the keys.
    bytes: usize,
}

impl Readers {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The number of clients over all keys.
    pub fn ids(&self) -> usize {
        self.ids
    }

    /// Bytes of the keys.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a reader; `false` if it was there. O(n) in the readers of the key at worst.
    pub fn add(&mut self, hash: u64, key: &[u8], client: u64) -> bool {
        let slots = &self.slots;
        if let Some(&at) = self.index.find(hash, |&at| *slots[at].key == *key) {
            let clients = &mut self.slots[at].clients;
            let Err(place) = clients.binary_search(&client) else { return false };
            clients.insert(place, client);
        } else {
            self.index.insert_unique(hash, self.slots.len(), |&at| slots[at].hash);
            let clients = SmallVec::from_slice(&[client]);
            self.slots.push(Slot { hash, key: key.into(), clients });
            self.bytes += key.len();
        }
        self.ids += 1;
        true
    }

    /// Removes a key; its readers.
    pub fn take(&mut self, hash: u64, key: &[u8]) -> Option<Ids> {
        if self.slots.is_empty() {
            return None;
        }
        let slots = &self.slots;
        let at = *self.index.find(hash, |&at| *slots[at].key == *key)?;
        Some(self.remove(at).clients)
    }

    /// Removes the key that `pick` draws; it and its readers.
    pub fn take_any(&mut self, pick: u64) -> Option<(Box<[u8]>, Ids)> {
        let count = u64::try_from(self.slots.len()).ok().filter(|&n| n > 0)?;
        let slot = self.remove(usize::try_from(pick % count).ok()?);
        Some((slot.key, slot.clients))
    }

    /// Forgets clients that are gone, in some slots from `from` on; where to go on, 0 at the end.
    pub fn sweep(&mut self, from: usize, is_there: &dyn Fn(u64) -> bool) -> usize {
        let mut at = from;
        for _ in 0..SWEEP {
            let Some(slot) = self.slots.get_mut(at) else { break };
            let before = slot.clients.len();
            slot.clients.retain(|client| is_there(*client));
            self.ids -= before - slot.clients.len();
            if slot.clients.is_empty() {
                // The last slot takes its place and is looked at next.
                self.remove(at);
            } else {
                at += 1;
            }
        }
        if at < self.slots.len() { at } else { 0 }
    }

    fn remove(&mut self, at: usize) -> Slot {
        let hash = self.slots[at].hash;
        if let Ok(entry) = self.index.find_entry(hash, |&place| place == at) {
            entry.remove();
        }
        let slot = self.slots.swap_remove(at);
        self.ids -= slot.clients.len();
        self.bytes -= slot.key.len();
        if let Some(moved) = self.slots.get(at) {
            let last = self.slots.len();
            if let Some(place) = self.index.find_mut(moved.hash, |&place| place == last) {
                *place = at;
            }
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use base::Rng;

    use super::Readers;

    #[test]
    fn it_does_what_a_map_of_sets_does() {
        let mut rng = Rng::new(7);
        let mut readers = Readers::default();
        let mut model: BTreeMap<Vec<u8>, BTreeSet<u64>> = BTreeMap::new();
        for _ in 0..20_000 {
            let number = rng.below(60);
            let key = format!("key{number}").into_bytes();
            // Few different hashes: equal ones must be told apart.
            let hash = (number % 7) as u64;
            match rng.below(10) {
                0..6 => {
                    let client = rng.below(9) as u64;
                    let new = model.entry(key.clone()).or_default().insert(client);
                    assert_eq!(readers.add(hash, &key, client), new);
                }
                6 | 7 => {
                    let gone = readers.take(hash, &key).map(|ids| ids.into_iter().collect());
                    assert_eq!(gone, model.remove(&key));
                }
                8 => {
                    let any = readers.take_any(rng.next_u64());
                    assert_eq!(any.is_none(), model.is_empty());
                    if let Some((key, ids)) = any {
                        let ids: BTreeSet<u64> = ids.into_iter().collect();
                        assert_eq!(model.remove(key.as_ref()), Some(ids));
                    }
                }
                _ => {
                    let gone = rng.below(9) as u64;
                    let mut from = 0;
                    loop {
                        from = readers.sweep(from, &|client| client != gone);
                        if from == 0 {
                            break;
                        }
                    }
                    model.retain(|_, ids| {
                        ids.remove(&gone);
                        !ids.is_empty()
                    });
                }
            }
            assert_eq!(readers.len(), model.len());
            assert_eq!(readers.bytes(), model.keys().map(Vec::len).sum::<usize>());
            assert_eq!(readers.ids(), model.values().map(BTreeSet::len).sum::<usize>());
        }
    }
}
