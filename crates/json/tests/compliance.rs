//! The compliance suite of RFC 9535 (`jsonpath-standard/jsonpath-compliance-test-suite`), with
//! every case in which a path means something else here, and why.
//!
//! The suite is looked for beside the repository and, if it is not there, one line says so. A case
//! that differs and is not listed fails, and so does a listed case that does not differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::skip;

use crate::value::run;

/// RedisJSON: nothing is equal to nothing.
const NOTHING: &str = "with nothing on one side, `!=` alone holds";

/// Valid cases with another result, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("filter, equals, absent from index selector equals absent from name selector", NOTHING),
    ("filter, equals, empty node list and empty node list", NOTHING),
    ("filter, equals, empty node list and special nothing", NOTHING),
    ("filter, equals, special nothing", NOTHING),
];

/// RedisJSON: names are letters, digits and some signs, in any order.
const DIGITS: &str = "a name may begin with a digit";
/// RedisJSON: a list of nodes compares as any of its nodes.
const ANY: &str = "several values compare as any of them";
/// RedisJSON has the unary operators of arithmetic.
const SIGN: &str = "a sign is an operator";
/// RedisJSON: what does not fit is nothing when it runs, and no error before.
const TYPES: &str = "a function given what it cannot use gives nothing";
/// RedisJSON: a result that is there makes a filter hold, as a value that is there does.
const TESTED: &str = "a function's result can be tested";
/// RedisJSON: the answers of `match` and `search` are values like others.
const ANSWER: &str = "a truth value can be compared";
/// RedisJSON: only the quote and the backslash need an escape; names do have control characters.
const CONTROL: &str = "any character may stand in quotes";

/// Invalid selectors that are paths here, and why. A name that ends in `*` means all of one kind.
const ACCEPTED: &[(&str, &str)] = &[
    ("whitespace, functions, *", "RedisJSON lets blanks stand before the parenthesis"),
    ("basic, name shorthand, number", DIGITS),
    ("filter, non-singular query in comparison, slice", ANY),
    ("filter, non-singular query in comparison, all children", ANY),
    ("filter, non-singular query in comparison, descendants", ANY),
    ("filter, non-singular query in comparison, combined", ANY),
    ("filter, relative non-singular query, index, equal", ANY),
    ("filter, relative non-singular query, index, not equal", ANY),
    ("filter, relative non-singular query, index, less-or-equal", ANY),
    ("filter, relative non-singular query, name, equal", ANY),
    ("filter, relative non-singular query, name, not equal", ANY),
    ("filter, relative non-singular query, name, less-or-equal", ANY),
    ("filter, relative non-singular query, combined, equal", ANY),
    ("filter, relative non-singular query, combined, not equal", ANY),
    ("filter, relative non-singular query, combined, less-or-equal", ANY),
    ("filter, relative non-singular query, wildcard, equal", ANY),
    ("filter, relative non-singular query, wildcard, not equal", ANY),
    ("filter, relative non-singular query, wildcard, less-or-equal", ANY),
    ("filter, relative non-singular query, slice, equal", ANY),
    ("filter, relative non-singular query, slice, not equal", ANY),
    ("filter, relative non-singular query, slice, less-or-equal", ANY),
    ("filter, absolute non-singular query, index, equal", ANY),
    ("filter, absolute non-singular query, index, not equal", ANY),
    ("filter, absolute non-singular query, index, less-or-equal", ANY),
    ("filter, absolute non-singular query, name, equal", ANY),
    ("filter, absolute non-singular query, name, not equal", ANY),
    ("filter, absolute non-singular query, name, less-or-equal", ANY),
    ("filter, absolute non-singular query, combined, equal", ANY),
    ("filter, absolute non-singular query, combined, not equal", ANY),
    ("filter, absolute non-singular query, combined, less-or-equal", ANY),
    ("filter, absolute non-singular query, wildcard, equal", ANY),
    ("filter, absolute non-singular query, wildcard, not equal", ANY),
    ("filter, absolute non-singular query, wildcard, less-or-equal", ANY),
    ("filter, absolute non-singular query, slice, equal", ANY),
    ("filter, absolute non-singular query, slice, not equal", ANY),
    ("filter, absolute non-singular query, slice, less-or-equal", ANY),
    ("filter, equals number, invalid plus", SIGN),
    ("filter, equals number, invalid minus space", SIGN),
    ("filter, equals number, invalid double minus", SIGN),
    ("functions, count, non-query arg, number", TYPES),
    ("functions, count, non-query arg, string", TYPES),
    ("functions, count, non-query arg, true", TYPES),
    ("functions, count, non-query arg, false", TYPES),
    ("functions, count, non-query arg, null", TYPES),
    ("functions, count, result must be compared", TESTED),
    ("functions, count, no params", TYPES),
    ("functions, count, too many params", TYPES),
    ("functions, length, result must be compared", TESTED),
    ("functions, length, no params", TYPES),
    ("functions, length, too many params", TYPES),
    ("functions, length, non-singular query arg", TYPES),
    ("functions, length, non-singular query arg, multiple index selectors", TYPES),
    ("functions, length, non-singular query arg, multiple name selectors", TYPES),
    ("functions, match, result cannot be compared", ANSWER),
    ("functions, match, too few params", TYPES),
    ("functions, match, too many params", TYPES),
    ("functions, search, result cannot be compared", ANSWER),
    ("functions, search, too few params", TYPES),
    ("functions, search, too many params", TYPES),
    ("functions, value, too few params", TYPES),
    ("functions, value, too many params", TYPES),
    ("functions, value, result must be compared", TESTED),
    ("name selector, double quotes, embedded U+*", CONTROL),
    ("name selector, single quotes, embedded U+*", CONTROL),
];

