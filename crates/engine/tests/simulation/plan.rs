//! What happens in a simulation: all of it is drawn before it begins, and can be made shorter.
//!
//! ```text
//!   plan ─┬─ life 1 ─── steps: clients, the flusher, a snapshot, the cron thread, time, faults
//!         ├─ life 2 ─── …    then power is cut, and what was not synced is partly lost
//!         └─ …
//! ```
//!
//! A step may say that it happens inside another one: at the so-manieth call of the disk from then
//! on, while the flusher writes or a snapshot is being made. If nothing is going on, it happens by
//! itself. So whatever is left out of a plan, a plan remains.

use base::Rng;
use kvist_engine::Entry;
use testkit::transcript::request;

use crate::disk::{EIO, ENOSPC, Fault, Leaves};
use crate::hostile::words;
use crate::tame;

/// A request: its words.
pub type Request = Vec<Vec<u8>>;

/// Clients there are.
pub const CLIENTS: usize = 4;

/// All that happens.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `appendfsync`.
    pub policy: &'static str,
    /// There are only commands that the naive model carries out alike.
    pub plain: bool,
    /// Values of so many bytes that go from key to key are told by names.
    pub named: usize,
    /// Values of so many bytes are copied in chunks, which end after so many.
    pub copied: (usize, usize),
    /// Lines of configuration.
    pub lines: String,
    /// From start to power cut, one after another on one disk.
    pub lives: Vec<Life>,
}

/// From a start to a power cut.
#[derive(Clone, Debug)]
pub struct Life {
    /// What happens.
    pub steps: Vec<Step>,
    /// Calls of the disk between the last step and the power cut, if it is busy then.
    pub after: u64,
    /// What the power cut leaves.
    pub leaves: Leaves,
    /// Starts that are cut off after so many calls of the disk, and what that leaves.
    pub starts: Vec<(u64, Leaves)>,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub struct Step {
    /// What.
    pub act: Act,
    /// Inside another one, after so many calls of the disk; or else by itself.
    pub inside: Option<u64>,
}

/// What can happen.
#[derive(Clone, Debug)]
pub enum Act {
    /// A client sends some requests at once.
    Ask(usize, Vec<Request>),
    /// A client goes, and another one comes.
    Leave(usize),
    /// The flusher makes a round.
    Flush,
    /// A snapshot is made.
    Save,
    /// A client waits until all is synced.
    Sync,
    /// A setting is changed.
    Configure(&'static str),
    /// The cron thread makes a round.
    Keep,
    /// So many milliseconds pass.
    Pass(u64),
    /// Calls of the disk will fail.
    Fail(Fault),
    /// No more.
    Heal,
}

/// Draws plans.
pub struct Drawer<'a> {
    /// Random numbers.
    pub rng: Rng,
    /// The commands that write.
    pub writes: &'a [&'a Entry],
    /// As in [`Plan`].
    pub plain: bool,
    /// Keys are dropped to make room.
    pub evicts: bool,
}

