//! A project as bytes, piece by piece: what a snapshot holds.
//!
//! ```text
//!   header      | 0 | prefix | version | tags that are indexed |
//!   records     | 1 | which 1,024 places | who is there | ids | tag: who has it, values | tag: … |
//!   histories   | 2 | id, blocks of samples | id, … |           about 64 KiB
//! ```
//!
//! Pieces stand in this order, records in that of their places, which they have again when they are
//! read: so what is made next gets the same place again. Postings, free places and the
//! tags that tell of histories follow from the rest. Transient tags are in an image only if it is
//! asked for.

use base::codec::{Malformed, Source, put_bytes, put_number};
use haystack::{Cell, Name, Tag};

use crate::bits::Bits;
use crate::code::{self, put_value};
use crate::evaluate::slot_at;
use crate::history::History;
use crate::project::Project;
use crate::view::{ID, Layer, View};
use crate::{SEGMENT, Slot, limits};

const HEADER: u8 = 0;
const RECORDS: u8 = 1;
const HISTORIES: u8 = 2;
/// All records of a piece have the tag; or a bitmap says which.
const ALL: u8 = 0;
const SOME: u8 = 1;
/// As above, and a bitmap says for which it is transient.
const MIXED: u8 = 2;
/// Bytes of samples after which a piece ends.
const PIECE: usize = 64 << 10;
const WRONG: Malformed = Malformed("an image of no project");

/// How far an image has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImagePlace(Stage);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Header,
    Segment(usize),
    History {
        slot: Slot,
        block: usize,
    },
    End,
}

impl ImagePlace {
    /// Whether all has been written.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.0 == Stage::End
    }
}

impl View {
    /// How many pieces of records its image has. There is one more, and those of histories.
    #[must_use]
    pub fn image_segments(&self) -> usize {
        self.segments()
    }

    /// Appends the next piece of its image, which is never empty, and goes on to the one behind it.
    /// `Layer::Persistent`: without transient tags; `Layer::Merged`: with them. Nothing is appended
    /// at the end. O(bytes of the piece).
    pub fn put_image_piece(&self, place: &mut ImagePlace, layer: Layer, out: &mut Vec<u8>) {
        let start = out.len();
        while out.len() == start && !place.is_end() {
            place.0 = match place.0 {
                Stage::Header => {
                    self.put_header(out);
                    Stage::Segment(0)
                }
                Stage::Segment(number) if number < self.segments() => {
                    self.put_records(number, layer, out);
                    Stage::Segment(number + 1)
                }
                Stage::Segment(_) => Stage::History { slot: 0, block: 0 },
                Stage::History { slot, block } => self.put_histories((slot, block), out),
                Stage::End => Stage::End,
            };
        }
    }

    fn put_header(&self, out: &mut Vec<u8>) {
        out.push(HEADER);
        put_bytes(out, self.prefix.as_deref().unwrap_or_default().as_bytes());
        put_number(out, self.version);
        let indexed: Vec<&Tag> = self.indexed().collect();
        put_number(out, indexed.len() as u64);
        indexed.iter().for_each(|tag| put_bytes(out, tag.as_str().as_bytes()));
    }

    fn put_records(&self, segment: usize, layer: Layer, out: &mut Vec<u8>) {
        let there = self.bits(ID, segment);
        if there.is_empty() {
            return;
        }
        out.push(RECORDS);
        put_number(out, segment as u64);
        let all = all_places();
        put_number(out, there.count() as u64);
        if there.count() < SEGMENT {
            put_places(&all, &there, out);
        }
        for place in there.iter() {
            put_bytes(out, self.id_of(slot_at(segment, place)).as_bytes());
        }
        for &number in self.numbers_in_order() {
            if number != ID {
                self.put_column((segment, number), &there, layer, out);
            }
        }
    }

