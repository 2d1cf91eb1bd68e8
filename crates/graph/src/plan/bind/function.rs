//! Calls of functions.

use super::Binder;
use crate::cypher::ast::{ExprKind, FunctionCall};
use crate::function;
use crate::plan::{Expression, GraphFunction};
use crate::query::Error;

/// The functions whose values the graph knows.
const OF_GRAPH: &[(&str, GraphFunction)] = &[
    ("id", GraphFunction::Id),
    ("labels", GraphFunction::Labels),
    ("type", GraphFunction::Type),
    ("properties", GraphFunction::Properties),
    ("keys", GraphFunction::Keys),
    ("startNode", GraphFunction::StartNode),
    ("endNode", GraphFunction::EndNode),
    ("indegree", GraphFunction::InDegree),
    ("outdegree", GraphFunction::OutDegree),
    ("hasLabels", GraphFunction::HasLabels),
    ("toJSON", GraphFunction::ToJson),
];

impl Binder<'_> {
    /// Binds a call.
    pub fn call(&mut self, call: &FunctionCall) -> Result<Expression, Error> {
        let name = &*call.name.text;
        if name.eq_ignore_ascii_case("exists")
            && let [argument] = &call.arguments[..]
        {
            let value = self.expression(argument)?;
            return Ok(match argument.kind {
                ExprKind::Pattern(_) | ExprKind::Subquery(_) => value,
                _ => Expression::IsNull(Box::new(value), true),
            });
        }
        let arguments = self.expressions(&call.arguments)?;
        if let Some((_, of_graph)) =
            OF_GRAPH.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            return Ok(Expression::OfGraph(*of_graph, arguments));
        }
        if name.eq_ignore_ascii_case("prev")
            && let Some(value) = arguments.first()
        {
            return Ok(Expression::Previous(Box::new(value.clone()), self.slot()));
        }
        match function::named(name) {
            Some(function) => Ok(Expression::Function(function, arguments)),
            None => Err(Error::unsupported(&format!("The function '{name}'"))),
        }
    }
}
