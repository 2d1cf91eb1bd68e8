//! Projects: all that happens to values, and what is asked and done by FOLIO.* commands.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use kvist_engine::Engine;
#[cfg(debug_assertions)]
use kvist_engine::State;
use kvist_engine::persistence::Reason;
use rdb::Value;
use testkit::folder::Folder;

use crate::data_dir;
use crate::graphs::nothing_left;
#[cfg(debug_assertions)]
use crate::graphs::{held_up, told};
use crate::test_client::{TestClient, engine, engine_with};

fn ask(client: &mut TestClient, line: &str) -> String {
    client.ask(line).replace("\r\n", " ")
}

/// Asks some lines; a reply that ends with `…` is the beginning of one.
#[track_caller]
fn check(client: &mut TestClient, asked: &[(&str, &str)]) {
    for (line, reply) in asked {
        let given = ask(client, line);
        match reply.strip_suffix('…') {
            Some(start) => assert!(given.starts_with(start), "{line}: {given}"),
            None => assert_eq!(given, *reply, "{line}"),
        }
    }
}

/// The moment at which clients of these tests ask first: `mod` of what they commit.
const MAKE: &str = "FOLIO.COMMIT p ADD '{id:@a dis:\"Main\" site area:50ft²}' ADD '[{id:@b \
                    dis:\"AHU\" equip siteRef:@a}, {id:@c dis:\"Old\" equip trash siteRef:@a}]'";

fn made(engine: &Arc<Engine>) -> TestClient {
    let mut client = TestClient::new(engine);
    client.worker.begin(1_700_000_000_000);
    check(&mut client, &[("FOLIO.OPEN p", "+OK"), (MAKE, "*3 *6 $2 id $2 @a $3 mod…")]);
    client
}

fn count(client: &mut TestClient, key: &str, filter: &str) -> String {
    client.ask(&format!("FOLIO.COUNT {key} {filter}"))
}

/// One that has read this directory.
fn open(dir: &Path, lines: &str) -> Arc<Engine> {
    data_dir::open(dir, lines).unwrap().0
}

#[test]
fn records_are_added_read_changed_and_removed() {
    let mut client = made(&engine());
    let main = "*10 $2 id $9 @a \"Main\" $4 area $6 50ft² $3 dis $6 \"Main\" $4 site $1 M $3 mod \
                $24 2023-11-14T22:13:20Z UTC";
    let zinc = "$80 ver:\"3.0\"\nid,dis,equip,siteRef,mod\n@b \"AHU\",\"AHU\",M,@a,\
                2023-11-14T22:13:20Z UTC";
    check(
        &mut client,
        &[
            ("FOLIO.OPEN p", "+OK"),
            ("FOLIO.READBYID p a", main),
            ("FOLIO.READBYID p @a", main),
            ("FOLIO.READ p site", main),
            ("FOLIO.READALL p site", &format!("*1 {main}")),
            ("FOLIO.READALL p siteRef->site FORMAT zinc", zinc),
            ("FOLIO.COUNT p id", ":2"),
            ("FOLIO.COUNT p equip", ":1"),
            ("FOLIO.COUNT p equip TRASH", ":1"),
            ("FOLIO.COUNT p id LIMIT 1", ":1"),
            ("FOLIO.COUNT p id SEARCH main", ":1"),
            ("FOLIO.READBYID p c", "-UnknownRecErr c"),
            ("FOLIO.READBYID p c UNCHECKED", "$-1"),
            ("FOLIO.READBYID p c TRASH", "*12 $2 id $8 @c \"Old\"…"),
            ("FOLIO.READBYIDS p 3 b nowhere a UNCHECKED", "*3 *10 $2 id $8 @b \"AHU\"…"),
            ("FOLIO.READBYIDS p 2 b nowhere", "-UnknownRecErr nowhere"),
            ("FOLIO.READ p point", "-UnknownRecErr point"),
            ("FOLIO.READ p point UNCHECKED", "$-1"),
            ("FOLIO.READALL p 'site and'", "-ParseErr Expected a tag…"),
            ("FOLIO.READALL p id LIMIT 0", "*0"),
            ("FOLIO.READALL p id LIMIT -1", "-ERR syntax error"),
            ("FOLIO.READALL p id FORMAT yaml", "-ERR the formats are zinc, hayson, json…"),
            ("FOLIO.READALL none id", "-ERR no such project: FOLIO.OPEN makes one"),
            ("FOLIO.READBYIDS p 1 a PERSISTENT", "-ERR syntax error"),
            ("FOLIO.COMMIT none ADD {id:@a}", "-ERR no such project: FOLIO.OPEN makes one"),
            ("FOLIO.EXPLAIN p 'site and area > 1ft²'", "*4 $7 tagScan…"),
            ("FOLIO.LIST", "*1 $1 p"),
            ("FOLIO.EMPTYTRASH p", ":1"),
            ("FOLIO.EMPTYTRASH p", ":0"),
            (
                "FOLIO.INFO p",
                "*16 $7 records :2 $5 trash :0 $7 version :3 $6 points :0 $9 histories :0…",
            ),
        ],
    );
    assert_eq!(ask(&mut client, "FOLIO.READALL p site").len(), main.len() + 3);
    // What two clients have read, the first one changes.
    let update = "FOLIO.COMMIT p UPDATE '{id:@a mod:2023-11-14T22:13:20Z UTC area:60ft² site:R}'";
    check(
        &mut client,
        &[
            (update, "*1 *8 $2 id $2 @a $6 oldMod $24 2023-11-14T22:13:20Z UTC $3 mod…"),
            (update, "-ConcurrentChangeErr a: it has changed since it was read"),
            ("FOLIO.COUNT p 'area == 60ft² and not site'", ":1"),
            ("FOLIO.COMMIT p FORCE UPDATE '{id:@a site}'", "*1 *8…"),
            ("FOLIO.COMMIT p UPDATE '{id:@x}'", "-CommitErr Record not found: x"),
            ("FOLIO.COMMIT p ADD '{id:@a}'", "-CommitErr Record already exists: a"),
            (
                "FOLIO.COMMIT p UPDATE '{site}'",
                "-DiffErr A record to be changed needs its tag 'id'",
            ),
            ("FOLIO.COMMIT p FORCE UPDATE '{id:@a hisSize:1}'", "-DiffErr Cannot set tag: hisSize"),
            (
                "FOLIO.COMMIT p FORCE UPDATE '{id:@a ext}'",
                "-DiffErr Cannot set restricted tag: ext",
            ),
            ("FOLIO.COMMIT p FORCE BYPASSRESTRICTED UPDATE '{id:@a ext}'", "*1…"),
            ("FOLIO.COMMIT p ADD '{id:@d}' FORCE", "-ERR syntax error"),
            ("FOLIO.COMMIT p", "-ERR wrong number of arguments for 'folio.commit' command"),
            ("FOLIO.COMMIT p FORCE FORCE", "-ERR syntax error"),
            ("FOLIO.COMMIT p ADD 5", "-ParseErr…"),
            ("FOLIO.COMMIT p ADD []", "-DiffErr No diffs"),
            // All or none.
            ("FOLIO.COMMIT p ADD '{id:@e}' UPDATE '{id:@x}'", "-CommitErr Record not found: x"),
            ("FOLIO.READBYID p e", "-UnknownRecErr e"),
            // An id is drawn.
            ("FOLIO.COMMIT p ADD '{dis:\"New\"}'", "*1 *6 $2 id $26 @…"),
            ("FOLIO.COUNT p 'dis == \"New\"'", ":1"),
            ("FOLIO.COMMIT p FORCE REMOVE {id:@a}", "*1 *6 $2 id $2 @a $6 oldMod…"),
            ("FOLIO.COUNT p siteRef->site", ":0"),
        ],
    );
}

