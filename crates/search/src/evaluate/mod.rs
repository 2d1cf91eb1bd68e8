//! Which documents match a query, in which order, and how well.
//!
//! ```text
//!   Query ─► plan: for all partitions: words of patterns, stems, synonyms, how rare terms are
//!              └─► open: for each partition: cursors, chosen by how many rows each part has
//!                    └─► rows that match, ascending ─► score ─► top ─► Found
//! ```
//!
//! Totals are exact always: each matching row is visited, unless the number is known without.
//!
//! Must not know keys' values, replies or clocks: a caller stops an evaluation by its interrupt.

mod context;
mod cursor;

mod near;
mod open;
pub(crate) mod pattern;
mod plan;
mod score;
mod top;

use crate::error::Result;
use crate::partition::Partition;
use crate::partition::bitmap::{Bitmap, END};
use crate::partition::field::Content;
use crate::query::{Knn, Query};
use crate::schema::{AttributeId, Language};
use crate::text::Synonyms;
use context::Context;
use cursor::Cursor;
use open::{Opener, wrong_size};
use plan::{Plan, Planner};
pub use score::Explanation;
use score::Scoring;
use top::{Key, Top};

/// So many parts of a query cost about as much as the look at a row.
const PARTS: usize = 8;

/// `SCORER`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scorer {
    #[default]
    TfIdf,
    TfIdfDocNorm,
    Bm25,
    Bm25Std,
    Bm25StdNorm,
    Bm25StdTanh,
    DisMax,
    DocScore,
    Hamming,
}

const SCORERS: [(&str, Scorer); 9] = [
    ("TFIDF", Scorer::TfIdf),
    ("TFIDF.DOCNORM", Scorer::TfIdfDocNorm),
    ("BM25", Scorer::Bm25),
    ("BM25STD", Scorer::Bm25Std),
    ("BM25STD.NORM", Scorer::Bm25StdNorm),
    ("BM25STD.TANH", Scorer::Bm25StdTanh),
    ("DISMAX", Scorer::DisMax),
    ("DOCSCORE", Scorer::DocScore),
    ("HAMMING", Scorer::Hamming),
];

impl Scorer {
    /// The scorer of this name, in any case.
    pub fn named(name: &[u8]) -> Option<Self> {
        let found = SCORERS.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
        found.map(|(_, scorer)| *scorer)
    }

    /// What clients call it.
    pub fn name(self) -> &'static str {
        SCORERS.iter().find(|(_, scorer)| *scorer == self).map_or("", |(name, _)| name)
    }
}

/// `SORTBY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Best first; equal ones in the order in which they were written. With KNN: nearest first.
    #[default]
    Score,
    /// By a number, or the text of a sortable attribute; documents without one are last.
    Attribute { attribute: AttributeId, descending: bool },
    /// By the distance of the vector.
    Distance,
    /// In the order of partitions and rows.
    None,
}

/// Whether the client may know of a key: others are as if they were not indexed.
#[derive(Clone, Copy)]
pub struct Admits<'o>(pub &'o dyn Fn(&[u8]) -> bool);

impl std::fmt::Debug for Admits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Admits")
    }
}

/// What a search asks besides its query.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    pub scorer: Scorer,
    pub sort: Sort,
    pub offset: usize,
    pub limit: usize,
    /// `WITHSCORES`: scores are computed even if nothing is sorted by them.
    pub with_scores: bool,
    /// `SLOP`, of each intersection that does not say.
    pub slop: Option<u32>,
    /// `INORDER`.
    pub in_order: bool,
    /// `INFIELDS`.
    pub attributes: Option<&'o [AttributeId]>,
    /// `INKEYS`.
    pub keys: Option<&'o [&'o [u8]]>,
    /// The keys that the client may know of; all if absent.
    pub admits: Option<Admits<'o>>,
    /// `LANGUAGE`, else that of the index.
    pub language: Option<&'o Language>,
    /// `PAYLOAD`, for HAMMING.
    pub payload: Option<&'o [u8]>,
    pub synonyms: Option<&'o Synonyms>,
    /// The words that a pattern may stand for (`MAXPREFIXEXPANSIONS`).
    pub expansions: usize,
    /// `BM25STD_TANH_FACTOR`.
    pub tanh_factor: f64,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            scorer: Scorer::TfIdf,
            sort: Sort::Score,
            offset: 0,
            limit: 10,
            with_scores: false,
            slop: None,
            in_order: false,
            attributes: None,
            keys: None,
            admits: None,
            language: None,
            payload: None,
            synonyms: None,
            expansions: usize::MAX,
            tanh_factor: 4.0,
        }
    }
}

