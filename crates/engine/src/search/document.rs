//! Hashes and JSON documents as an index reads them.

use std::ops::ControlFlow;

use json::path::{Budget, Path};
use json::{Kind, Node, Registry, Tree};
use search::document::{Document, Value};
use search::schema::{Attribute, Source};
use store::{Object, Seen};

/// What a key holds, if it is what an index is of.
pub(crate) enum Stored<'s> {
    /// A hash.
    Hash(&'s types::Hash),
    /// The tree of a JSON document.
    Json(&'s json::Value),
    /// The same of a document whose tree is not at hand.
    Parsed(Box<json::Document>),
}

impl<'s> Stored<'s> {
    /// What an entry holds, if that is a document of this kind.
    pub fn of(seen: &Seen<'s>, source: Source) -> Option<Self> {
        let store::Value::Object(object) = seen.value else { return None };
        match (source, object) {
            (Source::Hash, Object::Hash(hash)) => Some(Stored::Hash(hash)),
            (Source::Json, Object::Json(json)) => {
                let document = json.document()?;
                match document.tree() {
                    Some(tree) => Some(Stored::Json(tree)),
                    None => {
                        // What it shares with others it holds by itself.
                        let text = document.text()?;
                        let parsed = json::Document::parse(text, &mut Registry::new());
                        parsed.ok().map(|document| Stored::Parsed(Box::new(document)))
                    }
                }
            }
            _ => None,
        }
    }

    /// The root of a JSON document.
    pub fn root(&self) -> Option<Node<'_>> {
        match self {
            Stored::Hash(_) => None,
            Stored::Json(value) => Some(value.root()),
            Stored::Parsed(document) => document.tree().map(json::Value::root),
        }
    }

    /// The value of a field, or at a path, by its name.
    pub fn named(&self, identifier: &[u8]) -> Option<Value> {
        match self {
            Stored::Hash(hash) => hash.get(identifier).map(|text| Value::Text(text.to_vec())),
            _ => at_path(self.root()?, identifier),
        }
    }
}

impl Document for Stored<'_> {
    fn value(&self, attribute: &Attribute) -> Option<Value> {
        self.named(&attribute.identifier)
    }
}

/// The value that a path selects: all of them as a list, if there are several.
fn at_path(root: Node<'_>, path: &[u8]) -> Option<Value> {
    let path = Path::compile(std::str::from_utf8(path).ok()?).ok()?;
    if path.is_static() {
        return path.one(root).map(value_of);
    }
    let mut values = Vec::new();
    // What a path would take too much work for is as if it were not there.
    path.for_each(root, &mut Budget::default(), |node| {
        values.push(value_of(node));
        ControlFlow::Continue(())
    })
    .ok()?;
    (!values.is_empty()).then_some(Value::List(values))
}

/// A JSON value, as an index reads it.
fn value_of(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
        Kind::Integer | Kind::Number => {
            Value::Number(node.as_num().map_or(f64::NAN, json::Num::as_f64))
        }
        Kind::String => Value::Text(node.as_bytes().unwrap_or_default().to_vec()),
        Kind::Array => {
            Value::List((0..node.len()).filter_map(|at| node.at(at)).map(value_of).collect())
        }
        Kind::Object => Value::Object,
    }
}
