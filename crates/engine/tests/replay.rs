//! Replay is determined: whatever commands run, an engine that reads the journal back holds what
//! the one that wrote it held, every key, value and deadline.
//!
//! `KVIST_SEED` repeats a run, `KVIST_ROUNDS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base::{Flag, Rng};
use kvist_engine::persistence::{Reason, Recovered};
use kvist_engine::{Action, CronRounds, Engine, redis_files};
use testkit::folder::Folder;
use testkit::seed::{rng, setting};
use testkit::transcript::request;
use testkit::wait::{PATIENCE, until};

use crate::contents::{Deadline, contents};
use crate::data_dir::open;
use crate::hostile::words;
use crate::tame;
use crate::test_client::TestClient;

const LINES: &str = "save \"\"\nproto-max-bulk-len 1mb\nappendfsync no";

fn send(client: &mut TestClient, words: &[Vec<u8>]) {
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    client.worker.execute(&mut client.session, &words, &mut Vec::new());
}

/// What an engine holds that ends here, with all of its journal on disk.
fn leave(engine: &Arc<Engine>) -> (String, Vec<Deadline>) {
    let wanted = contents(engine);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    wanted
}

/// Another engine in the same folder, which must find that.
fn find(
    folder: &Folder,
    lines: &str,
    (digest, keys): (String, Vec<Deadline>),
) -> (Arc<Engine>, Recovered) {
    let (again, recovered) = open(folder.path(), lines).unwrap();
    assert_eq!(recovered.failed, 0, "{recovered}");
    let found = contents(&again);
    assert_eq!(found.1, keys, "{recovered}");
    assert_eq!(found.0, digest, "{recovered}");
    (again, recovered)
}

/// A client that runs whatever comes: now and then in a transaction, sometimes blocked until it is
/// served or given up.
struct Crowd {
    engine: Arc<Engine>,
    clients: Vec<TestClient>,
    now: u64,
}

impl Crowd {
    fn step(&mut self, rng: &mut Rng, request: Vec<Vec<u8>>) {
        let at = rng.below(self.clients.len());
        let client = &mut self.clients[at];
        if client.session.blocked.is_some() {
            if rng.below(8) == 0 {
                client.worker.disconnect(&mut client.session);
                *client = TestClient::new(&self.engine);
            }
            return;
        }
        self.now += rng.below(3) as u64 * 400;
        client.worker.begin(self.now);
        let in_multi = client.session.transaction.multi.is_some();
        match rng.below(30) {
            0 if !in_multi => send(client, &[b"MULTI".to_vec()]),
            1..8 if in_multi => send(client, &[b"EXEC".to_vec()]),
            8 => send(client, &[b"SELECT".to_vec(), rng.below(4).to_string().into_bytes()]),
            _ => send(client, &request),
        }
    }
}

#[test]
fn what_is_read_back_is_what_was_there() {
    let mut rng = rng();
    let (mut records, mut keys) = (0, 0);
    for round in 0..setting("KVIST_ROUNDS", 4) {
        let folder = Folder::new("engine");
        let (engine, _) = open(folder.path(), LINES).unwrap();
        let writes: Vec<usize> = engine
            .table
            .entries()
            .iter()
            .filter(|entry| entry.has(Flag::Write) && matches!(entry.action, Action::Data(_)))
            .map(|entry| entry.number)
            .collect();
        assert!(writes.len() > 60, "the catalogue has writes");
        let clients = (0..3).map(|_| TestClient::new(&engine)).collect();
        let mut crowd = Crowd { engine: Arc::clone(&engine), clients, now: 1_700_000_000_000 };
        crowd.clients[0].worker.begin(crowd.now);
        for words in words::dataset() {
            send(&mut crowd.clients[0], &words);
        }
        let steps = 12_000;
        for step in 0..steps {
            let request = if rng.below(6) == 0 {
                tame::document_request(&mut rng)
            } else if rng.below(3) == 0 {
                let entry = &engine.table.entries()[writes[rng.below(writes.len())]];
                words::request(&mut rng, entry)
            } else {
                tame::any_request(&mut rng)
            };
            let request = if rng.below(10) == 0 { scripted(request) } else { request };
            crowd.step(&mut rng, request);
            if step == steps / 2 && round % 2 == 1 {
                engine.save(Reason::Save, true).unwrap();
            }
        }
        for client in &mut crowd.clients {
            client.worker.disconnect(&mut client.session);
        }
        let wanted = leave(&engine);
        println!("round {round}: {} keys", wanted.1.len());
        // One round may end with FLUSHALL.
        keys += wanted.1.len();
        let (again, recovered) = find(&folder, LINES, wanted);
        records += recovered.records;
        again.close_data_dir();
    }
    assert!(records > 1000 && keys > 0);
}

