//! Random queries over random documents, in one partition and in several, against a full scan.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use base::Rng;
use kvist_search::evaluate::{Found, Options, Partitions, Sort, search};
use kvist_search::partition::Partition;
use kvist_search::query::{Bound, Knn, Node, NodeOptions, Query, TagValue, VectorRange};

use crate::naive::{self, Document, Scope};
use crate::sample::{self, BODY, PLACE, PRICE, TAGS, TITLE, VECTOR};

fn cut(rng: &mut Rng) -> Vec<u8> {
    let word = sample::word(rng).into_bytes();
    let from = rng.below(word.len());
    let to = from + 1 + rng.below(word.len() - from);
    word[from..to].to_vec()
}

fn pattern(rng: &mut Rng) -> Vec<u8> {
    let mut word = sample::word(rng).into_bytes();
    for _ in 0..=rng.below(3) {
        let at = rng.below(word.len());
        word[at] = if rng.below(2) == 0 { b'*' } else { b'?' };
    }
    word
}

fn start(rng: &mut Rng) -> Vec<u8> {
    let word = sample::word(rng).into_bytes();
    word[..1 + rng.below(word.len())].to_vec()
}

fn blob(rng: &mut Rng) -> Vec<u8> {
    sample::vector_of(rng).iter().flat_map(|number| (*number as f32).to_le_bytes()).collect()
}

fn tag_value(rng: &mut Rng) -> TagValue {
    match rng.below(8) {
        0 => TagValue::Prefix(start(rng)),
        1 => TagValue::Suffix(cut(rng)),
        2 => TagValue::Infix(cut(rng)),
        3 => TagValue::Wildcard(pattern(rng)),
        _ => TagValue::Exact(sample::word(rng).into_bytes()),
    }
}

fn leaf(rng: &mut Rng) -> Node {
    match rng.below(16) {
        0 => Node::All,
        1 => Node::Prefix(start(rng)),
        2 => Node::Suffix(cut(rng)),
        3 => Node::Infix(cut(rng)),
        4 => Node::Wildcard(pattern(rng)),
        5 => Node::Fuzzy { text: sample::word(rng).into(), distance: 1 + rng.below(3) as u8 },
        6 => Node::Phrase((0..rng.below(4)).map(|_| sample::word(rng).into()).collect()),
        7 => {
            let mut bound = || Bound {
                value: [f64::NEG_INFINITY, f64::INFINITY, rng.below(40) as f64 - 10.0]
                    [rng.below(6).min(2)],
                exclusive: rng.below(2) == 0,
            };
            Node::Numeric { attribute: PRICE, min: bound(), max: bound() }
        }
        8 => {
            let (longitude, latitude) = sample::place(rng);
            let meters = [1000.0, 20_000.0, 80_000.0, 1e6][rng.below(4)];
            Node::Geo { attribute: PLACE, longitude, latitude, meters }
        }
        9 | 10 => {
            let values = (0..=rng.below(3)).map(|_| tag_value(rng)).collect();
            Node::Tag { attribute: TAGS, values }
        }
        11 => Node::Missing([TITLE, BODY, TAGS, PRICE, PLACE, VECTOR][rng.below(6)]),
        12 => Node::VectorRange(VectorRange {
            attribute: VECTOR,
            radius: rng.below(200) as f64,
            blob: blob(rng),
            distance_name: None,
            epsilon: None,
        }),
        _ => Node::Word { text: sample::word(rng).into(), expand: rng.below(2) == 0 },
    }
}

fn node(rng: &mut Rng, depth: usize) -> Node {
    let several = |rng: &mut Rng| (0..1 + rng.below(3)).map(|_| node(rng, depth - 1)).collect();
    if depth == 0 {
        return leaf(rng);
    }
    match rng.below(10) {
        0..3 => Node::And(several(rng)),
        3 | 4 => Node::Or(several(rng)),
        5 => Node::Not(Box::new(node(rng, depth - 1))),
        6 => Node::Optional(Box::new(node(rng, depth - 1))),
        7 => {
            let attributes = vec![[TITLE, BODY, TAGS][rng.below(3)]];
            Node::In { attributes, node: Box::new(node(rng, depth - 1)) }
        }
        8 => {
            let options = NodeOptions {
                weight: (rng.below(2) == 0).then_some(2.0),
                slop: (rng.below(2) == 0).then(|| rng.below(4) as u32),
                in_order: (rng.below(2) == 0).then(|| rng.below(2) == 0),
                phonetic: None,
            };
            Node::With { node: Box::new(node(rng, depth - 1)), options }
        }
        _ => leaf(rng),
    }
}

/// The same documents in one partition, in three, and as a map.
struct Indexes {
    one: Partition,
    three: [Partition; 3],
    model: BTreeMap<Vec<u8>, Document>,
}