#[test]
fn transient_tags_are_a_layer_of_their_own() {
    let mut client = made(&engine());
    check(
        &mut client,
        &[
            ("FOLIO.COMMIT p TRANSIENT FORCE UPDATE '{id:@a curVal:5kW}'", "*1…"),
            ("FOLIO.READBYID p a TRANSIENT", "*4 $2 id $9 @a \"Main\" $6 curVal $3 5kW"),
            ("FOLIO.READBYID p a PERSISTENT", "*10 $2 id $9 @a \"Main\" $4 area…"),
            ("FOLIO.READBYID p a", "*12…"),
            (
                "FOLIO.COMMIT p FORCE UPDATE '{id:@a curVal:5kW}'",
                "-DiffErr Cannot set tag persistently: curVal",
            ),
            (
                "FOLIO.COMMIT p TRANSIENT FORCE UPDATE '{id:@a area:1}'",
                "-CommitErr Tag 'area' of a is persistent",
            ),
            (
                "FOLIO.COMMIT p TRANSIENT ADD '{id:@z}'",
                "-DiffErr A record is neither made nor removed transiently",
            ),
        ],
    );
}

#[test]
fn every_format_comes_back() {
    let mut client = made(&engine());
    let mut formats =
        vec![("zinc", true), ("hayson", true), ("json", true), ("trio", true), ("csv", false)];
    client.ask("HELLO 3");
    for (format, is_lossless) in formats.drain(..) {
        let text = |client: &mut TestClient, key: &str| {
            let mut out = Vec::new();
            let words: [&[u8]; 6] =
                [b"FOLIO.READALL", key.as_bytes(), b"id", b"SORT", b"FORMAT", format.as_bytes()];
            client.worker.execute(&mut client.session, &words, &mut out);
            let at = out.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            out[at..out.len() - 2].to_vec()
        };
        let given = text(&mut client, "p");
        let key = format!("of-{format}");
        client.ask(&format!("FOLIO.OPEN {key}"));
        let mut out = Vec::new();
        let words: [&[u8]; 6] =
            [b"FOLIO.COMMIT", key.as_bytes(), b"FORMAT", format.as_bytes(), b"ADD", &given];
        client.worker.execute(&mut client.session, &words, &mut out);
        let said = String::from_utf8_lossy(&out);
        // CSV says of a ref no more than what it is called.
        assert_eq!(said.starts_with("*2"), is_lossless, "{format}: {said}");
        if is_lossless {
            assert_eq!(text(&mut client, &key), given, "{format}");
        }
    }
}

