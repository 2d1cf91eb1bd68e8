//! Streams are read.
//!
//! ```text
//!   | nodes | id, listpack | ... | entries | last id |
//!                        from the second form: | first id | greatest deleted id | ever added |
//!   | groups | group | ... |
//!
//!   group      | name | last id | read, from the second form | pending | consumers |
//!   pending    | count | 16 bytes of id, 8 bytes of time, deliveries | ... |
//!   consumers  | count | name, 8 bytes of time, the same again in the third form,
//!                        count, 16 bytes of id ... | ... |
//!
//!   listpack   | live | dead | n | name 1 ... name n | 0 | entry | entry | ...
//!   entry      | flags | ms - node's | seq - node's | value 1 ... value n | 3 + n |     flag 2
//!              | flags | ms - node's | seq - node's | m | name | value | ... | 4 + 2 m |
//! ```
//!
//! Numbers and ids outside the listpacks are lengths unless said otherwise. Flag 1 marks an entry
//! as deleted.

use std::io::Read;
use std::sync::Arc;

use super::load::blob;
use crate::entry::{Bad, Entry};
use crate::{Consumer, Error, Group, Input, Pending, Stream, StreamEntry, StreamId};
use crate::{length, listpack, text};

const DELETED: i64 = 1;
const SAME_FIELDS: i64 = 2;
const BROKEN: Bad = "a broken entry in a stream";

/// Reads a stream in one of the three forms.
pub fn load<R: Read>(input: &mut Input<R>, form: u8) -> Result<Stream, Error> {
    let mut stream = Stream::default();
    for _ in 0..length::read_plain(input)? {
        let id =
            blob(input, |bytes| bytes.try_into().map_err(|_| "a stream's node without an id"))?;
        let id = StreamId::from_bytes(id);
        let bytes = blob(input, |bytes| {
            Node::new(bytes)?.read(id, &mut stream.entries)?;
            Ok(bytes.to_vec())
        })?;
        stream.nodes.0.push((id, bytes));
    }
    let said = length::read_plain(input)?;
    let there = stream.entries.len() as u64;
    if said != 0 && there == 0 && stream.nodes.0.is_empty() {
        return Err(input.corrupt("a stream that says it has entries, and has none"));
    }
    // Redis takes the number as it is. What counts is what is there.
    stream.miscounted = (said != there).then_some(said);
    stream.last_id = id(input)?;
    let greatest = stream.entries.last().map_or(StreamId::default(), |entry| entry.id);
    if greatest > stream.last_id {
        return Err(input.corrupt("a stream with an entry after its last id"));
    }
    if form == 1 {
        stream.first_id = stream.entries.first().map_or(StreamId::default(), |entry| entry.id);
        stream.entries_added = stream.entries.len() as u64;
    } else {
        stream.first_id = id(input)?;
        stream.max_deleted_id = id(input)?;
        stream.entries_added = length::read_plain(input)?;
    }
    for _ in 0..length::read_plain(input)? {
        let group = group(input, form, &stream)?;
        stream.groups.push(group);
    }
    let mut names: Vec<&[u8]> = stream.groups.iter().map(|group| &*group.name).collect();
    if repeats(&mut names) {
        return Err(input.corrupt("a stream with two groups of one name"));
    }
    Ok(stream)
}

fn id<R: Read>(input: &mut Input<R>) -> Result<StreamId, Error> {
    Ok(StreamId { ms: length::read_plain(input)?, seq: length::read_plain(input)? })
}

fn repeats<T: Ord>(items: &mut [T]) -> bool {
    items.sort_unstable();
    items.windows(2).any(|pair| pair[0] == pair[1])
}

fn group<R: Read>(input: &mut Input<R>, form: u8, stream: &Stream) -> Result<Group, Error> {
    let name = text::read(input)?;
    let last_id = id(input)?;
    let entries_read = match form {
        1 => stream.entries_read_at(last_id),
        _ => Some(length::read_plain(input)?).filter(|&read| read != u64::MAX),
    };
    let mut pending = Vec::new();
    for _ in 0..length::read_plain(input)? {
        pending.push(Pending {
            id: StreamId::from_bytes(input.array()?),
            delivered: u64::from_le_bytes(input.array()?),
            deliveries: length::read_plain(input)?,
            consumer: usize::MAX,
        });
    }
    pending.sort_unstable_by_key(|entry| entry.id);
    if pending.windows(2).any(|pair| pair[0].id == pair[1].id) {
        return Err(input.corrupt("a group with an entry that is pending twice"));
    }
    let mut consumers = Vec::new();
    for number in 0..length::read_plain(input)? {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        consumers.push(consumer(input, form, number, &mut pending)?);
    }
    if pending.iter().any(|entry| entry.consumer == usize::MAX) {
        return Err(input.corrupt("a pending entry without a consumer"));
    }
    let mut names: Vec<&[u8]> = consumers.iter().map(|one: &Consumer| &*one.name).collect();
    if repeats(&mut names) {
        return Err(input.corrupt("a group with two consumers of one name"));
    }
    Ok(Group { name, last_id, entries_read, pending, consumers })
}

