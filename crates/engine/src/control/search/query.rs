//! FT.SEARCH: documents that match a query.

use ::search::evaluate::{self, Sort};
use ::search::highlight;
use ::search::number;
use ::search::query::{Node, Query};
use ::search::request::{Returned, Search};
use ::search::schema::AttributeId;
use base::{CmdError, Spec};
use wire::RespWriter;

use super::content::{Content, Fields, Marks};
use super::find::{Asked, Candidate, Wanted, distance_names, find, not_loaded, sortable};
use super::pace::{Asking, Pace, run};
use super::reply::{self, Explanation, Row, Shape, SortKey};
use super::{READS, UNKNOWN, refused};
use crate::control::{acts, worded};
use crate::engine::entry::Action;
use crate::search::load::with_document;

/// So many rows more than are wanted are looked for, as some may have no document any more.
const SPARE: usize = 16;
/// Documents that are read before it is asked whether the query goes on.
const TOGETHER: usize = 64;
/// Rows that are sorted here, by what only their documents have.
const MOST_SORTED: usize = 1_000_000;

/// The rows of this file.
pub(super) fn rows() -> Vec<(&'static Spec, Action)> {
    acts![FtSearch]
}

worded! {
    /// Finds documents.
    FtSearch, Spec {
        name: "ft.search",
        summary: "Finds the documents of an index that match a query.",
        complexity: "O(N) in the documents that its rarest part matches",
        grammar: "index:string query:string [argument:string...]",
        ..READS
    }, |control, words, out| run(control, ("ft.search", words), find_documents, out)
}

fn find_documents(
    asking: &mut Asking<'_>,
    words: &[&[u8]],
    out: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let (name, words) = words.split_first().ok_or(UNKNOWN)?;
    let search = Search::parse(words).map_err(refused)?;
    let asked = Asked::begin(asking, name)?;
    asking.pace.limit(search.options.timeout);
    let prepared = prepare(&asked, &search)?;
    let (total, rows) = rows_of(asking, &prepared)?;
    reply::put(out, Shape { with_scores: search.with_scores, total }, &rows);
    Ok(())
}

/// A request with what its index makes of it.
pub(super) struct Prepared<'r> {
    pub asked: &'r Asked,
    pub search: &'r Search,
    pub query: Query,
    pub dialect: u8,
    /// What rows call distances.
    pub distances: Vec<Vec<u8>>,
    sort: Sorted,
    fields: Option<Vec<AttributeId>>,
}

/// How rows are sorted.
#[derive(Clone, Copy, PartialEq)]
enum Sorted {
    /// By the index.
    Here(Sort),
    /// By distance, greatest first.
    Farthest,
    /// By a value that only documents have.
    ByDocument,
}

/// Reads the query of a request.
///
/// # Errors
/// It cannot be read, or names what there is not.
pub(super) fn prepare<'r>(asked: &'r Asked, search: &'r Search) -> Result<Prepared<'r>, CmdError> {
    let definition = asked.definition();
    let options = search.parse_options(definition, asked.dialect);
    let dialect = options.dialect;
    let fields = options.in_fields.clone();
    let mut query = Query::parse(&search.query, definition, &options).map_err(refused)?;
    let conditions = search.conditions(definition).map_err(refused)?;
    if !conditions.is_empty() {
        let root = std::mem::replace(&mut query.root, Node::All);
        query.root = Node::And(std::iter::once(root).chain(conditions).collect());
    }
    let distances = distance_names(&query);
    let sort = match &search.sort_by {
        None if query.knn.is_some() => Sorted::Here(Sort::Distance),
        None => Sorted::Here(Sort::Score),
        Some(by) if distances.contains(&by.name) => match by.descending {
            false => Sorted::Here(Sort::Distance),
            true => Sorted::Farthest,
        },
        Some(by) => match sortable(definition, &by.name) {
            Some(attribute) => {
                Sorted::Here(Sort::Attribute { attribute, descending: by.descending })
            }
            None if definition.attribute(&by.name).is_some() => Sorted::ByDocument,
            None => return Err(not_loaded(&by.name)),
        },
    };
    Ok(Prepared { asked, search, query, dialect, distances, sort, fields })
}

