//! `WITH` and `RETURN`, as the steps they consist of: compute or group, leave out repeats, sort,
//! cut, filter, forget.

use std::mem;

use super::Binder;
use super::known::Known;
use super::names::{Named, Names};
use super::query::Columns;
use crate::aggregate::Aggregation;
use crate::cypher::ast::{Expr, ExprKind, Projection};
use crate::cypher::function;
use crate::plan::{Aggregate, Clause, Expression, Grouping, Slot, SlotSet};
use crate::query::Error;

/// Whether an expression is an aggregation.
fn is_aggregate(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::CountStar => true,
        ExprKind::Function(call) => function(&call.name.text).is_some_and(|found| found.aggregate),
        _ => false,
    }
}

/// Whether an expression has an aggregation in it.
fn has_aggregate(value: &Expr) -> bool {
    if is_aggregate(value) {
        return true;
    }
    let mut found = false;
    value.for_each_child(&mut |child| found = found || has_aggregate(child));
    found
}

impl Binder<'_> {
    /// Binds a projection, with the `WHERE` behind it, and tells its columns.
    pub fn projection(
        &mut self,
        projection: &Projection,
        filter: Option<&Expr>,
        out: &mut Vec<Clause>,
    ) -> Result<Columns, Error> {
        let star = if projection.star { self.all_names() } else { Vec::new() };
        let aggregated = projection.items.iter().any(|item| has_aggregate(&item.value));
        let columns = match aggregated {
            true => self.grouped(projection, star, out)?,
            false => self.computed(projection, star, out)?,
        };
        if projection.distinct {
            out.push(Clause::Distinct(columns.iter().map(|(_, slot)| *slot).collect()));
        }
        self.names.extend(columns.iter().cloned());
        let items = projection.items.iter().zip(&columns[columns.len() - projection.items.len()..]);
        let mut known = Known::default();
        for (item, column) in items.filter(|(item, _)| item.value.as_variable().is_none()) {
            known.add(&item.value, column.1);
        }
        let outer = mem::replace(&mut self.known, known);
        let mut order = Vec::new();
        for item in &projection.order {
            order.push((self.expression(&item.value)?, item.descending));
        }
        if !order.is_empty() {
            out.push(Clause::Sort(order));
        }
        self.known = outer;
        if let Some(skip) = &projection.skip {
            out.push(Clause::Skip(self.expression(skip)?));
        }
        if let Some(limit) = &projection.limit {
            out.push(Clause::Limit(self.expression(limit)?));
        }
        if let Some(filter) = filter {
            out.push(Clause::Filter(self.expression(filter)?));
        }
        self.names = Names::of(columns.iter().cloned());
        let mut keep: Vec<Slot> = columns.iter().map(|(_, slot)| *slot).collect();
        keep.extend(&self.kept);
        out.push(Clause::Keep(keep));
        Ok(columns)
    }

    /// Columns without aggregations. A variable stays where it is.
    fn computed(
        &mut self,
        projection: &Projection,
        star: Vec<Named>,
        out: &mut Vec<Clause>,
    ) -> Result<Columns, Error> {
        let mut columns = star;
        let mut computed = Vec::new();
        for item in &projection.items {
            let slot = match self.expression(&item.value)? {
                Expression::Slot(slot) => slot,
                value => {
                    let slot = self.slot();
                    computed.push((slot, value));
                    slot
                }
            };
            columns.push((item.column.text.clone(), slot));
        }
        if !computed.is_empty() {
            out.push(Clause::Project(computed));
        }
        Ok(columns)
    }

    /// Columns with aggregations: those without are the keys of the groups.
    fn grouped(
        &mut self,
        projection: &Projection,
        star: Vec<Named>,
        out: &mut Vec<Clause>,
    ) -> Result<Columns, Error> {
        let mut keys: Vec<(Slot, Expression)> =
            star.iter().map(|(_, slot)| (*slot, Expression::Slot(*slot))).collect();
        let mut columns = star;
        let mut known = Known::default();
        let mut seen: SlotSet = keys.iter().map(|(slot, _)| *slot).collect();
        for item in projection.items.iter().filter(|item| !has_aggregate(&item.value)) {
            let (slot, value) = match self.expression(&item.value)? {
                Expression::Slot(slot) => (slot, Expression::Slot(slot)),
                value => (self.slot(), value),
            };
            known.add(&item.value, slot);
            if !seen.has(slot) {
                seen.insert(slot);
                keys.push((slot, value));
            }
        }
        let outer_known = mem::replace(&mut self.known, known);
        let outer = self.aggregates.replace(Vec::new());
        let mut computed = Vec::new();
        let mut result = Ok(());
        for item in &projection.items {
            match self.expression(&item.value) {
                Ok(Expression::Slot(slot)) => columns.push((item.column.text.clone(), slot)),
                Ok(value) => {
                    let slot = self.slot();
                    computed.push((slot, value));
                    columns.push((item.column.text.clone(), slot));
                }
                Err(error) => result = Err(error),
            }
        }
        self.known = outer_known;
        let aggregates = mem::replace(&mut self.aggregates, outer).unwrap_or_default();
        result?;
        out.push(Clause::Aggregate(Grouping { keys, aggregates }));
        if !computed.is_empty() {
            out.push(Clause::Project(computed));
        }
        Ok(columns)
    }

    /// The slot in which the value of an expression is already, or will be once rows are grouped.
    pub fn known(&mut self, value: &Expr) -> Result<Option<Slot>, Error> {
        if let Some(slot) = self.known.find(value) {
            self.touched.push(slot);
            return Ok(Some(slot));
        }
        if self.aggregates.is_none() || !is_aggregate(value) {
            return Ok(None);
        }
        // Its argument is about the rows before they are grouped.
        let known = mem::take(&mut self.known);
        let mut aggregates = self.aggregates.take().unwrap_or_default();
        let slot = self.slot();
        let bound = self.aggregate(value, slot);
        self.known = known;
        aggregates.push(bound?);
        self.aggregates = Some(aggregates);
        Ok(Some(slot))
    }

    fn aggregate(&mut self, value: &Expr, slot: Slot) -> Result<Aggregate, Error> {
        let ExprKind::Function(call) = &value.kind else {
            let aggregation = Aggregation::Count;
            let (argument, percentile) = (None, None);
            return Ok(Aggregate { aggregation, distinct: false, argument, percentile, slot });
        };
        let aggregation = Aggregation::named(&call.name.text)
            .ok_or_else(|| Error::unsupported(&format!("The aggregation '{}'", call.name)))?;
        let mut arguments = call.arguments.iter();
        let mut argument = arguments.next().map(|value| self.expression(value)).transpose()?;
        // To count what is never null is to count rows.
        if aggregation == Aggregation::Count
            && !call.distinct
            && matches!(argument, Some(Expression::Slot(slot)) if self.certain.contains(&slot))
        {
            argument = None;
        }
        let percentile = arguments.next().map(|value| self.expression(value)).transpose()?;
        Ok(Aggregate { aggregation, distinct: call.distinct, argument, percentile, slot })
    }
}
