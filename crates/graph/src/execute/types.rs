//! Which types of relationships a pattern means in a graph, and which ways.

use crate::cypher::ast::Direction as Arrow;
use crate::evaluate::holds;
use crate::plan::LabelTest;
use crate::storage::{Direction, TypeId, View};

/// The types that a relationship may have.
pub fn kinds(types: Option<&LabelTest>, view: &View) -> Vec<TypeId> {
    if let Some(LabelTest::Name(name)) = types {
        return view.edge_type(name).into_iter().collect();
    }
    let fits = |name: &str| types.is_none_or(|test| holds(test, &mut |wanted| wanted == name));
    let all = view.type_names().enumerate().filter(|(_, name)| fits(name));
    all.filter_map(|(number, _)| TypeId::try_from(number).ok()).collect()
}

/// The ways to look from a node. Either way means both, where the second leaves out relationships
/// from the node to itself.
pub fn ways(arrow: Arrow, reversed: bool) -> &'static [(Direction, bool)] {
    match (arrow, reversed) {
        (Arrow::Right, false) | (Arrow::Left, true) => &[(Direction::Out, true)],
        (Arrow::Left, false) | (Arrow::Right, true) => &[(Direction::In, true)],
        (Arrow::Either, _) => &[(Direction::Out, true), (Direction::In, false)],
    }
}
