//! Clients that mean harm, or behave as if: thousands that subscribe and do not read, that announce
//! and do not send, that request more than they read. The server's memory stays bounded, they are
//! disconnected cleanly, and all others are served.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use socket2::{Domain, Type};
use testkit::skip;
use wire::Value;

use crate::server::{PATIENCE, Server, bulk, eventually, ok, temporary, text};

/// Raises the limit on open files of this process; `false`, said aloud, if it cannot be so high.
fn may_open(files: u64) -> bool {
    let (soft, hard) = rlimit::Resource::NOFILE.get().unwrap();
    if soft >= files {
        return true;
    }
    if hard < files || rlimit::Resource::NOFILE.set(files, hard).is_err() {
        skip::because(&format!("{files} open files are needed, and {hard} are allowed"));
        return false;
    }
    true
}

/// Kilobytes of memory that the server has now (`VmRSS`), or had at most (`VmHWM`).
fn memory(server: &Server, field: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}

/// A connection that takes little before the server must keep what it does not read.
fn narrow(server: &Server) -> TcpStream {
    let socket = socket2::Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&SocketAddr::from(([127, 0, 0, 1], server.port)).into()).unwrap();
    socket.into()
}

/// Reads until so many bytes have come.
fn read_exactly(mut stream: &TcpStream, bytes: usize) -> Vec<u8> {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut heard = vec![0; bytes];
    stream.read_exact(&mut heard).unwrap();
    heard
}

/// A subscriber, and how much of what all should receive has come.
struct Listener {
    stream: UnixStream,
    heard: usize,
}

impl Listener {
    /// Over a Unix socket, whose buffers in the kernel are small and of a fixed size.
    fn subscribe(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        (&stream).write_all(b"SUBSCRIBE news\r\n").unwrap();
        Listener { stream, heard: 0 }
    }

    fn confirmed(&mut self) {
        let expected = b"*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n";
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut heard = vec![0; expected.len()];
        self.stream.read_exact(&mut heard).unwrap();
        assert_eq!(heard, expected);
        self.stream.set_nonblocking(true).unwrap();
    }

