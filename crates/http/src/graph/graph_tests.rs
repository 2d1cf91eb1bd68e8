//! Bodies as statements, and lines as fields.

use engine::ClientMemory;

use super::statement_reply::StatementReply;
use super::{literal, statement_request, statistics};

fn statement(body: &str) -> Result<String, (u16, String)> {
    match statement_request(body.as_bytes()) {
        Ok(request) => Ok(String::from_utf8(request.words[0].clone()).expect("text")),
        Err(refusal) => Err((refusal.status.as_u16(), refusal.error)),
    }
}

#[test]
fn parameters_stand_before_the_statement() {
    let body = r#"{"query": "RETURN $a", "parameters":
                  {"a": [1, -2.5e3, "x\"\u0000\ud83d\udf1a\/", null, true],
                  "b `c`": {"k\n": {}}}, "timeout": 5, "read_only": true}"#;
    let expected = "CYPHER `a`=[1, -2500.0, \"x\\\"\\u0000\u{1f71a}/\", null, true] \
                    `b ``c```={`k\n`: {}} RETURN $a";
    assert_eq!(statement(body).expect("a statement"), expected);
    let request = statement_request(body.as_bytes()).expect("a statement");
    assert_eq!(request.command, "graph.ro_query");
    assert_eq!(request.words[1..], [&b"--json"[..], b"TIMEOUT", b"5"]);
    assert_eq!(statement(r#"{"query": "RETURN 1", "parameters": {}}"#).expect("one"), "RETURN 1");
}

/// Of a long body there is the statement, and nothing else is made.
#[test]
fn a_statement_is_made_once() {
    let long = "x".repeat(1 << 20);
    for body in [
        format!(r#"{{"query": "RETURN $a", "parameters": {{"a": "{long}"}}}}"#),
        format!(r#"{{"query": "RETURN '{long}'", "parameters": {{"a": 1}}}}"#),
        format!(r#"{{"query": "RETURN 1", "parameters": {{"a": [{}1]}}}}"#, "1,".repeat(1 << 19)),
    ] {
        let (request, rise) = testkit::scale::rise(|| statement_request(body.as_bytes()));
        assert!(request.is_ok());
        assert!(rise < (1 << 20) + (16 << 10), "{rise}");
    }
}

#[test]
fn numbers_keep_what_they_are() {
    let shown = |json: &str| {
        let mut out = String::new();
        literal::value(json, &mut out).map(|()| out)
    };
    for (json, expected) in [
        ("0", "0"),
        ("-0", "0"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "(-9223372036854775807 - 1)"),
        ("1e2", "100.0"),
        ("1.0", "1.0"),
        ("5e-324", "5e-324"),
    ] {
        assert_eq!(shown(json).as_deref(), Ok(expected));
    }
    for json in ["9223372036854775808", "-9223372036854775809", "1e999", r#"{"": 1}"#] {
        assert!(shown(json).is_err(), "{json}");
    }
}

#[test]
fn bodies_that_are_wrong() {
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("[]", 422),
        ("{}", 422),
        (r#"{"query": 1}"#, 422),
        (r#"{"query": "RETURN 1", "more": 1}"#, 422),
        (r#"{"query": "RETURN 1", "parameters": [1]}"#, 422),
        (r#"{"query": "RETURN 1", "parameters": {"": 1}}"#, 422),
        (r#"{"query": "RETURN 1", "parameters": {"a": 92233720368547758080}}"#, 422),
        (r#"{"query": "RETURN 1", "parameters": {"a": "\ud800"}}"#, 422),
        (r#"{"query": "RETURN 1", "timeout": -1}"#, 422),
        (r#"{"query": "RETURN 1", "timeout": 1.5}"#, 422),
        (r#"{"query": "RETURN 1", "read_only": "yes"}"#, 422),
    ] {
        assert_eq!(statement(body).expect_err(body).0, status, "{body}");
    }
}

#[test]
fn lines_are_fields() {
    let lines = [
        "Nodes created: 2",
        "Cached execution: 0",
        "odd",
        "Odd: text",
        "Query internal execution time: 0.512 milliseconds",
    ];
    let mut out = String::new();
    statistics(&mut out, &lines);
    assert_eq!(out, r#"{"nodes_created":2,"cached_execution":false,"execution_time_ms":0.512}"#);
}

#[test]
fn answers_are_read_where_they_lie() {
    let read = |reply: &[u8]| {
        let mut parsed = StatementReply::new(reply.to_vec(), &ClientMemory::default())?;
        let mut parts = Vec::new();
        for _ in 0..if parsed.has_rows() { 3 } else { 1 } {
            let texts = (0..parsed.part()?).map(|_| {
                let text = parsed.text()?;
                Some(String::from_utf8_lossy(parsed.bytes(text)).into_owned())
            });
            parts.push(texts.collect::<Option<Vec<_>>>()?);
        }
        Some(parts)
    };
    let rows = b"*3\r\n*1\r\n$1\r\nx\r\n*2\r\n$3\r\n[1]\r\n$0\r\n\r\n*1\r\n$4\r\na: 1\r\n";
    let expected = [vec!["x"], vec!["[1]", ""], vec!["a: 1"]];
    assert_eq!(read(rows).expect("rows"), expected);
    assert_eq!(read(b"*1\r\n*1\r\n$1\r\nb\r\n").expect("lines"), [["b"]]);
    // Whatever else it were, it would be no answer, and no panic.
    for end in 0..rows.len() {
        assert_eq!(read(&rows[..end]), None, "{end}");
    }
    for broken in ["+OK\r\n", "*2\r\n", "*3\r\n*1\r\n:1\r\n", "*1\r\n*1\r\n$-1\r\n"] {
        assert_eq!(read(broken.as_bytes()), None, "{broken}");
    }
    assert_eq!(read(format!("*1\r\n*1\r\n${}\r\n", usize::MAX).as_bytes()), None);
    assert_eq!(read(b"*1\r\n*1\r\n$99999999999999999999\r\n"), None);
}
