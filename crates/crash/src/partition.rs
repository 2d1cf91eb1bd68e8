//! A partition: one connection's own keys, their model, and the history since the last crash.
//!
//! The live model runs ahead of the replies (a pipeline is composed before any of it is answered),
//! but for units whose effect only the reply tells; those end their batch. The history keeps what
//! the checker needs to walk it again from `base`.

use differential::resp::Value as Reply;
use differential::rng::Rng;

use crate::clock;
use crate::model::{Expect, Model};
use crate::unit::Unit;
use crate::value::{Bytes, Entry, Keys, Value};
use crate::workload::{self, Work};

/// See the module.
#[derive(Debug)]
pub struct Partition {
    /// The keys as the server had them after the last recovery.
    pub base: Model,
    /// Everything sent since, in order.
    pub units: Vec<Unit>,
    /// What went wrong while the server was up.
    pub violations: Vec<String>,
    /// Counts what this partition wrote to shared keys, ever.
    pub sequence: u64,
    live: Model,
    expects: Vec<Option<Vec<Expect>>>,
    /// Where the current batch begins, and whether a deadline may have passed during it.
    batch: usize,
    tainted: bool,
}

impl Partition {
    /// A partition without keys.
    #[must_use]
    pub fn new(prefix: &[u8]) -> Self {
        let base = Model::new(prefix);
        let live = base.clone();
        Self {
            base,
            units: Vec::new(),
            violations: Vec::new(),
            sequence: 0,
            live,
            expects: Vec::new(),
            batch: 0,
            tainted: false,
        }
    }

    /// How all keys of this partition begin.
    #[must_use]
    pub fn prefix(&self) -> &Bytes {
        &self.base.prefix
    }

    /// Begins a new life of the server: what it recovered is what there is.
    pub fn restart(&mut self, keys: Keys) {
        self.base.keys = keys;
        self.live = self.base.clone();
        self.units.clear();
        self.expects.clear();
        self.batch = 0;
    }

    /// Composes the next batch and returns it. It counts as sent.
    pub fn plan(&mut self, rng: &mut Rng, work: &Work) -> Vec<Unit> {
        self.batch = self.units.len();
        self.tainted = false;
        for _ in 0..workload::batch_size(rng, work) {
            let now = clock::now();
            let composed = workload::compose(&self.live, &mut self.sequence, rng, work, now);
            let waits = composed.iter().any(|unit| unit.waits);
            if waits && self.units.len() > self.batch {
                // The waiting client must not meet what this batch does before the push.
                continue;
            }
            let ends = waits || composed.iter().any(Unit::is_late);
            composed.into_iter().for_each(|unit| self.push(unit, now));
            if ends {
                break;
            }
        }
        self.units[self.batch..].to_vec()
    }

    fn push(&mut self, mut unit: Unit, now: i64) {
        unit.sent = now;
        unit.limit = self.limit(&unit);
        let expects = if unit.is_late() { None } else { Some(self.live.apply(&unit, None)) };
        self.expects.push(expects);
        self.units.push(unit);
    }

    /// The earliest deadline that would change what the unit does if it passed first.
    fn limit(&self, unit: &Unit) -> i64 {
        let names = unit.names(self.prefix());
        if unit.steps.iter().all(|step| workload::is_blind(&step.command)) {
            return i64::MAX;
        }
        let alive = names.iter().filter_map(|name| self.live.keys.get(name)?.deadline);
        alive.filter(|d| !d.passed(unit.sent)).map(|d| d.min).min().unwrap_or(i64::MAX)
    }

    /// Notes the replies to unit `at`: one per command. Whether one of them was refused by a server
    /// that goes down: what is sent after that may not be done either.
    pub fn acknowledge(&mut self, at: usize, replies: &[Reply]) -> bool {
        let now = clock::now();
        let unit = &mut self.units[at];
        unit.done = now;
        unit.acked = Some(now);
        learn(unit, replies);
        if now.saturating_add(clock::SLOP) > unit.limit {
            self.taint_from(at);
        }
        let unit = &self.units[at];
        if !unit.refused.is_empty() {
            return true;
        }
        let expects = match self.expects[at].take() {
            Some(expects) => expects,
            None => self.live.apply(unit, None),
        };
        if self.tainted {
            return false;
        }
        let unit = &self.units[at];
        let pairs = expects.iter().zip(replies).zip(&unit.steps);
        for ((expect, reply), step) in pairs {
            if !expect.accepts(reply) {
                let text = format!(
                    "{}: the reply to `{}` is {}, expected {expect:?}",
                    String::from_utf8_lossy(self.prefix()),
                    step.command,
                    show(reply),
                );
                self.violations.push(text);
            }
        }
        false
    }

    /// Notes a global unit, sent by another thread while this partition is idle. Returns its place.
    pub fn join(&mut self, unit: &Unit) -> usize {
        self.batch = self.units.len();
        self.tainted = false;
        self.push(unit.clone(), clock::now());
        self.units.len() - 1
    }

    /// The server is dead: nothing more will be answered. If it was `asked` to end, it may have
    /// refused what takes long, and that was not told.
    pub fn close(&mut self, death: i64, asked: bool) {
        let first = self.units.iter().position(|unit| unit.acked.is_none());
        for at in first.unwrap_or(self.units.len())..self.units.len() {
            self.units[at].done = death;
            let late = death.saturating_add(clock::SLOP) > self.units[at].limit;
            if late || (asked && self.units[at].may_be_refused()) {
                self.taint_from(at);
            }
        }
    }

    /// From here on it is not known what the rest of the batch did to its keys.
    fn taint_from(&mut self, at: usize) {
        self.tainted = true;
        for unit in self.units.iter_mut().skip(at) {
            unit.tainted = true;
            for name in unit.own_names(&self.base.prefix) {
                self.live.keys.insert(name, Entry::lasting(Value::Unknown));
            }
        }
    }
}

/// What is answered to a long query that a server going down does not finish.
const GOING_DOWN: &[u8] = b"ERR the query was ended: the server is shutting down";

/// Keeps what a reply tells about a random outcome, a relative deadline or a server going down.
fn learn(unit: &mut Unit, replies: &[Reply]) {
    for (at, (step, reply)) in unit.steps.iter().zip(replies).enumerate() {
        if reply.error() == Some(GOING_DOWN) {
            unit.refused.insert(at);
        }
        match step.command.name().as_str() {
            "SPOP" => unit.picked = Some(reply.leaves()),
            "PEXPIRETIME" => unit.exact = reply.integer().filter(|at| *at > 0),
            _ => {}
        }
    }
}

fn show(reply: &Reply) -> String {
    let mut bytes = Vec::new();
    reply.encode(&mut bytes);
    bytes.truncate(120);
    bytes.escape_ascii().to_string()
}
