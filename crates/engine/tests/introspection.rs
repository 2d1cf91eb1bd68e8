//! INFO, LATENCY and MEMORY tell what there is to tell, with the names of Redis.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::time::Duration;

use kvist_engine::{Allocator, Cron};
use testkit::oracle;
use testkit::wait::{eventually, until};
use wire::{ReplyParser, Value};

use crate::test_client::{TestClient, engine, engine_with};

/// One reply of ours.
fn ask(client: &mut TestClient, line: &str) -> Value {
    let (reply, _) = client.feed(&format!("{line}\r\n"));
    let mut parser = ReplyParser::new();
    parser.feed(reply.as_bytes());
    parser.next_value().unwrap().unwrap()
}

/// One reply of Redis.
fn ask_redis(stream: &mut std::net::TcpStream, line: &str) -> Value {
    stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
    let (mut parser, mut chunk) = (ReplyParser::new(), [0; 4096]);
    loop {
        if let Some(value) = parser.next_value().unwrap() {
            return value;
        }
        let n = stream.read(&mut chunk).unwrap();
        assert!(n > 0, "closed at {line}");
        parser.feed(&chunk[..n]);
    }
}

fn text(value: &Value) -> String {
    String::from_utf8(value.as_bytes().unwrap().to_vec()).unwrap()
}

fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        other => panic!("{other:?} is no array"),
    }
}

/// The fields of each section of an INFO.
fn fields(info: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut sections = BTreeMap::new();
    let mut here = String::new();
    for line in info.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            here = title.to_owned();
            sections.insert(here.clone(), Vec::new());
        } else if let Some((name, value)) = line.split_once(':') {
            let field = (name.to_owned(), value.to_owned());
            sections.get_mut(&here).unwrap().push(field);
        }
    }
    sections
}

/// Fields are looked for by name; those of commands, errors and databases come and go.
fn is_fixed(name: &str) -> bool {
    let changing = ["cmdstat_", "errorstat_", "latency_percentiles_usec_", "db"];
    !changing.iter().any(|prefix| name.starts_with(prefix))
}

