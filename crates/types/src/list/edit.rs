//! Edits of a list away from its ends.

use base::PackLimits;

use crate::packed::{Packed, element_size};

use super::{End, Fill, List, Shape};

impl List {
    /// Gives the element number `index` another content; whether there is one. O(nodes).
    pub fn set(&mut self, index: usize, element: &[u8], limits: &PackLimits) -> bool {
        let Some((number, inner)) = self.locate(index) else { return false };
        self.note_node(index - inner, number, |len| len);
        let index = inner;
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
        } else if let Some((number, inner)) = self.locate(index) {
            self.note_node(index - inner, number, |len| len + 1);
            self.insert_in(number, inner, element, Fill::new(limits));
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
        // Elements before the node, or those up to its end.
        let mut edge = if from == End::Head { 0 } else { self.len() };
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
            let (len, gone) = (node.len(), here.min(left));
            let start = if from == End::Head { edge } else { edge - len };
            edge = if from == End::Head { start + len - gone } else { start };
            if gone > 0 {
                self.note_node(start, number, |len| len - gone);
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
                self.note_node(start - index, number, |len| len - here);
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

    /// A node that begins with element number `start` is about to change; `after` tells how many
    /// elements of so many there will be in its place.
    #[inline]
    fn note_node(&mut self, start: usize, number: usize, after: impl FnOnce(usize) -> usize) {
        if self.is_followed()
            && let Some(len) = self.node(number).map(Packed::len)
        {
            self.note(start, len, after(len));
        }
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
