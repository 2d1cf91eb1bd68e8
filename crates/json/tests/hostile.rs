//! Paths that mean harm: long, deep, wide, expensive, and no paths at all. Each ends soon, with an
//! answer or an error.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Duration;

use base::Rng;
use kvist_json::path::{Budget, MAX_LENGTH, MAX_NESTING, MAX_PATTERNS, Path, PathError};
use kvist_json::{Kind, Num, Text, Tree};
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::fuzz::{damage, fuzz};
use testkit::processor;

use crate::value::{Doc, run};

/// Far more than any of this takes on a loaded machine without optimisation.
const SOON: Duration = Duration::from_secs(20);

/// Compiles and runs it with a budget; that it comes back is the point.
fn survives(text: &str, document: &Value, units: u64) -> Result<usize, PathError> {
    let start = processor::used();
    let path = Path::compile(text)?;
    let results = path.results(Doc(document), &mut Budget::new(units)).map(|results| results.len());
    let locations = path.locations(Doc(document), &mut Budget::new(units)).map(|all| all.len());
    if !path.is_projection() {
        assert_eq!(results.is_ok(), locations.is_ok());
    }
    assert!(processor::used() - start < SOON, "{:.80}: {:?}", text, processor::used() - start);
    results
}

fn wide(items: usize) -> Value {
    let text = "a".repeat(22);
    (0..items).map(|at| json!({"a": {"a": {"a": {"a": at}}}, "s": text})).collect()
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(
        json!(1),
        |inner, level| {
            if level % 2 == 0 { json!({"a": inner}) } else { json!([inner]) }
        },
    )
}

#[test]
fn long_paths() {
    let name = "x".repeat(100_000);
    let document = json!({&*name: 7});
    for text in [format!("$.{name}"), name.clone(), format!("$['{name}']"), format!("$..{name}")] {
        assert_eq!(run(&text, &document).expect("a long name"), [json!(7)]);
    }
    let too_long = format!("$.{}", "x".repeat(MAX_LENGTH));
    assert_eq!(Path::compile(&too_long).map(|_| ()), Err(PathError::TooLong));
    for piece in [".a", "[0]", "..a", "[*]", "[?@.a]", "['a']", "[?(@)]", ".*", "..*", "[0,1]"] {
        let text = format!("${}", piece.repeat(100_000 / piece.len()));
        assert_eq!(Path::compile(&text).map(|_| ()), Err(PathError::TooDeep), "{piece}");
    }
}

#[test]
fn deep_nesting() {
    let document = deep(100);
    for (open, middle, close) in [
        ("(", "$.a", ")"),
        ("$[?", "@.a", "]"),
        ("$[?(", "@.a", ")]"),
        ("$[?!(", "@.a", ")]"),
        ("$[?count(@..a) == 1 && ", "@.a", "]"),
        ("-", "$.a", ""),
        ("-(", "$.a", ")"),
        ("length(", "$.a", ")"),
    ] {
        let inner = if open.starts_with('$') { open.replacen('$', "@", 1) } else { open.into() };
        for levels in [1, 10, MAX_NESTING / 3, MAX_NESTING, 1000, 20_000] {
            let text =
                format!("{open}{}{middle}{}{close}", inner.repeat(levels), close.repeat(levels));
            match survives(&text, &document, 100_000) {
                Err(PathError::TooDeep | PathError::TooLong) => assert!(levels >= MAX_NESTING / 3),
                Err(PathError::Syntax(_)) => panic!("{open}"),
                _ => assert!(levels < MAX_NESTING, "{open}"),
            }
        }
    }
    for open in ["$[?@ == ", "$[?@ in ", "$.append("] {
        for (bracket, close) in [("[", "]"), ("{\"a\":", "}"), ("[{'a':[", "")] {
            let text = format!("{open}{}1{}", bracket.repeat(20_000), close.repeat(20_000));
            assert!(survives(&text, &document, 100_000).is_err(), "{open}{bracket}");
        }
    }
    let methods = format!("$.a{}", ".keys()".repeat(10_000));
    assert_eq!(Path::compile(&methods).map(|_| ()), Err(PathError::TooDeep));
}

