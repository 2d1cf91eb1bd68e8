//! Secondary indexes through commands: they follow every change, see what a transaction has
//! written, and are there after a restart.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use kvist_engine::Engine;
use testkit::folder::Folder;

use crate::data_dir;
use crate::test_client::{TestClient, engine};

const CREATE: &str = "FT.CREATE idx PREFIX 1 d: SCHEMA title TEXT SORTABLE tag TAG n NUMERIC";

/// A client of an engine with an index and three documents.
fn indexed() -> TestClient {
    let mut client = TestClient::new(&engine());
    fill(&mut client);
    client
}

/// A reply in one line.
fn ask(client: &mut TestClient, line: &str) -> String {
    client.ask(line).replace("\r\n", " ")
}

fn fill(client: &mut TestClient) {
    assert_eq!(ask(client, CREATE), "+OK");
    ask(client, "HSET d:1 title 'hello world' tag 'red,blue' n 1");
    ask(client, "HSET d:2 title 'hello again' tag red n 2");
    ask(client, "HSET d:3 title goodbye tag green n 3");
    ask(client, "HSET other:4 title hello tag red n 4");
}

/// The keys that match, in the order of their numbers.
fn found(client: &mut TestClient, query: &str) -> String {
    ask(client, &format!("FT.SEARCH idx '{query}' NOCONTENT SORTBY n"))
}

#[test]
fn documents_are_found() {
    let mut client = indexed();
    assert_eq!(found(&mut client, "hello"), "*3 :2 $3 d:1 $3 d:2");
    assert_eq!(found(&mut client, "@tag:{red}"), "*3 :2 $3 d:1 $3 d:2");
    assert_eq!(found(&mut client, "@n:[(1 3]"), "*3 :2 $3 d:2 $3 d:3");
    assert_eq!(found(&mut client, "hello -@tag:{blue}"), "*2 :1 $3 d:2");
    assert_eq!(found(&mut client, "*"), "*4 :3 $3 d:1 $3 d:2 $3 d:3");
    let one = ask(&mut client, "FT.SEARCH idx goodbye RETURN 2 title n");
    assert_eq!(one, "*3 :1 $3 d:3 *4 $5 title $7 goodbye $1 n $1 3");
    let groups = ask(
        &mut client,
        "FT.AGGREGATE idx * GROUPBY 1 @tag REDUCE COUNT 0 AS c REDUCE SUM 1 @n AS s \
         SORTBY 2 @s DESC LIMIT 0 1",
    );
    assert_eq!(groups, "*2 :3 *6 $3 tag $5 green $1 c $1 1 $1 s $1 3");
    let of_groups = ask(
        &mut client,
        "FT.AGGREGATE idx hello GROUPBY 0 REDUCE SUM 1 @n AS s APPLY '@s * 2' AS t \
         APPLY '@t + 1' AS u",
    );
    assert_eq!(of_groups, "*2 :2 *6 $1 s $1 3 $1 t $1 6 $1 u $1 7");
    // A pattern stands for all words like it, however many.
    for n in 0..300 {
        ask(&mut client, &format!("HSET d:many:{n} title lib{n}"));
    }
    assert_eq!(ask(&mut client, "FT.SEARCH idx lib* LIMIT 0 0"), "*1 :300");
    assert_eq!(ask(&mut client, "FT.SEARCH idx '\"hello world\" | lib1*' LIMIT 0 0"), "*1 :112");
    assert_eq!(ask(&mut client, "FT._LIST"), "*1 $3 idx");
    assert_eq!(ask(&mut client, "FT.TAGVALS idx tag"), "*3 $4 blue $5 green $3 red");
}

