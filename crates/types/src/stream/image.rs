//! A stream as it stands in snapshots and records.
//!
//! ```text
//!   | nodes | id 16, length, bytes | ... | last id 16 | first id 16 | greatest deleted id 16 |
//!   | ever added | groups | group | ... |
//!
//!   group      | name | last id 16 | 1 + entries read, or 0 | consumers | consumer | ...
//!                                                           | pending | entry | ... |
//!   consumer   | name | seen, 8 bytes |
//!   entry      | id 16 | delivered, 8 bytes | deliveries | place of its consumer in the list |
//! ```
//!
//! Nodes are written as they lie in memory: where they end decides what `XTRIM ~` removes, and what
//! was approximate once must not come out differently after a restart. Ids have their high bytes
//! first, counts and lengths are as in [`base::codec`].
//!
//! Nothing here may be trusted: every node is checked before it is taken.

use base::StreamId;
use base::codec::{Malformed, Source, put_bytes, put_number};

use super::{Counters, Group, Pending, Stream};

/// Appends a stream.
pub(super) fn encode(out: &mut Vec<u8>, stream: &Stream) {
    let log = stream.log();
    put_number(out, log.node_count() as u64);
    log.nodes().for_each(|(id, node)| put_node(out, id, node));
    put_rest(out, stream);
}

/// Appends a node; their number stands before the first.
pub(super) fn put_node(out: &mut Vec<u8>, id: StreamId, bytes: &[u8]) {
    put_id(out, id);
    put_bytes(out, bytes);
}

/// Reads a node.
pub(super) fn read_node<'a>(source: &mut Source<'a>) -> Result<(StreamId, &'a [u8]), Malformed> {
    Ok((id(source)?, source.bytes()?))
}

/// Appends what stands behind the nodes.
pub(super) fn put_rest(out: &mut Vec<u8>, stream: &Stream) {
    put_counters(out, stream);
    stream.groups().iter().for_each(|group| put_group(out, group));
}

/// Appends what stands before the groups.
pub(super) fn put_counters(out: &mut Vec<u8>, stream: &Stream) {
    let log = stream.log();
    for id in [log.last_id(), log.first_id(), log.max_deleted_id()] {
        put_id(out, id);
    }
    put_number(out, log.entries_added());
    put_number(out, stream.groups().len() as u64);
}

fn put_id(out: &mut Vec<u8>, id: StreamId) {
    out.extend_from_slice(&id.to_bytes());
}

/// Appends what of a group stands before its consumers.
pub(super) fn put_head(
    out: &mut Vec<u8>,
    (name, last_id, entries_read): (&[u8], StreamId, Option<u64>),
    consumers: usize,
) {
    put_bytes(out, name);
    put_id(out, last_id);
    put_number(out, entries_read.map_or(0, |read| read.saturating_add(1)));
    put_count(out, consumers);
}

/// Appends a consumer.
pub(super) fn put_consumer(out: &mut Vec<u8>, name: &[u8], seen: u64) {
    put_bytes(out, name);
    out.extend_from_slice(&seen.to_le_bytes());
}

/// Appends how many of something follow.
pub(super) fn put_count(out: &mut Vec<u8>, count: usize) {
    put_number(out, count as u64);
}

/// Appends a group.
fn put_group(out: &mut Vec<u8>, group: &Group) {
    let consumers = group.consumers();
    put_head(out, (group.name(), group.last_id, group.entries_read), consumers.len());
    consumers.for_each(|consumer| put_consumer(out, consumer.name(), consumer.seen));
    // From a consumer's number to its place among the names.
    let highest = group.numbers().iter().copied().max().map_or(0, |number| number as usize + 1);
    let mut places = vec![0; highest];
    for (place, &number) in group.numbers().iter().enumerate() {
        places[number as usize] = place as u64;
    }
    put_count(out, group.pending());
    group.pending_from(StreamId::MIN).for_each(|one| put_one(out, one, &places));
}

/// Appends a pending entry.
pub(super) fn put_one(out: &mut Vec<u8>, one: &Pending, places: &[u64]) {
    put_id(out, one.id);
    out.extend_from_slice(&one.delivered.to_le_bytes());
    put_number(out, one.deliveries);
    put_number(out, places.get(one.consumer as usize).copied().unwrap_or(0));
}

/// The stream of these bytes.
///
/// # Errors
/// They are something else.
pub(super) fn decode(bytes: &[u8]) -> Result<Stream, Malformed> {
    let mut source = Source::new(bytes);
    let mut stream = Stream::default();
    for _ in 0..source.length()? {
        let (id, node) = read_node(&mut source)?;
        stream.adopt_node(id, node).map_err(Malformed)?;
    }
    Rest::default().finish(&mut source, &mut stream)?;
    Ok(stream)
}

