//! Patterns and label expressions.

use super::Printer;
use crate::cypher::ast::{
    Direction, LabelExpr, Length, NodePattern, PathKind, PathPattern, Properties,
    RelationshipPattern,
};

impl Printer {
    pub fn path(&mut self, path: &PathPattern) {
        if let Some(variable) = &path.variable {
            self.variable(variable);
            self.text(" = ");
        }
        self.text(match path.kind {
            PathKind::All => "",
            PathKind::Shortest => "shortestPath(",
            PathKind::AllShortest => "allShortestPaths(",
        });
        self.node(&path.start);
        for (relationship, node) in &path.steps {
            self.relationship(relationship);
            self.node(node);
        }
        if path.kind != PathKind::All {
            self.text(")");
        }
    }

    fn node(&mut self, node: &NodePattern) {
        self.text("(");
        let before = self.out.len();
        node.variable.iter().for_each(|variable| self.variable(variable));
        self.after_colon(node.labels.as_ref());
        self.properties(before, node.properties.as_ref());
        self.optional(" WHERE ", node.filter.as_deref());
        self.text(")");
    }

    fn relationship(&mut self, relationship: &RelationshipPattern) {
        self.text(if relationship.direction == Direction::Left { "<-" } else { "-" });
        self.text("[");
        let before = self.out.len();
        relationship.variable.iter().for_each(|variable| self.variable(variable));
        self.after_colon(relationship.types.as_ref());
        relationship.length.iter().for_each(|length| self.length(*length));
        self.properties(before, relationship.properties.as_ref());
        self.optional(" WHERE ", relationship.filter.as_deref());
        if self.out.len() == before {
            self.out.pop();
        } else {
            self.text("]");
        }
        self.text(if relationship.direction == Direction::Right { "->" } else { "-" });
    }

    fn length(&mut self, length: Length) {
        let bound = |bound: Option<u64>| bound.map_or_else(String::new, |bound| bound.to_string());
        self.text("*");
        self.text(&bound(length.min));
        if length.min != length.max {
            self.text("..");
            self.text(&bound(length.max));
        }
    }

    /// Properties; the pattern's text began at a byte.
    fn properties(&mut self, began: usize, properties: Option<&Properties>) {
        if properties.is_some() && self.out.len() > began {
            self.text(" ");
        }
        match properties {
            Some(Properties::Map(entries)) => self.map(entries),
            Some(Properties::Parameter(name)) => self.parameter(name),
            None => {}
        }
    }

    fn after_colon(&mut self, labels: Option<&LabelExpr>) {
        if let Some(labels) = labels {
            self.text(":");
            self.labels(labels);
        }
    }

    fn labels(&mut self, labels: &LabelExpr) {
        match labels {
            LabelExpr::Name(name) => self.name(name),
            LabelExpr::Any => self.text("%"),
            LabelExpr::Not(inner) => {
                self.text("!");
                self.inner_labels(inner);
            }
            LabelExpr::And(parts) => self.separated("&", parts, Self::inner_labels),
            LabelExpr::Or(parts) => self.separated("|", parts, |printer, part| match part {
                LabelExpr::And(_) => printer.labels(part),
                _ => printer.inner_labels(part),
            }),
        }
    }

    /// Labels within others.
    fn inner_labels(&mut self, labels: &LabelExpr) {
        let bracketed = matches!(labels, LabelExpr::And(_) | LabelExpr::Or(_));
        if bracketed {
            self.text("(");
        }
        self.labels(labels);
        if bracketed {
            self.text(")");
        }
    }

    /// Labels within an expression, where `|` may mean something else.
    pub fn labels_in_expression(&mut self, labels: &LabelExpr) {
        match labels {
            LabelExpr::Or(_) => self.inner_labels(labels),
            _ => self.labels(labels),
        }
    }
}
