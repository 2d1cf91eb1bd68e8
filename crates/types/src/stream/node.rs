//! A node of a stream: a run of entries in one listpack, the bytes of Redis.
//!
//! ```text
//!   | live | dead | n | name 1 ... name n | 0 | entry | entry | ...
//!
//!   entry   | flags | ms - node's | seq - node's | value 1 ... value n | 3 + n |     flag 2
//!           | flags | ms - node's | seq - node's | m | name | value | ... | 4 + 2 m |
//! ```
//!
//! The names of the first entry stand in front; an entry that has the same says only its values.
//! The last element of an entry is the number of its other elements, to step over it from behind.
//! Flag 1 marks an entry as deleted: its bytes stay until the node goes, as a node shows by its
//! size what has been added to it, and Redis trims by that.

use base::{PackLimits, StreamId};

use super::listpack::{self, Appender};
use crate::set::Member;
use table::room;

const DELETED: i64 = 1;
const SAME_FIELDS: i64 = 2;
/// No node is larger, whatever the limit.
pub(super) const NODE_MAX: usize = 1 << 30;

/// See the [module](self).
pub(super) struct Node {
    /// The id its entries' ids are counted from.
    pub first: StreamId,
    /// How many names stand in front: every step over an entry asks.
    names: u32,
    pack: Vec<u8>,
}

/// What stands before the entries.
struct Head {
    live: i64,
    dead: i64,
    /// Names of fields, and where the first of them is.
    names: (usize, usize),
    /// Where the first entry is.
    entries: usize,
}

/// An entry where it lies.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub id: StreamId,
    /// Where it begins and ends.
    pub start: usize,
    pub end: usize,
    pub flags: i64,
}

impl Place {
    pub fn is_deleted(&self) -> bool {
        self.flags & DELETED != 0
    }
}

/// An entry of a stream, borrowed from it.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// Its id.
    pub id: StreamId,
    pack: &'a [u8],
    /// Where the next name is; `None` if names stand beside their values.
    names: Option<usize>,
    values: usize,
    left: usize,
}

impl<'a> Entry<'a> {
    /// How many fields it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.left
    }

    /// Whether it has none, which a server never writes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Its fields with their values, as often as they were given, in order.
    #[must_use]
    pub fn fields(self) -> Fields<'a> {
        Fields(self)
    }
}

/// The fields of an [`Entry`].
pub struct Fields<'a>(Entry<'a>);

