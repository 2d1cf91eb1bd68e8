//! A place in a tree that survives edits: behind the element that was read last.

use crate::hold::Hold;
use crate::layout::Layout;
use crate::view::View;

/// Reads a tree in pieces, between which it may change. An element that is there throughout is read
/// exactly once; one that comes or goes meanwhile, once or not at all. It holds nothing of the
/// tree, and may go on in another version of it.
///
/// ```
/// use kvist_btree::{Cursor, Fixed, Tree};
///
/// let mut tree: Tree<Fixed<u64>> = Tree::build(0..10);
/// let (mut cursor, mut read) = (Cursor::default(), Vec::new());
/// assert!(cursor.read(&tree, 4, |item| read.push(item)));
/// tree.remove(3);
/// tree.remove(6);
/// tree.insert(12);
/// assert!(!cursor.read(&tree, 100, |item| read.push(item)));
/// assert_eq!(read, [0, 1, 2, 3, 4, 5, 7, 8, 9, 12]);
/// ```
pub struct Cursor<L: Layout> {
    last: Option<L::Owned>,
    reverse: bool,
}

impl<L: Layout> Default for Cursor<L> {
    fn default() -> Self {
        Cursor { last: None, reverse: false }
    }
}

impl<L: Layout> Cursor<L> {
    /// A cursor that begins at the last element and goes back.
    #[must_use]
    pub fn reversed() -> Self {
        Cursor { last: None, reverse: true }
    }

    /// A cursor that begins behind this element, or with `reverse` before it. It need not be there.
    #[must_use]
    pub fn beyond(item: L::Item<'_>, reverse: bool) -> Self {
        Cursor { last: Some(L::own(item)), reverse }
    }

    /// Shows the next elements, at most so many; whether there are more behind them.
    /// O(log n + elements shown).
    pub fn read<H: Hold>(
        &mut self,
        view: &View<L, H>,
        most: usize,
        mut visit: impl FnMut(L::Item<'_>),
    ) -> bool {
        let last = self.last.as_ref().map(L::item_of);
        let rest = match (self.reverse, last) {
            (false, None) => 0..view.len(),
            (false, Some(last)) => view.rank_behind(last)..view.len(),
            (true, None) => 0..view.len(),
            (true, Some(last)) => 0..view.rank(last),
        };
        let count = rest.len().min(most);
        let here =
            if self.reverse { rest.end - count..rest.end } else { rest.start..rest.start + count };
        let mut items = view.iter(here);
        let mut seen = None;
        while let Some(item) = if self.reverse { items.next_back() } else { items.next() } {
            visit(item);
            seen = Some(item);
        }
        if let Some(item) = seen {
            self.last = Some(L::own(item));
        }
        count < rest.len()
    }
}
