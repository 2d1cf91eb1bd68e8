//! How nodes and relationships are found by an index, or by their ids; and how many those are.
//!
//! What an index finds is all that fits, and perhaps more: conditions are asked behind it as ever.
//!
//! `order.rs` compares the counts with scans and with ways along relationships: they are exact
//! where the values are constants or parameters, else an average. So an index decides how fast an
//! answer comes and never what it is; `tests/queries/indexed.rs` asks random questions of two
//! graphs, one of which has indexes.

use std::cell::RefCell;
use std::ops::Bound;
use std::sync::Arc;

use super::{Condition, Expression, GraphFunction, Slot, Test};
use crate::cypher::ast::ComparisonOperator;
use crate::storage::{Index, KeyId, Of, On, Probe, Property, View};
use crate::value::stored::to_property;
use crate::value::{Map, Value};

/// What is known before a match is planned.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The graph.
    pub view: &'a View,
    /// The values of parameters.
    pub parameters: &'a Map,
    /// What was estimated before.
    pub estimates: &'a Estimates,
}

/// How many entries of an index are equal in its first properties: what a statement has asked once.
/// That holds on while the statement adds more, as how many there are would not.
#[derive(Default)]
pub struct Estimates(RefCell<Vec<(On, usize, f64)>>);

impl Estimates {
    #[allow(clippy::cast_precision_loss)] // an estimate
    fn equal(&self, index: Index<'_>, properties: usize) -> f64 {
        let mut known = self.0.borrow_mut();
        let found = known.iter().find(|(on, of, _)| *of == properties && on == index.on());
        if let Some((_, _, equal)) = found {
            return *equal;
        }
        let equal = match index.len() {
            0 => 1.0,
            all => all as f64 / index.distinct(properties).max(1) as f64,
        };
        known.push((index.on().clone(), properties, equal));
        equal
    }
}

