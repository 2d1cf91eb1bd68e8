//! The servers: Kvist, FalkorDB where it is, and others that run already.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use testkit::folder::Folder;
use testkit::port::free_port;

use super::ask::Asker;
use crate::client::{Client, Reply};
use crate::peer::{Peer, Processors};

/// How long a server may take to start on what is there.
const PATIENCE: Duration = Duration::from_secs(600);

/// The key of the graph that is read.
pub(super) const GRAPH: &str = "seed";

/// How a server of ours is started again.
struct Start {
    program: PathBuf,
    args: Vec<String>,
    folder: Folder,
}

/// A server, and how it is started if we did.
pub(super) struct Side {
    pub peer: Peer,
    start: Option<Start>,
}

/// A program and its module: FalkorDB is a redis-server that loads one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Falkor {
    program: PathBuf,
    module: PathBuf,
}

impl Falkor {
    /// In the folder that `--falkordb` or the variable names.
    ///
    /// # Errors
    /// It is not there.
    pub fn named(value: &str) -> Result<Falkor, String> {
        let folder = std::path::absolute(value).map_err(|e| format!("{value}: {e}"))?;
        let found = |name: &str| {
            let path = folder.join(name);
            if path.is_file() { Ok(path) } else { Err(format!("there is no {}", path.display())) }
        };
        Ok(Falkor { program: found("redis-server")?, module: found("falkordb.so")? })
    }
}

impl Side {
    /// Starts Kvist.
    pub fn kvist(program: &Path) -> io::Result<Side> {
        let args = ["serve", "--grpc-port", "0", "--http-port", "0"].map(str::to_owned);
        Side::start("kvist", program, args.to_vec())
    }

    /// Starts FalkorDB, which is to answer all rows.
    pub fn falkordb(falkor: &Falkor) -> io::Result<Side> {
        let module = falkor.module.to_string_lossy().into_owned();
        let args = ["--loadmodule", &module, "RESULTSET_SIZE", "-1"].map(str::to_owned);
        let mut side = Side::start("FalkorDB", &falkor.program, args.to_vec())?;
        if let Some(version) = module_version(&mut Client::connect(&side.peer.addr)?)? {
            side.peer.version = version;
        }
        Ok(side)
    }

    /// A server that runs already, which is told to answer all rows.
    pub fn running(name: &str, addr: &str) -> io::Result<Side> {
        let peer = Peer::running(name, addr)?;
        // One that has no such bound refuses this.
        let words: [&[u8]; 4] = [b"GRAPH.CONFIG", b"SET", b"RESULTSET_SIZE", b"-1"];
        Client::connect(addr)?.call(&words)?;
        Ok(Side { peer, start: None })
    }

    fn start(name: &str, program: &Path, args: Vec<String>) -> io::Result<Side> {
        let start = Start { program: program.to_owned(), args, folder: Folder::new("graph") };
        let peer = launch(name, &start)?;
        Ok(Side { peer, start: Some(start) })
    }

    /// Saves what there is, kills the server, starts it again, and asks until a statement is
    /// answered; how long that took, or nothing if the server is not ours.
    pub fn restart(&mut self, statement: &str) -> io::Result<Option<Duration>> {
        let Some(start) = &self.start else { return Ok(None) };
        let mut client = Client::connect(&self.peer.addr)?;
        if let Reply::Error(text) = client.call(&[b"SAVE"])? {
            return Err(io::Error::other(format!("{}: SAVE: {text}", self.peer.name)));
        }
        let name = self.peer.name.clone();
        let version = self.peer.version.clone();
        self.peer.kill();
        let begin = Instant::now();
        self.peer = launch(&name, start)?;
        self.peer.version = version;
        Asker::connect(&self.peer.addr)?.rows(GRAPH, statement)?;
        Ok(Some(begin.elapsed()))
    }
}

fn launch(name: &str, start: &Start) -> io::Result<Peer> {
    let dir = start.folder.text().to_owned();
    let fixed = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", &dir];
    let args: Vec<&str> = start.args.iter().map(String::as_str).collect();
    // A module's arguments go on until the next option, and `serve` comes first.
    let args: Vec<&str> = args.into_iter().chain(fixed).collect();
    let (port, folder) = (free_port(), start.folder.path());
    let mut peer = Peer::spawn((name, &start.program), Processors::All, &args, port, folder)?;
    peer.wait_until_serving(PATIENCE)?;
    Ok(peer)
}

/// A module's own version, as `MODULE LIST` tells it.
fn module_version(client: &mut Client) -> io::Result<Option<String>> {
    let Reply::List(modules) = client.call(&[b"MODULE", b"LIST"])? else { return Ok(None) };
    let version = modules.iter().find_map(|module| match module {
        Reply::List(fields) => fields.chunks(2).find_map(|pair| match pair {
            [Reply::Bytes(Some(name)), Reply::Int(number)] if name == b"ver" => Some(*number),
            _ => None,
        }),
        _ => None,
    });
    let dotted =
        |number: i64| format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100);
    Ok(version.map(dotted))
}
