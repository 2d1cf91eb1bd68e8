//! Reading the journal back: whole frames in order, up to where it ends.
//!
//! A crash leaves the last segment with a torn end, and that is cut. Anything else is damage: a
//! broken frame that a later one calls durable, a segment that is missing, or that does not go on
//! where the one before it ended. Damage is never read past, as what follows could bring back old
//! values or lose acknowledged ones without a word.

use std::collections::VecDeque;
use std::fmt;
use std::io;

use crate::blocks::ReadAhead;
use crate::codec::u64_at;
use crate::disk::{Disk, DiskFile};
use crate::frame::{self, Found, Secret};
use crate::manifest::Segments;
use crate::{record, segment};

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Segments read.
    pub segments: u64,
    /// Frames read.
    pub frames: u64,
    /// Bytes of frames.
    pub bytes: u64,
    /// What was cut off the end, if anything was.
    pub cut: Option<Cut>,
    /// The number of the next frame.
    pub next_frame: u64,
    /// The number of the next segment. Files from this number on do not count: they were being
    /// made when the process ended, or begun for a snapshot that never became current.
    pub next_segment: u64,
    /// When the last frame was written, in milliseconds since the Unix epoch.
    pub last_write: u64,
    /// Where the last segment must be ended before another may follow: its number, the offset.
    pub open_end: Option<(u64, u64)>,
    /// Where the end of the last segment stands, if it has one.
    pub end: u64,
    /// That end says that the next segment goes on there.
    pub goes_on: bool,
    /// The segment before the last, and where its end stands.
    pub before: Option<(u64, u64)>,
    /// Where the frames of the last segment begin that no later one calls durable, and that may
    /// have come from the system's memory alone.
    pub unconfirmed: u64,
}

/// A torn end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The file.
    pub file: String,
    /// Where the torn part begins.
    pub offset: u64,
    /// Its length, as far as anything can be told apart.
    pub bytes: u64,
}

/// Why the journal could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The disk refuses.
    Io(String, io::Error),
    /// What is there cannot be trusted.
    Damage(Damage),
    /// The function that took the records refused them.
    Refused(String),
}

/// What cannot be trusted, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// Where in it.
    pub offset: u64,
    /// What is wrong.
    pub what: String,
    /// The segment to cut, if that would make the rest readable.
    pub segment: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged at offset {}: {}", self.file, self.offset, self.what)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(file, error) => write!(f, "{file}: {error}"),
            ReadError::Damage(damage) => damage.fmt(f),
            ReadError::Refused(why) => f.write_str(why),
        }
    }
}

/// Takes the frames, in order: the records of each, in today's form, its header, the file and the
/// offset. The buffer is read into again: a caller that keeps the records leaves another one.
pub type Take<'a> =
    &'a mut dyn FnMut(&mut Vec<u8>, &frame::Header, &str, u64) -> Result<(), String>;

/// Reads every frame of these segments.
///
/// # Errors
/// The disk refuses, there is damage, or `take` refuses.
pub fn read(
    disk: &dyn Disk,
    id: [u8; 16],
    range: Segments,
    take: Take<'_>,
) -> Result<Report, ReadError> {
    let there = segment::all(disk).map_err(|e| ReadError::Io("the data directory".into(), e))?;
    let mut report = Report { next_segment: 1, ..Report::default() };
    let (first, last) = match range {
        Segments::None => return Ok(report),
        Segments::From(first, _) => (first, there.last().copied().unwrap_or(0).max(first)),
        Segments::Between(first, last) => (first, last),
    };
    let open_ended = matches!(range, Segments::From(..));
    let pending = VecDeque::new();
    let mut walk = Walk { disk, id, report: &mut report, expected: None, pending, take };
    let mut number = first;
    while number <= last {
        // What follows a segment proves that it ended in good order, unless nothing was kept there.
        let next = number + 1;
        let afresh = open_ended && number < last && walk.begins_afresh(next)?;
        let unused = open_ended && next == last && walk.is_unused(next)?;
        walk.segment(number, open_ended && (number == last || afresh || unused))?;
        if number == last || afresh || (unused && !walk.leads_to(next)?) {
            break;
        }
        number += 1;
    }
    if open_ended && report.goes_on && number == last {
        let (file, segment) = (segment::name(number + 1), number + 1);
        let what = "the file is missing, and the segment before it goes on there".to_owned();
        return Err(ReadError::Damage(Damage { file, offset: 0, what, segment }));
    }
    if let Segments::From(_, durable) = range
        && report.next_frame <= durable
    {
        let (segment, offset) = report.open_end.unwrap_or((report.next_segment - 1, report.end));
        let what = format!("the journal ends here, but frame {durable} was durable");
        return Err(ReadError::Damage(Damage {
            file: segment::name(segment),
            offset,
            what,
            segment,
        }));
    }
    Ok(report)
}

