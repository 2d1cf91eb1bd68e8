//! Two servers side by side: runs steps on both and says where they part.
//!
//! Plain commands go out in pipelines, written to both servers before either is read, so that both
//! work at the same time. The first server is the oracle. Nothing here decides what a difference
//! means; that is the session's part.

use std::io;
use std::time::{Duration, Instant};

use testkit::server::Program;

use crate::command::{Command, Step, escaped};
use crate::connection::{Connection, loss};
use crate::keyspace::{self, Mismatch};
use crate::probe;
use crate::resp::Reply;
use crate::rules;
use crate::server::Server;

/// A place where the servers part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The index of the step.
    pub at: usize,
    /// What was sent.
    pub command: Command,
    /// What kind of difference, fit to group by.
    pub kind: String,
    /// Both replies, cut to where they part.
    pub replies: [String; 2],
    /// Whether a connection was lost, so that nothing after it was compared.
    pub lost: bool,
}

/// The two servers with three connections each.
#[derive(Debug)]
pub struct Pair {
    servers: [Server; 2],
    main: [Connection; 2],
    other: [Connection; 2],
    admin: [Connection; 2],
    protocol: u8,
    patience: Duration,
    queue: Option<Vec<Command>>,
    slowest: Duration,
}

const PIPELINE: usize = 50;
const PIPELINE_BYTES: usize = 200_000;

fn open(servers: &[Server; 2], patience: Duration) -> io::Result<[Connection; 2]> {
    let [a, b] = servers;
    Ok([Connection::open(a.port(), patience)?, Connection::open(b.port(), patience)?])
}

impl Pair {
    /// Starts both programs; connections speak RESP2 or RESP3.
    ///
    /// # Errors
    /// When a server does not start or does not speak the protocol.
    pub fn start(programs: [&Program; 2], protocol: u8, patience: Duration) -> io::Result<Self> {
        let servers = [Server::start(programs[0])?, Server::start(programs[1])?];
        let (main, other) = (open(&servers, patience)?, open(&servers, patience)?);
        let admin = open(&servers, patience)?;
        let (queue, slowest) = (None, Duration::ZERO);
        let mut pair = Self { servers, main, other, admin, protocol, patience, queue, slowest };
        pair.reset()?;
        Ok(pair)
    }

    /// Empty servers, fresh connections; a server that has died is started again.
    ///
    /// # Errors
    /// When a server cannot be brought back to an empty state.
    pub fn reset(&mut self) -> io::Result<()> {
        for server in &mut self.servers {
            if !server.is_alive() {
                server.restart()?;
            }
        }
        if self.try_reset().is_err() {
            // It runs but does not answer: only a fresh process helps.
            for server in &mut self.servers {
                server.restart()?;
            }
            self.try_reset()?;
        }
        Ok(())
    }

    fn try_reset(&mut self) -> io::Result<()> {
        self.main = open(&self.servers, self.patience)?;
        self.other = open(&self.servers, self.patience)?;
        self.admin = open(&self.servers, self.patience)?;
        self.queue = None;
        let hello = Command::words(&["HELLO", &self.protocol.to_string()]);
        let flush = Command::words(&["FLUSHALL"]);
        for connection in &mut self.admin {
            let reply = connection.ask(&flush)?;
            if !reply.value.is_status(b"OK") {
                return Err(io::Error::other(format!("FLUSHALL: {}", escaped(&reply.raw))));
            }
        }
        if self.protocol == 3 {
            for connection in self.main.iter_mut().chain(&mut self.other) {
                let reply = connection.ask(&hello)?;
                if reply.value.error().is_some() {
                    return Err(io::Error::other(format!("HELLO 3: {}", escaped(&reply.raw))));
                }
            }
        }
        Ok(())
    }

    /// The ports of both servers.
    #[must_use]
    pub fn ports(&self) -> [u16; 2] {
        [self.servers[0].port(), self.servers[1].port()]
    }

    /// Whether both processes are there.
    pub fn both_alive(&mut self) -> bool {
        self.servers.iter_mut().all(Server::is_alive)
    }

