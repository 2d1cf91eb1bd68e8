//! Who is connected with whom by edges of one type, in one direction.
//!
//! ```text
//!   segment: 1,024 nodes   index       node 0: 0..2    node 1: 2..2    node 2: 2..5   …
//!                          neighbours  7 9             .               1 1 4
//!                          edges       3 8             .               2 5 6          in order
//!                          apart       node 17 ─► pages of a thousand edges
//! ```
//!
//! A node's edges lie side by side in its segment, with their neighbours, in the order of their
//! numbers. What a segment holds so is bounded: beyond it, the node with most edges has them in
//! pages of its own. So an edge is added and removed by moving some kilobytes at most, however
//! many its nodes have, and the same is copied where a version shares them. Nothing has to be
//! merged, and what is read is always slices.

use blocks::{Block, Ledger, Tree};

use super::{EdgeId, NodeId, SEGMENT, Slot, segment_of, slot_of, vec_bytes};

/// How many edges a segment holds itself.
const MOST: usize = 8192;
/// A node whose edges are in pages has more of them than this.
const FEW: usize = 16;
/// How many edges a page holds.
const PAGE: usize = 1024;
/// With more edges than this, a segment has an index by node; with less than half of it, none.
const SMALL: usize = 256;
/// No page.
const NONE: u32 = u32::MAX;

/// Neighbours and the edges that lead to them, side by side.
pub type Pair<'a> = (&'a [NodeId], &'a [EdgeId]);

/// Neighbours and edges: what segments and pages are made of.
#[derive(Clone, Default)]
struct Pairs {
    neighbours: Vec<NodeId>,
    edges: Vec<EdgeId>,
}

impl Pairs {
    fn insert(&mut self, at: usize, neighbour: NodeId, edge: EdgeId) {
        if self.edges.len() == self.edges.capacity() {
            let more = (self.edges.len() / 4).max(4);
            self.edges.reserve_exact(more);
            self.neighbours.reserve_exact(more);
        }
        self.neighbours.insert(at, neighbour);
        self.edges.insert(at, edge);
    }

    fn remove(&mut self, at: usize) {
        self.neighbours.remove(at);
        self.edges.remove(at);
        if self.edges.len() < self.edges.capacity() / 2 {
            self.edges.shrink_to_fit();
            self.neighbours.shrink_to_fit();
        }
    }

    fn drain(&mut self, range: std::ops::Range<usize>) -> Pairs {
        let pairs = Pairs {
            neighbours: self.neighbours.drain(range.clone()).collect(),
            edges: self.edges.drain(range).collect(),
        };
        self.neighbours.shrink_to_fit();
        self.edges.shrink_to_fit();
        pairs
    }

    fn append(&mut self, other: &Pairs) {
        self.neighbours.extend_from_slice(&other.neighbours);
        self.edges.extend_from_slice(&other.edges);
    }

    fn memory(&self) -> usize {
        vec_bytes(&self.neighbours) + vec_bytes(&self.edges)
    }
}

/// Where the edges of each node begin.
#[derive(Clone)]
enum Index {
    /// The node of each edge.
    Nodes(Vec<Slot>),
    /// Of each node the first edge, and the end: 1,025.
    Starts(Box<[u16]>),
}

/// The lists of 1,024 nodes.
#[derive(Clone)]
pub(crate) struct Segment {
    index: Index,
    pairs: Pairs,
    /// The nodes whose edges are in pages, in order.
    apart: Vec<Apart>,
    /// Bytes that `apart` has on the heap.
    apart_bytes: usize,
}

/// A node whose edges are in pages.
#[derive(Clone)]
struct Apart {
    slot: Slot,
    degree: u32,
    /// The first edge of each page, and the page.
    pages: Vec<(EdgeId, u32)>,
}

/// Edges of one node.
#[derive(Clone, Default)]
pub(crate) struct Page {
    pairs: Pairs,
    /// Of a page that is not used, the next such.
    next: u32,
}

impl Block for Page {
    fn memory(&self) -> usize {
        self.pairs.memory()
    }
}

impl Block for Segment {
    fn memory(&self) -> usize {
        let index = match &self.index {
            Index::Nodes(nodes) => vec_bytes(nodes),
            Index::Starts(starts) => table::size_class(size_of_val(&**starts)),
        };
        index + self.pairs.memory() + self.apart_bytes
    }
}

