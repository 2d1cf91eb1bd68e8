//! JSON as clients could send it: right, nearly right and wrong; and paths that meet it.

use super::{Draw, Pool};
use crate::rng::Rng;

const PATHS: [&str; 44] = [
    "$",
    "$",
    ".",
    "$.a",
    "$.a",
    "$.b",
    "$.c",
    "a",
    ".b",
    "$.a.b",
    "a.b",
    "$..a",
    "..a",
    "$.*",
    ".*",
    "$..*",
    "$[0]",
    "[0]",
    "$[-1]",
    "$.a[1]",
    "$.a[*]",
    "$.l",
    "$.l[0]",
    "l",
    "$.l[1:]",
    "$.l[-2:]",
    "$.l[::2]",
    "$[0,1]",
    "$['a','b']",
    "$[\"c\"]",
    "$.s",
    "$.t",
    "$..[?(@.a>1)]",
    "$.l[?@>1]",
    "$[?@.a=='x']",
    "$.none",
    "none",
    "$.a.none.b",
    "$.",
    "[",
    "",
    "a b",
    "$.l[?",
    "$..",
];
const SCALARS: [&str; 22] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "1.5",
    "-0.0",
    "1e3",
    "1e400",
    "9223372036854775807",
    "9223372036854775808",
    "0.1",
    "true",
    "false",
    "null",
    "\"\"",
    "\"x\"",
    "\"a b\"",
    "\"bl\u{e5}\\u00e6r\\n\\\"\"",
    "\"\\ud83d\\ude00\"",
    "\"0123456789012345678901234567890123456789\"",
    "123456789012345678901234567890",
];
const BROKEN: [&str; 12] = [
    "",
    "{",
    "[1,",
    "{\"a\"}",
    "nope",
    "'a'",
    "01",
    "1.",
    "\"\\x\"",
    "[1] 2",
    "{\"a\":1,}",
    "\u{0}",
];
const NAMES: [&str; 8] = ["a", "b", "c", "l", "s", "t", "a b", "none\u{e9}"];

/// The pool of a name.
pub(super) fn named(name: &str) -> Option<Pool> {
    Some(match name {
        "path" => |d: &mut Draw, a| a.push(d.rng.pick(&PATHS).as_bytes().to_vec()),
        "json" => json,
        _ => return None,
    })
}

fn json(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    if draw.rng.chance(5) {
        args.push(draw.rng.pick(&BROKEN).as_bytes().to_vec());
        return;
    }
    let mut text = String::new();
    let depth = draw.rng.below(4);
    value(&mut draw.rng, depth, &mut text);
    args.push(text.into_bytes());
}

fn value(rng: &mut Rng, depth: usize, text: &mut String) {
    let space = if rng.chance(10) { " " } else { "" };
    match rng.below(if depth == 0 { 1 } else { 4 }) {
        0 => text.push_str(rng.pick::<&str>(&SCALARS)),
        1 => {
            text.push('[');
            for at in 0..rng.below(5) {
                text.push_str(if at == 0 { space } else { "," });
                value(rng, depth - 1, text);
            }
            text.push(']');
        }
        _ => {
            text.push('{');
            for at in 0..rng.below(5) {
                text.push_str(if at == 0 { space } else { "," });
                text.push_str(&format!("\"{}\":{space}", rng.pick(&NAMES)));
                value(rng, depth - 1, text);
            }
            text.push('}');
        }
    }
}
