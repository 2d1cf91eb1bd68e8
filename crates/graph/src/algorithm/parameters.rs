//! Options as values of the language say them, with FalkorDB's texts for wrong ones.

use super::Error;
use super::betweenness::Sampling;
use super::max_flow::FlowOptions;
use super::path_search::{PathCount, PathOptions};
use super::roads::Way;
use super::spanning_forest::ForestOptions;
use super::subgraph::Selection;
use crate::storage::NodeId;
use crate::value::{Map, Value};

/// A map of options, or null.
pub(super) struct Options<'a> {
    /// What errors call it.
    name: &'static str,
    map: Option<&'a Map>,
}

impl<'a> Options<'a> {
    /// The options of a procedure that takes these keys and no others.
    pub fn known(
        name: &'static str,
        value: Option<&'a Value>,
        keys: &[&str],
    ) -> Result<Self, Error> {
        let options = Options::any(name, value)?;
        let mut given = options.map.iter().flat_map(|map| map.iter());
        if given.any(|(key, _)| !keys.contains(&&**key)) {
            return Err(Error::wrong(format!("{name} configuration contains unknown key")));
        }
        Ok(options)
    }

    /// The options of a procedure that passes over keys that it does not know.
    fn any(name: &'static str, value: Option<&'a Value>) -> Result<Self, Error> {
        match value {
            None | Some(Value::Null) => Ok(Options { name, map: None }),
            Some(Value::Map(map)) => Ok(Options { name, map: Some(map) }),
            Some(_) => {
                let called = if name == "msf" { "MSF" } else { name };
                Err(Error::wrong(format!("invalid argument to algo.{called}")))
            }
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.map?.get(key)
    }

    fn should(&self, key: &str, be: &str) -> Error {
        Error::wrong(format!("{} configuration, '{key}' should be {be}", self.name))
    }

    /// Names; an empty list is as good as none.
    fn names(&self, key: &str) -> Result<Option<Vec<Box<str>>>, Error> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let names = strings(value).ok_or_else(|| self.should(key, "an array of strings"))?;
        Ok((!names.is_empty()).then_some(names))
    }

    /// Which part of the graph is meant.
    pub fn selection(&self) -> Result<Selection, Error> {
        let (labels, types) = (self.names("nodeLabels")?, self.names("relationshipTypes")?);
        Ok(Selection { labels, types })
    }

    fn positive(&self, key: &str, default: usize) -> Result<usize, Error> {
        match self.get(key) {
            None => Ok(default),
            Some(Value::Integer(number)) if *number > 0 => {
                Ok(usize::try_from(*number).unwrap_or(usize::MAX))
            }
            Some(_) => Err(self.should(key, "a positive integer")),
        }
    }

    /// How often labels are passed on.
    pub fn iterations(&self) -> Result<usize, Error> {
        self.positive("maxIterations", 10)
    }

    /// Which nodes are drawn; with another seed if none is named, or 0.
    pub fn sampling(&self, seed: u64) -> Result<Sampling, Error> {
        let size = self.positive("samplingSize", Sampling::default().size)?;
        let seed = match self.get("samplingSeed") {
            None | Some(Value::Integer(0)) => seed,
            Some(Value::Integer(own)) => own.cast_unsigned(),
            Some(_) => return Err(self.should("samplingSeed", "an integer")),
        };
        Ok(Sampling { size, seed })
    }

    /// What a forest is to be.
    pub fn forest(&self) -> Result<ForestOptions, Error> {
        let weight = match self.get("weightAttribute") {
            None => None,
            Some(Value::String(name)) => Some((**name).into()),
            Some(_) => return Err(self.should("weightAttribute", "a string")),
        };
        let maximize = match self.get("objective") {
            None => false,
            Some(Value::String(aim)) if &**aim == "minimize" => false,
            Some(Value::String(aim)) if &**aim == "maximize" => true,
            Some(Value::String(aim)) => {
                let message = format!("msf configuration, unknown objective: {aim}");
                return Err(Error::wrong(message));
            }
            Some(_) => return Err(self.should("objective", "a string")),
        };
        Ok(ForestOptions { selection: self.selection()?, weight, maximize })
    }

