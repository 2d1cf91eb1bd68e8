//! The lightest simple paths, best first.
//!
//! Paths are ordered by weight, then by cost, then by length. With nothing negative among weights
//! and costs the search is A* (P. Hart, N. Nilsson, B. Raphael, 1968) over paths: the path that
//! promises most is taken on, by what it weighs and, towards a target, by what it must still weigh
//! at least, which a search back from the target has found (E. Dijkstra, 1959). A promise never
//! gets better on the way, so what arrives first is best. Of several that promise the same the
//! longest is taken on, so that a search among many equal paths arrives at once. If one path is
//! asked for, one that was passed at some node in all respects is given up.
//!
//! With negative numbers every simple path is looked at, depth first, as FalkorDB does always.
//! That, and to find many paths or to keep a bound, may take time exponential in the size of the
//! graph: the limits of [`Budget`] are what ends it.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use super::roads::{Hop, Roads};
use super::{Budget, Error, Way};
use crate::storage::{EdgeId, Entity, NodeId, View};
use crate::value::Path;

/// How many paths are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathCount {
    /// All that weigh as little as the lightest.
    Lightest,
    /// The lightest, so many at most.
    Most(usize),
}

/// Which paths are sought.
#[derive(Clone, Debug, PartialEq)]
pub struct PathOptions {
    /// By edges of these types; `None`: of all.
    pub types: Option<Vec<Box<str>>>,
    /// The property that says what an edge weighs: 1 without.
    pub weight: Option<Box<str>>,
    /// The property that says what an edge costs: 1 without.
    pub cost: Option<Box<str>>,
    /// The most that a path may cost.
    pub max_cost: Option<f64>,
    /// The most edges that a path may have.
    pub max_length: Option<u64>,
    /// Which way edges are followed.
    pub way: Way,
    /// How many paths are wanted.
    pub count: PathCount,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions {
            types: None,
            weight: None,
            cost: None,
            max_cost: None,
            max_length: None,
            way: Way::Outgoing,
            count: PathCount::Most(1),
        }
    }
}

/// Paths, the lightest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paths {
    /// The paths.
    pub paths: Vec<Arc<Path>>,
    /// What each weighs.
    pub weights: Vec<f64>,
    /// What each costs.
    pub costs: Vec<f64>,
}

/// What a path is measured by: its weight, its cost, its length.
#[derive(Clone, Copy, PartialEq)]
struct Measure(f64, f64, u64);

impl Eq for Measure {}

impl Ord for Measure {
    fn cmp(&self, other: &Self) -> Ordering {
        let weights = self.0.total_cmp(&other.0);
        weights.then(self.1.total_cmp(&other.1)).then(self.2.cmp(&other.2))
    }
}

impl PartialOrd for Measure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Measure {
    const ZERO: Measure = Measure(0.0, 0.0, 0);

