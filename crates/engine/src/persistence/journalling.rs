//! The data directory of an engine: opened before its dataset is read, closed when it ends, and the
//! thread that writes to it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use journal::{Flusher, Manifest, Place, Segments, segment};

use super::snapshot::ENDING;
use crate::durability::DataDir;
use crate::engine::Engine;

impl Engine {
    /// Opens the data directory that the configuration names, unless it is open. The right to save
    /// is held: threads that serve clients look at the directory, and wait for none that hangs.
    ///
    /// # Errors
    /// It cannot be used, or holds another dataset than this one.
    pub fn open_data_dir(&self) -> io::Result<()> {
        let mut slot = self.durability.data_dir.lock();
        let dir = PathBuf::from(&self.config().process.dir);
        if let Some(data_dir) = slot.as_ref() {
            let open = data_dir.disk.path();
            let same = open == dir || std::path::absolute(&dir).is_ok_and(|dir| dir == open);
            let text = || format!("'dir' changes at the next start; {} is open", open.display());
            return if same { Ok(()) } else { Err(io::Error::other(text())) };
        }
        if self.durability.closed.load(Ordering::Relaxed) {
            return Err(io::Error::other(ENDING));
        }
        let data_dir = DataDir::open(&dir).map_err(|error| io::Error::other(error.to_string()))?;
        if data_dir.manifest.as_ref().is_some_and(|manifest| manifest.id != self.run.dataset_id) {
            let text = format!("{} holds another dataset", dir.display());
            return Err(io::Error::other(text));
        }
        *slot = Some(data_dir);
        Ok(())
    }

    /// Closes the data directory: the journal is written and synced to its end. No save that is
    /// late opens it again.
    pub fn close_data_dir(&self) {
        let mut slot = self.durability.data_dir.lock();
        self.durability.closed.store(true, Ordering::Relaxed);
        let data_dir = slot.take();
        drop(slot);
        drop(data_dir);
    }

    /// Takes an open data directory as this engine's own.
    pub fn attach_data_dir(&self, data_dir: DataDir) {
        let mut slot = self.durability.data_dir.lock();
        self.durability.closed.store(false, Ordering::Relaxed);
        *slot = Some(data_dir);
    }
}

impl DataDir {
    /// Writes a first manifest, that of an empty dataset: from now on files without one are a sign
    /// that it was lost.
    pub(crate) fn begin(&mut self, engine: &Engine) -> io::Result<()> {
        if self.manifest.is_some() {
            return Ok(());
        }
        let manifest = Manifest {
            id: engine.run.dataset_id,
            hashing: engine.run.hashing,
            shards: engine.store.shards(),
            snapshot: None,
            journal: Segments::None,
        };
        manifest.write(&*self.disk)?;
        self.manifest = Some(manifest);
        Ok(())
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
        let id = self.manifest.as_ref().map_or(engine.run.dataset_id, |manifest| manifest.id);
        let place = Place {
            disk: Arc::clone(&self.disk),
            id,
            segment: segment.max(there).max(1),
            frame: frame.max(1),
            segment_size: self.segment_size,
            seed: engine.run.journal_seed,
        };
        let weak = Arc::downgrade(engine);
        let tell = move || {
            if let Some(engine) = weak.upgrade() {
                engine.durability.tell();
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