#[test]
fn indexes_follow_every_change() {
    let mut client = indexed();
    for (change, query, keys) in [
        ("HSET d:1 title bye", "hello", "*2 :1 $3 d:2"),
        ("HDEL d:2 title", "hello", "*1 :0"),
        ("RENAME other:4 d:4", "hello", "*2 :1 $3 d:4"),
        ("COPY d:4 d:5", "hello", "*3 :2 $3 d:4 $3 d:5"),
        ("RENAME d:4 gone:4", "hello", "*2 :1 $3 d:5"),
        ("SET d:5 text", "hello", "*1 :0"),
        ("DEL d:1", "*", "*3 :2 $3 d:2 $3 d:3"),
        ("UNLINK d:2 d:3", "*", "*1 :0"),
        ("HSET d:6 n 7", "@n:[7 7]", "*2 :1 $3 d:6"),
        ("HINCRBY d:6 n 1", "@n:[8 8]", "*2 :1 $3 d:6"),
        ("PEXPIRE d:6 -1", "*", "*1 :0"),
        ("HSET d:7 n 1", "*", "*2 :1 $3 d:7"),
        ("MOVE d:7 1", "*", "*1 :0"),
        // A bad value hides the whole document, until a good one comes.
        ("HSET d:8 n many title hello", "hello", "*1 :0"),
        ("HSET d:8 n 8", "hello", "*2 :1 $3 d:8"),
        (
            "EVAL \"redis.call('hset', 'd:9', 'title', 'hello', 'n', 9)\" 0",
            "hello",
            "*3 :2 $3 d:8 $3 d:9",
        ),
    ] {
        ask(&mut client, change);
        assert_eq!(found(&mut client, query), keys, "{change}");
    }
    assert_eq!(ask(&mut client, "SWAPDB 0 1"), "+OK");
    assert!(ask(&mut client, "FT.SEARCH idx *").starts_with("-idx: no such index"));
    ask(&mut client, "SWAPDB 0 1");
    assert_eq!(found(&mut client, "hello"), "*3 :2 $3 d:8 $3 d:9");
    ask(&mut client, "FLUSHDB");
    assert_eq!(ask(&mut client, "FT._LIST"), "*0");
    assert_eq!(ask(&mut client, CREATE), "+OK");
}

#[test]
fn transactions_and_scripts_see_their_own_writes() {
    let mut client = indexed();
    ask(&mut client, "MULTI");
    ask(&mut client, "HSET d:1 title changed");
    ask(&mut client, "FT.SEARCH idx changed NOCONTENT");
    ask(&mut client, "FT.SEARCH idx world NOCONTENT");
    assert_eq!(ask(&mut client, "EXEC"), "*3 :0 *2 :1 $3 d:1 *1 :0");
    let script = "EVAL \"redis.call('hset', 'd:2', 'title', 'scripted') \
                  return redis.call('ft.search', 'idx', 'scripted', 'NOCONTENT')\" 0";
    assert_eq!(ask(&mut client, script), "*2 :1 $3 d:2");
    ask(&mut client, "MULTI");
    ask(&mut client, "FT.CREATE two PREFIX 1 d: SCHEMA n NUMERIC");
    ask(&mut client, "FT.SEARCH two * NOCONTENT LIMIT 0 0");
    assert_eq!(ask(&mut client, "EXEC"), "*2 +OK *1 :3");
}

#[test]
fn what_was_there_is_indexed() {
    let mut client = TestClient::new(&engine());
    ask(&mut client, "HSET d:1 title 'hello world' n 1");
    ask(
        &mut client,
        "JSON.SET j:1 $ '{\"title\":\"hello json\",\"tags\":[\"a,b\",\"c\"],\"n\":[1,5]}'",
    );
    assert_eq!(ask(&mut client, CREATE), "+OK");
    let create = "FT.CREATE j ON JSON PREFIX 1 j: SCHEMA $.title AS title TEXT \
                  $.tags[*] AS tag TAG $.n[*] AS n NUMERIC";
    assert_eq!(ask(&mut client, create), "+OK");
    assert_eq!(found(&mut client, "hello"), "*2 :1 $3 d:1");
    assert_eq!(ask(&mut client, "FT.SEARCH j @tag:{a\\,b} NOCONTENT"), "*2 :1 $3 j:1");
    assert_eq!(
        ask(&mut client, "FT.SEARCH j '@n:[5 5]' RETURN 1 title"),
        "*3 :1 $3 j:1 *2 $5 title $10 hello json"
    );
    ask(&mut client, "JSON.SET j:1 $.title '\"other\"'");
    assert_eq!(ask(&mut client, "FT.SEARCH j hello NOCONTENT"), "*1 :0");
    assert_eq!(ask(&mut client, "FT.DROPINDEX j DD"), "+OK");
    assert_eq!(ask(&mut client, "EXISTS j:1 d:1"), ":1");
}

