//! The log in memory: where threads leave what they did, until the flusher takes it to disk.
//!
//! ```text
//!   worker 0 ─► lane 0 ─┐
//!   worker 1 ─► lane 1 ─┼─ flusher: epoch E closes, all lanes become one frame and one sync
//!   keeper   ─► lane 2 ─┘
//! ```
//!
//! A thread appends while it holds the lock of the shards it changed, and learns the epoch its
//! records joined. The flusher first raises the epoch, then takes the old epoch's part of every
//! lane under the lane's lock: whoever loaded the old number under that lock has appended before it
//! was taken, and what is appended meanwhile lies in the other part. So a frame holds exactly the
//! records of its epoch; epochs of one shard's records never fall; and a prefix of frames is a
//! state that the dataset really had.
//!
//! Nothing here waits for the disk, except [`Log::wait_for_room`], which holds back a thread whose
//! lane the disk cannot keep up with.

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

/// A lane that is longer than this holds its thread back.
const LANE_LIMIT: usize = 64 << 20;
/// A lane that is longer than this does not wait for company. Shorter ones would stay in nearer
/// caches, but a write past the system's memory costs the same whether it is short or long.
const LANE_FULL: usize = 512 << 10;

/// One thread's part of the records that wait for the flusher.
#[derive(Debug, Default)]
pub struct Lane {
    /// By the lowest bit of the epoch: one part is being taken while the other fills.
    pub(crate) records: Mutex<[Vec<u8>; 2]>,
    /// Its length, for a look without the lock.
    pub(crate) len: AtomicU64,
}

/// Which part of a lane belongs to an epoch.
#[inline]
pub(crate) fn part_of(epoch: u64) -> usize {
    usize::from(epoch & 1 == 1)
}

/// What somebody asks of the flusher, beside flushing.
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
}

#[derive(Debug, Default)]
pub(crate) struct Bell {
    /// There is something to flush.
    pub rung: bool,
    /// Do not wait for company.
    pub urgent: bool,
    /// What was asked.
    pub requests: Vec<Request>,
    /// There is a flusher, and it has not been told to end. Whoever asks otherwise is refused:
    /// nobody would answer.
    pub served: bool,
}

