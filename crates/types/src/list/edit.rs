//! Edits of a list away from its ends.

use base::PackLimits;

use crate::packed::{Packed, element_size};

use super::{End, Fill, List, Shape};

impl List {
    /// Gives the element number `index` another content; whether there is one. O(nodes).
    pub fn set(&mut self, index: usize, element: &[u8], limits: &PackLimits) -> bool {
        let Some((number, index)) = self.locate(index) else { return false };
        let fill = Fill::new(limits);
        let fits = self.node(number).is_some_and(|node| {
            let old = node.at(index).map_or(0, |at| element_size(node.get(at).len()));
            node.len() == 1 || node.bytes() - old + element_size(element.len()) <= fill.bytes
        });
        if fits {
            self.edit_node(number, |node| {
                if let Some(at) = node.at(index) {
                    node.replace(at, element);
                }
            });
        } else {
            self.edit_node(number, |node| {
                if let Some(at) = node.at(index) {
                    node.remove(at, 1);
                }
            });
            self.insert_in(number, index, element, fill);
        }
        true
    }

    /// Inserts an element before number `index`; at the tail if that is the length; whether it is
    /// not beyond. O(nodes).
    pub fn insert(&mut self, index: usize, element: &[u8], limits: &PackLimits) -> bool {
        if index >= self.len() {
            if index == self.len() {
                self.push(End::Tail, element, limits);
                return true;
            }
            return false;
        }
        if index == 0 {
            self.push(End::Head, element, limits);
        } else if let Some((number, index)) = self.locate(index) {
            self.insert_in(number, index, element, Fill::new(limits));
        }
        true
    }

    /// Inserts `element` before (or after) the first element equal to `pivot`; whether there is
    /// one. O(n).
    pub fn insert_beside(
        &mut self,
        pivot: &[u8],
        after: bool,
        element: &[u8],
        limits: &PackLimits,
    ) -> bool {
        match self.iter().position(|candidate| candidate == pivot) {
            Some(index) => self.insert(index + usize::from(after), element, limits),
            None => false,
        }
    }

    /// Removes up to `limit` elements equal to `value`, those nearest to `from`; how many they
    /// were. O(n).
    pub fn remove(&mut self, value: &[u8], limit: usize, from: End) -> usize {
        let mut left = limit;
        let nodes = self.nodes();
        for step in 0..nodes {
            if left == 0 {
                break;
            }
            let number = match from {
                End::Head => step,
                End::Tail => nodes - 1 - step,
            };
            let Some(node) = self.node(number) else { break };
            let here = node.iter().filter(|element| *element == value).count();
            if here > 0 {
                let gone = here.min(left);
                // From the tail, the first matches of the node stay.
                let stay = if from == End::Tail { here - gone } else { 0 };
                let mut seen = 0;
                self.edit_node(number, |node| {
                    node.retain(|element| {
                        let matches = element == value;
                        seen += usize::from(matches);
                        !matches || seen <= stay || seen > stay + gone
                    });
                });
                left -= gone;
            }
        }
        let removed = limit - left;
        if removed > 0 {
            self.tidy(0..nodes);
        }
        removed
    }

    /// Removes `count` elements from number `start` on, or as many as there are; how many. O(nodes
    /// and elements removed).
    pub fn remove_range(&mut self, start: usize, count: usize) -> usize {
        let count = count.min(self.len().saturating_sub(start));
        if count == 0 {
            return 0;
        }
        if start == 0 {
            self.drop_from(End::Head, count);
        } else if start + count == self.len() {
            self.drop_from(End::Tail, count);
        } else if let Some((first, index)) = self.locate(start) {
            let (mut number, mut index, mut left) = (first, index, count);
            while left > 0 {
                let Some(node) = self.node(number) else { break };
                let here = left.min(node.len() - index);
                self.edit_node(number, |node| {
                    if let Some(at) = node.at(index) {
                        node.remove(at, here);
                    }
                });
                left -= here;
                number += 1;
                index = 0;
            }
            self.tidy(first..number);
        }
        count
    }

    /// Keeps only `count` elements from number `start` on. O(nodes and elements removed).
    pub fn trim(&mut self, start: usize, count: usize) {
        let end = start.saturating_add(count).min(self.len());
        if start >= end {
            *self = List::default();
            return;
        }
        self.drop_from(End::Tail, self.len() - end);
        self.drop_from(End::Head, start);
    }

    /// Edits one node, keeping the accounts.
    fn edit_node<R>(&mut self, number: usize, edit: impl FnOnce(&mut Packed) -> R) -> Option<R> {
        match &mut self.shape {
            Shape::Short(node) => (number == 0).then(|| edit(node)),
            Shape::Long(ring) => ring.edit(number, edit),
        }
    }

    /// Inserts before the element number `index` of a node (which may be its length), splitting
    /// the node if need be.
    fn insert_in(&mut self, number: usize, index: usize, element: &[u8], fill: Fill) {
        match &mut self.shape {
            Shape::Short(node) if fill.takes(node, element_size(element.len())) => {
                node.insert(node.at(index), element);
            }
            _ => self.lengthen(|ring| ring.insert_in(number, index, element, fill)),
        }
    }

    /// Removes empty nodes among `touched`, and merges small ones with their neighbours.
    fn tidy(&mut self, touched: std::ops::Range<usize>) {
        if let Shape::Long(ring) = &mut self.shape {
            ring.tidy(touched);
        }
    }
}
