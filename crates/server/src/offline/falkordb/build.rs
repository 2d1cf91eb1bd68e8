//! One graph, made of what a FalkorDB answers.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use ::graph::procedure::Builtin;
use ::graph::query::{self, ConstraintStatement, NoInterrupt, Prepared, Settings};
use ::graph::storage::{
    ConstraintKind, Ends, Entity, Graph as Stored, KeyId, LabelId, NodeId, TypeId,
};
use ::graph::temporal::Clock;
use ::graph::value::Map;
use ::graph::value::stored::to_property;
use client::Value;

use super::source::{Source, array, text};
use super::value::property;

/// Nodes of one page.
const NODES: i64 = 10_000;
/// Nodes whose relationships are one page.
const SOURCES: i64 = 2_000;
/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(200);

/// A graph of it, and what there is to say of it.
///
/// # Errors
/// It says so, or has something that this server does not have.
pub(super) fn graph(source: &mut Source, name: &str) -> Result<(Stored, String), String> {
    let mut build = Build {
        name,
        graph: Stored::default(),
        labels: Vec::new(),
        types: Vec::new(),
        keys: Vec::new(),
        ids: HashMap::new(),
        relationships: 0,
        shown: None,
    };
    let last = source.number(name, "MATCH (n) RETURN max(id(n))")?.unwrap_or(-1);
    build.names(source)?;
    build.nodes(source, last)?;
    build.relationships(source, last)?;
    build.check(source)?;
    let (indexes, passed_over) = build.indexes(source)?;
    let constraints = build.constraints(source)?;
    drop(build.graph.take_changes());
    let mut told = format!(
        "{} nodes, {} relationships, {indexes} indexed properties, {constraints} constraints",
        build.graph.node_count(),
        build.graph.edge_count()
    );
    if passed_over > 0 {
        told += &format!("; {passed_over} full-text or vector indexes were left out");
    }
    Ok((build.graph, told))
}

struct Build<'a> {
    name: &'a str,
    graph: Stored,
    /// The numbers of names, by those that it has.
    labels: Vec<LabelId>,
    types: Vec<TypeId>,
    keys: Vec<KeyId>,
    /// The numbers of nodes, by those that it has.
    ids: HashMap<i64, NodeId>,
    relationships: usize,
    shown: Option<Instant>,
}

