//! Sends malformed bytes to both servers and compares what comes back and whether the connection
//! lives.
//!
//! That a server says nothing can only be seen by waiting. Many connections wait together, briefly;
//! a case that seems to differ is tried again alone and with more patience, and counts only when it
//! differs every time (a reset may swallow the last reply of a closing server).

use std::io::{self, Read, Write};
use std::iter;
use std::net::{SocketAddr, TcpStream};
use std::num::ParseIntError;
use std::time::{Duration, Instant};

use crate::command::escaped;
use crate::families::{WIRE, wire};
use crate::pair::{Pair, cut};
use crate::report::{Group, Report};
use crate::rng::Rng;
use crate::rules::general;
use crate::session::Settings;
use crate::shrink::minimise;

/// What a connection did: the bytes before and after a closing PING, and whether it was closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Outcome {
    first: Vec<u8>,
    second: Vec<u8>,
    closed: bool,
}

/// Connections tried at once.
const TOGETHER: usize = 24;
/// Commands that redis-server does not know, and whose names random damage to its own may hit on.
const OURS: [&str; 7] = ["RANGE", "PREFIX", "SETB", "GETB", "BACKUP", "SNAPSHOT", "FLUSHWAL"];
const SHORT: Duration = Duration::from_millis(25);
const LONG: Duration = Duration::from_millis(120);

/// Runs the explicit cases and `cases` random ones.
#[must_use]
pub fn run(settings: &Settings, cases: usize) -> Report {
    let [oracle, tested] = &settings.programs;

    let mut rng = Rng::new(settings.seed, WIRE);
    let mut all = wire::explicit();
    all.extend((0..cases).map(|_| wire::random(&mut rng)));
    let mut report = Report {
        heading: format!("{WIRE} seed {}", settings.seed),
        names: [oracle.name(), tested.name()],
        ..Report::default()
    };
    let mut pair = match Pair::start([oracle, tested], 2, Duration::from_secs(5)) {
        Ok(pair) => pair,
        Err(error) => {
            report.stopped = Some(error.to_string());
            return report;
        }
    };
    for part in all.chunks(TOGETHER) {
        if let Err(error) = one_part(&mut pair, part, settings, &mut report) {
            report.stopped = Some(format!("{error} {}", pair.obituary().unwrap_or_default()));
            break;
        }
        report.steps += part.len();
        if report.groups.len() >= settings.most {
            report.stopped = Some("enough different differences".to_owned());
            break;
        }
    }
    report
}

fn one_part(
    pair: &mut Pair,
    part: &[Vec<u8>],
    settings: &Settings,
    report: &mut Report,
) -> io::Result<()> {
    let [a, b] = pair.ports();
    let outcomes = exchange([a, b], part, SHORT)?;
    for (bytes, [one, two]) in part.iter().zip(&outcomes) {
        if one == two {
            continue;
        }
        let Some([one, two]) = always_differs([a, b], bytes)? else { continue };
        let kind = contrast(&one, &two);
        if asks_for_ours(&one) || settings.known.reason("WIRE", &kind).is_some() {
            report.accepted += 1;
            continue;
        }
        if let Some(group) = report.groups.iter_mut().find(|group| group.kind == kind) {
            group.seen += 1;
            continue;
        }
        let small = smaller([a, b], bytes, &kind);
        let shown = small.len().min(400);
        report.groups.push(Group {
            title: "WIRE".to_owned(),
            kind,
            origin: format!("--family wire --seed {}", settings.seed),
            command: format!("{} bytes", bytes.len()),
            replies: [describe(&one), describe(&two)],
            steps: vec![format!("{} ({} bytes)", escaped(&small[..shown]), small.len())],
            repeats: true,
            seen: 1,
        });
    }
    if !pair.both_alive() {
        pair.reset()?;
    }
    Ok(())
}

/// Whether redis-server says that it does not know one of our own commands.
fn asks_for_ours(outcome: &Outcome) -> bool {
    let said = String::from_utf8_lossy(&outcome.first).to_uppercase();
    OURS.iter().any(|name| said.contains(&format!("UNKNOWN COMMAND '{name}'")))
}

fn always_differs(ports: [u16; 2], bytes: &[u8]) -> io::Result<Option<[Outcome; 2]>> {
    let mut last = None;
    for _ in 0..4 {
        let alone = [bytes.to_vec()];
        let outcomes = exchange(ports, &alone, LONG)?;
        let Some([one, two]) = outcomes.into_iter().next() else { break };
        if one == two {
            return Ok(None);
        }
        last = Some([one, two]);
    }
    Ok(last)
}

