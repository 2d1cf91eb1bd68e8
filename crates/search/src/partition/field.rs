//! What one attribute has besides its words: tags, numbers, places, vectors, texts to sort by.

use super::bitmap::Bitmap;
use super::column::{Column, Texts};
use super::dictionary::{Dictionary, TermId, TermKind};
use super::numbers::Numbers;
use super::postings::Postings;
use super::prepare::Values;
use super::record::Shape;
use super::vectors::Vectors;
use crate::schema::{Attribute, Kind};

/// The tags of an attribute.
pub struct Tags {
    pub dictionary: Dictionary,
    /// The terms of each row.
    pub of: Column<TermId>,
    is_searched: bool,
}

impl Tags {
    /// The rows of each of these tags that is there.
    pub fn rows_of(&self, tags: &[Vec<u8>]) -> impl Iterator<Item = &Postings> {
        let found = tags.iter().filter_map(|tag| self.dictionary.find(TermKind::Word, tag));
        found.map(|id| self.dictionary.postings(id))
    }
}

/// By the kind of attribute.
pub enum Content {
    /// Its words are in [`super::words::Words`].
    Text,
    Tags(Box<Tags>),
    Numbers(Numbers),
    Places(Numbers),
    Vectors(Box<Vectors>),
}

/// See the head of this file.
pub struct Field {
    pub content: Content,
    /// Texts to sort by, if it is sortable and not a number.
    pub sort: Option<Texts>,
    /// Rows without a value, if they can be asked for.
    pub missing: Option<Bitmap>,
}

impl Field {
    pub fn new(attribute: &Attribute) -> Self {
        let is_searched = !attribute.no_index;
        let content = match &attribute.kind {
            Kind::Text { .. } => Content::Text,
            Kind::Tag { .. } => Content::Tags(Box::new(Tags {
                dictionary: Dictionary::new(Shape::Rows),
                of: Column::default(),
                is_searched,
            })),
            Kind::Numeric => Content::Numbers(Numbers::new(is_searched)),
            Kind::Geo => Content::Places(Numbers::new(is_searched)),
            Kind::Vector(options) => Content::Vectors(Box::new(Vectors::new(options))),
        };
        let has_texts = !matches!(attribute.kind, Kind::Numeric | Kind::Vector(_));
        Self {
            content,
            sort: (attribute.sortable && has_texts).then(Texts::default),
            missing: attribute.index_missing.then(Bitmap::default),
        }
    }

    /// Adds the values of a row that has none.
    pub fn add(&mut self, row: u32, values: &Values) {
        match &mut self.content {
            Content::Text => {}
            Content::Tags(tags) if tags.is_searched => {
                let texts = values.texts.iter();
                let dictionary = &mut tags.dictionary;
                let mut terms: Vec<TermId> =
                    texts.map(|text| dictionary.intern(TermKind::Word, text)).collect();
                terms.sort_unstable();
                terms.dedup();
                terms.iter().for_each(|term| dictionary.add(*term, row, &[]));
                tags.of.set(row, &terms);
            }
            Content::Tags(_) => {}
            Content::Numbers(numbers) | Content::Places(numbers) => numbers.set(row, &values.words),
            Content::Vectors(vectors) => {
                values.blobs.iter().for_each(|blob| vectors.insert(row, blob));
            }
        }
        if let (Some(texts), Some(text)) = (&mut self.sort, &values.sort) {
            texts.set(row, text);
        }
        if let Some(missing) = &mut self.missing
            && !values.is_present
        {
            missing.insert(row);
        }
    }

    /// Removes the values of a row.
    pub fn remove(&mut self, row: u32) {
        match &mut self.content {
            Content::Text => {}
            Content::Tags(tags) => {
                for term in tags.of.take(row) {
                    tags.dictionary.remove(term, row);
                }
            }
            Content::Numbers(numbers) | Content::Places(numbers) => numbers.remove(row),
            Content::Vectors(vectors) => vectors.remove(row),
        }
        if let Some(texts) = &mut self.sort {
            texts.remove(row);
        }
        if let Some(missing) = &mut self.missing {
            missing.remove(row);
        }
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        let content = match &self.content {
            Content::Text => 0,
            Content::Tags(tags) => tags.dictionary.memory() + tags.of.memory(),
            Content::Numbers(numbers) | Content::Places(numbers) => numbers.memory(),
            Content::Vectors(vectors) => vectors.memory(),
        };
        content + self.sorting_memory() + self.missing.as_ref().map_or(0, Bitmap::memory)
    }

    /// Bytes allocated by texts that are kept for sorting.
    pub fn sorting_memory(&self) -> usize {
        self.sort.as_ref().map_or(0, Texts::memory)
    }
}