/// Reads a consumer and marks its entries as its own.
fn consumer<R: Read>(
    input: &mut Input<R>,
    form: u8,
    number: usize,
    pending: &mut [Pending],
) -> Result<Consumer, Error> {
    let name = text::read(input)?;
    let seen = u64::from_le_bytes(input.array()?);
    let active = match form {
        3 => u64::try_from(i64::from_le_bytes(input.array()?)).ok(),
        _ => None,
    };
    for _ in 0..length::read_plain(input)? {
        let id = StreamId::from_bytes(input.array()?);
        let Ok(at) = pending.binary_search_by_key(&id, |entry| entry.id) else {
            return Err(input.corrupt("a consumer's entry that its group does not know"));
        };
        if pending[at].consumer != usize::MAX {
            return Err(input.corrupt("a pending entry with two consumers"));
        }
        pending[at].consumer = number;
    }
    Ok(Consumer { name, seen, active })
}

/// The elements of a node's listpack, one after the other.
struct Node<'a> {
    elements: std::vec::IntoIter<Entry<'a>>,
}

impl<'a> Node<'a> {
    fn new(blob: &'a [u8]) -> Result<Self, Bad> {
        Ok(Node { elements: listpack::entries(blob)?.into_iter() })
    }

    fn next(&mut self) -> Result<Entry<'a>, Bad> {
        self.elements.next().ok_or(BROKEN)
    }

    fn int(&mut self) -> Result<i64, Bad> {
        self.next()?.int().ok_or(BROKEN)
    }

    /// A number of elements that follow.
    fn count(&mut self) -> Result<usize, Bad> {
        let count = usize::try_from(self.int()?).map_err(|_| BROKEN)?;
        if count > self.elements.len() { Err(BROKEN) } else { Ok(count) }
    }

    fn strings(&mut self, count: usize) -> Result<Vec<Vec<u8>>, Bad> {
        (0..count).map(|_| self.next().map(Entry::to_vec)).collect()
    }

    fn read(mut self, base: StreamId, out: &mut Vec<StreamEntry>) -> Result<(), Bad> {
        let (live, dead) = (self.int()?, self.int()?);
        let count = self.count()?;
        let names: Arc<[Vec<u8>]> = self.strings(count)?.into();
        if self.int()? != 0 {
            return Err(BROKEN);
        }
        let (mut found, mut deleted) = (0, 0);
        while self.elements.len() > 0 {
            let flags = self.int()?;
            let entry = self.entry(base, flags & SAME_FIELDS != 0, &names)?;
            if flags & DELETED != 0 {
                deleted += 1;
                continue;
            }
            found += 1;
            if out.last().is_some_and(|last| last.id >= entry.id) {
                return Err("a stream with entries out of order");
            }
            out.push(entry);
        }
        if (live, dead) != (found, deleted) {
            return Err("a stream's node with another number of entries than it says");
        }
        Ok(())
    }

    fn entry(
        &mut self,
        base: StreamId,
        same_fields: bool,
        names: &Arc<[Vec<u8>]>,
    ) -> Result<StreamEntry, Bad> {
        let (ms, seq) = (self.int()?, self.int()?);
        let ms = base.ms.wrapping_add_signed(ms);
        let id = StreamId { ms, seq: base.seq.wrapping_add_signed(seq) };
        let before = self.elements.len();
        let (names, values) = if same_fields {
            (names.clone(), self.strings(names.len())?)
        } else {
            let (mut names, mut values) = (Vec::new(), Vec::new());
            for _ in 0..self.count()? {
                names.push(self.next()?.to_vec());
                values.push(self.next()?.to_vec());
            }
            (names.into(), values)
        };
        // Flags and id come before.
        let elements = 3 + before - self.elements.len();
        if usize::try_from(self.int()?) != Ok(elements) {
            return Err(BROKEN);
        }
        Ok(StreamEntry { id, names, values })
    }
}