/// The same request from a script, with its keys declared to none.
fn scripted(mut words: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let body = "redis.pcall(unpack(ARGV)) return redis.pcall(unpack(ARGV))";
    let head = [b"EVAL".to_vec(), body.into(), b"0".to_vec()];
    words.splice(..0, head);
    words
}

/// A command that meets a key after its deadline may put another there that is overdue as well: who
/// then makes the key once more finds it missing, now and when it runs again.
#[test]
fn what_is_put_in_place_of_an_overdue_key_may_be_overdue_too() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), LINES).unwrap();
    let mut client = TestClient::new(&engine);
    client.worker.begin(1_700_000_000_000);
    assert_eq!(client.ask("SET k a PX 5"), "+OK");
    client.worker.begin(1_700_000_000_010);
    assert_eq!(client.ask("SET k b GET PXAT 1000"), "$-1");
    assert_eq!(client.ask("APPEND k kept"), ":4");
    let (again, _) = find(&folder, LINES, leave(&engine));
    assert_eq!(TestClient::new(&again).ask("GET k"), "$4\r\nkept");
    again.close_data_dir();
}

/// A key that a transaction meets after its deadline goes at its end, wherever its database is
/// then: the journal knows already that it has gone.
#[test]
fn an_overdue_key_goes_although_its_database_has_changed_places() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), LINES).unwrap();
    let mut client = TestClient::new(&engine);
    client.worker.begin(1_700_000_000_000);
    assert_eq!(client.ask("SET k a PX 5"), "+OK");
    client.worker.begin(1_700_000_000_010);
    client.ask("MULTI\r\nPEXPIRE k 9\r\nSET l x\r\nSWAPDB 0 1\r\nEXEC");
    assert_eq!(client.ask("SELECT 1\r\nDBSIZE"), "+OK\r\n:1");
    let (again, _) = find(&folder, LINES, leave(&engine));
    again.close_data_dir();
}

/// What was allowed once is read back under a setting that would not allow it now.
/// `STORE` may be the value of another option: it does not hide where a `SORT` has stored.
#[test]
fn where_a_sort_has_stored_is_kept() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), LINES).unwrap();
    let mut client = TestClient::new(&engine);
    for n in 0..20 {
        client.ask(&format!("RPUSH list{n} 3 1 2"));
        client.ask(&format!("SORT list{n} STORE by-get{n} GET # GET STORE"));
        client.ask(&format!("SORT list{n} STORE by-by{n} BY STORE"));
    }
    assert_eq!(client.ask("LLEN by-get7"), ":6");
    let wanted = leave(&engine);
    find(&folder, LINES, wanted);
}

#[test]
fn a_string_that_is_longer_than_today_s_limit_is_read_back() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), "save \"\"\nproto-max-bulk-len 2mb").unwrap();
    let mut client = TestClient::new(&engine);
    for request in ["APPEND s x", "SETRANGE s 1500000 y", "APPEND s z", "SETBIT b 12000000 1"] {
        assert!(client.ask(request).starts_with(':'), "{request}");
    }
    assert!(client.ask("BITFIELD b SET u8 12000008 7").starts_with("*1"));
    let wanted = contents(&engine);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let (again, recovered) = open(folder.path(), LINES).unwrap();
    assert_eq!(recovered.failed, 0);
    assert_eq!(contents(&again), wanted);
    assert!(TestClient::new(&again).ask("APPEND s z").starts_with("-ERR string exceeds maximum"));
    again.close_data_dir();
}

