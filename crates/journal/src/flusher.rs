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

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sync::atomic::Ordering;
use sync::thread::{Builder, JoinHandle};

use crate::blocks::{Blocks, End};
use crate::clock::{monotonic, wall_clock};
use crate::disk::{BLOCK, Disk, DiskFile};
use crate::frame::{self, Secret};
use crate::log::{Log, Policy, Request, Service, Trouble, Woken, part_of};
use crate::room::{self, Need};
use crate::segment::{self, Made};

/// How long records gather before they are written, unless they are many.
const GATHER: Duration = Duration::from_millis(10);
/// How long written records may wait for their sync under `everysec`.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How long to wait before trying a failed write again.
const RETRY: Duration = Duration::from_secs(1);
/// How much is written before the system is told to forget it.
const FORGET: u64 = 8 << 20;
/// Frames are filled up with these.
const PAD: [u8; frame::ALIGN as usize] = [0; frame::ALIGN as usize];
/// Why a segment cannot be ended or gone on with.
const GIVEN_UP: &str = "the last sync of the journal failed";
/// A write buffer larger than this is not kept for reuse.
const KEPT: usize = 4 << 20;

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

    /// Writes what there is, and syncs what is due.
    fn flush(&mut self) {
        if self.given_up {
            return;
        }
        if let Some((epoch, _)) = self.stuck
            && !self.write(epoch)
        {
            return;
        }
        let epoch = self.log.epoch.fetch_add(1, Ordering::AcqRel);
        self.take_write_buffers(epoch);
        if !self.write(epoch) {
            return;
        }
        let due = match self.log.policy() {
            Policy::Always => self.unsynced_since.is_some(),
            Policy::EverySecond => {
                self.unsynced_since.is_some_and(|since| monotonic() - since >= SYNC_EVERY)
            }
            Policy::Never => false,
        };
        if due {
            let _ = self.sync();
        } else if self.unsynced_since.is_none() {
            self.tell_durable();
        }
    }

    /// Takes the records of an epoch, and forgets write buffers whose thread has gone.
    fn take_write_buffers(&mut self, epoch: u64) {
        let mut write_buffers = self.log.write_buffers.lock();
        write_buffers.retain(|write_buffer| {
            let mut parts = write_buffer.records.lock();
            if parts.iter().all(Vec::is_empty) {
                return Arc::strong_count(write_buffer) > 1;
            }
            let records = &mut parts[part_of(epoch)];
            if !records.is_empty() {
                let fresh = self.spare.pop().unwrap_or_default();
                let taken = std::mem::replace(records, fresh);
                self.log.lengthen(write_buffer, 0_u64.wrapping_sub(taken.len() as u64));
                self.taken.push(taken);
            }
            true
        });
        drop(write_buffers);
        self.log.make_room();
    }

    /// Writes the taken records as the frame of `epoch`. `false` if the disk refuses.
    fn write(&mut self, epoch: u64) -> bool {
        match self.try_write() {
            Ok(()) => {
                self.written = epoch;
                if self.stuck.take().is_some() {
                    // A failed sync is not made good by that.
                    if !self.healing {
                        self.log.set_trouble(None);
                    }
                    tracing::warn!("the journal can be written again");
                    (self.on_durable)();
                }
                true
            }
            Err(error) => {
                self.refuse(epoch, &error);
                false
            }
        }
    }

    /// What could not be written is tried again; writes are refused until then.
    fn refuse(&mut self, epoch: u64, error: &io::Error) {
        self.log.figures.failures.fetch_add(1, Ordering::Relaxed);
        if room::is_full(error) {
            self.log.set_short_of_room(true);
        }
        let first = self.stuck.replace((epoch, monotonic())).is_none();
        let unsynced = self.given_up || self.healing;
        self.log.set_trouble(Some(Trouble { text: error.to_string(), unsynced }));
        // Told when it is so: what reads the line and then writes is refused.
        if first {
            tracing::error!(%error, "writing the journal failed; writes are refused");
        }
        (self.on_durable)();
    }

    fn try_write(&mut self) -> io::Result<()> {
        let len = self.waiting();
        if self.unbegun {
            self.roll(false, self.left_free())?;
        }
        if len > 0 && self.open.is_some() {
            self.reserve(len)?;
            self.write_frame(len)?;
        }
        for mut part in self.taken.drain(..) {
            if part.capacity() <= KEPT {
                part.clear();
                self.spare.push(part);
            }
        }
        Ok(())
    }

    /// Bytes of records that were taken and not written yet.
    fn waiting(&self) -> u64 {
        self.taken.iter().map(|part| part.len() as u64).sum()
    }

    /// Whether something that was appended could not be written. Where only the first segment is
    /// missing, nothing is.
    fn is_behind(&self) -> bool {
        self.stuck.is_some() && (!self.unbegun || self.waiting() + self.log.waiting() > 0)
    }

    /// What the journal leaves free by itself, while there is little room.
    fn left_free(&self) -> u64 {
        room::left_for_snapshot(&self.log, self.segment_size())
    }

    /// Bytes of a whole segment, by what files may become at the moment.
    fn segment_size(&self) -> u64 {
        room::segment_size(&*self.place.disk, self.place.segment_size)
    }

    /// Makes sure that there is room for a frame with so many bytes of records, and the end behind
    /// it: in this segment or in a new one.
    fn reserve(&mut self, len: u64) -> io::Result<()> {
        let size = self.segment_size();
        let full = self.open.as_ref().is_some_and(|open| {
            open.end.offset > segment::HEADER && room::with_frame(open.end.offset, len) > size
        });
        if full {
            self.roll(false, self.left_free())?;
        }
        let leave = self.left_free();
        if let Some(open) = &mut self.open {
            let least = room::with_frame(open.end.offset, len);
            if least > open.reserved {
                let need = Need { least, most: size, leave };
                open.reserved = room::reserve(&*open.file, open.reserved, need, &self.log)?;
            }
        }
        Ok(())
    }

    fn write_frame(&mut self, len: u64) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let header = frame::Header {
            len,
            flags: 0,
            number: self.place.frame,
            segment: open.number,
            synced: self.synced_frame,
            time: wall_clock(),
        };
        let parts: Vec<&[u8]> = self.taken.iter().map(Vec::as_slice).collect();
        let head = header.encode(open.secret, &parts);
        let pad = usize::try_from(header.span() - frame::HEADER as u64 - len).unwrap_or(0);
        let whole = [&head[..]].into_iter().chain(parts).chain([&PAD[..pad]]);
        let start = Instant::now();
        // Zeros where the next header will stand: what an earlier use of the file left there must
        // not look like the beginning of something.
        let written = self.blocks.write(&*open.file, &open.end, whole, frame::HEADER);
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.log.figures.slowest_write_micros.fetch_max(micros, Ordering::Relaxed);
        open.end = written?;
        self.place.frame += 1;
        self.unsynced_since.get_or_insert_with(monotonic);
        self.log.figures.size.fetch_add(header.span(), Ordering::Relaxed);
        self.log.figures.frames.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()> {
        let Some(open) = &self.open else {
            self.tell_durable();
            return Ok(());
        };
        let figures = &self.log.figures;
        figures.syncing.store(true, Ordering::Relaxed);
        let start = Instant::now();
        let result = open.file.sync();
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        figures.syncing.store(false, Ordering::Relaxed);
        figures.syncs.fetch_add(1, Ordering::Relaxed);
        figures.last_sync_micros.store(micros, Ordering::Relaxed);
        figures.longest_sync_micros.fetch_max(micros, Ordering::Relaxed);
        figures.slowest_sync_micros.fetch_max(micros, Ordering::Relaxed);
        if let Err(error) = &result {
            figures.failures.fetch_add(1, Ordering::Relaxed);
            self.given_up = true;
            self.log.set_trouble(Some(Trouble { text: error.to_string(), unsynced: true }));
            tracing::error!(%error, "syncing the journal failed; writes are refused");
            (self.on_durable)();
            return result;
        }
        self.unsynced_since = None;
        if let Some(open) = &mut self.open
            && open.end.offset - open.forgotten >= FORGET
        {
            // Where it had to go through the system's memory, the same memory then takes what is
            // written next, instead of ever more of it.
            open.file.forget(open.forgotten, open.end.offset - open.forgotten);
            open.forgotten = open.end.offset & !(BLOCK - 1);
        }
        self.synced_frame = self.place.frame.saturating_sub(1);
        figures.durable_frame.store(self.synced_frame, Ordering::Relaxed);
        self.tell_durable();
        Ok(())
    }

    fn tell_durable(&self) {
        if !self.healing {
            self.log.durable.reach(self.written);
            (self.on_durable)();
        }
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

    fn sync_all(&mut self) -> io::Result<u64> {
        // What is in a segment begun afresh counts when its snapshot does, and not before.
        if self.healing { Err(self.trouble()) } else { self.sync_segment() }
    }

    fn trouble(&self) -> io::Error {
        io::Error::other(self.log.trouble().map_or_else(String::new, |trouble| trouble.text))
    }

    fn sync_segment(&mut self) -> io::Result<u64> {
        if self.given_up || self.is_behind() {
            return Err(self.trouble());
        }
        if self.unsynced_since.is_some() {
            self.sync()?;
        }
        Ok(self.open.as_ref().map_or(0, |open| open.number))
    }

    /// The snapshot behind a segment begun afresh is current.
    fn heal(&mut self) -> io::Result<u64> {
        let number = self.sync_segment()?;
        if std::mem::take(&mut self.healing) {
            self.log.set_trouble(None);
            tracing::warn!("a new snapshot is complete; writes are accepted again");
        }
        self.tell_durable();
        Ok(number)
    }

    /// Ends the journal in good order. A segment begun afresh does not go on where the one before
    /// it ends, which was given up.
    fn close(&mut self) -> io::Result<u64> {
        let ended = self.close_segment();
        if self.healing { Err(self.trouble()) } else { ended }
    }

    /// Ends the segment in good order. Whether that works or not, it is not gone on with: the
    /// caller keeps nothing any more.
    fn close_segment(&mut self) -> io::Result<u64> {
        let ended = if self.is_behind() {
            Err(io::Error::other("there are records that could not be written"))
        } else {
            self.end_segment(0)
        };
        if ended.is_ok()
            && let Some(open) = &self.open
        {
            // Nothing more comes here: the room that is left need not stay reserved. Not to have
            // given it back does no harm.
            let _ = open.file.set_len(open.end.offset + frame::HEADER as u64);
        }
        self.open = None;
        self.unbegun = false;
        self.unsynced_since = None;
        self.log.figures.segment.store(0, Ordering::Relaxed);
        ended
    }

    /// Stops writing, and takes back that segments from `first` on were begun.
    fn drop_segments(&mut self, first: u64) -> io::Result<u64> {
        // Its end is not needed any more.
        let _ = self.close_segment();
        segment::drop_above(&*self.place.disk, first.saturating_sub(1))?;
        self.place.segment = self.place.segment.min(first);
        Ok(first)
    }

    /// While there is little room, a segment that was ended gives back what it did not use.
    fn give_back(&self) {
        if let Some(open) = &self.open
            && self.log.is_short_of_room()
        {
            // Not to have given it back does no harm.
            let _ = open.file.set_len(open.end.offset + frame::HEADER as u64);
        }
    }

    fn end_segment(&mut self, goes_on: u32) -> io::Result<u64> {
        if self.open.is_some() && self.given_up {
            return Err(io::Error::other(GIVEN_UP));
        }
        // The end says that everything before it is whole, so that comes first: a broken frame in a
        // segment that has an end is damage, not an unfinished write.
        if self.unsynced_since.is_some() {
            self.sync()?;
        }
        let Some(open) = &mut self.open else { return Ok(0) };
        let number = open.number;
        let header = frame::Header {
            flags: frame::END | goes_on,
            number: self.place.frame,
            segment: number,
            synced: self.synced_frame,
            time: wall_clock(),
            ..frame::Header::default()
        };
        let head = header.encode(open.secret, &[]);
        self.blocks.write(&*open.file, &open.end, [&head[..]], 0)?;
        self.sync()?;
        Ok(number)
    }

    /// Begins the first segment, or leaves that for when there is room.
    fn begin(&mut self) -> io::Result<u64> {
        match self.roll(false, 0) {
            Err(error) if room::is_full(&error) => {
                self.unbegun = true;
                self.refuse(self.written, &error);
                Ok(0)
            }
            other => other,
        }
    }

    /// Begins a new segment, with room for what waits. If it cannot have all the room of one, so
    /// much is left free.
    fn roll(&mut self, afresh: bool, leave: u64) -> io::Result<u64> {
        let given_up = self.given_up;
        if given_up && !afresh {
            return Err(io::Error::other(GIVEN_UP));
        }
        let header = segment::Header {
            version: segment::VERSION,
            id: self.place.id,
            number: self.place.segment,
            first_frame: self.place.frame,
            // Nor does it go on where nothing was kept for a while.
            afresh: given_up || (afresh && self.open.is_none() && !self.unbegun),
            secret: Secret::of(self.place.seed, self.place.segment),
        };
        let need = Need { least: room::alone(self.waiting()), most: self.segment_size(), leave };
        let reserve = |file: &dyn DiskFile| room::reserve(file, 0, need, &self.log);
        let Made { file, header, reserved } = segment::make(&*self.place.disk, header, reserve)?;
        if !given_up {
            // The end says that the next one is there, so that comes first.
            self.end_segment(frame::GOES_ON)?;
            self.give_back();
        }
        self.unbegun = false;
        let (number, secret) = (header.number, header.secret);
        let end = End::behind(&header.encode());
        self.open = Some(Open { file, number, secret, reserved, end, forgotten: 0 });
        self.place.segment += 1;
        self.log.figures.segment.store(number, Ordering::Relaxed);
        if given_up {
            self.unsynced_since = None;
            (self.given_up, self.healing) = (false, true);
        }
        Ok(number)
    }
}
