//! What `^symbol` and the names of specs in filters stand for.
//!
//! The definitions of Haystack's standard libraries are not here: they are data that is loaded, as
//! any other dicts with `def` and `is`.

use std::collections::{HashMap, HashSet};

use crate::filter::SpecName;
use crate::{Dict, Name, Tag, Value};

/// What a filter asks of definitions.
pub trait Namespace {
    /// The terms of a def and of all that are it, each as the tags that a record has to have;
    /// `None`
    /// if there is no such def, and the filter then looks for the parts of the symbol itself.
    fn terms(&self, symbol: &str) -> Option<Vec<Vec<Tag>>>;

    /// Whether a spec, by its full name, is the wanted one or one of its kinds.
    fn is_spec(&self, spec: &str, wanted: &SpecName) -> bool;
}

/// The tags that the parts of a symbol name: `hot-water` are `hot` and `water`. `None` if some part
/// cannot be a tag.
pub fn parts(symbol: &str) -> Option<Vec<Tag>> {
    symbol.split('-').map(|part| Tag::new(part).ok()).collect()
}

/// Definitions in memory.
///
/// ```
/// use kvist_haystack::{Defs, Evaluator, Filter, trio};
/// let defs = trio::read("def: ^equip\n---\ndef: ^ahu\nis: [^equip]\n")?;
/// let defs = Defs::from_dicts(&defs);
/// let records = trio::read("ahu\n---\nsite\n")?;
/// let filter = Filter::parse("^equip")?;
/// let evaluator = Evaluator::new(&filter, &records[..]).with_namespace(&defs);
/// assert!(evaluator.matches(&&records[0]) && !evaluator.matches(&&records[1]));
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Defs {
    /// What is directly each def; every def is a key.
    children: HashMap<Name, Vec<Name>>,
    /// The spec of which each is a kind.
    bases: HashMap<Name, Name>,
}

impl Defs {
    /// No definitions.
    pub fn new() -> Defs {
        Defs::default()
    }

    /// The definitions of dicts with `def` and `is`; other dicts are left out.
    pub fn from_dicts<'a>(dicts: impl IntoIterator<Item = &'a Dict>) -> Defs {
        let mut defs = Defs::new();
        dicts.into_iter().for_each(|dict| defs.add(dict));
        defs
    }

    /// Adds the definition of a dict, if it is one.
    pub fn add(&mut self, dict: &Dict) {
        let Some(symbol) = dict.get("def").and_then(Value::as_symbol) else { return };
        self.children.entry(symbol.clone()).or_default();
        let is = dict.get("is");
        let one = is.and_then(Value::as_symbol);
        let many = is.and_then(Value::as_list).unwrap_or_default();
        for parent in many.iter().filter_map(Value::as_symbol).chain(one) {
            self.children.entry(parent.clone()).or_default().push(symbol.clone());
        }
    }

    /// Adds a spec by its full name, such as `ph::Ahu`, and that of which it is a kind.
    pub fn add_spec(&mut self, spec: &str, base: &str) {
        self.bases.insert(Name::new(spec), Name::new(base));
    }

    /// The def and all that are it, each once.
    pub fn descendants(&self, symbol: &str) -> Vec<Name> {
        let Some((start, _)) = self.children.get_key_value(symbol) else { return Vec::new() };
        let (mut seen, mut found) = (HashSet::from([start.clone()]), vec![start.clone()]);
        let mut next = 0;
        while let Some(children) = found.get(next).and_then(|name| self.children.get(name)) {
            found.extend(children.iter().filter(|child| seen.insert((*child).clone())).cloned());
            next += 1;
        }
        found
    }
}

impl Namespace for Defs {
    fn terms(&self, symbol: &str) -> Option<Vec<Vec<Tag>>> {
        let descendants = self.descendants(symbol);
        let terms = descendants.iter().filter_map(|name| parts(name)).collect();
        (!descendants.is_empty()).then_some(terms)
    }

    fn is_spec(&self, spec: &str, wanted: &SpecName) -> bool {
        let mut spec = spec;
        // No chain is longer than there are specs, unless it is a circle.
        for _ in 0..=self.bases.len() {
            if wanted.is(spec) {
                return true;
            }
            match self.bases.get(spec) {
                Some(base) => spec = base,
                None => return false,
            }
        }
        false
    }
}

#[cfg(test)]
#[path = "defs_tests.rs"]
mod tests;
