//! The copy of a large value on its way: what it was when the copy began, piece by piece.
//!
//! ```text
//!   under the lock    begin: count | piece, notes | piece, notes | ... | last piece, notes
//!   outside of it                    └─ the first note of an element counts ─┐
//!   finish            count, pieces without the elements that were noted, those as they were
//! ```
//!
//! Pieces are read at different moments. What changed in between was noted before it did (see
//! `types::past`), so pieces and notes together are the value as it was when the copy began: the
//! moment of the step that it belongs to. Lists and streams keep what is wanted themselves; for a
//! string it is done here, as bytes have nobody else.

use hashbrown::HashMap;
use journal::codec::{Source, put_bytes, put_number};
use types::stream::SavedNodes;
use types::{Copier, Noted, Set, Stream, ZSet, zset};

use crate::pending::Pendings;
use crate::{Object, image_stream};

/// Notes that a copy may gather, beyond as much as the value takes itself.
const NOTES: usize = 16 << 20;

/// A value cannot be completed as it was when its copy began.
#[derive(Debug, PartialEq)]
pub(crate) struct Changed;

/// An element's name, and what belonged to it; `None`: there was no such element.
type Past = HashMap<Box<[u8]>, Option<Box<[u8]>>>;

/// Where a copy stands.
enum Next {
    /// At a byte.
    Text(usize),
    /// Wherever the list knows.
    List,
    /// At a position of a table.
    Fields(u64),
    Members(u64),
    /// Behind the first pair, and at the end once the second has been reached.
    Ranked(Option<(Box<[u8]>, f64)>, (Box<[u8]>, f64)),
    /// Wherever the stream knows.
    Nodes,
}

/// See the [module](self).
pub(crate) struct Partial {
    next: Next,
    /// Elements, nodes or bytes there were.
    count: usize,
    /// How many are in the body.
    copied: usize,
    body: Vec<u8>,
    past: Past,
    /// Bytes of it, and how many there may be.
    noted: usize,
    limit: usize,
    /// Notes of the last hold.
    fresh: Option<Noted>,
    /// Of a stream: nodes that changed, and what stands behind the nodes.
    saved: Option<SavedNodes>,
    tail: Vec<u8>,
    pendings: Vec<Pendings>,
}

/// Whether a value can be copied in pieces. Others are small, or documents: no piece of those is
/// worth a lock of its own, at a gigabyte a second.
pub(crate) fn is_divisible(object: &Object) -> bool {
    match object {
        Object::Str(_) => true,
        Object::List(list) => list.nodes() > 1,
        Object::Set(_) => object.encoding() != "intset",
        Object::Hash(_) => object.encoding() == "hashtable",
        Object::ZSet(_) => object.encoding() == "skiplist",
        Object::Stream(stream) => stream.log().node_count() > 0,
        Object::Json(_) => false,
    }
}

impl Partial {
    /// Begins to copy a value as it is now; `None` if it is not divisible after all.
    pub fn begin(object: &mut Object, copier: &Copier) -> Option<Partial> {
        let limit = object.memory().saturating_add(NOTES);
        let (mut tail, mut pendings) = (Vec::new(), Vec::new());
        let (next, count, follows) = match object {
            Object::Str(text) => (Next::Text(0), text.len(), true),
            Object::List(list) => (Next::List, list.len(), list.follow(copier)),
            Object::Set(set) => (Next::Members(0), set.len(), set.follow(copier)),
            Object::Hash(hash) => (Next::Fields(0), hash.len(), hash.follow(copier)),
            Object::ZSet(zset) => {
                let (last, score) = zset.get(zset.len().checked_sub(1)?)?;
                let next = Next::Ranked(None, (last.into(), score));
                (next, zset.len(), zset.follow(copier))
            }
            Object::Stream(stream) => {
                pendings = Pendings::begin(&mut tail, stream, copier);
                (Next::Nodes, stream.log().node_count(), stream.follow(copier))
            }
            Object::Json(_) => return None,
        };
        follows.then(|| Partial {
            next,
            count,
            copied: 0,
            body: Vec::new(),
            past: Past::new(),
            noted: 0,
            limit,
            fresh: None,
            saved: None,
            tail,
            pendings,
        })
    }

    /// Makes room for a piece of so many bytes. Not under the lock: growing may copy all there is.
    pub fn make_room(&mut self, bytes: usize) {
        match self.pendings.iter_mut().find(|one| !one.is_done()) {
            Some(pendings) if self.saved.is_some() => pendings.make_room(bytes),
            _ => self.body.reserve(2 * bytes),
        }
    }

