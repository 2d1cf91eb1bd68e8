//! A large value, copied in pieces: nobody waits for a lock as long as millions of elements take.
//!
//! ```text
//!   step of a survey   | small entries ... | head of a large one | small entries ... |
//!                                                               ^
//!   afterwards, a hold of the lock each:  piece, piece, piece ──┘   if nobody changed the value
//! ```
//!
//! A step is of one moment, so its pieces must be, too: as long as the value stays as it was when
//! the step read the rest, they are. Changes are told to [`Copying`], by everything that changes a
//! value; then the step begins again and copies all of it in one hold, as it must for values that
//! change all the time.

use journal::codec::{put_bytes, put_number};
use smallvec::SmallVec;

use crate::{Object, Store, image_json, image_stream};

/// Values from this size on are copied in pieces: smaller ones take less than a millisecond. In
/// tests, a smaller one is large.
pub(crate) const LARGE: usize = if cfg!(test) { 64 << 10 } else { 1 << 20 };
/// Bytes after which a piece ends.
const PIECE: usize = LARGE / 16;

/// The values of a shard that are copied in pieces.
pub(crate) struct Copying {
    /// Their database.
    pub db: usize,
    /// The hashes of their keys.
    pub hashes: SmallVec<[u64; 2]>,
    /// Whether any of them may have changed.
    pub changed: bool,
}

/// A value is not as it was when its copy began.
#[derive(Debug, PartialEq)]
pub(crate) struct Changed;

/// A large value whose head has been written.
pub(crate) struct Large {
    pub key: Box<[u8]>,
    pub hash: u64,
    /// Where in the step its content belongs.
    pub at: usize,
}

/// What of a value is still to be written.
#[derive(Default)]
pub(crate) struct Rest {
    /// Where to go on: a byte, an element, a node, or a place in a table.
    next: u64,
    begun: bool,
    /// Where the bytes begin that are told by their number.
    framed: Option<usize>,
}

impl Rest {
    /// Appends the next piece of `object`, and ends it after so many bytes; whether there is more.
    /// The value must be as it was before.
    pub fn put(&mut self, out: &mut Vec<u8>, object: &Object, bytes: usize) -> bool {
        let end = out.len().saturating_add(bytes);
        if !self.begun {
            self.begin(out, object);
        }
        // None is larger than memory.
        let next = usize::try_from(self.next).unwrap_or(usize::MAX);
        match object {
            Object::Str(text) => {
                let piece = &text[next..text.len().min(next.saturating_add(bytes))];
                out.extend_from_slice(piece);
                self.go_on(piece.len(), text.len())
            }
            Object::List(list) => {
                let elements = list.range(next, list.len() - next);
                let put =
                    elements.take_while(|element| fits(out, end, |out| put_bytes(out, element)));
                let count = put.count();
                self.go_on(count, list.len())
            }
            Object::ZSet(zset) => {
                let pairs = zset.range(next..zset.len());
                let put = pairs.take_while(|(member, score)| {
                    fits(out, end, |out| {
                        put_bytes(out, member);
                        out.extend_from_slice(&score.to_bits().to_le_bytes());
                    })
                });
                let count = put.count();
                self.go_on(count, zset.len())
            }
            Object::Set(set) => self
                .scan(out, end, |next, out| set.scan(next, &mut |member| put_bytes(out, member))),
            Object::Hash(hash) => self.scan(out, end, |next, out| {
                hash.scan(next, &mut |field, value| {
                    put_bytes(out, field);
                    put_bytes(out, value);
                })
            }),
            Object::Stream(stream) => {
                let nodes = image_stream::nodes(stream, next);
                let put = nodes.take_while(|(id, node)| {
                    fits(out, end, |out| image_stream::put_node(out, *id, node))
                });
                let count = put.count();
                let more = self.go_on(count, stream.log().node_count());
                if !more {
                    image_stream::put_rest(out, stream);
                }
                more
            }
            // At a gigabyte a second: no piece of it is worth a lock of its own.
            Object::Json(json) => {
                image_json::encode(out, json);
                false
            }
        }
    }

