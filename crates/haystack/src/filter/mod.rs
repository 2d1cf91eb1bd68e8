//! Filters: their text, their canonical form, and what they find.
//!
//! ```text
//!   filter = and ("or" and)*           path  = name ("->" name)*
//!   and    = term ("and" term)*        op    = == != < <= > >=
//!   term   = "(" filter ")" | ["not"] path | path op value | [lib "::"] Spec | ^symbol
//! ```
//!
//! A word is an operator by its position alone: tags may be called `not`, `and`, `or` and `true`.

mod canonical;
mod evaluate;
mod parse;
mod records;

use crate::{Error, Name, Tag, Value};

pub use evaluate::{Evaluator, part_of_instant};
pub use records::{Dicts, Records};

/// A filter.
///
/// ```
/// use kvist_haystack::Filter;
/// let filter = Filter::parse("b or (a and not siteRef->geoCity == \"Chicago\")");
/// assert!(filter.is_err());   // `not` takes a path and nothing more
/// let filter = Filter::parse("b or (a and siteRef->geoCity=='x')").unwrap_err();
/// assert_eq!((filter.line(), filter.column()), (1, 31));
/// let filter = Filter::parse("b   or a and area>=5m²")?;
/// assert_eq!(filter.to_string(), "b or a and area >= 5m²");
/// assert_eq!(filter.canonical().pattern(), "b or a and area >= ?");
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Filter {
    /// There is a value.
    Has(Path),
    /// There is none.
    Missing(Path),
    /// There is a value, and it compares so.
    Compare(Path, Op, Value),
    /// It is what a def says, or any def that is this one.
    Symbol(Name),
    /// It is of a spec.
    Spec(SpecName),
    /// All of these.
    And(Vec<Filter>),
    /// Any of these.
    Or(Vec<Filter>),
}

/// How a value compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Tags, each of which is looked for where the ref, dict or instant before it leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Tag>);

/// The name of a spec, with or without its library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecName {
    /// The library: `ph.points`.
    pub lib: Option<Name>,
    /// The name in it.
    pub name: Name,
}

/// How many tags a path has at most.
pub const LONGEST_PATH: usize = 64;

impl Path {
    /// A path of tags; an error if there are none, or more than [`LONGEST_PATH`].
    pub fn new(tags: Vec<Tag>) -> Result<Path, Error> {
        match tags.len() {
            0 => Err(Error::new("Path without tags")),
            1..=LONGEST_PATH => Ok(Path(tags)),
            _ => Err(Error::new(format!("Path of more than {LONGEST_PATH} tags"))),
        }
    }

    /// The tags.
    pub fn tags(&self) -> &[Tag] {
        &self.0
    }

    /// The only tag, if there is one.
    pub fn single(&self) -> Option<&Tag> {
        if let [tag] = self.0.as_slice() { Some(tag) } else { None }
    }
}

impl SpecName {
    /// Whether a full name, such as `ph::Site`, is this one.
    pub fn is(&self, full: &str) -> bool {
        match (&self.lib, full.rsplit_once("::")) {
            (None, Some((_, name))) => *name == *self.name,
            (None, None) => *full == *self.name,
            (Some(lib), Some((of, name))) => *of == **lib && *name == *self.name,
            (Some(_), None) => false,
        }
    }
}

impl Op {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
        }
    }
}

impl Filter {
    /// Reads a filter; an error says where it is wrong. Takes time in proportion to the text, whose
    /// parentheses may nest 64 deep.
    pub fn parse(text: &str) -> Result<Filter, Error> {
        parse::parse(text)
    }

    /// The records of one id: the filter is `id == @x`, or that is one of all its parts.
    pub fn id(&self) -> Option<&Name> {
        match self {
            Filter::Compare(path, Op::Eq, value) => {
                let is_id = path.single().is_some_and(|tag| tag.as_str() == "id");
                value.as_id().filter(|_| is_id)
            }
            Filter::And(all) => all.iter().find_map(Filter::id),
            _ => None,
        }
    }
}

impl std::str::FromStr for Filter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Filter, Error> {
        Filter::parse(text)
    }
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
