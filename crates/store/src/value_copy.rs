//! The copy of a large value on its way: what it was when the copy began, chunk by chunk.
//!
//! ```text
//!   under the lock    begin: count | chunk, notes | chunk, notes | ... | last chunk, notes
//!   outside of it                  | settle       | settle       | ... | settle, finish
//! ```
//!
//! Chunks are read at different moments. What changed in between was noted before it did (see
//! `types::pre_image`), so the elements of a chunk that were not noted, and those that were as they
//! were, are that part of the value as it was when the copy began: the moment of the step that it
//! belongs to. Once a chunk is settled nothing of it is kept: see `notes.rs`. Lists and streams
//! keep what is wanted themselves; for a string it is done here, as bytes have no type of their
//! own.

use journal::codec::{Source, put_bytes, put_number};
use types::stream::SavedNodes;
use types::{Copier, Noted, Places, Set, Stream, ZSet, zset};

use crate::group_copy::GroupCopy;
use crate::notes::{ByPlace, ByRank};
use crate::text_notes::Bytes;
use crate::{Object, image_stream};

/// Notes that a copy may gather, beyond as much as the value takes itself.
pub(crate) const NOTES: usize = 16 << 20;

/// A value cannot be completed as it was when its copy began.
#[derive(Debug, PartialEq)]
pub(crate) struct Changed;

/// Where a copy stands.
enum Next {
    /// At a byte; what of the last chunk had changed before it came there.
    Text(usize, Vec<Bytes>),
    /// Wherever the list knows.
    List,
    Fields(Scan),
    Members(Scan),
    Ranked(Ranks),
    /// Wherever the stream knows; behind all nodes, perhaps.
    Nodes(bool),
}

/// The places of a table that the last hold read, up to one they end before.
struct Scan {
    from: u64,
    to: u64,
    /// How many elements it found there.
    found: usize,
    notes: ByPlace,
}

/// The ranks of a sorted set that the last hold read: behind one, up to another.
struct Ranks {
    from: Option<(Box<[u8]>, f64)>,
    to: Option<(Box<[u8]>, f64)>,
    /// The last pair there was.
    until: (Box<[u8]>, f64),
    /// How many it found there.
    found: usize,
    /// All have been read.
    done: bool,
    notes: ByRank,
}

/// See the [module](self).
pub(crate) struct ValueCopy {
    next: Next,
    /// Elements, nodes or bytes there were.
    count: usize,
    /// How many are settled.
    settled: usize,
    /// How many bytes of notes there may be.
    limit: usize,
    /// What the last hold read.
    read: Vec<u8>,
    /// Notes that came with it.
    fresh: Option<Noted>,
    /// Of a stream: nodes that changed before that hold.
    saved: Option<SavedNodes>,
    /// Of a stream: what stands between nodes and groups, until that is settled.
    between: Vec<u8>,
    /// And its groups, if there are any.
    groups: Option<GroupCopy>,
}

/// Whether a value can be copied in chunks. Others are small, or documents: no chunk of those is
/// worth a lock of its own, at a gigabyte a second.
pub(crate) fn is_divisible(object: &Object) -> bool {
    match object {
        Object::Str(_) => true,
        Object::List(list) => list.nodes() > 1,
        Object::Set(_) => object.encoding() != "intset",
        Object::Hash(_) => object.encoding() == "hashtable",
        Object::ZSet(_) => object.encoding() == "skiplist",
        Object::Stream(_) => true,
        Object::Json(_) => false,
    }
}

impl ValueCopy {
    /// Begins to copy a value as it is now; `None` if it is not divisible after all.
    pub fn begin(object: &mut Object, copier: &Copier) -> Option<ValueCopy> {
        let limit = object.memory().saturating_add(NOTES);
        let (mut between, mut groups) = (Vec::new(), None);
        let (next, count, follows) = match object {
            Object::Str(text) => (Next::Text(0, Vec::new()), text.len(), true),
            Object::List(list) => (Next::List, list.len(), list.follow(copier)),
            Object::Set(set) => {
                let scan = Scan::of(set.places()?);
                (Next::Members(scan), set.len(), set.follow(copier))
            }
            Object::Hash(hash) => {
                let scan = Scan::of(hash.places()?);
                (Next::Fields(scan), hash.len(), hash.follow(copier))
            }
            Object::ZSet(zset) => {
                let ranks = Ranks::of(zset)?;
                (Next::Ranked(ranks), zset.len(), zset.follow(copier))
            }
            Object::Stream(stream) => {
                image_stream::put_counters(&mut between, stream);
                groups = (!stream.groups().is_empty()).then(GroupCopy::default);
                stream.follow(copier);
                (Next::Nodes(false), stream.log().node_count(), true)
            }
            Object::Json(_) => return None,
        };
        follows.then(|| ValueCopy {
            next,
            count,
            settled: 0,
            limit,
            read: Vec::new(),
            fresh: None,
            saved: None,
            between,
            groups,
        })
    }

