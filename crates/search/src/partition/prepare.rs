//! The values of a document as an index keeps them, or why it cannot: all or nothing.
//!
//! Everything that can fail is here, so that a document is indexed with all its attributes or not
//! at all.

use super::geo;
use super::numbers::word_of;
use super::vectors::width;
use crate::document::{Document, Value};
use crate::schema::{Attribute, AttributeId, Definition, Kind, Language, Source, VectorOptions};
use crate::text::lower;

/// Why a document is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexFailure {
    /// Whose value cannot be indexed.
    pub attribute: AttributeId,
    /// Why.
    pub said: String,
}

/// The values of one attribute.
#[derive(Debug, Default, PartialEq)]
pub struct Values {
    /// Texts, or tags.
    pub texts: Vec<Vec<u8>>,
    /// Numbers in their order's words, or cells.
    pub words: Vec<u64>,
    /// Vectors.
    pub blobs: Vec<Vec<u8>>,
    /// What is kept for sorting.
    pub sort: Option<Vec<u8>>,
    /// Whether the document has a value at all.
    pub is_present: bool,
}

/// A document.
#[derive(Debug, PartialEq)]
pub struct Prepared {
    pub values: Vec<Values>,
    pub language: Language,
    pub score: f32,
    pub payload: Option<Vec<u8>>,
}

/// Reads the values of a document.
pub fn prepare(definition: &Definition, document: &dyn Document) -> Result<Prepared, IndexFailure> {
    let mut values = Vec::with_capacity(definition.attributes.len());
    for (at, attribute) in definition.attributes.iter().enumerate() {
        let value = document.value(attribute);
        let prepared = of_attribute(definition, attribute, value);
        let fails = |said| IndexFailure { attribute: at as AttributeId, said };
        values.push(prepared.map_err(fails)?);
    }
    let field =
        |name: &Option<Vec<u8>>| name.as_ref().and_then(|name| document.value(&plain(name)));
    let language = match field(&definition.language_field) {
        Some(Value::Text(name)) => Language::parse(&name),
        _ => None,
    };
    let score = match field(&definition.score_field) {
        Some(Value::Number(score)) => Some(score),
        Some(Value::Text(text)) => number_in(&text),
        _ => None,
    };
    let payload = match field(&definition.payload_field) {
        Some(Value::Text(payload)) => Some(payload),
        _ => None,
    };
    Ok(Prepared {
        values,
        language: language.unwrap_or_else(|| definition.language.clone()),
        score: score.filter(|score| !score.is_nan()).unwrap_or(definition.score) as f32,
        payload,
    })
}

/// An attribute to read a field by that is not in the schema.
fn plain(name: &[u8]) -> Attribute {
    Attribute {
        identifier: name.to_vec(),
        name: name.to_vec(),
        kind: Kind::Tag { separator: None, case_sensitive: true, suffix_trie: false },
        sortable: false,
        unnormalized: false,
        no_index: true,
        index_empty: false,
        index_missing: false,
    }
}

/// The number that a text is.
fn number_in(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.trim_ascii().parse().ok()
}

fn of_attribute(
    definition: &Definition,
    attribute: &Attribute,
    value: Option<Value>,
) -> Result<Values, String> {
    let mut values = Values::default();
    let Some(value) = value else { return Ok(values) };
    let is_hash = definition.source == Source::Hash;
    if let Kind::Vector(options) = &attribute.kind {
        return vectors(options, value, is_hash);
    }
    let list = match value {
        Value::List(list) => list,
        one => vec![one],
    };
    for value in list {
        if value == Value::Null {
            continue;
        }
        values.is_present = true;
        match &attribute.kind {
            Kind::Numeric => values.words.push(number(&value, is_hash)?),
            Kind::Geo => {
                values.words.push(cell(&value)?);
                keep_for_sorting(attribute, &mut values, &value);
            }
            Kind::Text { .. } => {
                let Value::Text(text) = value else { return Err(not_a("text", &value)) };
                keep_for_sorting(attribute, &mut values, &text);
                values.texts.push(text);
            }
            Kind::Tag { separator, case_sensitive, .. } => {
                let text = match value {
                    Value::Text(text) => text,
                    Value::Bool(truth) => truth.to_string().into_bytes(),
                    other => return Err(not_a("tag", &other)),
                };
                keep_for_sorting(attribute, &mut values, &text);
                tags(&text, *separator, *case_sensitive, attribute.index_empty, &mut values.texts);
            }
            Kind::Vector(_) => {}
        }
    }
    Ok(values)
}

/// What a value is as text, for sorting.
trait Sorted {
    fn text(&self) -> &[u8];
}

impl Sorted for Vec<u8> {
    fn text(&self) -> &[u8] {
        self
    }
}

impl Sorted for Value {
    fn text(&self) -> &[u8] {
        match self {
            Value::Text(text) => text,
            _ => &[],
        }
    }
}

/// Keeps the first value, as the only one by which a document of several can be sorted.
fn keep_for_sorting(attribute: &Attribute, values: &mut Values, value: &dyn Sorted) {
    if attribute.sortable && values.sort.is_none() {
        let text = value.text();
        values.sort = Some(match attribute.unnormalized {
            true => text.to_vec(),
            false => lower(text).into_owned(),
        });
    }
}