#[test]
fn columns_are_a_format_of_replies() {
    let mut client = made(&engine());
    let point = "FOLIO.COMMIT p ADD '{id:@t point his tz:\"UTC\" kind:\"Number\"}'";
    let items = "'[{ts:2024-01-01T00:00:00Z UTC val:1},{ts:2024-01-02T00:00:00Z UTC val:NA}]'";
    check(
        &mut client,
        &[
            (point, "*1…"),
            (&format!("FOLIO.HIS.WRITE p t {items}"), "*6 $5 count :2…"),
            ("FOLIO.READALL p id FORMAT columns", "$464 KHC1…"),
            ("FOLIO.READALL p nothing FORMAT columns", "$24 KHC1…"),
            ("FOLIO.READ p site FORMAT columns", "$134 KHC1…"),
            ("FOLIO.READ p nothing UNCHECKED FORMAT columns", "$-1"),
            ("FOLIO.READBYID p a FORMAT COLUMNS", "$134 KHC1…"),
            ("FOLIO.READBYIDS p 2 nowhere b UNCHECKED FORMAT columns", "$132 KHC1…"),
            ("FOLIO.HIS.READ p t FORMAT columns", "$77 KHC1…"),
            (
                "FOLIO.COMMIT p FORMAT columns ADD {id:@x}",
                "-ERR columns are a format of replies alone",
            ),
            ("FOLIO.HIS.WRITE p t FORMAT columns []", "-ERR columns are a format of replies alone"),
        ],
    );
}

#[test]
fn histories_are_written_read_and_cleared() {
    let mut client = made(&engine());
    let items = "'ver:\"3.0\"\nts,val\n2024-01-01T00:00:00Z UTC,1kW\n2024-01-01T00:01:00Z UTC,2\n\
                 2024-01-02T00:00:00Z UTC,NA\n'";
    let items = items.replace('\n', "\\n").replace('\'', "\"").replace("\"3.0\"", "\\\"3.0\\\"");
    let point = "FOLIO.COMMIT p ADD '{id:@t point his tz:\"UTC\" kind:\"Number\" unit:\"kW\"}'";
    let first = "*2 $24 2024-01-01T00:00:00Z UTC $3 1kW";
    let second = "*2 $24 2024-01-01T00:01:00Z UTC $3 2kW";
    check(
        &mut client,
        &[
            (point, "*1…"),
            (
                &format!("FOLIO.HIS.WRITE p t {items}"),
                "*6 $5 count :3 $5 start $24 2024-01-01T00:00:00Z UTC $3 end $24 \
                 2024-01-02T00:00:00Z UTC",
            ),
            (
                "FOLIO.HIS.READ p @t",
                &format!("*3 {first} {second} *2 $24 2024-01-02T00:00:00Z UTC $2 NA"),
            ),
            ("FOLIO.HIS.READ p t RANGE 2024-01-01 2024-01-02", &format!("*2 {first} {second}")),
            ("FOLIO.HIS.READ p t RANGE - '2024-01-01T00:01:00Z UTC'", &format!("*1 {first}")),
            ("FOLIO.HIS.READ p t LIMIT 1", &format!("*1 {first}")),
            ("FOLIO.HIS.READ p t CLIPFUTURE", "*0"),
            (
                "FOLIO.HIS.READ p t LIMIT 1 FORMAT zinc",
                "$52 ver:\"3.0\" id:@t\nts,val\n2024-01-01T00:00:00Z UTC,1kW",
            ),
            ("FOLIO.READBYID p t TRANSIENT", "*12 $2 id…"),
            ("FOLIO.HIS.WRITE p t '{ts:2024-01-01T00:00:00Z UTC val:5kW}'", "*6 $5 count :1…"),
            ("FOLIO.HIS.WRITE p t '{ts:2024-01-01T00:01:00Z UTC val:R}'", "*6 $5 count :1…"),
            ("FOLIO.HIS.READ p t LIMIT 1", "*1 *2 $24 2024-01-01T00:00:00Z UTC $3 5kW"),
            (
                "FOLIO.HIS.WRITE p t '{ts:2024-01-01T00:00:00Z UTC val:5m}'",
                "-HisWriteErr Mismatched unit…",
            ),
            (
                "FOLIO.HIS.WRITE p t '{ts:2024-01-01T01:00:00+01:00 Berlin val:5}'",
                "-HisWriteErr Mismatched timezone…",
            ),
            ("FOLIO.HIS.WRITE p t '{ts:2024-01-01 val:5}'", "-HisWriteErr An item has…"),
            ("FOLIO.HIS.WRITE p a '{ts:2024-01-01T00:00:00Z UTC val:5}'", "-HisConfigErr…"),
            ("FOLIO.HIS.WRITE p nowhere '{}'", "-UnknownRecErr nowhere"),
            ("FOLIO.HIS.READ p t RANGE today +", "-ERR an instant is…"),
            ("FOLIO.COMMIT p FORCE UPDATE '{id:@t unit:\"W\" tz:\"Berlin\"}'", "*1…"),
            ("FOLIO.HIS.READ p t LIMIT 1", "*1 *2 $32 2024-01-01T01:00:00+01:00 Berlin $2 5W"),
            ("FOLIO.HIS.CLEAR p t RANGE 2024-01-01 '2024-01-01T12:00:00Z UTC'", ":1"),
            ("FOLIO.HIS.CLEAR p t", ":1"),
            ("FOLIO.HIS.CLEAR p t", ":0"),
            ("FOLIO.HIS.READ p t", "*0"),
        ],
    );
    // A long one is written on a fork, and read from a version; all or nothing.
    let many = (0..3000).fold(String::new(), |mut text, n| {
        let _ = write!(
            text,
            "{{ts:2024-01-01T{:02}:{:02}:00+01:00 Berlin val:{n}}},",
            n / 60 % 24,
            n % 60
        );
        text
    });
    let many = many.trim_end_matches(',');
    let bad = format!("FOLIO.HIS.WRITE p t '[{many},{{ts:2024-01-01T00:00:00Z UTC val:1}}]'");
    assert!(client.ask(&bad).starts_with("-HisWriteErr"));
    assert_eq!(client.ask("FOLIO.HIS.READ p t"), "*0");
    let written = client.ask(&format!("FOLIO.HIS.WRITE p t '[{many}]'"));
    assert!(written.starts_with("*6\r\n$5\r\ncount\r\n:1440"), "{written}");
    assert!(client.ask("FOLIO.HIS.READ p t").starts_with("*1440\r\n"));
    nothing_left(&mut client);
}

