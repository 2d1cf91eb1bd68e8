//! The log in memory: threads append records to their write buffers, and the flusher writes them to
//! disk, one group commit per epoch.
//!
//! ```text
//!   worker 0 ─► write buffer 0 ─┐
//!   worker 1 ─► write buffer 1 ─┼─ flusher: epoch E closes, all become one frame and one sync
//!   cron     ─► write buffer 2 ─┘
//! ```
//!
//! A thread appends while it holds the lock of the shards it changed, and learns the epoch its
//! records joined. The flusher first raises the epoch, then takes the old epoch's part of every
//! write buffer under its lock: a thread that loaded the old number under that lock has appended
//! before it was taken, and what is appended meanwhile lies in the other part. So a frame holds
//! exactly the records of its epoch; epochs of one shard's records never fall; and a prefix of
//! frames is a state that the dataset really had.
//!
//! Nothing here waits for the disk, except [`Log::wait_for_room`], which holds back a thread whose
//! write buffer the disk cannot keep up with.

use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::Duration;

use sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use sync::mpsc::{SyncSender, sync_channel};
use sync::{Condvar, Mutex};

use crate::durable::DurableEpoch;

use crate::stepped::Stepped;

/// When what was written is made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Policy {
    /// Before it is acknowledged.
    Always = 0,
    /// Once a second.
    EverySecond = 1,
    /// When the system does it by itself.
    Never = 2,
}

/// A write buffer that is longer than this holds its thread back.
const BUFFER_LIMIT: usize = 64 << 20;
/// A write buffer that is longer than this does not wait for company. Shorter ones would stay in
/// nearer caches, but a write past the system's memory costs the same whether it is short or long.
const BUFFER_FULL: usize = 512 << 10;

/// One thread's part of the records that wait for the flusher.
#[derive(Debug, Default)]
pub struct WriteBuffer {
    /// By the lowest bit of the epoch: one part is being taken while the other fills.
    pub(crate) records: Mutex<[Vec<u8>; 2]>,
    /// Its length, for a look without the lock.
    len: AtomicU64,
}

impl WriteBuffer {
    /// Whether its thread is held back.
    fn is_full(&self) -> bool {
        self.len.load(Ordering::Relaxed) > BUFFER_LIMIT as u64
    }
}

/// Which part of a write buffer belongs to an epoch.
#[inline]
pub(crate) fn part_of(epoch: u64) -> usize {
    usize::from(epoch & 1 == 1)
}

/// What a thread asks of the flusher, beside flushing.
#[derive(Debug)]
pub(crate) enum Request {
    /// Begin the first segment, now or when there is room; tells its number, or 0.
    Begin { done: SyncSender<std::io::Result<u64>> },
    /// Begin a new segment; tells its number. What was appended before stands in older ones.
    Roll { afresh: bool, done: SyncSender<std::io::Result<u64>> },
    /// Make everything appended so far durable.
    Sync { done: SyncSender<std::io::Result<u64>> },
    /// The same, as far as it stands in the segment begun last.
    SyncSegment { done: SyncSender<std::io::Result<u64>> },
    /// A snapshot has made good what could not be made durable.
    Healed { done: SyncSender<std::io::Result<u64>> },
    /// End the segment in good order and stop writing.
    Close { done: SyncSender<std::io::Result<u64>> },
    /// The same, as far as it stands in the segment begun last.
    CloseSegment { done: SyncSender<std::io::Result<u64>> },
    /// Stop writing and remove the segments from this one on.
    DropSegments { first: u64, done: SyncSender<std::io::Result<u64>> },
}

#[derive(Debug, Default)]
pub(crate) struct Wakeup {
    /// There is something to flush.
    pub has_work: bool,
    /// Do not wait for company.
    pub urgent: bool,
    /// What was asked.
    pub requests: Vec<Request>,
    /// There is a flusher, and it has not been told to end. Otherwise requests are refused: there
    /// is no thread to answer them.
    pub served: bool,
}

