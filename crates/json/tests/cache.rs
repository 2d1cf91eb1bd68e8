//! The cache of paths: what it keeps, what it forgets, and that it stays small.

use std::collections::VecDeque;
use std::sync::Arc;

use kvist_json::path::{PathCache, PathError, may_hold_patterns};
use proptest::prelude::*;

#[test]
fn a_path_is_compiled_once() {
    let mut cache = PathCache::new(4, 1 << 20, 7);
    let first = cache.get(b"$.a.b").expect("a path");
    assert!(Arc::ptr_eq(&first, &cache.get(b"$.a.b").expect("a path")));
    assert!(cache.get(b"$.a[").is_err());
    assert_eq!(cache.len(), 1);
    assert_eq!(first.text(), "$.a.b");
}

#[test]
fn a_flood_stays_within_bounds() {
    let mut cache = PathCache::new(100, 64 << 10, 7);
    for at in 0..20_000 {
        let text = format!("$.field{at}[?@.x == {at}]");
        assert_eq!(cache.get(text.as_bytes()).expect("a path").text(), text);
        assert!(cache.len() <= 100 && cache.bytes() <= 64 << 10);
    }
    let before = cache.len();
    let huge = format!("$.{}", "x".repeat(60_000));
    assert!(cache.get(huge.as_bytes()).is_ok());
    assert_eq!(cache.len(), before, "one huge path pushed others out");
    // Compiled patterns count, so that there are few of them.
    for at in 0..100 {
        cache.get(format!("$[?@ =~ '\\\\w+{at}']").as_bytes()).expect("a path");
        assert!(cache.bytes() <= 64 << 10);
    }
}

/// So many cases, and no file of past failures.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn the_least_recently_used_goes_first(uses in prop::collection::vec(0_usize..12, 0..200)) {
        let mut cache = PathCache::new(5, 1 << 20, 3);
        let mut model: VecDeque<(usize, Arc<kvist_json::path::Path>)> = VecDeque::new();
        for which in uses {
            let path = cache.get(format!("$.p{which}").as_bytes()).expect("a path");
            let known = model.iter().position(|(name, _)| *name == which);
            if let Some(known) = known.and_then(|at| model.remove(at)) {
                prop_assert!(Arc::ptr_eq(&known.1, &path));
            } else {
                // Held by nothing but the cache and this test: it was made just now.
                prop_assert_eq!(Arc::strong_count(&path), 2);
            }
            model.push_front((which, path));
            model.truncate(5);
            prop_assert_eq!(cache.len(), model.len());
        }
    }
}

#[test]
fn what_was_made_ready_is_there_when_it_is_asked_for() {
    let mut cache = PathCache::new(16, 1 << 20, 7);
    let small = "$[?@.a =~ '[a-z]+']";
    let large = "$[?@.a =~ '[a-z]{500}' && @.b =~ '[a-z]{600}']";
    let wrong = format!("$[?@.a =~ '{}']", "\\\\w{100}");
    for text in [small, large, &wrong] {
        assert!(may_hold_patterns(text.as_bytes()));
        cache.make_ready(text.as_bytes());
        let first = cache.get(text.as_bytes());
        match (text == wrong, first) {
            (true, first) => assert_eq!(first.err(), Some(PathError::Patterns)),
            (false, first) => assert_eq!(first.expect("a path").text(), text),
        }
    }
    // Only one of them is small enough to stay.
    assert_eq!(cache.len(), 1);
    assert!(cache.cached(small.as_bytes()).is_some());
    assert!(!may_hold_patterns(b"$.store.book[?@.price < 10]"));
}