impl Segment {
    fn new() -> Self {
        let index = Index::Nodes(Vec::new());
        Segment { index, pairs: Pairs::default(), apart: Vec::new(), apart_bytes: 0 }
    }

    fn is_empty(&self) -> bool {
        self.pairs.edges.is_empty() && self.apart.is_empty()
    }

    /// Where the edges of a node are.
    #[inline]
    fn range(&self, slot: Slot) -> std::ops::Range<usize> {
        match &self.index {
            Index::Nodes(nodes) => {
                nodes.partition_point(|&node| node < slot)
                    ..nodes.partition_point(|&node| node <= slot)
            }
            Index::Starts(starts) => {
                let at = usize::from(slot);
                usize::from(starts[at])..usize::from(starts[at + 1])
            }
        }
    }

    fn apart(&self, slot: Slot) -> Option<usize> {
        self.apart.binary_search_by_key(&slot, |apart| apart.slot).ok()
    }

    /// The node with most edges here.
    fn largest(&self) -> Slot {
        let nodes = 0..SEGMENT as Slot;
        nodes.max_by_key(|&slot| self.range(slot).len()).unwrap_or(0)
    }

    fn insert(&mut self, slot: Slot, neighbour: NodeId, edge: EdgeId) {
        let range = self.range(slot);
        let before = self.pairs.edges[range.clone()].partition_point(|&other| other < edge);
        self.pairs.insert(range.start + before, neighbour, edge);
        match &mut self.index {
            Index::Nodes(nodes) => nodes.insert(range.end, slot),
            Index::Starts(starts) => {
                starts[usize::from(slot) + 1..].iter_mut().for_each(|start| *start += 1);
            }
        }
        self.fit_index();
    }

    fn remove(&mut self, slot: Slot, edge: EdgeId) -> bool {
        let range = self.range(slot);
        let Ok(at) = self.pairs.edges[range.clone()].binary_search(&edge) else { return false };
        self.pairs.remove(range.start + at);
        self.take_from_index(slot, range.start..range.start + 1);
        true
    }

    /// Takes all edges of a node.
    fn take(&mut self, slot: Slot) -> Pairs {
        let range = self.range(slot);
        let pairs = self.pairs.drain(range.clone());
        self.take_from_index(slot, range);
        pairs
    }

    fn take_from_index(&mut self, slot: Slot, range: std::ops::Range<usize>) {
        // As long as a segment, at most.
        let count = range.len() as u16;
        match &mut self.index {
            Index::Nodes(nodes) => drop(nodes.drain(range)),
            Index::Starts(starts) => {
                starts[usize::from(slot) + 1..].iter_mut().for_each(|start| *start -= count);
            }
        }
        self.fit_index();
    }

    /// An index that suits how many edges there are.
    fn fit_index(&mut self) {
        let count = self.pairs.edges.len();
        match &self.index {
            Index::Nodes(nodes) if count > SMALL => {
                let mut starts = vec![0_u16; SEGMENT + 1];
                nodes.iter().for_each(|&node| starts[usize::from(node) + 1] += 1);
                let mut sum = 0;
                for start in &mut starts {
                    sum += *start;
                    *start = sum;
                }
                self.index = Index::Starts(starts.into());
            }
            Index::Starts(_) if count < SMALL / 2 => {
                let nodes = 0..SEGMENT as Slot;
                let each = nodes.flat_map(|slot| self.range(slot).map(move |_| slot));
                self.index = Index::Nodes(each.collect());
            }
            _ => {}
        }
    }

    /// Changes what is noted of nodes whose edges are in pages.
    fn edit_apart<R>(&mut self, edit: impl FnOnce(&mut Vec<Apart>) -> R) -> R {
        let result = edit(&mut self.apart);
        let pages: usize = self.apart.iter().map(|apart| vec_bytes(&apart.pages)).sum();
        self.apart_bytes = pages + vec_bytes(&self.apart);
        result
    }
}

/// The lists of all nodes.
pub(crate) struct Lists {
    segments: Tree<Segment>,
    pages: Tree<Page>,
    /// The first page that is not used.
    free: u32,
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
    apart: std::slice::Iter<'a, (EdgeId, u32)>,
    lists: Option<&'a Lists>,
}