/// By what nodes or relationships are found.
#[derive(Clone, Debug)]
pub enum Access<'p> {
    /// By an index on these properties: the first ones are equal to values, and of the next one
    /// something is asked.
    Index(On, Vec<&'p Expression>, Option<Ask<'p>>),
    /// By an id.
    Id(&'p Expression),
    /// By a list of ids.
    Ids(&'p Expression),
}

/// What is asked of a property.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'p> {
    /// It is there.
    Any,
    /// It is one of a list.
    In(&'p Expression),
    /// It is between these.
    Between(Bound<&'p Expression>, Bound<&'p Expression>),
    /// It begins with this.
    StartsWith(&'p Expression),
}

impl<'p> Access<'p> {
    /// Calls a function with each value that it needs.
    pub fn for_each_value(&self, each: &mut dyn FnMut(&'p Expression)) {
        let (equal, then) = match self {
            Access::Index(_, equal, then) => (&equal[..], *then),
            Access::Id(value) | Access::Ids(value) => return each(value),
        };
        equal.iter().for_each(|value| each(value));
        match then {
            None | Some(Ask::Any) => {}
            Some(Ask::In(value) | Ask::StartsWith(value)) => each(value),
            Some(Ask::Between(low, high)) => {
                for bound in [low, high] {
                    if let Bound::Included(value) | Bound::Excluded(value) = bound {
                        each(value);
                    }
                }
            }
        }
    }
}

/// What conditions ask of one node or relationship that is to be found.
#[derive(Default)]
pub(super) struct Asked<'p> {
    equal: Vec<(&'p Arc<str>, &'p Expression)>,
    low: Vec<(&'p Arc<str>, Bound<&'p Expression>)>,
    high: Vec<(&'p Arc<str>, Bound<&'p Expression>)>,
    other: Vec<(&'p Arc<str>, Ask<'p>)>,
    ids: Vec<Access<'p>>,
}

impl<'p> Asked<'p> {
    /// What conditions ask of a slot; `known`: whether a slot is there.
    pub fn new(
        slot: Slot,
        conditions: impl Iterator<Item = &'p Condition>,
        known: &dyn Fn(Slot) -> bool,
    ) -> Asked<'p> {
        let mut asked = Asked::default();
        for condition in conditions {
            match &condition.test {
                Expression::Comparison(first, rest) => {
                    let mut left = &**first;
                    for (operator, right) in rest {
                        asked.compared(slot, (left, *operator, right), known);
                        asked.compared(slot, (right, turned(*operator), left), known);
                        left = right;
                    }
                }
                Expression::Test(Test::In, value, list) if is_settled(list, known) => {
                    if let Some(key) = property_of(value, slot) {
                        asked.other.push((key, Ask::In(list)));
                    } else if is_id_of(value, slot) {
                        asked.ids.push(Access::Ids(list));
                    }
                }
                Expression::Test(Test::StartsWith, value, text) if is_settled(text, known) => {
                    if let Some(key) = property_of(value, slot) {
                        asked.other.push((key, Ask::StartsWith(text)));
                    }
                }
                Expression::IsNull(value, true) => {
                    if let Some(key) = property_of(value, slot) {
                        asked.other.push((key, Ask::Any));
                    }
                }
                _ => {}
            }
        }
        asked
    }

    fn compared(
        &mut self,
        slot: Slot,
        (left, operator, right): (&'p Expression, ComparisonOperator, &'p Expression),
        known: &dyn Fn(Slot) -> bool,
    ) {
        if !is_settled(right, known) {
            return;
        }
        if operator == ComparisonOperator::Equal && is_id_of(left, slot) {
            return self.ids.push(Access::Id(right));
        }
        let Some(key) = property_of(left, slot) else { return };
        match operator {
            ComparisonOperator::Equal => self.equal.push((key, right)),
            ComparisonOperator::Less => self.high.push((key, Bound::Excluded(right))),
            ComparisonOperator::LessEqual => self.high.push((key, Bound::Included(right))),
            ComparisonOperator::Greater => self.low.push((key, Bound::Excluded(right))),
            ComparisonOperator::GreaterEqual => self.low.push((key, Bound::Included(right))),
            ComparisonOperator::NotEqual => {}
        }
    }

    /// How those that have one of some labels, or a type, are found the best, and how many they
    /// are about.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub fn best(&self, of: &[Of], facts: Facts<'_>) -> Option<(Access<'p>, f64)> {
        let by_id = self.ids.first().map(|access| match access {
            Access::Ids(list) => match constant(list, facts) {
                Some(Value::List(list, _)) => (access.clone(), list.len() as f64),
                _ => (access.clone(), 16.0),
            },
            _ => (access.clone(), 1.0),
        });
        let nothing = self.equal.is_empty() && self.low.is_empty();
        if nothing && self.high.is_empty() && self.other.is_empty() {
            return by_id;
        }
        let indexes = of.iter().flat_map(|&of| facts.view.whole_indexes(of));
        let by_index = indexes.filter_map(|index| self.by(index, facts));
        let fewer = |one: &(Access<'_>, f64), other: &(Access<'_>, f64)| one.1.total_cmp(&other.1);
        by_id.into_iter().chain(by_index).min_by(fewer)
    }

    /// What an index is asked, and how many it finds.
    fn by(&self, index: Index<'_>, facts: Facts<'_>) -> Option<(Access<'p>, f64)> {
        let on = index.on();
        let name = |key: &KeyId| facts.view.key_name(*key).unwrap_or_default();
        let equal_to = |key| self.equal.iter().find(|(asked, _)| ***asked == *name(key));
        let mut equal: Vec<&'p Expression> = Vec::new();
        while let Some(key) = on.keys.get(equal.len())
            && let Some((_, value)) = equal_to(key)
        {
            equal.push(value);
        }
        let then = on.keys.get(equal.len()).and_then(|key| self.then(name(key)));
        if equal.is_empty() && then.is_none() {
            return None;
        }
        let rows = rows(index, (&equal, then), facts)?;
        Some((Access::Index(on.clone(), equal, then), rows))
    }

    /// What is asked of a property that is equal to nothing.
    fn then(&self, name: &str) -> Option<Ask<'p>> {
        let bound = |all: &[(&'p Arc<str>, Bound<&'p Expression>)]| {
            all.iter()
                .find(|(key, _)| ***key == *name)
                .map_or(Bound::Unbounded, |(_, bound)| *bound)
        };
        let asked = |wanted: fn(&Ask<'p>) -> bool| {
            let mut all = self.other.iter().filter(|(key, _)| ***key == *name);
            all.find(|(_, ask)| wanted(ask)).map(|(_, ask)| *ask)
        };
        let list = asked(|ask| matches!(ask, Ask::In(_)));
        let text = || asked(|ask| matches!(ask, Ask::StartsWith(_)));
        if let Some(ask) = list.or_else(text) {
            return Some(ask);
        }
        match (bound(&self.low), bound(&self.high)) {
            (Bound::Unbounded, Bound::Unbounded) => asked(|ask| matches!(ask, Ask::Any)),
            (low, high) => Some(Ask::Between(low, high)),
        }
    }
}

/// The operator that says the same with its sides changed.
fn turned(operator: ComparisonOperator) -> ComparisonOperator {
    match operator {
        ComparisonOperator::Less => ComparisonOperator::Greater,
        ComparisonOperator::LessEqual => ComparisonOperator::GreaterEqual,
        ComparisonOperator::Greater => ComparisonOperator::Less,
        ComparisonOperator::GreaterEqual => ComparisonOperator::LessEqual,
        same => same,
    }
}

/// The name of the property of a slot that an expression is.
fn property_of(value: &Expression, slot: Slot) -> Option<&Arc<str>> {
    match value {
        Expression::Property(entity, key) => {
            matches!(**entity, Expression::Slot(of) if of == slot).then_some(key)
        }
        _ => None,
    }
}

fn is_id_of(value: &Expression, slot: Slot) -> bool {
    matches!(value, Expression::OfGraph(GraphFunction::Id, arguments)
        if matches!(arguments[..], [Expression::Slot(of)] if of == slot))
}

