//! The nodes of a long list, side by side, and the accounts of them.
//!
//! ```text
//!   | count | packed |  | count | packed |  | count | packed |      12 bytes each
//! ```
//!
//! The count stands beside the pointer though the packed elements have it, too: to find an element
//! by number in a list of a million, thousands of counts are added up, and those should lie in a
//! row. All that changes a node goes through [`Ring::edit`] or comes and goes whole, so that counts
//! and bytes are never stale.

use std::collections::VecDeque;
use std::ops::Range;

use table::size_class;

use crate::packed::{Packed, element_size};
use crate::pre_image::Trace;

use super::pre_image::Spans;
use super::{End, Fill, push};

/// Elements, and how many they are.
#[derive(Clone, Default)]
struct Node {
    count: u32,
    packed: Packed,
}

impl Node {
    fn of(packed: Packed) -> Node {
        let mut node = Node { count: 0, packed };
        node.recount();
        node
    }

    /// Notes how many elements there are: fewer than bytes, of which there are less than 4 GiB.
    #[inline]
    fn recount(&mut self) {
        self.count = u32::try_from(self.packed.len()).unwrap_or(u32::MAX);
    }

    #[inline]
    fn len(&self) -> usize {
        self.count as usize
    }
}

/// See the [module](self).
pub(super) struct Ring {
    nodes: VecDeque<Node>,
    len: usize,
    /// Bytes allocated by the nodes.
    bytes: usize,
    /// What the list was, for an incremental copy.
    pub(super) pre_image: Trace<Spans>,
}

impl Ring {
    /// A ring of one node, and room for the one that follows.
    pub(super) fn of(packed: Packed) -> Ring {
        let mut nodes = VecDeque::with_capacity(2);
        let (len, bytes) = (packed.len(), packed.memory());
        nodes.push_back(Node::of(packed));
        Ring { nodes, len, bytes, pre_image: Trace::default() }
    }

    /// Number of elements. O(1).
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Number of nodes. O(1).
    #[inline]
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes allocated, with the ring itself. O(1).
    pub(super) fn memory(&self) -> usize {
        let headers = self.nodes.capacity() * size_of::<Node>();
        size_class(size_of::<Ring>()) + size_class(headers) + self.bytes
    }

    /// The elements of a node. O(1).
    #[inline]
    pub(super) fn node(&self, number: usize) -> Option<&Packed> {
        self.nodes.get(number).map(|node| &node.packed)
    }

    /// The node at an end. O(1).
    #[inline]
    pub(super) fn at(&self, end: End) -> Option<&Packed> {
        let node = match end {
            End::Head => self.nodes.front(),
            End::Tail => self.nodes.back(),
        };
        node.map(|node| &node.packed)
    }

    /// The node of the element number `index`, and its number therein. O(nodes), from the nearer
    /// end.
    pub(super) fn locate(&self, index: usize) -> Option<(usize, usize)> {
        if index >= self.len {
            return None;
        }
        if index < self.len / 2 {
            let mut before = 0;
            for (number, node) in self.nodes.iter().enumerate() {
                if index - before < node.len() {
                    return Some((number, index - before));
                }
                before += node.len();
            }
        } else {
            let mut start = self.len;
            for (number, node) in self.nodes.iter().enumerate().rev() {
                start -= node.len();
                if index >= start {
                    return Some((number, index - start));
                }
            }
        }
        None
    }

    /// Adds an element at `end`. Amortised O(1).
    pub(super) fn push(&mut self, end: End, element: &[u8], fill: Fill) {
        let more = element_size(element.len());
        if self.at(end).is_some_and(|node| fill.takes(node, more)) {
            let number = match end {
                End::Head => 0,
                End::Tail => self.nodes.len() - 1,
            };
            self.edit(number, |node| push(node, end, element));
            return;
        }
        let mut node = if self.nodes.is_empty() { Packed::new() } else { fill.new_node(end, more) };
        push(&mut node, end, element);
        let number = match end {
            End::Head => 0,
            End::Tail => self.nodes.len(),
        };
        self.insert(number, node);
    }

    /// Removes the `n` elements nearest to `end`, or all. O(nodes and elements removed).
    pub(super) fn drop_from(&mut self, end: End, n: usize) {
        let mut left = n;
        while left > 0 {
            let Some(here) = self.at(end).map(Packed::len) else { break };
            if here <= left {
                left -= here;
                let gone = match end {
                    End::Head => self.nodes.pop_front(),
                    End::Tail => self.nodes.pop_back(),
                };
                self.forget(gone);
            } else {
                match end {
                    End::Head => self.edit(0, |node| node.drop_front(left)),
                    End::Tail => self.edit(self.nodes.len() - 1, |node| node.drop_back(left)),
                };
                left = 0;
            }
        }
        self.shrink();
    }