#[test]
fn names_are_kept_apart() {
    let mut client = indexed();
    for (line, reply) in [
        (CREATE, "-Index already exists"),
        ("FT.ALIASADD a idx", "+OK"),
        ("FT.ALIASADD a idx", "-Alias already exists"),
        ("FT.SEARCH a goodbye NOCONTENT", "*2 :1 $3 d:3"),
        ("FT.ALIASDEL b", "-Alias does not exist"),
        ("FT.ALTER a SCHEMA ADD extra NUMERIC", "+OK"),
        ("HSET d:3 extra 9", ":1"),
        ("FT.SEARCH a '@extra:[9 9]' NOCONTENT", "*2 :1 $3 d:3"),
        ("FT.SEARCH a 'hello' NOCONTENT LIMIT 0 0", "*1 :2"),
        ("FT.INFO nothing", "-Unknown index name"),
        ("FT.SEARCH nothing x", "-nothing: no such index"),
        ("FT.DICTADD d one two one", ":2"),
        ("FT.DICTDUMP d", "*2 $3 one $3 two"),
        ("FT.DICTDEL d one", ":1"),
        ("FT.DROPINDEX a", "+OK"),
        ("FT.DROPINDEX a", "-Unknown index name"),
        ("FT._DROPINDEXIFX a", "+OK"),
        ("FT.CREATE x SCHEMA", "-Fields arguments are missing"),
        ("EXISTS d:1", ":1"),
    ] {
        assert_eq!(ask(&mut client, line), reply, "{line}");
    }
}

fn open(dir: &Path) -> Arc<Engine> {
    data_dir::open(dir, "appendonly yes\nsave \"\"").unwrap().0
}

#[test]
fn indexes_are_there_after_a_restart() {
    let folder = Folder::new("search");
    let mut engine = open(folder.path());
    let mut client = TestClient::new(&engine);
    fill(&mut client);
    ask(&mut client, "FT.ALIASADD a idx");
    ask(&mut client, "FT.DICTADD words one");
    ask(&mut client, "FT.SYNUPDATE idx g goodbye farewell");
    ask(&mut client, "FT.CREATE gone SCHEMA x TEXT");
    ask(&mut client, "FT.DROPINDEX gone");
    for saved in [false, true, false] {
        if saved {
            assert_eq!(ask(&mut client, "SAVE"), "+OK");
            ask(&mut client, "HSET d:9 title hello n 9");
        }
        drop(client);
        engine.close().unwrap();
        drop(engine);
        engine = open(folder.path());
        client = TestClient::new(&engine);
        assert_eq!(ask(&mut client, "FT._LIST"), "*1 $3 idx");
        let hello = if ask(&mut client, "EXISTS d:9") == ":1" {
            "*4 :3 $3 d:1 $3 d:2 $3 d:9"
        } else {
            "*3 :2 $3 d:1 $3 d:2"
        };
        assert_eq!(found(&mut client, "hello"), hello);
        assert_eq!(ask(&mut client, "FT.SEARCH a farewell NOCONTENT"), "*2 :1 $3 d:3");
        assert_eq!(ask(&mut client, "FT.DICTDUMP words"), "*1 $3 one");
        ask(&mut client, "HSET d:3 n 30");
        assert_eq!(found(&mut client, "@n:[30 30]"), "*2 :1 $3 d:3");
    }
    ask(&mut client, "FLUSHALL");
    engine.close().unwrap();
    drop((client, engine));
    let mut client = TestClient::new(&open(folder.path()));
    assert_eq!(ask(&mut client, "FT._LIST"), "*0");
}

