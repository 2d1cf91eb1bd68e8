//! Searches: from the entry down, then best first through one layer (algorithms 2 and 5 of the
//! paper).

use std::cmp::Reverse;

use super::Graph;
use crate::kernels::prefetch;
use crate::measure::Point;
use crate::near::{Best, Near};
use crate::scratch::Scratch;
use crate::store::{NONE, Store};

/// A search has been interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the search was interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// How far a search for allowed rows goes.
#[derive(Clone, Copy)]
pub struct Limits {
    pub ef: usize,
    /// Distances after which as many rows as wanted must have been found.
    pub few: usize,
    /// Distances in any case.
    pub most: usize,
}

/// One search, from where it begins to what limits it.
pub struct Walk<'a> {
    pub graph: &'a Graph,
    pub store: &'a Store,
    pub point: Point<'a>,
    /// Is given the number of distances since the last call; true ends the search.
    pub interrupt: &'a mut dyn FnMut(usize) -> bool,
}

impl Walk<'_> {
    /// Finds the nearest node of `layer` that a greedy descent from the entry reaches.
    pub fn descend(&mut self, layer: usize) -> Result<Option<Near>, Interrupted> {
        let entry = self.graph.entry;
        if entry == NONE {
            return Ok(None);
        }
        let mut nearest = Near::new(self.store.distance(self.point, entry), entry);
        for layer in (layer..=self.graph.top()).rev() {
            loop {
                let links = self.graph.links(nearest.what(), layer);
                links.iter().for_each(|link| prefetch(self.store.point(*link).bytes));
                let near = |link: &u32| Near::new(self.store.distance(self.point, *link), *link);
                let next = links.iter().map(near).min();
                self.check(links.len())?;
                match next {
                    Some(next) if next < nearest => nearest = next,
                    _ => break,
                }
            }
        }
        Ok(Some(nearest))
    }

    fn check(&mut self, distances: usize) -> Result<(), Interrupted> {
        if (self.interrupt)(distances) { Err(Interrupted) } else { Ok(()) }
    }

    /// Begins a search in a layer at these nodes.
    pub fn begin(&self, entries: &[Near], scratch: &mut Scratch) {
        scratch.begin(self.store.end());
        for near in entries {
            if scratch.visit(near.what()) {
                scratch.candidates.push(Reverse(*near));
                scratch.found.push(*near);
            }
        }
    }

    /// Collects the links of a node that this search has not visited in `scratch.fresh`.
    fn visit_links(&mut self, node: u32, layer: usize, scratch: &mut Scratch) {
        scratch.fresh.clear();
        for link in self.graph.list(node, layer).iter().take_while(|link| **link != NONE) {
            if scratch.visit(*link) {
                prefetch(self.store.point(*link).bytes);
                scratch.fresh.push(*link);
            }
        }
    }

    /// Leaves the `ef` nearest nodes of a layer in `scratch.found`.
    pub fn search(
        &mut self,
        entries: &[Near],
        layer: usize,
        ef: usize,
        scratch: &mut Scratch,
    ) -> Result<(), Interrupted> {
        self.begin(entries, scratch);
        while scratch.found.len() > ef {
            scratch.found.pop();
        }
        while let Some(Reverse(candidate)) = scratch.candidates.pop() {
            if scratch.found.len() >= ef && scratch.found.peek().is_some_and(|n| candidate > *n) {
                break;
            }
            self.visit_links(candidate.what(), layer, scratch);
            for at in 0..scratch.fresh.len() {
                let node = scratch.fresh[at];
                let near = Near::new(self.store.distance(self.point, node), node);
                if scratch.found.len() < ef {
                    scratch.found.push(near);
                    scratch.candidates.push(Reverse(near));
                } else if let Some(mut worst) = scratch.found.peek_mut()
                    && near < *worst
                {
                    *worst = near;
                    scratch.candidates.push(Reverse(near));
                }
            }
            self.check(scratch.fresh.len())?;
        }
        Ok(())
    }

    /// Offers the rows that `accept` allows to `best`, walking on until these are as many as wanted
    /// and neither a nearer one nor one of the `ef` nearest nodes is to be expected. False if that
    /// exceeds the limits.
    pub fn search_rows(
        &mut self,
        (entry, limits): (Near, Limits),
        accept: &dyn Fn(u32) -> bool,
        best: &mut Best,
        scratch: &mut Scratch,
    ) -> Result<bool, Interrupted> {
        let mut distances = 1;
        self.begin(&[entry], scratch);
        self.offer(entry, accept, best);
        while let Some(Reverse(candidate)) = scratch.candidates.pop() {
            let in_window = scratch.found.len() < limits.ef
                || scratch.found.peek().is_none_or(|worst| candidate <= *worst);
            if !in_window && best.is_full() && !best.accepts(candidate.distance()) {
                return Ok(true);
            }
            self.visit_links(candidate.what(), 0, scratch);
            for at in 0..scratch.fresh.len() {
                let node = scratch.fresh[at];
                let near = Near::new(self.store.distance(self.point, node), node);
                self.offer(near, accept, best);
                scratch.candidates.push(Reverse(near));
                scratch.found.push(near);
                if scratch.found.len() > limits.ef {
                    scratch.found.pop();
                }
            }
            distances += scratch.fresh.len();
            self.check(scratch.fresh.len())?;
            if distances > if best.is_full() { limits.most } else { limits.few } {
                return Ok(false);
            }
        }
        // All that can be reached was visited.
        Ok(best.is_full())
    }

    /// Offers all rows within `radius` that are reached through nodes within `reach`.
    pub fn search_within(
        &mut self,
        (radius, reach): (f64, f64),
        accept: &dyn Fn(u32) -> bool,
        best: &mut Best,
        scratch: &mut Scratch,
    ) -> Result<(), Interrupted> {
        let near = std::mem::take(&mut scratch.found).into_vec();
        self.begin(&near, scratch);
        scratch.found.clear();
        for near in near.into_iter().filter(|near| near.distance() <= radius) {
            self.offer(near, accept, best);
        }
        while let Some(Reverse(candidate)) = scratch.candidates.pop() {
            if candidate.distance().is_nan() || candidate.distance() > reach {
                break;
            }
            self.visit_links(candidate.what(), 0, scratch);
            for at in 0..scratch.fresh.len() {
                let node = scratch.fresh[at];
                let near = Near::new(self.store.distance(self.point, node), node);
                if near.distance() <= reach {
                    scratch.candidates.push(Reverse(near));
                }
                if near.distance() <= radius {
                    self.offer(near, accept, best);
                }
            }
            self.check(scratch.fresh.len())?;
        }
        Ok(())
    }

    fn offer(&self, near: Near, accept: &dyn Fn(u32) -> bool, best: &mut Best) {
        let row = self.store.row(near.what());
        if best.accepts(near.distance()) && accept(row) {
            best.offer(Near::new(near.distance(), row));
        }
    }
}
