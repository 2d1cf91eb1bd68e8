//! `kvist export graph` and `kvist import graph`, what FalkorDB makes of such texts, and what is
//! there after a crash.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::process::Stdio;

use testkit::folder::Folder;

use crate::compared::{kvist, serve, stop};
use crate::graphs_of_falkordb::{MAKE, QUESTIONS, asked, falkordb, rows, texts};
use crate::server::{Server, program};

fn make(port: u16) {
    for query in MAKE {
        rows(port, "first", query);
    }
    // Whole graphs have no numbers without nodes before this, so that nodes come by other numbers.
    rows(
        port,
        "first",
        "MATCH (n:Person {name: 'p2'}) SET n:`a b`, n.f = 0.1, n.s = 'it\\'s\\n;\"'",
    );
    let unique = "GRAPH.CONSTRAINT CREATE first UNIQUE NODE Person PROPERTIES 1 name";
    asked(port, &unique.split(' ').collect::<Vec<_>>());
}

/// What a graph answers, and its schema.
fn answers(port: u16, graph: &str) -> Vec<String> {
    let schema = [
        "MATCH (n:`a b`) RETURN labels(n), n.f, n.s",
        "CALL db.indexes() YIELD label, properties",
        "CALL db.constraints()",
    ];
    let all = QUESTIONS.iter().chain(&schema);
    all.map(|query| format!("{query}: {:?}", rows(port, graph, query))).collect()
}

/// Runs the program with its output in a file.
fn kvist_to(file: &str, args: &[&str]) {
    let out = std::fs::File::create(file).unwrap();
    let done = program().args(args).stdout(Stdio::from(out)).stderr(Stdio::null()).status();
    assert!(done.unwrap().success(), "{args:?}");
}