impl Options<'_> {
    fn needs_scores(&self) -> bool {
        self.with_scores || self.sort == Sort::Score
    }
}

/// A document that matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its place in the list of partitions.
    pub partition: usize,
    pub row: u32,
    /// Its place among all that was written to the index.
    pub order: u64,
    /// 0 if it is not computed.
    pub score: f64,
    /// Of KNN, else of the first vector range that has it.
    pub distance: Option<f64>,
}

/// What a search finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// How many documents match.
    pub total: usize,
    /// Those that were asked for, in order.
    pub hits: Vec<Hit>,
    /// A pattern stood for more words than were looked up: there may be more.
    pub overflow: bool,
}

/// The partitions of one index, which all have the same definition. Each may have a lock of its
/// own.
pub trait Partitions {
    /// How many there are.
    fn count(&self) -> usize;
    /// Looks at one, which does not change meanwhile.
    fn with<R>(&self, at: usize, look: impl FnOnce(&Partition) -> R) -> R;
    /// Looks at all of them.
    fn with_all<R>(&self, look: impl FnOnce(&[&Partition]) -> R) -> R;
    /// Whether a writer waits for this one, which is looked at.
    fn is_awaited(&self, at: usize) -> bool;
}

impl Partitions for [&Partition] {
    fn count(&self) -> usize {
        self.len()
    }

    fn with<R>(&self, at: usize, look: impl FnOnce(&Partition) -> R) -> R {
        look(self[at])
    }

    fn with_all<R>(&self, look: impl FnOnce(&[&Partition]) -> R) -> R {
        look(self)
    }

    fn is_awaited(&self, _: usize) -> bool {
        false
    }
}

