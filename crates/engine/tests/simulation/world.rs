//! One life of an engine on a disk, in one thread: the actor that comes next in the plan takes a
//! step, and whenever the disk is called others may come in between, or power is cut.
//!
//! What the engine does is what it does in production: the flusher's rounds, a snapshot's scan, the
//! cron thread's rounds, recovery. Only the threads around them are missing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

use journal::clock;
use kvist_engine::persistence::{DataDir, Reason, Recovered};
use kvist_engine::{CronRounds, Engine, Message};
use parking_lot::Mutex;
use testkit::transcript::words;

use super::plan::{Act, CLIENTS, Plan, Request, Step, show_step};
use super::state::{State, look};
use super::twin::Twin;
use crate::disk::{Call, Leaves, Liar};
use crate::test_client::{TestClient, engine_with};

/// So small that segments are full often.
const SEGMENT: u64 = 4096;
/// So small that a snapshot calls the disk after each of its steps.
const BLOCK: usize = 1;

/// A state there was.
#[derive(Clone, Debug)]
pub struct Moment {
    pub state: State,
    /// The epoch that its records joined; `u64::MAX` if none were kept.
    epoch: u64,
    /// What made it.
    pub what: String,
}

/// The states of a life, in order, and from which on one must be found after a crash.
#[derive(Clone, Debug)]
pub struct History {
    pub moments: Vec<Moment>,
    pub kept: usize,
}

impl History {
    pub fn new(state: State) -> Self {
        let what = "as it was found".to_owned();
        History { moments: vec![Moment { state, epoch: u64::MAX, what }], kept: 0 }
    }

    fn last(&self) -> usize {
        self.moments.len() - 1
    }

    /// Which of the states that may be found this is.
    pub fn find(&self, state: &State) -> Option<usize> {
        (self.kept..self.moments.len()).find(|&at| self.moments[at].state == *state)
    }

    /// What is wrong with a state that may not be found.
    pub fn complain(&self, state: &State) -> String {
        let at = self.moments.iter().rposition(|moment| moment.state == *state);
        let there = match at {
            Some(at) => format!("state {at}, behind '{}'", self.moments[at].what),
            None => "no state there ever was".to_owned(),
        };
        let tail: Vec<String> = (self.kept..self.moments.len())
            .map(|at| {
                format!("  {at}: {:?} behind '{}'", self.moments[at].state, self.moments[at].what)
            })
            .collect();
        let first = &self.moments[self.kept].state;
        let (lacks, has) = (state.lacks(first), first.lacks(state));
        format!(
            "found {there}: {state:?}; it must be one of\n{}\n\
             The first of them has [{lacks}] and has not [{has}]",
            tail.join("\n")
        )
    }
}

/// A client, and the state it waits to be told of: the last one it made.
struct Client {
    test_client: TestClient,
    owed: Option<usize>,
}

impl Client {
    fn new(engine: &Arc<Engine>) -> Self {
        Client { test_client: TestClient::new(engine), owed: None }
    }
}

/// What has happened, line by line.
pub type Trace = Arc<Mutex<Vec<String>>>;

/// The running engine and all around it.
pub struct World {
    pub engine: Arc<Engine>,
    disk: Liar,
    clients: Vec<Mutex<Client>>,
    admin: Mutex<TestClient>,
    eyes: Mutex<TestClient>,
    cron: Mutex<CronRounds>,
    steps: Mutex<VecDeque<Step>>,
    pub history: Mutex<History>,
    /// The epoch and the bytes that waited for the flusher when it was last looked.
    waited: Mutex<(u64, u64)>,
    now: AtomicU64,
    /// Calls until power is cut, once there is nothing left to do; and what that leaves.
    after: AtomicU64,
    leaves: Leaves,
    /// The disk that is found then.
    found: Mutex<Option<Liar>>,
    /// How deep steps are inside steps.
    depth: AtomicU64,
    over: AtomicBool,
    /// Snapshots that were made.
    pub saves: AtomicU64,
    thread: ThreadId,
    trace: Trace,
    twin: Arc<Mutex<Twin>>,
}

/// The time a simulation begins, in milliseconds since the Unix epoch.
pub const BEGINNING: u64 = 1_700_000_000_000;

