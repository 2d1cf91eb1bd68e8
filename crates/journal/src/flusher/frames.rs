//! Writing and syncing: an epoch's records become a frame, and what is written becomes durable.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use sync::atomic::Ordering;

use super::{SYNC_EVERY, Writer};
use crate::clock::{monotonic, wall_clock};
use crate::disk::BLOCK;
use crate::frame;
use crate::log::{Policy, Trouble, part_of};
use crate::room::{self, Need};
use crate::segment;

/// How much is written before the system is told to forget it.
const FORGET: u64 = 8 << 20;
/// Frames are filled up with these.
const PAD: [u8; frame::ALIGN as usize] = [0; frame::ALIGN as usize];
/// A write buffer larger than this is not kept for reuse.
const KEPT: usize = 4 << 20;

impl Writer {
    /// Writes what there is, and syncs what is due.
    pub(super) fn flush(&mut self) {
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
    pub(super) fn refuse(&mut self, epoch: u64, error: &io::Error) {
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
    pub(super) fn waiting(&self) -> u64 {
        self.taken.iter().map(|part| part.len() as u64).sum()
    }

    /// Whether something that was appended could not be written. Where only the first segment is
    /// missing, nothing is.
    pub(super) fn is_behind(&self) -> bool {
        self.stuck.is_some() && (!self.unbegun || self.waiting() + self.log.waiting() > 0)
    }

    /// What the journal leaves free by itself, while there is little room.
    fn left_free(&self) -> u64 {
        room::left_for_snapshot(&self.log, self.segment_size())
    }

    /// Bytes of a whole segment, by what files may become at the moment.
    pub(super) fn segment_size(&self) -> u64 {
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
    pub(super) fn sync(&mut self) -> io::Result<()> {
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

    pub(super) fn tell_durable(&self) {
        if !self.healing {
            self.log.durable.reach(self.written);
            (self.on_durable)();
        }
    }
}
