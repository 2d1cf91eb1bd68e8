//! The maximum flow from some nodes to others, where each edge carries as much as it can.
//!
//! E. A. Dinic (1970): levels by breadth-first search, blocking flows by depth-first search, which
//! ends whatever the capacities are; O(nodes² · edges) at worst, far less as a rule. Sources hang
//! on one more node by arcs that carry anything, and so do targets. Whole capacities are computed
//! with whole numbers. A capacity that is missing, no number, negative or infinite is an error: a
//! flow that takes it for something else would be wrong without a word.

use std::ops::{Add, Sub};

use super::subgraph::{Lead, Nodes, for_each_arc, make_room, types_of};
use super::{Budget, Error, Selection};
use crate::storage::{EdgeId, Entity, KeyId, NodeId, PropertyRef, View};

/// Between what, and through what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowOptions {
    /// Where the flow comes from.
    pub sources: Vec<NodeId>,
    /// Where it goes.
    pub targets: Vec<NodeId>,
    /// Through which part of the graph.
    pub selection: Selection,
    /// The property that says how much an edge carries.
    pub capacity: Box<str>,
}

/// A flow: of whole numbers if all capacities are.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The nodes that it flows through, in ascending order.
    pub nodes: Vec<NodeId>,
    /// The edges that it flows through, in ascending order.
    pub edges: Vec<EdgeId>,
    /// How much flows through each of them.
    pub flows: Vec<Amount>,
    /// How much flows in all.
    pub total: Amount,
}

/// An amount that flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
}

/// An edge of the network, and how much it carries.
struct Pipe {
    edge: EdgeId,
    ends: (u32, u32),
    capacity: Amount,
}

/// The maximum flow.
///
/// # Errors
/// It was ended, would keep too much, or a capacity makes no sense.
pub fn max_flow(
    view: &View,
    options: &FlowOptions,
    budget: &mut Budget<'_>,
) -> Result<Flow, Error> {
    if let Some(node) = options.sources.iter().find(|node| options.targets.contains(node)) {
        let message = format!("maxFlow: node {node} is both a source and a target");
        return Err(Error::wrong(message));
    }
    let nodes = Nodes::select(view, options.selection.labels.as_deref(), budget)?;
    let pipes = read_pipes(view, options, &nodes, budget)?;
    let ends = [&options.sources, &options.targets].map(|ids| {
        let mut ends: Vec<u32> = ids.iter().filter_map(|&id| nodes.dense(id)).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    });
    let whole: Option<Vec<i64>> = pipes
        .iter()
        .map(|pipe| match pipe.capacity {
            Amount::Integer(amount) => Some(amount),
            Amount::Float(_) => None,
        })
        .collect();
    match whole {
        Some(capacities) => {
            let all = capacities.iter().try_fold(0_i64, |sum, &one| sum.checked_add(one));
            let most = all.ok_or_else(|| Error::wrong("maxFlow: capacities are too large"))?;
            let flows =
                Network::new(&nodes, &pipes, &capacities, budget)?.run(&ends, most, budget)?;
            Ok(flow(&nodes, &pipes, &flows, Amount::Integer))
        }
        None => {
            let capacities: Vec<f64> = pipes
                .iter()
                .map(|pipe| match pipe.capacity {
                    Amount::Integer(amount) => amount as f64,
                    Amount::Float(amount) => amount,
                })
                .collect();
            let most = capacities.iter().sum::<f64>();
            if !most.is_finite() {
                return Err(Error::wrong("maxFlow: capacities are too large"));
            }
            let flows =
                Network::new(&nodes, &pipes, &capacities, budget)?.run(&ends, most, budget)?;
            Ok(flow(&nodes, &pipes, &flows, Amount::Float))
        }
    }
}

