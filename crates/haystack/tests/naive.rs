//! Filters evaluated word by word as the rules are written down, without any care for cost.

use kvist_haystack::filter::{Filter, Op};
use kvist_haystack::{Dict, Kind, Tag, Value};

/// What a path is followed from.
#[derive(Clone)]
enum At<'a> {
    Dict(&'a Dict),
    Instant(Value),
}

fn get(at: &At<'_>, tag: &Tag) -> Value {
    match at {
        At::Dict(dict) => dict.get(tag).cloned().unwrap_or_default(),
        At::Instant(value) => {
            let kvist_haystack::Cell::DateTime(instant) = value.cell() else { return Value::NULL };
            match tag.as_str() {
                "date" => instant.date().into(),
                "time" => instant.time().into(),
                "tz" => instant.zone().city().into(),
                _ => Value::NULL,
            }
        }
    }
}

fn is_ref(value: &Value) -> bool {
    value.kind() == Kind::Ref
}

/// Whether a value at the start of what is left of a path passes a test.
fn from(value: &Value, rest: &[Tag], records: &[Dict], test: &dyn Fn(&Value) -> bool) -> bool {
    if let Some(list) = value.as_list().filter(|list| list.is_empty() || list.iter().any(is_ref)) {
        let any = list.iter().any(|element| is_ref(element) && from(element, rest, records, test));
        return any || rest.is_empty() && test(value);
    }
    let Some((tag, rest)) = rest.split_first() else { return test(value) };
    let dict;
    let at = match value.kind() {
        Kind::Ref => match records.iter().find(|record| record.get("id") == Some(value)) {
            Some(record) => At::Dict(record),
            None => return test(&Value::NULL),
        },
        Kind::Dict => {
            dict = value.as_dict().unwrap().clone();
            At::Dict(&dict)
        }
        Kind::DateTime => At::Instant(value.clone()),
        _ => return test(&Value::NULL),
    };
    from(&get(&at, tag), rest, records, test)
}

fn holds(op: Op, value: &Value, literal: &Value) -> bool {
    let same_unit = || match (value.as_number(), literal.as_number()) {
        (Some(a), Some(b)) => a.unit == b.unit,
        _ => true,
    };
    let ordered = || value.kind() == literal.kind() && same_unit();
    match op {
        _ if value.is_null() => false,
        Op::Eq => value == literal,
        Op::Ne => value != literal,
        Op::Lt => ordered() && value < literal,
        Op::Le => ordered() && value <= literal,
        Op::Gt => ordered() && value > literal,
        Op::Ge => ordered() && value >= literal,
    }
}

/// Whether a record matches, without definitions.
pub fn matches(filter: &Filter, record: &Dict, records: &[Dict]) -> bool {
    let ends = |tags: &[Tag], test: &dyn Fn(&Value) -> bool| {
        let (first, rest) = tags.split_first().unwrap();
        from(&get(&At::Dict(record), first), rest, records, test)
    };
    match filter {
        Filter::Has(path) => ends(path.tags(), &|value| !value.is_null()),
        Filter::Missing(path) => ends(path.tags(), &|value| value.is_null()),
        Filter::Compare(path, op, literal) => {
            ends(path.tags(), &|value| holds(*op, value, literal))
        }
        Filter::Symbol(symbol) => symbol.split('-').all(|part| record.has(part)),
        Filter::Spec(_) => false,
        Filter::And(parts) => parts.iter().all(|part| matches(part, record, records)),
        Filter::Or(parts) => parts.iter().any(|part| matches(part, record, records)),
    }
}
