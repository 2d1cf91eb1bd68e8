//! Running a query: from a value to those it selects, in document order.
//!
//! Names and indices are followed in a loop; only a segment that can select several values recurses
//! into the segments behind it, so the stack is bounded by the number of segments, which the parser
//! bounds. `..` keeps its own stack. Values are looked at in place; a caller that wants locations
//! hands in a trail, and no other caller pays for it.

use std::marker::PhantomData;

use smallvec::SmallVec;

use super::budget::{Budget, Flow, Stop};
use super::location::{Location, Step};
use super::pattern::Patterns;
use super::syntax::{Origin, Query, Segment, Selector, Slice, price_of};
use crate::tree::{Kind, Tree};

/// One evaluation.
pub(super) struct Run<'a, 'b, T> {
    pub root: T,
    pub budget: &'b mut Budget,
    pub patterns: Patterns,
    tree: PhantomData<&'a ()>,
}

/// The way to the value at hand, if the caller wants it.
pub(super) trait Trail {
    fn push(&mut self, step: Step);
    fn pop(&mut self);
}

impl Trail for () {
    fn push(&mut self, _: Step) {}
    fn pop(&mut self) {}
}

impl Trail for Location {
    fn push(&mut self, step: Step) {
        SmallVec::push(self, step);
    }

    fn pop(&mut self) {
        SmallVec::pop(self);
    }
}

/// What to do with a match.
pub(super) type Visit<'v, T, R> = dyn FnMut(T, &R) -> Flow + 'v;

/// The element an index means: negative ones count from the end.
#[inline]
pub(super) fn element(len: usize, index: i64) -> Option<usize> {
    let from_end = usize::try_from(index.unsigned_abs()).ok();
    match index < 0 {
        false => from_end.filter(|&at| at < len),
        true => from_end.and_then(|back| len.checked_sub(back)),
    }
}

/// The value at the end of names and indices, if all of them are there.
#[inline]
pub(super) fn follow<'a, T: Tree<'a>>(start: T, segments: &[Segment]) -> Option<T> {
    let mut value = start;
    for segment in segments {
        value = match segment {
            Segment::Name(name) => value.get(name)?,
            Segment::Index(index) => value.at(indexed(value, *index)?)?,
            Segment::Child(_) | Segment::Descendant(_) => return None,
        };
    }
    Some(value)
}

#[inline]
fn indexed<'a, T: Tree<'a>>(value: T, index: i64) -> Option<usize> {
    if value.kind() == Kind::Array { element(value.len(), index) } else { None }
}

fn step(kind: Kind, position: usize) -> Step {
    if kind == Kind::Object { Step::Member(position) } else { Step::Index(position) }
}

/// The indices a slice selects, as RFC 9535 defines them.
fn sliced(slice: Slice, len: usize) -> impl Iterator<Item = usize> {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let from_end = |at: i64| if at < 0 { len.saturating_add(at) } else { at };
    let (mut at, end) = if slice.step >= 0 {
        let start = slice.start.map_or(0, from_end).clamp(0, len);
        (start, slice.end.map_or(len, from_end).clamp(0, len))
    } else {
        let start = slice.start.map_or(len - 1, from_end).clamp(-1, len - 1);
        (start, slice.end.map_or(-1, from_end).clamp(-1, len - 1))
    };
    std::iter::from_fn(move || {
        let inside = match slice.step {
            0 => false,
            1.. => at < end,
            _ => at > end,
        };
        let found = if inside { usize::try_from(at).ok() } else { None };
        at = at.saturating_add(slice.step);
        found
    })
}