impl Wakeup {
    /// What it was rung for; it is still then.
    pub fn take(&mut self) -> Woken {
        (self.has_work, self.urgent) = (false, false);
        Woken { requests: std::mem::take(&mut self.requests), stop: !self.served }
    }
}

/// What woke the flusher.
pub(crate) struct Woken {
    pub requests: Vec<Request>,
    pub stop: bool,
}

/// Figures for INFO.
#[derive(Debug, Default)]
pub struct Figures {
    /// Bytes written since the last snapshot.
    pub size: AtomicU64,
    /// Bytes of values that records since the last snapshot tell without holding them: replay makes
    /// these values anew.
    pub implied: AtomicU64,
    /// Frames written.
    pub frames: AtomicU64,
    /// Syncs done.
    pub syncs: AtomicU64,
    /// Microseconds the last sync took.
    pub last_sync_micros: AtomicU64,
    /// Microseconds the longest sync took.
    pub longest_sync_micros: AtomicU64,
    /// Microseconds of the longest write since this number was last taken.
    pub slowest_write_micros: AtomicU64,
    /// Microseconds of the longest sync since this number was last taken.
    pub slowest_sync_micros: AtomicU64,
    /// A sync is going on.
    pub syncing: AtomicBool,
    /// The segment being written; 0 while there is none.
    pub segment: AtomicU64,
    /// The last frame known to be durable.
    pub durable_frame: AtomicU64,
    /// Writes that failed.
    pub failures: AtomicU64,
}

impl Figures {
    /// How much has to be read or made anew to replay what was written since the last snapshot.
    #[must_use]
    pub fn replay_cost(&self) -> u64 {
        self.size.load(Ordering::Relaxed).saturating_add(self.implied.load(Ordering::Relaxed))
    }

    /// What a snapshot that begins now takes the place of, once it is there.
    #[must_use]
    pub fn so_far(&self) -> [u64; 2] {
        [self.size.load(Ordering::Relaxed), self.implied.load(Ordering::Relaxed)]
    }

    /// It is there.
    pub fn forget(&self, [size, implied]: [u64; 2]) {
        self.size.fetch_sub(size, Ordering::Relaxed);
        self.implied.fetch_sub(implied, Ordering::Relaxed);
    }
}

/// What is wrong with the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What the system says.
    pub text: String,
    /// What was written may be lost although it was reported written: only a snapshot into new
    /// files makes the dataset durable again.
    pub unsynced: bool,
}

/// The log of one dataset.
#[derive(Debug)]
pub struct Log {
    pub(crate) epoch: AtomicU64,
    pub(crate) durable: DurableEpoch,
    policy: AtomicU8,
    pub(crate) write_buffers: Mutex<Vec<Arc<WriteBuffer>>>,
    pub(crate) wakeup: Mutex<Wakeup>,
    pub(crate) wake: Condvar,
    pub(crate) room: Condvar,
    /// Write buffers that are full.
    full: AtomicU64,
    /// A flusher without a thread.
    pub(crate) stepped: Mutex<Option<Arc<Stepped>>>,
    room_lock: Mutex<()>,
    trouble: Mutex<Option<Trouble>>,
    troubled: AtomicBool,
    /// Whole segments find no room.
    short: AtomicBool,
    /// Bytes that a snapshot takes, as far as is known.
    snapshot_room: AtomicU64,
    /// Figures for INFO.
    pub figures: Figures,
}

impl Log {
    /// A log that is not written to disk yet.
    #[must_use]
    pub fn new(policy: Policy) -> Arc<Self> {
        Arc::new(Log {
            epoch: AtomicU64::new(1),
            durable: DurableEpoch::default(),
            policy: AtomicU8::new(policy as u8),
            write_buffers: Mutex::default(),
            wakeup: Mutex::default(),
            wake: Condvar::new(),
            room: Condvar::new(),
            full: AtomicU64::new(0),
            stepped: Mutex::default(),
            room_lock: Mutex::default(),
            trouble: Mutex::default(),
            troubled: AtomicBool::new(false),
            short: AtomicBool::new(false),
            snapshot_room: AtomicU64::new(0),
            figures: Figures::default(),
        })
    }