/// The number of shards may change from start to start; it need not be remembered.
#[test]
fn another_number_of_shards_reads_the_same() {
    let (mut rng, folder) = (rng(), Folder::new("engine"));
    let mut wanted = None;
    for (round, shards) in [8, 64, 2, 128].into_iter().enumerate() {
        let (engine, recovered) =
            open(folder.path(), &format!("{LINES}\nshards {shards}")).unwrap();
        assert_eq!(engine.store.shards(), shards);
        assert_eq!(recovered.failed, 0, "{shards} shards: {recovered}");
        let found = contents(&engine);
        assert!(wanted.is_none_or(|wanted| wanted == found), "{shards} shards: {recovered}");
        let clients = (0..3).map(|_| TestClient::new(&engine)).collect();
        let mut crowd = Crowd { engine: Arc::clone(&engine), clients, now: 1_700_000_000_000 };
        for step in 0..4000 {
            let request = match rng.below(6) {
                0 => tame::document_request(&mut rng),
                _ => tame::any_request(&mut rng),
            };
            if request[0] != b"SWAPDB" {
                crowd.step(&mut rng, request);
            }
            if step == 2000 && round > 0 {
                engine.save(Reason::Save, true).unwrap();
            }
        }
        for client in &mut crowd.clients {
            client.worker.disconnect(&mut client.session);
        }
        wanted = Some(leave(&engine));
    }
    // Not configured, it stays as it is: also where only that can be read.
    let (engine, _) = open(folder.path(), LINES).unwrap();
    assert_eq!((engine.store.shards(), Some(contents(&engine))), (128, wanted));
    TestClient::new(&engine).ask("SWAPDB 0 1");
    let wanted = leave(&engine);
    let refused = open(folder.path(), &format!("{LINES}\nshards 32")).err().unwrap();
    assert!(refused.contains("start once with the old number of shards"), "{refused}");
    find(&folder, LINES, wanted).0.close_data_dir();
}

/// A request about one of a few keys, most of which hold something large.
fn mover_request(rng: &mut Rng) -> Vec<Vec<u8>> {
    let name = |rng: &mut Rng| format!("k{}", rng.below(5));
    let (a, b, n) = (name(rng), name(rng), rng.below(150_000));
    let line = match rng.below(60) {
        40..60 => maker_request(rng),
        0..10 => format!("RENAME {a} {b}"),
        10..14 => format!("RENAMENX {a} {b}"),
        14..18 => format!("COPY {a} {b} REPLACE"),
        18..21 => format!("COPY {a} {b} DB {} REPLACE", rng.below(3)),
        21..25 => format!("MOVE {a} {}", rng.below(3)),
        25..28 => format!("SETRANGE {a} {n} {n}"),
        28 => format!("SETRANGE {a} 1200000 {n}"),
        29..31 => format!("SETRANGE {a} 150000 {n}"),
        31..33 => format!("RPUSH {a} {}", "e".repeat(n)),
        33 => format!("DEL {a} {b}"),
        34 => format!("APPEND {a} {n}"),
        35 => format!("PEXPIREAT {a} 9{n:012}"),
        36 => format!("SELECT {}", rng.below(3)),
        37 => format!("SWAPDB 0 {}", rng.below(3)),
        38 if rng.below(10) == 0 => "FLUSHDB".to_owned(),
        _ => format!("SET {a} {n}"),
    };
    request(&line)
}

