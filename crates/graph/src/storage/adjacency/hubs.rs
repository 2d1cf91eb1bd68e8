//! Nodes with so many edges that these lie in pages of their own.

use blocks::{Block, Ledger};

use super::pairs::Pairs;
use super::segment::Hub;
use super::{Lists, MOST, NONE};
use crate::storage::{EdgeId, NodeId, Slot};

/// A node whose edges are in pages has more of them than this.
const FEW: usize = 16;
/// How many edges a page holds.
const PAGE: usize = 1024;

/// Edges of one node.
#[derive(Clone, Default)]
pub(crate) struct Page {
    pub(super) pairs: Pairs,
    /// Of a page that is not used, the next such.
    next: u32,
}

impl Block for Page {
    fn memory(&self) -> usize {
        self.pairs.memory()
    }
}

impl Lists {
    /// Moves the edges of a node into pages.
    pub(super) fn make_hub(&mut self, ledger: &mut Ledger, number: usize, slot: Slot) {
        let taken = self.segments.edit(ledger, number, |segment| segment.take(slot));
        let Some(mut rest) = taken else { return };
        // As many as a segment holds, at most.
        let (degree, mut pages) = (rest.edges.len() as u32, Vec::new());
        while !rest.edges.is_empty() {
            let pairs = rest.drain(0..rest.edges.len().min(PAGE));
            pages.push((pairs.edges[0], self.new_page(ledger, pairs)));
        }
        self.segments.edit(ledger, number, |segment| {
            segment.edit_hubs(|all| {
                let at = all.partition_point(|hub| hub.slot < slot);
                all.insert(at, Hub { slot, degree, pages });
            });
        });
    }

    pub(super) fn insert_in_hub(
        &mut self,
        ledger: &mut Ledger,
        (number, at): (usize, usize),
        (to, edge): (NodeId, EdgeId),
    ) {
        let Some(hub) = self.segments.get(number).map(|segment| &segment.hubs[at]) else {
            return;
        };
        let which = hub.pages.partition_point(|(first, _)| *first <= edge).saturating_sub(1);
        let (is_last, page) = (which + 1 == hub.pages.len(), hub.pages[which].1);
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
            let hub = &mut segment.hubs[at];
            hub.degree += 1;
            hub.pages[which].0 = hub.pages[which].0.min(edge);
            if grows {
                segment.edit_hubs(|all| all[at].pages.splice(which + 1..which + 1, second).count());
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

    pub(super) fn remove_from_hub(
        &mut self,
        ledger: &mut Ledger,
        place: (usize, usize),
        edge: EdgeId,
    ) {
        let (number, at) = place;
        let Some(hub) = self.segments.get(number).map(|segment| &segment.hubs[at]) else {
            return;
        };
        let which = hub.pages.partition_point(|(first, _)| *first <= edge).saturating_sub(1);
        let page = hub.pages[which].1;
        let removed = self.pages.edit(ledger, page as usize, |page| {
            let Ok(at) = page.pairs.edges.binary_search(&edge) else { return false };
            page.pairs.remove(at);
            true
        });
        if removed != Some(true) {
            return;
        }
        self.segments.edit(ledger, number, |segment| segment.hubs[at].degree -= 1);
        self.join_pages(ledger, place, which);
        self.join_segment(ledger, place);
    }

    /// Joins a page with its successor, or its predecessor, if one then holds both with room left.
    fn join_pages(&mut self, ledger: &mut Ledger, (number, at): (usize, usize), which: usize) {
        let Some(segment) = self.segments.get(number) else { return };
        let pages = &segment.hubs[at].pages;
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
            segment.edit_hubs(|all| {
                let pages = &mut all[at].pages;
                pages.remove(first + 1);
                pages[first].0 = start.flatten().unwrap_or(pages[first].0);
            });
        });
    }

    /// Moves the edges of a node with few of them back into its segment, if they have room.
    fn join_segment(&mut self, ledger: &mut Ledger, (number, at): (usize, usize)) {
        let Some(segment) = self.segments.get(number) else { return };
        let hub = &segment.hubs[at];
        let is_small = hub.degree as usize <= FEW && segment.pairs.edges.len() < MOST / 2;
        let [(_, page)] = hub.pages[..] else { return };
        if !is_small {
            return;
        }
        let slot = hub.slot;
        let Some(pairs) = self.free_page(ledger, page) else { return };
        self.segments.edit(ledger, number, |segment| {
            segment.edit_hubs(|all| drop(all.remove(at)));
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
