//! What Trio reads and writes.

use super::*;

fn one(text: &str) -> Dict {
    let mut dicts = read(text).unwrap();
    assert_eq!(dicts.len(), 1, "{text}");
    dicts.remove(0)
}

fn tag(text: &str) -> String {
    format!("{:?}", one(&format!("a:{text}\n")).get("a").unwrap())
}

#[test]
fn values_of_a_line() {
    let cases = [
        ("Some text", "\"Some text\""),
        (" spaces around ", "\"spaces around\""),
        ("5kW", "5kW"),
        ("5 apples", "\"5 apples\""),
        ("5apples", "\"5apples\""),
        ("true", "T"),
        ("false", "F"),
        ("T", "T"),
        ("N", "\"N\""),
        ("NA", "NA"),
        ("\"quoted \\n\"", "\"quoted \\n\""),
        ("@a \"A\"", "@a \"A\""),
        ("@a and more", "\"@a and more\""),
        ("`x`", "`x`"),
        ("2024-02-29", "2024-02-29"),
        ("2024-02-30", "\"2024-02-30\""),
        ("2024-07-01T08:00:00-04:00 New_York", "2024-07-01T08:00:00-04:00 New_York"),
        ("[1, \"x\"]", "[1, \"x\"]"),
        ("[\n 1,\n 2\n]", "[1, 2]"),
        ("{b c:T}", "{b c:T}"),
        ("^sym", "^sym"),
        ("C(1.0,2.0)", "C(1.0,2.0)"),
        ("http://x/y?z", "\"http://x/y?z\""),
        ("a:b", "\"a:b\""),
    ];
    for (text, wanted) in cases {
        assert_eq!(tag(text), wanted, "{text}");
    }
}

#[test]
fn dicts_and_comments() {
    let text = "\u{feff}// comment\n\n---\na\r\nb : 1\n  c: x\n-----\n\n---\nd\n// end\n-";
    let dicts = read(text).unwrap();
    assert_eq!(format!("{dicts:?}"), "[{a b:1 c:\"x\"}, {d}]");
    assert!(read("").unwrap().is_empty() && read("---\n// x\n---").unwrap().is_empty());
}

#[test]
fn lines_that_are_indented() {
    let dict = one(
        "a:\n  one\n    two\n\n  three\n\nb:\nc: Zinc:\n  ver:\"3.0\"\n  x\n  1\nd:Trio:\n  e\n",
    );
    assert_eq!(dict.get("a").unwrap().as_str(), Some("one\n  two\n\nthree"));
    assert_eq!(dict.get("b").unwrap().as_str(), Some(""));
    assert_eq!(dict.get("c").unwrap().as_grid().unwrap().len(), 1);
    assert!(dict.get("d").unwrap().as_dict().unwrap().has("e"));
    let dict = one("a:Zinc:\n  [1, <<\n  ver:\"3.0\"\n  x\n  1\n  >>]\nb\n");
    assert_eq!(dict.get("a").unwrap().as_list().unwrap().len(), 2);
    assert!(read("a:Zinc:\n  [1] 2\n").is_err() && read("a:Zinc:\n  1\n").is_err());
    let dict = one("a: Trio:\n  b\n  ---\n  c: Trio:\n    d\n    ---\n    e\n");
    assert_eq!(format!("{dict:?}"), "{a:[{b}, {c:[{d}, {e}]}]}");
}

#[test]
fn texts_read_back() {
    let texts = [
        "",
        " ",
        "a",
        "T",
        "N",
        "NA",
        "R",
        "true",
        "false",
        "NaN",
        "INF",
        "Zinc:",
        "Trio:",
        "a b",
        "a:b",
        "5",
        "5kW",
        "-",
        "---",
        "//x",
        "x // y",
        "a\nb",
        "\na",
        "a\n",
        "a\n\nb",
        "a\n b",
        "a \nb",
        "a\n \nb",
        "a\r\nb",
        "a\tb",
        "é ü",
        "\"",
        "[",
        "{",
        "<<",
        "@x",
        "`",
        "^x",
        "\u{1}",
        "a\u{85}b",
        "x\u{a0}",
        "a\u{2028}b\nc",
        "2024-01-01",
        "M",
        "C(1,2)",
        "Foo(\"x\")",
        "a\n\u{3000}b",
        "F ",
    ];
    for text in texts {
        let mut dict = Dict::new();
        dict.put("a", text).unwrap();
        dict.put("b", Value::MARKER).unwrap();
        let written = to_text([&dict, &dict]);
        assert_eq!(read(&written).unwrap(), [dict.clone(), dict], "{text:?} as {written:?}");
    }
}

#[test]
fn bad_texts_say_where() {
    let cases = [
        ("a\nB: 1\n", 2, 1),
        ("a\nb: \"x\n", 2, 4),
        ("a\nb: \"x\" y\n", 2, 7),
        ("a: [1\nb\n", 2, 1),
        ("a b\n", 1, 3),
        ("a: Zinc:\n  nonsense\n", 1, 4),
        ("a: [1] x\n", 1, 8),
    ];
    for (text, line, column) in cases {
        let error = read(text).unwrap_err();
        assert_eq!((error.line(), error.column()), (line, column), "{text:?}: {error}");
    }
}
