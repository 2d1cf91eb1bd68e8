//! The part of a list as it was that is not copied yet, while it is copied in chunks.
//!
//! ```text
//!   the list as it was:      saved | old  old  old | saved | old ...
//!                                    |    |    |             |
//!   the list as it is:    new  new  old  old  old   new     old ...
//!                         '-------- span --------'  '--- span ---'
//! ```
//!
//! Elements of a list have no names, but an edit never exchanges two of them: the old ones that are
//! still there are in order, and what was removed between two of them is saved in its place. A span
//! is what was saved, how many elements are new, and how many old ones follow. Saved and new ones
//! have no order among each other, as they are never in the list together, so every sequence of
//! edits is spans again. What has been copied counts as new: the copy does not want it any more.
//!
//! An edit in the middle of a list takes the whole node for changed. So a node is saved at most
//! once, and there are never many more spans than nodes, however many edits there are: finding the
//! place of an edit costs no more than finding the element.

use std::collections::VecDeque;

use base::Copier;

use crate::pre_image::{Trace, Words};

use super::{List, Shape};

#[derive(Default)]
struct Span {
    /// Elements that were here, and are no longer.
    saved: Words,
    /// Elements of the list that the copy does not want.
    new: usize,
    /// Elements behind them that were there, and are.
    old: usize,
}

/// See the [module](self).
#[derive(Default)]
pub(super) struct Spans {
    spans: VecDeque<Span>,
    /// Bytes saved.
    bytes: usize,
}

impl Spans {
    /// Those of a list of `len` elements of which nothing is copied.
    fn of(len: usize) -> Spans {
        let spans = VecDeque::from([Span { old: len, ..Span::default() }]);
        Spans { spans, bytes: 0 }
    }

    /// The span in which a place of the list lies, and where in it: at its end rather than at the
    /// beginning of the next. O(spans).
    fn locate(&self, at: usize) -> (usize, usize) {
        let mut offset = at;
        for (number, span) in self.spans.iter().enumerate() {
            let len = span.new + span.old;
            if offset <= len {
                return (number, offset);
            }
            offset -= len;
        }
        // Never: the spans are as long as the list.
        (self.spans.len(), 0)
    }

    /// The `removed` elements from number `at` on are about to give way to `inserted` others;
    /// `save` reads elements of the list, as it still is, from a number on. O(spans), and what is
    /// saved.
    fn splice(
        &mut self,
        at: usize,
        removed: usize,
        inserted: usize,
        save: &mut dyn FnMut(usize, usize, &mut Words),
    ) {
        let (mut number, mut offset) = self.locate(at);
        let (mut left, mut fresh, mut place) = (removed, inserted, at);
        if let Some(span) = self.spans.get_mut(number)
            && offset > span.new
        {
            // Among old elements: those in front of the place stay a span of their own.
            let behind = span.new + span.old - offset;
            span.old -= behind;
            number += 1;
            offset = 0;
            self.spans.insert(number, Span { old: behind, ..Span::default() });
        }
        let first = number;
        while left > 0 || fresh > 0 {
            let Some(span) = self.spans.get_mut(number) else { break };
            let gone = left.min(span.new - offset);
            span.new = span.new - gone + std::mem::take(&mut fresh);
            (left, place) = (left - gone, place + gone);
            let gone = left.min(span.old);
            if gone > 0 {
                let before = span.saved.bytes();
                save(place, gone, &mut span.saved);
                self.bytes += span.saved.bytes() - before;
                span.old -= gone;
                (left, place) = (left - gone, place + gone);
            }
            number += 1;
            offset = 0;
        }
        self.join(first.saturating_sub(1), number);
    }

    /// Joins spans without old elements with those that follow, among these.
    fn join(&mut self, from: usize, to: usize) {
        for number in (from..to).rev() {
            let empty = self.spans.get(number).is_some_and(|span| span.old == 0);
            if !empty || number + 1 >= self.spans.len() {
                continue;
            }
            if let Some(mut front) = self.spans.remove(number)
                && let Some(next) = self.spans.get_mut(number)
            {
                front.saved.append(std::mem::take(&mut next.saved));
                next.saved = front.saved;
                next.new += front.new;
            }
        }
    }
}

impl List {
    /// Begins to keep what the list is now, for a copier that takes it in chunks by
    /// [`copy_past`](Self::copy_past); `false` for a list of one node, which is copied at once.
    pub fn follow(&mut self, copier: &Copier) -> bool {
        match &mut self.shape {
            Shape::Short(_) => return false,
            Shape::Long(ring) => {
                let (len, limit) = (ring.len(), ring.memory());
                ring.pre_image.begin(copier, limit, Spans::of(len));
            }
        }
        true
    }

    /// Visits the next elements of the list as it was when this copier began to follow it, until
    /// `visit` answers `false`; whether there may be more. `None` if the list is not followed any
    /// more. O(nodes and elements).
    pub fn copy_past(
        &mut self,
        copier: &Copier,
        visit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Option<bool> {
        let Shape::Long(ring) = &mut self.shape else { return None };
        let spans = std::mem::take(ring.pre_image.of(copier)?);
        let (spans, more) = self.visit_past(spans, visit);
        let Shape::Long(ring) = &mut self.shape else { return None };
        *ring.pre_image.of(copier)? = spans;
        Some(more)
    }

    fn visit_past(&self, mut spans: Spans, visit: &mut dyn FnMut(&[u8]) -> bool) -> (Spans, bool) {
        loop {
            let Some(span) = spans.spans.front_mut() else { return (spans, false) };
            let saved = span.saved.bytes();
            let mut room = true;
            while room && let Some(word) = span.saved.next() {
                room = visit(word);
            }
            spans.bytes -= saved - span.saved.bytes();
            if room && span.old > 0 {
                let mut copied = 0;
                for element in self.range(span.new, span.old) {
                    copied += 1;
                    room = visit(element);
                    if !room {
                        break;
                    }
                }
                span.new += copied;
                span.old -= copied;
            }
            if !room {
                return (spans, true);
            }
            if spans.spans.len() == 1 {
                return (spans, false);
            }
            spans.join(0, 1);
        }
    }

    /// Keeps nothing of what it was any more.
    pub fn unfollow(&mut self) {
        if let Shape::Long(ring) = &mut self.shape {
            ring.pre_image.end();
        }
    }

    /// Whether a copy wants to know what it was.
    #[inline]
    pub(super) fn is_followed(&self) -> bool {
        matches!(&self.shape, Shape::Long(ring) if ring.pre_image.is_on())
    }

    /// The `removed` elements from number `at` on are about to give way to `inserted` others.
    #[inline]
    pub(super) fn note(&mut self, at: usize, removed: usize, inserted: usize) {
        if self.is_followed() {
            self.note_splice(at, removed, inserted);
        }
    }

    #[cold]
    fn note_splice(&mut self, at: usize, removed: usize, inserted: usize) {
        let Shape::Long(ring) = &mut self.shape else { return };
        let mut pre_image: Trace<Spans> = std::mem::take(&mut ring.pre_image);
        pre_image.note(removed, |spans| {
            spans.splice(at, removed, inserted, &mut |start, count, saved| {
                self.range(start, count).for_each(|element| saved.push(element));
            });
            spans.bytes
        });
        if let Shape::Long(ring) = &mut self.shape {
            ring.pre_image = pre_image;
        }
    }
}

#[cfg(test)]
#[path = "pre_image_tests.rs"]
mod tests;
