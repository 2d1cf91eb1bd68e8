//! Scores as RediSearch 1.2.2 returned them, and as redis-py's tests expect them.

use std::sync::Arc;

use super::{Options, Scorer, search};
use crate::document::{Document, Value};
use crate::partition::Partition;
use crate::query::{Bound, Node, NodeOptions, Query, TagValue};
use crate::schema::{Attribute, Definition, Kind, Language, Source};

struct Fields<'f>(&'f [(&'f str, &'f str)]);

impl Document for Fields<'_> {
    fn value(&self, attribute: &Attribute) -> Option<Value> {
        let found = self.0.iter().find(|(name, _)| name.as_bytes() == attribute.identifier);
        found.map(|(_, value)| Value::Text(value.as_bytes().to_vec()))
    }
}

fn partition(attributes: &[(&str, Kind)]) -> Partition {
    let attribute = |(name, kind): &(&str, Kind)| Attribute {
        identifier: (*name).into(),
        name: (*name).into(),
        kind: kind.clone(),
        sortable: false,
        unnormalized: false,
        no_index: false,
        index_empty: false,
        index_missing: false,
    };
    let definition = Definition {
        source: Source::Hash,
        prefixes: vec![Vec::new()],
        index_all: false,
        filter: None,
        language: Language("english".to_owned()),
        language_field: None,
        score: 1.0,
        score_field: Some(b"score".to_vec()),
        payload_field: None,
        max_text_fields: false,
        temporary: None,
        offsets: true,
        highlight: true,
        fields: true,
        frequencies: true,
        stop_words: None,
        skip_initial_scan: false,
        attributes: attributes.iter().map(attribute).collect(),
    };
    Partition::new(Arc::new(definition), Arc::default())
}

fn text(weight: f64) -> Kind {
    Kind::Text { weight, no_stem: false, phonetic: None, suffix_trie: false }
}

fn probed() -> Partition {
    let tag = Kind::Tag { separator: Some(b','), case_sensitive: false, suffix_trie: false };
    let mut partition = partition(&[
        ("t", text(1.0)),
        ("b", text(2.5)),
        ("n", Kind::Numeric),
        ("g", tag),
        ("s", text(1.0)),
    ]);
    let documents: [&[(&str, &str)]; 4] = [
        &[
            ("t", "hello world hello"),
            ("b", "big running"),
            ("n", "1"),
            ("g", "x,y"),
            ("s", "Beta"),
            ("score", "0.3"),
        ],
        &[("t", "hello the world foo bar"), ("n", "2"), ("s", "alpha")],
        &[("t", "runs run fast"), ("b", "hello"), ("g", "x")],
        &[("t", "hello one two three world four five six foo"), ("n", "5"), ("s", "Gamma")],
    ];
    for (at, document) in documents.iter().enumerate() {
        partition.put(format!("d{}", at + 1).as_bytes(), &Fields(document)).unwrap();
    }
    partition
}

fn word(text: &str) -> Node {
    Node::Word { text: text.into(), expand: true }
}

/// Document numbers from 1 with their scores, best first.
fn scores(partition: &Partition, root: Node, scorer: Scorer) -> Vec<(u32, f64)> {
    let options = Options { scorer, ..Options::default() };
    let query = Query { root, knn: None };
    let found = search(&[partition][..], &query, &options, &mut |_| Ok(())).unwrap();
    assert_eq!(found.total, found.hits.len());
    found.hits.iter().map(|hit| (hit.row + 1, hit.score)).collect()
}

