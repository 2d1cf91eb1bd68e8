//! The algorithms as procedures: from values to rows.

use super::columns::{Groups, ResultColumn, Rows, Scores};
use super::max_flow::Amount;
use super::parameters::{Options, node_of, paths};
use super::{
    Budget, Damping, EXACT, Error, Paths, Selection, betweenness, breadth_first, components,
    harmonic, label_propagation, max_flow, page_rank, pair_paths, source_paths, spanning_forest,
};
use crate::storage::View;
use crate::value::Value;

/// What a procedure is given beside its arguments.
struct Given<'a, 'w> {
    view: &'a View,
    arguments: &'a [Value],
    /// What is drawn is drawn with this, unless the options name a seed.
    seed: u64,
    budget: &'a mut Budget<'w>,
}

/// An algorithm that can be called.
#[derive(Clone, Copy)]
pub struct Procedure {
    /// Its name; letters of any case call it.
    pub name: &'static str,
    /// The names of its arguments.
    pub arguments: &'static [&'static str],
    /// Whether it may be called without arguments, as if they were null.
    pub is_optional: bool,
    /// The names of its columns, in order.
    pub columns: &'static [&'static str],
    run: fn(&mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error>,
}

const SCORES: &[&str] = &["node", "score"];
const PATHS: &[&str] = &["path", "pathWeight", "pathCost"];

const fn p(
    name: &'static str,
    columns: &'static [&'static str],
    run: fn(&mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error>,
) -> Procedure {
    Procedure { name, arguments: &["config"], is_optional: true, columns, run }
}

const ALL: [Procedure; 10] = [
    Procedure {
        arguments: &["start", "maxLevel", "relationship"],
        is_optional: false,
        ..p("algo.BFS", &["nodes", "edges"], search)
    },
    p("algo.HarmonicCentrality", &["node", "score", "reachable"], closeness),
    p("algo.MSF", &["nodes", "edges"], forest),
    Procedure { is_optional: false, ..p("algo.SPpaths", PATHS, between) },
    Procedure { is_optional: false, ..p("algo.SSpaths", PATHS, from) },
    p("algo.WCC", &["node", "componentId"], connected),
    p("algo.betweenness", SCORES, brokers),
    p("algo.labelPropagation", &["node", "communityId"], communities),
    Procedure {
        is_optional: false,
        ..p("algo.maxFlow", &["nodes", "edges", "edgeFlows", "maxFlow"], flow)
    },
    Procedure {
        arguments: &["label", "relationship"],
        is_optional: false,
        ..p("algo.pageRank", SCORES, ranks)
    },
];

/// All procedures, by name.
pub fn procedures() -> impl Iterator<Item = &'static Procedure> {
    ALL.iter()
}

/// The procedure of a name, in letters of any case.
pub fn procedure(name: &str) -> Option<&'static Procedure> {
    procedures().find(|procedure| procedure.name.eq_ignore_ascii_case(name))
}

impl Procedure {
    /// Its rows.
    ///
    /// # Errors
    /// It was ended, would keep too much, or its arguments make no sense.
    pub fn call(
        &self,
        view: &View,
        arguments: &[Value],
        seed: u64,
        budget: &mut Budget<'_>,
    ) -> Result<Rows, Error> {
        let (wanted, given) = (self.arguments.len(), arguments.len());
        if given != wanted && !(given == 0 && self.is_optional) {
            let name = self.name;
            let message = format!("Procedure `{name}` requires {wanted} arguments, got {given}");
            return Err(Error::wrong(message));
        }
        let columns = (self.run)(&mut Given { view, arguments, seed, budget })?;
        Ok(Rows { names: self.columns, columns })
    }
}

impl<'a> Given<'a, '_> {
    fn options(&self, name: &'static str, keys: &[&str]) -> Result<Options<'a>, Error> {
        let common = ["nodeLabels", "relationshipTypes"];
        Options::known(name, self.arguments.first(), &[&common, keys].concat())
    }

    /// A name or null: `None` if it is something else.
    fn name(&self, at: usize) -> Option<Option<Vec<Box<str>>>> {
        match self.arguments.get(at) {
            None | Some(Value::Null) => Some(None),
            Some(Value::String(name)) => Some(Some(vec![Box::from(&**name)])),
            Some(_) => None,
        }
    }
}

impl From<Scores> for Vec<ResultColumn> {
    fn from(scores: Scores) -> Self {
        vec![ResultColumn::Nodes(scores.nodes), ResultColumn::Floats(scores.scores)]
    }
}

impl From<Groups> for Vec<ResultColumn> {
    fn from(groups: Groups) -> Self {
        let ids = groups.groups.into_iter().map(i64::from).collect();
        vec![ResultColumn::Nodes(groups.nodes), ResultColumn::Integers(ids)]
    }
}

