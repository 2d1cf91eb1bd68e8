//! The cache report: calls of `memorize.Memorize` one at a time and a hundred at a time, beside the
//! same over RESP and in batches; what a search costs.
//!
//! What can be trusted is the server's processor time per operation. Kvist is started here, on
//! processor 0 where `taskset` is; another server of the protocol is given by its address and its
//! process.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use grpc::client_channel::ClientChannel;
use grpc::generated::kvist as own;
use grpc::generated::kvist::kvist_service_client::KvistServiceClient;
use grpc::generated::kvist::operation::Kind;
use grpc::generated::memorize as pb;
use grpc::generated::memorize::memorize_client::MemorizeClient;
use testkit::port::free_port;
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;

use crate::client::{Client, Reply, encode};
use crate::keyvalue::progress;
use crate::peer::{self, Peer, Processors};
use crate::process::cpu_seconds;

/// Calls at a time where there are many.
const MANY: usize = 100;
/// Keys that a search looks among.
const KEYS: usize = 1000;

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rounds: usize,
    calls: usize,
    peers: Vec<(String, String, u32)>,
    out: PathBuf,
}

impl Options {
    /// Reads the command line behind `cache`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut options =
            Options { rounds: 5, calls: 20_000, peers: Vec::new(), out: "bench/out".into() };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            if flag == "--quick" {
                (options.rounds, options.calls) = (1, 1000);
                continue;
            }
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let count = || value.parse::<usize>().map_err(|_| format!("{flag}: not a number"));
            match flag.as_str() {
                "--rounds" => options.rounds = count()?.max(1),
                "--calls" => options.calls = count()?.max(MANY),
                "--out" => options.out = PathBuf::from(value),
                "--peer" => {
                    let (name, rest) = peer::named(value)?;
                    let (addr, pid) = rest.rsplit_once('@').ok_or("--peer wants NAME=ADDR@PID")?;
                    let pid = pid.parse().map_err(|_| "--peer: no process of that number")?;
                    options.peers.push((name, addr.to_owned(), pid));
                }
                other => return Err(format!("unknown option '{other}'")),
            }
        }
        Ok(options)
    }
}

