//! Watches through the Haystack API: opened, asked, ended; what a client is told where that fails.

#![allow(clippy::unwrap_used)] // a test says why by failing

use crate::server::{Client, ok, text};
use crate::web::{Page, Web, basic};

/// A project `p` of points `a`, `b` and `c`, and the client that has made it.
fn project(args: &[&str]) -> (Web, Client) {
    let web = Web::start(args);
    let mut redis = web.server.connect();
    assert_eq!(redis.ask(&["FOLIO.OPEN", "p"]), ok());
    let points = ["a", "b", "c"].map(|id| format!("{{id:@{id} dis:\"P {id}\" point}}"));
    redis.ask(&["FOLIO.COMMIT", "p", "ADD", &format!("[{}]", points.join(","))]);
    (web, redis)
}

fn page(web: &Web, op: &str, body: &str) -> Page {
    web.ask(&format!("POST /api/p/{op}\nContent-Type: text/zinc"), body)
}

/// What an operation is answered, which is a grid: its first line, its columns, its rows.
struct Said {
    meta: String,
    cols: String,
    rows: Vec<String>,
}

fn ask(web: &Web, op: &str, meta: &str, ids: &str) -> Said {
    let rows = ids.split_whitespace().map(|id| format!("{id}\n"));
    let cols = if ids.is_empty() { "empty" } else { "id" };
    let body = format!("ver:\"3.0\" {meta}\n{cols}\n{}", rows.collect::<String>());
    let page = page(web, op, &body);
    assert_eq!(page.status, 200, "{op}: {page:?}");
    let text = page.text();
    let mut lines = text.lines().map(str::to_owned);
    let (meta, cols) = (lines.next().unwrap(), lines.next().unwrap());
    Said { meta, cols, rows: lines.filter(|line| !line.is_empty()).collect() }
}

impl Said {
    /// A text in the meta.
    fn text(&self, name: &str) -> &str {
        let (_, rest) = self.meta.split_once(&format!("{name}:\"")).unwrap_or_else(|| {
            panic!("no {name}: {}", self.meta);
        });
        rest.split('"').next().unwrap()
    }

    /// The ids of its rows; nothing for a row of nothing.
    fn ids(&self) -> Vec<&str> {
        let cell = |row: &'_ String| row.split([',', ' ']).next().unwrap_or_default().len();
        self.rows.iter().map(|row| &row[..cell(row)]).collect()
    }
}

/// The meta by which a watch that was opened is called.
fn watch(said: &Said) -> String {
    format!("watchId:\"{}\"", said.text("watchId"))
}