struct Walk<'a> {
    disk: &'a dyn Disk,
    id: [u8; 16],
    report: &'a mut Report,
    /// The number the next frame must have, once one is known.
    expected: Option<u64>,
    /// The frames of the segment that none so far calls durable: numbers and places.
    pending: VecDeque<(u64, u64)>,
    take: Take<'a>,
}

impl Walk<'_> {
    /// Whether this segment was begun after a failed sync, for a snapshot that never came.
    fn begins_afresh(&self, number: u64) -> Result<bool, ReadError> {
        let name = segment::name(number);
        let Ok(file) = self.disk.open(&name) else { return Ok(false) };
        let header = segment::Header::read(&*file).map_err(|e| ReadError::Io(name, e))?;
        Ok(header.is_some_and(|header| header.afresh))
    }

    /// Whether this segment holds no frame. Its file may have been made in vain, and the one before
    /// it gone on with: then nothing in it counts.
    fn is_unused(&self, number: u64) -> Result<bool, ReadError> {
        let name = segment::name(number);
        let look = || {
            let file = self.disk.open(&name)?;
            let len = file.len()?;
            let Some(header) = segment::Header::read(&*file)? else {
                // A file that is used again gets its name after its header: this one was being
                // made, or it is damaged and its frames cannot be told from anything else.
                let mut bytes = [0; frame::HEADER];
                file.read_at(segment::HEADER, &mut bytes)?;
                return Ok(bytes == [0; frame::HEADER]);
            };
            let (of, mut body) = ((number, header.secret), Vec::new());
            let first = frame::read(&*file, (segment::HEADER, len), of, &mut body)?;
            let ahead = ReadAhead::new(&*file);
            Ok(!matches!(first, Found::Frame(_))
                && behind(&ahead, (segment::HEADER, len), of)?.later.is_none())
        };
        look().map_err(|error| ReadError::Io(name.clone(), error))
    }

    /// Whether what was read so far ends in good order where this segment begins.
    fn leads_to(&self, number: u64) -> Result<bool, ReadError> {
        let name = segment::name(number);
        let header = self.disk.open(&name).and_then(|file| segment::Header::read(&*file));
        let header = header.map_err(|error| ReadError::Io(name, error))?;
        Ok(self.report.open_end.is_none()
            && header.is_some_and(|header| header.first_frame == self.report.next_frame))
    }

    fn segment(&mut self, number: u64, may_be_torn: bool) -> Result<(), ReadError> {
        let name = segment::name(number);
        let io = |error| ReadError::Io(name.clone(), error);
        let damage = |offset: u64, what: String| {
            ReadError::Damage(Damage { file: name.clone(), offset, what, segment: number })
        };
        let file = match self.disk.open(&name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(damage(0, "the file is missing".to_owned()));
            }
            Err(error) => return Err(io(error)),
        };
        let Some(header) = segment::Header::read(&*file).map_err(io)? else {
            return Err(damage(0, "its header is broken".to_owned()));
        };
        if header.id != self.id || header.number != number {
            return Err(damage(0, "it belongs to another dataset or place".to_owned()));
        }
        if let Some(expected) = self.expected.filter(|&n| n != header.first_frame) {
            let what = format!("it begins with frame {}, not {expected}", header.first_frame);
            return Err(damage(0, what));
        }
        self.expected = Some(header.first_frame);
        self.report.before = (self.report.segments > 0).then_some((number - 1, self.report.end));
        self.report.next_frame = header.first_frame;
        self.report.segments += 1;
        self.report.next_segment = number + 1;
        self.report.open_end = None;
        self.report.goes_on = false;
        self.frames((&*file, &header), &name, may_be_torn)
    }

    fn frames(
        &mut self,
        (file, header): (&dyn DiskFile, &segment::Header),
        name: &str,
        may_be_torn: bool,
    ) -> Result<(), ReadError> {
        let (version, number, of) = (header.version, header.number, (header.number, header.secret));
        let io = |error| ReadError::Io(name.to_owned(), error);
        let damage = |offset: u64, what: String| {
            ReadError::Damage(Damage { file: name.to_owned(), offset, what, segment: number })
        };
        let len = file.len().map_err(io)?;
        let file = &ReadAhead::new(file);
        let (mut offset, mut body) = (segment::HEADER, Vec::new());
        self.pending.clear();
        loop {
            self.report.unconfirmed = self.pending.front().map_or(offset, |&(_, place)| place);
            let found = read_frame(file, (offset, len), of, &mut body).map_err(io)?;
            let expected = self.report.next_frame;
            let header = match found {
                Found::Frame(header) => header,
                Found::Nothing | Found::Broken => {
                    let whole = if may_be_torn { None } else { Some(UNENDED) };
                    let broken = found == Found::Broken;
                    return self.stop((file, len), (name, of), (offset, broken), whole);
                }
            };
            if header.number != expected {
                let what = format!("frame {} stands where {expected} should", header.number);
                return Err(damage(offset, what));
            }
            if header.flags & frame::END != 0 {
                let goes_on = header.flags & frame::GOES_ON != 0;
                (self.report.end, self.report.goes_on) = (offset, goes_on);
                return Ok(());
            }
            while self.pending.front().is_some_and(|&(frame, _)| frame <= header.synced) {
                self.pending.pop_front();
            }
            self.pending.push_back((header.number, offset));
            self.report.frames += 1;
            self.report.bytes += header.span();
            self.report.last_write = header.time;
            self.report.next_frame += 1;
            self.expected = Some(self.report.next_frame);
            if version == 1 {
                let mut renewed = Vec::with_capacity(body.len());
                let wrong = |error| format!("{name} at offset {offset}: {error}");
                record::renew(&body, &mut renewed).map_err(wrong).map_err(ReadError::Refused)?;
                body = renewed;
            }
            (self.take)(&mut body, &header, name, offset).map_err(ReadError::Refused)?;
            offset += header.span();
        }
    }

    /// There is no whole frame at `offset`: the journal ends there, or it is damaged. `whole` is
    /// what is wrong if it may not end there.
    fn stop(
        &mut self,
        (file, len): (&ReadAhead<'_>, u64),
        (name, of): (&str, frame::Of),
        (offset, broken): (u64, bool),
        whole: Option<&str>,
    ) -> Result<(), ReadError> {
        let io = |error| ReadError::Io(name.to_owned(), error);
        let number = of.0;
        let damage = |what: String| {
            ReadError::Damage(Damage { file: name.to_owned(), offset, what, segment: number })
        };
        let expected = self.report.next_frame;
        // Whatever stands at the place itself, it is no frame of this segment.
        let Behind { later, used_again } = behind(file, (offset, len), of).map_err(io)?;
        if let Some(other) = used_again {
            return Err(damage(format!(
                "frames of segment {other} stand behind it: the file was used again while it was \
                 copied"
            )));
        }
        if let Some(proof) = later.filter(|later| later.synced >= expected) {
            return Err(damage(format!(
                "frame {expected} is broken or missing, but frame {} behind it says that it was \
                 durable",
                proof.number
            )));
        }
        if let Some(what) = whole {
            return Err(damage(what.to_owned()));
        }
        if broken || later.is_some() {
            let bytes = written_end(file, (offset, len)).map_err(io)? - offset;
            self.report.cut = Some(Cut { file: name.to_owned(), offset, bytes });
        }
        self.report.open_end = Some((number, offset));
        if file.read_from_disk() {
            // It is there, and needs no other proof.
            self.report.unconfirmed = offset;
        }
        Ok(())
    }
}

