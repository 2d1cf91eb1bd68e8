//! A queue of jobs, as applications build them: a thousand consumers that wait on a few queues,
//! several producers. Each job is done once, the consumer that has waited longest is served first,
//! none waits too long or too short, killed clients lose nothing, and waiting costs nothing.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use wire::{ReplyParser, Value};

use crate::server::{Client, PATIENCE, Server, eventually, ok, text};

/// Consumers.
const CROWD: usize = 1000;

/// A client that is looked at without waiting for it.
struct Consumer {
    stream: TcpStream,
    parser: ReplyParser,
}

impl Consumer {
    fn new(server: &Server) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        Consumer { stream, parser: ReplyParser::new() }
    }

    fn say(&mut self, words: &[&str]) {
        self.stream.write_all(&wire::request(words)).unwrap();
    }

    /// A reply, if one has come; an error if the connection has ended.
    fn look(&mut self) -> Result<Option<Value>, ()> {
        let mut chunk = [0; 4096];
        loop {
            if let Some(value) = self.parser.next_value().unwrap() {
                return Ok(Some(value));
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(()),
                Ok(n) => self.parser.feed(&chunk[..n]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(_) => return Err(()),
            }
        }
    }

    fn hear(&mut self) -> Value {
        eventually("a reply", || self.look().unwrap())
    }
}

/// Waits until so many clients are blocked.
fn blocked(server: &Server, admin: &mut Client, count: usize) {
    let wanted = count.to_string();
    eventually("waiting", || (server.info(admin, "blocked_clients") == wanted).then_some(()));
}

