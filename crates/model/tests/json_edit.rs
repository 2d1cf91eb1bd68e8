//! The commands that change parts of JSON documents: replies in both dialects and both protocols,
//! every error with nothing changed, and what the journal is told.

use base::{Deadline, Holds, Key, Protocol};
use json::{Document, Registry};
use types::Json;

use crate::stage::{Stage, shown};

fn key<'n>(stage: &Stage, name: &'n str) -> Key<'n> {
    Key { bytes: name.as_bytes(), hash: stage.model.hasher().hash(name.as_bytes()) }
}

fn put(stage: &mut Stage, name: &str, text: &str) {
    let document = Document::from_text(text.as_bytes(), &mut Registry::new()).expect("JSON");
    let key = key(stage, name);
    stage.model.put(key, Json::from(document), Deadline::Keep);
}

fn text(stage: &Stage, name: &str) -> String {
    let value: Option<&Json> = stage.model.peek(key(stage, name)).expect("a document");
    let Some(document) = value.and_then(Json::document) else { return "none".to_owned() };
    let mut out = Vec::new();
    document.write(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// One request: the document before, the words behind the name of the key, the reply, the document
/// after.
fn check(protocol: Protocol, cases: &[(&str, &str, &str, &str)]) {
    for (before, request, reply, after) in cases {
        let mut stage = Stage::new();
        stage.protocol = protocol;
        put(&mut stage, "k", before);
        let outcome = stage.ask(request);
        assert_eq!(shown(&outcome.reply), *reply, "{request} of {before}");
        assert_eq!(text(&stage, "k"), *after, "{request} of {before}");
        let told = outcome.effect != base::Effect::None;
        assert_eq!(told, before != after, "what is told of {request} of {before}");
    }
}

const NO_NUMBER: &str = "-ERR Path does not exist or does not contains a number";
const NO_ARRAY: &str = "-ERR Path does not exist or not an array";
const NO_STRING: &str = "-ERR Path does not exist or not a string";
const NO_BOOL: &str = "-ERR Path does not exist or not a bool";

/// A command, what follows its path, what it needs, and what it says where that is not.
const EDITS: [(&str, &str, &str, &str); 9] = [
    ("JSON.NUMINCRBY", "1", "if", NO_NUMBER),
    ("JSON.NUMMULTBY", "2", "if", NO_NUMBER),
    ("JSON.NUMPOWBY", "2", "if", NO_NUMBER),
    ("JSON.STRAPPEND", "'\"x\"'", "s", NO_STRING),
    ("JSON.TOGGLE", "", "b", NO_BOOL),
    ("JSON.ARRAPPEND", "1", "a", NO_ARRAY),
    ("JSON.ARRINSERT", "0 1", "a", NO_ARRAY),
    ("JSON.ARRPOP", "0", "a", NO_ARRAY),
    ("JSON.ARRTRIM", "0 0", "a", NO_ARRAY),
];

const EVERY_TYPE: &str =
    r#"{"n":null,"b":true,"i":3,"f":1.5,"s":"text","a":[7,8],"o":{"x":{}},"q":"\""}"#;

#[test]
fn a_value_of_the_wrong_type_is_left_alone() {
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let mut stage = Stage::new();
        stage.protocol = protocol;
        put(&mut stage, "k", EVERY_TYPE);
        for (name, more, fitting, error) in EDITS {
            let nothing = match (name.starts_with("JSON.NUM"), protocol) {
                (true, Protocol::Resp2) => ["$6|[null]", "$2|[]"],
                (false, Protocol::Resp2) => ["*1|$-1", "*0"],
                (_, Protocol::Resp3) => ["*1|_", "*0"],
            };
            for member in "nbifsao".chars().filter(|&member| !fitting.contains(member)) {
                for (path, reply) in [
                    (format!("{member}"), error),
                    (format!(".{member}"), error),
                    (format!("$.{member}"), nothing[0]),
                    ("$.nowhere".to_owned(), nothing[1]),
                    ("$.o.x[3]".to_owned(), nothing[1]),
                    ("nowhere".to_owned(), error),
                    ("o.x.y.z".to_owned(), error),
                    ("..nowhere".to_owned(), error),
                ] {
                    let line = format!("{name} k {path} {more}");
                    let outcome = stage.ask(&line);
                    assert_eq!(shown(&outcome.reply), reply, "{line}");
                    assert_eq!(outcome.effect, base::Effect::None, "{line}");
                }
            }
        }
        assert_eq!(text(&stage, "k"), EVERY_TYPE);
    }
}

#[test]
fn keys_and_paths_that_are_none_are_refused() {
    const NO_KEY: &str = "-ERR could not perform this operation on a key that doesn't exist";
    let mut stage = Stage::new();
    put(&mut stage, "k", EVERY_TYPE);
    stage.ask("SET string text");
    let no_path: [(&str, &str, &str, &str); 3] =
        [("JSON.DEL", "", "", ":0"), ("JSON.FORGET", "", "", ":0"), ("JSON.CLEAR", "", "", NO_KEY)];
    for (name, more, _, error) in EDITS.into_iter().chain(no_path) {
        let missing = if error == ":0" { ":0" } else { NO_KEY };
        for path in ["$.a", "a", "$", "."] {
            assert_eq!(stage.reply(&format!("{name} missing {path} {more}")), missing);
            let reply = stage.reply(&format!("{name} string {path} {more}"));
            assert_eq!(reply, "-Existing key has wrong Redis type", "{name}");
        }
        for key in ["k", "missing", "string"] {
            let reply = stage.reply(&format!("{name} {key} $[ {more}"));
            assert!(reply.starts_with("-ERR Error occurred at position 2, "), "{name}: {reply}");
            let reply = stage.reply(&format!("{name} {key} '$.i + 1' {more}"));
            assert_eq!(
                reply,
                "-ERR computed/projection expressions are only supported by \
                 JSON.GET/JSON.MGET/JSON.RESP",
                "{name}"
            );
        }
        let reply = stage.run(&[name.as_bytes(), b"k", b"\xff\xfe", b"0", b"0"]).reply;
        assert_eq!(reply[0], b'-', "{name}");
    }
    assert_eq!(text(&stage, "k"), EVERY_TYPE);
    assert_eq!(stage.reply("GET string"), "$4|text");
}

#[test]
fn numbers_are_calculated_with() {
    let doc = r#"{"a":"b","b":[{"a":2},{"a":5.0},{"a":"c"}]}"#;
    let sum = r#"{"a":"b","b":[{"a":4},{"a":7.0},{"a":"c"}]}"#;
    let cubes = doc.replace(":2}", ":8}").replace("5.0", "125.0");
    let big = r#"{"b":9223372036854775807,"a":1}"#;
    check(
        Protocol::Resp2,
        &[
            (doc, "JSON.NUMINCRBY k $..a 2", "$17|[null,4,7.0,null]", sum),
            (doc, "JSON.NUMINCRBY k ..a 2", "$3|7.0", sum),
            (doc, "JSON.NUMMULTBY k .b[0].a 2.5", "$3|5.0", &doc.replace(":2}", ":5.0}")),
            (doc, "JSON.NUMPOWBY k $.b[*].a 3", "$14|[8,125.0,null]", &cubes),
            (doc, "JSON.NUMINCRBY k $..a 0", "$17|[null,2,5.0,null]", doc),
            (doc, "JSON.NUMINCRBY k \"$['b','b'][0].a\" 1", "$5|[3,4]", &doc.replace(":2}", ":4}")),
            ("7", "JSON.NUMINCRBY k . -7", "$1|0", "0"),
            ("2", "JSON.NUMPOWBY k $ -1", "$5|[0.5]", "0.5"),
            ("1e9", "JSON.NUMMULTBY k . 10", "$13|10000000000.0", "10000000000.0"),
            // All or nothing.
            (big, "JSON.NUMINCRBY k $.b 1", "-ERR numeric overflow", big),
            (big, "JSON.NUMINCRBY k $.* 1", "-ERR numeric overflow", big),
            (big, "JSON.NUMMULTBY k .* 2", "-ERR numeric overflow", big),
            (big, "JSON.NUMPOWBY k $.b 2", "-ERR numeric overflow", big),
            ("1e308", "JSON.NUMMULTBY k . 1e10", "-ERR result is not a number", "1e308"),
            ("-1.0", "JSON.NUMPOWBY k . 0.5", "-ERR result is not a number", "-1.0"),
            (
                "[9223372036854775806]",
                "JSON.NUMINCRBY k $[0,0] 1",
                "-ERR numeric overflow",
                "[9223372036854775806]",
            ),
            ("1", "JSON.NUMINCRBY k . x", "-bad input number", "1"),
            ("1", "JSON.NUMINCRBY k . '\"1\"'", "-bad input number", "1"),
            ("1", "JSON.NUMINCRBY k . ''", "-bad input number", "1"),
            ("1", "JSON.NUMINCRBY k . 1e999", "-bad input number", "1"),
            ("1", "JSON.NUMINCRBY k . nan", "-bad input number", "1"),
            ("1", "JSON.NUMINCRBY k . 1 2", "-ERR syntax error", "1"),
        ],
    );
    check(
        Protocol::Resp3,
        &[
            (doc, "JSON.NUMINCRBY k $..a 2", "*4|_|:4|,7|_", sum),
            (doc, "JSON.NUMINCRBY k ..a 2", "*1|,7", sum),
            ("3", "JSON.NUMMULTBY k . 3", "*1|:9", "9"),
        ],
    );
}

#[test]
fn truth_values_are_turned_round() {
    let doc = r#"{"a":["foo"],"b":{"a":false},"c":{"a":31},"d":{"a":true}}"#;
    let turned = r#"{"a":["foo"],"b":{"a":true},"c":{"a":31},"d":{"a":false}}"#;
    for (protocol, all) in
        [(Protocol::Resp2, "*4|$-1|:1|$-1|:0"), (Protocol::Resp3, "*4|_|:1|_|:0")]
    {
        check(
            protocol,
            &[
                (doc, "JSON.TOGGLE k $..a", all, turned),
                (doc, "JSON.TOGGLE k ..a", "$5|false", turned),
                ("false", "JSON.TOGGLE k .", "$4|true", "true"),
                ("true", "JSON.TOGGLE k $", "*1|:0", "false"),
            ],
        );
    }
    // Changed twice, it is what it was; but it was changed.
    let mut stage = Stage::new();
    put(&mut stage, "k", "[true]");
    assert_eq!(stage.reply("JSON.TOGGLE k $[0,0]"), "*2|:0|:1");
    assert_eq!(text(&stage, "k"), "[true]");
}

#[test]
fn strings_are_appended_to() {
    let doc = r#"{"a":"foo","b":{"a":"hello"},"c":{"a":31}}"#;
    let longer = r#"{"a":"foobar","b":{"a":"hellobar"},"c":{"a":31}}"#;
    check(
        Protocol::Resp2,
        &[
            (doc, "JSON.STRAPPEND k $..a '\"bar\"'", "*3|:6|:8|$-1", longer),
            (doc, "JSON.STRAPPEND k ..a '\"bar\"'", ":8", longer),
            (doc, "JSON.STRAPPEND k .*.a '\"bar\"'", ":8", &doc.replace("hello", "hellobar")),
            (doc, "JSON.STRAPPEND k $..a '\"\"'", "*3|:3|:5|$-1", doc),
            ("\"é\"", "JSON.STRAPPEND k '\"\\u00e9\\\"\"'", ":5", "\"éé\\\"\""),
            (doc, "JSON.STRAPPEND k '\"bar\"'", NO_STRING, doc),
            (
                doc,
                "JSON.STRAPPEND k $..a 7",
                "-WRONGTYPE wrong type of path value - expected string but found integer",
                doc,
            ),
            (doc, "JSON.STRAPPEND k $..a bar", "-expected value at line 1 column 1", doc),
            (
                doc,
                "JSON.STRAPPEND k $..a '\"bar'",
                "-EOF while parsing a string at line 1 column 4",
                doc,
            ),
            (doc, "JSON.STRAPPEND k $..a '\"a\"' '\"b\"'", "-ERR syntax error", doc),
        ],
    );
}

const ARRAYS: &str = r#"{"a":["foo"],"b":{"a":["hello",null,"world"]},"c":{"a":31}}"#;

#[test]
fn arrays_are_appended_to_and_inserted_into() {
    let doc = ARRAYS;
    let longer = doc.replace("foo\"", "foo\",1,{}").replace("world\"", "world\",1,{}");
    let inserted = doc.replace("foo\"", "foo\",1,[]").replace(",null", ",1,[],null");
    let error = "-expected ident at line 1 column 2";
    check(
        Protocol::Resp2,
        &[
            (doc, "JSON.ARRAPPEND k $..a 1 {}", "*3|:3|:5|$-1", &longer),
            (doc, "JSON.ARRAPPEND k ..a 1 {}", ":5", &longer),
            ("[]", "JSON.ARRAPPEND k . 1 2.5 '\"x\"'", ":3", "[1,2.5,\"x\"]"),
            ("[[],[]]", "JSON.ARRAPPEND k $[0,0] 1", "*2|:1|:2", "[[1,1],[]]"),
            ("[[1],[]]", "JSON.ARRAPPEND k $..* 1", "*3|:2|:1|$-1", "[[1,1],[1]]"),
            (doc, "JSON.ARRAPPEND k $..a 1 nope", error, doc),
            (
                doc,
                "JSON.ARRAPPEND k $..a",
                "-ERR wrong number of arguments for 'json.arrappend' command",
                doc,
            ),
            (doc, "JSON.ARRINSERT k $..a 1 1 []", "*3|:3|:5|$-1", &inserted),
            (doc, "JSON.ARRINSERT k ..a 1 1 []", ":5", &inserted),
            ("[1,2,3]", "JSON.ARRINSERT k . -2 9", ":4", "[1,9,2,3]"),
            ("[1,2,3]", "JSON.ARRINSERT k . -3 9", ":4", "[9,1,2,3]"),
            ("[1,2,3]", "JSON.ARRINSERT k . 3 9", ":4", "[1,2,3,9]"),
            ("[1,2,3]", "JSON.ARRINSERT k . 4 9", "-ERR index out of bounds", "[1,2,3]"),
            ("[1,2,3]", "JSON.ARRINSERT k . -4 9", "-ERR index out of bounds", "[1,2,3]"),
            ("[1]", "JSON.ARRINSERT k . -9223372036854775808 9", "-ERR index out of bounds", "[1]"),
            // One is too short: none is changed.
            (doc, "JSON.ARRINSERT k $..a 2 1", "-ERR index out of bounds", doc),
            (doc, "JSON.ARRINSERT k $..a x 1", "-Couldn't parse as integer", doc),
            (doc, "JSON.ARRINSERT k $..a 1 nope", error, doc),
            (
                doc,
                "JSON.ARRINSERT k $..a 1",
                "-ERR wrong number of arguments for 'json.arrinsert' command",
                doc,
            ),
        ],
    );
}

#[test]
fn elements_are_popped() {
    let doc = ARRAYS;
    let popped = r#"{"a":[],"b":{"a":["hello","world"]},"c":{"a":31}}"#;
    let mixed = r#"[[1],[{"x":[1.5,null]}],["s"],[true],[],7,[null]]"#;
    let rest = "[[],[],[],[],[],7,[]]";
    check(
        Protocol::Resp2,
        &[
            (doc, "JSON.ARRPOP k $..a 1", "*3|$5|\"foo\"|$4|null|$-1", popped),
            (doc, "JSON.ARRPOP k ..a 1", "$4|null", popped),
            ("[1,2,3]", "JSON.ARRPOP k", "$1|3", "[1,2]"),
            ("[1,2,3]", "JSON.ARRPOP k .", "$1|3", "[1,2]"),
            ("[1,2,3]", "JSON.ARRPOP k . 0", "$1|1", "[2,3]"),
            ("[1,2,3]", "JSON.ARRPOP k . -2", "$1|2", "[1,3]"),
            ("[1,2,3]", "JSON.ARRPOP k . 99", "$1|3", "[1,2]"),
            ("[1,2,3]", "JSON.ARRPOP k . -99", "$1|1", "[2,3]"),
            ("[1,2,3]", "JSON.ARRPOP k . -9223372036854775808", "$1|1", "[2,3]"),
            ("[]", "JSON.ARRPOP k", "$-1", "[]"),
            ("[]", "JSON.ARRPOP k $ 5", "*1|$-1", "[]"),
            ("[[1,2,3]]", "JSON.ARRPOP k $[0,0] 0", "*2|$1|1|$1|2", "[[3]]"),
            // What is inside is popped first.
            ("[[1,[2,3]]]", "JSON.ARRPOP k $..[*]", "*5|$3|[2]|$-1|$1|3|$-1|$-1", "[[1]]"),
            ("{}", "JSON.ARRPOP k", NO_ARRAY, "{}"),
            ("[1]", "JSON.ARRPOP k . x", "-Couldn't parse as integer", "[1]"),
            ("[1]", "JSON.ARRPOP k . 0 0", "-ERR syntax error", "[1]"),
            ("[1]", "JSON.ARRPOP k FORMAT", "-ERR syntax error", "[1]"),
            (
                "[1]",
                "JSON.ARRPOP k FORMAT STRINGS $",
                "-ERR FORMAT argument is not supported on RESP2",
                "[1]",
            ),
        ],
    );
    check(
        Protocol::Resp3,
        &[
            (
                mixed,
                "JSON.ARRPOP k $[*]",
                "*7|$1|1|$16|{\"x\":[1.5,null]}|$3|\"s\"|$4|true|_|_|$4|null",
                rest,
            ),
            (
                mixed,
                "JSON.ARRPOP k format STRINGS $[*]",
                "*7|$1|1|$16|{\"x\":[1.5,null]}|$3|\"s\"|$4|true|_|_|$4|null",
                rest,
            ),
            (
                mixed,
                "JSON.ARRPOP k FORMAT EXPAND1 $[*]",
                "*7|:1|$16|{\"x\":[1.5,null]}|$1|s|#t|_|_|_",
                rest,
            ),
            (
                mixed,
                "JSON.ARRPOP k FORMAT EXPAND $[*] 0",
                "*7|:1|%1|$1|x|*2|,1.5|_|$1|s|#t|_|_|_",
                rest,
            ),
            ("[1,[2]]", "JSON.ARRPOP k FORMAT STRINGS .", "$3|[2]", "[1]"),
            ("[1]", "JSON.ARRPOP k FORMAT EXPAND .", "-ERR wrong reply format", "[1]"),
            ("[1]", "JSON.ARRPOP k FORMAT EXPAND", "-ERR wrong reply format", "[1]"),
            ("[1]", "JSON.ARRPOP k FORMAT expand $", "-ERR wrong reply format", "[1]"),
            (
                "[18446744073709551615]",
                "JSON.ARRPOP k FORMAT EXPAND $",
                "*1|(18446744073709551615",
                "[]",
            ),
        ],
    );
}

#[test]
fn arrays_are_trimmed() {
    let doc = ARRAYS;
    let trimmed = r#"{"a":[],"b":{"a":[null,"world"]},"c":{"a":31}}"#;
    let five = "[0,1,2,3,4]";
    check(
        Protocol::Resp2,
        &[
            (doc, "JSON.ARRTRIM k $..a 1 -1", "*3|:0|:2|$-1", trimmed),
            (doc, "JSON.ARRTRIM k ..a 1 -1", ":2", trimmed),
            (five, "JSON.ARRTRIM k . 1 3", ":3", "[1,2,3]"),
            (five, "JSON.ARRTRIM k . -1 3", ":0", "[]"),
            (five, "JSON.ARRTRIM k . 3 99", ":2", "[3,4]"),
            (five, "JSON.ARRTRIM k . 9 1", ":0", "[]"),
            (five, "JSON.ARRTRIM k . 9 11", ":0", "[]"),
            (five, "JSON.ARRTRIM k . -99 1", ":2", "[0,1]"),
            (five, "JSON.ARRTRIM k . 0 -99", ":0", "[]"),
            (five, "JSON.ARRTRIM k . 1 0", ":0", "[]"),
            (five, "JSON.ARRTRIM k . -9223372036854775808 9223372036854775807", ":5", five),
            (five, "JSON.ARRTRIM k $ 0 -1", "*1|:5", five),
            ("[[1,2],[3,4]]", "JSON.ARRTRIM k $..[*] 0 0", "*6|:1|:1|$-1|$-1|$-1|$-1", "[[1],[3]]"),
            (five, "JSON.ARRTRIM k . x 0", "-Couldn't parse as integer", five),
            (five, "JSON.ARRTRIM k . 0 0.5", "-Couldn't parse as integer", five),
            (five, "JSON.ARRTRIM k . 0 1 2", "-ERR syntax error", five),
        ],
    );
}

#[test]
fn containers_and_numbers_are_cleared() {
    let doc = r#"{"o":{"a":1},"e":{},"a":[1,[2]],"s":"t","b":true,"n":null,"i":7,"z":0,"f":1.5}"#;
    let clear = r#"{"o":{},"e":{},"a":[],"s":"t","b":true,"n":null,"i":0,"z":0,"f":0}"#;
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        check(
            protocol,
            &[
                (doc, "JSON.CLEAR k $.*", ":4", clear),
                (doc, "JSON.CLEAR k .*", ":4", clear),
                // What goes with what is around it does not count.
                (doc, "JSON.CLEAR k $..*", ":4", clear),
                (clear, "JSON.CLEAR k $.*", ":0", clear),
                (doc, "JSON.CLEAR k", ":1", "{}"),
                (doc, "JSON.CLEAR k .", ":1", "{}"),
                ("[]", "JSON.CLEAR k", ":0", "[]"),
                ("[1.5,2.5]", "JSON.CLEAR k $[1,1]", ":1", "[1.5,0]"),
                (doc, "JSON.CLEAR k $.s", ":0", doc),
                (doc, "JSON.CLEAR k s", ":0", doc),
                (doc, "JSON.CLEAR k nowhere", ":0", doc),
                (doc, "JSON.CLEAR k $.nowhere", ":0", doc),
                (doc, "JSON.CLEAR k $ $", "-ERR syntax error", doc),
            ],
        );
    }
}

