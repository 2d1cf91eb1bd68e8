//! Walks over the elements of a list, from both ends.
//!
//! An iterator holds one packed iterator per end and the number of elements left; the number alone
//! decides when it ends, so the two need not know of each other.

use crate::packed;

use super::List;

/// Elements of a [`List`], from both ends. A step is O(1), but the first from the back: O(nodes).
#[derive(Clone)]
pub struct Iter<'a> {
    list: &'a List,
    front: packed::Iter<'a>,
    /// The node after that of `front`.
    front_next: usize,
    back: packed::Iter<'a>,
    /// One more than the node before that of `back`.
    back_next: usize,
    /// The number of the element after the last one left, until `back` is found.
    end: Option<usize>,
    left: usize,
}

impl<'a> Iter<'a> {
    pub(super) fn new(list: &'a List, start: usize, count: usize) -> Self {
        let left = count.min(list.len().saturating_sub(start));
        let mut iter = Iter {
            list,
            front: packed::Iter::default(),
            front_next: 0,
            back: packed::Iter::default(),
            back_next: 0,
            end: Some(start.saturating_add(left)),
            left,
        };
        if left > 0
            && let Some((number, index)) = list.locate(start)
            && let Some(node) = list.node(number)
        {
            iter.front = node.range(index, node.len());
            iter.front_next = number + 1;
        }
        iter
    }

    #[cold]
    fn next_node(&mut self) -> Option<&'a [u8]> {
        self.front = self.list.node(self.front_next)?.iter();
        self.front_next += 1;
        self.front.next()
    }

    #[cold]
    fn prev_node(&mut self) -> Option<&'a [u8]> {
        match self.end.take() {
            Some(end) => {
                let (number, index) = self.list.locate(end.checked_sub(1)?)?;
                self.back = self.list.node(number)?.range(0, index + 1);
                self.back_next = number;
            }
            None => {
                self.back_next = self.back_next.checked_sub(1)?;
                self.back = self.list.node(self.back_next)?.iter();
            }
        }
        self.back.next_back()
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        match self.front.next() {
            Some(element) => Some(element),
            None => self.next_node(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        match self.back.next_back() {
            Some(element) => Some(element),
            None => self.prev_node(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}
impl std::iter::FusedIterator for Iter<'_> {}
