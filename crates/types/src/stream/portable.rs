//! A stream in Redis's files: its nodes are those of Redis.

use std::io::{self, Write};

use base::{PackLimits, StreamId};
use hashbrown::HashMap;
use rdb::{Encoder, Portable, Value};

use super::{Consumer, Counters, Entry, Group, Pending, Stream};

impl Portable for Stream {
    fn to_value(&self) -> Value {
        let entries = self.log().range(StreamId::MIN, StreamId::MAX).map(entry).collect();
        Value::Stream(Box::new(rdb::Stream { entries, ..rest(self) }))
    }

    fn takes(value: &Value) -> bool {
        matches!(value, Value::Stream(_))
    }

    fn from_value(value: Value, limits: &PackLimits, _context: &mut ()) -> Option<Self> {
        match value {
            Value::Stream(stream) => restore(&stream, limits),
            _ => None,
        }
    }

    fn write<W: Write>(
        &self,
        encoder: &mut Encoder,
        out: &mut W,
        key: Option<&[u8]>,
    ) -> io::Result<()> {
        let log = self.log();
        encoder.stream_packed(out, key, log.nodes(), log.len(), &rest(self))
    }
}

fn entry(entry: Entry<'_>) -> rdb::StreamEntry {
    let (names, values): (Vec<_>, Vec<_>) =
        entry.fields().map(|(name, value)| (name.to_vec(), value.to_vec())).unzip();
    rdb::StreamEntry { id: entry.id, names: names.into(), values }
}

/// What of a stream is not in its nodes.
fn rest(stream: &Stream) -> rdb::Stream {
    let log = stream.log();
    rdb::Stream {
        last_id: log.last_id(),
        first_id: log.first_id(),
        max_deleted_id: log.max_deleted_id(),
        entries_added: log.entries_added(),
        groups: stream.groups().iter().map(group_rest).collect(),
        ..rdb::Stream::default()
    }
}

fn group_rest(group: &Group) -> rdb::Group {
    let consumer =
        |one: &Consumer| rdb::Consumer { name: one.name().to_vec(), seen: one.seen, active: None };
    let places: HashMap<u32, usize> =
        group.numbers().iter().enumerate().map(|(place, &number)| (number, place)).collect();
    let pending = |one: &Pending| rdb::Pending {
        id: one.id,
        consumer: places.get(&one.consumer).copied().unwrap_or(usize::MAX),
        delivered: one.delivered,
        deliveries: one.deliveries,
    };
    rdb::Group {
        name: group.name().to_vec(),
        last_id: group.last_id,
        entries_read: group.entries_read,
        pending: group.pending_from(StreamId::MIN).map(pending).collect(),
        consumers: group.consumers().map(consumer).collect(),
    }
}

/// A stream of one from a file, with the nodes of the file.
fn restore(file: &rdb::Stream, limits: &PackLimits) -> Option<Stream> {
    let mut stream = Stream::default();
    for (id, bytes) in &file.nodes.0 {
        stream.adopt_node(*id, bytes).ok()?;
    }
    if file.nodes.0.is_empty() {
        for entry in &file.entries {
            let words: Vec<&[u8]> =
                entry.fields().flat_map(|(name, value)| [name, value]).collect();
            stream.push(entry.id, &words, limits).ok()?;
        }
    }
    let counters = Counters {
        last_id: file.last_id,
        first_id: file.first_id,
        max_deleted_id: file.max_deleted_id,
        entries_added: file.entries_added,
    };
    stream.adopt_counters(counters).ok()?;
    for group in &file.groups {
        if !stream.create_group(&group.name, group.last_id, group.entries_read) {
            return None;
        }
        stream.edit_group(&group.name, |_, own| {
            let numbers: Vec<u32> = group
                .consumers
                .iter()
                .map(|one| own.find_or_create(&one.name, one.seen).0)
                .collect();
            for one in &group.pending {
                let &consumer = numbers.get(one.consumer)?;
                let (id, delivered, deliveries) = (one.id, one.delivered, one.deliveries);
                own.deliver(Pending { id, delivered, deliveries, consumer });
            }
            Some(())
        })??;
    }
    Some(stream)
}