#[test]
fn info_has_every_field_of_redis_in_its_section() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let mut stream = oracle.connect();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let engine = engine();
    let mut client = TestClient::new(&engine);
    // Until its cron has run for the first time, some of its ratios are no numbers.
    let theirs = eventually("figures", || {
        let info = text(&ask_redis(&mut stream, "INFO everything"));
        (!info.contains(":-nan") && !info.contains(":nan")).then(|| fields(&info))
    });
    let ours = fields(&text(&ask(&mut client, "INFO everything")));
    // Redis has no ordered index to tell of.
    let titles: Vec<&String> = ours.keys().filter(|title| *title != "Rangeindex").collect();
    assert_eq!(titles, theirs.keys().collect::<Vec<_>>());
    let mut missing = Vec::new();
    let mut misshaped = Vec::new();
    for (title, fields) in &theirs {
        for (name, value) in fields.iter().filter(|(name, _)| is_fixed(name)) {
            match ours[title].iter().find(|(own, _)| own == name) {
                None => missing.push(format!("{title}: {name}")),
                // Digits may be all there is in a hexadecimal number.
                Some((_, own)) if name != "redis_build_id" && shape(own) != shape(value) => {
                    misshaped.push(format!("{name}: {value} there, {own} here"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(misshaped.is_empty(), "{misshaped:#?}");
}

/// What a value looks like to a program that reads it: an integer, a number with so many decimals
/// and a unit, or a text. Hashes may begin with a digit.
fn shape(value: &str) -> String {
    let number = value.trim_end_matches(['B', 'K', 'M', 'G', '%']);
    let unit = &value[number.len()..];
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match number.parse::<f64>() {
        // The sizes of small things are shown without decimals.
        Ok(_) if "BKMG".contains(unit) && !unit.is_empty() => "a size".to_owned(),
        Ok(n) if !(n == 0.0 && number.starts_with('-')) && number.len() < 25 => {
            format!("{decimals} decimals {unit}")
        }
        Ok(_) if number.starts_with('-') => "minus zero".to_owned(),
        _ => "text".to_owned(),
    }
}

#[test]
fn info_tells_of_commands_and_errors_as_redis_does() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let mut stream = oracle.connect();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let script = [
        "CONFIG RESETSTAT",
        "SET a 1 EX 100",
        "GET a",
        "GET",
        "LPUSH a 1",
        "NOSUCH",
        "CLIENT",
        "CLIENT FOO",
        "MULTI",
        "GET a",
        "GET",
        "EXEC",
        "MULTI",
        "GET a",
        "LPUSH a 1",
        "EXEC",
        "CLIENT GETNAME",
        "CLUSTER INFO",
        "INFO keyspace",
    ];
    for line in script {
        ask_redis(&mut stream, line);
        ask(&mut client, line);
    }
    // Times differ; all else is the same.
    let timeless = |info: &str| {
        let mut lines: Vec<String> = fields(info)["Commandstats"]
            .iter()
            .map(|(name, value)| {
                let parts = value.split(',').filter(|part| !part.starts_with("usec"));
                format!("{name} {}", parts.collect::<Vec<_>>().join(","))
            })
            .collect();
        lines.sort();
        lines
    };
    let counts = |info: &str| {
        let stats = fields(info).remove("Stats").unwrap();
        let counts = ["total_commands_processed", "total_error_replies"];
        stats.into_iter().filter(|(name, _)| counts.contains(&name.as_str())).collect::<Vec<_>>()
    };
    let theirs = counts(&text(&ask_redis(&mut stream, "INFO stats")));
    assert_eq!(counts(&text(&ask(&mut client, "INFO stats"))), theirs);
    let sections = "INFO commandstats errorstats";
    let theirs = text(&ask_redis(&mut stream, sections));
    let ours = text(&ask(&mut client, sections));
    assert_eq!(timeless(&ours), timeless(&theirs));
    assert_eq!(fields(&ours)["Errorstats"], fields(&theirs)["Errorstats"]);
    let shape = |value: &str| {
        value.split(',').map(|part| part.split('=').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (one, other) = (&fields(&ours)["Commandstats"][0].1, &fields(&theirs)["Commandstats"][0].1);
    assert_eq!(shape(one), shape(other));
}

#[test]
fn memory_stats_has_the_fields_of_redis_in_their_order() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let mut stream = oracle.connect();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let engine = engine();
    let mut client = TestClient::new(&engine);
    ask(&mut client, "FLUSHALL");
    ask_redis(&mut stream, "FLUSHALL");
    ask(&mut client, "SET a 1");
    ask_redis(&mut stream, "SET a 1");
    let names = |reply: Value| -> Vec<String> {
        let shape = |value: &Value| match value {
            Value::Int(_) => "integer",
            Value::Array(_) => "array",
            _ => "text",
        };
        let items = items(reply);
        items.chunks(2).map(|pair| format!("{} {}", text(&pair[0]), shape(&pair[1]))).collect()
    };
    let theirs = names(ask_redis(&mut stream, "MEMORY STATS"));
    assert_eq!(names(ask(&mut client, "MEMORY STATS")), theirs);
}

#[test]
fn memory_adds_up() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    ask(&mut client, "DEBUG POPULATE 5000");
    for n in 0..2000 {
        client.ask(&format!("SET key:{n} {}", "x".repeat(100)));
    }
    let stats = items(ask(&mut client, "MEMORY STATS"));
    let number = |name: &str| {
        let pair = stats.chunks(2).find(|pair| text(&pair[0]) == name).unwrap();
        pair[1].as_i64().unwrap()
    };
    assert_eq!(number("keys.count"), 2000);
    assert_eq!(number("overhead.total") + number("dataset.bytes"), number("total.allocated"));
    assert!(number("dataset.bytes") > 200_000 && number("overhead.total") > 2000 * 8);
    let info = fields(&text(&ask(&mut client, "INFO memory")));
    let field = |name: &str| {
        let found = info["Memory"].iter().find(|field| field.0 == name);
        found.unwrap().1.parse::<i64>().unwrap()
    };
    let parts = field("used_memory_overhead") + field("used_memory_dataset");
    assert_eq!(parts, field("used_memory"));
    assert_eq!(
        client.ask("MEMORY MALLOC-STATS"),
        "$45\r\nStats not supported for the current allocator"
    );
    assert_eq!(client.ask("MEMORY PURGE"), "+OK");
}

#[test]
fn slow_commands_are_recorded_where_asked_for() {
    let engine = engine_with("latency-monitor-threshold 20\nenable-debug-command yes\n");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("LATENCY LATEST"), "*0");
    client.ask("DEBUG SLEEP 0.03");
    client.ask("PING");
    let latest = items(ask(&mut client, "LATENCY LATEST"));
    assert_eq!(latest.len(), 1);
    let event = items(latest.into_iter().next().unwrap());
    assert_eq!((text(&event[0]).as_str(), event[1].as_i64()), ("command", Some(1000)));
    let took = event[2].as_i64().unwrap();
    assert!(took >= 30 && event[3].as_i64() == Some(took));
    let history = client.ask("LATENCY HISTORY command");
    assert_eq!(history, format!("*1\r\n*2\r\n:1000\r\n:{took}"));
    // The clock of this client stands still, so this falls into the same second.
    client.worker.begin(1_002_000);
    client.ask("DEBUG SLEEP 0.02");
    let graph = client.ask("LATENCY GRAPH command");
    assert!(graph.contains("command - high ") && graph.contains("\n20\nss"), "{graph}");
    assert!(client.ask("LATENCY DOCTOR").contains("1. command: 2 samples"));
    assert_eq!(client.ask("LATENCY RESET nosuch command"), ":1");
    assert_eq!(client.ask("LATENCY HISTORY command"), "*0");
}

#[test]
fn rounds_of_expiry_and_writes_of_the_journal_can_be_recorded() {
    let engine = engine_with("latency-monitor-threshold 5\n");
    let cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    let log = engine.store.log();
    log.figures.slowest_write_micros.fetch_max(7_000, std::sync::atomic::Ordering::Relaxed);
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    let series = loop {
        if let Some(series) = engine.metrics.latency_monitor.of("aof-write") {
            break series;
        }
        assert!(std::time::Instant::now() < deadline, "the cron thread has noted nothing");
        std::thread::sleep(Duration::from_millis(2));
    };
    drop(cron);
    assert_eq!(series.longest, 7);
    // On a busy machine its own rounds may have taken long, too.
    let count = || engine.metrics.latency_monitor.of("expire-cycle").map_or(0, |s| s.samples.len());
    let before = count();
    engine.note_latency("expire-cycle", Duration::from_millis(9), 1_000);
    engine.note_latency("expire-cycle", Duration::from_millis(4), 2_000);
    assert_eq!(count(), before + 1);
}

#[test]
fn what_is_not_offered_says_why_and_where_it_is_not_listed() {
    let engine = engine_with("enable-debug-command yes\n");
    let mut client = TestClient::new(&engine);
    let help = client.ask("DEBUG HELP");
    for name in ["SEGFAULT", "panic", "ASSERT", "OOM", "RESTART", "CRASH-AND-RECOVER", "LEAK"] {
        let reply = client.ask(&format!("DEBUG {name}"));
        let expected = format!("-ERR DEBUG {} is not offered: it would ", name.to_uppercase());
        assert!(reply.starts_with(&expected), "{reply}");
        assert!(!help.contains(&format!("\n+{name}")), "{help}");
    }
    for line in ["SET-SKIP-CHECKSUM-VALIDATION 1", "AOF-FLUSH-SLEEP 1000"] {
        assert!(client.ask(&format!("DEBUG {line}")).starts_with("-ERR "), "{line}");
    }
    assert!(client.ask("DEBUG STRINGMATCH-TEST").starts_with("+Apparently"));
    assert!(client.ask("DEBUG CONFIG-REWRITE-FORCE-ALL").ends_with("without a config file"));
    let long = "x".repeat(300);
    let cut =
        format!("-ERR unknown subcommand or wrong number of arguments for '{}'", &long[..128]);
    assert!(client.ask(&format!("DEBUG {long}")).starts_with(&cut));
}

#[test]
fn the_background_work_can_rest() {
    let engine = engine_with("enable-debug-command yes\n");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("DEBUG PAUSE-CRON 1"), "+OK");
    let before = cron_sleeps();
    let cron = Cron::start(&engine, Allocator::unknown()).unwrap();
    client.ask("SET a 1 PX 1");
    // Its thread has come round so often, and the key is still there. Threads of other tests that
    // have begun since are waited for, too: they have the same name.
    until("rounds of the cron thread", || {
        let mut all = cron_sleeps();
        all.retain(|thread, _| !before.contains_key(thread));
        !all.is_empty() && all.values().all(|sleeps| *sleeps > 30)
    });
    assert_eq!(engine.store.expired(), 0);
    assert_eq!(client.ask("DEBUG PAUSE-CRON 0"), "+OK");
    until("the end of its rest", || engine.store.expired() > 0);
    drop(cron);
}

/// How often each cron thread of this process has gone to sleep.
fn cron_sleeps() -> HashMap<String, u64> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    let sleeps = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let count = field("voluntary_ctxt_switches:")?.trim().parse().ok()?;
        (field("Name:")?.trim() == "cron").then(|| (format!("{:?}", task.file_name()), count))
    };
    tasks.filter_map(sleeps).collect()
}