    /// Copies the next piece, which ends after so many bytes; whether there is more. Its notes are
    /// still to be [`sort`](Self::sort)ed.
    ///
    /// # Errors
    /// The value is not followed any more.
    pub fn piece(
        &mut self,
        object: &mut Object,
        copier: &Copier,
        bytes: usize,
    ) -> Result<bool, Changed> {
        let end = self.body.len() + bytes;
        let (body, copied) = (&mut self.body, &mut self.copied);
        let more = match (&mut self.next, object) {
            (Next::Text(next), Object::Str(text)) => {
                let to = self.count.min(next.saturating_add(bytes));
                body.extend_from_slice(text.get(*next..to).ok_or(Changed)?);
                *next = to;
                to < self.count
            }
            (Next::List, Object::List(list)) => {
                let more = list.copy_past(copier, &mut |element| {
                    put_bytes(body, element);
                    *copied += 1;
                    body.len() < end
                });
                let more = more.ok_or(Changed)?;
                if !more {
                    list.unfollow();
                }
                more
            }
            (Next::Members(next), Object::Set(set)) => {
                self.fresh = Some(set.noted(copier).ok_or(Changed)?);
                while body.len() < end {
                    *next = set.scan(*next, &mut |member| put_bytes(body, member));
                    if *next == 0 {
                        set.unfollow();
                        return Ok(false);
                    }
                }
                true
            }
            (Next::Fields(next), Object::Hash(hash)) => {
                self.fresh = Some(hash.noted(copier).ok_or(Changed)?);
                while body.len() < end {
                    *next = hash.scan(*next, &mut |field, value| {
                        put_bytes(body, field);
                        put_bytes(body, value);
                    });
                    if *next == 0 {
                        hash.unfollow();
                        return Ok(false);
                    }
                }
                true
            }
            (Next::Ranked(after, until), Object::ZSet(zset)) => {
                self.fresh = Some(zset.noted(copier).ok_or(Changed)?);
                let more = put_ranks(body, end, zset, after, until);
                if !more {
                    zset.unfollow();
                }
                more
            }
            (Next::Nodes, Object::Stream(stream)) => return self.nodes(stream, copier, bytes),
            _ => return Err(Changed),
        };
        Ok(more)
    }

    /// As `piece`, of a stream: first the nodes, then what is pending in groups.
    fn nodes(
        &mut self,
        stream: &mut Stream,
        copier: &Copier,
        bytes: usize,
    ) -> Result<bool, Changed> {
        if self.saved.is_some() {
            if let Some(pendings) = self.pendings.iter_mut().find(|one| !one.is_done()) {
                pendings.piece(stream, copier, bytes)?;
            }
        } else {
            let (body, copied) = (&mut self.body, &mut self.copied);
            let end = body.len() + bytes;
            let more = stream.copy_past(copier, &mut |id, node| {
                image_stream::put_node(body, id, node);
                *copied += 1;
                body.len() < end
            });
            if more.ok_or(Changed)? {
                return Ok(true);
            }
            self.saved = Some(stream.unfollow(copier).ok_or(Changed)?);
        }
        Ok(!self.pendings.iter().all(Pendings::is_done))
    }

    /// Sorts the notes of the last piece in.
    ///
    /// # Errors
    /// There are too many.
    pub fn sort(&mut self) -> Result<(), Changed> {
        let Some(fresh) = self.fresh.take() else { return Ok(()) };
        for (name, was) in fresh.iter() {
            if !self.past.contains_key(name) {
                self.noted += 64 + name.len() + was.map_or(0, <[u8]>::len);
                self.past.insert(name.into(), was.map(Box::from));
            }
        }
        if self.noted > self.limit { Err(Changed) } else { Ok(()) }
    }