/// A request that stores what it makes of other keys, or changes those.
fn maker_request(rng: &mut Rng) -> String {
    let mut name = |kind: &str| format!("{kind}{}", rng.below(5));
    let [a, b, c] = [name("k"), name("k"), name("k")];
    let [r, s, t] = [name("s"), name("s"), name("s")];
    let [y, z] = [name("z"), name("z")];
    let (kind, n) = (rng.below(16), rng.below(90_000));
    let word = "m".repeat(n);
    match kind {
        0 => format!("BITOP OR {a} {b} {c}"),
        1 => format!("BITOP NOT {a} {b}"),
        2 => format!("SUNIONSTORE {r} {s} {t}"),
        3 => format!("SDIFFSTORE {r} {s} {t}"),
        4 => format!("SINTERSTORE {r} {s}"),
        5 => format!("ZUNIONSTORE {z} 2 {y} {s} WEIGHTS 2 3"),
        6 => format!("ZINTERSTORE {z} 2 {y} {s} AGGREGATE MAX"),
        7 => format!("ZDIFFSTORE {z} 2 {y} {s}"),
        8 => format!("ZRANGESTORE {z} {y} 0 -2"),
        9 | 10 => format!("SADD {s} {word} {n}"),
        11 => format!("ZADD {z} {n} {word}"),
        12 => format!("DEL {s} {y}"),
        13 => format!("SORT {y} ALPHA STORE l{n}", n = n % 3),
        14 => format!("SORT {s} BY nosort GET # STORE l{n}", n = n % 3),
        _ => format!("SPOP {s}"),
    }
}

/// A large value that goes to another key is recorded by the two names, while snapshots are made
/// all the time that have passed one of them and not the other.
#[test]
fn large_values_go_where_they_went() {
    let mut seeds = rng();
    for round in 0..setting("KVIST_ROUNDS", 6) {
        let folder = Folder::new("engine");
        let lines = format!("{LINES}\nshards {}", [8, 2, 64][round as usize % 3]);
        let (engine, _) = open(folder.path(), &lines).unwrap();
        let saving = std::sync::atomic::AtomicBool::new(round % 3 != 2);
        let mut rngs = [Rng::new(seeds.next_u64()), Rng::new(seeds.next_u64())];
        std::thread::scope(|scope| {
            let (engine, saving) = (&engine, &saving);
            let saver = scope.spawn(move || {
                let mut saves = 0;
                while saving.load(std::sync::atomic::Ordering::Relaxed) {
                    engine.save(Reason::Rewrite, true).unwrap();
                    saves += 1;
                }
                saves
            });
            let movers = rngs.each_mut().map(|rng| {
                scope.spawn(move || {
                    let mut client = TestClient::new(engine);
                    client.worker.begin(1_700_000_000_000);
                    for _ in 0..1500 {
                        let request = mover_request(rng);
                        match rng.below(12) {
                            0 => send(&mut client, &[b"MULTI".to_vec()]),
                            1..4 => send(&mut client, &[b"EXEC".to_vec()]),
                            4 => send(&mut client, &scripted(request)),
                            _ => send(&mut client, &request),
                        }
                    }
                    client.worker.disconnect(&mut client.session);
                })
            });
            movers.into_iter().for_each(|mover| mover.join().unwrap());
            saving.store(false, std::sync::atomic::Ordering::Relaxed);
            println!("round {round}: {} snapshots", saver.join().unwrap());
        });
        let wanted = leave(&engine);
        // Those who copy for Redis read the shards in parts, or not.
        let disk: Arc<dyn journal::Disk> =
            Arc::new(journal::Directory::open(folder.path()).unwrap());
        let manifest = journal::Manifest::read(&*disk).unwrap().unwrap();
        let (settings, until) = (config::Settings::new(1), redis_files::Until::End);
        let to = folder.join("export.rdb");
        let exported = redis_files::export(&settings, (&disk, &manifest), until, &to).unwrap();
        assert_eq!(exported.keys, wanted.1.len() as u64, "round {round}");
        let checked = kvist_engine::persistence::check(&*disk).unwrap();
        assert!(checked.problems.is_empty(), "round {round}: {:?}", checked.problems);
        find(&folder, &lines, wanted).0.close_data_dir();
    }
}

