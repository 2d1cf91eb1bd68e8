//! What an index reads of a document: the value of each attribute of its schema.

use crate::schema::Attribute;

/// The value of one attribute of one document.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON's `null`: as if the attribute were absent.
    Null,
    /// JSON's `true` or `false`.
    Bool(bool),
    /// A JSON number.
    Number(f64),
    /// A field of a hash, or a JSON string.
    Text(Vec<u8>),
    /// All values that a JSON path selects if there are several, or a JSON array.
    List(Vec<Value>),
    /// A JSON object, which no type of attribute indexes.
    Object,
}

/// A hash or a JSON document, as an index reads it.
pub trait Document {
    /// The value that the attribute's identifier (a field's name, a JSON path) selects, if any.
    fn value(&self, attribute: &Attribute) -> Option<Value>;
}