    /// Between what there is to flow how much. What is needed is named if it is missing.
    pub fn flow(&self) -> Result<FlowOptions, Error> {
        let capacity = match self.get("capacityProperty") {
            None => "capacity".into(),
            Some(Value::String(name)) => (**name).into(),
            Some(_) => return Err(self.should("capacityProperty", "a string")),
        };
        let nodes = |key| {
            let list = self.get(key).and_then(nodes_of).filter(|list| !list.is_empty());
            list.ok_or_else(|| self.should(key, "an array of nodes, with one at least"))
        };
        let (sources, targets) = (nodes("sourceNodes")?, nodes("targetNodes")?);
        let selection = self.selection()?;
        if selection.types.is_none() {
            return Err(self.should("relationshipTypes", "an array of strings, with one at least"));
        }
        Ok(FlowOptions { sources, targets, selection, capacity })
    }
}

/// A list of strings.
fn strings(value: &Value) -> Option<Vec<Box<str>>> {
    let Value::List(values, _) = value else { return None };
    let text = |value: &Value| match value {
        Value::String(text) => Some(Box::from(&**text)),
        _ => None,
    };
    values.iter().map(text).collect()
}

/// A node, whose number may be none that there can be.
pub(super) fn node_of(value: &Value) -> Option<NodeId> {
    match value {
        Value::Node(id) => Some(NodeId::try_from(*id).unwrap_or(NodeId::MAX)),
        _ => None,
    }
}

fn nodes_of(value: &Value) -> Option<Vec<NodeId>> {
    let Value::List(values, _) = value else { return None };
    values.iter().map(node_of).collect()
}

/// The ends and the options of `algo.SPpaths`, or of `algo.SSpaths`, which has no target.
pub(super) fn paths(
    value: Option<&Value>,
    has_target: bool,
) -> Result<(NodeId, Option<NodeId>, PathOptions), Error> {
    let options = Options::any(if has_target { "SPpaths" } else { "SSpaths" }, value)?;
    let [source, target] = ["sourceNode", "targetNode"].map(|key| options.get(key));
    let (source, target) = match (source, target, has_target) {
        (Some(source), Some(target), true) => {
            let ends = node_of(source).zip(node_of(target));
            let message = "sourceNode and targetNode must be of type Node";
            let (source, target) = ends.ok_or_else(|| Error::wrong(message))?;
            (source, Some(target))
        }
        (_, _, true) => return Err(Error::wrong("sourceNode and targetNode are required")),
        (Some(source), _, false) => {
            let node = node_of(source);
            (node.ok_or_else(|| Error::wrong("sourceNode must be of type Node"))?, None)
        }
        (None, _, false) => return Err(Error::wrong("sourceNode is required")),
    };
    Ok((source, target, path_options(&options)?))
}

fn path_options(options: &Options<'_>) -> Result<PathOptions, Error> {
    let wrong = |message| Err(Error::wrong(message));
    let types = match options.get("relTypes") {
        None => None,
        Some(value) => match strings(value) {
            Some(names) => Some(names).filter(|names| !names.is_empty()),
            None => return wrong("relTypes must be array of strings"),
        },
    };
    let property = |key: &str| match options.get(key) {
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(Box::from(&**name))),
        Some(_) => Err(Error::wrong(format!("{key} must be string"))),
    };
    let way = match options.get("relDirection") {
        None => Way::Outgoing,
        Some(Value::String(word)) if &**word == "outgoing" => Way::Outgoing,
        Some(Value::String(word)) if &**word == "incoming" => Way::Incoming,
        Some(Value::String(word)) if &**word == "both" => Way::Both,
        Some(_) => return wrong("relDirection values must be 'incoming', 'outgoing' or 'both'"),
    };
    let max_length = match options.get("maxLen") {
        None => None,
        // A negative length is that of no path.
        Some(Value::Integer(most)) => Some(u64::try_from(*most).unwrap_or(0)),
        Some(_) => return wrong("maxLen must be integer"),
    };
    let max_cost = match options.get("maxCost") {
        None => None,
        Some(Value::Integer(most)) => Some(*most as f64),
        Some(Value::Float(most)) if !most.is_nan() => Some(*most),
        Some(_) => return wrong("maxCost must be numeric"),
    };
    let count = match options.get("pathCount") {
        None => PathCount::Most(1),
        Some(Value::Integer(0)) => PathCount::Lightest,
        Some(Value::Integer(most)) => match usize::try_from(*most) {
            Ok(most) => PathCount::Most(most),
            Err(_) => return wrong("pathCount must be a non-negative integer"),
        },
        Some(_) => return wrong("pathCount must be integer"),
    };
    let (weight, cost) = (property("weightProp")?, property("costProp")?);
    Ok(PathOptions { types, weight, cost, max_cost, max_length, way, count })
}
