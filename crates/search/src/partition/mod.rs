//! The documents of one part of an index, and everything by which they are found.
//!
//! ```text
//!   put(key, document) ─► prepare: all values, or why not
//!                           └─► Words: terms ─► Postings (row, frequency, attributes, positions)
//!                               Field: Tags ─► Postings │ Numbers: tree, column │ Vectors
//!                               Rows: key ─► row, score, length, what removal needs
//! ```
//!
//! Postings, trees and columns are edited in place: a row's terms, tags and numbers are kept with
//! the row, so that removal takes away exactly what was added, and no collector runs. A row number
//! is reused. A partition has no locks: it is written by one thread at a time.

pub(crate) mod bitmap;
pub(crate) mod column;
mod contents;
pub(crate) mod dictionary;
pub(crate) mod field;
pub(crate) mod geo;
pub(crate) mod numbers;
pub(crate) mod postings;
mod prepare;
pub(crate) mod record;
mod rows;
mod varint;
pub(crate) mod vectors;
pub(crate) mod words;

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;

use crate::document::{Document, Value};
use crate::schema::{AttributeId, Definition};
pub use contents::Contents;
use dictionary::TermKind;
use field::{Content, Field};
use numbers::number_of;
pub use prepare::IndexFailure;
use prepare::{Prepared, prepare};
use rows::{Row, Rows};
use words::Words;

/// See the head of this file.
pub struct Partition {
    definition: Arc<Definition>,
    pub(crate) rows: Rows,
    pub(crate) words: Words,
    pub(crate) fields: Vec<Field>,
    payloads: HashMap<u32, Box<[u8]>, foldhash::fast::RandomState>,
    payload_bytes: usize,
    /// How often all partitions of the index have been written to.
    writes: Arc<AtomicU64>,
}

/// What [`Partition::put`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The key was absent.
    Added(u32),
    /// The key had another document.
    Replaced(u32),
}

/// What a row is sorted by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SortValue<'p> {
    Number(f64),
    Text(&'p [u8]),
}

/// The figures of `FT.INFO`; bytes are those allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub documents: usize,
    /// Words, stems and tags.
    pub terms: usize,
    /// Postings of them.
    pub records: usize,
    /// Bytes of the postings of words.
    pub inverted: usize,
    /// Bytes of the dictionary of words without its postings.
    pub text: usize,
    pub tags: usize,
    pub numbers: usize,
    pub places: usize,
    pub vectors: usize,
    /// Bytes of texts that are sorted by.
    pub sortable: usize,
    /// Bytes of rows, without the table of keys.
    pub documents_table: usize,
    pub key_table: usize,
    /// Words of all documents, each as often as its attribute's weight.
    pub length: u64,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.documents += other.documents;
        self.terms += other.terms;
        self.records += other.records;
        self.inverted += other.inverted;
        self.text += other.text;
        self.tags += other.tags;
        self.numbers += other.numbers;
        self.places += other.places;
        self.vectors += other.vectors;
        self.sortable += other.sortable;
        self.documents_table += other.documents_table;
        self.key_table += other.key_table;
        self.length += other.length;
    }
}

impl Partition {
    /// An empty one, of an index whose partitions count their writes together.
    pub fn new(definition: Arc<Definition>, writes: Arc<AtomicU64>) -> Self {
        Self {
            rows: Rows::default(),
            words: Words::new(&definition),
            fields: definition.attributes.iter().map(Field::new).collect(),
            payloads: HashMap::default(),
            payload_bytes: 0,
            writes,
            definition,
        }
    }

    pub fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    /// Indexes a document in place of the one that the key has, which is removed in any case: a
    /// document of which one value cannot be indexed is not found at all.
    ///
    /// # Errors
    /// A value cannot be indexed.
    pub fn put(&mut self, key: &[u8], document: &dyn Document) -> Result<Put, IndexFailure> {
        let prepared = prepare(&self.definition, document);
        let was_there = self.remove(key);
        let row = self.add(key, prepared?);
        Ok(if was_there { Put::Replaced(row) } else { Put::Added(row) })
    }

    fn add(&mut self, key: &[u8], prepared: Prepared) -> u32 {
        let analysis = self.words.analyse(&prepared.values, &prepared.language);
        let row = self.rows.add(Row {
            key: key.into(),
            order: self.writes.fetch_add(1, Ordering::Relaxed),
            words: self.words.row_data(&analysis),
            score: prepared.score,
            length: analysis.length,
            top: analysis.top,
        });
        self.words.add(row, &analysis);
        for (field, values) in self.fields.iter_mut().zip(&prepared.values) {
            field.add(row, values);
        }
        if let Some(payload) = prepared.payload {
            self.payload_bytes += payload.len();
            self.payloads.insert(row, payload.into());
        }
        row
    }

