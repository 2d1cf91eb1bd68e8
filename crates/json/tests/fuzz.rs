//! Texts, stored bytes and paths that are damaged: nothing panics, what is taken is what
//! `serde_json` takes, and every way to read a text agrees with every other.

use base::Rng;
use kvist_json::path::{Budget, Path, PathCache, PathError};
use kvist_json::{Corrupt, Document, Registry, Scalar, Value, canonical};
use serde_json::Value as Model;
use testkit::fuzz::{damage, fuzz};

use crate::samples;

const TEXTS: [&str; 14] = [
    "{\"a\":[1,2.50,-0.0,1e300],\"b\":{\"a\":null,\"\":true},\"a\":false}",
    "[\"\\u00e9\\ud83d\\ude00\\n\", \"é\u{1f600}\", \"a\\/b\\\\\\\"\", \"\"]",
    "[18446744073709551615,-9223372036854775808,9223372036854775808,0.1,1E-7,5e-324]",
    "[[1,2,3],[1.5,2.5],[-128,127],[65535,1],[\"x\",\"x\",\"x\"],[[],{}]]",
    "[{\"id\":1,\"name\":\"one\"},{\"id\":2,\"name\":\"two\"},{\"id\":3,\"name\":\"three\"}]",
    "{\"long\":\"a text that is longer than a cell, and than the first byte of a block tells\"}",
    " [ 1 ,\t{ \"k\" : [ ] } ,\r\n2 ] ",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    "\"text\"",
    "-12.75",
    "123456789012345678901234567890",
    "true",
    "null",
    "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,\"a\":2}",
];

const JSON_PIECES: [&[u8]; 30] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\\u0000",
    b"\0",
    b"\n",
    b" ",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"0",
    b"-",
    b"1e999",
    b"-0",
    b".5",
    b"1E+308",
    b"99999999999999999999",
    b"null",
    b"true",
    b"\"a\":",
    b"[[[[[[[[",
    b"\"a\",",
];

fn one_of<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len())]
}

fn written(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    value.root().write(&mut out);
    out
}

/// Reads a text in every way there is.
fn read(text: &[u8], registry: &mut Registry) -> Option<Value> {
    let shown = text.escape_ascii();
    let model = serde_json::from_slice::<Model>(text);
    let short = canonical(text, registry);
    let value = match Value::parse(text, registry) {
        Ok(value) => value,
        Err(error) => {
            assert!(model.is_err(), "{shown}: {error}");
            assert_eq!(short.err(), Some(error), "{shown}");
            assert!(Scalar::parse(text).is_none(), "{shown}");
            return None;
        }
    };
    let own = written(&value);
    let model = model.unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert_eq!(serde_json::from_slice::<Model>(&own).ok(), Some(model), "{shown}");
    assert_eq!(short.as_deref(), Ok(&*own), "{shown}");
    let again = Value::parse(&own, registry).map(|value| written(&value));
    assert_eq!(again.as_deref(), Ok(&*own), "{shown}");
    if let Some(scalar) = Scalar::parse(text) {
        let mut array = Value::parse(b"[{}]", registry).unwrap_or_else(|error| panic!("{error}"));
        let first = Path::compile("$[0]").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(array.put_scalar(&first, scalar, registry), Some(Ok(())));
        assert_eq!(written(&array), [b"[", &*own, b"]"].concat(), "{shown}");
    }
    Some(value)
}

#[test]
fn texts() {
    let mut registry = Registry::new();
    let (mut taken, mut refused) = (0, 0);
    let records = samples::records(4);
    fuzz(|rng| {
        let mut text = match rng.below(8) {
            0 => records.clone(),
            _ => one_of(rng, &TEXTS).as_bytes().to_vec(),
        };
        damage(rng, &mut text, &JSON_PIECES);
        match read(&text, &mut registry) {
            Some(_) => taken += 1,
            None => refused += 1,
        }
    });
    assert!(taken > 0 && refused > 0);
}