#[test]
fn scores_are_those_of_redisearch() {
    let partition = probed();
    let tfidf = |root| scores(&partition, root, Scorer::TfIdf);
    let any = Bound { value: f64::INFINITY, exclusive: false };
    let numbers = || Node::Numeric { attribute: 2, min: Bound { value: 0.0, ..any }, max: any };
    let tagged = || Node::Tag { attribute: 3, values: vec![TagValue::Exact(b"x".to_vec())] };
    let third = 0.300_000_011_920_928_96;
    assert_eq!(tfidf(word("hello")), [(2, 1.0), (3, 1.0), (4, 1.0), (1, third)]);
    assert_eq!(tfidf(Node::All), [(2, 1.0), (4, 1.0), (3, 0.5), (1, third / 2.0)]);
    assert_eq!(tfidf(numbers()), [(2, 1.0), (4, 1.0), (1, third / 2.0)]);
    assert_eq!(tfidf(tagged()), [(3, 0.5), (1, third / 2.0)]);
    let both = tfidf(Node::And(vec![word("hello"), numbers()]));
    assert_eq!(both, [(2, 0.2), (4, 0.2), (1, 1.5 * third / 10.0)]);
    let hello_world = || vec![word("hello"), word("world")];
    let both = [(2, 2.0), (4, 0.5), (1, 1.5 * third)];
    assert_eq!(tfidf(Node::And(hello_world())), both);
    assert_eq!(tfidf(Node::Or(hello_world())), [(2, 2.0), (3, 1.0), (4, 0.5), (1, 1.5 * third)]);
    let phrase = Node::Phrase(vec![b"hello".to_vec(), b"world".to_vec()]);
    assert_eq!(tfidf(phrase), [(2, 2.0), (1, 1.5 * third)]);
    let three = Node::And(vec![word("hello"), word("world"), word("foo")]);
    assert_eq!(tfidf(three), [(2, 3.0), (4, 0.6)]);
    let maybe = Node::And(vec![word("hello"), Node::Optional(Box::new(word("world")))]);
    assert_eq!(tfidf(maybe), [(2, 2.0), (4, 0.5), (1, 1.5 * third), (3, 0.1)]);
    assert_eq!(tfidf(word("running")), [(3, 1.5), (1, 2.5 * third / 10.0)]);
    assert_eq!(tfidf(word("run")), [(3, 1.5), (1, third / 2.0)]);
    assert_eq!(tfidf(Node::Prefix(b"hel".to_vec())), tfidf(word("hello")));
    assert_eq!(tfidf(Node::Not(Box::new(word("fast")))), [(1, 0.0), (2, 0.0), (4, 0.0)]);
    let options = NodeOptions { weight: Some(2.0), ..NodeOptions::default() };
    let node = Box::new(Node::And(hello_world()));
    let doubled = both.map(|(row, score)| (row, 2.0 * score));
    assert_eq!(tfidf(Node::With { node, options }), doubled);
    let in_b = Node::In { attributes: vec![1], node: Box::new(word("hello")) };
    assert_eq!(tfidf(in_b), [(3, 1.0)]);
    assert_eq!(tfidf(word("big")), [(1, 2.0 * third)]);

    let dismax = |root| scores(&partition, root, Scorer::DisMax);
    assert_eq!(dismax(word("hello")), [(1, 2.0), (3, 2.0), (2, 1.0), (4, 1.0)]);
    let sums = [(1, 3.0), (2, 2.0), (4, 2.0)];
    assert_eq!(dismax(Node::And(hello_world())), sums);
    assert_eq!(dismax(Node::Or(hello_world())), [(1, 2.0), (3, 2.0), (2, 1.0), (4, 1.0)]);
    assert_eq!(dismax(Node::All), [(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)]);
    let own = scores(&partition, Node::All, Scorer::DocScore);
    assert_eq!(own, [(2, 1.0), (3, 1.0), (4, 1.0), (1, third)]);
}

#[test]
fn scores_are_those_of_redis_py() {
    let mut partition = partition(&[("description", text(1.0))]);
    let quick = "Quick alice was beginning to get very tired of sitting by her quick sister on the \
                 bank, and of having nothing to do.";
    let dog = "The quick brown fox jumps over the lazy dog";
    partition.put(b"doc1", &Fields(&[("description", dog)])).unwrap();
    partition.put(b"doc2", &Fields(&[("description", quick)])).unwrap();
    let best = |scorer| scores(&partition, word("quick"), scorer)[0].1;
    assert_eq!(best(Scorer::TfIdf), 1.0);
    assert_eq!(best(Scorer::TfIdfDocNorm), 0.142_857_142_857_142_85);
    assert_eq!(best(Scorer::Bm25), 0.224_719_094_200_697_97);
    assert_eq!(best(Scorer::DisMax), 2.0);
    assert_eq!(best(Scorer::DocScore), 1.0);
    assert_eq!(best(Scorer::Hamming), 0.0);
    assert_eq!(best(Scorer::Bm25StdNorm), 1.0);
    let (plain, bent) = (best(Scorer::Bm25Std), best(Scorer::Bm25StdTanh));
    assert_eq!(bent, (plain / 4.0).tanh());
    for name in ["TFIDF", "BM25STD.TANH", "HAMMING"] {
        assert_eq!(Scorer::named(name.as_bytes()).unwrap().name(), name);
    }
}
