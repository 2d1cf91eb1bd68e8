//! Columns of Arrow's types.

use graph::temporal::{DAY_NANOS, NANOS, Zone};
use graph::value::{Value, text};

use super::entities::{Entities, name};
use super::json;
use super::pack::{Packed, PackedTexts};
use crate::column::{Bitmap, Cells, Column};

/// A column of an answer.
pub(super) fn column(
    cells: &Packed,
    present: Option<&Bitmap>,
    rows: usize,
    all: &Entities,
) -> Column {
    let cells = match cells {
        Packed::Nothing => Cells::Nothing,
        Packed::Truths(bits) => Cells::Bools(bits.clone()),
        Packed::Integers(numbers) => Cells::Ints(numbers.clone()),
        Packed::Floats(numbers) => Cells::Floats(numbers.clone()),
        Packed::Texts(PackedTexts { offsets, text }) => {
            let bytes = text.clone().into_bytes();
            Cells::Bytes { offsets: offsets.clone(), bytes, text: true }
        }
        Packed::Repeated { texts, places } => {
            let there = |row| present.is_none_or(|present| present.get(row));
            let shown = places.iter().enumerate();
            strings(shown.map(|(row, &at)| if there(row) { texts.get(at as usize) } else { "" }))
        }
        Packed::Nodes(places) => nodes(places.iter().map(|&place| place.into()), all),
        Packed::Relationships(places) => {
            relationships(places.iter().map(|&place| place.into()), all)
        }
        Packed::Values(values) => return of_values(&values.iter().collect::<Vec<_>>(), all),
    };
    Column::of(cells, rows, present.cloned())
}

/// A column of values of any types.
fn of_values(values: &[&Value], all: &Entities) -> Column {
    let mut present = Bitmap::default();
    values.iter().for_each(|value| present.push(!value.is_null()));
    let missing = values.iter().any(|value| value.is_null());
    let cells = cells(values, all).unwrap_or_else(|| shown(values, all));
    Column::of(cells, values.len(), missing.then_some(present))
}

/// The largest number up to which all whole numbers are floats too.
const EXACT: u64 = 1 << 53;

/// Values of one type, if there is one of Arrow for them.
fn cells(values: &[&Value], all: &Entities) -> Option<Cells> {
    let first = values.iter().find(|value| !value.is_null());
    Some(match first {
        None => Cells::Nothing,
        Some(Value::Boolean(_)) => {
            let mut bits = Bitmap::default();
            each(values, |one| if let Value::Boolean(is) = one { Some(*is) } else { None })?
                .into_iter()
                .for_each(|bit| bits.push(bit));
            Cells::Bools(bits)
        }
        Some(Value::Integer(_) | Value::Float(_)) => numbers(values)?,
        Some(Value::String(_)) => strings(
            each(values, |one| if let Value::String(text) = one { Some(&**text) } else { None })?
                .into_iter(),
        ),
        Some(Value::Node(_)) => nodes(
            each(values, |one| if let Value::Node(at) = one { Some(*at) } else { None })?
                .into_iter(),
            all,
        ),
        Some(Value::Relationship(_)) => relationships(
            each(values, |one| if let Value::Relationship(at) = one { Some(*at) } else { None })?
                .into_iter(),
            all,
        ),
        Some(Value::List(..) | Value::Vector(_)) => lists(values, all)?,
        Some(Value::Point(_)) => points(values)?,
        Some(
            Value::Date(_)
            | Value::LocalTime(_)
            | Value::LocalDateTime(_)
            | Value::DateTime(_)
            | Value::Duration(_),
        ) => times(values)?,
        Some(Value::Time(_) | Value::Map(_) | Value::Path(_) | Value::Null) => return None,
    })
}

