//! The real engine against the naive host, on random requests under a moving clock.
//!
//! `KVIST_SEED` repeats a run, `KVIST_STEPS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::Protocol;
use differential::command::Step;
use differential::families::{self, Family};
use differential::generator::Generator;
use differential::pools::universe;
use differential::rng::Rng;

use crate::pair::{DATABASES, Pair, seed, steps};

/// Steps between two comparisons of everything.
const AUDIT_EVERY: usize = 300;
/// A day in 2023, so that the timestamps drawn lie on both sides.
const START: u64 = 1_700_000_000_000;

const FAMILIES: [&Family; 9] = [
    &families::strings::FAMILY,
    &families::keys::FAMILY,
    &families::hashes::FAMILY,
    &families::lists::FAMILY,
    &families::sets::FAMILY,
    &families::zsets::FAMILY,
    &families::bitmaps::FAMILY,
    &families::hyperloglog::FAMILY,
    &families::geo::FAMILY,
];

struct Run {
    pair: Pair,
    generator: Generator,
    rng: Rng,
    keys: Vec<Vec<u8>>,
}

impl Run {
    fn new(seed: u64) -> Self {
        Run {
            pair: Pair::new(format!("KVIST_SEED={seed}"), START),
            generator: Generator::new(FAMILIES[0], Rng::new(seed, "requests")).unwrap(),
            rng: Rng::new(seed, "model"),
            keys: universe().into_iter().collect(),
        }
    }

    fn draw(&mut self) -> Step {
        loop {
            let family = *self.rng.pick(&FAMILIES);
            let step = self.generator.step_of(family.name);
            if let Some(command) = step.command()
                && self.pair.knows(command)
                // Bytes of memory are each host's own.
                && command.name() != "MEMORY"
            {
                return step;
            }
        }
    }

    fn step(&mut self) {
        let (seed, roll) = (self.rng.number(), self.rng.below(100));
        self.pair.reseed(seed);
        match roll {
            0..12 => self.short_expiry(),
            12..20 => {
                let millis = self.rng.below(700) as u64;
                self.pair.pass(millis);
            }
            20..22 => {
                let db = if self.rng.chance(70) { 0 } else { self.rng.below(DATABASES) };
                self.pair.select(db);
            }
            22..24 => self.shuffle(),
            24..28 => self.transaction(),
            28 => {
                let shard = self.rng.below(self.pair.engine.store.shards());
                store::expire_step(&mut self.pair.worker.txn, shard, self.pair.now);
            }
            _ => self.one(),
        }
    }

    fn one(&mut self) {
        match self.draw() {
            Step::Scan(command) => self.pair.scan(&command),
            Step::Random(command) => self.pair.random(&command),
            Step::Lexical(command) => self.pair.lexical(&command),
            Step::Send(command) | Step::Other(command) => {
                if command.name() == "DBSIZE" {
                    self.pair.expire();
                }
                self.pair.send(&command);
            }
            Step::Pause(_) => {}
        }
    }

    /// A deadline so near that the clock passes it during the run.
    fn short_expiry(&mut self) {
        let key = self.rng.pick(&self.keys).clone();
        let millis = self.rng.below(2_500);
        let words: [String; 3] = [
            millis.to_string(),
            (millis / 900).to_string(),
            (self.pair.now + millis as u64).to_string(),
        ];
        let [ms, s, at] = words.each_ref().map(String::as_bytes);
        let condition: &[u8] = self.rng.pick(&[b"NX", b"XX", b"GT", b"LT"]).as_slice();
        let key = key.as_slice();
        match self.rng.below(9) {
            0 => self.pair.ask(&[b"PEXPIRE", key, ms]),
            1 => self.pair.ask(&[b"PEXPIRE", key, ms, condition]),
            2 => self.pair.ask(&[b"EXPIRE", key, s]),
            3 => self.pair.ask(&[b"PEXPIREAT", key, at]),
            4 => self.pair.ask(&[b"SET", key, b"fleeting", b"PX", ms]),
            5 => self.pair.ask(&[b"PSETEX", key, ms, b"12"]),
            6 => self.pair.ask(&[b"GETEX", key, b"PXAT", at]),
            7 => self.pair.ask(&[b"SET", key, b"5", b"PXAT", at, b"GET"]),
            _ => self.pair.ask(&[b"PTTL", key]),
        };
    }

    /// What moves whole keys and databases about.
    fn shuffle(&mut self) {
        let keys = [(); 2].map(|()| self.rng.pick(&self.keys).clone());
        let [a, b] = keys.each_ref().map(Vec::as_slice);
        let dbs = [(); 2].map(|()| self.rng.below(4).to_string());
        let [x, y] = dbs.each_ref().map(String::as_bytes);
        match self.rng.below(40) {
            0..6 => self.pair.ask(&[b"SWAPDB", x, y]),
            6..16 => self.pair.ask(&[b"MOVE", a, x]),
            16..26 => self.pair.ask(&[b"COPY", a, b, b"DB", x, b"REPLACE"]),
            26..30 => self.pair.ask(&[b"COPY", a, b]),
            30..37 => self.pair.ask(&[b"RENAME", a, b]),
            37..39 => self.pair.ask(&[b"FLUSHDB", b"ASYNC"]),
            _ => self.pair.ask(&[b"FLUSHALL"]),
        };
    }

    fn transaction(&mut self) {
        let count = 1 + self.rng.below(8);
        let mut commands = Vec::new();
        while commands.len() < count {
            // Cursors and random choices are checked one by one, counts of dead keys depend on who
            // looked.
            if let Step::Send(command) = self.draw()
                && !matches!(command.name().as_str(), "DBSIZE")
            {
                commands.push(command);
            }
        }
        self.pair.exec(&commands);
    }
}

#[test]
fn the_engine_answers_as_the_naive_host_does() {
    let seed = seed();
    let steps = steps(60_000);
    println!("KVIST_SEED={seed} KVIST_STEPS={steps}");
    let mut run = Run::new(seed);
    run.pair.account();
    let empty = run.pair.engine.store.memory();
    let protocol = if seed.is_multiple_of(2) { Protocol::Resp2 } else { Protocol::Resp3 };
    run.pair.speak(protocol);
    for step in 0..steps {
        run.step();
        if step % AUDIT_EVERY == 0 {
            run.pair.audit();
        }
    }
    run.pair.audit();
    run.pair.ask(&[b"FLUSHALL"]);
    run.pair.audit();
    assert_eq!(run.pair.engine.store.memory(), empty, "KVIST_SEED={seed}");
}
