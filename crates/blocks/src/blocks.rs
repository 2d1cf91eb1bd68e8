//! The blocks of a value: read, edited, added and dropped at either end.

use std::sync::{Arc, OnceLock};

use base::Versions;

use crate::frozen::{Frozen, branch};
use crate::node::{BITS, Block, Branches, FAN_OUT, Link, Node, leave, own};

/// A vector of blocks, owned by a value.
///
/// ```
/// # use std::sync::Arc;
/// use base::Versions;
/// use kvist_blocks::{Block, Blocks};
///
/// #[derive(Clone)]
/// struct Numbers(Vec<u64>);
/// impl Block for Numbers {
///     fn memory(&self) -> usize { self.0.capacity() * 8 }
/// }
///
/// let versions = Arc::new(Versions::default());
/// let mut blocks = Blocks::default();
/// blocks.push(Numbers(vec![1, 2]));
/// let before = blocks.freeze(&versions);
/// blocks.edit(0, |block| block.0[0] = 7);
/// assert_eq!(before.get(0).map(|block| block.0[0]), Some(1));
/// assert_eq!(blocks.now().get(0).map(|block| block.0[0]), Some(7));
/// assert!(versions.kept() > 0);
/// drop(before);
/// assert_eq!(versions.kept(), 0);
/// ```
pub struct Blocks<B: Block> {
    now: Frozen<B>,
    /// Bytes that they and the nodes above them take.
    bytes: usize,
    /// Once there was a version.
    versions: OnceLock<Arc<Versions>>,
}

impl<B: Block> Default for Blocks<B> {
    fn default() -> Self {
        Blocks { now: Frozen::default(), bytes: 0, versions: OnceLock::new() }
    }
}

impl<B: Block> Clone for Blocks<B> {
    fn clone(&self) -> Self {
        let mut blocks = Blocks::default();
        self.now.iter().for_each(|block| blocks.push(block.clone()));
        blocks
    }
}

impl<B: Block> Drop for Blocks<B> {
    fn drop(&mut self) {
        if let Some(versions) = self.versions.get() {
            self.now.root.leave_whole(versions, false);
        }
    }
}

/// A block that is edited: what it takes then counts, also if that ends in a panic.
struct Edited<'a, B: Block> {
    block: &'a mut B,
    before: usize,
    bytes: &'a mut usize,
}

impl<B: Block> Drop for Edited<'_, B> {
    fn drop(&mut self) {
        *self.bytes = *self.bytes + self.block.memory() - self.before;
    }
}

impl<B: Block> Blocks<B> {
    /// The blocks, to read.
    #[must_use]
    pub fn now(&self) -> &Frozen<B> {
        &self.now
    }

    /// The blocks as they are now, to keep. What the value leaves of them counts there. O(1).
    #[must_use]
    pub fn freeze(&self, versions: &Arc<Versions>) -> Frozen<B> {
        versions.join(self.versions.get_or_init(|| Arc::clone(versions)));
        self.now.share()
    }

    /// The account of what versions keep of the value, where versions are there: most of the blocks
    /// may be shared with them. O(1).
    #[must_use]
    pub fn versions(&self) -> Option<&Arc<Versions>> {
        self.versions.get().filter(|versions| versions.are_any())
    }

