//! What paths mean, by example: RedisJSON's dialect, where it adds to RFC 9535 or differs from it.

use kvist_json::path::{Budget, Path};
use serde_json::{Value, json};

use crate::value::{self, Doc, run};

/// Documents with their paths and what these give.
#[track_caller]
fn check(document: Value, paths: &[(&str, Value)]) {
    for (path, expected) in paths {
        let results = run(path, &document).map(Value::Array);
        assert_eq!(results.as_ref(), Ok(expected), "{path} on {document}");
    }
}

/// Paths that no grammar knows.
#[track_caller]
fn refused(paths: &[&str]) {
    for path in paths {
        let compiled = Path::compile(path).map(|_| ());
        assert!(compiled.is_err(), "{path} is a path");
    }
}

#[test]
fn legacy_paths() {
    let legacy = [
        ".",
        "sclr",
        ".sclr",
        "sub_doc.sclr",
        "array_of_docs[1].sclr",
        "[7]",
        ".[7]",
        "[8].zero",
        r#"["web-app"].servlet[0]["servlet-name"]"#,
        "ResultSet.totalResultsAvailable",
        "$a",
        "-a",
        "..a",
        ".*",
        "*",
        "a[*].b",
        "a-1",
        "size",
        "in",
        "a[?(@.b==1)]",
        "d.[?(@.id==1)]",
        "1days",
    ];
    for text in legacy {
        let path = Path::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(path.is_legacy() && !path.is_projection(), "{text}");
        assert_eq!(path.text(), text);
    }
    let jsonpath = [
        "$",
        "$.",
        "$.a",
        "$[0]",
        "$['a']",
        "$~",
        "($.a)",
        "-$.a",
        "+$.a",
        "-($.a)",
        "- $.a",
        "length($.a)",
        "-length($.a)",
        "$ .a",
        "$..a",
        "$.*",
        "$.[0]",
        "$.['a']",
        "$.a.[0]",
    ];
    for text in jsonpath {
        let path = Path::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(!path.is_legacy(), "{text}");
    }
    check(
        json!({"a": {"b": [10, {"c": 11}]}, "$a": 1, "-a": 2, "size": 3, "web-app": 4, "a b": 5,
            "1d": 6}),
        &[
            ("a.b[0]", json!([10])),
            (".a.b[1].c", json!([11])),
            ("a.b[-1].c", json!([11])),
            ("a['b'][0]", json!([10])),
            ("['a']['b'][0]", json!([10])),
            ("$a", json!([1])),
            ("-a", json!([2])),
            ("size", json!([3])),
            ("web-app", json!([4])),
            ("['a b']", json!([5])),
            ("1d", json!([6])),
            ("..c", json!([11])),
            ("a.b.*", json!([10, {"c": 11}])),
            ("missing", json!([])),
            ("a + 1", json!([])),
            ("size + 1", json!([4])),
            ("a.b.length()", json!([2])),
            ("a~", json!(["b"])),
        ],
    );
}

#[test]
fn a_path_tells_what_it_is() {
    let of = |text: &str| Path::compile(text).expect("a path");
    for root in ["$", ".", "$.", "($)", "(($))"] {
        assert!(of(root).is_root() && of(root).is_static() && of(root).last_step().is_none());
    }
    for text in ["$.a", "$[0]", "$['a'][-1].b", "a.b", "($.a.b)", "$.[0]", "$[ 'a' ]"] {
        assert!(of(text).is_static() && !of(text).is_root(), "{text}");
    }
    for text in ["$.*", "$..a", "$[0,1]", "$[0:1]", "$[?@.a]", "$.a[*].b", "$['a','b']"] {
        assert!(!of(text).is_static() && !of(text).is_projection(), "{text}");
    }
    for text in ["$.a + 1", "$~", "$.a.length()", "count($..a)", "-$.a", "(1)", "($.a + 1)"] {
        assert!(of(text).is_projection() && !of(text).is_static(), "{text}");
        assert_eq!(of(text).last_step(), None);
    }
    assert_eq!(of("$.a['b c']").last_name(), Some("b c"));
    assert_eq!(of("$..b").last_name(), None);
    assert_eq!(of("$.a[2]").last_name(), None);
    assert_eq!(of("$.a[-2]").last_step(), Some(kvist_json::path::LastStep::Index(-2)));
}

