//! The engine on a disk that dies, fails and lies: after every single call.
//!
//! Whatever happens to the disk, what recovery finds is a state the dataset really had, not older
//! than what was acknowledged or saved; transactions are whole; and it goes on from there.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base::Rng;
use kvist_engine::persistence::{DataDir, Reason};
use kvist_engine::{Engine, State};
use testkit::seed;

use crate::disk::{Call, EIO, ENOSPC, Fault, Leaves, Liar, Random};
use crate::tame;
use crate::test_client::{TestClient, engine_with};

pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// So small that segments are full often.
const SEGMENT: u64 = 1024;

/// What is done: one step a line, requests divided by bars; the engine is told `sync` and `save`.
const ALWAYS: &str = "\
    set a 1 | incr n\nmset a 2 b 3 c 4 d 5 e 6\nrpush l x y z\n\
    multi | set a 7 | incr n | rpush l q | del b | exec\n\
    save\nzadd z 1 m 2 k\nhset h f v\nselect 1 | set a other | select 0\nswapdb 0 1\n\
    mset a 3 b 9 c 1\nexpire b 100000\nsave\nlpop l\nflushdb\nset a back\nswapdb 0 1\n\
    config set appendonly no\nset a unheard | incr n\nset b unheard\n\
    config set appendonly yes\nset c heard\nmset a 1 b 2 d 4\nflushall\nset e end";

const EVERYSEC: &str = "\
    set a 1\nmset a 2 b 3 c 4 d 5 e 6\nsync\nmset a 3 b 4\nmset c 4 d 5\nsave\nmset a 5 e 7\n\
    rpush l x y z\nsync\nmulti | set a 7 | incr n | rpush l q | exec\nconfig set appendonly no\n\
    set a 8\nsave\nset a 9\nmset a 1 b 5\nconfig set appendonly yes\nset e end\nset d end";

/// Values so large that the journal knows them by the names of their keys when they go elsewhere.
const MOVES: &str = "\
    setrange a 140000 x\nset n 1\nrename a b\ncopy b c\nset n 2 | rename b a\nsave\nrename c d\n\
    move d 1\nmulti | rename a b | append b y | rename b e | exec\nset n 3\ncopy e a\nsave\n\
    setrange e 5 zz\nrename e c\nselect 1 | rename d b | select 0\ncopy c d db 1";

pub(crate) struct Life {
    pub engine: Arc<Engine>,
    pub client: TestClient,
    pub eyes: TestClient,
    /// The states there were, and the last that must not be lost.
    pub states: Vec<String>,
    pub kept: usize,
}

impl Life {
    /// Starts on what is there.
    pub fn begin(disk: &Liar, policy: &str) -> Result<Self, String> {
        Self::begin_with(disk, policy, SEGMENT)
    }

    pub fn begin_with(disk: &Liar, policy: &str, segment_size: u64) -> Result<Self, String> {
        Self::begin_on(disk, policy, segment_size, 4)
    }

    pub fn begin_on(
        disk: &Liar,
        policy: &str,
        segment_size: u64,
        shards: usize,
    ) -> Result<Self, String> {
        let text = format!(
            "appendonly yes\nappendfsync {policy}\nshards {shards}\ndatabases 4\nsave \"\"\n\
             dir /liar\nenable-debug-command yes\n"
        );
        let engine = engine_with(&text);
        let mut data_dir =
            DataDir::on(Arc::new(disk.clone())).map_err(|e| format!("MANIFEST: {e}"))?;
        data_dir.segment_size = segment_size;
        engine.attach_data_dir(data_dir);
        engine.recover().inspect_err(|_| engine.close_data_dir())?;
        let (client, eyes) = (TestClient::new(&engine), TestClient::new(&engine));
        let mut life = Life { engine, client, eyes, states: Vec::new(), kept: 0 };
        life.look();
        Ok(life)
    }