    /// Removes the document of a key; whether there was one.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        let Some(row) = self.rows.find(key) else { return false };
        self.words.remove(row, &self.rows.get(row).words);
        self.fields.iter_mut().for_each(|field| field.remove(row));
        if let Some(payload) = self.payloads.remove(&row) {
            self.payload_bytes -= payload.len();
        }
        self.rows.remove(row);
        true
    }

    /// Documents.
    pub fn len(&self) -> usize {
        self.rows.live().len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes allocated for documents. O(attributes).
    pub fn memory(&self) -> usize {
        self.rows.memory()
            + self.words.dictionary.memory()
            + self.fields.iter().map(Field::memory).sum::<usize>()
            + self.payloads.allocation_size()
            + self.payload_bytes
    }

    /// The figures of `FT.INFO`. O(attributes).
    pub fn figures(&self) -> Figures {
        let words = &self.words.dictionary;
        let mut figures = Figures {
            documents: self.len(),
            terms: words.len(),
            records: words.records(),
            inverted: words.postings_memory(),
            text: words.memory() - words.postings_memory(),
            documents_table: self.rows.memory() - self.rows.key_table_memory() + self.payload_bytes,
            key_table: self.rows.key_table_memory(),
            length: self.rows.total_length(),
            ..Figures::default()
        };
        for field in &self.fields {
            figures.sortable += field.sorting_memory();
            match &field.content {
                Content::Text => {}
                Content::Tags(tags) => {
                    figures.terms += tags.dictionary.len();
                    figures.records += tags.dictionary.records();
                    figures.tags += tags.dictionary.memory() + tags.of.memory();
                }
                Content::Numbers(numbers) => figures.numbers += numbers.memory(),
                Content::Places(places) => figures.places += places.memory(),
                Content::Vectors(vectors) => figures.vectors += vectors.memory(),
            }
        }
        figures
    }

    /// The row of a key.
    pub fn row_of(&self, key: &[u8]) -> Option<u32> {
        self.rows.find(key)
    }

    /// When a key was written to, among all that was written to the index.
    pub fn order_of(&self, key: &[u8]) -> Option<u64> {
        self.rows.find(key).map(|row| self.rows.get(row).order)
    }

    /// The key of a row; `None` if the row is not in use.
    pub fn key_of(&self, row: u32) -> Option<&[u8]> {
        self.rows.live().contains(row).then(|| &*self.rows.get(row).key)
    }

    /// Rows in use, ascending.
    pub fn live_rows(&self) -> impl Iterator<Item = u32> {
        self.rows.live().iter()
    }

    /// The score of a row's document.
    pub fn score_of(&self, row: u32) -> f64 {
        if self.rows.live().contains(row) { self.rows.get(row).score.into() } else { 0.0 }
    }

    /// The payload of a row's document.
    pub fn payload_of(&self, row: u32) -> Option<&[u8]> {
        self.payloads.get(&row).map(|payload| &**payload)
    }

    /// What a row is sorted by: a number, or the text of a sortable attribute.
    pub fn sort_value(&self, row: u32, attribute: AttributeId) -> Option<SortValue<'_>> {
        let field = self.fields.get(usize::from(attribute))?;
        match &field.content {
            Content::Numbers(numbers) => {
                numbers.get(row).first().map(|word| SortValue::Number(number_of(*word)))
            }
            _ => field.sort.as_ref()?.get(row).map(SortValue::Text),
        }
    }

    /// The value of an attribute as far as the index has it: numbers, tags, and texts that are
    /// sortable (those in lower case unless `UNF`).
    pub fn values(&self, row: u32, attribute: AttributeId) -> Option<Value> {
        let field = self.fields.get(usize::from(attribute))?;
        let mut values: Vec<Value> = match (&field.content, &field.sort) {
            (Content::Numbers(numbers), _) => {
                numbers.get(row).iter().map(|word| Value::Number(number_of(*word))).collect()
            }
            (Content::Tags(tags), None) => {
                let terms = tags.of.get(row).iter();
                terms.map(|term| Value::Text(tags.dictionary.text(*term).to_vec())).collect()
            }
            (_, Some(texts)) => {
                texts.get(row).map(|text| Value::Text(text.to_vec())).into_iter().collect()
            }
            _ => return None,
        };
        match values.len() {
            0 => None,
            1 => values.pop(),
            _ => Some(Value::List(values)),
        }
    }

    /// The values of a tag attribute in order, each with how many documents have it
    /// (`FT.TAGVALS`); `None` if it is no tag.
    pub fn tag_values(
        &self,
        attribute: AttributeId,
    ) -> Option<impl Iterator<Item = (&[u8], usize)>> {
        let Content::Tags(tags) = &self.fields.get(usize::from(attribute))?.content else {
            return None;
        };
        let dictionary = &tags.dictionary;
        let terms = dictionary.words_from(b"");
        Some(terms.map(|term| (dictionary.text(term), dictionary.postings(term).len())))
    }

    /// Whether a document has this word in a text.
    pub fn has_word(&self, word: &[u8]) -> bool {
        self.words.dictionary.find(TermKind::Word, word).is_some()
    }

    /// The words of the text attributes in order, from this one on, each with how many documents
    /// have it (`FT.SPELLCHECK`).
    pub fn words_from(&self, text: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
        let dictionary = &self.words.dictionary;
        let terms = dictionary.words_from(text);
        terms.map(|term| (dictionary.text(term), dictionary.postings(term).len()))
    }
}

#[cfg(test)]
mod tests;
