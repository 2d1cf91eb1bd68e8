//! Reading many records: what is asked for, and finding them.

use haystack::{Cell, Filter, Namespace, Search, natural};

use crate::answer::Answer;
use crate::bits::Bits;
use crate::error::{Error, ErrorKind};
use crate::evaluate::slot_at;
use crate::plan::Plan;
use crate::view::{TRASH, View};
use crate::{Slot, segment_of};

/// A filter, and the definitions that its symbols and specs have.
#[derive(Clone)]
pub struct Query<'n> {
    filter: Filter,
    namespace: Option<&'n dyn Namespace>,
}

/// Which records are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trash {
    /// Those that are not in the trash.
    #[default]
    Without,
    /// Those alone that are.
    Only,
    /// All.
    With,
}

/// How records are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// How many at most; none: all.
    pub limit: Option<usize>,
    /// What else they have to match, see [`Search`].
    pub search: Option<String>,
    /// By their display names in natural order; after the limit.
    pub sort: bool,
    /// Which.
    pub trash: Trash,
}

impl ReadOptions {
    /// At most so many.
    #[must_use]
    pub fn limit(limit: usize) -> ReadOptions {
        ReadOptions { limit: Some(limit), ..ReadOptions::default() }
    }

    fn most(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }
}

impl<'n> Query<'n> {
    /// What a filter finds.
    #[must_use]
    pub fn new(filter: Filter) -> Query<'n> {
        Query { filter, namespace: None }
    }

    /// What the text of a filter finds.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse(text: &str) -> Result<Query<'n>, Error> {
        Ok(Query::new(Filter::parse(text)?))
    }

    /// The same with definitions.
    #[must_use]
    pub fn with_namespace(mut self, namespace: &'n dyn Namespace) -> Query<'n> {
        self.namespace = Some(namespace);
        self
    }

    /// Its filter.
    #[must_use]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }
}

/// What a search is by: a filter of its own, or texts.
fn search_of(options: &ReadOptions) -> Result<(Option<Filter>, Option<Search>), Error> {
    let search = options.search.as_deref().map(Search::parse).transpose()?.flatten();
    let filter = search.as_ref().and_then(Search::filter).cloned();
    let texts = search.filter(|_| filter.is_none());
    Ok((filter, texts))
}

impl View {
    /// The records that a query finds, in the order of their places, or sorted.
    ///
    /// Takes time by words of bitmaps for tags, by values for comparisons, and by records for what
    /// neither knows; a limit ends it early.
    ///
    /// # Errors
    /// The search cannot be read.
    pub fn find_all(&self, query: &Query<'_>, options: &ReadOptions) -> Result<Vec<Slot>, Error> {
        self.find_all_while(query, options, |_| true).map(Option::unwrap_or_default)
    }

    /// The same as long as it may go on, which is asked every 1,024 records with the number of
    /// bytes that it holds. `None`: it may not.
    ///
    /// # Errors
    /// The search cannot be read.
    pub fn find_all_while(
        &self,
        query: &Query<'_>,
        options: &ReadOptions,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<Option<Vec<Slot>>, Error> {
        let mut slots = Vec::new();
        let is_whole = self.visit(query, options, |segment, found| {
            slots.extend(found.iter().map(|place| slot_at(segment, place)));
            goes_on(slots.capacity() * size_of::<Slot>())
        })?;
        if !is_whole {
            return Ok(None);
        }
        if !options.sort {
            return Ok(Some(slots));
        }
        let (mut named, mut held) = (Vec::with_capacity(slots.len()), 0);
        for slot in slots {
            let name = self.display(slot).into_owned();
            held += size_of::<(ByName, Slot)>() + name.len();
            named.push((ByName(name), slot));
            if named.len() % crate::SEGMENT == 0 && !goes_on(held) {
                return Ok(None);
            }
        }
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Some(named.into_iter().map(|(_, slot)| slot).collect()))
    }

    /// The records that a query finds from a place on, in the order of their places, so many at
    /// most: to go through all of them part by part takes no longer than at once. `goes_on` is
    /// asked every 1,024 records with the number of bytes that it holds. `None`: it may not.
    ///
    /// ```
    /// use haystack::{DateTime, Dict, Zone};
    /// use kvist_folio::{Diff, Project, Query, Trash};
    ///
    /// let mut project = Project::default();
    /// let diffs = ["a", "b", "c"].map(|id| Diff::add(id, Dict::new()).unwrap());
    /// project.commit(&diffs, DateTime::from_nanos(1_700_000_000_000_000_000, Zone::UTC))?;
    /// let all = Query::parse("id")?;
    /// let some = project.find_from(&all, Trash::With, (0, 2), |_| true).unwrap();
    /// let rest = project.find_from(&all, Trash::With, (some[1] + 1, 2), |_| true).unwrap();
    /// assert_eq!((some.len(), rest.len()), (2, 1));
    /// assert_eq!(project.id_of(rest[0]), "c");
    /// # Ok::<(), kvist_folio::Error>(())
    /// ```
    pub fn find_from(
        &self,
        query: &Query<'_>,
        trash: Trash,
        (from, most): (Slot, usize),
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Option<Vec<Slot>> {
        let options = ReadOptions { trash, ..ReadOptions::default() };
        let (mut slots, mut may) = (Vec::new(), true);
        let walked = self.visit_from(segment_of(from), query, &options, |segment, found| {
            let found = found.iter().map(|place| slot_at(segment, place));
            let left = most - slots.len();
            slots.extend(found.filter(|slot| *slot >= from).take(left));
            may = goes_on(slots.capacity() * size_of::<Slot>());
            may && slots.len() < most
        });
        // Without a search nothing is wrong with what is asked.
        walked.ok().filter(|_| may).map(|_| slots)
    }

    /// Some records as rows and columns.
    #[must_use]
    pub fn answer(&self, slots: Vec<Slot>) -> Answer<'_> {
        Answer::new(self, slots)
    }

