//! Loading many keys that are sorted already: leaves are packed one after the other, then the
//! levels above them.

use crate::KeyList;
use crate::apply::{Piece, assemble, separator};
use crate::block::Block;
use crate::tree::{Node, Tree};

/// Keys of a leaf that is loaded: it has room for some that come later.
const LOADED: usize = 56;
/// Children of an inner node that is loaded.
const CHILDREN: usize = 56;
/// Bytes of the keys of a leaf, unless it has only one.
const BYTES: usize = 7 * 1024;

/// Makes a tree of keys that come in ascending order.
#[derive(Debug, Default)]
pub struct Builder {
    leaf: KeyList,
    leaves: Vec<Piece>,
    /// What the next leaf's keys are not smaller than.
    low: Vec<u8>,
    len: usize,
}

impl Builder {
    /// Adds a key. One that is not greater than the one before is passed over.
    pub fn push(&mut self, key: &[u8]) {
        if let Some(last) = self.leaf.last() {
            if key <= last {
                debug_assert!(key == last, "keys come in order");
                return;
            }
            if self.leaf.len() == LOADED || self.leaf.bytes() + key.len() > BYTES {
                let low = separator(last, key);
                self.flush();
                self.low = low;
            }
        }
        self.leaf.push(key);
        self.len += 1;
    }

    fn flush(&mut self) {
        let count = self.leaf.len();
        let node = Node::Leaf(Block::pack(0..count, |at| self.leaf.get(at)));
        let low = std::mem::take(&mut self.low).into_boxed_slice();
        self.leaves.push(Piece { low, node, count });
        self.leaf.clear();
    }

    /// The tree.
    #[must_use]
    pub fn finish(mut self) -> Tree {
        if !self.leaf.is_empty() {
            self.flush();
        }
        let mut memory = self.leaves.iter().map(|leaf| leaf.node.own_memory()).sum();
        let mut level = self.leaves;
        while level.len() > 1 {
            level = assemble(level, CHILDREN, &mut memory);
        }
        match level.pop() {
            Some(Piece { node, .. }) => Tree { root: node, len: self.len, memory },
            None => Tree::default(),
        }
    }
}

/// A tree of several lists, each with its order as [`sort`](crate::sort()) tells. A key may be in
/// several. O(n) for each list.
///
/// ```
/// use kvist_index::{KeyList, merge};
///
/// let lists: [KeyList; 2] = [["b", "a"], ["c", "b"]]
///     .map(|keys| keys.map(str::as_bytes).into_iter().collect());
/// let tree = merge(&[(&lists[0], &[1, 0]), (&lists[1], &[1, 0])]);
/// assert_eq!(tree.len(), 3);
/// ```
#[must_use]
pub fn merge(lists: &[(&KeyList, &[u32])]) -> Tree {
    let mut builder = Builder::default();
    if let [(keys, order)] = lists {
        order.iter().for_each(|&at| builder.push(keys.get(at as usize)));
        return builder.finish();
    }
    // As many lists as threads have sorted: few, so looking at the first of each is quick.
    let mut rests: Vec<_> = lists
        .iter()
        .map(|(keys, order)| order.iter().map(|&at| keys.get(at as usize)).peekable())
        .collect();
    loop {
        let mut least: Option<(usize, &[u8])> = None;
        for (at, rest) in rests.iter_mut().enumerate() {
            if let Some(&key) = rest.peek()
                && least.is_none_or(|(_, least)| key < least)
            {
                least = Some((at, key));
            }
        }
        let Some((at, key)) = least else { return builder.finish() };
        builder.push(key);
        rests[at].next();
    }
}
