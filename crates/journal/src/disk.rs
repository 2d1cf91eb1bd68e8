//! The disk as the journal sees it: one directory of flat files.
//!
//! Everything that touches a file goes through [`Disk`], so that a test can put a disk in its
//! place that loses what was not synced, tears pages, runs full or fails at any call. The real one
//! is [`Directory`]; it must never report success before the system has.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sync::atomic::{AtomicBool, Ordering};

/// What [`DiskFile::write_blocks`] writes is a number of these, and begins at a multiple of them.
/// No disk in use has larger ones.
pub const BLOCK: u64 = 4096;

/// Names of files that are told apart by a number of twenty digits, so that names sort as numbers.
pub(crate) struct Numbered {
    /// What stands before the number.
    pub before: &'static str,
    /// What stands behind it.
    pub after: &'static str,
}

impl Numbered {
    /// The name with this number.
    pub fn name(&self, number: u64) -> String {
        format!("{}{number:020}{}", self.before, self.after)
    }

    /// The number in a name, if it is such a name.
    pub fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(self.before)?.strip_suffix(self.after)?;
        if digits.len() == 20 { digits.parse().ok() } else { None }
    }
}

/// A directory of files.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Opens an existing file for reading and writing.
    ///
    /// # Errors
    /// It is missing, or the system refuses.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;
    /// Makes a new empty file, replacing one of that name.
    ///
    /// # Errors
    /// The system refuses.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;
    /// Gives a file another name, replacing one of that name, in one step.
    ///
    /// # Errors
    /// The system refuses.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Gives a file a second name, also in a folder below (made if missing).
    ///
    /// # Errors
    /// The system refuses.
    fn link(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    ///
    /// # Errors
    /// The system refuses.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// The names of all files, in no order.
    ///
    /// # Errors
    /// The system refuses.
    fn list(&self) -> io::Result<Vec<String>>;
    /// Makes new names, removals and renames durable.
    ///
    /// # Errors
    /// The system refuses.
    fn sync_names(&self) -> io::Result<()>;
    /// Where it is, for messages.
    fn path(&self) -> &Path;
    /// How long a file may become here, at the moment.
    fn longest_file(&self) -> u64 {
        u64::MAX
    }
}

/// An open file.
pub trait DiskFile: Send + Sync + fmt::Debug {
    /// Writes all of it at this offset.
    ///
    /// # Errors
    /// Some of it may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Writes whole blocks at this offset, and if the system can, not through its memory: what is
    /// seldom read again need not be copied there, nor push out what is. Offset, length and address
    /// are multiples of [`BLOCK`].
    ///
    /// # Errors
    /// Some of it may have been written.
    fn write_blocks(&self, offset: u64, blocks: &[u8]) -> io::Result<()> {
        self.write_at(offset, blocks)
    }
    /// How many bytes are too few for [`write_blocks`](Self::write_blocks) to be worth it: where
    /// they are not forced to disk at once, the system's memory gathers them.
    fn little(&self) -> usize {
        64 << 10
    }
    /// Reads up to the length of `into`; fewer bytes only at the end of the file.
    ///
    /// # Errors
    /// The system refuses.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;
    /// As [`read_at`](Self::read_at), of whole blocks into memory that begins at one, and if the
    /// system can, not through its memory.
    ///
    /// # Errors
    /// The system refuses.
    fn read_blocks(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.read_at(offset, into)
    }
    /// Whether all that [`read_blocks`](Self::read_blocks) has given so far came from the disk.
    /// What comes from the system's memory need not be there: after a failed sync it keeps pages
    /// that it takes for written.
    fn read_from_disk(&self) -> bool {
        false
    }
    /// Its length.
    ///
    /// # Errors
    /// The system refuses.
    fn len(&self) -> io::Result<u64>;
    /// Whether it is empty.
    ///
    /// # Errors
    /// The system refuses.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Cuts it or extends it with zeros.
    ///
    /// # Errors
    /// The system refuses.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Reserves room for this many bytes and makes it that long.
    ///
    /// # Errors
    /// There is no room.
    fn reserve(&self, len: u64) -> io::Result<()>;
    /// Makes what was written durable.
    ///
    /// # Errors
    /// What was written since the last sync may be lost, even if a later sync succeeds.
    fn sync(&self) -> io::Result<()>;
    /// Where the next part begins, from `from` on, that was ever written; `None` if there is none.
    /// A disk that does not know answers `from`.
    fn next_written(&self, from: u64) -> Option<u64> {
        Some(from)
    }
    /// Says that this part, which is durable, will not be read soon: the system need not keep it
    /// in memory.
    fn forget(&self, from: u64, len: u64);
}