/// Evaluates a query. The interrupt is called with the work since the last call, in rows, about
/// every 1,000 of them; then writers that wait are let through. A document that is there all the
/// time is found once or not at all, as it was at some moment of the evaluation.
///
/// # Errors
/// The interrupt's, a query that is too deep, a vector of the wrong size.
pub fn search<P: Partitions + ?Sized>(
    partitions: &P,
    query: &Query,
    options: &Options<'_>,
    interrupt: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<Found> {
    let mut context = Context::new(interrupt);
    let Some(mut planner) = Planner::new(partitions, options) else { return Ok(Found::default()) };
    let plan = planner.plan(&query.root, &mut context)?;
    let scoring = partitions.with_all(|all| Scoring::new(all, options));
    let cost = 1 + plan.size() / PARTS;
    let mut search = Search { partitions, options, scoring, context, cost };
    let mut found = match &query.knn {
        Some(knn) => search.nearest(&plan, knn)?,
        None => search.matching(&plan),
    };
    search.context.check()?;
    found.overflow = search.context.overflow;
    Ok(found)
}

/// Why a hit of this query has its score; `None` if the row does not match any more.
///
/// # Errors
/// As of [`search`].
pub fn explain_score(
    partitions: &[&Partition],
    query: &Query,
    options: &Options<'_>,
    hit: &Hit,
    interrupt: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<Option<Explanation>> {
    let mut context = Context::new(interrupt);
    let Some(mut planner) = Planner::new(partitions, options) else { return Ok(None) };
    let Some(partition) = partitions.get(hit.partition) else { return Ok(None) };
    let plan = planner.plan(&query.root, &mut context)?;
    let scoring = Scoring::new(partitions, options);
    let (at, cost, context) = (hit.partition, 1, &mut context);
    let mut slice = Slice { partition, at, options, scoring: &scoring, context, cost };
    let mut cursor = slice.open(&plan).cursor;
    let explanation = (cursor.seek(hit.row, context) == hit.row)
        .then(|| scoring.explain(&mut cursor, hit.row, context));
    context.check()?;
    Ok(explanation)
}

/// A walk over the rows of a partition that match, of those keys that were asked for.
struct Walk<'p, 'o> {
    partition: &'p Partition,
    cursor: Cursor<'p>,
    /// Ascending.
    only: Option<Vec<u32>>,
    admits: Option<Admits<'o>>,
}

impl Walk<'_, '_> {
    fn known_count(&self) -> Option<usize> {
        match self.only.is_some() || self.admits.is_some() {
            true => None,
            false => self.cursor.known_count(),
        }
    }

    fn admits(&self, row: u32) -> bool {
        let admits = |Admits(admits): Admits<'_>| self.partition.key_of(row).is_some_and(admits);
        self.admits.is_none_or(admits)
    }

    /// The next row from this one on.
    fn next(&mut self, mut row: u32, context: &mut Context<'_>) -> Step {
        loop {
            let at = match &self.only {
                None => row,
                Some(rows) => {
                    let next = rows.partition_point(|only| *only < row);
                    rows.get(next).copied().unwrap_or(END)
                }
            };
            if at == END {
                return Step::End;
            }
            row = match self.cursor.seek_some(at, context) {
                Ok(END) => return Step::End,
                Ok(row) => row,
                Err(row) => return Step::Beyond(row),
            };
            if row == at || self.only.is_none() {
                if self.admits(row) {
                    return Step::Row(row);
                }
                row += 1;
                if context.tick(1) {
                    return Step::End;
                }
            }
        }
    }
}

/// How far a walk has come.
enum Step {
    /// This row matches.
    Row(u32),
    /// No row before this one does.
    Beyond(u32),
    End,
}

/// What is found so far.
struct Gathered {
    /// How many hits are kept.
    wanted: usize,
    top: Top,
    total: usize,
}

/// One evaluation, while it looks at one partition.
struct Slice<'p, 'o, 'c, 'i> {
    partition: &'p Partition,
    /// Its place in the list of partitions.
    at: usize,
    options: &'o Options<'o>,
    scoring: &'c Scoring<'o>,
    context: &'c mut Context<'i>,
    /// What a row costs.
    cost: usize,
}

impl<'p, 'o> Slice<'p, 'o, '_, '_> {
    fn open(&mut self, plan: &Plan<'_>) -> Walk<'p, 'o> {
        let (partition, options) = (self.partition, self.options);
        let (scoring, context) = (self.scoring, &mut *self.context);
        let cursor = Opener { partition, options, scoring, context }.open(plan, false);
        let of_keys = |keys: &[&[u8]]| {
            let mut rows: Vec<u32> = keys.iter().filter_map(|key| partition.row_of(key)).collect();
            rows.sort_unstable();
            rows
        };
        let only = options.keys.map(of_keys);
        Walk { partition, cursor, only, admits: options.admits }
    }

    fn key(&self, hit: &Hit) -> Key<'p> {
        match self.options.sort {
            Sort::Score => Key::Score(hit.score),
            Sort::Distance => Key::Distance(hit.distance.unwrap_or(f64::INFINITY)),
            Sort::None => Key::None,
            Sort::Attribute { attribute, descending } => {
                Key::Value { value: self.partition.sort_value(hit.row, attribute), descending }
            }
        }
    }

    /// Gathers hits from a row on. The row to go on from if a writer is to be let through, which
    /// happens only when as much was done with what was opened as for opening it.
    fn gather(
        &mut self,
        plan: &Plan<'_>,
        mut from: u32,
        gathered: &mut Gathered,
        is_awaited: impl Fn() -> bool,
    ) -> Option<u32> {
        let begun = self.context.done();
        let mut walk = self.open(plan);
        let opened = self.context.done();
        let known = walk.known_count().filter(|_| from == 0);
        let all = known.map(|count| gathered.total + count);
        if let Some(all) = all.filter(|_| gathered.wanted == 0) {
            gathered.total = all;
            return None;
        }
        loop {
            match walk.next(from, self.context) {
                Step::End => return None,
                Step::Beyond(row) => from = row,
                Step::Row(row) => {
                    self.take(&mut walk.cursor, row, gathered);
                    // In the order of rows the first ones are all that is wanted.
                    let is_enough = gathered.total >= gathered.wanted;
                    if let Some(all) = all.filter(|_| is_enough && self.options.sort == Sort::None)
                    {
                        gathered.total = all;
                        return None;
                    }
                    if self.context.tick(self.cost) {
                        return None;
                    }
                    from = row + 1;
                }
            }
            let is_due = self.context.was_called();
            if is_due && self.context.done() - opened >= opened - begun && is_awaited() {
                return Some(from);
            }
        }
    }

    fn take(&mut self, cursor: &mut Cursor<'p>, row: u32, gathered: &mut Gathered) {
        let score = match self.options.needs_scores() && gathered.wanted > 0 {
            true => self.scoring.score(cursor, row, self.context),
            false => 0.0,
        };
        let (order, distance) = (self.partition.rows.get(row).order, cursor.distance(row));
        let hit = Hit { partition: self.at, row, order, score, distance };
        gathered.top.push(self.key(&hit), hit);
        gathered.total += 1;
    }

    /// All rows that match.
    fn rows(&mut self, plan: &Plan<'_>) -> Bitmap {
        let mut rows = Bitmap::default();
        let mut walk = self.open(plan);
        let mut from = 0;
        loop {
            match walk.next(from, self.context) {
                Step::End => return rows,
                Step::Beyond(row) => from = row,
                Step::Row(row) => {
                    rows.insert(row);
                    from = row + 1;
                    if self.context.tick(1) {
                        return rows;
                    }
                }
            }
        }
    }

    /// The nearest rows of those that match.
    fn nearest(&mut self, plan: &Plan<'_>, knn: &Knn) -> Result<Vec<Hit>> {
        let (partition, options) = (self.partition, self.options);
        let field = partition.fields.get(usize::from(knn.attribute));
        let Some(Content::Vectors(vectors)) = field.map(|field| &field.content) else {
            return Ok(Vec::new());
        };
        let rows = match plan {
            Plan::All if options.keys.is_none() && options.admits.is_none() => None,
            _ => Some(self.rows(plan)),
        };
        self.context.tick(vectors.len());
        let near = vectors.nearest(&knn.blob, knn.k, knn.ef_runtime.unwrap_or(0), rows.as_ref());
        let near = near.ok_or_else(|| wrong_size(partition, knn.attribute, knn.blob.len()))?;
        let hit = |(row, far)| {
            let order = partition.rows.get(row).order;
            Hit { partition: self.at, row, order, score: 0.0, distance: Some(far) }
        };
        Ok(near.into_iter().map(hit).collect())
    }
}

/// One evaluation.
struct Search<'s, 'o, 'i, P: ?Sized> {
    partitions: &'s P,
    options: &'o Options<'o>,
    scoring: Scoring<'o>,
    context: Context<'i>,
    cost: usize,
}