    /// Puts back bytes of a string that changed after or before they were copied: places with what
    /// was there, the latest change first.
    pub fn mend<'a>(&mut self, bytes: impl Iterator<Item = (usize, &'a [u8])>) {
        for (at, was) in bytes {
            if let Some(place) = self.body.get_mut(at..at + was.len()) {
                place.copy_from_slice(was);
            }
        }
    }

    /// Appends the value as it was, as an image has it.
    ///
    /// # Errors
    /// It does not come to as many elements as there were; never, unless somebody changes a value
    /// without noting it.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<(), Changed> {
        let start = out.len();
        put_number(out, self.count as u64);
        let came = match &self.next {
            Next::Text(_) => {
                out.extend_from_slice(&self.body);
                self.body.len()
            }
            Next::List => {
                out.extend_from_slice(&self.body);
                self.copied
            }
            Next::Members(_) => self.put_rest_of(out, |source| source.bytes().is_ok()),
            Next::Fields(_) => {
                self.put_rest_of(out, |source| source.bytes().and(source.bytes()).is_ok())
            }
            Next::Ranked(..) => self.put_in_order(out),
            Next::Nodes => {
                let count = self.put_nodes(out);
                let complete = Pendings::put_all(&self.pendings, &self.tail, out);
                debug_assert!(complete, "a change of what is pending without a note");
                let mut length = Vec::new();
                put_number(&mut length, (out.len() - start) as u64);
                out.splice(start..start, length);
                if complete { count } else { return Err(Changed) }
            }
        };
        debug_assert_eq!(came, self.count, "a change without a note");
        if came == self.count { Ok(()) } else { Err(Changed) }
    }

    /// Bytes copied so far.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// Gives up the copy, but not the memory it has touched.
    pub fn into_buffer(self) -> Vec<u8> {
        self.body
    }

    /// Appends elements that were not noted as they lie in the body, and the others as they were;
    /// how many. `pass` passes over an element with what belongs to it.
    fn put_rest_of(&self, out: &mut Vec<u8>, pass: impl Fn(&mut Source<'_>) -> bool) -> usize {
        let (mut source, mut count) = (Source::new(&self.body), 0);
        while !source.is_done() {
            let before = source.rest();
            let Ok(name) = Source::new(before).bytes() else { break };
            if !pass(&mut source) {
                break;
            }
            if self.past.is_empty() || !self.past.contains_key(name) {
                out.extend_from_slice(&before[..before.len() - source.rest().len()]);
                count += 1;
            }
        }
        for (name, was) in &self.past {
            let Some(was) = was else { continue };
            put_bytes(out, name);
            if matches!(self.next, Next::Fields(_)) {
                put_bytes(out, was);
            }
            count += 1;
        }
        count
    }

    /// As `put_rest_of` for a sorted set, by rank.
    fn put_in_order(&self, out: &mut Vec<u8>) -> usize {
        let score_of = |was: &[u8]| Some(f64::from_bits(Source::new(was).fixed_u64().ok()?));
        let was =
            self.past.iter().filter_map(|(name, was)| Some((&**name, score_of(was.as_deref()?)?)));
        let mut was: Vec<(&[u8], f64)> = was.collect();
        was.sort_unstable_by(|a, b| zset::order(*a, *b));
        let mut was = was.into_iter().peekable();
        let (mut source, mut count) = (Source::new(&self.body), 0);
        while let (Ok(member), Ok(bits)) = (source.bytes(), source.fixed_u64()) {
            if self.past.contains_key(member) {
                continue;
            }
            let pair = (member, f64::from_bits(bits));
            while let Some(before) = was.next_if(|was| zset::order(*was, pair).is_lt()) {
                put_pair(out, before);
                count += 1;
            }
            put_pair(out, pair);
            count += 1;
        }
        for pair in was {
            put_pair(out, pair);
            count += 1;
        }
        count
    }

    /// Appends the nodes of a stream, those copied and those saved; how many.
    fn put_nodes(&self, out: &mut Vec<u8>) -> usize {
        let mut count = self.copied;
        let mut saved = self.saved.iter().flat_map(SavedNodes::iter).peekable();
        let mut source = Source::new(&self.body);
        while let Ok((id, node)) = image_stream::read_node(&mut source) {
            while let Some((id, node)) = saved.next_if(|saved| saved.0 < id) {
                image_stream::put_node(out, id, node);
                count += 1;
            }
            image_stream::put_node(out, id, node);
        }
        for (id, node) in saved {
            image_stream::put_node(out, id, node);
            count += 1;
        }
        count
    }
}

/// Appends members with their scores, from one on; whether there are more.
fn put_ranks(
    body: &mut Vec<u8>,
    end: usize,
    zset: &ZSet,
    after: &mut Option<(Box<[u8]>, f64)>,
    until: &(Box<[u8]>, f64),
) -> bool {
    let mut pairs = match after.as_ref() {
        Some((member, score)) => zset.beyond(member, *score),
        None => zset.iter(),
    };
    let mut last = None;
    while body.len() < end {
        let next = pairs.next().filter(|pair| zset::order(*pair, (&until.0, until.1)).is_le());
        let Some(pair) = next else { return false };
        put_pair(body, pair);
        last = Some(pair);
    }
    if let Some((member, score)) = last {
        *after = Some((member.into(), score));
    }
    true
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
