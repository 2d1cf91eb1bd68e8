//! In which order the parts of a match are found: from what is bound, or is rarest, along what
//! leads to the fewest; conditions as early as what they name is there.

use std::sync::Arc;

use super::access::{Access, Asked, Facts};
use super::{Condition, Expression, LabelTest, Pattern, PatternEdge, PatternNode, Slot, SlotSet};
use crate::cypher::ast::{ComparisonOperator, PathKind};
use crate::storage::Of;

/// A step of a match.
#[derive(Clone, Debug)]
pub enum Step<'p> {
    /// All nodes that may be this one.
    Scan(&'p PatternNode),
    /// The nodes that may be this one and whose property equals something that is there.
    Seek(&'p PatternNode, &'p Arc<str>, &'p Expression),
    /// The nodes that an index or an id finds, and that may be this one.
    IndexNode(&'p PatternNode, Access<'p>),
    /// The relationships that an index or an id finds, and that may be this one.
    IndexEdge(&'p PatternEdge, Access<'p>),
    /// A node that is bound: whether it is one, with these labels.
    Check(&'p PatternNode),
    /// From a node along relationships.
    Hop(Hop<'p>),
    /// A path is made of its parts.
    Path(Slot, &'p Expression),
    /// What must be true.
    Filter(&'p Expression),
}

/// From a node along relationships, to others or to one that is bound.
#[derive(Clone, Debug)]
pub struct Hop<'p> {
    /// Along what.
    pub edge: &'p PatternEdge,
    /// The node that it starts from.
    pub from: Slot,
    /// The node that it leads to.
    pub to: Slot,
    /// Whether it goes from the right of the pattern to its left.
    pub reversed: bool,
    /// What it starts from, if that is found by the relationship alone.
    pub source: Option<&'p PatternNode>,
    /// What it leads to, if that is not bound yet.
    pub target: Option<&'p PatternNode>,
    /// Whether the relationship is bound.
    pub given: bool,
    /// Relationships that were found before, and may be none of these.
    pub unique: Vec<Slot>,
}

/// What is found so far.
struct Order<'p, 'v> {
    pattern: &'p Pattern,
    facts: Facts<'v>,
    steps: Vec<Step<'p>>,
    /// Slots that are there.
    there: SlotSet,
    /// Slots that the match binds.
    own: SlotSet,
    /// Which relationships were followed.
    followed: Vec<bool>,
    /// Which conditions were asked.
    asked: Vec<bool>,
}

/// The steps of a match, for a graph as it is.
#[must_use]
pub fn order<'p>(pattern: &'p Pattern, facts: Facts<'_>) -> Vec<Step<'p>> {
    let mut order = Order::new(pattern, facts);
    order.ask();
    let bound = pattern.nodes.iter().filter(|node| pattern.bound.contains(&node.slot));
    bound.for_each(|node| order.steps.push(Step::Check(node)));
    order.find();
    order.steps
}

/// How a node that stands alone in a match is found by an index or an id, and how many it finds.
#[must_use]
pub fn looked_up<'p>(
    pattern: &'p Pattern,
    node: &PatternNode,
    facts: Facts<'_>,
) -> Option<(Access<'p>, f64)> {
    let order = Order::new(pattern, facts);
    let found = order.indexed(node)?;
    order.is_worth(node, found.1).then_some(found)
}

impl<'p, 'v> Order<'p, 'v> {
    fn new(pattern: &'p Pattern, facts: Facts<'v>) -> Order<'p, 'v> {
        Order {
            pattern,
            facts,
            steps: Vec::new(),
            there: pattern.bound.iter().copied().collect(),
            own: own(pattern),
            followed: vec![false; pattern.edges.len()],
            asked: vec![false; pattern.filters.len()],
        }
    }

    /// Whether it is better to ask an index, which finds so many, than to go through all: what is
    /// next to each other is read so much faster.
    fn is_worth(&self, node: &PatternNode, rows: f64) -> bool {
        rows * 3.0 <= self.labelled(node).max(256.0)
    }

    fn find(&mut self) {
        loop {
            let edge = self.next_edge();
            let node = if edge.is_some() { None } else { self.next_node() };
            let rows = edge.map(|(_, rows)| rows).or(node.map(|(_, rows)| rows));
            let Some(most) = rows else { break };
            if let Some((found, access)) = self.next_indexed_edge(most) {
                self.steps.push(Step::IndexEdge(found, access));
                self.there.insert(found.slot);
            } else if let Some((place, _)) = edge {
                self.follow(place);
            } else if let Some((node, _)) = node {
                self.steps.push(self.search(node));
                self.there.insert(node.slot);
            }
            self.ask();
        }
        for (slot, path) in &self.pattern.paths {
            self.steps.push(Step::Path(*slot, path));
            self.there.insert(*slot);
        }
        self.ask();
        // What names something that is never there would be forgotten else.
        for (place, asked) in self.asked.iter().enumerate() {
            if !asked {
                self.steps.push(Step::Filter(&self.pattern.filters[place].test));
            }
        }
    }

    fn is_there(&self, slot: Slot) -> bool {
        self.there.has(slot)
    }

    /// Asks all conditions of which everything is there.
    fn ask(&mut self) {
        for place in 0..self.asked.len() {
            let condition = &self.pattern.filters[place];
            if !self.asked[place] && self.can_ask(condition) {
                self.asked[place] = true;
                self.steps.push(Step::Filter(&condition.test));
            }
        }
    }

    fn can_ask(&self, condition: &Condition) -> bool {
        condition.needs.iter().all(|&slot| self.is_there(slot) || !self.is_own(slot))
    }

    /// Whether a slot is one that the match binds.
    fn is_own(&self, slot: Slot) -> bool {
        self.own.has(slot)
    }

    fn node(&self, slot: Slot) -> Option<&'p PatternNode> {
        self.pattern.nodes.iter().find(|node| node.slot == slot)
    }

    /// The relationship to follow next: one that is bound, then one between what is there, then
    /// that which leads to the fewest.
    fn next_edge(&self) -> Option<(usize, f64)> {
        let open = (0..self.followed.len()).filter(|&place| !self.followed[place]);
        let rated = open.filter_map(|place| Some((place, self.rate(&self.pattern.edges[place])?)));
        rated.min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// A relationship that an index finds, if those are fewer than what else may come next.
    fn next_indexed_edge(&self, most: f64) -> Option<(&'p PatternEdge, Access<'p>)> {
        let open = (0..self.followed.len()).filter(|&place| !self.followed[place]);
        let edges = open.map(|place| &self.pattern.edges[place]);
        let single = edges.filter(|edge| {
            edge.length.is_none() && edge.kind == PathKind::All && !self.is_there(edge.slot)
        });
        let found = single.filter_map(|edge| {
            let Some(LabelTest::Name(kind)) = &edge.types else { return None };
            let of = Of::Type(self.facts.view.edge_type(kind)?);
            let (access, rows) = self.asked_of(edge.slot).best(&[of], self.facts)?;
            Some((edge, access, rows))
        });
        let fewest = found.min_by(|one, other| one.2.total_cmp(&other.2))?;
        (fewest.2 < most).then_some((fewest.0, fewest.1))
    }

    /// What is asked of one that is to be found, by what is there.
    fn asked_of(&self, slot: Slot) -> Asked<'p> {
        let conditions = self.pattern.filters.iter().filter(|one| one.needs.contains(&slot));
        Asked::new(slot, conditions, &|needed| self.is_there(needed) || !self.is_own(needed))
    }

    /// How an index or an id finds a node the best, and how many it finds, about.
    fn indexed(&self, node: &PatternNode) -> Option<(Access<'p>, f64)> {
        let label = |name: &Arc<str>| self.facts.view.label(name).map(Of::Label);
        let labels: Vec<Of> = node.labels.iter().filter_map(label).collect();
        self.asked_of(node.slot).best(&labels, self.facts)
    }

    /// How many rows following a relationship makes of one, about; none if it cannot be followed
    /// yet.
    fn rate(&self, edge: &PatternEdge) -> Option<f64> {
        let (from, to) = (self.is_there(edge.from), self.is_there(edge.to));
        if edge.length.is_none() && edge.kind == PathKind::All && self.is_there(edge.slot) {
            return Some(0.0);
        }
        if edge.kind != PathKind::All {
            // Between two nodes that are found by themselves.
            return (from && to).then_some(0.5);
        }
        let hops = if edge.length.is_some() { 3 } else { 1 };
        let many = self.degree(edge).powi(hops);
        match (from, to) {
            (false, false) => None,
            (true, true) => Some(many / self.nodes().max(1.0)),
            (true, false) => Some(many * self.share(edge.to)),
            (false, true) => Some(many * self.share(edge.from)),
        }
    }

    #[allow(clippy::cast_precision_loss)] // an estimate
    fn nodes(&self) -> f64 {
        self.facts.view.node_count() as f64
    }

    /// How many relationships of its types a node has.
    #[allow(clippy::cast_precision_loss)] // an estimate
    fn degree(&self, edge: &PatternEdge) -> f64 {
        let count = |name: &str| match self.facts.view.edge_type(name) {
            Some(kind) => self.facts.view.type_count(kind),
            None => 0,
        };
        let edges = match &edge.types {
            Some(LabelTest::Name(name)) => count(name),
            Some(LabelTest::Or(parts)) => parts
                .iter()
                .map(|part| match part {
                    LabelTest::Name(name) => count(name),
                    _ => self.facts.view.edge_count(),
                })
                .sum(),
            _ => self.facts.view.edge_count(),
        };
        edges as f64 / self.nodes().max(1.0)
    }

    /// How many nodes have the labels of one of the pattern, at most.
    #[allow(clippy::cast_precision_loss)] // an estimate
    fn labelled(&self, node: &PatternNode) -> f64 {
        let count = |label: &Arc<str>| match self.facts.view.label(label) {
            Some(label) => self.facts.view.label_count(label) as f64,
            None => 0.0,
        };
        node.labels.iter().map(count).fold(self.nodes(), f64::min)
    }

    /// How many nodes may be one of the pattern.
    fn candidates(&self, node: &PatternNode) -> f64 {
        let all = self.labelled(node);
        match self.indexed(node) {
            Some((_, rows)) => rows.min(all),
            None if self.is_asked_for(node.slot) => all / 16.0,
            None => all,
        }
    }

    /// The share of all nodes that may be one of the pattern.
    fn share(&self, slot: Slot) -> f64 {
        let candidates = self.node(slot).map_or(1.0, |node| self.candidates(node));
        candidates / self.nodes().max(1.0)
    }

    /// How a node is found.
    fn search(&self, node: &'p PatternNode) -> Step<'p> {
        if let Some((access, rows)) = self.indexed(node)
            && self.is_worth(node, rows)
        {
            return Step::IndexNode(node, access);
        }
        let pattern = self.pattern;
        let open = pattern.filters.iter().zip(&self.asked).filter(|(_, asked)| !**asked);
        for (condition, _) in open {
            let Expression::Comparison(first, rest) = &condition.test else { continue };
            let [(ComparisonOperator::Equal, second)] = &rest[..] else { continue };
            for (property, value) in [(&**first, second), (second, &**first)] {
                let Expression::Property(entity, key) = property else { continue };
                let mut known = true;
                value.for_each_slot(&mut |slot| {
                    known = known && (self.is_there(slot) || !self.is_own(slot));
                });
                if known && matches!(**entity, Expression::Slot(slot) if slot == node.slot) {
                    return Step::Seek(node, key, value);
                }
            }
        }
        Step::Scan(node)
    }

    /// Whether a property of a node is to be equal to something that is there.
    fn is_asked_for(&self, slot: Slot) -> bool {
        self.pattern.filters.iter().any(|condition| {
            let equal = matches!(&condition.test, Expression::Comparison(_, rest)
                if matches!(rest[..], [(ComparisonOperator::Equal, _)]));
            let alone = |&need: &Slot| need == slot || self.is_there(need) || !self.is_own(need);
            equal && condition.needs.contains(&slot) && condition.needs.iter().all(alone)
        })
    }

    /// The node to begin anew with: the rarest, but none that a bound relationship leads to.
    fn next_node(&self) -> Option<(&'p PatternNode, f64)> {
        let mut open = self.pattern.nodes.iter().filter(|node| !self.is_there(node.slot));
        // Where there is no choice, nothing is asked.
        if let Some(only) = open.next()
            && open.next().is_none()
        {
            return Some((only, f64::INFINITY));
        }
        let open = self.pattern.nodes.iter().filter(|node| !self.is_there(node.slot));
        let rated = open.map(|node| (node, self.candidates(node)));
        rated.min_by(|one, other| one.1.total_cmp(&other.1))
    }

    fn follow(&mut self, place: usize) {
        self.followed[place] = true;
        let edge = &self.pattern.edges[place];
        let (from_is_there, to_is_there) = (self.is_there(edge.from), self.is_there(edge.to));
        let reversed = !from_is_there && to_is_there;
        let (from, to) = if reversed { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let unique = (0..self.followed.len())
            .filter(|&other| other != place && self.followed[other])
            .map(|other| &self.pattern.edges[other])
            .filter(|other| other.kind == PathKind::All && edge.kind == PathKind::All)
            .filter(|other| !are_apart(edge.types.as_ref(), other.types.as_ref()))
            .map(|other| other.slot);
        let hop = Hop {
            edge,
            from,
            to,
            reversed,
            source: self.node(from).filter(|_| !self.is_there(from)),
            target: self.node(to).filter(|_| !self.is_there(to)),
            given: self.is_there(edge.slot),
            unique: unique.collect(),
        };
        self.steps.push(Step::Hop(hop));
        [edge.slot, from, to].into_iter().for_each(|slot| self.there.insert(slot));
    }
}

/// The slots that a match binds.
fn own(pattern: &Pattern) -> SlotSet {
    let nodes = pattern.nodes.iter().map(|node| node.slot);
    let edges = pattern.edges.iter().map(|edge| edge.slot);
    nodes.chain(edges).chain(pattern.paths.iter().map(|(path, _)| *path)).collect()
}

/// Whether no relationship can be of both.
fn are_apart(one: Option<&LabelTest>, other: Option<&LabelTest>) -> bool {
    match (one, other) {
        (Some(LabelTest::Name(one)), Some(LabelTest::Name(other))) => one != other,
        _ => false,
    }
}
