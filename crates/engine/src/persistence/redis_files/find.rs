//! Where Redis's files lie, and in which order they count.
//!
//! ```text
//!   DIR/appenddirname/appendfilename.manifest     the append-only files of Redis 7 and later
//!   DIR/appendfilename                            the append-only file before that
//!   DIR/dbfilename                                a snapshot
//! ```

use std::ffi::OsStr;
use std::fs::File as SystemFile;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use config::Config;
use rdb::aof::{File, Manifest};

/// A dataset in files of Redis.
#[derive(Clone, Debug)]
pub struct RedisFiles {
    /// What to call it.
    pub path: PathBuf,
    /// Where its files lie.
    pub(super) dir: PathBuf,
    pub(super) manifest: Manifest,
    /// It is a snapshot by itself: what is past its deadline does not count. In an append-only
    /// file, something may still be done about such a key.
    pub(super) is_snapshot: bool,
}

impl RedisFiles {
    /// The dataset that a server with this configuration would find in `dir`. With `appendonly yes`
    /// the append-only files count, where there are any, else the snapshot. Redis would read only
    /// one or the other; with `appendonly no` the snapshot counts, as it does there.
    ///
    /// # Errors
    /// A manifest cannot be read.
    pub fn in_directory(dir: &Path, config: &Config) -> Result<Option<Self>, String> {
        let manifest = format!("{}.manifest", config.persistence.appendfilename);
        let manifest = dir.join(&config.persistence.appenddirname).join(manifest);
        let (single, snapshot) = (
            dir.join(&config.persistence.appendfilename),
            dir.join(&config.persistence.dbfilename),
        );
        let log = || -> Result<Option<Self>, String> {
            if manifest.is_file() {
                let found = Self::at_manifest(&manifest)?;
                // One that names no file of its own was being made when the server ended.
                if found.manifest.files().next().is_some() || !single.is_file() {
                    return Ok(Some(found));
                }
            }
            Ok(single.is_file().then(|| Self::single(&single, false)))
        };
        let rdb = || snapshot.is_file().then(|| Self::single(&snapshot, true));
        let (found, other) =
            if config.persistence.appendonly { (log()?, rdb()) } else { (rdb(), log()?) };
        let Some(found) = found else { return Ok(other) };
        if let Some(other) = other.filter(|other| other.changed() > found.changed()) {
            tracing::warn!(
                "{} is read, though {} is newer: 'appendonly' decides",
                found.path.display(),
                other.path.display()
            );
        }
        Ok(Some(found))
    }

    /// The dataset at a path that was named: a file of any kind, or a directory that holds one.
    ///
    /// # Errors
    /// There is none, or more than one manifest.
    pub fn at(path: &Path, config: &Config) -> Result<Self, String> {
        let shown = path.display();
        let about = std::fs::metadata(path).map_err(|error| format!("{shown}: {error}"))?;
        if about.is_dir() {
            let manifests = manifests(path).map_err(|error| format!("{shown}: {error}"))?;
            return match manifests.as_slice() {
                [] => Self::in_directory(path, config)?.ok_or_else(|| {
                    format!("{shown}: there is neither an append-only file nor a snapshot in it")
                }),
                [manifest] => Self::at_manifest(manifest),
                _ => Err(format!("{shown}: there is more than one manifest; name one of them")),
            };
        }
        if path.extension() == Some(OsStr::new("manifest")) {
            return Self::at_manifest(path);
        }
        Ok(Self::single(path, path.extension() == Some(OsStr::new("rdb"))))
    }

    fn at_manifest(path: &Path) -> Result<Self, String> {
        let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let manifest =
            Manifest::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let dir = path.parent().unwrap_or(Path::new("."));
        let dir = not_moved_yet(path, dir, &manifest).unwrap_or(dir);
        Ok(RedisFiles { path: path.to_owned(), dir: dir.to_owned(), manifest, is_snapshot: false })
    }

    fn single(path: &Path, is_snapshot: bool) -> Self {
        let name = path.file_name().unwrap_or_default().as_bytes().to_vec();
        let manifest = Manifest { base: Some(File { name, seq: 1 }), ..Manifest::default() };
        let dir = path.parent().unwrap_or(Path::new("."));
        RedisFiles { path: path.to_owned(), dir: dir.to_owned(), manifest, is_snapshot }
    }

    pub(super) fn open(&self, file: &File) -> io::Result<SystemFile> {
        SystemFile::open(self.dir.join(OsStr::from_bytes(&file.name)))
    }

    /// Bytes of all its files, as far as they are there.
    pub(super) fn bytes(&self) -> u64 {
        let len = |file| self.open(file).and_then(|file| file.metadata()).map_or(0, |m| m.len());
        self.manifest.files().map(len).sum()
    }

    /// When the last of its files was written to.
    fn changed(&self) -> Option<std::time::SystemTime> {
        let time = |file| self.open(file).and_then(|file| file.metadata()?.modified()).ok();
        self.manifest.files().filter_map(time).max()
    }
}

/// Redis 7 takes the append-only file of an older server over by naming it in a manifest, and then
/// moves it beside that. Where the file is as long as that was not done: the folder above, if the
/// file is named as such files are, and is the only one.
fn not_moved_yet<'p>(path: &Path, dir: &'p Path, manifest: &Manifest) -> Option<&'p Path> {
    let base = manifest.base.as_ref().filter(|_| manifest.incr.is_empty())?;
    let name = Path::new(OsStr::from_bytes(&base.name));
    let above = dir.parent()?;
    let missing = path.file_stem() == Some(name.as_os_str()) && !dir.join(name).exists();
    (missing && above.join(name).is_file()).then_some(above)
}

fn manifests(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("manifest")) {
            found.push(path);
        }
    }
    Ok(found)
}
