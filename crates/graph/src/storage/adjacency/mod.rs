//! Who is connected with whom by edges of one type, in one direction.
//!
//! ```text
//!   segment: 1,024 nodes   index       node 0: 0..2    node 1: 2..2    node 2: 2..5   …
//!                          neighbours  7 9             .               1 1 4
//!                          edges       3 8             .               2 5 6          in order
//!                          hubs        node 17 ─► pages of a thousand edges
//! ```
//!
//! A node's edges lie side by side in its segment, with their neighbours, in the order of their
//! numbers. What a segment holds so is bounded: beyond it, the node with most edges has them in
//! pages of its own. So an edge is added and removed by moving some kilobytes at most, however
//! many its nodes have, and the same is copied where a version shares them. Nothing has to be
//! merged, and what is read is always slices.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `pairs` | neighbours and edges side by side |
//! | `segment` | the edges of 1,024 nodes, and where those of each begin |
//! | `hubs` | nodes whose edges lie in pages |

mod hubs;
mod pairs;
mod segment;

use blocks::{Block, Ledger, Tree};

use self::hubs::Page;
use self::segment::Segment;
use super::{EdgeId, NodeId, SEGMENT, segment_of, slot_of};

/// How many edges a segment holds itself.
const MOST: usize = 8192;
/// No page.
const NONE: u32 = u32::MAX;

/// Neighbours and the edges that lead to them, side by side.
pub type Pair<'a> = (&'a [NodeId], &'a [EdgeId]);

/// The first node of a segment, of which there are fewer than ids.
fn first_node(number: usize) -> NodeId {
    (number * SEGMENT) as NodeId
}

/// The lists of all nodes.
pub(crate) struct Lists {
    segments: Tree<Segment>,
    pages: Tree<Page>,
    /// The first page that is not used.
    free: u32,
}

impl Lists {
    /// Bytes that they take, about.
    pub fn memory(&self) -> usize {
        let segments = self.segments.iter().map(Block::memory).sum::<usize>();
        let pages = self.pages.iter().map(Block::memory).sum::<usize>();
        let own = self.segments.len() * size_of::<Segment>() + self.pages.len() * size_of::<Page>();
        segments + pages + own
    }
}

impl Clone for Lists {
    fn clone(&self) -> Self {
        Lists { segments: self.segments.clone(), pages: self.pages.clone(), free: self.free }
    }
}

impl Default for Lists {
    fn default() -> Self {
        Lists { segments: Tree::default(), pages: Tree::default(), free: NONE }
    }
}

/// The edges of one node, as slices.
#[derive(Clone)]
pub struct Neighbours<'a> {
    here: Option<Pair<'a>>,
    pages: std::slice::Iter<'a, (EdgeId, u32)>,
    lists: Option<&'a Lists>,
}

impl Neighbours<'_> {
    /// None.
    pub(crate) fn none() -> Self {
        Neighbours { here: None, pages: [].iter(), lists: None }
    }
}

impl<'a> Iterator for Neighbours<'a> {
    type Item = Pair<'a>;

    #[inline]
    fn next(&mut self) -> Option<Pair<'a>> {
        if let Some(here) = self.here.take() {
            return Some(here);
        }
        let (_, page) = self.pages.next()?;
        let page = self.lists?.pages.get(*page as usize)?;
        Some((&page.pairs.neighbours, &page.pairs.edges))
    }
}

