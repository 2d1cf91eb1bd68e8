//! What must hold for every tree, looked at from the outside in: for tests.

use crate::hold::{Held, Hold};
use crate::layout::Layout;
use crate::node::Node;
use crate::tree::Tree;

impl<L: Layout, H: Hold> Tree<L, H> {
    /// Checks order, separators, counts, heights, sizes and the account of memory. O(n).
    ///
    /// # Panics
    /// Something is not as it must be.
    pub fn check(&self) {
        let (_, len) = check::<L, H>(&self.root, None, None);
        assert_eq!(len, self.len(), "the number of elements");
        assert_eq!(self.root.recount_memory(), self.memory(), "the bytes allocated");
    }
}

/// The height of a node, and how many elements it has.
fn check<'a, L: Layout, H: Hold>(
    node: &'a Node<L, H>,
    above: Option<L::Item<'a>>,
    below: Option<L::Item<'a>>,
) -> (usize, usize) {
    match node {
        Node::Leaf(leaf) => {
            let leaf = leaf.get();
            for at in 0..leaf.len() {
                assert!(above.is_none_or(|bound| leaf.order_to(at, bound).is_ge()), "too small");
                assert!(below.is_none_or(|bound| leaf.order_to(at, bound).is_lt()), "too large");
                assert!(at == 0 || leaf.order_to(at - 1, leaf.item(at)).is_lt(), "out of order");
            }
            assert!(leaf.len() <= L::MOST, "too many elements in a leaf");
            (0, leaf.len())
        }
        Node::Inner(inner) => {
            let inner = inner.get();
            let kids = inner.kids.len();
            assert!(kids > 0 && kids <= L::MOST && inner.counts.len() == kids, "{kids} kids");
            assert_eq!(inner.separators.len(), kids - 1, "a separator between two");
            let mut heights = Vec::new();
            for (at, kid) in inner.kids.iter().enumerate() {
                let left = at.checked_sub(1).map(|at| inner.separators.item(at)).or(above);
                let right = (at + 1 < kids).then(|| inner.separators.item(at)).or(below);
                let (height, count) = check(kid, left, right);
                assert_eq!(count, inner.counts[at], "elements below a kid");
                assert!(count > 0, "an empty kid");
                heights.push(height);
            }
            assert!(heights.iter().all(|height| *height == heights[0]), "leaves at one depth");
            (heights[0] + 1, inner.counts.iter().sum())
        }
    }
}
