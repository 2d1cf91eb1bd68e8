//! Folders that go with their owner.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A path in the folder for temporary files that no other test uses. Nothing is there yet.
#[must_use]
pub fn temporary(name: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("kvist-test-{}-{number}-{name}", std::process::id()))
}

/// A folder of a test's own, removed with all that is in it when this is dropped.
///
/// ```
/// let folder = kvist_testkit::folder::Folder::new("example");
/// let file = folder.join("file");
/// std::fs::write(&file, "text").unwrap();
/// drop(folder);
/// assert!(!file.exists());
/// ```
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one, with `name` in its name.
    ///
    /// # Panics
    /// It cannot be made.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let folder = Folder::missing(name);
        std::fs::create_dir_all(&folder.0).expect("a folder for temporary files");
        folder
    }

    /// The same, which what is tested has to make.
    #[must_use]
    pub fn missing(name: &str) -> Self {
        Folder(temporary(name))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Its path as text.
    ///
    /// # Panics
    /// The folder for temporary files has a name that is no text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.to_str().expect("a path of text")
    }

    /// A path in it, as text.
    #[must_use]
    pub fn at(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// A path in it.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
