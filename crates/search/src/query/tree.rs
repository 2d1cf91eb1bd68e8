//! A query as a tree. Parameters are filled in, escapes removed, names of attributes resolved.

use crate::schema::AttributeId;

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What documents must satisfy.
    pub root: Node,
    /// `=>[KNN …]`: the nearest of those that satisfy it.
    pub knn: Option<Knn>,
}

/// A condition. Text is UTF-8 in lower case where it can be; other bytes stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `*`: every document.
    All,
    /// No document: stop words alone.
    Nothing,
    /// A word, as typed. Where `expand` is set, its stem, its synonyms and, where the attribute is
    /// phonetic, words that sound alike match too.
    Word { text: Vec<u8>, expand: bool },
    /// `"…"`: words in this order, next to each other (or as `NodeOptions` say).
    Phrase(Vec<Vec<u8>>),
    /// `text*`.
    Prefix(Vec<u8>),
    /// `*text`.
    Suffix(Vec<u8>),
    /// `*text*`.
    Infix(Vec<u8>),
    /// `w'…'`, with `?` for one character and `*` for any; a backslash makes either, or itself, a
    /// letter.
    Wildcard(Vec<u8>),
    /// `%text%`: words within a Levenshtein distance of 1 to 3.
    Fuzzy { text: Vec<u8>, distance: u8 },
    /// All of them.
    And(Vec<Node>),
    /// Any of them.
    Or(Vec<Node>),
    /// `-`.
    Not(Box<Node>),
    /// `~`: scores, but need not match.
    Optional(Box<Node>),
    /// `@a|b:(…)`: words in one of these attributes.
    In { attributes: Vec<AttributeId>, node: Box<Node> },
    /// `@n:[min max]`.
    Numeric { attribute: AttributeId, min: Bound, max: Bound },
    /// `@g:[lon lat radius unit]`.
    Geo { attribute: AttributeId, longitude: f64, latitude: f64, meters: f64 },
    /// `@t:{a | b}`: any of these.
    Tag { attribute: AttributeId, values: Vec<TagValue> },
    /// `ismissing(@a)`.
    Missing(AttributeId),
    /// `@v:[VECTOR_RANGE radius blob]`.
    VectorRange(VectorRange),
    /// `(…) => { … }`.
    With { node: Box<Node>, options: NodeOptions },
}

/// An end of a range of numbers; infinities are ends that exclude nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The number at the end.
    pub value: f64,
    /// Whether it is outside.
    pub exclusive: bool,
}

/// One value of `{…}`; in lower case where the attribute is not case-sensitive.
#[derive(Clone, Debug, PartialEq)]
pub enum TagValue {
    /// This value.
    Exact(Vec<u8>),
    /// `text*`.
    Prefix(Vec<u8>),
    /// `*text`.
    Suffix(Vec<u8>),
    /// `*text*`.
    Infix(Vec<u8>),
    /// `w'…'`, as in [`Node::Wildcard`].
    Wildcard(Vec<u8>),
}

/// `=> { $weight: …; … }`. What is absent is as the request has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeOptions {
    /// By which its score is multiplied.
    pub weight: Option<f64>,
    /// How many other words may stand between its words.
    pub slop: Option<u32>,
    /// Whether its words must stand in their order.
    pub in_order: Option<bool>,
    /// Whether words that sound alike match.
    pub phonetic: Option<bool>,
}

/// `=>[KNN k @f $blob …]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Knn {
    /// How many.
    pub k: usize,
    /// The attribute with vectors.
    pub attribute: AttributeId,
    /// The vector, as bytes of the attribute's type.
    pub blob: Vec<u8>,
    /// `EF_RUNTIME`.
    pub ef_runtime: Option<usize>,
    /// `AS`, else `__` and the attribute's name and `_score`.
    pub distance_name: Vec<u8>,
}

/// `@f:[VECTOR_RANGE radius blob] => { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorRange {
    /// The attribute with vectors.
    pub attribute: AttributeId,
    /// The greatest distance.
    pub radius: f64,
    /// The vector, as bytes of the attribute's type.
    pub blob: Vec<u8>,
    /// `$yield_distance_as`.
    pub distance_name: Option<Vec<u8>>,
    /// `$epsilon`.
    pub epsilon: Option<f64>,
}