    /// How many elements, nodes or bytes there were.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Makes room for a chunk of so many bytes. Not under the lock: growing may copy all there is.
    pub fn make_room(&mut self, bytes: usize) {
        self.read.reserve(2 * bytes);
    }

    /// Copies the next chunk, which ends after so many bytes; whether there is more. It is still to
    /// be [`settle`](Self::settle)d.
    ///
    /// # Errors
    /// The value is not followed any more.
    pub fn chunk(
        &mut self,
        object: &mut Object,
        copier: &Copier,
        bytes: usize,
    ) -> Result<bool, Changed> {
        self.read.clear();
        let (read, settled) = (&mut self.read, &mut self.settled);
        let more = match (&mut self.next, object) {
            (Next::Text(next, _), Object::Str(text)) => {
                let to = self.count.min(next.saturating_add(bytes));
                read.extend_from_slice(text.get(*next..to).ok_or(Changed)?);
                to < self.count
            }
            (Next::List, Object::List(list)) => {
                let more = list.copy_past(copier, &mut |element| {
                    put_bytes(read, element);
                    *settled += 1;
                    read.len() < bytes
                });
                let more = more.ok_or(Changed)?;
                if !more {
                    list.unfollow();
                }
                more
            }
            (Next::Members(scan), Object::Set(set)) => {
                self.fresh = Some(set.noted(copier).ok_or(Changed)?);
                let more = scan.go_on(&mut |next, count| {
                    let next = set.scan(next, &mut |member| {
                        put_bytes(read, member);
                        *count += 1;
                    });
                    (next, read.len() < bytes)
                });
                if !more {
                    set.unfollow();
                }
                more
            }
            (Next::Fields(scan), Object::Hash(hash)) => {
                self.fresh = Some(hash.noted(copier).ok_or(Changed)?);
                let more = scan.go_on(&mut |next, count| {
                    let next = hash.scan(next, &mut |field, value| {
                        put_bytes(read, field);
                        put_bytes(read, value);
                        *count += 1;
                    });
                    (next, read.len() < bytes)
                });
                if !more {
                    hash.unfollow();
                }
                more
            }
            (Next::Ranked(ranks), Object::ZSet(zset)) => {
                self.fresh = Some(zset.noted(copier).ok_or(Changed)?);
                ranks.go_on(zset, read, bytes);
                if ranks.done {
                    zset.unfollow();
                }
                !ranks.done
            }
            (Next::Nodes(_), Object::Stream(stream)) => return self.nodes(stream, copier, bytes),
            _ => return Err(Changed),
        };
        Ok(more)
    }

    /// As `chunk`, of a stream: first the nodes, then the groups.
    fn nodes(
        &mut self,
        stream: &mut Stream,
        copier: &Copier,
        bytes: usize,
    ) -> Result<bool, Changed> {
        let read = &mut self.read;
        if matches!(self.next, Next::Nodes(true)) {
            let groups = self.groups.as_mut().ok_or(Changed)?;
            let more = stream.copy_groups(copier, &mut |part| {
                groups.put(read, part);
                read.len() < bytes
            });
            return more.ok_or(Changed);
        }
        let more = stream.copy_past(copier, &mut |id, node| {
            image_stream::put_node(read, id, node);
            read.len() < bytes
        });
        if more.ok_or(Changed)? {
            self.saved = Some(stream.take_passed(copier).ok_or(Changed)?);
            return Ok(true);
        }
        self.saved = Some(stream.unfollow(copier).ok_or(Changed)?);
        self.next = Next::Nodes(true);
        Ok(self.groups.is_some())
    }

    /// Takes the notes that belong to the chunk of a string that was read last.
    pub fn take_notes(&mut self, noted: Vec<Bytes>) {
        if let Next::Text(_, notes) = &mut self.next {
            *notes = noted;
        }
    }

