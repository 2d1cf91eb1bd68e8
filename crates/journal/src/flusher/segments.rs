//! The segments of the journal: beginning one, going on in a new one, ending one.

use std::io;

use sync::atomic::Ordering;

use super::{Open, Writer};
use crate::blocks::End;
use crate::clock::wall_clock;
use crate::disk::DiskFile;
use crate::frame::{self, Secret};
use crate::room::{self, Need};
use crate::segment::{self, Made};

/// Why a segment cannot be ended or gone on with.
const GIVEN_UP: &str = "the last sync of the journal failed";

impl Writer {
    pub(super) fn sync_all(&mut self) -> io::Result<u64> {
        // What is in a segment begun afresh counts when its snapshot does, and not before.
        if self.healing { Err(self.trouble()) } else { self.sync_segment() }
    }

    fn trouble(&self) -> io::Error {
        io::Error::other(self.log.trouble().map_or_else(String::new, |trouble| trouble.text))
    }

    pub(super) fn sync_segment(&mut self) -> io::Result<u64> {
        if self.given_up || self.is_behind() {
            return Err(self.trouble());
        }
        if self.unsynced_since.is_some() {
            self.sync()?;
        }
        Ok(self.open.as_ref().map_or(0, |open| open.number))
    }

    /// The snapshot behind a segment begun afresh is current.
    pub(super) fn heal(&mut self) -> io::Result<u64> {
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
    pub(super) fn close(&mut self) -> io::Result<u64> {
        let ended = self.close_segment();
        if self.healing { Err(self.trouble()) } else { ended }
    }

    /// Ends the segment in good order. Whether that works or not, it is not gone on with: the
    /// caller keeps nothing any more.
    pub(super) fn close_segment(&mut self) -> io::Result<u64> {
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
    pub(super) fn drop_segments(&mut self, first: u64) -> io::Result<u64> {
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
    pub(super) fn begin(&mut self) -> io::Result<u64> {
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
    pub(super) fn roll(&mut self, afresh: bool, leave: u64) -> io::Result<u64> {
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