/// What is wrong with a segment that must have an end and has none.
const UNENDED: &str = "it does not end in good order";
/// How much of a file is looked at in one piece.
const PIECE: u64 = 1 << 20;
/// Most of a reserved file are zeros: they are passed over in pages.
const PAGE: usize = 4096;
static ZEROS: [u8; PAGE] = [0; PAGE];

/// What stands behind the place where a segment's frames end.
#[derive(Default)]
struct Behind {
    /// A whole frame of the segment; of several the one that knows most.
    later: Option<frame::Header>,
    /// A later segment of which there is a whole frame. An earlier use of a file leaves frames of
    /// earlier segments; those of later ones are there only in a copy that was made while the file
    /// was given up and used again.
    used_again: Option<u64>,
}

fn read_frame(
    file: &ReadAhead<'_>,
    place: (u64, u64),
    of: frame::Of,
    body: &mut Vec<u8>,
) -> io::Result<Found> {
    frame::read_with(|offset, into| file.read_at(offset, into), place, of, body)
}

/// Looks at everything from `from` on.
fn behind(
    file: &ReadAhead<'_>,
    (from, len): (u64, u64),
    (segment, secret): frame::Of,
) -> io::Result<Behind> {
    let (mut found, mut body) = (Behind::default(), Vec::new());
    let mut at = from.next_multiple_of(frame::ALIGN);
    let mut piece = vec![0; usize::try_from(PIECE).unwrap_or(0) + frame::HEADER];
    while let Some(written) = file.next_written(at).filter(|&written| written < len) {
        at = at.max(written & !(frame::ALIGN - 1));
        let got = file.read_at(at, &mut piece)?;
        if got == 0 {
            break;
        }
        for inside in
            beginnings(&piece[..got], secret).take_while(|&inside| (inside as u64) < PIECE)
        {
            let Some(bytes) = piece[..got].get(inside..inside + frame::HEADER) else { break };
            let number = u64_at(bytes, 24);
            if number < segment {
                continue;
            }
            let place = (at + inside as u64, len);
            if let Found::Frame(header) = read_frame(file, place, (number, secret), &mut body)? {
                if number > segment {
                    found.used_again = Some(number);
                } else if found.later.is_none_or(|best| header.synced > best.synced) {
                    found.later = Some(header);
                }
            }
        }
        at += PIECE;
    }
    Ok(found)
}

