//! The naive model, to which the same is done: what an engine finds after a crash must be what the
//! requests up to there make of nothing, run by something plainly right.

use std::sync::Arc;

use kvist_engine::Engine;

use super::plan::{CLIENTS, Request};
use crate::stage::Stage;
use crate::test_client::TestClient;

/// A request that has run.
#[derive(Clone)]
struct Done {
    /// The state there was behind it, counted from the start of its life.
    moment: usize,
    db: usize,
    now: u64,
    request: Request,
    /// What was answered; in a transaction it stands among others.
    reply: Option<Vec<u8>>,
}

/// All requests that have run.
pub struct Twin {
    is_there: bool,
    done: Vec<Done>,
    /// What clients have queued.
    queued: Vec<Vec<Request>>,
    /// How often a dataset was compared with the model's.
    pub compared: u64,
}

impl Twin {
    /// One that takes part, or one that does not.
    pub fn new(is_there: bool) -> Self {
        Twin { is_there, done: Vec::new(), queued: vec![Vec::new(); CLIENTS], compared: 0 }
    }

    /// A client has gone, and what it had queued.
    pub fn forget(&mut self, client: usize) {
        self.queued[client].clear();
    }

    /// A client was answered.
    pub fn hear(
        &mut self,
        (client, request): (usize, &Request),
        reply: &[u8],
        (moment, db, now): (usize, usize, u64),
    ) {
        if !self.is_there || reply.starts_with(b"-MISCONF") {
            return;
        }
        let done = Done { moment, db, now, request: request.clone(), reply: None };
        match &*request[0].to_ascii_uppercase() {
            _ if reply == b"+QUEUED\r\n" => self.queued[client].push(request.clone()),
            b"MULTI" | b"SELECT" => {}
            b"EXEC" => {
                let queued = std::mem::take(&mut self.queued[client]);
                let mut db = db;
                for request in queued.into_iter().filter(|_| reply.starts_with(b"*")) {
                    if request[0] == b"SELECT" {
                        db = usize::from(request[1][0] - b'0');
                    } else {
                        self.done.push(Done { db, request, ..done.clone() });
                    }
                }
            }
            _ => self.done.push(Done { reply: Some(reply.to_vec()), ..done }),
        }
    }

    /// Whether an engine holds what the requests up to a state make of nothing. What came behind
    /// that never happened.
    pub fn compare(&mut self, engine: &Arc<Engine>, moment: usize, now: u64) -> Result<(), String> {
        if !self.is_there {
            return Ok(());
        }
        self.compared += u64::from(!self.done.is_empty());
        self.done.retain(|done| done.moment <= moment);
        self.queued.iter_mut().for_each(Vec::clear);
        let mut stage = Stage::new();
        for done in &mut self.done {
            done.moment = 0;
            (stage.model.db, stage.model.now) = (done.db, done.now);
            let words: Vec<&[u8]> = done.request.iter().map(Vec::as_slice).collect();
            let reply = stage.run(&words).reply;
            if done.reply.as_ref().is_some_and(|there| *there != reply) {
                let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
                let (there, model) = (shown(done.reply.as_ref().unwrap()), shown(&reply));
                let words = words.join(&b' ');
                return Err(format!("{} got {there}; the model says {model}", shown(&words)));
            }
        }
        stage.model.now = now;
        let mut eyes = TestClient::new(engine);
        eyes.worker.begin(now);
        for db in 0..engine.store.databases() {
            (stage.model.db, eyes.session.db) = (db, db);
            both((&mut stage, &mut eyes), db)?;
        }
        Ok(())
    }
}

/// Compares a database, key by key.
fn both((stage, eyes): (&mut Stage, &mut TestClient), db: usize) -> Result<(), String> {
    let keys = stage.model.keys();
    let mut listed = format!("*{}\r\n", keys.len()).into_bytes();
    for key in &keys {
        listed.extend_from_slice(format!("${}\r\n", key.len()).as_bytes());
        listed.extend_from_slice(key);
        listed.extend_from_slice(b"\r\n");
    }
    // What is overdue is not among them.
    let there = ask(eyes, &[b"KEYS", b"*"]);
    if sorted(&there) != sorted(&listed) {
        let (there, listed) = (there.escape_ascii(), listed.escape_ascii());
        return Err(format!("database {db} has {there}, and in the model {listed}"));
    }
    for key in keys {
        let kind = ask(eyes, &[b"TYPE", &key]);
        let look: &[&[u8]] = match &*kind {
            b"+string\r\n" => &[b"GET", &key],
            b"+list\r\n" => &[b"LRANGE", &key, b"0", b"-1"],
            b"+set\r\n" => &[b"SMEMBERS", &key],
            b"+hash\r\n" => &[b"HGETALL", &key],
            b"+zset\r\n" => &[b"ZRANGE", &key, b"0", b"-1", b"WITHSCORES"],
            b"+stream\r\n" => &[b"XRANGE", &key, b"-", b"+"],
            _ => &[b"JSON.GET", &key],
        };
        for request in [look, &[b"TYPE", &key], &[b"PEXPIRETIME", &key]] {
            let (here, model) = (ask(eyes, request), stage.run(request).reply);
            // Sets and hashes have no order.
            if sorted(&here) != sorted(&model) {
                let request = request.join(&b' ');
                return Err(format!(
                    "database {db}: {} is {}, and in the model {}",
                    request.escape_ascii(),
                    here.escape_ascii(),
                    model.escape_ascii()
                ));
            }
        }
    }
    Ok(())
}

fn ask(eyes: &mut TestClient, request: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    eyes.worker.execute(&mut eyes.session, request, &mut out);
    out
}

fn sorted(reply: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = reply.split(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    lines
}
