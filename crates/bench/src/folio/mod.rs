//! The report on projects of records: the dataset of hxRedis's benchmark and its five queries, over
//! each door of Kvist and inside the process, beside a redis-server that keeps records as hxRedis
//! does; then many records, commits, memory and histories.
//!
//! A cold query is the first of its kind on a project that has just been made; warm is the median
//! of many behind it. Nothing keeps results. Answers are the texts of records, in Zinc or, from
//! Redis, in Trio; all doors must give the same records before anything is timed.

mod doors;
mod large;
mod site;

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use testkit::folder::Folder;
use testkit::port::free_port;

use self::doors::{Door, Http, Question, over_tcp};
use self::site::{Record, records};
use crate::keyvalue::progress;
use crate::peer::{self, Peer, Processors};
use crate::report::median;

/// The key of the project, and what its HTTP path has.
const KEY: &str = "demo";

/// The five queries, with what was published of them in milliseconds: hxRedis on the JVM, which
/// reads from its own memory, the same in Python, and SkySpark over HTTP.
const QUESTIONS: [(&str, Question, [f64; 3]); 5] = [
    ("count", Question::Count, [0.078, 5.23, 8.95]),
    ("site", Question::Tag("site"), [0.084, 4.89, 14.91]),
    ("equip", Question::Tag("equip"), [0.100, 9.53, 66.05]),
    ("point", Question::Tag("point"), [0.352, 33.56, 416.49]),
    ("all", Question::Tag("id"), [0.526, 56.59, 1085.31]),
];

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    repeats: usize,
    records: usize,
    commits: usize,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `folio`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let out = PathBuf::from("bench/out");
        let mut options = Options { rounds: 5, repeats: 500, records: 100_000, commits: 5000, out };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                (options.rounds, options.repeats) = (1, 20);
                (options.records, options.commits) = (1000, 100);
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => options.rounds = number()?.max(1),
                "--repeats" => options.repeats = number()?.max(1),
                "--records" => options.records = number()?.clamp(1, 10_000_000),
                "--commits" => options.commits = number()?.max(1),
                "--out" => options.out = PathBuf::from(value),
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    let records = records(324);
    let mut servers = vec![Served::kvist(program)?];
    match peer::find("redis-server") {
        Some(redis) => servers.push(Served::redis(&redis)?),
        None => println!("SKIP: there is no redis-server to compare with"),
    }
    let mut text = format!("* {} records; medians in microseconds, cold / warm\n\n", records.len());
    text += &queries(&servers, &records, options)?;
    text += &large::report(&servers, options)?;
    std::fs::create_dir_all(&options.out)?;
    std::fs::write(options.out.join("folio.md"), &text)?;
    println!("{text}\nwritten to {}", options.out.display());
    Ok(())
}

/// A server, and where else than on TCP it listens.
struct Served {
    peer: Peer,
    http: u16,
    folder: Folder,
    is_redis: bool,
}

impl Served {
    fn kvist(program: &Path) -> io::Result<Served> {
        let (folder, http) = (Folder::new("folio"), free_port());
        let (socket, port) = (folder.at("socket"), http.to_string());
        let args = ["serve", "--save", "", "--appendonly", "no", "--grpc-port", "0"];
        let more = ["--http-port", &port, "--unixsocket", &socket];
        let peer = start("kvist", program, &[&args[..], &more].concat(), &folder)?;
        Ok(Served { peer, http, folder, is_redis: false })
    }

    fn redis(program: &Path) -> io::Result<Served> {
        let folder = Folder::new("folio");
        let args = ["--save", "", "--appendonly", "no", "--daemonize", "no"];
        let peer = start("redis", program, &args, &folder)?;
        Ok(Served { peer, http: 0, folder, is_redis: true })
    }

    /// A connection for commands.
    fn door(&self) -> io::Result<Door> {
        let connection = over_tcp(&self.peer.addr)?;
        Ok(if self.is_redis { Door::Redis(connection) } else { Door::Resp(connection) })
    }

    /// All ways to ask it, by their names.
    fn doors(&self) -> io::Result<Vec<(String, Door)>> {
        if self.is_redis {
            return Ok(vec![("redis-server, as hxRedis has it".to_owned(), self.door()?)]);
        }
        Ok(vec![
            ("Unix socket".to_owned(), Door::unix(&self.folder.join("socket"))?),
            ("TCP".to_owned(), self.door()?),
            ("HTTP".to_owned(), Door::Http(Box::new(Http::connect(self.http)?))),
        ])
    }
}

