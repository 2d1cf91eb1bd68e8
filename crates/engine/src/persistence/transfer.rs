//! Copies of the running dataset for Redis's tools: what `SYNC` sends.
//!
//! A copy is made in a directory of its own, an RDB file is written of it, and that file loses its
//! name before the first byte is sent: readers keep it alive, and nothing is left when they are
//! gone, be it by a crash. Readers that asked before a copy was begun share it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::dataset_copy::{DatasetCopy, ScratchDir};
use super::redis_files;
use crate::durability::{Last, Rdb};
use crate::engine::Engine;

impl Engine {
    /// The dataset as it is at some moment of this call. Waits for the disk, and for a running save
    /// or copy; several callers that wait get the same.
    ///
    /// # Errors
    /// What the client that asked is told.
    pub fn rdb_of_now(self: &Arc<Self>) -> Result<Arc<Rdb>, String> {
        let transfers = &self.durability.transfers;
        let mine = transfers.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut last = transfers.last.lock();
        if last.covers >= mine
            && let Some(rdb) = last.rdb.upgrade()
        {
            return Ok(rdb);
        }
        let covers = transfers.asked.load(Ordering::Acquire);
        let rdb = Arc::new(self.make_rdb()?);
        *last = Last { covers, rdb: Arc::downgrade(&rdb) };
        Ok(rdb)
    }

    fn make_rdb(self: &Arc<Self>) -> Result<Rdb, String> {
        let said = |error: std::io::Error| error.to_string();
        let turn = self.turn_to_copy(&|| false).map_err(said)?;
        let scratch_dir = self.scratch_dir().map_err(said)?;
        let DatasetCopy { disk, manifest, .. } =
            self.copy_dataset(&turn, &scratch_dir.path).map_err(said)?;
        // Others save while the file is written: nothing of the data directory is read for it.
        drop(turn);
        let file = nameless(&scratch_dir).map_err(said)?;
        let settings = self.configuration.settings.lock().clone();
        let exported = redis_files::export_into(&settings, (&disk, &manifest), &file)?;
        let (bytes, keys) = (exported.bytes, exported.keys);
        tracing::info!("Made a copy of {keys} keys in {bytes} bytes for a client");
        Ok(Rdb { file, bytes, keys })
    }

    /// A file without any key: the libraries of functions, as they are now.
    ///
    /// # Errors
    /// What the client that asked is told.
    pub fn rdb_of_libraries(self: &Arc<Self>) -> Result<Arc<Rdb>, String> {
        let said = |error: std::io::Error| error.to_string();
        // Only the first one to need the directory waits for saves.
        let begun = self.durability.data_dir.lock().is_some();
        let turn = if begun { None } else { Some(self.turn_to_copy(&|| false).map_err(said)?) };
        let file = nameless(&self.scratch_dir().map_err(said)?).map_err(said)?;
        drop(turn);
        let compress = self.config().persistence.rdbcompression;
        let bytes = redis_files::export_libraries(&self.scripts.functions.known(), compress, &file)
            .map_err(said)?;
        Ok(Arc::new(Rdb { file, bytes, keys: 0 }))
    }

    fn scratch_dir(self: &Arc<Self>) -> std::io::Result<ScratchDir> {
        ScratchDir::open(self.writable_disk()?.path())
    }
}

fn nameless(scratch_dir: &ScratchDir) -> std::io::Result<File> {
    let path = scratch_dir.path.join("copy.rdb");
    let file =
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}
