//! Requests as clients send them, and what is refused.

use super::*;
use crate::evaluate::Scorer;
use crate::query::Bound;

fn words(line: &str) -> Vec<&[u8]> {
    line.split(' ').map(str::as_bytes).collect()
}

fn search(line: &str) -> crate::error::Result<Search> {
    Search::parse(&words(line))
}

fn aggregate(line: &str) -> crate::error::Result<Aggregate> {
    Aggregate::parse(&words(line))
}

#[test]
fn a_search_with_everything() {
    let s = search(
        "hello NOCONTENT VERBATIM NOSTOPWORDS WITHSCORES WITHPAYLOADS WITHSORTKEYS FILTER n (1 \
         +inf \
         GEOFILTER g 1 2 3 km INKEYS 2 a b INFIELDS 1 f RETURN 4 $.a AS a b SUMMARIZE FIELDS 1 f \
         FRAGS 2 \
         LEN 5 SEPARATOR ; HIGHLIGHT TAGS <i> </i> SLOP 2 TIMEOUT 100 INORDER LANGUAGE German \
         EXPANDER x \
         SCORER bm25std EXPLAINSCORE PAYLOAD p SORTBY n DESC WITHCOUNT LIMIT 5 6 PARAMS 4 a 1 b 2 \
         DIALECT 3 FORMAT EXPAND",
    )
    .unwrap();
    assert!(s.no_content && s.no_stop_words && s.with_scores && s.with_payloads);
    assert!(s.with_sort_keys && s.in_order && s.explain_score && s.options.verbatim);
    assert_eq!(s.filters[0].min, Bound { value: 1.0, exclusive: true });
    assert_eq!(s.geo_filters[0].meters, 3000.0);
    let returns = s.returns.unwrap();
    assert_eq!(returns[0].identifier, b"$.a");
    assert_eq!(returns[0].name, b"a");
    assert_eq!(returns[1].name, b"b");
    assert_eq!(s.summarize.unwrap().fragments, 2);
    assert_eq!(s.highlight.unwrap().close, b"</i>");
    assert_eq!((s.slop, s.options.timeout), (Some(2), Some(100)));
    assert_eq!(s.options.scorer, Some(Scorer::Bm25Std));
    assert_eq!(s.limit, Limit { offset: 5, count: 6 });
    assert_eq!(s.options.parameters[&b"b"[..]], b"2");
    assert_eq!((s.options.dialect, s.options.format), (Some(3), Format::Expand));
    assert_eq!(s.options.with_count, Some(true));
    assert!(s.sort_by.unwrap().descending);
    assert_eq!(search("*").unwrap().limit, Limit { offset: 0, count: 10 });
}

#[test]
fn searches_that_are_refused() {
    for (line, error) in [
        ("q FOO", "Unknown argument `FOO`"),
        ("q LIMIT 0", "Invalid LIMIT parameters"),
        ("q LIMIT -1 5", "Invalid LIMIT parameters"),
        ("q LIMIT 0 1000001", "LIMIT exceeds maximum of 1000000"),
        ("q LIMIT 1000001 1", "OFFSET exceeds maximum of 1000000"),
        ("q LIMIT 5 0", "The `offset` of the LIMIT must be 0 when `num` is 0"),
        ("q DIALECT 5", "DIALECT requires a non negative integer >=1 and <= 4"),
        ("q DIALECT 0", "DIALECT requires a non negative integer >=1 and <= 4"),
        ("q DIALECT", "DIALECT requires a non negative integer >=1 and <= 4"),
        ("q TIMEOUT -5", "TIMEOUT requires a non negative integer"),
        ("q PARAMS 3 a b c", "Parameters must be specified in PARAM VALUE pairs"),
        ("q PARAMS 4 a b a c", "Duplicate parameter `a`"),
        (
            "q PARAMS 2 a b PARAMS 2 c d",
            "Multiple PARAMS are not allowed. Parameters can be defined only once",
        ),
        ("q PARAMS -1", "Bad arguments for PARAMS: Could not convert argument to expected type"),
        ("q PARAMS 4 a b", "Bad arguments for PARAMS: Expected an argument, but none provided"),
        ("q RETURN 2 a AS", "RETURN path AS name - must be accompanied with NAME"),
        ("q FILTER n a 5", "Bad lower range: a"),
        ("q FILTER n 1 b", "Bad upper range: b"),
        ("q FILTER n 5 1", "Invalid numeric range (min > max)"),
        ("q GEOFILTER g 1 2 3 parsec", "Invalid GeoFilter unit"),
        ("q SCORER foo", "No such scorer foo"),
        ("q LANGUAGE foo", "No such language foo"),
        ("q SORTBY a SORTBY b", "Multiple SORTBY steps are not allowed"),
    ] {
        assert_eq!(search(line).unwrap_err().0, error, "{line}");
    }
}