    pub fn now(&mut self) -> String {
        self.eyes.worker.begin(1_000_000);
        let each = "get a\r\nget b\r\nget c\r\nget d\r\nget e\r\nget n\r\nlrange l 0 -1\r\n\
            zrange z 0 -1 withscores\r\nhgetall h\r\ndbsize\r\n";
        let asked = format!("select 0\r\n{each}select 1\r\n{each}debug digest\r\n");
        let (text, _) = self.eyes.feed(&asked);
        text.lines().filter(|line| !line.starts_with("-MISCONF")).collect::<Vec<_>>().join(" ")
    }

    pub fn look(&mut self) {
        let now = self.now();
        if self.states.last() != Some(&now) {
            self.states.push(now);
        }
    }

    pub fn wait(&self, what: &str, done: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !done(self) {
            assert!(start.elapsed() < PATIENCE, "{what}: {:?}", self.engine.store.log());
            std::thread::yield_now();
        }
    }

    /// One step; its replies.
    pub fn step(&mut self, line: &str) -> String {
        let log = Arc::clone(self.engine.store.log());
        let journaling = self.engine.durability.is_journaling();
        let mut kept = false;
        let replies = match line {
            "sync" => {
                kept = log.sync().is_ok() && journaling;
                String::new()
            }
            "save" => {
                kept = self.engine.save(Reason::Save, journaling).is_ok();
                String::new()
            }
            line => {
                self.client.worker.begin(1_000_000);
                let requests: Vec<_> = line.split(" | ").collect();
                let (mut replies, state) = self.client.feed(&(requests.join("\r\n") + "\r\n"));
                if state == State::Blocked {
                    replies += &self.client.waited();
                }
                replies
            }
        };
        self.look();
        self.wait(line, |life| !life.engine.durability.is_busy_with(Reason::Rewrite));
        if line.starts_with("config") {
            // Switched on, it begins with a snapshot of all this.
            kept = !journaling && self.engine.durability.is_journaling();
        } else if journaling
            && self.engine.config().persistence.appendfsync == config::AppendFsync::Always
        {
            log.flush_soon();
            self.wait(line, |life| {
                !life.client.worker.must_hold(&life.client.session) || log.is_troubled()
            });
            kept |= !self.client.worker.must_hold(&self.client.session);
        } else if journaling {
            log.flush_soon();
            self.wait(line, |_| log.waiting() == 0 || log.is_troubled());
        }
        if kept {
            self.kept = self.states.len() - 1;
        }
        replies
    }

    pub fn run(&mut self, lines: &str) {
        for line in lines.lines() {
            self.step(line.trim());
        }
    }

