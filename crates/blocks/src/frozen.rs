//! Blocks as they were: what versions hold, and what a value reads of its own.

use crate::node::{BITS, FAN_OUT, Link};

/// Blocks that do not change.
pub struct Frozen<B> {
    pub(crate) root: Link<B>,
    /// Levels of branches above the blocks.
    pub(crate) height: usize,
    /// The places of the blocks in the tree, which would have 32^height of them.
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl<B> Default for Frozen<B> {
    fn default() -> Self {
        Frozen { root: Link::None, height: 0, first: 0, end: 0 }
    }
}

impl<B> Frozen<B> {
    /// How many blocks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end - self.first
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The block with this number; the first one's is 0.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&B> {
        let at = self.place(number)?;
        let (mut link, mut level) = (&self.root, self.height);
        loop {
            match link {
                Link::None => return None,
                Link::Block(node) => return Some(&node.value),
                Link::Branches(node) => {
                    level = level.checked_sub(1)?;
                    link = &node.value.0[branch(at, level)];
                }
            }
        }
    }

    /// The blocks, in order.
    pub fn iter(&self) -> impl Iterator<Item = &B> {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// Where in the tree a block is.
    pub(crate) fn place(&self, number: usize) -> Option<usize> {
        (number < self.len()).then(|| self.first + number)
    }

    /// The same blocks once more.
    pub(crate) fn share(&self) -> Self {
        let &Frozen { height, first, end, .. } = self;
        Frozen { root: self.root.clone(), height, first, end }
    }
}

/// The branch at this level, counted from the blocks, that leads to a place.
#[inline]
pub(crate) fn branch(at: usize, level: usize) -> usize {
    (at >> (BITS * level)) % FAN_OUT
}
