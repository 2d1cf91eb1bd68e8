//! Harmonic centrality: the sum of the inverse distances to all nodes that a node reaches.
//!
//! Y. Rochat, *Closeness centrality extended to unconnected graphs* (2009). Up to [`EXACT`] nodes
//! by a breadth-first search from each: O(nodes · (nodes + edges)). Beyond, as FalkorDB does
//! always, by P. Boldi and S. Vigna's *HyperBall* (2013): each node has a HyperLogLog sketch
//! (P. Flajolet et al., 2007) of what it reaches within so many steps, which is the union of those
//! of its neighbours within one step fewer; O((nodes + edges) · longest distance). A sketch has 128
//! registers: counts are off by a tenth, scores by less. Hashes are fixed, so that scores are, too.

use super::subgraph::{Arcs, Lead, Nodes, types_of};
use super::{Budget, Error, Selection};
use crate::storage::{NodeId, View};

/// Of graphs with more nodes scores are estimates.
pub const EXACT: usize = 4096;

/// How near each node is to others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closeness {
    /// The nodes, in ascending order.
    pub nodes: Vec<NodeId>,
    /// The sum of the inverse distances to the others.
    pub scores: Vec<f64>,
    /// How many others each reaches.
    pub reachable: Vec<i64>,
}

/// The harmonic centrality of each selected node.
///
/// # Errors
/// It was ended, would keep too much, or a label or type is not there.
pub fn harmonic(
    view: &View,
    selection: &Selection,
    exact: usize,
    budget: &mut Budget<'_>,
) -> Result<Closeness, Error> {
    let labels = selection.labels.iter().flatten();
    if let Some(name) = labels.into_iter().find(|name| view.label(name).is_none()) {
        return Err(Error::wrong(format!("unknown label {name}")));
    }
    let types = selection.types.iter().flatten();
    if let Some(name) = types.into_iter().find(|name| view.edge_type(name).is_none()) {
        return Err(Error::wrong(format!("unknown relationship-type {name}")));
    }
    let nodes = Nodes::select(view, selection.labels.as_deref(), budget)?;
    let types = types_of(view, selection.types.as_deref());
    let arcs = Arcs::read(view, &nodes, (&types, Lead::Out), budget)?;
    let mut scores = budget.array(nodes.len(), 0.0)?;
    let mut reachable = budget.array(nodes.len(), 0)?;
    if nodes.len() <= exact {
        searches(&arcs, &mut scores, &mut reachable, budget)?;
    } else {
        balls(&arcs, &mut scores, &mut reachable, budget)?;
    }
    Ok(Closeness { nodes: nodes.ids, scores, reachable })
}

fn searches(
    arcs: &Arcs,
    scores: &mut [f64],
    reachable: &mut [i64],
    budget: &mut Budget<'_>,
) -> Result<(), Error> {
    // Which search has seen a node last.
    let mut seen = budget.array(scores.len(), u32::MAX)?;
    let mut order: Vec<u32> = budget.room(scores.len())?;
    for start in (0..).take(scores.len()) {
        order.clear();
        order.push(start);
        seen[start as usize] = start;
        let (mut level, mut distance) = (0..1, 0.0);
        while !level.is_empty() {
            for at in level.clone() {
                let next = arcs.of(order[at]);
                for &to in next {
                    if std::mem::replace(&mut seen[to as usize], start) != start {
                        order.push(to);
                    }
                }
                budget.step(1 + next.len())?;
            }
            level = level.end..order.len();
            distance += 1.0;
            scores[start as usize] += level.len() as f64 / distance;
        }
        // Nodes are fewer than 2³².
        reachable[start as usize] = order.len() as i64 - 1;
    }
    Ok(())
}

/// The registers of a sketch: 2⁷.
const BITS: u32 = 7;
const REGISTERS: usize = 1 << BITS;

fn balls(
    arcs: &Arcs,
    scores: &mut [f64],
    reachable: &mut [i64],
    budget: &mut Budget<'_>,
) -> Result<(), Error> {
    let count = scores.len();
    let mut sketches = budget.array(count, [0_u8; REGISTERS])?;
    let mut next = budget.array(count, [0_u8; REGISTERS])?;
    let mut sizes = budget.array(count, 1.0)?;
    let powers: [f64; 65] = std::array::from_fn(|rank| 2_f64.powi(-(rank as i32)));
    for (node, sketch) in (0_u64..).zip(&mut sketches) {
        add(sketch, node);
    }
    let mut distance = 0.0;
    loop {
        distance += 1.0;
        let mut grown = false;
        for (node, new) in (0_u32..).zip(&mut next) {
            let at = node as usize;
            *new = sketches[at];
            for &to in arcs.of(node) {
                let other = &sketches[to as usize];
                new.iter_mut().zip(other).for_each(|(one, &other)| *one = (*one).max(other));
            }
            budget.step(1 + 8 * arcs.of(node).len())?;
            if *new != sketches[at] {
                grown = true;
                let size = estimate(new, &powers).max(sizes[at]);
                scores[at] += (size - sizes[at]) / distance;
                sizes[at] = size;
            }
        }
        if !grown {
            break;
        }
        std::mem::swap(&mut sketches, &mut next);
    }
    for (reached, size) in reachable.iter_mut().zip(&sizes) {
        *reached = (size - 1.0).round() as i64;
    }
    Ok(())
}

/// Adds a number to a sketch.
fn add(sketch: &mut [u8; REGISTERS], number: u64) {
    let hash = base::Rng::new(number).next_u64();
    let register = (hash >> (64 - BITS)) as usize;
    // At most 58.
    let rank = ((hash << BITS) | 1 << (BITS - 1)).leading_zeros() as u8 + 1;
    sketch[register] = sketch[register].max(rank);
}

/// How many numbers were added, about.
fn estimate(sketch: &[u8; REGISTERS], powers: &[f64; 65]) -> f64 {
    let registers = REGISTERS as f64;
    let alpha = 0.7213 / (1.0 + 1.079 / registers);
    let sum: f64 = sketch.iter().map(|&rank| powers[usize::from(rank)]).sum();
    let raw = alpha * registers * registers / sum;
    let empty = sketch.iter().filter(|&&rank| rank == 0).count();
    if raw <= 2.5 * registers && empty > 0 {
        return registers * (registers / empty as f64).ln();
    }
    raw
}