/// One way of asking a server.
#[derive(Clone, Debug)]
struct Door {
    name: String,
    kind: Spoken,
    addr: SocketAddr,
    pid: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoken {
    Memorize,
    Batch,
    Resp,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Set(usize),
    Get(usize),
    Contains,
    Search,
}

/// One figure.
struct Row {
    door: usize,
    asked: Asked,
    at_a_time: usize,
    cpu: f64,
    rate: f64,
    median: f64,
}

/// Runs the report.
pub(crate) fn run(program: &Path, options: &Options) -> io::Result<()> {
    let grpc = free_port();
    let peer = Peer::with_grpc(program, grpc, Processors::First)?;
    let resp = address(&peer.addr)?;
    let own = SocketAddr::from(([127, 0, 0, 1], grpc));
    let door = |name: &str, kind, addr, pid| Door { name: name.to_owned(), kind, addr, pid };
    let mut doors = vec![
        door("kvist gRPC", Spoken::Memorize, own, peer.pid),
        door("kvist batch", Spoken::Batch, own, peer.pid),
        door("kvist RESP", Spoken::Resp, resp, peer.pid),
    ];
    for (name, addr, pid) in &options.peers {
        doors.push(door(name, Spoken::Memorize, address(addr)?, *pid));
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut rows = Vec::new();
    let all = [
        (Asked::Set(1000), 1),
        (Asked::Get(1000), 1),
        (Asked::Contains, 1),
        (Asked::Search, 1),
        (Asked::Set(100), 1),
        (Asked::Get(100), 1),
        (Asked::Set(1000), MANY),
        (Asked::Get(1000), MANY),
        (Asked::Set(100), MANY),
        (Asked::Get(100), MANY),
        (Asked::Set(100), 10 * MANY),
        (Asked::Get(100), 10 * MANY),
    ];
    for (done, &(asked, at_a_time)) in all.iter().enumerate() {
        progress(done + 1, all.len(), &format!("{asked:?}, {at_a_time} at a time"));
        for (number, door) in doors.iter().enumerate() {
            let alone = door.kind == Spoken::Batch && at_a_time == 1;
            if alone || (asked == Asked::Search && door.kind != Spoken::Memorize) {
                continue;
            }
            let mut figures = Vec::new();
            for _ in 0..options.rounds {
                let calls = if asked == Asked::Search { options.calls / 20 } else { options.calls };
                figures.push(runtime.block_on(measure(door, asked, at_a_time, calls))?);
            }
            let [cpu, rate, median] = medians(figures);
            rows.push(Row { door: number, asked, at_a_time, cpu, rate, median });
        }
    }
    let text = markdown(&doors, &rows);
    std::fs::create_dir_all(&options.out)?;
    let path = options.out.join("cache.md");
    std::fs::write(&path, &text)?;
    println!("{text}\nwritten to {}", path.display());
    Ok(())
}

fn address(text: &str) -> io::Result<SocketAddr> {
    text.to_socket_addrs()?.next().ok_or_else(|| io::Error::other(format!("no address: {text}")))
}

/// Processor time per operation, operations per second, and the median time of a wave, in µs.
async fn measure(
    door: &Door,
    asked: Asked,
    at_a_time: usize,
    calls: usize,
) -> io::Result<[f64; 3]> {
    let mut asker = Asker::connect(door).await?;
    asker.prepare(asked).await?;
    let waves = (calls / at_a_time).max(1);
    asker.wave(asked, at_a_time).await?;
    let before = cpu_seconds(door.pid)?;
    let begun = Instant::now();
    let mut times = Vec::with_capacity(waves);
    for _ in 0..waves {
        let wave = Instant::now();
        asker.wave(asked, at_a_time).await?;
        times.push(wave.elapsed());
    }
    let took = begun.elapsed().as_secs_f64();
    let operations = (waves * at_a_time) as f64;
    let cpu = (cpu_seconds(door.pid)? - before) * 1e6 / operations;
    times.sort();
    let median: Duration = times[times.len() / 2];
    Ok([cpu, operations / took, median.as_secs_f64() * 1e6])
}

fn medians(mut figures: Vec<[f64; 3]>) -> [f64; 3] {
    let mut of = |at: usize| {
        figures.sort_by(|a, b| a[at].total_cmp(&b[at]));
        figures[figures.len() / 2][at]
    };
    [of(0), of(1), of(2)]
}

/// A connection of any kind.
enum Asker {
    Memorize(MemorizeClient<ClientChannel>),
    /// One stream for all waves, as programs that send batches have it.
    Batch(mpsc::Sender<own::BatchRequest>, Box<tonic::Streaming<own::BatchResponse>>),
    Resp(Client),
}

fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

const KEY: &str = "bench:0000000001";

impl Asker {
    async fn connect(door: &Door) -> io::Result<Self> {
        Ok(match door.kind {
            Spoken::Memorize => {
                Asker::Memorize(MemorizeClient::new(ClientChannel::connect(door.addr).await?))
            }
            Spoken::Batch => {
                let mut client = KvistServiceClient::new(ClientChannel::connect(door.addr).await?);
                let (sender, requests) = mpsc::channel(16);
                let answers = client.batch(ReceiverStream::new(requests)).await.map_err(failed)?;
                Asker::Batch(sender, Box::new(answers.into_inner()))
            }
            Spoken::Resp => Asker::Resp(Client::connect(&door.addr.to_string())?),
        })
    }

    /// Puts there what is asked for, and checks that it is what is answered.
    async fn prepare(&mut self, asked: Asked) -> io::Result<()> {
        let size = match asked {
            Asked::Set(size) | Asked::Get(size) => size,
            Asked::Contains | Asked::Search => 100,
        };
        let value = "v".repeat(size);
        match self {
            Asker::Memorize(client) => {
                let set =
                    |key: String| pb::SetRequest { key, value: value.clone(), ttl_seconds: 0 };
                client.set(set(KEY.to_owned())).await.map_err(failed)?;
                let request = pb::GetRequest { key: KEY.to_owned() };
                let got = client.get(request).await.map_err(failed)?.into_inner().value;
                if got.as_deref() != Some(&value) {
                    return Err(failed("a wrong value was answered"));
                }
                for n in 0..if asked == Asked::Search { KEYS } else { 0 } {
                    client.set(set(format!("search:{n:06}"))).await.map_err(failed)?;
                }
            }
            Asker::Batch(..) => {}
            Asker::Resp(client) => {
                client.call(&[b"SET", KEY.as_bytes(), value.as_bytes()])?;
            }
        }
        Ok(())
    }

    /// Asks so often at once, and waits for all answers.
    async fn wave(&mut self, asked: Asked, at_a_time: usize) -> io::Result<()> {
        match self {
            Asker::Memorize(client) if at_a_time == 1 => one(client, asked).await,
            Asker::Memorize(client) => {
                let mut calls = JoinSet::new();
                for _ in 0..at_a_time {
                    let mut client = client.clone();
                    calls.spawn(async move { one(&mut client, asked).await });
                }
                while let Some(done) = calls.join_next().await {
                    done.map_err(failed)??;
                }
                Ok(())
            }
            Asker::Batch(sender, answers) => batch(sender, answers, asked, at_a_time).await,
            Asker::Resp(client) => pipeline(client, asked, at_a_time),
        }
    }
}

async fn one(client: &mut MemorizeClient<ClientChannel>, asked: Asked) -> io::Result<()> {
    let key = KEY.to_owned();
    match asked {
        Asked::Set(size) => {
            let value = "v".repeat(size);
            client.set(pb::SetRequest { key, value, ttl_seconds: 0 }).await.map(drop)
        }
        Asked::Get(_) => client.get(pb::GetRequest { key }).await.map(drop),
        Asked::Contains => client.contains(pb::ContainsRequest { key }).await.map(drop),
        Asked::Search => {
            let request = pb::SearchKeysRequest { prefix: "search:".into(), limit: 50, skip: 0 };
            let found = client.search_keys(request).await.map_err(failed)?.into_inner();
            if found.keys.len() != 50 || found.total_count != KEYS as u64 {
                return Err(failed("a search found too little"));
            }
            Ok(())
        }
    }
    .map_err(failed)
}

async fn batch(
    sender: &mpsc::Sender<own::BatchRequest>,
    answers: &mut tonic::Streaming<own::BatchResponse>,
    asked: Asked,
    at_a_time: usize,
) -> io::Result<()> {
    let key = Bytes::from_static(KEY.as_bytes());
    let kind = || match asked {
        Asked::Set(size) => Kind::Set(own::SetRequest {
            key: key.clone(),
            value: vec![b'v'; size].into(),
            ..own::SetRequest::default()
        }),
        _ => Kind::Get(own::GetRequest { key: key.clone(), database: 0 }),
    };
    let operations = || (0..MANY).map(|_| own::Operation { kind: Some(kind()) }).collect();
    let messages = at_a_time.div_ceil(MANY);
    for _ in 0..messages {
        let request = own::BatchRequest { id: 0, operations: operations() };
        sender.send(request).await.map_err(failed)?;
    }
    for _ in 0..messages {
        let answer = answers.message().await.map_err(failed)?;
        if answer.is_none_or(|answer| answer.results.len() != MANY) {
            return Err(failed("results are missing"));
        }
    }
    Ok(())
}

fn pipeline(client: &mut Client, asked: Asked, at_a_time: usize) -> io::Result<()> {
    let mut bytes = Vec::new();
    for _ in 0..at_a_time {
        match asked {
            Asked::Set(size) => {
                encode(&[b"SET", KEY.as_bytes(), &vec![b'v'; size]], &mut bytes);
            }
            Asked::Contains => encode(&[b"EXISTS", KEY.as_bytes()], &mut bytes),
            _ => encode(&[b"GET", KEY.as_bytes()], &mut bytes),
        }
    }
    client.send(&bytes)?;
    for _ in 0..at_a_time {
        if let Reply::Error(error) = client.read()? {
            return Err(failed(error));
        }
    }
    Ok(())
}

fn markdown(doors: &[Door], rows: &[Row]) -> String {
    let head = ["asked", "at a time", "through", "server CPU µs per operation", "operations/s"];
    let mut text = format!("| {} | median µs of a wave |\n", head.join(" | "));
    text += "| --- | --- | --- | --- | --- | --- |\n";
    for row in rows {
        let Row { asked, at_a_time, cpu, rate, median, .. } = row;
        let door = &doors[row.door].name;
        text +=
            &format!("| {asked:?} | {at_a_time} | {door} | {cpu:.1} | {rate:.0} | {median:.0} |\n");
    }
    text
}