impl Neighbours<'_> {
    /// None.
    pub(crate) fn none() -> Self {
        Neighbours { here: None, apart: [].iter(), lists: None }
    }
}

impl<'a> Iterator for Neighbours<'a> {
    type Item = Pair<'a>;

    #[inline]
    fn next(&mut self) -> Option<Pair<'a>> {
        if let Some(here) = self.here.take() {
            return Some(here);
        }
        let (_, page) = self.apart.next()?;
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
        if !segment.apart.is_empty()
            && let Some(at) = segment.apart(slot)
        {
            let apart = segment.apart[at].pages.iter();
            return Neighbours { here: None, apart, lists: Some(self) };
        }
        let range = segment.range(slot);
        if range.is_empty() {
            return Neighbours::none();
        }
        let here = (&segment.pairs.neighbours[range.clone()], &segment.pairs.edges[range]);
        Neighbours { here: Some(here), apart: [].iter(), lists: None }
    }

    /// How many edges a node has.
    #[inline]
    pub fn degree(&self, node: NodeId) -> usize {
        let Some(segment) = self.segments.get(segment_of(node)) else { return 0 };
        match segment.apart(slot_of(node)) {
            Some(at) => segment.apart[at].degree as usize,
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
            if let Some(at) = segment.apart(slot) {
                return self.insert_apart(ledger, (number, at), (to, edge));
            }
            if segment.pairs.edges.len() < MOST {
                self.segments.edit(ledger, number, |segment| segment.insert(slot, to, edge));
                return;
            }
            let largest = segment.largest();
            self.set_apart(ledger, number, largest);
        }
    }

    /// Removes an edge.
    pub fn remove(&mut self, ledger: &mut Ledger, node: NodeId, edge: EdgeId) {
        let (number, slot) = (segment_of(node), slot_of(node));
        let Some(segment) = self.segments.get(number) else { return };
        match segment.apart(slot) {
            Some(at) => self.remove_apart(ledger, (number, at), edge),
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

    /// Moves the edges of a node into pages.
    fn set_apart(&mut self, ledger: &mut Ledger, number: usize, slot: Slot) {
        let taken = self.segments.edit(ledger, number, |segment| segment.take(slot));
        let Some(mut rest) = taken else { return };
        // As many as a segment holds, at most.
        let (degree, mut pages) = (rest.edges.len() as u32, Vec::new());
        while !rest.edges.is_empty() {
            let pairs = rest.drain(0..rest.edges.len().min(PAGE));
            pages.push((pairs.edges[0], self.new_page(ledger, pairs)));
        }
        self.segments.edit(ledger, number, |segment| {
            segment.edit_apart(|all| {
                let at = all.partition_point(|apart| apart.slot < slot);
                all.insert(at, Apart { slot, degree, pages });
            });
        });
    }

    fn insert_apart(
        &mut self,
        ledger: &mut Ledger,
        (number, at): (usize, usize),
        (to, edge): (NodeId, EdgeId),
    ) {
        let Some(apart) = self.segments.get(number).map(|segment| &segment.apart[at]) else {
            return;
        };
        let which = apart.pages.partition_point(|(first, _)| *first <= edge).saturating_sub(1);
        let (is_last, page) = (which + 1 == apart.pages.len(), apart.pages[which].1);
        let Some(held) = self.pages.get(page as usize).map(|page| &page.pairs.edges) else {
            return;
        };
        let at_end = is_last && held.last().is_some_and(|&last| last < edge);
        let split = match (held.len() < PAGE, at_end) {
            (true, _) => None,
            // In order of numbers pages become full.
            (false, true) => Some(self.new_page(ledger, Pairs::default())),
            (false, false) => self.split(ledger, page),
        };
        let second = split.and_then(|new| {
            let first = self.pages.get(new as usize)?.pairs.edges.first().copied();
            Some((first.unwrap_or(edge), new))
        });
        let target = second.filter(|(first, _)| *first <= edge).map_or(page, |(_, new)| new);
        self.pages.edit(ledger, target as usize, |page| {
            let before = page.pairs.edges.partition_point(|&other| other < edge);
            page.pairs.insert(before, to, edge);
        });
        self.segments.edit(ledger, number, |segment| {
            let grows = second.is_some();
            let apart = &mut segment.apart[at];
            apart.degree += 1;
            apart.pages[which].0 = apart.pages[which].0.min(edge);
            if grows {
                segment
                    .edit_apart(|all| all[at].pages.splice(which + 1..which + 1, second).count());
            }
        });
    }

    /// Moves the second half of a page into another.
    fn split(&mut self, ledger: &mut Ledger, page: u32) -> Option<u32> {
        let half = self.pages.edit(ledger, page as usize, |page| {
            let middle = page.pairs.edges.len() / 2;
            page.pairs.drain(middle..page.pairs.edges.len())
        })?;
        Some(self.new_page(ledger, half))
    }

    fn remove_apart(&mut self, ledger: &mut Ledger, place: (usize, usize), edge: EdgeId) {
        let (number, at) = place;
        let Some(apart) = self.segments.get(number).map(|segment| &segment.apart[at]) else {
            return;
        };
        let which = apart.pages.partition_point(|(first, _)| *first <= edge).saturating_sub(1);
        let page = apart.pages[which].1;
        let removed = self.pages.edit(ledger, page as usize, |page| {
            let Ok(at) = page.pairs.edges.binary_search(&edge) else { return false };
            page.pairs.remove(at);
            true
        });
        if removed != Some(true) {
            return;
        }
        self.segments.edit(ledger, number, |segment| segment.apart[at].degree -= 1);
        self.join_pages(ledger, place, which);
        self.join_segment(ledger, place);
    }

    /// Joins a page with its successor, or its predecessor, if one then holds both with room left.
    fn join_pages(&mut self, ledger: &mut Ledger, (number, at): (usize, usize), which: usize) {
        let Some(segment) = self.segments.get(number) else { return };
        let pages = &segment.apart[at].pages;
        let first = which.min(pages.len().saturating_sub(2));
        let [(_, one), (_, two)] = pages[first..(first + 2).min(pages.len())] else { return };
        let count =
            |page: u32| self.pages.get(page as usize).map_or(0, |page| page.pairs.edges.len());
        if count(one) + count(two) > PAGE / 2 {
            return;
        }
        let Some(rest) = self.free_page(ledger, two) else { return };
        let start = self.pages.edit(ledger, one as usize, |page| {
            page.pairs.append(&rest);
            page.pairs.edges.first().copied()
        });
        self.segments.edit(ledger, number, |segment| {
            segment.edit_apart(|all| {
                let pages = &mut all[at].pages;
                pages.remove(first + 1);
                pages[first].0 = start.flatten().unwrap_or(pages[first].0);
            });
        });
    }

    /// Moves the edges of a node with few of them back into its segment, if they have room.
    fn join_segment(&mut self, ledger: &mut Ledger, (number, at): (usize, usize)) {
        let Some(segment) = self.segments.get(number) else { return };
        let apart = &segment.apart[at];
        let is_small = apart.degree as usize <= FEW && segment.pairs.edges.len() < MOST / 2;
        let [(_, page)] = apart.pages[..] else { return };
        if !is_small {
            return;
        }
        let slot = apart.slot;
        let Some(pairs) = self.free_page(ledger, page) else { return };
        self.segments.edit(ledger, number, |segment| {
            segment.edit_apart(|all| drop(all.remove(at)));
            for (&to, &edge) in pairs.neighbours.iter().zip(&pairs.edges) {
                segment.insert(slot, to, edge);
            }
        });
    }

    fn new_page(&mut self, ledger: &mut Ledger, pairs: Pairs) -> u32 {
        let page = Page { pairs, next: NONE };
        let number = match self.pages.get(self.free as usize) {
            Some(free) => std::mem::replace(&mut self.free, free.next),
            // There are fewer pages than edges.
            None => self.pages.len() as u32,
        };
        self.pages.put(ledger, number as usize, page);
        number
    }

    fn free_page(&mut self, ledger: &mut Ledger, number: u32) -> Option<Pairs> {
        let next = self.free;
        let pairs = self.pages.edit(ledger, number as usize, |page| {
            page.next = next;
            std::mem::take(&mut page.pairs)
        });
        self.free = number;
        pairs
    }
}
