//! Constraints that come and go: `GRAPH.CONSTRAINT`.

use super::index::{build, led_by, make};
use super::{Class, Error, Settings};
use crate::execute::Run;
use crate::storage::{Constraint, ConstraintKind, Graph, KeyId, Of, On, Rejected};

/// A constraint that is to be made or removed.
#[derive(Clone, Debug)]
pub struct ConstraintStatement {
    /// Remove it; else make it.
    pub drop: bool,
    /// What it asks.
    pub kind: ConstraintKind,
    /// Of relationships; else of nodes.
    pub of_relationships: bool,
    /// Their label or type.
    pub label: Box<str>,
    /// Which properties.
    pub properties: Vec<Box<str>>,
}

impl ConstraintStatement {
    /// Makes or removes the constraint. After an error the graph may have changed in part: it is a
    /// fork, which the caller drops.
    ///
    /// # Errors
    /// It is there already, or is not there; what is there breaks it; one of uniqueness has no
    /// indexes on its properties.
    pub fn run(&self, graph: &mut Graph, settings: &Settings<'_>) -> Result<(), Error> {
        if self.drop { self.drop(graph) } else { self.create(graph, settings) }
    }

    fn create(&self, graph: &mut Graph, settings: &Settings<'_>) -> Result<(), Error> {
        let of = match self.of_relationships {
            true => Of::Type(graph.make_type(&self.label)?),
            false => Of::Label(graph.make_label(&self.label)?),
        };
        let mut keys = Vec::with_capacity(self.properties.len());
        for name in &self.properties {
            keys.push(graph.make_key(name)?);
        }
        let on = On::new(of, &keys);
        let constraint = Constraint { kind: self.kind, on };
        if graph.constraints().iter().any(|other| other.is_same(&constraint)) {
            return Err(Rejected::Exists.into());
        }
        let mut run = Run::writing(graph, settings);
        if self.kind == ConstraintKind::Unique {
            support(&constraint.on, &mut run)?;
        }
        run.check()?;
        let holds = run.fit()?;
        let go_on = || settings.interrupt.check(holds).map_err(Error::from);
        match run.graph()?.create_constraint(constraint, go_on)? {
            Some(broken) => Err(Error::broken(&broken, run.view())),
            None => Ok(()),
        }
    }

    fn drop(&self, graph: &mut Graph) -> Result<(), Error> {
        let of = match self.of_relationships {
            true => graph.edge_type(&self.label).map(Of::Type),
            false => graph.label(&self.label).map(Of::Label),
        };
        let keys: Option<Vec<KeyId>> = self.properties.iter().map(|name| graph.key(name)).collect();
        let done = match (of, keys) {
            (Some(of), Some(keys)) => {
                graph.drop_constraint(Constraint { kind: self.kind, on: On::new(of, &keys) })
            }
            _ => Err(Rejected::Missing),
        };
        done.map_err(|_| {
            let message = "Unable to drop constraint, no such constraint.";
            Error::new(Class::SemanticError, "NoSuchConstraint", message)
        })
    }
}

/// An index on just these properties, where each of them is indexed.
fn support(on: &On, run: &mut Run<'_>) -> Result<(), Error> {
    let view = run.view();
    if !on.keys.iter().all(|&key| led_by(view, on.of, key).next().is_some()) {
        return Err(Rejected::NoIndex.into());
    }
    if !view.indexes().any(|index| index.on().is_same_set(on)) {
        make(run.graph()?, on.clone())?;
    }
    build(run)
}
