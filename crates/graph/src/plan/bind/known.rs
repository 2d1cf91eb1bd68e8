//! Expressions whose values are in slots already: the keys of groups, and the columns that `ORDER
//! BY` may name once more.
//!
//! They are found by their text as it is printed, so that a statement with many of them is bound in
//! a time that goes with its length.

use std::collections::{HashMap, HashSet};

use crate::cypher::Span;
use crate::cypher::ast::{Access, Expr, ExprKind};
use crate::plan::Slot;

/// See the [module](self).
#[derive(Debug, Default)]
pub struct Known {
    slots: HashMap<String, Slot>,
    /// How many steps those have that go from a value into it: `n.a.b` has two.
    steps: HashSet<usize>,
}

impl Known {
    /// The value of an expression is in a slot. Where it is in one already, that is told.
    pub fn add(&mut self, value: &Expr, slot: Slot) {
        if let ExprKind::Access(access) = &value.kind {
            self.steps.insert(access.steps.len());
        }
        self.slots.entry(value.to_string()).or_insert(slot);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The slot that the value of an expression is in.
    pub fn find(&self, value: &Expr) -> Option<Slot> {
        if self.slots.is_empty() { None } else { self.slots.get(&value.to_string()).copied() }
    }

    /// The slot of what the first steps of an expression lead to.
    pub fn find_prefix(&self, access: &Access, steps: usize) -> Option<Slot> {
        if !self.steps.contains(&steps) {
            return None;
        }
        let (base, steps) = (access.base.clone(), access.steps[..steps].to_vec());
        let span = Span::default();
        self.find(&Expr { kind: ExprKind::Access(Box::new(Access { base, steps })), span })
    }
}
