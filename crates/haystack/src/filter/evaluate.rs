//! What a filter finds.
//!
//! A path is followed hop by hop with all the places where it can lead, as lists of refs lead to
//! several. Each end of it is tested, and one that passes is enough, for `not` as well:
//!
//! ```text
//!   refs->site->dis           refs: [@a, @b]     site: @s, and nothing
//!        record ─► @a ─► @s ─► dis               an end: a value
//!              └─► @b ─► nothing                 an end: no value
//! ```
//!
//! A place that was reached before is not followed again, so the cost of a hop is bounded by the
//! number of records, and not by a product of lists.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::{Filter, Op, Path, Records, SpecName};
use crate::{Cell, DateTime, Dict, Name, Namespace, Tag, Value, defs};

/// Evaluates a filter on records.
///
/// ```
/// use kvist_haystack::{Evaluator, Filter, trio};
/// let records = trio::read("id: @a\nrefs: [@b]\n---\nid: @b\narea: 5m²\n")?;
/// let filter = Filter::parse("refs->area > 4m²")?;
/// let evaluator = Evaluator::new(&filter, &records[..]);
/// assert!(evaluator.matches(&&records[0]) && !evaluator.matches(&&records[1]));
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub struct Evaluator<'f, R> {
    filter: &'f Filter,
    records: R,
    namespace: Option<&'f dyn Namespace>,
    /// What each symbol stands for.
    terms: HashMap<&'f Name, Vec<Vec<Tag>>>,
    spec: Tag,
}

/// Where a path has led.
enum Place<'a, T> {
    Record(T),
    Dict(&'a Dict),
    Instant(DateTime),
}

/// The places of the next hop.
struct Next<'a, T> {
    places: Vec<Place<'a, T>>,
    /// The ids that lists have led to.
    seen: HashSet<&'a str>,
}

