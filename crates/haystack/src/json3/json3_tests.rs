//! What the older JSON reads and writes.

use super::*;
use crate::zinc;

#[test]
fn every_kind_to_the_byte() {
    let cases = [
        ("M", r#""m:""#),
        ("R", r#""-:""#),
        ("NA", r#""z:""#),
        ("N", "null"),
        ("F", "false"),
        ("5.5", r#""n:5.5""#),
        ("5kW", r#""n:5 kW""#),
        ("-INF", r#""n:-INF""#),
        ("\"plain\"", r#""plain""#),
        ("\"a:b\"", r#""s:a:b""#),
        ("\"m:\"", r#""s:m:""#),
        ("`x:y`", r#""u:x:y""#),
        ("@a", r#""r:a""#),
        ("@a:b \"A B\"", r#""r:a:b A B""#),
        ("^a", r#""y:a""#),
        ("2024-02-29", r#""d:2024-02-29""#),
        ("08:30:00", r#""h:08:30:00""#),
        ("2024-07-01T08:00:00-04:00 New_York", r#""t:2024-07-01T08:00:00-04:00 New_York""#),
        ("C(1.5,-2.25)", r#""c:1.5,-2.25""#),
        ("Span(\"a:b\")", r#""x:Span:a:b""#),
        ("Bin(\"text/plain\")", r#""b:text/plain""#),
        ("[1, {a b:T}]", r#"["n:1",{"a":"m:","b":true}]"#),
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
    let text = "ver:\"3.0\" dis:\"x\"\na unit:\"kW\",b\n1,<<\nver:\"3.0\" y\nc\n2\n>>\n";
    let grid = zinc::read_grid(text).unwrap();
    let mut out = Vec::new();
    write_grid(&mut out, &grid);
    let text = String::from_utf8(out).unwrap();
    let wanted = concat!(
        r#"{"meta":{"ver":"3.0","dis":"x"},"#,
        r#""cols":[{"name":"a","unit":"kW"},{"name":"b"}],"rows":["#,
        "\n{\"a\":\"n:1\",\"b\":{\"meta\":{\"ver\":\"3.0\",\"y\":\"m:\"},",
        "\"cols\":[{\"name\":\"c\"}],",
        "\"rows\":[\n{\"c\":\"n:2\"}]}}]}"
    );
    assert_eq!(text, wanted);
    assert_eq!(read_grid(&text).unwrap(), grid);
}

#[test]
fn what_older_writers_have() {
    let read = |text: &str| format!("{:?}", read_value(text).unwrap());
    assert_eq!(read(r#""x:""#), "R");
    assert_eq!(read("5.5"), "5.5");
    assert_eq!(read(r#""t:2024-07-01T12:00:00Z""#), "2024-07-01T12:00:00Z UTC");
    assert_eq!(read(r#""é:x""#), "\"é:x\"");
    assert_eq!(read(r#""""#), "\"\"");
    assert_eq!(read(r#"{"meta":"m:","cols":[]}"#), "{meta cols:[]}");
}

#[test]
fn bad_texts() {
    let bad = [
        r#""q:x""#,
        r#""m:x""#,
        r#""n:""#,
        r#""n:5 nonsense""#,
        r#""n:inf""#,
        r#""r:""#,
        r#""r:å""#,
        r#""d:x""#,
        r#""h:""#,
        r#""t:2024-07-01T12:00:00-04:00""#,
        r#""c:1""#,
        r#""c:91,0""#,
        r#""y:""#,
        r#""x:foo""#,
        r#""x:foo:""#,
        r#"{"A":1}"#,
        "[",
        "",
    ];
    for text in bad {
        assert!(read_value(text).is_err(), "{text}: {:?}", read_value(text));
    }
    assert!(read_grid(r#"{"cols":[{"dis":"x"}],"rows":[]}"#).is_err());
}