/// Starts an engine on a disk.
pub fn start(disk: &Liar, plan: &Plan, now: u64) -> Result<(Arc<Engine>, Recovered), String> {
    clock::simulate(Some(now));
    let text = format!(
        "appendonly yes\nappendfsync {}\nshards 4\ndatabases 4\nsave \"\"\ndir /liar\n\
         enable-debug-command yes\nproto-max-bulk-len 1mb\nlatency-tracking no\n\
         slowlog-log-slower-than -1\n{}",
        plan.policy, plan.lines
    );
    let engine = engine_with(&text);
    let mut data_dir =
        DataDir::on(Arc::new(disk.clone())).map_err(|error| format!("home: {error}"))?;
    (data_dir.segment_size, data_dir.block_size, data_dir.stepped) = (SEGMENT, BLOCK, true);
    engine.attach_data_dir(data_dir);
    engine.store.tell_by_names_from(plan.named);
    engine.store.copy_in_chunks_from(plan.copied.0, plan.copied.1);
    let recovered = engine.recover().inspect_err(|_| engine.close_data_dir())?;
    Ok((engine, recovered))
}

/// What an engine holds, and whether its accounts are true.
pub fn inspect(engine: &Arc<Engine>) -> Result<State, String> {
    // What is loaded may take more than it took before, and then the first to come evicts: what is
    // found is what was there before that.
    engine.store.stand_still(u64::MAX);
    let mut eyes = TestClient::new(engine);
    eyes.worker.begin(1);
    let state = look(&mut eyes);
    engine.store.stand_still(0);
    eyes.worker.txn.report_memory();
    let store = &engine.store;
    let told = store.memory() - store.shared_memory();
    let counted = store::recount(&mut eyes.worker.txn.held);
    if told != counted {
        return Err(format!("the store says {told} bytes, and there are {counted}"));
    }
    Ok(state)
}

impl World {
    /// A life begins where an engine has just started.
    pub fn new(
        (engine, disk): (Arc<Engine>, Liar),
        life: &super::plan::Life,
        now: u64,
        (trace, twin): (&Trace, &Arc<Mutex<Twin>>),
    ) -> Result<Arc<Self>, String> {
        let history = History::new(inspect(&engine)?);
        let world = Arc::new(World {
            clients: (0..CLIENTS).map(|_| Mutex::new(Client::new(&engine))).collect(),
            admin: Mutex::new(TestClient::new(&engine)),
            eyes: Mutex::new(TestClient::new(&engine)),
            cron: Mutex::new(CronRounds::new(&engine)),
            steps: Mutex::new(life.steps.iter().cloned().collect()),
            history: Mutex::new(history),
            waited: Mutex::default(),
            now: AtomicU64::new(now),
            after: AtomicU64::new(life.after),
            leaves: life.leaves,
            found: Mutex::new(None),
            depth: AtomicU64::new(0),
            over: AtomicBool::new(false),
            saves: AtomicU64::new(0),
            thread: std::thread::current().id(),
            trace: Arc::clone(trace),
            twin: Arc::clone(twin),
            engine,
            disk,
        });
        let weak: Weak<World> = Arc::downgrade(&world);
        world.disk.listen(move |call, inode, offset, len| {
            if let Some(world) = weak.upgrade() {
                world.called((call, inode, offset, len));
            }
        });
        Ok(world)
    }