    /// Appends the elements of the last chunk as they were.
    ///
    /// # Errors
    /// Too much was noted.
    pub fn settle(&mut self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let (read, fresh) = (&self.read, self.fresh.take().unwrap_or_default());
        let settled = &mut self.settled;
        let noted = match &mut self.next {
            Next::Text(at, notes) => {
                let (from, start) = (*at, out.len());
                out.extend_from_slice(read);
                *at += read.len();
                *settled = *at;
                repair(&mut out[start..], from, notes);
                // The shard has those of other chunks, and looks how many they are.
                0
            }
            Next::List => {
                out.extend_from_slice(read);
                0
            }
            Next::Members(scan) => {
                scan.notes.add(&fresh, scan.from);
                *settled += scan.put(read, out, false);
                scan.notes.bytes()
            }
            Next::Fields(scan) => {
                scan.notes.add(&fresh, scan.from);
                *settled += scan.put(read, out, true);
                scan.notes.bytes()
            }
            Next::Ranked(ranks) => {
                let from = ranks.from.as_ref().map(|(member, score)| (&**member, *score));
                ranks.notes.add(&fresh, from);
                *settled += ranks.put(read, out);
                ranks.notes.bytes()
            }
            Next::Nodes(_) => match self.saved.take() {
                Some(saved) => {
                    *settled += put_nodes(read, &saved, out);
                    0
                }
                None => {
                    out.append(&mut self.between);
                    out.extend_from_slice(read);
                    0
                }
            },
        };
        if noted > self.limit { Err(Changed) } else { Ok(()) }
    }

    /// Bytes that the last hold read.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.read.len()
    }

    /// Bytes that were written when the copy began.
    #[cfg(test)]
    pub fn written_at_once(&self) -> usize {
        self.between.len()
    }

    /// Bytes of notes that are kept, of values that have elements by name.
    #[cfg(test)]
    pub fn noted(&self) -> usize {
        match &self.next {
            Next::Fields(scan) | Next::Members(scan) => scan.notes.bytes(),
            _ => 0,
        }
    }

    /// Appends what stands behind all chunks.
    ///
    /// # Errors
    /// It did not come to as many elements as there were; never, unless a value is changed without
    /// noting it.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<(), Changed> {
        out.extend_from_slice(&self.between);
        debug_assert_eq!(self.settled, self.count, "a change without a note");
        let groups = self.groups.as_ref().is_none_or(GroupCopy::is_whole);
        debug_assert!(groups, "a change of a group without a note");
        if self.settled == self.count && groups { Ok(()) } else { Err(Changed) }
    }
}

impl Scan {
    fn of(places: Places) -> Scan {
        Scan { from: 0, to: 0, found: 0, notes: ByPlace::new(places) }
    }

    /// Reads from where it ended, as long as `step` says; whether there is more. A step answers
    /// with where the next one begins, 0 at the end.
    fn go_on(&mut self, step: &mut dyn FnMut(u64, &mut usize) -> (u64, bool)) -> bool {
        (self.from, self.found) = (self.to, 0);
        loop {
            let (next, room) = step(self.to, &mut self.found);
            self.to = if next == 0 { u64::MAX } else { next };
            if next == 0 || !room {
                return next != 0;
            }
        }
    }

    /// Appends the elements of its places as they were; how many. What was read of others, that
    /// were noted, does not count.
    fn put(&mut self, read: &[u8], out: &mut Vec<u8>, values: bool) -> usize {
        if self.notes.is_empty() {
            out.extend_from_slice(read);
            return self.found;
        }
        let (mut source, mut count) = (Source::new(read), 0);
        while !source.is_done() {
            let before = source.rest();
            let Ok(name) = source.bytes() else { break };
            if values && source.bytes().is_err() {
                break;
            }
            if !self.notes.knows(name) {
                out.extend_from_slice(&before[..before.len() - source.rest().len()]);
                count += 1;
            }
        }
        self.notes.take(self.to, &mut |name, was| {
            put_bytes(out, name);
            if values {
                put_bytes(out, was);
            }
            count += 1;
        });
        count
    }
}

impl Ranks {
    fn of(zset: &ZSet) -> Option<Ranks> {
        let (last, score) = zset.get(zset.len().checked_sub(1)?)?;
        let until = (last.into(), score);
        Some(Ranks { from: None, to: None, until, found: 0, done: false, notes: ByRank::default() })
    }

