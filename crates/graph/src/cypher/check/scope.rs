//! Which variables are bound, and what they may be.
//!
//! A scope has layers: what binds for a while (a comprehension, a subquery) puts one on top and
//! takes it off again, so that nothing is copied. Nothing is seen through an opaque layer.

use std::collections::HashMap;
use std::sync::Arc;

use crate::cypher::name::Name;
use crate::value::Type;

/// The variables that are bound.
pub struct Scope {
    layers: Vec<Layer>,
}

/// Variables that are bound and forgotten together.
#[derive(Default)]
pub struct Layer {
    names: HashMap<Arc<str>, Type>,
    opaque: bool,
}

impl Layer {
    /// One through which others are seen.
    pub fn clear() -> Self {
        Self::default()
    }

    /// One through which nothing is seen.
    pub fn opaque() -> Self {
        Self { opaque: true, ..Self::default() }
    }

    /// Binds a variable.
    pub fn bind(&mut self, name: &Arc<str>, may_be: Type) {
        self.names.insert(Arc::clone(name), may_be);
    }
}

impl Scope {
    /// Nothing is bound.
    pub fn new() -> Self {
        Self { layers: vec![Layer::opaque()] }
    }

    /// What a variable may be, if it is bound.
    pub fn find(&self, name: &str) -> Option<Type> {
        for layer in self.layers.iter().rev() {
            if let Some(may_be) = layer.names.get(name) {
                return Some(*may_be);
            }
            if layer.opaque {
                break;
            }
        }
        None
    }

    /// Binds a variable until the uppermost layer is taken off.
    pub fn bind(&mut self, name: &Name, may_be: Type) {
        if let Some(layer) = self.layers.last_mut() {
            layer.bind(&name.text, may_be);
        }
    }

    /// Puts a layer on top.
    pub fn push(&mut self, layer: Layer) {
        self.layers.push(layer);
    }

    /// Takes the uppermost layer off.
    pub fn pop(&mut self) -> Option<Layer> {
        self.layers.pop()
    }

    /// How many layers there are.
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// Takes layers off until there are so many.
    pub fn cut(&mut self, depth: usize) {
        self.layers.truncate(depth);
    }

    /// All variables that are seen, in the order of their names.
    pub fn variables(&self) -> Vec<(Arc<str>, Type)> {
        let mut seen = HashMap::new();
        for layer in self.layers.iter().rev() {
            for (name, may_be) in &layer.names {
                seen.entry(Arc::clone(name)).or_insert(*may_be);
            }
            if layer.opaque {
                break;
            }
        }
        let mut seen: Vec<_> = seen.into_iter().collect();
        seen.sort_by(|(left, _), (right, _)| left.cmp(right));
        seen
    }
}