/// A directory of the file system.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// The directory at `path`, made (mode 0700) if missing.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Directory { path: path.to_owned() })
    }

    /// Opens a file to be locked, made if missing. A link is refused: it may have been put there to
    /// have a file made elsewhere.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open_lock(&self, name: &str) -> io::Result<File> {
        use rustix::fs::OFlags;
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(self.at(name))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Disk for Directory {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(true).open(self.at(name))?;
        Ok(Arc::new(RealFile::of(file)))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let path = self.at(name);
        let create = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true).mode(0o600).open(&path)
        };
        let file = create().or_else(|error| match error.kind() {
            // What has the name already is not written through: it may be a link to a file of
            // another user, or readable for all.
            ErrorKind::AlreadyExists => {
                std::fs::remove_file(&path)?;
                create()
            }
            _ => Err(error),
        })?;
        Ok(Arc::new(RealFile::of(file)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.at(from), self.at(to))
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        let to = self.at(to);
        if let Some(folder) = to.parent() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        std::fs::hard_link(self.at(from), to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.at(name))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            if let (true, Ok(name)) =
                (entry.file_type()?.is_file(), entry.file_name().into_string())
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn sync_names(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn longest_file(&self) -> u64 {
        use rustix::process::{Resource, getrlimit};
        getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
    }
}

/// Says what an error of a file means for the administrator: the system says of a file that is too
/// large neither how large it may be nor why.
fn explained(error: io::Error) -> io::Error {
    if error.kind() != ErrorKind::FileTooLarge {
        return error;
    }
    let text = "a file would become longer than this process may make one: raise the limit \
                (ulimit -f, LimitFSIZE= of a systemd unit), or that of the file system";
    io::Error::new(ErrorKind::FileTooLarge, text)
}

#[derive(Debug)]
struct RealFile {
    file: File,
    /// The same file, to be read and written past the system's memory; `None` where that cannot be
    /// done.
    direct: OnceLock<Option<File>>,
    /// Something was read through the system's memory although it should not have been.
    remembered: AtomicBool,
}

impl RealFile {
    fn of(file: File) -> Self {
        RealFile { file, direct: OnceLock::new(), remembered: AtomicBool::new(false) }
    }

    /// The same file once more: by its number, as its name may have changed.
    fn direct(&self) -> Option<&File> {
        let open = || {
            use rustix::fs::{Mode, OFlags, open};
            let name = format!("/proc/self/fd/{}", self.file.as_raw_fd());
            let flags = OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC;
            let opened = open(name, flags, Mode::empty());
            opened
                .inspect_err(|error| tracing::debug!(%error, "files are written through memory"))
                .ok()
                .map(File::from)
        };
        self.direct.get_or_init(open).as_ref()
    }
}

/// Writes past the system's memory; how much, if the system then refuses to.
fn write_direct(file: &File, offset: u64, blocks: &[u8]) -> io::Result<usize> {
    let mut done = 0;
    // What ends within a block cannot be gone on with in this way.
    while done < blocks.len() && (done as u64).is_multiple_of(BLOCK) {
        match file.write_at(&blocks[done..], offset + done as u64) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => done += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // The file system or its disk want something else.
            Err(error) if error.kind() == ErrorKind::InvalidInput => break,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Reads past the system's memory: up to the end of the file, or what it then refuses.
fn read_direct(file: &File, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < into.len() && (done as u64).is_multiple_of(BLOCK) {
        match file.read_at(&mut into[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::InvalidInput => break,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

impl DiskFile for RealFile {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset).map_err(explained)
    }

    fn write_blocks(&self, offset: u64, blocks: &[u8]) -> io::Result<()> {
        let done = match self.direct() {
            Some(direct) => write_direct(direct, offset, blocks).map_err(explained)?,
            None => 0,
        };
        self.file.write_all_at(&blocks[done..], offset + done as u64).map_err(explained)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            match self.file.read_at(&mut into[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn read_blocks(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let done = match self.direct() {
            Some(direct) => read_direct(direct, offset, into)?,
            None => 0,
        };
        // At the end of the file there is nothing more to come.
        let more = self.read_at(offset + done as u64, &mut into[done..])?;
        if more > 0 {
            self.remembered.store(true, Ordering::Relaxed);
        }
        Ok(done + more)
    }

    fn read_from_disk(&self) -> bool {
        self.direct().is_some() && !self.remembered.load(Ordering::Relaxed)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len).map_err(explained)
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(&self.file, FallocateFlags::empty(), 0, len) {
            Ok(()) => Ok(()),
            // A file system without reservations: room is then found out while writing.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => self.set_len(len),
            Err(error) => Err(explained(error.into())),
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn next_written(&self, from: u64) -> Option<u64> {
        match rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Data(from)) {
            Ok(at) => Some(at.max(from)),
            Err(rustix::io::Errno::NXIO) => None,
            Err(_) => Some(from),
        }
    }

    fn forget(&self, from: u64, len: u64) {
        // A hint: nothing depends on its being taken.
        let len = std::num::NonZeroU64::new(len);
        let _ = rustix::fs::fadvise(&self.file, from, len, rustix::fs::Advice::DontNeed);
    }
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
