//! How well a row matches: the scorers of `FT.SEARCH`.
//!
//! Formulas as RediSearch documents them, with its constants, which are C floats, and probed where
//! its documentation is silent: a term's idf is a whole number but in BM25STD; scores are divided
//! by how far words are apart; a tag, a number or a place counts as a word that is there once.
//!
//! What deviates: in a union of many words (a prefix) distances between those words do not count.

use super::context::Context;
use super::cursor::{Cursor, Kind, lists};
use super::near::spread;
use super::{Options, Scorer};
use crate::partition::Partition;

/// `k1` and `b` of both BM25.
const K1: f64 = 1.2_f32 as f64;
const B: f64 = 0.5;
const B_STD: f64 = 0.75;

/// A scorer with the figures of an index.
pub struct Scoring<'o> {
    scorer: Scorer,
    /// Words a document.
    average: f64,
    payload: &'o [u8],
}

/// Why a score is what it is (`EXPLAINSCORE`).
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub text: String,
    pub parts: Vec<Explanation>,
}

impl<'o> Scoring<'o> {
    pub fn new(partitions: &[&Partition], options: &Options<'o>) -> Self {
        let documents = partitions.iter().map(|it| it.len()).sum::<usize>() as f64;
        let words = partitions.iter().map(|it| it.rows.total_length()).sum::<u64>() as f64;
        let average = if documents == 0.0 { 0.0 } else { words / documents };
        Self { scorer: options.scorer, average, payload: options.payload.unwrap_or(&[]) }
    }

    /// What a term adds.
    #[inline]
    pub fn of_term(&self, frequency: u32, idf: f64, length: u32) -> f64 {
        let f = f64::from(frequency);
        match self.scorer {
            Scorer::TfIdf | Scorer::TfIdfDocNorm => f * idf,
            Scorer::Bm25 => idf * f / (f + K1 * (1.0 - B + B * self.average)),
            Scorer::Bm25Std | Scorer::Bm25StdNorm | Scorer::Bm25StdTanh => {
                let relative = match self.average {
                    0.0 => 0.0,
                    average => f64::from(length) / average,
                };
                idf * f * (K1 + 1.0) / (f + K1 * (1.0 - B_STD + B_STD * relative))
            }
            Scorer::DisMax => f,
            Scorer::DocScore | Scorer::Hamming => 0.0,
        }
    }

    /// The score of a union of two.
    #[inline]
    pub fn joined(&self, one: f64, other: f64) -> f64 {
        if self.scorer == Scorer::DisMax { one.max(other) } else { one + other }
    }

    /// What the words of a row add up to.
    fn sum(&self, cursor: &mut Cursor<'_>, row: u32, context: &mut Context<'_>) -> f64 {
        let length = cursor.partition.rows.get(row).length;
        let plain = || self.of_term(1, 1.0, length);
        let sum = match &mut cursor.kind {
            Kind::Nothing | Kind::Not(_) => 0.0,
            Kind::Term(term) => {
                let (frequency, _) = term.shape.summary(term.rows.payload());
                self.of_term(frequency, term.idf, length)
            }
            Kind::Summed(summed) => summed.sums.get(row as usize).copied().unwrap_or(0.0),
            Kind::And(and) => {
                let parts = and.parts.iter_mut();
                parts.map(|part| self.sum_at(part, row, context)).sum()
            }
            Kind::Or(parts) => {
                let parts = parts.iter_mut();
                parts.fold(0.0, |sum, part| self.joined(sum, self.sum_at(part, row, context)))
            }
            Kind::Optional(part) => self.sum_at(part, row, context),
            Kind::All
            | Kind::Tag(_)
            | Kind::Rows { .. }
            | Kind::Bits(_)
            | Kind::Missing(_)
            | Kind::Column { .. } => plain(),
        };
        cursor.weight * sum
    }

    fn sum_at(&self, cursor: &mut Cursor<'_>, row: u32, context: &mut Context<'_>) -> f64 {
        if cursor.is_at(row, context) { self.sum(cursor, row, context) } else { 0.0 }
    }

    /// How far the words of a row are apart.
    fn spread(&self, cursor: &mut Cursor<'_>, row: u32, context: &mut Context<'_>) -> f64 {
        let parts = match &mut cursor.kind {
            Kind::And(and) if and.parts.len() > 1 => &mut and.parts,
            Kind::Or(parts) => {
                let matched = parts.iter_mut().map(|part| part.is_at(row, context));
                if matched.filter(|is| *is).count() < 2 {
                    return 1.0;
                }
                parts
            }
            _ => return 1.0,
        };
        spread(&lists(parts.iter_mut(), row, context))
    }

