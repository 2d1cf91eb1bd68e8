//! The data directory: one process at a time, its manifest, the thread that writes to it.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use journal::{Directory, Disk, Flusher, Manifest, segment, snapshot};

/// The lock's file. It stays when the process ends; the lock does not.
const LOCK: &str = "LOCK";
/// Bytes of a segment of the journal.
const SEGMENT: u64 = 64 << 20;
/// Bytes of a block of a snapshot.
pub(crate) const BLOCK: usize = 1 << 20;

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
        let lock = directory.open_lock(LOCK).map_err(|e| OpenError::Io(at(LOCK), e))?;
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

    /// The name of a file that a manifest must have named once, if there is no manifest.
    pub(crate) fn orphan(&self) -> io::Result<Option<String>> {
        if self.manifest.is_some() {
            return Ok(None);
        }
        named_once(&*self.disk)
    }
}

/// The name of a file of the kind that manifests name, if there is one.
pub(crate) fn named_once(disk: &dyn Disk) -> io::Result<Option<String>> {
    let ours = |name: &String| segment::number(name).is_some() || snapshot::number(name).is_some();
    Ok(disk.list()?.into_iter().find(ours))
}