fn smaller(ports: [u16; 2], bytes: &[u8], kind: &str) -> Vec<u8> {
    if bytes.len() > 1000 {
        return bytes.to_vec();
    }
    let deadline = Instant::now() + Duration::from_secs(6);
    minimise(bytes.to_vec(), &mut |candidate: &[u8]| {
        if Instant::now() > deadline {
            return false;
        }
        let outcomes = exchange(ports, &[candidate.to_vec()], SHORT).unwrap_or_default();
        outcomes.first().is_some_and(|[one, two]| one != two && contrast(one, two) == kind)
    })
}

fn exchange(
    ports: [u16; 2],
    cases: &[Vec<u8>],
    patience: Duration,
) -> io::Result<Vec<[Outcome; 2]>> {
    let mut streams = Vec::new();
    for _ in cases {
        streams.push([open(ports[0])?, open(ports[1])?]);
    }
    let mut outcomes = vec![[Outcome::default(), Outcome::default()]; cases.len()];
    for (bytes, both) in cases.iter().zip(&mut streams) {
        for stream in both {
            // A server may close before it has been sent everything; what it said is read below.
            let _ = stream.write_all(bytes);
        }
    }
    std::thread::sleep(patience);
    for (both, outcome) in streams.iter_mut().zip(&mut outcomes) {
        for (stream, outcome) in both.iter_mut().zip(outcome) {
            (outcome.first, outcome.closed) = drain(stream)?;
            if !outcome.closed {
                stream.set_nonblocking(false)?;
                let _ = stream.write_all(b"\r\n*1\r\n$4\r\nPING\r\n");
            }
        }
    }
    std::thread::sleep(patience);
    for (both, outcome) in streams.iter_mut().zip(&mut outcomes) {
        for (stream, outcome) in both.iter_mut().zip(outcome) {
            if !outcome.closed {
                (outcome.second, outcome.closed) = drain(stream)?;
            }
        }
    }
    Ok(outcomes)
}

fn open(port: u16) -> io::Result<TcpStream> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    Ok(stream)
}

/// Everything that has arrived, and whether the other side has closed.
fn drain(stream: &mut TcpStream) -> io::Result<(Vec<u8>, bool)> {
    stream.set_nonblocking(true)?;
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok((anonymous(bytes), false)),
        Ok(_) | Err(_) => Ok((anonymous(bytes), true)),
    }
}

/// Without what HELLO tells and what differs between the servers: the number of the connection,
/// and the modules, of which redis-server has none.
fn anonymous(bytes: Vec<u8>) -> Vec<u8> {
    const MODULES: &[u8] = b"$7\r\nmodules\r\n";
    const LAST: &[u8] = b"$4\r\nargs\r\n*0\r\n";
    let find = |from: usize, what: &[u8]| {
        let found = bytes[from..].windows(what.len()).position(|part| part == what);
        found.map(|at| from + at + what.len())
    };
    let module = |at: &usize| find(*at, LAST);
    if let Some(begin) = find(0, MODULES)
        && let Some(first) = find(begin, b"\r\n")
        && let Ok(count @ 1..) = count_in(&bytes[begin..first])
        && let Some(end) = iter::successors(Some(first), module).nth(count)
    {
        return anonymous([&bytes[..begin], b"*0\r\n", &bytes[end..]].concat());
    }
    const BEFORE: &[u8] = b"$2\r\nid\r\n:";
    let Some(at) = bytes.windows(BEFORE.len()).position(|part| part == BEFORE) else {
        return bytes;
    };
    let (head, rest) = bytes.split_at(at + BEFORE.len());
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    [head, &anonymous(rest[digits..].to_vec())].concat()
}

/// How many elements an array has, by its first line.
fn count_in(line: &[u8]) -> Result<usize, ParseIntError> {
    String::from_utf8_lossy(line).trim_start_matches('*').trim_end().parse()
}

fn contrast(one: &Outcome, two: &Outcome) -> String {
    if one.closed != two.closed {
        let word = |closed: bool| if closed { "closes" } else { "stays open" };
        return format!("{} / {}", word(one.closed), word(two.closed));
    }
    let text = |outcome: &Outcome| {
        let all = [&outcome.first[..], &outcome.second[..]].concat();
        let error = all.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"-"));
        error.map_or_else(
            || format!("{} bytes", all.len()),
            |line| general(line.strip_suffix(b"\r").unwrap_or(line)),
        )
    };
    format!("{} / {}", text(one), text(two))
}

fn describe(outcome: &Outcome) -> String {
    let end = if outcome.closed { "closed" } else { "open" };
    let [first, second] =
        [&outcome.first, &outcome.second].map(|b| cut([b.as_slice(), b""])[0].clone());
    format!("{first}  then PING: {second}  ({end})")
}