    /// A write buffer for one more thread.
    #[must_use]
    pub fn open_write_buffer(&self) -> Arc<WriteBuffer> {
        let write_buffer = Arc::new(WriteBuffer::default());
        self.write_buffers.lock().push(Arc::clone(&write_buffer));
        write_buffer
    }

    /// Appends records to a write buffer, all of them to the same epoch, which is returned. Called
    /// while the shards they are about are locked.
    #[inline]
    pub fn append(&self, write_buffer: &WriteBuffer, records: &[u8]) -> u64 {
        self.append_with(write_buffer, records, |_| ())
    }

    /// As [`append`](Self::append); `ahead` sees the room where the next records will stand. So
    /// much else passes through the processor's cache until then that it has to be fetched anew,
    /// and a thread that asks for it now does not wait for it then.
    #[inline]
    pub fn append_with(
        &self,
        write_buffer: &WriteBuffer,
        records: &[u8],
        ahead: impl FnOnce(&[MaybeUninit<u8>]),
    ) -> u64 {
        self.join(write_buffer, |waiting| {
            waiting.extend_from_slice(records);
            ahead(waiting.spare_capacity_mut());
        })
    }

    /// As [`append`](Self::append), of very many: they are taken as they lie there, if they can be.
    /// None are left.
    pub fn append_all(&self, write_buffer: &WriteBuffer, records: &mut Vec<u8>) -> u64 {
        self.join(write_buffer, |waiting| match waiting.is_empty() {
            true => std::mem::swap(waiting, records),
            false => waiting.append(records),
        })
    }

    /// Adds to what waits in a write buffer; the epoch that it joins.
    #[inline]
    fn join(&self, write_buffer: &WriteBuffer, add: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let mut parts = write_buffer.records.lock();
        let epoch = self.epoch.load(Ordering::Acquire);
        let waiting = &mut parts[part_of(epoch)];
        let before = waiting.len();
        add(waiting);
        let after = waiting.len();
        self.lengthen(write_buffer, (after - before) as u64);
        drop(parts);
        if before == 0 || (before < BUFFER_FULL && after >= BUFFER_FULL) {
            self.wake_flusher(after >= BUFFER_FULL);
        }
        epoch
    }

    /// So many bytes more, or by wrapping less, are in a write buffer, whose lock is held.
    #[inline]
    pub(crate) fn lengthen(&self, write_buffer: &WriteBuffer, more: u64) {
        let before = write_buffer.len.load(Ordering::Relaxed);
        let was_full = before > BUFFER_LIMIT as u64;
        write_buffer.len.store(before.wrapping_add(more), Ordering::Relaxed);
        match (was_full, write_buffer.is_full()) {
            (false, true) => _ = self.full.fetch_add(1, Ordering::Relaxed),
            (true, false) => _ = self.full.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
    }

    #[cold]
    fn wake_flusher(&self, urgent: bool) {
        // Under `always` the thread asks for the flush itself, at the end of its batch.
        if self.policy() == Policy::Always && !urgent {
            return;
        }
        let mut wakeup = self.wakeup.lock();
        wakeup.has_work = true;
        wakeup.urgent |= urgent;
        self.wake.notify_one();
    }

    /// Asks for what was appended to be written now. Under [`Policy::Always`] a thread calls it at
    /// the end of each batch.
    pub fn flush_soon(&self) {
        let mut wakeup = self.wakeup.lock();
        wakeup.has_work = true;
        wakeup.urgent = true;
        self.wake.notify_one();
    }

    /// Waits while the disk cannot keep up with this write buffer. Called without any lock.
    pub fn wait_for_room(&self, write_buffer: &WriteBuffer) {
        while write_buffer.is_full() && !self.is_troubled() {
            self.flush_soon();
            if !self.wakeup.lock().served {
                // No thread will ever take it.
                return;
            }
            let mut guard = self.room_lock.lock();
            self.room.wait_for(&mut guard, Duration::from_millis(10));
        }
    }

    /// Whether the disk cannot keep up with some write buffer: its thread waits before its next
    /// request, unless the disk is in trouble.
    #[inline]
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.full.load(Ordering::Relaxed) > 0 && !self.is_troubled()
    }

