//! `CREATE INDEX` and `DROP INDEX`.
//!
//! An index on several properties finds by the first of them, and by more of them from the first
//! on. In FalkorDB each finds by itself. So `ON (n.a, n.b)` makes one on both, and one on the
//! second alone: each property has one that it comes first in, which is what it is dropped by.

use std::sync::Arc;

use super::{Class, Error, Explained};
use crate::cypher::ast::{IndexCommand, IndexKind, IndexTarget};
use crate::execute::Run;
use crate::storage::{ConstraintKind, Graph, KeyId, MOST_KEYS, Of, On, Rejected, View};

/// How many properties a statement may name: each has an index of its own.
const MOST_PROPERTIES: usize = 1000;

/// A statement about an index.
#[derive(Clone, Debug)]
pub(super) struct IndexStatement {
    drop: bool,
    target: IndexTarget,
    label: Arc<str>,
    properties: Vec<Arc<str>>,
}

impl IndexStatement {
    /// What a command says.
    ///
    /// # Errors
    /// It is about another kind of index.
    pub fn new(command: &IndexCommand) -> Result<IndexStatement, Error> {
        match command.kind {
            IndexKind::Fulltext => return Err(absent("Full-text")),
            IndexKind::Vector => return Err(absent("Vector")),
            IndexKind::Range if command.options.is_some() => {
                return Err(Error::limit("NotSupported", "A range index has no OPTIONS"));
            }
            IndexKind::Range => {}
        }
        if command.properties.len() > MOST_PROPERTIES {
            let message = format!("An index statement names {MOST_PROPERTIES} properties at most");
            return Err(Error::limit("TooComplex", message));
        }
        Ok(IndexStatement {
            drop: command.drop,
            target: command.target,
            label: Arc::clone(&command.label.text),
            properties: command.properties.iter().map(|name| Arc::clone(&name.text)).collect(),
        })
    }

    /// What it does.
    pub fn explain(&self) -> Explained {
        let name = if self.drop { "Drop Index" } else { "Create Index" };
        Explained::new(name, "", Vec::new())
    }

    /// Does it.
    ///
    /// # Errors
    /// The index is there already, or is not there; or the statement is to end.
    pub fn run(&self, run: &mut Run<'_>) -> Result<(), Error> {
        if self.drop { self.drop(run) } else { self.create(run) }
    }

    fn create(&self, run: &mut Run<'_>) -> Result<(), Error> {
        let graph = run.graph()?;
        let of = match self.target {
            IndexTarget::Node => Of::Label(graph.make_label(&self.label)?),
            IndexTarget::Relationship => Of::Type(graph.make_type(&self.label)?),
        };
        let mut keys: Vec<KeyId> = Vec::with_capacity(self.properties.len());
        for name in &self.properties {
            let key = graph.make_key(name)?;
            if keys.contains(&key) || led_by(graph, of, key).next().is_some() {
                let message = format!("Attribute '{name}' is already indexed");
                return Err(Error::new(Class::SemanticError, "IndexAlreadyExists", message));
            }
            keys.push(key);
        }
        make(graph, On::new(of, &keys[..keys.len().min(MOST_KEYS)]))?;
        for key in keys.iter().skip(1) {
            make(graph, On::new(of, &[*key]))?;
        }
        run.statistics.indices_created += keys.len() as u64;
        build(run)
    }

    fn drop(&self, run: &mut Run<'_>) -> Result<(), Error> {
        let graph = run.graph()?;
        for name in &self.properties {
            let of = match self.target {
                IndexTarget::Node => graph.label(&self.label).map(Of::Label),
                IndexTarget::Relationship => graph.edge_type(&self.label).map(Of::Type),
            };
            let (Some(of), Some(key)) = (of, graph.key(name)) else {
                return Err(self.missing(name));
            };
            let all: Vec<On> = led_by(graph, of, key).cloned().collect();
            if all.is_empty() {
                return Err(self.missing(name));
            }
            let needs = |kind, on: &On| {
                kind == ConstraintKind::Unique && on.of == of && on.keys.contains(&key)
            };
            if graph.constraints().iter().any(|one| needs(one.kind, &one.on)) {
                return Err(Rejected::Needed.into());
            }
            for on in all {
                graph.drop_index(on)?;
            }
        }
        run.statistics.indices_deleted += self.properties.len() as u64;
        Ok(())
    }

    fn missing(&self, property: &str) -> Error {
        let label = &self.label;
        let message = format!("ERR Unable to drop index on :{label}({property}): no such index.");
        Error::new(Class::SemanticError, "NoSuchIndex", message)
    }
}

fn absent(kind: &str) -> Error {
    let message = format!("{kind} indexes are not supported yet: an index is a range index");
    Error::limit("NotSupported", message)
}

/// The indexes in which a property comes first.
pub(super) fn led_by(view: &View, of: Of, key: KeyId) -> impl Iterator<Item = &On> {
    let all = view.indexes().map(|index| index.on());
    all.filter(move |on| on.of == of && on.keys.first() == Some(&key))
}

/// Makes an index that is to be built.
pub(super) fn make(graph: &mut Graph, on: On) -> Result<(), Error> {
    Ok(graph.create_index(on)?)
}

/// Builds the indexes that are not whole: nothing else edits the graph, which is a fork.
pub(super) fn build(run: &mut Run<'_>) -> Result<(), Error> {
    while let Some(mut gathered) = run.view().to_gather() {
        let mut kept = 0;
        while run.view().gather(&mut gathered) {
            run.check()?;
            let more = gathered.memory() - kept;
            run.keep(more)?;
            kept += more;
        }
        run.graph()?.enter_gathered(gathered);
        run.release(kept);
    }
    Ok(())
}

/// What a client is told of an index or a constraint that was not made or removed.
impl From<Rejected> for Error {
    fn from(rejected: Rejected) -> Error {
        let (detail, message) = match rejected {
            Rejected::Missing => {
                ("NoSuchIndex", "ERR no such index, constraint, label or property")
            }
            Rejected::Exists => ("AlreadyExists", "Constraint already exists"),
            Rejected::Unfit => ("Unfit", "Properties cannot contain duplicates"),
            Rejected::Needed => ("IndexIsNeeded", "Index supports constraint"),
            Rejected::NoIndex => ("NoIndex", "missing supporting exact-match index"),
        };
        Error::new(Class::SemanticError, detail, message)
    }
}
