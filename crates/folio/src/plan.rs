//! How a filter is answered: what of it bitmaps say, what postings, what columns, what records.
//!
//! ```text
//!   site and area > 100 and siteRef == @a          and
//!                                                  ├─ tagVal  siteRef: 12 records by postings
//!                                                  ├─ tag     site: 40 records
//!                                                  └─ scan    area > 100, of what is left
//! ```

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Write;

use haystack::filter::{Filter, Op, Path};
use haystack::{Name, Namespace, Tag, Value, defs};

use crate::Slot;
use crate::bits::Bits;
use crate::evaluate::passes;
use crate::view::View;

/// Records with a value that are listed before the first segment is looked at.
const MOST_LISTED: usize = 4096;

/// A step that says of each record of a segment whether it is one.
pub enum Step<'q> {
    /// No record.
    Nothing,
    /// The records that have a tag.
    Tag(u16),
    /// The records that do not.
    NoTag(u16),
    /// All records.
    Everything,
    /// Records that are known, in order: a few.
    Known(Vec<Slot>),
    /// Many records with a value, of which those of a segment are asked for one after another.
    Posted(u16, &'q Value),
    /// The records whose value compares so.
    Scan(u16, Op, &'q Value),
    /// The records where a path leads to what passes.
    Path(PathStep<'q>),
    /// The records of which the filter itself says so.
    Record(&'q Filter),
    And(Vec<Step<'q>>),
    Or(Vec<Step<'q>>),
}

/// A path over several tags. What it says of a record from one of its tags on is kept: many records
/// lead to few, and lists of refs to the same ones again and again, hop by hop.
pub struct PathStep<'q> {
    pub first: u16,
    pub whole: &'q Filter,
    /// The tags with their numbers, those that the project knows.
    pub tags: Vec<(&'q Tag, Option<u16>)>,
    pub is_missing: bool,
    /// Where the text of the last ref lies, and what was said of it.
    pub last: Cell<(usize, bool)>,
    pub said: RefCell<HashMap<Name, bool, foldhash::fast::RandomState>>,
    /// By segments of records, for each tag behind the first.
    pub known: RefCell<Vec<HashMap<usize, Known, foldhash::fast::RandomState>>>,
}

/// Of which records of a segment it is known what a path says, and of which it says yes.
#[derive(Default)]
pub struct Known {
    pub looked_at: Bits,
    pub found: Bits,
}

/// The steps of a filter over the records as they are.
pub struct Plan<'q> {
    pub view: &'q View,
    pub namespace: Option<&'q dyn Namespace>,
    pub step: Step<'q>,
}

impl<'q> Plan<'q> {
    pub fn new(
        view: &'q View,
        filter: &'q Filter,
        namespace: Option<&'q dyn Namespace>,
    ) -> Plan<'q> {
        let step = match filter.id() {
            // One record at most, of which the filter says the rest.
            Some(id) => match view.slot_of(id) {
                Some(slot) if matches!(filter, Filter::Compare(..)) => Step::Known(vec![slot]),
                Some(slot) => Step::And(vec![Step::Known(vec![slot]), Step::Record(filter)]),
                None => Step::Nothing,
            },
            None => make(view, filter, namespace),
        };
        Plan { view, namespace, step }
    }

    /// What kind of plan it is, by the name that Haxall's store has for it.
    pub fn kind(&self, filter: &Filter) -> &'static str {
        match (&self.step, filter.id()) {
            (Step::Nothing, _) => "empty",
            (_, Some(_)) => "byId",
            (step, None) => kind(step),
        }
    }

    /// The steps, a line each.
    pub fn explain(&self) -> String {
        let mut out = String::new();
        explain(self.view, &self.step, 0, &mut out);
        out
    }
}

fn kind(step: &Step<'_>) -> &'static str {
    match step {
        Step::Nothing => "empty",
        Step::Tag(_) | Step::NoTag(_) => "tagMatch",
        Step::Known(_) | Step::Posted(..) => "tagValMatch",
        Step::Scan(..) | Step::Path(_) => "tagScan",
        Step::Everything | Step::Record(_) => "fullScan",
        Step::And(all)
            if all.iter().any(|step| matches!(step, Step::Known(_) | Step::Posted(..))) =>
        {
            let rest = all.iter().all(|step| rank(step) < 2);
            if rest { "tagValMatch" } else { "tagValScan" }
        }
        Step::And(all) | Step::Or(all) => {
            let worst = all.iter().max_by_key(|step| rank(step));
            worst.map_or("fullScan", kind)
        }
    }
}

/// How dear a step is: one that is cheap comes first.
fn rank(step: &Step<'_>) -> usize {
    match step {
        Step::Nothing | Step::Known(_) | Step::Posted(..) => 0,
        Step::Tag(_) | Step::NoTag(_) | Step::Everything => 1,
        Step::Scan(..) => 2,
        Step::Path(_) => 3,
        Step::Record(_) => 4,
        Step::And(all) | Step::Or(all) => all.iter().map(rank).max().unwrap_or(1),
    }
}

fn count_of(view: &View, number: u16) -> usize {
    view.columns.get(usize::from(number)).map_or(0, |column| column.count as usize)
}

/// How many records a step finds, at most and about.
fn estimate(view: &View, step: &Step<'_>) -> usize {
    match step {
        Step::Nothing => 0,
        Step::Known(slots) => slots.len(),
        Step::Posted(number, value) => {
            let column = view.columns.get(usize::from(*number));
            column.map_or(0, |column| column.count_posted(&view.hasher, value))
        }
        Step::Tag(number) => count_of(view, *number),
        Step::NoTag(number) => view.len() - count_of(view, *number),
        Step::Scan(number, ..) => count_of(view, *number),
        Step::Path(path) if !path.is_missing => count_of(view, path.first),
        Step::Everything | Step::Record(_) | Step::Path(_) => view.len(),
        Step::And(all) => all.iter().map(|step| estimate(view, step)).min().unwrap_or(0),
        Step::Or(all) => {
            let sum: usize = all.iter().map(|step| estimate(view, step)).sum();
            sum.min(view.len())
        }
    }
}

fn make<'q>(view: &'q View, filter: &'q Filter, namespace: Option<&'q dyn Namespace>) -> Step<'q> {
    match filter {
        Filter::Has(path) => match path.single() {
            Some(tag) => has(view, tag),
            None => follow(view, filter, path, false),
        },
        Filter::Missing(path) => match path.single() {
            Some(tag) => view.number(tag).map_or(Step::Everything, Step::NoTag),
            None => follow(view, filter, path, true),
        },
        Filter::Compare(path, op, value) => match path.single() {
            Some(tag) => compare(view, tag, *op, value),
            None => follow(view, filter, path, false),
        },
        Filter::Symbol(symbol) => is_symbol(view, symbol, namespace),
        Filter::Spec(_) => Step::Record(filter),
        Filter::And(parts) => {
            and(view, parts.iter().map(|part| make(view, part, namespace)).collect())
        }
        Filter::Or(parts) => {
            Step::Or(parts.iter().map(|part| make(view, part, namespace)).collect())
        }
    }
}

fn has<'q>(view: &View, tag: &Tag) -> Step<'q> {
    let number = view.number(tag).filter(|number| count_of(view, *number) > 0);
    number.map_or(Step::Nothing, Step::Tag)
}

fn compare<'q>(view: &'q View, tag: &Tag, op: Op, value: &'q Value) -> Step<'q> {
    let Some(number) = view.number(tag) else { return Step::Nothing };
    let Some(column) = view.columns.get(usize::from(number)) else { return Step::Nothing };
    if op != Op::Eq || !column.has_postings(value) {
        return Step::Scan(number, op, value);
    }
    if column.count_posted(&view.hasher, value) > MOST_LISTED {
        return Step::Posted(number, value);
    }
    let posted = column.posted(&view.hasher, value);
    // Another value may have the same hash.
    let known = posted.filter(|slot| passes(&column.cell(*slot), op, &value.cell())).collect();
    Step::Known(known)
}

fn follow<'q>(view: &'q View, whole: &'q Filter, path: &'q Path, is_missing: bool) -> Step<'q> {
    let tags: Vec<_> = path.tags().iter().map(|tag| (tag, view.number(tag))).collect();
    let Some((_, Some(first))) = tags.first().copied() else {
        return if is_missing { Step::Everything } else { Step::Nothing };
    };
    let known = std::iter::repeat_with(HashMap::default).take(tags.len()).collect();
    Step::Path(PathStep {
        first,
        whole,
        tags,
        is_missing,
        last: Cell::default(),
        said: RefCell::default(),
        known: RefCell::new(known),
    })
}