impl Lists {
    /// The edges of a node, in order.
    #[inline]
    pub fn of(&self, node: NodeId) -> Neighbours<'_> {
        let Some(segment) = self.segments.get(segment_of(node)) else { return Neighbours::none() };
        let slot = slot_of(node);
        if !segment.hubs.is_empty()
            && let Some(at) = segment.hub(slot)
        {
            let pages = segment.hubs[at].pages.iter();
            return Neighbours { here: None, pages, lists: Some(self) };
        }
        let range = segment.range(slot);
        if range.is_empty() {
            return Neighbours::none();
        }
        let here = (&segment.pairs.neighbours[range.clone()], &segment.pairs.edges[range]);
        Neighbours { here: Some(here), pages: [].iter(), lists: None }
    }

    /// How many edges a node has.
    #[inline]
    pub fn degree(&self, node: NodeId) -> usize {
        let Some(segment) = self.segments.get(segment_of(node)) else { return 0 };
        match segment.hub(slot_of(node)) {
            Some(at) => segment.hubs[at].degree as usize,
            None => segment.range(slot_of(node)).len(),
        }
    }

    /// Adds an edge.
    pub fn insert(&mut self, ledger: &mut Ledger, node: NodeId, (to, edge): (NodeId, EdgeId)) {
        let (number, slot) = (segment_of(node), slot_of(node));
        if self.segments.get(number).is_none() {
            self.segments.put(ledger, number, Segment::new());
        }
        loop {
            let Some(segment) = self.segments.get(number) else { return };
            if let Some(at) = segment.hub(slot) {
                return self.insert_in_hub(ledger, (number, at), (to, edge));
            }
            if segment.pairs.edges.len() < MOST {
                self.segments.edit(ledger, number, |segment| segment.insert(slot, to, edge));
                return;
            }
            let largest = segment.largest();
            self.make_hub(ledger, number, largest);
        }
    }

    /// Adds many edges, given as from where, to where, and their numbers, which rise and are beyond
    /// those of all edges here. What takes its place in a segment one by one is counted out here at
    /// once.
    pub fn extend(&mut self, ledger: &mut Ledger, edges: &[(NodeId, NodeId, EdgeId)]) {
        let Some(last) = edges.iter().map(|edge| segment_of(edge.0)).max() else { return };
        // Where the edges of each segment begin, in order of segments.
        let mut ends = vec![0_usize; last + 1];
        edges.iter().for_each(|edge| ends[segment_of(edge.0)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut sorted = vec![(0, 0, 0); edges.len()];
        for &edge in edges {
            let at = &mut ends[segment_of(edge.0)];
            sorted[*at] = edge;
            *at += 1;
        }
        let mut start = 0;
        for (number, &end) in ends.iter().enumerate() {
            let here = &sorted[start..end];
            start = end;
            if !here.is_empty() {
                self.extend_segment(ledger, number, here);
            }
        }
    }

    /// The same of the edges of one segment.
    fn extend_segment(
        &mut self,
        ledger: &mut Ledger,
        number: usize,
        edges: &[(NodeId, NodeId, EdgeId)],
    ) {
        let mut all = Vec::new();
        let segment = self.segments.get(number);
        let fits = segment.is_none_or(|segment| segment.hubs.is_empty())
            && segment.map_or(0, |segment| segment.pairs.edges.len()) + edges.len() <= MOST;
        if !fits {
            let each = edges.iter();
            return each.for_each(|&(node, to, edge)| self.insert(ledger, node, (to, edge)));
        }
        if let Some(segment) = segment {
            segment.put_edges(first_node(number), &mut all);
        }
        all.extend_from_slice(edges);
        self.segments.put(ledger, number, Segment::of(&all));
    }

    /// Removes an edge.
    pub fn remove(&mut self, ledger: &mut Ledger, node: NodeId, edge: EdgeId) {
        let (number, slot) = (segment_of(node), slot_of(node));
        let Some(segment) = self.segments.get(number) else { return };
        match segment.hub(slot) {
            Some(at) => self.remove_from_hub(ledger, (number, at), edge),
            None => {
                self.segments.edit(ledger, number, |segment| segment.remove(slot, edge));
            }
        }
        if self.segments.get(number).is_some_and(Segment::is_empty) {
            self.segments.remove(ledger, number);
        }
    }

    /// The value goes: see [`Tree::leave_whole`].
    pub fn leave_whole(&self, versions: &std::sync::Arc<base::Versions>, held: bool) {
        self.segments.leave_whole(versions, held);
        self.pages.leave_whole(versions, held);
    }
}
