//! Paths: which values of a document a request means.
//!
//! A path is compiled once ([`Path::compile`], remembered by a [`PathCache`]) and then run over any
//! [`Tree`]. There are two forms. `$.a[0]` is JSONPath: the union of RFC 9535 and RedisJSON's
//! dialect, with RedisJSON's meaning where they differ. Anything else is a legacy path, `a[0]`,
//! which is `$.a[0]` of which the first match counts. `docs/json-paths.md` describes both to users.
//!
//! ```text
//!   text ── parse, parse_expression, parse_literal ──► syntax
//!   syntax, document ── walk (segments) ◄──► compute, functions, compare (filters) ──► matches
//! ```
//!
//! Most paths are static, names and indices alone, and are followed without an allocation. All
//! others are given a [`Budget`], so that no path blocks its thread for ever. What is in a document
//! never makes a path fail: what does not fit is not selected.
//!
//! ```
//! use kvist_json::path::Path;
//!
//! let path = Path::compile("$.store.book[?@.price < 10].title")?;
//! assert!(!path.is_legacy() && !path.is_static());
//! assert_eq!(path.last_name(), Some("title"));
//! # Ok::<(), kvist_json::path::PathError>(())
//! ```

mod budget;
mod cache;
mod compare;
mod compute;
mod error;
mod functions;
mod limits;
mod literal;
mod location;
mod memory;
mod parse;
mod parse_expression;
mod parse_literal;
mod pattern;
mod syntax;
mod walk;

use std::ops::ControlFlow;

pub use budget::Budget;
use budget::{Flow, Stop, ended};
pub use cache::{PathCache, may_hold_patterns};
pub use compute::Computed;
use compute::Operand;
pub use error::{PathError, SyntaxError};
pub use limits::{MAX_LENGTH, MAX_NESTING, MAX_PATTERNS};
pub use literal::{Literal, Members};
pub use location::{Location, Step, edit_order, topmost};
use syntax::{Expr, Query, Segment};
use walk::Run;

use crate::tree::{Kind, Tree};

/// A compiled path.
#[derive(Debug)]
pub struct Path {
    text: Box<str>,
    legacy: bool,
    body: Body,
    preparation: usize,
}

#[derive(Debug)]
enum Body {
    /// It selects values.
    Query(Query),
    /// It computes one.
    Projection(Expr),
}

/// The last step of a path that ends in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastStep<'p> {
    /// A name.
    Name(&'p str),
    /// An index; negative ones count from the end.
    Index(i64),
}

/// Where a member can be created: what [`Path::creation`] finds.
#[derive(Clone, Debug)]
pub struct Creation<'p, T> {
    /// Where the object lies.
    pub location: Location,
    /// The object, or whatever stands there instead.
    pub parent: T,
    /// The name of the member.
    pub name: &'p str,
}

/// What a static path lacks in a document: what [`Path::missing`] finds.
#[derive(Clone, Debug)]
pub struct Missing<'p, T> {
    /// Where the last value on the way lies that is there.
    pub location: Location,
    /// That value: an object, or whatever stands there instead.
    pub parent: T,
    /// The names from there on.
    pub names: Vec<&'p str>,
}

impl Path {
    /// Compiles a path. O(length), and a bounded amount of work for the patterns in it.
    ///
    /// # Errors
    ///
    /// [`PathError::Syntax`] with the place, [`PathError::TooLong`], [`PathError::TooDeep`],
    /// [`PathError::Patterns`].
    pub fn compile(text: &str) -> Result<Path, PathError> {
        if text.len() > MAX_LENGTH {
            return Err(PathError::TooLong);
        }
        let legacy = !parse::is_jsonpath(text);
        let (expr, allowance) = parse::Parser::new(text, legacy).path()?;
        let body = match expr {
            Expr::Query(query) => Body::Query(query),
            expr => Body::Projection(expr),
        };
        Ok(Path { text: text.into(), legacy, body, preparation: allowance.spent() })
    }

