//! Many records, commits one by one, what they take in memory, and histories.

use std::fmt::Write as _;
use std::io;
use std::time::Instant;

use client::{Pipeline, Value};

use super::doors::{Answer, Door, Question, failed, hxredis_writes};
use super::site::{Record, records};
use super::{KEY, Options, Served};
use crate::client::Client;
use crate::process;
use crate::report::median;

/// Finds about half of the points by comparing texts.
const HALF: &str = "point and dis < \"Point 5\"";
/// Points that measure, and how often each has; fewer where there are fewer records.
const POINTS: usize = 100;
/// Seconds between samples.
const INTERVAL: i64 = 900;

/// The figures of one server, each with its name.
type Figures = Vec<(&'static str, String)>;

/// The table of all servers.
pub(super) fn report(servers: &[Served], options: &Options) -> io::Result<String> {
    let records = records(options.records);
    let mut columns = Vec::new();
    for server in servers {
        columns.push(measured(server, &records, options)?);
    }
    let mut text = format!("\n| {} records |", records.len());
    let head =
        servers.iter().map(|server| format!(" {} {} |", server.peer.name, server.peer.version));
    text += &head.collect::<String>();
    text += "\n|---|";
    text += &"---:|".repeat(servers.len());
    for (row, (name, _)) in columns.first().into_iter().flatten().enumerate() {
        let _ = write!(text, "\n| {name} |");
        let shown = columns.iter().map(|column| column.get(row).map_or("–", |(_, it)| it));
        text.extend(shown.map(|figure| format!(" {figure} |")));
    }
    Ok(text + "\n")
}

fn measured(server: &Served, records: &[Record], options: &Options) -> io::Result<Figures> {
    let mut door = server.door()?;
    let (mut figures, count) = (Vec::new(), records.len() as f64);
    // What the queries have left goes first.
    door.call(&["FLUSHALL"])?;
    let before = memory(server)?;
    let start = Instant::now();
    door.load(KEY, records)?;
    let rate = count / start.elapsed().as_secs_f64();
    figures.push(("records loaded per second", format!("{rate:.0}")));
    let after = memory(server)?;
    figures.push(("bytes per record, own account", format!("{:.0}", (after.0 - before.0) / count)));
    figures.push(("bytes per record, resident", format!("{:.0}", (after.1 - before.1) / count)));
    let questions = [("count, µs", Question::Count), ("all, ms", Question::Tag("id"))];
    for (name, question) in questions {
        let mut times = Vec::new();
        for _ in 0..options.rounds.max(3) {
            let start = Instant::now();
            let answer = door.ask(KEY, question)?;
            times.push(start.elapsed().as_secs_f64());
            check(answer, records.len())?;
        }
        let scale = if question == Question::Count { 1e6 } else { 1e3 };
        figures.push((name, format!("{:.1}", median(times) * scale)));
    }
    figures.push(("half of the points by their texts, ms (records)", half(&mut door, options)?));
    figures.push(("commits of one record per second", commits(&mut door, options)?));
    figures.push(("bytes per sample, own account", samples(server, &mut door, options)?));
    Ok(figures)
}

fn check(answer: Option<Answer>, expected: usize) -> io::Result<()> {
    let found = answer.map(|answer| answer.ids());
    let found = found.map_or(0, |(count, ids)| {
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or(ids.len())
    });
    if found == expected { Ok(()) } else { Err(failed(format!("{found} records, not {expected}"))) }
}

/// Bytes by its own account, and resident.
fn memory(server: &Served) -> io::Result<(f64, f64)> {
    // Some servers tell it with a delay of a background round.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let used = Client::connect(&server.peer.addr)?.info("used_memory")?;
    let used = used.and_then(|text| text.parse().ok()).unwrap_or(0.0);
    Ok((used, process::resident_bytes(server.peer.pid)? as f64))
}

/// A query that hits half of the points. Redis has no such: the client has to filter them all.
fn half(door: &mut Door, options: &Options) -> io::Result<String> {
    let (mut times, mut found, is_redis) = (Vec::new(), 0, matches!(door, Door::Redis(_)));
    for _ in 0..options.rounds.max(3) {
        let start = Instant::now();
        let answer = door.ask(KEY, Question::Tag(if is_redis { "point" } else { HALF }))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        found = answer.map_or(0, |answer| answer.ids().1.len());
    }
    let all = if is_redis { "all points: " } else { "" };
    Ok(format!("{:.1} ({all}{found})", median(times)))
}

/// Adds records one by one; to Redis as hxRedis does, which waits for each reply.
fn commits(door: &mut Door, options: &Options) -> io::Result<String> {
    let new = records(options.commits);
    let new = &new[..options.commits.min(new.len())];
    let start = Instant::now();
    for record in new {
        let record = record.named(&format!("n{}", record.id));
        let Door::Redis(connection) = door else {
            door.call(&["FOLIO.COMMIT", KEY, "ADD", &record.zinc()])?;
            continue;
        };
        let version = ["SET", "meta:version", "2"].map(str::to_owned).to_vec();
        let writes = hxredis_writes(&record).into_iter().chain([version]);
        let frame = |word: &str| vec![word.to_owned()];
        let all = [frame("PING"), frame("MULTI")].into_iter().chain(writes).chain([frame("EXEC")]);
        for words in all {
            connection.call(&words).map_err(failed)?;
        }
    }
    Ok(format!("{:.0}", new.len() as f64 / start.elapsed().as_secs_f64()))
}

/// What samples of a hundred points take.
fn samples(server: &Served, door: &mut Door, options: &Options) -> io::Result<String> {
    let each = (options.records / 10).clamp(100, 10_000);
    let before = memory(server)?.0;
    for point in 0..POINTS {
        let id = format!("his{point}");
        let record = format!("{{id:@{id} point his kind:\"Number\" tz:\"UTC\" unit:\"°C\"}}");
        if !matches!(door, Door::Redis(_)) {
            door.call(&["FOLIO.COMMIT", KEY, "ADD", &record])?;
        }
        for first in (0..each).step_by(1000) {
            let all = (first..each.min(first + 1000)).map(|number| sample(point, number));
            write(door, &id, &all.collect::<Vec<_>>())?;
        }
    }
    let (after, all) = (memory(server)?.0, (POINTS * each) as f64);
    let bytes = (after - before) / all;
    Ok(format!("{bytes:.2} ({:.2} per byte, of {all:.0})", 1.0 / bytes))
}

/// A temperature that goes up and down with the day, in tenths: seconds, and its text.
fn sample(point: usize, number: usize) -> (i64, String) {
    let at = 1_735_689_600 + INTERVAL * number as i64;
    let day = (number % 96) as f64 / 96.0 * std::f64::consts::TAU;
    let noise = (number * 7919 + point * 104_729) % 11;
    (at, format!("{:.1}", 20.0 + 4.0 * day.sin() + noise as f64 / 10.0))
}

fn write(door: &mut Door, id: &str, samples: &[(i64, String)]) -> io::Result<()> {
    let time = |at: i64| {
        let zone = haystack::Zone::UTC;
        let at = haystack::DateTime::from_nanos(at.saturating_mul(1_000_000_000), zone);
        haystack::zinc::to_text(&haystack::Cell::DateTime(at))
    };
    let Door::Redis(connection) = door else {
        let rows: String =
            samples.iter().map(|(at, value)| format!("{},{value}\n", time(*at))).collect();
        let text = format!("ver:\"3.0\"\nts,val\n{rows}");
        return door.call(&["FOLIO.HIS.WRITE", KEY, id, "FORMAT", "zinc", &text]).map(drop);
    };
    let mut requests = Pipeline::new();
    for (at, value) in samples {
        let text = format!("ts:{}\nval:{value}\n", time(*at));
        requests.add(["ZADD", &format!("his:{id}"), &format!("{at}000"), &text]);
    }
    let answers = connection.pipeline(&requests).map_err(failed)?;
    let is_done = answers.iter().all(|answer| matches!(answer, Ok(Value::Int(1))));
    if is_done { Ok(()) } else { Err(failed("a sample was not added")) }
}