#[test]
fn wide_paths() {
    let document = json!({"a": [1, 2, 3], "k": {"x": 1}});
    let many = |piece: &str, join: &str, count: usize| vec![piece; count].join(join);
    for text in [
        format!("$[{}]", many("'a'", ",", 25_000)),
        format!("$.a[{}]", many("0", ",", 50_000)),
        format!("$.a[{}]", many("::2", ",", 30_000)),
        format!("$.a[?{}]", many("@ == 1", " || ", 12_000)),
        format!("$.a[?{}]", many("@ == 1", " && ", 12_000)),
        format!("$.a[0] + {}", many("1", " + ", 30_000)),
        format!("$.a[0] + {}", many("1", " * ", 30_000)),
        format!("$.a[?@ in [{}]]", many("7", ",", 60_000)),
        format!("$.k[?@ == {{{}}}]", many("'x':1", ",", 20_000)),
        format!("$.a.append({})", many("$.a", ",", 30_000)),
    ] {
        survives(&text, &document, 10_000_000)
            .unwrap_or_else(|error| panic!("{text:.60}: {error}"));
    }
}

#[test]
fn work_is_bounded() {
    let document = wide(20_000);
    for text in [
        "$..*..*..*..*..*",
        "$..a..a..a..a",
        "$[?count($..*) > 1]",
        "$..[?@..[?@..[?@..a]]]",
        "$[?@.a in $..*]",
        "$..[?$..a == $..a]",
        "$[*,*,*,*][*,*,*,*][*,*,*,*][*,*,*,*]..*",
        "$[?$..* subsetof $..*]",
        "$..[?@ == $]",
        "$..append($..*).append($..*)",
    ] {
        let start = processor::used();
        let Ok(path) = Path::compile(text) else { continue };
        let mut seen = 0_u64;
        let mut budget = Budget::new(300_000);
        let ended = path.for_each(Doc(&document), &mut budget, |_| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert!(ended == Err(PathError::TooMuchWork) || seen > 0, "{text}");
        assert!(processor::used() - start < SOON, "{text}: {:?}", processor::used() - start);
    }
    // The first match costs no more than finding it.
    let path = Path::compile("$..a").expect("a path");
    let mut budget = Budget::new(100);
    assert!(path.first(Doc(&document), &mut budget).expect("cheap").is_some());
}

#[test]
fn patterns_do_not_explode() {
    let text = "a".repeat(50_000);
    let document = json!([text, "(a+)+$", "a{1000}{1000}", "x"]);
    for pattern in [
        "(a+)+$",
        "(a*)*b",
        "(a|a)*b",
        "(a?){1000}a{1000}",
        "(.*)*x",
        "a{1000}{1000}",
        "\\\\w{1000}",
        "(x+x+)+y",
        "(((((a*)*)*)*)*)*$",
        "[",
        "(?P<",
        "\\\\p{L}{500}",
        "(?x) a # )",
        "^(a|b|ab)*c",
    ] {
        for filter in ["@ =~ 'P'", "match(@, 'P')", "search(@, 'P')"] {
            let text = format!("$[?{}]", filter.replace('P', pattern));
            // Said to be too large, or too expensive on a long text, or run.
            let survived = survives(&text, &document, 10_000_000);
            assert!(
                matches!(survived, Ok(_) | Err(PathError::Patterns | PathError::TooMuchWork)),
                "{text}: {survived:?}"
            );
        }
    }
    survives("$[?@ =~ $[1] || @ =~ $[2]]", &document, 10_000_000)
        .expect("patterns of the document");
    // Each pattern of a document is compiled once while few are in use, and compiling costs.
    let many: Value = (0..2000).map(|at| json!(format!("a{{{at}}}"))).collect();
    assert_eq!(survives("$[?'a' =~ @]", &many, 1_000_000), Err(PathError::TooMuchWork));
    let long = format!("$[?@ =~ '{}']", "a?".repeat(10_000));
    assert_eq!(survives(&long, &document, 1_000_000), Err(PathError::Patterns));
}

#[test]
fn a_path_holds_a_bounded_number_of_patterns_of_a_bounded_size() {
    let path = |count: usize, pattern: &str| {
        let one = |at| format!("@ =~ '{pattern}{at}'");
        format!("$[?{}]", (0..count).map(one).collect::<Vec<_>>().join(" || "))
    };
    let compile = |text: &str| {
        let start = processor::used();
        let compiled = Path::compile(text).map(|path| path.preparation());
        assert!(processor::used() - start < SOON, "{text:.80}: {:?}", processor::used() - start);
        compiled
    };
    assert!(compile(&path(MAX_PATTERNS, "[a-c]+x")).is_ok_and(|work| work > 0));
    assert!(compile(&path(1, "[a-z]{100}")).is_ok());
    assert_eq!(compile("$[?@.a == 'no pattern']"), Ok(0));
    for (count, pattern) in
        [(MAX_PATTERNS + 1, "x"), (200, "x"), (200, "\\\\w{100}"), (8, "\\\\w{9}")]
    {
        assert_eq!(compile(&path(count, pattern)), Err(PathError::Patterns), "{count} {pattern}");
    }
    // What cannot be read as a pattern matches nothing, and costs nothing more.
    assert_eq!(survives("$[?@ =~ '(' || @ =~ ')']", &json!(["(", ")"]), 100_000), Ok(0));
}

#[test]
fn a_pattern_without_a_small_machine_is_paid_for() {
    // After every 1 it has to be remembered for hundreds of bytes that there was one.
    let mut text = String::new();
    let mut state = 7_u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text.push(if state >> 63 == 1 { '1' } else { '0' });
    }
    let document = json!([text]);
    let budget = Budget::default().left();
    for pattern in ["[01]*1[01]{400}2", "1[01]{1000}2"] {
        let path = format!("$[?search(@, '{pattern}')]");
        assert_eq!(survives(&path, &document, budget), Err(PathError::TooMuchWork), "{pattern}");
    }
    // Where the text is short, or the machine small, they run.
    let found = survives("$[?search(@, '1[01]{400}$')]", &json!(["1".repeat(500)]), budget);
    assert_eq!(found, Ok(1));
    assert_eq!(survives("$[?search(@, '1[01]*2')]", &document, budget), Ok(0));
}