impl Build<'_> {
    fn wrong(&self, source: &Source, what: &str) -> String {
        source.says(format!("graph '{}': {what}", self.name))
    }

    fn names(&mut self, source: &mut Source) -> Result<(), String> {
        for (at, query) in
            ["db.labels()", "db.relationshipTypes()", "db.propertyKeys()"].into_iter().enumerate()
        {
            for row in source.rows(self.name, &format!("CALL {query}"))? {
                let cell = row.into_iter().next().and_then(array);
                let name = cell.and_then(|mut cell| text(cell.pop()?));
                let name = name.ok_or_else(|| self.wrong(source, "a name is no text"))?;
                let made = match at {
                    0 => self.graph.make_label(&name).map(|id| self.labels.push(id)),
                    1 => self.graph.make_type(&name).map(|id| self.types.push(id)),
                    _ => self.graph.make_key(&name).map(|id| self.keys.push(id)),
                };
                made.map_err(|_| self.wrong(source, "it has too many names"))?;
            }
        }
        Ok(())
    }

    fn nodes(&mut self, source: &mut Source, last: i64) -> Result<(), String> {
        let page = source.most_rows.and_then(|most| i64::try_from(most).ok());
        let page = page.map_or(NODES, |most| most.min(NODES)).max(1);
        let mut from = 0;
        while from <= last {
            let to = from + page;
            let query = format!("MATCH (n) WHERE id(n) >= {from} AND id(n) < {to} RETURN n");
            for row in source.rows(self.name, &query)? {
                self.node(row).ok_or_else(|| self.changed(source, "a node"))?;
            }
            drop(self.graph.take_changes());
            self.show("nodes", self.graph.node_count());
            from = to;
        }
        Ok(())
    }

    fn node(&mut self, row: Vec<Value>) -> Option<()> {
        let [id, labels, properties] = entity(row)?;
        let mut own = Vec::new();
        for label in array(labels)? {
            let at = usize::try_from(label.as_i64()?).ok()?;
            own.push(*self.labels.get(at)?);
        }
        own.sort_unstable();
        let node = self.graph.create_node(&own).ok()?;
        self.ids.insert(id.as_i64()?, node);
        self.properties(Entity::Node(node), properties)
    }

    fn relationships(&mut self, source: &mut Source, last: i64) -> Result<(), String> {
        let mut from = 0;
        while from <= last {
            let to = from + SOURCES;
            let query =
                format!("MATCH (s)-[r]->(t) WHERE id(s) >= {from} AND id(s) < {to} RETURN r");
            for row in source.all_rows(self.name, &query, "id(r)")? {
                self.relationship(row).ok_or_else(|| self.changed(source, "a relationship"))?;
            }
            drop(self.graph.take_changes());
            self.show("relationships", self.relationships);
            from = to;
        }
        Ok(())
    }

    fn relationship(&mut self, row: Vec<Value>) -> Option<()> {
        let [_, kind, from, to, properties] = entity(row)?;
        let kind = *self.types.get(usize::try_from(kind.as_i64()?).ok()?)?;
        let (source, target) = (*self.ids.get(&from.as_i64()?)?, *self.ids.get(&to.as_i64()?)?);
        let edge = self.graph.create_edge(Ends { kind, source, target }).ok()?;
        self.relationships += 1;
        self.properties(Entity::Edge(edge), properties)
    }

    fn properties(&mut self, entity: Entity, sent: Value) -> Option<()> {
        for triple in array(sent)? {
            let [key, kind, value] = <[Value; 3]>::try_from(array(triple)?).ok()?;
            let key = *self.keys.get(usize::try_from(key.as_i64()?).ok()?)?;
            let value = to_property(&property(kind.as_i64()?, value)?).ok()?;
            self.graph.set(entity, key, value.as_ref()).ok()?;
        }
        Some(())
    }

    fn changed(&self, source: &Source, what: &str) -> String {
        let what = format!(
            "{what} has something that is not known here, or was changed while it was read"
        );
        self.wrong(source, &what)
    }

    /// What was read is what is there.
    fn check(&mut self, source: &mut Source) -> Result<(), String> {
        let nodes = source.number(self.name, "MATCH (n) RETURN count(n)")?;
        let relationships = source.number(self.name, "MATCH ()-[r]->() RETURN count(r)")?;
        let own = (self.graph.node_count(), self.graph.edge_count());
        let theirs =
            [nodes, relationships].map(|count| count.and_then(|n| usize::try_from(n).ok()));
        if theirs == [Some(own.0), Some(own.1)] {
            return Ok(());
        }
        let what = format!(
            "{} nodes and {} relationships were read, and now it has {} and {}: it was changed \
             meanwhile",
            own.0,
            own.1,
            nodes.unwrap_or(0),
            relationships.unwrap_or(0)
        );
        Err(self.wrong(source, &what))
    }

    /// Makes its range indexes; how many properties they are on, and how many were left out.
    fn indexes(&mut self, source: &mut Source) -> Result<(usize, usize), String> {
        let query = "CALL db.indexes() YIELD label, types, entitytype \
                     RETURN label, types, entitytype";
        let (mut made, mut passed_over) = (0, 0);
        for row in source.rows(self.name, query)? {
            let index = index(row).ok_or_else(|| self.wrong(source, "an index is malformed"))?;
            for (property, is_range) in index.properties {
                if !is_range {
                    passed_over += 1;
                    continue;
                }
                let (label, property) = (quoted(&index.label), quoted(&property));
                let text = match index.of_relationships {
                    true => format!("CREATE INDEX FOR ()-[e:{label}]->() ON (e.{property})"),
                    false => format!("CREATE INDEX FOR (e:{label}) ON (e.{property})"),
                };
                let prepared = Prepared::compile(&text, &Builtin).map_err(|e| e.message)?;
                let done = settings(|all| query::write(&mut self.graph, &prepared, all));
                done.map_err(|error| self.wrong(source, &error.message))?;
                made += 1;
            }
        }
        Ok((made, passed_over))
    }

    fn constraints(&mut self, source: &mut Source) -> Result<usize, String> {
        let query = "CALL db.constraints() YIELD type, label, properties, entitytype, status \
                     RETURN type, label, properties, entitytype, status";
        let mut made = 0;
        for row in source.rows(self.name, query)? {
            let found = constraint(row);
            let (statement, holds) =
                found.ok_or_else(|| self.wrong(source, "a constraint is malformed"))?;
            if holds {
                let done = settings(|all| statement.run(&mut self.graph, all));
                done.map_err(|error| self.wrong(source, &error.message))?;
                made += 1;
            }
        }
        Ok(made)
    }

    fn show(&mut self, what: &str, count: usize) {
        if self.shown.is_some_and(|last| last.elapsed() < SHOWN) || !io::stderr().is_terminal() {
            return;
        }
        self.shown = Some(Instant::now());
        eprint!("\r{}: {count} {what}        ", self.name);
        // It is only for show.
        let _ = io::stderr().flush();
    }
}

