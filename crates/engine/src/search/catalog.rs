//! All indexes, aliases and dictionaries: replaced as a whole by each change.
//!
//! They belong to no key. A change of them has its place among what happens to the dataset, as one
//! of libraries of functions has: it is made while nothing happens in shard 0, and recorded there
//! (`catalog_image.rs` has the form), so a snapshot, the journal that follows it and a recovery
//! agree about which changes are in which.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::CmdError;
use journal::codec::Malformed;
use journal::record::Kind;
use parking_lot::{Mutex, RwLock};
use store::{Registration, Txn};

use super::catalog_image::{self, Step};
use super::cursors::Cursors;
use super::index::Index;

/// What there is as of some moment, by database.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub databases: BTreeMap<usize, Names>,
}

/// What one database has.
#[derive(Clone, Default)]
pub(crate) struct Names {
    pub indexes: BTreeMap<Box<[u8]>, Arc<Index>>,
    /// The index of each alias.
    pub aliases: BTreeMap<Box<[u8]>, Box<[u8]>>,
    /// Terms of dictionaries.
    pub dictionaries: BTreeMap<Box<[u8]>, BTreeSet<Box<[u8]>>>,
}

impl Known {
    /// The index of this name or alias.
    pub fn index(&self, db: usize, name: &[u8]) -> Option<(&[u8], &Arc<Index>)> {
        let names = self.databases.get(&db)?;
        let name = names.aliases.get(name).map_or(name, |of| of);
        names.indexes.get_key_value(name).map(|(name, index)| (&**name, index))
    }

    /// Every index, with its database.
    pub fn indexes(&self) -> impl Iterator<Item = (usize, &Arc<Index>)> {
        self.databases
            .iter()
            .flat_map(|(&db, names)| names.indexes.values().map(move |index| (db, index)))
    }

    /// The indexes of a database that documents of this key belong to.
    pub fn concerned(&self, db: usize, key: &[u8]) -> impl Iterator<Item = &Arc<Index>> {
        let names = self.databases.get(&db);
        names
            .into_iter()
            .flat_map(|names| names.indexes.values())
            .filter(move |index| index.concerns(key))
    }
}

/// The indexes of a server.
#[derive(Default)]
pub(crate) struct Catalog {
    known: RwLock<Arc<Known>>,
    /// One change at a time.
    changing: Mutex<()>,
    /// That it follows the dataset.
    pub(super) follows: Mutex<Option<Registration>>,
    /// Whether there is any index.
    any: AtomicBool,
    /// Whether all indexes are to read everything again.
    pub(super) renews: AtomicBool,
    /// Rows that are answered part by part.
    pub cursors: Cursors,
    /// In how many partitions the documents of an index are divided, about.
    workers: usize,
}

impl Catalog {
    /// An empty one, for a server with so many workers.
    pub fn new(workers: usize) -> Self {
        Catalog { workers, ..Catalog::default() }
    }

