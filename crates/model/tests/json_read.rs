//! Commands about JSON documents: what RedisJSON answers, in both dialects and protocols, whatever
//! form a document is kept in.

use base::Protocol;

use crate::stage::{self, Stage, shown};

/// The document that is looked at.
const DOC: &str = concat!(
    r#"{"a":"foo","n":{"a":[1,"x",null,2.5,"x"],"o":{"k":1,"l":true}},"i":42,"f":64.99,"#,
    r#""b":false,"z":null,"e":[],"u":18446744073709551615,"s":"\u2b50"}"#
);

/// Stages on which it is kept as text, as a tree, and as both.
fn stages() -> [Stage; 3] {
    let mut stages = [Stage::new(), Stage::new(), Stage::new()];
    for (form, stage) in stages.iter_mut().enumerate() {
        assert_eq!(set(stage, "k", ".", DOC), "+OK");
        if form > 0 {
            assert_eq!(said(stage, "JSON.TYPE k .i"), "integer");
        }
        if form > 1 {
            let text = stage.reply("JSON.GET k");
            assert_eq!(stage.reply("JSON.GET k"), text);
        }
    }
    stages
}

fn set(stage: &mut Stage, key: &str, path: &str, json: &str) -> String {
    shown(&stage.run(&[b"JSON.SET", key.as_bytes(), path.as_bytes(), json.as_bytes()]).reply)
}

/// A reply without the lengths of byte strings.
fn said(stage: &mut Stage, line: &str) -> String {
    let reply = stage.reply(line);
    let mut said = String::new();
    for part in reply.split_inclusive('|') {
        let digits = part.strip_prefix('$').and_then(|part| part.strip_suffix('|'));
        if digits.is_none_or(|digits| digits.parse::<usize>().is_err()) {
            said.push_str(part);
        }
    }
    said
}

fn get(stage: &mut Stage, key: &str) -> String {
    said(stage, &format!("JSON.GET {key}"))
}

/// Asks each of these on each form of the document.
fn check(protocol: Protocol, table: &[(&str, &str)]) {
    for stage in &mut stages() {
        stage.protocol = protocol;
        stage.ask("SET string x");
        for (line, expected) in table {
            assert_eq!(said(stage, line), *expected, "{line}");
        }
        stage.protocol = Protocol::Resp2;
        assert_eq!(get(stage, "k"), DOC.replace(r"\u2b50", "\u{2b50}"));
    }
}

const NO_KEY: &str = "-ERR could not perform this operation on a key that doesn't exist";
const WRONG_KEY: &str = "-Existing key has wrong Redis type";
const COMPUTED: &str = "-ERR computed/projection expressions are only supported by \
                        JSON.GET/JSON.MGET/JSON.RESP";

#[test]
fn lengths() {
    check(
        Protocol::Resp2,
        &[
            ("JSON.STRLEN k a", ":3"),
            ("JSON.STRLEN k .s", ":3"),
            ("JSON.STRLEN k $..a", "*2|:3|$-1"),
            ("JSON.STRLEN k $.none", "*0"),
            ("JSON.STRLEN k none", "-ERR Path does not exist"),
            (
                "JSON.STRLEN k",
                "-WRONGTYPE wrong type of path value - expected string but found object",
            ),
            (
                "JSON.STRLEN k i",
                "-WRONGTYPE wrong type of path value - expected string but found integer",
            ),
            ("JSON.STRLEN none", "$-1"),
            ("JSON.STRLEN none $", NO_KEY),
            ("JSON.ARRLEN k n.a", ":5"),
            ("JSON.ARRLEN k $..a", "*2|$-1|:5"),
            ("JSON.ARRLEN k e", ":0"),
            ("JSON.ARRLEN k", "-ERR Path does not exist or not an array"),
            ("JSON.ARRLEN k none", "-ERR Path does not exist or not an array"),
            ("JSON.ARRLEN none .x", "$-1"),
            ("JSON.ARRLEN none $.x", NO_KEY),
            ("JSON.OBJLEN k", ":9"),
            ("JSON.OBJLEN k n.o", ":2"),
            ("JSON.OBJLEN k $.n.*", "*2|$-1|:2"),
            ("JSON.OBJLEN k none", "$-1"),
            (
                "JSON.OBJLEN k b",
                "-WRONGTYPE wrong type of path value - expected object but found boolean",
            ),
            ("JSON.OBJLEN none", "$-1"),
            ("JSON.OBJLEN none $", "-ERR Path does not exist or not an object"),
            ("JSON.OBJKEYS k n.o", "*2|k|l"),
            ("JSON.OBJKEYS k $.n.*", "*2|$-1|*2|k|l"),
            ("JSON.OBJKEYS k none", "$-1"),
            (
                "JSON.OBJKEYS k z",
                "-WRONGTYPE wrong type of path value - expected object but found null",
            ),
            ("JSON.OBJKEYS none", "$-1"),
            ("JSON.OBJKEYS none $", NO_KEY),
            ("JSON.OBJLEN k $.a.length()", COMPUTED),
            ("JSON.TYPE k $.i+1", "*0"),
        ],
    );
}