/// Databases that change places all the time neither keep a snapshot from coming to its end nor are
/// mistaken in it for each other.
#[test]
fn a_snapshot_ends_while_databases_change_places() {
    let folder = Folder::new("engine");
    let lines = format!("{LINES}\nshards 4");
    let (engine, _) = open(folder.path(), &lines).unwrap();
    let mut client = TestClient::new(&engine);
    for db in 0..3 {
        client.ask(&format!("SELECT {db}"));
        for n in 0..6_000 {
            client.ask(&format!("SET key:{n} {db}"));
            client.ask(&format!("HSET hash field:{n:0>40} {db}"));
        }
        client.ask("SETRANGE string 2000000 x");
    }
    let (ended, late) = (AtomicBool::new(false), AtomicBool::new(false));
    let swaps = std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let (mut client, mut swaps) = (TestClient::new(&engine), 0);
            let began = Instant::now();
            while !ended.load(Ordering::Relaxed) {
                // Without this, a thread that waits for a moment without a swap would wait for
                // ever.
                if began.elapsed() > Duration::from_secs(300) {
                    late.store(true, Ordering::Relaxed);
                    break;
                }
                for line in [
                    format!("SWAPDB {} {}", swaps % 4, (swaps + 1) % 4),
                    format!("SELECT {}", swaps % 3),
                    format!("SET key:{} after:{swaps}", swaps * 7 % 6_000),
                    format!("DEL key:{}", swaps * 11 % 6_000),
                    format!("HSET hash field:{:0>40} after:{swaps}", swaps * 13 % 6_000),
                    format!("SETRANGE string {} {swaps}", swaps * 17 % 2_000_000),
                    format!("SET new:{swaps} x"),
                ] {
                    client.ask(&line);
                }
                if swaps % 16 == 0 {
                    client.ask("RENAME string other");
                    client.ask("RENAME other string");
                }
                swaps += 1;
            }
            swaps
        });
        for _ in 0..3 {
            engine.save(Reason::Rewrite, true).unwrap();
        }
        ended.store(true, Ordering::Relaxed);
        swapper.join().unwrap()
    });
    assert!(!late.load(Ordering::Relaxed), "no snapshot came to its end");
    assert!(swaps > 10, "{swaps} swaps");
    find(&folder, &lines, leave(&engine)).0.close_data_dir();
}

/// The journal grows by names and commands, not by what large values take, however often they go
/// elsewhere or others are made of them.
#[test]
fn the_journal_has_no_images_of_what_it_can_make_again() {
    let folder = Folder::new("engine");
    let lines = format!("{LINES}\nshards 16");
    let (engine, _) = open(folder.path(), &lines).unwrap();
    let mut client = TestClient::new(&engine);
    client.worker.begin(1_700_000_000_000);
    for n in 0..20_000 {
        client.ask(&format!("SADD set{} member:{n:0>20}", n % 2));
        client.ask(&format!("ZADD zset {n} member:{n:0>20}"));
        client.ask(&format!("HSET hash field:{n:0>20} {n}"));
    }
    client.ask("SETRANGE string 1000000 x");
    let size = || {
        engine.store.log().sync().unwrap();
        engine.store.log().figures.size.load(std::sync::atomic::Ordering::Relaxed)
    };
    let before = size();
    let made = [
        ("SUNIONSTORE union set0 set1", ":20000"),
        ("SDIFFSTORE diff set0 set1", ":10000"),
        ("SINTERSTORE inter set1 set1", ":10000"),
        ("ZUNIONSTORE zunion 2 zset set0", ":20000"),
        ("ZINTERSTORE zinter 2 zset set1", ":10000"),
        ("ZDIFFSTORE zdiff 2 zset set1", ":10000"),
        ("ZRANGESTORE zrange zset 0 14999", ":15000"),
        ("BITOP NOT bits string", ":1000001"),
        ("SORT zset BY nosort DESC LIMIT 0 15000 STORE ranked", ":15000"),
        ("SORT inter ALPHA DESC STORE letters", ":10000"),
        ("SORT ranked ALPHA STORE ranked", ":15000"),
        ("COPY hash copied", ":1"),
        ("COPY hash copied DB 2", ":1"),
        ("RENAME copied renamed", "+OK"),
        ("RENAMENX renamed again", ":1"),
        ("MOVE again 3", ":1"),
    ];
    for (line, reply) in made {
        assert_eq!(client.ask(line), reply, "{line}");
    }
    client.ask("MULTI");
    client.ask("SREM set0 member:00000000000000000000");
    client.ask("SUNIONSTORE later set0 set1");
    client.ask("DEL set0 zset");
    client.ask("EXEC");
    let grown = size() - before;
    assert!(grown < 8 << 10, "{grown} bytes");
    let (again, _) = find(&folder, &lines, leave(&engine));
    assert_eq!(TestClient::new(&again).ask("SCARD later"), ":19999");
    again.close_data_dir();
}

