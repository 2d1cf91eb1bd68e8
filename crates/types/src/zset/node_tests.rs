//! What must hold for every node of the tree; the tests of the tree call it.

use super::super::run::order;
use super::*;

impl Node {
    /// Checks what must hold for every node; returns height and number of pairs.
    pub(in crate::zset) fn check(
        &self,
        above: Option<Pair<'_>>,
        below: Option<Pair<'_>>,
    ) -> (usize, usize) {
        match self {
            Node::Leaf(run) => {
                for i in 0..run.len() {
                    let pair = run.pair(i);
                    assert!(above.is_none_or(|bound| order(bound, pair).is_le()));
                    assert!(below.is_none_or(|bound| order(pair, bound).is_lt()));
                    assert!(i == 0 || order(run.pair(i - 1), pair).is_lt());
                }
                assert!(run.len() <= MOST);
                (0, run.len())
            }
            Node::Inner(inner) => {
                let kids = inner.kids.len();
                assert!(kids > 0 && kids <= MOST && inner.counts.len() == kids);
                assert_eq!(inner.separators.len(), kids - 1);
                let mut heights = Vec::new();
                for (i, kid) in inner.kids.iter().enumerate() {
                    let left = i.checked_sub(1).map(|i| inner.separators.pair(i)).or(above);
                    let right = (i + 1 < kids).then(|| inner.separators.pair(i)).or(below);
                    let (height, count) = kid.check(left, right);
                    assert_eq!(count, inner.counts[i]);
                    assert!(count > 0);
                    heights.push(height);
                }
                assert!(heights.iter().all(|height| *height == heights[0]));
                (heights[0] + 1, inner.counts.iter().sum())
            }
        }
    }
}