/// Numbers of all lengths, with zeros where they mean something: a number that is kept as it was
/// written is one that would be written so.
#[test]
fn numbers() {
    fn digits(rng: &mut Rng, text: &mut String, most: usize) {
        let zeros = rng.below(3) == 0;
        for _ in 0..=rng.below(most) {
            let digit = if zeros && rng.below(3) > 0 { 0 } else { rng.below(10) };
            text.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
        }
    }
    let mut registry = Registry::new();
    fuzz(|rng| {
        let mut text = String::from(one_of(rng, &["", "-"]));
        match rng.below(3) {
            0 => text.push('0'),
            _ => digits(rng, &mut text, 20),
        }
        if rng.below(4) > 0 {
            text.push('.');
            digits(rng, &mut text, 20);
        }
        if rng.below(6) == 0 {
            text.push_str(one_of(rng, &["e", "E+", "e-"]));
            digits(rng, &mut text, 2);
        }
        read(text.as_bytes(), &mut registry);
        read(format!("[{text} ,{text}]").as_bytes(), &mut registry);
    });
}

/// Lists of objects that have nearly the same names, written in more than one way, and twice.
#[test]
fn names() {
    const NAMES: [&str; 14] = [
        "a",
        "\\u0061",
        "ab",
        "é",
        "\\u00e9",
        "line\\n",
        "line\\u000a",
        "a_name_of_many_letters",
        "a_name_of_many_letters_and_more",
        "a_name_of_many_words",
        "a_name_o",
        "",
        "\\\\",
        "long enough to be looked at in more than one piece",
    ];
    let mut registry = Registry::new();
    fuzz(|rng| {
        let form: Vec<&str> = (0..1 + rng.below(30)).map(|_| one_of(rng, &NAMES)).collect();
        let mut text = String::from("[");
        for n in 0..rng.below(8) {
            text.push_str(if n > 0 { ", {" } else { "{" });
            for (place, name) in form.iter().enumerate().take(1 + rng.below(form.len())) {
                let name = if rng.below(12) == 0 { one_of(rng, &NAMES) } else { name };
                let name =
                    if rng.below(3) > 0 { format!("{name}{place}") } else { name.to_string() };
                let colon = one_of(rng, &[":", ":", ": ", " :", " : "]);
                let value = one_of(rng, &["1", "\"x\"", "{\"a\":{}}", "[{\"a0\": 1}]", "null"]);
                let comma = if place > 0 { "," } else { "" };
                text.push_str(&format!("{comma}\"{name}\"{colon}{value}"));
            }
            text.push('}');
        }
        text.push(']');
        assert!(read(text.as_bytes(), &mut registry).is_some(), "{text}");
    });
}

/// Our own binary form and CBOR: what is taken is a document like any other.
#[test]
fn stored_bytes() {
    const CBOR: [&[u8]; 6] = [
        b"\xa2\x61a\x83\x01\x21\xfb\x3f\xf8\0\0\0\0\0\0\x61b\xf6",
        b"\x9f\x01\x78\x05hello\xbf\x61k\xf5\xff\xff",
        b"\xd8\x56\x48\0\0\x80\x3f\0\0\0\x40",
        b"\x82\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x3b\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\xd8\x40\x43\x01\x02\xff",
        b"\xa1\x64name\xf9\x3c\0",
    ];
    const PIECES: [&[u8]; 12] = [
        b"\0",
        b"\xff",
        b"\x7f",
        b"\x80",
        b"\x9f",
        b"\xbf",
        b"\xd8\x56",
        b"\x5f",
        b"\xfb\x7f\xf8",
        b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x9a\xff\xff\xff\xff",
        b"\x78\xff",
    ];
    let mut registry = Registry::new();
    let encoded = TEXTS.map(|text| {
        let value = Value::parse(text.as_bytes(), &mut registry);
        let mut bytes = Vec::new();
        value.unwrap_or_else(|error| panic!("{text}: {error}")).root().encode(&mut bytes);
        bytes
    });
    fuzz(|rng| {
        let is_own = rng.below(2) == 0;
        let mut bytes = match is_own {
            true => encoded[rng.below(encoded.len())].clone(),
            false => one_of(rng, &CBOR).to_vec(),
        };
        damage(rng, &mut bytes, &PIECES);
        let decoded: Result<Value, Corrupt> = match is_own {
            true => Value::decode(&bytes, &mut registry),
            false => Value::from_cbor(&bytes, Some(70_000), &mut registry),
        };
        if let Ok(value) = decoded {
            assert!(value.memory() < bytes.len() * 64 + 4096, "{}", bytes.escape_ascii());
            read(&written(&value), &mut registry);
        }
    });
}

