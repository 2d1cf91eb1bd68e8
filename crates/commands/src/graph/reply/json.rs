//! Rows as JSON: each row one text, an array of its values (`graph/src/value/json.rs`).

use ::graph::storage::Entity;
use ::graph::value::json::{self, Entities};
use ::graph::value::stored::from_property;
use base::Reply;

use super::paced::Paced;

/// A graph of which a row is written, and the reply that the row is to become a part of.
pub(super) struct Within<'a, 'p> {
    pub view: &'a Paced<'p>,
    pub reply: &'a dyn Reply,
}

impl Within<'_, '_> {
    /// Whether it goes on with so much work.
    fn goes_on(&self, units: u32, out: &[u8]) -> bool {
        self.view.goes_on(units.into(), self.reply, out.len())
    }

    /// The last field, and the end of the object.
    fn properties(&self, entity: Entity, out: &mut Vec<u8>) {
        let view = self.view;
        let there = view.has(entity).then(|| view.properties(entity)).into_iter().flatten();
        let named = there.map(|(key, stored)| (view.key_name(key).unwrap_or_default(), stored));
        json::object(named, out, |stored, out| {
            if self.goes_on(stored.units(), out) {
                json::value(self, &from_property(stored), out);
            }
        });
        out.push(b'}');
    }
}

impl Entities for Within<'_, '_> {
    fn node(&self, id: u64, out: &mut Vec<u8>) {
        let (view, number) = (self.view, u32::try_from(id).unwrap_or(u32::MAX));
        if self.goes_on(1, out) {
            let labels = view.labels_of(number);
            let names = labels.map(|label| view.label_name(label).unwrap_or_default());
            json::begin_node(id, names, out);
            self.properties(Entity::Node(number), out);
        }
    }

    fn relationship(&self, id: u64, out: &mut Vec<u8>) {
        let (view, number) = (self.view, u32::try_from(id).unwrap_or(u32::MAX));
        if self.goes_on(1, out) {
            // One without ends was deleted by this very statement.
            let ends = view.ends(number).map(|ends| {
                let kind = view.type_name(ends.kind).unwrap_or_default();
                (kind, ends.source.into(), ends.target.into())
            });
            json::begin_relationship(id, ends, out);
            self.properties(Entity::Edge(number), out);
        }
    }
}
