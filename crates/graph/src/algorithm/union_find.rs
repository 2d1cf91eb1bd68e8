//! Disjoint sets, with path halving; the smallest member stands for its set.
//!
//! R. E. Tarjan and J. van Leeuwen, *Worst-case analysis of set union algorithms* (1984). That the
//! smallest member is the root costs a factor of log n at worst, and gives sets their names.

use super::{Budget, Error};

pub(super) struct UnionFind(Vec<u32>);

impl UnionFind {
    pub fn new(len: usize, budget: &mut Budget<'_>) -> Result<Self, Error> {
        let mut parents = budget.array(len, 0_u32)?;
        (0..).zip(&mut parents).for_each(|(number, parent)| *parent = number);
        Ok(UnionFind(parents))
    }

    /// The smallest member of the set.
    #[inline]
    pub fn find(&mut self, mut member: u32) -> u32 {
        loop {
            let parent = self.0[member as usize];
            if parent == member {
                return member;
            }
            let above = self.0[parent as usize];
            self.0[member as usize] = above;
            member = above;
        }
    }

    /// Joins two sets. Returns whether they were two.
    #[inline]
    pub fn join(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other) as usize] = one.min(other);
        one != other
    }
}
