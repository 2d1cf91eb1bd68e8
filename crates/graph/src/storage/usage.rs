//! What the parts of a graph take, segment by segment.
//!
//! Values of properties are divided among the labels, or types, of those that have them: a node of
//! two labels counts for both, so the sum over labels may be more than there is.

use blocks::Block;

use super::chunk::Chunk;
use super::segment::{EdgeSegment, NodeSegment, Segment};
use super::{KeyId, SlotSet, TypeId, View};

/// What the parts of a graph take, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Which nodes have which label.
    pub labels: usize,
    /// Which nodes are connected.
    pub lists: usize,
    /// Which nodes live.
    pub nodes: usize,
    /// Properties of nodes with each label, in order of the labels' numbers.
    pub of_labels: Vec<usize>,
    /// Properties of nodes without labels.
    pub unlabelled: usize,
    /// Which edges live, and what they connect.
    pub edges: usize,
    /// Properties of edges of each type, in order of the types' numbers.
    pub of_types: Vec<usize>,
    /// The entries of indexes.
    pub indexes: usize,
    /// How many segments of each kind have been added.
    added: [usize; 3],
}

impl Usage {
    /// Bytes that this takes itself.
    #[must_use]
    pub fn memory(&self) -> usize {
        (self.of_labels.capacity() + self.of_types.capacity()) * size_of::<usize>()
    }

    /// Adds one more segment of a graph, which is the same each time. `false`: there is none left.
    pub fn add_segment(&mut self, view: &View) -> bool {
        let [nodes, lists, edges] = self.added;
        if let Some(segment) = view.nodes.segments.get(nodes) {
            if nodes == 0 {
                self.begin(view);
            }
            self.added[0] += 1;
            self.add_nodes(view, nodes, segment);
            return true;
        }
        if lists < view.links.len() {
            self.added[1] += 1;
            let links = &view.links[lists];
            self.lists += links.out.memory() + links.into.memory();
            return true;
        }
        if let Some(segment) = view.edges.segments.get(edges) {
            self.added[2] += 1;
            self.add_edges(view, edges, segment);
            return true;
        }
        false
    }

    fn begin(&mut self, view: &View) {
        self.of_labels = vec![0; view.label_names().count()];
        self.of_types = vec![0; view.type_names().count()];
        self.indexes = view.indexes().map(|index| index.memory()).sum();
    }

    fn add_nodes(&mut self, view: &View, number: usize, segment: &NodeSegment) {
        let of_labels = segment.labels().count() * table::size_class(size_of::<SlotSet>());
        self.labels += of_labels;
        self.nodes += block(segment) - of_labels;
        for chunk in chunks(view, &segment.slots().keys, 0, number) {
            let each = block(chunk) / chunk.count().max(1);
            for slot in chunk.slots() {
                let mut labels = segment.labels_of(slot).peekable();
                if labels.peek().is_none() {
                    self.unlabelled += each;
                }
                for label in labels {
                    add(&mut self.of_labels, label, each);
                }
            }
        }
    }

    fn add_edges(&mut self, view: &View, number: usize, segment: &EdgeSegment) {
        self.edges += block(segment);
        for chunk in chunks(view, &segment.slots().keys, 1, number) {
            let each = block(chunk) / chunk.count().max(1);
            for slot in chunk.slots() {
                if let Some(ends) = segment.ends(slot) {
                    add(&mut self.of_types, ends.kind, each);
                }
            }
        }
    }
}

fn add(all: &mut [usize], number: TypeId, bytes: usize) {
    if let Some(sum) = all.get_mut(usize::from(number)) {
        *sum += bytes;
    }
}

/// The values of a segment of nodes (0) or edges (1).
fn chunks<'v>(
    view: &'v View,
    keys: &'v [KeyId],
    column: usize,
    number: usize,
) -> impl Iterator<Item = &'v Chunk> {
    keys.iter().filter_map(move |&key| view.columns.get(usize::from(key))?[column].get(number))
}

/// Bytes of a block, about: without what the tree has around it.
fn block<B: Block>(block: &B) -> usize {
    table::size_class(size_of::<B>()) + block.memory()
}
