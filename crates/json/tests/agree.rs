//! Random paths on random documents, here and in `serde_json_path`, which follows RFC 9535 to the
//! letter; only paths are made on which both dialects agree.
//!
//! They differ in filters where a comparison has nothing on one side, so conditions first ask
//! whether the member is there, and where a filter meets a scalar, so what is filtered must be
//! containers.

use std::collections::BTreeSet;

use kvist_json::path::{Budget, Location, Path, Step, edit_order, topmost};
use proptest::prelude::*;
use serde_json::{Value, json};
use serde_json_path::JsonPath;

use crate::value::{Doc, at, run};

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.5, -2.25]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "b", "ab", "bé"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        let name = prop::sample::select(vec!["a", "b", "c", "d", "x y", "é"]);
        let member = (name.prop_map(String::from), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::Array),
            prop::collection::vec(member, 0..5).prop_map(|all| all.into_iter().collect()),
        ]
    })
}

fn plain_selector() -> impl Strategy<Value = String> {
    let bound = || prop_oneof![Just(String::new()), (-6_i64..7).prop_map(|at| at.to_string())];
    let quoted = prop::sample::select(vec!["'a'", "\"b\"", "'x y'", "'\\u00e9'", "'zz'"]);
    prop_oneof![
        3 => quoted.prop_map(String::from),
        2 => (-4_i64..5).prop_map(|at| at.to_string()),
        1 => Just("*".to_string()),
        2 => (bound(), bound(), bound()).prop_map(|(a, b, c)| format!("{a}:{b}:{c}")),
    ]
}

/// A comparison that both dialects decide alike: its member is there.
fn comparison() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec!["1", "1.5", "'a'", "\"ab\"", "-2", "'b\\u00e9'", "true"]);
    let equality = prop::sample::select(vec!["==", "!="]);
    // Bools have an order here and none in the RFC.
    let order = prop::sample::select(vec!["<", "<=", ">", ">="]);
    let ordered = prop::sample::select(vec!["1", "0.5", "'a'", "\"ab\"", "-2"]);
    let step = prop::sample::select(vec![".a", ".b", "[0]", "[-1]", ".a.b", "['c']", ""]);
    // Theirs finds nothing at a negative index in a comparison or the argument of a function.
    let argument = prop::sample::select(vec![".a", ".b", "[0]", ".a.b", "['c']", ""]);
    prop_oneof![
        (argument.clone(), equality.clone(), value)
            .prop_map(|(step, relation, value)| format!("(@{step} && @{step} {relation} {value})")),
        (argument.clone(), order, ordered)
            .prop_map(|(step, relation, value)| format!("(@{step} && @{step} {relation} {value})")),
        (argument.clone(), argument.clone(), equality)
            .prop_map(|(a, b, is)| format!("(@{a} && @{b} && count(@{a}) {is} count(@{b}))")),
        step.clone().prop_map(|step| format!("@{step}")),
        step.clone().prop_map(|step| format!("@{step}[*]")),
        step.prop_map(|step| format!("@{step}..a")),
        argument.clone().prop_map(|step| format!("match(@{step}, 'a.?|b.')")),
        argument.prop_map(|step| format!("(@{step} && length(@{step}) > 1)")),
        Just("$..a".to_string()),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    comparison().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|all| all.join(" && ")),
            prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|all| format!("({})", all.join(" || "))),
            inner.prop_map(|one| format!("!({one})")),
        ]
    })
}

/// A segment, and whether it filters.
fn segment() -> impl Strategy<Value = (String, bool)> {
    let brackets = || {
        let selectors = prop::collection::vec(plain_selector(), 1..4);
        selectors.prop_map(|all| format!("[{}]", all.join(", ")))
    };
    let name = prop::sample::select(vec!["a", "b", "c", "é", "*"]);
    prop_oneof![
        3 => name.clone().prop_map(|name| (format!(".{name}"), false)),
        2 => brackets().prop_map(|text| (text, false)),
        1 => name.prop_map(|name| (format!("..{name}"), false)),
        1 => brackets().prop_map(|text| (format!("..{text}"), false)),
        2 => condition().prop_map(|condition| (format!("[?{condition}]"), true)),
        1 => condition().prop_map(|condition| (format!("..[?{condition}]"), false)),
    ]
}

/// So many cases, and no file of past failures.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn results_are_those_of_serde_json_path(
        document in document(),
        segments in prop::collection::vec(segment(), 0..5),
    ) {
        let mut text = String::from("$");
        for (segment, filters) in &segments {
            if *filters {
                let so_far = JsonPath::parse(&text).expect("a path of the RFC");
                let so_far = so_far.query(&document).all();
                prop_assume!(so_far.iter().all(|value| value.is_array() || value.is_object()));
            }
            text.push_str(segment);
        }
        let theirs = JsonPath::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let theirs: Vec<Value> = theirs.query(&document).all().into_iter().cloned().collect();
        let ours = run(&text, &document).unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(ours, theirs, "{} on {}", text, document);
    }

    #[test]
    fn edits_in_order_change_what_was_meant(
        document in document(),
        segments in prop::collection::vec(segment(), 1..4),
    ) {
        let text = segments.iter().fold(String::from("$"), |text, (segment, _)| text + segment);
        let path = Path::compile(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let all = path.locations(Doc(&document), &mut Budget::default()).expect("enough budget");
        let kept = topmost(all.clone());
        for location in &all {
            let above = kept.iter().filter(|kept| location.starts_with(kept)).count();
            prop_assert_eq!(above, 1, "{:?} of {}", location, &text);
        }
        // Replaced in order by marks, exactly the topmost matches are marks.
        let mut marked = document.clone();
        for &one in &edit_order(&kept) {
            *place(&mut marked, &kept[one]) = json!("MARK");
        }
        for location in &kept {
            prop_assert_eq!(at(&marked, location), json!("MARK"));
        }
        // Removed in order, as many values go as the matches had.
        let sizes: usize = kept.iter().map(|location| count(&at(&document, location))).sum();
        let mut removed = document.clone();
        for &one in &edit_order(&kept) {
            match kept[one].split_last() {
                Some((Step::Index(index), parent)) => {
                    place(&mut removed, parent).as_array_mut().expect("an array").remove(*index);
                }
                Some((Step::Member(position), parent)) => {
                    let object = place(&mut removed, parent).as_object_mut().expect("an object");
                    let name = object.keys().nth(*position).expect("a member").clone();
                    object.shift_remove(&name);
                }
                None => removed = Value::Null,
            }
        }
        if kept.iter().all(|location| !location.is_empty()) {
            prop_assert_eq!(count(&document) - sizes, count(&removed), "{}", &text);
        }
        let order: BTreeSet<usize> = edit_order(&all).into_iter().collect();
        prop_assert_eq!(order.len(), all.len());
    }
}

/// The value at steps, to be changed.
fn place<'v>(root: &'v mut Value, steps: &[Step]) -> &'v mut Value {
    steps.iter().fold(root, |value, step| match (value, step) {
        (Value::Array(items), Step::Index(index)) => &mut items[*index],
        (Value::Object(members), Step::Member(position)) => {
            members.values_mut().nth(*position).expect("a member")
        }
        (value, step) => panic!("{step:?} into {value}"),
    })
}

/// How many values there are, this one included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

#[test]
fn the_empty_location_is_the_root() {
    let path = Path::compile("$..").err().map(|_| Path::compile("$"));
    let root = path.expect("no path").expect("a path");
    let all = root.locations(Doc(&json!({"a": 1})), &mut Budget::default()).expect("enough budget");
    assert_eq!(all, [Location::new()]);
}
