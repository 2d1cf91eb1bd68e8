//! Which slots expressions and clauses read: what nothing reads any more need not be carried on.

use super::{Clause, Expression, Hop, Pattern, Selector, Slot, Step};

/// Some slots: a bit for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotSet(Vec<u64>);

impl SlotSet {
    /// Whether a slot is one of them. O(1).
    #[must_use]
    pub fn has(&self, slot: Slot) -> bool {
        self.0.get(slot / 64).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }

    /// Adds a slot. O(1).
    pub fn insert(&mut self, slot: Slot) {
        if self.0.len() <= slot / 64 {
            self.0.resize(slot / 64 + 1, 0);
        }
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    /// Takes away what is in none of these.
    fn keep(&mut self, slots: &[Slot]) {
        let kept: SlotSet = slots.iter().copied().collect();
        self.0.truncate(kept.0.len());
        self.0.iter_mut().zip(&kept.0).for_each(|(word, kept)| *word &= kept);
    }
}

impl FromIterator<Slot> for SlotSet {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut set = SlotSet::default();
        slots.into_iter().for_each(|slot| set.insert(slot));
        set
    }
}

/// The slots that are read later; or all, where that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Live {
    /// Any may be.
    All,
    /// These.
    These(SlotSet),
}

impl Live {
    /// These slots.
    #[must_use]
    pub fn these(slots: &[Slot]) -> Live {
        Live::These(slots.iter().copied().collect())
    }

    /// Whether a slot is read later.
    #[must_use]
    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Live::All => true,
            Live::These(slots) => slots.has(slot),
        }
    }

    /// Adds slots.
    pub fn add(&mut self, more: &[Slot]) {
        if let Live::These(slots) = self {
            more.iter().for_each(|&slot| slots.insert(slot));
        }
    }

    /// Adds what an expression reads.
    pub fn add_expression(&mut self, expression: &Expression) {
        if *self != Live::All {
            expression.for_each_slot(&mut |slot| self.add(&[slot]));
        }
    }

    /// What is read by a clause, or behind it, if this is read behind it.
    #[must_use]
    pub fn before(&self, clause: &Clause) -> Live {
        let mut live = self.clone();
        match clause {
            Clause::Match(pattern) | Clause::Optional(pattern) => live.add_pattern(pattern),
            Clause::Unwind(value, _)
            | Clause::Skip(value)
            | Clause::Limit(value)
            | Clause::Filter(value) => live.add_expression(value),
            Clause::Project(columns) => {
                columns.iter().for_each(|(_, value)| live.add_expression(value));
            }
            Clause::Aggregate(grouping) => {
                live = Live::these(&[]);
                grouping.keys.iter().for_each(|(_, key)| live.add_expression(key));
                for one in &grouping.aggregates {
                    let values = one.argument.iter().chain(&one.percentile);
                    values.for_each(|value| live.add_expression(value));
                }
            }
            Clause::Distinct(slots) => live.add(slots),
            Clause::Sort(by) => by.iter().for_each(|(value, _)| live.add_expression(value)),
            Clause::Keep(slots) => {
                live = match live {
                    Live::All => Live::these(slots),
                    Live::These(mut live) => {
                        live.keep(slots);
                        Live::These(live)
                    }
                };
            }
            Clause::Subquery(call) => live.add(&call.outer),
            Clause::LoadCsv(load) => load.values().for_each(|value| live.add_expression(value)),
            _ => live = Live::All,
        }
        live
    }

    fn add_pattern(&mut self, pattern: &Pattern) {
        self.add(&pattern.bound);
        pattern.filters.iter().for_each(|condition| self.add_expression(&condition.test));
        for edge in &pattern.edges {
            edge.properties.iter().for_each(|(_, value)| self.add_expression(value));
            edge.each.iter().for_each(|(_, test)| self.add_expression(test));
        }
    }

    /// What is read by a step of a match, or behind it, if this is read behind it.
    #[must_use]
    pub fn before_step(&self, step: &Step<'_>) -> Live {
        let mut live = self.clone();
        match step {
            Step::Scan(_) => {}
            Step::Seek(_, _, value) => live.add_expression(value),
            Step::IndexNode(_, access) | Step::IndexEdge(_, access) => {
                access.for_each_value(&mut |value| live.add_expression(value));
            }
            Step::Check(node) => live.add(&[node.slot]),
            Step::Hop(hop) => live.add_hop(hop),
            Step::Path(_, path) => live.add_expression(path),
            Step::Filter(test) => live.add_expression(test),
        }
        live
    }

    fn add_hop(&mut self, hop: &Hop<'_>) {
        if hop.source.is_none() {
            self.add(&[hop.from]);
        }
        if hop.target.is_none() {
            self.add(&[hop.to]);
        }
        if hop.given {
            self.add(&[hop.edge.slot]);
        }
        self.add(&hop.unique);
        hop.edge.properties.iter().for_each(|(_, value)| self.add_expression(value));
        hop.edge.each.iter().for_each(|(_, test)| self.add_expression(test));
    }
}