fn start(name: &str, program: &Path, args: &[&str], folder: &Folder) -> io::Result<Peer> {
    let dir = folder.path();
    let mut peer = Peer::spawn((name, program), Processors::All, args, free_port(), dir)?;
    peer.wait_until_serving(std::time::Duration::from_secs(30))?;
    Ok(peer)
}

/// The five queries through all doors.
fn queries(servers: &[Served], records: &[Record], options: &Options) -> io::Result<String> {
    let mut doors = Vec::new();
    for server in servers {
        doors.extend(server.doors()?);
    }
    let embedded = kvist::Kvist::in_memory().map_err(doors::failed)?;
    doors.push(("in the process".to_owned(), Door::Embedded(Box::new(embedded))));
    let mut loaders = Vec::new();
    for server in servers {
        loaders.push(server.door()?);
    }
    let mut times = vec![[(); 5].map(|()| (Vec::new(), Vec::new())); doors.len()];
    for round in 0..options.rounds {
        for (place, (_, door)) in doors.iter_mut().enumerate() {
            progress(round * times.len() + place, options.rounds * times.len(), "queries");
            // What is asked first of a project is cold: each door has one of its own.
            let key = format!("{KEY}{round}-{place}");
            let is_http = matches!(door, Door::Http(_));
            (if is_http { &mut loaders[0] } else { &mut *door }).load(&key, records)?;
            for (at, (_, question, _)) in QUESTIONS.iter().enumerate() {
                let (cold, warm) = &mut times[place][at];
                ask(door, &key, *question, options.repeats, (cold, warm))?;
            }
            check(door, &key, records)?;
        }
    }
    let names: Vec<&str> = doors.iter().map(|(name, _)| name.as_str()).collect();
    Ok(table(&names, &times))
}

/// Asks once, and then many times, in microseconds.
fn ask(
    door: &mut Door,
    key: &str,
    question: Question,
    repeats: usize,
    (cold, warm): (&mut Vec<f64>, &mut Vec<f64>),
) -> io::Result<()> {
    for number in 0..=repeats {
        let start = Instant::now();
        if door.ask(key, question)?.is_none() {
            return Ok(());
        }
        let took = start.elapsed().as_secs_f64() * 1e6;
        if number == 0 { cold.push(took) } else { warm.push(took) }
    }
    Ok(())
}

/// Looks whether the answers are right.
fn check(door: &mut Door, key: &str, records: &[Record]) -> io::Result<()> {
    for (name, question, _) in QUESTIONS {
        let Some(answer) = door.ask(key, question)? else { continue };
        let expected = match question {
            Question::Count => (i64::try_from(records.len()).ok(), Default::default()),
            Question::Tag(tag) => {
                let found = records.iter().filter(|record| record.has(tag));
                (None, found.map(|record| record.id.clone()).collect())
            }
        };
        if answer.ids() != expected {
            return Err(doors::failed(format!("{name}: a wrong answer")));
        }
    }
    Ok(())
}

fn table(names: &[&str], times: &[[(Vec<f64>, Vec<f64>); 5]]) -> String {
    let mut text = String::from("| query |");
    let published = ["hxRedis, JVM", "hxRedis, Python", "SkySpark, HTTP"];
    text.extend(names.iter().map(|name| format!(" {name} |")));
    text.extend(published.iter().map(|name| format!(" published: {name} |")));
    text += "\n|---|";
    text += &"---:|".repeat(names.len() + published.len());
    for (at, (name, _, figures)) in QUESTIONS.iter().enumerate() {
        let _ = write!(text, "\n| {name} |");
        for door in times {
            let (cold, warm) = &door[at];
            if warm.is_empty() {
                text += " – |";
            } else {
                let _ =
                    write!(text, " {:.0} / {:.1} |", median(cold.clone()), median(warm.clone()));
            }
        }
        text.extend(figures.iter().map(|figure| format!(" {:.0} |", figure * 1e3)));
    }
    text + "\n\nWhat was published was measured on other machines; hxRedis answers from its own \
            memory, without asking Redis.\n"
}

#[cfg(test)]
#[path = "folio_tests.rs"]
mod tests;
