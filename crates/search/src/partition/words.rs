//! The text attributes of a partition: the words of its documents, their stems and positions.
//!
//! All text attributes share one dictionary and one count of positions, as RediSearch has it: a
//! document's second text begins where its first ends. Which attribute a position is in follows
//! from the attributes' lengths, which a row keeps if there are several, so that a phrase matches
//! within one attribute only.
//!
//! ```text
//!   Row::words = [the positions of each text attribute: varints, if there are several]
//!                the numbers of its terms: varints, each the distance from the previous one
//! ```

use std::ops::Range;

use super::dictionary::{Dictionary, TermId, TermKind};
use super::prepare::Values;
use super::record::{Record, Shape, TextSet};
use super::varint;
use crate::schema::{AttributeId, Definition, Kind, Language};
use crate::text::{Stemmer, StopWords, tokens};

/// Positions between two values of one attribute.
const GAP: u32 = 100;
/// By which the weight of a word is multiplied for its stem.
const STEM_WEIGHT: f64 = 0.2;

struct TextAttribute {
    attribute: AttributeId,
    weight: u32,
    stem_weight: u32,
    no_stem: bool,
    index_empty: bool,
}

/// See the head of this file.
pub struct Words {
    pub dictionary: Dictionary,
    texts: Vec<TextAttribute>,
    stop_words: StopWords,
    fields: bool,
    frequencies: bool,
}

/// An occurrence of a term.
type Occurrence = (TermId, u32, u8, u32);

/// The words of one document, before it has a row.
#[derive(Default)]
pub struct Analysis {
    occurrences: Vec<Occurrence>,
    lengths: Vec<u32>,
    next: u32,
    /// Words, each as often as its attribute's weight.
    pub length: u32,
    /// The greatest frequency of a term.
    pub top: u32,
    terms: Vec<(TermId, usize)>,
    payloads: Vec<u8>,
}

/// A factor of frequencies: RediSearch counts in whole numbers, and at least once.
fn whole(weight: f64) -> u32 {
    (weight as u32).max(1)
}

impl Words {
    pub fn new(definition: &Definition) -> Self {
        let mut texts = Vec::new();
        for (at, attribute) in definition.attributes.iter().enumerate() {
            if let Kind::Text { weight, no_stem, .. } = &attribute.kind
                && !attribute.no_index
            {
                texts.push(TextAttribute {
                    attribute: at as AttributeId,
                    weight: whole(*weight),
                    stem_weight: whole(*weight * STEM_WEIGHT),
                    no_stem: *no_stem,
                    index_empty: attribute.index_empty,
                });
            }
        }
        // What is beyond the limit of 128 text attributes shares the last bit.
        let is_weighted = texts.iter().any(|text| text.weight != 1 || text.stem_weight != 1);
        let counted = is_weighted || !definition.frequencies;
        Self {
            dictionary: Dictionary::new(Shape::Words { offsets: definition.offsets, counted }),
            texts,
            stop_words: StopWords::new(definition.stop_words.as_deref()),
            fields: definition.fields,
            frequencies: definition.frequencies,
        }
    }

    /// The bit of an attribute; none if it is no text.
    pub fn set_of(&self, attribute: AttributeId) -> TextSet {
        let at = self.texts.iter().position(|text| text.attribute == attribute);
        at.map_or(0, |at| 1 << at.min(127))
    }

    /// The bits of all text attributes.
    pub fn all(&self) -> TextSet {
        match self.texts.len() {
            128.. => TextSet::MAX,
            len => (1 << len) - 1,
        }
    }

    /// Finds the terms of a document, which are added to the dictionary. [`Words::add`] must
    /// follow.
    pub fn analyse(&mut self, values: &[Values], language: &Language) -> Analysis {
        let mut analysis = Analysis::default();
        let stemmer = Stemmer::new(language);
        for at in 0..self.texts.len() {
            let start = analysis.next;
            let attribute = usize::from(self.texts[at].attribute);
            let texts = values.get(attribute).map_or(&[][..], |values| &values.texts);
            for (nth, text) in texts.iter().enumerate() {
                if nth > 0 {
                    analysis.next = analysis.next.saturating_add(GAP);
                }
                self.analyse_text(at, text, &stemmer, &mut analysis);
            }
            analysis.lengths.push(analysis.next - start);
        }
        self.encode(&mut analysis);
        analysis
    }