#[test]
fn paths() {
    const PATHS: [&str; 20] = [
        "$.a.b[0]",
        "a.b[-1]",
        ".a['b'][\"c\"]",
        "$..a",
        "$.a[*].b",
        "$.a[1:-1:2]",
        "$[0,1,'a']",
        "$.a[?(@.b > 1 && !(@.c == 'x'))]",
        "$..[?@.b =~ '^a.*']",
        "$.a[?@ in [1,2,{'a':null}]]",
        "$.a.length()",
        "$.a + 1.5 * -2",
        "sum($..b)",
        "$.a~",
        "$['\\u00e9']",
        "$..*",
        "$[?count(@..*) >= 1].b",
        "$[?match(@.b, 'a|b')]",
        "$.a[?@.b size 2]",
        ".",
    ];
    const PIECES: [&[u8]; 30] = [
        b"$", b"@", b".", b"..", b"*", b"[", b"]", b"?", b"(", b")", b"'", b"\"", b"a", b"0",
        b"-1", b":", b",", b"==", b"=~", b"&&", b"!", b" ", b"+", b"~", b"\\u", b"\xff", b"\0",
        b"1e9", b"length(", b" in ",
    ];
    let mut registry = Registry::new();
    let text = r#"{"a":[{"b":1,"c":"x"},{"b":[1,2]},"b",2.5,[1,2,3]],"b":{"a":{"b":"abc"}},"é":0}"#;
    let document = Document::parse(text.as_bytes(), &mut registry);
    let document = document.unwrap_or_else(|error| panic!("{error}"));
    let Some(root) = document.tree().map(Value::root) else { panic!("a tree was asked for") };
    let mut cache = PathCache::new(50, 1 << 16, 7);
    fuzz(|rng| {
        let mut text = one_of(rng, &PATHS).as_bytes().to_vec();
        damage(rng, &mut text, &PIECES);
        let shown = text.escape_ascii();
        let known = std::str::from_utf8(&text).map_err(|_| PathError::Encoding);
        let compiled = known.and_then(Path::compile);
        match (cache.get(&text), &compiled) {
            (Ok(one), Ok(other)) => assert_eq!(one.text(), other.text(), "{shown}"),
            (one, other) => assert_eq!(one.err().as_ref(), other.as_ref().err(), "{shown}"),
        }
        let Ok(path) = compiled else { return };
        let budget = || Budget::new(100_000);
        let results = path.results(root, &mut budget()).map(|all| all.len());
        if path.is_projection() {
            return;
        }
        let places = path.locations(root, &mut budget());
        assert_eq!(places.as_ref().map(Vec::len), results.as_ref().copied(), "{shown}");
        let first = path.first(root, &mut budget()).map(|found| found.is_some());
        let Ok(places) = places else { return };
        assert_eq!(first, Ok(!places.is_empty()), "{shown}");
        for place in &places {
            let place: Vec<usize> = place.iter().map(|step| step.position()).collect();
            assert!(root.descend(&place).is_some(), "{shown}");
        }
        if path.is_static() {
            assert_eq!(path.one(root).is_some(), !places.is_empty(), "{shown}");
            assert_eq!(path.location(root).as_ref(), places.first(), "{shown}");
        }
    });
}
