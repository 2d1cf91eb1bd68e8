//! A plan as cursors over one partition, chosen by how many rows each part has.

use super::Options;
use super::context::Context;
use super::cursor::{And, Condition, Cursor, Kind, Summed, TermRows};
use super::plan::{Plan, Term};
use super::score::Scoring;
use crate::error::Error;
use crate::partition::Partition;
use crate::partition::bitmap::Bitmap;
use crate::partition::dictionary::Dictionary;
use crate::partition::field::{Content, Tags};
use crate::partition::geo;
use crate::partition::numbers::Numbers;
use crate::partition::record::TextSet;
use crate::query::VectorRange;
use crate::schema::AttributeId;

/// From so many terms on, a union is summed up at once.
const MANY: usize = 12;
/// By how much a range must have more rows than its intersection to be looked up in the column.
const RATIO: usize = 4;

/// Opens plans.
pub struct Opener<'p, 'o, 'c, 'i> {
    pub partition: &'p Partition,
    pub options: &'o Options<'o>,
    pub scoring: &'o Scoring<'o>,
    pub context: &'c mut Context<'i>,
}

fn numbers(partition: &Partition, attribute: AttributeId) -> Option<&Numbers> {
    match &partition.fields.get(usize::from(attribute))?.content {
        Content::Numbers(numbers) | Content::Places(numbers) => Some(numbers),
        _ => None,
    }
}

fn tags(partition: &Partition, attribute: AttributeId) -> Option<&Tags> {
    match &partition.fields.get(usize::from(attribute))?.content {
        Content::Tags(tags) => Some(tags),
        _ => None,
    }
}

