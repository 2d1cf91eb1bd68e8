//! The data directory: one process at a time, its manifest, the thread that writes to it.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use journal::{Directory, Disk, Flusher, Manifest, Place, Segments, segment, snapshot};

use super::snapshot::ENDING;
use crate::engine::Engine;

/// The lock's file. It stays when the process ends; the lock does not.
const LOCK: &str = "LOCK";
/// Bytes of a segment of the journal.
const SEGMENT: u64 = 64 << 20;
/// Bytes of a block of a snapshot.
pub(super) const BLOCK: usize = 1 << 20;

/// An open data directory.
pub struct DataDir {
    /// Its files.
    pub disk: Arc<dyn Disk>,
    /// What is current; `None` while nothing has been saved.
    pub manifest: Option<Manifest>,
    /// Bytes of a segment of the journal.
    pub segment_size: u64,
    /// A block of a snapshot is written when it is this long.
    pub block_size: usize,
    /// What has threads of its own otherwise, the journal and snapshots, has none: see
    /// [`journal::Log::flush_round`].
    pub stepped: bool,
    pub(crate) flusher: Option<Flusher>,
    /// Held as long as the directory is open.
    _lock: Option<File>,
}

/// Why a data directory cannot be used.
#[derive(Debug)]
pub enum OpenError {
    /// Another process uses it.
    Taken(PathBuf),
    /// The system refuses.
    Io(PathBuf, io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Taken(dir) => write!(
                f,
                "the data directory {} is in use by another process; give this one a directory of \
                 its own with --dir, or stop the other",
                dir.display()
            ),
            OpenError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

/// A directory that no other process uses, whatever is in it.
pub struct Claim {
    /// Its files.
    pub disk: Arc<dyn Disk>,
    lock: File,
}

impl Claim {
    /// Takes the directory at `path`, made if missing, for this process alone.
    ///
    /// # Errors
    /// Another process uses it, or it cannot be made.
    pub fn on(path: &Path) -> Result<Self, OpenError> {
        let at = |name: &str| path.join(name);
        let directory = Directory::open(path).map_err(|e| OpenError::Io(path.to_owned(), e))?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(at(LOCK))
            .map_err(|e| OpenError::Io(at(LOCK), e))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::Taken(path.to_owned())),
            Err(TryLockError::Error(e)) => return Err(OpenError::Io(at(LOCK), e)),
        }
        Ok(Claim { disk: Arc::new(directory), lock })
    }
}

impl DataDir {
    /// Opens the directory at `path`, made if missing, for this process alone.
    ///
    /// # Errors
    /// Another process uses it, it cannot be made or read, or its manifest is damaged.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let Claim { disk, lock } = Claim::on(path)?;
        let manifest = path.join(journal::manifest::NAME);
        let mut data_dir = Self::on(disk).map_err(|error| OpenError::Io(manifest, error))?;
        data_dir._lock = Some(lock);
        Ok(data_dir)
    }

    /// A data directory on any disk, without a lock.
    ///
    /// # Errors
    /// Its manifest cannot be read or is damaged.
    pub fn on(disk: Arc<dyn Disk>) -> io::Result<Self> {
        let manifest = Manifest::read(&*disk)?;
        Ok(DataDir {
            disk,
            manifest,
            segment_size: SEGMENT,
            block_size: BLOCK,
            stepped: false,
            flusher: None,
            _lock: None,
        })
    }

    /// Writes a first manifest, that of an empty dataset: from now on files without one are a sign
    /// that it was lost.
    pub(crate) fn begin(&mut self, engine: &Engine) -> io::Result<()> {
        if self.manifest.is_some() {
            return Ok(());
        }
        let manifest = Manifest {
            id: engine.dataset_id,
            hashing: engine.hashing,
            shards: engine.store.shards(),
            snapshot: None,
            journal: Segments::None,
        };
        manifest.write(&*self.disk)?;
        self.manifest = Some(manifest);
        Ok(())
    }

    /// The name of a file that a manifest must have named once, if there is no manifest.
    pub(crate) fn orphan(&self) -> io::Result<Option<String>> {
        if self.manifest.is_some() {
            return Ok(None);
        }
        named_once(&*self.disk)
    }

    /// Starts the thread that writes the journal, if it does not run yet. Nothing is written
    /// before a segment is begun.
    pub(crate) fn start_flusher(
        &mut self,
        engine: &Arc<Engine>,
        (segment, frame): (u64, u64),
    ) -> io::Result<()> {
        if self.flusher.is_some() {
            return Ok(());
        }
        let there = segment::all(&*self.disk)?.last().map_or(0, |last| last + 1);
        let id = self.manifest.as_ref().map_or(engine.dataset_id, |manifest| manifest.id);
        let place = Place {
            disk: Arc::clone(&self.disk),
            id,
            segment: segment.max(there).max(1),
            frame: frame.max(1),
            segment_size: self.segment_size,
            seed: engine.journal_seed,
        };
        let weak = Arc::downgrade(engine);
        let tell = move || {
            if let Some(engine) = weak.upgrade() {
                engine.persistence.tell();
            }
        };
        let log = engine.store.log();
        self.flusher = Some(if self.stepped {
            Flusher::stepped(log, place, tell)
        } else {
            Flusher::start(log, place, tell)?
        });
        Ok(())
    }
}

impl Engine {
    /// Opens the data directory that the configuration names, unless it is open. The right to save
    /// is held: threads that serve clients look at the directory, and wait for none that hangs.
    ///
    /// # Errors
    /// It cannot be used, or holds another dataset than this one.
    pub fn open_data_dir(&self) -> io::Result<()> {
        let mut slot = self.persistence.data_dir.lock();
        let dir = PathBuf::from(&self.config().dir);
        if let Some(data_dir) = slot.as_ref() {
            let open = data_dir.disk.path();
            let same = open == dir || std::path::absolute(&dir).is_ok_and(|dir| dir == open);
            let text = || format!("'dir' changes at the next start; {} is open", open.display());
            return if same { Ok(()) } else { Err(io::Error::other(text())) };
        }
        if self.persistence.closed.load(Ordering::Relaxed) {
            return Err(io::Error::other(ENDING));
        }
        let data_dir = DataDir::open(&dir).map_err(|error| io::Error::other(error.to_string()))?;
        if data_dir.manifest.as_ref().is_some_and(|manifest| manifest.id != self.dataset_id) {
            let text = format!("{} holds another dataset", dir.display());
            return Err(io::Error::other(text));
        }
        *slot = Some(data_dir);
        Ok(())
    }

    /// Closes the data directory: the journal is written and synced to its end. No save that is
    /// late opens it again.
    pub fn close_data_dir(&self) {
        let mut slot = self.persistence.data_dir.lock();
        self.persistence.closed.store(true, Ordering::Relaxed);
        let data_dir = slot.take();
        drop(slot);
        drop(data_dir);
    }

    /// Takes an open data directory as this engine's own.
    pub fn attach_data_dir(&self, data_dir: DataDir) {
        let mut slot = self.persistence.data_dir.lock();
        self.persistence.closed.store(false, Ordering::Relaxed);
        *slot = Some(data_dir);
    }
}

/// The name of a file of the kind that manifests name, if there is one.
pub(super) fn named_once(disk: &dyn Disk) -> io::Result<Option<String>> {
    let ours = |name: &String| segment::number(name).is_some() || snapshot::number(name).is_some();
    Ok(disk.list()?.into_iter().find(ours))
}