    /// What the cron thread does in time when the disk works again.
    pub fn repair(&mut self, context: &str) {
        let start = Instant::now();
        loop {
            let trouble = self.engine.store.log().trouble();
            let unsynced = trouble.as_ref().is_some_and(|trouble| trouble.unsynced);
            let wanted = self.engine.config().persistence.appendonly;
            if unsynced || wanted != self.engine.durability.is_journaling() {
                self.engine.save(Reason::Rewrite, wanted).unwrap();
            } else if trouble.is_none() {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{context}: {trouble:?}");
            self.engine.store.log().flush_soon();
            std::thread::yield_now();
        }
    }

    /// Closes the data directory in order.
    pub fn end(self) -> (Vec<String>, usize) {
        self.engine.close_data_dir();
        (self.states, self.kept)
    }
}

fn recover(disk: &Liar, policy: &str, context: &str) -> Life {
    Life::begin(disk, policy).unwrap_or_else(|error| panic!("{context}: {error}"))
}

/// What a crash leaves is right, a crash in the middle of recovery does no harm, and what is
/// written afterwards stays.
fn check_after(dying: &Liar, leaves: Leaves, states: &[String], policy: &str, context: &str) {
    let context = format!("{context} {leaves:?}");
    let found = dying.crash(leaves);
    let interrupted = found.crash(Leaves::Everything);
    let seed = dying.changes();
    interrupted.cut_after(Random::new(seed).below(14));
    if let Ok(life) = Life::begin(&interrupted, policy) {
        assert!(states.contains(&life.states[0]), "{context}: {}", life.states[0]);
        life.end();
    }
    let second = interrupted.crash(Leaves::Some(seed));
    for (disk, context) in [(found, context.clone()), (second, format!("{context}, twice"))] {
        let mut life = recover(&disk, policy, &context);
        let there = &life.states[0];
        assert!(states.contains(there), "{context}: {there}\nis none of {states:#?}");
        life.run("set a after | incr n\nmset a 1 b 2 c 3 d 4 e 5\nsync");
        let last = life.states.last().unwrap().clone();
        assert_eq!(life.kept, life.states.len() - 1, "{context}");
        // Power is lost with the server running: what it found there is as safe as what it wrote.
        let later = disk.crash(Leaves::Nothing);
        life.end();
        for (disk, when) in [(later, "later"), (disk, "in order")] {
            let life = recover(&disk, policy, &format!("{context}, {when}"));
            assert_eq!(life.states[0], last, "{context}, {when}");
            life.end();
        }
    }
}

fn die_everywhere(lines: &str, policy: &str, every: usize) {
    let whole = Liar::default();
    let mut life = recover(&whole, policy, "at first");
    life.run(lines);
    assert_eq!(life.kept, life.states.len() - 1 - usize::from(policy != "always") * 2);
    life.end();
    let calls = whole.changes();
    println!("{calls} calls");
    for cut in (0..=calls).step_by(every) {
        let dying = Liar::default();
        dying.cut_after(cut);
        let Ok(mut life) = Life::begin(&dying, policy) else { continue };
        life.run(lines);
        let (states, kept) = life.end();
        let leaves = [Leaves::Nothing, Leaves::Everything, Leaves::Some(cut)];
        let leaves = leaves[cut as usize % 3];
        check_after(&dying, leaves, &states[kept..], policy, &format!("{policy} {cut}"));
    }
}

#[test]
fn the_disk_dies_after_every_call_under_always() {
    die_everywhere(ALWAYS, "always", 1);
}

#[test]
fn the_disk_dies_after_every_call_under_everysec() {
    die_everywhere(EVERYSEC, "everysec", 1);
}

#[test]
fn the_disk_dies_after_every_call_without_syncs() {
    die_everywhere(EVERYSEC, "no", 1);
}

#[test]
fn the_disk_dies_while_large_values_move() {
    die_everywhere(MOVES, "always", 4);
}

/// A request of any kind, as a line.
fn random_request(rng: &mut Rng) -> String {
    let name = |rng: &mut Rng| ["a", "b", "c", "d", "e"][rng.below(5)];
    let (from, to) = (name(rng), name(rng));
    match rng.below(20) {
        0 if rng.below(3) == 0 => {
            return format!("setrange {from} {} z", 131_000 + rng.below(9000));
        }
        1 | 2 => return format!("rename {from} {to}"),
        3 => return format!("copy {from} {to} db {} replace", rng.below(3)),
        4 => return format!("move {from} {}", rng.below(3)),
        5 => return format!("swapdb 0 {}", rng.below(3)),
        6 => return format!("select {}", rng.below(3)),
        _ => {}
    }
    let words = match rng.below(6) {
        0 => tame::document_request(rng),
        _ => tame::any_request(rng),
    };
    let hex = |word: &Vec<u8>| word.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let words: Vec<String> = words.iter().map(|word| format!("\"{}\"", hex(word))).collect();
    words.join(" ")
}

/// Steps of a life: requests, some in a transaction or a script, saves, the journal off and on.
fn random_lines(rng: &mut Rng) -> String {
    let mut lines = Vec::new();
    for _ in 0..20 + rng.below(20) {
        lines.push(match rng.below(16) {
            0 | 1 => "save".to_owned(),
            2 => "sync".to_owned(),
            3 if rng.below(4) == 0 => "config set appendonly no".to_owned(),
            4 if rng.below(2) == 0 => "config set appendonly yes".to_owned(),
            5..8 => {
                let some: Vec<String> = (0..3).map(|_| random_request(rng)).collect();
                format!("multi | {} | exec", some.join(" | "))
            }
            _ => random_request(rng),
        });
    }
    lines.join("\n")
}

/// Whatever happens in whatever order, and wherever the disk dies. `KVIST_SEED` repeats a run,
/// `KVIST_ROUNDS` makes it longer.
#[test]
fn the_disk_dies_in_any_life() {
    let mut seeds = seed::rng();
    for round in 0..seed::setting("KVIST_ROUNDS", 2) {
        let seed = seeds.next_u64();
        let rng = &mut Rng::new(seed);
        let (lines, policy) = (random_lines(rng), ["always", "everysec", "no"][rng.below(3)]);
        let whole = Liar::default();
        let mut life = recover(&whole, policy, "at first");
        life.run(&lines);
        life.end();
        let calls = usize::try_from(whole.changes()).unwrap();
        for _ in 0..5 {
            let cut = rng.below(calls) as u64;
            let dying = Liar::default();
            dying.cut_after(cut);
            let Ok(mut life) = Life::begin(&dying, policy) else { continue };
            life.run(&lines);
            let (states, kept) = life.end();
            let leaves = [Leaves::Nothing, Leaves::Everything, Leaves::Some(seed)][rng.below(3)];
            let context = format!("round {round}, {policy}, cut after {cut} of {calls}: {lines}");
            check_after(&dying, leaves, &states[kept..], policy, &context);
        }
    }
}

#[test]
fn every_call_fails_for_a_while() {
    let whole = Liar::default();
    let mut life = recover(&whole, "always", "at first");
    let begun = whole.changes();
    life.run(ALWAYS);
    life.end();
    for after in 0..whole.changes() - begun {
        let (errno, once) = [(EIO, true), (ENOSPC, false), (EIO, false)][after as usize % 3];
        let context = format!("call {after}, error {errno}, once {once}");
        let disk = Liar::default();
        let mut life = recover(&disk, "always", &context);
        disk.fail(Fault { after, errno, once, only: None });
        life.run(ALWAYS);
        // A disk that failed once heals by itself, at a moment of its own: it may serve again here.
        let is_troubled =
            life.engine.durability.is_journaling() && life.engine.store.log().is_troubled();
        if is_troubled && !once {
            let before = life.now();
            let refused = life.step("set a refused");
            let text = "-MISCONF Errors writing to the AOF file: ";
            assert!(refused.starts_with(text), "{context}: {refused}");
            assert_eq!(life.now(), before, "{context}: it was refused, and read all the same");
        }
        check_after(&disk, Leaves::Nothing, &life.states[life.kept..], "always", &context);
        disk.heal();
        life.repair(&context);
        assert!(life.step("set a healed").starts_with("+OK"), "{context}");
        assert_eq!(life.kept, life.states.len() - 1, "{context}: it is durable again");
        let kept = life.states[life.kept].clone();
        let found = disk.crash(Leaves::Nothing);
        life.end();
        for disk in [found, disk] {
            let life = recover(&disk, "always", &context);
            assert_eq!(life.states[0], kept, "{context}");
            life.end();
        }
    }
}

/// Reading may fail too: then nothing is started, and nothing is changed.
#[test]
fn unreadable_is_not_empty() {
    let disk = Liar::default();
    let mut life = recover(&disk, "always", "at first");
    life.run(ALWAYS);
    let (states, _) = life.end();
    for call in [Call::Open, Call::Read, Call::List, Call::Len] {
        for after in 0..40 {
            let copy = disk.crash(Leaves::Nothing);
            copy.fail(Fault { after, errno: EIO, once: true, only: Some(call) });
            if let Ok((there, _)) = Life::begin(&copy, "always").map(Life::end) {
                assert_eq!(there.last(), states.last(), "{call:?} {after}");
            }
            copy.heal();
            let life = recover(&copy, "always", &format!("{call:?} {after}"));
            assert_eq!(life.states.last(), states.last(), "{call:?} {after}");
            life.end();
        }
    }
}

#[test]
fn flipped_bits_are_refused_with_a_place() {
    let disk = Liar::default();
    let mut life = recover(&disk, "always", "at first");
    life.run("mset a 1 b 2 c 3\nrpush l x y z\nzadd z 1 m\nsave\nset a 2\nmset a 3 c 5\nincr n");
    let (states, _) = life.end();
    let mut refused = 0;
    for (name, len) in disk.files() {
        for offset in (0..len).step_by(3) {
            let copy = disk.crash(Leaves::Nothing);
            copy.flip(&name, offset, 1 << (offset % 8));
            match Life::begin(&copy, "always") {
                Ok(life) => assert_eq!(life.end().0.last(), states.last(), "{name} {offset}"),
                Err(text) => {
                    refused += 1;
                    assert!(text.contains(&name), "{name} {offset}: {text}");
                    let told = text.contains("offset") || name == "MANIFEST";
                    assert!(told || text.contains("version"), "{name} {offset}: {text}");
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// What was queued while the disk was well is asked for again when it is to run.
#[test]
fn a_transaction_is_refused_if_the_disk_is_full_by_then() {
    for policy in ["always", "everysec"] {
        let disk = Liar::default();
        let mut life = recover(&disk, policy, policy);
        life.step("set b 1");
        life.step("multi | set a 1 | lpush l x");
        let mut reader = TestClient::new(&life.engine);
        reader.feed("multi\r\nget b\r\n");
        disk.fail(Fault { after: 0, errno: ENOSPC, once: false, only: None });
        let mut other = TestClient::new(&life.engine);
        other.feed("set c 1\r\n");
        life.engine.store.log().flush_soon();
        life.wait(policy, |life| life.engine.store.log().is_troubled());
        let before = life.now();
        let refused = life.step("exec");
        let text = "-EXECABORT Transaction discarded because of: MISCONF Errors writing to the AOF";
        assert!(refused.starts_with(text), "{policy}: {refused}");
        assert_eq!(life.now(), before, "{policy}");
        // One that only reads goes on.
        reader.worker.begin(1_000_000);
        assert_eq!(reader.feed("exec\r\n").0, "*1\r\n$1\r\n1\r\n");
        life.end();
    }
}

/// So is an edit that waits for its turn: neither what has a fork nor what is yet to begin is done,
/// and the refusal does not wait for the disk.
#[cfg(debug_assertions)]
#[test]
fn an_edit_is_refused_if_the_disk_is_full_by_then() {
    for policy in ["always", "everysec"] {
        let disk = Liar::default();
        let lines = format!(
            "appendonly yes\nappendfsync {policy}\nsave \"\"\ndir /liar\nquery-threads 1\n\
             enable-debug-command yes\n"
        );
        let engine = crate::rings::engine(crate::test_client::start(&lines));
        engine.attach_data_dir(DataDir::on(Arc::new(disk.clone())).unwrap());
        engine.recover().unwrap();
        let gate = format!("full-disk-{policy}");
        let (engine, mut holder, eyes) = crate::graphs::hold_up(engine, &gate);
        engine.store.log().sync().unwrap();
        let mut clients = [(); 3].map(|()| TestClient::new(&engine));
        for client in &mut clients {
            assert_eq!(client.feed("GRAPH.QUERY g \"CREATE ()\"\r\n").1, State::Blocked);
        }
        let client = TestClient::new(&engine);
        let mut life = Life { engine, client, eyes, states: Vec::new(), kept: 0 };
        disk.fail(Fault { after: 0, errno: ENOSPC, once: false, only: None });
        life.client.feed("set c 1\r\n");
        life.engine.store.log().flush_soon();
        life.wait(policy, |life| life.engine.store.log().is_troubled());
        let digest = life.eyes.ask("DEBUG DIGEST");
        life.eyes.ask(&format!("RING.GATE OPEN {gate}"));
        holder.answered();
        for client in &mut clients {
            let refused = client.answered();
            let text = "-MISCONF Errors writing to the AOF file: ";
            assert!(refused.starts_with(text), "{policy}: {refused}");
            assert!(!client.worker.must_hold(&client.session), "{policy}");
        }
        assert_eq!(life.eyes.ask("EXISTS g"), ":0", "{policy}");
        assert_eq!(life.eyes.ask("DEBUG DIGEST"), digest, "{policy}");
        disk.heal();
        life.repair(policy);
        let done = clients[1].ask("GRAPH.QUERY g \"CREATE (n) RETURN id(n)\"");
        assert!(done.contains("Nodes created: 1"), "{policy}: {done}");
        life.client.worker.txn.report_memory();
        crate::graphs::nothing_left(&mut life.eyes);
        life.end();
    }
}

/// Switched on, the journal begins with a snapshot. Where that cannot be made, a write that is
/// acknowledged would be in neither.
#[test]
fn a_journal_that_cannot_begin_keeps_writes_from_running() {
    for policy in ["always", "everysec"] {
        let disk = Liar::default();
        let mut life = recover(&disk, policy, policy);
        life.step("set a 1");
        life.step("config set appendonly no");
        disk.fail(Fault { after: 0, errno: ENOSPC, once: false, only: None });
        life.client.feed("config set appendonly yes\r\n");
        life.wait(policy, |life| {
            life.engine.hindrance().is_some()
                && !life.engine.durability.is_busy_with(Reason::Rewrite)
        });
        let mut other = TestClient::new(&life.engine);
        for line in ["set b 1", "eval \"return redis.call('set', 'b', '1')\" 0"] {
            let refused = other.ask(line);
            assert!(
                refused.contains("MISCONF Errors writing to the AOF file: it could not be begun"),
                "{refused}"
            );
        }
        other.feed("multi\r\nset b 1\r\n");
        assert!(other.ask("exec").starts_with("-EXECABORT"), "{policy}");
        assert_eq!(other.ask("get a"), "$1\r\n1");
        disk.heal();
        life.repair(policy);
        other.worker.begin(1_000_000);
        assert_eq!(other.ask("set b 1"), "+OK");
        life.end();
    }
}

/// Replies that wait for a disk are let go at once when nothing promises that any more.
#[test]
fn doors_are_told_when_replies_need_not_wait_any_more() {
    let disk = Liar::default();
    let mut life = recover(&disk, "always", "at first");
    let told = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&told);
    life.engine.durability.tell_durable(Box::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
    }));
    disk.fail(Fault { after: 0, errno: ENOSPC, once: false, only: None });
    life.client.feed("set a withheld\r\n");
    assert!(life.client.worker.must_hold(&life.client.session));
    life.engine.store.log().flush_soon();
    life.wait("trouble", |life| life.engine.store.log().is_troubled());
    for (line, back) in [
        ("config set appendfsync everysec", "config set appendfsync always"),
        ("multi\r\nconfig set appendfsync no\r\nexec", "config set appendfsync always"),
        ("config set appendonly no", "ping"),
    ] {
        let before = told.load(Ordering::SeqCst);
        let mut other = TestClient::new(&life.engine);
        other.feed(&format!("{line}\r\n"));
        assert!(!life.client.worker.must_hold(&life.client.session), "{line}");
        assert!(told.load(Ordering::SeqCst) > before, "{line}");
        other.feed(&format!("{back}\r\n"));
    }
    life.end();
}

/// Who asks for something that waits for the disk waits for it, and the thread does not: it has
/// other clients.
#[test]
fn a_disk_that_hangs_keeps_no_other_client_waiting() {
    let lines = [
        "flushwal",
        "config set appendonly no",
        "debug reload",
        "debug loadaof",
        "save",
        "snapshot",
    ];
    for line in lines.map(|line| format!("{line}\r\n")) {
        let line = line.as_str();
        let disk = Liar::default();
        let mut life = recover(&disk, "everysec", "at first");
        life.step("set a 1");
        let hangs = Arc::new(AtomicBool::new(true));
        let still = Arc::clone(&hangs);
        disk.listen(move |call, _, _, _| {
            let begun = Instant::now();
            // A request that waits for it in this thread finds it over, and the test fails.
            while call == Call::Sync
                && still.load(Ordering::SeqCst)
                && begun.elapsed() < PATIENCE / 4
            {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let mut others: Vec<TestClient> = (0..3).map(|_| TestClient::new(&life.engine)).collect();
        assert_eq!(life.client.feed(line), (String::new(), State::Blocked), "{line}");
        assert_eq!(others[0].ask("get a"), "$1\r\n1");
        let waits = usize::from(line.starts_with("flushwal")) * others.len();
        for other in &mut others[..waits] {
            assert_eq!(other.feed(line), (String::new(), State::Blocked), "{line}");
        }
        hangs.store(false, Ordering::SeqCst);
        assert_eq!(life.client.answered(), "+OK", "{line}");
        others[..waits].iter_mut().for_each(|other| assert_eq!(other.answered(), "+OK"));
        life.wait("the end of it", |life| !life.engine.durability.is_busy_with(Reason::Rewrite));
        disk.hush();
        life.end();
    }
}

/// Behind a failed sync, what is written counts when a snapshot has made good what came before.
/// Until then no client is told that it is safe.
#[test]
fn nothing_is_called_durable_before_the_snapshot_that_makes_a_failed_sync_good() {
    let disk = Liar::default();
    let mut life = recover(&disk, "everysec", "at first");
    let log = Arc::clone(life.engine.store.log());
    life.step("set a 1");
    disk.fail(Fault { after: 0, errno: EIO, once: true, only: Some(Call::Sync) });
    assert!(log.sync().is_err());
    // The new segment can be made, and its snapshot cannot.
    disk.fail(Fault { after: 1, errno: ENOSPC, once: false, only: Some(Call::Create) });
    assert!(life.engine.save(Reason::Rewrite, true).is_err());
    assert!(log.sync().is_err(), "what came before is in no file that counts");
    disk.heal();
    life.engine.save(Reason::Rewrite, true).unwrap();
    log.sync().unwrap();
    let found = disk.crash(Leaves::Nothing);
    let last = life.end().0.pop().unwrap();
    assert_eq!(recover(&found, "everysec", "later").states[0], last);
}

/// Switched off while no snapshot has made a failed sync good, the journal has a gap: no manifest
/// may say that it is whole, or nothing could be started on it any more.
#[test]
fn a_journal_with_a_gap_is_not_called_whole_when_it_is_switched_off() {
    let disk = Liar::default();
    let mut life = recover(&disk, "always", "at first");
    life.step("set a 1");
    disk.fail(Fault { after: 0, errno: EIO, once: true, only: Some(Call::Sync) });
    life.step("set a 2");
    disk.fail(Fault { after: 1, errno: ENOSPC, once: false, only: Some(Call::Create) });
    assert!(life.engine.save(Reason::Rewrite, true).is_err());
    disk.heal();
    life.step("config set appendonly no");
    let (states, kept) = life.end();
    check_after(&disk, Leaves::Nothing, &states[kept..], "always", "with a gap");
    check_after(&disk, Leaves::Everything, &states[kept..], "always", "with a gap");
}

/// The journal that a snapshot was to take the place of is there still if the snapshot fails, and
/// counts for when to make the next.
#[test]
fn a_snapshot_that_fails_leaves_the_journal_as_long_as_it_is() {
    let disk = Liar::default();
    let mut life = recover(&disk, "everysec", "at first");
    let log = Arc::clone(life.engine.store.log());
    for n in 0..200 {
        life.step(&format!("set key:{n} v"));
    }
    log.sync().unwrap();
    let before = log.figures.replay_cost();
    disk.fail(Fault { after: 1, errno: ENOSPC, once: false, only: Some(Call::Create) });
    assert!(life.engine.save(Reason::Rewrite, true).is_err());
    assert!(log.figures.replay_cost() >= before, "{} of {before}", log.figures.replay_cost());
    disk.heal();
    life.engine.save(Reason::Rewrite, true).unwrap();
    assert!(log.figures.replay_cost() < before / 4);
    life.end();
}

/// Who asks for the end of a server whose journal cannot be kept is told so while it still is there
/// to be helped: unless they do not care.
#[test]
fn a_shutdown_that_would_lose_something_is_refused() {
    for only in [Call::Sync, Call::Write] {
        for (line, refused) in [
            ("shutdown", true),
            ("shutdown save", true),
            ("shutdown nosave", false),
            ("shutdown force", false),
        ] {
            let context = format!("{only:?}, {line}");
            let disk = Liar::default();
            let mut life = recover(&disk, "everysec", &context);
            let engine = Arc::clone(&life.engine);
            life.step("set a 1");
            disk.fail(Fault { after: 0, errno: EIO, once: only == Call::Sync, only: Some(only) });
            life.step("set a 2");
            assert!(engine.store.log().sync().is_err(), "{context}");
            if only == Call::Sync {
                disk.fail(Fault { after: 0, errno: ENOSPC, once: false, only: Some(Call::Create) });
            }
            let (reply, state) = life.client.feed(&format!("{line}\r\n"));
            if refused {
                assert_eq!((&*reply, state), ("", State::Blocked), "{context}");
                let told = life.client.answered();
                assert_eq!(told, "-ERR Errors trying to SHUTDOWN. Check logs.", "{context}");
                assert!(!engine.run.stopping.load(Ordering::Acquire), "{context}");
                // The disk works again, and all of it is kept.
                disk.heal();
                assert_eq!(life.client.feed("shutdown\r\n").1, State::Blocked, "{context}");
            }
            life.wait(&context, |life| life.engine.run.stopping.load(Ordering::Acquire));
            // The program's exit code.
            assert_eq!(engine.close().is_ok(), refused, "{context}");
            let last = life.states.last().cloned();
            life.end();
            let again = recover(&disk.crash(Leaves::Nothing), "everysec", &context);
            assert!(!refused || Some(&again.states[0]) == last.as_ref(), "{context}");
            again.end();
        }
    }
}

/// When the journal cannot be synced, memory still has everything: who closes the engine in order
/// loses nothing if a snapshot can be made, and is told if not.
#[test]
fn an_end_in_order_saves_what_the_journal_could_not_keep() {
    for (policy, saves) in [("always", true), ("everysec", true), ("always", false)] {
        let disk = Liar::default();
        let mut life = recover(&disk, policy, "at first");
        let engine = Arc::clone(&life.engine);
        life.step("set a 1");
        disk.fail(Fault { after: 0, errno: EIO, once: true, only: Some(Call::Sync) });
        life.step("set a 2");
        assert!(engine.store.log().sync().is_err());
        if !saves {
            disk.fail(Fault { after: 0, errno: ENOSPC, once: false, only: Some(Call::Create) });
        }
        let closed = engine.close();
        assert_eq!(closed.is_ok(), saves, "{policy}: {closed:?}");
        let found = disk.crash(Leaves::Nothing);
        let states = life.end().0;
        let again = recover(&found, policy, "later");
        assert!(!saves || Some(&again.states[0]) == states.last(), "{policy}");
    }
}
