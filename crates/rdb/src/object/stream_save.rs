//! Streams are written, in the second form; `stream_load` has the drawing.
//!
//! Entries are gathered into nodes exactly as a server gathers them that adds one after the other,
//! so that a stream from which nothing was deleted has the same bytes as in Redis.

use std::io::{self, Write};

use super::Limits;
use crate::lzf::Compressor;
use crate::{Group, Stream, StreamEntry, StreamId, length, listpack, text};

const SAME_FIELDS: i64 = 2;
/// Redis never makes a node larger than this.
const NODE_MAX: usize = 1 << 30;

/// Writes a stream, without the byte of its form.
pub fn save<W: Write>(
    out: &mut W,
    stream: &Stream,
    limits: &Limits,
    mut compressor: Option<&mut Compressor>,
) -> io::Result<()> {
    let sizes = plan(&stream.entries, limits);
    length::write(out, sizes.len() as u64)?;
    let mut entries = &stream.entries[..];
    for size in sizes {
        let (here, rest) = entries.split_at(size);
        entries = rest;
        let Some(first) = here.first() else { continue };
        text::write(out, &first.id.to_bytes(), compressor.as_deref_mut())?;
        text::write(out, &node(first, here), compressor.as_deref_mut())?;
    }
    save_rest(out, stream, stream.entries.len(), compressor)
}

/// Writes a stream whose nodes are at hand, without the byte of its form. `rest` says what is not
/// in the nodes.
pub fn save_packed<'a, W: Write>(
    out: &mut W,
    nodes: impl ExactSizeIterator<Item = (StreamId, &'a [u8])>,
    entries: usize,
    rest: &Stream,
    mut compressor: Option<&mut Compressor>,
) -> io::Result<()> {
    length::write(out, nodes.len() as u64)?;
    for (id, bytes) in nodes {
        text::write(out, &id.to_bytes(), compressor.as_deref_mut())?;
        text::write(out, bytes, compressor.as_deref_mut())?;
    }
    save_rest(out, rest, entries, compressor)
}

fn save_rest<W: Write>(
    out: &mut W,
    stream: &Stream,
    entries: usize,
    mut compressor: Option<&mut Compressor>,
) -> io::Result<()> {
    length::write(out, entries as u64)?;
    for id in [stream.last_id, stream.first_id, stream.max_deleted_id] {
        save_id(out, id)?;
    }
    length::write(out, stream.entries_added)?;
    length::write(out, stream.groups.len() as u64)?;
    let mut groups: Vec<&Group> = stream.groups.iter().collect();
    // The order in which Redis keeps them.
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    groups.into_iter().try_for_each(|group| save_group(out, group, compressor.as_deref_mut()))
}

fn save_id<W: Write>(out: &mut W, id: StreamId) -> io::Result<()> {
    length::write(out, id.ms)?;
    length::write(out, id.seq)
}

fn save_group<W: Write>(
    out: &mut W,
    group: &Group,
    mut compressor: Option<&mut Compressor>,
) -> io::Result<()> {
    text::write(out, &group.name, compressor.as_deref_mut())?;
    save_id(out, group.last_id)?;
    length::write(out, group.entries_read.unwrap_or(u64::MAX))?;
    length::write(out, group.pending.len() as u64)?;
    let mut own: Vec<Vec<StreamId>> = vec![Vec::new(); group.consumers.len()];
    for entry in &group.pending {
        out.write_all(&entry.id.to_bytes())?;
        out.write_all(&entry.delivered.to_le_bytes())?;
        length::write(out, entry.deliveries)?;
        if let Some(own) = own.get_mut(entry.consumer) {
            own.push(entry.id);
        }
    }
    length::write(out, group.consumers.len() as u64)?;
    let mut consumers: Vec<_> = group.consumers.iter().zip(own).collect();
    consumers.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    for (consumer, own) in consumers {
        text::write(out, &consumer.name, compressor.as_deref_mut())?;
        out.write_all(&consumer.seen.to_le_bytes())?;
        length::write(out, own.len() as u64)?;
        own.into_iter().try_for_each(|id| out.write_all(&id.to_bytes()))?;
    }
    Ok(())
}

/// How many entries go into each node.
fn plan(entries: &[StreamEntry], limits: &Limits) -> Vec<usize> {
    let most_bytes = match limits.stream_bytes {
        0 | NODE_MAX.. => NODE_MAX,
        bytes => bytes,
    };
    let most_entries = if limits.stream_entries == 0 { usize::MAX } else { limits.stream_entries };
    let mut sizes: Vec<usize> = Vec::new();
    // The node's first entry, and its bytes without the element that counts its entries.
    let (mut first, mut bytes) = (None, 0);
    for entry in entries {
        let content: usize = entry.fields().map(|(name, value)| name.len() + value.len()).sum();
        let fits = sizes.last().is_some_and(|&count| {
            let counter = listpack::int_size(number(count));
            count < most_entries && bytes + counter + content < most_bytes
        });
        if !fits {
            sizes.push(0);
            first = None;
        }
        let node = *first.get_or_insert_with(|| {
            bytes = listpack::EMPTY + master_size(entry);
            entry
        });
        bytes += entry_size(node, entry);
        if let Some(count) = sizes.last_mut() {
            *count += 1;
        }
    }
    sizes
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn same_fields(first: &StreamEntry, entry: &StreamEntry) -> bool {
    std::sync::Arc::ptr_eq(&first.names, &entry.names) || first.names == entry.names
}

/// The distance of an entry from the first one of its node.
fn distance(first: StreamId, id: StreamId) -> (i64, i64) {
    (id.ms.wrapping_sub(first.ms).cast_signed(), id.seq.wrapping_sub(first.seq).cast_signed())
}

/// Bytes of what precedes the entries of a node, but for their count.
fn master_size(first: &StreamEntry) -> usize {
    let names: usize = first.names.iter().map(|name| listpack::element_size(name)).sum();
    2 * listpack::int_size(0) + listpack::int_size(number(first.names.len())) + names
}

fn entry_size(first: &StreamEntry, entry: &StreamEntry) -> usize {
    let (ms, seq) = distance(first.id, entry.id);
    let values: usize = entry.values.iter().map(|value| listpack::element_size(value)).sum();
    let count = entry.names.len();
    let rest = if same_fields(first, entry) {
        listpack::int_size(number(3 + count))
    } else {
        let names: usize = entry.names.iter().map(|name| listpack::element_size(name)).sum();
        listpack::int_size(number(count)) + names + listpack::int_size(number(4 + 2 * count))
    };
    listpack::int_size(0) + listpack::int_size(ms) + listpack::int_size(seq) + values + rest
}

fn node(first: &StreamEntry, entries: &[StreamEntry]) -> Vec<u8> {
    let mut pack = listpack::Builder::default();
    pack.push_int(number(entries.len()));
    pack.push_int(0);
    pack.push_int(number(first.names.len()));
    first.names.iter().for_each(|name| pack.push(name));
    pack.push_int(0);
    for entry in entries {
        let (ms, seq) = distance(first.id, entry.id);
        let same = same_fields(first, entry);
        pack.push_int(if same { SAME_FIELDS } else { 0 });
        pack.push_int(ms);
        pack.push_int(seq);
        let count = number(entry.names.len());
        if same {
            entry.values.iter().for_each(|value| pack.push(value));
            pack.push_int(3 + count);
        } else {
            pack.push_int(count);
            for (name, value) in entry.fields() {
                pack.push(name);
                pack.push(value);
            }
            pack.push_int(4 + 2 * count);
        }
    }
    pack.finish()
}
