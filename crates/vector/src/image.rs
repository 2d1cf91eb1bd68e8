//! The vectors of a field and their graph as bytes, piece by piece: what a snapshot contains.
//!
//! ```text
//!   header   0 | version | element | metric | dimension | M + 1, or 0 | efConstruction
//!              | nodes | entry + 1, or 0 | insertions
//!   vectors  1 | first node | nodes | per node: row + 1, or 0 if it is free | norm | bytes
//!   links    2 | first node | nodes | per node in use: height | per layer: links | node …
//! ```
//!
//! Numbers are variable in length, vectors as they are stored; norms are there for cosines alone.
//! Pieces follow each other in this order, each about 64 KiB, and the n-th is written without those
//! before it. What is read back has no free nodes, so nodes are numbered again.
//!
//! Bytes may be damaged: all that the graph relies on is checked, and memory is allocated only for
//! vectors that were read.

use base::codec::{Malformed, Source, put_number};

use crate::graph::LAYERS;
use crate::store::NONE;
use crate::vectors::{Options, Vectors};
use crate::{Element, Metric};

const HEADER: u8 = 0;
const VECTORS: u8 = 1;
const LINKS: u8 = 2;
const VERSION: u64 = 1;
/// Bytes that a piece has, about.
const PIECE: usize = 64 << 10;
const WRONG: Malformed = Malformed("not an image of these vectors");

impl Vectors {
    /// The number of pieces of an image.
    #[must_use]
    pub fn image_pieces(&self) -> usize {
        let nodes = self.store.end() as usize;
        let links = self.graph.as_ref().map_or(0, |_| nodes.div_ceil(self.nodes_per_piece().1));
        1 + nodes.div_ceil(self.nodes_per_piece().0) + links
    }

    /// Nodes of a piece of vectors, and of one of links.
    fn nodes_per_piece(&self) -> (usize, usize) {
        let links = self.graph.as_ref().map_or(1, |graph| 8 * graph.m);
        ((PIECE / (self.store.measure.size() + 16)).max(1), (PIECE / links).max(1))
    }

    /// Appends a piece of the image. Nothing may be inserted or removed between the pieces.
    pub fn put_image_piece(&self, piece: usize, out: &mut Vec<u8>) {
        let (vectors, links) = self.nodes_per_piece();
        let vector_pieces = (self.store.end() as usize).div_ceil(vectors);
        match piece {
            0 => self.put_header(out),
            piece if piece <= vector_pieces => self.put_vectors((piece - 1) * vectors, out),
            piece => self.put_links((piece - 1 - vector_pieces) * links, out),
        }
    }

    fn put_header(&self, out: &mut Vec<u8>) {
        out.push(HEADER);
        put_options(&self.options, out);
        put_number(out, u64::from(self.store.end()));
        let graph = self.graph.as_ref();
        let entry = graph.map_or(NONE, |graph| graph.entry);
        put_number(out, if entry == NONE { 0 } else { u64::from(entry) + 1 });
        put_number(out, graph.map_or(0, |graph| graph.inserted));
    }

    /// Begins a piece of nodes; which ones it has.
    fn put_range(&self, kind: u8, first: usize, most: usize, out: &mut Vec<u8>) -> (u32, u32) {
        let end = self.store.end();
        let first = u32::try_from(first).unwrap_or(end).min(end);
        let last = u32::try_from(most).map_or(end, |most| first.saturating_add(most).min(end));
        out.push(kind);
        put_number(out, u64::from(first));
        put_number(out, u64::from(last - first));
        (first, last)
    }

    fn put_vectors(&self, first: usize, out: &mut Vec<u8>) {
        let (first, last) = self.put_range(VECTORS, first, self.nodes_per_piece().0, out);
        for node in first..last {
            let row = self.store.row(node);
            if row == NONE {
                out.push(0);
                continue;
            }
            put_number(out, u64::from(row) + 1);
            if self.store.measure.has_norms() {
                out.extend(self.store.norm(node).to_bits().to_le_bytes());
            }
            out.extend_from_slice(self.store.bytes(node));
        }
    }

    fn put_links(&self, first: usize, out: &mut Vec<u8>) {
        let (first, last) = self.put_range(LINKS, first, self.nodes_per_piece().1, out);
        let Some(graph) = &self.graph else { return };
        for node in (first..last).filter(|node| self.store.row(*node) != NONE) {
            let height = graph.height(node);
            put_number(out, height as u64);
            for layer in 0..=height {
                let links = graph.links(node, layer);
                put_number(out, links.len() as u64);
                links.iter().for_each(|link| put_number(out, u64::from(*link)));
            }
        }
    }
}

fn put_options(options: &Options, out: &mut Vec<u8>) {
    put_number(out, VERSION);
    out.push(match options.element {
        Element::Float32 => 0,
        Element::Float64 => 1,
        Element::Float16 => 2,
        Element::Bfloat16 => 3,
        Element::Int8 => 4,
        Element::Uint8 => 5,
    });
    out.push(match options.metric {
        Metric::L2 => 0,
        Metric::InnerProduct => 1,
        Metric::Cosine => 2,
    });
    put_number(out, options.dimension as u64);
    match options.graph {
        None => out.push(0),
        Some(graph) => {
            put_number(out, graph.m as u64 + 1);
            put_number(out, graph.ef_construction as u64);
        }
    }
}

