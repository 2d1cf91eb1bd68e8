//! Blocks by number, with gaps, whose memory counts in the ledger of the value they are part of.

use std::ops::Deref;
use std::sync::Arc;

use base::Versions;

use crate::frozen::{Frozen, branch};
use crate::ledger::Ledger;
use crate::node::{BITS, Block, Branches, Link, Node};

/// A part of a value: blocks by number, some of which may be missing. A clone is one more reference
/// to the blocks: a version, or the beginning of a fork; which it is, the [`Ledger`] knows that is
/// given with each edit. All trees of a value are edited with one and the same ledger.
pub struct Tree<B>(Frozen<B>);

impl<B> Default for Tree<B> {
    fn default() -> Self {
        Tree(Frozen::default())
    }
}

impl<B> Clone for Tree<B> {
    fn clone(&self) -> Self {
        Tree(self.0.share())
    }
}

impl<B> Deref for Tree<B> {
    type Target = Frozen<B>;

    #[inline]
    fn deref(&self) -> &Frozen<B> {
        &self.0
    }
}

impl<B: Block> Tree<B> {
    /// Edits the block with this number; `None` if there is none.
    pub fn edit<R>(
        &mut self,
        ledger: &mut Ledger,
        number: usize,
        edit: impl FnOnce(&mut B) -> R,
    ) -> Option<R> {
        // A block that is missing copies nothing above it.
        self.0.get(number)?;
        let (mut link, mut level) = (&mut self.0.root, self.0.height);
        loop {
            match link {
                Link::None => return None,
                Link::Branches(node) => {
                    level = level.checked_sub(1)?;
                    let branches = ledger.own(node, Node::<Branches<B>>::size());
                    link = &mut branches.0[branch(number, level)];
                }
                Link::Block(node) => {
                    let (size, before) = (node.block_size(), node.value.memory());
                    let block = ledger.own(node, size);
                    // What is edited counts also if that ends in a panic.
                    let mut edited = Edited { block, before, ledger };
                    return Some(edit(edited.block()));
                }
            }
        }
    }

    /// Puts a block under a number, in the place of the one that may be there.
    pub fn put(&mut self, ledger: &mut Ledger, number: usize, block: B) {
        while number >> (BITS * self.0.height) > 0 {
            self.rise(ledger);
        }
        let mut link = &mut self.0.root;
        for level in (0..self.0.height).rev() {
            if matches!(link, Link::None) {
                ledger.bytes += Node::<Branches<B>>::size();
                *link = Link::Branches(Node::new(Branches::none()));
            }
            let Link::Branches(node) = link else { return };
            let branches = ledger.own(node, Node::<Branches<B>>::size());
            link = &mut branches.0[branch(number, level)];
        }
        let node = Node::new(block);
        ledger.bytes += node.block_size();
        if let Link::Block(before) = std::mem::replace(link, Link::Block(node)) {
            let size = before.block_size();
            ledger.bytes -= size;
            ledger.left(before, size);
        }
        self.0.end = self.0.end.max(number + 1);
    }

    /// Removes the block with this number, and the nodes above it that are empty then.
    pub fn remove(&mut self, ledger: &mut Ledger, number: usize) {
        if self.0.get(number).is_some() {
            remove_below(&mut self.0.root, (number, self.0.height), ledger);
            if matches!(self.0.root, Link::None) {
                self.0 = Frozen::default();
            }
        }
    }

    /// One more level.
    fn rise(&mut self, ledger: &mut Ledger) {
        if !matches!(self.0.root, Link::None) {
            let mut branches = Branches::none();
            branches.0[0] = std::mem::replace(&mut self.0.root, Link::None);
            self.0.root = Link::Branches(Node::new(branches));
            ledger.bytes += Node::<Branches<B>>::size();
        }
        self.0.height += 1;
    }

    /// The value goes, and leaves to versions what they hold of this. `held`: they hold what this
    /// tree is part of.
    pub fn leave_whole(&self, versions: &Arc<Versions>, held: bool) {
        self.0.root.leave_whole(versions, held);
    }
}

struct Edited<'a, B: Block> {
    block: &'a mut B,
    before: usize,
    ledger: &'a mut Ledger,
}

impl<B: Block> Edited<'_, B> {
    fn block(&mut self) -> &mut B {
        self.block
    }
}

impl<B: Block> Drop for Edited<'_, B> {
    fn drop(&mut self) {
        self.ledger.resized(self.before, self.block.memory());
    }
}

/// Removes the block with this number below a link, and what is empty then.
fn remove_below<B: Block>(
    link: &mut Link<B>,
    (number, level): (usize, usize),
    ledger: &mut Ledger,
) {
    if let Link::Branches(node) = link {
        let branches = ledger.own(node, Node::<Branches<B>>::size());
        let level = level.saturating_sub(1);
        remove_below(&mut branches.0[branch(number, level)], (number, level), ledger);
        if !branches.are_none() {
            return;
        }
        ledger.bytes -= Node::<Branches<B>>::size();
    }
    if let Link::Block(node) = std::mem::replace(link, Link::None) {
        let size = node.block_size();
        ledger.bytes -= size;
        ledger.left(node, size);
    }
}
