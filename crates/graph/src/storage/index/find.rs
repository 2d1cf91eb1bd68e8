//! What an index finds.

use std::collections::VecDeque;
use std::ops::{Bound, Range};

use btree::{Frozen, Strings, Text};

use super::super::PropertyRef;
use super::super::view::View;
use super::entries::{Entries, id_of};
use super::{On, key};

/// What is asked of a property.
#[derive(Clone, Copy, Debug)]
pub enum Probe<'a> {
    /// It is there.
    Any,
    /// It is equal to this.
    Equal(PropertyRef<'a>),
    /// It is equal to one of these.
    In(&'a [PropertyRef<'a>]),
    /// It is between these, by `<` and `<=`.
    Between(Bound<PropertyRef<'a>>, Bound<PropertyRef<'a>>),
    /// It is a text that begins with this.
    StartsWith(&'a str),
}

/// An index of a graph, to read.
#[derive(Clone, Copy)]
pub struct Index<'v> {
    pub(super) view: &'v View,
    pub(super) number: usize,
}

/// What an index has found: numbers of nodes or edges, in order of the properties, and of their
/// own where those are equal. It holds the index as it was when it was asked, whatever becomes of
/// the graph meanwhile, so it is not kept for longer than a statement.
pub struct Found(Left);

/// What of it is left.
enum Left {
    /// These, which are few, from one place to before another.
    Few(Vec<u32>, Range<usize>),
    /// Those of many ranks.
    Many(Many),
}

/// Entries by their ranks.
struct Many {
    entries: Frozen<Strings>,
    /// In order; none is empty.
    ranges: VecDeque<Range<usize>>,
    len: usize,
}

/// So many are copied at once if they are found without their ranks.
const FEW: usize = 1024;

/// Entries from one key to before another; `None`: to the last.
type Span = (Vec<u8>, Option<Vec<u8>>);

/// How many entries are looked at to estimate how many values there are.
const SAMPLES: usize = 64;

