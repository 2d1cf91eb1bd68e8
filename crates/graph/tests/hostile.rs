//! Texts that mean harm: deep, long, damaged, and no queries at all. Each is answered soon, with a
//! tree or an error, on a stack as small as a thread's.

use std::cell::Cell;
use std::time::Duration;

use base::Rng;
use kvist_graph::cypher::{Class, MAX_NESTING, NoProcedures, check, parse};
use kvist_graph::query::{self, Ended, Interrupt, NoInterrupt, Prepared, Settings};
use kvist_graph::storage::Graph;
use kvist_graph::temporal::Clock;
use kvist_graph::value::Map;
use testkit::fuzz::{damage, fuzz};
use testkit::processor;

/// A megabyte takes a tenth of it without optimization; what takes its square takes hours.
const SOON: Duration = Duration::from_secs(20);

/// Does with a text all that is done with texts.
fn survives(text: &str) -> Option<Class> {
    let start = processor::used();
    let refused = match parse(text) {
        Ok(statement) => {
            let printed = statement.to_string();
            let again = parse(&printed).map_err(|error| error.with_caret(&printed));
            assert_eq!(
                again.as_ref(),
                Ok(&statement),
                "{text:.200}\nis printed as\n{printed:.200}"
            );
            check(&statement.clone(), &NoProcedures).err()
        }
        Err(error) => Some(error),
    };
    let refused = refused.map(|error| {
        assert!(!error.reply(text).is_empty() && !error.with_caret(text).is_empty());
        error.class
    });
    let used = processor::used() - start;
    assert!(used < SOON, "{text:.80}: {used:?}");
    refused
}

/// What nests: before, what opens, what is inside, what closes, after.
const NESTS: &[[&str; 5]] = &[
    ["RETURN ", "(", "1", ")", " AS x"],
    ["RETURN ", "(1 + 2 * ", "1", ")", " AS x"],
    ["RETURN ", "[", "1", "]", " AS x"],
    ["RETURN ", "{a: ", "1", "}", " AS x"],
    ["RETURN ", "NOT ", "true", "", " AS x"],
    ["RETURN ", "- ", "1", "", " AS x"],
    ["RETURN ", "abs(", "1", ")", " AS x"],
    ["RETURN ", "[x IN ", "[1]", "]", " AS x"],
    ["RETURN ", "[x IN [1] | ", "1", "]", " AS x"],
    ["RETURN ", "all(x IN [1] WHERE ", "true", ")", " AS x"],
    ["RETURN ", "reduce(s = 0, x IN [1] | ", "1", ")", " AS x"],
    ["RETURN ", "CASE WHEN true THEN ", "1", " END", " AS x"],
    ["RETURN ", "[1][", "0", "]", " AS x"],
    ["RETURN ", "EXISTS { MATCH (a) WHERE ", "true", " }", " AS x"],
    ["RETURN ", "[(a {x: ", "1", "})-->() | 1]", " AS x"],
    ["MATCH (a:", "!(", "A", ")", ") RETURN a"],
    ["MATCH (a) WHERE ", "(a.x = 1 OR a.y = 2 AND NOT (a.z IN [1] + ", "[2]", "))", " RETURN a"],
    ["", "CALL { ", "RETURN 1 AS x", " } RETURN 1 AS y", ""],
    ["", "FOREACH (i IN [1] | ", "CREATE ()", ")", ""],
];

fn nested([before, opens, inside, closes, after]: &[&str; 5], times: usize) -> String {
    format!("{before}{}{inside}{}{after}", opens.repeat(times), closes.repeat(times))
}

#[test]
fn deep_queries_are_refused() {
    for nest in NESTS {
        let deep = nested(nest, 10_000);
        assert_eq!(survives(&deep), Some(Class::TooComplex), "{deep:.60}");
        // What never closes is refused as well.
        let [before, opens, ..] = nest;
        assert!(survives(&format!("{before}{}", opens.repeat(10_000))).is_some());
    }
}

#[test]
fn queries_as_deep_as_they_may_be_fit_on_the_stack() {
    for nest in NESTS {
        let depth = (1..=MAX_NESTING).rev().find(|depth| parse(&nested(nest, *depth)).is_ok());
        let depth = depth.expect("some depth is accepted");
        assert!(depth * 8 > MAX_NESTING, "{} only nests {depth} times", nested(nest, 1));
        assert_ne!(survives(&nested(nest, depth)), Some(Class::TooComplex));
    }
}

