//! `WITH` and `RETURN`: their columns, and the scope they leave.

use std::collections::HashSet;
use std::sync::Arc;

use super::aggregation::{GroupKeys, has_aggregate, has_subquery};
use super::order::Projected;
use super::scope::Layer;
use super::{At, Checker, MAX_STARRED};
use crate::cypher::ast::{Expr, ExprKind, Literal, Projection};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::Span;
use crate::value::Type;

/// The columns of a projection, each with what it may be.
type Columns = Vec<(Arc<str>, Type)>;

impl Checker<'_> {
    /// Checks a `WITH` of a query whose scope began with so many layers below it.
    pub fn with(
        &mut self,
        projection: &Projection,
        filter: Option<&Expr>,
        depth: usize,
        span: Span,
    ) -> Result<(), Error> {
        let unnamed =
            projection.items.iter().find(|item| !item.named && item.value.as_variable().is_none());
        let columns = self.columns(projection, span)?;
        self.rows(projection, filter, &columns)?;
        if let Some(item) = unnamed {
            let message = "WITH clause projections must be aliased";
            let start = item.value.span.start;
            return Err(Error::new(Class::NoExpressionAlias, start, message));
        }
        self.scope.cut(depth);
        self.scope.push(layer(Layer::opaque(), &columns));
        Ok(())
    }

    /// Checks a `RETURN`, and tells its columns.
    pub fn return_clause(
        &mut self,
        projection: &Projection,
        span: Span,
    ) -> Result<Vec<Arc<str>>, Error> {
        let columns = self.columns(projection, span)?;
        if columns.is_empty() {
            let message = "RETURN * is not allowed when there are no variables in scope";
            return Err(Error::new(Class::NoVariablesInScope, span.start, message));
        }
        self.rows(projection, None, &columns)?;
        Ok(columns.into_iter().map(|(name, _)| name).collect())
    }

    /// Checks the columns, and tells them.
    fn columns(&mut self, projection: &Projection, span: Span) -> Result<Columns, Error> {
        let mut columns = if projection.star { self.scope.variables() } else { Vec::new() };
        self.starred += columns.len();
        if self.starred > MAX_STARRED {
            let message = format!("Query takes more than {MAX_STARRED} columns by *");
            return Err(Error::new(Class::TooComplex, span.start, message));
        }
        let keys = GroupKeys::of(projection, &columns);
        for item in &projection.items {
            let may_be = self.expr(&item.value, At::COLUMN)?;
            keys.check(&item.value)?;
            columns.push((Arc::clone(&item.column.text), may_be));
        }
        let mut seen = HashSet::new();
        if columns.iter().all(|(name, _)| seen.insert(name)) {
            return Ok(columns);
        }
        let message = "Error: Multiple result columns with the same name are not supported.";
        Err(Error::new(Class::ColumnNameConflict, span.start, message))
    }

    /// Checks which rows there are, in which order.
    fn rows(
        &mut self,
        projection: &Projection,
        filter: Option<&Expr>,
        columns: &Columns,
    ) -> Result<(), Error> {
        let aggregated = projection.items.iter().any(|item| has_aggregate(&item.value));
        let grouped = aggregated || projection.distinct;
        let mut values = projection.order.iter().map(|item| &item.value).chain(filter);
        // What a subquery names is not compared with columns: it sees them alone.
        let hidden = grouped && values.any(has_subquery);
        let below = if hidden { Layer::opaque() } else { Layer::clear() };
        self.scope.push(layer(below, columns));
        let at = if grouped { At::COLUMN } else { At::ROW };
        let projected = grouped.then(|| Projected::of(projection, columns, aggregated));
        let sees = |value| projected.as_ref().map_or(Ok(()), |projected| projected.check(value));
        for item in &projection.order {
            sees(&item.value)?;
            self.expr(&item.value, at)?;
        }
        if let Some(filter) = filter {
            self.predicate(filter, At::ROW)?;
            sees(filter)?;
        }
        self.scope.pop();
        self.count_of_rows(projection.skip.as_ref(), "SKIP")?;
        self.count_of_rows(projection.limit.as_ref(), "LIMIT")
    }

    /// `SKIP` and `LIMIT` take a number that is the same for all rows.
    fn count_of_rows(&mut self, count: Option<&Expr>, clause: &str) -> Result<(), Error> {
        let Some(count) = count else { return Ok(()) };
        let error = |class| {
            let message =
                format!("{clause} specified value of invalid type, must be a positive integer");
            Error::new(class, count.span.start, message)
        };
        self.scope.push(Layer::opaque());
        let may_be = self.expr(count, At::ROW);
        self.scope.pop();
        let may_be = may_be.map_err(|found| match found.class {
            Class::UndefinedVariable => error(Class::NonConstantExpression),
            _ => found,
        })?;
        match count.kind {
            ExprKind::Literal(Literal::Integer(..0)) => Err(error(Class::NegativeIntegerArgument)),
            _ if !may_be.may_be_some(Type::INTEGER) => Err(error(Class::InvalidArgumentType)),
            _ => Ok(()),
        }
    }
}

/// A layer that binds columns.
fn layer(mut layer: Layer, columns: &Columns) -> Layer {
    for (name, may_be) in columns {
        layer.bind(name, *may_be);
    }
    layer
}