fn not_a(kind: &str, value: &Value) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::Text(_) => "a text",
        Value::List(_) => "an array",
        Value::Object => "an object",
    };
    format!("Invalid JSON type: {found} cannot be indexed as {kind}")
}

fn number(value: &Value, is_hash: bool) -> Result<u64, String> {
    let number = match value {
        Value::Number(number) => Some(*number),
        Value::Text(text) if is_hash => number_in(text),
        other => return Err(not_a("numeric", other)),
    };
    let invalid = || match value {
        Value::Text(text) => format!("Invalid numeric value: '{}'", String::from_utf8_lossy(text)),
        _ => "Invalid numeric value".to_owned(),
    };
    number.and_then(word_of).ok_or_else(invalid)
}

fn cell(value: &Value) -> Result<u64, String> {
    let Value::Text(text) = value else { return Err(not_a("geo", value)) };
    let invalid = || format!("Invalid geo string: '{}'", String::from_utf8_lossy(text));
    let comma = memchr::memchr2(b',', b' ', text).ok_or_else(invalid)?;
    let number = |part: &[u8]| number_in(part).ok_or_else(invalid);
    let (longitude, latitude) = (number(&text[..comma])?, number(&text[comma + 1..])?);
    match geo::is_place(longitude, latitude) {
        true => Ok(geo::cell(longitude, latitude)),
        false => Err(invalid()),
    }
}

/// The tags of a text: divided, trimmed, in lower case.
fn tags(
    text: &[u8],
    separator: Option<u8>,
    case_sensitive: bool,
    index_empty: bool,
    tags: &mut Vec<Vec<u8>>,
) {
    for piece in text.split(|byte| Some(*byte) == separator) {
        let piece = piece.trim_ascii();
        if !piece.is_empty() || index_empty {
            tags.push(if case_sensitive { piece.to_vec() } else { lower(piece).into_owned() });
        }
    }
}

fn vectors(options: &VectorOptions, value: Value, is_hash: bool) -> Result<Values, String> {
    let mut values = Values::default();
    match value {
        Value::Null => return Ok(values),
        Value::Text(blob) if is_hash => values.blobs.push(blob),
        Value::List(list) if list.iter().any(|it| matches!(it, Value::List(_))) => {
            for vector in &list {
                let Value::List(numbers) = vector else { return Err(not_a("vector", vector)) };
                values.blobs.push(blob_of(options, numbers)?);
            }
        }
        Value::List(list) if list.is_empty() => return Ok(values),
        Value::List(list) => values.blobs.push(blob_of(options, &list)?),
        other => return Err(not_a("vector", &other)),
    }
    values.is_present = true;
    let wanted = options.dimension.saturating_mul(width(options.element));
    match values.blobs.iter().find(|blob| blob.len() != wanted) {
        None => Ok(values),
        Some(blob) => Err(format!(
            "Could not add vector with blob size {} (expected size {wanted})",
            blob.len()
        )),
    }
}

fn blob_of(options: &VectorOptions, numbers: &[Value]) -> Result<Vec<u8>, String> {
    let mut blob = Vec::with_capacity(numbers.len() * width(options.element));
    for value in numbers {
        let Value::Number(number) = value else { return Err(not_a("vector", value)) };
        write_number(options.element, *number, &mut blob);
    }
    Ok(blob)
}

fn write_number(element: vector::Element, number: f64, blob: &mut Vec<u8>) {
    use vector::Element;
    match element {
        Element::Float64 => blob.extend_from_slice(&number.to_le_bytes()),
        Element::Float32 => blob.extend_from_slice(&(number as f32).to_le_bytes()),
        Element::Float16 => blob.extend_from_slice(&half_of(number as f32).to_le_bytes()),
        Element::Bfloat16 => {
            let bits = (number as f32).to_bits();
            // To the nearest, to the even one of two.
            let rounded = bits.saturating_add(0x7fff + (bits >> 16 & 1)) >> 16;
            let bits = if number.is_nan() { bits >> 16 | 0x40 } else { rounded };
            blob.extend_from_slice(&(bits as u16).to_le_bytes());
        }
        Element::Int8 => blob.push((number as i8) as u8),
        Element::Uint8 => blob.push(number as u8),
    }
}

/// The nearest half-precision float, of two the even one.
fn half_of(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let fraction = bits & 0x7f_ffff;
    if exponent == 128 {
        return sign | 0x7c00 | u16::from(fraction != 0) << 9;
    }
    if exponent > 15 {
        return sign | 0x7c00;
    }
    if exponent < -25 {
        return sign;
    }
    // The bits that are dropped: 13, and more of a number that becomes subnormal.
    let (whole, dropped, base) = match exponent {
        -14.. => (fraction, 13, ((exponent + 15) as u32) << 10),
        _ => (fraction | 0x80_0000, (13 - 14 - exponent) as u32, 0),
    };
    let (kept, rest, half) = (whole >> dropped, whole & ((1 << dropped) - 1), 1 << (dropped - 1));
    let up = u32::from(rest > half || (rest == half && kept & 1 == 1));
    // A carry runs into the exponent, as it should.
    sign | (base + kept + up) as u16
}