fn suite() -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("../shared/data/jsonpath-cts/cts.json");
    let Ok(text) = fs::read_to_string(&file) else {
        skip::because("no compliance suite of JSONPath at ../shared/data/jsonpath-cts/cts.json");
        return None;
    };
    let suite: Value = serde_json::from_str(&text).expect("the suite is JSON");
    Some(suite["tests"].as_array().expect("the suite has tests").clone())
}

#[test]
fn valid_selectors() {
    let Some(tests) = suite() else { return };
    let mut wrong = BTreeMap::new();
    let mut count = 0;
    for test in tests.iter().filter(|test| test["invalid_selector"] != true) {
        count += 1;
        let selector = test["selector"].as_str().expect("a selector");
        let results = run(selector, &test["document"]).map(Value::Array);
        let good = match (&results, test.get("results").and_then(Value::as_array)) {
            (Ok(results), Some(any)) => any.contains(results),
            (Ok(results), None) => *results == test["result"],
            (Err(_), _) => false,
        };
        if !good {
            wrong
                .insert(test["name"].as_str().expect("a name"), format!("{selector}: {results:?}"));
        }
    }
    println!("{} of {count} valid selectors give what RFC 9535 says", count - wrong.len());
    let listed: Vec<&str> = DIFFERENT.iter().map(|(name, _)| *name).collect();
    for name in &listed {
        assert!(wrong.contains_key(name), "{name} does not differ any more");
    }
    wrong.retain(|name, _| !listed.contains(name));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn invalid_selectors() {
    let Some(tests) = suite() else { return };
    let mut accepted = Vec::new();
    let mut count = 0;
    for test in tests.iter().filter(|test| test["invalid_selector"] == true) {
        count += 1;
        let selector = test["selector"].as_str().expect("a selector");
        if kvist_json::path::Path::compile(selector).is_ok() {
            accepted.push((test["name"].as_str().expect("a name"), selector));
        }
    }
    println!("{} of {count} invalid selectors are paths", accepted.len());
    let means = |listed: &str, name: &str| match listed.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == listed,
    };
    for (listed, why) in ACCEPTED {
        let any = accepted.iter().any(|(name, _)| means(listed, name));
        assert!(any, "{listed} is not accepted any more, though {why}");
    }
    accepted.retain(|(name, _)| !ACCEPTED.iter().any(|(listed, _)| means(listed, name)));
    assert!(accepted.is_empty(), "{accepted:#?}");
}