    fn plus(self, other: Measure) -> Measure {
        Measure(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }

    fn of(hop: &Hop) -> Measure {
        Measure(hop.weight, hop.cost, 1)
    }
}

/// A little more than a number, so that sums in another order are not beyond it.
fn above(number: f64) -> f64 {
    number + number.abs() * 1e-9
}

/// A path so far: that of its parent, and an edge.
struct Partial {
    parent: u32,
    node: NodeId,
    edge: EdgeId,
    so_far: Measure,
}

/// Of the first partial path.
const ROOT: u32 = 0;

/// Bytes of a partial path, with its place in the queue, and of an entry of a map.
const PARTIAL: usize = 2 * (size_of::<Partial>() + size_of::<Promise>());
const ENTRY: usize = 64;

/// What a partial path promises; the longest of those that promise the same, and then the first.
type Promise = (Reverse<Measure>, u64, Reverse<u32>);

/// What it takes, at least, to get to the target.
#[derive(Default)]
struct Rest {
    all: Option<HashMap<NodeId, Measure>>,
    cost: Option<HashMap<NodeId, Measure>>,
    length: Option<HashMap<NodeId, Measure>>,
}

/// A search.
pub(super) struct Search<'a, 'w> {
    roads: Roads<'a>,
    options: &'a PathOptions,
    target: Option<NodeId>,
    budget: &'a mut Budget<'w>,
    partial: Vec<Partial>,
    /// The nodes of the path that was taken on last.
    on_path: HashSet<NodeId>,
    current: u32,
    found: Vec<(Measure, Path)>,
}

/// The lightest paths from a node: to a target, or to all nodes.
pub(super) fn search(
    view: &View,
    (source, target): (NodeId, Option<NodeId>),
    options: &PathOptions,
    budget: &mut Budget<'_>,
) -> Result<Paths, Error> {
    let there = |node| view.has(Entity::Node(node));
    let none = options.count == PathCount::Most(0) || target == Some(source);
    if none || !there(source) || !target.is_none_or(there) {
        return Ok(Paths::default());
    }
    let roads = Roads::new(view, options);
    let negative = roads.has_negative(budget)?;
    let root = Partial { parent: ROOT, node: source, edge: 0, so_far: Measure::ZERO };
    let mut search = Search {
        roads,
        options,
        target,
        budget,
        partial: vec![root],
        on_path: HashSet::from([source]),
        current: ROOT,
        found: Vec::new(),
    };
    match negative {
        [false, false] => search.best_first(source)?,
        [_, cost] => search.depth_first(source, cost)?,
    }
    Ok(search.finish())
}

impl Search<'_, '_> {
    fn best_first(&mut self, source: NodeId) -> Result<(), Error> {
        let rest = match self.target {
            Some(target) => self.look_back(source, target)?,
            None => Rest::default(),
        };
        let mut queue: BinaryHeap<Promise> = BinaryHeap::new();
        queue.push((Reverse(Measure::ZERO), 0, Reverse(ROOT)));
        let mut passed: HashMap<NodeId, Vec<Measure>> = HashMap::new();
        let mut hops = Vec::new();
        while let Some((Reverse(promise), _, Reverse(at))) = queue.pop() {
            self.budget.step(1)?;
            if self.is_enough(promise) {
                break;
            }
            let Partial { node, so_far, .. } = self.partial[at as usize];
            if at != ROOT && self.target.is_none_or(|target| target == node) {
                self.find(at)?;
            }
            if self.target == Some(node) || self.is_too_long(so_far.2) {
                continue;
            }
            self.take_on(at);
            self.roads.hops(node, true, &mut hops, self.budget)?;
            for hop in &hops {
                let measure = so_far.plus(Measure::of(hop));
                let Some(promise) = self.promise(hop.to, measure, &rest) else { continue };
                if self.on_path.contains(&hop.to) || self.is_passed(&mut passed, hop.to, measure)? {
                    continue;
                }
                self.budget.charge(PARTIAL)?;
                let number = u32::try_from(self.partial.len()).map_err(|_| Error::Memory)?;
                let (node, edge) = (hop.to, hop.edge);
                self.partial.push(Partial { parent: at, node, edge, so_far: measure });
                queue.push((Reverse(promise), measure.2, Reverse(number)));
            }
        }
        Ok(())
    }

    /// Whether a path that promises this, and all that promise less, are not wanted any more.
    fn is_enough(&self, promise: Measure) -> bool {
        match self.options.count {
            PathCount::Most(most) => self.found.len() >= most,
            PathCount::Lightest => {
                self.found.first().is_some_and(|(first, _)| promise.0 > above(first.0))
            }
        }
    }

    fn is_too_long(&self, length: u64) -> bool {
        self.options.max_length.is_some_and(|most| length >= most)
    }

    /// What a path to a node can become; `None`: nothing that is wanted.
    fn promise(&self, node: NodeId, so_far: Measure, rest: &Rest) -> Option<Measure> {
        let least = |known: &Option<HashMap<NodeId, Measure>>| match known {
            Some(known) => known.get(&node).copied(),
            None => Some(Measure::ZERO),
        };
        let whole = so_far.plus(least(&rest.all)?);
        let dear = |most| so_far.1 + least(&rest.cost).map_or(0.0, |rest| rest.1) > above(most);
        let long = |most| so_far.2 + least(&rest.length).map_or(0, |rest| rest.2) > most;
        let unwanted =
            self.options.max_cost.is_some_and(dear) || self.options.max_length.is_some_and(long);
        (!unwanted).then_some(whole)
    }