#[test]
fn types() {
    check(
        Protocol::Resp2,
        &[
            ("JSON.TYPE k", "object"),
            (
                "JSON.TYPE k $.*",
                "*9|string|object|integer|number|boolean|null|array|integer|string",
            ),
            ("JSON.TYPE k none", "$-1"),
            ("JSON.TYPE k $.none", "*0"),
            ("JSON.TYPE none", "$-1"),
            ("JSON.TYPE k $.a.length()", COMPUTED),
        ],
    );
    check(
        Protocol::Resp3,
        &[
            ("JSON.TYPE k", "*1|object"),
            ("JSON.TYPE k $.i", "*1|*1|integer"),
            ("JSON.TYPE none", "*1|_"),
        ],
    );
}

#[test]
fn indices() {
    check(
        Protocol::Resp2,
        &[
            ("JSON.ARRINDEX k n.a '\"x\"'", ":1"),
            ("JSON.ARRINDEX k n.a '\"x\"' 2", ":4"),
            ("JSON.ARRINDEX k n.a '\"x\"' 2 4", ":-1"),
            ("JSON.ARRINDEX k n.a '\"x\"' 2 0", ":4"),
            ("JSON.ARRINDEX k n.a '\"x\"' -1", ":4"),
            ("JSON.ARRINDEX k n.a '\"x\"' 2 -1", ":-1"),
            ("JSON.ARRINDEX k n.a '\"x\"' -99 99", ":1"),
            ("JSON.ARRINDEX k n.a '\"x\"' 4 2", ":-1"),
            ("JSON.ARRINDEX k n.a '\"x\"' 99", ":-1"),
            ("JSON.ARRINDEX k n.a null", ":2"),
            ("JSON.ARRINDEX k n.a 1.0", ":-1"),
            ("JSON.ARRINDEX k n.a 1", ":0"),
            ("JSON.ARRINDEX k n.a true", ":-1"),
            ("JSON.ARRINDEX k $..a 2.5", "*2|$-1|:3"),
            ("JSON.ARRINDEX k $.none 1", "*0"),
            (
                "JSON.ARRINDEX k i 1",
                "-WRONGTYPE wrong type of path value - expected array but found integer",
            ),
            ("JSON.ARRINDEX k none 1", "-ERR Path does not exist"),
            ("JSON.ARRINDEX none . 1", "-ERR Path does not exist"),
            ("JSON.ARRINDEX none $ 1", "-ERR Path does not exist"),
            ("JSON.ARRINDEX k n.a 1 x", "-Couldn't parse as integer"),
            ("JSON.ARRINDEX k n.a x", "-expected value at line 1 column 1"),
        ],
    );
}

