//! Reading and writing, against `serde_json`.

use kvist_json::{Kind, Num, Registry, Tree, Value};
use proptest::prelude::*;
use serde_json::Value as Model;

use crate::samples;

fn written(value: &Value) -> String {
    let mut out = Vec::new();
    value.root().write(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// Looks at every part of `node` through its interface.
fn assert_same<'a>(node: impl Tree<'a>, model: &Model) {
    match model {
        Model::Null => assert_eq!(node.kind(), Kind::Null),
        Model::Bool(value) => assert_eq!(node.as_bool(), Some(*value)),
        Model::String(text) => assert_eq!(node.as_str().as_deref(), Some(text.as_str())),
        Model::Number(number) => match node.as_num().expect("a number") {
            Num::I64(value) => assert_eq!(number.as_i64(), Some(value)),
            Num::U64(value) => {
                assert_eq!((number.as_u64(), number.as_i64()), (Some(value), None));
            }
            Num::F64(value) => {
                assert!(number.is_f64());
                assert_eq!(number.as_f64().map(f64::to_bits), Some(value.to_bits()));
            }
        },
        Model::Array(elements) => {
            assert_eq!((node.kind(), node.len()), (Kind::Array, elements.len()));
            for (index, element) in elements.iter().enumerate() {
                assert_same(node.at(index).expect("an element"), element);
            }
            assert!(node.at(elements.len()).is_none());
        }
        Model::Object(members) => {
            assert_eq!((node.kind(), node.len()), (Kind::Object, members.len()));
            for (position, (name, value)) in members.iter().enumerate() {
                assert_eq!(node.name_at(position), Some(name.as_str()));
                assert_same(node.at(position).expect("a member"), value);
                let (found, member) = node.member(name).expect("a member");
                assert_eq!(found, position);
                assert_same(member, value);
            }
            assert!(node.member("no such name").is_none());
            assert!(node.at(members.len()).is_none() && node.name_at(members.len()).is_none());
        }
    }
}

/// Parses several times, as the first sight of a form is kept in another way than the second.
fn check(text: &str, registry: &mut Registry) {
    let model: Model = serde_json::from_str(text).expect("JSON");
    let mut first = String::new();
    for sight in 0..3 {
        let value = Value::parse(text.as_bytes(), registry).expect("JSON");
        assert_same(value.root(), &model);
        let written = written(&value);
        let again: Model = serde_json::from_str(&written).expect("JSON");
        assert_eq!(again, model);
        if sight == 0 {
            let short = kvist_json::canonical(text.as_bytes(), registry).expect("JSON");
            assert_eq!(std::str::from_utf8(&short), Ok(written.as_str()));
            let same = kvist_json::canonical(&short, registry).expect("JSON");
            assert_eq!(same, short, "canonical text is its own");
            first = written;
        } else {
            assert_eq!(written, first);
        }
    }
}

/// Random text of JSON, with white space, escapes and names that occur twice.
fn json() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        (-1000_i32..1000).prop_map(|n| n.to_string()),
        (any::<i32>(), 0_u32..12).prop_map(|(n, e)| format!("{}e-{e}", n)),
        (-100_000_i32..100_000, 0_u32..9).prop_map(|(n, e)| {
            let digits = format!("{:09}", n.unsigned_abs());
            let (whole, part) = digits.split_at(9 - e as usize);
            let sign = if n < 0 { "-" } else { "" };
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() { "0" } else { whole };
            if part.is_empty() {
                format!("{sign}{whole}.0")
            } else {
                format!("{sign}{whole}.{part}")
            }
        }),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        any::<f32>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
    ];
    let plain = prop_oneof!["[a-c]{0,4}", "[a-z é✓\\\\\"\n\u{1}/]{0,40}", "(long text ){2,16}"];
    let string = (plain, any::<bool>()).prop_map(|(text, escaped)| {
        let text = serde_json::to_string(&text).expect("a string");
        if escaped { text.replace('/', "\\/").replace('a', "\\u0061") } else { text }
    });
    let numbers = proptest::collection::vec(number.clone(), 0..20)
        .prop_map(|numbers| format!("[{}]", numbers.join(" , ")));
    let small = proptest::collection::vec((-200_i32..300).prop_map(|n| n.to_string()), 0..20)
        .prop_map(|numbers| format!("[{}]", numbers.join(",")));
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        number,
        string.clone(),
        numbers,
        small,
    ];
    scalar.prop_recursive(6, 200, 40, move |inner| {
        let member = (string.clone(), inner.clone());
        let short =
            ("[a-e]", inner.clone()).prop_map(|(name, value)| (format!("\"{name}\""), value));
        let object = |members: Vec<(String, String)>| {
            let members: Vec<String> =
                members.into_iter().map(|(name, value)| format!("{name} :{value}")).collect();
            format!("{{{}\n}}", members.join(", "))
        };
        prop_oneof![
            proptest::collection::vec(inner, 0..10).prop_map(|all| format!("[ {}]", all.join(","))),
            proptest::collection::vec(member, 0..40).prop_map(object),
            proptest::collection::vec(short, 0..8).prop_map(object),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_read_is_what_was_written(texts in proptest::collection::vec(json(), 1..4)) {
        let mut registry = Registry::new();
        for text in texts {
            check(&text, &mut registry);
        }
    }

    /// Whatever happens to a text, we say of it what `serde_json` says.
    #[test]
    fn errors_are_those_of_serde_json(
        text in json(),
        changes in proptest::collection::vec((any::<u16>(), any::<u8>(), 0_u8..3), 1..4),
    ) {
        const BYTES: &[u8] = b"{}[]\",:\\0123456789.eE+- \n\t\x01tfnul\xc3\xa9\xff";
        let mut text = text.into_bytes();
        for (at, byte, kind) in changes {
            let at = usize::from(at) % (text.len() + 1);
            let byte = BYTES[usize::from(byte) % BYTES.len()];
            match kind {
                0 => text.insert(at, byte),
                1 if at < text.len() => drop(text.remove(at)),
                2 => text.truncate(at),
                _ => {}
            }
        }
        let mut registry = Registry::new();
        let ours = Value::parse(&text, &mut registry);
        let checked = kvist_json::canonical(&text, &mut registry);
        match serde_json::from_slice::<Model>(&text) {
            Ok(model) => {
                assert_same(ours.expect("JSON").root(), &model);
                prop_assert!(checked.is_ok());
            }
            Err(error) => {
                let ours = ours.expect_err("no JSON");
                let shown = String::from_utf8_lossy(&text).into_owned();
                prop_assert_eq!(ours.to_string(), error.to_string(), "{}", shown);
                prop_assert_eq!(checked.expect_err("no JSON"), ours);
            }
        }
    }
}

#[test]
fn the_documents_of_the_report_come_back() {
    let mut registry = Registry::new();
    for (name, text) in samples::files(None) {
        println!("{name}");
        check(std::str::from_utf8(&text).expect("UTF-8"), &mut registry);
    }
    check(std::str::from_utf8(&samples::records(500)).expect("UTF-8"), &mut registry);
}

#[test]
fn names_that_occur_twice_count_with_the_last_value() {
    let mut registry = Registry::new();
    for _ in 0..3 {
        let text = br#"{"b":[1.5,"long enough for a block"],"a":1,"b":{"x":2},"c":3,"\u0062":4}"#;
        let value = Value::parse(text, &mut registry).expect("JSON");
        assert_eq!(written(&value), r#"{"b":4,"a":1,"c":3}"#);
        let canonical = kvist_json::canonical(text, &mut registry).expect("JSON");
        assert_eq!(&*canonical, br#"{"b":4,"a":1,"c":3}"#);
    }
}

/// Whether names are looked at anew may depend on those of the objects before.
#[test]
fn names_that_occur_twice_are_found_behind_objects_that_are_alike() {
    let mut registry = Registry::new();
    for count in [5, 6, 7, 24, 25, 63, 64, 65] {
        let object = |names: &[usize]| {
            let members: Vec<String> =
                names.iter().enumerate().map(|(at, name)| format!("\"n{name}\": {at}")).collect();
            format!("{{{}}}", members.join(", "))
        };
        let plain: Vec<usize> = (0..count).collect();
        let (mut twins, mut turned) = (plain.clone(), plain.clone());
        twins[count - 1] = 0;
        turned.reverse();
        for last in [&plain, &twins, &turned] {
            let all = [&plain, &plain, &turned, last, &plain].map(|names| object(names));
            let text = format!("[{}]", all.join(" ,"));
            let value = Value::parse(text.as_bytes(), &mut registry).expect("JSON");
            let canonical = kvist_json::canonical(text.as_bytes(), &mut registry).expect("JSON");
            assert_eq!(str::from_utf8(&canonical).expect("UTF-8"), written(&value));
        }
    }
}

/// A text may become longer than it was, at every number in it.
#[test]
fn a_text_that_grows_is_written_whole() {
    let mut registry = Registry::new();
    let pieces = [r#"1e15"#, r#" "\u0001 and more that is kept as it is""#].repeat(3000);
    let text = format!("[{}]", pieces.join(","));
    let value = Value::parse(text.as_bytes(), &mut registry).expect("JSON");
    let canonical = kvist_json::canonical(text.as_bytes(), &mut registry).expect("JSON");
    assert_eq!(str::from_utf8(&canonical).expect("UTF-8"), written(&value));
    assert!(canonical.len() > text.len());
}

#[test]
fn depth_has_an_end_however_deep() {
    let mut registry = Registry::new();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth| [open.repeat(depth), "1".to_owned(), close.repeat(depth)].concat();
        let value = Value::parse(nested(127).as_bytes(), &mut registry).expect("deep");
        assert_eq!(value.depth(), 127);
        assert_eq!(written(&value), nested(127));
        for depth in [128, 129, 1_000_000] {
            let error = Value::parse(nested(depth).as_bytes(), &mut registry).expect_err("deeper");
            assert!(error.is_depth());
            assert!(kvist_json::canonical(nested(depth).as_bytes(), &mut registry).is_err());
        }
    }
}

#[test]
fn large_things_are_things() {
    let mut registry = Registry::new();
    let long = format!("\"{}\"", "x".repeat(100 << 20));
    let value = Value::parse(long.as_bytes(), &mut registry).expect("a string");
    assert_eq!(value.root().as_str().expect("a string").len(), 100 << 20);
    assert!(value.memory() < (100 << 20) + (1 << 20));

    let mut names = String::from("{");
    for n in 0..1_000_000 {
        names.push_str(&format!("\"n{n}\":{n},"));
    }
    names.push_str("\"end\":null}");
    let value = Value::parse(names.as_bytes(), &mut registry).expect("an object");
    assert_eq!(value.root().len(), 1_000_001);
    for n in [0, 1, 500_000, 999_999] {
        let (position, member) = value.root().member(&format!("n{n}")).expect("a member");
        assert_eq!((position, member.as_num()), (n as usize, Some(Num::I64(n))));
    }
    assert_eq!(written(&value), names);
    assert!(registry.memory() < 256 << 10, "{}", registry.memory());
}

#[test]
fn documents_without_anything_in_common_leave_nothing() {
    let mut registry = Registry::new();
    for n in 0..20_000 {
        let text = format!(r#"{{"name{n}":"a string that is seen once only: {n}","x{n}":1}}"#);
        let value = Value::parse(text.as_bytes(), &mut registry).expect("JSON");
        assert_eq!(written(&value), text);
    }
    assert!(registry.len() < 100, "{} shared", registry.len());
    assert!(registry.memory() < 200 << 10, "{}", registry.memory());
}

#[test]
fn what_no_document_uses_goes() {
    let mut registry = Registry::new();
    for n in 0..2_000 {
        let text = format!(r#"[{{"n{n}":1}},{{"n{n}":2}},{{"n{n}":3}}]"#);
        Value::parse(text.as_bytes(), &mut registry).expect("JSON");
        assert!(registry.len() <= 130, "{} shared", registry.len());
    }
    registry.sweep();
    assert!(registry.is_empty());
}

/// Bytes that RedisJSON takes for the first copy of a document, and for each one after it.
const REDISJSON: [(&str, usize, usize); 5] = [
    ("pass-100.json", 1_112, 1_136),
    ("pass-jsonsl-1.json", 2_152, 1_528),
    ("pass-json-parser-0000.json", 7_048, 3_696),
    ("pass-jsonsl-yahoo2.json", 25_328, 12_192),
    ("pass-jsonsl-yelp.json", 55_456, 26_608),
];

#[test]
fn documents_take_less_than_in_redisjson() {
    for (name, text) in samples::files(None) {
        let Some(&(_, first, more)) = REDISJSON.iter().find(|&&(known, ..)| known == name) else {
            continue;
        };
        let mut registry = Registry::new();
        let mut before = 0;
        let mut values = Vec::new();
        let mut takes = Vec::new();
        for _ in 0..1_000 {
            values.push(Value::parse(&text, &mut registry).expect("JSON"));
            let after = values.iter().map(Value::memory).sum::<usize>() + registry.shared_memory();
            assert!(after < first + (values.len() - 1) * more, "{name}: {} copies", values.len());
            takes.push(after - before);
            before = after;
        }
        println!("{name}: {:?} … {}", &takes[..4], takes[999]);
        assert!(takes[999] < more / 2, "{name}: {} bytes", takes[999]);
        assert!(before < more * 1_000 / 2, "{name}: {before} bytes");
    }
}

/// More names than are remembered, inside an object that is expected to have those of the one
/// before it.
#[test]
fn names_inside_objects_with_expected_names() {
    let mut registry = Registry::new();
    for inner in [0, 10, 40, 200] {
        let many: Vec<String> = (0..inner)
            .map(|form| {
                let names = (0..40).map(|name| format!("\"a{form}_{name}\":{name}"));
                format!("{{{}}}", names.collect::<Vec<_>>().join(","))
            })
            .collect();
        let many = many.join(",");
        for last in ["\"c\":3", "\"b\":3", "\"a\":3", "\"c\":3,\"a\":4", "\"a0_1\":3,\"a0_1\":4"] {
            let text = format!("[{{\"a\":1,\"b\":2,\"c\":3}},{{\"a\":[{many}],\"b\":2,{last}}}]");
            let value = Value::parse(text.as_bytes(), &mut registry).expect("JSON");
            let canonical = kvist_json::canonical(text.as_bytes(), &mut registry).expect("JSON");
            assert!(*canonical == *written(&value).as_bytes(), "{inner} objects, then {last}");
        }
    }
}