/// The parts of the one node or relationship of a row.
fn entity<const N: usize>(row: Vec<Value>) -> Option<[Value; N]> {
    let mut cell = array(row.into_iter().next()?)?;
    <[Value; N]>::try_from(array(cell.pop()?)?).ok()
}

struct Index {
    label: String,
    of_relationships: bool,
    /// Each, and whether it is in a range index.
    properties: Vec<(String, bool)>,
}

/// What stands behind the types of a row's cells.
fn values<const N: usize>(row: Vec<Value>) -> Option<[Value; N]> {
    let cells: Option<Vec<Value>> = row.into_iter().map(|cell| array(cell)?.pop()).collect();
    <[Value; N]>::try_from(cells?).ok()
}

/// The texts of a list.
fn texts(list: Value) -> Option<Vec<String>> {
    array(list)?.into_iter().map(|cell| text(array(cell)?.pop()?)).collect()
}

fn index(row: Vec<Value>) -> Option<Index> {
    let [label, types, entity] = values(row)?;
    let mut properties = Vec::new();
    let mut pairs = array(types)?.into_iter();
    while let (Some(property), Some(mut kinds)) = (pairs.next(), pairs.next().and_then(array)) {
        let kinds = texts(kinds.pop()?)?;
        let property = text(property)?;
        for kind in kinds {
            properties.push((property.clone(), kind == "RANGE"));
        }
    }
    Some(Index {
        label: text(label)?,
        of_relationships: text(entity)? == "RELATIONSHIP",
        properties,
    })
}

/// A constraint, and whether it holds.
fn constraint(row: Vec<Value>) -> Option<(ConstraintStatement, bool)> {
    let [kind, label, properties, entity, status] = values(row)?;
    let kind = match text(kind)?.as_str() {
        "UNIQUE" => ConstraintKind::Unique,
        _ => ConstraintKind::Mandatory,
    };
    let statement = ConstraintStatement {
        drop: false,
        kind,
        of_relationships: text(entity)? == "RELATIONSHIP",
        label: text(label)?.into(),
        properties: texts(properties)?.into_iter().map(Into::into).collect(),
    };
    Some((statement, text(status)? == "OPERATIONAL"))
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn settings<R>(run: impl FnOnce(&Settings<'_>) -> R) -> R {
    let (parameters, clock) = (Map::default(), Clock::default());
    run(&Settings {
        parameters: &parameters,
        clock: &clock,
        seed: 0,
        memory: usize::MAX,
        interrupt: &NoInterrupt,
        profile: false,
    })
}
