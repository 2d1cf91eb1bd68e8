//! What clients send to make a project grow, or a request last.

use haystack::{Dict, Value};
use kvist_folio::{Diff, ErrorKind, Flags, Project, Query, ReadOptions, limits};

use crate::sample::{at, dict};

fn kind(project: &mut Project, diff: Diff) -> Option<ErrorKind> {
    project.commit(&[diff], at(1)).err().map(|error| error.kind())
}

fn one_tag(value: Value) -> Diff {
    let mut tags = Dict::new();
    tags.put("x", value).unwrap();
    Diff::add("a", tags).unwrap()
}

#[test]
fn a_record_of_a_million_tags_is_refused() {
    let mut project = Project::default();
    let tags: String = (0..1_000_000).map(|n| format!("t{n} ")).collect();
    let diff = Diff::add("a", dict(&tags)).unwrap();
    assert_eq!(kind(&mut project, diff), Some(ErrorKind::Commit));
    assert_eq!((project.len(), project.tags().count()), (0, 0));
    let tags: String = (0..10_000).map(|n| format!("t{n} ")).collect();
    assert_eq!(kind(&mut project, Diff::add("a", dict(&tags)).unwrap()), None);
    let more: String = (0..10_000).map(|n| format!("u{n} ")).collect();
    assert_eq!(kind(&mut project, Diff::add("b", dict(&more)).unwrap()), Some(ErrorKind::Commit));
    assert_eq!(project.len(), 1);
}

#[test]
fn texts_and_nesting_have_bounds() {
    let mut project = Project::default();
    let err = Some(ErrorKind::InvalidTagVal);
    let long = "é".repeat(limits::LONGEST_STR);
    assert_eq!(kind(&mut project, one_tag((long.clone() + "x").into())), err);
    assert_eq!(kind(&mut project, one_tag(Value::uri("u".repeat(1001)))), err);
    let nested =
        |depth: usize| (0..depth).fold(Value::from(1.0), |in_it, _| Value::list(vec![in_it]));
    assert_eq!(kind(&mut project, one_tag(nested(limits::DEEPEST + 1))), err);
    let large = Value::list(vec![1.0.into(); limits::LARGEST_VALUE / 16 + 1]);
    assert_eq!(kind(&mut project, one_tag(large)), err);
    assert!(project.is_empty());
    assert_eq!(kind(&mut project, one_tag(long.into())), None);
    let mut tags = Dict::new();
    tags.put("x", nested(limits::DEEPEST)).unwrap();
    let diff = Diff::update("a", tags, None).unwrap().with(Flags::FORCE);
    assert_eq!(kind(&mut project, diff), None);
}

#[test]
fn freed_places_are_used_again() {
    let mut project = Project::default();
    let mut most = 0;
    for round in 0..3000 {
        let diff = Diff::add(&format!("r{round}"), dict("a b:1 c:\"x\" d:@r1")).unwrap();
        let done = project.commit(&[diff], at(round)).unwrap();
        assert!(done[0].slot < 3);
        most = most.max(project.memory());
        if round >= 2 {
            let id = format!("r{}", round - 2);
            let diff = Diff::remove(&id, None).unwrap().with(Flags::FORCE);
            project.commit(&[diff], at(round)).unwrap();
        }
    }
    assert!(most < 16 * 1024, "{most}");
}

#[test]
fn a_filter_of_a_megabyte_is_answered() {
    let mut project = Project::default();
    for n in 0..300 {
        let tags = dict("a b:1 ref:@r1");
        project.commit(&[Diff::add(&format!("r{n}"), tags).unwrap()], at(n)).unwrap();
    }
    let text = vec!["b > 7"; 100_000].join(" or ");
    let query = Query::parse(&text).unwrap();
    assert_eq!(project.read_count(&query, &ReadOptions::default()).unwrap(), 0);
}

#[test]
fn searches_are_bounded() {
    let project = Project::default();
    let search = Some("x".repeat(1001));
    let options = ReadOptions { search, ..ReadOptions::default() };
    let query = Query::parse("id").unwrap();
    let error = project.find_all(&query, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Parse);
}