#[test]
fn steps_of_eviction_are_recorded() {
    let engine = engine_with(
        "latency-monitor-threshold 1\nmaxmemory 1mb\nmaxmemory-policy allkeys-random\n",
    );
    let mut client = TestClient::new(&engine);
    let (mut other, value) = (TestClient::new(&engine), "x".repeat(100_000));
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    // A step that waits for a shard takes as long as another thread holds it. If this thread is
    // stopped for so long before, it finds the shard free: then another time.
    while engine.metrics.latency_monitor.of("eviction-del").is_none() {
        assert!(std::time::Instant::now() < deadline, "no step of eviction has been noted");
        for n in 0..20 {
            client.ask(&format!("SET key:{n} {value}"));
        }
        let (holds, held) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let hold = |_: &mut store::Txn| {
                    holds.send(()).unwrap();
                    std::thread::sleep(Duration::from_millis(30));
                };
                assert!(other.worker.txn.with(&engine.store, store::Scope::All, hold).is_ok());
            });
            held.recv().unwrap();
            client.worker.begin(1_000_000);
        });
    }
    assert!(engine.store.evicted() > 0);
    let of = |event| engine.metrics.latency_monitor.of(event).unwrap().longest;
    let (step, round) = (of("eviction-del"), of("eviction-cycle"));
    assert!(1 <= step && step <= round, "{step} {round}");
}

