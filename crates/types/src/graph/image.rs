//! A graph as it stands in snapshots and records.
//!
//! ```text
//!   | how many parts | length | names ... | length | nodes ... | length | edges ... |
//! ```
//!
//! What is in a part, `graph/src/storage/image.rs` knows. There is always one, that of the names.

use ::graph::storage::{Graph, Loader, View};
use base::codec::{Malformed, Source, put_bytes, put_number};

/// Appends a graph.
pub(super) fn encode(graph: &Graph, out: &mut Vec<u8>) {
    let parts = graph.image_parts();
    put_number(out, parts as u64);
    let mut part = Vec::new();
    (0..parts).for_each(|number| put_part(graph, number, &mut part, out));
}

/// Appends a part with its length; `buffer` is for the part alone.
pub(super) fn put_part(view: &View, number: usize, buffer: &mut Vec<u8>, out: &mut Vec<u8>) {
    buffer.clear();
    view.put_image_part(number, buffer);
    put_bytes(out, buffer);
}

/// Reads a graph.
pub(super) fn decode(source: &mut Source<'_>) -> Result<Graph, Malformed> {
    let mut loader = Loader::default();
    for _ in 0..source.length()? {
        loader.take_part(source.bytes()?)?;
    }
    loader.finish()
}

/// Passes over a graph.
pub(super) fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    for _ in 0..source.length()? {
        source.bytes()?;
    }
    Ok(())
}

/// A graph like this one, of which it shares nothing.
pub(super) fn copy(graph: &Graph) -> Result<Graph, Malformed> {
    let (mut loader, mut part) = (Loader::default(), Vec::new());
    for number in 0..graph.image_parts() {
        part.clear();
        graph.put_image_part(number, &mut part);
        loader.take_part(&part)?;
    }
    loader.finish()
}
