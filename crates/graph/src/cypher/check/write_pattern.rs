//! Patterns that are made, by `CREATE` and `MERGE`.

use super::Checker;
use super::pattern::parameter_instead;
use crate::cypher::ast::{
    Direction, LabelExpr, NodePattern, PathKind, PathPattern, Properties, RelationshipPattern,
};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::Name;
use crate::value::Type;

impl Checker<'_> {
    /// Checks what a clause makes, and binds what it names.
    pub fn create_path(&mut self, path: &PathPattern, clause: &str) -> Result<(), Error> {
        if path.kind != PathKind::All {
            return refuse(Class::UnexpectedSyntax, path.span.start, clause, "a shortest path");
        }
        let alone = path.steps.is_empty();
        self.create_node(&path.start, alone, clause)?;
        for (relationship, node) in &path.steps {
            self.create_relationship(relationship, clause)?;
            self.create_node(node, alone, clause)?;
        }
        match &path.variable {
            Some(name) => self.bind_new(name, Type::PATH),
            None => Ok(()),
        }
    }

    fn create_node(&mut self, node: &NodePattern, alone: bool, clause: &str) -> Result<(), Error> {
        let start = node.span.start;
        if node.filter.is_some() {
            return refuse(Class::UnexpectedSyntax, start, clause, "a WHERE");
        }
        if node.labels.as_ref().is_some_and(|labels| labels.conjunction().is_none()) {
            return refuse(Class::UnexpectedSyntax, start, clause, "a choice of labels");
        }
        self.created_properties(node.properties.as_ref(), clause)?;
        let Some(name) = &node.variable else { return Ok(()) };
        let bound = self.scope.find(&name.text).is_some();
        if bound && (alone || node.labels.is_some() || node.properties.is_some()) {
            return Err(redeclared(name, clause));
        }
        self.bind_or_agree(name, Type::NODE)
    }

    fn create_relationship(
        &mut self,
        relationship: &RelationshipPattern,
        clause: &str,
    ) -> Result<(), Error> {
        let start = relationship.span.start;
        let bound = |name: &&Name| self.scope.find(&name.text).is_some();
        if let Some(name) = relationship.variable.as_ref().filter(bound) {
            return Err(redeclared(name, clause));
        }
        if relationship.length.is_some() {
            let message = format!("Variable length relationships cannot be used in {clause}");
            return Err(Error::new(Class::CreatingVarLength, start, message));
        }
        if !matches!(relationship.types, Some(LabelExpr::Name(_))) {
            let message = format!(
                "Exactly one relationship type must be specified for each relation in a \
                 {clause} pattern."
            );
            return Err(Error::new(Class::NoSingleRelationshipType, start, message));
        }
        if relationship.direction == Direction::Either && clause == "CREATE" {
            let message = "Only directed relationships are supported in CREATE";
            return Err(Error::new(Class::RequiresDirectedRelationship, start, message));
        }
        if relationship.filter.is_some() {
            return refuse(Class::UnexpectedSyntax, start, clause, "a WHERE");
        }
        self.created_properties(relationship.properties.as_ref(), clause)?;
        if let Some(name) = &relationship.variable {
            self.scope.bind(name, Type::RELATIONSHIP);
        }
        Ok(())
    }

    fn created_properties(
        &mut self,
        properties: Option<&Properties>,
        clause: &str,
    ) -> Result<(), Error> {
        match properties {
            Some(Properties::Map(entries)) => self.property_values(entries),
            Some(Properties::Parameter(name)) if clause == "MERGE" => Err(parameter_instead(name)),
            _ => Ok(()),
        }
    }
}

fn redeclared(name: &Name, clause: &str) -> Error {
    let message = format!("The bound variable '{name}' can't be redeclared in a {clause} clause");
    Error::new(Class::VariableAlreadyBound, name.span.start, message)
}

fn refuse(class: Class, start: u32, clause: &str, what: &str) -> Result<(), Error> {
    Err(Error::new(class, start, format!("{clause} cannot have {what} in its pattern")))
}
