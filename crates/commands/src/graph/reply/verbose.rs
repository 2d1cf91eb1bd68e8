//! Values for people: nodes and edges as names and values, lists, maps and paths as one text.

use ::graph::storage::Entity;
use ::graph::value::stored::from_property;
use ::graph::value::{Value, text};
use base::Reply;

use super::paced::Paced;

/// Writes a value.
pub(super) fn value(view: &Paced<'_>, value: &Value, out: &mut dyn Reply) {
    match value {
        Value::Null => out.null(),
        Value::Integer(number) => out.int(*number),
        Value::Float(number) => out.bulk(text::general(*number).as_bytes()),
        Value::String(text) => out.bulk(text.as_bytes()),
        Value::Node(id) => node(view, *id, out),
        Value::Relationship(id) => edge(view, *id, out),
        // By itself it has no space behind the colons, and in a list one.
        Value::Point(point) => out.bulk(
            format!("point({{latitude:{:.6}, longitude:{:.6}}})", point.latitude, point.longitude)
                .as_bytes(),
        ),
        other => out.bulk(text::verbose(other).as_bytes()),
    }
}

fn node(view: &Paced<'_>, id: u64, out: &mut dyn Reply) {
    let number = u32::try_from(id).unwrap_or(u32::MAX);
    out.array(3);
    named("id", out);
    out.int(id.cast_signed());
    named("labels", out);
    let labels: Vec<_> = view.labels_of(number).collect();
    out.array(labels.len());
    for label in labels {
        out.bulk(view.label_name(label).unwrap_or_default().as_bytes());
    }
    properties(view, Entity::Node(number), out);
}

fn edge(view: &Paced<'_>, id: u64, out: &mut dyn Reply) {
    let number = u32::try_from(id).unwrap_or(u32::MAX);
    let ends = view.ends(number);
    out.array(5);
    named("id", out);
    out.int(id.cast_signed());
    named("type", out);
    let kind = ends.and_then(|ends| view.type_name(ends.kind));
    out.bulk(kind.unwrap_or_default().as_bytes());
    named("src_node", out);
    out.int(ends.map_or(-1, |ends| ends.source.into()));
    named("dest_node", out);
    out.int(ends.map_or(-1, |ends| ends.target.into()));
    properties(view, Entity::Edge(number), out);
}

/// Begins a pair.
fn named(name: &str, out: &mut dyn Reply) {
    out.array(2);
    out.bulk(name.as_bytes());
}

fn properties(view: &Paced<'_>, entity: Entity, out: &mut dyn Reply) {
    named("properties", out);
    let all: Vec<_> = if view.has(entity) { view.properties(entity).collect() } else { Vec::new() };
    out.array(all.len());
    for (key, stored) in all {
        if !view.goes_on(stored.units().into(), &*out, 0) {
            break;
        }
        named(view.key_name(key).unwrap_or_default(), out);
        value(view, &from_property(stored), out);
    }
}