impl<P: Partitions + ?Sized> Search<'_, '_, '_, P> {
    fn with<R>(&mut self, at: usize, look: impl FnOnce(Slice<'_, '_, '_, '_>) -> R) -> R {
        let (options, scoring, cost) = (self.options, &self.scoring, self.cost);
        let context = &mut self.context;
        self.partitions
            .with(at, |partition| look(Slice { partition, at, options, scoring, context, cost }))
    }

    fn matching(&mut self, plan: &Plan<'_>) -> Found {
        let options = self.options;
        let wanted = match options.limit {
            0 => 0,
            limit => options.offset.saturating_add(limit),
        };
        let mut gathered = Gathered { wanted, top: Top::new(wanted), total: 0 };
        let partitions = self.partitions;
        for at in 0..partitions.count() {
            let mut from = Some(0);
            while let Some(row) = from {
                let is_awaited = || partitions.is_awaited(at);
                from =
                    self.with(at, |mut slice| slice.gather(plan, row, &mut gathered, is_awaited));
            }
        }
        let (total, mut hits) = (gathered.total, gathered.top.hits());
        self.finish_scores(&mut hits);
        Found { total, hits: hits.split_off(options.offset.min(hits.len())), overflow: false }
    }

    /// What depends on all scores, or only changes their scale.
    fn finish_scores(&self, hits: &mut [Hit]) {
        let by = match self.options.scorer {
            Scorer::Bm25StdNorm => hits.iter().map(|hit| hit.score).fold(0.0, f64::max),
            Scorer::Bm25StdTanh => self.options.tanh_factor,
            _ => return,
        };
        for hit in hits.iter_mut().filter(|_| by > 0.0) {
            hit.score /= by;
            if self.options.scorer == Scorer::Bm25StdTanh {
                hit.score = hit.score.tanh();
            }
        }
    }

    fn nearest(&mut self, plan: &Plan<'_>, knn: &Knn) -> Result<Found> {
        let mut nearest = Top::new(knn.k);
        for at in 0..self.partitions.count() {
            for hit in self.with(at, |mut slice| slice.nearest(plan, knn))? {
                nearest.push(Key::Distance(hit.distance.unwrap_or(f64::INFINITY)), hit);
            }
        }
        let mut hits = nearest.hits();
        let total = hits.len();
        if let Sort::Attribute { .. } = self.options.sort {
            let mut top = Top::new(total);
            for hit in hits {
                self.with(hit.partition, |slice| top.push(slice.key(&hit), hit));
            }
            hits = top.hits();
        }
        let hits = hits.into_iter().skip(self.options.offset).take(self.options.limit).collect();
        Ok(Found { total, hits, overflow: false })
    }
}

#[cfg(test)]
mod tests;
