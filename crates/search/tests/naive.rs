//! A query evaluated by a full scan over documents, as its definition says.

use kvist_search::document::Value;
use kvist_search::query::{Bound, Node, NodeOptions, TagValue};
use kvist_search::schema::Language;
use kvist_search::text::{Stemmer, StopWords, tokens};

use crate::sample::{BODY, Fields, TITLE};

/// Words of one text attribute with their positions, stems with theirs.
#[derive(Default)]
struct Text {
    words: Vec<(String, u32)>,
    stems: Vec<(String, u32)>,
}

/// A document as a scan reads it.
pub struct Document {
    texts: [Text; 2],
    pub tags: Vec<String>,
    pub numbers: Vec<f64>,
    places: Vec<(f64, f64)>,
    vectors: Vec<Vec<f64>>,
    has: [bool; 6],
}

fn list(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::List(list)) => list.clone(),
        Some(value) => vec![value.clone()],
        None => Vec::new(),
    }
}

fn string(value: &Value) -> String {
    match value {
        Value::Text(text) => String::from_utf8(text.clone()).unwrap(),
        other => panic!("no text: {other:?}"),
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => *number,
        other => panic!("no number: {other:?}"),
    }
}

impl Document {
    pub fn new(fields: &Fields) -> Self {
        let stemmer = Stemmer::new(&Language("english".to_owned()));
        let stop_words = StopWords::default();
        let text = |name: &[u8]| {
            let (mut text, mut next) = (Text::default(), 0);
            for (nth, value) in list(fields.get(name)).iter().enumerate() {
                next += if nth > 0 { 100 } else { 0 };
                let start = next;
                for token in tokens(string(value).as_bytes(), &stop_words) {
                    let position = start + token.position;
                    if let Some(stem) = stemmer.stem(&token.word) {
                        text.stems.push((String::from_utf8(stem).unwrap(), position));
                    }
                    text.words
                        .push((String::from_utf8(token.word.into_owned()).unwrap(), position));
                    next = position + 1;
                }
            }
            text
        };
        let tags = list(fields.get(b"tags"));
        let tags = tags.iter().flat_map(|value| {
            let text = string(value);
            let tags = text.split(',').map(|tag| tag.trim().to_owned()).collect::<Vec<_>>();
            tags.into_iter().filter(|tag| !tag.is_empty())
        });
        let place = |value: &Value| {
            let text = string(value);
            let (longitude, latitude) = text.split_once(',').unwrap();
            (longitude.parse().unwrap(), latitude.parse().unwrap())
        };
        let vectors = match list(fields.get(b"vector")) {
            several if several.iter().all(|it| matches!(it, Value::List(_))) => several,
            one => vec![Value::List(one)],
        };
        let vectors = vectors.iter().map(|it| list(Some(it)).iter().map(number).collect());
        let names: [&[u8]; 6] = [b"title", b"body", b"tags", b"price", b"place", b"vector"];
        Self {
            texts: [text(b"title"), text(b"body")],
            tags: tags.collect(),
            numbers: list(fields.get(b"price")).iter().map(number).collect(),
            places: list(fields.get(b"place")).iter().map(place).collect(),
            vectors: vectors.collect(),
            has: names.map(|name| !list(fields.get(name)).is_empty()),
        }
    }

    /// The distance of the nearest vector.
    pub fn distance(&self, to: &[f64]) -> Option<f64> {
        let far =
            |from: &Vec<f64>| from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        self.vectors.iter().map(far).min_by(f64::total_cmp)
    }
}

/// What a part of a query inherits.
#[derive(Clone, Copy)]
pub struct Scope {
    texts: [bool; 2],
    near: Option<(Option<u32>, bool)>,
}

impl Default for Scope {
    fn default() -> Self {
        Self { texts: [true; 2], near: None }
    }
}

/// Text attribute and position; a part that has no words has none.
type Positions = Vec<(usize, u32)>;

