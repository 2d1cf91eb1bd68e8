//! Libraries of functions, for `FCALL`: all of them, replaced as a whole by each change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hashbrown::HashMap;
use parking_lot::{Mutex, RwLock};
use script::{Libraries, Library};

/// The libraries as of some moment.
#[derive(Default)]
pub(crate) struct Known {
    pub libraries: Libraries,
    /// Per function: it holds every shard, see [`super::Cached::wide`].
    wide: HashMap<String, Arc<AtomicBool>>,
}

impl Known {
    /// What the functions of these libraries need, as far as it was known before.
    fn new(libraries: Libraries, before: &Known) -> Self {
        let wide_of = |library: &Library, function: &str| {
            let same = before.libraries.function(function.as_bytes());
            let same = same.is_some_and(|known| known.code() == library.code());
            before.wide.get(function).filter(|_| same).map(Arc::clone).unwrap_or_default()
        };
        let wide = libraries
            .iter()
            .flat_map(|library| library.functions().iter().map(move |f| (library, &f.name)))
            .map(|(library, name)| (name.clone(), wide_of(library, name)))
            .collect();
        Known { libraries, wide }
    }

    /// Whether a function holds every shard: to ask, and to say so.
    pub fn wide(&self, function: &str) -> Arc<AtomicBool> {
        self.wide.get(function).map(Arc::clone).unwrap_or_default()
    }
}

/// The libraries of a server.
#[derive(Default)]
pub(crate) struct Functions {
    known: RwLock<Arc<Known>>,
    /// The number of the last change.
    version: AtomicU64,
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

    /// Changes the libraries; nobody else does meanwhile. Nothing is changed if that fails.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn change<R, E>(
        &self,
        change: impl FnOnce(&mut Libraries) -> Result<R, E>,
    ) -> Result<R, E> {
        let _one = self.changing.lock();
        let before = self.known();
        let mut libraries = before.libraries.clone();
        let result = change(&mut libraries)?;
        *self.known.write() = Arc::new(Known::new(libraries, &before));
        self.version.fetch_add(1, Ordering::Release);
        Ok(result)
    }

    /// Bytes of the libraries, about.
    pub fn memory(&self) -> usize {
        const OVERHEAD: usize = 128;
        let known = self.known.read();
        known.libraries.iter().map(|l| l.code().len() + OVERHEAD * (1 + l.functions().len())).sum()
    }
}
