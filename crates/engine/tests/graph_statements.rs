//! Statements on graphs as others see them: the slow log, GRAPH.INFO and GRAPH.KILL, settings by
//! FalkorDB's names, and what the parts of a graph take.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kvist_engine::State;

use crate::graphs::{ask, check, held_up, nothing_left, told, until};
use crate::test_client::{TestClient, engine, engine_with};

/// Takes some tens of milliseconds, and makes nothing.
const SLOW: &str = "UNWIND range(1, 200000) AS i RETURN count(i)";
/// Takes as long as it may.
const ENDLESS: &str = "UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b \
                       UNWIND range(1, 9999) AS c RETURN count(c)";

#[test]
fn the_slowest_statements_are_remembered_with_their_graph() {
    let mut client = TestClient::new(&engine());
    client.ask("GRAPH.QUERY g \"CREATE (:A)\"");
    assert_eq!(client.ask("GRAPH.SLOWLOG g"), "*0");
    client.ask(&format!("GRAPH.QUERY g \"CYPHER x=1 {SLOW} + $x\""));
    client.ask(&format!("GRAPH.RO_QUERY g \"{SLOW}\""));
    client.ask(&format!("GRAPH.RO_QUERY g \"{SLOW}\""));
    client.ask("MULTI");
    client.ask(&format!("GRAPH.PROFILE g \"{SLOW} + 2\""));
    client.ask("EXEC");
    let log = client.ask("GRAPH.SLOWLOG g");
    assert!(log.starts_with("*3\r\n*5\r\n$4\r\n1000\r\n"), "{log}");
    assert!(log.contains("$11\r\nCYPHER x=1"), "{log}");
    for command in ["GRAPH.QUERY", "GRAPH.RO_QUERY", "GRAPH.PROFILE"] {
        assert_eq!(log.matches(&format!("\r\n{command}\r\n")).count(), 1, "{log}");
    }
    // It goes where the graph goes, and what is copied has its own.
    client.ask("GRAPH.COPY g copy");
    client.ask("RENAME g moved");
    assert_eq!(client.ask("GRAPH.SLOWLOG copy"), "*0");
    assert!(client.ask("GRAPH.SLOWLOG moved").starts_with("*3\r\n"));
    let engine = Arc::clone(&client.worker.engine);
    assert!(engine.store.versions.remembered() > 0);
    check(
        &mut client,
        &[
            ("GRAPH.SLOWLOG moved WORD", "-Unknown subcommand"),
            ("GRAPH.SLOWLOG moved reset", "+OK"),
            ("GRAPH.SLOWLOG moved", "*0"),
            ("GRAPH.SLOWLOG none", "-ERR Invalid graph operation on empty key"),
            ("EXISTS none", ":0"),
        ],
    );
    assert_eq!(engine.store.versions.remembered(), 0);
    client.ask(&format!("GRAPH.QUERY moved \"CREATE (:B) WITH 1 AS o {SLOW}\""));
    assert!(engine.store.versions.remembered() > 0);
    client.ask("FLUSHALL");
    nothing_left(&mut client);
    assert_eq!(engine.store.versions.remembered(), 0);
}

#[test]
fn what_the_parts_of_a_graph_take_is_told() {
    let mut client = TestClient::new(&engine());
    let make = "UNWIND range(1, 60000) AS i \
                CREATE (:A {t: 'a text of some length ' + i})-[:R {w: i}]->(:B)";
    client.ask(&format!("GRAPH.QUERY g \"{make}\" TIMEOUT 0"));
    client.ask("GRAPH.QUERY g \"CREATE INDEX FOR (n:A) ON (n.t)\"");
    let told = ask(&mut client, "GRAPH.MEMORY usage g samples 3");
    let words: Vec<&str> = told.split(' ').collect();
    let number = |name: &str| {
        let at = words.iter().position(|word| *word == name).unwrap();
        words[at + 1].strip_prefix(':').unwrap().parse::<usize>().unwrap()
    };
    let all = number("total_graph_sz_mb");
    assert!(number("A") >= 1 && number("B") == 0, "{told}");
    let parts = ["label_matrices_sz_mb", "relation_matrices_sz_mb", "indices_sz_mb", "A", "R"];
    let sum: usize = parts.iter().map(|part| number(part)).sum();
    assert!(all >= sum && all <= sum + 8, "{told}");
    check(
        &mut client,
        &[
            ("GRAPH.MEMORY USAGE none", "-ERR Invalid graph operation on empty key"),
            ("GRAPH.MEMORY USAGE g SAMPLES -1", "-SAMPLES must be a non-negative integer"),
            (
                "GRAPH.MEMORY WORD g",
                "-ERR unknown subcommand 'WORD'. expecting GRAPH.MEMORY USAGE <key>",
            ),
        ],
    );
    nothing_left(&mut client);
}

