//! Postings, dictionaries and partitions against plain maps, and what they allocate.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bitmap::END;
use super::dictionary::{Dictionary, TermKind};
use super::field::Content;
use super::postings::Postings;
use super::record::{Record, Shape};
use super::{Partition, Put, SortValue};
use crate::document::{Document, Value};
use crate::schema::{Attribute, Definition, Kind, Language, Source};

fn attribute(name: &str, kind: Kind) -> Attribute {
    Attribute {
        identifier: name.into(),
        name: name.into(),
        kind,
        sortable: true,
        unnormalized: false,
        no_index: false,
        index_empty: false,
        index_missing: true,
    }
}

fn definition(attributes: Vec<Attribute>) -> Definition {
    Definition {
        source: Source::Hash,
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

fn text() -> Kind {
    Kind::Text { weight: 1.0, no_stem: false, phonetic: None, suffix_trie: false }
}

fn tag() -> Kind {
    Kind::Tag { separator: Some(b','), case_sensitive: false, suffix_trie: false }
}

struct Fields(Vec<(&'static str, Value)>);

impl Document for Fields {
    fn value(&self, attribute: &Attribute) -> Option<Value> {
        let found = self.0.iter().find(|(name, _)| name.as_bytes() == attribute.identifier);
        found.map(|(_, value)| value.clone())
    }
}

fn record(rng: &mut base::Rng) -> Record {
    let mut positions: Vec<u32> = (0..=rng.below(20)).map(|_| rng.below(100_000) as u32).collect();
    positions.sort_unstable();
    let attributes = match rng.below(3) {
        0 => 1 << rng.below(15),
        1 => 1 << rng.below(128),
        _ => u128::from(rng.next_u64()) << 40 | 1,
    };
    Record { frequency: positions.len() as u32, attributes, positions }
}

fn check(postings: &Postings, shape: Shape, model: &BTreeMap<u32, Record>, rng: &mut base::Rng) {
    assert_eq!(postings.len(), model.len());
    let mut cursor = postings.cursor(shape);
    for (row, record) in model {
        assert_eq!(cursor.row(), *row);
        if shape != Shape::Rows {
            assert_eq!(shape.summary(cursor.payload()), (record.frequency, record.attributes));
            let mut positions = Vec::new();
            shape.positions(cursor.payload(), &mut positions);
            assert_eq!(positions, record.positions);
        }
        cursor.advance();
    }
    assert_eq!(cursor.row(), END);
    let (mut cursor, mut row) = (postings.cursor(shape), 0);
    while row < 20_000 {
        assert_eq!(cursor.seek(row), model.range(row..).next().map_or(END, |(row, _)| *row));
        row += 1 + rng.below(3000) as u32;
    }
}

#[test]
fn postings_are_edited_in_place() {
    let mut rng = testkit::seed::rng();
    for shape in [Shape::Rows, Shape::Words { offsets: true, counted: false }] {
        let (mut postings, mut model) = (Postings::default(), BTreeMap::new());
        let mut memory = 0_isize;
        for round in 0..12_000 {
            let row = rng.below(3000) as u32 * 5;
            let grows = (round / 3000) % 2 == 0;
            if model.contains_key(&row) && (!grows || rng.below(3) == 0) {
                let (removed, changed) = postings.remove(row, shape);
                assert!(removed);
                memory += changed;
                model.remove(&row);
            } else if !model.contains_key(&row) && grows {
                let (record, mut payload) = (record(&mut rng), Vec::new());
                shape.write(&mut payload, &record);
                memory += postings.insert(row, &payload, shape);
                model.insert(row, record);
            } else if !model.contains_key(&row) {
                assert_eq!(postings.remove(row, shape), (false, 0));
            }
            assert_eq!(memory, postings.allocated() as isize);
            if round % 500 == 0 {
                check(&postings, shape, &model, &mut rng);
            }
        }
        for row in model.keys() {
            memory += postings.remove(*row, shape).1;
        }
        assert_eq!((postings.len(), memory), (0, postings.allocated() as isize));
        assert!(memory < 2000, "{memory}");
    }
}

#[test]
fn a_dictionary_is_in_order() {
    let mut rng = testkit::seed::rng();
    let mut dictionary = Dictionary::new(Shape::Rows);
    let mut model: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    for round in 0..20_000_u32 {
        let word = rng.below(4000).to_string().into_bytes();
        if let Some(row) = model.remove(&word) {
            let id = dictionary.find(TermKind::Word, &word).unwrap();
            dictionary.remove(id, row);
        } else {
            let id = dictionary.intern(TermKind::Word, &word);
            dictionary.add(id, round, &[]);
            let stem = dictionary.intern(TermKind::Stem, &word);
            dictionary.add(stem, round, &[]);
            dictionary.remove(stem, round);
            model.insert(word, round);
        }
        if round % 1000 == 0 {
            let from = rng.below(4000).to_string().into_bytes();
            let words = dictionary.words_from(&from).map(|id| dictionary.text(id));
            assert!(words.eq(model.range(from..).map(|(word, _)| word.as_slice())));
        }
    }
    assert_eq!((dictionary.len(), dictionary.records()), (model.len(), model.len()));
}

#[test]
fn one_bad_value_hides_the_document() {
    let attributes =
        vec![attribute("t", text()), attribute("n", Kind::Numeric), attribute("g", tag())];
    let mut partition = Partition::new(Arc::new(definition(attributes)), Arc::default());
    let good = || {
        Fields(vec![
            ("t", Value::Text(b"Hello World".to_vec())),
            ("n", Value::Text(b"-0".to_vec())),
            ("g", Value::Text(b"a, B,,a".to_vec())),
        ])
    };
    assert_eq!(partition.put(b"k", &good()), Ok(Put::Added(0)));
    assert_eq!(partition.put(b"k", &good()), Ok(Put::Replaced(0)));
    assert_eq!(partition.sort_value(0, 0), Some(SortValue::Text(b"hello world")));
    assert_eq!(partition.sort_value(0, 1), Some(SortValue::Number(0.0)));
    let tags: Vec<_> = partition.tag_values(2).unwrap().collect();
    assert_eq!(tags, [(b"a".as_slice(), 1), (b"b", 1)]);
    for bad in ["", "x", "nan", "1,2"] {
        let document = Fields(vec![("n", Value::Text(bad.as_bytes().to_vec()))]);
        let failure = partition.put(b"k", &document).unwrap_err();
        assert_eq!(failure.attribute, 1);
        assert!(partition.is_empty() && partition.row_of(b"k").is_none());
    }
    assert_eq!(partition.figures().records, 0);
    assert_eq!(partition.figures().terms, 0);
    assert_eq!(partition.put(b"k", &good()), Ok(Put::Added(0)));
    for number in ["inf", "-inf", "1e400", " 5 "] {
        let document = Fields(vec![("n", Value::Text(number.as_bytes().to_vec()))]);
        partition.put(b"k", &document).unwrap();
    }
    assert!(partition.remove(b"k") && !partition.remove(b"k"));
}

#[test]
fn faults_of_an_index_are_seen() {
    let definition = Arc::new(definition(vec![
        attribute("t", text()),
        attribute("n", Kind::Numeric),
        attribute("g", tag()),
    ]));
    let fields = |text: &str, tags: &str| {
        Fields(vec![
            ("t", Value::Text(text.as_bytes().to_vec())),
            ("n", Value::Text(b"5".to_vec())),
            ("g", Value::Text(tags.as_bytes().to_vec())),
        ])
    };
    let good = fields("the running horses", "a,b");
    let expected = || Partition::expected(&definition, b"k", &good);
    let indexed = || {
        let mut partition = Partition::new(Arc::clone(&definition), Arc::default());
        partition.put(b"other", &fields("horses of others", "b,c")).unwrap();
        partition.put(b"k", &good).unwrap();
        partition.put(b"later", &good).unwrap();
        partition
    };
    assert!(expected().is_some() && indexed().contents(b"k") == expected());
    assert_eq!(indexed().contents(b"none"), None);
    let faults: [fn(&mut Partition); 3] = [
        |it| {
            let word = it.words.dictionary.find(TermKind::Word, b"horses").unwrap();
            it.words.dictionary.remove(word, 1);
        },
        |it| it.fields[1].remove(1),
        |it| {
            let Content::Tags(tags) = &mut it.fields[2].content else { return };
            tags.of.take(1);
        },
    ];
    for fault in faults {
        let mut partition = indexed();
        fault(&mut partition);
        assert_ne!(partition.contents(b"k"), expected());
    }
}
