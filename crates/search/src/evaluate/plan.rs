//! A query made ready for all partitions of an index: patterns expanded to words, words to stems
//! and synonyms, frequencies of terms added up.

use hashbrown::HashMap;

use super::context::Context;
use super::near::Near;
use super::pattern::{Pattern, expand};
use super::{Options, Partitions, Scorer};
use crate::error::{Error, Result};
use crate::partition::Partition;
use crate::partition::dictionary::{Dictionary, TermKind};
use crate::partition::field::Content;
use crate::partition::numbers::word_of;
use crate::partition::record::TextSet;
use crate::query::{Bound, Node, TagValue, VectorRange};
use crate::schema::AttributeId;
use crate::text::Stemmer;

/// How deep a query may be: what walks over it may use the stack.
const DEPTH: usize = 128;
/// Words that a query may stand for, with stems, synonyms and what patterns stand for.
const MOST_TERMS: usize = 4_000_000;

/// A term of the dictionary of words.
#[derive(Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    pub text: Vec<u8>,
    /// How rare it is, as the scorer has it.
    pub idf: f64,
}

/// See the head of this file.
#[derive(Debug)]
pub enum Plan<'q> {
    All,
    Nothing,
    /// Any of these terms, in one of these attributes.
    Terms {
        terms: Vec<Term>,
        attributes: TextSet,
    },
    And {
        parts: Vec<Plan<'q>>,
        near: Option<Near>,
    },
    Or(Vec<Plan<'q>>),
    Not(Box<Plan<'q>>),
    Optional(Box<Plan<'q>>),
    Weighted {
        part: Box<Plan<'q>>,
        weight: f64,
    },
    /// Both ends included.
    Numeric {
        attribute: AttributeId,
        min: u64,
        max: u64,
    },
    Geo {
        attribute: AttributeId,
        center: (f64, f64),
        meters: f64,
    },
    Tags {
        attribute: AttributeId,
        tags: Vec<Vec<u8>>,
    },
    Missing(AttributeId),
    Range(&'q VectorRange),
}

impl Plan<'_> {
    /// About how many looks a row costs: its parts, and their terms.
    pub fn size(&self) -> usize {
        match self {
            Plan::Terms { terms, .. } => terms.len(),
            Plan::And { parts, .. } | Plan::Or(parts) => parts.iter().map(Plan::size).sum(),
            Plan::Not(part) | Plan::Optional(part) | Plan::Weighted { part, .. } => part.size(),
            _ => 1,
        }
    }
}

/// What a part of the query inherits.
#[derive(Clone, Copy)]
struct Inherited {
    attributes: TextSet,
    near: Option<Near>,
    depth: usize,
}

/// Makes plans. Partitions are looked at for one term or pattern at a time.
pub struct Planner<'p, 'o, P: ?Sized> {
    partitions: &'p P,
    options: &'o Options<'o>,
    stemmer: Stemmer,
    documents: f64,
    known: HashMap<(TermKind, Vec<u8>), f64, foldhash::fast::RandomState>,
    /// Terms so far.
    terms: usize,
}

impl<'p, 'o, P: Partitions + ?Sized> Planner<'p, 'o, P> {
    pub fn new(partitions: &'p P, options: &'o Options<'o>) -> Option<Self> {
        partitions.with_all(|all| {
            let definition = all.first()?.definition();
            let documents = all.iter().map(|partition| partition.len()).sum::<usize>() as f64;
            let stemmer = Stemmer::new(options.language.unwrap_or(&definition.language));
            Some(Self {
                partitions,
                options,
                stemmer,
                documents,
                known: HashMap::default(),
                terms: 0,
            })
        })
    }

    /// # Errors
    /// The query is too deep.
    pub fn plan<'q>(&mut self, root: &'q Node, context: &mut Context<'_>) -> Result<Plan<'q>> {
        let near = match (self.options.slop, self.options.in_order) {
            (None, false) => None,
            (slop, in_order) => Some(Near { slop, in_order }),
        };
        let all = TextSet::MAX;
        let attributes = self.options.attributes.map_or(all, |only| self.set_of(only));
        self.node(root, Inherited { attributes, near, depth: 0 }, context)
    }

    fn set_of(&self, attributes: &[AttributeId]) -> TextSet {
        self.partitions.with(0, |partition| {
            attributes.iter().fold(0, |set, at| set | partition.words.set_of(*at))
        })
    }

    fn node<'q>(
        &mut self,
        node: &'q Node,
        mut inherited: Inherited,
        context: &mut Context<'_>,
    ) -> Result<Plan<'q>> {
        inherited.depth += 1;
        if inherited.depth > DEPTH {
            return Err(Error::new("Query is nested too deeply"));
        }
        let pattern = |pattern, planner: &mut Self, context: &mut Context<'_>| {
            Ok(planner.pattern(pattern, inherited.attributes, context))
        };
        match node {
            Node::All => Ok(Plan::All),
            Node::Nothing => Ok(Plan::Nothing),
            Node::Word { text, expand } => {
                Ok(self.word(text, *expand, inherited.attributes, context))
            }
            Node::Phrase(words) => Ok(self.phrase(words, inherited, context)),
            Node::Prefix(text) => pattern(Pattern::Prefix(text), self, context),
            Node::Suffix(text) => pattern(Pattern::Suffix(text), self, context),
            Node::Infix(text) => pattern(Pattern::Infix(text), self, context),
            Node::Wildcard(text) => pattern(Pattern::Wildcard(text), self, context),
            Node::Fuzzy { text, distance } => {
                pattern(Pattern::Fuzzy(text, *distance), self, context)
            }
            Node::And(nodes) => {
                let parts = self.nodes(nodes, inherited, context)?;
                Ok(Plan::And { parts, near: inherited.near })
            }
            Node::Or(nodes) => Ok(Plan::Or(self.nodes(nodes, inherited, context)?)),
            Node::Not(node) => Ok(Plan::Not(Box::new(self.node(node, inherited, context)?))),
            Node::Optional(node) => {
                Ok(Plan::Optional(Box::new(self.node(node, inherited, context)?)))
            }
            Node::In { attributes, node } => {
                inherited.attributes &= self.set_of(attributes);
                self.node(node, inherited, context)
            }
            Node::Numeric { attribute, min, max } => Ok(numeric(*attribute, *min, *max)),
            Node::Geo { attribute, longitude, latitude, meters } => {
                let center = (*longitude, *latitude);
                Ok(Plan::Geo { attribute: *attribute, center, meters: *meters })
            }
            Node::Tag { attribute, values } => Ok(self.tags(*attribute, values, context)),
            Node::Missing(attribute) => Ok(Plan::Missing(*attribute)),
            Node::VectorRange(range) => Ok(Plan::Range(range)),
            Node::With { node, options } => {
                if options.slop.is_some() || options.in_order.is_some() {
                    let before = inherited.near;
                    inherited.near = Some(Near {
                        slop: options.slop.or(before.and_then(|near| near.slop)),
                        in_order: options
                            .in_order
                            .unwrap_or(before.is_some_and(|near| near.in_order)),
                    });
                }
                let part = Box::new(self.node(node, inherited, context)?);
                Ok(match options.weight {
                    Some(weight) => Plan::Weighted { part, weight },
                    None => *part,
                })
            }
        }
    }

    fn nodes<'q>(
        &mut self,
        nodes: &'q [Node],
        inherited: Inherited,
        context: &mut Context<'_>,
    ) -> Result<Vec<Plan<'q>>> {
        nodes.iter().map(|node| self.node(node, inherited, context)).collect()
    }

    /// Counts terms; whether the evaluation is stopped, or is now, as there are too many.
    fn is_enough(&mut self, terms: usize, context: &mut Context<'_>) -> bool {
        self.terms += terms;
        if self.terms > MOST_TERMS {
            let error = format!("Query stands for more than {MOST_TERMS} words");
            context.fail(Error::new(error));
        }
        context.tick(terms)
    }

    fn phrase<'q>(
        &mut self,
        words: &[Vec<u8>],
        inherited: Inherited,
        context: &mut Context<'_>,
    ) -> Plan<'q> {
        let near = inherited.near.unwrap_or(Near { slop: Some(0), in_order: true });
        let mut parts: Vec<Plan<'q>> = words
            .iter()
            .map(|word| self.word(word, false, inherited.attributes, context))
            .collect();
        match parts.len() {
            0 => Plan::Nothing,
            1 => parts.remove(0),
            _ => Plan::And { parts, near: Some(near) },
        }
    }

    fn word<'q>(
        &mut self,
        text: &[u8],
        expands: bool,
        attributes: TextSet,
        context: &mut Context<'_>,
    ) -> Plan<'q> {
        if self.is_enough(1, context) {
            return Plan::Nothing;
        }
        let mut terms = vec![self.term(TermKind::Word, text)];
        if expands {
            let stem = self.stemmer.stem(text);
            terms.push(self.term(TermKind::Stem, stem.as_deref().unwrap_or(text)));
            if let Some(stem) = stem {
                terms.push(self.term(TermKind::Word, &stem));
            }
            // Each once, and the word itself is not among them; its stem may be.
            let others = self.options.synonyms.map(|synonyms| synonyms.of(text));
            let is_there = |other: &[u8]| terms.len() > 2 && terms[2].text == other;
            let others: Vec<&[u8]> =
                others.into_iter().flatten().filter(|other| !is_there(other)).collect();
            for other in others {
                if self.is_enough(1, context) {
                    break;
                }
                terms.push(self.term(TermKind::Word, other));
            }
        }
        Plan::Terms { terms, attributes }
    }

    fn pattern<'q>(
        &mut self,
        pattern: Pattern<'_>,
        attributes: TextSet,
        context: &mut Context<'_>,
    ) -> Plan<'q> {
        let most = self.options.expansions;
        let words = self.partitions.with_all(|all| {
            let dictionaries = all.iter().map(|partition| &partition.words.dictionary);
            merged(dictionaries, pattern, most, context)
        });
        let mut terms = Vec::with_capacity(words.len());
        for word in &words {
            if self.is_enough(1, context) {
                break;
            }
            terms.push(self.term(TermKind::Word, word));
        }
        Plan::Terms { terms, attributes }
    }

    fn tags<'q>(
        &mut self,
        attribute: AttributeId,
        values: &[TagValue],
        context: &mut Context<'_>,
    ) -> Plan<'q> {
        let (mut tags, most) = (Vec::new(), self.options.expansions);
        for value in values {
            let pattern = match value {
                TagValue::Exact(text) => {
                    tags.push(text.clone());
                    continue;
                }
                TagValue::Prefix(text) => Pattern::Prefix(text),
                TagValue::Suffix(text) => Pattern::Suffix(text),
                TagValue::Infix(text) => Pattern::Infix(text),
                TagValue::Wildcard(text) => Pattern::Wildcard(text),
            };
            tags.extend(self.partitions.with_all(|all| {
                let dictionaries = all.iter().filter_map(|partition| {
                    match &partition.fields.get(usize::from(attribute))?.content {
                        Content::Tags(tags) => Some(&tags.dictionary),
                        _ => None,
                    }
                });
                merged(dictionaries, pattern, most, context)
            }));
        }
        tags.sort_unstable();
        tags.dedup();
        Plan::Tags { attribute, tags }
    }

    fn term(&mut self, kind: TermKind, text: &[u8]) -> Term {
        let idf = if let Some(idf) = self.known.get(&(kind, text.to_vec())) {
            *idf
        } else {
            let of = |partition: &&Partition| {
                let dictionary = &partition.words.dictionary;
                let found = dictionary.find(kind, text);
                found.map_or(0, |id| dictionary.postings(id).len())
            };
            let rows = self.partitions.with_all(|all| all.iter().map(of).sum::<usize>());
            let idf = self.idf(rows as f64);
            self.known.insert((kind, text.to_vec()), idf);
            idf
        };
        Term { kind, text: text.to_vec(), idf }
    }

    fn idf(&self, rows: f64) -> f64 {
        match self.options.scorer {
            Scorer::Bm25Std | Scorer::Bm25StdNorm | Scorer::Bm25StdTanh => {
                (1.0 + (self.documents - rows + 0.5) / (rows + 0.5)).ln()
            }
            _ => (1.0 + (self.documents + 1.0) / rows.max(1.0)).log2().floor(),
        }
    }
}

/// The first words of all dictionaries that a pattern stands for.
fn merged<'d>(
    dictionaries: impl Iterator<Item = &'d Dictionary>,
    pattern: Pattern<'_>,
    most: usize,
    context: &mut Context<'_>,
) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for dictionary in dictionaries {
        let (words, has_more) = expand(dictionary, pattern, most, context);
        context.overflow |= has_more;
        all.extend(words);
    }
    all.sort_unstable();
    all.dedup();
    context.overflow |= all.len() > most;
    all.truncate(most);
    all
}

fn numeric<'q>(attribute: AttributeId, min: Bound, max: Bound) -> Plan<'q> {
    let (Some(mut least), Some(mut most)) = (word_of(min.value), word_of(max.value)) else {
        return Plan::Nothing;
    };
    // The words of successive numbers are successive.
    if min.exclusive && min.value.is_finite() {
        least = least.saturating_add(1);
    }
    if max.exclusive && max.value.is_finite() {
        most = most.saturating_sub(1);
    }
    if least > most {
        return Plan::Nothing;
    }
    Plan::Numeric { attribute, min: least, max: most }
}
