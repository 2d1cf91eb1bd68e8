//! Queries of both grammars. What dialect 1 makes of them is what RediSearch 1.2.2 prints.

use super::{Parameters, ParseOptions};
use crate::query::{Knn, Node, Query, TagValue};
use crate::schema::Definition;

fn definition() -> Definition {
    let line = "SCHEMA f TEXT g TEXT n NUMERIC t TAG p GEO e TEXT INDEXEMPTY u TAG INDEXEMPTY \
                CASESENSITIVE INDEXMISSING v VECTOR HNSW 6 TYPE FLOAT32 DIM 2 DISTANCE_METRIC L2";
    let words: Vec<&[u8]> = line.split_whitespace().map(str::as_bytes).collect();
    Definition::parse(&words).unwrap()
}

fn parameters() -> Parameters {
    let mut parameters = Parameters::default();
    for (name, value) in [
        ("blob", "12345678"),
        ("k", "7"),
        ("x", "hello-World"),
        ("num", "3.5"),
        ("name", "dist"),
        ("short", "1"),
        ("unit", "km"),
        ("none", ""),
    ] {
        parameters.insert(name.into(), value.into());
    }
    parameters
}

fn parse_in(dialect: u8, text: &str) -> crate::error::Result<Query> {
    let parameters = parameters();
    let options = ParseOptions {
        dialect,
        parameters: &parameters,
        verbatim: false,
        no_stop_words: false,
        in_fields: None,
    };
    Query::parse(text.as_bytes(), &definition(), &options)
}

