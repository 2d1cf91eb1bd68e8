//! What a reader of replies builds: its parts, and the interface of what they become.

use std::vec::Drain;

/// A reply, or a part of one, that is no aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf<'a> {
    /// `+text`
    Simple(&'a [u8]),
    /// `-text`
    Error(&'a [u8]),
    /// `:n`
    Int(i64),
    /// `$len`
    Bulk(&'a [u8]),
    /// `$-1`
    NullBulk,
    /// `*-1`
    NullArray,
    /// `_`
    Null,
    /// `,text`: a number as [`base::num::parse_f64`] reads it, or `nan`.
    Double(&'a [u8]),
    /// `#t` or `#f`
    Boolean(bool),
    /// `=len`: a format and a text.
    Verbatim([u8; 3], &'a [u8]),
    /// `(digits`: digits, perhaps after a sign.
    BigNumber(&'a [u8]),
    /// `!len`
    BulkError(&'a [u8]),
}

/// The kinds of replies that have others inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// `*len`
    Array,
    /// `%len`: keys and values take turns.
    Map,
    /// `~len`
    Set,
    /// `>len`: a message out of band. It is always a reply of its own.
    Push,
}

/// Makes something of replies while they are read, from the inside out.
///
/// `depth` is the number of aggregates around what is built: 0 for a whole reply. A builder is
/// called once for each part, when the part is complete.
pub trait Build {
    /// What replies become.
    type Value;

    /// Something that has nothing inside.
    fn leaf(&mut self, leaf: Leaf<'_>, depth: usize) -> Self::Value;

    /// An aggregate begins (`None`: facts about a value do), inside `depth` others. What it is made
    /// of comes before [`aggregate`](Self::aggregate); few builders must know earlier.
    #[inline]
    fn open(&mut self, kind: Option<Aggregate>, depth: usize) {
        let _ = (kind, depth);
    }

    /// An aggregate of these items; whatever is left in `items` is dropped.
    fn aggregate(
        &mut self,
        kind: Aggregate,
        items: Drain<'_, Self::Value>,
        depth: usize,
    ) -> Self::Value;

    /// A value with facts about it: keys and values take turns. Most readers have no use for facts.
    fn attributed(&mut self, facts: Vec<Self::Value>, value: Self::Value) -> Self::Value {
        drop(facts);
        value
    }
}