impl From<Paths> for Vec<ResultColumn> {
    fn from(paths: Paths) -> Self {
        let (weights, costs) =
            (ResultColumn::Floats(paths.weights), ResultColumn::Floats(paths.costs));
        vec![ResultColumn::Paths(paths.paths), weights, costs]
    }
}

fn ranks(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let (Some(labels), Some(types)) = (given.name(0), given.name(1)) else {
        return Ok(Scores::default().into());
    };
    // FalkorDB has no rows for a type that is not there, though the nodes are.
    let mut types_given = types.iter().flatten();
    if types_given.any(|name| given.view.edge_type(name).is_none()) {
        return Ok(Scores::default().into());
    }
    let selection = Selection { labels, types };
    page_rank(given.view, &selection, Damping::default(), given.budget).map(Into::into)
}

fn connected(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let selection = given.options("wcc", &[])?.selection()?;
    components(given.view, &selection, given.budget).map(Into::into)
}

fn brokers(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let options = given.options("betweenness", &["samplingSize", "samplingSeed"])?;
    let (selection, sampling) = (options.selection()?, options.sampling(given.seed)?);
    betweenness(given.view, &selection, sampling, given.budget).map(Into::into)
}

fn communities(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let options = given.options("labelPropagation", &["maxIterations"])?;
    let (selection, iterations) = (options.selection()?, options.iterations()?);
    label_propagation(given.view, &selection, iterations, given.budget).map(Into::into)
}

fn closeness(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let selection = given.options("HarmonicCentrality", &[])?.selection()?;
    let found = harmonic(given.view, &selection, EXACT, given.budget)?;
    let (scores, reachable) =
        (ResultColumn::Floats(found.scores), ResultColumn::Integers(found.reachable));
    Ok(vec![ResultColumn::Nodes(found.nodes), scores, reachable])
}

fn forest(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let options = given.options("msf", &["weightAttribute", "objective"])?.forest()?;
    let trees = spanning_forest(given.view, &options, given.budget)?;
    let (nodes, edges) = trees.into_iter().map(|tree| (tree.nodes, tree.edges)).unzip();
    Ok(vec![ResultColumn::NodeLists(nodes), ResultColumn::EdgeLists(edges)])
}

/// No row if nothing is reached, or if there is no node to begin with, as in FalkorDB.
fn search(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let start = given.arguments.first().and_then(node_of);
    let found = match (start, given.arguments.get(1), given.name(2)) {
        (Some(start), Some(Value::Integer(depth)), Some(types)) => {
            // A negative depth is none.
            let depth = u64::try_from(*depth).ok();
            breadth_first(given.view, start, depth, types.as_deref(), given.budget)?
        }
        _ => super::Reached::default(),
    };
    let rows = usize::from(!found.nodes.is_empty());
    let lists = |list: Vec<u32>| std::iter::repeat_n(list, rows).collect();
    Ok(vec![
        ResultColumn::NodeLists(lists(found.nodes)),
        ResultColumn::EdgeLists(lists(found.edges)),
    ])
}

fn between(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let (source, target, options) = paths(given.arguments.first(), true)?;
    let ends = (source, target.unwrap_or(source));
    pair_paths(given.view, ends, &options, given.budget).map(Into::into)
}

fn from(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let (source, _, options) = paths(given.arguments.first(), false)?;
    source_paths(given.view, source, &options, given.budget).map(Into::into)
}

fn flow(given: &mut Given<'_, '_>) -> Result<Vec<ResultColumn>, Error> {
    let keys = ["sourceNodes", "targetNodes", "capacityProperty"];
    let options = given.options("maxFlow", &keys)?.flow()?;
    let found = max_flow(given.view, &options, given.budget)?;
    let (flows, total) = match found.total {
        Amount::Integer(total) => {
            let all = found.flows.iter().map(|flow| match flow {
                Amount::Integer(flow) => *flow,
                Amount::Float(flow) => *flow as i64,
            });
            (ResultColumn::IntegerLists(vec![all.collect()]), ResultColumn::Integers(vec![total]))
        }
        Amount::Float(total) => {
            let all = found.flows.iter().map(|flow| match flow {
                Amount::Integer(flow) => *flow as f64,
                Amount::Float(flow) => *flow,
            });
            (ResultColumn::FloatLists(vec![all.collect()]), ResultColumn::Floats(vec![total]))
        }
    };
    Ok(vec![
        ResultColumn::NodeLists(vec![found.nodes]),
        ResultColumn::EdgeLists(vec![found.edges]),
        flows,
        total,
    ])
}
