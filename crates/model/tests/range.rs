//! Ranges of keys in the real engine and in the naive host, whose keys are in a `BTreeMap`: any mix
//! of writes, expiry, renaming, whole databases that go or change places, and ranges between.
//!
//! `KVIST_SEED` repeats a run, `KVIST_STEPS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeMap;

use base::Protocol;
use differential::command::Command;
use differential::resp::Reply;
use differential::rng::Rng;

use crate::pair::{Pair, seed, steps};

/// A day in 2023.
const START: u64 = 1_700_000_000_000;

fn words(line: &str) -> Command {
    Command::new(line.split(' ').map(|word| word.as_bytes().to_vec()).collect())
}

struct Run {
    pair: Pair,
    rng: Rng,
}

impl Run {
    fn new(seed: u64) -> Self {
        Run { pair: Pair::new(format!("KVIST_SEED={seed}"), START), rng: Rng::new(seed, "ranges") }
    }

    fn key(&mut self) -> String {
        let n = self.rng.below(60);
        match self.rng.below(4) {
            0 => format!("account:{n:04}"),
            1 => format!("k{n}"),
            2 => format!("k{}", "x".repeat(n)),
            _ => format!("key:{n:07}"),
        }
    }

    fn bound(&mut self) -> String {
        let key = self.key();
        match self.rng.below(8) {
            0 => "-".to_owned(),
            1 => "+".to_owned(),
            2 => format!("[{}", &key[..self.rng.below(key.len() + 1)]),
            3 => format!("({}", &key[..self.rng.below(key.len() + 1)]),
            4 | 5 => format!("[{key}"),
            _ => format!("({key}"),
        }
    }

    fn write(&mut self) -> Command {
        let (key, other, db) = (self.key(), self.key(), self.rng.below(3));
        let millis = 1 + self.rng.below(2000);
        words(&match self.rng.below(42) {
            0..8 => format!("SET {key} {}", self.rng.below(1000)),
            8 | 9 => format!("SET {key} text"),
            10..14 => format!("SET {key} 1.5 PX {millis}"),
            14..18 => format!("DEL {key} {other}"),
            18 => format!("UNLINK {key}"),
            19 | 20 => format!("RENAME {key} {other}"),
            21 => format!("RENAMENX {key} {other}"),
            22 => format!("COPY {key} {other} DB {db} REPLACE"),
            23 => format!("MOVE {key} {db}"),
            24 => format!("PEXPIRE {key} {millis}"),
            25 => format!("PERSIST {key}"),
            26 | 27 => format!("RPUSH {key} a"),
            28 => format!("LPOP {key}"),
            29 => format!("SADD {key} {}", self.rng.below(3)),
            30 => format!("SREM {key} 0 1 2"),
            31 => format!("HSET {key} f v"),
            32 => format!("JSON.SET {key} $ {{\"n\":{}}}", self.rng.below(100)),
            33 => format!("APPEND {key} 1"),
            34 => format!("GETDEL {key}"),
            35 => format!("MSET {key} 1 {other} 2"),
            36 => format!("PEXPIREAT {key} 1"),
            37 => format!(
                "RANGE.DELETE {} {} LIMIT {}",
                self.bound(),
                self.bound(),
                1 + self.rng.below(9)
            ),
            38 => format!("SINTERSTORE {key} {other} {other}"),
            39 if self.rng.below(4) == 0 => "FLUSHDB".to_owned(),
            40 if self.rng.below(4) == 0 => format!("SWAPDB {db} {}", self.rng.below(3)),
            41 if self.rng.below(12) == 0 => "FLUSHALL".to_owned(),
            _ => format!("INCR {key}"),
        })
    }

    fn query(&mut self) -> Command {
        let (start, end, key) = (self.bound(), self.bound(), self.key());
        let prefix = &key[..self.rng.below(key.len() + 1)];
        let mut line = match self.rng.below(8) {
            0 => format!("RANGE.COUNT {start} {end}"),
            1 => {
                let mut words = vec![b"PREFIX.COUNT".to_vec()];
                words.push(prefix.as_bytes().to_vec());
                return Command::new(words);
            }
            2 => {
                let function = *self.rng.pick(&["SUM", "AVG", "MIN", "MAX", "count"]);
                let path = *self.rng.pick(&["", " PATH $.n", " PATH .n"]);
                return words(&format!("RANGE.AGGREGATE {start} {end} {function}{path}"));
            }
            3 | 4 => format!("PREFIX {prefix}"),
            _ => format!("RANGE {start} {end}"),
        };
        for (option, one_in) in [
            (" REV", 2),
            (" LIMIT 3", 3),
            (" CURSOR 0", 3),
            (" TYPE string", 5),
            (" TYPE Set", 7),
            (" WITHVALUES", 2),
        ] {
            if !line.contains("COUNT") && self.rng.below(one_in) == 0 {
                line += option;
            }
        }
        words(&line)
    }

