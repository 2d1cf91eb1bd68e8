//! Constraints: what must hold when a statement ends.
//!
//! Edits do not ask them: in the middle of a statement two nodes may well have the same value. At
//! its end [`Graph::broken_constraint`] looks at what the statement has changed, and no more.

use blocks::Ledger;
use btree::Text;

use super::super::graph::Graph;
use super::super::view::View;
use super::super::{Change, Entity, KeyId};
use super::entries::id_of;
use super::{Constraint, ConstraintKind, Of, On, Rejected, key};

/// A constraint that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which one.
    pub constraint: Constraint,
    /// What breaks it.
    pub entity: Entity,
    /// What it lacks, if that is why.
    pub missing: Option<KeyId>,
}

impl Broken {
    /// What a client is told, in the words that clients of other servers know.
    #[must_use]
    pub fn text(&self, view: &View) -> String {
        let name = match self.constraint.on.of {
            Of::Label(label) => view.label_name(label),
            Of::Type(kind) => view.type_name(kind),
        };
        let name = name.unwrap_or_default();
        let key = self.missing.and_then(|key| view.key_name(key)).unwrap_or_default();
        match (self.constraint.kind, self.constraint.on.of) {
            (ConstraintKind::Unique, Of::Label(_)) => {
                format!("unique constraint violation on node of type {name}")
            }
            (ConstraintKind::Unique, Of::Type(_)) => {
                format!("unique constraint violation, on edge of relationship-type {name}")
            }
            (ConstraintKind::Mandatory, Of::Label(_)) => format!(
                "mandatory constraint violation: node with label {name} missing property {key}"
            ),
            (ConstraintKind::Mandatory, Of::Type(_)) => format!(
                "mandatory constraint violation: edge with relationship-type {name} missing \
                 property {key}"
            ),
        }
    }
}