impl Drawer<'_> {
    /// A plan.
    pub fn plan(&mut self) -> Plan {
        let policy = ["always", "always", "everysec", "no"][self.rng.below(4)];
        let mut lines = String::new();
        self.plain = self.rng.below(3) == 0;
        if !self.plain && self.rng.below(4) == 0 {
            let which = ["allkeys-lru", "allkeys-random", "volatile-ttl"][self.rng.below(3)];
            let most = 100 + self.rng.below(400);
            lines = format!("maxmemory {most}kb\nmaxmemory-policy {which}\n");
        }
        self.evicts = !lines.is_empty();
        if self.rng.below(3) == 0 {
            lines += "rdbcompression no\n";
        }
        // Mostly so small that small values take the ways of large ones.
        let named = [0, 0, 300, 2000, 128 << 10][self.rng.below(5)];
        let copied = [(0, 1), (0, 40), (0, 400), (100 << 10, 16 << 10)][self.rng.below(4)];
        // Tables, trees and several nodes, of which chunks can be copied.
        if self.rng.below(3) > 0 {
            lines += "hash-max-listpack-entries 2\nset-max-intset-entries 2\n\
                      list-max-listpack-size 2\nstream-node-max-entries 2\n";
            // In small sorted sets a zero has no sign, and the model goes by the usual limit.
            if !self.plain {
                lines += "zset-max-listpack-entries 2\n";
            }
        }
        let lives = (0..2 + self.rng.below(4)).map(|_| self.life()).collect();
        Plan { policy, plain: self.plain, named, copied, lines, lives }
    }

    fn life(&mut self) -> Life {
        let count = [5, 20, 60, 120][self.rng.below(4)];
        let mut steps: Vec<Step> = (0..count).map(|_| self.step()).collect();
        // Power is cut in the middle of something, mostly, while clients go on.
        let last = [Act::Flush, Act::Flush, Act::Save, Act::Save, Act::Pass(1)];
        steps.push(Step { act: last[self.rng.below(5)].clone(), inside: None });
        for _ in 0..self.rng.below(10) {
            steps.push(Step { act: self.ask(), inside: Some(self.rng.below(4) as u64) });
        }
        let starts = [0, 0, 1, 2][self.rng.below(4)];
        Life {
            steps,
            after: self.rng.below(24) as u64,
            leaves: self.leaves(),
            starts: (0..starts).map(|_| (self.rng.below(24) as u64, self.leaves())).collect(),
        }
    }

    fn leaves(&mut self) -> Leaves {
        match self.rng.below(4) {
            0 => Leaves::Nothing,
            1 => Leaves::Everything,
            _ => Leaves::Some(self.rng.next_u64()),
        }
    }

    fn step(&mut self) -> Step {
        let act = match self.rng.below(100) {
            0..62 => self.ask(),
            62 => Act::Leave(self.rng.below(CLIENTS)),
            63..78 => Act::Flush,
            78..82 => Act::Save,
            82 => Act::Sync,
            83 => Act::Configure(
                ["appendonly no", "appendonly yes", "appendonly yes"][self.rng.below(3)],
            ),
            84..90 => Act::Keep,
            90..96 => Act::Pass([1, 10, 300, 1100, 6000][self.rng.below(5)]),
            96..98 => Act::Fail(self.fault()),
            _ => Act::Heal,
        };
        let inside = (self.rng.below(2) == 0).then(|| self.rng.below(6) as u64);
        Step { act, inside }
    }

    fn fault(&mut self) -> Fault {
        let errno = [EIO, ENOSPC, ENOSPC][self.rng.below(3)];
        let once = errno == EIO || self.rng.below(2) == 0;
        Fault { after: self.rng.below(12) as u64, errno, once, only: None }
    }

    fn ask(&mut self) -> Act {
        let client = self.rng.below(CLIENTS);
        let mut requests = Vec::new();
        match self.rng.below(14) {
            // Elsewhere they would go to threads for queries, whose steps are not drawn here; and
            // what a graph takes depends on how long its slowest statements took, what a project
            // takes on the secret by which it finds ids.
            13 if !self.plain && !self.evicts => {
                requests.push(request("MULTI"));
                let about = [about_graphs, about_projects][self.rng.below(2)];
                (0..1 + self.rng.below(3)).for_each(|_| requests.push(about(&mut self.rng)));
                requests.push(request("EXEC"));
            }
            0 | 1 => {
                requests.push(request("MULTI"));
                (0..1 + self.rng.below(4)).for_each(|_| requests.push(self.request()));
                // What is left open is gone on with later.
                if self.rng.below(6) > 0 {
                    requests.push(request("EXEC"));
                }
            }
            2 if !self.plain => {
                let first = self.request();
                let second = self.request();
                requests.push(scripted(first, second));
            }
            3 if !self.plain => requests.push(self.about_functions()),
            4 | 5 if !self.plain => requests.push(self.waiting()),
            _ => (0..1 + self.rng.below(3)).for_each(|_| requests.push(self.request())),
        }
        Act::Ask(client, requests)
    }

    fn request(&mut self) -> Request {
        let rng = &mut self.rng;
        let key = |rng: &mut Rng| format!("key:{}", rng.below(40));
        let large = |rng: &mut Rng| format!("large:{}", rng.below(4));
        match rng.below(40) {
            0..4 => {
                let (a, b) = (large(rng), large(rng));
                let small = key(rng);
                request(&match rng.below(13) {
                    6 => format!("BITOP {} {a} {b} {small}", ["AND", "OR", "XOR"][rng.below(3)]),
                    7 => format!("BITOP NOT {a} {b}"),
                    8 => format!("BITOP OR {small} {a} {b}"),
                    9 => format!("SUNIONSTORE {small} {} {}", key(rng), key(rng)),
                    10 => format!("ZUNIONSTORE {small} 2 {} {}", key(rng), key(rng)),
                    11 => format!("ZRANGESTORE {small} {} 0 -1", key(rng)),
                    12 => format!("PEXPIRE {a} {}", rng.below(3000)),
                    0 => format!("SETRANGE {a} {} {b}", 131_072 + rng.below(9000)),
                    1 | 2 => format!("RENAME {a} {b}"),
                    3 => format!("MOVE {a} {}", rng.below(4)),
                    4 => format!("COPY {a} {b} DB {} REPLACE", rng.below(4)),
                    _ => format!("APPEND {a} {b}"),
                })
            }
            4 | 5 => request(&format!("PEXPIRE {} {}", key(rng), rng.below(3000))),
            6 => request(&format!("SET {} soon PX {}", key(rng), 1 + rng.below(2000))),
            7 => request(&format!("SELECT {}", rng.below(4))),
            8..14 => tame::document_request(rng),
            14..20 if !self.plain => {
                let entry = self.writes[rng.below(self.writes.len())];
                words::request(rng, entry)
            }
            20 => request(&format!("GET {}", key(rng))),
            24..31 => request(&about_elements(rng)),
            21..24 if !self.plain => request(&match rng.below(4) {
                0 | 1 => format!("RPUSH queue:{} {}", rng.below(3), rng.below(100)),
                2 => format!("ZADD ranks:{} {} m", rng.below(2), rng.below(9)),
                _ => format!("XADD stream:{} * f v", rng.below(6)),
            }),
            _ if self.plain => loop {
                let request = tame::request(rng);
                // Who waits is served at another time.
                if !request[0].starts_with(b"BL") {
                    break request;
                }
            },
            _ => tame::any_request(rng),
        }
    }

    fn about_functions(&mut self) -> Request {
        let (number, version) = (self.rng.below(3), self.rng.below(9));
        match self.rng.below(6) {
            0 | 1 => {
                let code = format!(
                    "#!lua name=lib{number}\nredis.register_function('f{number}', function(k, a)\n\
                     redis.pcall('APPEND', k[1], '{version}') return redis.pcall(unpack(a)) end)"
                );
                vec![b"FUNCTION".into(), b"LOAD".into(), b"REPLACE".into(), code.into_bytes()]
            }
            2 => request(&format!("FUNCTION DELETE lib{number}")),
            3 if self.rng.below(4) == 0 => request("FUNCTION FLUSH"),
            _ => {
                let key = format!("key:{}", self.rng.below(40));
                let mut words = request(&format!("FCALL f{number} 1 {key}"));
                words.extend(tame::request(&mut self.rng));
                words
            }
        }
    }

    fn waiting(&mut self) -> Request {
        let (a, b) = (self.rng.below(3), self.rng.below(3));
        let time = [0, 0, 1, 2][self.rng.below(4)];
        request(&match self.rng.below(6) {
            0 | 1 => format!("BLPOP queue:{a} queue:{b} {time}"),
            2 => format!("BLMOVE queue:{a} queue:{b} LEFT RIGHT {time}"),
            3 => format!("BZPOPMIN ranks:0 ranks:1 {time}"),
            4 => format!("XREADGROUP GROUP g c{a} BLOCK {time} STREAMS stream:{b} >"),
            _ => format!("XREAD BLOCK {time} STREAMS stream:{b} $"),
        })
    }
}