#[test]
fn resetting_counts_resets_what_redis_resets() {
    let options = ["--maxmemory-policy", "allkeys-random"];
    let Some(oracle) = oracle::Oracle::start(&options) else { return };
    let mut stream = oracle.connect();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let engine = engine_with("maxmemory-policy allkeys-random\nenable-debug-command yes\n");
    let mut client = TestClient::new(&engine);
    let value = "x".repeat(1000);
    let mut script: Vec<String> = (0..400).map(|n| format!("SET key:{n} {value}")).collect();
    script.extend(["SET gone 1 PXAT 1000001", "GET nosuch", "NOSUCH"].map(str::to_owned));
    for line in &script {
        ask_redis(&mut stream, line);
        ask(&mut client, line);
    }
    client.worker.begin(1_000_100);
    ask(&mut client, "GET gone");
    ask_redis(&mut stream, "GET gone");
    for connection in 0..2 {
        let mut say = |line: &str| match connection {
            0 => {
                // A batch of its own: room is made before it.
                client.worker.begin(1_000_200);
                ask(&mut client, line)
            }
            _ => ask_redis(&mut stream, line),
        };
        let used = fields(&text(&say("INFO memory")))["Memory"][0].1.parse::<u64>().unwrap();
        say(&format!("CONFIG SET maxmemory {}", used - 50_000));
        say("SET one 1");
        say("SET two 2");
        let before = fields(&text(&say("INFO everything")));
        say("CONFIG RESETSTAT");
        let after = fields(&text(&say("INFO everything")));
        let of = |info: &BTreeMap<String, Vec<(String, String)>>, section: &str, name: &str| {
            info[section].iter().find(|field| field.0 == name).unwrap().1.parse::<f64>().unwrap()
        };
        for name in ["expired_keys", "evicted_keys", "keyspace_misses", "total_error_replies"] {
            assert!(of(&before, "Stats", name) > 0.0, "{name} of {connection}");
            assert!(of(&after, "Stats", name) == 0.0, "{name} of {connection}");
        }
        let rates = ["instantaneous_ops_per_sec", "instantaneous_input_kbps"];
        for name in rates.into_iter().chain(["expired_stale_perc", "total_eviction_exceeded_time"])
        {
            assert!(of(&after, "Stats", name) == 0.0, "{name} of {connection}");
        }
        assert!(of(&after, "Memory", "lazyfreed_objects") == 0.0);
        let peak = |info| of(info, "Memory", "used_memory_peak");
        assert!(peak(&after) >= peak(&before), "the peak of {connection}");
    }
}