fn read_pipes(
    view: &View,
    options: &FlowOptions,
    nodes: &Nodes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Pipe>, Error> {
    let types = types_of(view, options.selection.types.as_deref());
    let key = view.key(&options.capacity);
    let (mut pipes, mut wrong) = (Vec::new(), None);
    for (from, &id) in (0..).zip(&nodes.ids) {
        let degree =
            types.iter().map(|&kind| view.degree(id, kind, crate::storage::Direction::Out));
        let degree = degree.sum();
        make_room(&mut pipes, degree, budget)?;
        for_each_arc(view, id, (&types, Lead::Out), |to, edge| {
            if let Some(to) = nodes.dense(to).filter(|&to| to != from) {
                match capacity(view, edge, key) {
                    Some(capacity) => pipes.push(Pipe { edge, ends: (from, to), capacity }),
                    None => wrong = wrong.or(Some(edge)),
                }
            }
        });
        if let Some(edge) = wrong {
            return Err(Error::wrong(format!(
                "maxFlow: '{}' of relationship {edge} should be a finite number, not negative",
                options.capacity
            )));
        }
        budget.step(1 + degree)?;
    }
    pipes.sort_unstable_by_key(|pipe| pipe.edge);
    Ok(pipes)
}

fn capacity(view: &View, edge: EdgeId, key: Option<KeyId>) -> Option<Amount> {
    match view.property(Entity::Edge(edge), key?) {
        PropertyRef::Integer(amount) if amount >= 0 => Some(Amount::Integer(amount)),
        PropertyRef::Float(amount) if amount >= 0.0 && amount.is_finite() => {
            Some(Amount::Float(amount))
        }
        _ => None,
    }
}

/// What is found, in terms of the graph.
fn flow<C: Capacity>(
    nodes: &Nodes,
    pipes: &[Pipe],
    (flows, total): &(Vec<C>, C),
    amount: impl Fn(C) -> Amount,
) -> Flow {
    let used = || pipes.iter().zip(flows).filter(|(_, flow)| **flow > C::default());
    let ends = used().flat_map(|(pipe, _)| [pipe.ends.0, pipe.ends.1]);
    let mut through: Vec<NodeId> = ends.map(|node| nodes.ids[node as usize]).collect();
    through.sort_unstable();
    through.dedup();
    Flow {
        nodes: through,
        edges: used().map(|(pipe, _)| pipe.edge).collect(),
        flows: used().map(|(_, &flow)| amount(flow)).collect(),
        total: amount(*total),
    }
}

/// What capacities are computed with.
trait Capacity: Copy + Default + PartialOrd + Add<Output = Self> + Sub<Output = Self> {}

impl Capacity for i64 {}
impl Capacity for f64 {}

/// What a node is that no level has.
const FAR: u32 = u32::MAX;

/// Arcs in pairs: an arc, and at the next odd number the way back.
struct Network<C> {
    to: Vec<u32>,
    left: Vec<C>,
    /// The arcs of each node, in rows.
    starts: Vec<usize>,
    arcs: Vec<u32>,
    levels: Vec<u32>,
    /// The first arc of each node that may still lead on.
    next: Vec<usize>,
    count: usize,
}

impl<C: Capacity> Network<C> {
    fn new(
        nodes: &Nodes,
        pipes: &[Pipe],
        capacities: &[C],
        budget: &mut Budget<'_>,
    ) -> Result<Self, Error> {
        if pipes.len() > (u32::MAX / 2) as usize {
            return Err(Error::Memory);
        }
        let mut network = Network {
            to: budget.room(2 * pipes.len())?,
            left: budget.room(2 * pipes.len())?,
            starts: budget.array(nodes.len() + 1, 0)?,
            arcs: budget.array(2 * pipes.len(), 0)?,
            levels: budget.array(nodes.len(), FAR)?,
            next: budget.array(nodes.len(), 0)?,
            count: nodes.len(),
        };
        for (pipe, &capacity) in pipes.iter().zip(capacities) {
            let (from, to) = pipe.ends;
            network.to.extend([to, from]);
            network.left.extend([capacity, C::default()]);
            network.starts[from as usize] += 1;
            network.starts[to as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut network.starts {
            sum += *start;
            *start = sum;
        }
        // Backwards, so that each row is in order of the edges.
        for arc in (0..network.to.len()).rev() {
            let from = network.to[arc ^ 1] as usize;
            network.starts[from] -= 1;
            // Checked above.
            network.arcs[network.starts[from]] = arc as u32;
        }
        Ok(network)
    }

    /// How much flows through each edge, and in all, which is `most` at most.
    fn run(
        mut self,
        [sources, targets]: &[Vec<u32>; 2],
        most: C,
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<C>, C), Error> {
        let before: Vec<C> = self.left.iter().copied().step_by(2).collect();
        let mut is_target = budget.array(self.count, false)?;
        targets.iter().for_each(|&node| is_target[node as usize] = true);
        let mut total = C::default();
        while self.set_levels(sources, &is_target, budget)? {
            for node in 0..self.count {
                self.next[node] = self.starts[node];
            }
            for &source in sources {
                while let Some(amount) = self.push(source, most, &is_target, budget)? {
                    total = total + amount;
                }
            }
        }
        let after = self.left.iter().step_by(2);
        Ok((before.iter().zip(after).map(|(&before, &after)| before - after).collect(), total))
    }

    /// How far each node is from the sources; whether a target is reached.
    fn set_levels(
        &mut self,
        sources: &[u32],
        is_target: &[bool],
        budget: &mut Budget<'_>,
    ) -> Result<bool, Error> {
        self.levels.fill(FAR);
        sources.iter().for_each(|&source| self.levels[source as usize] = 0);
        let (mut level, mut reached) = (sources.to_vec(), false);
        for depth in 1.. {
            let mut further = Vec::new();
            for &node in &level {
                let row = self.starts[node as usize]..self.starts[node as usize + 1];
                budget.step(1 + row.len())?;
                for &arc in &self.arcs[row] {
                    let to = self.to[arc as usize];
                    let open = self.left[arc as usize] > C::default();
                    if open && self.levels[to as usize] == FAR {
                        self.levels[to as usize] = depth;
                        reached |= is_target[to as usize];
                        further.push(to);
                    }
                }
            }
            if reached || further.is_empty() {
                break;
            }
            level = further;
        }
        Ok(reached)
    }

    /// Sends as much as goes along one way from a node to a target; `None`: there is none left.
    fn push(
        &mut self,
        source: u32,
        most: C,
        is_target: &[bool],
        budget: &mut Budget<'_>,
    ) -> Result<Option<C>, Error> {
        let (mut way, mut node) = (Vec::<u32>::new(), source);
        while !is_target[node as usize] {
            budget.step(1)?;
            if let Some(arc) = self.open_arc(node) {
                way.push(arc);
                node = self.to[arc as usize];
                continue;
            }
            // A dead end: back, and that arc is not tried again.
            let Some(arc) = way.pop() else { return Ok(None) };
            node = self.to[arc as usize ^ 1];
            self.next[node as usize] += 1;
        }
        let least = |most: C, &arc: &u32| {
            let left = self.left[arc as usize];
            if left < most { left } else { most }
        };
        let amount = way.iter().fold(most, least);
        for &arc in &way {
            let arc = arc as usize;
            self.left[arc] = self.left[arc] - amount;
            self.left[arc ^ 1] = self.left[arc ^ 1] + amount;
        }
        budget.step(way.len())?;
        Ok(Some(amount))
    }

    /// The next arc of a node that leads one level further.
    fn open_arc(&mut self, node: u32) -> Option<u32> {
        let at = node as usize;
        while self.next[at] < self.starts[at + 1] {
            let arc = self.arcs[self.next[at]];
            let further = self.levels[self.to[arc as usize] as usize];
            let leads_on = further != FAR && further == self.levels[at] + 1;
            if leads_on && self.left[arc as usize] > C::default() {
                return Some(arc);
            }
            self.next[at] += 1;
        }
        None
    }
}