    /// Lives until power is cut; the disk that is found then, and the time.
    pub fn live(&self) -> (Liar, u64) {
        loop {
            let next = self.steps.lock().pop_front();
            match next {
                Some(step) if !self.is_over() => self.take(&step),
                _ => break,
            }
        }
        self.settle();
        self.cut();
        self.disk.hush();
        for client in &self.clients {
            let Client { test_client, .. } = &mut *client.lock();
            test_client.worker.disconnect(&mut test_client.session);
        }
        self.engine.close_data_dir();
        let found = self.found.lock().take().unwrap_or_default();
        (found, self.now.load(Ordering::Relaxed))
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn note(&self, line: impl FnOnce() -> String) {
        self.trace.lock().push(line());
    }

    /// The disk is called: what is next may happen before it does as it is told.
    fn called(&self, call: (Call, usize, u64, usize)) {
        if self.is_over() || std::thread::current().id() != self.thread {
            return;
        }
        self.note(|| format!("disk {call:?}"));
        self.settle();
        loop {
            let next = {
                let mut steps = self.steps.lock();
                let Some(step) = steps.front_mut() else { break };
                match &mut step.inside {
                    Some(0) if self.may(&step.act) => steps.pop_front(),
                    Some(calls) => {
                        *calls = calls.saturating_sub(1);
                        return;
                    }
                    None => return,
                }
            };
            next.iter().for_each(|step| self.take(step));
            if self.is_over() {
                return;
            }
        }
        let left = self.after.load(Ordering::Relaxed);
        self.after.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 {
            self.cut();
        }
    }

    /// Whether this can happen inside what is going on.
    fn may(&self, act: &Act) -> bool {
        let saving = self.engine.durability.is_busy_with(Reason::Save)
            || self.engine.durability.is_busy_with(Reason::Rewrite);
        match act {
            Act::Ask(client, _) | Act::Leave(client) => self.clients[*client].try_lock().is_some(),
            Act::Keep => saving && self.cron.try_lock().is_some(),
            // Who waits for the flusher cannot do so inside a round of it.
            Act::Save | Act::Sync | Act::Configure(_) => false,
            Act::Flush | Act::Pass(_) | Act::Fail(_) | Act::Heal => true,
        }
    }

    /// Power is lost.
    fn cut(&self) {
        if !self.over.swap(true, Ordering::Relaxed) {
            self.note(|| "power is cut".to_owned());
            *self.found.lock() = Some(self.disk.crash(self.leaves));
            self.disk.cut();
        }
    }

    /// A step.
    fn take(&self, step: &Step) {
        self.depth.fetch_add(1, Ordering::Relaxed);
        self.note(|| {
            format!(
                "{}{}",
                "  ".repeat(self.depth.load(Ordering::Relaxed) as usize),
                show_step(step)
            )
        });
        clock::simulate(Some(self.now.load(Ordering::Relaxed)));
        let done = match &step.act {
            Act::Ask(client, requests) => self.ask(*client, requests),
            Act::Leave(number) => {
                let number = *number;
                let mut client = self.clients[number].lock();
                let Client { test_client, .. } = &mut *client;
                test_client.worker.disconnect(&mut test_client.session);
                *client = Client::new(&self.engine);
                self.twin.lock().forget(number);
                String::new()
            }
            Act::Flush => format!("{:?}", self.engine.store.log().flush_round().is_ok()),
            Act::Save => self.save(),
            Act::Sync => {
                let (from, journaling) = (self.history.lock().last(), self.is_journaling());
                let synced = self.engine.store.log().sync();
                self.keep(synced.is_ok() && journaling && self.is_journaling(), from);
                format!("{synced:?}")
            }
            Act::Configure(setting) => self.configure(setting),
            Act::Keep => {
                // One of ten is long.
                let (from, journaling) = (self.history.lock().last(), self.is_journaling());
                for _ in 0..10 {
                    self.cron.lock().round();
                }
                self.keep(!journaling && self.is_journaling(), from);
                String::new()
            }
            Act::Pass(millis) => {
                let now = self.now.fetch_add(*millis, Ordering::Relaxed) + millis;
                clock::simulate(Some(now));
                self.time_out(now)
            }
            Act::Fail(fault) => {
                self.disk.fail(*fault);
                String::new()
            }
            Act::Heal => self.disk.heal().to_string(),
        };
        self.observe(step);
        self.deliver();
        self.settle();
        let kept = self.history.lock().kept;
        self.note(|| format!("{done}; durable up to {kept}"));
        self.depth.fetch_sub(1, Ordering::Relaxed);
    }

    fn is_journaling(&self) -> bool {
        self.engine.durability.is_journaling()
    }

    /// What must not be lost any more, unless power has been cut already.
    fn keep(&self, really: bool, up_to: usize) {
        if really && !self.is_over() {
            let mut history = self.history.lock();
            history.kept = history.kept.max(up_to);
        }
    }

    fn save(&self) -> String {
        let from = self.history.lock().last();
        let saved = self.engine.save(Reason::Save, self.engine.config().persistence.appendonly);
        self.keep(saved.is_ok(), from);
        self.saves.fetch_add(u64::from(saved.is_ok()), Ordering::Relaxed);
        saved.map_or_else(|error| error.to_string(), |saved| format!("{} keys", saved.keys))
    }

    fn configure(&self, setting: &str) -> String {
        let (from, journaling) = (self.history.lock().last(), self.is_journaling());
        let mut out = Vec::new();
        let line = format!("CONFIG SET {setting}");
        let words = words(&line);
        {
            let admin = &mut *self.admin.lock();
            admin.worker.begin(self.now.load(Ordering::Relaxed));
            admin.worker.execute(&mut admin.session, &words, &mut out);
        }
        if journaling != self.is_journaling() {
            // Switched on, it begins with all there is; switched off, nothing is promised.
            self.keep(self.is_journaling(), from);
            self.clients.iter().for_each(|client| client.lock().owed = None);
        }
        String::from_utf8_lossy(&out).trim_end().to_owned()
    }

    /// A client sends requests; whether it is told of them is found out later.
    fn ask(&self, client: usize, requests: &[Request]) -> String {
        let now = self.now.load(Ordering::Relaxed);
        let troubled = self.engine.store.log().is_troubled();
        let before = self.history.lock().last();
        let (asks, mut replies) = (client, Vec::new());
        for (number, request) in requests.iter().enumerate() {
            let client = &mut *self.clients[asks].lock();
            self.hear(client, &mut replies);
            if client.test_client.session.blocked.is_some() {
                break;
            }
            let words: Vec<&[u8]> = request.iter().map(Vec::as_slice).collect();
            let (db, begin) = (client.test_client.session.db, replies.len());
            client.test_client.worker.begin(now);
            client.test_client.worker.execute(
                &mut client.test_client.session,
                &words,
                &mut replies,
            );
            self.watch(|| format!("{number}: {}", String::from_utf8_lossy(words[0])));
            let last = self.history.lock().last();
            self.twin.lock().hear((asks, request), &replies[begin..], (last, db, now));
            if last > before && !troubled && self.is_journaling() {
                client.owed = Some(last);
            }
        }
        short(&replies)
    }

    /// Who was served while it waited hears of it at once.
    fn deliver(&self) {
        let mut replies = Vec::new();
        for client in &self.clients {
            if let Some(mut client) = client.try_lock() {
                self.hear(&mut client, &mut replies);
            }
        }
    }

    /// A client whose wait was ended by another is told of it.
    fn hear(&self, client: &mut Client, replies: &mut Vec<u8>) {
        let Client { test_client, owed } = client;
        for message in test_client.messages.take(test_client.session.client.id) {
            self.note(|| format!("{message:?}"));
            if let Message::Unblocked { ticket, reply } = message
                && test_client.worker.unblock(&mut test_client.session, ticket, &reply, replies)
                && self.is_journaling()
                && !self.engine.store.log().is_troubled()
            {
                *owed = Some(self.history.lock().last());
            }
        }
    }

    fn time_out(&self, now: u64) -> String {
        let mut replies = Vec::new();
        for client in &self.clients {
            let Some(mut client) = client.try_lock() else { continue };
            self.hear(&mut client, &mut replies);
            let Client { test_client, .. } = &mut *client;
            let until = test_client.session.blocked.as_ref().and_then(|blocked| blocked.until);
            if until.is_some_and(|until| until <= now) {
                test_client.worker.begin(now);
                test_client.worker.give_up(&mut test_client.session, &mut replies);
            }
        }
        short(&replies)
    }

    /// Notes the state there is now.
    fn observe(&self, step: &Step) {
        self.watch(|| show_step(step));
    }

    fn watch(&self, what: impl FnOnce() -> String) {
        let log = self.engine.store.log();
        let recording = self.is_journaling();
        // What changes anything appends something.
        if recording && *self.waited.lock() == (log.epoch(), log.waiting()) {
            return;
        }
        let state = {
            let eyes = &mut *self.eyes.lock();
            eyes.worker.begin(1);
            look(eyes)
        };
        *self.waited.lock() = if recording { (log.epoch(), log.waiting()) } else { (0, 0) };
        let mut history = self.history.lock();
        if history.moments[history.last()].state != state {
            let epoch = if recording { log.epoch() } else { u64::MAX };
            let (at, what) = (history.moments.len(), what());
            self.note(|| format!("state {at} in epoch {epoch}: {state:?}"));
            history.moments.push(Moment { state, epoch, what });
        }
    }

    /// Finds out what has become durable, and who has been told of what.
    fn settle(&self) {
        if self.is_over() || !self.is_journaling() {
            return;
        }
        let log = self.engine.store.log();
        let durable = log.durable();
        let mut told = None;
        for client in &self.clients {
            let Some(mut client) = client.try_lock() else { continue };
            if client.owed.is_some()
                && !client.test_client.worker.must_hold(&client.test_client.session)
            {
                told = told.max(client.owed.take());
            }
        }
        let always = log.policy() == journal::Policy::Always;
        let mut history = self.history.lock();
        while history.kept < history.last() && history.moments[history.kept + 1].epoch <= durable {
            history.kept += 1;
        }
        if let Some(told) = told.filter(|_| always) {
            history.kept = history.kept.max(told);
        }
    }
}

/// Replies as a person reads them, without how long statements took, which no seed decides.
fn short(replies: &[u8]) -> String {
    let text = replies.escape_ascii().to_string();
    let text = crate::graphs::timeless_lines(&text, r"\r\n").join(r"\r\n");
    if text.len() < 300 { text } else { format!("{}…({})", &text[..300], text.len()) }
}
