//! Binds names to slots, and takes clauses apart into steps.
//!
//! The statement has been checked: what is found wrong here is only what is not supported.

mod change;
mod clause;
mod comprehension;
mod create;
mod expression;
mod function;
mod known;
mod names;
mod pattern;
mod projection;
mod query;

use std::collections::HashSet;
use std::sync::Arc;

use super::{Aggregate, Expression, Query, Slot};
use crate::cypher::{Procedure, Progress, ast};
use crate::query::Error;
use known::Known;
use names::{Named, Names};

/// Binds a query that a text consists of, which calls these procedures.
///
/// # Errors
/// It uses what is not supported.
pub fn bind(
    query: &ast::Query,
    procedures: Vec<(Arc<str>, Procedure)>,
    progress: &Progress<'_>,
) -> Result<Query, Error> {
    let mut binder = Binder { procedures, ..Binder::new(progress) };
    Ok(binder.query(query, query::Within::Nothing)?.0)
}

/// Binds an expression that names no variables.
///
/// # Errors
/// It uses what is not supported.
pub fn bind_constant(value: &ast::Expr, progress: &Progress<'_>) -> Result<Expression, Error> {
    match expression::written_out(value) {
        Some(value) => Ok(Expression::Constant(value)),
        None => Binder::new(progress).expression(value),
    }
}

/// How many operators a statement may have, about: each asks the one before it for rows, so that
/// they are as deep on the stack.
const MOST: usize = 1000;

/// What is known while a statement is bound.
struct Binder<'p> {
    progress: &'p Progress<'p>,
    /// The names in scope.
    names: Names,
    /// How many operators there will be, about.
    operators: usize,
    /// The slot that nothing uses yet.
    next: Slot,
    /// The slots that were named, in the order of the text: what a part names is behind a mark.
    touched: Vec<Slot>,
    /// Slots that are never null: what a `MATCH` has bound.
    certain: HashSet<Slot>,
    /// Slots that projections keep beside their columns.
    kept: Vec<Slot>,
    /// Expressions whose values are in slots already.
    known: Known,
    /// The aggregations of a projection, while its columns are bound.
    aggregates: Option<Vec<Aggregate>>,
    /// The procedures that the statement calls, by the names that it calls them.
    procedures: Vec<(Arc<str>, Procedure)>,
}

impl<'p> Binder<'p> {
    /// Nothing is known yet.
    fn new(progress: &'p Progress<'p>) -> Self {
        Binder {
            progress,
            names: Names::default(),
            operators: 0,
            next: 0,
            touched: Vec::new(),
            certain: HashSet::new(),
            kept: Vec::new(),
            known: Known::default(),
            aggregates: None,
            procedures: Vec::new(),
        }
    }
}

impl Binder<'_> {
    /// A slot that nothing uses.
    fn slot(&mut self) -> Slot {
        self.next += 1;
        self.next - 1
    }

    /// Counts operators.
    fn count(&mut self, more: usize) -> Result<(), Error> {
        self.operators += more;
        if self.operators <= MOST {
            return Ok(());
        }
        let message = format!(
            "The query is too complex: it has more than {MOST} clauses and parts of patterns"
        );
        Err(Error::limit("TooComplex", message))
    }

    /// Binds a name to a slot of its own.
    fn name(&mut self, name: &Arc<str>) -> Slot {
        let slot = self.slot();
        self.names.push(Arc::clone(name), slot);
        slot
    }

    /// The slot of a name, if it is bound.
    fn find(&mut self, name: &str) -> Option<Slot> {
        let slot = self.names.find(name)?;
        self.touched.push(slot);
        Some(slot)
    }

    /// The slot of a name that the check has found bound.
    fn lookup(&mut self, name: &str) -> Result<Slot, Error> {
        self.find(name).ok_or_else(|| Error::unsupported(&format!("The variable '{name}' here")))
    }

    /// All names in scope, in the order of names, each with its slot.
    fn all_names(&mut self) -> Vec<Named> {
        let all = self.names.sorted();
        self.touched.extend(all.iter().map(|(_, slot)| *slot));
        all
    }

    /// The slots below a first new one that were named since a mark, each once.
    fn named_since(&self, mark: usize, first_new: Slot) -> Vec<Slot> {
        let named = self.touched[mark..].iter().copied().filter(|&slot| slot < first_new);
        let mut slots: Vec<Slot> = named.collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}
