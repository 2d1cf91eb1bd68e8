//! The threads that work: one per partition, one that reads what must never be seen by halves, one
//! that runs global units.

use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use differential::command::Command;
use differential::connection::Connection;
use differential::resp::Value as Reply;
use differential::rng::Rng;

use crate::partition::Partition;
use crate::shared::{Shared, lock};
use crate::unit::{Step, Unit};
use crate::workload::{DATABASES, SHARED_DB, shared_group_keys};

const PATIENCE: Duration = Duration::from_secs(15);

/// A connection that knows which database it has selected.
#[derive(Debug)]
pub struct Link {
    connection: Connection,
    db: u8,
}

impl Link {
    /// Connects.
    ///
    /// # Errors
    /// Whatever connecting gives.
    pub fn open(port: u16) -> io::Result<Self> {
        Ok(Self { connection: Connection::open(port, PATIENCE)?, db: 0 })
    }

    /// Sends units in one write.
    fn send(&mut self, units: &[Unit]) -> io::Result<()> {
        let multi = Command::words(&["MULTI"]);
        let exec = Command::words(&["EXEC"]);
        let mut selects = Vec::new();
        let mut db = self.db;
        let scripts: Vec<Option<Command>> = units.iter().map(Unit::as_script).collect();
        let plain = units.iter().filter(|unit| unit.script.is_none());
        for step in plain.flat_map(|unit| &unit.steps) {
            if step.db != db {
                selects.push(Command::words(&["SELECT", &step.db.to_string()]));
                db = step.db;
            }
        }
        let mut commands: Vec<&Command> = Vec::new();
        let mut selects = selects.iter();
        let mut db = self.db;
        for (unit, script) in units.iter().zip(&scripts) {
            if let Some(script) = script {
                commands.push(script);
                continue;
            }
            commands.extend(unit.group.then_some(&multi));
            for step in &unit.steps {
                if step.db != db {
                    commands.extend(selects.next());
                    db = step.db;
                }
                commands.push(&step.command);
            }
            commands.extend(unit.group.then_some(&exec));
        }
        self.connection.send(&commands)
    }

    /// Reads the replies to a unit: one per command, those of SELECT left out.
    fn receive(&mut self, unit: &Unit) -> io::Result<Vec<Reply>> {
        if unit.script.is_some() {
            let reply = self.connection.receive()?.value;
            return reply.items().map(<[Reply]>::to_vec).ok_or_else(|| told("EVAL", &reply));
        }
        let mut selects = Vec::with_capacity(unit.steps.len());
        for step in &unit.steps {
            selects.push(step.db != self.db);
            self.db = step.db;
        }
        if unit.group {
            return self.receive_group(&selects);
        }
        let mut replies = Vec::with_capacity(unit.steps.len());
        for select in selects {
            if select {
                self.connection.receive()?;
            }
            replies.push(self.connection.receive()?.value);
        }
        Ok(replies)
    }

    fn receive_group(&mut self, selects: &[bool]) -> io::Result<Vec<Reply>> {
        let queued = 1 + selects.len() + selects.iter().filter(|s| **s).count();
        for _ in 0..queued {
            self.connection.receive()?;
        }
        let reply = self.connection.receive()?.value;
        let Some(items) = reply.items() else {
            return Err(told("EXEC", &reply));
        };
        let mut items = items.iter();
        let mut replies = Vec::with_capacity(selects.len());
        for select in selects {
            if *select {
                items.next();
            }
            replies.extend(items.next().cloned());
        }
        Ok(replies)
    }