    /// Reads members with their scores from where it ended.
    fn go_on(&mut self, zset: &ZSet, read: &mut Vec<u8>, bytes: usize) {
        self.from = self.to.take();
        self.found = 0;
        let mut pairs = match &self.from {
            Some((member, score)) => zset.beyond(member, *score),
            None => zset.iter(),
        };
        let until = (&*self.until.0, self.until.1);
        let mut last = None;
        while read.len() < bytes {
            let next = pairs.next().filter(|pair| zset::order(*pair, until).is_le());
            let Some(pair) = next else {
                self.done = true;
                return;
            };
            put_pair(read, pair);
            self.found += 1;
            last = Some(pair);
        }
        self.to = last.map(|(member, score)| (member.into(), score));
    }

    /// Appends the pairs of its ranks as they were; how many.
    fn put(&mut self, read: &[u8], out: &mut Vec<u8>) -> usize {
        if self.notes.is_empty() {
            out.extend_from_slice(read);
            return self.found;
        }
        let (mut source, mut count) = (Source::new(read), 0);
        while let (Ok(member), Ok(bits)) = (source.bytes(), source.fixed_u64()) {
            if self.notes.knows(member) {
                continue;
            }
            let pair = (member, f64::from_bits(bits));
            self.notes.take(Some(pair), &mut |was| {
                put_pair(out, was);
                count += 1;
            });
            put_pair(out, pair);
            count += 1;
        }
        let to = self.to.as_ref().map(|(member, score)| (&**member, *score));
        self.notes.take(to, &mut |was| {
            put_pair(out, was);
            count += 1;
        });
        count
    }
}

/// Puts bytes back that changed before they were copied, from byte `from` of the string on.
fn repair(copied: &mut [u8], from: usize, notes: &[Bytes]) {
    for (at, was) in notes {
        let place = at.checked_sub(from).and_then(|start| copied.get_mut(start..start + was.len()));
        debug_assert!(place.is_some(), "a note of another piece");
        if let Some(place) = place {
            place.copy_from_slice(was);
        }
    }
}

/// Appends the nodes of a stream, those read and those saved; how many.
fn put_nodes(read: &[u8], saved: &SavedNodes, out: &mut Vec<u8>) -> usize {
    let mut count = 0;
    let mut put = |(id, node)| {
        image_stream::put_node(out, id, node);
        count += 1;
    };
    let mut saved = saved.iter().peekable();
    let mut source = Source::new(read);
    while let Ok((id, node)) = image_stream::read_node(&mut source) {
        while let Some(before) = saved.next_if(|saved| saved.0 < id) {
            put(before);
        }
        put((id, node));
    }
    saved.for_each(put);
    count
}

/// Appends a member with its score.
pub(crate) fn put_pair(out: &mut Vec<u8>, (member, score): (&[u8], f64)) {
    put_bytes(out, member);
    out.extend_from_slice(&score.to_bits().to_le_bytes());
}

/// Appends a whole value.
pub(crate) fn put_whole(out: &mut Vec<u8>, object: &Object) {
    match object {
        Object::Str(text) => put_bytes(out, text),
        Object::List(list) => {
            put_number(out, list.len() as u64);
            list.iter().for_each(|element| put_bytes(out, element));
        }
        Object::Set(set) => {
            put_number(out, set.len() as u64);
            put_members(out, set);
        }
        Object::Hash(hash) => {
            put_number(out, hash.len() as u64);
            let mut next = 0;
            loop {
                next = hash.scan(next, &mut |field, value| {
                    put_bytes(out, field);
                    put_bytes(out, value);
                });
                if next == 0 {
                    break;
                }
            }
        }
        Object::ZSet(zset) => {
            put_number(out, zset.len() as u64);
            zset.iter().for_each(|pair| put_pair(out, pair));
        }
        Object::Stream(stream) => put_framed(out, |out| {
            put_number(out, stream.log().node_count() as u64);
            stream.log().nodes().for_each(|(id, node)| image_stream::put_node(out, id, node));
            image_stream::put_rest(out, stream);
        }),
        Object::Json(json) => put_framed(out, |out| crate::image_json::encode(out, json)),
    }
}

fn put_members(out: &mut Vec<u8>, set: &Set) {
    let mut next = 0;
    loop {
        next = set.scan(next, &mut |member| put_bytes(out, member));
        if next == 0 {
            break;
        }
    }
}

/// Appends something with its length before it.
fn put_framed(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    put(out);
    let mut length = Vec::new();
    put_number(&mut length, (out.len() - start) as u64);
    out.splice(start..start, length);
}