    /// What there is now.
    pub fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read())
    }

    /// Whether there is any index.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Whether indexes follow the dataset.
    pub fn is_following(&self) -> bool {
        self.follows.lock().is_some()
    }

    /// Bytes of all indexes and cursors.
    pub fn memory(&self) -> usize {
        if !self.has_any() {
            return self.cursors.memory();
        }
        let indexes = self.known().indexes().map(|(_, index)| index.memory()).sum::<usize>();
        indexes + self.cursors.memory()
    }

    /// Changes what there is by the steps that `change` decides on, and records them; no other
    /// change is made meanwhile. `txn` holds no shard, or shard 0 among others.
    ///
    /// # Errors
    /// Those of `change`; nothing has changed then.
    pub fn change<R>(
        &self,
        txn: &mut Txn,
        change: impl FnOnce(&Known) -> Result<(R, Vec<Step>), CmdError>,
    ) -> Result<R, CmdError> {
        txn.held.beside_keys(Kind::Indexes, || {
            let _one = self.changing.lock();
            match change(&self.known()) {
                Ok((result, steps)) if steps.is_empty() => (Ok(result), None),
                Ok((result, steps)) => {
                    self.take(&steps);
                    (Ok(result), Some(catalog_image::written(&steps)))
                }
                Err(error) => (Err(error), None),
            }
        })
    }

    /// Does again what a record or a snapshot says.
    ///
    /// # Errors
    /// It says something else.
    pub fn apply(&self, body: &[u8]) -> Result<(), Malformed> {
        let steps = catalog_image::read(body)?;
        let _one = self.changing.lock();
        self.take(&steps);
        Ok(())
    }

    /// Puts empty indexes in place of all.
    pub(super) fn renew(&self) {
        let _one = self.changing.lock();
        let steps = self.known().steps();
        self.take(&steps);
    }

    /// A database was emptied: its indexes go with its keys, as in RediSearch.
    pub fn flushed(&self, db: usize) {
        let _one = self.changing.lock();
        if self.known().databases.contains_key(&db) {
            self.take(&[Step::Clear { db }]);
        }
    }

    /// The keys of two databases have changed places, and indexes go with them.
    pub fn swapped(&self, a: usize, b: usize) {
        let _one = self.changing.lock();
        self.take(&[Step::Swap { a, b }]);
    }

    /// The rows of an index that is not there any more go with it.
    fn drop_cursors(&self, step: &Step) {
        match step {
            Step::NoIndex { db, name } | Step::Index { db, name, .. } => {
                self.cursors.drop_all(*db, Some(name));
            }
            Step::Clear { db } => self.cursors.drop_all(*db, None),
            Step::Swap { a, b } => {
                self.cursors.drop_all(*a, None);
                self.cursors.drop_all(*b, None);
            }
            Step::Alias { .. } | Step::Dictionary { .. } | Step::Synonyms { .. } => {}
        }
    }

    fn take(&self, steps: &[Step]) {
        let mut known = Known::clone(&self.known());
        for step in steps {
            known.take(step, self.workers);
            self.drop_cursors(step);
        }
        self.any.store(known.indexes().next().is_some(), Ordering::Release);
        *self.known.write() = Arc::new(known);
    }
}

impl Known {
    /// Takes a step. What is there already is replaced, what is not there need not be taken away.
    fn take(&mut self, step: &Step, workers: usize) {
        match step {
            Step::Index { db, name, definition, synonyms } => {
                let index = Index::new(Arc::clone(definition), synonyms.clone(), workers);
                let names = self.databases.entry(*db).or_default();
                names.indexes.insert(name.clone(), Arc::new(index));
            }
            Step::Synonyms { db, name, synonyms } => {
                let names = self.databases.entry(*db).or_default();
                if let Some(index) = names.indexes.get_mut(name) {
                    *index = Arc::new(index.with_synonyms(synonyms.clone()));
                }
            }
            Step::NoIndex { db, name } => {
                let names = self.databases.entry(*db).or_default();
                names.indexes.remove(name);
                names.aliases.retain(|_, of| of != name);
            }
            Step::Alias { db, alias, index } => {
                let aliases = &mut self.databases.entry(*db).or_default().aliases;
                match index {
                    Some(index) => drop(aliases.insert(alias.clone(), index.clone())),
                    None => drop(aliases.remove(alias)),
                }
            }
            Step::Dictionary { db, name, terms } => {
                let dictionaries = &mut self.databases.entry(*db).or_default().dictionaries;
                match terms.is_empty() {
                    true => drop(dictionaries.remove(name)),
                    false => drop(dictionaries.insert(name.clone(), terms.clone())),
                }
            }
            Step::Clear { db } => drop(self.databases.remove(db)),
            Step::Swap { a, b } => {
                let (of_a, of_b) = (self.databases.remove(a), self.databases.remove(b));
                of_a.into_iter().for_each(|names| drop(self.databases.insert(*b, names)));
                of_b.into_iter().for_each(|names| drop(self.databases.insert(*a, names)));
            }
        }
    }

    /// The steps that lead from nothing to what there is.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (&db, names) in &self.databases {
            steps.extend(names.indexes.iter().map(|(name, index)| Step::Index {
                db,
                name: name.clone(),
                definition: Arc::clone(&index.definition),
                synonyms: index.synonyms.clone(),
            }));
            steps.extend(names.aliases.iter().map(|(alias, index)| Step::Alias {
                db,
                alias: alias.clone(),
                index: Some(index.clone()),
            }));
            steps.extend(names.dictionaries.iter().map(|(name, terms)| Step::Dictionary {
                db,
                name: name.clone(),
                terms: terms.clone(),
            }));
        }
        steps
    }
}