impl<'a> Iterator for Fields<'a> {
    type Item = (Member<'a>, Member<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let Entry { pack, names, values, left, .. } = &mut self.0;
        *left = left.checked_sub(1)?;
        let (name, behind) = listpack::read(pack, names.unwrap_or(*values));
        let at = match names {
            Some(names) => {
                *names = behind;
                *values
            }
            None => behind,
        };
        let (value, next) = listpack::read(pack, at);
        *values = next;
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl ExactSizeIterator for Fields<'_> {}

/// The distance of `id` from `first`, in both halves.
fn distance(first: StreamId, id: StreamId) -> (i64, i64) {
    (id.ms.wrapping_sub(first.ms).cast_signed(), id.seq.wrapping_sub(first.seq).cast_signed())
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

impl Node {
    /// A node without entries, whose entries will be like `fields`: names and values in turn.
    pub fn new(id: StreamId, fields: &[&[u8]]) -> Self {
        let mut pack = listpack::new();
        let mut out = Appender::new(&mut pack, 64);
        out.int(0);
        out.int(0);
        out.count(fields.len() / 2);
        fields.iter().step_by(2).for_each(|name| out.text(name));
        out.int(0);
        out.finish();
        Node::of(id, pack)
    }

    /// A node of bytes that were written or checked here.
    fn of(first: StreamId, pack: Vec<u8>) -> Self {
        let mut node = Node { first, names: 0, pack };
        node.names = u32::try_from(node.head_names().0).unwrap_or(0);
        node
    }

    /// A node whose bytes come from a file.
    ///
    /// # Errors
    /// They are none that a server would write.
    pub fn adopt(first: StreamId, bytes: &[u8]) -> Result<Self, &'static str> {
        if bytes.len() > NODE_MAX + (NODE_MAX >> 1) || !listpack::check(bytes) {
            return Err("a node of a stream that is no listpack");
        }
        let mut pack = Vec::new();
        room::reserve(&mut pack, bytes.len());
        pack.extend_from_slice(bytes);
        let node = Node { first, names: 0, pack };
        if node.is_sound().is_none() {
            return Err("a broken node of a stream");
        }
        Ok(Node::of(first, node.pack))
    }

    /// Walks everything, trusting nothing but that this is a listpack.
    fn is_sound(&self) -> Option<()> {
        let stop = listpack::end(&self.pack);
        let number = |at: usize| {
            let (Member::Int(number), next) = (at < stop).then(|| self.read(at))? else {
                return None;
            };
            Some((number, next))
        };
        let skip = |mut at: usize, elements: i64| {
            for _ in 0..u64::try_from(elements).ok()? {
                at = (at < stop).then(|| self.read(at).1)?;
            }
            Some(at)
        };
        let (live, at) = number(listpack::FIRST)?;
        let (dead, at) = number(at)?;
        let (names, at) = number(at)?;
        let (0, mut at) = number(skip(at, names)?)? else { return None };
        let (mut found, mut before) = ([0, 0], None);
        while at < stop {
            let (flags, next) = number(at)?;
            let (ms, next) = number(next)?;
            let (seq, next) = number(next)?;
            let id = self.id(ms, seq);
            if before.replace(id).is_some_and(|before| before >= id) {
                return None;
            }
            let (elements, next) = if flags & SAME_FIELDS != 0 {
                (names.checked_add(3)?, skip(next, names)?)
            } else {
                let (own, next) = number(next)?;
                (own.checked_mul(2)?.checked_add(4)?, skip(next, own.checked_mul(2)?)?)
            };
            let (said, next) = number(next)?;
            if said != elements {
                return None;
            }
            found[usize::from(flags & DELETED != 0)] += 1;
            at = next;
        }
        (found == [live, dead]).then_some(())
    }

    fn read(&self, at: usize) -> (Member<'_>, usize) {
        listpack::read(&self.pack, at)
    }

    fn int(&self, at: usize) -> (i64, usize) {
        listpack::int(&self.pack, at)
    }

    fn id(&self, ms: i64, seq: i64) -> StreamId {
        StreamId {
            ms: self.first.ms.wrapping_add_signed(ms),
            seq: self.first.seq.wrapping_add_signed(seq),
        }
    }

    fn head(&self) -> Head {
        let (live, at) = self.int(listpack::FIRST);
        let (dead, at) = self.int(at);
        let (names, at) = self.int(at);
        let names = (count(names), at);
        let entries = listpack::skip(&self.pack, at, names.0 + 1);
        Head { live, dead, names, entries }
    }

    /// The bytes of Redis.
    pub fn bytes(&self) -> &[u8] {
        &self.pack
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        room::of_vec(&self.pack)
    }

    /// Entries that are there. O(1).
    pub fn live(&self) -> usize {
        count(self.int(listpack::FIRST).0)
    }

    /// Whether an entry of `content` bytes in names and values may still come into this node.
    pub fn takes(&self, content: usize, limits: &PackLimits) -> bool {
        let most = match limits.stream_node_bytes {
            0 | NODE_MAX.. => NODE_MAX,
            bytes => bytes,
        };
        let (live, at) = self.int(listpack::FIRST);
        let entries = count(live) + count(self.int(at).0);
        self.pack.len() + content < most
            && (limits.stream_node_entries == 0 || entries < limits.stream_node_entries)
    }

    /// Gives spare room back: nothing more will come.
    pub fn fill(&mut self) {
        self.pack.shrink_to(table::grown(self.pack.len()));
    }

    /// Appends an entry with these fields, names and values in turn; its id is greater than all.
    pub fn push(&mut self, id: StreamId, fields: &[&[u8]]) {
        let head = self.head();
        let same = self.names_are(&head, fields);
        let content: usize = fields.iter().map(|word| word.len() + 3).sum();
        let (ms, seq) = distance(self.first, id);
        let mut out = Appender::new(&mut self.pack, content + 8);
        out.int(if same { SAME_FIELDS } else { 0 });
        out.int(ms);
        out.int(seq);
        if same {
            fields.iter().skip(1).step_by(2).for_each(|value| out.text(value));
            out.count(3 + fields.len() / 2);
        } else {
            out.count(fields.len() / 2);
            fields.iter().for_each(|word| out.text(word));
            out.count(4 + fields.len());
        }
        out.finish();
        listpack::set_int(&mut self.pack, listpack::FIRST, head.live + 1);
    }

    fn names_are(&self, head: &Head, fields: &[&[u8]]) -> bool {
        let (names, mut at) = head.names;
        names == fields.len() / 2
            && fields.iter().step_by(2).all(|name| {
                let (own, next) = self.read(at);
                at = next;
                *own.text() == **name
            })
    }

    /// Where the first entry is, deleted or not.
    pub fn start(&self) -> usize {
        self.head().entries
    }

    /// Where the last entry ends.
    pub fn end(&self) -> usize {
        listpack::end(&self.pack)
    }

    /// The entry that begins at `start`; `None` at the end.
    pub fn at(&self, start: usize) -> Option<Place> {
        if start >= self.end() {
            return None;
        }
        let (flags, at) = self.int(start);
        let (ms, at) = self.int(at);
        let (seq, at) = self.int(at);
        let end = if flags & SAME_FIELDS != 0 {
            listpack::skip(&self.pack, at, self.names as usize + 1)
        } else {
            let (own, at) = self.int(at);
            listpack::skip(&self.pack, at, 2 * count(own) + 1)
        };
        Some(Place { id: self.id(ms, seq), start, end, flags })
    }

    /// The entry that ends before `end`; `None` at the beginning.
    pub fn ending(&self, end: usize) -> Option<Place> {
        let mut start = listpack::before(&self.pack, end);
        let elements = self.int(start).0;
        if elements == 0 {
            return None;
        }
        for _ in 0..elements {
            start = listpack::before(&self.pack, start);
        }
        let (flags, at) = self.int(start);
        let (ms, at) = self.int(at);
        let (seq, _) = self.int(at);
        Some(Place { id: self.id(ms, seq), start, end, flags })
    }

    /// The greatest id that was ever put here.
    pub fn last(&self) -> StreamId {
        self.ending(self.end()).map_or(self.first, |place| place.id)
    }

    /// An entry, to read its fields.
    pub fn entry(&self, place: &Place) -> Entry<'_> {
        let pack = &self.pack[..];
        let at = listpack::skip(pack, place.start, 3);
        if place.flags & SAME_FIELDS != 0 {
            let (names, first) = self.head_names();
            return Entry { id: place.id, pack, names: Some(first), values: at, left: names };
        }
        let (own, at) = self.int(at);
        Entry { id: place.id, pack, names: None, values: at, left: count(own) }
    }

    fn head_names(&self) -> (usize, usize) {
        let (names, at) = self.int(listpack::skip(&self.pack, listpack::FIRST, 2));
        (count(names), at)
    }

    /// Marks an entry as deleted, without counting it: see [`Node::bury`]. Its place stays.
    pub fn mark(&mut self, place: &Place) {
        listpack::set_int(&mut self.pack, place.start, place.flags | DELETED);
    }

    /// Counts entries as deleted that were marked. Places move.
    pub fn bury(&mut self, marked: usize) {
        let Head { live, dead, .. } = self.head();
        let marked = i64::try_from(marked).unwrap_or(0);
        listpack::set_int(&mut self.pack, listpack::FIRST, live - marked);
        let at = listpack::skip(&self.pack, listpack::FIRST, 1);
        listpack::set_int(&mut self.pack, at, dead + marked);
    }
}

impl Clone for Node {
    fn clone(&self) -> Self {
        let mut pack = Vec::new();
        room::reserve(&mut pack, self.pack.len());
        pack.extend_from_slice(&self.pack);
        Node { first: self.first, names: self.names, pack }
    }
}
