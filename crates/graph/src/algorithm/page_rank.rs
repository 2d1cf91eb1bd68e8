//! PageRank: how often a walk comes by a node that follows a random edge with a probability, and
//! else starts anew anywhere.
//!
//! L. Page, S. Brin, R. Motwani, T. Winograd, *The PageRank citation ranking* (1998), by power
//! iteration. From a node that no edge leaves the walk starts anew, so that the ranks' sum stays 1.
//! Of several edges from one node to another one counts, as in FalkorDB. O((nodes + edges) ·
//! iterations), at most 100 of them.

use super::subgraph::{Arcs, Lead, Nodes, types_of};
use super::{Budget, Error, Scores, Selection};
use crate::storage::View;

/// How ranks are computed; FalkorDB's figures if nothing is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// How probable it is that an edge is followed.
    pub damping: f64,
    /// The ranks are good when they change by no more, all together.
    pub tolerance: f64,
    /// The most rounds.
    pub iterations: usize,
}

impl Default for Damping {
    fn default() -> Self {
        Damping { damping: 0.85, tolerance: 1e-4, iterations: 100 }
    }
}

/// The rank of each selected node.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn page_rank(
    view: &View,
    selection: &Selection,
    how: Damping,
    budget: &mut Budget<'_>,
) -> Result<Scores, Error> {
    let nodes = Nodes::select(view, selection.labels.as_deref(), budget)?;
    let types = types_of(view, selection.types.as_deref());
    let arcs = Arcs::read(view, &nodes, (&types, Lead::Into), budget)?;
    let count = nodes.len();
    let mut degrees = budget.array(count, 0_u32)?;
    for node in (0..).take(count) {
        arcs.of(node).iter().for_each(|&from| degrees[from as usize] += 1);
        budget.step(1 + arcs.of(node).len())?;
    }
    let each = 1.0 / count as f64;
    let mut ranks = budget.array(count, each)?;
    let mut shares = budget.array(count, 0.0)?;
    for _ in 0..how.iterations {
        let mut lost = 0.0;
        for (node, &degree) in degrees.iter().enumerate() {
            if degree == 0 {
                lost += ranks[node];
            } else {
                shares[node] = how.damping * ranks[node] / f64::from(degree);
            }
        }
        let base = (1.0 - how.damping + how.damping * lost) * each;
        let mut changed = 0.0;
        for (node, rank) in (0..).zip(&mut ranks) {
            let sources = arcs.of(node);
            let new = base + sources.iter().map(|&from| shares[from as usize]).sum::<f64>();
            changed += (new - *rank).abs();
            *rank = new;
            budget.step(1 + sources.len())?;
        }
        if changed <= how.tolerance {
            break;
        }
    }
    Ok(Scores { nodes: nodes.ids, scores: ranks })
}
