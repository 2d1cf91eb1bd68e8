//! Aggregates, and what may stand beside one: constants and keys of the group.
//!
//! A key may be named within another column if it is a variable, or a property of one. A longer
//! expression may not, even if a column is the same: `a.x + a.y + count(*)` does not say where one
//! ends.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::cypher::ast::{Expr, ExprKind, Projection, Step};
use crate::cypher::error::{Class, Error};
use crate::cypher::functions::function;
use crate::cypher::name::Name;
use crate::value::Type;

/// Whether an expression has an aggregate in it.
pub fn has_aggregate(value: &Expr) -> bool {
    if is_aggregate(value) {
        return true;
    }
    let mut found = false;
    value.for_each_child(&mut |child| found = found || has_aggregate(child));
    found
}

/// Whether an expression has a subquery in it.
pub fn has_subquery(value: &Expr) -> bool {
    let mut found = matches!(value.kind, ExprKind::Subquery(_));
    value.for_each_child(&mut |child| found = found || has_subquery(child));
    found
}

/// Whether an expression is an aggregate.
pub fn is_aggregate(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::CountStar => true,
        ExprKind::Function(call) => function(&call.name.text).is_some_and(|found| found.aggregate),
        _ => false,
    }
}

/// Calls a function with each variable in an expression.
pub fn for_each_variable<'e>(value: &'e Expr, each: &mut dyn FnMut(&'e Name)) {
    match &value.kind {
        ExprKind::Variable(name) => each(name),
        ExprKind::MapProjection(projection) => each(&projection.entity),
        _ => {}
    }
    value.for_each_child(&mut |child| for_each_variable(child, each));
}

/// The variables that expressions bind for a part of themselves, while that is looked at.
#[derive(Default)]
pub struct Own<'e> {
    names: HashMap<&'e str, usize>,
}

impl<'e> Own<'e> {
    /// Whether a variable is one of them.
    pub fn has(&self, name: &Name) -> bool {
        self.names.get(&*name.text).is_some_and(|times| *times > 0)
    }

    /// Visits the parts of an expression, for which it may bind variables.
    pub fn visit_parts(
        &mut self,
        value: &'e Expr,
        mut visit: impl FnMut(&'e Expr, &mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for_each_own(value, &mut |name| *self.names.entry(&name.text).or_default() += 1);
        let mut result = Ok(());
        value.for_each_child(&mut |child| {
            if result.is_ok() {
                result = visit(child, self);
            }
        });
        for_each_own(value, &mut |name| *self.names.entry(&name.text).or_default() -= 1);
        result
    }
}

/// Calls a function with each variable that an expression binds for a part of itself.
fn for_each_own<'e>(value: &'e Expr, each: &mut dyn FnMut(&'e Name)) {
    match &value.kind {
        ExprKind::ListComprehension(comprehension) => each(&comprehension.variable),
        ExprKind::Quantifier(quantifier) => each(&quantifier.variable),
        ExprKind::Reduce(reduce) => {
            [&reduce.accumulator, &reduce.variable].into_iter().for_each(each)
        }
        ExprKind::PatternComprehension(comprehension) => {
            comprehension.path.variables().for_each(each);
        }
        _ => {}
    }
}

/// The columns by which rows are grouped, as far as other columns may name them.
pub struct GroupKeys {
    keys: HashSet<String>,
}

impl GroupKeys {
    /// The keys of a projection whose `*` stands for some columns.
    pub fn of(projection: &Projection, star: &[(Arc<str>, Type)]) -> Self {
        let star = star.iter().map(|(name, _)| name.to_string());
        let keys = projection.items.iter().filter_map(|item| simple(&item.value));
        Self { keys: star.chain(keys).collect() }
    }

    /// Checks a column: beside an aggregate stand constants and keys alone.
    pub fn check(&self, value: &Expr) -> Result<(), Error> {
        if has_aggregate(value) { self.visit(value, &mut Own::default()) } else { Ok(()) }
    }

    fn visit<'e>(&self, value: &'e Expr, own: &mut Own<'e>) -> Result<(), Error> {
        if is_aggregate(value) || self.is_key(value) {
            return Ok(());
        }
        if let ExprKind::Variable(name) = &value.kind {
            if own.has(name) {
                return Ok(());
            }
            return Err(ambiguous(value));
        }
        own.visit_parts(value, |part, own| self.visit(part, own))
    }

    /// Whether an expression is a key, or a part of one.
    fn is_key(&self, value: &Expr) -> bool {
        let Some(mut path) = simple(value) else { return false };
        loop {
            if self.keys.contains(&path) {
                return true;
            }
            match path.rfind('\0') {
                Some(end) => path.truncate(end),
                None => return false,
            }
        }
    }
}

/// A value beside an aggregate that is no key of the group.
pub fn ambiguous(value: &Expr) -> Error {
    let message = format!(
        "'{value}' stands beside an aggregation, and is no grouping key: name it in a WITH before"
    );
    Error::new(Class::AmbiguousAggregationExpression, value.span.start, message)
}

/// A variable, or a property of one, as a text.
fn simple(value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Variable(name) => Some(name.text.to_string()),
        ExprKind::Access(access) => {
            let mut path = access.base.as_variable()?.text.to_string();
            for step in &access.steps {
                let Step::Property(name) = step else { return None };
                path.push('\0');
                path.push_str(&name.text);
            }
            Some(path)
        }
        _ => None,
    }
}
