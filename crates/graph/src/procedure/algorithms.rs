//! The algorithms as procedures that `CALL` knows.

use std::sync::Arc;

use crate::algorithm;
use crate::cypher::{Procedure, ProcedureBody};
use crate::value::Type;

/// What a column may be: columns of one name are alike.
fn may_be(column: &str) -> Type {
    match column {
        "node" => Type::NODE,
        "path" => Type::PATH,
        "nodes" => Type::list_of(Type::NODE),
        "edges" => Type::list_of(Type::RELATIONSHIP),
        "edgeFlows" => Type::list_of(Type::NUMBER),
        "componentId" | "communityId" | "reachable" => Type::INTEGER,
        "score" | "pathWeight" | "pathCost" => Type::FLOAT,
        _ => Type::NUMBER,
    }
}

/// The algorithm of a name, in letters of any case. It looks at its arguments itself.
pub(super) fn procedure(name: &str) -> Option<Procedure> {
    let algorithm = algorithm::procedure(name)?;
    let arguments = algorithm.arguments.iter().map(|&name| (Arc::from(name), Type::ANY));
    let columns = algorithm.columns.iter().map(|&name| (Arc::from(name), may_be(name)));
    Some(Procedure {
        arguments: arguments.collect(),
        columns: columns.collect(),
        writes: false,
        body: ProcedureBody::Algorithm(algorithm),
    })
}
