//! Algorithms over a whole graph, or over a part of it: FalkorDB's `algo.*` procedures as plain
//! functions that read a [`View`](crate::storage::View).
//!
//! ```text
//!   Value::Map ──parameters──► options ──┐
//!                                        ├──► columns of ids and numbers
//!   View ──subgraph──► dense arrays ─────┘
//! ```
//!
//! Each takes its options, names of labels and types among them, and a [`Budget`], which is charged
//! for all that is kept and asks every few thousand steps whether to go on. The same graph and the
//! same options give the same rows in the same order: what is drawn is drawn from a seed.
//!
//! | file | procedure | what it answers |
//! | --- | --- | --- |
//! | `page_rank` | `algo.pageRank` | how often a random walk comes by |
//! | `components` | `algo.WCC` | which nodes are connected at all |
//! | `betweenness` | `algo.betweenness` | how many shortest paths lead through a node |
//! | `breadth_first` | `algo.BFS` | what is reached, and by which edges |
//! | `label_propagation` | `algo.labelPropagation` | which nodes are close to each other |
//! | `spanning_forest` | `algo.MSF` | the lightest edges that connect all |
//! | `pair_paths`, `source_paths` | `algo.SPpaths`, `algo.SSpaths` | the lightest paths |
//! | `harmonic` | `algo.HarmonicCentrality` | how near a node is to all others |
//! | `max_flow` | `algo.maxFlow` | how much flows from here to there |
//!
//! A label or type that the graph does not have selects nothing. FalkorDB runs on the whole graph
//! if none of the names is known, which answers another question than was asked.

mod betweenness;
mod breadth_first;
mod budget;
mod columns;
mod components;
mod error;
mod harmonic;
mod label_propagation;
mod max_flow;
mod page_rank;
mod pair_paths;
mod parameters;
mod path_search;
mod procedure;
mod roads;
mod source_paths;
mod spanning_forest;
mod subgraph;
mod union_find;

pub use betweenness::{Sampling, betweenness};
pub use breadth_first::{Reached, breadth_first};
pub use budget::Budget;
pub use columns::{Groups, ResultColumn, Rows, Scores};
pub use components::components;
pub use error::Error;
pub use harmonic::{Closeness, EXACT, harmonic};
pub use label_propagation::label_propagation;
pub use max_flow::{Amount, Flow, FlowOptions, max_flow};
pub use page_rank::{Damping, page_rank};
pub use pair_paths::pair_paths;
pub use path_search::{PathCount, PathOptions, Paths};
pub use procedure::{Procedure, procedure, procedures};
pub use roads::Way;
pub use source_paths::source_paths;
pub use spanning_forest::{ForestOptions, Tree, spanning_forest};
pub use subgraph::Selection;