    /// Whether another path to the same node is no worse in anything, where one path is wanted.
    fn is_passed(
        &mut self,
        passed: &mut HashMap<NodeId, Vec<Measure>>,
        node: NodeId,
        so_far: Measure,
    ) -> Result<bool, Error> {
        if self.options.count != PathCount::Most(1) || self.target.is_none() {
            return Ok(false);
        }
        let others = passed.entry(node).or_default();
        let no_worse = |one: &Measure, other: &Measure| {
            one.0 <= other.0 && one.1 <= other.1 && one.2 <= other.2
        };
        self.budget.step(others.len())?;
        if others.iter().any(|other| no_worse(other, &so_far)) {
            return Ok(true);
        }
        others.retain(|other| !no_worse(&so_far, other));
        others.push(so_far);
        self.budget.charge(ENTRY)?;
        Ok(false)
    }

    /// What it takes from each node to get to the target: as far from it as is needed.
    fn look_back(&mut self, source: NodeId, target: NodeId) -> Result<Rest, Error> {
        let bound = self.options.max_cost.is_some() || self.options.max_length.is_some();
        let until = match self.options.count {
            PathCount::Most(1) | PathCount::Lightest if !bound => Some(source),
            _ => None,
        };
        let all = self.distances(target, until, Measure::of)?;
        let cost = match self.options.max_cost {
            Some(_) => Some(self.distances(target, None, |hop| Measure(0.0, hop.cost, 0))?),
            None => None,
        };
        let length = match self.options.max_length {
            Some(_) => Some(self.distances(target, None, |_| Measure(0.0, 0.0, 1))?),
            None => None,
        };
        Ok(Rest { all: Some(all), cost, length })
    }

    /// The least that a path from each node to the target measures; of those that are not lighter
    /// than one node's, if one is named.
    fn distances(
        &mut self,
        target: NodeId,
        until: Option<NodeId>,
        measure: impl Fn(&Hop) -> Measure,
    ) -> Result<HashMap<NodeId, Measure>, Error> {
        let (mut settled, mut hops) = (HashMap::new(), Vec::new());
        let mut queue = BinaryHeap::from([Reverse((Measure::ZERO, target))]);
        let mut limit = f64::INFINITY;
        let mut charged = 0;
        while let Some(Reverse((distance, node))) = queue.pop() {
            if distance.0 > limit {
                break;
            }
            if settled.contains_key(&node) {
                continue;
            }
            self.budget.charge(ENTRY)?;
            settled.insert(node, distance);
            if until == Some(node) {
                limit = above(distance.0);
            }
            self.roads.hops(node, false, &mut hops, self.budget)?;
            for hop in hops.iter().filter(|hop| !settled.contains_key(&hop.to)) {
                queue.push(Reverse((distance.plus(measure(hop)), hop.to)));
            }
            let bytes = queue.capacity() * size_of::<Reverse<(Measure, NodeId)>>();
            self.budget.charge(bytes - charged)?;
            charged = bytes;
        }
        self.budget.release(charged);
        Ok(settled)
    }

    /// Makes a partial path the one whose nodes are known: what both have in common stays.
    fn take_on(&mut self, at: u32) {
        let (mut old, mut new) = (self.current, at);
        let mut added = Vec::new();
        while old != new {
            let [was, is] = [old, new].map(|at| &self.partial[at as usize]);
            if was.so_far.2 >= is.so_far.2 {
                self.on_path.remove(&was.node);
                old = was.parent;
            } else {
                added.push(is.node);
                new = is.parent;
            }
        }
        self.on_path.extend(added);
        self.current = at;
    }

    /// A path has arrived.
    fn find(&mut self, at: u32) -> Result<(), Error> {
        let (mut nodes, mut edges, mut here) = (Vec::new(), Vec::new(), at);
        while here != ROOT {
            let partial = &self.partial[here as usize];
            nodes.push(u64::from(partial.node));
            edges.push(u64::from(partial.edge));
            here = partial.parent;
        }
        nodes.push(self.partial[ROOT as usize].node.into());
        nodes.reverse();
        edges.reverse();
        let measure = self.partial[at as usize].so_far;
        self.keep(measure, nodes, edges)
    }