#[test]
fn creations_and_parents() {
    let document = json!({"a": {"b": {}}, "l": [{"x": 1}, {"y": 2}]});
    let root = Doc(&document);
    let path = Path::compile("$.a.b.new").expect("a path");
    let found = path.creation(root).expect("the parent is there");
    assert_eq!((found.name, found.parent.0), ("new", &json!({})));
    assert_eq!(value::at(&document, &found.location), json!({}));
    for none in ["$.q.new", "$.a[0]", "$", "$.*.new", "$..new", "$.a + 1"] {
        let path = Path::compile(none).expect("a path");
        assert!(path.creation(root).is_none(), "{none}");
    }
    let path = Path::compile("$.l[*].new").expect("a path");
    let parents = path.parents(root, &mut Budget::default()).expect("enough budget");
    let there: Vec<Value> = parents.iter().map(|at| value::at(&document, at)).collect();
    assert_eq!(there, [json!({"x": 1}), json!({"y": 2})]);
}

#[test]
fn names() {
    check(
        json!({"a+1": 1, "a": 2, "x-y_z`#%$^/:w": 3, "é☺": 4, "a'b": 5, "q\"r": 6, "s\\t": 7,
            "t~u": 8, "l\nm": 9, "a.b": 10}),
        &[
            ("$.a+1", json!([1])),
            ("$.a + 1", json!([3])),
            ("$.x-y_z`#%$^/:w", json!([3])),
            ("$.é☺", json!([4])),
            (r#"$["a'b"]"#, json!([5])),
            (r"$['a\'b']", json!([5])),
            (r#"$['q"r']"#, json!([6])),
            (r#"$["q\"r"]"#, json!([6])),
            (r"$['s\\t']", json!([7])),
            ("$['t~u']", json!([8])),
            ("$['l\nm']", json!([9])),
            (r"$['l\nm']", json!([9])),
            ("$['a.b']", json!([10])),
            (r"$['\u00e9\u263a']", json!([4])),
        ],
    );
    refused(&[
        "$.a~b", "$.a b", "$.é ☺", "$.&", "$. a", "$.a.", "$['a", "$[a]", "$[]", "$[", "$..",
    ]);
}

#[test]
fn filters() {
    let bikes = json!([
        {"model": "P", "price": 1920, "specs": {"material": "carbon", "weight": 13.1}},
        {"model": "Q", "price": 2072, "specs": {"material": "aluminium", "weight": 7.9}},
        {"model": "W", "price": 3264, "specs": {"material": "alloy", "weight": 13.8}}
    ]);
    check(
        bikes,
        &[
            ("$[?(@.price < 3000 && @.specs.weight < 10)].model", json!(["Q"])),
            ("$..[?(@.specs.material == \"alloy\")].model", json!(["W"])),
            ("$[?(@.specs.material =~ \"(?i)AL\")].model", json!(["Q", "W"])),
            ("$[?(@.specs.material =~ '^al')].model", json!(["Q", "W"])),
            ("$[?(@.specs.material =~ 'm$')].model", json!(["Q"])),
            ("$[?(@.model =~ '(')].model", json!([])),
            ("$[?(@.price =~ '1')].model", json!([])),
            ("$[?@.price<2000||@.price>3000].model", json!(["P", "W"])),
            ("$[?(@.price)].model", json!(["P", "Q", "W"])),
            ("$[?!(@.price = 1920)].model", json!(["Q", "W"])),
            ("$[?!@.price == 1920].model", json!(["Q", "W"])),
            ("$[?@.price - 20 == 1900].model", json!(["P"])),
            ("$[?1900 == @.price - 20].model", json!(["P"])),
        ],
    );
    // Bare names, literals against literals, and the order of bools, as the tutorials have them.
    check(
        json!({"a": [1, 2, 3, "a", "b", "c", false, true, ["a", 1], {"a": 1}, {"b": null}],
            "b": 5}),
        &[
            ("$.a[?@a==1]", json!([{"a": 1}])),
            ("$.a[?@.a==1]", json!([{"a": 1}])),
            ("$.a[?@[0]==@[0]]", json!([["a", 1]])),
            ("$.a[?@>1]", json!([2, 3])),
            ("$.a[?1<@]", json!([2, 3])),
            ("$.a[?@>'a']", json!(["b", "c"])),
            ("$.a[?@>false]", json!([true])),
            ("$.a[?@<=@]", json!([1, 2, 3, "a", "b", "c", false, true])),
            ("$.a[?@<=true]", json!([false, true])),
            ("$.a[?(@<0 || @>=0)]", json!([1, 2, 3])),
            (
                "$.a[?(1!=@)]",
                json!([2, 3, "a", "b", "c", false, true, ["a", 1], {"a": 1}, {"b": null}]),
            ),
            ("$.a[?@ =~ '(?i)']", json!(["a", "b", "c"])),
            ("$.a[?(@.b==null)]", json!([{"b": null}])),
            ("$.a[*].*[?(@==null)]", json!([null])),
            ("$.a[?@==[\"a\", 1]]", json!([["a", 1]])),
            ("$.a[?{'a':1}==@]", json!([{"a": 1}])),
            ("$.a[?@ == $.b]", json!([])),
        ],
    );
    check(json!([1, 2, 3]), &[("$.*[?(@>1 && @<3)]", json!([2])), ("$..[?@>1]", json!([2, 3]))]);
    check(
        json!({"a1": "xx", "b1": "xx", "c1": "yy", "d1": ".."}),
        &[
            ("$[?@ =~ $.a1]", json!(["xx", "xx"])),
            ("$[?@ =~ $.d1]", json!(["xx", "xx", "yy", ".."])),
        ],
    );
}

#[test]
fn the_page_for_users_is_right() {
    check(
        json!({"store": {"book": [{"title": "A", "price": 8, "tags": ["x", "y"]},
                                  {"title": "B", "price": 12.5, "tags": []}],
                         "open": true},
               "limit": 10, "allow": ["A", "C"]}),
        &[
            ("$['store'][\"open\"]", json!([true])),
            ("$.store.book[-1].title", json!(["B"])),
            ("$.store.book.*.price", json!([8, 12.5])),
            ("$['limit','allow']", json!([10, ["A", "C"]])),
            ("$.allow[::-1]", json!(["C", "A"])),
            ("$.store.book[?@.price < $.limit].title", json!(["A"])),
            ("$..[?@.tags == [\"x\", \"y\"]].title", json!(["A"])),
            ("$..[?@.title =~ \"(?i)^a\"].title", json!(["A"])),
            ("$..[?@.title in $.allow].title", json!(["A"])),
            ("$..[?@.tags size 2].title", json!(["A"])),
            ("$..[?@.tags empty true].title", json!(["B"])),
            ("$..[?@.price * 2 > 20].title", json!(["B"])),
            ("$..[?@.tags[*] == 'x'].title", json!(["A"])),
            ("$.limit[?@ > 5]", json!([10])),
            ("sum($..price)", json!([20.5])),
            ("$.limit + 1", json!([11])),
            ("$.store.book.length()", json!([2])),
            ("$.store~", json!(["book", "open"])),
            ("$.limit / 0", json!([])),
        ],
    );
}

#[test]
fn nothing_and_negation() {
    check(
        json!([{"a": 1, "b": 1}, {"b": 2}, {"a": 1}, {"c": 3}]),
        &[
            ("$[?!@.a]", json!([{"b": 2}, {"c": 3}])),
            ("$[?!!@.a]", json!([{"a": 1, "b": 1}, {"a": 1}])),
            ("$[?!(@.a==1)]", json!([{"b": 2}, {"c": 3}])),
            ("$[?!@.a && @.b]", json!([{"b": 2}])),
            ("$[?@.a != 1]", json!([{"b": 2}, {"c": 3}])),
            ("$[?@.a != null]", json!([{"a": 1, "b": 1}, {"b": 2}, {"a": 1}, {"c": 3}])),
            ("$[?@.a / 0 != 1].c", json!([3])),
            ("$[?@.x < 1 || @.x >= 1 || @.x == null]", json!([])),
            ("$[?@.a == @.b]", json!([{"a": 1, "b": 1}])),
            ("$[?@.x == @.y]", json!([])),
            ("$[?@.a + 1 > 0]", json!([{"a": 1, "b": 1}, {"a": 1}])),
        ],
    );
}

#[test]
fn lists_compare_as_any() {
    check(
        json!([{"l": [1, 2]}, {"l": [3]}, {"l": []}]),
        &[
            ("$[?@.l[*] == 2]", json!([{"l": [1, 2]}])),
            ("$[?@.l[*] != 2]", json!([{"l": [1, 2]}, {"l": [3]}, {"l": []}])),
            ("$[?@.l[*] > 1]", json!([{"l": [1, 2]}, {"l": [3]}])),
            ("$[?2 == @.l[*]]", json!([{"l": [1, 2]}])),
            ("$[?@.l[0,1] == @.l[1]].l", json!([[1, 2]])),
            ("$[?@..l[0] == 3].l", json!([[3]])),
            ("$[?@~ == 'l'].l", json!([[1, 2], [3], []])),
            ("$[?@~ == 'm'].l", json!([])),
        ],
    );
}

#[test]
fn numbers_are_equal_by_value_and_inside_values_by_kind() {
    check(
        json!([1, 1.0, 2, [1], [1.0], {"x": 1}, {"x": 1.0}, 9007199254740993_i64,
            18446744073709551615_u64]),
        &[
            ("$[?@ == 1]", json!([1, 1.0])),
            ("$[?@ == 1.0]", json!([1, 1.0])),
            ("$[?@ == [1]]", json!([[1]])),
            ("$[?@ == [1.0]]", json!([[1.0]])),
            ("$[?@ == {'x': 1}]", json!([{"x": 1}])),
            ("$[?@ == 9007199254740993]", json!([9007199254740993_i64])),
            ("$[?@ == 9007199254740992.0]", json!([])),
            ("$[?@ > 9007199254740992.0]", json!([9007199254740993_i64, 18446744073709551615_u64])),
            ("$[?@ == 18446744073709551615]", json!([18446744073709551615_u64])),
            ("$[?@ in [1.0]]", json!([1, 1.0])),
            ("$[?@ < 2 && @ > 0.5]", json!([1, 1.0])),
        ],
    );
}

#[test]
fn arithmetic() {
    check(
        json!([{"a": 2, "b": 3}, {"a": 5, "b": 2}]),
        &[
            ("$[?@.a + 1 == 3]", json!([{"a": 2, "b": 3}])),
            ("$[?@.a + @.b * 2 == 8]", json!([{"a": 2, "b": 3}])),
            ("$[?(@.a + @.b) * 2 == 10]", json!([{"a": 2, "b": 3}])),
            ("$[?@.a % 2 == 1].a", json!([5])),
            ("$[?-@.a < -4].a", json!([5])),
            ("$[?@.a*2==4].a", json!([2])),
        ],
    );
    check(
        json!({"a": 2, "b": 4, "s": "x", "t": true, "n": null, "l": [1], "f": 0.5, "z": 0,
            "max": i64::MAX, "min": i64::MIN, "big": u64::MAX}),
        &[
            ("$.a + 1", json!([3])),
            ("$.a * $.b", json!([8])),
            ("($.a + $.b) / 2", json!([3.0])),
            ("$.b / $.a", json!([2.0])),
            ("$.a / 0", json!([])),
            ("$.a % 0", json!([])),
            ("$.a % $.z", json!([])),
            ("$.f + 1", json!([1.5])),
            ("1 - $.f", json!([])),
            ("(1 - $.f)", json!([0.5])),
            ("$.a - 3 - 4", json!([-5])),
            ("$.b % 3", json!([1])),
            ("-$.b % 3", json!([-1])),
            ("-$.a", json!([-2])),
            ("--$.a", json!([2])),
            ("+$.a", json!([2])),
            ("+$.s", json!([])),
            ("-$.s", json!([])),
            ("$.s + 1", json!([])),
            ("$.t + 1", json!([])),
            ("$.n + 1", json!([])),
            ("$.l + 1", json!([])),
            ("$.missing + 1", json!([])),
            ("$.max + 1", json!([9223372036854775808_u64])),
            ("$.max * 2", json!([18446744073709551614_u64])),
            ("$.max * 3", json!([])),
            ("$.big + 1", json!([])),
            ("$.big - $.big", json!([0])),
            ("$.big % 10", json!([5])),
            ("-$.big", json!([])),
            ("$.min - 1", json!([])),
            ("-$.min", json!([9223372036854775808_u64])),
            ("$.min % -1", json!([0])),
            ("$.big + 0", json!([u64::MAX])),
            ("($.big - 1)", json!([u64::MAX - 1])),
            ("$.max + 1.0", json!([9223372036854775808.0])),
            ("$.f * 1e308 * 1e10", json!([])),
            ("$.l[*] + 1", json!([2])),
            ("$.* + 1", json!([])),
        ],
    );
    refused(&["$.a +", "$.a + * 1", "($.a", "$.a)", "$.a == 1", "$.a && $.b", "@.a", "$.a + @.b"]);
}

#[test]
fn membership_and_sets() {
    check(
        json!({"a": [1, 2, 3, 4], "allow": [2, 3], "l": [[1, 2], [1, 5], [], 7], "s": "x"}),
        &[
            ("$.a[?@ in [2,4]]", json!([2, 4])),
            ("$.a[?@ nin [2,4]]", json!([1, 3])),
            ("$.a[?@ in $.allow]", json!([2, 3])),
            ("$.a[?@ in $.allow[*]]", json!([2, 3])),
            ("$.a[?@ in $.s]", json!([])),
            ("$.a[?@ nin $.s]", json!([1, 2, 3, 4])),
            ("$.a[?@ in $.missing]", json!([])),
            ("$.l[?@ subsetof [1,2,3]]", json!([[1, 2], []])),
            ("$.l[?@ anyof [5,6]]", json!([[1, 5]])),
            ("$.l[?@ noneof [5,6]]", json!([[1, 2], []])),
            ("$.l[?@ anyof $.s]", json!([])),
            ("$.l[?@ noneof $.s]", json!([])),
            ("$.l[?[] subsetof @]", json!([[1, 2], [1, 5], []])),
            ("$.l[?@in[7]]", json!([7])),
        ],
    );
}

#[test]
fn sizes() {
    check(
        json!({"a": [[4, 5], [1], [7, 8, 9], "éé", {"x": 1, "y": 2}, 5, null],
            "e": [[], [1], "", [2, 3], {}, {"k": 1}, 0, null]}),
        &[
            ("$.a[?@ sizeof 2]", json!([[4, 5], "éé", {"x": 1, "y": 2}])),
            ("$.a[?@ size 2.9]", json!([[4, 5], "éé", {"x": 1, "y": 2}])),
            ("$.a[?@ size '2']", json!([])),
            ("$.a[?@ size -1]", json!([])),
            ("$.a[?@.missing size 0]", json!([])),
            ("$.e[?@ empty true]", json!([[], "", {}])),
            ("$.e[?@ empty false]", json!([[1], [2, 3], {"k": 1}])),
            ("$.e[?@ empty 1]", json!([])),
            ("$.e[?@.* size 2]", json!([[2, 3]])),
        ],
    );
}

#[test]
fn keys_are_terminal_and_flat() {
    check(
        json!({"obj": {"x": 1, "y": 2}, "books": [{"t": "a"}, {"t": "b", "u": 1}], "e": {},
            "n": 1}),
        &[
            ("$.obj~", json!(["x", "y"])),
            ("$~", json!(["obj", "books", "e", "n"])),
            ("$.books~", json!([])),
            ("$.books[*]~", json!(["t", "t", "u"])),
            ("$.e~", json!([])),
            ("$.obj.keys()", json!(["x", "y"])),
            ("$.obj.keys().count()", json!([2])),
            ("$.obj.keys().length()", json!([2])),
            ("$.e.keys().length()", json!([0])),
            ("$.n.keys().count()", json!([0])),
            ("$.obj.keys().first()", json!(["x"])),
            ("keys($.obj)", json!(["x", "y"])),
            ("$.books[?'u' in @~]", json!([{"t": "b", "u": 1}])),
        ],
    );
    refused(&["$.obj~.x", "$.obj~~", "$.obj.keys()~", "$.obj ~x", "$.obj~[0]"]);
}

#[test]
fn functions() {
    check(
        json!({"arr": [3, 1, 2], "s": "héllo", "o": {"x": 1}, "n": -5, "f": -2.5, "null": null,
            "t": true, "mixed": [1, "a"], "none": [], "floats": [1.5, 2.5], "l": [[1, 2], 3],
            "same": [2, 2.0], "books": [{"t": "a", "p": 30}, {"t": "b", "p": 5}]}),
        &[
            ("$.arr.length()", json!([3])),
            ("length($.s)", json!([5])),
            ("$.o.length()", json!([1])),
            ("$.n.length()", json!([])),
            ("$.missing.length()", json!([])),
            ("length($.books[*])", json!([])),
            ("count($..p)", json!([2])),
            ("$.missing.count()", json!([0])),
            ("$.arr.count()", json!([1])),
            ("count($.arr[*])", json!([3])),
            ("count(1)", json!([])),
            ("value($.n)", json!([-5])),
            ("value($..p)", json!([])),
            ("value($.books[0].p)", json!([30])),
            ("$.arr.min()", json!([1.0])),
            ("length ( $.arr )", json!([3])),
            ("length\t($.arr)", json!([3])),
            ("nosuch($.arr)", json!([])),
            ("$.arr.nosuch()", json!([])),
            ("$.arr.nosuch().length()", json!([])),
            ("$.books[?nosuch(@.p)]", json!([])),
            ("$.books[?length ( @.t ) == 1].p", json!([30, 5])),
            ("$.arr.max()", json!([3.0])),
            ("$.arr.sum()", json!([6])),
            ("$.arr.avg()", json!([2.0])),
            ("$.same.stddev()", json!([0.0])),
            ("$.same.min()", json!([2.0])),
            ("stddev($.floats)", json!([0.5])),
            ("$.floats.sum()", json!([4.0])),
            ("$.mixed.sum()", json!([])),
            ("$.none.sum()", json!([])),
            ("$.none.min()", json!([])),
            ("$.n.sum()", json!([])),
            ("$.books[*].p.sum()", json!([35])),
            ("sum($..p)", json!([35])),
            ("max([1, 7, 3])", json!([7.0])),
            ("$.arr.first()", json!([3])),
            ("$.arr.last()", json!([2])),
            ("$.l.first()", json!([[1, 2]])),
            ("$.none.first()", json!([])),
            ("$.none.last()", json!([])),
            ("$.s.first()", json!([])),
            ("$.arr.index(1)", json!([1])),
            ("$.arr.index(-1)", json!([2])),
            ("$.arr.index(1.9)", json!([1])),
            ("$.arr.index(3)", json!([])),
            ("$.arr.index(-4)", json!([])),
            ("$.arr.index('x')", json!([])),
            ("index($.arr, 0)", json!([3])),
            ("$.n.abs()", json!([5])),
            ("abs($.f)", json!([2.5])),
            ("$.f.ceiling()", json!([-2.0])),
            ("$.f.floor()", json!([-3.0])),
            ("$.n.floor()", json!([-5])),
            ("$.s.abs()", json!([])),
            ("abs(-9223372036854775808)", json!([])),
            ("concat($.s, '!', \"?\")", json!(["héllo!?"])),
            ("$.s.concat('x')", json!(["héllox"])),
            ("concat($.s, $.n)", json!([])),
            ("concat()", json!([])),
            ("$.arr.append(9)", json!([3, 1, 2, 9])),
            ("$.arr.append(9, [1], {'a': null})", json!([3, 1, 2, 9, [1], {"a": null}])),
            ("$.arr.append($..p)", json!([3, 1, 2, [30, 5]])),
            ("$.arr.append($.missing)", json!([])),
            ("$.n.append(1)", json!([])),
            ("$.missing.append(1)", json!([])),
            (
                "$.books[?(@.p >= 10)].append({\"t\":\"X\"})",
                json!([{"t": "a", "p": 30}, {"t": "X"}]),
            ),
            ("$.arr.append(9).length()", json!([4])),
            ("$.arr.append(9).sum() + 1", json!([16])),
            ("match($.s, 'h.*o')", json!([true])),
            ("$.arr.length($.arr)", json!([])),
            ("length()", json!([])),
            ("$.arr.length() * 2", json!([6])),
            ("($.arr).length()", json!([3])),
            ("$.length", json!([])),
        ],
    );
    refused(&[
        "$.arr.length(",
        "$.arr.length(1",
        "$..length()",
        "$.arr.length().x",
        "$.a.length ()",
        "$['length']()",
    ]);
}

#[test]
fn functions_in_filters() {
    check(
        json!({"a": [[1, 2, 3], [1], "abcd", "x", {"k": 1}, 2.1, -5, null, [9, 8], "1\r2"]}),
        &[
            ("$.a[?length(@) > 2]", json!([[1, 2, 3], "abcd", "1\r2"])),
            ("$.a[?@.length() > 2]", json!([[1, 2, 3], "abcd", "1\r2"])),
            ("$.a[?ceiling(@) == 3]", json!([2.1])),
            ("$.a[?abs(@) == 5]", json!([-5])),
            ("$.a[?first(@) == 1]", json!([[1, 2, 3], [1]])),
            ("$.a[?last(@) == 8]", json!([[9, 8]])),
            ("$.a[?index(@, -1) == 3]", json!([[1, 2, 3]])),
            ("$.a[?sum(@) == 6]", json!([[1, 2, 3]])),
            ("$.a[?match(@, 'a.*')]", json!(["abcd"])),
            ("$.a[?match(@, 'b')]", json!([])),
            ("$.a[?search(@, 'b')]", json!(["abcd"])),
            ("$.a[?match(@, 'a)|(abcd')]", json!([])),
            ("$.a[?match(@, '1.2')]", json!([])),
            ("$.a[?@ =~ '1.2']", json!(["1\r2"])),
            ("$.a[?search(@, '(')]", json!([])),
            ("$.a[?concat(@, 'y') == 'xy']", json!(["x"])),
            ("$.a[?count(@.*) == 3]", json!([[1, 2, 3]])),
            ("$.a[?value(@.*) == 1]", json!([[1], {"k": 1}])),
            ("$.a[?first(@)]", json!([[1, 2, 3], [1], [9, 8]])),
            ("$.a[?@.keys() == 'k']", json!([{"k": 1}])),
            ("$.a[?match(@, 'x') == true]", json!(["x"])),
            ("$.a[?@.append(0).length() == 2]", json!([[1]])),
        ],
    );
    refused(&[
        "$[?true]",
        "$[?1]",
        "$[?'a' && @.b]",
        "$[?(@.a == 1) + 1]",
        "$[?@.a == 1 == 2]",
        "$[?concat(@.a == 1)]",
        "$[?]",
        "$[?()]",
        "$[?!]",
        "$[?@.a &&]",
        "$[?@.a @.b]",
        "$[?a==1]",
    ]);
}

#[test]
fn errors_tell_the_place() {
    let error = |text: &str| Path::compile(text).map(|_| ()).expect_err(text).to_string();
    assert_eq!(
        error("$.a[$]"),
        "Error occurred at position 4, \"$.a[ ---->>>> $]\", expected one of the following: \
         a name in quotes, an index, 'start:end:step', '*', '?filter'."
    );
    assert!(
        error("$.a.").starts_with("Error occurred at position 4, \"$.a. ---->>>> \", expected")
    );
    let long = error(&format!("$.{}\r\n]", "x".repeat(1000)));
    assert!(long.starts_with("Error occurred at position 1002"), "{long}");
    assert!(long.len() < 250 && !long.contains(['\r', '\n']), "{long}");
}