impl Bell {
    /// What it was rung for; it is still then.
    pub fn take(&mut self) -> Woken {
        (self.rung, self.urgent) = (false, false);
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
    /// Bytes of values that records since the last snapshot tell without holding them: whoever
    /// replays them makes these values anew.
    pub implied: AtomicU64,
    /// Frames written.
    pub frames: AtomicU64,
    /// Syncs done.
    pub syncs: AtomicU64,
    /// Microseconds the last sync took.
    pub last_sync_micros: AtomicU64,
    /// Microseconds the longest sync took.
    pub longest_sync_micros: AtomicU64,
    /// Microseconds of the longest write since somebody last took this number.
    pub slowest_write_micros: AtomicU64,
    /// Microseconds of the longest sync since somebody last took this number.
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
    pub(crate) lanes: Mutex<Vec<Arc<Lane>>>,
    pub(crate) bell: Mutex<Bell>,
    pub(crate) ring: Condvar,
    pub(crate) room: Condvar,
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
    /// A log that nobody writes to disk yet.
    #[must_use]
    pub fn new(policy: Policy) -> Arc<Self> {
        Arc::new(Log {
            epoch: AtomicU64::new(1),
            durable: DurableEpoch::default(),
            policy: AtomicU8::new(policy as u8),
            lanes: Mutex::default(),
            bell: Mutex::default(),
            ring: Condvar::new(),
            room: Condvar::new(),
            stepped: Mutex::default(),
            room_lock: Mutex::default(),
            trouble: Mutex::default(),
            troubled: AtomicBool::new(false),
            short: AtomicBool::new(false),
            snapshot_room: AtomicU64::new(0),
            figures: Figures::default(),
        })
    }

    /// A lane for one more thread.
    #[must_use]
    pub fn open_lane(&self) -> Arc<Lane> {
        let lane = Arc::new(Lane::default());
        self.lanes.lock().push(Arc::clone(&lane));
        lane
    }

    /// Appends records to a lane, all of them to the same epoch, which is returned. Called while
    /// the shards they are about are locked.
    #[inline]
    pub fn append(&self, lane: &Lane, records: &[u8]) -> u64 {
        self.append_with(lane, records, |_| ())
    }

    /// As [`append`](Self::append); `ahead` sees the room where the next records will stand. So
    /// much else passes through the processor's cache until then that it has to be fetched anew,
    /// and who asks for it now does not wait for it then.
    #[inline]
    pub fn append_with(
        &self,
        lane: &Lane,
        records: &[u8],
        ahead: impl FnOnce(&[MaybeUninit<u8>]),
    ) -> u64 {
        self.join(lane, |waiting| {
            waiting.extend_from_slice(records);
            ahead(waiting.spare_capacity_mut());
        })
    }

    /// As [`append`](Self::append), of very many: they are taken as they lie there, if they can be.
    /// None are left.
    pub fn append_all(&self, lane: &Lane, records: &mut Vec<u8>) -> u64 {
        self.join(lane, |waiting| match waiting.is_empty() {
            true => std::mem::swap(waiting, records),
            false => waiting.append(records),
        })
    }

    /// Adds to what waits in a lane; the epoch that it joins.
    #[inline]
    fn join(&self, lane: &Lane, add: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let mut parts = lane.records.lock();
        let epoch = self.epoch.load(Ordering::Acquire);
        let waiting = &mut parts[part_of(epoch)];
        let before = waiting.len();
        add(waiting);
        let after = waiting.len();
        // Written under the lock only.
        let len = lane.len.load(Ordering::Relaxed) + (after - before) as u64;
        lane.len.store(len, Ordering::Relaxed);
        drop(parts);
        if before == 0 || (before < LANE_FULL && after >= LANE_FULL) {
            self.knock(after >= LANE_FULL);
        }
        epoch
    }

    #[cold]
    fn knock(&self, urgent: bool) {
        // Under `always` the thread asks for the flush itself, at the end of its batch.
        if self.policy() == Policy::Always && !urgent {
            return;
        }
        let mut bell = self.bell.lock();
        bell.rung = true;
        bell.urgent |= urgent;
        self.ring.notify_one();
    }

    /// Asks for what was appended to be written now. Under [`Policy::Always`] a thread calls it at
    /// the end of each batch.
    pub fn flush_soon(&self) {
        let mut bell = self.bell.lock();
        bell.rung = true;
        bell.urgent = true;
        self.ring.notify_one();
    }

    /// Waits while the disk cannot keep up with this lane. Called without any lock.
    pub fn wait_for_room(&self, lane: &Lane) {
        while lane.len.load(Ordering::Relaxed) > LANE_LIMIT as u64 && !self.is_troubled() {
            self.flush_soon();
            if !self.bell.lock().served {
                // Nobody will ever take it.
                return;
            }
            let mut guard = self.room_lock.lock();
            self.room.wait_for(&mut guard, Duration::from_millis(10));
        }
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
        self.lanes.lock().iter().map(|lane| lane.len.load(Ordering::Relaxed)).sum()
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
        self.troubled.store(trouble.is_some(), Ordering::Relaxed);
        *self.trouble.lock() = trouble;
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
            let mut bell = self.bell.lock();
            if !bell.served {
                return Err(closed());
            }
            bell.requests.push(request(done));
            self.ring.notify_one();
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

    /// Makes durable what stands in the segment begun last: for who has put all that came before
    /// elsewhere, and will say so. Waits for the disk.
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

    /// As [`Log::close`], of the segment begun last: for who has put all that came before
    /// elsewhere, and will say so.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn close_segment(&self) -> std::io::Result<u64> {
        self.ask(|done| Request::CloseSegment { done })
    }
}

/// There is no flusher any more, or none yet.
fn closed() -> std::io::Error {
    std::io::Error::other("the journal is closed")
}

/// As long as this lives, requests are taken. When it goes, also because the flusher panics, those
/// that nobody has answered are refused.
#[derive(Debug)]
pub(crate) struct Service(Arc<Log>);

impl Service {
    pub fn begin(log: &Arc<Log>) -> Self {
        log.bell.lock().served = true;
        Service(Arc::clone(log))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let mut bell = self.0.bell.lock();
        bell.served = false;
        // Who waits for an answer learns that there will be none.
        let unanswered = std::mem::take(&mut bell.requests);
        drop(bell);
        drop(unanswered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Directory;
    use crate::flusher::{Flusher, Place};

    /// A flusher that writes to this directory.
    fn flusher(log: &Arc<Log>, path: &std::path::Path, segment: u64) -> Flusher {
        let disk = Arc::new(Directory::open(path).unwrap());
        let (id, segment_size) = ([7; 16], 1 << 16);
        let place = Place { disk, id, segment, frame: 1, segment_size, chance: 5 };
        Flusher::start(log, place, || ()).unwrap()
    }

    #[test]
    fn nobody_waits_for_a_flusher_that_has_ended() {
        let path = std::env::temp_dir().join(format!("kvist-ended-{}", std::process::id()));
        let log = Log::new(Policy::EverySecond);
        let lane = log.open_lane();
        assert!(log.sync().is_err(), "there is none yet");
        for segment in [1, 2] {
            let running = flusher(&log, &path, segment);
            log.roll(true).unwrap();
            log.append(&lane, b"record");
            log.sync().unwrap();
            drop(running);
            assert_eq!(log.sync().unwrap_err().to_string(), "the journal is closed");
            assert!(log.roll(true).is_err() && log.close().is_err());
        }
        log.append(&lane, &vec![0; LANE_LIMIT + 1]);
        log.wait_for_room(&lane);
        std::fs::remove_dir_all(path).unwrap();
    }
}
