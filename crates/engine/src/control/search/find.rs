//! From a query to rows of an index: what FT.SEARCH, FT.AGGREGATE and FT.PROFILE have in common.
//!
//! Partitions are held while rows are looked for, and no shard is taken then; documents are read
//! when the partitions have been given back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::search::error::{Error, Result};
use ::search::evaluate::{self, Admits, Hit, Partitions, Sort};
use ::search::partition::{Partition, SortValue};
use ::search::query::{Node, Query, VectorRange};
use ::search::schema::{AttributeId, Definition};
use ::search::text::Synonyms;
use base::CmdError;

use super::pace::{Asking, Pace};
use super::refused;
use super::reply::SortKey;
use crate::search::Index;

/// An index that is asked, and what is held of it.
pub(super) struct Asked {
    pub name: Box<[u8]>,
    pub index: Arc<Index>,
    pub db: usize,
    /// The dialect of a request that names none.
    pub dialect: u8,
    /// The keys that the user may read, if not all.
    pub may_read: Option<store::KeyFilter>,
}

impl Asked {
    /// The index of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn begin(asking: &Asking<'_>, name: &[u8]) -> std::result::Result<Self, CmdError> {
        let missing =
            || CmdError::owned(format!("{}: no such index", String::from_utf8_lossy(name)));
        let known = asking.engine.catalog.known();
        let (name, index) = known.index(asking.db, name).ok_or_else(missing)?;
        let (name, index) = (name.into(), Arc::clone(index));
        index.uses.fetch_add(1, Ordering::Relaxed);
        let dialect = asking.engine.config().queries.search_dialect;
        let may_read = asking.may_read.clone();
        Ok(Asked { name, index, db: asking.db, dialect, may_read })
    }

    /// What it holds, and how.
    pub fn definition(&self) -> &Definition {
        &self.index.definition
    }

    /// Its groups of synonyms.
    pub fn synonyms(&self) -> &Synonyms {
        &self.index.synonyms_by_word
    }

    /// Which keys the user may know of, if not all.
    pub fn admits(&self) -> Option<Admits<'_>> {
        self.may_read.as_deref().map(|may_read| Admits(may_read))
    }

    /// A row that was found, as it is now, if it still matches. The shard of its key is held, so it
    /// stays so: rows were found without, and another client may have changed its document.
    pub fn as_it_is(
        &self,
        (key, hit): (&[u8], &Hit),
        query: &Query,
        options: &evaluate::Options<'_>,
    ) -> Option<Hit> {
        self.index.with(hit.partition, |partition| again(partition, (key, hit), query, options))
    }
}

/// A row of a partition that was given back since it was found: as it is now, if it still matches.
pub(super) fn again(
    partition: &Partition,
    (key, hit): (&[u8], &Hit),
    query: &Query,
    options: &evaluate::Options<'_>,
) -> Option<Hit> {
    if partition.order_of(key)? == hit.order {
        return Some(*hit);
    }
    let options = evaluate::Options { keys: Some(&[key]), offset: 0, limit: 1, ..*options };
    let query = Query { root: query.root.clone(), knn: None };
    let found = evaluate::search(&[partition][..], &query, &options, &mut |_| Ok(())).ok()?;
    let Hit { row, order, .. } = *found.hits.first()?;
    Some(Hit { row, order, ..*hit })
}

/// A row that was found, without its document.
pub(super) struct Candidate {
    pub key: Box<[u8]>,
    pub hit: Hit,
    pub sort_key: Option<SortKey>,
    pub payload: Option<Vec<u8>>,
    pub explanation: Option<evaluate::Explanation>,
}

/// What is looked for.
pub(super) struct Wanted<'w> {
    pub query: &'w Query,
    pub options: evaluate::Options<'w>,
    pub with_payloads: bool,
    pub explain: bool,
}

/// Finds rows; how many match, and those that are wanted.
///
/// # Errors
/// The query takes too long, or compares vectors of other sizes.
pub(super) fn find(
    asked: &Asked,
    wanted: &Wanted<'_>,
    pace: &mut Pace<'_>,
) -> Result<(usize, Vec<Candidate>)> {
    let index = &**asked.index;
    let mut interrupt = |_: usize| pace.check();
    let found = evaluate::search(index, wanted.query, &wanted.options, &mut interrupt)?;
    let mut candidates = Vec::with_capacity(found.hits.len());
    for hit in found.hits {
        let candidate = index.with(hit.partition, |partition| {
            let payload = partition.payload_of(hit.row).filter(|_| wanted.with_payloads);
            Some(Candidate {
                key: partition.key_of(hit.row)?.into(),
                sort_key: sort_key(partition, &hit, wanted.options.sort),
                payload: payload.map(Vec::from),
                explanation: None,
                hit,
            })
        });
        // A row may have got another document since; those that are gone are seen to be later.
        let Some(mut candidate) = candidate else { continue };
        if wanted.explain {
            candidate.explanation = index.with_all(|all| {
                let options = &wanted.options;
                evaluate::explain_score(all, wanted.query, options, &hit, &mut interrupt)
            })?;
        }
        candidates.push(candidate);
    }
    Ok((found.total, candidates))
}

fn sort_key(partition: &Partition, hit: &Hit, sort: Sort) -> Option<SortKey> {
    match sort {
        Sort::Attribute { attribute, .. } => match partition.sort_value(hit.row, attribute)? {
            SortValue::Number(number) => Some(SortKey::Number(number)),
            SortValue::Text(text) => Some(SortKey::Text(text.to_vec())),
        },
        Sort::Distance => hit.distance.map(SortKey::Number),
        Sort::Score | Sort::None => None,
    }
}

/// What rows of a query call the distances of vectors: that of KNN first.
pub(super) fn distance_names(query: &Query) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = query.knn.iter().map(|knn| knn.distance_name.clone()).collect();
    let mut nodes = vec![&query.root];
    while let Some(node) = nodes.pop() {
        match node {
            Node::VectorRange(VectorRange { distance_name: Some(name), .. }) => {
                names.push(name.clone());
            }
            Node::And(parts) | Node::Or(parts) => nodes.extend(parts),
            Node::Optional(node) | Node::With { node, .. } | Node::In { node, .. } => {
                nodes.push(node);
            }
            _ => {}
        }
    }
    names
}

/// An attribute by which the index itself can sort: numbers, and what is sortable.
pub(super) fn sortable(definition: &Definition, name: &[u8]) -> Option<AttributeId> {
    let id = definition.attribute(name)?;
    let attribute = &definition.attributes[usize::from(id)];
    let sorts = attribute.sortable || attribute.kind == search::schema::Kind::Numeric;
    sorts.then_some(id)
}

/// A name that is no attribute.
pub(super) fn not_loaded(name: &[u8]) -> CmdError {
    let name = String::from_utf8_lossy(name);
    refused(Error::new(format!("Property `{name}` not loaded nor in schema")))
}