/// The explained tree on one line, or the error.
fn explained(dialect: u8, text: &str) -> String {
    match parse_in(dialect, text) {
        Ok(query) => {
            let tree = query.explain(&definition(), &|_| Vec::new());
            tree.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.0,
    }
}

fn check(dialect: u8, cases: &[(&str, &str)]) {
    for (query, tree) in cases {
        assert_eq!(explained(dialect, query), *tree, "dialect {dialect}: {query}");
    }
}

#[test]
fn the_first_dialect() {
    check(
        1,
        &[
            ("foo bar | \"baz\" qux", "INTERSECT { UNION { INTERSECT { foo bar } baz } qux }"),
            ("foo bar | baz qux", "UNION { INTERSECT { foo bar } INTERSECT { baz qux } }"),
            ("foo | @f:bar baz", "UNION { foo @f:INTERSECT { @f:bar @f:baz } }"),
            ("-foo bar", "NOT{ INTERSECT { foo bar } }"),
            ("~foo bar", "OPTIONAL{ INTERSECT { foo bar } }"),
            ("-foo | bar", "NOT{ UNION { foo bar } }"),
            ("foo -bar baz", "INTERSECT { foo NOT{ INTERSECT { bar baz } } }"),
            ("foo -bar | baz", "INTERSECT { foo NOT{ UNION { bar baz } } }"),
            ("foo -bar -baz", "INTERSECT { foo NOT{ bar } NOT{ baz } }"),
            ("@f:foo bar", "@f:INTERSECT { @f:foo @f:bar }"),
            ("@f:(foo bar) baz", "INTERSECT { @f:INTERSECT { @f:foo @f:bar } baz }"),
            ("@f|g:foo", "@f|g:foo"),
            ("@f:foo | @g:bar baz", "@f:UNION { @f:foo <EMPTY> }"),
            ("\"foo bar\" baz qux", "INTERSECT { EXACT { foo bar } INTERSECT { baz qux } }"),
            ("foo* bar", "INTERSECT { PREFIX{foo*} bar }"),
            ("-(aa) bb", "NOT{ INTERSECT { aa bb } }"),
            ("-aa @f:bb cc", "NOT{ INTERSECT { aa @f:INTERSECT { @f:bb @f:cc } } }"),
            ("aa bb=>{$weight:2}", "INTERSECT { aa bb } => { $weight: 2; }"),
            ("aa | bb=>{$weight:2}", "UNION { aa bb => { $weight: 2; } }"),
            ("@f:aa* bb", "INTERSECT { @f:PREFIX{aa*} bb }"),
            (
                "aa bb | (cc) dd ee",
                "INTERSECT { UNION { INTERSECT { aa bb } cc } INTERSECT { dd ee } }",
            ),
            ("(aa) bb | cc", "INTERSECT { aa UNION { bb cc } }"),
            ("hello-world", "INTERSECT { hello NOT{ world } }"),
            ("foo/bar+baz=qux", "INTERSECT { foo bar baz qux }"),
            ("@n:[2 1]", "NUMERIC {2.000000 <= @n <= 1.000000}"),
            ("@zz:foo", "<EMPTY>"),
            ("--foo", "NOT{ NOT{ foo } }"),
            ("$foo", "Syntax error at offset 0 near "),
            ("@n:[1]", "Syntax error at offset 5 near "),
        ],
    );
}

#[test]
fn the_dialects_after_it() {
    check(
        2,
        &[
            ("foo bar | \"baz\" qux", "UNION { INTERSECT { foo bar } INTERSECT { baz qux } }"),
            ("-foo bar", "INTERSECT { NOT{ foo } bar }"),
            ("~foo bar", "INTERSECT { OPTIONAL{ foo } bar }"),
            ("@f:foo bar", "INTERSECT { @f:foo bar }"),
            ("@f:(foo bar) baz", "INTERSECT { @f:INTERSECT { @f:foo @f:bar } baz }"),
            ("@f:(aa | @g:bb)", "@f:UNION { @f:aa <EMPTY> }"),
            ("-(aa | bb)", "NOT{ UNION { aa bb } }"),
            ("foo bar=>{$weight:2}", "INTERSECT { foo bar => { $weight: 2; } }"),
            (
                "(foo bar) => { $WEIGHT: 0.5; $slop: 1; $inorder: true; }",
                "INTERSECT { foo bar } => { $weight: 0.5; $slop: 1; $inorder: true; }",
            ),
            ("%foo% %%bar%% %%%baz%%%", "INTERSECT { FUZZY{foo} FUZZY{bar} FUZZY{baz} }"),
            (
                "*foo *bar* w'a?b*\\'\\?'",
                "INTERSECT { SUFFIX{*foo} INFIX{*bar*} WILDCARD{a?b*'\\?} }",
            ),
            ("*", "<WILDCARD>"),
            ("foo\\-bar", "foo-bar"),
            ("$x", "INTERSECT { hello world }"),
            ("@f:$x*", "@f:PREFIX{hello-world*}"),
            ("\u{c9}COLE", "\u{e9}cole"),
            ("@e:\"\"", "@e:"),
        ],
    );
}

#[test]
fn stop_words_vanish() {
    for dialect in [1, 2] {
        check(
            dialect,
            &[
                ("the", "<EMPTY>"),
                ("-the", "<EMPTY>"),
                ("the foo", "foo"),
                ("the | foo", "foo"),
                ("(the) foo", "foo"),
                ("\"the cat\"", "cat"),
                ("\"the\"", "<EMPTY>"),
                ("the*", "PREFIX{the*}"),
                ("", "<EMPTY>"),
                ("@f:the", "<EMPTY>"),
            ],
        );
    }
}

#[test]
fn tags() {
    check(
        2,
        &[
            ("@t:{a | b c | Hello\\-World}", "TAG:@t { a b c hello-world }"),
            ("@t:{ 6ba7b810-9dad-11d1 }", "TAG:@t { 6ba7b810-9dad-11d1 }"),
            ("@t:{foo* | *foo | *fo o*}", "TAG:@t { PREFIX{foo*} SUFFIX{*foo} INFIX{*fo o*} }"),
            ("@t:{foo\\*}", "TAG:@t { foo* }"),
            ("@t:{\"a|b} \\\"c\"}", "TAG:@t { a|b} \"c }"),
            ("@t:{$x}", "TAG:@t { hello-world }"),
            ("@u:{$x|A.b,c}", "TAG:@u { hello-World A.b,c }"),
            ("@t:{$x*}", "TAG:@t { PREFIX{hello-world*} }"),
            ("@t:{w'a?'}", "TAG:@t { WILDCARD{a?} }"),
            ("@u:{\"\"}", "TAG:@u { }"),
            (
                "@t:{\"\"}",
                "Use `INDEXEMPTY` in field creation in order to index and query for empty strings",
            ),
            ("@t:{}", "Syntax error at offset 4 near t"),
            ("@t:{a|}", "Syntax error at offset 6 near t"),
            ("@t:{a", "Syntax error at offset 5 near t"),
            ("@t:{$y}", "No such parameter `y`"),
        ],
    );
    let Node::Tag { values, .. } = parse_in(2, "@t:{a b\\ }").unwrap().root else { panic!() };
    assert_eq!(values, [TagValue::Exact(b"a b ".to_vec())]);
}

#[test]
fn what_clients_escape() {
    let all = ",.<>{}[]\"':;!@#$%^&*()-+=~/`?\\| ";
    let escaped: String = all.chars().flat_map(|letter| ['\\', letter]).collect();
    for dialect in [1, 2] {
        let query = parse_in(dialect, &format!("@t:{{x{escaped}}}")).unwrap();
        let Node::Tag { values, .. } = query.root else { panic!() };
        assert_eq!(values, [TagValue::Exact(format!("x{all}").into_bytes())]);
        let query = parse_in(dialect, &format!("x{escaped}")).unwrap();
        let text = format!("x{all}").into_bytes();
        assert_eq!(query.root, Node::Word { text, expand: true });
    }
}

#[test]
fn numbers_and_places() {
    check(
        2,
        &[
            ("@n:[(1 +inf]", "NUMERIC {1.000000 < @n <= inf}"),
            ("@n:[-inf, ($num]", "NUMERIC {-inf <= @n < 3.500000}"),
            ("@n:[5]", "NUMERIC {5.000000 <= @n <= 5.000000}"),
            ("@n:[$num]", "NUMERIC {3.500000 <= @n <= 3.500000}"),
            ("@n==5 foo", "INTERSECT { NUMERIC {5.000000 <= @n <= 5.000000} foo }"),
            ("(@n > $num)", "NUMERIC {3.500000 < @n <= inf}"),
            ("@n!=5|foo", "UNION { NOT{ NUMERIC {5.000000 <= @n <= 5.000000} } foo }"),
            ("@n<=-1.5e3", "NUMERIC {-inf <= @n <= -1500.000000}"),
            ("@n:[2 1]", "Invalid numeric range (min > max)"),
            ("@n:[a b]", "Syntax error at offset 4 near a"),
            ("@n:[1 2", "Syntax error at offset 7 near 2"),
            ("@n:[$x 2]", "Invalid numeric value (hello-World) for parameter `x`"),
            ("@p:[1.5 $num 10 $unit]", "GEO p:{1.500000,3.500000 --> 10000.000000 m}"),
            ("@p:[1 2 3 parsec]", "Invalid GeoFilter unit"),
            ("@p:[200 2 3 km]", "Invalid GeoFilter lat/lon"),
            ("@p:[1 2 -3 km]", "Invalid GeoFilter radius"),
        ],
    );
}

#[test]
fn vectors() {
    check(
        2,
        &[
            (
                "@v:[VECTOR_RANGE 0.5 $blob]=>{$YIELD_DISTANCE_AS: d; $EPSILON: 0.1}",
                "VECTOR {Vectors that are within 0.5 distance radius from @v, yields distance as \
                 `d`}",
            ),
            (
                "@v:[VECTOR_RANGE -1 $blob]",
                "Error parsing vector similarity query: negative radius (-1) \
                                         given in a range query",
            ),
            (
                "*=>[KNN 0 @v $blob]",
                "Error parsing vector similarity query: K must be a positive integer",
            ),
            ("*=>[KNN 1e30 @v $blob]", "KNN K parameter is too large"),
            (
                "*=>[KNN 5 @v $short]",
                "Error parsing vector similarity query: query vector blob size (1) does not match \
                 index's expected size (8).",
            ),
            ("*=>[KNN 5 @w $blob]", "Unknown field at offset 11 near w"),
            ("*=>[KNN 5 @f $blob]", "Field at offset 11 is not a VECTOR field: f"),
            ("*=>[KNN 5 @v $blob] foo", "Syntax error at offset 20 near blob"),
            ("*=>[KNN 5 @v $blob AS n]", "Property `n` already exists in schema"),
            ("@v:[KNN 5 $blob]", "Syntax error at offset 4 near v"),
        ],
    );
    let knn = |text: &str| parse_in(2, text).unwrap().knn.unwrap();
    let expected = Knn {
        k: 7,
        attribute: 7,
        blob: b"12345678".to_vec(),
        ef_runtime: Some(7),
        distance_name: b"dist".to_vec(),
    };
    for text in [
        "(@t:{a})=>[KNN $k @v $blob EF_RUNTIME $k HYBRID_POLICY ADHOC_BF AS dist]",
        "*=>[KNN 7 @v $blob]=>{$yield_distance_as: $name; $EF_RUNTIME: 7}",
        "foo bar => [ knn 7 @v $blob as $name ef_runtime 7 BATCH_SIZE 5 ]",
    ] {
        assert_eq!(knn(text), expected, "{text}");
    }
    assert_eq!(knn("*=>[KNN 5 @v $blob]").distance_name, b"__v_score");
    assert!(parse_in(1, "*=>[KNN 5 @v $blob]").is_err());
}

#[test]
fn refusals() {
    check(
        2,
        &[
            ("(", "Syntax error at offset 1 near "),
            ("foo)", "Syntax error at offset 3 near foo"),
            ("foo |", "Syntax error at offset 5 near foo"),
            ("| foo", "Syntax error at offset 0 near "),
            ("@f", "Syntax error at offset 2 near f"),
            ("@f:", "Syntax error at offset 3 near f"),
            ("\"foo", "Syntax error at offset 4 near foo"),
            ("foo:bar", "Syntax error at offset 3 near foo"),
            ("%foo", "Syntax error at offset 4 near foo"),
            ("%%%%foo%%%%", "Syntax error at offset 4 near "),
            ("foo=>{$x:1}", "Invalid attribute x"),
            ("foo=>{$weight:-1}", "Invalid value for 'weight'"),
            ("foo=>{$inorder:maybe}", "Invalid value for 'inorder'"),
            ("@zz:foo", "Unknown field at offset 1 near zz"),
            ("@t:foo", "Field at offset 1 is not a TEXT field: t"),
            ("@f:{a}", "Field at offset 1 is not a TAG field: f"),
            ("ismissing(@t)", "'ismissing' requires defining the field with 'INDEXMISSING'"),
            ("ismissing(@u)", "ISMISSING{@u}"),
            ("()", "Syntax error at offset 1 near "),
        ],
    );
}

#[test]
fn deep_and_long_queries_are_no_trouble() {
    for dialect in [1, 2] {
        for open in ["(", "-", "~", "@f:", "-(", "@f:("] {
            let deep = format!("{}foo", open.repeat(10_000));
            let error = parse_in(dialect, &deep).unwrap_err().0;
            assert!(error.contains("nested too deeply"), "{error}");
        }
        let words = "word ".repeat(20_000);
        assert!(parse_in(dialect, &words).is_ok());
        assert!(parse_in(dialect, &"(a1|b1) ".repeat(10_000)).is_ok());
        let levels = format!("{}foo{}", "(".repeat(100), ")".repeat(100));
        assert!(parse_in(dialect, &levels).is_ok());
    }
}

#[test]
fn any_text_is_answered() {
    let pieces: Vec<&[u8]> = [
        "foo",
        " ",
        "(",
        ")",
        "|",
        "-",
        "~",
        "@f:",
        "@t:{",
        "}",
        "@n:[",
        "]",
        "1 2",
        "*",
        "%",
        "\"",
        "=>",
        "{$weight:1}",
        "[KNN 5 @v $blob]",
        "$x",
        "\\",
        "w'",
        "'",
        "the",
        "@v:[VECTOR_RANGE 1 $blob]",
        "ismissing(@u)",
        "@p:[1 2 3 km]",
        "\u{e9}",
        "@n>=5",
        "\0",
    ]
    .iter()
    .map(|piece| piece.as_bytes())
    .collect();
    let (parameters, definition) = (parameters(), definition());
    testkit::fuzz::fuzz(|rng| {
        for _ in 0..50 {
            let mut text = Vec::new();
            for _ in 0..rng.below(20) {
                text.extend_from_slice(pieces[rng.below(pieces.len())]);
            }
            testkit::fuzz::damage(rng, &mut text, &pieces);
            let options = ParseOptions {
                dialect: 1 + u8::from(rng.below(2) == 1),
                parameters: &parameters,
                verbatim: false,
                no_stop_words: rng.below(2) == 1,
                in_fields: (rng.below(2) == 1).then(|| vec![0]),
            };
            if let Ok(query) = Query::parse(&text, &definition, &options) {
                query.explain(&definition, &|word| vec![word.to_vec()]);
            }
        }
    });
}

#[test]
fn words_are_lowered_as_those_of_documents() {
    // A sigma at the end of a word has a form of its own, which depends on what is lowered at once.
    let definition = definition();
    let (parameters, word) = (parameters(), "\u{39f}\u{394}\u{39f}\u{3a3}");
    let options = ParseOptions {
        dialect: 2,
        parameters: &parameters,
        verbatim: true,
        no_stop_words: false,
        in_fields: None,
    };
    let query = Query::parse(word.as_bytes(), &definition, &options).unwrap();
    let stop_words = crate::text::StopWords::default();
    let indexed = crate::text::tokens(word.as_bytes(), &stop_words).next().unwrap().word;
    assert_eq!(query.root, Node::Word { text: indexed.to_vec(), expand: false });
}