    /// When what was written is made durable.
    #[inline]
    #[must_use]
    pub fn policy(&self) -> Policy {
        match self.policy.load(Ordering::Relaxed) {
            0 => Policy::Always,
            1 => Policy::EverySecond,
            _ => Policy::Never,
        }
    }

    /// Changes it.
    pub fn set_policy(&self, policy: Policy) {
        self.policy.store(policy as u8, Ordering::Relaxed);
        self.flush_soon();
    }

    /// All records of this epoch and of those before it are durable.
    #[inline]
    #[must_use]
    pub fn durable(&self) -> u64 {
        self.durable.get()
    }

    /// The epoch that records appended now join.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Bytes that wait to be written.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.write_buffers
            .lock()
            .iter()
            .map(|write_buffer| write_buffer.len.load(Ordering::Relaxed))
            .sum()
    }

    /// Whether the disk is in trouble: writes must be refused.
    #[inline]
    #[must_use]
    pub fn is_troubled(&self) -> bool {
        self.troubled.load(Ordering::Relaxed)
    }

    /// What the trouble is.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble.lock().clone()
    }

    pub(crate) fn set_trouble(&self, trouble: Option<Trouble>) {
        let mut told = self.trouble.lock();
        self.troubled.store(trouble.is_some(), Ordering::Relaxed);
        *told = trouble;
    }

    /// Whether the disk has so little room that segments are reserved in small parts. A snapshot
    /// that makes older ones needless may end that.
    #[must_use]
    pub fn is_short_of_room(&self) -> bool {
        self.short.load(Ordering::Relaxed)
    }

    /// Says so, or that there may be enough again.
    pub fn set_short_of_room(&self, short: bool) {
        self.short.store(short, Ordering::Relaxed);
    }

    /// Says how much room the next snapshot may need: while there is little, the journal leaves
    /// that free.
    pub fn leave_for_snapshot(&self, bytes: u64) {
        self.snapshot_room.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn snapshot_room(&self) -> u64 {
        self.snapshot_room.load(Ordering::Relaxed)
    }

    pub(crate) fn make_room(&self) {
        self.room.notify_all();
    }

    fn ask(
        &self,
        request: impl FnOnce(SyncSender<std::io::Result<u64>>) -> Request,
    ) -> std::io::Result<u64> {
        let (done, answer) = sync_channel(1);
        {
            let mut wakeup = self.wakeup.lock();
            if !wakeup.served {
                return Err(closed());
            }
            wakeup.requests.push(request(done));
            self.wake.notify_one();
        }
        self.flush_round()?;
        answer.recv().unwrap_or_else(|_| Err(closed()))
    }

    /// Begins the first segment behind what was read, and tells its number. If the disk is too full
    /// even for that, there is trouble until there is room, and the number is `None`: what is
    /// appended meanwhile waits for it. Waits for the disk.
    ///
    /// # Errors
    /// The disk refuses for another reason.
    pub fn begin(&self) -> std::io::Result<Option<u64>> {
        self.ask(|done| Request::Begin { done }).map(|number| (number > 0).then_some(number))
    }

    /// Begins a new segment and tells its number: what was appended before this call stands in
    /// older ones. `afresh` says that a snapshot follows, which alone makes the segment count if
    /// it does not go on where the one before it ended: because nothing was kept since, or because
    /// that could not be made durable and is given up. Waits for the disk.
    ///
    /// # Errors
    /// The disk refuses; or the last sync failed, and this is not `afresh`.
    pub fn roll(&self, afresh: bool) -> std::io::Result<u64> {
        self.ask(|done| Request::Roll { afresh, done })
    }

    /// Makes everything appended so far durable. Waits for the disk.
    ///
    /// # Errors
    /// The disk refuses; or it has failed to, and no snapshot has made that good yet.
    pub fn sync(&self) -> std::io::Result<()> {
        self.ask(|done| Request::Sync { done }).map(drop)
    }

    /// Makes durable what stands in the segment begun last: for a caller that has stored all that
    /// came before elsewhere, and will say so. Waits for the disk.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn sync_segment(&self) -> std::io::Result<()> {
        self.ask(|done| Request::SyncSegment { done }).map(drop)
    }

    /// A snapshot that begins with the last segment is current: trouble is over, and what waited
    /// for it is durable. Waits for the disk.
    ///
    /// # Errors
    /// The disk refuses again.
    pub fn healed(&self) -> std::io::Result<()> {
        self.ask(|done| Request::Healed { done }).map(drop)
    }

    /// Writes everything, ends the segment in good order and stops writing; tells its number.
    /// [`Log::roll`] begins anew.
    ///
    /// # Errors
    /// The disk refuses; or it has failed to sync, and no snapshot has made that good yet: then the
    /// segments so far do not follow each other.
    pub fn close(&self) -> std::io::Result<u64> {
        self.ask(|done| Request::Close { done })
    }

    /// As [`Log::close`], of the segment begun last: for a caller that has stored all that came
    /// before elsewhere, and will say so.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn close_segment(&self) -> std::io::Result<u64> {
        self.ask(|done| Request::CloseSegment { done })
    }

    /// Stops writing and removes the segments from `first` on, which were begun for a state that
    /// never became current. The next one has that number again: a manifest may name all segments
    /// from an older one on, and they must have no gap.
    ///
    /// # Errors
    /// The disk refuses; the last ones may be gone.
    pub fn drop_segments(&self, first: u64) -> std::io::Result<()> {
        self.ask(|done| Request::DropSegments { first, done }).map(drop)
    }
}