#[test]
fn an_aggregation_with_everything() {
    let a = aggregate(
        "* VERBATIM ADDSCORES LOAD 4 @f AS x $.g WITHCURSOR COUNT 5 MAXIDLE 999999 DIALECT 2 \
         GROUPBY 2 @a \
         @b REDUCE COUNT 0 AS n REDUCE QUANTILE 2 @c 0.5 REDUCE FIRST_VALUE 4 @f BY @g DESC AS \
         first \
         REDUCE RANDOM_SAMPLE 2 @f 7 SORTBY 3 @n DESC @a MAX 3 APPLY @n*2 AS m FILTER @m>3 LIMIT \
         0 5 GROUPBY 0 REDUCE max 1 @m",
    )
    .unwrap();
    assert_eq!(a.cursor, Some(CursorOptions { count: 5, max_idle: 300_000 }));
    let Load::These(load) = &a.load else { panic!() };
    assert_eq!((&load[0].name[..], &load[1].identifier[..]), (&b"x"[..], &b"$.g"[..]));
    assert_eq!(a.steps.len(), 6);
    let Step::GroupBy { properties, reducers } = &a.steps[0] else { panic!() };
    assert_eq!(properties, &[b"a".to_vec(), b"b".to_vec()]);
    let names: Vec<_> = reducers.iter().map(|r| String::from_utf8_lossy(&r.name)).collect();
    assert_eq!(
        names,
        ["n", "__generated_aliasquantilec,0.5", "first", "__generated_aliasrandom_samplef,7"]
    );
    let Step::SortBy { keys, max } = &a.steps[1] else { panic!() };
    assert!(keys[0].descending && !keys[1].descending && *max == Some(3));
    assert_eq!(aggregate("* LOAD *").unwrap().load, Load::All);
}

#[test]
fn aggregations_that_are_refused() {
    for (line, error) in [
        ("* FOO", "Unknown argument `FOO`"),
        ("* GROUPBY 1", "Bad arguments for GROUPBY: Expected an argument, but none provided"),
        ("* GROUPBY 1 f", "Bad arguments for GROUPBY: Unknown property `f`. Did you mean `@f`?"),
        ("* GROUPBY 0 REDUCE FOO 0", "Could not find reducer 'FOO'"),
        ("* GROUPBY 0 REDUCE SUM 0", "Bad arguments for SUM: Bad number of arguments"),
        ("* GROUPBY 0 REDUCE COUNT 1 @a", "Bad arguments for COUNT: Bad number of arguments"),
        ("* GROUPBY 0 REDUCE QUANTILE 2 @a 2", "Percentage must be between 0.0 and 1.0"),
        (
            "* GROUPBY 0 REDUCE COUNT 0 AS a REDUCE COUNT 0 AS a",
            "Property `a` specified more than once",
        ),
        ("* SORTBY 2 @a FOO", "MISSING ASC or DESC after sort field (FOO)"),
        ("* SORTBY 0", "Bad arguments for SORTBY: Value is outside acceptable bounds"),
        ("* APPLY 1 AS", "Bad arguments for AS: Expected an argument, but none provided"),
        ("* LIMIT 0", "Invalid LIMIT parameters"),
        ("* WITHCURSOR COUNT 0", "Bad arguments for COUNT: Value is outside acceptable bounds"),
        ("* LOAD 5 @a", "Bad arguments for LOAD: Expected an argument, but none provided"),
    ] {
        assert_eq!(aggregate(line).unwrap_err().0, error, "{line}");
    }
}

#[test]
fn profiles_and_cursors() {
    let p = Profile::parse(&words("SEARCH LIMITED QUERY hello LIMIT 0 3")).unwrap();
    let Profiled::Search(s) = p.request else { panic!() };
    assert!(p.limited && s.limit.count == 3 && s.query == b"hello");
    let p = Profile::parse(&words("AGGREGATE QUERY * LIMIT 0 3")).unwrap();
    assert!(matches!(p.request, Profiled::Aggregate(_)));
    assert_eq!(Profile::parse(&words("FOO")).unwrap_err().0, "No `SEARCH` or `AGGREGATE` provided");
    assert_eq!(Profile::parse(&words("SEARCH x")).unwrap_err().0, "The QUERY keyword is expected");
    let read = CursorRead::parse(&words("77 COUNT 3 MAXIDLE 10")).unwrap();
    assert_eq!(read, CursorRead { id: 77, count: Some(3), max_idle: Some(10) });
    assert_eq!(CursorRead::parse(&words("x")).unwrap_err().0, "Bad cursor ID");
}

#[test]
fn suggestions_and_spelling() {
    let add = SuggestionAdd::parse(&words("hello 1.5 INCR PAYLOAD p")).unwrap();
    assert!(add.increment && add.score == 1.5 && add.payload.as_deref() == Some(b"p"));
    assert_eq!(SuggestionAdd::parse(&words("hello x")).unwrap_err().0, "invalid score");
    let get = SuggestionGet::parse(&words("he FUZZY WITHSCORES MAX 0")).unwrap();
    assert!(get.fuzzy && get.with_scores && !get.with_payloads && get.most == 5);
    assert_eq!(SuggestionGet::parse(&words("he FOO")).unwrap_err().0, "Unknown argument `FOO`");
    let check =
        Spellcheck::parse(&words("q DISTANCE 2 TERMS INCLUDE d a b TERMS EXCLUDE e DIALECT 2"))
            .unwrap();
    assert_eq!((check.distance, check.dialect, check.terms.len()), (2, Some(2), 2));
    assert_eq!(check.terms[0].words, [b"a", b"b"]);
    assert!(!check.terms[1].include);
    assert!(Spellcheck::parse(&words("q DISTANCE 5")).is_err());
}