impl<'f, R: Records> Evaluator<'f, R> {
    /// Evaluates without definitions: a symbol stands for its own parts, and nothing is of a spec.
    pub fn new(filter: &'f Filter, records: R) -> Evaluator<'f, R> {
        let mut evaluator = Evaluator {
            filter,
            records,
            namespace: None,
            terms: HashMap::new(),
            spec: Tag::known("spec"),
        };
        evaluator.resolve(filter);
        evaluator
    }

    /// The same with definitions.
    pub fn with_namespace(mut self, namespace: &'f dyn Namespace) -> Evaluator<'f, R> {
        self.namespace = Some(namespace);
        self.terms.clear();
        self.resolve(self.filter);
        self
    }

    /// Looks up what the symbols of a filter stand for.
    fn resolve(&mut self, filter: &'f Filter) {
        match filter {
            Filter::Symbol(name) => {
                let known = self.namespace.and_then(|namespace| namespace.terms(name));
                let terms = known.unwrap_or_else(|| defs::parts(name).into_iter().collect());
                self.terms.insert(name, terms);
            }
            Filter::And(parts) | Filter::Or(parts) => {
                parts.iter().for_each(|part| self.resolve(part));
            }
            _ => {}
        }
    }

    /// Whether a record matches.
    pub fn matches(&self, record: &R::Record) -> bool {
        self.eval(self.filter, record)
    }

    fn eval(&self, filter: &Filter, record: &R::Record) -> bool {
        match filter {
            Filter::Has(path) => self.any_end(record, path, &|end| !end.is_null()),
            Filter::Missing(path) => self.any_end(record, path, &|end| end.is_null()),
            Filter::Compare(path, op, value) => {
                let value = value.cell();
                self.any_end(record, path, &|end| op.holds(end, &value))
            }
            Filter::Symbol(name) => self.is_symbol(record, name),
            Filter::Spec(name) => self.is_spec(record, name),
            Filter::And(parts) => parts.iter().all(|part| self.eval(part, record)),
            Filter::Or(parts) => parts.iter().any(|part| self.eval(part, record)),
        }
    }

    fn is_symbol(&self, record: &R::Record, name: &Name) -> bool {
        let has = |tag: &Tag| !self.records.tag(record, tag).is_null();
        let terms = self.terms.get(name);
        terms.is_some_and(|terms| terms.iter().any(|tags| tags.iter().all(has)))
    }

    fn is_spec(&self, record: &R::Record, wanted: &SpecName) -> bool {
        match (self.namespace, self.records.tag(record, &self.spec)) {
            (Some(namespace), Cell::Ref(spec, _)) => namespace.is_spec(spec, wanted),
            _ => false,
        }
    }

    /// Whether any end of a path passes a test.
    fn any_end(&self, record: &R::Record, path: &Path, test: &dyn Fn(&Cell<'_>) -> bool) -> bool {
        let Some((last, before)) = path.tags().split_last() else { return false };
        if before.is_empty() {
            return end_passes(&self.records.tag(record, last), test);
        }
        let mut places = vec![Place::Record(record.clone())];
        for tag in before {
            let mut next = Next { places: Vec::new(), seen: HashSet::new() };
            for place in &places {
                let cell = self.step(place, tag);
                if self.follow(cell, &mut next, test) {
                    return true;
                }
            }
            places = next.places;
        }
        places.iter().any(|place| end_passes(&self.step(place, last), test))
    }

    /// The value of a tag at a place.
    fn step<'a>(&'a self, place: &Place<'a, R::Record>, tag: &Tag) -> Cell<'a> {
        match place {
            Place::Record(record) => self.records.tag(record, tag),
            Place::Dict(dict) => dict.get(tag).map_or(Cell::Null, Value::cell),
            Place::Instant(instant) => part_of_instant(*instant, tag),
        }
    }

    /// Notes where a value in the middle of a path leads. If that is nowhere, the path has an end
    /// here: whether that passes the test.
    fn follow<'a>(
        &'a self,
        cell: Cell<'a>,
        next: &mut Next<'a, R::Record>,
        test: &dyn Fn(&Cell<'_>) -> bool,
    ) -> bool {
        match cell {
            Cell::Dict(dict) => next.places.push(Place::Dict(dict)),
            Cell::DateTime(instant) => next.places.push(Place::Instant(instant)),
            Cell::Ref(id, _) => match self.records.find(id) {
                Some(record) => next.places.push(Place::Record(record)),
                None => return test(&Cell::Null),
            },
            Cell::List([]) => {}
            Cell::List(list) if has_refs(list) => {
                for id in list.iter().filter_map(Value::as_id) {
                    if !next.seen.insert(id.as_str()) {
                        continue;
                    }
                    match self.records.find(id) {
                        Some(record) => next.places.push(Place::Record(record)),
                        None if test(&Cell::Null) => return true,
                        None => {}
                    }
                }
            }
            _ => return test(&Cell::Null),
        }
        false
    }
}

/// What a path finds below an instant: its `date`, `time` and `tz`.
pub fn part_of_instant(instant: DateTime, tag: &str) -> Cell<'static> {
    match tag {
        "date" => Cell::Date(instant.date()),
        "time" => Cell::Time(instant.time()),
        "tz" => Cell::Str(instant.zone().city()),
        _ => Cell::Null,
    }
}

fn has_refs(list: &[Value]) -> bool {
    list.iter().any(|value| value.as_id().is_some())
}

/// Whether the value at the end of a path passes: of a list, any of its refs, or the list itself.
fn end_passes(end: &Cell<'_>, test: &dyn Fn(&Cell<'_>) -> bool) -> bool {
    let of_list = if let Cell::List(list) = end { list } else { &[][..] };
    let mut refs = of_list.iter().map(Value::cell).filter(|cell| matches!(cell, Cell::Ref(..)));
    refs.any(|cell| test(&cell)) || test(end)
}

impl Op {
    /// Whether a value compares so. One that is not there never does; one of another kind or unit
    /// is not equal, and neither less nor greater.
    pub fn holds(self, of: &Cell<'_>, to: &Cell<'_>) -> bool {
        match self {
            _ if of.is_null() => false,
            Op::Eq => of == to,
            Op::Ne => of != to,
            Op::Lt => of.compare(to) == Some(Ordering::Less),
            Op::Gt => of.compare(to) == Some(Ordering::Greater),
            Op::Le => of.compare(to).is_some_and(Ordering::is_le),
            Op::Ge => of.compare(to).is_some_and(Ordering::is_ge),
        }
    }
}
