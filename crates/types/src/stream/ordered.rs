//! Items in the order of their ids: what is pending.
//!
//! ```text
//!   chunks   +------+------+------+------+
//!   (deque)  |  *   |  *   |  *   |  *   |      each a sorted run of up to 128 items
//!            +--|---+--|---+--|---+--|---+
//!               v      v      v      v
//!             1 2 3  5 6 8  9      12 13
//! ```
//!
//! What is delivered comes at the end and is mostly acknowledged from the front, and both cost
//! O(1) chunk there. Anywhere else an edit moves at most one chunk's items, and the headers of
//! chunks when one comes or goes. Chunks are full when filled in order, which trees are not.

use std::collections::VecDeque;

use base::StreamId;
use table::size_class;

use table::room;

/// Items of a full chunk.
const MOST: usize = 128;

/// What has an id.
pub(super) trait Keyed: Copy {
    fn id(&self) -> StreamId;
}

impl Keyed for StreamId {
    fn id(&self) -> StreamId {
        *self
    }
}

/// See the [module](self).
pub(super) struct Ordered<T> {
    chunks: VecDeque<Vec<T>>,
    len: usize,
    /// Bytes allocated by the chunks.
    bytes: usize,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered { chunks: VecDeque::new(), len: 0, bytes: 0 }
    }
}

impl<T: Keyed> Ordered<T> {
    /// How many items there are. O(1).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Heap bytes. O(1).
    pub fn memory(&self) -> usize {
        size_class(self.chunks.capacity() * size_of::<Vec<T>>()) + self.bytes
    }

    /// The chunk in which `id` is, or would be.
    fn chunk_of(&self, id: StreamId) -> usize {
        let behind = |chunk: &Vec<T>| chunk.first().is_some_and(|item| item.id() <= id);
        self.chunks.partition_point(behind).saturating_sub(1)
    }

    fn find(&self, id: StreamId) -> Option<(usize, usize)> {
        let at = self.chunk_of(id);
        let place = self.chunks.get(at)?.binary_search_by_key(&id, Keyed::id).ok()?;
        Some((at, place))
    }

    /// The item with this id. O(log n).
    pub fn get(&self, id: StreamId) -> Option<&T> {
        let (at, place) = self.find(id)?;
        Some(&self.chunks[at][place])
    }

    /// Adds an item, or replaces the one with its id; what was there. Amortised O(log n).
    pub fn insert(&mut self, item: T) -> Option<T> {
        let at = self.chunk_of(item.id());
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.start(0, item);
            return None;
        };
        let place = match chunk.binary_search_by_key(&item.id(), Keyed::id) {
            Ok(place) => return Some(std::mem::replace(&mut chunk[place], item)),
            Err(place) => place,
        };
        if chunk.len() >= MOST {
            if place == chunk.len() {
                self.start(at + 1, item);
                return None;
            }
            let before = room::of_vec(chunk);
            let mut rest = Vec::new();
            room::reserve(&mut rest, MOST / 2);
            rest.extend(chunk.drain(MOST / 2..));
            room::shrink(chunk);
            self.bytes = self.bytes - before + room::of_vec(chunk) + room::of_vec(&rest);
            self.chunks.insert(at + 1, rest);
            return self.insert(item);
        }
        let before = room::of_vec(chunk);
        room::reserve(chunk, 1);
        chunk.insert(place, item);
        self.bytes = self.bytes - before + room::of_vec(chunk);
        self.len += 1;
        None
    }

    /// A chunk of one item, as number `at`.
    fn start(&mut self, at: usize, item: T) {
        let mut chunk = Vec::new();
        room::reserve(&mut chunk, 1);
        chunk.push(item);
        self.bytes += room::of_vec(&chunk);
        self.chunks.insert(at, chunk);
        self.len += 1;
    }

    /// Removes the item with this id. O(log n).
    pub fn remove(&mut self, id: StreamId) -> Option<T> {
        let (at, place) = self.find(id)?;
        let chunk = &mut self.chunks[at];
        let before = room::of_vec(chunk);
        let item = chunk.remove(place);
        room::shrink(chunk);
        self.bytes = self.bytes - before + room::of_vec(chunk);
        self.len -= 1;
        self.tidy(at);
        Some(item)
    }

    /// Drops an empty chunk, and joins a thin one with the one behind it.
    fn tidy(&mut self, at: usize) {
        if self.chunks[at].is_empty() {
            self.bytes -= room::of_vec(&self.chunks[at]);
            self.chunks.remove(at);
            if self.chunks.is_empty() {
                self.chunks = VecDeque::new();
            }
            return;
        }
        let joined = self.chunks.get(at + 1).map(|next| next.len() + self.chunks[at].len());
        if joined.is_some_and(|items| items <= MOST / 2)
            && let Some(next) = self.chunks.remove(at + 1)
        {
            let chunk = &mut self.chunks[at];
            self.bytes -= room::of_vec(chunk) + room::of_vec(&next);
            room::reserve(chunk, next.len());
            chunk.extend_from_slice(&next);
            self.bytes += room::of_vec(chunk);
        }
    }

    /// The items from `id` on. O(log n) to get there.
    pub fn from(&self, id: StreamId) -> impl Iterator<Item = &T> {
        let at = self.chunk_of(id);
        let place = self.chunks.get(at).map_or(0, |chunk| chunk.partition_point(|x| x.id() < id));
        self.chunks.range(at.min(self.chunks.len())..).flatten().skip(place)
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        self.chunks.back().and_then(|chunk| chunk.last())
    }
}

impl<T: Keyed> Clone for Ordered<T> {
    fn clone(&self) -> Self {
        let mut copy = Ordered { chunks: VecDeque::new(), len: self.len, bytes: 0 };
        for chunk in &self.chunks {
            let mut items = Vec::new();
            room::reserve(&mut items, chunk.len());
            items.extend_from_slice(chunk);
            copy.bytes += room::of_vec(&items);
            copy.chunks.push_back(items);
        }
        copy
    }
}