#[test]
fn a_watch_tells_what_has_changed() {
    let (web, mut redis) = project(&[]);
    let opened = ask(&web, "watchSub", "watchDis:\"A chart\" lease:2min", "@a @b");
    assert!(opened.meta.contains("lease:120sec"), "{}", opened.meta);
    assert!(opened.cols.starts_with("id,dis,"), "{}", opened.cols);
    assert_eq!(opened.ids(), ["@a", "@b"]);
    let watch = watch(&opened);
    let poll = || ask(&web, "watchPoll", &watch, "");
    let said = poll();
    assert_eq!((said.text("watchId"), said.rows.len()), (opened.text("watchId"), 0));
    // A value that is not kept, samples, and what is changed over HTTP are told as well.
    redis.ask(&["FOLIO.COMMIT", "p", "TRANSIENT", "FORCE", "UPDATE", "{id:@a curVal:5kW}"]);
    redis.ask(&["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "{id:@c x}"]);
    let said = poll();
    assert_eq!(said.ids(), ["@a"]);
    assert!(said.cols.contains("curVal") && said.rows[0].contains("5kW"), "{:?}", said.rows);
    let body = "ver:\"3.0\" commit:\"update\" force\nid,dis\n@b,\"Other\"\n";
    assert_eq!(page(&web, "commit", body).status, 200);
    assert!(poll().rows[0].contains("Other"));
    assert_eq!(poll().rows.len(), 0);
    // It is added to: the answer has those that were added, and the lease that it has.
    let said = ask(&web, "watchSub", &watch, "@c");
    assert_eq!((said.ids(), said.text("watchId")), (vec!["@c"], opened.text("watchId")));
    assert!(said.meta.contains("lease:120sec"));
    redis.ask(&["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "{id:@c y}"]);
    assert_eq!(poll().ids(), ["@c"]);
    let refresh = ask(&web, "watchPoll", &format!("{watch} refresh"), "");
    assert_eq!(refresh.ids(), ["@a", "@b", "@c"]);
    let said = ask(&web, "watchUnsub", &watch, "@a @b @nothing");
    assert_eq!((said.cols.as_str(), said.rows.len()), ("empty", 0));
    redis.ask(&["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "[{id:@a z},{id:@c z}]"]);
    assert_eq!(poll().ids(), ["@c"]);
    // Closed, which may be said twice, it is no watch any more.
    for _ in 0..2 {
        assert_eq!(ask(&web, "watchUnsub", &format!("{watch} close"), "").cols, "empty");
    }
    assert_eq!(poll().text("errType"), "UnknownWatchErr");
    assert_eq!(ask(&web, "watchSub", &watch, "@a").text("errType"), "UnknownWatchErr");
    assert_eq!(ask(&web, "watchUnsub", &watch, "@a").text("errType"), "UnknownWatchErr");
}

#[test]
fn records_that_are_not_there_are_rows_of_nothing() {
    let (web, mut redis) = project(&[]);
    let opened = ask(&web, "watchSub", "watchDis:\"x\"", "@nowhere @a @new");
    assert_eq!(opened.ids(), ["", "@a", ""], "{:?}", opened.rows);
    assert!(opened.meta.contains("lease:60sec"), "{}", opened.meta);
    let watch = watch(&opened);
    redis.ask(&["FOLIO.COMMIT", "p", "ADD", "{id:@new}"]);
    assert_eq!(ask(&web, "watchPoll", &watch, "").ids(), ["@new"]);
    redis.ask(&["FOLIO.COMMIT", "p", "FORCE", "REMOVE", "{id:@a}"]);
    let said = ask(&web, "watchPoll", &watch, "");
    assert_eq!(said.rows, ["N"], "{}", said.cols);
    let all = ask(&web, "watchPoll", &format!("{watch} refresh"), "");
    assert_eq!(all.rows.len(), 3);
    // Without records, and without a name.
    let empty = ask(&web, "watchSub", "", "");
    assert_eq!((empty.rows.len(), empty.text("watchId").is_empty()), (0, false));
}

#[test]
fn every_format_can_watch() {
    let (web, _redis) = project(&[]);
    let body = "ver:\"3.0\" watchDis:\"x\"\nid\n@a\n";
    for (accept, part) in [
        ("application/json", r#""watchId":""#),
        ("application/vnd.haystack+json;version=3", r#""watchId":""#),
        // These have no meta.
        ("text/trio", "watchId:\""),
        ("text/csv", "watchId:\""),
    ] {
        let head = format!("POST /api/p/watchSub\nContent-Type: text/zinc\nAccept: {accept}");
        let page = web.ask(&head, body);
        assert!(page.text().contains(part), "{accept}: {}", page.text());
    }
    let ops = web.get("/api/p/ops").text();
    for op in ["watchSub", "watchPoll", "watchUnsub"] {
        assert!(ops.contains(&format!("^op:{op},\"{op}\"")), "{ops}");
        assert_eq!(web.get(&format!("/api/p/{op}")).status, 405, "{op}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let (web, _redis) = project(&[]);
    let opened = ask(&web, "watchSub", "watchDis:\"x\"", "@a");
    let watch = watch(&opened);
    for (op, meta, ids) in [
        ("watchSub", "watchDis:\"x\" lease:5", "@a"),
        ("watchSub", "watchDis:\"x\" lease:5kW", "@a"),
        ("watchSub", "watchDis:\"x\"", "\"a\""),
        ("watchSub", "watchId:5", "@a"),
        ("watchPoll", "", ""),
        ("watchPoll", "watchId:@a", ""),
        ("watchUnsub", "", "@a"),
        ("watchUnsub", &watch, ""),
    ] {
        let said = ask(&web, op, meta, ids);
        assert_eq!(said.text("errType"), "ArgErr", "{op} {meta} {ids}: {}", said.meta);
    }
    for unknown in ["1", "nonsense", "", "ffffffffffffffffffff"] {
        let said = ask(&web, "watchPoll", &format!("watchId:\"{unknown}\""), "");
        assert_eq!(said.text("errType"), "UnknownWatchErr", "{unknown}");
    }
    let status = |project: &str| {
        let head = format!("POST /api/{project}/watchSub\nContent-Type: text/zinc");
        web.ask(&head, "ver:\"3.0\" watchDis:\"x\"\nid\n@a\n").status
    };
    assert_eq!((status("nothing"), status("p")), (404, 200));
}

/// What could not be told is told by the next poll.
#[test]
fn a_poll_that_fails_loses_nothing() {
    let (web, mut redis) = project(&[]);
    redis.ask(&["ACL", "SETUSER", "w", "on", ">w", "~*", "+@folio"]);
    let ask = |op: &str, body: &str| {
        let head = format!("POST /api/p/{op}\nContent-Type: text/zinc\nAuthorization: ");
        web.ask(&format!("{head}{}", basic("w", "w")), body)
    };
    let opened = ask("watchSub", "ver:\"3.0\" watchDis:\"x\"\nid\n@a\n@b\n").text();
    let (_, rest) = opened.split_once("watchId:\"").unwrap();
    let watch = rest.split('"').next().unwrap();
    let body = format!("ver:\"3.0\" watchId:\"{watch}\"\nempty\n");
    redis.ask(&["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "{id:@a x}"]);
    redis.ask(&["ACL", "SETUSER", "w", "-folio.readbyids"]);
    assert_eq!(ask("watchPoll", &body).status, 403);
    redis.ask(&["FOLIO.COMMIT", "p", "FORCE", "UPDATE", "{id:@b x}"]);
    redis.ask(&["ACL", "SETUSER", "w", "+folio.readbyids"]);
    let said = ask("watchPoll", &body).text();
    assert!(said.contains("@a") && said.contains("@b"), "{said}");
    let said = ask("watchPoll", &body).text();
    assert!(!said.contains("@a") && !said.contains("@b"), "{said}");
}

#[test]
fn watches_are_rights_as_the_commands_are() {
    let (web, mut redis) = project(&[]);
    let rules = [
        ("reader", "~p +@read", "200 200 200"),
        ("blind", "~p +@all -folio.readbyids", "403 200 200"),
        ("deaf", "~p +@all -folio.watch.poll", "200 403 200"),
        ("mute", "~p +@all -folio.watch.open", "403 200 200"),
        ("other", "~q +@all", "403 403 403"),
    ];
    let opened = ask(&web, "watchSub", "watchDis:\"x\"", "@a");
    let watch = watch(&opened);
    for (user, rules, statuses) in rules {
        let all = format!("ACL SETUSER {user} on >pw {rules}");
        assert_eq!(redis.ask(&all.split(' ').collect::<Vec<_>>()), ok());
        let head = |op: &str| {
            let credentials = basic(user, "pw");
            format!("POST /api/p/{op}\nContent-Type: text/zinc\nAuthorization: {credentials}")
        };
        let open = web.ask(&head("watchSub"), "ver:\"3.0\" watchDis:\"x\"\nid\n@a\n").status;
        let poll = web.ask(&head("watchPoll"), &format!("ver:\"3.0\" {watch}\nempty\n")).status;
        let body = format!("ver:\"3.0\" {watch}\nid\n@nothing\n");
        let unsub = web.ask(&head("watchUnsub"), &body).status;
        assert_eq!(format!("{open} {poll} {unsub}"), statuses, "{user}");
    }
    // Where the records of a new watch cannot be read, it does not stay.
    let name = |reply| text(&reply);
    let first = name(redis.ask(&["FOLIO.WATCH.OPEN", "p", "x"]));
    let head = format!("Content-Type: text/zinc\nAuthorization: {}", basic("blind", "pw"));
    let body = "ver:\"3.0\" watchDis:\"x\"\nid\n@a\n";
    assert_eq!(web.ask(&format!("POST /api/p/watchSub\n{head}"), body).status, 403);
    let number = u64::from_str_radix(&first, 16).unwrap();
    let gone = redis.ask(&["FOLIO.WATCH.INFO", "p", &format!("{:x}", number + 1)]);
    assert!(gone.as_error().is_some_and(|error| error.starts_with(b"UnknownWatchErr")), "{gone:?}");
}

/// The bounds of a project are those of all its watches, by whatever door they were opened; and a
/// lease ends.
#[test]
fn watches_are_counted_for_all_and_end() {
    let (web, mut redis) = project(&["--enable-debug-command", "yes"]);
    let opened = ask(&web, "watchSub", "watchDis:\"x\" lease:1hr", "@a");
    let short = ask(&web, "watchSub", "watchDis:\"x\" lease:1ms", "@a");
    assert!(short.meta.contains("lease:1sec"), "{}", short.meta);
    let long = ask(&web, "watchSub", "watchDis:\"x\" lease:9day", "");
    assert!(long.meta.contains("lease:3600sec"), "{}", long.meta);
    let mut left = 10_000 - 3;
    while left > 0 {
        let some = usize::min(left, 500);
        let one = wire::request(&["FOLIO.WATCH.OPEN", "p", "x", "LEASE", "3600"]);
        redis.send(&one.repeat(some));
        for _ in 0..some {
            assert!(redis.hear().as_error().is_none());
        }
        left -= some;
    }
    // The short one may have ended meanwhile: then there is room for one.
    let said: Vec<Said> = (0..2).map(|_| ask(&web, "watchSub", "watchDis:\"x\"", "@a")).collect();
    assert_eq!(said[1].text("errType"), "CommitErr", "{}", said[1].meta);
    assert_eq!(ask(&web, "watchPoll", &watch(&opened), "").rows.len(), 0);
    // With the project all end.
    redis.ask(&["DEL", "p"]);
    let body = format!("ver:\"3.0\" {}\nempty\n", watch(&opened));
    assert_eq!(page(&web, "watchPoll", &body).status, 404);
    redis.ask(&["FOLIO.OPEN", "p"]);
    assert_eq!(ask(&web, "watchPoll", &watch(&opened), "").text("errType"), "UnknownWatchErr");
}