#[test]
fn settings_have_the_names_of_falkordb() {
    let mut client = TestClient::new(&engine_with("graph-query-memory 2mb"));
    client.ask("GRAPH.QUERY g \"UNWIND range(1, 9) AS i CREATE (:A {i: i})\"");
    let rows = "*3 *1 $1 i *3 *1 :1 *1 :2 *1 :3 *2 $19 Cached execution: 0 time";
    let fixed = "-This configuration parameter cannot be set at run-time";
    check(
        &mut client,
        &[
            ("GRAPH.CONFIG GET resultset_size", "*2 $14 RESULTSET_SIZE :-1"),
            ("GRAPH.CONFIG GET QUERY_MEM_CAPACITY", "*2 $18 QUERY_MEM_CAPACITY :2097152"),
            ("GRAPH.CONFIG GET NONE", "-Unknown configuration field"),
            ("GRAPH.CONFIG SET THREAD_COUNT 99", fixed),
            ("GRAPH.CONFIG SET CMD_INFO no", fixed),
            ("GRAPH.CONFIG SET CMD_INFO yes", "+OK"),
            ("GRAPH.CONFIG SET RESULTSET_SIZE 3 NONE 1", "-Unknown configuration field"),
            (
                "GRAPH.CONFIG SET RESULTSET_SIZE x",
                "-Failed to set config value RESULTSET_SIZE to x",
            ),
            ("GRAPH.CONFIG GET RESULTSET_SIZE", "*2 $14 RESULTSET_SIZE :-1"),
            ("GRAPH.CONFIG SET RESULTSET_SIZE 3 TIMEOUT_MAX 100", "+OK"),
            ("CONFIG GET graph-resultset-size", "*2 $20 graph-resultset-size $1 3"),
            ("GRAPH.RO_QUERY g \"MATCH (n) RETURN n.i AS i ORDER BY i\"", rows),
            (
                "GRAPH.QUERY g \"RETURN 1\" TIMEOUT 101",
                "-The query TIMEOUT parameter value cannot exceed the TIMEOUT_MAX configuration \
                 parameter value",
            ),
            (
                "GRAPH.CONFIG SET TIMEOUT_DEFAULT 101",
                "-TIMEOUT_DEFAULT configuration parameter cannot be set to a value higher than \
                 TIMEOUT_MAX",
            ),
            ("GRAPH.CONFIG SET TIMEOUT_DEFAULT 50", "+OK"),
            (
                "GRAPH.CONFIG SET TIMEOUT_MAX 49",
                "-TIMEOUT_MAX configuration parameter cannot be set to a value lower than \
                 TIMEOUT_DEFAULT",
            ),
            (
                "GRAPH.CONFIG SET TIMEOUT 9",
                "-The TIMEOUT configuration parameter is deprecated. Please set TIMEOUT_MAX and \
                 TIMEOUT_DEFAULT instead",
            ),
            ("GRAPH.CONFIG SET RESULTSET_SIZE -7", "+OK"),
        ],
    );
    // What may run as long as it likes may run as long as any.
    assert_eq!(client.ask(&format!("GRAPH.QUERY g \"{ENDLESS}\" TIMEOUT 0")), "-Query timed out");
    assert!(client.ask("GRAPH.CONFIG GET *").starts_with("*20\r\n"));
    nothing_left(&mut client);
}