impl Indexes {
    fn new() -> Self {
        let definition = Arc::new(sample::everything());
        let partition =
            |writes: &Arc<AtomicU64>| Partition::new(definition.clone(), Arc::clone(writes));
        let (one, three) = (Arc::default(), Arc::default());
        let three = [(); 3].map(|()| partition(&three));
        Self { one: partition(&one), three, model: BTreeMap::new() }
    }

    fn change(&mut self, rng: &mut Rng, keys: usize) {
        let number = rng.below(keys);
        let key = format!("k{number}").into_bytes();
        let part = &mut self.three[number % 3];
        if rng.below(4) == 0 {
            let was_there = self.model.remove(&key).is_some();
            assert_eq!((self.one.remove(&key), part.remove(&key)), (was_there, was_there));
            return;
        }
        let document = sample::document(rng);
        let put = self.one.put(&key, &document);
        assert_eq!(put.is_ok(), part.put(&key, &document).is_ok());
        match put {
            Ok(_) => self.model.insert(key, Document::new(&document)),
            Err(_) => self.model.remove(&key),
        };
    }

    fn search(&self, query: &Query, options: &Options<'_>) -> [(Found, Vec<Vec<u8>>); 2] {
        let of = |partitions: &[&Partition]| {
            let found = search(partitions, query, options, &mut |_| Ok(())).unwrap();
            let keys = found.hits.iter().map(|hit| partitions[hit.partition].key_of(hit.row));
            let keys = keys.map(|key| key.unwrap().to_vec()).collect();
            (found, keys)
        };
        [of(&[&self.one]), of(&self.three.each_ref())]
    }
}

fn sorted(mut keys: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    keys.sort();
    keys
}

fn check(indexes: &Indexes, rng: &mut Rng) {
    let root = node(rng, 3);
    let matching = indexes.model.iter();
    let matching = matching.filter(|(_, it)| naive::find(&root, it, Scope::default()).is_some());
    let wanted: Vec<Vec<u8>> = matching.map(|(key, _)| key.clone()).collect();
    let query = Query { root, knn: None };
    let options = Options { limit: usize::MAX, ..Options::default() };
    let [(one, keys), (three, keys3)] = indexes.search(&query, &options);
    assert_eq!(sorted(keys), wanted, "{query:?}");
    assert_eq!(sorted(keys3), wanted, "{query:?}");
    assert_eq!((one.total, three.total), (wanted.len(), wanted.len()));
    assert!(!one.overflow && one.hits.is_sorted_by(|a, b| a.score >= b.score));
    let scores = |found: &Found| found.hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
    let pairs = scores(&one).into_iter().zip(scores(&three));
    pairs.for_each(|(a, b)| assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} {b} {query:?}"));
    check_page(indexes, &query, &one, &options, rng);
    check_sorted(indexes, &query, &wanted, rng);
    check_nearest(indexes, query.root, &wanted, rng);
}

fn check_page(indexes: &Indexes, query: &Query, all: &Found, options: &Options<'_>, rng: &mut Rng) {
    let (offset, limit) = (rng.below(5), rng.below(10));
    let [(page, _), _] = indexes.search(query, &Options { offset, limit, ..*options });
    assert_eq!(page.total, all.total);
    let wanted: Vec<_> = all.hits.iter().skip(offset).take(limit).collect();
    assert!(page.hits.iter().eq(wanted), "{query:?}");
    let unsorted = Options { offset, limit, sort: Sort::None, ..*options };
    let [(page, _), _] = indexes.search(query, &unsorted);
    assert_eq!(page.total, all.total);
    let mut rows: Vec<u32> = all.hits.iter().map(|hit| hit.row).collect();
    rows.sort_unstable();
    let wanted = rows.into_iter().skip(offset).take(limit);
    assert!(page.hits.iter().map(|hit| hit.row).eq(wanted));
    let keys: Vec<Vec<u8>> = (0..10).map(|_| format!("k{}", rng.below(60)).into_bytes()).collect();
    let only: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let [(some, found), _] = indexes.search(query, &Options { keys: Some(&only), ..*options });
    let hits = all
        .hits
        .iter()
        .filter(|hit| keys.iter().any(|key| indexes.one.key_of(hit.row) == Some(key)));
    assert!(some.hits.iter().eq(hits), "{query:?} {found:?}");
}

