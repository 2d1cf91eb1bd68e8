//! Values as texts of JSON, in the form of the server's `--json` (`graph/src/value/json.rs`).

use graph::value::Value;
use graph::value::json;

use super::entities::{Entities, name};

pub(super) use graph::value::json::value;

/// Appends properties as an object.
pub(super) fn properties(properties: &[(u32, Value)], all: &Entities, out: &mut Vec<u8>) {
    let fields = properties.iter().map(|(key, one)| (name(&all.keys, *key), one));
    json::object(fields, out, |one, out| json::value(all, one, out));
}

impl json::Entities for Entities {
    fn node(&self, place: u64, out: &mut Vec<u8>) {
        let Some(node) = Entities::node(self, place) else { return out.extend_from_slice(b"null") };
        let labels = node.labels.iter().map(|&label| name(&self.labels, label));
        json::begin_node(node.id, labels, out);
        properties(&node.properties, self, out);
        out.push(b'}');
    }

    fn relationship(&self, place: u64, out: &mut Vec<u8>) {
        let Some(edge) = Entities::relationship(self, place) else {
            return out.extend_from_slice(b"null");
        };
        let ends = edge.ends;
        let ends = ends.map(|(kind, source, target)| (name(&self.types, kind), source, target));
        json::begin_relationship(edge.id, ends, out);
        properties(&edge.properties, self, out);
        out.push(b'}');
    }
}