/// Where frames may begin in a piece whose own beginning is aligned.
fn beginnings(piece: &[u8], secret: Secret) -> impl Iterator<Item = usize> {
    const ALIGN: usize = frame::ALIGN as usize;
    let (words, _) = piece.as_chunks::<ALIGN>();
    let begin = secret.begin();
    let begins = move |word: &[u8; ALIGN]| word[..4] == begin;
    words.iter().enumerate().filter(move |(_, word)| begins(word)).map(|(n, _)| n * ALIGN)
}

/// Where the last byte that is not zero ends.
fn written_end(file: &ReadAhead<'_>, (from, len): (u64, u64)) -> io::Result<u64> {
    let mut end = from;
    let mut piece = vec![0; usize::try_from(PIECE).unwrap_or(0)];
    let mut at = from;
    while let Some(written) = file.next_written(at).filter(|&written| written < len) {
        at = written;
        let got = file.read_at(at, &mut piece)?;
        if got == 0 {
            break;
        }
        for (n, page) in piece[..got].chunks(PAGE).enumerate() {
            if page != &ZEROS[..page.len()]
                && let Some(last) = page.iter().rposition(|&byte| byte != 0)
            {
                end = at + (n * PAGE + last) as u64 + 1;
            }
        }
        at += got as u64;
    }
    Ok(end)
}

/// Makes what was read durable and ready to be gone on with: removes the segments that do not
/// count, and ends the last one that does in good order.
///
/// What was read need not be on disk: a process that was killed leaves it in the system's memory.
/// Others build on it from now on, so it must be there first.
///
/// # Errors
/// The disk refuses.
pub fn seal(disk: &dyn Disk, report: &Report) -> io::Result<()> {
    disk.sync_names()?;
    let last = report.next_segment.saturating_sub(1);
    if report.goes_on && report.open_end.is_none() {
        // What it says comes next was made in vain and goes now: then it must not say so.
        let file = disk.open(&segment::name(last))?;
        let end = end_of(report, last).encode(secret_of(&*file)?, &[]);
        file.write_at(report.end, &end)?;
        file.sync()?;
    }
    segment::drop_above(disk, last)?;
    if report.segments == 0 {
        return Ok(());
    }
    if let Some((number, end)) = report.before {
        // The last segment was there before this end was: it confirms nothing of it.
        let file = disk.open(&segment::name(number))?;
        rewrite(&*file, (end, end + frame::HEADER as u64))?;
        file.sync()?;
    }
    let Some((number, offset)) = report.open_end else {
        // Its end confirms everything before it, but nothing yet confirms the end.
        let file = disk.open(&segment::name(last))?;
        let end = report.end + frame::HEADER as u64;
        // What room it still had reserved is not needed any more: nothing is added to it.
        file.set_len(end)?;
        rewrite(&*file, (report.end, end))?;
        return file.sync();
    };
    let file = disk.open(&segment::name(number))?;
    file.set_len(offset)?;
    rewrite(&*file, (report.unconfirmed.min(offset), offset))?;
    let header = end_of(report, number);
    // Everything before it first: it says that all of that is durable.
    file.sync()?;
    file.write_at(offset, &header.encode(secret_of(&*file)?, &[]))?;
    file.sync()
}

/// The secret of the frames of a segment that has been read.
fn secret_of(file: &dyn DiskFile) -> io::Result<Secret> {
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "a segment's header is broken");
    Ok(segment::Header::read(file)?.ok_or_else(broken)?.secret)
}

/// The end of the last segment that counts.
fn end_of(report: &Report, segment: u64) -> frame::Header {
    frame::Header {
        flags: frame::END,
        number: report.next_frame,
        segment,
        synced: report.next_frame.saturating_sub(1),
        ..frame::Header::default()
    }
}

/// Writes what is there once more. If the process ended after a failed sync, the system may hold
/// pages that it takes for written although they are not: no sync would ever write them.
fn rewrite(file: &dyn DiskFile, (from, end): (u64, u64)) -> io::Result<()> {
    let mut piece = vec![0; usize::try_from((end - from).min(PIECE)).unwrap_or(0)];
    let mut at = from;
    while at < end {
        let want = usize::try_from((end - at).min(PIECE)).unwrap_or(0);
        let got = file.read_at(at, &mut piece[..want])?;
        if got == 0 {
            break;
        }
        file.write_at(at, &piece[..got])?;
        at += got as u64;
    }
    Ok(())
}