#[test]
fn filters_inside_filters_are_paid_for() {
    let items: Vec<Value> = (0..3000).map(|at| json!({"a": at, "b": [1, 2]})).collect();
    let document = json!({"items": items});
    for text in ["$..[?count($..*) > 5]", "$..[?$..[?@.a == 2999]]", "$..[?$..[?$..[?@.z]]]"] {
        let survived = survives(text, &document, Budget::default().left());
        assert_eq!(survived, Err(PathError::TooMuchWork), "{text}");
    }
}

#[test]
fn large_indices_and_slices() {
    let document = json!([1, 2, 3]);
    let max = 9_007_199_254_740_991_i64;
    for (text, results) in [
        (format!("$[{max}]"), vec![]),
        (format!("$[-{max}]"), vec![]),
        (format!("$[-{max}:{max}]"), vec![1, 2, 3]),
        (format!("$[{max}:-{max}:-1]"), vec![3, 2, 1]),
        (format!("$[::{max}]"), vec![1]),
        (format!("$[::-{max}]"), vec![3]),
        ("$[0:3:0]".into(), vec![]),
        ("$.index(9007199254740993)".into(), vec![]),
        ("$.index(-9223372036854775808)".into(), vec![]),
        ("$.index(18446744073709551615)".into(), vec![]),
        ("$.index(1e300)".into(), vec![]),
        ("$.index(-1e300)".into(), vec![]),
        ("$.index(-3)".into(), vec![1]),
    ] {
        let expected: Vec<Value> = results.into_iter().map(Value::from).collect();
        assert_eq!(run(&text, &document), Ok(expected), "{text}");
    }
    for text in [
        "$[9007199254740992]",
        "$[-9007199254740992]",
        "$[9223372036854775808]",
        "$[1:99999999999999999999]",
        "$[::18446744073709551616]",
        "$[--1]",
        "$[-]",
        "$[:-]",
        "$[01]",
        "$[-0]",
        "$[+1]",
        "$[?@ == 1e999]",
        "$[?@ == 1.]",
        "$[?@ == .5]",
        "$[?@ == 01]",
    ] {
        assert!(Path::compile(text).is_err(), "{text}");
    }
}

