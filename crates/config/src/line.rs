//! One line of a configuration file: cutting it into arguments, and quoting an argument so that it
//! would be cut back into itself.
//!
//! The rules are those of redis.conf (and of redis-cli): blanks separate, `"…"` knows the escapes
//! `\n \r \t \b \a \\ \" \xHH`, `'…'` knows only `\'`, and a closing quote must be followed by a
//! blank or the end. This file must never know what the arguments mean.

/// Cuts a line into arguments, or `None` when a quote isn't closed as it should be.
///
/// A NUL byte ends the line, as it ends a C string.
pub(crate) fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut rest = line.split(|&byte| byte == 0).next().unwrap_or_default();
    let mut args = Vec::new();
    loop {
        let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
        rest = &rest[blanks..];
        if rest.is_empty() {
            return Some(args);
        }
        let (arg, used) = argument(rest)?;
        args.push(arg);
        rest = &rest[used..];
    }
}

/// Reads one argument from the start of `text`; also tells how many bytes it took.
fn argument(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut arg = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            _ if is_blank(byte) => break,
            b'"' => return closed(text, double_quoted(text, at + 1, arg)?),
            b'\'' => return closed(text, single_quoted(text, at + 1, arg)?),
            _ => arg.push(byte),
        }
        at += 1;
    }
    Some((arg, at))
}

/// Accepts a quoted argument only if a blank or the end follows its closing quote.
fn closed(text: &[u8], (arg, end): (Vec<u8>, usize)) -> Option<(Vec<u8>, usize)> {
    text.get(end).is_none_or(|&byte| is_blank(byte)).then_some((arg, end))
}

fn double_quoted(text: &[u8], mut at: usize, mut arg: Vec<u8>) -> Option<(Vec<u8>, usize)> {
    loop {
        match *text.get(at)? {
            b'"' => return Some((arg, at + 1)),
            b'\\' => {
                if let Some(byte) = hex_escape(&text[at..]) {
                    arg.push(byte);
                    at += 4;
                    continue;
                }
                // A lone backslash before the end is a character like any other; the missing quote
                // is found in the next round.
                let Some(&escaped) = text.get(at + 1) else {
                    arg.push(b'\\');
                    at += 1;
                    continue;
                };
                arg.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => other,
                });
                at += 2;
            }
            byte => {
                arg.push(byte);
                at += 1;
            }
        }
    }
}

fn single_quoted(text: &[u8], mut at: usize, mut arg: Vec<u8>) -> Option<(Vec<u8>, usize)> {
    loop {
        match (*text.get(at)?, text.get(at + 1)) {
            (b'\\', Some(b'\'')) => {
                arg.push(b'\'');
                at += 2;
            }
            (b'\'', _) => return Some((arg, at + 1)),
            (byte, _) => {
                arg.push(byte);
                at += 1;
            }
        }
    }
}

/// The byte that `\xHH` at the start of `text` stands for.
fn hex_escape(text: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(*high)? << 4 | digit(*low)?)
}

/// What C's `isspace` calls a space.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Writes `arg` in double quotes, with everything unprintable escaped.
pub(crate) fn quote(arg: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for &byte in arg {
        match byte {
            b'\\' | b'"' => {
                quoted.push('\\');
                quoted.push(char::from(byte));
            }
            b'\n' => quoted.push_str("\\n"),
            b'\r' => quoted.push_str("\\r"),
            b'\t' => quoted.push_str("\\t"),
            0x07 => quoted.push_str("\\a"),
            0x08 => quoted.push_str("\\b"),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Option<Vec<String>> {
        let args = split(line.as_bytes())?;
        Some(args.iter().map(|arg| String::from_utf8_lossy(arg).into_owned()).collect())
    }

    #[test]
    fn lines_are_cut_as_redis_cuts_them() {
        // What redis-server 7.0.15 makes of the same lines.
        let cases: &[(&str, Option<&[&str]>)] = &[
            ("timeout 5", Some(&["timeout", "5"])),
            ("  timeout\t5  ", Some(&["timeout", "5"])),
            ("", Some(&[])),
            ("\x0b", Some(&[])),
            ("a \"b c\" 'd e'", Some(&["a", "b c", "d e"])),
            (r#"a "a\x41\n\t\b\a\r\q\\b""#, Some(&["a", "aA\n\t\u{8}\u{7}\rq\\b"])),
            (r#"a "\x4""#, Some(&["a", "x4"])),
            (r"a 'a\x41\n\'b'", Some(&["a", r"a\x41\n'b"])),
            (r"a ab\n", Some(&["a", r"ab\n"])),
            ("a \"\" ''", Some(&["a", "", ""])),
            ("a b\"c\"", Some(&["a", "bc"])),
            ("a \"5", None),
            ("a '5", None),
            ("a \"5\"x", None),
            ("a '5'x", None),
            ("a b\"c\"d", None),
            (r#"a b\"c"#, None),
            ("a \"b\\", None),
            ("a b\0c \"", Some(&["a", "b"])),
        ];
        for (line, expected) in cases {
            let expected = expected.map(|args| args.iter().map(ToString::to_string).collect());
            assert_eq!(cut(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_quoted_argument_is_cut_back_into_itself() {
        let every_byte: Vec<u8> = (0..=255).collect();
        assert_eq!(split(quote(&every_byte).as_bytes()), Some(vec![every_byte]));
        assert_eq!(quote(b"a \"b\"\n\xff"), r#""a \"b\"\n\xff""#);
    }
}