    fn keep(&mut self, measure: Measure, nodes: Vec<u64>, edges: Vec<u64>) -> Result<(), Error> {
        if self.options.max_cost.is_some_and(|most| measure.1 > most) {
            return Ok(());
        }
        self.budget.charge(size_of::<(Measure, Path)>() + 16 * nodes.len())?;
        self.budget.step(nodes.len())?;
        self.found.extend(Path::new(nodes, edges).map(|path| (measure, path)));
        Ok(())
    }

    /// Looks at every simple path.
    fn depth_first(&mut self, source: NodeId, negative_cost: bool) -> Result<(), Error> {
        let (mut nodes, mut edges) = (vec![u64::from(source)], Vec::new());
        // Of each node of the path the edges that are still to be tried, and what leads to it.
        let mut stack = vec![(self.hops_backwards(source)?, Measure::ZERO)];
        while let Some((hops, so_far)) = stack.last_mut() {
            let so_far = *so_far;
            let Some(hop) = hops.pop().filter(|_| !self.is_too_long(so_far.2)) else {
                self.budget.release(hops.capacity() * size_of::<Hop>());
                stack.pop();
                edges.pop();
                let left = nodes.pop().and_then(|node| NodeId::try_from(node).ok());
                left.map(|node| self.on_path.remove(&node));
                continue;
            };
            let measure = so_far.plus(Measure::of(&hop));
            let dear = |most| !negative_cost && measure.1 > above(most);
            if self.on_path.contains(&hop.to) || self.options.max_cost.is_some_and(dear) {
                continue;
            }
            nodes.push(hop.to.into());
            edges.push(hop.edge.into());
            if self.target.is_none_or(|target| target == hop.to) {
                self.keep(measure, nodes.clone(), edges.clone())?;
                self.forget_the_worst();
            }
            if self.target == Some(hop.to) {
                nodes.pop();
                edges.pop();
                continue;
            }
            self.on_path.insert(hop.to);
            stack.push((self.hops_backwards(hop.to)?, measure));
        }
        Ok(())
    }

    /// The edges that lead on from a node, the last one first.
    fn hops_backwards(&mut self, node: NodeId) -> Result<Vec<Hop>, Error> {
        let mut hops = Vec::new();
        self.roads.hops(node, true, &mut hops, self.budget)?;
        hops.reverse();
        self.budget.charge(hops.capacity() * size_of::<Hop>())?;
        Ok(hops)
    }

    /// Forgets paths that are not among those that are wanted, if there are many.
    fn forget_the_worst(&mut self) {
        let most = match self.options.count {
            PathCount::Most(most) => most,
            PathCount::Lightest => self.found.len() / 2,
        };
        if self.found.len() >= most.saturating_mul(2).max(64) {
            let bytes = |found: &[(Measure, Path)]| -> usize {
                let each = |path: &Path| size_of::<(Measure, Path)>() + 16 * path.nodes().len();
                found.iter().map(|(_, path)| each(path)).sum()
            };
            let before = bytes(&self.found);
            self.choose();
            self.budget.release(before - bytes(&self.found));
        }
    }

    /// Leaves the paths that are wanted, in order.
    fn choose(&mut self) {
        self.found.sort_by(|one, other| {
            let edges = || one.1.relationships().cmp(other.1.relationships());
            one.0.cmp(&other.0).then_with(edges)
        });
        match self.options.count {
            PathCount::Most(most) => self.found.truncate(most),
            PathCount::Lightest => {
                let least = self.found.first().map_or(0.0, |(first, _)| first.0);
                self.found.retain(|(measure, _)| measure.0 <= least);
            }
        }
    }

    fn finish(mut self) -> Paths {
        self.choose();
        let mut paths = Paths::default();
        for (Measure(weight, cost, _), path) in self.found {
            paths.paths.push(Arc::new(path));
            paths.weights.push(weight);
            paths.costs.push(cost);
        }
        paths
    }
}