#[test]
fn samples_of_several_points_are_written_all_or_none() {
    let mut client = made(&engine());
    let point = "point his tz:\"UTC\" kind:\"Number\"";
    let points = format!("FOLIO.COMMIT p ADD '[{{id:@x {point}}},{{id:@y {point}}}]'");
    let opened = client.ask("FOLIO.WATCH.OPEN p chart");
    let watch = opened.rsplit("\r\n").next().unwrap().to_owned();
    let poll = format!("FOLIO.WATCH.POLL p {watch}");
    client.ask(&format!("FOLIO.WATCH.ADD p {watch} x y"));
    let item = |id: &str, minute: usize, val: &str| {
        format!(
            "{{id:@{id} ts:2024-01-01T{:02}:{:02}:00Z UTC val:{val}}}",
            minute / 60,
            minute % 60
        )
    };
    let all = |items: &[String]| format!("FOLIO.HIS.WRITEALL p '[{}]'", items.join(","));
    let good = [item("x", 1, "1"), item("y", 0, "2"), item("x", 0, "3")];
    let with = |bad: String| all(&[&good[..], &[bad]].concat());
    let one = |id: &str, count: usize, end: usize| {
        format!(
            "*8 $2 id $2 @{id} $5 count :{count} $5 start $24 2024-01-01T00:00:00Z UTC $3 end $24 \
             2024-01-01T00:{end:02}:00Z UTC"
        )
    };
    check(
        &mut client,
        &[
            (&points, "*2…"),
            (&poll, "*2 $1 x $1 y"),
            (&with(item("y", 3, "5m")), "-HisWriteErr Mismatched unit…"),
            (&with(item("a", 3, "5")), "-HisConfigErr…"),
            (&with(item("nowhere", 3, "5")), "-UnknownRecErr nowhere"),
            (
                &with("{ts:2024-01-01T00:00:00Z UTC val:1}".to_owned()),
                "-HisWriteErr An item has a Ref…",
            ),
            (&with("{id:@x val:1}".to_owned()), "-HisWriteErr An item has a DateTime…"),
            ("FOLIO.HIS.WRITEALL p {", "-ParseErr…"),
            ("FOLIO.HIS.WRITEALL none []", "-ERR no such project…"),
            ("FOLIO.HIS.READ p x", "*0"),
            ("FOLIO.HIS.READ p y", "*0"),
            ("FOLIO.HIS.WRITEALL p []", "*0"),
            (&poll, "*0"),
            (&all(&good), &format!("*2 {} {}", one("x", 2, 1), one("y", 1, 0))),
            (&poll, "*2 $1 x $1 y"),
            ("FOLIO.HIS.READ p x LIMIT 1", "*1 *2 $24 2024-01-01T00:00:00Z UTC $1 3"),
            (&all(&[item("x", 0, "R"), item("x", 1, "R"), item("y", 0, "R")]), "*2…"),
            ("FOLIO.HIS.READ p x", "*0"),
        ],
    );
    // A long one is written on a fork.
    let many: Vec<String> =
        (0..1000).flat_map(|n| [item("x", n, "1"), item("y", n, "NA")]).collect();
    let bad = [&many[..], &[item("y", 0, "T")]].concat();
    check(
        &mut client,
        &[
            (&all(&bad), "-HisWriteErr…"),
            ("FOLIO.HIS.READ p x", "*0"),
            (&poll, "*2…"),
            (&poll, "*0"),
        ],
    );
    assert!(client.ask(&all(&many)).starts_with("*2\r\n"));
    check(&mut client, &[("FOLIO.COUNT p 'hisSize == 1000'", ":2"), (&poll, "*2 $1 x $1 y")]);
    // In EXEC and a script as well.
    for line in ["MULTI", &all(&[item("x", 0, "9")]), "EXEC"] {
        client.ask(line);
    }
    let script = "EVAL \"return redis.call('folio.his.writeall', KEYS[1], ARGV[1])\" 1 p";
    let items = format!("'[{}]'", item("y", 0, "8"));
    check(
        &mut client,
        &[
            (&format!("{script} {items}"), "*1…"),
            ("FOLIO.HIS.READ p x LIMIT 1", "*1 *2 $24 2024-01-01T00:00:00Z UTC $1 9"),
            ("FOLIO.HIS.READ p y LIMIT 1", "*1 *2 $24 2024-01-01T00:00:00Z UTC $1 8"),
        ],
    );
    nothing_left(&mut client);
}