    /// Bytes that they take, whether versions share them or not. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes
    }

    /// Edits the block with this number; `None` if there is none.
    pub fn edit<R>(&mut self, number: usize, edit: impl FnOnce(&mut B) -> R) -> Option<R> {
        let at = self.now.place(number)?;
        let versions = self.versions.get();
        let (mut link, mut level) = (&mut self.now.root, self.now.height);
        loop {
            match link {
                Link::None => return None,
                Link::Branches(node) => {
                    level = level.checked_sub(1)?;
                    let branches = own(node, versions, Node::<Branches<B>>::size());
                    link = &mut branches.0[branch(at, level)];
                }
                Link::Block(node) => {
                    let (size, before) = (node.block_size(), node.value.memory());
                    let block = own(node, versions, size);
                    let edited = Edited { block, before, bytes: &mut self.bytes };
                    return Some(edit(edited.block));
                }
            }
        }
    }

    /// Adds a block behind the last one.
    pub fn push(&mut self, block: B) {
        let node = Node::new(block);
        self.bytes += node.block_size();
        let leaf = Link::Block(node);
        if self.now.is_empty() {
            self.now = Frozen { root: leaf, height: 0, first: 0, end: 1 };
            return;
        }
        if self.now.end == 1 << (BITS * self.now.height) {
            self.make_places();
        }
        let versions = self.versions.get();
        let mut link = &mut self.now.root;
        for level in (0..self.now.height).rev() {
            if matches!(link, Link::None) {
                self.bytes += Node::<Branches<B>>::size();
                *link = Link::Branches(Node::new(Branches::none()));
            }
            let Link::Branches(node) = link else { return };
            let branches = own(node, versions, Node::<Branches<B>>::size());
            link = &mut branches.0[branch(self.now.end, level)];
        }
        *link = leaf;
        self.now.end += 1;
    }

    /// Drops the first block.
    pub fn drop_first(&mut self) {
        if !self.now.is_empty() {
            self.drop_at(self.now.first);
            self.now.first += 1;
            self.lower();
        }
    }

    /// Drops the last block.
    pub fn drop_last(&mut self) {
        if !self.now.is_empty() {
            self.drop_at(self.now.end - 1);
            self.now.end -= 1;
            self.lower();
        }
    }

    /// Makes places behind the last one: where branches are empty before the first block, all move
    /// there, else the tree becomes higher.
    fn make_places(&mut self) {
        let versions = self.versions.get();
        let below = BITS * self.now.height.saturating_sub(1);
        let empty = if self.now.height == 0 { 0 } else { self.now.first >> below };
        match &mut self.now.root {
            Link::Branches(node) if empty > 0 => {
                own(node, versions, Node::<Branches<B>>::size()).0.rotate_left(empty);
                self.now.first -= empty << below;
                self.now.end -= empty << below;
            }
            root => {
                let mut branches = Branches::none();
                branches.0[0] = std::mem::replace(root, Link::None);
                *root = Link::Branches(Node::new(branches));
                self.bytes += Node::<Branches<B>>::size();
                self.now.height += 1;
            }
        }
    }

    /// Drops the block at a place, and the nodes above it that are empty then.
    fn drop_at(&mut self, at: usize) {
        let Blocks { now, bytes, versions } = self;
        drop_below(&mut now.root, (at, now.height), versions.get(), bytes);
    }

    /// Drops levels that the tree does not need any more.
    fn lower(&mut self) {
        if self.now.is_empty() {
            self.now = Frozen::default();
        }
        while self.now.height > 0 {
            let (below, Frozen { first, end, .. }) = (BITS * (self.now.height - 1), &self.now);
            let only = first >> below;
            if (end - 1) >> below != only {
                return;
            }
            let Link::Branches(node) = &self.now.root else { return };
            let rest = node.value.0[only % FAN_OUT].clone();
            leave(node, self.versions.get(), Node::<Branches<B>>::size());
            self.now.root = rest;
            self.now.first -= only << below;
            self.now.end -= only << below;
            self.now.height -= 1;
            self.bytes -= Node::<Branches<B>>::size();
        }
    }
}

/// Drops the block at a place below this link, and what is empty then.
fn drop_below<B: Block>(
    link: &mut Link<B>,
    (at, level): (usize, usize),
    versions: Option<&Arc<Versions>>,
    bytes: &mut usize,
) {
    match link {
        Link::None => return,
        Link::Block(node) => {
            let size = node.block_size();
            leave(node, versions, size);
            *bytes -= size;
        }
        Link::Branches(node) => {
            let size = Node::<Branches<B>>::size();
            let branches = own(node, versions, size);
            let level = level.saturating_sub(1);
            drop_below(&mut branches.0[branch(at, level)], (at, level), versions, bytes);
            if !branches.are_none() {
                return;
            }
            *bytes -= size;
        }
    }
    *link = Link::None;
}
