//! A schema with each kind of attribute, and random documents for it.

use base::Rng;
use kvist_search::document::{Document, Value};
use kvist_search::schema::{
    Algorithm, Attribute, Definition, Kind, Language, Source, VectorOptions,
};

/// A document as fields.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<(String, Value)>);

impl Fields {
    pub fn get(&self, name: &[u8]) -> Option<&Value> {
        self.0.iter().find(|(field, _)| field.as_bytes() == name).map(|(_, value)| value)
    }
}

impl Document for Fields {
    fn value(&self, attribute: &Attribute) -> Option<Value> {
        self.get(&attribute.identifier).cloned()
    }
}

pub fn attribute(name: &str, kind: Kind) -> Attribute {
    Attribute {
        identifier: name.into(),
        name: name.into(),
        kind,
        sortable: false,
        unnormalized: false,
        no_index: false,
        index_empty: false,
        index_missing: false,
    }
}

pub fn text(weight: f64) -> Kind {
    Kind::Text { weight, no_stem: false, phonetic: None, suffix_trie: false }
}

pub fn tag() -> Kind {
    Kind::Tag { separator: Some(b','), case_sensitive: false, suffix_trie: false }
}

pub fn definition(source: Source, attributes: Vec<Attribute>) -> Definition {
    Definition {
        source,
        prefixes: vec![Vec::new()],
        index_all: false,
        filter: None,
        language: Language("english".to_owned()),
        language_field: None,
        score: 1.0,
        score_field: Some(b"score".to_vec()),
        payload_field: Some(b"payload".to_vec()),
        max_text_fields: false,
        temporary: None,
        offsets: true,
        highlight: true,
        fields: true,
        frequencies: true,
        stop_words: None,
        skip_initial_scan: false,
        attributes,
    }
}

pub const TITLE: u16 = 0;
pub const BODY: u16 = 1;
pub const TAGS: u16 = 2;
pub const PRICE: u16 = 3;
pub const PLACE: u16 = 4;
pub const VECTOR: u16 = 5;
/// Numbers in a vector.
pub const DIMENSION: usize = 3;

/// Two texts, tags, numbers, places and vectors, of JSON documents.
pub fn everything() -> Definition {
    let vector = VectorOptions {
        algorithm: Algorithm::Flat,
        element: vector::Element::Float32,
        dimension: DIMENSION,
        metric: vector::Metric::L2,
        m: 16,
        ef_construction: 200,
        ef_runtime: 10,
        epsilon: 0.01,
        initial_cap: None,
        block_size: None,
    };
    let mut attributes = vec![
        attribute("title", text(2.0)),
        attribute("body", text(1.0)),
        attribute("tags", tag()),
        attribute("price", Kind::Numeric),
        attribute("place", Kind::Geo),
        attribute("vector", Kind::Vector(vector)),
    ];
    for attribute in &mut attributes {
        attribute.index_missing = true;
        attribute.sortable = attribute.name != b"vector";
    }
    definition(Source::Json, attributes)
}

/// A word; a few are frequent, and many share beginnings.
pub fn word(rng: &mut Rng) -> String {
    const ENDINGS: [&str; 6] = ["", "s", "ing", "ed", "er", "ly"];
    let stem = ["run", "walk", "sing", "rust", "ruin", "search", "sea", "seam"];
    let number = rng.below(8).min(rng.below(8));
    format!("{}{}", stem[number], ENDINGS[rng.below(6)])
}

pub fn words(rng: &mut Rng, most: usize) -> String {
    let count = rng.below(most + 1);
    (0..count).map(|_| word(rng)).collect::<Vec<_>>().join(" ")
}

/// A text, or several.
fn texts(rng: &mut Rng, one: impl Fn(&mut Rng) -> Value) -> Value {
    match rng.below(4) {
        0 => Value::List((0..rng.below(4)).map(|_| one(rng)).collect()),
        _ => one(rng),
    }
}

pub fn place(rng: &mut Rng) -> (f64, f64) {
    (10.0 + rng.below(100) as f64 / 50.0, 50.0 + rng.below(100) as f64 / 50.0)
}

pub fn vector_of(rng: &mut Rng) -> Vec<f64> {
    (0..DIMENSION).map(|_| rng.below(20) as f64).collect()
}

/// A document with some of the attributes.
pub fn document(rng: &mut Rng) -> Fields {
    let mut fields = Fields::default();
    let mut put = |name: &str, value: Value| fields.0.push((name.to_owned(), value));
    if rng.below(8) > 0 {
        put("title", texts(rng, |rng| Value::Text(words(rng, 4).into_bytes())));
    }
    if rng.below(8) > 0 {
        put("body", texts(rng, |rng| Value::Text(words(rng, 12).into_bytes())));
    }
    if rng.below(4) > 0 {
        put("tags", texts(rng, |rng| Value::Text(words(rng, 3).replace(' ', ", ").into_bytes())));
    }
    if rng.below(4) > 0 {
        put("price", texts(rng, |rng| Value::Number(rng.below(40) as f64 - 10.0)));
    }
    if rng.below(4) > 0 {
        put(
            "place",
            texts(rng, |rng| {
                let (longitude, latitude) = place(rng);
                Value::Text(format!("{longitude},{latitude}").into_bytes())
            }),
        );
    }
    if rng.below(3) > 0 {
        let of = |numbers: Vec<f64>| Value::List(numbers.into_iter().map(Value::Number).collect());
        let one = of(vector_of(rng));
        let two = of(vector_of(rng));
        put("vector", if rng.below(3) == 0 { Value::List(vec![one, two]) } else { one });
    }
    if rng.below(3) == 0 {
        put("score", Value::Number(rng.below(5) as f64 / 4.0));
    }
    if rng.below(5) == 0 {
        put("payload", Value::Text(words(rng, 1).into_bytes()));
    }
    if rng.below(30) == 0 {
        put("tags", Value::Object);
    }
    fields
}