#[test]
fn watches_tell_which_of_some_records_have_changed() {
    let engine = engine_with("enable-debug-command yes");
    let mut client = made(&engine);
    let opened = client.ask("FOLIO.WATCH.OPEN p chart LEASE 60");
    let watch = opened.rsplit("\r\n").next().unwrap().to_owned();
    let say = |line: &str| line.replace("$w", &watch);
    let poll = say("FOLIO.WATCH.POLL p $w");
    let before = client.ask("MEMORY USAGE p");
    check(
        &mut client,
        &[
            (&say("FOLIO.WATCH.ADD p $w a @new"), "+OK"),
            (&say("FOLIO.WATCH.ADD p $w 'no id'"), "-InvalidRecIdErr…"),
            // No record has so long an id, and it would be kept.
            (&say(&format!("FOLIO.WATCH.ADD p $w {}", "x".repeat(61))), "-InvalidRecIdErr…"),
            (&poll, "*0"),
            ("FOLIO.COMMIT p FORCE UPDATE {id:@a,x} UPDATE {id:@b,x}", "*2…"),
            (&poll, "*1 $1 a"),
            (&poll, "*0"),
            ("FOLIO.COMMIT p ADD {id:@new}", "*1…"),
            ("FOLIO.COMMIT p ADD {id:@new}", "-CommitErr…"),
            ("FOLIO.COMMIT p TRANSIENT FORCE UPDATE {id:@a,curVal:1}", "*1…"),
            (&poll, "*2 $1 a $3 new"),
            (&say("FOLIO.WATCH.POLL p $w REFRESH"), "*2 $1 a $3 new"),
            (&say("FOLIO.WATCH.REMOVE p $w new"), "+OK"),
            ("FOLIO.COMMIT p FORCE REMOVE '[{id:@a},{id:@new}]'", "*2…"),
            (&poll, "*1 $1 a"),
            // Told again until it is let go, but for what has changed since.
            ("FOLIO.COMMIT p ADD {id:@a}", "*1…"),
            (&say("FOLIO.WATCH.POLL p $w KEEP"), "*1 $1 a"),
            (&say("FOLIO.WATCH.POLL p $w KEEP"), "*1 $1 a"),
            ("FOLIO.COMMIT p FORCE UPDATE {id:@a,y}", "*1…"),
            (&say("FOLIO.WATCH.POLL p $w LETGO"), "*0"),
            (&say("FOLIO.WATCH.POLL p $w keep"), "*1 $1 a"),
            (&poll, "*1 $1 a"),
            (&poll, "*0"),
            (&say("FOLIO.WATCH.POLL p $w REFRESH KEEP"), "*1 $1 a"),
            (
                &say("FOLIO.WATCH.INFO p $w"),
                "*10 $3 dis $5 chart $5 lease :60 $4 left :60 $7 records :1 $7 changed :1",
            ),
            (&poll, "*1 $1 a"),
            (&say("FOLIO.WATCH.POLL p $w REFRESH LETGO"), "-ERR syntax error"),
            (&say("FOLIO.WATCH.POLL p $w KEEP LETGO"), "-ERR syntax error"),
            ("FOLIO.WATCH.INFO p 1", "-UnknownWatchErr…"),
            ("FOLIO.COMMIT p FORCE REMOVE {id:@a}", "*1…"),
            (&poll, "*1 $1 a"),
            ("FOLIO.WATCH.POLL p 1", "-UnknownWatchErr…"),
            ("FOLIO.WATCH.POLL p nonsense", "-UnknownWatchErr…"),
            ("FOLIO.WATCH.OPEN none x", "-ERR no such project…"),
        ],
    );
    assert_ne!(client.ask("MEMORY USAGE p"), before);
    // What is done on a fork is told, too.
    let many = (0..2000).map(|n| format!("{{id:@n{n}}}")).collect::<Vec<_>>().join(",");
    client.ask(&say("FOLIO.WATCH.ADD p $w n7"));
    assert!(client.ask(&format!("FOLIO.COMMIT p ADD '[{many}]'")).starts_with("*2000"));
    check(&mut client, &[(&poll, "*1 $2 n7")]);
    // A watch is no change, and is in no payload; who may read may watch.
    client.ask("ACL SETUSER reader on nopass ~p +@read");
    let mut other = TestClient::new(&engine);
    other.ask("AUTH reader x");
    assert!(other.ask("FOLIO.WATCH.OPEN p mine").starts_with('$'));
    client.ask("WATCH p");
    client.ask(&poll);
    client.ask("MULTI");
    client.ask("PING");
    assert_eq!(client.ask("EXEC"), "*1\r\n+PONG");
    other.worker.txn.report_memory();
    // It takes memory, and waits for room as what writes does.
    check(
        &mut client,
        &[
            ("CONFIG SET maxmemory-policy noeviction maxmemory 1", "+OK"),
            ("FOLIO.WATCH.OPEN p more", "-OOM…"),
            (&say("FOLIO.WATCH.ADD p $w b"), "-OOM…"),
            (&poll, "*0"),
            ("CONFIG SET maxmemory 0", "+OK"),
        ],
    );
    // It ends with its lease.
    client.worker.begin(1_700_000_061_000);
    check(&mut client, &[(&poll, "-UnknownWatchErr…"), (&say("FOLIO.WATCH.CLOSE p $w"), ":0")]);
    let opened = client.ask("FOLIO.WATCH.OPEN p again");
    let watch = opened.rsplit("\r\n").next().unwrap().to_owned();
    assert_eq!(client.ask(&format!("FOLIO.WATCH.CLOSE p {watch}")), ":1");
    nothing_left(&mut client);
}