    fn step(&mut self) {
        match self.rng.below(100) {
            0..3 => self.pair.select(self.rng.below(3)),
            3..6 => {
                let protocol =
                    if self.rng.below(2) == 0 { Protocol::Resp2 } else { Protocol::Resp3 };
                self.pair.speak(protocol);
            }
            6..12 => self.pair.pass(self.rng.below(400) as u64),
            12 => self.pair.expire(),
            13..17 => {
                let commands: Vec<Command> = (0..1 + self.rng.below(6))
                    .map(|at| if at % 2 == 0 { self.write() } else { self.query() })
                    .collect();
                self.pair.exec(&commands);
            }
            17 => {
                let db = self.rng.below(3);
                store::drop_index(&mut self.pair.worker.txn.held, db);
            }
            18 => store::merge_index(&mut self.pair.worker.txn.held, 0),
            19 => store::ask_deadlines(&mut self.pair.worker.txn.held),
            20..65 => {
                let write = self.write();
                self.pair.send(&write);
            }
            _ => {
                let query = self.query();
                self.ask(&query);
            }
        }
    }

    /// The same answer, but that the engine may take an overdue key for another page: then that
    /// page is empty, and the last.
    fn ask(&mut self, query: &Command) {
        let args = query.args();
        let Some(at) = args.iter().position(|word| word == b"CURSOR") else {
            self.pair.send(query);
            return;
        };
        let (real, naive) = (self.pair.real(query), self.pair.naive(query));
        if real.raw == naive.raw {
            return;
        }
        let parts = |reply: &Reply| reply.value.items().map(<[_]>::to_vec).unwrap_or_default();
        let (real, naive) = (parts(&real), parts(&naive));
        let (Some(next), Some(end)) = (real.first(), naive.first()) else {
            self.pair.disagree(&format!("no pages: {query}"));
        };
        let mut args = args.to_vec();
        args[at + 1] = next.bytes().unwrap_or_default().to_vec();
        let last = parts(&self.pair.real(&Command::new(args)));
        let is_empty = last.get(1).and_then(|items| items.items()).is_some_and(<[_]>::is_empty);
        if real.get(1) != naive.get(1) || end.bytes() != Some(b"0") || !is_empty {
            self.pair.disagree(&format!("{query}\n  engine {real:?}\n  model  {naive:?}"));
        }
    }
}

#[test]
fn ranges_between_anything() {
    let seed = seed();
    let mut run = Run::new(seed);
    for step in 0..steps(20_000) {
        run.step();
        if step % 500 == 0 {
            run.pair.audit();
        }
    }
    run.pair.audit();
}

fn page(reply: &Reply) -> (Vec<u8>, Vec<Vec<u8>>) {
    let [cursor, items] = reply.value.items().unwrap() else { panic!("a page") };
    let names = items.items().unwrap().iter().map(|item| item.bytes().unwrap().to_vec());
    (cursor.bytes().unwrap().to_vec(), names.collect())
}

/// Keys that are there from the first page to the last are seen once, whatever happens between.
#[test]
fn pages_under_writes_show_what_stays_once() {
    let seed = seed();
    let mut run = Run::new(seed);
    let stays: Vec<String> = (0..400).map(|n| format!("stay:{n:05}")).collect();
    for key in &stays {
        run.pair.ask(&[b"SET", key.as_bytes(), b"1"]);
    }
    for round in 0..12 {
        let limit = (1 + run.rng.below(40)).to_string();
        let (mut cursor, mut seen, mut last) = (b"0".to_vec(), BTreeMap::new(), None);
        loop {
            let mut command: Vec<&[u8]> = vec![b"RANGE", b"-", b"+", b"CURSOR", &cursor];
            command.extend([&b"LIMIT"[..], limit.as_bytes()]);
            if round % 2 == 1 {
                command[1..3].reverse();
                command.push(b"REV");
            }
            let (next, names) = page(&run.pair.ask(&command));
            for name in names {
                let in_order = last.as_ref().is_none_or(|last| (*last < name) == (round % 2 == 0));
                assert!(in_order, "{name:?} after {last:?}, KVIST_SEED={seed}");
                *seen.entry(name.clone()).or_insert(0) += 1;
                last = Some(name);
            }
            if next == b"0" {
                break;
            }
            cursor = next;
            for _ in 0..run.rng.below(20) {
                let n = run.rng.below(9000);
                let key =
                    if n.is_multiple_of(3) { format!("a:{n}") } else { format!("stay:{n:05}x") };
                let verb: &[u8] = if run.rng.below(2) == 0 { b"INCR" } else { b"DEL" };
                run.pair.ask(&[verb, key.as_bytes()]);
            }
        }
        for key in &stays {
            assert_eq!(seen.get(key.as_bytes()), Some(&1), "{key}, KVIST_SEED={seed}");
        }
        assert!(seen.values().all(|&times| times == 1));
    }
}