fn is_symbol<'q>(view: &'q View, symbol: &str, namespace: Option<&dyn Namespace>) -> Step<'q> {
    let known = namespace.and_then(|namespace| namespace.terms(symbol));
    let terms = known.unwrap_or_else(|| defs::parts(symbol).into_iter().collect());
    let each = terms.iter().map(|tags| and(view, tags.iter().map(|tag| has(view, tag)).collect()));
    Step::Or(each.collect())
}

fn and<'q>(view: &View, mut steps: Vec<Step<'q>>) -> Step<'q> {
    if steps.iter().any(|step| matches!(step, Step::Nothing)) {
        return Step::Nothing;
    }
    steps.sort_by_cached_key(|step| (rank(step), estimate(view, step)));
    Step::And(steps)
}

fn explain(view: &View, step: &Step<'_>, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let tag = |number: &u16| view.tag_of(*number).map_or("", |tag| tag.as_str());
    let what = match step {
        Step::Nothing => "nothing".to_owned(),
        Step::Everything => "all records".to_owned(),
        Step::Tag(number) => format!("tag {}", tag(number)),
        Step::NoTag(number) => format!("no tag {}", tag(number)),
        Step::Known(_) | Step::Posted(..) => "records by their values".to_owned(),
        Step::Scan(number, op, value) => format!("scan {} {} {value:?}", tag(number), op.text()),
        Step::Path(path) => format!("path {}", path.whole),
        Step::Record(filter) => format!("records {filter}"),
        Step::And(_) => "and".to_owned(),
        Step::Or(_) => "or".to_owned(),
    };
    // Writing to a text cannot fail.
    let _ = writeln!(out, "{indent}{what}: up to {} records", estimate(view, step));
    if let Step::And(steps) | Step::Or(steps) = step {
        steps.iter().for_each(|step| explain(view, step, depth + 1, out));
    }
}