/// Pairs that come together are checked by what they make together, in whatever order.
#[test]
fn settings_are_checked_by_what_all_pairs_make() {
    let mut client = TestClient::new(&engine());
    let above = "-TIMEOUT_DEFAULT configuration parameter cannot be set to a value higher than \
                 TIMEOUT_MAX";
    let below = "-TIMEOUT_MAX configuration parameter cannot be set to a value lower than \
                 TIMEOUT_DEFAULT";
    check(
        &mut client,
        &[
            ("GRAPH.CONFIG SET TIMEOUT_MAX 1000 TIMEOUT_DEFAULT 2000", above),
            ("GRAPH.CONFIG SET TIMEOUT_DEFAULT 2000 TIMEOUT_MAX 1000", above),
            ("GRAPH.CONFIG SET TIMEOUT 2000 TIMEOUT_MAX 1000", above),
            ("GRAPH.CONFIG GET TIMEOUT_MAX", "*2 $11 TIMEOUT_MAX :0"),
            ("GRAPH.CONFIG GET TIMEOUT_DEFAULT", "*2 $15 TIMEOUT_DEFAULT :0"),
            ("GRAPH.CONFIG SET TIMEOUT_MAX 1000", "+OK"),
            ("GRAPH.CONFIG SET TIMEOUT_MAX 5000 TIMEOUT_DEFAULT 4000", "+OK"),
            ("GRAPH.CONFIG SET TIMEOUT_DEFAULT 7000 TIMEOUT_MAX 8000", "+OK"),
            ("GRAPH.CONFIG SET TIMEOUT_MAX 1000", below),
            ("GRAPH.CONFIG SET TIMEOUT_MAX 1 TIMEOUT_MAX 9000", "+OK"),
            ("GRAPH.CONFIG SET TIMEOUT_MAX 100 TIMEOUT_DEFAULT 50", "+OK"),
            ("GRAPH.CONFIG SET TIMEOUT_DEFAULT 0 TIMEOUT_MAX 0", "+OK"),
            ("GRAPH.CONFIG SET TIMEOUT 10 TIMEOUT_MAX 50", "+OK"),
            // What others have said of it is left alone where nothing is said here.
            ("CONFIG SET graph-timeout 60", "+OK"),
            ("GRAPH.CONFIG SET RESULTSET_SIZE 3", "+OK"),
        ],
    );
}

/// What begins anew on a thread for queries takes the settings of now, not those of the thread's
/// first job.
#[test]
fn what_begins_anew_knows_the_settings_of_now() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    let long = "GRAPH.QUERY g \"UNWIND range(1, 20000) AS i CREATE (:A)\"\r\n";
    client.ask("GRAPH.CONFIG SET TIMEOUT_MAX 1000");
    assert_eq!(client.feed(long).1, State::Blocked);
    assert!(told(&mut client).contains("Nodes created: 20000"));
    client.ask("GRAPH.CONFIG SET TIMEOUT_MAX 0 RESULTSET_SIZE 2");
    assert_eq!(client.feed(long).1, State::Blocked);
    let behind = "UNWIND range(1, 9) AS i CREATE (:B {i: i}) RETURN i";
    let behind = format!("GRAPH.QUERY g \"{behind}\" TIMEOUT 5000\r\n");
    assert_eq!(other.feed(&behind).1, State::Blocked);
    assert!(told(&mut client).contains("Nodes created: 20000"));
    let reply = told(&mut other);
    assert!(reply.starts_with("*3 *1 $1 i *2 *1 :1 *1 :2 *"), "{reply}");
    nothing_left(&mut client);
}

/// The id of the one statement that GRAPH.INFO tells.
fn id(client: &mut TestClient, section: &str) -> Option<String> {
    let told = ask(client, &format!("GRAPH.INFO {section}"));
    told.split("$2 Id :").nth(1).map(str::to_owned)
}

