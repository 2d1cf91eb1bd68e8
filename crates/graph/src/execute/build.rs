//! From clauses to operators.

pub use super::Boxed;
use super::aggregate::Aggregate;
use super::apply::{Call, Optional};
use super::change::{Change, Effect};
use super::counted::counted;
use super::distinct::Distinct;
use super::filter::Filter;
use super::given::Given;
use super::given_edge::GivenEdge;
use super::hop::Expand;
use super::index_scan::{IndexScan, Target};
use super::limit::{Limit, Skip};
use super::load_csv::LoadCsv;
use super::procedure::CallProcedure;
use super::project::{Keep, Paths, Project};
use super::scan::{Check, Scan};
use super::seek::{Seek, Wanted};
use super::shortest::Shortest;
use super::sort::Sort;
use super::trail::Trail;
use super::union::Union;
use super::unwind::Unwind;
use super::weigh::{self, Weigh};
use super::{Batch, Run};
use crate::cypher::ast::PathKind;
use crate::plan::{Clause, Hop, Live, Part, Pattern, Query, Slot, Step, order};
use crate::query::Explained;

/// The operators of a query, which begins with some rows.
pub fn build<'p>(query: &'p Query, argument: Batch, run: &Run<'_>) -> Boxed<'p> {
    if let [part] = &query.parts[..] {
        let given = counted(Box::new(Given(Some(argument))), run);
        return clauses(&part.clauses, given, &read(query, part), run);
    }
    let parts = query.parts.iter().map(|part| {
        let given = counted(Box::new(Given(Some(argument.clone()))), run);
        (clauses(&part.clauses, given, &read(query, part), run), &part.columns[..])
    });
    let (columns, kept) = (&query.columns[..], &query.kept[..]);
    let union: Boxed<'p> = Box::new(Union { parts: parts.collect(), columns, kept, at: 0 });
    let union = counted(union, run);
    match query.distinct {
        true => counted(Box::new(Distinct::new(union, columns)), run),
        false => union,
    }
}

/// What a query begins with; to be shown.
pub fn start(_: &Query) -> Explained {
    Explained::new("Argument", "", Vec::new())
}

/// A clause that changes the graph.
fn changing<'p>(clauses: &'p [Clause], place: usize, input: Boxed<'p>) -> Boxed<'p> {
    let effect = match &clauses[place] {
        Clause::Create(create) => Effect::Create(create),
        Clause::Merge(merge) => Effect::Merge(merge),
        Clause::Assign(items) => Effect::Assign(items),
        Clause::Delete(delete) => Effect::Delete(delete, place + 1 < clauses.len()),
        Clause::Foreach(foreach) => Effect::Foreach(foreach),
        _ => return input,
    };
    let streams = matches!(effect, Effect::Create(_)) && clauses.iter().all(Clause::is_blind);
    Box::new(Change::new(input, effect, streams))
}

/// The slots of a part that are read when it is through.
fn read(query: &Query, part: &Part) -> Live {
    let mut live = Live::these(&part.columns);
    live.add(&query.kept);
    live
}

/// What is read behind each clause.
fn read_behind(clauses: &[Clause], end: &Live) -> Vec<Live> {
    let mut live = end.clone();
    let mut all = Vec::with_capacity(clauses.len());
    for clause in clauses.iter().rev() {
        let before = live.before(clause);
        all.push(live);
        live = before;
    }
    all.reverse();
    all
}