/// Something of each value, and the least there is where one is missing; nothing if a value has no
/// such thing.
fn each<'v, T: Default>(
    values: &[&'v Value],
    of: impl Fn(&'v Value) -> Option<T>,
) -> Option<Vec<T>> {
    let one = |value: &&'v Value| if value.is_null() { Some(T::default()) } else { of(value) };
    values.iter().map(one).collect()
}

fn numbers(values: &[&Value]) -> Option<Cells> {
    let whole = |one: &Value| if let Value::Integer(number) = one { Some(*number) } else { None };
    if let Some(numbers) = each(values, whole) {
        return Some(Cells::Ints(numbers));
    }
    each(values, |one| match one {
        Value::Float(number) => Some(*number),
        // Exact: it has no more bits than a float's fraction.
        Value::Integer(number) if number.unsigned_abs() <= EXACT => Some(*number as f64),
        _ => None,
    })
    .map(Cells::Floats)
}

fn times(values: &[&Value]) -> Option<Cells> {
    if let Some(Value::Date(_)) = values.iter().find(|value| !value.is_null()) {
        return each(values, |one| match one {
            Value::Date(date) => i32::try_from(date.days()).ok(),
            _ => None,
        })
        .map(Cells::Days);
    }
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(NANOS)?.checked_add(nanos.into());
    match values.iter().find(|value| !value.is_null())? {
        Value::LocalTime(_) => each(values, |one| match one {
            Value::LocalTime(time) => Some(time.nanos()),
            _ => None,
        })
        .map(Cells::TimesOfDay),
        Value::LocalDateTime(_) => each(values, |one| match one {
            Value::LocalDateTime(both) => nanos(both.seconds(), both.nanos()),
            _ => None,
        })
        .map(|nanos| Cells::Instants { nanos, zone: None }),
        Value::DateTime(first) => {
            let mut same = true;
            let found = values.iter().filter_map(|one| match one {
                Value::DateTime(both) => Some(both.zone()),
                _ => None,
            });
            found.for_each(|zone: Zone| same &= zone == first.zone());
            let name = if same { first.zone().name() } else { None };
            let zone = Some(name.unwrap_or("UTC").to_owned());
            each(values, |one| match one {
                Value::DateTime(both) => nanos(both.instant().seconds, both.instant().nanos),
                _ => None,
            })
            .map(|nanos| Cells::Instants { nanos, zone })
        }
        // A month is not always as long.
        _ => each(values, |one| match one {
            Value::Duration(span) if span.months() == 0 => {
                span.days().checked_mul(DAY_NANOS)?.checked_add(span.all_nanos().try_into().ok()?)
            }
            _ => None,
        })
        .map(Cells::Spans),
    }
}

fn points(values: &[&Value]) -> Option<Cells> {
    let both = each(values, |one| match one {
        Value::Point(point) => Some((f64::from(point.latitude), f64::from(point.longitude))),
        _ => None,
    })?;
    let (latitudes, longitudes): (Vec<_>, Vec<_>) = both.into_iter().unzip();
    let field = |numbers| Column::of(Cells::Floats(numbers), values.len(), None);
    let fields = vec![("latitude", field(latitudes)), ("longitude", field(longitudes))];
    Some(Cells::Structs(fields))
}

fn lists(values: &[&Value], all: &Entities) -> Option<Cells> {
    let mut of_vectors: Vec<Vec<Value>> = Vec::new();
    for value in values {
        match value {
            Value::Null | Value::List(..) => {}
            Value::Vector(numbers) => {
                of_vectors.push(numbers.iter().map(|&one| Value::Float(one.into())).collect());
            }
            _ => return None,
        }
    }
    let (mut items, mut offsets, mut vectors) = (Vec::new(), vec![0_i64], of_vectors.iter());
    for value in values {
        match value {
            Value::List(values, _) => items.extend(values.iter()),
            Value::Vector(_) => items.extend(vectors.next().into_iter().flatten()),
            _ => {}
        }
        offsets.push(offset(items.len()));
    }
    Some(Cells::Lists { offsets, items: Box::new(of_values(&items, all)) })
}

fn offset(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX) // no vector is that long
}

