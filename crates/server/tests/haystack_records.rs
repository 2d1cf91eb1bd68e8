//! Records through the Haystack API: read, changed, navigated, written at levels; rights to them.

#![allow(clippy::unwrap_used)] // a test says why by failing

use crate::server::{Client, ok, text};
use crate::web::{Page, Web, basic};

/// A project `p`, and the client that has made it.
fn project() -> (Web, Client) {
    let web = Web::start(&[]);
    let mut redis = web.server.connect();
    assert_eq!(redis.ask(&["FOLIO.OPEN", "p"]), ok());
    let records = "ver:\"3.0\"\nid,dis,site,equip,point,writable,siteRef,equipRef,area\n\
        @s,\"Main\",M,,,,,,740m²\n@e,\"AHU\",,M,,,@s,,\n@a,\"A\",,,M,M,,@e,\n@b,\"B\",,,M,,,@e,\n";
    let page = post(&web, "commit", &format!("ver:\"3.0\" commit:\"add\"{}", &records[9..]));
    assert!(!page.contains("err"), "{page}");
    (web, redis)
}

fn grid(web: &Web, op: &str, body: &str) -> Page {
    web.ask(&format!("POST /api/p/{op}\nContent-Type: text/zinc"), body)
}

/// What an operation is answered, which is a grid.
fn post(web: &Web, op: &str, body: &str) -> String {
    let page = grid(web, op, body);
    assert_eq!(page.status, 200, "{op}: {page:?}");
    page.text()
}

fn get(web: &Web, path: &str) -> String {
    let page = web.get(&format!("/api/p/{path}"));
    assert_eq!(page.status, 200, "{path}: {page:?}");
    page.text()
}

/// The kind of the error that an operation is answered.
fn failure(said: &str) -> &str {
    let (_, kind) = said.split_once("errType:\"").unwrap_or_else(|| panic!("{said}"));
    kind.split('"').next().unwrap()
}

/// The display names of rows, in order.
fn rows(said: &str) -> Vec<&str> {
    let mut lines = said.lines().skip(1);
    let cols: Vec<&str> = lines.next().unwrap().split(',').collect();
    let Some(dis) = cols.iter().position(|col| *col == "dis") else { return Vec::new() };
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| line.split(',').nth(dis).unwrap().trim_matches('"')).collect()
}