#[test]
fn commands_on_keys_take_projects() {
    let engine = engine_with("enable-debug-command yes");
    let mut client = made(&engine);
    check(
        &mut client,
        &[
            ("TYPE p", "+folio"),
            ("OBJECT ENCODING p", "$7 columns"),
            ("SCAN 0 TYPE folio", "*2 $1 0 *1 $1 p"),
            ("COPY p copy", ":1"),
            ("RENAME copy renamed", "+OK"),
            ("MOVE renamed 1", ":1"),
            ("PEXPIREAT p 9000000000000", ":1"),
            ("FOLIO.COMMIT p ADD {id:@new}", "*1…"),
            ("PEXPIRETIME p", ":9000000000000"),
            ("GET p", "-WRONGTYPE…"),
            ("SET text x", "+OK"),
            ("FOLIO.OPEN text", "-WRONGTYPE…"),
            ("FOLIO.COMMIT text ADD {id:@a}", "-WRONGTYPE…"),
            ("FOLIO.READALL text id", "-WRONGTYPE…"),
            ("SELECT 1", "+OK"),
        ],
    );
    assert_eq!(count(&mut client, "renamed", "id"), ":2");
    check(&mut client, &[("UNLINK renamed", ":1"), ("SELECT 0", "+OK")]);
    assert_eq!(count(&mut client, "p", "id"), ":3");
    let before = client.ask("MEMORY USAGE p");
    client.ask(&format!("FOLIO.COMMIT p ADD '{{doc:\"{}\"}}'", "x".repeat(9000)));
    assert_ne!(client.ask("MEMORY USAGE p"), before);
    check(
        &mut client,
        &[("FOLIO.OPEN empty PREFIX x", "+OK"), ("FOLIO.OPEN empty PREFIX y", "-ERR…")],
    );
    assert_eq!(client.ask("DEL empty p text"), ":3");
    nothing_left(&mut client);
}

#[test]
fn payloads_of_projects_are_restored() {
    let mut client = made(&engine_with("enable-debug-command yes"));
    client.ask("FOLIO.COMMIT p TRANSIENT FORCE UPDATE '{id:@a curVal:5kW}'");
    let raw = |client: &mut TestClient, words: &[&[u8]]| {
        let mut out = Vec::new();
        client.worker.execute(&mut client.session, words, &mut out);
        out
    };
    let reply = raw(&mut client, &[b"DUMP", b"p"]);
    let at = reply.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let payload = &reply[at..reply.len() - 2];
    let Value::Module(module) = rdb::dump::decode(payload).unwrap() else { panic!("a module's") };
    assert_eq!((module.name().as_str(), module.version()), ("kvistfoli", 1));
    assert_eq!(raw(&mut client, &[b"RESTORE", b"again", b"0", payload]), b"+OK\r\n");
    let digest = client.ask("DEBUG DIGEST-VALUE p");
    assert_eq!(client.ask("DEBUG DIGEST-VALUE again"), digest);
    assert_eq!(
        (count(&mut client, "again", "id"), count(&mut client, "again", "curVal")),
        (":2".into(), ":0".into())
    );
    client.ask("FOLIO.COMMIT again ADD {id:@d}");
    assert_ne!(client.ask("DEBUG DIGEST-VALUE again"), digest);
    for at in 0..payload.len() {
        let mut broken = payload.to_vec();
        broken[at] ^= 0x55;
        assert!(raw(&mut client, &[b"RESTORE", b"b", b"0", &broken]).starts_with(b"-"), "{at}");
    }
}

#[test]
fn projects_are_recovered() {
    for (saved_before, saved_after) in [(false, false), (true, false), (false, true)] {
        let folder = Folder::new("engine");
        let lines = "appendonly yes\nsave \"\"";
        let engine = open(folder.path(), lines);
        let mut client = made(&engine);
        client.ask("FOLIO.OPEN empty PREFIX x");
        client.ask("FOLIO.COMMIT p FORCE REMOVE {id:@a}");
        if saved_before {
            engine.save(Reason::Save, true).unwrap();
        }
        let many: String = (0..3000).fold(String::new(), |mut text, n| {
            let _ = write!(text, "{{id:@n{n} n:{n} dis:\"number {n}\"}},");
            text
        });
        for line in [
            "COPY p far DB 3".to_owned(),
            "RENAME p moved".to_owned(),
            format!("FOLIO.COMMIT moved ADD '[{}]'", many.trim_end_matches(',')),
            "COPY moved second".to_owned(),
            "FOLIO.COMMIT second ADD '{dis:\"drawn\"}' ADD '{}'".to_owned(),
            "FOLIO.COMMIT moved FORCE REMOVE '[{id:@n7},{id:@n9}]' UPDATE '{id:@n8 dis:R new}'"
                .to_owned(),
            "EVAL \"return redis.call('folio.commit', KEYS[1], 'ADD', '{id:@script}')\" 1 moved"
                .to_owned(),
            "FOLIO.COMMIT moved ADD '{id:@t point his tz:\"UTC\" kind:\"Number\"}'".to_owned(),
            "FOLIO.HIS.WRITE moved t '[{ts:2024-01-01T00:00:00Z UTC val:1}, \
             {ts:2024-01-02T00:00:00Z UTC val:2}]'"
                .to_owned(),
            "FOLIO.HIS.CLEAR moved t RANGE - 2024-01-02".to_owned(),
            "FOLIO.COMMIT moved ADD '{id:@u point his tz:\"UTC\" kind:\"Number\"}'".to_owned(),
            "FOLIO.HIS.WRITEALL moved '[{id:@u ts:2024-01-01T00:00:00Z UTC val:1}, \
             {id:@t ts:2024-01-02T00:00:00Z UTC val:2}]'"
                .to_owned(),
            "FOLIO.EMPTYTRASH moved".to_owned(),
            "FOLIO.COMMIT moved TRANSIENT FORCE UPDATE '{id:@n1 curVal:1}'".to_owned(),
            "FOLIO.COMMIT moved ADD {id:@after}".to_owned(),
            "FOLIO.OPEN deleted".to_owned(),
            "DEL deleted".to_owned(),
            "PEXPIREAT moved 9000000000000".to_owned(),
        ] {
            let reply = client.ask(&line);
            assert!(!reply.starts_with('-'), "{line}: {reply}");
        }
        for line in ["MULTI", "FOLIO.COMMIT moved ADD {id:@exec}", "FOLIO.COUNT moved id", "EXEC"] {
            client.ask(line);
        }
        if saved_after {
            engine.save(Reason::Save, true).unwrap();
        }
        let (digest, keys) = (client.ask("DEBUG DIGEST"), client.ask("DBSIZE"));
        assert_eq!(keys, ":3");
        engine.store.log().sync().unwrap();
        engine.close_data_dir();
        let engine = open(folder.path(), lines);
        let mut client = TestClient::new(&engine);
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{saved_before}, {saved_after}");
        assert_eq!(count(&mut client, "moved", "id"), ":3004");
        assert_eq!(count(&mut client, "moved", "'hisSize == 1'"), ":2");
        assert_eq!(count(&mut client, "moved", "curVal"), ":0");
        assert_eq!(client.ask("DEBUG RELOAD"), "+OK");
        assert_eq!(client.ask("DEBUG DIGEST"), digest);
        nothing_left(&mut client);
        engine.close_data_dir();
    }
}

