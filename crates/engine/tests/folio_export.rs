//! FOLIO.EXPORT and FOLIO.IMPORT: texts of projects, part by part, however they come.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fmt::Write as _;

use kvist_engine::State;
use testkit::folder::Folder;

use crate::data_dir;
use crate::graphs::nothing_left;
use crate::test_client::{TestClient, engine, engine_with};

const FORMATS: [&str; 5] = ["zinc", "hayson", "json", "trio", "csv"];

/// The reply to words that may be anything.
fn say(client: &mut TestClient, words: &[&str]) -> String {
    let mut bytes = format!("*{}\r\n", words.len());
    words.iter().for_each(|word| bytes.push_str(&format!("${}\r\n{word}\r\n", word.len())));
    match client.feed(&bytes) {
        (_, State::Blocked) => client.answered(),
        (reply, _) => reply.trim_end_matches("\r\n").to_owned(),
    }
}

/// A byte string of a reply, and what is behind it.
fn bulk(reply: &str) -> (&str, &str) {
    let (length, rest) = reply.strip_prefix('$').unwrap().split_once("\r\n").unwrap();
    // The end of the whole reply may have been cut off.
    let length = usize::min(length.parse().unwrap(), rest.len());
    (&rest[..length], rest[length..].trim_start_matches("\r\n"))
}

/// A part: the next cursor, and its piece.
fn part(client: &mut TestClient, words: &[&str]) -> (String, Option<(String, String)>) {
    let reply = say(client, words);
    let rest = reply.strip_prefix("*2\r\n").unwrap_or_else(|| panic!("{words:?}: {reply}"));
    let (cursor, rest) = bulk(rest);
    let Some(rest) = rest.strip_prefix("*1\r\n*2\r\n") else {
        assert_eq!(rest.trim_end(), "*0", "{reply}");
        return (cursor.to_owned(), None);
    };
    let (kind, rest) = bulk(rest);
    (cursor.to_owned(), Some((kind.to_owned(), bulk(rest).0.to_owned())))
}

/// All pieces of a project.
fn pieces(client: &mut TestClient, key: &str, rest: &[&str]) -> Vec<(String, String)> {
    let (mut pieces, mut cursor) = (Vec::new(), "0".to_owned());
    loop {
        let words = [&["FOLIO.EXPORT", key, "CURSOR", &cursor], rest].concat();
        let (next, piece) = part(client, &words);
        pieces.extend(piece);
        if next == "0" {
            return pieces;
        }
        cursor = next;
    }
}

fn import(client: &mut TestClient, key: &str, rest: &[&str], piece: &(String, String)) -> String {
    say(client, &[&["FOLIO.IMPORT", key], rest, &[piece.0.as_str(), piece.1.as_str()]].concat())
}

/// What `FOLIO.READALL` finds, in the trash or not, but for when it was changed.
fn all(client: &mut TestClient, key: &str) -> Vec<String> {
    let read = |client: &mut TestClient, trash: &[&str]| {
        let words = [&["FOLIO.READALL", key, "id", "FORMAT", "trio"], trash].concat();
        say(client, &words)
    };
    let text = read(client, &[]) + "\n---\n" + &read(client, &["TRASH"]);
    let mut dicts: Vec<String> = text
        .split("---\n")
        .map(|dict| {
            let lines = dict.lines().map(str::trim_end);
            let lines = lines.filter(|line| !line.starts_with("mod:") && !line.starts_with('$'));
            lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        })
        .filter(|dict| !dict.is_empty())
        .collect();
    dicts.sort();
    dicts
}