#[test]
fn records_are_read_by_filter() {
    let (web, mut redis) = project();
    assert_eq!(rows(&get(&web, "read?filter=site")), ["Main"]);
    assert_eq!(rows(&get(&web, "read?filter=point&limit=1")), ["A"]);
    assert_eq!(get(&web, "read?filter=point&limit=0").lines().count(), 2);
    assert_eq!(rows(&post(&web, "read", "ver:\"3.0\"\nfilter\n\"area > 700m²\"\n")), ["Main"]);
    assert_eq!(rows(&get(&web, "read?filter=equipRef-%3esiteRef-%3esite")), ["A", "B"]);
    assert_eq!(rows(&get(&web, "read?filter=id&search=mai")), ["Main"]);
    for (filter, kind) in [("a%20b", "ParseErr"), ("", "ParseErr"), ("%5Ea%20%3D%3D", "ParseErr")] {
        assert_eq!(failure(&get(&web, &format!("read?filter={filter}"))), kind, "{filter}");
    }
    assert_eq!(failure(&get(&web, "read?filter=site&limit=-1")), "ArgErr");
    assert_eq!(failure(&get(&web, "read")), "ArgErr");
    assert_eq!(failure(&get(&web, "read?filter=5")), "ArgErr");
    // A filter of a million characters.
    let long = format!("ver:\"3.0\"\nfilter\n\"{}b\"\n", "a or ".repeat(200_000));
    let said = post(&web, "read", &long);
    assert!(said.contains("empty") || said.contains("errType"), "{}", &said[..200]);
    assert_eq!(web.get("/api/nothing/read?filter=site").status, 404);
    redis.ask(&["RPUSH", "list", "x"]);
    assert_eq!(web.get("/api/list/read?filter=site").status, 404);
    // Each format is that which was asked for.
    for (accept, part) in [
        ("application/json", r#""_kind":"marker""#),
        ("application/vnd.haystack+json;version=3", r#""site":"m:""#),
        ("text/trio", "\nsite\n"),
        ("text/csv", "✓"),
        ("text/zinc", "ver:\"3.0\""),
    ] {
        let page = web.ask(&format!("GET /api/p/read?filter=site\nAccept: {accept}"), "");
        assert!(page.text().contains(part), "{accept}: {}", page.text());
        // An error is told in any case.
        let page = web.ask(&format!("GET /api/p/read?filter=a%20b\nAccept: {accept}"), "");
        assert!(page.text().contains("ParseErr"), "{accept}: {}", page.text());
    }
}

#[test]
fn records_are_read_by_id() {
    let (web, _redis) = project();
    let read = |ids: &str| post(&web, "read", &format!("ver:\"3.0\"\nid\n{ids}"));
    assert_eq!(rows(&read("@b\n@a\n")), ["B", "A"]);
    let said = read("@b\n@unknown\n@a\n");
    assert_eq!(said.trim_end().lines().count(), 5, "{said}");
    assert_eq!(rows(&said), ["B", "", "A"]);
    let said = read("@unknown\n");
    assert_eq!(said.trim_end().lines().count(), 3, "{said}");
    assert!(get(&web, "read?id=@s").contains("Main"));
    assert_eq!(failure(&post(&web, "read", "ver:\"3.0\"\nid\n\"s\"\n")), "ArgErr");
}

#[test]
fn commits_are_done_or_not() {
    let (web, mut redis) = project();
    let commit =
        |meta: &str, body: &str| post(&web, "commit", &format!("ver:\"3.0\" {meta}\n{body}"));
    let added = commit("commit:\"add\"", "dis,num\n\"New\",5\n");
    assert!(added.contains("New") && added.contains("mod"), "{added}");
    assert_eq!(failure(&commit("commit:\"add\"", "id,dis\n@x,\"X\"\n@s,\"Again\"\n")), "CommitErr");
    assert_eq!(get(&web, "read?filter=id%20%3D%3D%20@x").lines().count(), 2, "none of it is done");
    assert_eq!(failure(&commit("commit:\"nonsense\"", "dis\n\"x\"\n")), "ArgErr");
    assert_eq!(failure(&commit("", "dis\n\"x\"\n")), "ArgErr");
    assert_eq!(failure(&commit("commit:\"update\"", "dis\n\"x\"\n")), "DiffErr");
    // A change needs the time of the last one, unless it is forced.
    let stale = "id,mod,dis\n@s,2020-01-01T00:00:00Z UTC,\"Other\"\n";
    assert_eq!(failure(&commit("commit:\"update\"", stale)), "ConcurrentChangeErr");
    assert_eq!(rows(&commit("commit:\"update\" force", stale)), ["Other"]);
    let said = commit("commit:\"update\" transient force", "id,curVal\n@a,5kW\n");
    assert!(said.contains("5kW"), "{said}");
    let before = redis.ask(&["FOLIO.COUNT", "p", "id"]).as_i64().unwrap();
    commit("commit:\"remove\" force", "id\n@b\n");
    assert_eq!(redis.ask(&["FOLIO.COUNT", "p", "id"]).as_i64().unwrap(), before - 1);
    assert_eq!(failure(&commit("commit:\"remove\" force", "id\n@b\n")), "CommitErr");
    assert_eq!(get(&web, "export?filter=site").lines().count(), 3);
    assert!(get(&web, "export").lines().count() > 4);
}

#[test]
fn what_lies_below_is_found() {
    let (web, mut redis) = project();
    assert_eq!(rows(&get(&web, "nav")), ["Main"]);
    assert_eq!(rows(&get(&web, "nav?navId=@s")), ["AHU"]);
    assert!(get(&web, "nav?navId=@s").contains("navId"));
    let points = get(&web, "nav?navId=@e");
    assert_eq!((rows(&points), points.contains("navId")), (vec!["A", "B"], false));
    assert_eq!(failure(&get(&web, "nav?navId=@unknown")), "UnknownRecErr");
    assert_eq!(failure(&get(&web, "nav?navId=5")), "ArgErr");
    let defs = "{def:^ahu is:[^equip]}";
    redis.ask(&["FOLIO.COMMIT", "p", "FORMAT", "zinc", "ADD", defs]);
    assert!(get(&web, "defs").contains("^ahu") && !get(&web, "libs").contains("^ahu"));
}

#[test]
fn points_are_written_at_levels() {
    let (web, _redis) = project();
    let write = |row: &str| {
        post(&web, "pointWrite", &format!("ver:\"3.0\"\nid,level,val,who,duration\n{row}\n"))
    };
    let levels = || post(&web, "pointWrite", "ver:\"3.0\"\nid\n@a\n");
    assert_eq!(levels().trim_end().lines().count(), 19);
    assert!(write("@a,16,55kW,,").starts_with("ver:\"3.0\" ok"));
    write("@a,8,77kW,\"me\",30min");
    let said = levels();
    assert!(said.contains("16,\"16\",55kW,\"default\","), "{said}");
    assert!(said.contains("8,\"8 (manual)\",77kW,\"me\",20"), "{said}");
    let counts = || get(&web, "read?filter=writeVal");
    assert!(counts().contains("77kW"), "{}", counts());
    write("@a,8,N,,");
    assert!(counts().contains("55kW"), "{}", counts());
    // One that has ended counts for nothing.
    write("@a,8,99kW,,0min");
    assert!(!levels().contains("99kW"));
    write("@a,16,N,,");
    assert_eq!(counts().lines().count(), 2);
    for wrong in
        ["@a,0,1,,", "@a,18,1,,", "@a,\"x\",1,,", "@b,8,1,,", "@a,9,1,,5min", "@a,8,1,,5kW"]
    {
        assert_eq!(failure(&write(wrong)), "ArgErr", "{wrong}");
    }
    assert_eq!(failure(&write("@unknown,8,1,,")), "UnknownRecErr");
}

#[test]
fn functions_are_actions() {
    let (web, mut redis) = project();
    let library = "#!lua name=l\n\
        redis.register_function('echo', function(keys, args) \
        return keys[1] .. '|' .. args[1] .. '|' .. args[2] end)\n\
        redis.register_function('rows', function() return 'ver:\"3.0\"\\na\\n1\\n2\\n' end)\n\
        redis.register_function('fails', function() return redis.error_reply('ERR no') end)\n";
    assert_eq!(text(&redis.ask(&["FUNCTION", "LOAD", library])), "l");
    let invoke = |meta: &str| {
        post(&web, "invokeAction", &format!("ver:\"3.0\" {meta}\nlevel,who\n5kW,\"me\"\n"))
    };
    let said = invoke("id:@a action:\"echo\"");
    assert!(said.contains("p|a|{level:5kW who:\\\"me\\\"}"), "{said}");
    assert_eq!(invoke("id:@a action:\"rows\"").trim_end().lines().count(), 4);
    assert_eq!(failure(&invoke("id:@a action:\"fails\"")), "Err");
    assert_eq!(failure(&invoke("id:@a action:\"unknown\"")), "Err");
    assert_eq!(failure(&invoke("id:@unknown action:\"echo\"")), "UnknownRecErr");
    assert_eq!(failure(&invoke("action:\"echo\"")), "ArgErr");
}

#[test]
fn a_few_expressions_are_known() {
    let (web, _redis) = project();
    let eval = |expr: &str| {
        let expr = expr.replace('"', "\\\"");
        post(&web, "eval", &format!("ver:\"3.0\"\nexpr\n\"{expr}\"\n"))
    };
    assert!(eval("readCount(point)").contains("\nval\n2\n"));
    assert_eq!(rows(&eval("readAll(point and equipRef==@e)")), ["A", "B"]);
    assert_eq!(rows(&eval("read(site)")), ["Main"]);
    assert_eq!(failure(&eval("read(unknown)")), "UnknownRecErr");
    assert_eq!(eval("read(unknown, false)").lines().count(), 2);
    assert!(eval("diff(null, {id:@n, dis:\"N\", x}, {add}).commit").contains("\"N\""));
    assert!(eval("readById(@n).diff({dis:\"M\"}).commit()").contains("\"M\""));
    assert!(eval("readById(@n).diff({trash}).commit").contains("trash"));
    assert_eq!(failure(&eval("readById(@n)")), "UnknownRecErr");
    eval("readAll(point).toRecList.map(r => diff(r, null, {remove})).commit");
    assert!(eval("readCount(point)").contains("\nval\n0\n"));
    for unknown in ["1 + 1", "readAll(site).map(x => x)", "folioSync()", "", "read("] {
        assert_eq!(failure(&eval(unknown)), "EvalErr", "{unknown}");
    }
}

#[test]
fn rights_are_those_of_the_user() {
    let (web, mut redis) = project();
    redis.ask(&[
        "ACL",
        "SETUSER",
        "reader",
        "on",
        ">r",
        "~p",
        "+folio.readall",
        "+folio.readbyids",
    ]);
    redis.ask(&["ACL", "SETUSER", "other", "on", ">o", "~q", "+@all"]);
    let status = |user: &str, password: &str, request: &str, body: &str| {
        let head = format!("{request}\nAuthorization: {}", basic(user, password));
        web.ask(&format!("{head}\nContent-Type: text/zinc"), body).status
    };
    let commit = "ver:\"3.0\" commit:\"add\"\ndis\n\"x\"\n";
    assert_eq!(status("reader", "r", "GET /api/p/read?filter=site", ""), 200);
    assert_eq!(status("reader", "r", "GET /api/p/about", ""), 200);
    assert_eq!(status("reader", "r", "POST /api/p/commit", commit), 403);
    assert_eq!(status("reader", "r", "GET /api/q/read?filter=site", ""), 403);
    assert_eq!(status("other", "o", "GET /api/p/read?filter=site", ""), 403);
    assert_eq!(status("other", "o", "POST /api/p/commit", commit), 403);
    assert_eq!(status("other", "o", "GET /api/q/read?filter=site", ""), 404);
}

/// What the rules of the port are elsewhere they are here.
#[test]
fn no_room_is_told_by_a_status() {
    let (web, mut redis) = project();
    redis.ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1"]);
    let page = grid(&web, "commit", "ver:\"3.0\" commit:\"add\"\ndis\n\"x\"\n");
    assert_eq!((page.status, page.header("retry-after")), (503, Some("1")), "{page:?}");
    assert_eq!(rows(&get(&web, "read?filter=site")), ["Main"]);
}

#[test]
fn samples_of_several_points_are_written_all_or_none() {
    let (web, mut redis) = project();
    let point = "point his tz:\"UTC\" kind:\"Number\"";
    let points = format!("[{{id:@x {point}}},{{id:@y {point} unit:\"kW\"}}]");
    redis.ask(&["FOLIO.COMMIT", "p", "ADD", &points]);
    let write =
        |rows: &str| post(&web, "hisWrite", &format!("ver:\"3.0\"\nts,v0 id:@x,v1 id:@y\n{rows}"));
    let mut size = |id: &str| redis.ask(&["FOLIO.HIS.READ", "p", id]).as_slice().unwrap().len();
    let (one, two) = ("2024-05-01T01:00:00Z UTC", "2024-05-01T02:00:00Z UTC");
    for wrong in ["5m", "T", "\"x\""] {
        let said = write(&format!("{one},1,2kW\n{two},3,{wrong}\n"));
        assert_eq!(failure(&said), "HisWriteErr", "{wrong}");
        assert_eq!((size("x"), size("y")), (0, 0), "{wrong}");
    }
    let grid =
        |cols: &str| post(&web, "hisWrite", &format!("ver:\"3.0\"\nts,{cols}\n{one},1,2kW\n"));
    assert_eq!(failure(&grid("v0 id:@x,v1 id:@nowhere")), "UnknownRecErr");
    assert_eq!(failure(&grid("v0 id:@x,v1 id:@s")), "HisConfigErr");
    assert_eq!(failure(&grid("v0 id:@x,v1")), "ArgErr");
    assert_eq!((size("x"), size("y")), (0, 0));
    assert!(write(&format!("{one},1,\n{two},3,4kW\n")).contains("empty"));
    assert_eq!((size("x"), size("y")), (2, 1));
    // Nothing to be written is no error.
    assert!(write("").contains("empty"));
    // It is a right of its own.
    redis.ask(&["ACL", "SETUSER", "w", "on", ">w", "~p", "+@all", "-folio.his.writeall"]);
    let head = format!("POST /api/p/hisWrite\nAuthorization: {}", basic("w", "w"));
    let body = format!("ver:\"3.0\"\nts,v0 id:@x,v1 id:@y\n{one},1,2kW\n");
    assert_eq!(web.ask(&format!("{head}\nContent-Type: text/zinc"), &body).status, 403);
    let body = format!("ver:\"3.0\" id:@x\nts,val\n{one},1\n");
    assert_eq!(web.ask(&format!("{head}\nContent-Type: text/zinc"), &body).status, 200);
}
