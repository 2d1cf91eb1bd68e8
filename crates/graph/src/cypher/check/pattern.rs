//! Patterns that are looked for.

use std::collections::HashSet;
use std::sync::Arc;

use super::scope::Layer;
use super::{At, Checker};
use crate::cypher::ast::{Expr, NodePattern, PathPattern, Properties, RelationshipPattern};
use crate::cypher::error::{Class, Error};
use crate::cypher::name::Name;
use crate::value::Type;

impl Checker<'_> {
    /// Binds what patterns name, then checks what is asked of it: that may name any of it.
    pub fn match_paths(
        &mut self,
        paths: &[PathPattern],
        filter: Option<&Expr>,
    ) -> Result<(), Error> {
        let mut relationships = HashSet::new();
        for path in paths {
            self.match_node(&path.start)?;
            for (relationship, node) in &path.steps {
                self.match_relationship(relationship, &mut relationships)?;
                self.match_node(node)?;
            }
            if let Some(name) = &path.variable {
                self.bind_new(name, Type::PATH)?;
            }
        }
        paths.iter().try_for_each(|path| self.match_properties(path))?;
        filter.map_or(Ok(()), |filter| self.predicate(filter, At::ROW))
    }

    fn match_node(&mut self, node: &NodePattern) -> Result<(), Error> {
        match &node.variable {
            Some(name) => self.bind_or_agree(name, Type::NODE),
            None => Ok(()),
        }
    }

    fn match_relationship(
        &mut self,
        relationship: &RelationshipPattern,
        named: &mut HashSet<Arc<str>>,
    ) -> Result<(), Error> {
        let Some(name) = &relationship.variable else { return Ok(()) };
        let may_be = match relationship.length {
            Some(_) => Type::list_of(Type::RELATIONSHIP),
            None => Type::RELATIONSHIP,
        };
        self.bind_or_agree(name, may_be)?;
        if named.insert(Arc::clone(&name.text)) {
            return Ok(());
        }
        let message =
            format!("Cannot use the same relationship variable '{name}' for multiple patterns.");
        Err(Error::new(Class::RelationshipUniquenessViolation, name.span.start, message))
    }

    /// Binds a variable, or sees that what it is bound to may be this.
    pub fn bind_or_agree(&mut self, name: &Name, may_be: Type) -> Result<(), Error> {
        let Some(bound) = self.scope.find(&name.text) else {
            self.scope.bind(name, may_be);
            return Ok(());
        };
        if bound.may_be(may_be) {
            return Ok(());
        }
        let entities = Type::NODE.or(Type::RELATIONSHIP);
        let message = if bound.is_only(entities) && may_be.is_only(entities) {
            format!("The alias '{name}' was specified for both a node and a relationship.")
        } else {
            let (expected, found) = (may_be.name(), bound.name());
            format!("Type mismatch: '{name}' is a {found}, and is used as a {expected}")
        };
        Err(Error::new(Class::VariableTypeConflict, name.span.start, message))
    }

    fn match_properties(&mut self, path: &PathPattern) -> Result<(), Error> {
        for node in path.nodes() {
            self.matched(node.properties.as_ref())?;
            if let Some(filter) = &node.filter {
                self.predicate(filter, At::ROW)?;
            }
        }
        for relationship in path.relationships() {
            self.matched(relationship.properties.as_ref())?;
            let Some(filter) = &relationship.filter else { continue };
            // Of several in a row it is asked of each, and each has their name meanwhile.
            self.scope.push(Layer::clear());
            if let (Some(name), Some(_)) = (&relationship.variable, relationship.length) {
                self.scope.bind(name, Type::RELATIONSHIP);
            }
            let checked = self.predicate(filter, At::ROW);
            self.scope.pop();
            checked?;
        }
        Ok(())
    }

    fn matched(&mut self, properties: Option<&Properties>) -> Result<(), Error> {
        match properties {
            Some(Properties::Map(entries)) => self.property_values(entries),
            Some(Properties::Parameter(name)) => Err(parameter_instead(name)),
            None => Ok(()),
        }
    }

    /// The values of a map of properties.
    pub fn property_values(&mut self, entries: &[(Name, Expr)]) -> Result<(), Error> {
        entries.iter().try_for_each(|(_, value)| self.expr(value, At::ROW).map(|_| ()))
    }
}

/// A parameter in place of properties that are looked for: an index could not be chosen.
pub fn parameter_instead(name: &Name) -> Error {
    let message = "Encountered unhandled type in inlined properties.";
    Error::new(Class::InvalidParameterUse, name.span.start, message)
}