/// Where the words of a node stand in a document; `None` if it does not match.
pub fn find(node: &Node, document: &Document, scope: Scope) -> Option<Positions> {
    let plain = |matches: bool| matches.then(Vec::new);
    match node {
        Node::All => Some(Vec::new()),
        Node::Nothing => None,
        Node::Word { text, expand } => {
            let typed = std::str::from_utf8(text).unwrap();
            let stemmer = Stemmer::new(&Language("english".to_owned()));
            let stem = stemmer.stem(text).map(|stem| String::from_utf8(stem).unwrap());
            let mut found = words(document, scope, |word| {
                word == typed || (*expand && stem.as_deref() == Some(word))
            });
            if *expand {
                let stem = stem.as_deref().unwrap_or(typed);
                found.extend(positions(document, scope, |text| &text.stems, |it| it == stem));
            }
            some(found)
        }
        Node::Phrase(all) => {
            let near = scope.near.unwrap_or((Some(0), true));
            let nodes = all.iter().map(|text| Node::Word { text: text.clone(), expand: false });
            let nodes: Vec<Node> = nodes.collect();
            if nodes.is_empty() {
                return None;
            }
            find(&Node::And(nodes), document, Scope { near: Some(near), ..scope })
        }
        Node::Prefix(text) => some(words(document, scope, |word| prefix(word, text))),
        Node::Suffix(text) => some(words(document, scope, |word| suffix(word, text))),
        Node::Infix(text) => some(words(document, scope, |word| infix(word, text))),
        Node::Wildcard(text) => {
            some(words(document, scope, |word| wildcard(text, word.as_bytes())))
        }
        Node::Fuzzy { text, distance } => {
            let wanted = std::str::from_utf8(text).unwrap();
            some(words(document, scope, |word| levenshtein(wanted, word) <= u32::from(*distance)))
        }
        Node::And(nodes) => {
            let found: Option<Vec<(&Node, Positions)>> =
                nodes.iter().map(|it| Some((it, find(it, document, scope)?))).collect();
            let found = found?;
            let needed = found.iter().filter(|(it, found)| !is_optional(it) && !found.is_empty());
            let lists: Vec<&Positions> = needed.map(|(_, found)| found).collect();
            is_near(&lists, scope.near).then(|| found.iter().flat_map(|it| it.1.clone()).collect())
        }
        Node::Or(nodes) => {
            let found: Vec<_> = nodes.iter().filter_map(|it| find(it, document, scope)).collect();
            (!found.is_empty()).then(|| found.into_iter().flatten().collect())
        }
        Node::Not(node) => plain(find(node, document, scope).is_none()),
        Node::Optional(node) => Some(find(node, document, scope).unwrap_or_default()),
        Node::In { attributes, node } => {
            let mut scope = scope;
            scope.texts[0] &= attributes.contains(&TITLE);
            scope.texts[1] &= attributes.contains(&BODY);
            find(node, document, scope)
        }
        Node::With { node, options } => find(node, document, scoped(scope, options)),
        Node::Numeric { min, max, .. } => {
            plain(document.numbers.iter().any(|number| is_between(*number, *min, *max)))
        }
        Node::Geo { longitude, latitude, meters, .. } => {
            let near = |at: &(f64, f64)| haversine(*at, (*longitude, *latitude)) <= *meters;
            plain(document.places.iter().any(near))
        }
        Node::Tag { values, .. } => {
            plain(values.iter().any(|value| document.tags.iter().any(|tag| is_tag(value, tag))))
        }
        Node::Missing(attribute) => plain(!document.has[usize::from(*attribute)]),
        Node::VectorRange(range) => {
            let numbers: Vec<f64> = range
                .blob
                .chunks(4)
                .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into())
                .collect();
            plain(document.distance(&numbers).is_some_and(|far| far <= range.radius))
        }
    }
}

fn is_optional(node: &Node) -> bool {
    match node {
        Node::Optional(_) => true,
        Node::With { node, .. } | Node::In { node, .. } => is_optional(node),
        _ => false,
    }
}

fn scoped(mut scope: Scope, options: &NodeOptions) -> Scope {
    if options.slop.is_some() || options.in_order.is_some() {
        let (slop, in_order) = scope.near.unwrap_or((None, false));
        scope.near = Some((options.slop.or(slop), options.in_order.unwrap_or(in_order)));
    }
    scope
}

fn some(found: Positions) -> Option<Positions> {
    (!found.is_empty()).then_some(found)
}