fn strings<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> Cells {
    let (mut offsets, mut bytes) = (vec![0], Vec::new());
    for text in texts {
        bytes.extend_from_slice(text.as_ref().as_bytes());
        offsets.push(offset(bytes.len()));
    }
    Cells::Bytes { offsets, bytes, text: true }
}

/// Times as `toString` gives them, where there are no others; else JSON.
fn shown(values: &[&Value], all: &Entities) -> Cells {
    let is_time = |value: &&&Value| {
        matches!(
            value,
            Value::Null
                | Value::Date(_)
                | Value::LocalTime(_)
                | Value::Time(_)
                | Value::LocalDateTime(_)
                | Value::DateTime(_)
                | Value::Duration(_)
        )
    };
    let times = values.iter().all(|value| is_time(&value));
    strings(values.iter().map(|value| match value {
        Value::Null => String::new(),
        value if times => text::scalar(value).unwrap_or_default(),
        value => {
            let mut json = Vec::new();
            json::value(all, value, &mut json);
            String::from_utf8(json).unwrap_or_default()
        }
    }))
}

/// Places as ids; 0 of what is not there.
fn ids(ids: impl Iterator<Item = Option<u64>>) -> Column {
    let ids: Vec<i64> = ids.map(|id| id.unwrap_or_default().cast_signed()).collect();
    let len = ids.len();
    Column::of(Cells::Ints(ids), len, None)
}

fn nodes(places: impl Iterator<Item = u64>, all: &Entities) -> Cells {
    let nodes: Vec<_> = places.map(|place| all.node(place)).collect();
    let (mut offsets, mut labels) = (vec![0], Vec::new());
    for node in &nodes {
        let named = node.iter().flat_map(|node| &node.labels);
        labels.extend(named.map(|&label| name(&all.labels, label)));
        offsets.push(offset(labels.len()));
    }
    let many = labels.len();
    let items = Box::new(Column::of(strings(labels.into_iter()), many, None));
    let labels = Column::of(Cells::Lists { offsets, items }, nodes.len(), None);
    let properties = nodes.iter().map(|node| node.map(|node| &node.properties[..]));
    Cells::Structs(vec![
        ("id", ids(nodes.iter().map(|node| node.map(|node| node.id)))),
        ("labels", labels),
        ("properties", properties_of(properties, all)),
    ])
}

fn relationships(places: impl Iterator<Item = u64>, all: &Entities) -> Cells {
    let edges: Vec<_> = places.map(|place| all.relationship(place)).collect();
    let ends: Vec<_> = edges.iter().map(|edge| edge.and_then(|edge| edge.ends)).collect();
    let types = ends.iter().map(|ends| ends.map_or("", |ends| name(&all.types, ends.0)));
    // What the statement has deleted has none.
    let gone = || {
        let mut present = Bitmap::default();
        ends.iter().for_each(|ends| present.push(ends.is_some()));
        ends.iter().any(Option::is_none).then_some(present)
    };
    let end = |of: fn((u32, u64, u64)) -> u64| {
        let ids: Vec<i64> = ends.iter().map(|it| it.map_or(0, of).cast_signed()).collect();
        Column::of(Cells::Ints(ids), ends.len(), gone())
    };
    let properties = edges.iter().map(|edge| edge.map(|edge| &edge.properties[..]));
    Cells::Structs(vec![
        ("id", ids(edges.iter().map(|edge| edge.map(|edge| edge.id)))),
        ("type", Column::of(strings(types), edges.len(), gone())),
        ("source", end(|ends| ends.1)),
        ("target", end(|ends| ends.2)),
        ("properties", properties_of(properties, all)),
    ])
}

/// Properties as texts of JSON.
fn properties_of<'e>(
    properties: impl ExactSizeIterator<Item = Option<&'e [(u32, Value)]>>,
    all: &Entities,
) -> Column {
    let len = properties.len();
    let texts = strings(properties.map(|properties| {
        let mut json = Vec::new();
        json::properties(properties.unwrap_or_default(), all, &mut json);
        String::from_utf8(json).unwrap_or_default()
    }));
    Column::of(texts, len, None)
}