fn check_sorted(indexes: &Indexes, query: &Query, wanted: &[Vec<u8>], rng: &mut Rng) {
    let (descending, limit) = (rng.below(2) == 0, 1 + rng.below(20));
    let sort = Sort::Attribute { attribute: PRICE, descending };
    let options = Options { sort, limit, ..Options::default() };
    let price = |key: &Vec<u8>| {
        let number = indexes.model[key].numbers.first().copied();
        number.map_or(f64::INFINITY, |number| if descending { -number } else { number })
    };
    let mut prices: Vec<f64> = wanted.iter().map(price).collect();
    prices.sort_by(f64::total_cmp);
    prices.truncate(limit);
    let [(one, keys), (three, keys_of_three)] = indexes.search(query, &options);
    assert_eq!((one.total, three.total), (wanted.len(), wanted.len()));
    assert_eq!(keys.iter().map(price).collect::<Vec<_>>(), prices, "{query:?}");
    // Equal ones are in the order in which they were written, whatever the partitions.
    assert_eq!(keys, keys_of_three, "{query:?}");
}

fn check_nearest(indexes: &Indexes, root: Node, wanted: &[Vec<u8>], rng: &mut Rng) {
    let vector = sample::vector_of(rng);
    let blob = vector.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
    let k = 1 + rng.below(20);
    let knn = Knn { k, attribute: VECTOR, blob, ef_runtime: None, distance_name: b"d".to_vec() };
    let query = Query { root, knn: Some(knn) };
    let far = wanted.iter().filter_map(|key| indexes.model[key].distance(&vector));
    let mut far: Vec<f64> = far.collect();
    far.sort_by(f64::total_cmp);
    far.truncate(k);
    for (found, _) in indexes.search(&query, &Options { limit: usize::MAX, ..Options::default() }) {
        assert_eq!(found.total, far.len());
        let distances: Vec<f64> = found.hits.iter().map(|hit| hit.distance.unwrap()).collect();
        assert_eq!(distances, far, "{query:?}");
    }
}

#[test]
fn queries_find_what_a_scan_finds() {
    let mut rng = testkit::seed::rng();
    let mut indexes = Indexes::new();
    for _ in 0..testkit::seed::setting("KVIST_ROUNDS", 4000) {
        for _ in 0..rng.below(4) {
            indexes.change(&mut rng, 60);
        }
        check(&indexes, &mut rng);
    }
}

#[test]
fn an_interrupt_stops_an_evaluation() {
    let mut rng = testkit::seed::rng();
    let mut indexes = Indexes::new();
    for _ in 0..4000 {
        indexes.change(&mut rng, 5000);
    }
    let query = Query { root: Node::All, knn: None };
    let mut calls = 0;
    let stopped = search(&[&indexes.one][..], &query, &Options::default(), &mut |work| {
        calls += 1;
        assert!((1000..2000).contains(&work));
        Err(kvist_search::error::Error::new("Timeout limit was reached"))
    });
    assert_eq!((stopped.unwrap_err().0.as_str(), calls), ("Timeout limit was reached", 1));
    let mut deep = Node::All;
    for _ in 0..1000 {
        deep = Node::Not(Box::new(deep));
    }
    let query = Query { root: deep, knn: None };
    assert!(search(&[&indexes.one][..], &query, &Options::default(), &mut |_| Ok(())).is_err());
}

/// Partitions that a writer always waits for.
struct Awaited<'p> {
    partitions: &'p [&'p Partition],
    /// How often one was looked at.
    looks: Cell<usize>,
}

impl Partitions for Awaited<'_> {
    fn count(&self) -> usize {
        self.partitions.len()
    }

    fn with<R>(&self, at: usize, look: impl FnOnce(&Partition) -> R) -> R {
        self.looks.set(self.looks.get() + 1);
        look(self.partitions[at])
    }

    fn with_all<R>(&self, look: impl FnOnce(&[&Partition]) -> R) -> R {
        look(self.partitions)
    }

    fn is_awaited(&self, _: usize) -> bool {
        true
    }
}

#[test]
fn an_evaluation_that_gives_way_finds_the_same() {
    let mut rng = testkit::seed::rng();
    let mut indexes = Indexes::new();
    for _ in 0..12_000 {
        indexes.change(&mut rng, 15_000);
    }
    let (three, mut gave_way) = (indexes.three.each_ref(), 0);
    for _ in 0..testkit::seed::setting("KVIST_ROUNDS", 60) {
        let query = Query { root: node(&mut rng, 3), knn: None };
        let sort = match rng.below(3) {
            0 => Sort::Score,
            1 => Sort::None,
            _ => Sort::Attribute { attribute: PRICE, descending: rng.below(2) == 0 },
        };
        let limit = [0, 10, usize::MAX][rng.below(3)];
        let options = Options { sort, limit, offset: rng.below(3), ..Options::default() };
        let awaited = Awaited { partitions: &three, looks: Cell::new(0) };
        let found = search(&awaited, &query, &options, &mut |_| Ok(())).unwrap();
        let at_once = search(&three[..], &query, &options, &mut |_| Ok(())).unwrap();
        assert_eq!(found, at_once, "{query:?} {options:?}");
        gave_way += usize::from(awaited.looks.get() > three.len());
    }
    assert!(gave_way > 5, "only {gave_way} evaluations gave way");
}