    fn put_column(
        &self,
        (segment, number): (usize, u16),
        there: &Bits,
        layer: Layer,
        out: &mut Vec<u8>,
    ) {
        let column = self.columns.get(usize::from(number));
        let chunk = column.and_then(|column| column.chunks.get(segment));
        let (Some(chunk), Some(tag)) = (chunk, self.tag_of(number)) else { return };
        let transient = chunk.transient();
        let has = match layer {
            Layer::Merged => chunk.bits,
            Layer::Persistent => chunk.bits.and_not(&transient),
            Layer::Transient => transient,
        };
        if has.is_empty() {
            return;
        }
        put_bytes(out, tag.as_str().as_bytes());
        let transient = has.and(&transient);
        if !transient.is_empty() {
            out.push(MIXED);
            put_places(there, &has, out);
            put_places(there, &transient, out);
        } else if has == *there {
            out.push(ALL);
        } else {
            out.push(SOME);
            put_places(there, &has, out);
        }
        has.iter().for_each(|place| put_value(out, &chunk.cell(place)));
    }

    /// Histories from a block of a record's on, until a piece is full; where it goes on.
    fn put_histories(&self, (mut slot, mut block): (Slot, usize), out: &mut Vec<u8>) -> Stage {
        let start = out.len();
        while slot < self.end() {
            let history = self.histories.get(slot as usize);
            let blocks = history.map_or(0, History::block_count);
            if block >= blocks {
                (slot, block) = (slot + 1, 0);
                continue;
            }
            if out.len() == start {
                out.push(HISTORIES);
            }
            put_bytes(out, self.id_of(slot).as_bytes());
            let mut packed = Vec::new();
            let before = block;
            while let Some(bytes) = history.and_then(|history| history.block(block)) {
                put_bytes(&mut packed, bytes);
                block += 1;
                if out.len() - start + packed.len() >= PIECE {
                    break;
                }
            }
            put_number(out, (block - before) as u64);
            out.extend(packed);
            if out.len() - start >= PIECE {
                return Stage::History { slot, block };
            }
        }
        Stage::End
    }
}

/// All places of a segment.
fn all_places() -> Bits {
    let mut all = Bits::NONE;
    (0..SEGMENT as u16).for_each(|place| all.add(place));
    all
}

/// Appends which of the records that are there are meant: a bit for each.
fn put_places(there: &Bits, meant: &Bits, out: &mut Vec<u8>) {
    let (mut byte, mut used) = (0, 0);
    for place in there.iter() {
        byte |= u8::from(meant.has(place)) << used;
        used += 1;
        if used == 8 {
            out.push(byte);
            (byte, used) = (0, 0);
        }
    }
    if used > 0 {
        out.push(byte);
    }
}

/// The places of some of so many records.
fn places(source: &mut Source<'_>, records: usize) -> Result<Vec<usize>, Malformed> {
    let bytes = source.take(records.div_ceil(8))?;
    let is_set = |at: &usize| bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
    Ok((0..records).filter(is_set).collect())
}

/// A project that comes piece by piece, as an image has it. Nothing of it is trusted: what it takes
/// of memory is in proportion to the bytes.
///
/// ```
/// use kvist_folio::{ImageLoader, ImagePlace, Layer, Project};
///
/// let (project, mut place) = (Project::default(), ImagePlace::default());
/// let mut loader = ImageLoader::default();
/// while !place.is_end() {
///     let mut piece = Vec::new();
///     project.put_image_piece(&mut place, Layer::Persistent, &mut piece);
///     if !piece.is_empty() {
///         loader.take_piece(&piece)?;
///     }
/// }
/// assert_eq!(loader.finish()?.version(), 1);
/// # Ok::<(), base::codec::Malformed>(())
/// ```
#[derive(Default)]
pub struct ImageLoader {
    project: Option<Project>,
}

impl ImageLoader {
    /// Takes the next piece.
    ///
    /// # Errors
    /// It is none, or none that can stand behind the others.
    pub fn take_piece(&mut self, piece: &[u8]) -> Result<(), Malformed> {
        let mut source = Source::new(piece);
        let kind = source.byte()?;
        match (kind, &mut self.project) {
            (HEADER, None) => self.project = Some(header(&mut source)?),
            (RECORDS, Some(project)) => records(project, &mut source)?,
            (HISTORIES, Some(project)) => {
                while !source.is_done() {
                    samples(project, &mut source)?;
                }
            }
            _ => return Err(WRONG),
        }
        if source.is_done() { Ok(()) } else { Err(WRONG) }
    }

