//! All that a partition has of one document, in a form that can be compared: by this `FT.CHECK`
//! tells whether an index is what its documents would make of it.

use std::sync::Arc;

use super::Partition;
use super::dictionary::{Dictionary, TermId, TermKind};
use super::field::{Content, Field};
use super::varint;
use crate::document::Document;
use crate::schema::Definition;

/// See the head of this file.
#[derive(Debug, PartialEq)]
pub struct Contents {
    score: f32,
    length: u32,
    payload: Option<Box<[u8]>>,
    /// Its words and stems, sorted.
    words: Vec<Posting>,
    fields: Vec<FieldContents>,
}

/// A term of the document, and what its postings have of it; `None` if they lack the document.
type Posting = (bool, Vec<u8>, Option<Vec<u8>>);

/// What one attribute has of it.
#[derive(Debug, PartialEq)]
struct FieldContents {
    tags: Vec<Posting>,
    /// Each with whether a search for it would find the document.
    numbers: Vec<(u64, bool)>,
    sort: Option<Vec<u8>>,
    is_missing: bool,
    vectors: Vec<Vec<u8>>,
}

impl Partition {
    /// What it has of the document of a key. O(words of it · log of their documents).
    pub fn contents(&self, key: &[u8]) -> Option<Contents> {
        let row = self.rows.find(key)?;
        let document = self.rows.get(row);
        let dictionary = &self.words.dictionary;
        let terms = self.words.terms(&document.words);
        Some(Contents {
            score: document.score,
            length: document.length,
            payload: self.payloads.get(&row).cloned(),
            words: postings(dictionary, terms, row),
            fields: self.fields.iter().map(|field| field.contents(row)).collect(),
        })
    }

    /// What an index of this definition has of a document; nothing if it cannot be indexed.
    pub fn expected(
        definition: &Arc<Definition>,
        key: &[u8],
        document: &dyn Document,
    ) -> Option<Contents> {
        let mut alone = Partition::new(Arc::clone(definition), Arc::default());
        alone.put(key, document).ok()?;
        alone.contents(key)
    }
}

impl Field {
    fn contents(&self, row: u32) -> FieldContents {
        let sort = self.sort.as_ref().and_then(|texts| texts.get(row)).map(<[u8]>::to_vec);
        let is_missing = self.missing.as_ref().is_some_and(|missing| missing.contains(row));
        let (mut tags, mut numbers, mut vectors) = (Vec::new(), Vec::new(), Vec::new());
        match &self.content {
            Content::Text => {}
            Content::Tags(of) => {
                tags = postings(&of.dictionary, of.of.get(row).iter().copied(), row);
            }
            Content::Numbers(all) | Content::Places(all) => {
                let found = |word: &u64| (*word, all.rows(*word, *word).any(|at| at == row));
                numbers = all.get(row).iter().map(found).collect();
            }
            Content::Vectors(all) => vectors = all.of(row),
        }
        FieldContents { tags, numbers, sort, is_missing, vectors }
    }
}

fn postings(
    dictionary: &Dictionary,
    terms: impl Iterator<Item = TermId>,
    row: u32,
) -> Vec<Posting> {
    let of = |id| {
        let shape = dictionary.shape();
        let mut rows = dictionary.postings(id).cursor(shape);
        let own = |bytes: &[u8]| bytes[..shape.size(bytes, 0)].to_vec();
        let payload = (rows.seek(row) == row).then(|| own(rows.payload()));
        (dictionary.kind(id) == TermKind::Stem, dictionary.text(id).to_vec(), payload)
    };
    let mut found: Vec<Posting> = terms.map(of).collect();
    found.sort_unstable();
    found
}

impl super::words::Words {
    /// The terms of a document, by what its row keeps.
    fn terms(&self, data: &[u8]) -> impl Iterator<Item = TermId> {
        let mut at = self.start_of_terms(data);
        let mut id: TermId = 0;
        std::iter::from_fn(move || {
            (at < data.len()).then(|| {
                id += varint::read(data, &mut at);
                id
            })
        })
    }
}
