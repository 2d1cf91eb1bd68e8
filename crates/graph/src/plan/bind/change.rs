//! Clauses that change what is there, and calls of procedures.

use std::sync::Arc;

use super::Binder;
use super::query::Columns;
use crate::cypher::ast::{
    self, Access, Call, Expr, ExprKind, MergeAction, RemoveItem, SetItem, Step,
};
use crate::cypher::{Name, Procedure};
use crate::plan::{Assignment, ByKey, Clause, Delete, Expression, Foreach, Merge, ProcedureCall};
use crate::query::Error;
use crate::value::Value;

impl Binder<'_> {
    /// Binds `MERGE`. What it looks for and what it makes are bound one after the other, each with
    /// slots of its own; what has a name goes from the ones to the others.
    pub fn merge(&mut self, merge: &ast::Merge) -> Result<Merge, Error> {
        let before = self.names.len();
        let paths = std::slice::from_ref(&merge.path);
        let pattern = self.pattern(paths, None)?;
        let found = self.names.split_off(before);
        let create = self.create(paths)?;
        let slot = |name: &str| found.iter().find(|(other, _)| **other == *name).map(|it| it.1);
        let made = self.names.since(before);
        let copies = made.iter().filter_map(|(name, to)| Some((slot(name)?, *to))).collect();
        let (mut on_create, mut on_match) = (Vec::new(), Vec::new());
        for MergeAction { on_create: creates, items } in &merge.actions {
            let assignments = self.set(items)?;
            if *creates { &mut on_create } else { &mut on_match }.extend(assignments);
        }
        let by_key = ByKey::new(&pattern, &create, on_create.iter().chain(&on_match));
        Ok(Merge { pattern, create, copies, on_create, on_match, by_key })
    }

    /// Binds the items of `SET`.
    pub fn set(&mut self, items: &[SetItem]) -> Result<Vec<Assignment>, Error> {
        let mut assignments = Vec::new();
        for item in items {
            assignments.push(match item {
                SetItem::Property(target, value) => {
                    let (entity, key) = self.target(target)?;
                    Assignment::Property(entity, key, self.expression(value)?)
                }
                SetItem::Replace(target, value) => {
                    Assignment::Replace(self.expression(target)?, self.expression(value)?)
                }
                SetItem::Add(target, value) => {
                    Assignment::Add(self.expression(target)?, self.expression(value)?)
                }
                SetItem::Labels(target, labels) => {
                    Assignment::Labels(self.expression(target)?, texts(labels), true)
                }
            });
        }
        Ok(assignments)
    }

    /// Binds the items of `REMOVE`.
    pub fn remove(&mut self, items: &[RemoveItem]) -> Result<Vec<Assignment>, Error> {
        let mut assignments = Vec::new();
        for item in items {
            assignments.push(match item {
                RemoveItem::Property(target) => {
                    let (entity, key) = self.target(target)?;
                    Assignment::Property(entity, key, Expression::Constant(Value::Null))
                }
                RemoveItem::Labels(target, labels) => {
                    Assignment::Labels(self.expression(target)?, texts(labels), false)
                }
            });
        }
        Ok(assignments)
    }

    /// The node or relationship of `entity.key`, and the key.
    fn target(&mut self, target: &Expr) -> Result<(Expression, Arc<str>), Error> {
        let unsupported = || Error::unsupported("SET of what is no property");
        let ExprKind::Access(access) = &target.kind else { return Err(unsupported()) };
        let Some((Step::Property(key), before)) = access.steps.split_last() else {
            return Err(unsupported());
        };
        let entity = match before {
            [] => self.expression(&access.base)?,
            before => {
                let access = Access { base: access.base.clone(), steps: before.to_vec() };
                let kind = ExprKind::Access(Box::new(access));
                self.expression(&Expr { kind, span: target.span })?
            }
        };
        Ok((entity, Arc::clone(&key.text)))
    }

    /// Binds `DELETE`.
    pub fn delete(&mut self, detach: bool, values: &[Expr]) -> Result<Delete, Error> {
        let values = values.iter().map(|value| self.expression(value)).collect::<Result<_, _>>()?;
        Ok(Delete { detach, values })
    }

    /// Binds `FOREACH`. What its clauses bind is forgotten behind it.
    pub fn foreach(&mut self, foreach: &ast::Foreach) -> Result<Foreach, Error> {
        let list = self.expression(&foreach.list)?;
        let before = self.names.len();
        let element = self.name(&foreach.variable.text);
        let mut clauses = Vec::new();
        for clause in &foreach.clauses {
            self.clause(&clause.kind, &mut clauses)?;
        }
        self.names.split_off(before);
        Ok(Foreach { list, element, clauses })
    }

    /// Binds a call of a procedure. Tells its columns: they are those of a query that is nothing
    /// else.
    pub fn call_procedure(&mut self, call: &Call, out: &mut Vec<Clause>) -> Result<Columns, Error> {
        let name = &call.procedure.name;
        let procedure = self.procedure(name)?;
        let arguments = match &call.procedure.arguments {
            Some(arguments) => {
                arguments.iter().map(|value| self.expression(value)).collect::<Result<_, _>>()?
            }
            None if !procedure.takes_parameters() => Vec::new(),
            None => {
                let of_name = |(name, _): &(Arc<str>, _)| Expression::Parameter(Arc::clone(name));
                procedure.arguments.iter().map(of_name).collect()
            }
        };
        let mut columns = Vec::new();
        let mut yielded = Columns::new();
        for (place, (column, _)) in procedure.columns.iter().enumerate() {
            let all = call.columns.is_none();
            if all {
                let slot = self.slot();
                columns.push((place, slot));
                yielded.push((Arc::clone(column), slot));
            }
        }
        for (column, renamed) in call.columns.iter().flatten() {
            let place = procedure.columns.iter().position(|(name, _)| *name == column.text);
            let slot = self.name(&renamed.as_ref().unwrap_or(column).text);
            columns.extend(place.map(|place| (place, slot)));
            yielded.push((Arc::clone(&renamed.as_ref().unwrap_or(column).text), slot));
        }
        let is_void = procedure.columns.is_empty();
        let (name, body) = (Arc::clone(&name.text), procedure.body);
        out.push(Clause::Call(ProcedureCall { name, body, arguments, columns, is_void }));
        if let Some(filter) = &call.filter {
            out.push(Clause::Filter(self.expression(filter)?));
        }
        Ok(yielded)
    }

    fn procedure(&self, name: &Name) -> Result<Procedure, Error> {
        let found = self.procedures.iter().find(|(known, _)| *known == name.text);
        let found = found.map(|(_, procedure)| procedure.clone());
        found.ok_or_else(|| Error::unsupported(&format!("The procedure '{name}' here")))
    }
}

fn texts(names: &[Name]) -> Vec<Arc<str>> {
    names.iter().map(|name| Arc::clone(&name.text)).collect()
}