fn positions<'d>(
    document: &'d Document,
    scope: Scope,
    of: impl Fn(&'d Text) -> &'d Vec<(String, u32)>,
    is: impl Fn(&str) -> bool,
) -> Positions {
    let texts = document.texts.iter().enumerate().filter(|(at, _)| scope.texts[*at]);
    let all = texts.flat_map(|(at, text)| of(text).iter().map(move |it| (at, it)));
    all.filter(|(_, (word, _))| is(word)).map(|(at, (_, position))| (at, *position)).collect()
}

fn words(document: &Document, scope: Scope, is: impl Fn(&str) -> bool) -> Positions {
    positions(document, scope, |text| &text.words, is)
}

fn is_near(lists: &[&Positions], near: Option<(Option<u32>, bool)>) -> bool {
    let Some((slop, in_order)) = near else { return true };
    lists.len() < 2
        || (0..2).any(|text| {
            let lists: Vec<Vec<i64>> = lists
                .iter()
                .map(|list| list.iter().filter(|it| it.0 == text).map(|it| it.1.into()).collect())
                .collect();
            choose(&lists, &mut Vec::new(), slop.map_or(i64::MAX, i64::from), in_order)
        })
}

/// Tries each choice of one position a list.
fn choose(lists: &[Vec<i64>], chosen: &mut Vec<i64>, slop: i64, in_order: bool) -> bool {
    let Some((first, rest)) = lists.split_first() else {
        let (min, max) = (chosen.iter().min().unwrap(), chosen.iter().max().unwrap());
        return max - min + 1 - chosen.len() as i64 <= slop;
    };
    first.iter().any(|position| {
        if in_order && chosen.last().is_some_and(|last| last >= position) {
            return false;
        }
        chosen.push(*position);
        let found = choose(rest, chosen, slop, in_order);
        chosen.pop();
        found
    })
}

fn prefix(word: &str, text: &[u8]) -> bool {
    word.as_bytes().starts_with(text)
}

fn suffix(word: &str, text: &[u8]) -> bool {
    word.as_bytes().ends_with(text)
}

fn infix(word: &str, text: &[u8]) -> bool {
    word.contains(std::str::from_utf8(text).unwrap())
}

/// By recursion; words and patterns are ASCII.
fn wildcard(pattern: &[u8], word: &[u8]) -> bool {
    match (pattern.split_first(), word.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), None) => wildcard(rest, word),
        (Some((b'*', rest)), Some((_, less))) => wildcard(rest, word) || wildcard(pattern, less),
        (Some((b'?', rest)), Some((_, less))) => wildcard(rest, less),
        (Some((a, rest)), Some((b, less))) => a == b && wildcard(rest, less),
        _ => false,
    }
}

fn levenshtein(one: &str, other: &str) -> u32 {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut table = vec![vec![0_u32; other.len() + 1]; one.len() + 1];
    for a in 0..=one.len() {
        for b in 0..=other.len() {
            table[a][b] = match (a, b) {
                (0, b) => b as u32,
                (a, 0) => a as u32,
                _ => {
                    let replaced = table[a - 1][b - 1] + u32::from(one[a - 1] != other[b - 1]);
                    replaced.min(table[a - 1][b] + 1).min(table[a][b - 1] + 1)
                }
            };
        }
    }
    table[one.len()][other.len()]
}

fn is_between(number: f64, min: Bound, max: Bound) -> bool {
    (if min.exclusive { number > min.value } else { number >= min.value })
        && (if max.exclusive { number < max.value } else { number <= max.value })
}

fn is_tag(value: &TagValue, tag: &str) -> bool {
    match value {
        TagValue::Exact(text) => tag.as_bytes() == text,
        TagValue::Prefix(text) => prefix(tag, text),
        TagValue::Suffix(text) => suffix(tag, text),
        TagValue::Infix(text) => infix(tag, text),
        TagValue::Wildcard(text) => wildcard(text, tag.as_bytes()),
    }
}

fn haversine(one: (f64, f64), other: (f64, f64)) -> f64 {
    let (a, b) = (one.1.to_radians(), other.1.to_radians());
    let u = ((b - a) / 2.0).sin();
    let v = ((other.0 - one.0).to_radians() / 2.0).sin();
    2.0 * 6_372_797.560_856 * (u * u + a.cos() * b.cos() * v * v).sqrt().asin()
}