#[test]
fn text_that_is_no_path_is_refused_wherever_it_is_cut() {
    let whole = "$.a['é\\u00e9'][?(@.b =~ \"x(?i)\" && !(@.c in [1, {'d': null}])) || \
                 length(@..e) + 1 >= -2.5e3, 1:2:-1, *]..f.append($.g~, 'h')";
    assert!(Path::compile(whole).is_ok());
    let document = json!({"a": {"éé": [{"b": "x"}]}});
    for (at, _) in whole.char_indices() {
        let _ = survives(&whole[..at], &document, 10_000);
        let _ = survives(&whole[at..], &document, 10_000);
        for put in ["\u{0}", "'", "]", "(", "é", "\u{1f600}", "\\", "@", ".", "~", " "] {
            let _ = survives(&format!("{}{put}{}", &whole[..at], &whole[at..]), &document, 10_000);
        }
    }
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "$", "@", ".", "..", "*", "[", "]", "?", "(", ")", "'a'", "\"b\"", "a", "b", "0", "-1",
        "1.5", ":", ",", "==", "!=", "<", ">=", "=~", "&&", "||", "!", " ", "+", "-", "/", "%",
        " in ", " nin ", " size ", " empty ", "true", "null", "length(", "keys()", ".sum()",
        "match(", "~", "{", "}", "\\", "é", "\n", "$.a", "@.a", "[?", "[*]", "..a",
    ])
}

/// So many cases, and no file of past failures.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let document = json!({"a": [1, "x", {"b": null}]});
        let _ = survives(&String::from_utf8_lossy(&bytes), &document, 10_000);
    }

    #[test]
    fn pieces_never_panic(pieces in prop::collection::vec(piece(), 0..24), dollar: bool) {
        let document = json!({"a": [1, "x", {"b": null, "a": [2.5, true]}], "b": "a"});
        let text = if dollar { format!("${}", pieces.concat()) } else { pieces.concat() };
        let _ = survives(&text, &document, 10_000);
    }
}

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// A document that counts how often it is looked into, longer names the more.
#[derive(Clone, Copy, Debug)]
struct Counted<'a>(Doc<'a>);

impl Counted<'_> {
    fn look(self, price: usize) -> Self {
        LOOKS.with(|looks| looks.set(looks.get() + price as u64));
        self
    }
}

impl<'a> Tree<'a> for Counted<'a> {
    fn kind(self) -> Kind {
        self.look(1).0.kind()
    }

    fn as_bool(self) -> Option<bool> {
        self.look(1).0.as_bool()
    }

    fn as_num(self) -> Option<Num> {
        self.look(1).0.as_num()
    }

    fn as_str(self) -> Option<Text<'a>> {
        self.look(1).0.as_str()
    }

    fn len(self) -> usize {
        self.look(1).0.len()
    }

    fn member(self, name: &str) -> Option<(usize, Self)> {
        let (at, member) = self.look(1 + name.len() / 16).0.member(name)?;
        Some((at, Counted(member)))
    }

    fn at(self, index: usize) -> Option<Self> {
        self.look(1).0.at(index).map(Counted)
    }

    fn name_at(self, index: usize) -> Option<&'a str> {
        self.look(1).0.name_at(index)
    }
}

/// Looks at a document for a unit of work, at most; and that many for nothing, as each byte of a
/// path may ask for one.
const LOOKS_A_UNIT: u64 = 16;

/// Runs a path as often as it gets through its budget, and holds what it did against what it paid.
fn pays(text: &str, document: &Value, units: u64) -> Result<(), PathError> {
    let path = Path::compile(text)?;
    let mut budget = Budget::new(units);
    LOOKS.with(|looks| looks.set(0));
    let done = path.for_each(Counted(Doc(document)), &mut budget, |_| ControlFlow::Continue(()));
    let (looks, paid) = (LOOKS.with(Cell::get), units - budget.left());
    let allowed = LOOKS_A_UNIT * (paid + 8);
    assert!(looks <= allowed, "{text:.120}: {looks} looks for {paid} units");
    done
}

