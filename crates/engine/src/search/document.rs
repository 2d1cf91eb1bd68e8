//! Hashes and JSON documents as an index reads them.

use std::cell::OnceCell;
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
    /// A JSON document.
    Json(StoredJson<'s>),
}

/// A JSON document, whose tree is made when it is first asked for if the key holds a text.
pub(crate) struct StoredJson<'s> {
    document: &'s json::Document,
    parsed: OnceCell<Option<json::Document>>,
}

impl<'s> Stored<'s> {
    /// What an entry holds, if that is a document of this kind.
    pub fn of(seen: &Seen<'s>, source: Source) -> Option<Self> {
        let store::Value::Object(object) = seen.value else { return None };
        match (source, object) {
            (Source::Hash, Object::Hash(hash)) => Some(Stored::Hash(hash)),
            (Source::Json, Object::Json(json)) => {
                let document = json.document()?;
                Some(Stored::Json(StoredJson { document, parsed: OnceCell::new() }))
            }
            _ => None,
        }
    }

    /// The root of a JSON document.
    pub fn root(&self) -> Option<Node<'_>> {
        match self {
            Stored::Hash(_) => None,
            Stored::Json(json) => json.tree().map(json::Value::root),
        }
    }

    /// The whole of a JSON document as compact text.
    pub fn text(&self) -> Option<Vec<u8>> {
        let Stored::Json(json) = self else { return None };
        let mut text = Vec::new();
        json.document.write(&mut text);
        Some(text)
    }

    /// The value of a field, or at a path, by its name.
    pub fn named(&self, identifier: &[u8]) -> Option<Value> {
        match self {
            Stored::Hash(hash) => hash.get(identifier).map(|text| Value::Text(text.to_vec())),
            _ => at_path(self.root()?, identifier),
        }
    }
}

impl StoredJson<'_> {
    fn tree(&self) -> Option<&json::Value> {
        let parse = || {
            // What it shares with others it holds by itself.
            json::Document::parse(self.document.text()?, &mut Registry::new()).ok()
        };
        match self.document.tree() {
            Some(tree) => Some(tree),
            None => self.parsed.get_or_init(parse).as_ref()?.tree(),
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
