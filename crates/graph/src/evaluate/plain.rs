//! Values with maps in the places of nodes, relationships and paths, for `toJSON`.

use std::sync::Arc;

use super::Made;
use super::graph_function::{ends, one, properties};
use crate::execute::Run;
use crate::plan::GraphFunction;
use crate::query::Error;
use crate::value::{Map, Value};

/// A value, with maps of what is in the graph in it.
pub fn plain(value: &Value, run: &Run<'_>) -> Result<Value, Error> {
    Plain { run, made: Made::default() }.value(value)
}

struct Plain<'r, 'g> {
    run: &'r Run<'g>,
    made: Made,
}

impl Plain<'_, '_> {
    fn value(&mut self, value: &Value) -> Result<Value, Error> {
        let value = match value {
            Value::List(values, _) => {
                self.made.add_bytes(size_of_val(&values[..]), self.run)?;
                let values: Result<Vec<Value>, Error> =
                    values.iter().map(|value| self.value(value)).collect();
                return Ok(Value::list(values?).checked()?);
            }
            Value::Map(map) => {
                self.made.add_bytes(map.memory(), self.run)?;
                let entry =
                    |(key, value): (&Arc<str>, &Value)| Ok((key.clone(), self.value(value)?));
                let entries: Result<Vec<(Arc<str>, Value)>, Error> =
                    map.iter().map(entry).collect();
                return Ok(Value::Map(Map::new(entries?).into()).checked()?);
            }
            Value::Node(_) => {
                let kind = ("type", Value::from("node"));
                Value::map([kind].into_iter().chain(self.node(value)?))
            }
            Value::Relationship(_) => self.relationship(value)?,
            Value::Path(path) => return self.path(path.nodes(), path.relationships()),
            other => return Ok(other.clone()),
        };
        self.made.add(&value, self.run)?;
        Ok(value)
    }

    fn node(&self, value: &Value) -> Result<[(&'static str, Value); 3], Error> {
        let node = std::slice::from_ref(value);
        Ok([
            ("id", one(GraphFunction::Id, node, self.run)?),
            ("labels", one(GraphFunction::Labels, node, self.run)?),
            ("properties", properties(value, self.run)?),
        ])
    }

    fn relationship(&self, value: &Value) -> Result<Value, Error> {
        let (both, this) = (ends(value, self.run.view())?, std::slice::from_ref(value));
        let end = |id: u32| -> Result<Value, Error> {
            Ok(Value::map(self.node(&Value::Node(id.into()))?))
        };
        Ok(Value::map([
            ("type", Value::from("relationship")),
            ("id", one(GraphFunction::Id, this, self.run)?),
            ("relationship", one(GraphFunction::Type, this, self.run)?),
            ("properties", properties(value, self.run)?),
            ("start", end(both.source)?),
            ("end", end(both.target)?),
        ]))
    }

    /// A list of nodes with what is between them.
    fn path(&mut self, nodes: &[u64], between: &[u64]) -> Result<Value, Error> {
        let mut parts = Vec::with_capacity(nodes.len() + between.len());
        for (place, &node) in nodes.iter().enumerate() {
            parts.push(self.value(&Value::Node(node))?);
            if let Some(&edge) = between.get(place) {
                parts.push(self.value(&Value::Relationship(edge))?);
            }
        }
        Ok(Value::list(parts))
    }
}
