//! `serde_json`'s values as trees, and results as its values: the documents of these tests.
#![allow(dead_code)]

use kvist_json::path::{Budget, Computed, Literal, Location, Path, PathError, Step};
use kvist_json::{Kind, Num, Text, Tree};
use serde_json::{Number, Value};

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub struct Doc<'a>(pub &'a Value);

impl<'a> Tree<'a> for Doc<'a> {
    fn kind(self) -> Kind {
        match self.0 {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Number(number) if number.is_f64() => Kind::Number,
            Value::Number(_) => Kind::Integer,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    fn as_bool(self) -> Option<bool> {
        self.0.as_bool()
    }

    fn as_num(self) -> Option<Num> {
        let number = self.0.as_number()?;
        let whole = number.as_i64().map(Num::I64).or(number.as_u64().map(Num::U64));
        whole.or(number.as_f64().map(Num::F64))
    }

    fn as_str(self) -> Option<Text<'a>> {
        let text = self.0.as_str()?;
        Some(Text::inline(text).unwrap_or(Text::borrowed(text)))
    }

    fn len(self) -> usize {
        match self.0 {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        }
    }

    fn member(self, name: &str) -> Option<(usize, Self)> {
        let members = self.0.as_object()?;
        let value = members.get(name)?;
        // Counted only where it is cheap: no request asks in documents of thousands of members.
        let at = if members.len() > 64 { 0 } else { members.keys().position(|key| key == name)? };
        Some((at, Doc(value)))
    }

    fn at(self, index: usize) -> Option<Self> {
        match self.0 {
            Value::Array(items) => items.get(index).map(Doc),
            Value::Object(members) => members.values().nth(index).map(Doc),
            _ => None,
        }
    }

    fn name_at(self, index: usize) -> Option<&'a str> {
        self.0.as_object()?.keys().nth(index).map(String::as_str)
    }
}

/// The value at a location.
pub fn at(root: &Value, location: &Location) -> Value {
    let mut value = Doc(root);
    for step in location {
        let expected = if matches!(step, Step::Member(_)) { Kind::Object } else { Kind::Array };
        assert_eq!(value.kind(), expected, "{location:?}");
        value = value.at(step.position()).expect("a location leads somewhere");
    }
    value.0.clone()
}

fn number(num: Num) -> Value {
    match num {
        Num::I64(value) => value.into(),
        Num::U64(value) => value.into(),
        Num::F64(value) => Number::from_f64(value).map_or(Value::Null, Value::Number),
    }
}

fn literal(value: &Literal) -> Value {
    match value.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => value.as_bool().into(),
        Kind::Integer | Kind::Number => value.as_num().map_or(Value::Null, number),
        Kind::String => value.as_str().map_or(Value::Null, |text| text.to_string().into()),
        Kind::Array => (0..value.len()).filter_map(|at| value.at(at)).map(literal).collect(),
        Kind::Object => (0..value.len())
            .filter_map(|at| Some((value.name_at(at)?.to_string(), literal(value.at(at)?))))
            .collect(),
    }
}

/// A result as a value.
pub fn result(computed: &Computed<'_, Doc<'_>>) -> Value {
    match computed {
        Computed::Node(node) => node.0.clone(),
        Computed::Literal(value) => literal(value),
        Computed::Num(num) => number(*num),
        Computed::Str(text) => text.to_string().into(),
        Computed::Bool(value) => (*value).into(),
        Computed::List(items) => items.iter().map(result).collect(),
    }
}

/// The results of a path, and a check that its locations agree with them.
pub fn run(text: &str, document: &Value) -> Result<Vec<Value>, PathError> {
    let path = Path::compile(text)?;
    let root = Doc(document);
    let results: Vec<Value> =
        path.results(root, &mut Budget::default())?.iter().map(result).collect();
    if !path.is_projection() {
        let locations = path.locations(root, &mut Budget::default())?;
        let there: Vec<Value> = locations.iter().map(|location| at(document, location)).collect();
        assert_eq!(there, results, "{text}");
        let first = path.first(root, &mut Budget::default())?;
        assert_eq!(first.map(|first| first.0), results.first(), "{text}");
    }
    if path.is_static() {
        assert_eq!(path.one(root).map(|one| one.0), results.first(), "{text}");
        let location = path.location(root);
        assert_eq!(location.map(|location| at(document, &location)).as_ref(), results.first());
    }
    Ok(results)
}