#[test]
fn rows_of_cursors_come_part_by_part() {
    let mut client = indexed();
    let first = ask(&mut client, "FT.AGGREGATE idx * LOAD 1 @n SORTBY 2 @n ASC WITHCURSOR COUNT 2");
    let (rows, cursor) = first.rsplit_once(" :").unwrap();
    assert_eq!(rows, "*2 *3 :3 *2 $1 n $1 1 *2 $1 n $1 2");
    let rest = ask(&mut client, &format!("FT.CURSOR READ idx {cursor}"));
    assert_eq!(rest, "*2 *2 :0 *2 $1 n $1 3 :0");
    assert_eq!(ask(&mut client, &format!("FT.CURSOR READ idx {cursor}")), "-Cursor not found");
    assert_eq!(ask(&mut client, &format!("FT.CURSOR DEL idx {cursor}")), "-Cursor does not exist");
    // They go with their index, and one of the same name does not know them.
    let first = ask(&mut client, "FT.AGGREGATE idx * WITHCURSOR COUNT 1");
    let (_, cursor) = first.rsplit_once(" :").unwrap();
    assert_eq!(ask(&mut client, "FT.DROPINDEX idx"), "+OK");
    assert_eq!(ask(&mut client, CREATE), "+OK");
    assert_eq!(ask(&mut client, &format!("FT.CURSOR READ idx {cursor}")), "-Cursor not found");
}

#[test]
fn users_find_what_they_may_read() {
    let mut client = indexed();
    ask(&mut client, "ACL SETUSER some on nopass +@all %R~d:2 %R~d:3");
    assert_eq!(ask(&mut client, "AUTH some x"), "+OK");
    assert_eq!(found(&mut client, "*"), "*3 :2 $3 d:2 $3 d:3");
    assert_eq!(ask(&mut client, "FT.SEARCH idx * LIMIT 0 0"), "*1 :2");
    assert_eq!(ask(&mut client, "FT.SEARCH idx hello NOCONTENT LIMIT 0 1"), "*2 :1 $3 d:2");
    let count = "FT.AGGREGATE idx * GROUPBY 0 REDUCE COUNT 0 AS c";
    assert_eq!(ask(&mut client, count), "*2 :2 *2 $1 c $1 2");
    assert_eq!(ask(&mut client, "FT.SEARCH idx * INKEYS 2 d:1 d:2 NOCONTENT"), "*2 :1 $3 d:2");
}

/// Rows are found without the locks of their documents: what is answered matches all the same.
#[test]
fn rows_match_while_others_write() {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let engine = engine();
    let mut client = TestClient::new(&engine);
    ask(&mut client, CREATE);
    let key = |n: usize| format!("d:{n}");
    (0..200).for_each(|n| drop(ask(&mut client, &format!("HSET {} tag even n 0", key(n)))));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (engine, stop) = (&engine, &stop);
        scope.spawn(move || {
            let mut writer = TestClient::new(engine);
            for round in 1.. {
                for n in 0..200 {
                    let tag = if round % 2 == 0 { "even" } else { "odd" };
                    ask(&mut writer, &format!("HSET {} tag {tag} n {round}", key(n)));
                    if stop.load(Relaxed) {
                        return;
                    }
                }
            }
        });
        for _ in 0..300 {
            let query = "FT.SEARCH idx @tag:{even} RETURN 1 tag LIMIT 0 200";
            assert!(!ask(&mut client, query).contains("odd"));
            let query = "FT.AGGREGATE idx @tag:{odd} LOAD 1 @tag GROUPBY 1 @tag REDUCE COUNT 0";
            assert!(!ask(&mut client, query).contains("even"));
        }
        stop.store(true, Relaxed);
    });
}

/// What FT.CHECK says of an index without faults.
fn sound(documents: usize) -> String {
    format!(
        "*10 $9 documents :{documents} $7 missing :0 $5 stale :0 $9 different :0 $7 example $-1"
    )
}

#[test]
fn indexes_are_what_their_documents_make_of_them() {
    let mut client = indexed();
    let json = "FT.CREATE j ON JSON PREFIX 1 j: FILTER '@n > 1' SCHEMA $.t AS t TEXT $.n AS n \
                NUMERIC $.g[*] AS g TAG INDEXMISSING $.v AS v VECTOR FLAT 6 TYPE FLOAT32 DIM 2 \
                DISTANCE_METRIC L2";
    assert_eq!(ask(&mut client, json), "+OK");
    for n in 0..5 {
        ask(
            &mut client,
            &format!(
                "JSON.SET j:{n} $ '{{\"t\":\"the runners ran\",\"n\":{n},\"g\":[\"a\",\"b\"],\
                 \"v\":[1,{n}]}}'"
            ),
        );
    }
    ask(&mut client, "JSON.DEL j:4 $.g");
    ask(&mut client, "HSET d:bad n none");
    assert_eq!(ask(&mut client, "FT.CHECK idx"), sound(3));
    assert_eq!(ask(&mut client, "FT.CHECK j"), sound(3));
    for change in ["DEL d:1", "RENAME d:2 d:9", "COPY d:9 d:10", "JSON.NUMINCRBY j:0 $.n 5"] {
        ask(&mut client, change);
    }
    assert_eq!(ask(&mut client, "FT.CHECK idx"), sound(3));
    assert_eq!(ask(&mut client, "FT.CHECK j"), sound(4));
    ask(&mut client, "MULTI");
    ask(&mut client, "HSET d:11 n 1");
    ask(&mut client, "FT.CHECK idx");
    assert_eq!(ask(&mut client, "EXEC"), format!("*2 :1 {}", sound(4)));
}

