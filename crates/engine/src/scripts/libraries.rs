//! Libraries of functions, for `FCALL`: all of them, replaced as a whole by each change.
//!
//! They belong to no key, but a change of them has its place among what happens to the dataset: it
//! is made while nothing happens in shard 0, and told among the records of that shard
//! (`library_image.rs` has the form). So a snapshot, the journal behind it and a recovery agree
//! about which changes are in which, and a change that a transaction makes is durable with the rest
//! of it or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use base::CmdError;
use hashbrown::HashMap;
use journal::codec::Malformed;
use journal::record::Kind;
use parking_lot::{Mutex, RwLock};
use script::{Libraries, Library};
use store::Txn;

use super::library_image;
use super::needs::Needs;

/// The libraries as of some moment.
#[derive(Default)]
pub(crate) struct Known {
    pub libraries: Libraries,
    /// Per function.
    needs: HashMap<String, Arc<Needs>>,
}

impl Known {
    /// What the functions of these libraries need, as far as it was known before.
    fn new(libraries: Libraries, before: &Known) -> Self {
        let needs_of = |library: &Library, function: &str| {
            let same = before.libraries.function(function.as_bytes());
            let same = same.is_some_and(|known| known.code() == library.code());
            before.needs.get(function).filter(|_| same).map(Arc::clone).unwrap_or_default()
        };
        let needs = libraries
            .iter()
            .flat_map(|library| library.functions().iter().map(move |f| (library, &f.name)))
            .map(|(library, name)| (name.clone(), needs_of(library, name)))
            .collect();
        Known { libraries, needs }
    }

    /// What a function has turned out to need: to ask, and to say so.
    pub fn needs(&self, function: &str) -> Arc<Needs> {
        self.needs.get(function).map(Arc::clone).unwrap_or_default()
    }
}

/// The libraries of a server.
#[derive(Default)]
pub(crate) struct Functions {
    known: RwLock<Arc<Known>>,
    /// The number of the last change.
    version: AtomicU64,
    /// Bytes of all of them.
    memory: AtomicUsize,
    /// One change at a time.
    changing: Mutex<()>,
}

impl Functions {
    /// The libraries as they are now.
    pub fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read())
    }

    /// The number of the last change.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Changes the libraries, and records that; no other thread does meanwhile. `txn` holds no
    /// shard, or shard 0 among others.
    ///
    /// # Errors
    /// Those of `change`; nothing is changed then.
    pub fn change<R>(
        &self,
        txn: &mut Txn,
        change: impl FnOnce(&mut Libraries) -> Result<R, CmdError>,
    ) -> Result<R, CmdError> {
        txn.held.beside_keys(Kind::Libraries, || match self.replace(change) {
            Ok((result, before, after)) => {
                (Ok(result), library_image::change(&before.libraries, &after.libraries))
            }
            Err(error) => (Err(error), None),
        })
    }

    /// Does again what a record or a snapshot tells.
    ///
    /// # Errors
    /// It tells something else.
    pub fn apply(&self, body: &[u8]) -> Result<(), Malformed> {
        let change = library_image::read(body)?;
        self.replace(|libraries| change.apply(libraries)).map(drop)
    }

    /// Reads them back from what a snapshot would hold of them.
    ///
    /// # Errors
    /// What would be written cannot be read; nothing is changed then.
    pub fn reload(&self) -> Result<(), Malformed> {
        let mut body = Vec::new();
        library_image::put_all(&mut body, &self.known().libraries);
        let change = library_image::read(&body)?;
        let all = |libraries: &mut Libraries| {
            *libraries = Libraries::default();
            change.apply(libraries)
        };
        self.replace(all).map(drop)
    }

    /// The result of a change, and the libraries before and after it.
    fn replace<R, E>(
        &self,
        change: impl FnOnce(&mut Libraries) -> Result<R, E>,
    ) -> Result<(R, Arc<Known>, Arc<Known>), E> {
        let _one = self.changing.lock();
        let before = self.known();
        let mut libraries = before.libraries.clone();
        let result = change(&mut libraries)?;
        let after = Arc::new(Known::new(libraries, &before));
        self.memory.store(memory_of(&after.libraries), Ordering::Relaxed);
        *self.known.write() = Arc::clone(&after);
        self.version.fetch_add(1, Ordering::Release);
        Ok((result, before, after))
    }

    /// Bytes of the libraries, about.
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }
}

fn memory_of(libraries: &Libraries) -> usize {
    /// Bytes a library or a function takes beside its texts, about: in threads that know it, too.
    const OVERHEAD: usize = 300;
    let of = |library: &Arc<Library>| {
        let functions = library.functions().iter();
        let texts = functions.map(|f| f.name.len() + f.description.as_ref().map_or(0, Vec::len));
        library.code().len() + OVERHEAD + texts.map(|len| len + OVERHEAD).sum::<usize>()
    };
    libraries.iter().map(of).sum()
}