#[test]
fn a_large_project_is_saved_piece_by_piece_and_read_again() {
    let folder = Folder::new("engine");
    let engine = open(folder.path(), "appendonly yes\nsave \"\"");
    engine.store.copy_in_chunks_from(64 << 10, 16 << 10);
    let mut client = made(&engine);
    for part in 0..20 {
        let many: String = (0..1000).fold(String::new(), |mut text, n| {
            let n = part * 1000 + n;
            let _ = write!(text, "{{id:@n{n} n:{n} dis:\"number {n}\"}},");
            text
        });
        let reply = client.ask(&format!("FOLIO.COMMIT p ADD '[{}]'", many.trim_end_matches(',')));
        assert!(reply.starts_with("*1000"), "{reply}");
    }
    let digest = client.ask("DEBUG DIGEST");
    engine.save(Reason::Save, true).unwrap();
    nothing_left(&mut client);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let engine = open(folder.path(), "appendonly yes\nsave \"\"");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    assert_eq!(count(&mut client, "p", "id"), ":20002");
    // Long answers come from threads for queries, and are the same in transactions.
    let all = client.ask("FOLIO.READALL p id FORMAT zinc");
    assert!(all.len() > 400_000 && all.contains("@n19999"));
    client.ask("MULTI");
    client.ask("FOLIO.READALL p id FORMAT zinc");
    assert_eq!(client.ask("EXEC"), format!("*1\r\n{all}"));
    assert_eq!(client.ask("FOLIO.COUNT p 'n >= 10 and n < 20'"), ":10");
    assert_eq!(client.ask("FOLIO.COUNT p id SEARCH 'number 19999'"), ":1");
    nothing_left(&mut client);
    engine.close_data_dir();
}

#[test]
fn whole_projects_are_evicted() {
    let engine = engine_with("maxmemory 8mb\nmaxmemory-policy allkeys-lru");
    let mut client = TestClient::new(&engine);
    let text = "x".repeat(4000);
    for n in 0..3000 {
        client.worker.begin(1_000_000);
        client.ask(&format!("FOLIO.OPEN p:{n}"));
        let reply =
            client.ask(&format!("FOLIO.COMMIT p:{n} ADD '{{id:@a doc:\"{text}\"}}' ADD {{id:@b}}"));
        assert!(reply.starts_with("*2"), "{reply}");
    }
    let keys: usize = client.ask("DBSIZE")[1..].parse().unwrap();
    assert!((50..2500).contains(&keys), "{keys} keys");
    for n in 0..3000 {
        let records = count(&mut client, &format!("p:{n}"), "id");
        assert!([":2", "-ERR no such project: FOLIO.OPEN makes one"].contains(&&*records));
    }
}

