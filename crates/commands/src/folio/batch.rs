//! The diffs of a request.

use ::folio::{Diff, Flags};
use base::{Args, CmdError, Millis, Rng, error};
use haystack::{Cell, DateTime, Dict, Zone};

use super::format::{self, Format};
use super::{text, told};

const NO_ID: CmdError = CmdError::new("DiffErr A record to be changed needs its tag 'id'");
const NO_MOD: CmdError = CmdError::new("DiffErr The tag 'mod' is a DateTime");

/// What is done to records.
#[derive(Clone, Copy)]
enum Verb {
    Add,
    Update,
    Remove,
}

/// Diffs as a request has them: where the texts of its records are, and what all share.
#[derive(Clone)]
pub(super) struct Batch {
    format: Option<Format>,
    flags: Flags,
    parts: Vec<(Verb, usize)>,
    /// Bytes of all texts.
    pub size: usize,
}

impl Batch {
    /// All that is left of a request.
    ///
    /// # Errors
    /// A word that is no option, or none that says what is to be done.
    pub fn parse(args: &mut Args<'_>) -> Result<Self, CmdError> {
        let (flags, parts) = (Flags::default(), Vec::new());
        let mut batch = Batch { format: None, flags, parts, size: 0 };
        while args.left() > 0 {
            let verb = if args.token("ADD") {
                Verb::Add
            } else if args.token("UPDATE") {
                Verb::Update
            } else if args.token("REMOVE") {
                Verb::Remove
            } else if batch.parts.is_empty() && batch.option(args)? {
                continue;
            } else {
                return Err(error::SYNTAX);
            };
            batch.parts.push((verb, args.argv().len() - args.left()));
            batch.size += args.next()?.len();
        }
        if batch.parts.is_empty() {
            return Err(error::SYNTAX);
        }
        Ok(batch)
    }

    /// Whether an option stands next.
    fn option(&mut self, args: &mut Args<'_>) -> Result<bool, CmdError> {
        let flags = [
            ("TRANSIENT", Flags::TRANSIENT),
            ("FORCE", Flags::FORCE),
            ("BYPASSRESTRICTED", Flags::BYPASS_RESTRICTED),
        ];
        if let Some((_, flag)) = flags.iter().find(|(word, _)| args.token(word)) {
            self.flags = self.flags | *flag;
            return Ok(true);
        }
        let format = Format::take(args)?;
        self.format = format.or(self.format);
        Ok(format.is_some())
    }

    /// The diffs. `goes_on` is asked now and then with the bytes that they hold.
    ///
    /// # Errors
    /// A text is none of records; a diff is none; it is to end.
    pub fn diffs(
        &self,
        words: &[&[u8]],
        ids: &mut Ids,
        mut goes_on: impl FnMut(usize) -> Result<(), CmdError>,
    ) -> Result<Vec<Diff>, CmdError> {
        let (mut diffs, mut held) = (Vec::new(), 0);
        for &(verb, at) in &self.parts {
            let records = words.get(at).copied().ok_or(error::SYNTAX)?;
            for record in format::records(text(records)?, self.format)? {
                held += size_of::<Diff>() + record.memory();
                diffs.push(diff(verb, record, ids)?.with(self.flags));
            }
            goes_on(held)?;
        }
        Ok(diffs)
    }
}

/// Makes ids for records that have none: the second, and 64 bits that were drawn, of which a batch
/// of any size has no two that are equal.
pub(super) struct Ids {
    second: u64,
    rng: Rng,
}

impl Ids {
    /// Ids of a moment; `seed` was drawn.
    pub fn new(now: Millis, seed: u64) -> Self {
        Ids { second: now / 1000, rng: Rng::new(seed) }
    }

    /// One that none has.
    pub fn next(&mut self) -> String {
        format!("{:08x}-{:016x}", self.second, self.rng.next_u64())
    }
}

fn diff(verb: Verb, mut record: Dict, ids: &mut Ids) -> Result<Diff, CmdError> {
    let id = record.remove("id");
    let id = id.map(|id| id.as_id().cloned().ok_or(NO_ID)).transpose()?;
    let time = record.remove("mod");
    let diff = match verb {
        Verb::Add => {
            let id = id.map_or_else(|| ids.next(), |id| id.as_str().to_owned());
            Diff::add(&id, record)
        }
        Verb::Update => Diff::update(&id.ok_or(NO_ID)?, record, old_mod(time)?),
        Verb::Remove => Diff::remove(&id.ok_or(NO_ID)?, old_mod(time)?),
    };
    diff.map_err(|error| told(&error))
}

fn old_mod(time: Option<haystack::Value>) -> Result<Option<DateTime>, CmdError> {
    match time.as_ref().map(haystack::Value::cell) {
        None => Ok(None),
        Some(Cell::DateTime(time)) => Ok(Some(time)),
        Some(_) => Err(NO_MOD),
    }
}

/// A moment as projects have it.
pub(super) fn instant(now: Millis) -> DateTime {
    let nanos = i64::try_from(now).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    DateTime::from_nanos(nanos, Zone::UTC)
}
