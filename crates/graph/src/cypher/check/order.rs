//! What the rows of a projection may be ordered by, once they are grouped.
//!
//! The rows that went in are gone: there are columns, and expressions that are the same as that of
//! a column. The same holds for a `WHERE` behind them.

use std::collections::HashSet;
use std::sync::Arc;

use super::aggregation::{Own, ambiguous, for_each_variable, has_aggregate, is_aggregate};
use super::undefined;
use crate::cypher::ast::{Expr, ExprKind, Projection};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::Name;
use crate::value::Type;

/// What there is after a projection that groups.
pub struct Projected {
    columns: HashSet<Arc<str>>,
    /// The text of each column's expression.
    values: HashSet<String>,
    /// The variables in the expressions by which rows are grouped.
    grouped_by: HashSet<Arc<str>>,
    aggregated: bool,
}

impl Projected {
    /// What there is after a projection with some columns.
    pub fn of(projection: &Projection, columns: &[(Arc<str>, Type)], aggregated: bool) -> Self {
        let mut grouped_by = HashSet::new();
        for item in projection.items.iter().filter(|item| !has_aggregate(&item.value)) {
            for_each_variable(&item.value, &mut |name| {
                grouped_by.insert(Arc::clone(&name.text));
            });
        }
        let values = projection.items.iter().map(|item| item.value.to_string());
        Self {
            columns: columns.iter().map(|(name, _)| Arc::clone(name)).collect(),
            values: values.collect(),
            grouped_by,
            aggregated,
        }
    }

    /// Checks what rows are ordered by.
    pub fn check(&self, value: &Expr) -> Result<(), Error> {
        self.visit(value, &mut Own::default())
    }

    fn visit<'e>(&self, value: &'e Expr, own: &mut Own<'e>) -> Result<(), Error> {
        if self.values.contains(&value.to_string()) {
            return Ok(());
        }
        if is_aggregate(value) {
            return Err(self.new_aggregate(value));
        }
        if let ExprKind::Pattern(path) = &value.kind {
            let hidden = |name: &&Name| !own.has(name) && !self.columns.contains(&name.text);
            if let Some(name) = path.variables().find(hidden) {
                return Err(undefined(name));
            }
        }
        if let ExprKind::Variable(name) = &value.kind {
            if own.has(name) || self.columns.contains(&name.text) {
                return Ok(());
            }
            let known = self.aggregated && self.grouped_by.contains(&name.text);
            return Err(if known { ambiguous(value) } else { undefined(name) });
        }
        own.visit_parts(value, |part, own| self.visit(part, own))
    }

    /// An aggregate that is none of the columns: its rows are gone.
    fn new_aggregate(&self, value: &Expr) -> Error {
        let mut gone = None;
        for_each_variable(value, &mut |name| {
            if !self.columns.contains(&name.text) && gone.is_none() {
                gone = Some(undefined(name));
            }
        });
        gone.unwrap_or_else(|| {
            let message =
                "failed to map aggregation expression within ORDER BY clause, please use alias";
            Error::new(Class::InvalidAggregation, value.span.start, message)
        })
    }
}