#[test]
fn a_statement_that_runs_is_told_and_ended() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("GRAPH.QUERY g \"CREATE (:A)\"");
    for text in [ENDLESS.to_owned(), format!("CREATE (:B) WITH 1 AS one {ENDLESS}")] {
        assert_eq!(client.feed(&format!("GRAPH.QUERY g \"{text}\"\r\n")).1, State::Blocked);
        until(|| id(&mut other, "RunningQueries").is_some());
        let told_of = ask(&mut other, "GRAPH.INFO");
        assert!(told_of.contains("$10 Graph name $1 g $5 Query "), "{told_of}");
        assert!(told_of.contains("$18 Execution duration "), "{told_of}");
        assert!(told_of.contains("$18 Replicated command :0"), "{told_of}");
        let id = id(&mut other, "RunningQueries").unwrap();
        assert_eq!(other.ask(&format!("GRAPH.KILL {id}")), "+OK");
        assert_eq!(told(&mut client), "-ERR the statement was ended by GRAPH.KILL");
        let again = other.ask(&format!("GRAPH.KILL {id}"));
        assert!(again.starts_with("-ERR there is no such statement"), "{again}");
        nothing_left(&mut other);
    }
    let count = "GRAPH.RO_QUERY g \"MATCH (n) RETURN count(n)\"";
    assert!(ask(&mut other, count).contains("*1 *1 :1 "));
    assert_eq!(ask(&mut other, "GRAPH.INFO waitingqueries word"), "*2 $17 # Waiting queries *0");
    assert_eq!(other.ask("GRAPH.INFO word"), "$16\r\nno section found");
}

#[cfg(debug_assertions)]
#[test]
fn a_statement_that_waits_is_told_and_ended() {
    let (engine, mut holder, mut other) = held_up("", "info");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed("GRAPH.QUERY g \"CREATE ()\"\r\n").1, State::Blocked);
    // 2048 bytes are in the middle of a letter, which is not shown.
    let long = format!("GRAPH.QUERY h \"RETURN 'xxx{}'\"\r\n", "é".repeat(5000));
    let mut second = TestClient::new(&engine);
    assert_eq!(second.feed(&long).1, State::Blocked);
    let told_of = ask(&mut other, "GRAPH.INFO");
    assert!(told_of.starts_with("*6 $17 # Running queries *0 $17 # Waiting queries *2 *10 "));
    assert!(told_of.contains("$2050 RETURN 'xxxé"), "{told_of}");
    // What is no statement is told by its request: the first of its words, cut as any text.
    let mut third = TestClient::new(&engine);
    let constraint =
        format!("GRAPH.CONSTRAINT CREATE i UNIQUE NODE {} PROPERTIES 1 p", "l".repeat(2020));
    assert_eq!(third.feed(&format!("{constraint}\r\n")).1, State::Blocked);
    let told_of = ask(&mut other, "GRAPH.INFO waitingqueries");
    let shown = format!("$1 i $5 Query $2051 {}... ", &constraint[..2048]);
    let of_i = told_of.split(&shown).nth(1).and_then(|told| told.split("$2 Id :").nth(1));
    let of_i = of_i.and_then(|told| told.split(' ').next()).unwrap_or_else(|| panic!("{told_of}"));
    assert_eq!(other.ask(&format!("GRAPH.KILL {of_i}")), "+OK");
    assert_eq!(told(&mut third), "-ERR the statement was ended by GRAPH.KILL");
    // Who may read one graph sees that one.
    other.ask("ACL SETUSER reader on nopass %R~h +@graph");
    let mut reader = TestClient::new(&engine);
    reader.ask("AUTH reader any");
    let seen = ask(&mut reader, "GRAPH.INFO");
    assert!(seen.contains("Graph name $1 h") && !seen.contains("Graph name $1 g"), "{seen}");
    let of_h = id(&mut reader, "WaitingQueries").unwrap();
    assert!(reader.ask(&format!("GRAPH.KILL {of_h}")).starts_with("-NOPERM"));
    assert!(reader.ask("GRAPH.CONFIG SET TIMEOUT_MAX 1").starts_with("-NOPERM"));
    assert_eq!(reader.ask("GRAPH.CONFIG GET TIMEOUT_MAX"), "*2\r\n$11\r\nTIMEOUT_MAX\r\n:0");
    assert_eq!(other.ask(&format!("GRAPH.KILL {of_h}")), "+OK");
    assert_eq!(told(&mut second), "-ERR the statement was ended by GRAPH.KILL");
    let of_g = id(&mut other, "WaitingQueries").unwrap();
    assert_eq!(other.ask(&format!("GRAPH.KILL {of_g}")), "+OK");
    assert_eq!(told(&mut client), "-ERR the statement was ended by GRAPH.KILL");
    other.ask("RING.GATE OPEN info");
    holder.answered();
    assert_eq!(other.ask("EXISTS g h"), ":0");
    nothing_left(&mut other);
}