    /// The score of the row that a cursor is at.
    pub fn score(&self, cursor: &mut Cursor<'_>, row: u32, context: &mut Context<'_>) -> f64 {
        let partition = cursor.partition;
        let document = partition.rows.get(row);
        let own = f64::from(document.score);
        match self.scorer {
            Scorer::DocScore => own,
            Scorer::Hamming => hamming(self.payload, partition.payload_of(row).unwrap_or(&[])),
            Scorer::DisMax => self.sum(cursor, row, context),
            Scorer::Bm25Std | Scorer::Bm25StdNorm | Scorer::Bm25StdTanh => {
                self.sum(cursor, row, context) * own
            }
            Scorer::TfIdf | Scorer::TfIdfDocNorm | Scorer::Bm25 => {
                let sum = self.sum(cursor, row, context);
                if sum == 0.0 {
                    return 0.0;
                }
                sum / self.norm(document.top, document.length) * own
                    / self.spread(cursor, row, context)
            }
        }
    }

    /// By what the sum of a document is divided.
    fn norm(&self, top: u32, length: u32) -> f64 {
        match self.scorer {
            Scorer::TfIdf => f64::from(top.max(1)),
            Scorer::TfIdfDocNorm => f64::from(length.max(1)),
            _ => 1.0,
        }
    }

    /// Why the row that a cursor is at has its score.
    pub fn explain(
        &self,
        cursor: &mut Cursor<'_>,
        row: u32,
        context: &mut Context<'_>,
    ) -> Explanation {
        let (name, document) = (self.scorer.name(), cursor.partition.rows.get(row));
        let (own, norm) = (document.score, self.norm(document.top, document.length));
        let text = match self.scorer {
            Scorer::DocScore => format!("Document's score is {own:.2}"),
            Scorer::Hamming => "Inverse Hamming distance of payloads".to_owned(),
            Scorer::TfIdf | Scorer::TfIdfDocNorm | Scorer::Bm25 => {
                let sum = self.sum(cursor, row, context);
                let slop = self.spread(cursor, row, context);
                format!(
                    "Final {name} : words {name} {sum:.2} * document score {own:.2} / norm {norm} \
                     / slop {slop}"
                )
            }
            _ => {
                let sum = self.sum(cursor, row, context);
                format!("Final {name} : words {name} {sum:.2} * document score {own:.2}")
            }
        };
        let parts = match self.scorer {
            Scorer::DocScore | Scorer::Hamming => Vec::new(),
            _ => vec![self.explain_sum(cursor, row, context)],
        };
        Explanation { text, parts }
    }

    fn explain_sum(
        &self,
        cursor: &mut Cursor<'_>,
        row: u32,
        context: &mut Context<'_>,
    ) -> Explanation {
        let (name, weight) = (self.scorer.name(), cursor.weight);
        let sum = self.sum(cursor, row, context);
        let mut parts = Vec::new();
        let text = match &mut cursor.kind {
            Kind::Term(term) => {
                let (frequency, _) = term.shape.summary(term.rows.payload());
                let idf = term.idf;
                format!("({name} {sum:.2} = Weight {weight:.2} * TF {frequency} * IDF {idf:.2})")
            }
            Kind::And(and) => {
                explained(self, &mut and.parts, row, context, &mut parts);
                format!("(Weight {weight:.2} * total children {name} {sum:.2})")
            }
            Kind::Or(of) => {
                explained(self, of, row, context, &mut parts);
                format!("(Weight {weight:.2} * total children {name} {sum:.2})")
            }
            _ => format!("({name} {sum:.2} = Weight {weight:.2} * Frequency 1)"),
        };
        Explanation { text, parts }
    }
}

fn explained(
    scoring: &Scoring<'_>,
    parts: &mut [Cursor<'_>],
    row: u32,
    context: &mut Context<'_>,
    into: &mut Vec<Explanation>,
) {
    for part in parts {
        if part.is_at(row, context) {
            into.push(scoring.explain_sum(part, row, context));
        }
    }
}

/// 1 / (1 + the bits that differ); 0 for payloads of different lengths.
fn hamming(one: &[u8], other: &[u8]) -> f64 {
    if one.len() != other.len() || one.is_empty() {
        return 0.0;
    }
    let bits: u32 = one.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
    1.0 / (1.0 + f64::from(bits))
}