    /// Sends one command to database `db` and reads its reply.
    ///
    /// # Errors
    /// Whatever the socket gives.
    pub fn ask(&mut self, db: u8, words: Vec<Vec<u8>>) -> io::Result<Reply> {
        let unit = Unit::new(vec![Step { db, command: Command::new(words) }], false);
        self.send(std::slice::from_ref(&unit))?;
        let mut replies = self.receive(&unit)?;
        replies.pop().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// An answer that should have been a list.
fn told(command: &str, reply: &Reply) -> io::Error {
    let mut bytes = Vec::new();
    reply.encode(&mut bytes);
    io::Error::other(format!("{command} answered {}", bytes.escape_ascii()))
}

/// Works on partition `at` until the end.
pub fn work(shared: &Shared, at: usize, rng: &mut Rng) {
    let name = format!("lane {at}");
    let links = Link::open(shared.port).and_then(|link| Ok((link, Link::open(shared.port)?)));
    let (mut link, mut waiting) = match links {
        Ok(links) => links,
        Err(error) => return shared.lost(&name, &error),
    };
    while !shared.stopping() {
        let gate = shared.gate.read().unwrap_or_else(PoisonError::into_inner);
        let (first, units) = {
            let mut partition = lock(&shared.partitions[at]);
            let first = partition.units.len();
            (first, partition.plan(rng, &shared.work))
        };
        let result = exchange(shared, at, first, &units, (&mut link, &mut waiting));
        drop(gate);
        if let Err(error) = result {
            return shared.lost(&name, &error);
        }
    }
}

fn exchange(
    shared: &Shared,
    at: usize,
    first: usize,
    units: &[Unit],
    (link, waiting): (&mut Link, &mut Link),
) -> io::Result<()> {
    let there = units.iter().position(|unit| unit.waits).unwrap_or(units.len());
    if there < units.len() {
        waiting.send(&units[there..])?;
    }
    link.send(&units[..there])?;
    for (n, unit) in units.iter().enumerate() {
        let from = if unit.waits { &mut *waiting } else { &mut *link };
        let replies = from.receive(unit)?;
        if lock(&shared.partitions[at]).acknowledge(first + n, &replies) {
            return Err(io::Error::other("a query was refused: the server goes down"));
        }
    }
    Ok(())
}

/// Reads the shared group and the shared counter until the end.
pub fn read(shared: &Shared) {
    let result = Link::open(shared.port).and_then(|mut link| {
        while !shared.stopping() {
            {
                let _gate = shared.gate.read().unwrap_or_else(PoisonError::into_inner);
                read_once(shared, &mut link)?;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    });
    if let Err(error) = result {
        shared.lost("the reader", &error);
    }
}

fn read_once(shared: &Shared, link: &mut Link) -> io::Result<()> {
    let keys = shared_group_keys();
    let mut words = vec![b"MGET".to_vec()];
    words.extend(keys.iter().cloned());
    let values = link.ask(SHARED_DB, words)?;
    compare(shared, "MGET", values.items().unwrap_or_default());
    let step = |key| Step { db: SHARED_DB, command: Command::new(vec![b"GET".to_vec(), key]) };
    let group = Unit::new(keys.into_iter().map(step).collect(), true);
    link.send(std::slice::from_ref(&group))?;
    compare(shared, "MULTI", &link.receive(&group)?);
    let words = vec![b"GET".to_vec(), b"shared:counter".to_vec()];
    let counter = link.ask(SHARED_DB, words)?;
    let counter = counter.bytes().and_then(|b| std::str::from_utf8(b).ok()?.parse().ok());
    shared.counter_seen.fetch_max(counter.unwrap_or(0), Ordering::SeqCst);
    Ok(())
}

fn compare(shared: &Shared, how: &str, values: &[Reply]) {
    if values.windows(2).any(|pair| pair[0].bytes() != pair[1].bytes()) {
        let shown: Vec<String> = values
            .iter()
            .map(|v| format!("{:?}", v.bytes().map(|b| b.escape_ascii().to_string())))
            .collect();
        shared.complain(format!("half of a group was seen by {how}: {}", shown.join(" ")));
    }
}

/// Runs global units now and then, until the end.
pub fn overturn(shared: &Shared, rng: &mut Rng) {
    let result = Link::open(shared.port).and_then(|mut link| {
        if let Some(old) = shared.work.cycle.checked_sub(2) {
            let list = format!("shared:list:{old}");
            concern_all(shared, &mut link, SHARED_DB, &["DEL", &list])?;
        }
        while !shared.stopping() {
            for _ in 0..20 + rng.below(60) {
                std::thread::sleep(Duration::from_millis(5));
                if shared.stopping() {
                    return Ok(());
                }
            }
            let db = rng.below(usize::from(DATABASES));
            let other = (db + 1 + rng.below(usize::from(DATABASES) - 1)) % usize::from(DATABASES);
            let (db, other) = (db.to_string(), other.to_string());
            let words: &[&str] = match rng.below(100) {
                0..=2 => &["FLUSHALL"],
                3..=17 => &["FLUSHDB"],
                _ => &["SWAPDB", &db, &other],
            };
            if !shared.work.missing.contains(words[0]) {
                concern_all(shared, &mut link, db.parse().unwrap_or(0), words)?;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        shared.lost("the one who overturns", &error);
    }
}

/// Sends a command while all others are idle, as part of every partition's history.
fn concern_all(shared: &Shared, link: &mut Link, db: u8, words: &[&str]) -> io::Result<()> {
    let _gate = shared.gate.write().unwrap_or_else(PoisonError::into_inner);
    if shared.stopping() {
        return Ok(());
    }
    if words == ["FLUSHALL"] {
        // It may happen as soon as it is sent.
        shared.counter_seen.store(0, Ordering::SeqCst);
    }
    let mut unit = Unit::new(vec![Step { db, command: Command::words(words) }], false);
    unit.global = true;
    let join = |partition: &std::sync::Mutex<Partition>| lock(partition).join(&unit);
    let places: Vec<usize> = shared.partitions.iter().map(join).collect();
    link.send(std::slice::from_ref(&unit))?;
    let replies = link.receive(&unit)?;
    for (partition, place) in shared.partitions.iter().zip(places) {
        lock(partition).acknowledge(place, &replies);
    }
    Ok(())
}