impl<'p> Opener<'p, '_, '_, '_> {
    fn dictionary(&self) -> &'p Dictionary {
        &self.partition.words.dictionary
    }

    /// About how many rows a plan has; never less.
    fn estimate(&self, plan: &Plan<'_>) -> usize {
        let all = self.partition.len();
        let number = |attribute: &AttributeId, ranges: &[(u64, u64)]| {
            let numbers = numbers(self.partition, *attribute);
            numbers.map_or(0, |of| ranges.iter().map(|(min, max)| of.count(*min, *max)).sum())
        };
        match plan {
            Plan::Nothing => 0,
            Plan::Terms { terms, .. } => {
                let found =
                    terms.iter().filter_map(|term| self.dictionary().find(term.kind, &term.text));
                found.map(|id| self.dictionary().postings(id).len()).sum()
            }
            Plan::Tags { attribute, tags: values } => {
                let Some(tags) = tags(self.partition, *attribute) else { return 0 };
                tags.rows_of(values).map(|postings| postings.len()).sum()
            }
            Plan::And { parts, .. } => {
                parts.iter().map(|part| self.estimate(part)).min().unwrap_or(all)
            }
            Plan::Or(parts) => parts.iter().map(|part| self.estimate(part)).sum(),
            Plan::Weighted { part, .. } => self.estimate(part),
            Plan::Numeric { attribute, min, max } => number(attribute, &[(*min, *max)]),
            Plan::Geo { attribute, center, meters } => {
                number(attribute, &geo::ranges(*center, *meters))
            }
            Plan::All | Plan::Not(_) | Plan::Optional(_) | Plan::Missing(_) | Plan::Range(_) => all,
        }
    }

    /// Opens a plan; `positional` if positions of its words are read.
    pub fn open(&mut self, plan: &Plan<'_>, positional: bool) -> Cursor<'p> {
        let partition = self.partition;
        self.context.tick(1);
        let kind = match plan {
            Plan::All => Kind::All,
            Plan::Nothing => Kind::Nothing,
            Plan::Terms { terms, attributes } => self.terms(terms, *attributes, positional),
            Plan::And { parts, near } => {
                // Without offsets all words are as near as they can be.
                let near = near.filter(|_| partition.definition().offsets);
                let and = self.and(parts, positional || near.is_some());
                Kind::And(And { near, ..and })
            }
            Plan::Or(parts) => {
                Kind::Or(parts.iter().map(|part| self.open_new(part, positional)).collect())
            }
            Plan::Not(part) => Kind::Not(Box::new(self.open_new(part, false))),
            Plan::Optional(part) => Kind::Optional(Box::new(self.open_new(part, positional))),
            Plan::Weighted { part, weight } => {
                let mut cursor = self.open(part, positional);
                cursor.weight *= weight;
                return cursor;
            }
            Plan::Numeric { attribute, min, max } => numbers(partition, *attribute)
                .map_or(Kind::Nothing, |numbers| self.rows(numbers.rows(*min, *max), None)),
            Plan::Geo { attribute, center, meters } => self.geo(*attribute, *center, *meters),
            Plan::Tags { attribute, tags: values } => self.tags(*attribute, values),
            Plan::Missing(attribute) => {
                let field = partition.fields.get(usize::from(*attribute));
                let missing = field.and_then(|field| field.missing.as_ref());
                missing.map_or(Kind::Nothing, Kind::Missing)
            }
            Plan::Range(range) => self.range(range),
        };
        Cursor::new(partition, kind)
    }

    /// As `open`, of a part whose current row is compared before it is moved.
    fn open_new(&mut self, plan: &Plan<'_>, positional: bool) -> Cursor<'p> {
        let mut cursor = self.open(plan, positional);
        cursor.seek(0, self.context);
        cursor
    }

    fn and(&mut self, plans: &[Plan<'_>], positional: bool) -> And<'p> {
        let estimates: Vec<usize> = plans.iter().map(|plan| self.estimate(plan)).collect();
        let least = estimates.iter().min().copied().unwrap_or(usize::MAX);
        let (mut parts, mut moved, mut tested) = (Vec::new(), Vec::new(), Vec::new());
        for (at, plan) in plans.iter().enumerate() {
            if least == 0 {
                // Nothing can match; what is built for the other parts would be in vain.
                parts.push(Cursor::new(self.partition, Kind::Nothing));
                moved.push(at);
                continue;
            }
            let column = match estimates[at] / RATIO > least {
                true => self.column(plan),
                false => None,
            };
            let is_tested = column.is_some() || matches!(plan, Plan::Not(_) | Plan::Optional(_));
            parts.push(match column {
                Some(column) => column,
                None => self.open(plan, positional),
            });
            if is_tested {
                tested.push(at);
            } else {
                moved.push(at);
            }
        }
        moved.sort_by_key(|at| estimates[*at]);
        And { parts, moved, tested, near: None }
    }

    /// A range as a condition on the column.
    fn column(&self, plan: &Plan<'_>) -> Option<Cursor<'p>> {
        let (attribute, condition) = match plan {
            Plan::Numeric { attribute, min, max } => (attribute, Condition::Between(*min, *max)),
            Plan::Geo { attribute, center, meters } => {
                (attribute, Condition::Within { center: *center, meters: *meters })
            }
            _ => return None,
        };
        let numbers = numbers(self.partition, *attribute)?;
        Some(Cursor::new(self.partition, Kind::Column { numbers, condition }))
    }

    fn term(&self, term: &Term, attributes: TextSet) -> Option<Kind<'p>> {
        let dictionary = self.dictionary();
        let id = dictionary.find(term.kind, &term.text)?;
        let shape = dictionary.shape();
        let (all, fields) = (self.partition.words.all(), self.partition.definition().fields);
        if attributes & all == 0 {
            return None;
        }
        Some(Kind::Term(TermRows {
            rows: dictionary.postings(id).cursor(shape),
            shape,
            attributes,
            is_restricted: fields && attributes & all != all,
            idf: term.idf,
        }))
    }

    fn terms(&mut self, terms: &[Term], attributes: TextSet, positional: bool) -> Kind<'p> {
        self.context.tick(terms.len() / super::PARTS);
        let found = terms.iter().filter_map(|term| self.term(term, attributes));
        let mut found: Vec<Kind<'p>> = found.collect();
        // By the terms of all partitions, so that a row scores the same in each.
        if terms.len() < MANY || positional {
            if found.len() < 2 {
                return found.pop().unwrap_or(Kind::Nothing);
            }
            let parts = found.into_iter().map(|kind| {
                let mut cursor = Cursor::new(self.partition, kind);
                cursor.seek(0, self.context);
                cursor
            });
            return Kind::Or(parts.collect());
        }
        self.summed(found)
    }

    /// All terms one after the other.
    fn summed(&mut self, terms: Vec<Kind<'p>>) -> Kind<'p> {
        let mut rows = Bitmap::default();
        let scores = self.options.needs_scores();
        let mut sums = vec![0.0_f64; if scores { self.partition.rows.end() as usize } else { 0 }];
        for kind in terms {
            let Kind::Term(mut term) = kind else { continue };
            while term.rows.row() != crate::partition::bitmap::END {
                let row = term.rows.row();
                let (frequency, within) = term.shape.summary(term.rows.payload());
                if !term.is_restricted || within & term.attributes != 0 {
                    rows.insert(row);
                    if let Some(sum) = sums.get_mut(row as usize) {
                        let length = self.partition.rows.get(row).length;
                        let more = self.scoring.of_term(frequency, term.idf, length);
                        *sum = self.scoring.joined(*sum, more);
                    }
                }
                if self.context.tick(1) {
                    return Kind::Nothing;
                }
                term.rows.advance();
            }
        }
        Kind::Summed(Summed { rows, sums })
    }

    /// Collects rows that come in any order, repeatedly, and pass a condition on a column.
    fn rows(
        &mut self,
        rows: impl Iterator<Item = u32>,
        condition: Option<(&Numbers, &Condition)>,
    ) -> Kind<'p> {
        let few = self.partition.len() / 32;
        let (mut list, mut bits) = (Vec::new(), None);
        for row in rows {
            if self.context.tick(1) {
                return Kind::Nothing;
            }
            if condition.is_some_and(|(numbers, condition)| !condition.holds(numbers.get(row))) {
                continue;
            }
            match &mut bits {
                None => list.push(row),
                Some(bits) => {
                    Bitmap::insert(bits, row);
                }
            }
            if list.len() > few {
                let bits = bits.get_or_insert_with(Bitmap::default);
                list.drain(..).for_each(|row| {
                    bits.insert(row);
                });
            }
        }
        if let Some(bits) = bits {
            return Kind::Bits(bits);
        }
        list.sort_unstable();
        list.dedup();
        Kind::Rows { rows: list, distances: Vec::new(), at: 0 }
    }

    fn geo(&mut self, attribute: AttributeId, center: (f64, f64), meters: f64) -> Kind<'p> {
        let Some(numbers) = numbers(self.partition, attribute) else { return Kind::Nothing };
        let condition = Condition::Within { center, meters };
        let ranges = geo::ranges(center, meters).into_iter();
        let rows = ranges.flat_map(|(min, max)| numbers.rows(min, max));
        self.rows(rows, Some((numbers, &condition)))
    }

    fn tags(&mut self, attribute: AttributeId, values: &[Vec<u8>]) -> Kind<'p> {
        let Some(tags) = tags(self.partition, attribute) else { return Kind::Nothing };
        let shape = tags.dictionary.shape();
        let mut found: Vec<_> = tags.rows_of(values).map(|it| it.cursor(shape)).collect();
        if found.len() < 2 {
            return found.pop().map_or(Kind::Nothing, Kind::Tag);
        }
        let rows = found.into_iter().flat_map(|mut cursor| {
            std::iter::from_fn(move || {
                let row = cursor.row();
                cursor.advance();
                (row != crate::partition::bitmap::END).then_some(row)
            })
        });
        self.rows(rows, None)
    }

    fn range(&mut self, range: &VectorRange) -> Kind<'p> {
        let field = self.partition.fields.get(usize::from(range.attribute));
        let Some(Content::Vectors(vectors)) = field.map(|field| &field.content) else {
            return Kind::Nothing;
        };
        self.context.tick(vectors.len());
        let Some(found) = vectors.within(&range.blob, range.radius, range.epsilon) else {
            self.context.fail(wrong_size(self.partition, range.attribute, range.blob.len()));
            return Kind::Nothing;
        };
        let (rows, distances) = found.into_iter().unzip();
        Kind::Rows { rows, distances, at: 0 }
    }
}

/// Why a vector of a query cannot be compared.
pub fn wrong_size(partition: &Partition, attribute: AttributeId, size: usize) -> Error {
    let expected = match &partition.definition().attributes.get(usize::from(attribute)) {
        Some(attribute) => match &attribute.kind {
            crate::schema::Kind::Vector(options) => {
                options.dimension.saturating_mul(crate::partition::vectors::width(options.element))
            }
            _ => 0,
        },
        None => 0,
    };
    Error::new(format!(
        "Error parsing vector similarity query: query vector blob size ({size}) does not match \
         index's expected size ({expected})."
    ))
}
