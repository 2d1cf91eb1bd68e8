//! Where a node stood in the text, and names.

use std::fmt;
use std::sync::Arc;

/// Where something stood in the text of its query, in bytes.
///
/// All spans are equal: two trees are the same if they say the same, wherever their parts stood.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

impl Span {
    /// From the start of one to the end of another.
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }

    /// What stands there.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

/// A name of a variable, label, property, …, without the backticks it may have been written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name. It is shared, because plans repeat it in many places.
    pub text: Arc<str>,
    /// Where it stood.
    pub span: Span,
}

impl Name {
    /// A name that stood somewhere.
    pub fn new(text: &str, span: Span) -> Self {
        Self { text: text.into(), span }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
