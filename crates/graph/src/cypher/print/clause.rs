//! Clauses.

use super::Printer;
use crate::cypher::ast::{
    Call, Clause, ClauseKind, Expr, Foreach, LoadCsv, Match, Merge, RemoveItem, SetItem,
    SubqueryCall, SubqueryImports,
};
use crate::cypher::name::Name;

impl Printer {
    pub fn clause(&mut self, clause: &Clause) {
        match &clause.kind {
            ClauseKind::Match(clause) => self.match_clause(clause),
            ClauseKind::Unwind(list, variable) => {
                self.optional("UNWIND ", Some(list));
                self.text(" AS ");
                self.variable(variable);
            }
            ClauseKind::With(projection, filter) => {
                self.text("WITH");
                self.projection(projection);
                self.optional(" WHERE ", filter.as_ref());
            }
            ClauseKind::Return(projection) => {
                self.text("RETURN");
                self.projection(projection);
            }
            ClauseKind::Create(paths) => {
                self.text("CREATE ");
                self.separated(", ", paths, Self::path);
            }
            ClauseKind::Merge(clause) => self.merge(clause),
            ClauseKind::Set(items) => self.set(items),
            ClauseKind::Remove(items) => self.remove(items),
            ClauseKind::Delete(detach, values) => {
                self.text(if *detach { "DETACH DELETE " } else { "DELETE " });
                self.separated(", ", values, Self::expr);
            }
            ClauseKind::Call(clause) => self.call(clause),
            ClauseKind::Subquery(clause) => self.subquery_call(clause),
            ClauseKind::Foreach(clause) => self.foreach(clause),
            ClauseKind::LoadCsv(clause) => self.load_csv(clause),
        }
    }

    fn match_clause(&mut self, clause: &Match) {
        self.text(if clause.optional { "OPTIONAL MATCH " } else { "MATCH " });
        self.separated(", ", &clause.paths, Self::path);
        self.optional(" WHERE ", clause.filter.as_ref());
    }

    fn merge(&mut self, clause: &Merge) {
        self.text("MERGE ");
        self.path(&clause.path);
        for action in &clause.actions {
            self.text(if action.on_create { " ON CREATE " } else { " ON MATCH " });
            self.set(&action.items);
        }
    }

    fn set(&mut self, items: &[SetItem]) {
        self.text("SET ");
        self.separated(", ", items, |printer, item| match item {
            SetItem::Property(target, value) | SetItem::Replace(target, value) => {
                printer.target(target);
                printer.optional(" = ", Some(value));
            }
            SetItem::Add(target, value) => {
                printer.target(target);
                printer.optional(" += ", Some(value));
            }
            SetItem::Labels(target, labels) => printer.target_labels(target, labels),
        });
    }

    fn remove(&mut self, items: &[RemoveItem]) {
        self.text("REMOVE ");
        self.separated(", ", items, |printer, item| match item {
            RemoveItem::Property(target) => printer.target(target),
            RemoveItem::Labels(target, labels) => printer.target_labels(target, labels),
        });
    }

    /// What is changed.
    fn target(&mut self, target: &Expr) {
        self.labelled(target);
    }

    fn target_labels(&mut self, target: &Expr, labels: &[Name]) {
        self.target(target);
        for label in labels {
            self.text(":");
            self.name(label);
        }
    }

    fn call(&mut self, clause: &Call) {
        self.text("CALL ");
        self.dotted(&clause.procedure.name);
        if let Some(arguments) = &clause.procedure.arguments {
            self.text("(");
            self.separated(", ", arguments, Self::expr);
            self.text(")");
        }
        if clause.star {
            self.text(" YIELD *");
        }
        if let Some(columns) = &clause.columns {
            self.text(" YIELD ");
            self.separated(", ", columns, |printer, (column, renamed)| {
                printer.name(column);
                if let Some(renamed) = renamed {
                    printer.text(" AS ");
                    printer.variable(renamed);
                }
            });
        }
        self.optional(" WHERE ", clause.filter.as_ref());
    }

    fn subquery_call(&mut self, clause: &SubqueryCall) {
        self.text("CALL ");
        match &clause.imports {
            SubqueryImports::Leading => {}
            SubqueryImports::All => self.text("(*) "),
            SubqueryImports::Names(names) => {
                self.text("(");
                self.separated(", ", names, Self::variable);
                self.text(") ");
            }
        }
        self.text("{ ");
        self.query(&clause.query);
        self.text(" }");
    }

    fn foreach(&mut self, clause: &Foreach) {
        self.text("FOREACH (");
        self.variable(&clause.variable);
        self.optional(" IN ", Some(&clause.list));
        self.text(" | ");
        self.separated(" ", &clause.clauses, Self::clause);
        self.text(")");
    }

    fn load_csv(&mut self, clause: &LoadCsv) {
        self.text(if clause.headers { "LOAD CSV WITH HEADERS" } else { "LOAD CSV" });
        self.optional(" FROM ", Some(&clause.url));
        self.text(" AS ");
        self.variable(&clause.variable);
        self.optional(" FIELDTERMINATOR ", clause.separator.as_ref());
    }
}