    /// The project, when all has come.
    ///
    /// # Errors
    /// Nothing has come.
    pub fn finish(self) -> Result<Project, Malformed> {
        let mut project = self.project.ok_or(WRONG)?;
        project.edit(|view, ledger| {
            view.note_gaps(ledger);
            for segment in 0..view.segments() {
                for place in view.bits(ID, segment).iter() {
                    let slot = slot_at(segment, place);
                    if view.his_size(slot) > 0 {
                        view.tell_history(ledger, slot);
                    }
                }
            }
        });
        Ok(project)
    }
}

fn header(source: &mut Source<'_>) -> Result<Project, Malformed> {
    let prefix = code::text(source)?;
    let mut project = Project::with_prefix((!prefix.is_empty()).then(|| Name::new(prefix)));
    let version = source.number()?;
    project.edit(|view, _| view.version = version);
    for _ in 0..code::count(source)? {
        let tag = code::tag(source)?;
        project.create_index(&tag).map_err(|_| WRONG)?;
    }
    Ok(project)
}

fn records(project: &mut Project, source: &mut Source<'_>) -> Result<(), Malformed> {
    let segment = source.length()?;
    let count = code::count(source)?;
    if count == 0 || count > SEGMENT || segment >= limits::MOST_RECORDS / SEGMENT {
        return Err(Malformed("no piece has so many records"));
    }
    let there = if count < SEGMENT { places(source, SEGMENT)? } else { (0..SEGMENT).collect() };
    if there.len() != count || segment < project.segments() {
        return Err(Malformed("places that are others'"));
    }
    let slots: Vec<Slot> = there.iter().map(|place| (segment * SEGMENT + place) as Slot).collect();
    for slot in &slots {
        let id = code::text(source)?;
        if !haystack::name::is_ref(id) || project.slot_of(id).is_some() {
            return Err(Malformed("an id that is none, or is there already"));
        }
        project.edit(|view, ledger| view.put(ledger, *slot, &Name::new(id)));
    }
    while !source.is_done() {
        column(project, &slots, source)?;
    }
    Ok(())
}

/// A tag of some records.
fn column(project: &mut Project, slots: &[Slot], source: &mut Source<'_>) -> Result<(), Malformed> {
    let tag = code::tag(source)?;
    let number = project.edit(|view, ledger| view.make_tag(ledger, &tag));
    let number = number.filter(|number| *number != ID).ok_or(Malformed("no such tag"))?;
    let (has, transient) = match source.byte()? {
        ALL => ((0..slots.len()).collect(), Vec::new()),
        SOME => (places(source, slots.len())?, Vec::new()),
        MIXED => (places(source, slots.len())?, places(source, slots.len())?),
        _ => return Err(WRONG),
    };
    for place in has {
        let value = code::value(source)?;
        let fits = !matches!(value.cell(), Cell::Null | Cell::Remove)
            && value.memory() <= limits::LARGEST_VALUE * 2;
        let slot = slots.get(place).filter(|_| fits).ok_or(Malformed("a tag without a value"))?;
        let is_transient = transient.binary_search(&place).is_ok();
        project.edit(|view, ledger| view.set(ledger, (*slot, number), &value, is_transient));
    }
    Ok(())
}

/// Blocks of a record's samples.
fn samples(project: &mut Project, source: &mut Source<'_>) -> Result<(), Malformed> {
    let slot = project.slot_of(code::text(source)?).ok_or(Malformed("samples of no record"))?;
    let place = slot as usize;
    for _ in 0..code::count(source)? {
        let block = source.bytes()?;
        project.edit(|view, ledger| {
            if view.his_size(slot) == 0 {
                view.histories.put(ledger, place, History::default());
            }
            let pushed = view.histories.edit(ledger, place, |history| history.push(block));
            pushed.unwrap_or(Err(WRONG))
        })?;
    }
    Ok(())
}
