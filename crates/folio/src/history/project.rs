//! Histories of records: writing, reading, and the tags that tell of them.

use blocks::Ledger;
use haystack::{DateTime, Kind, Unit, Zone};

use super::check::{Config, not_before};
use super::series::History;
use super::{Columns, Value, unpack};
use crate::error::{Error, ErrorKind};
use crate::project::Project;
use crate::view::{TOLD, View};
use crate::{Slot, limits};

/// Instants from one, to before another; of any zones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The first.
    pub start: DateTime,
    /// The one behind the last.
    pub end: DateTime,
}

/// What is taken out before samples are put in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Clear {
    /// Nothing.
    #[default]
    Nothing,
    /// The samples of some time.
    Span(Span),
    /// All samples.
    All,
}

/// How samples are read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HisOptions {
    /// How many at most.
    pub limit: Option<usize>,
    /// No samples behind this instant.
    pub clip_future: Option<DateTime>,
    /// Also the last sample before the span, if any is in it, and the first two behind: what a
    /// chart needs.
    pub around: bool,
}

/// Samples as they were checked, in order; none at an instant is one that is taken out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples(pub(crate) Vec<(i64, Option<Value>)>);

/// What became of what was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HisWritten {
    /// How many instants were written, those that were taken out one by one among them.
    pub count: usize,
    /// From the first to the last of them.
    pub span: Option<(DateTime, DateTime)>,
    /// What it was, for a journal.
    pub samples: Samples,
}

impl Project {
    /// Writes samples of a point, which need not be in order: the last one written of an instant
    /// counts, [`haystack::Value::REMOVE`] takes one out. Instants are cut to whole seconds, or
    /// milliseconds if the point's `hisTsPrecision` is one. Nothing is written if one of the
    /// samples is wrong. `hisSize`, `hisStart`, `hisEnd` and the values there become transient tags
    /// of the record.
    ///
    /// Takes O(n log n) for n samples, and the time to pack the blocks of 512 that they fall in.
    ///
    /// # Errors
    /// `HisConfigErr`: the record is no point with a history; it has samples of another kind.
    /// `HisWriteErr`: a sample has another zone, kind or unit, or is too old.
    pub fn his_write(
        &mut self,
        slot: Slot,
        items: &[(DateTime, haystack::Value)],
        clear: Clear,
    ) -> Result<HisWritten, Error> {
        let checked = Checked::of(self, slot, items, clear)?;
        Ok(self.write_checked(checked))
    }

    /// Writes samples of several points, each as [`Project::his_write`] does: those of all or none.
    /// Their order is that of what is answered.
    ///
    /// Takes what the writes take one after another.
    ///
    /// # Errors
    /// Those of [`Project::his_write`], of the first point that has one; all together are more than
    /// [`limits::MOST_SAMPLES`].
    ///
    /// ```
    /// use haystack::{DateTime, Value, Zone, zinc};
    /// use kvist_folio::{Diff, HisOptions, Project};
    ///
    /// let mut project = Project::default();
    /// let now = DateTime::from_nanos(1_700_000_000_000_000_000, Zone::UTC);
    /// let tags = zinc::read_value("{point his kind:\"Number\" tz:\"UTC\"}").unwrap();
    /// let point = |id| Diff::add(id, tags.as_dict().unwrap().clone()).unwrap();
    /// project.commit(&[point("a"), point("b")], now)?;
    /// let (a, b) = (project.read_by_id("a")?, project.read_by_id("b")?);
    /// let (good, bad) = (vec![(now, Value::from(1.0))], vec![(now, Value::str("x"))]);
    /// assert!(project.his_write_all(&[(a, good.clone()), (b, bad)]).is_err());
    /// assert_eq!(project.his_size(a), 0);
    /// project.his_write_all(&[(a, good.clone()), (b, good)])?;
    /// assert_eq!((project.his_size(a), project.his_size(b)), (1, 1));
    /// # Ok::<(), kvist_folio::Error>(())
    /// ```
    pub fn his_write_all(
        &mut self,
        parts: &[(Slot, Vec<(DateTime, haystack::Value)>)],
    ) -> Result<Vec<HisWritten>, Error> {
        let all: usize = parts.iter().map(|(_, items)| items.len()).sum();
        if all > limits::MOST_SAMPLES {
            let message = format!("More than {} items", limits::MOST_SAMPLES);
            return Err(Error::new(ErrorKind::HisWrite, message));
        }
        let checked =
            parts.iter().map(|(slot, items)| Checked::of(self, *slot, items, Clear::Nothing));
        let checked = checked.collect::<Result<Vec<_>, _>>()?;
        Ok(checked.into_iter().map(|one| self.write_checked(one)).collect())
    }

    fn write_checked(&mut self, checked: Checked) -> HisWritten {
        let Checked { slot, config, samples, cleared } = checked;
        let (first, rest) = samples.split_at(samples.len().min(limits::SAMPLES_AT_ONCE));
        self.edit(|view, ledger| {
            view.merge_history(ledger, slot, cleared, first);
            for more in rest.chunks(limits::SAMPLES_AT_ONCE) {
                view.merge_history(ledger, slot, None, more);
            }
        });
        let ends = samples.first().zip(samples.last());
        let instant = |at| config.item(at, &Value::Na).0;
        let span = ends.map(|(first, last)| (instant(first.0), instant(last.0)));
        HisWritten { count: samples.len(), span, samples: Samples(samples) }
    }
}

/// A write that nothing can be wrong with any more.
struct Checked {
    slot: Slot,
    config: Config,
    samples: Vec<(i64, Option<Value>)>,
    /// Milliseconds from one, to before another.
    cleared: Option<(i64, i64)>,
}

