//! What runs for each element of a list, and queries within expressions.

use std::mem;

use super::Binder;
use super::query::Within;
use crate::cypher::Name;
use crate::cypher::ast::{self, Expr, ExprKind, PathKind, PathPattern, SubqueryKind};
use crate::plan::{Clause, Comprehension, Expression, Part, Query, Reduce, Subquery};
use crate::query::Error;
use crate::value::Value;

impl Binder<'_> {
    /// Binds an expression that binds names of its own.
    pub fn scoped(&mut self, value: &Expr) -> Result<Expression, Error> {
        match &value.kind {
            ExprKind::ListComprehension(it) => {
                let parts = (it.filter.as_ref(), it.value.as_ref());
                let comprehension = self.comprehension(&it.variable, &it.list, parts)?;
                Ok(Expression::Comprehension(Box::new(comprehension)))
            }
            ExprKind::Quantifier(it) => {
                let parts = (it.filter.as_ref(), None);
                let comprehension = self.comprehension(&it.variable, &it.list, parts)?;
                Ok(Expression::Quantifier(it.kind, Box::new(comprehension)))
            }
            ExprKind::Reduce(reduce) => self.reduce(reduce),
            ExprKind::PatternComprehension(it) => {
                self.pattern_query(&it.path, it.filter.as_ref(), Some(&it.value))
            }
            ExprKind::Pattern(path) => self.pattern_value(path),
            ExprKind::Subquery(subquery) => self.subquery(subquery),
            _ => Err(Error::unsupported("This expression")),
        }
    }

    fn comprehension(
        &mut self,
        variable: &Name,
        list: &Expr,
        (filter, value): (Option<&Expr>, Option<&Expr>),
    ) -> Result<Comprehension, Error> {
        let list = self.expression(list)?;
        let mark = self.touched.len();
        let element = self.name(&variable.text);
        let filter = filter.map(|filter| self.expression(filter)).transpose()?;
        let value = value.map(|value| self.expression(value)).transpose()?;
        self.names.split_off(self.names.len() - 1);
        let outer = self.named_since(mark, element);
        Ok(Comprehension { element, list, filter, value, outer })
    }

    fn reduce(&mut self, reduce: &ast::Reduce) -> Result<Expression, Error> {
        let start = self.expression(&reduce.start)?;
        let list = self.expression(&reduce.list)?;
        let mark = self.touched.len();
        let accumulator = self.name(&reduce.accumulator.text);
        let element = self.name(&reduce.variable.text);
        let step = self.expression(&reduce.step)?;
        self.names.split_off(self.names.len() - 2);
        let outer = self.named_since(mark, accumulator);
        let reduce = Reduce { accumulator, start, element, list, step, outer };
        Ok(Expression::Reduce(Box::new(reduce)))
    }

    /// A pattern that stands for whether there is one, or for the shortest path.
    fn pattern_value(&mut self, path: &PathPattern) -> Result<Expression, Error> {
        if path.kind == PathKind::All {
            return self.pattern_query(path, None, None);
        }
        let name = Name::new(" path", path.span);
        let named = PathPattern { variable: Some(name.clone()), ..path.clone() };
        let value = Expr { kind: ExprKind::Variable(name), span: path.span };
        let all = self.pattern_query(&named, None, Some(&value))?;
        Ok(match path.kind {
            PathKind::Shortest => {
                let first = Expression::Constant(Value::Integer(0));
                Expression::Index(Box::new(all), Box::new(first))
            }
            _ => all,
        })
    }

    /// What is made of each match of a pattern; without a value, whether there is one.
    fn pattern_query(
        &mut self,
        path: &PathPattern,
        filter: Option<&Expr>,
        value: Option<&Expr>,
    ) -> Result<Expression, Error> {
        let names = self.names.len();
        let known = mem::take(&mut self.known);
        let mark = self.touched.len();
        let origin = self.slot();
        self.known = known;
        let pattern = self.pattern(std::slice::from_ref(path), filter)?;
        let (kind, value) = match value {
            Some(value) => (SubqueryKind::Collect, self.expression(value)?),
            None => (SubqueryKind::Exists, Expression::Constant(Value::Null)),
        };
        self.names.split_off(names);
        // Its columns are what the value reads.
        let mut columns = Vec::new();
        value.for_each_slot(&mut |slot| columns.push(slot));
        let part = Part { clauses: vec![Clause::Match(pattern)], columns: columns.clone() };
        let query =
            Query { parts: vec![part], distinct: false, columns, kept: vec![origin], by_row: true };
        let outer = self.named_since(mark, origin);
        Ok(Expression::Subquery(Box::new(Subquery { kind, query, origin, value, outer })))
    }

    fn subquery(&mut self, subquery: &ast::Subquery) -> Result<Expression, Error> {
        let known = mem::take(&mut self.known);
        let aggregates = self.aggregates.take();
        let mark = self.touched.len();
        let origin = self.slot();
        let kept = mem::replace(&mut self.kept, vec![origin]);
        let bound = self.query(&subquery.query, Within::Open);
        self.kept = kept;
        self.known = known;
        self.aggregates = aggregates;
        let (query, columns) = bound?;
        let value = match columns.first() {
            Some((_, slot)) => Expression::Slot(*slot),
            None => Expression::Constant(Value::Null),
        };
        let outer = self.named_since(mark, origin);
        let kind = subquery.kind;
        Ok(Expression::Subquery(Box::new(Subquery { kind, query, origin, value, outer })))
    }
}