/// How many documents match, and the rows that are answered.
///
/// # Errors
/// It takes too long, or compares vectors of other sizes.
pub(super) fn rows_of(
    asking: &mut Asking<'_>,
    prepared: &Prepared<'_>,
) -> Result<(usize, Vec<Row>), CmdError> {
    let limit = prepared.search.limit;
    let sorts_here = matches!(prepared.sort, Sorted::Here(_));
    let mut spare = if limit.count == 0 { 0 } else { SPARE };
    loop {
        let (offset, most) = match sorts_here {
            true => (limit.offset, limit.count.saturating_add(spare)),
            false => (0, MOST_SORTED),
        };
        let (total, mut found) = candidates(prepared, (offset, most), &mut asking.pace)?;
        let is_all = found.len() < most;
        if !sorts_here {
            sort_by_document(asking, prepared, &mut found)?;
            found = found.into_iter().skip(limit.offset).collect();
        }
        let (rows, gone) = load(asking, prepared, found)?;
        if rows.len() == limit.count || is_all || limit.count == 0 {
            return Ok((total.saturating_sub(gone), rows));
        }
        // So many were gone that the spare ones did not suffice.
        spare = spare.saturating_mul(8);
    }
}

fn candidates(
    prepared: &Prepared<'_>,
    (offset, limit): (usize, usize),
    pace: &mut Pace<'_>,
) -> Result<(usize, Vec<Candidate>), CmdError> {
    let Prepared { asked, search, query, .. } = prepared;
    let keys: Option<Vec<&[u8]>> =
        search.in_keys.as_ref().map(|keys| keys.iter().map(|key| &key[..]).collect());
    let options = evaluate::Options { offset, limit, keys: keys.as_deref(), ..prepared.options() };
    let (with_payloads, explain) = (search.with_payloads, search.explain_score);
    let wanted = Wanted { query, options, with_payloads, explain };
    find(asked, &wanted, pace).map_err(refused)
}

