//! Every error once, with its place.

use crate::{Registry, Value};

fn error(text: &[u8]) -> String {
    match Value::parse(text, &mut Registry::new()) {
        Ok(value) => panic!("accepted as {:?}", value.root()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_error_has_its_words_and_its_place() {
    let deep = "[".repeat(128);
    for (text, expected) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("[1", "EOF while parsing a list at line 1 column 2"),
        ("\"abc", "EOF while parsing a string at line 1 column 4"),
        ("nul", "EOF while parsing a value at line 1 column 3"),
        ("nuul", "expected ident at line 1 column 3"),
        ("{\"a\" 1}", "expected `:` at line 1 column 6"),
        ("[1 2]", "expected `,` or `]` at line 1 column 4"),
        ("{\"a\":1 2}", "expected `,` or `}` at line 1 column 8"),
        ("[1,]", "trailing comma at line 1 column 4"),
        ("{\"a\":1,}", "trailing comma at line 1 column 8"),
        ("{a:1}", "key must be a string at line 1 column 2"),
        ("\n\n  x", "expected value at line 3 column 3"),
        ("01", "invalid number at line 1 column 2"),
        ("-", "EOF while parsing a value at line 1 column 1"),
        ("1.x", "invalid number at line 1 column 3"),
        ("1e999", "number out of range at line 1 column 5"),
        ("\"\\q\"", "invalid escape at line 1 column 3"),
        ("\"\\ud800\"", "unexpected end of hex escape at line 1 column 8"),
        ("\"\\udc00\"", "lone leading surrogate in hex escape at line 1 column 7"),
        ("1 1", "trailing characters at line 1 column 3"),
        (&deep, "recursion limit exceeded at line 1 column 128"),
    ] {
        assert_eq!(error(text.as_bytes()), expected, "{text}");
    }
    assert_eq!(error(b"\"\xff\""), "invalid unicode code point at line 1 column 3");
    let control = "control character (\\u0000-\\u001F) found while parsing a string";
    assert_eq!(error(b"\"a\nb\""), format!("{control} at line 2 column 0"));
}