    /// What a dead server wrote last. Waits a moment: connections close before a process has ended.
    pub fn obituary(&mut self) -> Option<String> {
        let deadline = Instant::now() + Duration::from_millis(500);
        while self.both_alive() {
            if Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.servers.iter_mut().find_map(|server| {
            let dead = !server.is_alive();
            dead.then(|| format!("{} has ended: {}", server.name(), server.log_end()))
        })
    }

    /// How many milliseconds apart the servers may have acted.
    fn slack(&self) -> i64 {
        50 + i64::try_from(self.slowest.as_millis()).unwrap_or(0).min(3000)
    }

    /// Runs steps on both servers; stops early only when a connection is lost.
    pub fn run(&mut self, steps: &[Step]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut at = 0;
        while at < steps.len() && !findings.last().is_some_and(|f: &Finding| f.lost) {
            let start = Instant::now();
            let done = match &steps[at] {
                Step::Send(_) => self.pipeline(steps, at, &mut findings),
                Step::Pause(ms) => {
                    std::thread::sleep(Duration::from_millis(*ms));
                    1
                }
                step => {
                    self.single(step, at, &mut findings);
                    1
                }
            };
            at += done;
            self.slowest = self.slowest.max(start.elapsed());
        }
        findings
    }

    fn pipeline(&mut self, steps: &[Step], from: usize, findings: &mut Vec<Finding>) -> usize {
        let mut commands = Vec::new();
        let mut bytes = 0;
        for step in &steps[from..] {
            let Step::Send(command) = step else { break };
            if commands.len() == PIPELINE || bytes > PIPELINE_BYTES {
                break;
            }
            bytes += command.args().iter().map(|arg| arg.len() + 8).sum::<usize>();
            commands.push(command);
        }
        let sent = [self.main[0].send(&commands), self.main[1].send(&commands)];
        for (offset, command) in commands.iter().enumerate() {
            let [x, y] = &sent;
            let a = still(x).and_then(|()| self.main[0].receive());
            let b = still(y).and_then(|()| self.main[1].receive());
            match self.check_replies(command, from + offset, a, b) {
                Ok(Some(finding)) => {
                    let lost = finding.lost;
                    findings.push(finding);
                    if lost {
                        break;
                    }
                }
                Ok(None) => {}
                // Both have closed the connection: they agree; the rest was not run.
                Err(_) => break,
            }
        }
        commands.len()
    }

    fn check_replies(
        &mut self,
        command: &Command,
        at: usize,
        a: io::Result<Reply>,
        b: io::Result<Reply>,
    ) -> io::Result<Option<Finding>> {
        let (a, b) = match (a, b) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(a), Err(_)) => return Err(a),
            (Ok(a), Err(b)) => {
                let (kind, reply) = (loss(&b), cut([&a.raw, b""])[0].clone());
                let replies = [reply, kind.clone()];
                return Ok(Some(Finding {
                    at,
                    command: command.clone(),
                    kind,
                    replies,
                    lost: true,
                }));
            }
            (Err(a), Ok(b)) => {
                let (kind, reply) =
                    (format!("oracle: {}", loss(&a)), cut([b"", &b.raw])[1].clone());
                let replies = [kind.clone(), reply];
                return Ok(Some(Finding {
                    at,
                    command: command.clone(),
                    kind,
                    replies,
                    lost: true,
                }));
            }
        };
        let queued = self.follow_queue(command, &a);
        let kind = rules::difference(command, &queued, [&a, &b], self.slack());
        Ok(kind.map(|kind| {
            let replies = rules::shown(command, [&a, &b]);
            Finding { at, command: command.clone(), kind, replies, lost: false }
        }))
    }

    /// Keeps the list of queued commands by what the oracle says; returns it at EXEC.
    fn follow_queue(&mut self, command: &Command, oracle: &Reply) -> Vec<Command> {
        if oracle.value.is_status(b"QUEUED") {
            self.queue.get_or_insert_default().push(command.clone());
            return vec![];
        }
        match command.name().as_str() {
            "MULTI" if oracle.value.is_status(b"OK") => self.queue = Some(vec![]),
            "EXEC" | "DISCARD" | "RESET" if oracle.value.error().is_none() => {
                return self.queue.take().unwrap_or_default();
            }
            _ => {}
        }
        vec![]
    }

    fn single(&mut self, step: &Step, at: usize, findings: &mut Vec<Finding>) {
        let slack = self.slack();
        let (command, outcome) = match step {
            Step::Other(command) => {
                let outcome = self.on_other(command, slack);
                (command, outcome)
            }
            Step::Scan(command) => (command, probe::scan(&mut self.main, command)),
            Step::Lexical(command) => (command, probe::lexical(&mut self.main, command, slack)),
            Step::Random(command) => (command, probe::random(&mut self.main, command)),
            Step::Send(_) | Step::Pause(_) => return,
        };
        let found = match outcome {
            Ok(None) => return,
            Ok(Some((kind, replies))) => (kind, replies, false),
            Err(error) => (loss(&error), [String::new(), String::new()], true),
        };
        let (kind, replies, lost) = found;
        findings.push(Finding { at, command: command.clone(), kind, replies, lost });
    }

    fn on_other(&mut self, command: &Command, slack: i64) -> io::Result<probe::Outcome> {
        let [x, y] = &mut self.other;
        let (a, b) = (x.ask(command)?, y.ask(command)?);
        let kind = rules::difference(command, &[], [&a, &b], slack);
        Ok(kind.map(|kind| (kind, rules::shown(command, [&a, &b]))))
    }

    /// Compares all data of both servers.
    ///
    /// # Errors
    /// When a server does not answer.
    pub fn compare_data(&mut self) -> io::Result<Vec<Mismatch>> {
        let slack = self.slack();
        keyspace::compare(&mut self.admin, slack)
    }
}

fn still(sent: &io::Result<()>) -> io::Result<()> {
    match sent {
        Ok(()) => Ok(()),
        // A server that closes may do so before it has read all: its replies can still be read.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error.kind().into()),
    }
}

/// Both replies as text; long ones from shortly before the first byte that differs.
#[must_use]
pub fn cut(replies: [&[u8]; 2]) -> [String; 2] {
    const SHOWN: usize = 150;
    let [a, b] = replies;
    let first = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let from = if a.len().max(b.len()) <= SHOWN { 0 } else { first.saturating_sub(50) };
    replies.map(|reply| {
        let part = &reply[from.min(reply.len())..reply.len().min(from + SHOWN)];
        let before = if from > 0 { format!("…[{from}]") } else { String::new() };
        let rest = reply.len().saturating_sub(from + SHOWN);
        let after = if rest > 0 { format!("…[{rest} more]") } else { String::new() };
        format!("{before}{}{after}", escaped(part))
    })
}