#[test]
fn graphs_go_from_server_to_server_as_text() {
    let (one, other) = (Server::start(&[]), Server::start(&[]));
    make(one.port);
    let (from, to) =
        (format!("127.0.0.1:{}", one.port), format!("redis://127.0.0.1:{}", other.port));
    let folder = Folder::new("text");
    let (text, tables) = (folder.at("first.cypher"), folder.at("tables"));
    kvist_to(&text, &["export", "graph", &from, "first"]);
    let (done, said) = kvist(&["import", "graph", &to, "first", &text]);
    assert!(done && said.contains("statements"), "{said}");
    assert_eq!(answers(other.port, "first"), answers(one.port, "first"));

    let (done, said) = kvist(&["export", "graph", &from, "first", &tables, "--format", "csv"]);
    assert!(done && said.contains("falkordb-bulk-insert first --enforce-schema -N "), "{said}");
    let (done, said) = kvist(&["export", "graph", &from, "first", &tables, "--format", "csv"]);
    assert!(!done && said.contains("something in it already"), "{said}");
    let (done, said) = kvist(&["import", "graph", &to, "second", &tables]);
    assert!(done && said.contains("files"), "{said}");
    assert_eq!(answers(other.port, "second"), answers(one.port, "first"));

    rows(one.port, "empty", "RETURN 1");
    kvist_to(&text, &["export", "graph", &from, "empty"]);
    let (done, said) = kvist(&["import", "graph", &to, "empty", &text]);
    assert!(done, "{said}");
    assert_eq!(texts(&asked(other.port, &["TYPE", "empty"])).trim(), "graphdata");

    // What is wrong is told, with what was made before it.
    let mut long = "CREATE (:A {x: 'some; text'});\n".repeat(50_000);
    long.push_str("CREATE (:B; CREATE (:C);");
    std::fs::write(&text, &long).unwrap();
    let (done, said) = kvist(&["import", "graph", &to, "part", &text]);
    assert!(!done && said.contains("nothing of the part was made"), "{said}");
    let skip = said.split("--skip ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let made: u64 = skip.parse().unwrap();
    assert!(made > 0 && made < 50_000, "{said}");
    std::fs::write(&text, long.replace("(:B;", "(:B);")).unwrap();
    let (done, said) = kvist(&["import", "graph", &to, "part", &text, "--skip", skip]);
    assert!(done, "{said}");
    let count = texts(&rows(other.port, "part", "MATCH (n) RETURN toString(count(n))"));
    assert!(count.contains("50002"), "{count}");

    for wrong in [
        &["export", "graph", &from][..],
        &["export", "graph", &from, "none"],
        &["export", "graph", &from, "first", &tables],
        &["import", "graph", &to, "g", "/nowhere/at/all"],
    ] {
        assert!(!kvist(wrong).0, "{wrong:?}");
    }
    stop(one);
    stop(other);
}

/// What `--skip` is to be, as an error has said.
fn skip(said: &str) -> &str {
    said.split("--skip ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap()
}

/// Tables larger than a part, of which lines in the midst are wrong: what is imported by `--skip`
/// behind each error is there once.
#[test]
fn an_import_of_tables_goes_on_behind_the_line_that_was_made() {
    let server = Server::start(&[]);
    let (to, folder) = (format!("127.0.0.1:{}", server.port), Folder::new("skip"));
    let tables = folder.at("tables");
    std::fs::create_dir(&tables).unwrap();
    let write = |file: &str, text: &str| std::fs::write(format!("{tables}/{file}"), text).unwrap();
    write("tables.csv", "kind,name,file\nNODES,A,n.csv\nRELATIONSHIPS,TO,r.csv\n");
    let (mut nodes, mut edges) =
        (":ID,text:STRING\n".to_owned(), ":START_ID,:END_ID,t\n".to_owned());
    for id in 0..30_000 {
        nodes.push_str(&format!("{id},\"{}\nb\"\n", "x".repeat(60)));
        edges.push_str(&format!("{id},0,{}\n", "y".repeat(60)));
    }
    // Doubled, and without its node.
    write("n.csv", &format!("{nodes}7,again\n"));
    write("r.csv", &format!("{edges}7,70000,z\n"));
    let import = |more: &[&str]| kvist(&[&["import", "graph", &to, "g", &tables], more].concat());
    let (done, said) = import(&[]);
    assert!(!done && said.contains("this :ID is there already"), "{said}");
    let first = skip(&said).to_owned();
    let lines: u64 = first.strip_prefix("0:").unwrap().parse().unwrap();
    assert!(lines > 10_000 && lines < 30_000, "{said}");
    // Nothing is made of the part that is wrong, whichever is skipped.
    let (done, said) = import(&["--skip", &first]);
    assert!(!done && skip(&said) == first, "{said}");
    write("n.csv", &nodes);
    let (done, said) = import(&["--skip", &first]);
    assert!(!done && said.contains("no table has had a node with this :END_ID"), "{said}");
    let second = skip(&said).to_owned();
    let lines: u64 = second.strip_prefix("1:").unwrap().parse().unwrap();
    assert!(lines > 10_000 && lines < 30_000, "{said}");
    write("r.csv", &edges);
    let (done, said) = import(&["--skip", "1:40000"]);
    assert!(!done && said.contains("only 30000 lines"), "{said}");
    for beyond in ["3", "2:1"] {
        let (done, said) = import(&["--skip", beyond]);
        assert!(!done && said.contains("only 2 files"), "{said}");
    }
    let (done, said) = import(&["--skip", &second]);
    assert!(done, "{said}");
    for (query, count) in [
        ("MATCH (n) RETURN toString(count(n)), toString(count(DISTINCT id(n)))", 30_000),
        ("MATCH (:A)-[r:TO]->(:A) RETURN toString(count(r))", 30_000),
        ("MATCH (a:A)-[:TO]->() RETURN toString(count(DISTINCT a))", 30_000),
    ] {
        let said = texts(&rows(server.port, "g", query));
        assert!(said.split_whitespace().all(|word| word == count.to_string()), "{query}: {said}");
    }
    let (done, said) = kvist(&["import", "graph", &to, "g", "/dev/null", "--skip", "1:2"]);
    assert!(!done && said.contains("counts statements"), "{said}");
    // No tables at all are those of an empty graph.
    write("tables.csv", "kind,name,file\n");
    let (done, said) = kvist(&["import", "graph", &to, "none", &tables]);
    assert!(done, "{said}");
    assert_eq!(texts(&asked(server.port, &["TYPE", "none"])).trim(), "graphdata");
    stop(server);
}

/// Names with line breaks in them, in tables that come in several pieces.
#[test]
fn tables_have_one_header_whatever_is_in_it() {
    let server = Server::start(&[]);
    let (at, folder) = (format!("127.0.0.1:{}", server.port), Folder::new("names"));
    for (label, name) in [("A", "p\n\"q"), ("A", "p\nr"), ("B\nC", "s\rt")] {
        let make = format!("UNWIND range(1, 12000) AS i CREATE (:`{label}` {{`{name}`: 'x' + i}})");
        rows(server.port, "g", &make);
    }
    let tables = folder.at("tables");
    let (done, said) = kvist(&["export", "graph", &at, "g", &tables, "--format", "csv"]);
    assert!(done, "{said}");
    let (done, said) = kvist(&["import", "graph", &at, "h", &tables]);
    assert!(done, "{said}");
    let all = "MATCH (n) UNWIND keys(n) AS k WITH labels(n) AS l, k, n[k] AS v ORDER BY v RETURN \
               l, k, count(v), collect(v)";
    let texts_of = |graph: &str| {
        let text = format!("{:?}", rows(server.port, graph, all));
        text.split("Cached").next().unwrap().to_owned()
    };
    assert!(texts_of("h").contains("12000"));
    assert_eq!(texts_of("h"), texts_of("g"));
    stop(server);
}

/// Tables of other programs: ends of lines of all kinds, and a last line without one; and what is
/// wrong is told by the line that an editor shows.
#[test]
fn tables_end_their_lines_as_they_like() {
    let server = Server::start(&[]);
    let (to, folder) = (format!("127.0.0.1:{}", server.port), Folder::new("ends"));
    let tables = folder.at("tables");
    std::fs::create_dir(&tables).unwrap();
    let write = |file: &str, text: &str| std::fs::write(format!("{tables}/{file}"), text).unwrap();
    let import = |graph: &str| kvist(&["import", "graph", &to, graph, &tables]);
    let text = "x".repeat(60);
    let lines: String = (0..30_000).map(|id| format!("{id},\"{text}\n\"\n")).collect();
    let count = "MATCH (n:A) RETURN toString(count(n)) + ' of ' + toString(count(n.t))";
    for (graph, end) in [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")] {
        let ended = |text: &str| text.replace("\"\n", &format!("\"{end}"));
        write("tables.csv", &format!("kind,name,file{end}{end}NODES,A,n.csv"));
        write("n.csv", &ended(&format!("{end}:ID,t:STRING{end}{lines}30000,last")));
        let (done, said) = import(graph);
        assert!(done && said.contains("1 files"), "{graph}: {said}");
        let said = texts(&rows(server.port, graph, count));
        assert!(said.contains("30001 of 30001"), "{graph}: {said}");
        // Far behind the first part: an empty line, the header, and two lines for each node.
        write("n.csv", &ended(&format!("{end}:ID,t:STRING{end}{lines}1,2,3{end}")));
        let (done, said) = import(&format!("{graph}2"));
        assert!(!done && said.contains("ERR line 60003: there are 3 fields"), "{graph}: {said}");
    }
    for (table, wrong) in [
        ("name\n", "line 1: a header has :ID once"),
        ("", "a table has no header"),
        (":ID\n1\n\"2\n3\n", "a field in quotes has no end, from line 3 on"),
    ] {
        write("n.csv", table);
        let (done, said) = import("wrong");
        assert!(!done && said.contains(wrong), "{said}");
    }
    let text = folder.at("text.cypher");
    let statements = "CREATE (:A {x: 'some; text'});\n".repeat(50_000);
    std::fs::write(&text, statements + "CREATE (:B; CREATE (:C);").unwrap();
    let (done, said) = kvist(&["import", "graph", &to, "part", &text]);
    assert!(!done && said.contains("ERR statement 50001: "), "{said}");
    stop(server);
}

#[test]
fn falkordb_reads_what_is_exported() {
    let folder = Folder::new("peer");
    let Some(mut peer) = falkordb(&folder) else {
        return testkit::skip::because(
            "FalkorDB is not here: set KVIST_FALKORDB to a folder with its redis-server and \
             falkordb.so to have it run exported statements",
        );
    };
    let server = Server::start(&[]);
    make(server.port);
    let text = folder.at("first.cypher");
    kvist_to(&text, &["export", "graph", &format!("127.0.0.1:{}", server.port), "first"]);
    for line in std::fs::read_to_string(&text).unwrap().lines() {
        match line.strip_prefix("GRAPH.CONSTRAINT CREATE graph ") {
            None => drop(rows(peer.port(), "first", line)),
            Some(rest) => {
                let mut words = vec!["GRAPH.CONSTRAINT", "CREATE", "first"];
                words.extend(rest.trim_end_matches(';').split(' '));
                asked(peer.port(), &words);
            }
        }
    }
    testkit::wait::until("the constraint holds", || {
        let all = texts(&rows(peer.port(), "first", "CALL db.constraints()"));
        all.contains("OPERATIONAL") && !all.contains("CONSTRUCTION")
    });
    for query in QUESTIONS {
        assert_eq!(rows(peer.port(), "first", query), rows(server.port, "first", query), "{query}");
    }
    let odd = "MATCH (n:`a b`) RETURN labels(n), n.f, n.s";
    assert_eq!(rows(peer.port(), "first", odd), rows(server.port, "first", odd));
    let indexes = texts(&rows(peer.port(), "first", "CALL db.indexes()"));
    assert!(indexes.contains("Person") && indexes.contains("KNOWS"), "{indexes}");
    assert!(!indexes.contains("_export"), "{indexes}");
    peer.kill();
    stop(server);
}

/// After a crash there are whole parts, and all that were answered.
#[test]
fn an_import_that_is_cut_off_has_made_whole_parts() {
    let folder = Folder::new("crash");
    let server = serve(&folder, &["--appendfsync", "always"]);
    let port = server.port;
    let part = "UNWIND range(1, 60) AS i CREATE (:A {i: i}); UNWIND range(1, 40) AS i CREATE \
                (:B {i: i})-[:TO]->(:C);";
    let importing = std::thread::spawn(move || {
        let options = client::Options::tcp("127.0.0.1", port);
        let mut connection = client::Connection::open(&options).unwrap();
        let mut answered = 0_u64;
        while connection.call(["GRAPH.IMPORT", "g", "FORMAT", "CYPHER", part]).is_ok() {
            answered += 1;
        }
        answered
    });
    testkit::wait::until("some parts have come", || {
        texts(&asked(port, &["EXISTS", "g"])).is_empty()
            && asked(port, &["EXISTS", "g"]).as_i64() == Some(1)
    });
    std::thread::sleep(std::time::Duration::from_millis(50));
    server.signal("KILL");
    let answered = importing.join().unwrap();
    drop(server);
    let server = serve(&folder, &["--appendfsync", "always"]);
    let count = |label: &str| -> u64 {
        let query = format!("MATCH (n:{label}) RETURN toString(count(n))");
        let said = texts(&rows(server.port, "g", &query));
        said.trim().parse().unwrap_or_else(|_| panic!("{said}"))
    };
    let (a, b, c) = (count("A"), count("B"), count("C"));
    assert_eq!((a % 60, b % 40, b), (0, 0, c));
    assert_eq!(a / 60, b / 40);
    assert!(a / 60 >= answered && a / 60 <= answered + 1, "{} of {answered}", a / 60);
    stop(server);
}