impl Expression {
    /// Calls a function with each slot that it reads of the row.
    pub fn for_each_slot(&self, each: &mut dyn FnMut(Slot)) {
        match self {
            Expression::Constant(_) | Expression::Parameter(_) => {}
            Expression::Slot(slot) => each(*slot),
            Expression::List(values)
            | Expression::Logical(_, values)
            | Expression::Function(_, values)
            | Expression::OfGraph(_, values) => {
                values.iter().for_each(|value| value.for_each_slot(each));
            }
            Expression::Map(entries) => {
                entries.iter().for_each(|(_, value)| value.for_each_slot(each));
            }
            Expression::Not(value)
            | Expression::Negate(value)
            | Expression::Plus(value)
            | Expression::IsNull(value, _)
            | Expression::Property(value, _)
            | Expression::Labels(value, _)
            | Expression::Previous(value, _) => value.for_each_slot(each),
            Expression::Comparison(first, rest) => {
                first.for_each_slot(each);
                rest.iter().for_each(|(_, value)| value.for_each_slot(each));
            }
            Expression::Arithmetic(first, rest) => {
                first.for_each_slot(each);
                rest.iter().for_each(|(_, value)| value.for_each_slot(each));
            }
            Expression::Test(_, one, other) | Expression::Index(one, other) => {
                one.for_each_slot(each);
                other.for_each_slot(each);
            }
            Expression::Slice(list, from, to) => {
                list.for_each_slot(each);
                from.iter().chain(to).for_each(|bound| bound.for_each_slot(each));
            }
            _ => self.for_each_slot_of_scope(each),
        }
    }

    /// The slots of expressions of several parts, most of which have slots of their own.
    fn for_each_slot_of_scope(&self, each: &mut dyn FnMut(Slot)) {
        match self {
            Expression::Case(case) => {
                case.subject.iter().for_each(|subject| subject.for_each_slot(each));
                for (condition, value) in &case.branches {
                    condition.for_each_slot(each);
                    value.for_each_slot(each);
                }
                case.otherwise.for_each_slot(each);
            }
            Expression::Comprehension(it) | Expression::Quantifier(_, it) => {
                it.list.for_each_slot(each);
                it.outer.iter().for_each(|&slot| each(slot));
            }
            Expression::Reduce(reduce) => {
                reduce.start.for_each_slot(each);
                reduce.list.for_each_slot(each);
                reduce.outer.iter().for_each(|&slot| each(slot));
            }
            Expression::MapProjection(entity, selectors) => {
                entity.for_each_slot(each);
                for selector in selectors {
                    if let Selector::Entry(_, value) = selector {
                        value.for_each_slot(each);
                    }
                }
            }
            Expression::Subquery(subquery) => subquery.outer.iter().for_each(|&slot| each(slot)),
            Expression::Path(path) => {
                each(path.start);
                path.steps.iter().for_each(|&slot| each(slot));
            }
            _ => {}
        }
    }
}