/// Whether a value is known before the slot is found that it is compared with, and is the same each
/// time that it is asked for.
fn is_settled(value: &Expression, known: &dyn Fn(Slot) -> bool) -> bool {
    let all = |values: &[Expression]| values.iter().all(|value| is_settled(value, known));
    match value {
        Expression::Constant(_) | Expression::Parameter(_) => true,
        Expression::Slot(slot) => known(*slot),
        Expression::Property(value, _) | Expression::Negate(value) | Expression::Plus(value) => {
            is_settled(value, known)
        }
        Expression::Index(list, place) => is_settled(list, known) && is_settled(place, known),
        Expression::List(values) | Expression::OfGraph(_, values) => all(values),
        Expression::Function(function, values) => !function.draws && all(values),
        Expression::Arithmetic(first, rest) => {
            is_settled(first, known) && rest.iter().all(|(_, value)| is_settled(value, known))
        }
        _ => false,
    }
}

/// The value of an expression that has the same in all rows, if that is seen at once.
pub(super) fn constant(value: &Expression, facts: Facts<'_>) -> Option<Value> {
    match value {
        Expression::Constant(value) => Some(value.clone()),
        Expression::Parameter(name) => facts.parameters.get(name).cloned(),
        Expression::List(values) => {
            let values = values.iter().map(|value| constant(value, facts));
            Some(Value::list(values.collect::<Option<Vec<_>>>()?))
        }
        _ => None,
    }
}

/// How many an index finds, about. None: it cannot tell, as what it is asked about has no order.
#[allow(clippy::cast_precision_loss)] // an estimate
fn rows(
    index: Index<'_>,
    (equal, then): (&[&Expression], Option<Ask<'_>>),
    facts: Facts<'_>,
) -> Option<f64> {
    let known: Option<Vec<Value>> = equal.iter().map(|value| constant(value, facts)).collect();
    let Some(known) = known else {
        let each = facts.estimates.equal(index, equal.len());
        return Some(each * then.map_or(1.0, share));
    };
    let known: Vec<Property> = known.iter().map(to_property).collect::<Result<_, _>>().ok()?;
    let mut probed = None;
    let is_probed = asking(then, &mut |value| constant(value, facts), &mut |probe| {
        let equal: Vec<_> = known.iter().map(Property::as_ref).collect();
        probed = index.count(&equal, probe);
    });
    match (is_probed, then) {
        (Some(()), _) => probed.map(|count| count as f64),
        (None, Some(then)) => {
            let equal: Vec<_> = known.iter().map(Property::as_ref).collect();
            index.count(&equal, None).map(|count| count as f64 * share(then))
        }
        (None, None) => None,
    }
}

/// The share of all that something finds that is not known yet.
fn share(then: Ask<'_>) -> f64 {
    match then {
        Ask::Any => 1.0,
        Ask::In(_) => 1.0 / 16.0,
        Ask::StartsWith(_) => 1.0 / 8.0,
        Ask::Between(Bound::Unbounded, _) | Ask::Between(_, Bound::Unbounded) => 1.0 / 3.0,
        Ask::Between(..) => 1.0 / 8.0,
    }
}

/// Asks by what an index is asked, with the values that expressions have. None: one has no value,
/// or one that the index cannot be asked about.
pub fn asking(
    then: Option<Ask<'_>>,
    value: &mut dyn FnMut(&Expression) -> Option<Value>,
    ask: &mut dyn FnMut(Option<Probe<'_>>),
) -> Option<()> {
    match then {
        None => ask(None),
        Some(Ask::Any) => ask(Some(Probe::Any)),
        Some(Ask::In(list)) => {
            let list = match value(list)? {
                Value::List(list, _) => list,
                Value::Null => Vec::new().into(),
                _ => return None,
            };
            let list = list.iter().map(to_property).collect::<Result<Vec<_>, _>>().ok()?;
            let list: Vec<_> = list.iter().map(Property::as_ref).collect();
            ask(Some(Probe::In(&list)));
        }
        Some(Ask::StartsWith(text)) => match value(text)? {
            Value::String(text) => ask(Some(Probe::StartsWith(&text))),
            Value::Null => ask(Some(Probe::In(&[]))),
            _ => return None,
        },
        Some(Ask::Between(low, high)) => {
            let mut stored = |bound: Bound<&Expression>| {
                Some(match bound {
                    Bound::Included(of) => Bound::Included(to_property(&value(of)?).ok()?),
                    Bound::Excluded(of) => Bound::Excluded(to_property(&value(of)?).ok()?),
                    Bound::Unbounded => Bound::Unbounded,
                })
            };
            let (low, high) = (stored(low)?, stored(high)?);
            let (low, high) = (low.as_ref(), high.as_ref());
            ask(Some(Probe::Between(low.map(Property::as_ref), high.map(Property::as_ref))));
        }
    }
    Some(())
}