    /// Reads what there is, which must be what all should hear; `false` if it is closed.
    fn read(&mut self, all: &[u8], chunk: &mut [u8]) -> bool {
        loop {
            match self.stream.read(chunk) {
                Ok(0) => return false,
                Ok(n) => {
                    assert!(chunk[..n] == all[self.heard..self.heard + n], "not what was said");
                    self.heard += n;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return false,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// What a listener hears of a message.
fn heard(message: &str) -> Vec<u8> {
    wire::request(["message", "news", message])
}

/// Half of ten thousand subscribers do not read. Those that do get every message, in order; one
/// that does not gets the first ones, whole and in order up to where it is cut.
#[test]
fn ten_thousand_subscribers_half_of_which_do_not_read() {
    const ALL: usize = 10_000;
    if !may_open(ALL as u64 + 200) {
        return;
    }
    let limit = ["--client-output-buffer-limit", "pubsub", "32kb", "0", "0"];
    let socket = temporary("listeners");
    let door = ["--maxclients", "10050", "--unixsocket", socket.to_str().unwrap()];
    let server = Server::start(&[&door[..], &limit].concat());
    let mut publisher = server.connect();
    let (mut all, mut deaf) = (Vec::new(), Vec::new());
    for _ in 0..ALL / 2 {
        all.push(Listener::subscribe(&socket));
        deaf.push(Listener::subscribe(&socket));
    }
    all.iter_mut().chain(&mut deaf).for_each(Listener::confirmed);
    let idle = memory(&server, "VmRSS");
    let (mut said, mut chunk) = (Vec::new(), vec![0; 64 << 10]);
    for burst in 0.. {
        let mut requests = Vec::new();
        for at in 0..3 {
            let message = format!("{:08}{}", burst * 3 + at, "m".repeat(8000));
            wire::encode(&mut requests, ["PUBLISH", "news", &message]);
            said.extend(heard(&message));
        }
        publisher.send(&requests);
        // The next ones are sent when all readers have received these.
        let deadline = Instant::now() + PATIENCE;
        while all.iter().any(|listener| listener.heard < said.len()) {
            for listener in all.iter_mut().filter(|listener| listener.heard < said.len()) {
                assert!(listener.read(&said, &mut chunk), "one who listens was cut");
            }
            assert!(Instant::now() < deadline, "messages do not come");
        }
        let counts: Vec<i64> = (0..3).map(|_| publisher.hear().as_i64().unwrap()).collect();
        if counts[2] == ALL as i64 / 2 {
            break;
        }
        assert!(burst < 100, "the deaf are not cut: {counts:?}");
    }
    let most = memory(&server, "VmHWM") - idle;
    // 5000 times the limit and a burst would be 280 MB; buffers grow by a quarter at a time, and
    // leave their smaller selves behind.
    assert!(most < 500_000, "{most} kB for the deaf");
    let mut none = 0;
    for listener in &mut deaf {
        listener.stream.set_nonblocking(false).unwrap();
        listener.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        assert!(!listener.read(&said, &mut chunk), "not closed");
        none += usize::from(listener.heard == 0);
    }
    assert!(none < ALL / 100, "{none} of the deaf have nothing at all");
    let cut = server.info(&mut publisher, "client_output_buffer_limit_disconnections");
    assert_eq!(cut, (ALL / 2).to_string());
    drop(deaf);
    eventually("only those who listen", || {
        let count = server.info(&mut publisher, "connected_clients");
        (count == (ALL / 2 + 1).to_string()).then_some(())
    });
}

/// A publisher that sends on without waiting: no reader loses or confuses anything, and what is on
/// its way between the threads is bounded.
#[test]
fn a_publisher_that_does_not_wait() {
    const MESSAGES: usize = 20_000;
    let socket = temporary("listeners");
    let limits = ["--client-output-buffer-limit", "pubsub", "0", "0", "0"];
    let server =
        Server::start(&[&limits[..], &["--unixsocket", socket.to_str().unwrap()]].concat());
    let mut listeners: Vec<Listener> = (0..60).map(|_| Listener::subscribe(&socket)).collect();
    listeners.iter_mut().for_each(Listener::confirmed);
    let (mut said, mut requests) = (Vec::new(), Vec::new());
    for at in 0..MESSAGES {
        let message = format!("{at:08}");
        wire::encode(&mut requests, ["PUBLISH", "news", &message]);
        said.extend(heard(&message));
    }
    let mut publisher = server.connect();
    let tcp = publisher.tcp().try_clone().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| (&tcp).write_all(&requests).unwrap());
        scope.spawn(|| {
            for _ in 0..MESSAGES {
                assert_eq!(publisher.hear(), Value::Int(60));
            }
        });
        let mut chunk = vec![0; 64 << 10];
        let deadline = Instant::now() + PATIENCE;
        while listeners.iter().any(|listener| listener.heard < said.len()) {
            for listener in &mut listeners {
                assert!(listener.read(&said, &mut chunk), "one who listens was cut");
            }
            assert!(Instant::now() < deadline, "messages do not come");
        }
    });
}

/// A reader of more keys than the server wants to remember, and one who does not listen to what
/// has changed.
#[test]
fn trackers_do_not_fill_the_memory() {
    let limits = ["--client-output-buffer-limit", "pubsub", "100kb", "0", "0"];
    let server = Server::start(&[&["--tracking-table-max-keys", "1000"], &limits[..]].concat());
    let mut writer = server.connect();
    let sets: Vec<u8> =
        (0..20_000).flat_map(|n| wire::request(["SET", &format!("key:{n}"), "v"])).collect();
    writer.send(&sets);
    (0..20_000).for_each(|_| assert_eq!(writer.hear(), ok()));

    let mut flooding = server.connect();
    flooding.ask(&["HELLO", "3"]);
    assert_eq!(flooding.ask(&["CLIENT", "TRACKING", "ON"]), ok());
    let (mut values, mut notices) = (0, 0);
    for batch in 0..20 {
        let range = batch * 1000..(batch + 1) * 1000;
        let gets: Vec<u8> =
            range.flat_map(|n| wire::request(["GET", &format!("key:{n}")])).collect();
        flooding.send(&gets);
        let mut missing = 1000;
        while missing > 0 {
            match flooding.hear() {
                Value::Push(_) => notices += 1,
                value => {
                    assert_eq!(value, bulk("v"));
                    missing -= 1;
                    values += 1;
                }
            }
        }
    }
    // What is not remembered is told as stale.
    eventually("a small table", || {
        let keys: usize = server.info(&mut writer, "tracking_total_keys").parse().unwrap();
        (keys <= 1000).then_some(())
    });
    while notices < 19_000 {
        assert!(matches!(flooding.hear(), Value::Push(_)));
        notices += 1;
    }
    assert_eq!(values, 20_000);

    let mut deaf: Vec<TcpStream> = (0..20).map(|_| narrow(&server)).collect();
    for stream in &mut deaf {
        stream.write_all(b"HELLO 3\r\nCLIENT TRACKING ON BCAST\r\nPING\r\n").unwrap();
    }
    eventually("trackers", || (server.info(&mut writer, "tracking_clients") == "21").then_some(()));
    let key = "k".repeat(10_000);
    eventually("the end of the deaf", || {
        writer.send(&wire::request(["SET", &key, "v"]).repeat(10));
        (0..10).for_each(|_| assert_eq!(writer.hear(), ok()));
        (server.info(&mut writer, "tracking_clients") == "1").then_some(())
    });
    assert!(memory(&server, "VmHWM") < 200_000);
}

/// Long replies that are not read: a hard limit holds within a reply, whatever was asked for.
#[test]
fn who_asks_for_all_and_takes_nothing() {
    let server = Server::start(&["--client-output-buffer-limit", "normal", "8mb", "2mb", "1"]);
    let mut other = server.connect();
    let value = "v".repeat(10_000);
    let push: Vec<&str> = [&["RPUSH", "list"][..], &[value.as_str(); 100]].concat();
    assert_eq!(other.ask(&push), Value::Int(100));
    let base = memory(&server, "VmRSS");
    let all: Vec<TcpStream> = (0..10)
        .map(|_| {
            let mut deaf = narrow(&server);
            let requests = wire::request(["LRANGE", "list", "0", "-1"]).repeat(300);
            // Those above the hard limit are closed while they send.
            let _ = deaf.write_all(&requests);
            deaf
        })
        .collect();
    let mut most = 0;
    eventually("the end of all", || {
        let clients: usize = server.info(&mut other, "mem_clients_normal").parse().unwrap();
        most = most.max(clients);
        // Not how many are connected: at first, none may have been accepted yet.
        let cut = server.info(&mut other, "client_output_buffer_limit_disconnections");
        (cut == "10").then_some(())
    });
    assert!(most < 10 * (11 << 20), "{most}");
    let peak = memory(&server, "VmHWM");
    assert!(peak < base + 200_000, "{base} -> {peak}");
    drop(all);
    // Over the soft limit alone: closed after its second, not before.
    let mut deaf = narrow(&server);
    let begin = Instant::now();
    deaf.write_all(&wire::request(["LRANGE", "list", "0", "-1"]).repeat(8)).unwrap();
    assert_eq!(deaf.peek(&mut [0]).unwrap(), 1);
    eventually("the end of the last", || {
        (server.info(&mut other, "connected_clients") == "1").then_some(())
    });
    assert!(begin.elapsed() >= Duration::from_secs(1));
    let cut = server.info(&mut other, "client_output_buffer_limit_disconnections");
    assert_eq!(cut, "11");
}

/// Ordinary clients have no limit by default, and a monitor is one; the limit on all of them
/// together holds.
#[test]
fn a_monitor_that_does_not_read() {
    let server = Server::start(&["--maxmemory-clients", "4mb"]);
    let mut monitor = narrow(&server);
    monitor.write_all(b"MONITOR\r\n").unwrap();
    assert_eq!(read_exactly(&monitor, 5), b"+OK\r\n");
    let mut other = server.connect();
    let batch = wire::request(["SET", "k", &"v".repeat(1000)]).repeat(100);
    eventually("the monitor's end", || {
        other.send(&batch);
        (0..100).for_each(|_| assert_eq!(other.hear(), ok()));
        (server.info(&mut other, "evicted_clients") == "1").then_some(())
    });
    server.logged("Evicting client: id=1 ");
    assert!(memory(&server, "VmHWM") < 200_000);
    assert_eq!(text(&other.ask(&["PING"])), "PONG");
}

/// Two thousand clients send their requests a byte at a time, and two thousand more announce what
/// never comes. Other clients do not notice.
#[test]
fn requests_that_never_end() {
    const EACH: usize = 2000;
    if !may_open(2 * EACH as u64 + 200) {
        return;
    }
    let server = Server::start(&[]);
    let mut other = server.connect();
    let mut slow: Vec<TcpStream> =
        (0..EACH).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    let mut greedy: Vec<TcpStream> =
        (0..EACH).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    eventually("all of them", || {
        let count = server.info(&mut other, "connected_clients");
        (count == (2 * EACH + 1).to_string()).then_some(())
    });
    let base = memory(&server, "VmRSS");
    for (at, stream) in greedy.iter_mut().enumerate() {
        let announced: &[u8] = match at % 4 {
            0 => b"*1000000\r\n",
            1 => b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nbegin",
            2 => b"*1000000\r\n$536870912\r\n",
            _ => b"SET k 'an endless line",
        };
        stream.write_all(announced).unwrap();
    }
    let mut waits = Vec::new();
    let requests: Vec<Vec<u8>> = (0..EACH)
        .map(|at| match at % 2 {
            0 => wire::request(["SET", &format!("key:{at}"), "v"]),
            _ => format!("SET 'key:{at}' \"\\x76\"\r\n").into_bytes(),
        })
        .collect();
    let rounds = requests.iter().map(Vec::len).max().unwrap();
    for round in 0..rounds {
        for (stream, request) in slow.iter_mut().zip(&requests) {
            if let Some(byte) = request.get(round) {
                stream.write_all(&[*byte]).unwrap();
            }
        }
        let begin = Instant::now();
        assert_eq!(text(&other.ask(&["PING"])), "PONG");
        waits.push(begin.elapsed());
    }
    // The machine may stop for a moment; where the server does, it does so more often.
    waits.sort_unstable();
    assert!(waits[rounds - 4] < PATIENCE / 4, "{:?}", &waits[rounds - 4..]);
    for stream in &slow {
        assert_eq!(read_exactly(stream, 5), b"+OK\r\n");
    }
    assert_eq!(other.ask(&["GET", "key:1"]), bulk("v"));
    assert_eq!(other.ask(&["DBSIZE"]), Value::Int(i64::try_from(EACH).unwrap()));
    let grown = memory(&server, "VmHWM").saturating_sub(base);
    assert!(grown < 60_000, "{grown} kB");
    let clients: usize = server.info(&mut other, "mem_clients_normal").parse().unwrap();
    assert!(clients < 2 * EACH * 2048, "{clients}");
    drop((slow, greedy));
    eventually("their end", || (server.info(&mut other, "connected_clients") == "1").then_some(()));
}

/// A transaction that is never executed is no unfinished request: only the limit on all clients
/// ends it, as in Redis.
#[test]
fn a_transaction_without_an_end() {
    let options = ["--client-query-buffer-limit", "1mb", "--maxmemory-clients", "16mb"];
    let server = Server::start(&options);
    let mut other = server.connect();
    let mut flooding = server.connect();
    assert_eq!(flooding.ask(&["MULTI"]), ok());
    let batch = wire::request(["SET", "k", &"v".repeat(10_000)]).repeat(100);
    let tcp = flooding.tcp().try_clone().unwrap();
    let sender = std::thread::spawn(move || {
        let sent = (0..100).take_while(|_| (&tcp).write_all(&batch).is_ok()).count();
        assert!(sent > 10, "cut after {sent} MB");
    });
    flooding.closed();
    sender.join().unwrap();
    assert_eq!(server.info(&mut other, "evicted_clients"), "1");
    assert_eq!(server.info(&mut other, "client_query_buffer_limit_disconnections"), "0");
    assert!(memory(&server, "VmHWM") < 150_000);
}
