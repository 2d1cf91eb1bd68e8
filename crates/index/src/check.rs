//! What must be true of a tree, looked at from the outside in: for tests.

use crate::apply::{BYTES, CHILDREN, KEYS};
use crate::tree::{Node, Tree};

/// What was counted on the way.
#[derive(Default)]
struct Counted {
    keys: usize,
    memory: usize,
    depth: Option<usize>,
    last: Option<Vec<u8>>,
}

impl Tree {
    /// Checks order, separators, counts, depths, sizes and accounts. O(n).
    ///
    /// # Panics
    /// Something is not as it must be.
    pub fn check(&self) {
        let mut counted = Counted::default();
        check(&self.root, 0, (None, None), &mut counted);
        assert_eq!(counted.keys, self.len, "the number of keys");
        assert_eq!(counted.memory, self.memory, "the bytes allocated");
    }
}

fn check(
    node: &Node,
    depth: usize,
    (low, high): (Option<&[u8]>, Option<&[u8]>),
    counted: &mut Counted,
) {
    counted.memory += node.own_memory();
    match node {
        Node::Leaf(block) => {
            assert_eq!(*counted.depth.get_or_insert(depth), depth, "leaves are at one depth");
            assert!(block.len() > 0 || depth == 0, "an empty leaf below the root");
            assert!(block.len() <= KEYS, "a leaf has too many keys");
            assert!(block.len() <= 1 || block.raw_bytes() <= BYTES, "a leaf is too long");
            counted.keys += block.len();
            for at in 0..block.len() {
                let key = block.get(at);
                assert!(counted.last.as_ref().is_none_or(|last| *last < key), "keys in order");
                assert!(low.is_none_or(|low| *low <= key[..]), "not below the separator");
                assert!(high.is_none_or(|high| key[..] < *high), "below the next separator");
                counted.last = Some(key);
            }
        }
        Node::Inner(inner) => {
            let children = inner.children.len();
            assert!((1..=CHILDREN).contains(&children), "an inner node has {children} children");
            assert!(children > 1 || depth > 0, "a root with one child");
            assert_eq!(inner.separators.len() + 1, children, "a separator between two");
            let separators: Vec<Vec<u8>> =
                (0..inner.separators.len()).map(|at| inner.separators.get(at)).collect();
            for (at, child) in inner.children.iter().enumerate() {
                let before = counted.keys;
                let own_low = at.checked_sub(1).map_or(low, |at| Some(&separators[at]));
                let own_high = separators.get(at).map_or(high, |next| Some(next));
                check(child, depth + 1, (own_low, own_high), counted);
                assert_eq!(counted.keys - before, inner.counts[at], "keys below a child");
            }
        }
    }
}