#[test]
fn misspelt_words_are_told() {
    let mut client = TestClient::new(&engine());
    ask(&mut client, "FT.CREATE i SCHEMA f1 TEXT f2 TEXT");
    ask(&mut client, "HSET 1 f1 'some valid content' f2 'this is sample text'");
    ask(&mut client, "HSET 2 f1 'very important' f2 'lorem ipsum'");
    ask(&mut client, "FT.DICTADD dict lore lorem lorm");
    for (line, reply) in [
        ("FT.SPELLCHECK i impornant", "*1 *3 $4 TERM $9 impornant *1 *2 $3 0.5 $9 important"),
        ("FT.SPELLCHECK i 'valid vlis'", "*1 *3 $4 TERM $4 vlis *0"),
        ("FT.SPELLCHECK i vlis DISTANCE 2", "*1 *3 $4 TERM $4 vlis *1 *2 $3 0.5 $5 valid"),
        (
            "FT.SPELLCHECK i lorm TERMS INCLUDE dict",
            "*1 *3 $4 TERM $4 lorm *3 *2 $3 0.5 $5 lorem *2 $1 0 $4 lore *2 $1 0 $4 lorm",
        ),
        ("FT.SPELLCHECK i lorm TERMS EXCLUDE dict", "*0"),
        ("FT.SPELLCHECK i x TERMS EXCLUDE none", "-Dict does not exist: none"),
        ("FT.SPELLCHECK none x", "-none: no such index"),
    ] {
        assert_eq!(ask(&mut client, line), reply, "{line}");
    }
}

#[test]
fn settings_have_the_names_of_redisearch() {
    let mut client = indexed();
    for (line, reply) in [
        ("FT.CONFIG GET timeout", "*1 *2 $7 TIMEOUT $1 0"),
        ("FT.CONFIG SET TIMEOUT 100", "+OK"),
        ("CONFIG GET search-timeout", "*2 $14 search-timeout $3 100"),
        ("FT.CONFIG SET TIMEOUT null", "-Could not convert argument to expected type"),
        ("FT.CONFIG SET MINPREFIX 1", "-Not modifiable at runtime"),
        ("FT.CONFIG GET nothing", "-Invalid option"),
        // In the first dialect an optional word applies to what follows.
        ("FT.SEARCH idx '-red goodbye' NOCONTENT LIMIT 0 0", "*1 :3"),
        ("CONFIG SET search-default-dialect 2", "+OK"),
        ("FT.SEARCH idx '-red goodbye' NOCONTENT LIMIT 0 0", "*1 :1"),
    ] {
        assert_eq!(ask(&mut client, line), reply, "{line}");
    }
}

