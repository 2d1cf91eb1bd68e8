//! The face of planner and execution: a text becomes a [`Prepared`], which runs on a graph.
//!
//! ```text
//!   text ──compile──► Prepared ──read(view)────► Answer: batches of columns
//!                        │    └──write(graph)──► Answer; the graph has noted its changes
//!                        └──explain(view)──► a tree of operators
//! ```
//!
//! What only reads takes a [`View`](crate::storage::View), which may be that of a frozen graph on
//! another thread. What writes takes a graph, which the caller forks before and drops after an
//! error: a statement that fails may have changed it in part.

mod answer;
mod at_once;
mod constraint;
mod error;
mod explained;
mod header;
mod index;
mod lookup;
mod prepared;
mod settings;

pub use answer::{Answer, Cell, Row, Statistics};
pub(crate) use at_once::FEW_NODES;
pub use at_once::{AtOnceBudget, SHORT_ANSWER};
pub use constraint::ConstraintStatement;
pub use error::{Class, Error, Phase};
pub use explained::Explained;
pub use prepared::{Prepared, check_constraints, constant, parameters, read, write, write_part};
pub use settings::{Ended, Interrupt, NoInterrupt, Settings};