    fn analyse_text(&mut self, at: usize, text: &[u8], stemmer: &Stemmer, into: &mut Analysis) {
        let Self { dictionary, texts, stop_words, .. } = self;
        let attribute = &texts[at];
        let bit = at.min(127) as u8;
        if text.is_empty() && attribute.index_empty {
            let id = dictionary.intern(TermKind::Word, b"");
            into.occurrences.push((id, into.next, bit, attribute.weight));
            into.next = into.next.saturating_add(1);
        }
        for token in tokens(text, stop_words) {
            let id = dictionary.intern(TermKind::Word, &token.word);
            into.occurrences.push((id, into.next, bit, attribute.weight));
            into.length = into.length.saturating_add(attribute.weight);
            if !attribute.no_stem
                && let Some(stem) = stemmer.stem(&token.word)
            {
                let id = dictionary.intern(TermKind::Stem, &stem);
                into.occurrences.push((id, into.next, bit, attribute.stem_weight));
            }
            into.next = into.next.saturating_add(1);
        }
    }

    /// Writes the payload of each term.
    fn encode(&self, analysis: &mut Analysis) {
        let Analysis { occurrences, terms, payloads, top, .. } = analysis;
        occurrences.sort_unstable();
        let mut record = Record::default();
        for group in occurrences.chunk_by(|a, b| a.0 == b.0) {
            record.positions.clear();
            (record.frequency, record.attributes) = (0, 0);
            for (_, position, bit, weight) in group {
                record.frequency = record.frequency.saturating_add(*weight);
                record.attributes |= if self.fields { 1 << bit } else { 1 };
                record.positions.push(*position);
            }
            *top = record.frequency.max(*top);
            if !self.frequencies {
                record.frequency = 1;
            }
            self.dictionary.shape().write(payloads, &record);
            terms.push((group[0].0, payloads.len()));
        }
        if !self.frequencies {
            *top = 1;
        }
    }

    /// What a row keeps of its words.
    pub fn row_data(&self, analysis: &Analysis) -> Box<[u8]> {
        let mut bytes = Vec::new();
        if self.texts.len() > 1 {
            analysis.lengths.iter().for_each(|length| varint::write(&mut bytes, (*length).into()));
        }
        let mut previous = 0;
        for (id, _) in &analysis.terms {
            varint::write(&mut bytes, (id - previous).into());
            previous = *id;
        }
        bytes.into()
    }

    /// Adds a document to the postings of its terms.
    pub fn add(&mut self, row: u32, analysis: &Analysis) {
        let mut start = 0;
        for (id, end) in &analysis.terms {
            self.dictionary.add(*id, row, &analysis.payloads[start..*end]);
            start = *end;
        }
    }

    /// Removes a document from the postings of its terms; `data` is what its row keeps.
    pub fn remove(&mut self, row: u32, data: &[u8]) {
        let (mut at, mut id) = (self.start_of_terms(data), 0);
        while at < data.len() {
            id += varint::read(data, &mut at);
            self.dictionary.remove(id, row);
        }
    }

    /// Where the terms begin in what a row keeps.
    pub fn start_of_terms(&self, data: &[u8]) -> usize {
        let mut at = 0;
        if self.texts.len() > 1 {
            varint::skip(data, &mut at, self.texts.len() as u32);
        }
        at
    }

    /// Whether rows keep which positions are in which attribute.
    pub fn has_extents(&self) -> bool {
        self.texts.len() > 1 && self.fields
    }

    /// The positions of each text attribute, in order; `data` is what the row keeps. Only if
    /// [`Words::has_extents`].
    pub fn extents(&self, data: &[u8]) -> Vec<Range<u32>> {
        let (mut at, mut start) = (0, 0_u32);
        let extent = |_| {
            let end = start.saturating_add(varint::read(data, &mut at));
            std::mem::replace(&mut start, end)..end
        };
        (0..self.texts.len()).map(extent).collect()
    }

    /// Keeps those positions that are in some of these attributes; `data` is what the row keeps.
    pub fn restrict(&self, data: &[u8], attributes: TextSet, positions: &mut Vec<u32>) {
        if self.has_extents() && attributes & self.all() != self.all() {
            let extents = self.extents(data);
            positions.retain(|position| {
                let at = extents.partition_point(|extent| extent.end <= *position);
                attributes & (1 << at.min(127)) != 0
            });
        }
    }
}