/// There is no flusher any more, or none yet.
fn closed() -> std::io::Error {
    std::io::Error::other("the journal is closed")
}

/// As long as this lives, requests are taken. When it goes, also because the flusher panics, those
/// without an answer are refused.
#[derive(Debug)]
pub(crate) struct Service(Arc<Log>);

impl Service {
    pub fn begin(log: &Arc<Log>) -> Self {
        log.wakeup.lock().served = true;
        Service(Arc::clone(log))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let mut wakeup = self.0.wakeup.lock();
        wakeup.served = false;
        // Threads that wait for an answer learn that there will be none.
        let unanswered = std::mem::take(&mut wakeup.requests);
        drop(wakeup);
        drop(unanswered);
    }
}

#[cfg(test)]
mod tests {
    use testkit::folder::Folder;

    use super::*;
    use crate::disk::Directory;
    use crate::flusher::{Flusher, Place};

    /// A flusher that writes to this directory.
    fn flusher(log: &Arc<Log>, path: &std::path::Path, segment: u64) -> Flusher {
        let disk = Arc::new(Directory::open(path).unwrap());
        let (id, segment_size) = ([7; 16], 1 << 16);
        let place = Place { disk, id, segment, frame: 1, segment_size, seed: 5 };
        Flusher::start(log, place, || ()).unwrap()
    }

    #[test]
    fn no_thread_waits_for_a_flusher_that_has_ended() {
        let folder = Folder::missing("ended");
        let path = folder.path();
        let log = Log::new(Policy::EverySecond);
        let write_buffer = log.open_write_buffer();
        assert!(log.sync().is_err(), "there is none yet");
        for segment in [1, 2] {
            let running = flusher(&log, path, segment);
            log.roll(true).unwrap();
            log.append(&write_buffer, b"record");
            log.sync().unwrap();
            drop(running);
            assert_eq!(log.sync().unwrap_err().to_string(), "the journal is closed");
            assert!(log.roll(true).is_err() && log.close().is_err());
        }
        log.append(&write_buffer, &vec![0; BUFFER_LIMIT + 1]);
        log.wait_for_room(&write_buffer);
        assert!(log.holds_back());
        // What takes it lets its thread go on.
        let running = flusher(&log, path, 3);
        log.roll(true).unwrap();
        log.sync().unwrap();
        assert!(!log.holds_back());
        drop(running);
    }
}