impl<'v> Index<'v> {
    /// What it is on.
    #[must_use]
    pub fn on(&self) -> &'v On {
        &self.view.schema.get().indexes[self.number]
    }

    fn entries(&self) -> &'v Entries {
        &self.view.entries[self.number]
    }

    /// Whether all that is there has been entered. One that is not whole is not asked.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.entries().is_whole
    }

    /// How many segments have been entered, and of how many.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let all = self.view.segments_of(self.on().of);
        (if self.is_whole() { all } else { self.entries().built }, all)
    }

    /// How many entries there are: of nodes or edges that have the first property.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().part.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that it takes. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.entries().part.memory()
    }

    /// Whether the entries stand in the order of `ORDER BY` by the first property: no value of it
    /// is a list, a point or a vector. Those that lack the property come last and are not there.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.entries().part.rank(Text::from(&[key::OTHER + 1][..])) == 0
    }

    /// How many different values the first properties have, about: by 64 entries, of each of which
    /// is asked how many are equal.
    #[must_use]
    pub fn distinct(&self, properties: usize) -> usize {
        let (part, on) = (&self.entries().part, self.on());
        let keys = &on.keys[..properties.min(on.keys.len())];
        let samples = SAMPLES.min(part.len());
        let mut share = 0.0;
        for sample in 0..samples {
            let rank = sample * part.len() / samples;
            let Some(entry) = part.get(rank) else { continue };
            let mut key = Vec::new();
            self.view.put_keys(on.of.entity(id_of(entry)), keys, &mut key);
            let equal = self.ranks(&(key.clone(), key::behind(&key)));
            share += 1.0 / equal.len().max(1) as f64;
        }
        // As many as entries at most, and one at least of some.
        let estimate = (share / samples.max(1) as f64 * part.len() as f64).round() as usize;
        estimate.clamp(usize::from(samples > 0), part.len())
    }

    /// How many entries [`find`](Self::find) would find, exactly. O(log n).
    #[must_use]
    pub fn count(&self, equal: &[PropertyRef<'_>], then: Option<Probe<'_>>) -> Option<usize> {
        let spans = self.spans(equal, then)?;
        Some(spans.iter().map(|span| self.ranks(span).len()).sum())
    }

    /// Finds those whose first properties are equal to some values, and of whose next property
    /// something more may be asked. What is null, and what cannot be compared, is not found.
    /// `None`: the index cannot tell, as it is asked about lists, points or vectors, or about more
    /// properties than it is on. O(log n).
    #[must_use]
    pub fn find(&self, equal: &[PropertyRef<'_>], then: Option<Probe<'_>>) -> Option<Found> {
        let spans = self.spans(equal, then)?;
        if let Some(few) = self.few(&spans) {
            let all = 0..few.len();
            return Some(Found(Left::Few(few, all)));
        }
        let ranges = spans.iter().map(|span| self.ranks(span));
        let ranges: VecDeque<Range<usize>> =
            ranges.filter(|range| range.start < range.end).collect();
        let len = ranges.iter().map(ExactSizeIterator::len).sum();
        let entries = self.entries().part.share();
        Some(Found(Left::Many(Many { entries, ranges, len })))
    }

    /// What is in some spans, if those are short.
    fn few(&self, spans: &[Span]) -> Option<Vec<u32>> {
        let mut ids = Vec::new();
        for (start, end) in spans {
            let (start, end) = (Text::from(&start[..]), Text::from(&end.as_ref()?[..]));
            ids.extend(self.entries().part.run(start, end)?.map(id_of));
            if ids.len() > FEW {
                return None;
            }
        }
        Some(ids)
    }

    fn ranks(&self, (start, end): &Span) -> Range<usize> {
        let part = &self.entries().part;
        let start = part.rank(Text::from(&start[..]));
        let end = end.as_ref().map_or(part.len(), |end| part.rank(Text::from(&end[..])));
        start..end.max(start)
    }

    fn spans(&self, equal: &[PropertyRef<'_>], then: Option<Probe<'_>>) -> Option<Vec<Span>> {
        if equal.len() + usize::from(then.is_some()) > self.on().keys.len() {
            return None;
        }
        let mut start = Vec::new();
        for &value in equal {
            match put_equal(value, &mut start)? {
                true => {}
                false => return Some(Vec::new()),
            }
        }
        match then {
            None => Some(vec![beginning_with(start)]),
            Some(Probe::Any) => {
                let end = [&start[..], &[key::NULL]].concat();
                Some(vec![(start, Some(end))])
            }
            Some(Probe::Equal(value)) => one_of(&start, &[value]),
            Some(Probe::In(values)) => one_of(&start, values),
            Some(Probe::Between(low, high)) => between(start, low, high),
            Some(Probe::StartsWith(text)) => {
                key::put_beginning(text, &mut start);
                Some(vec![beginning_with(start)])
            }
        }
    }
}

/// Appends the key of what is to be equal to a value. Whether anything may be; `None`: the key does
/// not tell.
fn put_equal(value: PropertyRef<'_>, out: &mut Vec<u8>) -> Option<bool> {
    let at = out.len();
    key::put(value, out);
    (out[at] != key::OTHER).then_some(key::has_equals(out[at]))
}

fn beginning_with(start: Vec<u8>) -> Span {
    let end = key::behind(&start);
    (start, end)
}

fn one_of(start: &[u8], values: &[PropertyRef<'_>]) -> Option<Vec<Span>> {
    let mut keys = Vec::with_capacity(values.len());
    for &value in values {
        let mut key = start.to_vec();
        if put_equal(value, &mut key)? {
            keys.push(key);
        }
    }
    keys.sort_unstable();
    keys.dedup();
    Some(keys.into_iter().map(beginning_with).collect())
}

fn between(
    start: Vec<u8>,
    low: Bound<PropertyRef<'_>>,
    high: Bound<PropertyRef<'_>>,
) -> Option<Vec<Span>> {
    let key_of = |value| {
        let mut key = start.clone();
        key::put(value, &mut key);
        let tag = key[start.len()];
        (tag != key::OTHER).then_some((key, key::comparable(tag)))
    };
    let (low, high) = (bound(low, key_of)?, bound(high, key_of)?);
    let classes = [&low, &high].map(|bound| match bound {
        Bound::Included((_, class)) | Bound::Excluded((_, class)) => Some(*class),
        Bound::Unbounded => None,
    });
    let class = match classes {
        [None, None] => {
            let end = [&start[..], &[key::NULL]].concat();
            return Some(vec![(start, Some(end))]);
        }
        [Some(one), None] | [None, Some(one)] => one,
        [Some(one), Some(other)] if one == other => one,
        // Nothing can be compared with both.
        _ => None,
    };
    let Some((first, behind)) = class else { return Some(Vec::new()) };
    let from = match low {
        Bound::Included((key, _)) => key,
        Bound::Excluded((key, _)) => key::behind(&key)?,
        Bound::Unbounded => [&start[..], &[first]].concat(),
    };
    let to = match high {
        Bound::Included((key, _)) => key::behind(&key),
        Bound::Excluded((key, _)) => Some(key),
        Bound::Unbounded => Some([&start[..], &[behind]].concat()),
    };
    Some(vec![(from, to)])
}

/// What a function makes of the value of a bound; `None` if it makes nothing of it.
fn bound<A, B>(bound: Bound<A>, make: impl Fn(A) -> Option<B>) -> Option<Bound<B>> {
    Some(match bound {
        Bound::Included(value) => Bound::Included(make(value)?),
        Bound::Excluded(value) => Bound::Excluded(make(value)?),
        Bound::Unbounded => Bound::Unbounded,
    })
}

impl Found {
    /// How many are left.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Left::Few(_, left) => left.len(),
            Left::Many(many) => many.len,
        }
    }

    /// Whether none is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next ones, at most so many, and appends them. O(log n + their number).
    pub fn take(&mut self, most: usize, ids: &mut Vec<u32>) {
        match &mut self.0 {
            Left::Few(few, left) => {
                let end = left.end.min(left.start.saturating_add(most));
                ids.extend_from_slice(&few[left.start..end]);
                left.start = end;
            }
            Left::Many(many) => many.take(most, ids),
        }
    }

    /// Takes the last ones, from the end, at most so many, and appends them: descending order.
    pub fn take_back(&mut self, most: usize, ids: &mut Vec<u32>) {
        match &mut self.0 {
            Left::Few(few, left) => {
                let start = left.start.max(left.end.saturating_sub(most));
                ids.extend(few[start..left.end].iter().rev());
                left.end = start;
            }
            Left::Many(many) => many.take_back(most, ids),
        }
    }
}

impl Many {
    fn take(&mut self, most: usize, ids: &mut Vec<u32>) {
        let mut room = most;
        while room > 0
            && let Some(range) = self.ranges.front_mut()
        {
            let count = range.len().min(room);
            let here = range.start..range.start + count;
            range.start += count;
            if range.start == range.end {
                self.ranges.pop_front();
            }
            ids.extend(self.entries.iter(here).map(id_of));
            room -= count;
        }
        self.len -= most - room;
    }

    fn take_back(&mut self, most: usize, ids: &mut Vec<u32>) {
        let mut room = most;
        while room > 0
            && let Some(range) = self.ranges.back_mut()
        {
            let count = range.len().min(room);
            let here = range.end - count..range.end;
            range.end -= count;
            if range.start == range.end {
                self.ranges.pop_back();
            }
            ids.extend(self.entries.iter(here).rev().map(id_of));
            room -= count;
        }
        self.len -= most - room;
    }
}