/// What replay makes anew takes its time, however few bytes tell of it: the journal is rewritten as
/// if the values stood in it.
#[test]
fn the_journal_is_rewritten_when_it_takes_long_to_replay() {
    let folder = Folder::new("engine");
    let lines = format!("{LINES}\nauto-aof-rewrite-min-size 1mb\nauto-aof-rewrite-percentage 100");
    let (engine, _) = open(folder.path(), &lines).unwrap();
    let mut client = TestClient::new(&engine);
    for n in 0..20_000 {
        client.ask(&format!("SADD set{} member:{n:0>20}", n % 2));
    }
    let cost = || engine.store.log().figures.replay_cost();
    for line in ["SUNIONSTORE union set0 set1", "COPY union copied REPLACE"] {
        engine.save(Reason::Rewrite, true).unwrap();
        let done = |client: &mut TestClient| {
            let info = client.ask("INFO persistence");
            let line = info.split("aof_rewrites:").nth(1).unwrap().lines().next().unwrap();
            line.parse::<u64>().unwrap()
        };
        let before = done(&mut client);
        (0..15).for_each(|_| drop(client.ask(line)));
        assert!(cost() > 10 << 20, "{line}: {}", cost());
        let mut rounds = CronRounds::new(&engine);
        let start = std::time::Instant::now();
        while done(&mut client) == before {
            assert!(start.elapsed().as_secs() < 20, "{line}");
            rounds.round();
        }
        assert!(cost() < 1 << 20, "{line}: {}", cost());
        // A start finds what it costs, too.
        (0..15).for_each(|_| drop(client.ask(line)));
    }
    let wanted = cost();
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    let (again, _) = open(folder.path(), &lines).unwrap();
    let found = again.store.log().figures.replay_cost();
    assert!(found > 10 << 20 && found.abs_diff(wanted) < wanted / 4, "{found}, not {wanted}");
    again.close_data_dir();
}

/// The journal counts as on once all that was told is durable: what was, while it began and nothing
/// waited for it, as well.
#[test]
fn a_journal_is_on_when_all_that_was_told_is_in_it() {
    let folder = Folder::new("on");
    let (engine, _) = open(folder.path(), "appendfsync always\nsave \"\"").unwrap();
    let mut client = TestClient::new(&engine);
    let log = engine.store.log();
    for round in 0..12 {
        until("the end of its making", || !engine.durability.is_busy_with(Reason::Rewrite));
        client.ask("CONFIG SET appendonly no");
        until("the end of it", || !engine.durability.is_journaling());
        until("its file's end", || !engine.durability.is_busy_with(Reason::Rewrite));
        let (told, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (engine, told, stop) = (&engine, &told, &stop);
                scope.spawn(move || {
                    let mut client = TestClient::new(engine);
                    for n in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let epoch = log.epoch();
                        client.feed(&format!("SET {thread} {n}\r\n"));
                        if !engine.must_hold(client.session.awaited_epoch) {
                            told.fetch_max(epoch, Ordering::AcqRel);
                        }
                    }
                });
            }
            client.ask("CONFIG SET appendonly yes");
            // Seen as soon as it is so.
            let begun = Instant::now();
            while !engine.durability.is_journal_complete(log) {
                assert!(begun.elapsed() < PATIENCE, "round {round}: it does not begin");
            }
            let told = told.load(Ordering::Acquire);
            let durable = log.durable();
            stop.store(true, Ordering::Relaxed);
            assert!(durable >= told, "round {round}: {durable} of {told}");
        });
    }
    engine.close_data_dir();
}