    /// The same as rows and columns.
    ///
    /// # Errors
    /// The search cannot be read.
    pub fn read_all(&self, query: &Query<'_>, options: &ReadOptions) -> Result<Answer<'_>, Error> {
        Ok(Answer::new(self, self.find_all(query, options)?))
    }

    /// The first record that a query finds.
    ///
    /// # Errors
    /// `UnknownRecErr` with the filter: there is none.
    pub fn read(&self, query: &Query<'_>) -> Result<Slot, Error> {
        let found = self.find_all(query, &ReadOptions::limit(1))?;
        let unknown = || Error::new(ErrorKind::UnknownRec, query.filter.to_string());
        found.first().copied().ok_or_else(unknown)
    }

    /// How many records [`find_all`](Self::find_all) finds, without listing them.
    ///
    /// # Errors
    /// The search cannot be read.
    pub fn read_count(&self, query: &Query<'_>, options: &ReadOptions) -> Result<usize, Error> {
        self.read_count_while(query, options, || true).map(Option::unwrap_or_default)
    }

    /// The same as long as it may go on, which is asked every 1,024 records. `None`: it may not.
    ///
    /// # Errors
    /// The search cannot be read.
    pub fn read_count_while(
        &self,
        query: &Query<'_>,
        options: &ReadOptions,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Option<usize>, Error> {
        let mut count = 0;
        let is_whole = self.visit(query, options, |_, found| {
            count += found.count();
            goes_on()
        })?;
        Ok(is_whole.then_some(count))
    }

    /// How a query is answered: a line with the kind of plan, by Haxall's name for it, then a line
    /// for each step with the number of records it finds at most.
    #[must_use]
    pub fn explain(&self, query: &Query<'_>) -> String {
        let plan = Plan::new(self, &query.filter, query.namespace);
        format!("{}\n{}", plan.kind(&query.filter), plan.explain())
    }

    /// Walks over what is found, segment by segment, as long as it may go on; whether it has come
    /// to the end.
    fn visit(
        &self,
        query: &Query<'_>,
        options: &ReadOptions,
        with: impl FnMut(usize, &Bits) -> bool,
    ) -> Result<bool, Error> {
        self.visit_from(0, query, options, with)
    }

    /// The same from a segment on.
    fn visit_from(
        &self,
        first: usize,
        query: &Query<'_>,
        options: &ReadOptions,
        mut with: impl FnMut(usize, &Bits) -> bool,
    ) -> Result<bool, Error> {
        let (second, mut texts) = search_of(options)?;
        let plan = Plan::new(self, &query.filter, query.namespace);
        let second = second.as_ref().map(|filter| Plan::new(self, filter, query.namespace));
        let mut left = options.most();
        for segment in first..self.segments() {
            if left == 0 {
                break;
            }
            let trash = self.bits(TRASH, segment);
            let among = match options.trash {
                Trash::Without => plan.live(segment).and_not(&trash),
                Trash::Only => plan.live(segment).and(&trash),
                Trash::With => plan.live(segment),
            };
            let mut found = plan.find(segment, among);
            if let Some(second) = &second {
                found = second.find(segment, found);
            }
            if let Some(texts) = &mut texts {
                found = cut(&found, left, |place| self.fits(texts, slot_at(segment, place)));
            } else if found.count() > left {
                found = cut(&found, left, |_| true);
            }
            left -= found.count().min(left);
            if !with(segment, &found) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a record has what is searched for.
    fn fits(&self, search: &mut Search, slot: Slot) -> bool {
        let cells = self.columns.iter().map(|column| column.cell(slot));
        let texts = cells.filter_map(|cell| match cell {
            Cell::Str(text) => Some(text),
            _ => None,
        });
        search.matches(&self.display(slot), Some(self.id_of(slot)), texts)
    }
}

/// The first records, at most so many, of which a test says so.
fn cut(found: &Bits, most: usize, mut test: impl FnMut(u16) -> bool) -> Bits {
    let mut kept = Bits::NONE;
    found.iter().filter(|place| test(*place)).take(most).for_each(|place| kept.add(place));
    kept
}

/// A display name in natural order.
#[derive(PartialEq, Eq)]
struct ByName(String);

impl Ord for ByName {
    fn cmp(&self, other: &ByName) -> std::cmp::Ordering {
        natural::compare(&self.0, &other.0)
    }
}

impl PartialOrd for ByName {
    fn partial_cmp(&self, other: &ByName) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