impl Graph {
    /// Makes a constraint, if it holds for what is there; what breaks it, if it does not. Asks
    /// `go_on` for each [`CHECK_EVERY`] nodes, relationships or entries. O(n).
    ///
    /// # Errors
    /// There is one already, or can be none; a label, type or key is missing; of one of uniqueness,
    /// there is no whole index on its properties; or what `go_on` says.
    pub fn create_constraint<E: From<Rejected>>(
        &mut self,
        constraint: Constraint,
        go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Broken>, E> {
        self.check_constraint(&constraint)?;
        let broken = self.first_breaking(&constraint, go_on)?;
        if broken.is_none() {
            self.edit(|view, ledger| view.add_constraint(ledger, &constraint))?;
            self.note(Change::CreateConstraint(constraint));
        }
        Ok(broken)
    }

    /// Removes a constraint; the index that it needed stays.
    ///
    /// # Errors
    /// It is missing.
    pub fn drop_constraint(&mut self, constraint: Constraint) -> Result<(), Rejected> {
        self.edit(|view, ledger| view.drop_constraint(ledger, &constraint))?;
        self.note(Change::DropConstraint(constraint));
        Ok(())
    }

    /// A constraint that the changes break that have not been taken yet, if they break any: to be
    /// asked at the end of a statement, of its fork. Asks `go_on` for each [`CHECK_EVERY`] changes,
    /// and nodes and relationships that are looked at. O(changes · constraints · log n).
    ///
    /// # Errors
    /// What `go_on` says.
    pub fn broken_constraint<E>(
        &self,
        go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Broken>, E> {
        let constraints = self.constraints();
        if constraints.is_empty() {
            return Ok(None);
        }
        let mut asking = Asking::new(go_on);
        let touched = self.touched(&mut asking)?;
        for constraint in constraints {
            for &entity in &touched {
                asking.count()?;
                let broken = self.broken_by(entity, constraint);
                if broken.is_some() {
                    return Ok(broken);
                }
            }
        }
        Ok(None)
    }

    /// The nodes and relationships whose changes may break a constraint, each once.
    fn touched<E>(
        &self,
        asking: &mut Asking<impl FnMut() -> Result<(), E>>,
    ) -> Result<Vec<Entity>, E> {
        let all = self.constraints().iter().flat_map(|one| one.on.keys.iter().copied());
        let mut asked: Vec<KeyId> = all.collect();
        asked.sort_unstable();
        asked.dedup();
        let mut touched = Vec::new();
        for change in self.changes() {
            asking.count()?;
            touched.extend(match change {
                Change::CreateNode { id, labels } if !labels.is_empty() => Some(Entity::Node(*id)),
                Change::AddLabel(id, _) => Some(Entity::Node(*id)),
                Change::CreateEdge { id, .. } => Some(Entity::Edge(*id)),
                Change::Set(entity, key, _) if asked.binary_search(key).is_ok() => Some(*entity),
                _ => None,
            });
        }
        touched.sort_unstable();
        touched.dedup();
        Ok(touched)
    }
}

/// After so many steps of a check it is asked whether it goes on.
pub const CHECK_EVERY: usize = 1024;

/// The steps of a check, and what is asked now and then.
struct Asking<F> {
    go_on: F,
    steps: usize,
}

impl<E, F: FnMut() -> Result<(), E>> Asking<F> {
    fn new(go_on: F) -> Self {
        Asking { go_on, steps: 0 }
    }

    fn count(&mut self) -> Result<(), E> {
        self.steps += 1;
        if self.steps.is_multiple_of(CHECK_EVERY) { (self.go_on)() } else { Ok(()) }
    }
}

impl View {
    /// All constraints, in order of creation.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.schema.get().constraints
    }

    /// What breaks a constraint that there may be one day. One of uniqueness, without an index,
    /// finds nothing. O(n).
    fn first_breaking<E>(
        &self,
        constraint: &Constraint,
        go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Broken>, E> {
        let asking = &mut Asking::new(go_on);
        match constraint.kind {
            ConstraintKind::Unique => self.first_twin(constraint, asking),
            ConstraintKind::Mandatory => self.first_that_lacks(constraint, asking),
        }
    }

    /// Whether there can be such a constraint, whatever it finds.
    fn check_constraint(&self, constraint: &Constraint) -> Result<(), Rejected> {
        self.check_names(&constraint.on)?;
        if self.constraints().iter().any(|other| other.is_same(constraint)) {
            return Err(Rejected::Exists);
        }
        let needs = constraint.kind == ConstraintKind::Unique;
        if needs && self.supporting(&constraint.on).is_none() {
            return Err(Rejected::NoIndex);
        }
        Ok(())
    }

    /// Adds a constraint that is known to hold.
    pub(in super::super) fn add_constraint(
        &mut self,
        ledger: &mut Ledger,
        constraint: &Constraint,
    ) -> Result<(), Rejected> {
        self.check_constraint(constraint)?;
        self.schema.edit(ledger, |schema, _| schema.constraints.push(constraint.clone()));
        Ok(())
    }

    pub(in super::super) fn drop_constraint(
        &mut self,
        ledger: &mut Ledger,
        constraint: &Constraint,
    ) -> Result<(), Rejected> {
        let same = |other: &Constraint| other.is_same(constraint);
        let at = self.constraints().iter().position(same).ok_or(Rejected::Missing)?;
        self.schema.edit(ledger, |schema, _| schema.constraints.remove(at));
        Ok(())
    }

    /// The number of a whole index on these properties, in whatever order.
    fn supporting(&self, on: &On) -> Option<usize> {
        let mut indexes = self.schema.get().indexes.iter().zip(&self.entries);
        indexes.position(|(index, entries)| entries.is_whole && index.is_same_set(on))
    }

    /// Whether a node or an edge breaks a constraint, if that is on it.
    fn broken_by(&self, entity: Entity, constraint: &Constraint) -> Option<Broken> {
        if !self.is_of(entity, constraint.on.of) {
            return None;
        }
        let broken = |missing| Broken { constraint: constraint.clone(), entity, missing };
        match constraint.kind {
            ConstraintKind::Mandatory => self.lacks(entity, &constraint.on).map(Some).map(broken),
            ConstraintKind::Unique => {
                let number = self.supporting(&constraint.on)?;
                let (on, mut key) = (&self.schema.get().indexes[number], Vec::new());
                let part = &self.entries[number].part;
                if !self.put_keys(entity, &on.keys, &mut key) {
                    return None;
                }
                let first = part.rank(Text::from(&key[..]));
                let end =
                    key::behind(&key).map_or(part.len(), |end| part.rank(Text::from(&end[..])));
                (end - first > 1).then(|| broken(None))
            }
        }
    }

    /// A property that a node or an edge lacks.
    fn lacks(&self, entity: Entity, on: &On) -> Option<KeyId> {
        on.keys.iter().copied().find(|&key| self.property(entity, key).is_null())
    }

    fn first_that_lacks<E>(
        &self,
        constraint: &Constraint,
        asking: &mut Asking<impl FnMut() -> Result<(), E>>,
    ) -> Result<Option<Broken>, E> {
        let (on, mut ids) = (&constraint.on, Vec::new());
        for segment in 0..self.segments_of(on.of) {
            ids.clear();
            match on.of {
                Of::Label(label) => self.append_nodes(segment, &[label], &mut ids),
                Of::Type(_) => self.append_edges(segment, &mut ids),
            }
            for &id in &ids {
                asking.count()?;
                let broken = self.broken_by(on.of.entity(id), constraint);
                if broken.is_some() {
                    return Ok(broken);
                }
            }
        }
        Ok(None)
    }

    /// The first of two entries, side by side, whose keys are equal.
    fn first_twin<E>(
        &self,
        constraint: &Constraint,
        asking: &mut Asking<impl FnMut() -> Result<(), E>>,
    ) -> Result<Option<Broken>, E> {
        let Some(number) = self.supporting(&constraint.on) else { return Ok(None) };
        let (on, part) = (&self.schema.get().indexes[number], &self.entries[number].part);
        let (mut before, mut key) = (Vec::new(), Vec::new());
        for entry in part.iter(0..part.len()) {
            asking.count()?;
            key.clear();
            key.extend_from_slice(entry.prefix);
            key.extend_from_slice(entry.rest);
            key.truncate(key.len().saturating_sub(4));
            if key == before {
                let entity = on.of.entity(id_of(entry));
                let broken = self.broken_by(entity, constraint);
                if broken.is_some() {
                    return Ok(broken);
                }
            }
            std::mem::swap(&mut before, &mut key);
        }
        Ok(None)
    }
}
