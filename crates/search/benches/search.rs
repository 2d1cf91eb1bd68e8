//! What it costs to index documents and to answer queries over them: 50,000 documents of 20 words
//! (Zipf's law), one of 100 tags, a number.
//!
//! `cargo bench -p kvist-search --bench search -- [DOCUMENTS]`. Times are the best of some runs.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::Rng;
use kvist_search::document::{Document, Value};
use kvist_search::evaluate::{Options, Sort, search};
use kvist_search::partition::Partition;
use kvist_search::query::{Bound, Node, Query, TagValue};
use kvist_search::schema::{Attribute, Definition, Kind, Language, Source};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TEXT: u16 = 0;
const TAG: u16 = 1;
const NUMBER: u16 = 2;

struct Fields {
    text: String,
    tag: usize,
    number: usize,
}

impl Document for Fields {
    fn value(&self, attribute: &Attribute) -> Option<Value> {
        let text = match attribute.identifier.as_slice() {
            b"text" => self.text.clone(),
            b"tag" => format!("tag{}", self.tag),
            _ => self.number.to_string(),
        };
        Some(Value::Text(text.into_bytes()))
    }
}

fn definition() -> Definition {
    let attribute = |name: &str, kind| Attribute {
        identifier: name.into(),
        name: name.into(),
        kind,
        sortable: false,
        unnormalized: false,
        no_index: false,
        index_empty: false,
        index_missing: false,
    };
    let text = Kind::Text { weight: 1.0, no_stem: false, phonetic: None, suffix_trie: false };
    let tag = Kind::Tag { separator: Some(b','), case_sensitive: false, suffix_trie: false };
    Definition {
        source: Source::Hash,
        prefixes: vec![Vec::new()],
        index_all: false,
        filter: None,
        language: Language("english".to_owned()),
        language_field: None,
        score: 1.0,
        score_field: None,
        payload_field: None,
        max_text_fields: false,
        temporary: None,
        offsets: true,
        highlight: true,
        fields: true,
        frequencies: true,
        stop_words: None,
        skip_initial_scan: false,
        attributes: vec![
            attribute("text", text),
            attribute("tag", tag),
            attribute("number", Kind::Numeric),
        ],
    }
}

/// About as often as the inverse of its rank.
fn zipf(rng: &mut Rng) -> usize {
    let unit = (rng.below(1_000_000) + 1) as f64 / 1e6;
    (20_000_f64.powf(unit) as usize).saturating_sub(1)
}

fn document(rng: &mut Rng) -> Fields {
    let words: Vec<String> = (0..20).map(|_| format!("word{}", zipf(rng))).collect();
    Fields { text: words.join(" "), tag: rng.below(100), number: rng.below(100_000) }
}

/// The best of some runs.
fn best<R>(mut work: impl FnMut() -> R) -> (R, Duration) {
    let started = Instant::now();
    let mut fastest: Option<(R, Duration)> = None;
    loop {
        let start = Instant::now();
        let result = black_box(work());
        let took = start.elapsed();
        if fastest.as_ref().is_none_or(|(_, best)| took < *best) {
            fastest = Some((result, took));
        }
        if started.elapsed() > Duration::from_millis(300)
            && let Some(fastest) = fastest.take()
        {
            return fastest;
        }
    }
}

fn queries() -> Vec<(&'static str, Node, Options<'static>)> {
    let word = |text: &str| Node::Word { text: text.into(), expand: true };
    let usual = Options::default();
    let by_number =
        Options { sort: Sort::Attribute { attribute: NUMBER, descending: false }, ..usual };
    let bound = |value| Bound { value, exclusive: false };
    let tag = || Node::Tag { attribute: TAG, values: vec![TagValue::Exact(b"tag7".to_vec())] };
    let range =
        |min: f64, max: f64| Node::Numeric { attribute: NUMBER, min: bound(min), max: bound(max) };
    let phrase = vec![b"word1".to_vec(), b"word2".to_vec()];
    let in_text = Node::In { attributes: vec![TEXT], node: Box::new(word("word3")) };
    vec![
        ("tag", tag(), usual),
        ("range of 500", range(1000.0, 2000.0), usual),
        ("term of 1,000", word("word100"), usual),
        ("frequent term", word("word1"), usual),
        ("term in an attribute", in_text, usual),
        ("two terms", Node::And(vec![word("word1"), word("word2")]), usual),
        ("phrase", Node::Phrase(phrase), usual),
        ("term or term", Node::Or(vec![word("word1"), word("word2")]), usual),
        ("term and range", Node::And(vec![word("word1"), range(0.0, 50_000.0)]), usual),
        ("term not tag", Node::And(vec![word("word1"), Node::Not(Box::new(tag()))]), usual),
        ("* SORTBY number", Node::All, by_number),
        ("term SORTBY number", word("word1"), by_number),
        ("prefix", Node::Prefix(b"word1".to_vec()), usual),
        ("infix", Node::Infix(b"rd12".to_vec()), usual),
        ("fuzzy", Node::Fuzzy { text: b"word12".to_vec(), distance: 1 }, usual),
    ]
}

fn main() {
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(50_000);
    let mut rng = Rng::new(1);
    let documents: Vec<Fields> = (0..count).map(|_| document(&mut rng)).collect();
    let mut partition = Partition::new(Arc::new(definition()), Arc::default());
    for what in ["first", "again"] {
        let start = Instant::now();
        for (at, document) in documents.iter().enumerate() {
            partition.put(format!("key{at}").as_bytes(), document).expect("a good document");
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        println!("put {what}: {rate:.0} documents/s, {} B each", partition.memory() / count.max(1));
    }
    println!("{:?}", partition.figures());
    for (what, root, options) in queries() {
        let query = Query { root, knn: None };
        let (found, took) = best(|| search(&[&partition][..], &query, &options, &mut |_| Ok(())));
        let found = found.expect("a good query");
        assert_eq!(found.hits.len(), found.total.min(10));
        println!("{what:<24} {:>8} hits {:>10.0} queries/s", found.total, 1.0 / took.as_secs_f64());
    }
}