#[test]
fn a_statement_in_a_transaction_is_told_and_ended() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    other.ask("GRAPH.QUERY g \"CREATE (:A)\"");
    std::thread::scope(|scope| {
        let run = scope.spawn(move || {
            client.ask("MULTI");
            client.ask("GRAPH.QUERY g \"CREATE (:B)\"");
            client.ask(&format!("GRAPH.QUERY g \"CREATE (:C) WITH 1 AS one {ENDLESS}\""));
            client.ask("GRAPH.QUERY g \"CREATE (:D)\"");
            let exec = client.ask("EXEC");
            client.worker.txn.report_memory();
            exec
        });
        let mut found = None;
        until(|| {
            found = id(&mut other, "RunningQueries");
            found.is_some()
        });
        assert_eq!(other.ask(&format!("GRAPH.KILL {}", found.unwrap())), "+OK");
        let exec = run.join().unwrap();
        assert!(exec.contains("-ERR the query was ended: by SCRIPT KILL or GRAPH.KILL"), "{exec}");
    });
    // What stands before and behind it has run.
    let labels = "GRAPH.RO_QUERY g \"MATCH (n) RETURN DISTINCT labels(n) AS l ORDER BY l\"";
    let found = ask(&mut other, labels);
    assert!(found.contains("*3 *1 $3 [A] *1 $3 [B] *1 $3 [D] "), "{found}");
    nothing_left(&mut other);
}

/// One that has taken effect is not ended, though its client has not been answered yet: what the
/// other client is told is so.
#[test]
fn a_statement_at_its_end_is_not_ended_any_more() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    for text in ["CREATE (:A)", "UNWIND range(1, 9999) AS i WITH count(i) AS c RETURN c"] {
        assert_eq!(client.feed(&format!("GRAPH.QUERY g \"{text}\"\r\n")).1, State::Blocked);
        let ticket = client.session.blocked.as_ref().unwrap().waiter.ticket;
        until(|| !client.messages.is_empty(client.session.client.id));
        let told_of = other.ask(&format!("GRAPH.KILL {ticket}"));
        assert!(told_of.starts_with("-ERR the statement is at its end"), "{told_of}");
        let reply = told(&mut client);
        assert!(!reply.starts_with('-'), "{reply}");
        let told_of = other.ask(&format!("GRAPH.KILL {ticket}"));
        assert!(told_of.starts_with("-ERR there is no such statement"), "{told_of}");
    }
    let count = "GRAPH.RO_QUERY g \"MATCH (n) RETURN count(n)\"";
    assert!(ask(&mut other, count).contains("*1 *1 :1 "));
    nothing_left(&mut other);
}

