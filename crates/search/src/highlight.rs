//! Texts of a reply with the words of a query marked (`HIGHLIGHT`), or cut down to the passages
//! around them (`SUMMARIZE`).
//!
//! The text of the document is divided anew, so that nothing is kept for it in the index. A passage
//! is a number of words around words of the query; passages that overlap are one, and those with
//! the most words of the query are taken, in the order of the text.

use std::ops::Range;

use hashbrown::HashSet;

use crate::evaluate::pattern::{Pattern, is_match};
use crate::query::{Node, Query};
use crate::schema::{AttributeId, Language};
use crate::text::{Stemmer, StopWords, Synonyms, tokens};

/// The words of a query that are marked in one attribute.
pub struct Terms<'q> {
    words: HashSet<Vec<u8>, foldhash::fast::RandomState>,
    stems: HashSet<Vec<u8>, foldhash::fast::RandomState>,
    patterns: Vec<Pattern<'q>>,
    stemmer: Stemmer,
}

impl<'q> Terms<'q> {
    /// The words that a query looks for in an attribute, negated ones left out.
    pub fn of(
        query: &'q Query,
        attribute: AttributeId,
        language: &Language,
        synonyms: &Synonyms,
    ) -> Self {
        let mut terms = Self {
            words: HashSet::default(),
            stems: HashSet::default(),
            patterns: Vec::new(),
            stemmer: Stemmer::new(language),
        };
        let mut nodes = vec![&query.root];
        while let Some(node) = nodes.pop() {
            match node {
                Node::Word { text, expand } => terms.add(text, *expand, synonyms),
                Node::Phrase(words) => words.iter().for_each(|it| terms.add(it, false, synonyms)),
                Node::Prefix(text) => terms.patterns.push(Pattern::Prefix(text)),
                Node::Suffix(text) => terms.patterns.push(Pattern::Suffix(text)),
                Node::Infix(text) => terms.patterns.push(Pattern::Infix(text)),
                Node::Wildcard(text) => terms.patterns.push(Pattern::Wildcard(text)),
                Node::Fuzzy { text, distance } => {
                    terms.patterns.push(Pattern::Fuzzy(text, *distance));
                }
                Node::And(parts) | Node::Or(parts) => nodes.extend(parts),
                Node::Optional(node) | Node::With { node, .. } => nodes.push(node),
                Node::In { attributes, node } if attributes.contains(&attribute) => {
                    nodes.push(node)
                }
                _ => {}
            }
        }
        terms
    }

    fn add(&mut self, word: &[u8], expands: bool, synonyms: &Synonyms) {
        self.words.insert(word.to_vec());
        if expands {
            let stem = self.stemmer.stem(word).unwrap_or_else(|| word.to_vec());
            self.stems.insert(stem);
            self.words.extend(synonyms.of(word).into_iter().map(<[u8]>::to_vec));
        }
    }

    fn contains(&self, word: &[u8]) -> bool {
        self.words.contains(word)
            || (!self.stems.is_empty()
                && match self.stemmer.stem(word) {
                    Some(stem) => self.stems.contains(&stem),
                    None => self.stems.contains(word),
                })
            || self.patterns.iter().any(|pattern| is_match(*pattern, word))
    }
}

/// The places of all words of a text, and which are words of the query.
fn places(text: &[u8], terms: &Terms<'_>) -> (Vec<Range<usize>>, Vec<usize>) {
    let none = StopWords::none();
    let (mut words, mut marked) = (Vec::new(), Vec::new());
    for (at, token) in tokens(text, &none).enumerate() {
        if terms.contains(&token.word) {
            marked.push(at);
        }
        words.push(token.range);
    }
    (words, marked)
}

/// Appends a part of a text, with marks around its words.
fn mark(
    text: &[u8],
    part: Range<usize>,
    words: &[&Range<usize>],
    tags: Tags<'_>,
    into: &mut Vec<u8>,
) {
    let mut at = part.start;
    for word in words {
        into.extend_from_slice(&text[at..word.start]);
        into.extend_from_slice(tags.open);
        into.extend_from_slice(&text[(*word).clone()]);
        into.extend_from_slice(tags.close);
        at = word.end;
    }
    into.extend_from_slice(&text[at..part.end]);
}

/// What stands before and after a marked word.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'t> {
    pub open: &'t [u8],
    pub close: &'t [u8],
}

/// A text with the words of a query marked.
pub fn highlight(text: &[u8], terms: &Terms<'_>, tags: Tags<'_>) -> Vec<u8> {
    let (words, marked) = places(text, terms);
    let marked: Vec<&Range<usize>> = marked.iter().map(|at| &words[*at]).collect();
    let mut marked_text = Vec::with_capacity(text.len());
    mark(text, 0..text.len(), &marked, tags, &mut marked_text);
    marked_text
}

