//! The procedures that `CALL` knows: what there is in the graph, and in the language.
//!
//! | procedure | yields |
//! | --- | --- |
//! | `db.labels`, `db.relationshipTypes`, `db.propertyKeys` | names, in order of their numbers |
//! | `db.indexes`, `db.constraints` | what indexes and constraints there are |
//! | `db.meta.stats` | how many nodes there are of each label, and so on |
//! | `dbms.procedures`, `dbms.functions` | what can be called |
//! | `algo.pageRank` and its like | see [`algorithm`](crate::algorithm) |
//!
//! What else is callable an `Environment` says. `execute/procedure.rs` gives a procedure what is
//! left of the statement's memory, and hands on its rows batch by batch.

mod algorithms;
mod indexes;
mod language;
mod schema;

use std::sync::Arc;

use crate::cypher::{Environment, Procedure, ProcedureBody};
use crate::storage::View;
use crate::value::{Error, Type, Value};

/// An environment with the procedures that are always there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Environment for Builtin {
    fn procedure(&self, name: &str) -> Option<Procedure> {
        let listed = all().find(|procedure| procedure.name.eq_ignore_ascii_case(name));
        listed.map(Listed::to_procedure).or_else(|| algorithms::procedure(name))
    }

    fn why_not(&self, name: &str) -> Option<&'static str> {
        let starts = |with: &str| {
            name.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        if starts("db.idx.fulltext.") {
            return Some("there are no full-text indexes yet");
        }
        starts("db.idx.vector.").then_some("there are no vector indexes yet")
    }
}

/// Rows of a procedure.
type Rows = Result<Vec<Vec<Value>>, Error>;

/// A procedure of the table.
struct Listed {
    name: &'static str,
    arguments: &'static [(&'static str, Type)],
    columns: &'static [(&'static str, Type)],
    run: fn(&View, &[Value]) -> Rows,
}

impl Listed {
    fn to_procedure(&self) -> Procedure {
        let fields = |fields: &[(&str, Type)]| {
            fields.iter().map(|&(name, may_be)| (Arc::from(name), may_be)).collect()
        };
        Procedure {
            arguments: fields(self.arguments),
            columns: fields(self.columns),
            writes: false,
            body: ProcedureBody::new(self.run),
        }
    }
}

fn all() -> impl Iterator<Item = &'static Listed> {
    [schema::PROCEDURES, indexes::PROCEDURES, language::PROCEDURES].into_iter().flatten()
}
