//! Clauses, but for projections, calls and patterns.

use std::sync::Arc;

use super::scope::Layer;
use super::{At, Checker, mismatch, query};
use crate::cypher::ast::{
    Clause, ClauseKind, Expr, ExprKind, Foreach, LoadCsv, RemoveItem, SetItem,
};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::Name;
use crate::value::Type;

impl Checker<'_> {
    /// Checks a clause of a query whose scope began with so many layers below it. Tells its columns
    /// if it is one that returns.
    pub fn clause(
        &mut self,
        clause: &Clause,
        depth: usize,
        standalone: bool,
    ) -> Result<Vec<Arc<str>>, Error> {
        self.writes |= query::writes(&clause.kind);
        match &clause.kind {
            ClauseKind::Match(clause) => self.match_paths(&clause.paths, clause.filter.as_ref())?,
            ClauseKind::Unwind(list, variable) => {
                let list = self.expr(list, At::ROW)?;
                self.bind_new(variable, list.element())?;
            }
            ClauseKind::With(projection, filter) => {
                self.with(projection, filter.as_ref(), depth, clause.span)?;
            }
            ClauseKind::Return(projection) => {
                return self.return_clause(projection, clause.span);
            }
            ClauseKind::Create(paths) => {
                paths.iter().try_for_each(|path| self.create_path(path, "CREATE"))?;
            }
            ClauseKind::Merge(clause) => {
                self.create_path(&clause.path, "MERGE")?;
                for action in &clause.actions {
                    self.set(&action.items)?;
                }
            }
            ClauseKind::Set(items) => self.set(items)?,
            ClauseKind::Remove(items) => self.remove(items)?,
            ClauseKind::Delete(_, values) => {
                values.iter().try_for_each(|value| self.delete(value))?;
            }
            ClauseKind::Call(call) => return self.call(call, clause.span, standalone),
            ClauseKind::Subquery(call) => self.subquery_call(call)?,
            ClauseKind::Foreach(foreach) => self.foreach(foreach)?,
            ClauseKind::LoadCsv(load) => self.load_csv(load)?,
        }
        Ok(Vec::new())
    }

    /// Binds a variable that must not be bound.
    pub fn bind_new(&mut self, name: &Name, may_be: Type) -> Result<(), Error> {
        if self.scope.find(&name.text).is_some() {
            let message = format!("Variable `{name}` already declared");
            return Err(Error::new(Class::VariableAlreadyBound, name.span.start, message));
        }
        self.scope.bind(name, may_be);
        Ok(())
    }

    fn set(&mut self, items: &[SetItem]) -> Result<(), Error> {
        for item in items {
            match item {
                SetItem::Property(target, value) => {
                    self.expr(target, At::ROW)?;
                    self.expr(value, At::ROW)?;
                }
                SetItem::Replace(target, value) | SetItem::Add(target, value) => {
                    self.entity(target)?;
                    let map = self.expr(value, At::ROW)?;
                    if !map.may_be(Type::MAP.or(Type::NODE).or(Type::RELATIONSHIP)) {
                        return Err(mismatch("Map", map, value.span.start));
                    }
                }
                SetItem::Labels(target, _) => self.entity(target)?,
            }
        }
        Ok(())
    }

    fn remove(&mut self, items: &[RemoveItem]) -> Result<(), Error> {
        for item in items {
            match item {
                RemoveItem::Property(target) => self.expr(target, At::ROW).map(|_| ())?,
                RemoveItem::Labels(target, _) => self.entity(target)?,
            }
        }
        Ok(())
    }

    /// What has labels or properties of its own.
    fn entity(&mut self, target: &Expr) -> Result<(), Error> {
        let may_be = self.expr(target, At::ROW)?;
        if may_be.may_be(Type::NODE.or(Type::RELATIONSHIP)) {
            return Ok(());
        }
        Err(mismatch("Node or Edge", may_be, target.span.start))
    }

    fn delete(&mut self, value: &Expr) -> Result<(), Error> {
        let may_be = self.expr(value, At::ROW)?;
        let labels = matches!(value.kind, ExprKind::Labels(..));
        if may_be.may_be(Type::ENTITY) && !labels {
            return Ok(());
        }
        let class = if labels { Class::InvalidDelete } else { Class::InvalidArgumentType };
        let message = "DELETE can only be called on nodes, paths and relationships";
        Err(Error::new(class, value.span.start, message))
    }

    fn foreach(&mut self, foreach: &Foreach) -> Result<(), Error> {
        let list = self.expr(&foreach.list, At::ROW)?;
        if !list.may_be(Type::LIST) {
            return Err(mismatch("List", list, foreach.list.span.start));
        }
        let depth = self.scope.depth();
        self.scope.push(Layer::clear());
        self.bind_new(&foreach.variable, list.element())?;
        for clause in &foreach.clauses {
            if !query::writes(&clause.kind) {
                let message = "FOREACH can only have clauses that change the graph";
                let start = clause.span.start;
                return Err(Error::new(Class::InvalidClauseComposition, start, message));
            }
            self.clause(clause, depth, false)?;
        }
        self.scope.cut(depth);
        Ok(())
    }

    fn load_csv(&mut self, load: &LoadCsv) -> Result<(), Error> {
        for value in std::iter::once(&load.url).chain(&load.separator) {
            let may_be = self.expr(value, At::ROW)?;
            if !may_be.may_be(Type::STRING) {
                return Err(mismatch("String", may_be, value.span.start));
            }
        }
        let row = if load.headers { Type::MAP } else { Type::list_of(Type::STRING) };
        self.bind_new(&load.variable, row)
    }
}
