//! The compliance suite of RFC 9535 (`jsonpath-standard/jsonpath-compliance-test-suite`), with every
//! case in which a path means something else here, and why.
//!
//! The suite is looked for beside the repository and, if it is not there, one line says so. A case
//! that differs and is not listed fails, and so does a listed case that does not differ.

mod value;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use value::run;

/// Valid cases with another result: the name, and why.
const DIFFERENT: &[(&str, &str)] = &[];

/// Invalid selectors that are paths here: how their names begin or what they contain, and why.
const ACCEPTED: &[(&str, &str)] = &[];

fn suite() -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("../shared/data/jsonpath-cts/cts.json");
    let Ok(text) = fs::read_to_string(&file) else {
        println!("skipped: no compliance suite at ../shared/data/jsonpath-cts/cts.json");
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
            wrong.insert(test["name"].as_str().expect("a name"), format!("{selector}: {results:?}"));
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
    for (part, _) in ACCEPTED {
        let any = accepted.iter().any(|(name, _)| name.contains(part));
        assert!(any, "nothing named {part} is accepted any more");
    }
    accepted.retain(|(name, _)| !ACCEPTED.iter().any(|(part, _)| name.contains(part)));
    assert!(accepted.is_empty(), "{accepted:#?}");
}