    /// Completes what was written; nothing of the value is needed for it.
    pub fn finish(self, out: &mut Vec<u8>) {
        if let Some(start) = self.framed {
            let mut prefix = Vec::new();
            put_number(&mut prefix, (out.len() - start) as u64);
            out.splice(start..start, prefix);
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>, object: &Object) {
        self.begun = true;
        let count = match object {
            Object::Str(text) => text.len(),
            Object::List(list) => list.len(),
            Object::Set(set) => set.len(),
            Object::Hash(hash) => hash.len(),
            Object::ZSet(zset) => zset.len(),
            Object::Stream(stream) => {
                self.framed = Some(out.len());
                stream.log().node_count()
            }
            Object::Json(_) => {
                self.framed = Some(out.len());
                return;
            }
        };
        put_number(out, count as u64);
    }

    fn go_on(&mut self, count: usize, of: usize) -> bool {
        self.next += count as u64;
        self.next < of as u64
    }

    fn scan(
        &mut self,
        out: &mut Vec<u8>,
        end: usize,
        mut scan: impl FnMut(u64, &mut Vec<u8>) -> u64,
    ) -> bool {
        while out.len() < end {
            self.next = scan(self.next, out);
            if self.next == 0 {
                return false;
            }
        }
        true
    }
}

/// Writes one more element, unless the piece has come to its end.
fn fits(out: &mut Vec<u8>, end: usize, put: impl FnOnce(&mut Vec<u8>)) -> bool {
    let room = out.len() < end;
    if room {
        put(out);
    }
    room
}

impl Store {
    /// Writes the contents of large values into a step, a piece per hold of the lock. If one has
    /// changed meanwhile, `step` is an empty buffer with room for most of it.
    ///
    /// # Errors
    /// One has changed.
    pub(crate) fn copy_large(
        &self,
        shard: usize,
        larges: &[Large],
        step: &mut Vec<u8>,
    ) -> Result<(), Changed> {
        let mut bodies = Vec::new();
        let done = larges.iter().try_for_each(|large| {
            let mut body = Vec::new();
            let done = self.copy_in_pieces(shard, large, &mut body);
            bodies.push(body);
            done
        });
        if let Some(shard) = self.slots[shard].0.lock().as_mut() {
            shard.copying = None;
        }
        let small = std::mem::take(step);
        if done.is_err() {
            // Its memory has been touched: to write to it again under the lock costs no faults.
            *step = bodies.into_iter().max_by_key(Vec::capacity).unwrap_or_default();
            step.clear();
            return done;
        }
        let mut from = 0;
        for (large, body) in larges.iter().zip(bodies) {
            step.extend_from_slice(&small[from..large.at]);
            step.extend_from_slice(&body);
            from = large.at;
        }
        step.extend_from_slice(&small[from..]);
        Ok(())
    }

    fn copy_in_pieces(
        &self,
        shard: usize,
        large: &Large,
        body: &mut Vec<u8>,
    ) -> Result<(), Changed> {
        let mut rest = Rest::default();
        loop {
            // Not under the lock: growing may copy all there is.
            body.reserve(2 * PIECE);
            if !self.copy_piece(shard, large, &mut rest, body)? {
                rest.finish(body);
                return Ok(());
            }
            std::thread::yield_now();
        }
    }

    /// Copies the next piece of a value; whether there is more.
    ///
    /// # Errors
    /// It has changed.
    pub(crate) fn copy_piece(
        &self,
        shard: usize,
        large: &Large,
        rest: &mut Rest,
        body: &mut Vec<u8>,
    ) -> Result<bool, Changed> {
        let guard = self.slots[shard].0.lock();
        let copying = guard.as_ref().and_then(|shard| Some((shard, shard.copying.as_ref()?)));
        let (shard, copying) = copying.filter(|(_, copying)| !copying.changed).ok_or(Changed)?;
        let entry = shard.dbs[copying.db].keys.find(large.hash, &large.key).ok_or(Changed)?;
        Ok(rest.put(body, entry.object().ok_or(Changed)?, PIECE))
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
