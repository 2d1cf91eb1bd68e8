//! A disk in memory for the journal, which knows what a crash would leave.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use journal::{Disk, DiskFile};
use sync::atomic::{AtomicU64, Ordering};

/// One file; a journal with one segment has no more.
#[derive(Debug, Default)]
pub struct Memory(Arc<File>);

impl Memory {
    /// Whether a crash would leave these bytes.
    pub fn has(&self, record: &[u8]) -> bool {
        let synced = self.0.synced.lock().unwrap();
        synced.windows(record.len()).any(|window| window == record)
    }
}

/// Locked for moments in which the scheduler is not asked.
#[derive(Debug, Default)]
struct File {
    /// What is done to it takes time, in which others may go on: the scheduler is asked.
    steps: AtomicU64,
    now: Mutex<Vec<u8>>,
    synced: Mutex<Vec<u8>>,
}

#[derive(Debug)]
struct Open(Arc<File>);

impl DiskFile for Open {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.steps.fetch_add(1, Ordering::SeqCst);
        let mut now = self.0.now.lock().unwrap();
        let (from, to) = (offset as usize, offset as usize + bytes.len());
        if now.len() < to {
            now.resize(to, 0);
        }
        now[from..to].copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.now.lock().unwrap().len() as u64)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.now.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }

    fn reserve(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let now = self.0.now.lock().unwrap().clone();
        self.0.steps.fetch_add(1, Ordering::SeqCst);
        *self.0.synced.lock().unwrap() = now;
        Ok(())
    }

    fn forget(&self, _: u64, _: u64) {}
}

impl Disk for Memory {
    fn open(&self, _: &str) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(Open(Arc::clone(&self.0))))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.open(name)
    }

    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn link(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("memory")
    }
}
