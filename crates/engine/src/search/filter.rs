//! `FILTER` of an index: an expression that a document must satisfy to be in it.

use search::aggregate::Record;
use search::document;
use search::error::{Error, Result};
use search::expression::{Expression, Value};
use search::query::Parameters;
use search::schema::Definition;

use super::document::Stored;

/// The expression, and what of a document it reads.
pub(crate) struct Filter {
    expression: Expression,
    /// Fields or paths, in the order of their values. An empty one is the key.
    identifiers: Vec<Vec<u8>>,
}

impl Filter {
    /// The filter of an index, if it has one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(definition: &Definition) -> Result<Option<Self>> {
        let Some(text) = &definition.filter else { return Ok(None) };
        let mut identifiers = Vec::new();
        let mut resolve = |name: &[u8]| {
            let identifier = match definition.attribute(name) {
                Some(id) => definition.attributes[usize::from(id)].identifier.clone(),
                None if name == b"__key" => Vec::new(),
                None => name.to_vec(),
            };
            identifiers.push(identifier);
            Ok(identifiers.len() - 1)
        };
        let expression = Expression::parse(text, &Parameters::default(), &mut resolve)
            .map_err(|error| Error::new(format!("Unknown symbol in filter: {error}")))?;
        Ok(Some(Filter { expression, identifiers }))
    }

    /// Whether a document satisfies it. One about which it cannot tell does not.
    pub fn passes(&self, key: &[u8], stored: &Stored<'_>) -> bool {
        let value = |identifier: &Vec<u8>| match identifier.is_empty() {
            true => Value::text(key),
            false => stored.named(identifier).map_or(Value::Null, value_of),
        };
        let record = Record::from(self.identifiers.iter().map(value).collect::<Vec<_>>());
        self.expression.is_true(&record).unwrap_or(false)
    }
}

fn value_of(value: document::Value) -> Value {
    match value {
        document::Value::Number(number) => Value::Number(number),
        document::Value::Text(text) => Value::Text(text),
        document::Value::Bool(is) => Value::text(is.to_string()),
        document::Value::List(list) => Value::List(list.into_iter().map(value_of).collect()),
        document::Value::Null | document::Value::Object => Value::Null,
    }
}