impl Checked {
    fn of(
        view: &View,
        slot: Slot,
        items: &[(DateTime, haystack::Value)],
        clear: Clear,
    ) -> Result<Checked, Error> {
        let config = Config::of(view, slot)?;
        let samples = config.samples(items)?;
        let stored = view.histories.get(slot as usize).and_then(History::kind);
        if let Some(stored) = stored.filter(|kind| *kind != config.kind && clear != Clear::All) {
            let message = format!("There are items of kind '{}': clear all", stored.name());
            return Err(Error::new(ErrorKind::HisConfig, message));
        }
        let cleared = match clear {
            Clear::Nothing => None,
            Clear::All => Some((i64::MIN, i64::MAX)),
            Clear::Span(span) => Some((not_before(span.start), not_before(span.end))),
        };
        Ok(Checked { slot, config, samples, cleared })
    }
}

/// Samples that were read, and what they are of.
#[derive(Clone, Debug, PartialEq)]
pub struct HisColumns {
    /// The zone that the point has now.
    pub zone: Zone,
    /// The unit that the point has now.
    pub unit: Option<Unit>,
    /// The kind of what is measured.
    pub kind: Kind,
    /// The samples, in order.
    pub columns: Columns,
}

impl View {
    /// The samples of a point in a span, or all, in order, in the zone and the unit that the point
    /// has now. O(log n) to find the first, then as many blocks of 512 as are read.
    ///
    /// # Errors
    /// `HisConfigErr`: the record is no point with a history.
    pub fn his_read(
        &self,
        slot: Slot,
        span: Option<Span>,
        options: &HisOptions,
    ) -> Result<Vec<(DateTime, haystack::Value)>, Error> {
        let (config, columns) = self.his_samples(slot, span, options)?;
        Ok(columns.samples().map(|sample| config.item(sample.at, &sample.value)).collect())
    }

    /// The same as columns, which is several times faster: some nanoseconds a sample.
    ///
    /// # Errors
    /// As [`View::his_read`].
    pub fn his_columns(
        &self,
        slot: Slot,
        span: Option<Span>,
        options: &HisOptions,
    ) -> Result<HisColumns, Error> {
        let (Config { zone, unit, kind, .. }, columns) = self.his_samples(slot, span, options)?;
        Ok(HisColumns { zone, unit, kind, columns })
    }

    fn his_samples(
        &self,
        slot: Slot,
        span: Option<Span>,
        options: &HisOptions,
    ) -> Result<(Config, Columns), Error> {
        let config = Config::of(self, slot)?;
        let Some(history) = self.histories.get(slot as usize) else {
            return Ok((config, Columns::default()));
        };
        let all = (i64::MIN, i64::MAX);
        let (from, to) = span.map_or(all, |it| (not_before(it.start), not_before(it.end)));
        // A sample at the very instant is not behind it.
        let clip = options.clip_future.map_or(i64::MAX, |at| at.nanos().div_euclid(1_000_000) + 1);
        let to = to.min(clip);
        let (from, to) = if options.around { history.around(from, to, clip) } else { (from, to) };
        Ok((config, history.read(from, to, options.limit.unwrap_or(usize::MAX))))
    }

    /// How many samples a record has. O(log n).
    #[must_use]
    pub fn his_size(&self, slot: Slot) -> usize {
        self.histories.get(slot as usize).map_or(0, History::len)
    }

    /// The samples of a record as they are kept, in order, whatever the record is now: milliseconds
    /// since 1970, and values without a unit. Takes O(512) for each block of samples.
    pub fn his_kept(&self, slot: Slot) -> impl Iterator<Item = (i64, haystack::Value)> + '_ {
        let history = self.histories.get(slot as usize);
        let blocks = 0..history.map_or(0, History::block_count);
        let blocks = blocks.filter_map(move |number| unpack(history?.block(number)?).ok());
        blocks.flatten().map(|sample| (sample.at, sample.value.with_unit(None)))
    }

    /// Takes samples from an instant to before another out of a record's history, and puts others
    /// in.
    pub(crate) fn merge_history(
        &mut self,
        ledger: &mut Ledger,
        slot: Slot,
        cleared: Option<(i64, i64)>,
        samples: &[(i64, Option<Value>)],
    ) {
        let (place, all) = (slot as usize, Some((i64::MIN, i64::MAX)));
        if cleared == all || self.his_size(slot) == 0 {
            self.histories.put(ledger, place, History::default());
        }
        let left = self.histories.edit(ledger, place, |history| {
            if let Some((from, to)) = cleared {
                history.clear(from, to);
            }
            history.merge(samples);
            history.len()
        });
        if left == Some(0) {
            self.histories.remove(ledger, place);
        }
        self.tell_history(ledger, slot);
    }

    /// Sets the tags that tell of a record's history: none where it has none, or is no point any
    /// more.
    pub(crate) fn tell_history(&mut self, ledger: &mut Ledger, slot: Slot) {
        let history = self.histories.get(slot as usize);
        let is_told = !self.cell_of(slot, TOLD[0]).is_null();
        if history.is_none() && !is_told {
            return;
        }
        let config = Config::of(self, slot).ok();
        let size = haystack::Value::from(history.map_or(0, History::len) as f64);
        let null = || haystack::Value::NULL;
        let values = match (config, history.and_then(History::ends)) {
            (Some(config), Some((first, last))) => {
                let (start, first) = config.item(first.at, &first.value);
                let (end, last) = config.item(last.at, &last.value);
                [size, start.into(), first, end.into(), last]
            }
            // One that has been written to and emptied says so.
            (Some(_), None) if is_told => [size, null(), null(), null(), null()],
            _ => [null(), null(), null(), null(), null()],
        };
        for (number, value) in TOLD.into_iter().zip(values) {
            self.set(ledger, (slot, number), &value, true);
        }
    }
}
