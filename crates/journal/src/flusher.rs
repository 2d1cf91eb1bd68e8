//! The flusher: the one thread that writes the journal.
//!
//! It sleeps until a thread has appended, lets records gather for a moment (under `always`: for as
//! long as the sync before takes), closes the epoch, writes all write buffers as one frame, and
//! syncs as the policy says. A worker never waits for it.
//!
//! When the disk is full or refuses to write, the frame is kept and tried again every second; the
//! log is in trouble meanwhile. After a failed sync it is unknown what is on disk, and asking again
//! proves nothing: the file is given up, and only a roll to a new one, with a snapshot behind it,
//! ends the trouble.
//!
//! This file has the thread and its rounds; `frames` writes and syncs, `segments` begins and ends
//! files.

mod frames;
mod segments;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sync::atomic::Ordering;
use sync::thread::{Builder, JoinHandle};

use crate::blocks::{Blocks, End};
use crate::clock::monotonic;
use crate::disk::{Disk, DiskFile};
use crate::frame::Secret;
use crate::log::{Log, Policy, Request, Service, Woken};

/// How long records gather before they are written, unless they are many.
const GATHER: Duration = Duration::from_millis(10);
/// How long written records may wait for their sync under `everysec`.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How long to wait before trying a failed write again.
const RETRY: Duration = Duration::from_secs(1);

/// Where a journal is written.
#[derive(Clone, Debug)]
pub struct Place {
    /// The files.
    pub disk: Arc<dyn Disk>,
    /// Names the dataset.
    pub id: [u8; 16],
    /// The number of the next segment.
    pub segment: u64,
    /// The number of the next frame; those before it are durable.
    pub frame: u64,
    /// Bytes of a segment.
    pub segment_size: u64,
    /// The random seed that the secrets of files are made of.
    pub seed: u64,
}

/// The running flusher. Dropping it writes and syncs what is left and ends it.
#[derive(Debug)]
pub struct Flusher {
    pub(crate) log: Arc<Log>,
    /// `None` where others make its rounds.
    pub(crate) thread: Option<JoinHandle<()>>,
}

impl Flusher {
    /// Starts the thread. It writes nothing before [`Log::roll`] has begun a segment.
    /// `on_durable` is called after an epoch has become durable, or trouble has begun or ended.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(
        log: &Arc<Log>,
        place: Place,
        on_durable: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let writer = Writer::new(log, place, on_durable);
        let service = Service::begin(log);
        let thread = Builder::new().name("journal".to_owned()).spawn(move || {
            let _service = service;
            writer.run();
        })?;
        Ok(Flusher { log: Arc::clone(log), thread: Some(thread) })
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.log.wakeup.lock().served = false;
        self.log.wake.notify_one();
        self.log.last_round();
        if let Some(thread) = self.thread.take() {
            // A panic in it has been reported by the panic hook; there is nothing left to do.
            let _ = thread.join();
        }
    }
}

/// The segment being written.
struct Open {
    file: Arc<dyn DiskFile>,
    number: u64,
    secret: Secret,
    /// Bytes that surely have room.
    reserved: u64,
    /// Where the next frame goes.
    end: End,
    /// Up to where the system has been told to forget it.
    forgotten: u64,
}

pub(crate) struct Writer {
    log: Arc<Log>,
    place: Place,
    open: Option<Open>,
    /// The records of the epoch being written, a write buffer each.
    taken: Vec<Vec<u8>>,
    /// Buffers to put in the place of taken ones.
    spare: Vec<Vec<u8>>,
    /// What is on its way to the file.
    blocks: Blocks,
    /// The epoch in `taken`, which could not be written yet, and when it was tried.
    stuck: Option<(u64, Instant)>,
    /// The last epoch written.
    written: u64,
    /// The last frame known to be durable.
    synced_frame: u64,
    /// Since when something written waits for its sync.
    unsynced_since: Option<Instant>,
    /// There was no room for the first segment yet.
    unbegun: bool,
    /// A sync failed: nothing more is written to this segment.
    given_up: bool,
    /// The segment is a fresh one after that, of no worth before its snapshot is current.
    healing: bool,
    on_durable: Box<dyn Fn() + Send>,
}

impl Writer {
    pub(crate) fn new(
        log: &Arc<Log>,
        place: Place,
        on_durable: impl Fn() + Send + 'static,
    ) -> Self {
        let synced_frame = place.frame.saturating_sub(1);
        log.figures.durable_frame.store(synced_frame, Ordering::Relaxed);
        Writer {
            log: Arc::clone(log),
            place,
            open: None,
            taken: Vec::new(),
            spare: Vec::new(),
            blocks: Blocks::default(),
            stuck: None,
            written: 0,
            synced_frame,
            unsynced_since: None,
            unbegun: false,
            given_up: false,
            healing: false,
            on_durable: Box::new(on_durable),
        }
    }

    fn run(mut self) {
        loop {
            let woken = self.wait();
            if !self.round(woken) {
                return;
            }
        }
    }

    /// What is done between two waits. `false` after the last time.
    pub(crate) fn round(&mut self, woken: Woken) -> bool {
        self.flush();
        for request in woken.requests {
            self.answer(request);
        }
        if woken.stop && self.open.is_some() {
            let _ = self.close().inspect_err(|error| {
                tracing::error!(%error, "the journal could not be closed in good order");
            });
        }
        !woken.stop
    }

    /// Sleeps until there is something to do.
    fn wait(&mut self) -> Woken {
        let log = Arc::clone(&self.log);
        let mut wakeup = log.wakeup.lock();
        while !wakeup.has_work && wakeup.requests.is_empty() && wakeup.served {
            let limit = match (self.stuck, self.unsynced_since, log.policy()) {
                // Only a request to the flusher can help.
                _ if self.given_up => Duration::MAX,
                (Some((_, tried)), ..) => RETRY.saturating_sub(monotonic() - tried),
                (None, Some(since), Policy::EverySecond) => {
                    SYNC_EVERY.saturating_sub(monotonic() - since)
                }
                _ => Duration::MAX,
            };
            if limit.is_zero() {
                break;
            }
            if limit == Duration::MAX {
                log.wake.wait(&mut wakeup);
            } else if log.wake.wait_for(&mut wakeup, limit).timed_out() {
                break;
            }
        }
        // Others may have more to say in a moment; one frame then holds all of it.
        if wakeup.has_work && !wakeup.urgent && wakeup.requests.is_empty() && wakeup.served {
            let until = Instant::now() + GATHER;
            while !wakeup.urgent && wakeup.requests.is_empty() && wakeup.served {
                if log.wake.wait_until(&mut wakeup, until).timed_out() {
                    break;
                }
            }
        }
        wakeup.take()
    }

    fn answer(&mut self, request: Request) {
        let (result, done) = match request {
            Request::Begin { done } => (self.begin(), done),
            // The caller makes a snapshot or a copy, which may free more than this takes.
            Request::Roll { afresh, done } => (self.roll(afresh, 0), done),
            Request::Sync { done } => (self.sync_all(), done),
            Request::SyncSegment { done } => (self.sync_segment(), done),
            Request::Healed { done } => (self.heal(), done),
            Request::Close { done } => (self.close(), done),
            Request::CloseSegment { done } => (self.close_segment(), done),
            Request::DropSegments { first, done } => (self.drop_segments(first), done),
        };
        // The thread that asked may have gone; that is no concern of the journal's.
        let _ = done.send(result);
    }
}