/// To read a long text takes long: in a transaction and in a script it is ended as what the
/// statement does is. The text is wrong at its very end, so that nothing else could take long.
#[test]
fn the_reading_of_a_long_text_is_ended_where_keys_are_held() {
    let engine = engine();
    let text = format!("RETURN [{}1", "1,".repeat(1_500_000));
    let bulk = |word: &str| format!("${}\r\n{word}\r\n", word.len());
    let query = |command: &str| format!("*3\r\n{}{}{}", bulk(command), bulk("g"), bulk(&text));
    let script = bulk("return redis.call('graph.ro_query', KEYS[1], ARGV[1])");
    let script = format!("*5\r\n{}{script}{}{}{}", bulk("EVAL"), bulk("1"), bulk("g"), bulk(&text));
    let mut other = TestClient::new(&engine);
    other.ask("GRAPH.QUERY g \"CREATE (:A)\"");
    for (input, ended) in [
        (format!("MULTI\r\n{}EXEC\r\n", query("GRAPH.QUERY")), "-ERR the query was ended"),
        (format!("MULTI\r\n{}EXEC\r\n", query("GRAPH.EXPLAIN")), "-ERR the query was ended"),
        (script, "-ERR Script killed by user"),
    ] {
        let mut client = TestClient::new(&engine);
        std::thread::scope(|scope| {
            let run = scope.spawn(move || {
                let (replies, _) = client.feed(&input);
                client.worker.txn.report_memory();
                replies
            });
            until(|| other.ask("SCRIPT KILL") == "+OK");
            let replies = run.join().unwrap();
            assert!(replies.contains(ended) && !replies.contains("errMsg"), "{replies}");
        });
        nothing_left(&mut other);
    }
    // By itself it is read on a thread, to its end.
    let mut client = TestClient::new(&engine);
    assert_eq!(client.feed(&query("GRAPH.RO_QUERY")).1, State::Blocked);
    let reply = told(&mut client);
    assert!(reply.starts_with("-errMsg: Invalid input at end of input: expected "), "{reply}");
    // So is its end, where it is to end.
    assert_eq!(client.feed(&query("GRAPH.RO_QUERY")).1, State::Blocked);
    let ticket = client.session.blocked.as_ref().unwrap().waiter.ticket;
    assert_eq!(other.ask(&format!("GRAPH.KILL {ticket}")), "+OK");
    assert_eq!(told(&mut client), "-ERR the statement was ended by GRAPH.KILL");
    nothing_left(&mut other);
}

/// Statements that write are ended at any moment: whose client is told that it was ended finds
/// nothing of it, and whose client is answered finds it.
#[test]
fn what_was_ended_is_not_there_and_what_was_answered_is() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut made = 0;
    for round in 0..300 {
        let query =
            format!("GRAPH.QUERY g \"UNWIND range(1, {}) AS i CREATE (:A)\"\r\n", round % 40);
        if client.feed(&query).1 == State::Blocked {
            let ticket = client.session.blocked.as_ref().unwrap().waiter.ticket;
            (0..round % 7).for_each(|_| std::thread::yield_now());
            let killed = other.ask(&format!("GRAPH.KILL {ticket}")) == "+OK";
            let reply = told(&mut client);
            assert_eq!(reply.starts_with("-ERR the statement was ended"), killed, "{reply}");
            made += if killed { 0 } else { round % 40 };
        }
    }
    let found = ask(&mut other, "GRAPH.QUERY g \"MATCH (n) RETURN count(n)\"");
    assert!(found.contains(&format!("*1 *1 :{made} ")), "{made}: {found}");
    nothing_left(&mut other);
}

/// One whose graph changes time and again runs with its shard in hand at last: it is told once, and
/// ends by the id that it has had from the beginning.
#[test]
fn a_statement_that_runs_under_its_locks_keeps_its_id() {
    let engine = engine_with("busy-reply-threshold 1");
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    let query = "UNWIND range(1, 500000) AS i WITH count(i) AS c CREATE (:Slow)";
    let query = format!("GRAPH.QUERY g \"{query}\"\r\n");
    assert_eq!(client.feed(&query).1, State::Blocked);
    let change = "EVAL \"redis.call('graph.query', KEYS[1], 'CREATE ()')\" 1 g";
    let mut made = 0;
    until(|| {
        // On a busy machine it may come to its end between two changes: then the next one does not.
        if !client.messages.is_empty(client.session.client.id) {
            assert!(told(&mut client).contains("Nodes created: 1"));
            made += 1;
            assert_eq!(client.feed(&query).1, State::Blocked);
        }
        other.ask(change).starts_with("-BUSY")
    });
    let ticket = client.session.blocked.as_ref().unwrap().waiter.ticket;
    let told_of = ask(&mut other, "GRAPH.INFO RunningQueries");
    assert_eq!(told_of.matches("$10 Graph name $1 g").count(), 1, "{told_of}");
    assert_eq!(id(&mut other, "RunningQueries"), Some(ticket.to_string()));
    assert_eq!(other.ask(&format!("GRAPH.KILL {ticket}")), "+OK");
    let reply = told(&mut client);
    assert!(reply.starts_with("-ERR the query was ended: by SCRIPT KILL"), "{reply}");
    let again = other.ask(&format!("GRAPH.KILL {ticket}"));
    assert!(again.starts_with("-ERR there is no such statement"), "{again}");
    let count = ask(&mut other, "GRAPH.RO_QUERY g \"MATCH (n:Slow) RETURN count(n)\"");
    assert!(count.contains(&format!("*1 *1 :{made} ")), "{made}: {count}");
    nothing_left(&mut other);
}