/// `SUMMARIZE`.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'s> {
    /// `FRAGS`: passages at most.
    pub fragments: usize,
    /// `LEN`: words of a passage.
    pub words: usize,
    /// `SEPARATOR`: what follows a passage.
    pub separator: &'s [u8],
    /// Marks, if words are highlighted too.
    pub tags: Option<Tags<'s>>,
}

/// The passages of a text around the words of a query; its first words if it has none of them.
pub fn summarize(text: &[u8], terms: &Terms<'_>, summary: Summary<'_>) -> Vec<u8> {
    let (words, marked) = places(text, terms);
    let mut summarized = Vec::new();
    if marked.is_empty() {
        let most = summary.words.saturating_mul(summary.fragments).min(words.len());
        let end = most.checked_sub(1).map_or(0, |last| words[last].end);
        let start = words.first().map_or(0, |word| word.start.min(end));
        return text[start..end].to_vec();
    }
    let mut passages = passages(&marked, words.len(), summary.words.max(1));
    // The best ones, of equal ones the first; then in the order of the text.
    passages.sort_by_key(|passage| std::cmp::Reverse(passage.marked.len()));
    passages.truncate(summary.fragments);
    passages.sort_by_key(|passage| passage.words.start);
    let none = Tags { open: b"", close: b"" };
    for passage in passages {
        let part = words[passage.words.start].start..words[passage.words.end - 1].end;
        let marked: Vec<&Range<usize>> =
            marked[passage.marked].iter().map(|at| &words[*at]).collect();
        mark(text, part, &marked, summary.tags.unwrap_or(none), &mut summarized);
        summarized.extend_from_slice(summary.separator);
    }
    summarized
}

/// Words in a row, and which of the marked ones they contain.
struct Passage {
    words: Range<usize>,
    marked: Range<usize>,
}

fn passages(marked: &[usize], count: usize, length: usize) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut at = 0;
    while let Some(first) = marked.get(at) {
        // As many marked words as fit, in the middle.
        let fit = marked[at..].iter().take_while(|word| **word - first < length).count();
        let last = marked[at + fit - 1];
        let spare = length - (last - first + 1);
        let start = first.saturating_sub(spare / 2);
        let end = start.saturating_add(length).min(count);
        match passages.last_mut() {
            Some(before) if before.words.end >= start => {
                before.words.end = end;
                before.marked.end = at + fit;
            }
            _ => passages.push(Passage { words: start..end, marked: at..at + fit }),
        }
        at += fit;
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::{Summary, Tags, Terms, highlight, summarize};
    use crate::query::{Node, Query};
    use crate::schema::Language;
    use crate::text::Synonyms;

    const TAGS: Tags<'_> = Tags { open: b"<b>", close: b"</b>" };

    fn of(node: Node, test: impl Fn(&Terms<'_>)) {
        let query = Query { root: node, knn: None };
        let language = Language("english".to_owned());
        test(&Terms::of(&query, 0, &language, &Synonyms::default()));
    }

    fn word(text: &str) -> Node {
        Node::Word { text: text.into(), expand: true }
    }

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn words_are_marked() {
        of(Node::And(vec![word("running"), Node::Prefix(b"wor".to_vec())]), |terms| {
            let marked = highlight(b"Runs, the WORLD; words run!", terms, TAGS);
            let wanted = "<b>Runs</b>, the <b>WORLD</b>; <b>words</b> <b>run</b>!";
            assert_eq!(text(&marked), wanted);
            assert_eq!(highlight(b"\xff none", terms, TAGS), b"\xff none");
        });
        let elsewhere = Node::In { attributes: vec![3], node: Box::new(word("run")) };
        of(Node::Or(vec![elsewhere, Node::Not(Box::new(word("word")))]), |terms| {
            assert_eq!(text(&highlight(b"run word", terms, TAGS)), "run word");
        });
    }

    #[test]
    fn passages_are_cut_out() {
        let long =
            "one two three four hello six seven eight nine ten eleven twelve hello hello end";
        let summary = Summary { fragments: 2, words: 3, separator: b"... ", tags: Some(TAGS) };
        of(word("hello"), |terms| {
            let cut = summarize(long.as_bytes(), terms, summary);
            let wanted = "four <b>hello</b> six... <b>hello</b> <b>hello</b> end... ";
            assert_eq!(text(&cut), wanted);
            let one = Summary { fragments: 1, tags: None, ..summary };
            assert_eq!(text(&summarize(long.as_bytes(), terms, one)), "hello hello end... ");
            assert_eq!(text(&summarize(b"a b c d e f g", terms, one)), "a b c");
            assert_eq!(text(&summarize(b" .", terms, one)), "");
        });
    }
}