#[test]
fn texts() {
    let whole = DOC.replace(r"\u2b50", "\u{2b50}");
    let whole = whole.as_str();
    let in_array = format!("[{whole}]");
    check(
        Protocol::Resp2,
        &[
            ("JSON.GET k", whole),
            ("JSON.GET k .", whole),
            ("JSON.GET k $", &in_array),
            ("JSON.GET k NOESCAPE", whole),
            ("JSON.GET k i", "42"),
            ("JSON.GET k $.i", "[42]"),
            ("JSON.GET k u", "18446744073709551615"),
            ("JSON.GET k 'i + 1'", "43"),
            ("JSON.GET k 'n.a.length()'", "5"),
            ("JSON.GET k 'u - 1'", "18446744073709551614"),
            ("JSON.GET k 'a + 1'", "-ERR Path does not exist"),
            ("JSON.GET k 'length ( $.n.a )'", "[5]"),
            ("JSON.GET k 'nosuch($.n.a)'", "[]"),
            ("JSON.GET k $..a", r#"["foo",[1,"x",null,2.5,"x"]]"#),
            ("JSON.GET k ..a", r#""foo""#),
            ("JSON.GET k $.none", "[]"),
            ("JSON.GET k none", "-ERR Path does not exist"),
            ("JSON.GET none", "$-1"),
            ("JSON.GET none $.a .b", "$-1"),
            ("JSON.GET k i .b", r#"{"i":42,".b":false}"#),
            ("JSON.GET k i i", r#"{"i":42}"#),
            ("JSON.GET k i none", "-ERR Path does not exist"),
            ("JSON.GET k $.i none b", r#"{"$.i":[42],"none":[],"b":[false]}"#),
            ("JSON.GET k i $.[", r#"{"i":42}"#),
            ("JSON.GET k '$.i + 1'", "[43]"),
            ("JSON.GET k $.n.o~", r#"["k","l"]"#),
            ("JSON.GET k indent > newline | space _ n.o", "{|>\"k\":_1,|>\"l\":_true|}"),
            ("JSON.GET k INDENT > NEWLINE | SPACE _ $.n.o.l", "[|>true|]"),
            ("JSON.GET k INDENT > NEWLINE | SPACE _ $.none", "[]"),
            ("JSON.GET k INDENT > NEWLINE | SPACE _ i e", "{|>\"i\":_42,|>\"e\":_[]|}"),
            ("JSON.GET k INDENT > $.i NEWLINE ! b", "{!>\"$.i\":[!>>42!>],!>\"b\":[!>>false!>]!}"),
            ("JSON.GET k INDENT", "-ERR wrong number of arguments for 'json.get' command"),
            ("JSON.GET k FORMAT STRING", "-ERR FORMAT argument is not supported on RESP2"),
            ("JSON.GET k i FORMAT STRING", "42"),
            ("JSON.MGET k none string k i", "*4|42|$-1|$-1|42"),
            ("JSON.MGET k none string $.i", "*3|[42]|$-1|$-1"),
            ("JSON.MGET k k none", "*2|$-1|$-1"),
            ("JSON.MGET k none .", &format!("*2|{whole}|$-1")),
            ("JSON.MGET none k $", &format!("*2|$-1|{in_array}")),
        ],
    );
}

#[test]
fn native_replies() {
    check(
        Protocol::Resp2,
        &[
            ("JSON.RESP k i", ":42"),
            ("JSON.RESP k a", "foo"),
            ("JSON.RESP k b", "+false"),
            ("JSON.RESP k z", "$-1"),
            ("JSON.RESP k f", "64.989999999999995"),
            ("JSON.RESP k n", "*5|+{|a|*6|+[|:1|x|$-1|2.5|x|o|*5|+{|k|:1|l|+true"),
            ("JSON.RESP k $..a", "*2|foo|*6|+[|:1|x|$-1|2.5|x"),
            ("JSON.RESP k '$.i + 0.5'", "*1|42.5"),
            ("JSON.RESP k none", "-ERR Path does not exist"),
            ("JSON.RESP none", "$-1"),
        ],
    );
    check(
        Protocol::Resp3,
        &[
            ("JSON.GET k FORMAT STRING i", "42"),
            ("JSON.GET k FORMAT EXPAND n", "*1|*1|%2|a|*5|:1|x|_|,2.5|x|o|%2|k|:1|l|#t"),
            (
                "JSON.GET k FORMAT EXPAND1 $.n.*",
                "*1|*2|[1,\"x\",null,2.5,\"x\"]|{\"k\":1,\"l\":true}",
            ),
            ("JSON.GET k FORMAT EXPAND $.i $.none b", "*3|*1|:42|*0|*1|#f"),
            ("JSON.GET k FORMAT EXPAND $.u", "*1|*1|(18446744073709551615"),
            ("JSON.GET none FORMAT EXPAND", "_"),
            ("JSON.GET k FORMAT expand", "-ERR wrong reply format"),
        ],
    );
}

#[test]
fn newlines_and_levels() {
    let mut stage = Stage::new();
    set(&mut stage, "k", "$", r#"{"a":[1,{"b":2}],"c":{}}"#);
    let styled = b"JSON.GET k INDENT > NEWLINE \n SPACE _".split(|&byte| byte == b' ');
    let argv: Vec<&[u8]> =
        styled.map(|word| if word == b"\\n" { &b"\n"[..] } else { word }).collect();
    let ask = |stage: &mut Stage, path: &[u8]| {
        let reply = stage.run(&[argv.as_slice(), &[path]].concat()).reply;
        let reply = String::from_utf8(reply).expect("text");
        let text = reply.split_once("\r\n").expect("a length").1;
        text.trim_end().replace('\n', "|")
    };
    let pretty = "{|>\"a\":_[|>>1,|>>{|>>>\"b\":_2|>>}|>],|>\"c\":_{}|}";
    assert_eq!(ask(&mut stage, b"."), pretty);
    assert_eq!(ask(&mut stage, b"$.a"), "[|>[|>>1,|>>{|>>>\"b\":_2|>>}|>]|]");
}

#[test]
fn every_command_refuses_other_types() {
    let mut stage = Stage::new();
    stage.ask("SET s x");
    for line in [
        "JSON.SET s . 1",
        "JSON.SET s $.a 1",
        "JSON.SET s . 1 NX",
        "JSON.GET s",
        "JSON.GET s $.a",
        "JSON.GET s a b",
        "JSON.MSET s . 1",
        "JSON.MERGE s . 1",
        "JSON.TYPE s",
        "JSON.STRLEN s",
        "JSON.ARRLEN s $",
        "JSON.OBJLEN s",
        "JSON.OBJKEYS s",
        "JSON.ARRINDEX s . 1",
        "JSON.RESP s",
        "JSON.DEBUG MEMORY s",
    ] {
        let outcome = stage.ask(line);
        assert_eq!(shown(&outcome.reply), WRONG_KEY, "{line}");
        assert_eq!(outcome.effect, base::Effect::None);
    }
    assert_eq!(said(&mut stage, "GET s"), "x");
    stage.ask("JSON.SET k . 1");
    assert_eq!(
        stage.reply("GET k"),
        "-WRONGTYPE Operation against a key holding the wrong kind of value"
    );
    assert_eq!(stage.reply("JSON.MSET k . 2 s . 1"), WRONG_KEY);
    assert_eq!(get(&mut stage, "k"), "1");
}

/// Runs a request for its reply and its effect, on a document in each form.
fn step(before: &str, line: &str) -> (String, String, String) {
    let mut results = Vec::new();
    for form in 0..2 {
        let mut stage = Stage::new();
        if !before.is_empty() {
            assert_eq!(set(&mut stage, "k", "$", before), "+OK");
            if form > 0 {
                stage.ask("JSON.TYPE k .x");
            }
        }
        let mut again = Stage::new();
        again.model = stage.model;
        let reply = said(&mut again, line);
        let after = get(&mut again, "k");
        let mut stage = Stage::new();
        if !before.is_empty() {
            set(&mut stage, "k", "$", before);
        }
        let effect = stage.effect(line);
        assert_eq!(get(&mut stage, "k"), after);
        results.push((reply, effect, after));
    }
    assert_eq!(results[0], results[1], "{line}");
    results.swap_remove(0)
}

#[test]
fn values_are_set() {
    const D: &str = r#"{"a":1,"n":{"a":2},"l":[1,2,3]}"#;
    const ROOT: &str = "-ERR new objects must be created at the root";
    for (before, line, reply, effect, after) in [
        ("", "JSON.SET k . 1", "+OK", "as sent", "1"),
        ("", "JSON.SET k $ ' [1, 2.50] '", "+OK", "as sent", "[1,2.5]"),
        ("", "JSON.SET k $ 1 NX", "+OK", "as sent", "1"),
        ("", "JSON.SET k $ 1 XX", "$-1", "none", "$-1"),
        ("", "JSON.SET k $.a 1", ROOT, "none", "$-1"),
        ("", "JSON.SET k a 1 NX", ROOT, "none", "$-1"),
        ("", "JSON.SET k a 1 XX", "$-1", "none", "$-1"),
        (D, "JSON.SET k . 7", "+OK", "as sent", "7"),
        (D, "JSON.SET k . 7 nx", "$-1", "none", D),
        (D, "JSON.SET k . 7 xx", "+OK", "as sent", "7"),
        (D, "JSON.SET k $.a 7", "+OK", "as sent", r#"{"a":7,"n":{"a":2},"l":[1,2,3]}"#),
        (D, "JSON.SET k $.a 7 NX", "$-1", "none", D),
        (D, "JSON.SET k a 7 XX", "+OK", "as sent", r#"{"a":7,"n":{"a":2},"l":[1,2,3]}"#),
        (D, "JSON.SET k $..a 7", "+OK", "as sent", r#"{"a":7,"n":{"a":7},"l":[1,2,3]}"#),
        (D, "JSON.SET k ..a 7", "+OK", "as sent", r#"{"a":7,"n":{"a":7},"l":[1,2,3]}"#),
        (D, "JSON.SET k $.l[1] '[]'", "+OK", "as sent", r#"{"a":1,"n":{"a":2},"l":[1,[],3]}"#),
        (D, "JSON.SET k $.l[-1] 9", "+OK", "as sent", r#"{"a":1,"n":{"a":2},"l":[1,2,9]}"#),
        (D, "JSON.SET k $.l[3] 9", "-ERR array index out of range", "none", D),
        (D, "JSON.SET k $.l[3] 9 XX", "$-1", "none", D),
        (D, "JSON.SET k $.n.b 9", "+OK", "as sent", r#"{"a":1,"n":{"a":2,"b":9},"l":[1,2,3]}"#),
        (D, "JSON.SET k $.n.b 9 NX", "+OK", "as sent", r#"{"a":1,"n":{"a":2,"b":9},"l":[1,2,3]}"#),
        (D, "JSON.SET k $.n.b 9 XX", "$-1", "none", D),
        (D, "JSON.SET k $.x.y 9", "$-1", "none", D),
        (D, "JSON.SET k $.a.y 9", "$-1", "none", D),
        (D, "JSON.SET k $.l.y 9", "$-1", "none", D),
        (D, "JSON.SET k $..x 9", "-Err wrong static path", "none", D),
        (D, "JSON.SET k $.x[*] 9", "-Err wrong static path", "none", D),
        (D, "JSON.SET k $.x[*] 9 XX", "$-1", "none", D),
        (D, "JSON.SET k $.a x", "-expected value at line 1 column 1", "none", D),
        (D, "JSON.SET k $.a '1 2'", "-trailing characters at line 1 column 3", "none", D),
        (D, "JSON.SET k $.a.length() 1", COMPUTED, "none", D),
        (D, "JSON.SET k $.a 1 NX XX", "-ERR syntax error", "none", D),
        (D, "JSON.SET k $.a 1 FORMAT", "-ERR syntax error", "none", D),
        (D, "JSON.SET k $.a 1 FORMAT BSON", "-ERR wrong format", "none", D),
        (D, "JSON.SET k $.a 7 format JSON", "+OK", "as sent", r#"{"a":7,"n":{"a":2},"l":[1,2,3]}"#),
        (D, "JSON.SET k $.l '[0.1]' FPHA FP12", "-ERR invalid FPHA type", "none", D),
        (D, "JSON.SET k $.l '[1e39]' FPHA FP32", "-value out of range", "none", D),
        (D, "JSON.SET k . '[0.5, 0.1]' FPHA FP32", "+OK", "as sent", "[0.5,0.1]"),
        (D, "JSON.SET k . '[0.5, 1.1]' FPHA FP16", "+OK", "as sent", "[0.5,1.099609375]"),
        (
            D,
            "JSON.SET k $.l '[0.5, 1.1]' FPHA FP16",
            "+OK",
            "as sent",
            r#"{"a":1,"n":{"a":2},"l":[0.5,1.099609375]}"#,
        ),
        ("", "JSON.SET k '$.a[\"b c\"].d' 1 CREATE", "+OK", "as sent", r#"{"a":{"b c":{"d":1}}}"#),
        ("", "JSON.SET k $.a[0] 1 CREATE", ROOT, "none", "$-1"),
        ("", "JSON.SET k $.a.b 1 CREATE XX", "$-1", "none", "$-1"),
        (
            D,
            "JSON.SET k $.n.x.y.z '[1]' CREATE",
            "+OK",
            "as sent",
            r#"{"a":1,"n":{"a":2,"x":{"y":{"z":[1]}}},"l":[1,2,3]}"#,
        ),
        (D, "JSON.SET k $.a.x.y 1 CREATE", "$-1", "none", D),
        (D, "JSON.SET k $.x[0].y 1 CREATE", "$-1", "none", D),
    ] {
        let step = step(before, line);
        assert_eq!(step, (reply.to_owned(), effect.to_owned(), after.to_owned()), "{line}");
    }
}

#[test]
fn deadlines() {
    let mut stage = Stage::new();
    stage.model.now = 5000;
    assert_eq!(stage.effect("JSON.SET k . 1 EX 10"), "JSON.SET k . 1 PXAT 15000");
    assert_eq!(stage.reply("PTTL k"), ":10000");
    assert_eq!(stage.effect("JSON.SET k . '{}'"), "as sent");
    assert_eq!(stage.effect("JSON.SET k $.a 1 KEEPTTL"), "as sent");
    assert_eq!(stage.reply("PTTL k"), ":10000");
    assert_eq!(stage.effect("JSON.SET k $.b.c 1 PX 7 CREATE XX"), "none");
    assert_eq!(
        stage.effect("JSON.SET k $.b.c 1 PX 7 CREATE"),
        "JSON.SET k $.b.c 1 CREATE PXAT 5007"
    );
    assert_eq!(stage.reply("PTTL k"), ":7");
    assert_eq!(
        stage.effect("JSON.SET k . [0.1] FPHA FP32 XX EXAT 9"),
        "JSON.SET k . [0.1] FPHA FP32 PXAT 9000"
    );
    assert_eq!(stage.reply("PTTL k"), ":4000");
    assert_eq!(
        stage.reply("JSON.SET k . 1 EX 0"),
        "-ERR invalid expire time in 'json.set' command"
    );
    assert_eq!(stage.reply("JSON.SET k . 1 EX x"), "-ERR value is not an integer or out of range");
    assert_eq!(stage.reply("JSON.SET k . 1 EX 1 PX 1"), "-ERR syntax error");
    stage.model.now = 9000;
    assert_eq!(stage.reply("JSON.GET k"), "$-1");
}

#[test]
fn many_are_set() {
    let mut stage = Stage::new();
    assert_eq!(
        stage.reply("JSON.MSET a . 1 b"),
        "-ERR wrong number of arguments for 'json.mset' command"
    );
    assert_eq!(
        stage.effect("JSON.MSET a . 1 b $ '{}' b $.x 2"),
        "JSON.SET a . 1; JSON.SET b $ {}; JSON.SET b $.x 2"
    );
    assert_eq!(get(&mut stage, "b"), r#"{"x":2}"#);
    assert_eq!(
        stage.reply("JSON.MSET a . 2 none $.x 1"),
        "-ERR new objects must be created at the root"
    );
    assert_eq!(stage.reply("JSON.MSET a . 2 b . x"), "-expected value at line 1 column 1");
    assert_eq!(get(&mut stage, "a"), "1");
    assert_eq!(stage.reply("JSON.MSET a . 2 b $.q.z 1"), "$-1");
    assert_eq!(get(&mut stage, "a"), "2");
    assert_eq!(stage.effect("JSON.MSET a . 3 b $.q.z 1"), "JSON.SET a . 3");
    assert_eq!(stage.reply("JSON.MSET b $.q.z 1 b $..q 1"), "$-1");
    assert_eq!(stage.effect("JSON.MSET b $.q.z 1 b $..q 1"), "none");
}

#[test]
fn patches_are_merged() {
    const D: &str = r#"{"a":1,"n":{"a":2,"b":3},"l":[1,2,3]}"#;
    for (before, line, reply, effect, after) in [
        (
            "",
            r#"JSON.MERGE k $ '{"a":1,"b":null,"c":{"d":null}}'"#,
            "+OK",
            "as sent",
            r#"{"a":1,"c":{}}"#,
        ),
        ("", "JSON.MERGE k . 5", "+OK", "as sent", "5"),
        ("", "JSON.MERGE k $.a 5", "-ERR new objects must be created at the root", "none", "$-1"),
        (
            D,
            r#"JSON.MERGE k . '{"a":null,"n":{"b":null,"c":4},"x":{}}'"#,
            "+OK",
            "as sent",
            r#"{"n":{"a":2,"c":4},"l":[1,2,3],"x":{}}"#,
        ),
        (D, r#"JSON.MERGE k . '{"q":null,"n":{}}'"#, "+OK", "none", D),
        (D, "JSON.MERGE k . 7", "+OK", "as sent", "7"),
        (D, "JSON.MERGE k $ null", "+OK", "as sent", "null"),
        (D, "JSON.MERGE k $.a null", "+OK", "as sent", r#"{"n":{"a":2,"b":3},"l":[1,2,3]}"#),
        (D, "JSON.MERGE k $..a null", "+OK", "as sent", r#"{"n":{"b":3},"l":[1,2,3]}"#),
        (D, "JSON.MERGE k $.none null", "+OK", "none", D),
        (D, "JSON.MERGE k $.l[0] null", "+OK", "as sent", r#"{"a":1,"n":{"a":2,"b":3},"l":[2,3]}"#),
        (D, "JSON.MERGE k $.l '[4]'", "+OK", "as sent", r#"{"a":1,"n":{"a":2,"b":3},"l":[4]}"#),
        (
            D,
            r#"JSON.MERGE k $.n.c '{"x":1,"y":null}'"#,
            "+OK",
            "as sent",
            r#"{"a":1,"n":{"a":2,"b":3,"c":{"x":1}},"l":[1,2,3]}"#,
        ),
        (D, "JSON.MERGE k $.x.y 1", "$-1", "none", D),
        (D, "JSON.MERGE k $..x 1", "-Err wrong static path", "none", D),
        (D, "JSON.MERGE k $.l[7] 1", "-ERR array index out of range", "none", D),
        (D, "JSON.MERGE k $.a x", "-expected value at line 1 column 1", "none", D),
        (
            r#"{"a":{"a":{"x":1}}}"#,
            r#"JSON.MERGE k $..a '{"a":{"x":null},"y":2}'"#,
            "+OK",
            "as sent",
            r#"{"a":{"a":{"x":1,"a":{},"y":2},"y":2}}"#,
        ),
    ] {
        let step = step(before, line);
        assert_eq!((step.0.as_str(), step.1.as_str()), (reply, effect), "{line}");
        if !line.contains("$..a '{") {
            assert_eq!(step.2, after, "{line}");
        }
    }
}

#[test]
fn depth_has_an_end() {
    const DEEP: usize = json::MAX_DEPTH;
    let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let mut stage = Stage::new();
    assert_eq!(set(&mut stage, "k", "$", &nest(DEEP)), "+OK");
    assert_eq!(get(&mut stage, "k"), nest(DEEP));
    let path = format!("${}", "[0]".repeat(DEEP - 1));
    assert_eq!(said(&mut stage, &format!("JSON.GET k {path}")), "[[]]");
    assert_eq!(said(&mut stage, &format!("JSON.TYPE k {path}")), "*1|array");
    let refused = set(&mut stage, "k", "$", &nest(DEEP + 1));
    assert!(refused.starts_with("-recursion limit exceeded at line"), "{refused}");
    assert_eq!(set(&mut stage, "k", &path, "[1]"), "+OK");
    assert_eq!(set(&mut stage, "k", &path, "[[1]]"), "-ERR recursion limit exceeded");
    assert_eq!(said(&mut stage, &format!("JSON.GET k {path}")), "[[1]]");
    let inner = nest(DEEP - 2).replacen("[]", r#"[{"a":1}]"#, 1);
    assert_eq!(set(&mut stage, "k", "$", &format!(r#"{{"a":1,"n":{inner}}}"#)), "+OK");
    assert_eq!(set(&mut stage, "k", "$..a", "[2]"), "$-1");
    assert_eq!(said(&mut stage, "JSON.GET k $..a"), "[[2],1]");
    assert_eq!(said(&mut stage, "JSON.MERGE k $..a [3]"), "$-1");
    assert_eq!(said(&mut stage, "JSON.GET k $..a"), "[[3],1]");
}

#[test]
fn memory_is_told() {
    let mut stage = Stage::new();
    set(&mut stage, "k", "$", r#"{"a":[1,2,3],"b":"x"}"#);
    let int = |stage: &mut Stage, line: &str| -> usize {
        stage.reply(line).trim_start_matches(':').parse().expect("an integer")
    };
    let text = int(&mut stage, "JSON.DEBUG MEMORY k");
    assert_eq!(stage.reply("JSON.DEBUG MEMORY k $"), format!("*1|:{text}"));
    assert!(int(&mut stage, "JSON.DEBUG MEMORY k a") > 0);
    assert_eq!(elements(&mut stage, "JSON.DEBUG MEMORY k $.*"), 2);
    let tree = int(&mut stage, "JSON.DEBUG MEMORY k");
    stage.ask("JSON.GET k");
    assert_eq!(int(&mut stage, "JSON.DEBUG MEMORY k"), tree, "one read of all is no habit");
    stage.ask("JSON.GET k");
    let both = int(&mut stage, "JSON.DEBUG MEMORY k");
    assert!(both > tree, "the text is kept beside the tree");
    stage.ask("JSON.SET k $.b 1");
    assert!(int(&mut stage, "JSON.DEBUG MEMORY k") < both, "and goes when it is true no more");
    assert_eq!(stage.reply("JSON.DEBUG MEMORY none"), ":0");
    assert_eq!(stage.reply("JSON.DEBUG MEMORY none $"), "*0");
    assert_eq!(stage.reply("JSON.DEBUG MEMORY k none"), "-ERR Path does not exist");
    assert_eq!(stage.reply("JSON.DEBUG x"), "-ERR unknown subcommand - try `JSON.DEBUG HELP`");
    assert!(stage.reply("JSON.DEBUG help").starts_with("*3|$"));
    assert!(stage.reply("JSON.DEBUG DEFRAG_INFO").starts_with("*6|$"));
}

fn elements(stage: &mut Stage, line: &str) -> usize {
    stage::elements(&stage.ask(line).reply).len()
}