impl<'a, 'b, T: Tree<'a>> Run<'a, 'b, T> {
    pub fn new(root: T, budget: &'b mut Budget) -> Run<'a, 'b, T> {
        Run { root, budget, patterns: Patterns::default(), tree: PhantomData }
    }

    /// Visits what a query in a filter selects.
    pub fn query(&mut self, query: &Query, current: T, visit: &mut dyn FnMut(T) -> Flow) -> Flow {
        let start = self.start(query, current);
        self.walk(start, &query.segments, &mut (), &mut |value, ()| visit(value))
    }

    /// The value a query starts from.
    pub fn start(&self, query: &Query, current: T) -> T {
        match query.from {
            Origin::Root => self.root,
            Origin::Current => current,
        }
    }

    /// Visits what segments select, starting from a value.
    pub fn walk<R: Trail>(
        &mut self,
        start: T,
        segments: &[Segment],
        trail: &mut R,
        visit: &mut Visit<'_, T, R>,
    ) -> Flow {
        let mut value = start;
        let mut rest = segments;
        let mut steps = 0;
        loop {
            self.budget.charge(1)?;
            let Some((segment, behind)) = rest.split_first() else {
                visit(value, trail)?;
                break;
            };
            let (taken, next) = match segment {
                Segment::Name(name) => {
                    self.budget.charge(name.len() / 32)?;
                    let Some((position, member)) = value.member(name) else { break };
                    (Step::Member(position), member)
                }
                Segment::Index(index) => {
                    let at = indexed(value, *index);
                    let Some((at, item)) = at.and_then(|at| Some((at, value.at(at)?))) else {
                        break;
                    };
                    (Step::Index(at), item)
                }
                Segment::Child(selectors) => {
                    self.children(value, selectors, behind, trail, visit)?;
                    self.itself(value, selectors, behind, trail, visit)?;
                    break;
                }
                Segment::Descendant(selectors) => {
                    self.descend(value, selectors, behind, trail, visit)?;
                    break;
                }
            };
            trail.push(taken);
            steps += 1;
            value = next;
            rest = behind;
        }
        for _ in 0..steps {
            trail.pop();
        }
        Ok(())
    }

    /// What selectors choose among the children of a value, one selector after the other.
    fn children<R: Trail>(
        &mut self,
        value: T,
        selectors: &[Selector],
        behind: &[Segment],
        trail: &mut R,
        visit: &mut Visit<'_, T, R>,
    ) -> Flow {
        let kind = value.kind();
        if !matches!(kind, Kind::Object | Kind::Array) {
            return Ok(());
        }
        for selector in selectors {
            // Also those that choose nothing: there may be many.
            self.budget.charge(match selector {
                Selector::Name(name) => price_of(name),
                _ => 1,
            })?;
            match selector {
                Selector::Name(name) => {
                    if let Some((position, _)) = value.member(name) {
                        self.child(value, kind, position, behind, trail, visit)?;
                    }
                }
                Selector::Index(index) => {
                    if let Some(position) = indexed(value, *index) {
                        self.child(value, kind, position, behind, trail, visit)?;
                    }
                }
                Selector::Wildcard => {
                    for position in 0..value.len() {
                        self.child(value, kind, position, behind, trail, visit)?;
                    }
                }
                Selector::Slice(slice) if kind == Kind::Array => {
                    for position in sliced(*slice, value.len()) {
                        self.child(value, kind, position, behind, trail, visit)?;
                    }
                }
                Selector::Slice(_) => {}
                Selector::Filter(condition) => {
                    for position in 0..value.len() {
                        let Some(child) = value.at(position) else { continue };
                        self.budget.charge(1)?;
                        if self.holds(condition, child)? {
                            self.child(value, kind, position, behind, trail, visit)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A filter behind a scalar tests the scalar itself, as RedisJSON has it.
    fn itself<R: Trail>(
        &mut self,
        value: T,
        selectors: &[Selector],
        behind: &[Segment],
        trail: &mut R,
        visit: &mut Visit<'_, T, R>,
    ) -> Flow {
        if matches!(value.kind(), Kind::Object | Kind::Array) {
            return Ok(());
        }
        self.budget.charge(selectors.len() / 8)?;
        for selector in selectors {
            if let Selector::Filter(condition) = selector
                && self.holds(condition, value)?
            {
                self.walk(value, behind, trail, visit)?;
            }
        }
        Ok(())
    }

    fn child<R: Trail>(
        &mut self,
        parent: T,
        kind: Kind,
        position: usize,
        behind: &[Segment],
        trail: &mut R,
        visit: &mut Visit<'_, T, R>,
    ) -> Flow {
        let Some(child) = parent.at(position) else { return Ok(()) };
        trail.push(step(kind, position));
        self.walk(child, behind, trail, visit)?;
        trail.pop();
        Ok(())
    }

    /// What selectors choose among the children of a value and of all below it, parents first.
    fn descend<R: Trail>(
        &mut self,
        top: T,
        selectors: &[Selector],
        behind: &[Segment],
        trail: &mut R,
        visit: &mut Visit<'_, T, R>,
    ) -> Flow {
        // Values whose children are being gone through, and the next child of each.
        let mut open: SmallVec<[(T, Kind, usize); 16]> = SmallVec::new();
        self.children(top, selectors, behind, trail, visit)?;
        open.push((top, top.kind(), 0));
        while let Some((value, kind, next)) = open.last_mut() {
            let position = *next;
            *next += 1;
            let Some(child) = value.at(position) else {
                open.pop();
                if !open.is_empty() {
                    trail.pop();
                }
                continue;
            };
            self.budget.charge(1)?;
            let below = child.kind();
            if !matches!(below, Kind::Object | Kind::Array) {
                continue;
            }
            trail.push(step(*kind, position));
            self.children(child, selectors, behind, trail, visit)?;
            open.push((child, below, 0));
        }
        Ok(())
    }

    /// Whether a query in a filter selects anything.
    pub fn exists(&mut self, query: &Query, current: T) -> Flow<bool> {
        if query.singular {
            self.budget.charge(1 + query.price)?;
            return Ok(follow(self.start(query, current), &query.segments).is_some());
        }
        match self.query(query, current, &mut |_| Err(Stop::Enough)) {
            Ok(()) => Ok(false),
            Err(Stop::Enough) => Ok(true),
            Err(stop) => Err(stop),
        }
    }
}