/// Changes some of many elements of a value, so that it is in the middle of being copied now and
/// then.
fn about_elements(rng: &mut Rng) -> String {
    let (key, some, other) = (rng.below(2), rng.below(80), rng.below(80));
    let several = |word: &dyn Fn(usize) -> String| {
        (0..8).map(|n| word((some + 7 * n) % 80)).collect::<Vec<_>>().join(" ")
    };
    match rng.below(16) {
        0 | 1 => format!("HSET fields:{key} {}", several(&|n| format!("f{n} {other}"))),
        2 => format!("HINCRBY fields:{key} f{some} 1"),
        3 => format!("HDEL fields:{key} f{some} f{other}"),
        4 | 5 => format!("SADD members:{key} {}", several(&|n| format!("m{n}"))),
        6 => format!("SREM members:{key} m{some} m{other}"),
        7 => format!("SMOVE members:0 members:1 m{some}"),
        8 | 9 => format!("ZADD scores:{key} {}", several(&|n| format!("{other} m{n}"))),
        10 => format!("ZINCRBY scores:{key} {} m{some}", other % 7),
        11 => format!("ZREM scores:{key} m{some} m{other}"),
        12 => format!("RPUSH row:{key} {}", several(&|n| format!("e{n}"))),
        13 => format!("LPOP row:{key} {}", other % 5),
        14 => format!("LINSERT row:{key} BEFORE e{some} e{other}"),
        _ => format!("RENAME fields:{key} fields:{}", other % 2),
    }
}

