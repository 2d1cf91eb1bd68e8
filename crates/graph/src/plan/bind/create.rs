//! Patterns that are made.

use std::sync::Arc;

use super::Binder;
use super::query::Columns;
use crate::cypher::ast::{
    Direction, LabelExpr, NodePattern, PathPattern, Properties, RelationshipPattern,
};
use crate::plan::{Clause, Create, Expression, NewEdge, NewNode, PathParts, Slot};
use crate::query::Error;

impl Binder<'_> {
    /// Binds `CREATE`. Where one follows another they are one, unless what it makes looks at what
    /// the other has made.
    pub fn create_clause(
        &mut self,
        paths: &[PathPattern],
        out: &mut Vec<Clause>,
    ) -> Result<Columns, Error> {
        let create = self.create(paths)?;
        match out.last_mut() {
            Some(Clause::Create(before)) if !create.looks_at(before) => {
                before.nodes.extend(create.nodes);
                before.edges.extend(create.edges);
                before.paths.extend(create.paths);
            }
            _ => {
                self.count(1)?;
                out.push(Clause::Create(create));
            }
        }
        Ok(Vec::new())
    }

    /// Binds what a clause makes.
    pub fn create(&mut self, paths: &[PathPattern]) -> Result<Create, Error> {
        let mut create = Create::default();
        for path in paths {
            let start = self.new_node(&path.start, &mut create)?;
            let (mut from, mut steps) = (start, Vec::new());
            for (relationship, node) in &path.steps {
                // Its name is bound behind the node's: its properties may not name it.
                let to = self.new_node(node, &mut create)?;
                steps.push(self.new_edge(relationship, (from, to), &mut create)?);
                from = to;
            }
            if let Some(name) = &path.variable {
                let slot = self.name(&name.text);
                let parts = PathParts { start, steps };
                create.paths.push((slot, Expression::Path(Box::new(parts))));
            }
        }
        Ok(create)
    }

    fn new_node(&mut self, node: &NodePattern, create: &mut Create) -> Result<Slot, Error> {
        if let Some(name) = &node.variable
            && let Some(slot) = self.find(&name.text)
        {
            return Ok(slot);
        }
        let properties = self.new_properties(node.properties.as_ref())?;
        let labels = node.labels.as_ref().and_then(LabelExpr::conjunction).unwrap_or_default();
        let labels = labels.into_iter().map(|label| Arc::clone(&label.text)).collect();
        let slot = match &node.variable {
            Some(name) => self.name(&name.text),
            None => self.slot(),
        };
        create.nodes.push(NewNode { slot, labels, properties });
        Ok(slot)
    }

    fn new_edge(
        &mut self,
        relationship: &RelationshipPattern,
        (left, right): (Slot, Slot),
        create: &mut Create,
    ) -> Result<Slot, Error> {
        let properties = self.new_properties(relationship.properties.as_ref())?;
        let Some(LabelExpr::Name(kind)) = &relationship.types else {
            return Err(Error::unsupported("A relationship of no certain type here"));
        };
        let slot = match &relationship.variable {
            Some(name) => self.name(&name.text),
            None => self.slot(),
        };
        let (from, to) = match relationship.direction {
            Direction::Left => (right, left),
            Direction::Right | Direction::Either => (left, right),
        };
        create.edges.push(NewEdge { slot, kind: Arc::clone(&kind.text), from, to, properties });
        Ok(slot)
    }

    fn new_properties(
        &mut self,
        properties: Option<&Properties>,
    ) -> Result<Option<Expression>, Error> {
        Ok(match properties {
            Some(Properties::Map(entries)) => Some(Expression::Map(self.entries(entries)?)),
            Some(Properties::Parameter(name)) => {
                Some(Expression::Parameter(Arc::clone(&name.text)))
            }
            None => None,
        })
    }
}
