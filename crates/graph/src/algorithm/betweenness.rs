//! Betweenness centrality: how many shortest paths lead through a node.
//!
//! U. Brandes, *A faster algorithm for betweenness centrality* (2001), over directed edges without
//! weights, neither halved nor normalised: O((nodes + edges) · sources). With more nodes than the
//! sample has, only paths from some sources count, without being scaled up, as in FalkorDB. It
//! draws them with repetition, so that its scores are wrong even where the sample has room for all;
//! here none is drawn twice.
//!
//! There may be more shortest paths than a number can say. So the counts of a level are divided
//! by their largest where that becomes very large; only quotients of neighbouring levels matter.

use base::Rng;

use super::subgraph::{Arcs, Lead, Nodes, types_of};
use super::{Budget, Error, Scores, Selection};
use crate::storage::View;

/// From how many nodes paths are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// So many, or all if there are no more.
    pub size: usize,
    /// What they are drawn with.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { size: 32, seed: 0 }
    }
}

/// Counts that are larger are scaled.
const LARGE: f64 = 1e100;

/// The betweenness of each selected node.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn betweenness(
    view: &View,
    selection: &Selection,
    sampling: Sampling,
    budget: &mut Budget<'_>,
) -> Result<Scores, Error> {
    let nodes = Nodes::select(view, selection.labels.as_deref(), budget)?;
    let types = types_of(view, selection.types.as_deref());
    let arcs = Arcs::read(view, &nodes, (&types, Lead::Out), budget)?;
    let mut scores = budget.array(nodes.len(), 0.0)?;
    let mut tree = Tree::new(nodes.len(), budget)?;
    for source in sample(nodes.len(), sampling, budget)? {
        tree.grow(&arcs, source, budget)?;
        tree.add_dependencies(&arcs, &mut scores, budget)?;
    }
    Ok(Scores { nodes: nodes.ids, scores })
}

/// Draws nodes, none twice, and gives them in order.
fn sample(count: usize, sampling: Sampling, budget: &mut Budget<'_>) -> Result<Vec<u32>, Error> {
    let mut all: Vec<u32> = budget.room(count)?;
    all.extend((0..).take(count));
    if sampling.size < count {
        let mut rng = Rng::new(sampling.seed);
        for at in 0..sampling.size {
            let other = at + rng.below(count - at);
            all.swap(at, other);
        }
        all.truncate(sampling.size);
        all.sort_unstable();
    }
    Ok(all)
}

/// What stands for a node that was not reached.
const FAR: u32 = u32::MAX;

/// The shortest paths from a source.
struct Tree {
    levels: Vec<u32>,
    /// How many shortest paths lead to each node, scaled by level.
    counts: Vec<f64>,
    dependencies: Vec<f64>,
    /// The nodes as they are reached.
    order: Vec<u32>,
    /// Where each level begins, and what its counts were divided by.
    starts: Vec<(usize, f64)>,
}

impl Tree {
    fn new(count: usize, budget: &mut Budget<'_>) -> Result<Self, Error> {
        Ok(Tree {
            levels: budget.array(count, FAR)?,
            counts: budget.array(count, 0.0)?,
            dependencies: budget.array(count, 0.0)?,
            order: budget.room(count)?,
            starts: budget.room(count + 1)?,
        })
    }

    fn grow(&mut self, arcs: &Arcs, source: u32, budget: &mut Budget<'_>) -> Result<(), Error> {
        for node in self.order.drain(..) {
            self.levels[node as usize] = FAR;
            self.counts[node as usize] = 0.0;
            self.dependencies[node as usize] = 0.0;
        }
        self.starts.clear();
        self.starts.push((0, 1.0));
        self.order.push(source);
        self.levels[source as usize] = 0;
        self.counts[source as usize] = 1.0;
        let mut level = 0..1;
        for depth in 1.. {
            for at in level.clone() {
                let node = self.order[at];
                let count = self.counts[node as usize];
                for &to in arcs.of(node) {
                    if self.levels[to as usize] == FAR {
                        self.levels[to as usize] = depth;
                        self.order.push(to);
                    }
                    if self.levels[to as usize] == depth {
                        self.counts[to as usize] += count;
                    }
                }
                budget.step(1 + arcs.of(node).len())?;
            }
            level = level.end..self.order.len();
            if level.is_empty() {
                return Ok(());
            }
            let scale = self.scale(level.clone());
            self.starts.push((level.start, scale));
        }
        Ok(())
    }

    /// Divides the counts of a level by the largest, if that is very large.
    fn scale(&mut self, level: std::ops::Range<usize>) -> f64 {
        let nodes = &self.order[level];
        let largest = nodes.iter().map(|&node| self.counts[node as usize]).fold(0.0, f64::max);
        if largest < LARGE {
            return 1.0;
        }
        nodes.iter().for_each(|&node| self.counts[node as usize] /= largest);
        largest
    }

    /// Adds to each node's score what part of the paths from the source lead through it.
    fn add_dependencies(
        &mut self,
        arcs: &Arcs,
        scores: &mut [f64],
        budget: &mut Budget<'_>,
    ) -> Result<(), Error> {
        // The scale of the level below that of the nodes.
        let (mut end, mut below) = (self.order.len(), 1.0);
        for (depth, &(start, scale)) in self.starts.iter().enumerate().rev() {
            for &node in &self.order[start..end] {
                let mut sum = 0.0;
                for &to in arcs.of(node) {
                    if self.levels[to as usize] as usize == depth + 1 {
                        let share = self.counts[node as usize] / self.counts[to as usize] / below;
                        sum += share * (1.0 + self.dependencies[to as usize]);
                    }
                }
                self.dependencies[node as usize] = sum;
                if depth > 0 {
                    scores[node as usize] += sum;
                }
                budget.step(1 + arcs.of(node).len())?;
            }
            (end, below) = (start, scale);
        }
        Ok(())
    }
}
