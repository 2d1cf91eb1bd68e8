//! Patterns that are looked for.

use std::sync::Arc;

use super::Binder;
use super::expression::label_test;
use crate::cypher::ast::{
    ComparisonOperator, Expr, ExprKind, LogicalOperator, NodePattern, PathKind, PathPattern,
    Properties, RelationshipPattern,
};
use crate::plan::{Condition, Expression, PathParts, Pattern, PatternEdge, PatternNode, Slot};
use crate::query::Error;

impl Binder<'_> {
    /// Binds what patterns name, then what is asked of it: that may name any of it.
    pub fn pattern(
        &mut self,
        paths: &[PathPattern],
        filter: Option<&Expr>,
    ) -> Result<Pattern, Error> {
        let first_new = self.next;
        let mut pattern = Pattern { origin: self.slot(), ..Pattern::default() };
        let mut places = Vec::new();
        for path in paths {
            self.count(1 + 2 * path.steps.len())?;
            places.push(self.path(path, &mut pattern, first_new)?);
        }
        for (path, (nodes, edges)) in paths.iter().zip(&places) {
            self.asked_of_path(path, (nodes, edges), &mut pattern)?;
        }
        if let Some(filter) = filter {
            self.conditions(filter, &mut pattern)?;
        }
        Ok(pattern)
    }

    /// The nodes and relationships of a path: their slots.
    fn path(
        &mut self,
        path: &PathPattern,
        pattern: &mut Pattern,
        first_new: Slot,
    ) -> Result<(Vec<Slot>, Vec<usize>), Error> {
        let mut from = self.node(&path.start, pattern, first_new)?;
        let (mut nodes, mut edges) = (vec![from], Vec::new());
        for (relationship, node) in &path.steps {
            let slot = self.variable(relationship.variable.as_ref(), pattern, first_new);
            let to = self.node(node, pattern, first_new)?;
            edges.push(pattern.edges.len());
            pattern.edges.push(edge(relationship, path.kind, (slot, from, to)));
            nodes.push(to);
            from = to;
        }
        if let Some(name) = &path.variable {
            let slot = self.name(&name.text);
            let steps = edges.iter().map(|&edge| pattern.edges[edge].slot).collect();
            let parts = PathParts { start: nodes[0], steps };
            pattern.paths.push((slot, Expression::Path(Box::new(parts))));
        }
        Ok((nodes, edges))
    }

    /// The slot of what has a name, or has none.
    fn variable(
        &mut self,
        name: Option<&crate::cypher::Name>,
        pattern: &mut Pattern,
        first_new: Slot,
    ) -> Slot {
        let Some(name) = name else { return self.slot() };
        match self.find(&name.text) {
            Some(slot) => {
                if slot < first_new && !pattern.bound.contains(&slot) {
                    pattern.bound.push(slot);
                }
                slot
            }
            None => self.name(&name.text),
        }
    }

    fn node(
        &mut self,
        node: &NodePattern,
        pattern: &mut Pattern,
        first_new: Slot,
    ) -> Result<Slot, Error> {
        let slot = self.variable(node.variable.as_ref(), pattern, first_new);
        if !pattern.nodes.iter().any(|known| known.slot == slot) {
            let name = name_of(node.variable.as_ref());
            pattern.nodes.push(PatternNode { slot, labels: Vec::new(), name });
        }
        if let Some(labels) = &node.labels {
            let all = labels.conjunction();
            let found = pattern.nodes.iter_mut().find(|known| known.slot == slot);
            match (all, found) {
                (Some(all), Some(known)) => {
                    self.count(all.len())?;
                    for label in all {
                        if !known.labels.contains(&label.text) {
                            known.labels.push(Arc::clone(&label.text));
                        }
                    }
                }
                _ => {
                    let value = Box::new(Expression::Slot(slot));
                    let test = Expression::Labels(value, label_test(labels));
                    pattern.filters.push(Condition { test, needs: vec![slot] });
                }
            }
        }
        Ok(slot)
    }

    /// What is asked of the nodes and relationships of a path.
    fn asked_of_path(
        &mut self,
        path: &PathPattern,
        (nodes, edges): (&[Slot], &[usize]),
        pattern: &mut Pattern,
    ) -> Result<(), Error> {
        for (node, &slot) in path.nodes().zip(nodes) {
            self.asked_of(node.properties.as_ref(), slot, pattern)?;
            if let Some(filter) = &node.filter {
                self.conditions(filter, pattern)?;
            }
        }
        for (relationship, &place) in path.relationships().zip(edges) {
            let slot = pattern.edges[place].slot;
            if relationship.length.is_none() && path.kind == PathKind::All {
                self.asked_of(relationship.properties.as_ref(), slot, pattern)?;
                if let Some(filter) = &relationship.filter {
                    self.conditions(filter, pattern)?;
                }
                continue;
            }
            if let Some(Properties::Map(entries)) = &relationship.properties {
                pattern.edges[place].properties = self.entries(entries)?;
            }
            if let Some(filter) = &relationship.filter {
                // Its variable stands for each of them in turn.
                let each = match &relationship.variable {
                    Some(name) => self.name(&name.text),
                    None => self.slot(),
                };
                let test = self.expression(filter)?;
                if relationship.variable.is_some() {
                    self.names.split_off(self.names.len() - 1);
                }
                pattern.edges[place].each = Some((each, test));
            }
        }
        Ok(())
    }

    /// The properties that something is to have.
    fn asked_of(
        &mut self,
        properties: Option<&Properties>,
        slot: Slot,
        pattern: &mut Pattern,
    ) -> Result<(), Error> {
        let Some(Properties::Map(entries)) = properties else { return Ok(()) };
        for (key, value) in entries {
            self.count(1)?;
            let mark = self.touched.len();
            let value = self.expression(value)?;
            let mut needs = self.touched[mark..].to_vec();
            needs.push(slot);
            let entity = Box::new(Expression::Slot(slot));
            let property = Box::new(Expression::Property(entity, Arc::clone(&key.text)));
            let test = Expression::Comparison(property, vec![(ComparisonOperator::Equal, value)]);
            pattern.filters.push(Condition { test, needs });
        }
        Ok(())
    }

    /// What must be true, each part for itself.
    fn conditions(&mut self, filter: &Expr, pattern: &mut Pattern) -> Result<(), Error> {
        if let ExprKind::Logical(LogicalOperator::And, parts) = &filter.kind {
            return parts.iter().try_for_each(|part| self.conditions(part, pattern));
        }
        self.count(1)?;
        let mark = self.touched.len();
        let test = self.expression(filter)?;
        // A label that a node must have is one that it is found by.
        if let Expression::Labels(value, crate::plan::LabelTest::Name(label)) = &test
            && let Expression::Slot(slot) = **value
            && let Some(node) = pattern.nodes.iter_mut().find(|node| node.slot == slot)
        {
            if !node.labels.contains(label) {
                node.labels.push(Arc::clone(label));
            }
            return Ok(());
        }
        let needs = self.touched[mark..].to_vec();
        pattern.filters.push(Condition { test, needs });
        Ok(())
    }
}

fn name_of(name: Option<&crate::cypher::Name>) -> Arc<str> {
    name.map_or_else(|| Arc::from(""), |name| Arc::clone(&name.text))
}

fn edge(
    relationship: &RelationshipPattern,
    kind: PathKind,
    (slot, from, to): (Slot, Slot, Slot),
) -> PatternEdge {
    let length = relationship.length.map(|length| {
        let min = length.min.unwrap_or(1);
        (min, length.max.unwrap_or(u64::MAX))
    });
    PatternEdge {
        slot,
        from,
        to,
        direction: relationship.direction,
        types: relationship.types.as_ref().map(label_test),
        length,
        properties: Vec::new(),
        each: None,
        kind,
        name: name_of(relationship.variable.as_ref()),
    }
}
