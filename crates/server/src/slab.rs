//! Where a worker keeps its connections: numbered slots that are reused, each with a generation, so
//! that a message for a closed connection never reaches the next one in its slot.
//!
//! ```text
//!   token (usize, 64 bits):  | generation: 32 | index: 32 |
//! ```
//!
//! It must never hand out an index at or above [`RESERVED`]: those tokens belong to the loop's
//! own sources (its waker and listeners).

/// Tokens with this index or a higher one are never connections.
pub const RESERVED: u32 = 0xFFFF_0000;

const _: () = assert!(usize::BITS == 64, "tokens pack two 32-bit numbers");

/// A connection's key in its worker's slab, valid for one generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConnectionKey {
    generation: u32,
    index: u32,
}

impl ConnectionKey {
    /// As a token for the poller.
    #[must_use]
    pub fn token(self) -> mio::Token {
        mio::Token((self.generation as usize) << 32 | self.index as usize)
    }

    /// The key a token stands for; `None` for the loop's own sources.
    #[must_use]
    pub fn of(token: mio::Token) -> Option<Self> {
        let index = u32::try_from(token.0 & 0xFFFF_FFFF).ok()?;
        let generation = u32::try_from(token.0 >> 32).ok()?;
        (index < RESERVED).then_some(ConnectionKey { generation, index })
    }
}

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// Values in slots that are reused.
pub struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    /// An empty slab.
    #[must_use]
    pub fn new() -> Self {
        Slab { slots: Vec::new(), free: Vec::new() }
    }

    /// The key the next value will get; `None` when all are taken.
    #[must_use]
    pub fn next_key(&self) -> Option<ConnectionKey> {
        if let Some(&index) = self.free.last() {
            return Some(ConnectionKey {
                generation: self.slots[index as usize].generation,
                index,
            });
        }
        let index = u32::try_from(self.slots.len()).ok().filter(|&i| i < RESERVED)?;
        Some(ConnectionKey { generation: 0, index })
    }

    /// Puts a value at [`Slab::next_key`].
    pub fn insert(&mut self, value: T) {
        match self.free.pop() {
            Some(index) => self.slots[index as usize].value = Some(value),
            None => self.slots.push(Slot { generation: 0, value: Some(value) }),
        }
    }

    /// The value with a key, unless it has been removed.
    #[must_use]
    pub fn get(&self, key: ConnectionKey) -> Option<&T> {
        let slot = self.slots.get(key.index as usize)?;
        if slot.generation == key.generation { slot.value.as_ref() } else { None }
    }

    /// The value with a key, to change, unless it has been removed.
    #[inline]
    pub fn get_mut(&mut self, key: ConnectionKey) -> Option<&mut T> {
        let slot = self.slots.get_mut(key.index as usize)?;
        if slot.generation == key.generation { slot.value.as_mut() } else { None }
    }

    /// Takes the value with a key out for a while; the slot stays reserved.
    #[inline]
    pub fn lend(&mut self, key: ConnectionKey) -> Option<T> {
        let slot = self.slots.get_mut(key.index as usize)?;
        if slot.generation == key.generation { slot.value.take() } else { None }
    }

    /// Puts back what was lent.
    #[inline]
    pub fn give_back(&mut self, key: ConnectionKey, value: T) {
        if let Some(slot) = self.slots.get_mut(key.index as usize) {
            slot.value = Some(value);
        }
    }

    /// Whether the value with a key is lent.
    #[must_use]
    pub fn is_lent(&self, key: ConnectionKey) -> bool {
        let slot = self.slots.get(key.index as usize);
        slot.is_some_and(|slot| slot.generation == key.generation && slot.value.is_none())
    }

    /// Removes the value with a key. The slot gets a new generation.
    pub fn remove(&mut self, key: ConnectionKey) -> Option<T> {
        let slot = self.slots.get_mut(key.index as usize)?;
        if slot.generation != key.generation {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(key.index);
        Some(value)
    }

    /// All values with their keys.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (ConnectionKey, &mut T)> {
        self.slots.iter_mut().zip(0u32..).filter_map(|(slot, index)| {
            let key = ConnectionKey { generation: slot.generation, index };
            slot.value.as_mut().map(|value| (key, value))
        })
    }

    /// The keys of all values.
    #[must_use]
    pub fn keys(&mut self) -> Vec<ConnectionKey> {
        self.iter_mut().map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_dies_with_its_value() {
        let mut slab = Slab::new();
        let first = slab.next_key().unwrap();
        slab.insert("a");
        let second = slab.next_key().unwrap();
        slab.insert("b");
        assert_eq!(slab.remove(first), Some("a"));
        assert_eq!(slab.remove(first), None);
        let third = slab.next_key().unwrap();
        slab.insert("c");
        assert_ne!(first, third);
        assert_eq!(slab.get_mut(first), None);
        assert_eq!(slab.get_mut(third), Some(&mut "c"));
        assert_eq!(slab.get_mut(second), Some(&mut "b"));
        assert_eq!(slab.keys().len(), 2);
    }

    #[test]
    fn what_is_lent_keeps_its_place() {
        let mut slab = Slab::new();
        let key = slab.next_key().unwrap();
        slab.insert("a");
        assert_eq!(slab.lend(key), Some("a"));
        assert_eq!((slab.lend(key), slab.get_mut(key)), (None, None));
        assert!(slab.is_lent(key) && slab.next_key().unwrap() != key);
        slab.give_back(key, "b");
        assert_eq!(slab.get_mut(key), Some(&mut "b"));
        assert!(!slab.is_lent(key));
        slab.remove(key);
        assert!(!slab.is_lent(key));
    }

    #[test]
    fn tokens_carry_places_and_nothing_else() {
        let mut slab = Slab::new();
        slab.insert(());
        let old = ConnectionKey { generation: 0, index: 0 };
        slab.remove(old);
        let key = slab.next_key().unwrap();
        assert_eq!(ConnectionKey::of(key.token()), Some(key));
        assert_ne!(key.token(), old.token());
        assert_eq!(ConnectionKey::of(mio::Token(usize::MAX)), None);
    }
}