/// Records of all kinds, some in the trash; points with samples, one that is none any more.
fn make(client: &mut TestClient) {
    client.worker.begin(1_700_000_000_000);
    let kinds = "{id:@kinds dis:\"Kinds \\\"x\\\" ü\" marker num:5 neg:-3.5kW t:T f:F text:\"5\" \
                 empty:\"\" mark:\"✓\" lines:\"a\\nb,c\" uri:`http://x/a b` ref:@p0 sym:^site \
                 date:2024-02-29 time:12:30:00 at:2024-02-29T12:00:00+01:00 Berlin coord:C(1.5,-2) \
                 list:[1,\"x\",@p1,{a}] dict:{a:1 b:@p2} x:Color(\"red\") inf:INF \
                 grid:<<\nver:\"3.0\"\na,b\n1,@p0\n>>}";
    assert_eq!(say(client, &["FOLIO.OPEN", "p"]), "+OK");
    let commit = |client: &mut TestClient, text: &str| {
        let said = say(client, &["FOLIO.COMMIT", "p", "FORMAT", "zinc", "ADD", text]);
        assert!(said.starts_with('*'), "{said}");
    };
    commit(client, kinds);
    let many = (0..150).fold(String::new(), |mut text, n| {
        let trash = if n % 10 == 3 { " trash" } else { "" };
        let _ = write!(text, "{{id:@r{n} dis:\"R {n}\" only{n}:{n} siteRef:@kinds{trash}}},");
        text
    });
    commit(client, &format!("[{}]", many.trim_end_matches(',')));
    let point = "point his tz:\"Berlin\" kind:\"Number\" unit:\"kW\"";
    let points = (0..4).map(|n| format!("{{id:@p{n} {point} siteRef:@kinds}}"));
    commit(client, &format!("[{}]", points.collect::<Vec<_>>().join(",")));
    for (point, count) in [(0, 200), (1, 1), (2, 7), (3, 5)] {
        let items = (0..count).map(|n| {
            let value = if n % 50 == 49 { "NA".to_owned() } else { format!("{n}.5kW") };
            format!("{{ts:2024-01-01T{:02}:{:02}:00+01:00 Berlin val:{value}}}", n / 60, n % 60)
        });
        let items = format!("[{}]", items.collect::<Vec<_>>().join(","));
        let said = say(client, &["FOLIO.HIS.WRITE", "p", &format!("p{point}"), &items]);
        assert!(said.contains("count"), "{said}");
    }
    let said = say(client, &["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "{id:@p3 his:R}"]);
    assert!(said.starts_with('*'), "{said}");
    let transient = "{id:@p0 curVal:5kW extra:\"x\"}";
    say(client, &["FOLIO.COMMIT", "p", "TRANSIENT", "FORCE", "UPDATE", transient]);
}

#[test]
fn a_project_is_what_its_text_says_however_it_is_cut() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    make(&mut client);
    say(&mut client, &["FOLIO.OPEN", "q"]);
    let samples = |client: &mut TestClient, key: &str| {
        ["p0", "p1", "p2"].map(|id| say(client, &["FOLIO.HIS.READ", key, id]))
    };
    let (wanted, histories) = (all(&mut client, "p"), samples(&mut client, "p"));
    assert_eq!(wanted.len(), 155);
    for format in FORMATS {
        for count in ["100000", "1000", "37", "1"] {
            let rest = ["FORMAT", format, "HISTORIES", "COUNT", count];
            let pieces = pieces(&mut client, "p", &rest);
            let of = |kind: &str| pieces.iter().filter(|piece| piece.0 == kind).count();
            let most: usize = count.parse().unwrap();
            assert!(of("RECORDS") >= 155 / most && of("SAMPLES") >= 208 / most, "{format} {count}");
            say(&mut client, &["DEL", "q"]);
            say(&mut client, &["FOLIO.OPEN", "q"]);
            for piece in &pieces {
                let said = import(&mut client, "q", &["FORMAT", format], piece);
                let counts = if piece.0 == "RECORDS" { "$5\r\nadded" } else { "$6\r\npoints" };
                assert!(said.contains(counts), "{format} {count}: {said}\n{}", piece.1);
            }
            assert_eq!(samples(&mut client, "q"), histories, "{format} {count}");
            let text = |dicts: &[String]| {
                // What is not kept was not exported.
                let lines = dicts.iter().map(|dict| {
                    let lines = dict.lines().filter(|line| {
                        !["curVal", "extra", "his"].iter().any(|tag| line.starts_with(tag))
                    });
                    lines.collect::<Vec<_>>().join("\n")
                });
                lines.collect::<Vec<_>>().join("\n---\n")
            };
            assert_eq!(text(&all(&mut client, "q")), text(&wanted), "{format} {count}");
        }
    }
    // Without histories; and what a filter finds.
    let whole = pieces(&mut client, "p", &[]);
    assert!(whole.iter().all(|piece| piece.0 == "RECORDS"));
    let some = pieces(&mut client, "p", &["FILTER", "point", "HISTORIES", "FORMAT", "trio"]);
    let kinds: Vec<&str> = some.iter().map(|piece| piece.0.as_str()).collect();
    assert_eq!(kinds, ["RECORDS", "SAMPLES"]);
    assert_eq!(some[0].1.matches("id:").count(), 4);
    assert_eq!(pieces(&mut client, "p", &["FILTER", "nothing"]), []);
    nothing_left(&mut client);
}

#[test]
fn all_parts_are_of_one_version_and_can_be_asked_for_again() {
    let mut client = TestClient::new(&engine());
    make(&mut client);
    let words = |cursor: &str| -> Vec<String> {
        ["FOLIO.EXPORT", "p", "COUNT", "40", "CURSOR", cursor].map(str::to_owned).to_vec()
    };
    let ask = |client: &mut TestClient, cursor: &str| {
        let words = words(cursor);
        part(client, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (second, _) = ask(&mut client, "0");
    let before = ask(&mut client, &second);
    let changes: &[&[&str]] = &[
        &["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "{id:@r50 dis:\"Other\"}"],
        &["FOLIO.COMMIT", "p", "FORCE", "REMOVE", "{id:@r51}"],
        &["FOLIO.COMMIT", "p", "ADD", "{id:@later}"],
    ];
    for change in changes {
        assert!(say(&mut client, change).starts_with('*'));
    }
    assert_eq!(ask(&mut client, &second), before);
    say(&mut client, &["DEL", "p"]);
    let (mut cursor, mut text) = (second, String::new());
    while cursor != "0" {
        let (next, piece) = ask(&mut client, &cursor);
        text.push_str(&piece.map_or_else(String::new, |piece| piece.1));
        cursor = next;
    }
    assert!(text.contains("@r51 ") && !text.contains("Other") && !text.contains("@later"));
    // Nothing is left of it; a cursor is good for what it was made for, and for a while.
    make(&mut client);
    let (cursor, _) = ask(&mut client, "0");
    let refused = |client: &mut TestClient, rest: &[&str]| {
        let words = [&["FOLIO.EXPORT"], rest].concat();
        let said = say(client, &words);
        assert!(said.starts_with("-ERR there is no such cursor"), "{rest:?}: {said}");
    };
    for rest in [
        &["q", "CURSOR", &cursor][..],
        &["p", "FORMAT", "trio", "CURSOR", &cursor],
        &["p", "FILTER", "id", "CURSOR", &cursor],
        &["p", "HISTORIES", "CURSOR", &cursor],
        &["p", "CURSOR", "1-1-r-0"],
        &["p", "CURSOR", "nonsense"],
        &["p", "CURSOR", "-1"],
    ] {
        refused(&mut client, rest);
    }
    assert!(part(&mut client, &["FOLIO.EXPORT", "p", "CURSOR", &cursor]).1.is_some());
    for (words, said) in [
        (&["FOLIO.EXPORT", "none"][..], "-ERR no such project"),
        (&["FOLIO.EXPORT", "p", "FORMAT", "xml"], "-ERR the formats are"),
        (&["FOLIO.EXPORT", "p", "FORMAT", "columns"], "-ERR columns are no text"),
        (&["FOLIO.EXPORT", "p", "COUNT", "0"], "-ERR syntax"),
        (&["FOLIO.EXPORT", "p", "FILTER", "a b"], "-ParseErr"),
        (&["FOLIO.EXPORT", "p", "NONSENSE"], "-ERR syntax"),
    ] {
        assert!(say(&mut client, words).starts_with(said), "{words:?}");
    }
}

#[test]
fn conflicts_are_as_the_rule_says() {
    let mut client = TestClient::new(&engine());
    client.worker.begin(1_700_000_000_000);
    say(&mut client, &["FOLIO.OPEN", "p"]);
    say(&mut client, &["FOLIO.COMMIT", "p", "ADD", "[{id:@a old x:1},{id:@t trash}]"]);
    let records = |text: &str| ("RECORDS".to_owned(), text.to_owned());
    let text = records("[{id:@a new x:2},{id:@b of:@a},{id:@t}]");
    let read = |client: &mut TestClient, id: &str| {
        say(client, &["FOLIO.READBYID", "p", id, "TRASH", "FORMAT", "zinc"])
    };
    let counts = |added: usize, replaced: usize, skipped: usize| {
        format!(
            "*6\r\n$5\r\nadded\r\n:{added}\r\n$8\r\nreplaced\r\n:{replaced}\r\n$7\r\n\
             skipped\r\n:{skipped}"
        )
    };
    for rest in [&[][..], &["CONFLICT", "FAIL"]] {
        let said = import(&mut client, "p", rest, &text);
        assert!(said.starts_with("-CommitErr"), "{said}");
        assert_eq!(say(&mut client, &["FOLIO.COUNT", "p", "of"]), ":0");
    }
    let version = say(&mut client, &["FOLIO.INFO", "p"]);
    let only = records("[{id:@a new}]");
    assert_eq!(import(&mut client, "p", &["CONFLICT", "SKIP"], &only), counts(0, 0, 1));
    assert_eq!(say(&mut client, &["FOLIO.INFO", "p"]), version);
    assert_eq!(import(&mut client, "p", &["CONFLICT", "skip"], &text), counts(1, 0, 2));
    assert!(read(&mut client, "a").contains("old") && read(&mut client, "b").contains("@a"));
    assert_eq!(import(&mut client, "p", &["CONFLICT", "REPLACE"], &text), counts(0, 3, 0));
    let a = read(&mut client, "a");
    assert!(a.contains("new") && a.contains("x:2") && !a.contains("old"), "{a}");
    assert!(!read(&mut client, "t").contains("trash"));
    // Beside itself, with other ids.
    assert_eq!(import(&mut client, "p", &["PREFIX", "n."], &text), counts(3, 0, 0));
    assert!(read(&mut client, "n.b").contains("of:@n.a"));
    let drawn = records("{dis:\"Drawn\" mod:2020-01-01T00:00:00Z UTC curVal:5 projMeta}");
    assert_eq!(import(&mut client, "p", &[], &drawn), counts(1, 0, 0));
    assert_eq!(say(&mut client, &["FOLIO.COUNT", "p", "projMeta and not curVal"]), ":1");
    // What is wrong with one of them is with all.
    let samples = |text: &str| ("SAMPLES".to_owned(), text.to_owned());
    for (rest, piece, said) in [
        (&["CONFLICT", "REPLACE"][..], records("[{id:@z},{id:@z}]"), "-DiffErr"),
        (&[], records("[{id:@z},{id:\"x\"}]"), "-DiffErr"),
        (&[], records("[{id:@z},{id:@y Bad:1}]"), "-"),
        (&[], records("[{id:@z},5]"), "-ParseErr"),
        (&[], records("{"), "-ParseErr"),
        (&["PREFIX", "a b"], records("{id:@z}"), "-InvalidRecIdErr"),
        (&["PREFIX", &"x".repeat(60)], records("{id:@z}"), "-InvalidRecIdErr"),
        (&["CONFLICT", "MERGE"], records("{id:@z}"), "-ERR the rules"),
        (&["NONSENSE"], records("{id:@z}"), "-ERR"),
        (&[], samples("{id:@nowhere ts:2024-01-01T00:00:00Z UTC val:1}"), "-UnknownRecErr"),
        (&[], samples("{id:@a ts:2024-01-01T00:00:00Z UTC val:1}"), "-HisConfigErr"),
        (&[], ("NOTHING".to_owned(), "{}".to_owned()), "-ERR a piece is"),
    ] {
        let reply = import(&mut client, "p", rest, &piece);
        assert!(reply.starts_with(said), "{rest:?} {piece:?}: {reply}");
        assert_eq!(say(&mut client, &["FOLIO.COUNT", "p", "id==@z"]), ":0", "{piece:?}");
    }
    let reply = import(&mut client, "none", &[], &records("{}"));
    assert!(reply.starts_with("-ERR no such project"), "{reply}");
    // A watch is told, in EXEC and a script it is done in place, and a long one on a fork.
    let opened = say(&mut client, &["FOLIO.WATCH.OPEN", "p", "x"]);
    let watch = opened.rsplit("\r\n").next().unwrap().to_owned();
    say(&mut client, &["FOLIO.WATCH.ADD", "p", &watch, "w0", "w1999"]);
    say(&mut client, &["MULTI"]);
    say(&mut client, &["FOLIO.IMPORT", "p", "RECORDS", "{id:@w0}"]);
    assert!(say(&mut client, &["EXEC"]).contains("added"));
    assert!(say(&mut client, &["FOLIO.WATCH.POLL", "p", &watch]).ends_with("w0"));
    let script = "return redis.call('folio.import', KEYS[1], 'RECORDS', '{id:@script}')";
    assert!(say(&mut client, &["EVAL", script, "1", "p"]).contains("added"));
    let script = "return redis.call('folio.export', KEYS[1], 'FILTER', 'id==@script')[2][1][2]";
    assert!(say(&mut client, &["EVAL", script, "1", "p"]).contains("@script"));
    let many = (1..2000).fold(String::new(), |mut text, n| {
        let _ = write!(text, "{{id:@w{n} n:{n}}},");
        text
    });
    let long = records(&format!("[{}]", many.trim_end_matches(',')));
    assert_eq!(import(&mut client, "p", &[], &long), counts(1999, 0, 0));
    assert!(say(&mut client, &["FOLIO.WATCH.POLL", "p", &watch]).ends_with("w1999"));
    assert!(import(&mut client, "p", &[], &long).starts_with("-CommitErr"));
    assert_eq!(import(&mut client, "p", &["CONFLICT", "SKIP"], &long), counts(0, 0, 1999));
    nothing_left(&mut client);
}

#[test]
fn what_was_imported_is_there_after_a_restart() {
    let folder = Folder::missing("folio-import");
    let lines = "appendonly yes\nenable-debug-command yes";
    let engine = data_dir::open(folder.path(), lines).unwrap().0;
    let mut client = TestClient::new(&engine);
    make(&mut client);
    say(&mut client, &["FOLIO.OPEN", "q"]);
    for piece in pieces(&mut client, "p", &["HISTORIES", "COUNT", "50"]) {
        let said = import(&mut client, "q", &["PREFIX", "n."], &piece);
        assert!(said.starts_with('*'), "{said}");
    }
    let digest = say(&mut client, &["DEBUG", "DIGEST"]);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let engine = data_dir::open(folder.path(), lines).unwrap().0;
    let mut client = TestClient::new(&engine);
    assert_eq!(say(&mut client, &["DEBUG", "DIGEST"]), digest);
    assert_eq!(say(&mut client, &["FOLIO.COUNT", "q", "siteRef->marker"]), ":139");
    assert_eq!(say(&mut client, &["FOLIO.COUNT", "q", "hisSize==200"]), ":1");
    engine.close_data_dir();
}
