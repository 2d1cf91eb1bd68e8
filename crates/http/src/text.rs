//! Texts as they stand in addresses and in JSON.
//!
//! Keys and values are bytes; JSON has only text. What is no UTF-8 goes over in base64, in a field
//! that says so: `key_base64` in place of `key`, `value_base64` in place of `value`.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use serde_json::value::RawValue;

/// Appends a string of JSON.
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\' || c == '\u{7f}') {
        out.push_str(&rest[..at]);
        let mut chars = rest[at..].chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Appends a field whose value is bytes: a string, or base64 under a name that says so.
pub fn bytes(out: &mut String, name: &str, value: &[u8]) {
    match std::str::from_utf8(value) {
        Ok(text) => {
            out.push_str(&format!("\"{name}\":"));
            string(out, text);
        }
        Err(_) => {
            out.push_str(&format!("\"{name}_base64\":\""));
            STANDARD.encode_string(value, out);
            out.push('"');
        }
    }
}

/// Appends the value of a record: as it stands if it is JSON, else as a string, else in base64.
pub fn value(out: &mut String, value: Option<&[u8]>) {
    let Some(value) = value else { return out.push_str("\"value\":null") };
    match serde_json::from_slice::<&RawValue>(value) {
        Ok(json) => {
            out.push_str("\"value\":");
            out.push_str(json.get());
        }
        Err(_) => bytes(out, "value", value),
    }
}

/// Reads base64 whose last digit says more than it must: what is over is no byte.
const READER: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Bytes that were written in base64.
#[must_use]
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    READER.decode(text).ok()
}

/// Replaces `%41` by `A`; in a query also `+` by a blank. `None` if it is written wrong.
#[must_use]
pub fn decoded(text: &str, in_query: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                out.push(u8::try_from(high * 16 + low).ok()?);
            }
            b'+' if in_query => out.push(b' '),
            _ => out.push(byte),
        }
    }
    Some(out)
}

/// The parameters of a query.
#[derive(Debug, Default)]
pub struct Query(Vec<(Vec<u8>, Vec<u8>)>);

impl Query {
    /// Reads one. `None` if it is written wrong.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name, true)?, decoded(value, true)?))
        });
        pairs.collect::<Option<Vec<_>>>().map(Query)
    }

    /// All parameters, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_slice(), value.as_slice()))
    }

    /// The value of a parameter: of the last, if it is given more than once.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.iter().rev().find(|(given, _)| given == name.as_bytes());
        found.map(|(_, value)| value.as_slice())
    }

    /// A parameter that the route does not know, if there is one.
    #[must_use]
    pub fn unknown(&self, known: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
        self.0.iter().map(|(name, _)| name.as_slice()).find(|name| !known(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_json() {
        for text in ["", "plain", "a\"b\\c\n\r\t\u{1}\u{7f}é\u{1f600}", "\\", "\""] {
            let mut out = String::new();
            string(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn values_are_json_text_or_base64() {
        let shown = |bytes: &[u8]| {
            let mut out = String::new();
            value(&mut out, Some(bytes));
            out
        };
        assert_eq!(shown(b" {\"a\": 1.50} "), "\"value\":{\"a\": 1.50}");
        assert_eq!(shown(b"12345678901234567890123"), "\"value\":12345678901234567890123");
        assert_eq!(shown(b"plain"), "\"value\":\"plain\"");
        assert_eq!(shown(b""), "\"value\":\"\"");
        assert_eq!(shown(b"{\"a\":}"), "\"value\":\"{\\\"a\\\":}\"");
        assert_eq!(shown(b"\xff\x00"), "\"value_base64\":\"/wA=\"");
        let deep = "[".repeat(100_000);
        assert!(shown(deep.as_bytes()).starts_with("\"value\":\"["));
    }

    #[test]
    fn addresses_are_decoded() {
        assert_eq!(decoded("a%2Fb+c%00", false).unwrap(), b"a/b+c\0");
        assert_eq!(decoded("a+b%2b", true).unwrap(), b"a b+");
        for wrong in ["%", "%1", "%zz", "%+1", "%\u{e9}"] {
            assert_eq!(decoded(wrong, false), None, "{wrong}");
        }
        let query = Query::read("a=1&b&a=2&&c=%3d").unwrap();
        assert_eq!(query.get("a"), Some(&b"2"[..]));
        assert_eq!(query.get("b"), Some(&b""[..]));
        assert_eq!(query.get("c"), Some(&b"="[..]));
        assert_eq!(query.get("d"), None);
        assert_eq!(query.unknown(|name| name != b"b"), Some(&b"b"[..]));
    }
}