/// A query that takes long gives writers of its index their turn.
#[test]
fn writers_go_on_beside_a_long_query() {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    let engine = engine();
    let mut client = TestClient::new(&engine);
    ask(&mut client, CREATE);
    let rows = 30_000;
    for n in 0..rows {
        ask(&mut client, &format!("HSET d:{n} title 'word{} same' n {n}", n % 100));
    }
    let (written, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let written_beside = std::thread::scope(|scope| {
        let (engine, written, done) = (&engine, &written, &done);
        scope.spawn(move || {
            let mut writer = TestClient::new(engine);
            for n in (0..rows).cycle() {
                ask(&mut writer, &format!("HSET d:{n} n {n}"));
                written.fetch_add(1, Relaxed);
                if done.load(Relaxed) {
                    break;
                }
            }
        });
        while written.load(Relaxed) == 0 {
            std::thread::yield_now();
        }
        let before = written.load(Relaxed);
        // Each row is visited, and found once, whatever is written to it meanwhile.
        let count = ask(&mut client, "FT.SEARCH idx 'same -@n:[5 5]' SORTBY n LIMIT 0 0");
        assert_eq!(count, format!("*1 :{}", rows - 1));
        let beside = written.load(Relaxed) - before;
        done.store(true, Relaxed);
        beside
    });
    assert!(written_beside > 3, "{written_beside} writes beside a query of all rows");
}

#[test]
fn who_may_not_read_all_documents_learns_nothing_of_the_whole() {
    const NO: &str = "-NOPERM User does not have the required permissions to query the index";
    let mut client = indexed();
    ask(&mut client, "ACL SETUSER some on nopass +@all %R~d:2 %RW~other:*");
    ask(&mut client, "ACL SETUSER all on nopass +@all %R~d:* -del");
    assert_eq!(ask(&mut client, "AUTH some x"), "+OK");
    for line in [
        "FT.TAGVALS idx tag",
        "FT.SPELLCHECK idx helo",
        "FT.INFO idx",
        "FT.CHECK idx",
        "FT.DROPINDEX idx",
        "FT._DROPINDEXIFX idx",
        "FT.ALTER idx SCHEMA ADD x TEXT",
        "FT.SYNUPDATE idx g a b",
        "FT.ALIASADD a idx",
        "FT.CREATE all SCHEMA x TEXT",
        "FT.CREATE those PREFIX 2 other: d: SCHEMA x TEXT",
    ] {
        assert_eq!(ask(&mut client, line), NO, "{line}");
    }
    assert_eq!(ask(&mut client, "FT.CREATE o PREFIX 1 other:x SCHEMA x TEXT"), "+OK");
    assert_eq!(ask(&mut client, "FT.DROPINDEX o DD"), "+OK");
    assert_eq!(ask(&mut client, "AUTH all x"), "+OK");
    assert_eq!(ask(&mut client, "FT.TAGVALS idx tag"), "*3 $4 blue $5 green $3 red");
    assert_eq!(ask(&mut client, "FT.DROPINDEX idx DD"), NO);
    assert_eq!(ask(&mut client, "FT.SEARCH idx * LIMIT 0 0"), "*1 :3");
    assert_eq!(ask(&mut client, "FT.DROPINDEX idx"), "+OK");
    assert_eq!(ask(&mut client, "EXISTS d:1 d:2 d:3"), ":3");
}

/// Long requests are refused or end by their time; nothing in them costs its square.
#[test]
fn long_requests_end_in_time() {
    let mut client = indexed();
    for n in 0..3000 {
        ask(&mut client, &format!("HSET d:{n} title 'common w{n}' n {n}"));
    }
    let words: Vec<String> = (0..5000).map(|n| format!("s{n}")).collect();
    assert_eq!(ask(&mut client, &format!("FT.SYNUPDATE idx g common {}", words.join(" "))), "+OK");
    let started = std::time::Instant::now();
    assert_eq!(ask(&mut client, "FT.SEARCH idx s1 LIMIT 0 0"), "*1 :3000");
    let sums = "1+".repeat(20_000);
    for line in [
        format!("FT.AGGREGATE idx * APPLY '{sums}1' AS x LIMIT 0 1 TIMEOUT 100"),
        format!("FT.SEARCH idx '{}' LIMIT 0 0 TIMEOUT 100", "common ".repeat(20_000)),
        format!("FT.SEARCH idx '{}' LIMIT 0 0 TIMEOUT 100", "*w*|".repeat(3000)),
    ] {
        let reply = ask(&mut client, &line);
        let known = ["-Timeout limit", "*1 :", "*2 :", "-Syntax error"];
        assert!(known.iter().any(|begin| reply.starts_with(begin)), "{reply:.200}");
    }
    let names: Vec<String> = (0..20_000).map(|n| format!("f{n}")).collect();
    let loads = format!("FT.AGGREGATE idx * LOAD 20000 {} LIMIT 0 5", names.join(" "));
    assert!(ask(&mut client, &loads).starts_with("*6 :3000"));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