/// Changes a graph, or takes one from key to key.
fn about_graphs(rng: &mut Rng) -> Request {
    let (key, other) = (rng.below(2), rng.below(2));
    let (some, more) = (rng.below(30), rng.below(9));
    let statement = match rng.below(12) {
        0 | 1 => format!("UNWIND range({some}, {some} + {more}) AS i MERGE (:N {{id: i}})"),
        2 => format!("MATCH (n:N {{id: {some}}}) SET n.v = [{more}, 'text', 0.5], n:M"),
        3 => format!("MATCH (n:N) WHERE n.id < {some} SET n.d = date('2024-02-{:02}')", more + 1),
        4 | 5 => format!(
            "MATCH (a:N {{id: {some}}}), (b:N) WHERE b.id < {more} \
             CREATE (a)-[:E {{w: {more}}}]->(b)"
        ),
        6 => format!("MATCH (:N {{id: {some}}})-[r]->() SET r.w = r.w + 1"),
        7 => format!("MATCH (n:N {{id: {some}}}) DETACH DELETE n"),
        8 => format!("MATCH (n:N) WHERE n.id % 9 = {more} REMOVE n.v, n:M"),
        9 => "CREATE INDEX FOR (n:N) ON (n.id)".to_owned(),
        10 => return request(&format!("RENAME graph:{key} graph:{other}")),
        _ => return request(&format!("COPY graph:{key} graph:{other} REPLACE")),
    };
    vec![b"GRAPH.QUERY".into(), format!("graph:{key}").into_bytes(), statement.into_bytes()]
}