/// The operators of clauses, which take their rows from another. `end`: what is read behind them.
pub fn clauses<'p>(
    clauses: &'p [Clause],
    mut input: Boxed<'p>,
    end: &Live,
    run: &Run<'_>,
) -> Boxed<'p> {
    let live = read_behind(clauses, end);
    let mut weight = None;
    for (place, clause) in clauses.iter().enumerate() {
        let live = &live[place];
        input = match clause {
            Clause::Match(pattern) => {
                let counts = matches!(clauses.get(place + 1), Some(Clause::Aggregate(grouping))
                    if grouping.counts_rows());
                let (found, weighed) = found(pattern, input, (live, counts), run);
                weight = weighed;
                found
            }
            Clause::Optional(pattern) => Box::new(Optional::new(input, pattern, live.clone())),
            Clause::Unwind(list, slot) => Box::new(Unwind::new(input, list, *slot, live.clone())),
            Clause::Project(columns) => Box::new(Project { input, columns }),
            Clause::Aggregate(grouping) => Box::new(Aggregate::new(input, grouping, weight.take())),
            Clause::Distinct(slots) => Box::new(Distinct::new(input, slots)),
            Clause::Sort(by) => {
                let most = match &clauses[place + 1..] {
                    [Clause::Limit(limit), ..] => Some((None, limit)),
                    [Clause::Skip(skip), Clause::Limit(limit), ..] => Some((Some(skip), limit)),
                    _ => None,
                };
                Box::new(Sort::new(input, by, most))
            }
            Clause::Skip(count) => Box::new(Skip { input, count, left: None }),
            Clause::Limit(count) => {
                let drains = clauses[..place].iter().any(Clause::writes);
                Box::new(Limit { input, count, left: None, drains })
            }
            Clause::Filter(test) => Box::new(Filter { input, test }),
            Clause::Keep(slots) => Box::new(Keep { input, slots }),
            Clause::Subquery(call) if clause.writes() => {
                let input = Box::new(Change::new(input, Effect::Nothing, false));
                let input = Box::new(Call { input, call, made: Vec::new(), kept: 0 });
                Box::new(Change::new(input, Effect::Nothing, false))
            }
            Clause::Subquery(call) => Box::new(Call { input, call, made: Vec::new(), kept: 0 }),
            Clause::Call(call) => Box::new(CallProcedure::new(input, call)),
            Clause::LoadCsv(load) => Box::new(LoadCsv::new(input, load, live.clone())),
            _ => changing(clauses, place, input),
        };
        input = counted(input, run);
    }
    input
}

/// The operators that find what a pattern wants, for each row. `live`: what is read of it.
pub fn matching<'p>(
    pattern: &'p Pattern,
    input: Boxed<'p>,
    live: &Live,
    run: &Run<'_>,
) -> Boxed<'p> {
    found(pattern, input, (live, false), run).0
}

/// The same; and if rows are counted behind it and nothing else, where it stands how many one is.
fn found<'p>(
    pattern: &'p Pattern,
    mut input: Boxed<'p>,
    (live, counts): (&Live, bool),
    run: &Run<'_>,
) -> (Boxed<'p>, Option<Slot>) {
    let steps = order(pattern, run.facts());
    let mut read = live.clone();
    let mut behind = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let before = read.before_step(step);
        behind.push(read);
        read = before;
    }
    let last = steps.len().saturating_sub(1);
    for (place, step) in steps.into_iter().enumerate() {
        let Some(live) = behind.pop() else { break };
        if counts
            && place == last
            && let Some((counted, slot)) = weigh::counted(&step, &live)
        {
            return (Box::new(Weigh { input, counted, slot }), Some(slot));
        }
        input = match step {
            Step::Scan(node) => Box::new(Scan::new(input, node, live)),
            Step::Seek(node, key, value) => {
                Box::new(Seek::new(input, Wanted { node, key, value }, live))
            }
            Step::IndexNode(node, access) => {
                Box::new(IndexScan::new(input, Target::Node(node), access, live))
            }
            Step::IndexEdge(edge, access) => {
                Box::new(IndexScan::new(input, Target::Edge(edge), access, live))
            }
            Step::Check(node) => Box::new(Check { input, node }),
            Step::Hop(hop) => follow(hop, live, input),
            Step::Path(slot, path) => Box::new(Paths { input, slot, path }),
            Step::Filter(test) => Box::new(Filter { input, test }),
        };
        input = counted(input, run);
    }
    (input, None)
}

fn follow<'p>(hop: Hop<'p>, live: Live, input: Boxed<'p>) -> Boxed<'p> {
    if hop.edge.kind != PathKind::All {
        Box::new(Shortest::new(input, hop))
    } else if hop.given {
        Box::new(GivenEdge::new(input, hop))
    } else if hop.edge.length.is_some() {
        Box::new(Trail::new(input, hop, live))
    } else {
        Box::new(Expand::new(input, hop, live))
    }
}