/// An image that is being read.
pub struct Loading {
    vectors: Vectors,
    /// Rows are below.
    row_end: u32,
    /// What the header has: the number of nodes in the image, and the entry.
    header: Option<(u32, u32)>,
    /// The node that each node of the image has become, or [`NONE`].
    nodes: Vec<u32>,
    /// The node of the image whose links come next.
    linked: usize,
}

impl Loading {
    /// The field has these options now, and the caller has rows below `row_end`.
    #[must_use]
    pub fn new(options: Options, row_end: u32) -> Self {
        let vectors = Vectors::new(options);
        Loading { vectors, row_end, header: None, nodes: Vec::new(), linked: 0 }
    }

    /// Reads the next piece.
    ///
    /// # Errors
    /// It is damaged, or of other options. Nothing can be read after that.
    pub fn read_piece(&mut self, piece: &[u8]) -> Result<(), Malformed> {
        let mut source = Source::new(piece);
        match (source.byte()?, self.header) {
            (HEADER, None) => self.read_header(&mut source)?,
            (VECTORS, Some((end, _))) => self.read_vectors(&mut source, end)?,
            (LINKS, Some((end, _))) if self.nodes.len() == end as usize => {
                self.read_links(&mut source)?;
            }
            _ => return Err(WRONG),
        }
        if source.is_done() { Ok(()) } else { Err(WRONG) }
    }

    fn read_header(&mut self, source: &mut Source<'_>) -> Result<(), Malformed> {
        let mut options = Vec::new();
        put_options(&self.vectors.options, &mut options);
        if source.take(options.len())? != options {
            return Err(WRONG);
        }
        let end = small(source)?;
        let entry = small(source)?;
        let inserted = source.number()?;
        if let Some(graph) = &mut self.vectors.graph {
            graph.inserted = inserted;
        }
        self.header = Some((end, entry.checked_sub(1).unwrap_or(NONE)));
        Ok(())
    }

    fn read_vectors(&mut self, source: &mut Source<'_>, end: u32) -> Result<(), Malformed> {
        let (first, count) = (source.length()?, source.length()?);
        if first != self.nodes.len() || count > end as usize - first {
            return Err(WRONG);
        }
        let measure = self.vectors.store.measure;
        for _ in 0..count {
            let node = match small(source)?.checked_sub(1) {
                None => NONE,
                Some(row) if row >= self.row_end => return Err(WRONG),
                Some(row) => {
                    let norm =
                        if measure.has_norms() { f64::from_bits(source.fixed_u64()?) } else { 0.0 };
                    let bytes = source.take(measure.size())?;
                    self.vectors.store.insert(row, bytes, norm)
                }
            };
            self.nodes.push(node);
        }
        Ok(())
    }

    fn read_links(&mut self, source: &mut Source<'_>) -> Result<(), Malformed> {
        let (first, count) = (source.length()?, source.length()?);
        let graph = self.vectors.graph.as_mut().ok_or(WRONG)?;
        if first != self.linked || count > self.nodes.len() - first {
            return Err(WRONG);
        }
        let mut links = Vec::new();
        for node in &self.nodes[first..first + count] {
            if *node == NONE {
                continue;
            }
            let height = source.length()?;
            if height >= LAYERS {
                return Err(WRONG);
            }
            graph.add_layers(*node, height);
            for layer in 0..=height {
                links.clear();
                let len = source.length()?;
                if len > graph.capacity(layer) {
                    return Err(WRONG);
                }
                for _ in 0..len {
                    let link = self.nodes.get(source.length()?).copied().unwrap_or(NONE);
                    if link == NONE || link == *node || links.contains(&link) {
                        return Err(WRONG);
                    }
                    links.push(link);
                }
                graph.set_links(*node, layer, &links);
            }
        }
        self.linked += count;
        Ok(())
    }

    /// What was read.
    ///
    /// # Errors
    /// A piece is missing, or the pieces do not fit together.
    pub fn finish(mut self) -> Result<Vectors, Malformed> {
        let Some((end, entry)) = self.header else { return Err(WRONG) };
        if self.nodes.len() != end as usize {
            return Err(WRONG);
        }
        let Some(graph) = &mut self.vectors.graph else { return Ok(self.vectors) };
        let entry =
            if entry == NONE { NONE } else { *self.nodes.get(entry as usize).ok_or(WRONG)? };
        graph.entry = entry;
        let is_empty = self.vectors.store.len() == 0;
        let is_whole = self.linked == self.nodes.len() && is_empty == (entry == NONE);
        let end = self.vectors.store.end();
        if is_whole && (is_empty || graph.height(entry) == graph.top()) && graph.is_symmetric(end) {
            Ok(self.vectors)
        } else {
            Err(WRONG)
        }
    }
}

/// The next number, of at most 32 bits.
fn small(source: &mut Source<'_>) -> Result<u32, Malformed> {
    u32::try_from(source.number()?).map_err(|_| WRONG)
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