#[test]
fn diffs_are_done_in_transactions_and_scripts() {
    let engine = engine_with("enable-debug-command yes");
    let (mut client, mut other) = (made(&engine), TestClient::new(&engine));
    for line in [
        "MULTI",
        "FOLIO.COMMIT p ADD {id:@x}",
        "FOLIO.COUNT p id",
        "FOLIO.COMMIT p ADD {id:@x}",
        "FOLIO.EMPTYTRASH p",
    ] {
        client.ask(line);
    }
    let reply = ask(&mut client, "EXEC");
    assert!(reply.starts_with("*4 *1 *6 $2 id $2 @x"), "{reply}");
    assert!(reply.ends_with(":3 -CommitErr Record already exists: x :1"), "{reply}");
    let script = "EVAL \"redis.call('folio.commit', KEYS[1], 'ADD', '{s}') return \
                  redis.call('folio.count', KEYS[1], 's')\" 1 p";
    assert_eq!((client.ask(script), client.ask(script)), (":1".into(), ":2".into()));
    nothing_left(&mut client);

    // A script that needs another shard is taken back first, and done again.
    let digest = client.ask("DEBUG DIGEST-VALUE p");
    let fails = "EVAL \"redis.call('folio.commit', KEYS[1], 'ADD', '{id:@y}') redis.call('get', \
                 'elsewhere') return redis.call('folio.commit', KEYS[1], 'ADD', '{id:@a}')\" 1 p";
    assert!(client.ask(fails).starts_with("-CommitErr"));
    assert_ne!(client.ask("DEBUG DIGEST-VALUE p"), digest);
    assert_eq!(count(&mut client, "p", "id==@y"), ":1");
    for (line, executes) in [
        ("FOLIO.READALL p id", true),
        ("FOLIO.COMMIT p ADD {}", false),
        ("FOLIO.COMMIT p ADD {id:@a}", true),
    ] {
        client.ask("WATCH p");
        other.ask(line);
        client.ask("MULTI");
        client.ask("SET done yes");
        assert_eq!(client.ask("EXEC") == "*1\r\n+OK", executes, "{line}");
    }
    other.worker.txn.report_memory();
    nothing_left(&mut client);
}

#[test]
fn others_are_told_of_what_is_committed() {
    let engine = engine_with("notify-keyspace-events KEA");
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("HELLO 3");
    other.ask("PSUBSCRIBE __keyevent*");
    other.ask("CLIENT TRACKING ON BCAST");
    other.pushed();
    client.ask("FOLIO.OPEN p");
    assert!(other.pushed().join("").contains("__keyevent@0__:folio.open"));
    client.ask("FOLIO.OPEN p");
    assert_eq!(other.pushed(), Vec::<String>::new());
    client.ask("FOLIO.COMMIT p ADD {id:@a}");
    let told = other.pushed().join("");
    assert!(told.contains("__keyevent@0__:folio.commit") && told.contains("invalidate"), "{told}");
    client.ask("FOLIO.COMMIT p ADD {id:@a}");
    client.ask("FOLIO.READALL p id");
    assert_eq!(other.pushed(), Vec::<String>::new());
    client.ask("DEL p");
    assert!(other.pushed().join("").contains("__keyevent@0__:del"));
}

#[test]
fn changes_of_a_project_are_made_whole_or_not_at_all() {
    let mut client = made(&engine_with("enable-debug-command yes"));
    let digest = client.ask("DEBUG DIGEST");
    check(
        &mut client,
        &[
            // A record that is made, and one that is gone and was never there.
            (
                "FOLIO.APPLY p \"\\x01\\x01\\x01n\\x00\\x00\\x01\\x03\\x01z\"",
                "-ERR these are no changes of it…",
            ),
            (
                "FOLIO.APPLY p \"\\x01\\x01\\x01n\\x00\\x00\\xff\"",
                "-ERR these are no changes of it…",
            ),
            ("FOLIO.APPLY none \"\\x02\\x05\"", "-ERR no such project: FOLIO.OPEN makes one"),
        ],
    );
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    assert_eq!(client.ask("FOLIO.APPLY p \"\\x01\\x01\\x01n\\x00\\x00\""), "+OK");
    assert_eq!(count(&mut client, "p", "id==@n"), ":1");
}

/// A command that has worked on a fork, and finds when it begins anew that there is nothing to be
/// done any more, answers that alone.
#[cfg(debug_assertions)]
#[test]
fn what_is_done_by_others_meanwhile_is_answered_once() {
    let (engine, mut holder, mut other) = held_up("", "trash");
    let mut client = made(&engine);
    assert_eq!(client.feed("FOLIO.EMPTYTRASH p\r\n").1, State::Blocked);
    let removed = other.ask("FOLIO.COMMIT p FORCE REMOVE {id:@c}");
    assert!(removed.starts_with("*1"), "{removed}");
    other.ask("RING.GATE OPEN trash");
    holder.answered();
    assert_eq!(told(&mut client), ":0");
    check(&mut client, &[("FOLIO.COUNT p id TRASH", ":0"), ("FOLIO.COUNT p id", ":2")]);
    other.worker.txn.report_memory();
    nothing_left(&mut client);
}

#[test]
fn users_need_rights_for_projects() {
    let engine = engine();
    let mut client = made(&engine);
    client.ask("ACL SETUSER reader on nopass ~p %R~q +@read");
    client.ask("ACL SETUSER folk on nopass ~p +@folio -@write");
    for (user, line, reply) in [
        ("reader", "FOLIO.COUNT p id", ":2"),
        ("reader", "FOLIO.COUNT q id", "-ERR no such…"),
        ("reader", "FOLIO.COUNT other id", "-NOPERM…"),
        ("reader", "FOLIO.COMMIT p ADD {}", "-NOPERM…"),
        ("folk", "FOLIO.READALL p point", "*0"),
        ("folk", "FOLIO.OPEN p", "-NOPERM…"),
        ("folk", "FOLIO.EMPTYTRASH p", "-NOPERM…"),
        ("folk", "GET p", "-NOPERM…"),
    ] {
        let mut other = TestClient::new(&engine);
        other.ask(&format!("AUTH {user} x"));
        check(&mut other, &[(line, reply)]);
    }
}