/// Sorts rows by what only their documents have; those without it are last.
fn sort_by_document(
    asking: &mut Asking<'_>,
    prepared: &Prepared<'_>,
    found: &mut [Candidate],
) -> Result<(), CmdError> {
    let Some(by) = &prepared.search.sort_by else { return Ok(()) };
    if prepared.sort == Sorted::Farthest {
        found.reverse();
        return Ok(());
    }
    let definition = prepared.asked.definition();
    let returned = [Returned { identifier: by.name.clone(), name: by.name.clone() }];
    let content = Content { returns: Some(&returned), ..prepared.content() };
    let now = asking.now;
    for (at, candidate) in found.iter_mut().enumerate() {
        if at % TOGETHER == TOGETHER - 1 {
            asking.pace.check().map_err(refused)?;
        }
        let place = (prepared.asked.db, &*candidate.key);
        let fields = with_document(asking.held, place, (definition.source, now), |stored| {
            content.read(stored)
        });
        let text = fields.and_then(|fields| fields.into_iter().next());
        candidate.sort_key = text.map(|(_, text)| SortKey::Text(text.to_ascii_lowercase()));
    }
    let text = |candidate: &Candidate| match &candidate.sort_key {
        Some(SortKey::Text(text)) => Some(text.clone()),
        _ => None,
    };
    found.sort_by(|one, other| match (text(one), text(other)) {
        (Some(one), Some(other)) if by.descending => other.cmp(&one),
        (Some(one), Some(other)) => one.cmp(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    });
    Ok(())
}

/// The rows with their documents, up to the limit, and how many have none any more.
fn load(
    asking: &mut Asking<'_>,
    prepared: &Prepared<'_>,
    found: Vec<Candidate>,
) -> Result<(Vec<Row>, usize), CmdError> {
    let Prepared { asked, search, .. } = prepared;
    let (content, options) = (prepared.content(), prepared.options());
    let no_content =
        search.no_content || search.returns.as_ref().is_some_and(|returns| returns.is_empty());
    let (mut rows, mut gone) = (Vec::new(), 0);
    for (at, candidate) in found.into_iter().enumerate() {
        if rows.len() == search.limit.count {
            break;
        }
        if at % TOGETHER == TOGETHER - 1 {
            asking.pace.check().map_err(refused)?;
        }
        let what = (content.source(), asking.now);
        let place = (asked.db, &*candidate.key);
        let fields = with_document(asking.held, place, what, |stored| {
            let row = (&*candidate.key, &candidate.hit);
            asked.as_it_is(row, &prepared.query, &options)?;
            Some(if no_content { Fields::new() } else { content.read(stored) })
        });
        match fields.flatten() {
            Some(fields) => rows.push(prepared.row(candidate, fields, no_content)),
            None => gone += 1,
        }
    }
    Ok((rows, gone))
}

impl Prepared<'_> {
    /// How its query is evaluated, but for its page and its keys.
    fn options(&self) -> evaluate::Options<'_> {
        let search = self.search;
        evaluate::Options {
            scorer: search.options.scorer.unwrap_or_default(),
            sort: match self.sort {
                Sorted::Here(sort) => sort,
                Sorted::Farthest => Sort::Distance,
                Sorted::ByDocument => Sort::None,
            },
            with_scores: search.with_scores,
            slop: search.slop,
            in_order: search.in_order,
            attributes: self.fields.as_deref(),
            admits: self.asked.admits(),
            language: search.language.as_ref(),
            payload: search.payload.as_deref(),
            synonyms: Some(self.asked.synonyms()),
            tanh_factor: f64::from(search.options.tanh_factor.unwrap_or(4)),
            ..evaluate::Options::default()
        }
    }

    fn content(&self) -> Content<'_> {
        let (asked, search) = (self.asked, self.search);
        let (summarize, highlight) = (search.summarize.as_ref(), search.highlight.as_ref());
        let marks = (summarize.is_some() || highlight.is_some()).then(|| {
            let definition = asked.definition();
            let language = search.language.as_ref().unwrap_or(&definition.language);
            let text = |at: usize| {
                let id = AttributeId::try_from(at).ok()?;
                let attribute = &definition.attributes[at];
                let is_text = matches!(attribute.kind, search::schema::Kind::Text { .. });
                let terms = highlight::Terms::of(&self.query, id, language, asked.synonyms());
                is_text.then(|| (attribute.name.clone(), terms))
            };
            let terms = (0..definition.attributes.len()).filter_map(text).collect();
            Marks { summarize, highlight, terms }
        });
        Content { marks, ..Content::of(asked.definition(), search, self.dialect) }
    }

    fn row(&self, candidate: Candidate, mut fields: Fields, no_content: bool) -> Row {
        let Candidate { key, hit, sort_key, payload, explanation } = candidate;
        if let (Some(name), Some(distance), false) =
            (self.distances.first(), hit.distance, no_content)
        {
            let called = match &self.search.returns {
                None => Some(name),
                Some(returns) => {
                    let named = returns.iter().find(|returned| returned.identifier == *name);
                    named.map(|returned| &returned.name)
                }
            };
            if let Some(called) = called {
                fields.insert(0, (called.clone(), number::print(distance).into_bytes()));
            }
        }
        Row {
            key,
            score: hit.score,
            explanation: explanation.map(shown),
            payload: self.search.with_payloads.then_some(payload),
            sort_key: self.search.with_sort_keys.then_some(sort_key),
            fields: (!no_content).then_some(fields),
        }
    }
}

fn shown(explanation: evaluate::Explanation) -> Explanation {
    let parts = explanation.parts.into_iter().map(shown).collect();
    Explanation { text: explanation.text, parts }
}
