//! Edits of a list away from its ends.

use base::PackLimits;

use crate::packed::{Packed, element_size};

use super::{End, Fill, List};

impl List {
    /// Gives the element number `index` another content; whether there is one. O(nodes).
    pub fn set(&mut self, index: usize, element: &[u8], limits: &PackLimits) -> bool {
        let Some((number, index)) = self.locate(index) else { return false };
        let fill = Fill::new(limits);
        let fits = self.nodes.get(number).is_some_and(|node| {
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
        if index >= self.len {
            if index == self.len {
                self.push(End::Tail, element, limits);
                return true;
            }
            return false;
        }
        if index == 0 {
            self.push(End::Head, element, limits);
        } else if let Some((number, index)) = self.locate(index) {
            self.insert_in(number, index, element, Fill::new(limits));
            self.len += 1;
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
        for step in 0..self.nodes.len() {
            if left == 0 {
                break;
            }
            let number = match from {
                End::Head => step,
                End::Tail => self.nodes.len() - 1 - step,
            };
            let Some(node) = self.nodes.get(number) else { break };
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
            self.len -= removed;
            self.tidy(0..self.nodes.len());
        }
        removed
    }

    /// Removes `count` elements from number `start` on, or as many as there are; how many. O(nodes
    /// and elements removed).
    pub fn remove_range(&mut self, start: usize, count: usize) -> usize {
        let count = count.min(self.len.saturating_sub(start));
        if count == 0 {
            return 0;
        }
        if start == 0 {
            self.drop_from(End::Head, count);
        } else if start + count == self.len {
            self.drop_from(End::Tail, count);
        } else if let Some((first, index)) = self.locate(start) {
            let (mut number, mut index, mut left) = (first, index, count);
            while left > 0 {
                let Some(node) = self.nodes.get(number) else { break };
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
            self.len -= count;
            self.tidy(first..number);
        }
        count
    }

    /// Keeps only `count` elements from number `start` on. O(nodes and elements removed).
    pub fn trim(&mut self, start: usize, count: usize) {
        let end = start.saturating_add(count).min(self.len);
        if start >= end {
            *self = List::default();
            return;
        }
        self.drop_from(End::Tail, self.len - end);
        self.drop_from(End::Head, start);
    }

    /// Edits one node and keeps the account of bytes.
    fn edit_node<R>(&mut self, number: usize, edit: impl FnOnce(&mut Packed) -> R) -> Option<R> {
        let node = self.nodes.get_mut(number)?;
        let before = node.memory();
        let result = edit(node);
        self.bytes = self.bytes - before + node.memory();
        Some(result)
    }

    fn insert_node(&mut self, number: usize, node: Packed) {
        self.bytes += node.memory();
        self.nodes.insert(number, node);
    }

    /// Inserts before the element number `index` of a node (which may be its length), splitting
    /// the node if need be. The number of elements is the caller's to account.
    fn insert_in(&mut self, number: usize, index: usize, element: &[u8], fill: Fill) {
        let more = element_size(element.len());
        let Some(node) = self.nodes.get(number) else { return };
        if fill.takes(node, more) {
            self.edit_node(number, |node| node.insert(node.at(index), element));
            return;
        }
        let (mut number, inside) = (number, index > 0 && index < node.len());
        if inside {
            let rest = self.edit_node(number, |node| node.at(index).map(|at| node.split_off(at)));
            if let Some(rest) = rest.flatten() {
                self.insert_node(number + 1, rest);
            }
        }
        // Now it belongs between two nodes: at the end of the left or the start of the right one,
        // or in a node of its own.
        if index == 0 {
            let before = number.checked_sub(1).and_then(|before| self.nodes.get(before));
            if before.is_some_and(|node| fill.takes(node, more)) {
                self.edit_node(number - 1, |node| node.push_back(element));
                return;
            }
        } else {
            if self.nodes.get(number).is_some_and(|node| fill.takes(node, more)) {
                self.edit_node(number, |node| node.push_back(element));
                return;
            }
            number += 1;
            if self.nodes.get(number).is_some_and(|node| fill.takes(node, more)) {
                self.edit_node(number, |node| node.push_front(element));
                return;
            }
        }
        let mut node = Packed::new();
        node.push_back(element);
        self.insert_node(number, node);
    }

    /// Removes empty nodes among `touched`, and merges the others with neighbours where two fill
    /// no more than half a node of the smallest size class.
    fn tidy(&mut self, touched: std::ops::Range<usize>) {
        const CRUMB: usize = 2 << 10;
        let start = touched.start.saturating_sub(1);
        let end = touched.end.saturating_add(1).min(self.nodes.len());
        let mut kept = start;
        for number in start..end {
            let Some(node) = self.nodes.get_mut(number).map(std::mem::take) else { break };
            if node.is_empty() {
                self.bytes -= node.memory();
                continue;
            }
            let left = if kept > start { self.nodes.get(kept - 1) } else { None };
            if left.is_some_and(|left| left.bytes() + node.bytes() <= CRUMB) {
                self.edit_node(kept - 1, |left| left.append(&node));
                self.bytes -= node.memory();
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
}
