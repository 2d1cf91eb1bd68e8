//! Plans: what a statement does, as data. Names become slots, `WITH` and `RETURN` become the steps
//! they consist of, patterns become graphs of what is looked for.
//!
//! ```text
//!   ast ──bind──► Query: clauses over slots ──order (with a graph's counts)──► steps of a match
//! ```
//!
//! A slot is the place of a column in a batch. A variable has one slot from where it is bound to
//! where it is forgotten; `WITH a AS b` gives the slot another name.

mod access;
mod bind;
mod by_key;
mod change;
mod clause;
mod expression;
mod order;
mod pattern;
mod short;
mod slots;

pub use access::{Access, Ask, Estimates, Facts, asking};
pub use bind::{bind, bind_constant};
pub use by_key::ByKey;
pub use change::{Assignment, Delete, Foreach, LoadCsv, Merge, ProcedureCall};
pub use clause::{Clause, Create, Grouping, NewEdge, NewNode, Part, Query, SubqueryClause};
pub use expression::{
    Aggregate, Case, Comprehension, Expression, GraphFunction, LabelTest, PathParts, Reduce,
    Selector, Subquery, Test,
};
pub use order::{Hop, Step, looked_up, order};
pub use pattern::{Condition, Pattern, PatternEdge, PatternNode};
pub use short::{is_short, is_short_change};
pub use slots::{Live, SlotSet};

/// The place of a column in a batch.
pub type Slot = usize;