    /// The work that its patterns took to be compiled, as a [`Budget`] counts it.
    #[inline]
    pub fn preparation(&self) -> usize {
        self.preparation
    }

    /// The path as it was typed: the name of its result in a reply about several paths.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is a legacy path, which means its first match.
    pub fn is_legacy(&self) -> bool {
        self.legacy
    }

    /// Whether it computes a value instead of selecting some.
    pub fn is_projection(&self) -> bool {
        matches!(self.body, Body::Projection(_))
    }

    /// Whether it consists of names and indices alone, so that it selects one value at most.
    pub fn is_static(&self) -> bool {
        self.query().is_some_and(|query| query.singular)
    }

    /// Whether it means the root.
    pub fn is_root(&self) -> bool {
        self.query().is_some_and(|query| query.segments.is_empty())
    }

    /// The name or index it ends in.
    pub fn last_step(&self) -> Option<LastStep<'_>> {
        match self.query()?.segments.last()? {
            Segment::Name(name) => Some(LastStep::Name(name)),
            Segment::Index(index) => Some(LastStep::Index(*index)),
            _ => None,
        }
    }

    /// The name it ends in.
    pub fn last_name(&self) -> Option<&str> {
        match self.last_step()? {
            LastStep::Name(name) => Some(name),
            LastStep::Index(_) => None,
        }
    }

    /// Bytes it takes, its own included; patterns are estimated.
    pub fn memory(&self) -> usize {
        let body = match &self.body {
            Body::Query(query) => memory::of_query(query),
            Body::Projection(expr) => memory::of_expr(expr),
        };
        size_of::<Path>() + self.text.len() + body
    }

    fn query(&self) -> Option<&Query> {
        match &self.body {
            Body::Query(query) => Some(query),
            Body::Projection(_) => None,
        }
    }

    fn segments(&self) -> &[Segment] {
        self.query().map_or(&[], |query| &query.segments)
    }

    /// The match of a static path; `None` also for paths that are not. Without allocation.
    #[inline]
    pub fn one<'a, T: Tree<'a>>(&self, root: T) -> Option<T> {
        walk::follow(root, &self.query()?.segments)
    }

    /// Where the match of a static path lies; `None` also for paths that are not.
    pub fn location<'a, T: Tree<'a>>(&self, root: T) -> Option<Location> {
        self.query()?;
        Some(located(root, self.segments())?.0)
    }

    /// For a static path that ends in a name: the value before that name, which must exist, and
    /// where it lies. Whether it is an object that lacks the name is for the caller to see.
    pub fn creation<'a, T: Tree<'a>>(&self, root: T) -> Option<Creation<'_, T>> {
        let (last, before) = self.query()?.segments.split_last()?;
        let Segment::Name(name) = last else { return None };
        let (location, parent) = located(root, before)?;
        Some(Creation { location, parent, name })
    }

    /// For a static path: which names are missing at its end, and where. `None` if nothing is
    /// missing, or something that is no name.
    pub fn missing<'a, T: Tree<'a>>(&self, root: T) -> Option<Missing<'_, T>> {
        let segments = &self.query()?.segments;
        let there = |count: &usize| located(root, segments.get(..*count)?);
        let (count, (location, parent)) =
            (0..segments.len()).rev().find_map(|count| Some((count, there(&count)?)))?;
        let names = segments.get(count..)?.iter().map(|segment| match segment {
            Segment::Name(name) => Some(&**name),
            _ => None,
        });
        let names = names.collect::<Option<Vec<&str>>>();
        let names = names.filter(|_| located(root, segments).is_none())?;
        Some(Missing { location, parent, names })
    }

    /// Calls `visit` with every match, in the order of RFC 9535, until it breaks. A value that is
    /// selected twice is visited twice. Nothing is visited for a projection.
    ///
    /// # Errors
    ///
    /// [`PathError::TooMuchWork`].
    pub fn for_each<'a, T: Tree<'a>>(
        &self,
        root: T,
        budget: &mut Budget,
        mut visit: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), PathError> {
        if self.is_projection() {
            return Ok(());
        }
        let visit = &mut |value, (): &()| stop_if(visit(value));
        ended(Run::new(root, budget).walk(root, self.segments(), &mut (), visit))
    }

    /// The first match.
    ///
    /// # Errors
    ///
    /// [`PathError::TooMuchWork`].
    pub fn first<'a, T: Tree<'a>>(
        &self,
        root: T,
        budget: &mut Budget,
    ) -> Result<Option<T>, PathError> {
        if self.is_static() {
            return Ok(self.one(root));
        }
        let mut first = None;
        self.for_each(root, budget, |value| {
            first = Some(value);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Where all matches lie, in order and with repetitions; none for a projection. See [`topmost`]
    /// and [`edit_order`] before changing what is there.
    ///
    /// # Errors
    ///
    /// [`PathError::TooMuchWork`].
    pub fn locations<'a, T: Tree<'a>>(
        &self,
        root: T,
        budget: &mut Budget,
    ) -> Result<Vec<Location>, PathError> {
        if self.is_projection() {
            return Ok(Vec::new());
        }
        all_located(root, self.segments(), budget)
    }

    /// Where the values lie that the path selects without its last step: the parents of what it
    /// would select, for those who create members. None for the root and for projections.
    ///
    /// # Errors
    ///
    /// [`PathError::TooMuchWork`].
    pub fn parents<'a, T: Tree<'a>>(
        &self,
        root: T,
        budget: &mut Budget,
    ) -> Result<Vec<Location>, PathError> {
        match self.segments().split_last() {
            Some((_, before)) => all_located(root, before, budget),
            None => Ok(Vec::new()),
        }
    }

    /// The results of any path, projections too: what `JSON.GET` puts into its array. A list that
    /// was computed gives its items; nothing gives none.
    ///
    /// # Errors
    ///
    /// [`PathError::TooMuchWork`].
    pub fn results<'p, 'a, T: Tree<'a>>(
        &'p self,
        root: T,
        budget: &mut Budget,
    ) -> Result<Vec<Computed<'p, T>>, PathError> {
        let mut results = Vec::new();
        match &self.body {
            Body::Query(_) => self.for_each(root, budget, |value| {
                results.push(Computed::Node(value));
                ControlFlow::Continue(())
            })?,
            Body::Projection(expr) => match Run::new(root, budget).operand(expr, root) {
                Ok(Operand::Nothing) | Err(Stop::Enough) => {}
                Ok(Operand::One(value)) => results.push(value),
                Ok(Operand::Nodes(values) | Operand::List(values)) => results.extend(values),
                Err(Stop::TooMuch) => return Err(PathError::TooMuchWork),
            },
        }
        Ok(results)
    }
}

fn stop_if(flow: ControlFlow<()>) -> Flow {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Stop::Enough),
    }
}

/// The value at the end of names and indices, and where it lies.
fn located<'a, T: Tree<'a>>(root: T, segments: &[Segment]) -> Option<(Location, T)> {
    let mut location = Location::new();
    let mut value = root;
    for segment in segments {
        let (step, next) = match segment {
            Segment::Name(name) => {
                let (position, member) = value.member(name)?;
                (Step::Member(position), member)
            }
            Segment::Index(index) if value.kind() == Kind::Array => {
                let at = walk::element(value.len(), *index)?;
                (Step::Index(at), value.at(at)?)
            }
            _ => return None,
        };
        location.push(step);
        value = next;
    }
    Some((location, value))
}

fn all_located<'a, T: Tree<'a>>(
    root: T,
    segments: &[Segment],
    budget: &mut Budget,
) -> Result<Vec<Location>, PathError> {
    let mut all = Vec::new();
    let visit = &mut |_, location: &Location| {
        all.push(location.clone());
        Ok(())
    };
    ended(Run::new(root, budget).walk(root, segments, &mut Location::new(), visit))?;
    Ok(all)
}