/// What repeats: before, what is repeated, after.
const REPEATS: &[[&str; 3]] = &[
    ["RETURN 1", " + 1", " AS x"],
    ["RETURN 1", " < 1", " AS x"],
    ["RETURN true", " AND true OR false", " AS x"],
    ["RETURN 1", " IS NULL", " AS x"],
    ["RETURN 'a'", " STARTS WITH 'a' CONTAINS 'b'", " AS x"],
    ["WITH {} AS a RETURN a", ".b", " AS x"],
    ["WITH {} AS a RETURN a", "[0]", " AS x"],
    ["RETURN [1", ", 1", "] AS x"],
    ["RETURN {a: 1", ", a: 1", "} AS x"],
    ["RETURN coalesce(1", ", 1", ") AS x"],
    ["RETURN CASE 1", " WHEN 1 THEN 1", " END AS x"],
    ["RETURN 1 AS x", ", 1 AS x", ""],
    ["MATCH (a)", "-->(a)", " RETURN a"],
    ["MATCH (a)", ", (a)", " RETURN a"],
    ["MATCH (a", ":A", ") RETURN a"],
    ["MATCH (a) WHERE (a)", "-->(a)", " RETURN a"],
    ["MATCH (a)", " MATCH (a)", " RETURN a"],
    ["WITH 1 AS a", " WITH a", " RETURN a"],
    ["WITH 1 AS a", " WITH *, a AS a", " RETURN a"],
    ["RETURN 1 AS a", " UNION RETURN 1 AS a", ""],
    ["CREATE (a)", " SET a.b = 1, a:B", ""],
    ["RETURN '", "\\u0041", "' AS x"],
    ["RETURN ", "/* */", "1 AS x"],
    ["CYPHER ", "a = [1] ", "RETURN 1 AS x"],
    ["RETURN ", "a.", "a"],
    ["RETURN ", "(a)-", "1"],
    ["RETURN ", "[(a)-->(b", ""],
    ["", "\n", "RETURN"],
    ["RETURN a, count(*) AS c ORDER BY a", " + a", ""],
];

#[test]
fn long_queries_take_time_in_proportion() {
    for [before, repeated, after] in REPEATS {
        survives(&format!("{before}{}{after}", repeated.repeat((256 << 10) / repeated.len())));
    }
    survives(&format!("RETURN {} AS x", "1 + ".repeat(256 << 10) + "1"));
    let names: String = (0..20_000).map(|at| format!("CREATE (n{at}) ")).collect();
    assert_eq!(survives(&names), None);
    let starred: String = (0..20_000).map(|at| format!("WITH *, 1 AS n{at} ")).collect();
    assert_eq!(survives(&format!("{starred}RETURN 1 AS x")), Some(Class::TooComplex));
}

/// What is bound to slots, and what is known of them, is looked up and not looked for.
#[test]
fn statements_of_many_parts_are_planned_in_time() {
    let many = |separator: &str, part: &dyn Fn(usize) -> String| {
        (0..8000).map(part).collect::<Vec<_>>().join(separator)
    };
    let columns = many(",", &|at| format!("n.v{at}"));
    let named = many(",", &|at| format!("n.v{at} AS w{at}"));
    let (graph, parameters, clock) = (Graph::default(), Map::default(), Clock::default());
    let settings = Settings {
        parameters: &parameters,
        clock: &clock,
        seed: 1,
        memory: 64 << 20,
        interrupt: &NoInterrupt,
        profile: false,
    };
    for (text, is_planned) in [
        (format!("MATCH (n) WITH {named} RETURN *"), true),
        (format!("MATCH (n) RETURN {named} ORDER BY {columns}"), true),
        (format!("MATCH (n) RETURN {columns}, count(*)"), true),
        (format!("MATCH (n) RETURN DISTINCT {columns}"), true),
        (format!("MATCH (n) RETURN {columns}, count(*), [x IN n.v1 | x] AS y"), true),
        (format!("MATCH (n:{}) RETURN n", many(":", &|at| format!("L{at}"))), false),
        (format!("CREATE INDEX FOR (n:L) ON ({columns})"), false),
        (format!("MATCH {} RETURN 1", many(",", &|at| format!("(a{at})"))), false),
    ] {
        let start = processor::used();
        let prepared = Prepared::compile(&text, &NoProcedures);
        assert_eq!(prepared.is_ok(), is_planned, "{text:.80}");
        drop(prepared.map(|prepared| prepared.explain(&graph, &settings)));
        let used = processor::used() - start;
        assert!(used < SOON / 4, "{text:.80}: {used:?}");
    }
}

/// Queries to damage, and the pieces they are damaged with.
const QUERIES: &[&str] = &[
    "CYPHER a = 1 b = {c: [-1.5e3, 'x']} MATCH (n:A|B {x: $a})-[r:T*1..3]->(m:!C) WHERE n.x IN $b \
     AND NOT (n)-->() RETURN DISTINCT n {.x, .*, y: 1}, count(*) AS c ORDER BY c DESC \
     SKIP 1 LIMIT 2",
    "OPTIONAL MATCH p = shortestPath((a)-[*..3]-(b)) WITH *, [x IN nodes(p) WHERE x:L | x.y] AS z \
     WHERE any(q IN z WHERE q =~ 'a.*') RETURN reduce(s = 0, v IN z | s + v) AS `a b`",
    "MERGE (a:X {i: 1})-[:R]-(b) ON CREATE SET a.x = 1, b += {y: 2} ON MATCH SET a:Y:Z \
     REMOVE a.x",
    "UNWIND [1, 2] AS x CALL { WITH x RETURN x ^ 2 AS y UNION ALL RETURN 0x1F AS y } \
     RETURN x[0..1]",
    "CREATE VECTOR INDEX FOR (n:L) ON (n.v) OPTIONS {dimension: 3}",
    "LOAD CSV WITH HEADERS FROM 'file:///a' AS row FOREACH (i IN row | DETACH DELETE i)",
    "CALL db.labels() YIELD label AS l WHERE l <> '' RETURN CASE l WHEN 'a' THEN 1 ELSE 2 END AS c",
    "RETURN EXISTS { (a)--(b) WHERE a.x < 1 <= 2 } AS e, COUNT { MATCH (n) } AS c, \
     [(a)<--(b) | 1] AS l",
];