/// Changes a project, or takes one from key to key. Some of it cannot be done.
fn about_projects(rng: &mut Rng) -> Request {
    let (key, other) = (rng.below(2), rng.below(2));
    let (some, more) = (rng.below(30), rng.below(9));
    let ids = |last: usize| (some..=last).map(|n| format!("{{id:@r{n}}}")).collect::<Vec<_>>();
    let words = match rng.below(12) {
        0 => return request(&format!("FOLIO.OPEN project:{key}")),
        1 | 2 => vec!["FORCE".into(), "ADD".into(), format!("[{}]", ids(some + more).join(","))],
        3 => vec![
            "ADD".into(),
            format!("{{id:@r{some} point his tz:\"UTC\" kind:\"Number\"}}"),
            "ADD".into(),
            "{}".into(),
        ],
        4 | 5 => {
            let record = format!("{{id:@r{some} n:{more}kW dis:\"{more}\" ref:@r{more} old:R}}");
            vec!["FORCE".into(), "UPDATE".into(), record]
        }
        6 => {
            let record = format!("{{id:@r{some} curVal:{more}}}");
            vec!["TRANSIENT".into(), "FORCE".into(), "UPDATE".into(), record]
        }
        7 => vec!["FORCE".into(), "REMOVE".into(), format!("[{}]", ids(some + 1).join(","))],
        8 => vec!["FORCE".into(), "UPDATE".into(), format!("{{id:@r{some} trash old}}")],
        9 => {
            let item = format!("{{ts:2024-01-01T00:00:0{more}Z UTC val:{some}}}");
            let words = ["FOLIO.HIS.WRITE", &format!("project:{key}"), &format!("r{some}"), &item];
            return words.iter().map(|word| word.as_bytes().to_vec()).collect();
        }
        10 => return request(&format!("RENAME project:{key} project:{other}")),
        _ => return request(&format!("COPY project:{key} project:{other} REPLACE")),
    };
    let start = [b"FOLIO.COMMIT".to_vec(), format!("project:{key}").into_bytes()];
    start.into_iter().chain(words.into_iter().map(String::into_bytes)).collect()
}

/// Two requests in one script, with their keys declared to none.
fn scripted(first: Request, second: Request) -> Request {
    let body = "local n = tonumber(ARGV[1]) redis.pcall(unpack(ARGV, 2, n + 1)) \
                return redis.pcall(unpack(ARGV, n + 2))";
    let mut words = vec![b"EVAL".to_vec(), body.into(), b"0".to_vec()];
    words.push(first.len().to_string().into_bytes());
    words.extend(first);
    words.extend(second);
    words
}

/// A plan as a person reads it.
pub fn shown(plan: &Plan) -> String {
    let (policy, lines) = (plan.policy, plan.lines.replace('\n', "; "));
    let mut text = format!(
        "appendfsync {policy}; names from {} bytes; pieces of values from {:?} bytes; {lines}\n",
        plan.named, plan.copied
    );
    for (number, life) in plan.lives.iter().enumerate() {
        text += &format!("life {number}\n");
        for step in &life.steps {
            text += &format!("  {}\n", show_step(step));
        }
        text += &format!("  power cut after {} calls, {:?}", life.after, life.leaves);
        text += &format!("; starts cut off: {:?}\n", life.starts);
    }
    text
}

/// A step as a person reads it.
pub fn show_step(step: &Step) -> String {
    let what = match &step.act {
        Act::Ask(client, requests) => {
            let requests: Vec<String> = requests.iter().map(|one| show_request(one)).collect();
            format!("client {client}: {}", requests.join(" | "))
        }
        other => format!("{other:?}"),
    };
    match step.inside {
        Some(calls) => format!("inside, {calls} calls later: {what}"),
        None => what,
    }
}

fn show_request(request: &[Vec<u8>]) -> String {
    let show = |word: &Vec<u8>| {
        let text = word.escape_ascii().to_string();
        match text.len() {
            0 => "''".to_owned(),
            1..400 => text,
            len => format!("{}…({len})", &text[..40]),
        }
    };
    request.iter().map(show).collect::<Vec<_>>().join(" ")
}
