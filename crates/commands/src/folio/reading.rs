//! What is read of a project: a filter and its options, and where that is done.

use ::folio::{Project, Query, ReadOptions, Slot, Trash, View};
use base::{Args, CmdError, Effect, Forks, Key, Pace, Reply, error};
use haystack::filter::{Filter, Op};
use types::Folio;

use super::format::Format;
use super::paced::{AtOnce, watched};
use super::{NO_PROJECT, project, text, told};

/// Longer filters, in bytes, are read on a thread for queries.
const LONGEST: usize = 4 << 10;
/// What can be asked in a short filter of so many records is answered at once; of fewer in a longer
/// one.
const FEW: usize = 2048;
/// Bytes of a short filter.
const SHORT: usize = 128;
/// Of so many what bitmaps say.
const MANY: usize = 4 << 20;
/// In so many bytes paths of any length are followed at once.
const SMALL: usize = 4 << 20;
/// And elsewhere those of so many tags.
const NEAR: usize = 2;
/// So many records are written at once.
const ROWS: usize = 128;
/// So many as columns, which takes a fraction of that.
const ROWS_AS_COLUMNS: usize = 1024;

/// A filter and options, ready to be asked.
pub(super) type Asked = (Query<'static>, ReadOptions);

/// What a request asks: where its words are, and its options.
#[derive(Clone, Copy, Default)]
pub(super) struct Reading {
    filter: usize,
    limit: Option<usize>,
    sort: bool,
    search: Option<usize>,
    trash: bool,
    pub format: Option<Format>,
    pub unchecked: bool,
}

impl Reading {
    /// The filter that stands next, and all options behind it of which `knows` says that the
    /// command has them.
    ///
    /// # Errors
    /// An option that is none.
    pub fn parse(args: &mut Args<'_>, knows: fn(&str) -> bool) -> Result<Self, CmdError> {
        let mut reading = Reading { filter: take_place(args)?, ..Reading::default() };
        while args.left() > 0 {
            if knows("LIMIT") && args.token("LIMIT") {
                let limit = usize::try_from(args.integer()?).map_err(|_| error::SYNTAX)?;
                reading.limit = Some(limit);
            } else if knows("SORT") && args.token("SORT") {
                reading.sort = true;
            } else if knows("SEARCH") && args.token("SEARCH") {
                reading.search = Some(take_place(args)?);
            } else if knows("TRASH") && args.token("TRASH") {
                reading.trash = true;
            } else if knows("UNCHECKED") && args.token("UNCHECKED") {
                reading.unchecked = true;
            } else if knows("FORMAT")
                && let Some(format) = Format::take(args)?
            {
                reading.format = Some(format);
            } else {
                return Err(error::SYNTAX);
            }
        }
        Ok(reading)
    }

    /// The same, of the first record alone.
    #[must_use]
    pub fn first(self) -> Self {
        Reading { limit: Some(1), ..self }
    }

    /// What it asks, if that is answered at once of a project of this size: `None` if it is better
    /// read on a thread for queries.
    ///
    /// # Errors
    /// The filter cannot be read.
    pub fn at_once(&self, words: &[&[u8]], project: &Project) -> Result<Option<Asked>, CmdError> {
        let size = |at: usize| words.get(at).map_or(0, |word| word.len());
        if size(self.filter) + self.search.map_or(0, size) > LONGEST {
            return Ok(None);
        }
        let (query, options) = self.prepare(words)?;
        let is_known = self.search.is_none() && is_by_bitmaps(query.filter());
        let is_sorted = self.sort && self.limit.is_none_or(|limit| limit > FEW);
        // What a filter asks of each record is in proportion to its text; a search reads all texts.
        let each = size(self.filter).div_ceil(SHORT).max(1);
        let is_small = match self.search {
            None => project.len().saturating_mul(each) <= FEW,
            Some(_) => project.len() <= ROWS,
        };
        let is_quick = query.filter().id().is_some()
            || is_small
            || project.len() <= MANY && is_known && !is_sorted;
        // Lists of refs may lead a long path over all that there is, hop by hop.
        let is_quick = is_quick && (project.memory() <= SMALL || !is_far(query.filter()));
        Ok(is_quick.then_some((query, options)))
    }

    /// What it asks.
    ///
    /// # Errors
    /// The filter cannot be read.
    pub fn prepare(&self, words: &[&[u8]]) -> Result<Asked, CmdError> {
        let word = |at: usize| words.get(at).copied().ok_or(error::SYNTAX);
        let query = Query::parse(text(word(self.filter)?)?).map_err(|error| told(&error))?;
        let search = self.search.map(|at| text(word(at)?)).transpose()?.map(str::to_owned);
        let trash = if self.trash { Trash::Only } else { Trash::Without };
        let options = ReadOptions { limit: self.limit, search, sort: self.sort, trash };
        Ok((query, options))
    }

    /// Does what is asked of the project of a key: at once, or over a version of it on a thread for
    /// queries.
    ///
    /// # Errors
    /// There is no project; the filter cannot be read; what `work` says.
    pub fn answer<H: Forks<Folio>>(
        self,
        host: &mut H,
        (key, words): (Key<'_>, &[&[u8]]),
        out: &mut dyn Reply,
        work: impl Fn(&View, &Asked, &mut dyn Pace, &mut dyn Reply) -> Result<(), CmdError>
        + Send
        + 'static,
    ) -> Result<Effect, CmdError> {
        let project = project(host, key)?;
        if let Some(asked) = self.at_once(words, project)? {
            work(project, &asked, &mut AtOnce, out)?;
            return Ok(Effect::None);
        }
        let version = host.share(key)?.ok_or(NO_PROJECT)?;
        Ok(Effect::Query(base::Query::over_with_words(version, move |view, words, pace, out| {
            work(view, &self.prepare(words)?, pace, out)
        })))
    }

    /// The records that it finds.
    ///
    /// # Errors
    /// The search cannot be read; it is to end.
    pub fn find(
        view: &View,
        (query, options): &Asked,
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<Vec<Slot>, CmdError> {
        let found = watched(pace, out, |goes_on| view.find_all_while(query, options, goes_on))?;
        found.map(Option::unwrap_or_default).map_err(|error| told(&error))
    }

    /// How many it finds.
    ///
    /// # Errors
    /// The search cannot be read; it is to end.
    pub fn count(
        view: &View,
        (query, options): &Asked,
        pace: &mut dyn Pace,
        out: &dyn Reply,
    ) -> Result<usize, CmdError> {
        let count =
            watched(pace, out, |goes_on| view.read_count_while(query, options, || goes_on(0)))?;
        count.map(Option::unwrap_or_default).map_err(|error| told(&error))
    }
}

/// The place of the word that stands next.
fn take_place(args: &mut Args<'_>) -> Result<usize, CmdError> {
    let at = args.argv().len() - args.left();
    args.next().map(|_| at)
}

/// The same, of no more records than [`is_short`] allows and one: whether there are more.
pub(super) fn shortened((query, options): Asked, format: Option<Format>) -> Asked {
    let most = most_rows(format) + 1;
    let limit = options.limit.map_or(most, |limit| limit.min(most));
    (query, ReadOptions { limit: Some(limit), ..options })
}

/// Whether so many records are written at once.
pub(super) fn is_short(rows: usize, format: Option<Format>) -> bool {
    rows <= most_rows(format)
}

fn most_rows(format: Option<Format>) -> usize {
    if format == Some(Format::Columns) { ROWS_AS_COLUMNS } else { ROWS }
}

/// Whether a filter has a path that leads over more than one other record.
fn is_far(filter: &Filter) -> bool {
    match filter {
        Filter::Has(path) | Filter::Missing(path) | Filter::Compare(path, ..) => {
            path.tags().len() > NEAR
        }
        Filter::And(all) | Filter::Or(all) => all.iter().any(is_far),
        Filter::Symbol(_) | Filter::Spec(_) => false,
    }
}

/// Whether bitmaps and postings say what a filter finds: a word of 64 records at a time.
fn is_by_bitmaps(filter: &Filter) -> bool {
    match filter {
        Filter::Has(path) | Filter::Missing(path) => path.single().is_some(),
        Filter::Compare(path, Op::Eq, value) => path.single().is_some() && value.as_id().is_some(),
        Filter::And(all) | Filter::Or(all) => all.iter().all(is_by_bitmaps),
        Filter::Compare(..) | Filter::Symbol(_) | Filter::Spec(_) => false,
    }
}
