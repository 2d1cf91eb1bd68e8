//! Documents as they are stored, pretty text, merging and arithmetic.

use kvist_json::{
    Document, EditError, Num, Operation, Registry, Style, Tree, Value, canonical, write_num,
};

use crate::samples;

fn value(text: &str, registry: &mut Registry) -> Value {
    Value::parse(text.as_bytes(), registry).expect("JSON")
}

fn text(value: &Value) -> String {
    format!("{:?}", value.root())
}

#[test]
fn documents_can_be_sent() {
    fn is_sent<T: Send + Sync>() {}
    is_sent::<Document>();
    is_sent::<Value>();
    is_sent::<Registry>();
}

#[test]
fn a_document_is_text_until_it_is_looked_into() {
    let mut registry = Registry::new();
    let source = samples::records(50);
    let mut document = Document::from_text(&source, &mut registry).expect("JSON");
    let canonical = canonical(&source, &mut registry).expect("JSON");
    assert_eq!(document.text(), Some(&*canonical));
    assert!(document.tree().is_none());
    let as_text = document.memory();

    let mut out = Vec::new();
    document.write(&mut out);
    assert_eq!(out, &*canonical);
    assert_eq!(document.value(&mut registry).expect("a tree").root().len(), 50);
    assert!(document.text().is_some() && document.memory() > as_text);

    document.drop_tree();
    assert_eq!(document.memory(), as_text);
    let number = value("1", &mut registry);
    let tree = document.value_mut(&mut registry).expect("a tree");
    tree.replace(&[0], number.root(), &mut registry).expect("a place");
    assert!(document.text().is_none());
    assert!(document.keep_text().starts_with(b"[1,{"));
    out.clear();
    document.write(&mut out);
    assert_eq!(document.text(), Some(&*out));
    document.drop_text(&mut registry).expect("a tree");
    document.drop_tree();
    assert!(document.tree().is_some() && document.text().is_none());
    assert_eq!(document.clone().memory(), document.memory());
}

#[test]
fn pretty_text() {
    let mut registry = Registry::new();
    let value = value(r#"{"a":[1,{"b":[]}],"c":{},"d":[1.5,2.5,3.75,1e40,"x"]}"#, &mut registry);
    let style = Style { indent: b"  ", newline: b"\n", space: b" ", ..Style::default() };
    let mut out = Vec::new();
    value.root().write_styled(&style, 0, &mut out);
    let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {},\n  \
                    \"d\": [\n    1.5,\n    2.5,\n    3.75,\n    1e40,\n    \"x\"\n  ]\n}";
    assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    let mut compact = Vec::new();
    value.root().write_styled(&Style::default(), 0, &mut compact);
    assert_eq!(String::from_utf8(compact).expect("UTF-8"), text(&value));
}

/// The table of the appendix of RFC 7396.
#[test]
fn merge_patches_of_the_rfc() {
    let mut registry = Registry::new();
    for (target, patch, expected) in [
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
        (r#"{"a":"foo"}"#, "null", "null"),
        (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
        ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ] {
        for _ in 0..3 {
            let mut target = value(target, &mut registry);
            let patch = value(patch, &mut registry);
            target.merge(&[], patch.root(), &mut registry).expect("a place");
            assert_eq!(text(&target), expected);
        }
    }
}

#[test]
fn numbers_stay_what_they_are() {
    use Num::{F64, I64, U64};
    use Operation::{Add, Multiply, Power};
    for (operation, a, b, expected) in [
        (Add, I64(i64::MAX), I64(1), Err(EditError::Overflow)),
        (Add, U64(u64::MAX), I64(1), Ok(F64(18_446_744_073_709_551_616.0))),
        (Add, F64(1.5), F64(1.5), Ok(F64(3.0))),
        (Multiply, I64(i64::MIN), I64(-1), Err(EditError::Overflow)),
        (Multiply, F64(1e308), I64(10), Err(EditError::NotFinite)),
        (Power, I64(2), I64(62), Ok(I64(1 << 62))),
        (Power, I64(2), I64(63), Err(EditError::Overflow)),
        (Power, I64(-1), I64(i64::MAX), Ok(I64(-1))),
        (Power, I64(2), I64(-1), Ok(F64(0.5))),
        (Power, I64(0), I64(-1), Err(EditError::NotFinite)),
        (Power, F64(-8.0), F64(1.0 / 3.0), Err(EditError::NotFinite)),
    ] {
        assert_eq!(operation.apply(a, b), expected, "{operation:?} {a:?} {b:?}");
    }
    let mut out = Vec::new();
    write_num(F64(3.0), &mut out);
    assert_eq!(out, b"3.0");

    let mut registry = Registry::new();
    let mut document = value("[[1,2,127],[0.1,0.7]]", &mut registry);
    let mut add = |location: &[usize], operand| {
        document.calculate(location, Add, operand, &mut registry).expect("a number")
    };
    assert_eq!(add(&[0, 2], I64(1)), I64(128));
    assert_eq!(add(&[0, 0], F64(0.5)), F64(1.5));
    assert_eq!(add(&[1, 0], I64(1)), F64(1.1));
    assert_eq!(text(&document), "[[1.5,2,128],[1.1,0.7]]");
    let before = text(&document);
    let result = document.calculate(&[0, 1], Multiply, I64(i64::MAX), &mut registry);
    assert_eq!(result, Err(EditError::Overflow));
    assert_eq!(text(&document), before);
}

#[test]
fn objects_that_take_the_same_names_share_them() {
    let mut registry = Registry::new();
    let mut documents: Vec<Value> =
        (0..100).map(|_| value(r#"{"first":1,"second":2}"#, &mut registry)).collect();
    let third = value("3", &mut registry);
    for document in &mut documents {
        document.set_member(&[], "third", third.root(), &mut registry).expect("an object");
        document.delete(&[0], &mut registry).expect("a member");
        document.rebuild(&mut registry);
    }
    let last = documents.last().expect("a hundred");
    assert_eq!(text(last), r#"{"second":2,"third":3}"#);
    assert!(last.memory() <= 32, "{} bytes", last.memory());
}