/// What stands behind the nodes of a stream, read as it comes.
#[derive(Default)]
pub(super) struct Rest {
    /// How many groups are still to begin; `None` before the counters.
    groups: Option<usize>,
    /// The group that has begun.
    filling: Option<Filling>,
}

/// A group of which something is still to come.
struct Filling {
    name: Box<[u8]>,
    /// Consumers still to come.
    consumers: usize,
    /// The numbers of those that have come, by their places.
    numbers: Vec<u32>,
    /// What is pending and still to come; `None` before it is known how much that is.
    left: Option<usize>,
}

impl Rest {
    /// Reads all that is there as a whole; what is left comes again, with more behind it.
    pub fn read(&mut self, source: &mut Source<'_>, stream: &mut Stream) {
        while !self.is_whole() && self.step(source, stream).is_ok() {}
    }

    /// Nothing more comes, and this is left.
    ///
    /// # Errors
    /// Something is missing, or it is something else.
    pub fn finish(
        &mut self,
        source: &mut Source<'_>,
        stream: &mut Stream,
    ) -> Result<(), Malformed> {
        while !self.is_whole() {
            self.step(source, stream)?;
        }
        if source.is_done() { Ok(()) } else { Err(Malformed("bytes behind a stream")) }
    }

    fn is_whole(&self) -> bool {
        self.groups == Some(0) && self.filling.is_none()
    }

    /// Reads what comes next. Of what cannot be read nothing is taken.
    fn step(&mut self, source: &mut Source<'_>, stream: &mut Stream) -> Result<(), Malformed> {
        if let Some(filling) = &mut self.filling {
            let name = std::mem::take(&mut filling.name);
            let filled = stream.edit_group(&name, |_, group| filling.fill(source, group));
            filling.name = name;
            filled.unwrap_or(Ok(()))?;
            self.filling = None;
            return Ok(());
        }
        let mut ahead = *source;
        self.groups = Some(match self.groups {
            None => counters(&mut ahead, stream)?,
            Some(left) => {
                self.filling = Some(begin_group(&mut ahead, stream)?);
                left.saturating_sub(1)
            }
        });
        *source = ahead;
        Ok(())
    }
}

/// Reads the counters; how many groups follow.
fn counters(source: &mut Source<'_>, stream: &mut Stream) -> Result<usize, Malformed> {
    let (last_id, first_id) = (id(source)?, id(source)?);
    let max_deleted_id = id(source)?;
    let (entries_added, groups) = (source.number()?, source.length()?);
    let counters = Counters { last_id, first_id, max_deleted_id, entries_added };
    stream.adopt_counters(counters).map_err(Malformed)?;
    Ok(groups)
}

fn id(source: &mut Source<'_>) -> Result<StreamId, Malformed> {
    let bytes = source.take(16)?.try_into().map_err(|_| Malformed("an id"))?;
    Ok(StreamId::from_bytes(bytes))
}

/// Reads what stands before the consumers of a group.
fn begin_group(source: &mut Source<'_>, stream: &mut Stream) -> Result<Filling, Malformed> {
    let name = source.bytes()?;
    let (last_id, read) = (id(source)?, source.number()?.checked_sub(1));
    let consumers = source.length()?;
    if !stream.create_group(name, last_id, read) {
        return Err(Malformed("a group that is there twice"));
    }
    Ok(Filling { name: name.into(), consumers, numbers: Vec::new(), left: None })
}

impl Filling {
    /// Reads what comes next of a group until all of it is there, one consumer and one pending
    /// entry after the other: none of them is looked at again when more has come.
    fn fill(&mut self, source: &mut Source<'_>, group: &mut Group) -> Result<(), Malformed> {
        while self.consumers > 0 {
            let mut ahead = *source;
            let (name, seen) = (ahead.bytes()?, ahead.fixed_u64()?);
            let (number, fresh) = group.find_or_create(name, seen);
            if !fresh {
                return Err(Malformed("a consumer that is there twice"));
            }
            self.numbers.push(number);
            self.consumers -= 1;
            *source = ahead;
        }
        let mut left = match self.left {
            Some(left) => left,
            None => {
                let mut ahead = *source;
                let left = ahead.length()?;
                *source = ahead;
                left
            }
        };
        self.left = Some(left);
        while left > 0 {
            group.deliver(pending(source, &self.numbers)?);
            left -= 1;
            self.left = Some(left);
        }
        Ok(())
    }
}

/// Reads a pending entry. Of one that cannot be read nothing is taken.
fn pending(source: &mut Source<'_>, numbers: &[u32]) -> Result<Pending, Malformed> {
    let mut ahead = *source;
    let id = id(&mut ahead)?;
    let (delivered, deliveries) = (ahead.fixed_u64()?, ahead.number()?);
    let place = ahead.length()?;
    let &consumer = numbers.get(place).ok_or(Malformed("a consumer that is not there"))?;
    *source = ahead;
    Ok(Pending { id, delivered, deliveries, consumer })
}
