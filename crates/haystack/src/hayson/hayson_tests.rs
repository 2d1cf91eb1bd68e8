//! What Hayson reads and writes.

use super::*;
use crate::zinc;

#[test]
fn every_kind_to_the_byte() {
    let cases = [
        ("M", r#"{"_kind":"marker"}"#),
        ("R", r#"{"_kind":"remove"}"#),
        ("NA", r#"{"_kind":"na"}"#),
        ("N", "null"),
        ("T", "true"),
        ("5.5", "5.5"),
        ("5kW", r#"{"_kind":"number","val":5,"unit":"kW"}"#),
        ("-INF", r#"{"_kind":"number","val":"-INF"}"#),
        ("NaN", r#"{"_kind":"number","val":"NaN"}"#),
        ("\"a\\\"\\n\"", r#""a\"\n""#),
        ("`x:y`", r#"{"_kind":"uri","val":"x:y"}"#),
        ("@a", r#"{"_kind":"ref","val":"a"}"#),
        ("@a \"A\"", r#"{"_kind":"ref","val":"a","dis":"A"}"#),
        ("^a", r#"{"_kind":"symbol","val":"a"}"#),
        ("2024-02-29", r#"{"_kind":"date","val":"2024-02-29"}"#),
        ("08:30:00", r#"{"_kind":"time","val":"08:30:00"}"#),
        (
            "2024-07-01T08:00:00-04:00 New_York",
            r#"{"_kind":"dateTime","val":"2024-07-01T08:00:00-04:00","tz":"New_York"}"#,
        ),
        ("C(1.5,-2.25)", r#"{"_kind":"coord","lat":1.5,"lng":-2.25}"#),
        ("Span(\"x\")", r#"{"_kind":"xstr","type":"Span","val":"x"}"#),
        ("[1, {a b:T}]", r#"[1,{"a":{"_kind":"marker"},"b":true}]"#),
    ];
    for (text, json) in cases {
        let value = zinc::read_value(text).unwrap();
        assert_eq!(to_text(&value.cell()), json);
        let read = read_value(json).unwrap();
        assert_eq!(format!("{read:?}"), format!("{value:?}"));
    }
}

#[test]
fn a_grid_to_the_byte() {
    let grid = zinc::read_grid("ver:\"3.0\" dis:\"x\"\na unit:\"kW\",b\n1,\n,T\n").unwrap();
    let mut out = Vec::new();
    write_grid(&mut out, &grid);
    let text = String::from_utf8(out).unwrap();
    let wanted = concat!(
        r#"{"_kind":"grid","meta":{"ver":"3.0","dis":"x"},"#,
        r#""cols":[{"name":"a","meta":{"unit":"kW"}},{"name":"b"}],"rows":["#,
        "\n{\"a\":1},\n{\"b\":true}]}"
    );
    assert_eq!(text, wanted);
    assert_eq!(read_grid(&text).unwrap(), grid);
}

#[test]
fn members_come_in_any_order() {
    let text = r#"{"rows":[{"b":null,"a":1,"_kind":"dict"}],"x":[{"]":"\"]"}],"cols":[{"name":"a"},
        {"meta":{},"name":"b"}],"_kind":"grid"}"#;
    let grid = read_grid(text).unwrap();
    assert_eq!(grid.row(0).get("a"), &1.0.into());
    let value = read_value(text).unwrap();
    assert_eq!(value.as_grid(), Some(&grid));
    let value = read_value(r#"{"val":"a","_kind":"ref"}"#).unwrap();
    assert_eq!(value, Value::id("a").unwrap());
    assert_eq!(format!("{:?}", read_value(r#"{"_kind":"dict","a":null,"b":1}"#).unwrap()), "{b:1}");
}

#[test]
fn zones_may_be_missing() {
    let read = |text: &str| format!("{:?}", read_value(text).unwrap());
    let of = |iso: &str| read(&format!(r#"{{"_kind":"dateTime","val":"{iso}"}}"#));
    assert_eq!(of("2024-07-01T12:00:00Z"), "2024-07-01T12:00:00Z GMT");
    assert_eq!(of("2024-07-01T12:00:00+02:00"), "2024-07-01T12:00:00+02:00 GMT-2");
    let half = r#"{"_kind":"dateTime","val":"2024-07-01T12:00:00+05:30"}"#;
    assert!(read_value(half).is_err());
}

#[test]
fn bad_texts() {
    let bad = [
        "",
        "{",
        "[1",
        "[1,]",
        "{\"a\" 1}",
        "{a:1}",
        "01",
        "1.",
        "-",
        "1e999",
        "\"\\x\"",
        "\"a\nb\"",
        "nul",
        "1 2",
        "{\"A\":1}",
        "{\"_kind\":5}",
        "{\"_kind\":\"foo\"}",
        "{\"_kind\":\"ref\"}",
        "{\"_kind\":\"ref\",\"val\":\"a b\"}",
        "{\"_kind\":\"number\",\"val\":\"5\"}",
        "{\"_kind\":\"number\",\"val\":5,\"unit\":\"nonsense\"}",
        "{\"_kind\":\"coord\",\"lat\":91,\"lng\":0}",
        "{\"_kind\":\"date\",\"val\":\"2024-13-01\"}",
        "{\"_kind\":\"grid\"}",
        "{\"_kind\":\"grid\",\"cols\":[{\"name\":\"a\"},{\"name\":\"a\"}],\"rows\":[]}",
        "{\"_kind\":\"grid\",\"cols\":[],\"rows\":[]}",
        "{\"_kind\":\"grid\",\"cols\":[{\"name\":\"a\"}],\"rows\":[{\"b\":1}]}",
        "{\"_kind\":\"grid\",\"cols\":[{\"name\":\"a\"}],\"rows\":[1]}",
        "{\"_kind\":\"dateTime\",\"val\":\"2024-01-01T00:00:00Z\",\"tz\":\"Atlantis\"}",
    ];
    for text in bad {
        assert!(read_value(text).is_err(), "{text}");
        assert!(read_grid(text).is_err(), "{text}");
    }
    assert!(read_grid("[]").is_err() && read_grid("{\"cols\":[],\"rows\":[]} x").is_err());
    let behind = |rest: &str| {
        read_grid(&format!("{{\"meta\":{{}},\"cols\":[{{\"name\":\"a\"}}],\"rows\":[{{}}]{rest}"))
    };
    assert!(behind("}").is_ok() && behind(",\"x\":[1]} ").is_ok());
    for rest in ["", "} x", ",}", ",\"x\"}", ",\"x\":", "]}", ",1}"] {
        assert!(behind(rest).is_err(), "{rest}");
    }
    let text = "{\"cols\":[{\"name\":\"a\"}],\n\"rows\":[{\"a\":1},\n {\"a\":{\"_kind\":\"x\"}}]}";
    let error = read_grid(text).unwrap_err();
    assert_eq!((error.line(), error.column()), (3, 2), "{error}");
}

#[test]
fn halves_of_pairs_are_replaced() {
    let value = read_value(r#""\ud83d\ude00 \ud83d x \ude00 \u00e9""#).unwrap();
    assert_eq!(value.as_str(), Some("😀 \u{fffd} x \u{fffd} é"));
}