#[test]
fn every_look_at_a_document_is_paid_for() {
    let name = "n".repeat(60_000);
    let many = |piece: &str, count: usize| vec![piece; count].join(",");
    let far = ".a".repeat(200);
    let documents = [
        wide(300),
        deep(200),
        json!({"a": (0..300).map(|at| json!({"b": at})).collect::<Vec<_>>()}),
        (0..300).map(|at| json!([at])).collect::<Value>(),
        (0..300).fold(json!(1), |inner, _| json!({"a": inner})),
    ];
    for document in &documents {
        for text in [
            format!("$..[{}]", many("7", 30_000)),
            format!("$..[{}]", many("'x'", 20_000)),
            format!("$..[{}]", many("5:2", 20_000)),
            format!("$.*[{}]", many("7", 30_000)),
            format!("$.*[{},?@ == 1]", many("7", 30_000)),
            format!("$.a.*[{}]", many("'x'", 20_000)),
            format!("$..{name}"),
            format!("$[*]['{name}']"),
            format!("$..[?@.{name} == 1]"),
            format!("$..[?@.{name}]"),
            format!("$..[?@{far} == 1]"),
            format!("$..[?$.a{far} == $.a{far}]"),
            format!("$..[?@{far}]"),
            format!("$..[?length(@{far}) == 1]"),
            format!("$..[?@ == 1 || {}]", vec!["!(@ != 1)"; 5000].join(" || ")),
            format!("$..[?@ in [{}]]", many("7", 30_000)),
            format!("$.a[0] + {}", vec!["$.a[0]"; 10_000].join(" + ")),
        ] {
            let ended = pays(&text, document, 300_000);
            let fine = matches!(ended, Ok(()) | Err(PathError::TooMuchWork | PathError::TooDeep));
            assert!(fine, "{text:.60}: {ended:?}");
        }
    }
}

/// A path by the grammar, mostly.
fn drawn(rng: &mut Rng, depth: usize) -> String {
    const NAMES: [&str; 8] = ["a", "b", "s", "'é'", "items", "x", "a.a", "a~"];
    const VALUES: [&str; 8] = ["1", "-2.5", "'x'", "null", "true", "[1,2]", "{'a':1}", "''"];
    const FILTERS: [&str; 8] = ["==", "!=", "<", ">=", "=~", "in", "subsetof", "size"];
    let mut text = String::new();
    for _ in 0..1 + rng.below(4) {
        let piece = match rng.below(16) {
            0..3 => format!(".{}", NAMES[rng.below(8)]),
            3..5 => format!("..{}", NAMES[rng.below(6)]),
            5 => ".*".to_owned(),
            6 => "..*".to_owned(),
            7 => format!("[{}]", rng.below(7) as i64 - 3),
            8 => format!("[{}:{}:{}]", rng.below(5), rng.below(9), rng.below(5) as i64 - 2),
            9 => format!("['a',{},*]", rng.below(3)),
            10 if depth < 3 => format!("[?@{}]", drawn(rng, depth + 1)),
            11 if depth < 3 => {
                let (left, right) = (drawn(rng, depth + 1), drawn(rng, depth + 1));
                let side = ["@", "$"][rng.below(2)];
                format!("[?@{left} {} {side}{right}]", FILTERS[rng.below(8)])
            }
            12 => format!("[?@ {} {}]", FILTERS[rng.below(8)], VALUES[rng.below(8)]),
            13 if depth < 3 => format!("[?count(@{}) > 1 || !@.a]", drawn(rng, depth + 1)),
            14 if depth < 2 => {
                [".sum()", ".keys()", ".length()", ".append($..a)"][rng.below(4)].into()
            }
            _ => "[*]".to_owned(),
        };
        text.push_str(&piece);
    }
    text
}

/// What to put into a path that is damaged.
const PIECES: [&[u8]; 16] = [
    b"$",
    b"@",
    b"..",
    b"*",
    b"[",
    b"]",
    b"?",
    b"(",
    b")",
    b"'",
    b"~",
    b"==",
    b"||",
    b"\xff",
    b"\\",
    b"-9999999999999999999",
];

/// Paths by the grammar, damaged or not, on documents of several shapes.
#[test]
fn drawn_paths_end_and_pay() {
    let mut rare = wide(40);
    rare[3] = deep(30);
    let documents = [
        rare,
        deep(60),
        json!({"a": [1, "x", {"b": null, "a": [2.5, true]}], "b": {"a": "a", "items": [[1], [2]]}}),
        json!("scalar"),
    ];
    let (mut compiled, mut tried) = (0, 0);
    fuzz(|rng| {
        let mut text = format!("${}", drawn(rng, 0)).into_bytes();
        if rng.below(3) == 0 {
            damage(rng, &mut text, &PIECES);
        }
        let text = String::from_utf8_lossy(&text);
        let document = &documents[rng.below(documents.len())];
        let start = processor::used();
        tried += 1;
        compiled += usize::from(pays(&text, document, 30_000).is_ok());
        assert!(processor::used() - start < SOON, "{text}: {:?}", processor::used() - start);
    });
    assert!(compiled > tried / 10, "{compiled} of {tried}");
}