#[test]
fn values_are_deleted() {
    let doc = r#"{"a":{"a":2,"b":3},"b":["a","b"],"n":{"b":[true,"a"]},"c":1}"#;
    for name in ["JSON.DEL", "JSON.FORGET"] {
        let cases = [
            (doc, "k $..a", ":1", r#"{"b":["a","b"],"n":{"b":[true,"a"]},"c":1}"#),
            (doc, "k ..b", ":3", r#"{"a":{"a":2},"n":{},"c":1}"#),
            (doc, "k $.b[0,0,1]", ":2", r#"{"a":{"a":2,"b":3},"b":[],"n":{"b":[true,"a"]},"c":1}"#),
            (doc, "k c", ":1", r#"{"a":{"a":2,"b":3},"b":["a","b"],"n":{"b":[true,"a"]}}"#),
            (doc, "k nowhere", ":0", doc),
            (doc, "k $.b[9]", ":0", doc),
            (doc, "k $ $", "-ERR syntax error", doc),
            // The key goes with the root, and with all that is in it.
            (doc, "k", ":1", "none"),
            (doc, "k .", ":1", "none"),
            (doc, "k $", ":1", "none"),
            (doc, "k $..*", ":4", "none"),
            ("[1,2,3]", "k $[*]", ":3", "none"),
            ("[1,2,3]", "k $[0,2]", ":2", "[2]"),
            ("{\"a\":1}", "k a", ":1", "none"),
            ("[]", "k $.*", ":0", "[]"),
            ("7", "k $", ":1", "none"),
        ];
        for (before, request, reply, after) in cases {
            check(Protocol::Resp2, &[(before, &format!("{name} {request}"), reply, after)]);
        }
    }
}

#[test]
fn nothing_gets_deeper_than_documents_may_be() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    const MOST: usize = json::MAX_DEPTH;
    let inner = "[0]".repeat(MOST - 2);
    let full = format!("[1,{}]", deep(MOST - 2));
    const ERROR: &str = "-ERR recursion limit exceeded";
    for (before, request, reply, after) in [
        (deep(MOST - 1), format!("JSON.ARRAPPEND k ${inner} []"), "*1|:1", deep(MOST)),
        (deep(MOST - 1), format!("JSON.ARRAPPEND k ${inner} 1 {}", deep(2)), ERROR, deep(MOST - 1)),
        (full.clone(), format!("JSON.ARRINSERT k $ 0 {}", deep(MOST)), ERROR, full),
    ] {
        check(Protocol::Resp2, &[(&before, &request, reply, &after)]);
    }
    // One of the two would be too deep: neither is changed.
    let doc = format!("[[],{}]", deep(MOST - 1));
    let mut stage = Stage::new();
    put(&mut stage, "k", &doc);
    let reply = stage.reply(&format!("JSON.ARRAPPEND k $..[*] {}", deep(2)));
    assert_eq!(reply, "-ERR recursion limit exceeded");
    assert_eq!(text(&stage, "k"), doc);
    let reply = stage.reply(&format!("JSON.ARRAPPEND k $ {}", deep(MOST + 1)));
    assert_eq!(reply, format!("-recursion limit exceeded at line 1 column {}", MOST + 1));
}

#[test]
fn deadlines_stay() {
    let mut stage = Stage::new();
    put(&mut stage, "k", EVERY_TYPE);
    stage.ask("PEXPIREAT k 99999");
    for (name, more, _, _) in EDITS {
        assert_eq!(stage.effect(&format!("{name} k $.* {more}")), "as sent", "{name}");
    }
    for name in ["JSON.CLEAR", "JSON.DEL"] {
        assert_eq!(stage.effect(&format!("{name} k a")), "as sent", "{name}");
        assert_eq!(stage.effect(&format!("{name} k a")), "none", "{name}");
        put(&mut stage, "k", EVERY_TYPE);
    }
    assert_eq!(stage.reply("PEXPIRETIME k"), ":99999");
}
