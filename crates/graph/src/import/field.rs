//! A field of a table as a value, by the type that its column says.

use std::sync::Arc;

use crate::query::{Class, Error, Settings, constant};
use crate::storage::PropertyRef;
use crate::value::Value;

/// What a column is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The id of a node, in a space of ids, and the property that has it, too.
    Id { space: Box<str>, property: Option<Arc<str>> },
    /// The id of the node that a relationship begins at.
    Start { space: Box<str> },
    /// And ends at.
    End { space: Box<str> },
    /// A property.
    Property { name: Arc<str>, kind: Kind },
    /// Nothing.
    Ignored,
}

/// The type of a property's column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Long,
    Double,
    String,
    /// Expressions, of which arrays are some.
    Cypher,
    /// What a field looks like: where a header says nothing.
    Guessed,
}

/// An error of a table.
pub(super) fn wrong(message: impl Into<Box<str>>) -> Error {
    Error::new(Class::ArgumentError, "MalformedTable", message)
}

impl Column {
    /// What a field of a header says.
    ///
    /// # Errors
    /// There is no such type, or no name.
    pub fn of(field: &str) -> Result<Column, Error> {
        let Some((name, kind)) = field.rsplit_once(':') else {
            return match field {
                "" => Err(wrong("a column has no name")),
                name => Ok(Column::Property { name: name.into(), kind: Kind::Guessed }),
            };
        };
        let kind = kind.trim();
        let (word, space) = match kind.split_once('(') {
            Some((word, space)) => (word.trim(), space.trim_end().trim_end_matches(')')),
            None => (kind, ""),
        };
        let space = space.into();
        let kind = match word.to_ascii_uppercase().as_str() {
            "ID" => {
                let property = (!name.is_empty()).then(|| name.into());
                return Ok(Column::Id { space, property });
            }
            "START_ID" => return Ok(Column::Start { space }),
            "END_ID" => return Ok(Column::End { space }),
            "IGNORE" => return Ok(Column::Ignored),
            "BOOL" | "BOOLEAN" => Kind::Boolean,
            "INT" | "INTEGER" | "LONG" => Kind::Long,
            "FLOAT" | "DOUBLE" => Kind::Double,
            "STRING" => Kind::String,
            "ARRAY" | "CYPHER" => Kind::Cypher,
            _ => return Err(wrong(format!("'{word}' is no type of columns"))),
        };
        if name.is_empty() {
            return Err(wrong("a column has no name"));
        }
        Ok(Column::Property { name: name.into(), kind })
    }
}

impl Kind {
    /// The value of a field.
    ///
    /// # Errors
    /// It is of another type.
    pub fn value(self, field: &str, settings: &Settings<'_>) -> Result<Value, Error> {
        if field.is_empty() {
            return Ok(Value::Null);
        }
        let value = match self {
            Kind::Boolean => boolean(field),
            Kind::Long => field.parse().ok().map(Value::Integer),
            Kind::Double => field.parse().ok().map(Value::Float),
            Kind::String => Some(Value::from(field)),
            Kind::Cypher => return constant(field, settings),
            Kind::Guessed => return Ok(guessed(field, settings)),
        };
        value.ok_or_else(|| {
            let kind = match self {
                Kind::Boolean => "a truth value",
                Kind::Long => "a whole number",
                _ => "a number",
            };
            wrong(format!("'{}' is not {kind}", field.chars().take(40).collect::<String>()))
        })
    }
}

fn boolean(field: &str) -> Option<Value> {
    match field {
        _ if field.eq_ignore_ascii_case("true") => Some(Value::Boolean(true)),
        _ if field.eq_ignore_ascii_case("false") => Some(Value::Boolean(false)),
        _ => None,
    }
}

/// What FalkorDB's loader takes a field for.
fn guessed(field: &str, settings: &Settings<'_>) -> Value {
    if let Ok(number) = field.parse() {
        return Value::Integer(number);
    }
    if let Some(number) = field.parse().ok().filter(|number: &f64| number.is_finite()) {
        return Value::Float(number);
    }
    if let Some(value) = boolean(field) {
        return value;
    }
    let list = field.starts_with('[').then(|| constant(field, settings).ok()).flatten();
    list.unwrap_or_else(|| Value::from(field))
}

/// An id, as a mark has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Id {
    /// A whole number in no space: it is one, whatever digits it has.
    Number(i64),
    /// Any other. No two have the same text: it begins with how long the name of the space is, or
    /// with a dot if there is none.
    Text(Box<str>),
}

impl Id {
    /// The id that a field is, in a space; the one without a name is that of no space.
    ///
    /// # Errors
    /// The field is empty.
    pub fn of(space: &str, field: &str) -> Result<Id, Error> {
        if field.is_empty() {
            return Err(wrong("an id is missing"));
        }
        Ok(match field.parse() {
            Ok(number) if space.is_empty() => Id::Number(number),
            _ if space.is_empty() => Id::Text(format!(".{field}").into()),
            _ => Id::Text(format!("{}.{space}.{field}", space.len()).into()),
        })
    }

    /// What is stored of it.
    pub fn value(&self) -> Value {
        match self {
            Id::Number(number) => Value::Integer(*number),
            Id::Text(text) => Value::from(&**text),
        }
    }

    /// The same to look for.
    pub fn property(&self) -> PropertyRef<'_> {
        match self {
            Id::Number(number) => PropertyRef::Integer(*number),
            Id::Text(text) => PropertyRef::Text(text),
        }
    }

    /// Bytes that it takes beside itself.
    pub fn memory(&self) -> usize {
        match self {
            Id::Number(_) => 0,
            Id::Text(text) => text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn ids_of_different_spaces_differ() {
        let all = [
            ("", "1"),
            ("", "A.1"),
            ("", "1.A.1"),
            ("", ".A.1"),
            ("A", "1"),
            ("A", "B.1"),
            ("A.B", "1"),
            ("1", "A.1"),
            ("1.A", "1"),
        ];
        for (at, (space, field)) in all.iter().enumerate() {
            let id = Id::of(space, field).unwrap();
            for (space, field) in &all[..at] {
                assert_ne!(Id::of(space, field).unwrap(), id, "{space} {field}");
            }
        }
        assert_eq!(Id::of("", "007"), Id::of("", "7"));
        assert!(Id::of("A", "").is_err());
    }
}
