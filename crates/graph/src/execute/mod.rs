//! Execution: operators that pull batches of rows from each other.
//!
//! ```text
//!   Given ─► Scan ─► Hop ─► Filter ─► Project ─► Sort ─► …     each asks the one before it
//! ```
//!
//! An operator is made for one run, borrows the plan, and gets the [`Run`] with each call: the
//! graph, the settings, the memory that is left, what was changed. A node or relationship is its id
//! in a column; what it holds is looked up when an expression asks.
//!
//! | file | what it does |
//! | --- | --- |
//! | `column`, `texts`, `batch` | rows |
//! | `run` | what operators share |
//! | `build` | from clauses to operators |
//! | `scan`, `index_scan`, `seek` | find where a match begins |
//! | `hop`, `steps`, `trail`, `given_edge`, `shortest` | follow relationships |
//! | `apply` | a plan for each row: `OPTIONAL MATCH`, `CALL {}`, and subqueries of expressions |
//! | `aggregate`, `groups`, `weigh` | groups, and counts |
//! | `filter`, `project`, `unwind`, `distinct`, `sort`, `limit`, `union` | the rest |
//! | `procedure` | `CALL procedure(…)` |
//! | `load_csv`, `csv` | `LOAD CSV` |
//! | `change` | changes: takes all rows, changes, passes them on |
//! | `create`, `merge`, `assign`, `delete`, `foreach` | what is changed |
//! | `gone` | what was deleted, and may still be named |

mod aggregate;
mod apply;
mod assign;
mod batch;
mod build;
mod change;
mod column;
mod counted;
mod create;
mod csv;
mod delete;
mod distinct;
mod fill;
mod filter;
mod foreach;
mod given;
mod given_edge;
mod gone;
mod groups;
mod hop;
mod index_scan;
mod limit;
mod load_csv;
mod merge;
mod merge_by_key;
mod procedure;
mod project;
mod run;
mod scan;
mod seek;
mod shortest;
mod sort;
mod steps;
mod texts;
mod trail;
mod types;
mod union;
mod unwind;
mod weigh;

pub use apply::{collect, count, exists};
pub use batch::{Batch, ROWS, row_number};
pub use build::build;
pub use column::{Column, NO_ID, NULLS, narrow};
pub(crate) use csv::{Error as CsvError, Record, Records};
pub use gone::{Deleted, Gone, entity_of};
pub use run::Run;
pub use texts::TextColumn;

use crate::query::{Error, Explained};

/// An operator with all that it takes its rows from.
pub type Boxed<'p> = Box<dyn Operator + 'p>;

/// Makes rows, a batch at a time.
pub trait Operator {
    /// The next rows; none when there are no more.
    ///
    /// # Errors
    /// An expression has no value, the statement may not go on, or needs too much memory.
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error>;

    /// What it is, with all that it takes its rows from.
    fn explain(&self) -> Explained;
}