/// The same of one whose graph changes all the time, so that it begins anew and runs with its shard
/// in hand at last: wherever GRAPH.KILL meets it, what is answered is so.
#[test]
fn what_was_ended_while_its_graph_changes_is_not_there() {
    let engine = engine();
    let (mut client, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    let mut changer = TestClient::new(&engine);
    let (over, mut made, mut seen) = (AtomicBool::new(false), 0, [0; 3]);
    std::thread::scope(|scope| {
        let _over = SetAtTheEnd(&over);
        scope.spawn(|| {
            let change = "EVAL \"redis.call('graph.query', KEYS[1], 'CREATE ()')\" 1 g";
            while !over.load(Ordering::Relaxed) {
                changer.ask(change);
            }
            changer.worker.txn.report_memory();
        });
        let query = "UNWIND range(1, 2000) AS i WITH count(i) AS c CREATE (:Slow)";
        for round in 0..80 {
            assert_eq!(client.feed(&format!("GRAPH.QUERY g \"{query}\"\r\n")).1, State::Blocked);
            let ticket = client.session.blocked.as_ref().unwrap().waiter.ticket;
            std::thread::sleep(Duration::from_micros(round % 20 * 700));
            let told_of = other.ask(&format!("GRAPH.KILL {ticket}"));
            let killed = told_of == "+OK";
            let at_its_end = told_of.starts_with("-ERR the statement is at its end");
            assert!(killed || at_its_end, "{told_of}");
            let reply = told(&mut client);
            let of_locks = reply.starts_with("-ERR the query was ended");
            let ended = of_locks || reply.starts_with("-ERR the statement was ended");
            assert_eq!(ended, killed, "{told_of}: {reply}");
            made += u32::from(!killed);
            seen[if of_locks { 2 } else { usize::from(killed) }] += 1;
        }
    });
    println!("{} were answered, {} ended, {} of them under their locks", seen[0], seen[1], seen[2]);
    let count = ask(&mut other, "GRAPH.RO_QUERY g \"MATCH (n:Slow) RETURN count(n)\"");
    assert!(count.contains(&format!("*1 *1 :{made} ")), "{made}: {count}");
    nothing_left(&mut other);
}

/// Set when it goes, also where a test fails: others wait for it.
struct SetAtTheEnd<'a>(&'a AtomicBool);

impl Drop for SetAtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The same in transactions, where a statement may be past all that it asks: this one writes a long
/// value last.
#[test]
fn what_was_ended_in_a_transaction_is_not_there() {
    let engine = engine();
    let mut other = TestClient::new(&engine);
    let mut made = 0;
    for _ in 0..6 {
        let mut client = TestClient::new(&engine);
        let (reply, killed) = std::thread::scope(|scope| {
            let run = scope.spawn(move || {
                client.ask("MULTI");
                client.ask("GRAPH.QUERY g \"CREATE (:A) RETURN range(1, 1000000)\"");
                let exec = client.ask("EXEC");
                client.worker.txn.report_memory();
                exec
            });
            let mut found = None;
            until(|| {
                found = id(&mut other, "RunningQueries");
                found.is_some() || run.is_finished()
            });
            let killed = found.is_some_and(|id| other.ask(&format!("GRAPH.KILL {id}")) == "+OK");
            (run.join().unwrap(), killed)
        });
        assert_eq!(reply.contains("-ERR the query was ended"), killed, "{}", reply.len());
        made += u32::from(!killed);
    }
    let found = ask(&mut other, "GRAPH.QUERY g \"MATCH (n) RETURN count(n)\"");
    assert!(found.starts_with(&format!("*3 *1 $8 count(n) *1 *1 :{made} ")), "{made}: {found}");
    nothing_left(&mut other);
}