/// As a redis-server that has loaded RedisJSON and FalkorDB.
#[test]
fn modules_are_told_of_wherever_modules_are() {
    let engine = engine_with("enable-module-command yes");
    let mut client = TestClient::new(&engine);
    let module = |name: &str, version: u32| {
        let length = name.len();
        format!(
            "*8\r\n$4\r\nname\r\n${length}\r\n{name}\r\n$3\r\nver\r\n:{version}\r\n\
             $4\r\npath\r\n$0\r\n\r\n$4\r\nargs\r\n*0"
        )
    };
    let known = [("ReJSON", 81_000), ("search", 21_005), ("graph", 41_603)];
    let modules = known.map(|(name, version)| module(name, version)).join("\r\n");
    let modules = format!("*3\r\n{modules}");
    assert_eq!(client.ask("MODULE LIST"), modules);
    assert!(client.ask("HELLO").ends_with(&format!("$7\r\nmodules\r\n{modules}")));
    let text_of = |value: Value| text(&value);
    let line = |name: &str, version: u32| {
        format!("module:name={name},ver={version},api=1,filters=0,usedby=[],using=[],options=[]")
    };
    let lines = known.map(|(name, version)| line(name, version)).join("\r\n");
    assert_eq!(text_of(ask(&mut client, "INFO modules")), format!("# Modules\r\n{lines}\r\n"));
    assert!(text_of(ask(&mut client, "INFO")).contains(&lines));
    assert_eq!(
        client.ask("MODULE UNLOAD rejson"),
        "-ERR Error unloading module: the module exports one or more module-side data types, \
         can't unload"
    );
    let names = |value: Value| -> Vec<String> {
        let mut names: Vec<String> = items(value).iter().map(text).collect();
        names.sort();
        names
    };
    let entries = engine.table.entries().iter().map(|entry| entry.name().to_owned());
    let mut wanted: Vec<String> = entries.filter(|name| name.starts_with("json.")).collect();
    wanted.sort();
    assert_eq!(wanted.len(), 25);
    for line in [
        "COMMAND LIST FILTERBY MODULE ReJSON",
        "COMMAND LIST FILTERBY MODULE rejson",
        "COMMAND LIST FILTERBY ACLCAT json",
        "COMMAND LIST FILTERBY PATTERN JSON.*",
        "ACL CAT json",
    ] {
        assert_eq!(names(ask(&mut client, line)), wanted, "{line}");
    }
    assert!(names(ask(&mut client, "COMMAND LIST FILTERBY MODULE none")).is_empty());
    assert!(names(ask(&mut client, "ACL CAT")).contains(&"json".to_owned()));
    let info = client.ask("COMMAND INFO json.set json.get");
    assert!(info.contains("*3\r\n+write\r\n+denyoom\r\n+module"), "{info}");
    assert!(info.contains("*2\r\n+readonly\r\n+module"), "{info}");
    let docs = client.ask("COMMAND DOCS json.get");
    assert!(docs.contains("$5\r\ngroup\r\n$6\r\nmodule\r\n"), "{docs}");
    assert!(docs.contains("$6\r\nmodule\r\n$6\r\nReJSON\r\n"), "{docs}");
}

/// Rules about the category, about single commands, about keys.
#[test]
fn documents_obey_the_rules_of_users() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    client.ask("ACL SETUSER cat on nopass ~* -@all +@json");
    client.ask("ACL SETUSER read on nopass ~* -@all +@read");
    client.ask("ACL SETUSER keys on nopass %R~r* %W~w* ~both* +@all");
    client.ask("JSON.SET r1 $ 1");
    let may = |client: &mut TestClient, user: &str, line: &str| {
        client.ask(&format!("ACL DRYRUN {user} {line}")) == "+OK"
    };
    for (user, line, allowed) in [
        ("cat", "JSON.GET k", true),
        ("cat", "JSON.SET k $ 1", true),
        ("cat", "GET k", false),
        ("read", "JSON.GET k", true),
        ("read", "JSON.MGET k l $", true),
        ("read", "JSON.TYPE k", true),
        ("read", "JSON.SET k $ 1", false),
        ("read", "JSON.DEL k", false),
        ("read", "JSON.ARRPOP k", false),
        ("keys", "JSON.GET r1", true),
        ("keys", "JSON.GET w1", false),
        ("keys", "JSON.MGET r1 r2 $", true),
        ("keys", "JSON.MGET r1 x $", false),
        ("keys", "JSON.MSET both1 $ 1 both2 $ 2", true),
        ("keys", "JSON.MSET both1 $ 1 r1 $ 2", false),
        ("keys", "JSON.ARRAPPEND both $ 1", true),
        ("keys", "JSON.NUMINCRBY r1 $ 1", false),
    ] {
        assert_eq!(may(&mut client, user, line), allowed, "{user}: {line}");
    }
    let line = client.ask("ACL LIST");
    assert!(line.contains("user cat on nopass ~* resetchannels -@all +@json"), "{line}");
    assert!(line.ends_with("user read on nopass ~* resetchannels -@all +@read"), "{line}");
}