    /// Edits one node and keeps the accounts.
    #[inline]
    pub(super) fn edit<R>(
        &mut self,
        number: usize,
        edit: impl FnOnce(&mut Packed) -> R,
    ) -> Option<R> {
        let node = self.nodes.get_mut(number)?;
        let (bytes, len) = (node.packed.memory(), node.len());
        let result = edit(&mut node.packed);
        node.recount();
        self.bytes = self.bytes - bytes + node.packed.memory();
        self.len = self.len - len + node.len();
        Some(result)
    }

    fn insert(&mut self, number: usize, packed: Packed) {
        self.bytes += packed.memory();
        self.len += packed.len();
        self.nodes.insert(number, Node::of(packed));
    }

    /// Strikes a node that was taken out from the accounts.
    fn forget(&mut self, gone: Option<Node>) {
        if let Some(node) = gone {
            self.bytes -= node.packed.memory();
            self.len -= node.len();
        }
    }

    /// Inserts before the element number `index` of a node (which may be its length), splitting
    /// the node if need be.
    pub(super) fn insert_in(&mut self, number: usize, index: usize, element: &[u8], fill: Fill) {
        let more = element_size(element.len());
        let Some(node) = self.node(number) else { return };
        if fill.takes(node, more) {
            self.edit(number, |node| node.insert(node.at(index), element));
            return;
        }
        let (mut number, inside) = (number, index > 0 && index < node.len());
        if inside {
            let rest = self.edit(number, |node| node.at(index).map(|at| node.split_off(at)));
            if let Some(rest) = rest.flatten() {
                self.insert(number + 1, rest);
            }
        }
        // Now it belongs between two nodes: at the end of the left or the start of the right one,
        // or in a node of its own.
        if index == 0 {
            let before = number.checked_sub(1).and_then(|before| self.node(before));
            if before.is_some_and(|node| fill.takes(node, more)) {
                self.edit(number - 1, |node| node.push_back(element));
                return;
            }
        } else {
            if self.node(number).is_some_and(|node| fill.takes(node, more)) {
                self.edit(number, |node| node.push_back(element));
                return;
            }
            number += 1;
            if self.node(number).is_some_and(|node| fill.takes(node, more)) {
                self.edit(number, |node| node.push_front(element));
                return;
            }
        }
        let mut node = Packed::new();
        node.push_back(element);
        self.insert(number, node);
    }

    /// Removes empty nodes among `touched`, and merges the others with neighbours where two fill
    /// no more than half a node of the smallest size class.
    pub(super) fn tidy(&mut self, touched: Range<usize>) {
        const CRUMB: usize = 2 << 10;
        let start = touched.start.saturating_sub(1);
        let end = touched.end.saturating_add(1).min(self.nodes.len());
        let mut kept = start;
        for number in start..end {
            let Some(node) = self.nodes.get_mut(number).map(std::mem::take) else { break };
            if node.packed.is_empty() {
                self.forget(Some(node));
                continue;
            }
            let left = if kept > start { self.node(kept - 1) } else { None };
            if left.is_some_and(|left| left.bytes() + node.packed.bytes() <= CRUMB) {
                self.edit(kept - 1, |left| left.append(&node.packed));
                self.forget(Some(node));
                continue;
            }
            if let Some(slot) = self.nodes.get_mut(kept) {
                *slot = node;
            }
            kept += 1;
        }
        self.nodes.drain(kept..end);
        self.shrink();
    }

    /// Gives the room of node headers back once most of it is unused.
    fn shrink(&mut self) {
        if self.nodes.capacity() > 16 && self.nodes.len() < self.nodes.capacity() / 4 {
            self.nodes.shrink_to(self.nodes.len() * 2);
        }
    }

    /// Counts everything anew and compares.
    #[cfg(test)]
    pub(super) fn check(&self) {
        assert_eq!(self.len, self.nodes.iter().map(Node::len).sum());
        assert_eq!(self.bytes, self.nodes.iter().map(|node| node.packed.memory()).sum());
        for node in &self.nodes {
            assert!(!node.packed.is_empty());
            assert_eq!(node.len(), node.packed.len());
        }
    }
}

impl Clone for Ring {
    fn clone(&self) -> Self {
        let nodes: VecDeque<Node> = self.nodes.iter().cloned().collect();
        let bytes = nodes.iter().map(|node| node.packed.memory()).sum();
        Ring { nodes, len: self.len, bytes, pre_image: Trace::default() }
    }
}