const PIECES: &[&[u8]] = &[
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"-",
    b"->",
    b"<-",
    b"|",
    b":",
    b"..",
    b"*",
    b"'",
    b"`",
    b"\\",
    b"$",
    b" IN ",
    b" AND ",
    b"NOT ",
    b" WHERE ",
    b"(a)-->(b)",
    b"x = ",
    b"=~",
    b"\xff",
    b"\xe2\x80\x94",
    b"/*",
    b"//",
    b"0x",
    b"1e",
    b".",
    b", ",
    b"WITH * ",
    b" IS NULL",
];

#[test]
fn damaged_queries_are_survived() {
    fuzz(|rng: &mut Rng| {
        let query = QUERIES[rng.below(QUERIES.len())];
        let mut bytes = query.as_bytes().to_vec();
        damage(rng, &mut bytes, PIECES);
        survives(&String::from_utf8_lossy(&bytes));
    });
}

#[test]
fn random_tokens_are_survived() {
    fuzz(|rng: &mut Rng| {
        let mut bytes = b"RETURN ".to_vec();
        for _ in 0..rng.below(40) {
            match rng.below(3) {
                0 => bytes.push(u8::try_from(rng.below(256)).unwrap_or(0)),
                1 => bytes.extend_from_slice(PIECES[rng.below(PIECES.len())]),
                _ => {
                    let words: Vec<&str> = QUERIES[rng.below(QUERIES.len())].split(' ').collect();
                    bytes.extend_from_slice(words[rng.below(words.len())].as_bytes());
                    bytes.push(b' ');
                }
            }
        }
        survives(&String::from_utf8_lossy(&bytes));
    });
}

/// Goes on so many times, and counts how often it is asked.
struct GoesOn {
    times: usize,
    asked: Cell<usize>,
    held: Cell<usize>,
}

impl GoesOn {
    fn for_times(times: usize) -> Self {
        GoesOn { times, asked: Cell::new(0), held: Cell::new(0) }
    }
}

impl Interrupt for GoesOn {
    fn check(&self, holds: usize) -> Result<(), Ended> {
        assert!(holds >= self.held.replace(holds), "what is read grows");
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > self.times { Err(Ended::Killed) } else { Ok(()) }
    }
}

/// The lexer, the parser, the check and what binds names: each asks, and each is ended, whatever it
/// would have come to.
#[test]
fn a_long_text_is_read_in_pieces_and_ended_between_them() {
    const ITEMS: usize = 40_000;
    let many = |item: &str| vec![item; ITEMS].join(",");
    for text in [
        format!("RETURN [{}]", many("$a")),
        format!("RETURN {}", vec!["n.x"; ITEMS].join(" + ")).replacen(
            "RETURN",
            "MATCH (n) RETURN",
            1,
        ),
        format!("RETURN {{{}}}", many("a: rand()")),
        format!("RETURN [{}] + 2", many("[x IN [1] WHERE x > 0 | x]")),
        format!("RETURN [{}", many("1")),
        format!("UNWIND [{}] AS row CREATE (n {{x: row}})", many("{a: 1, b: 'text'}")),
    ] {
        let compile = |times: usize| {
            let goes_on = GoesOn::for_times(times);
            let done = Prepared::compile_within(&text, &NoProcedures, usize::MAX, &goes_on);
            (done.map_err(|error| error.class), goes_on.asked.get())
        };
        let (done, asked) = compile(usize::MAX);
        assert_eq!(done.is_err(), text.ends_with('1'), "{text:.60}");
        // The lexer alone takes a comma and an item, at the least.
        assert!(asked >= 3 * ITEMS / 1024, "{text:.60}: {asked}");
        for times in [0, asked / 5, asked / 2, asked - asked / 5, asked - 1] {
            let (done, asked) = compile(times);
            assert_eq!((done.unwrap_err(), asked), (query::Class::Ended, times + 1), "{text:.60}");
        }
    }
    // Parameters in the text are read the same way.
    let (text, none) = (format!("CYPHER a=[{}] RETURN $a", many("1")), Map::default());
    let read = |goes_on: &GoesOn| {
        let settings = Settings {
            parameters: &none,
            clock: &Clock::default(),
            seed: 1,
            memory: usize::MAX,
            interrupt: goes_on,
            profile: false,
        };
        query::parameters(&text, &settings).map_err(|error| error.class)
    };
    let all = GoesOn::for_times(usize::MAX);
    assert!(read(&all).is_ok());
    for times in [0, all.asked.get() / 2] {
        assert_eq!(read(&GoesOn::for_times(times)), Err(query::Class::Ended));
    }
}