/// The job in a reply, whatever command it is of.
fn job(reply: &Value) -> Option<String> {
    match reply {
        Value::Bulk(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
        Value::Array(parts) if parts.len() >= 2 => Some(text(&parts[1])),
        // XREADGROUP: [[stream, [[id, [field, job]]]]]
        Value::Array(parts) => match parts.first()? {
            Value::Array(stream) => job_of_stream(&stream[1]),
            _ => None,
        },
        _ => None,
    }
}

fn job_of_stream(entries: &Value) -> Option<String> {
    let Value::Array(entries) = entries else { return None };
    let Value::Array(entry) = entries.first()? else { return None };
    let Value::Array(fields) = &entry[1] else { return None };
    Some(text(&fields[1]))
}

/// How the consumer of this number waits; four kinds, each with queues of its own.
fn wait_words(at: usize) -> Vec<String> {
    let queue = at / 4 % 3;
    let line = match at % 4 {
        0 => format!("BLMOVE list:{queue} doing LEFT RIGHT 0"),
        1 => format!("BLPOP other:{queue} more:{queue} 0"),
        2 => format!("BZPOPMIN zset:{queue} 0"),
        _ => format!("XREADGROUP GROUP g c{at} COUNT 1 BLOCK 0 STREAMS stream:{queue} >"),
    };
    line.split(' ').map(str::to_owned).collect()
}

/// Puts a job into one of the queues.
fn produce(kind: usize, queue: usize, job: &str) -> Vec<u8> {
    let words: Vec<String> = match kind {
        0 => vec!["RPUSH".into(), format!("list:{queue}"), job.into()],
        1 => vec!["RPUSH".into(), format!("other:{queue}"), job.into()],
        2 => vec!["ZADD".into(), format!("zset:{queue}"), "1".into(), job.into()],
        _ => vec!["XADD".into(), format!("stream:{queue}"), "*".into(), "job".into(), job.into()],
    };
    wire::request(&words)
}

fn start() -> (Server, Client) {
    let server = Server::start(&[]);
    let mut admin = server.connect();
    for queue in 0..3 {
        let stream = format!("stream:{queue}");
        assert_eq!(admin.ask(&["XGROUP", "CREATE", &stream, "g", "$", "MKSTREAM"]), ok());
    }
    (server, admin)
}

fn consumers(server: &Server) -> Vec<Consumer> {
    (0..CROWD).map(|_| Consumer::new(server)).collect()
}

fn wait(consumer: &mut Consumer, at: usize) {
    let words = wait_words(at);
    consumer.say(&words.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn each_job_is_done_once() {
    const JOBS: usize = 3000;
    let (server, mut admin) = start();
    let mut crowd = consumers(&server);
    crowd.iter_mut().enumerate().for_each(|(at, consumer)| wait(consumer, at));
    blocked(&server, &mut admin, CROWD);
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    std::thread::scope(|scope| {
        for producer in 0..4 {
            let server = &server;
            scope.spawn(move || {
                let mut client = server.connect();
                for batch in 0..JOBS / 4 / 50 {
                    let requests: Vec<u8> = (0..50)
                        .flat_map(|at| {
                            let job = format!("{producer}:{}", batch * 50 + at);
                            produce((at + producer) % 4, at / 4 % 3, &job)
                        })
                        .collect();
                    client.send(&requests);
                    for _ in 0..50 {
                        assert!(!matches!(client.hear(), Value::Error(_)));
                    }
                }
            });
        }
        let mut deadline = Instant::now() + PATIENCE;
        let mut count = 0;
        while count < JOBS {
            for (at, consumer) in crowd.iter_mut().enumerate() {
                if let Some(reply) = consumer.look().unwrap() {
                    let job = job(&reply).unwrap_or_else(|| panic!("{reply:?}"));
                    *done.entry(job).or_default() += 1;
                    count += 1;
                    deadline = Instant::now() + PATIENCE;
                    wait(consumer, at);
                }
            }
            assert!(Instant::now() < deadline, "{count} of {JOBS} jobs are done");
        }
    });
    assert_eq!(done.len(), JOBS);
    assert!(done.values().all(|&times| times == 1));
    assert_eq!(admin.ask(&["LLEN", "doing"]), Value::Int(i64::try_from(JOBS / 4).unwrap()));
    blocked(&server, &mut admin, CROWD);
    assert!(crowd.iter_mut().all(|consumer| consumer.look() == Ok(None)));
}

/// In the order in which they came, whichever thread they are on; and again when they wait anew.
#[test]
fn the_client_that_has_waited_longest_is_served_first() {
    let (server, mut admin) = start();
    let mut crowd = consumers(&server);
    for round in 0..2 {
        for (at, consumer) in crowd.iter_mut().enumerate() {
            consumer.say(&["BLPOP", "queue", "0"]);
            // One after the other: what comes at once on two threads has no order.
            if at % 2 == 0 {
                blocked(&server, &mut admin, at + 1);
            }
        }
        blocked(&server, &mut admin, CROWD);
        let jobs: Vec<String> = (0..CROWD).map(|at| format!("{round}:{at}")).collect();
        for batch in jobs.chunks(100) {
            let words =
                [&["RPUSH", "queue"][..], &batch.iter().map(String::as_str).collect::<Vec<_>>()];
            assert_eq!(admin.ask(&words.concat()), Value::Int(100));
        }
        let order: Vec<usize> = crowd
            .iter_mut()
            .map(|consumer| {
                let job = job(&consumer.hear()).unwrap();
                job.split(':').nth(1).unwrap().parse().unwrap()
            })
            .collect();
        // Neighbours may have come at once.
        for (at, served) in order.iter().enumerate() {
            assert!(at.abs_diff(*served) <= 1, "number {at} was served as number {served}");
        }
    }
    assert_eq!(admin.ask(&["EXISTS", "queue"]), Value::Int(0));
}

#[test]
fn waits_are_as_long_as_they_should_be() {
    let (server, mut admin) = start();
    let mut crowd = consumers(&server);
    let begin = Instant::now();
    for (at, consumer) in crowd.iter_mut().enumerate() {
        // Half a second up to one and a half.
        let seconds = format!("{:.3}", 0.5 + (at % 100) as f64 / 100.0);
        match at % 3 {
            0 => consumer.say(&["BLPOP", "queue", &seconds]),
            1 => consumer.say(&["BZPOPMAX", "zset", &seconds]),
            _ => consumer.say(&["BLMOVE", "queue", "doing", "RIGHT", "LEFT", &seconds]),
        }
    }
    let mut left: BTreeSet<usize> = (0..CROWD).collect();
    while !left.is_empty() {
        left.retain(|&at| {
            let Some(reply) = crowd[at].look().unwrap() else { return true };
            let least = Duration::from_millis(500 + (at as u64 % 100) * 10);
            // Clocks of requests are whole milliseconds.
            assert!(begin.elapsed() + Duration::from_millis(2) >= least, "{at} was too early");
            assert_eq!(reply, Value::NullArray);
            false
        });
        assert!(begin.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(server.info(&mut admin, "blocked_clients"), "0");
}

/// Some are unblocked by others, some are killed, some hang up while jobs come: what was not given
/// to a live worker is in the queue, or in the list of what is being done.
#[test]
fn the_killed_lose_nothing() {
    const JOBS: usize = 2000;
    let (server, mut admin) = start();
    let mut crowd = consumers(&server);
    let mut ids = Vec::new();
    for consumer in &mut crowd {
        consumer.say(&["CLIENT", "ID"]);
        ids.push(consumer.hear().as_i64().unwrap().to_string());
        consumer.say(&["BLMOVE", "queue", "doing", "LEFT", "RIGHT", "0"]);
    }
    blocked(&server, &mut admin, CROWD);
    for (at, id) in ids.iter().enumerate().take(200) {
        let how = if at % 2 == 0 { "TIMEOUT" } else { "ERROR" };
        assert_eq!(admin.ask(&["CLIENT", "UNBLOCK", id, how]), Value::Int(1));
        let reply = crowd[at].hear();
        match how {
            "TIMEOUT" => assert_eq!(reply, Value::NullArray),
            _ => assert!(text(&reply).starts_with("UNBLOCKED client unblocked"), "{reply:?}"),
        }
        crowd[at].say(&["BLMOVE", "queue", "doing", "LEFT", "RIGHT", "0"]);
    }
    blocked(&server, &mut admin, CROWD);
    let mut served = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut producer = server.connect();
            for at in 0..JOBS {
                assert!(producer.ask(&["RPUSH", "queue", &at.to_string()]).as_i64().unwrap() > 0);
            }
        });
        scope.spawn(|| {
            let mut killer = server.connect();
            for id in ids.iter().step_by(3) {
                killer.ask(&["CLIENT", "KILL", "ID", id]);
            }
        });
        let mut alive: Vec<bool> = vec![true; CROWD];
        let begin = Instant::now();
        while served < JOBS / 2 && begin.elapsed() < PATIENCE {
            for (at, consumer) in crowd.iter_mut().enumerate().filter(|(at, _)| at % 5 != 0) {
                if !alive[at] {
                    continue;
                }
                match consumer.look() {
                    Ok(Some(_)) => {
                        served += 1;
                        let again =
                            wire::request(["BLMOVE", "queue", "doing", "LEFT", "RIGHT", "0"]);
                        alive[at] = consumer.stream.write_all(&again).is_ok();
                    }
                    Ok(None) => {}
                    Err(()) => alive[at] = false,
                }
            }
        }
    });
    drop(crowd);
    eventually("their end", || (server.info(&mut admin, "connected_clients") == "1").then_some(()));
    let mut all: Vec<i64> = Vec::new();
    for list in ["queue", "doing"] {
        let Value::Array(jobs) = admin.ask(&["LRANGE", list, "0", "-1"]) else { panic!() };
        all.extend(jobs.iter().map(|job| text(job).parse::<i64>().unwrap()));
    }
    all.sort_unstable();
    assert_eq!(all.len(), JOBS);
    assert!(all.iter().enumerate().all(|(at, &job)| usize::try_from(job) == Ok(at)));
}

/// A thousand waiting clients, with and without a timeout, take less than a twentieth of a
/// processor.
#[test]
fn waiting_clients_cost_nothing() {
    let (server, mut admin) = start();
    let mut crowd = consumers(&server);
    for (at, consumer) in crowd.iter_mut().enumerate() {
        if at % 2 == 0 {
            wait(consumer, at);
        } else {
            consumer.say(&["BLPOP", "queue", "600"]);
        }
    }
    blocked(&server, &mut admin, CROWD);
    // A second is given several chances: what else runs here may wake the server's threads late,
    // but cannot make them work.
    eventually("a quiet second", || {
        let (before, begin) = (server.processor_time(), Instant::now());
        std::thread::sleep(Duration::from_secs(1));
        let (spent, passed) = (server.processor_time() - before, begin.elapsed());
        eprintln!("{spent:?} of {passed:?}");
        (spent * 20 < passed).then_some(())
    });
}
