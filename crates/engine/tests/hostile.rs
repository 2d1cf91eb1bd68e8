//! What no client should send: every command with wild arguments, and bytes that are hardly
//! requests. Nothing may panic, hang, or take memory that neither the data nor the request accounts
//! for.
//!
//! `KVIST_SEED` repeats a run, `KVIST_ROUNDS` makes it longer, `KVIST_SESSIONS` ends the one with
//! broken bytes after as many of them.
#![allow(clippy::unwrap_used)] // a test says why by failing

pub mod words;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{Protocol, Rng};
use journal::snapshot::Reader;
use journal::{Directory, Disk};
use kvist_engine::persistence::Reason;
use kvist_engine::{Engine, Message, State};
use testkit::folder::Folder;
use testkit::processor;
use testkit::scale;
use testkit::seed::{rng, setting};
use testkit::transcript::words;
use wire::ReplyParser;

use crate::data_dir;
use crate::test_client::{TestClient, engine_with};

/// What `proto-max-bulk-len` is set to: strings, and replies made up of repeats, end here.
const LONGEST: usize = 1 << 20;
/// What one request may take at once: a few times the longest string, for growing buffers.
const HEAVY: isize = 12 << 20;
/// What one request may last, in a build without optimisation on a busy machine.
const SLOW: Duration = Duration::from_secs(5);

fn encode(words: &[Vec<u8>]) -> Vec<u8> {
    wire::request(words.iter().map(Vec::as_slice))
}

/// A client on an engine with short strings.
fn new_client(engine: &Arc<Engine>, rng: &mut Rng) -> TestClient {
    let mut client = TestClient::new(engine);
    if rng.below(2) == 0 {
        client.session.speak(Protocol::Resp3);
    }
    client
}

fn small_engine() -> Arc<Engine> {
    // SAVE and its like are among the requests: they fail, and that must not stop the others.
    let engine = engine_with("stop-writes-on-bgsave-error no");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask(&format!("CONFIG SET proto-max-bulk-len {LONGEST}")), "+OK");
    engine
}

/// Empties the dataset, even if a session has paused all writers: a pause outlasts its client.
fn empty(client: &mut TestClient) {
    client.worker.engine.unpause();
    assert_eq!(client.ask("FLUSHALL"), "+OK");
}

fn fill(client: &mut TestClient) {
    empty(client);
    for words in words::dataset() {
        let mut out = Vec::new();
        client.worker.feed(&mut client.session, &mut encode(&words), &mut out);
        assert!(!out.starts_with(b"-"), "{}", out.escape_ascii());
    }
}

fn shown(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(500)];
    format!("{} ({} bytes)", cut.escape_ascii(), bytes.len())
}

/// The replies are whole and none of them is the one for a contained panic; how many there are.
fn check(out: &[u8], sent: &[u8]) -> usize {
    let mut parser = ReplyParser::new();
    parser.feed(out);
    let mut count = 0;
    while let Some(value) = parser.next_value().unwrap_or_else(|e| panic!("{e:?}: {}", shown(sent)))
    {
        let internal = value.as_error().is_some_and(|text| text.starts_with(b"ERR internal"));
        assert!(!internal, "a panic in {}", shown(sent));
        count += 1;
    }
    assert!(parser.is_idle(), "half a reply to {}: {}", shown(sent), shown(out));
    count
}

/// Feeds bytes in random chunks, as a connection does, until the session ends or waits for more.
fn feed(client: &mut TestClient, bytes: &[u8], rng: &mut Rng) -> (Vec<u8>, State) {
    let (mut out, mut input, mut fed) = (Vec::new(), Vec::new(), 0);
    while fed < bytes.len() {
        let piece = match rng.below(4) {
            0 => 1 + rng.below(3),
            1 => 1 + rng.below(100),
            _ => bytes.len(),
        };
        let piece = piece.min(bytes.len() - fed);
        input.extend_from_slice(&bytes[fed..fed + piece]);
        fed += piece;
        loop {
            let done = client.worker.feed(&mut client.session, &mut input, &mut out);
            assert!(done.consumed <= input.len());
            input.drain(..done.consumed);
            match done.state {
                State::Open => break,
                // As a door that has sent everything: go on at once.
                State::Full => {}
                State::Blocked => end_wait(client, &mut out),
                State::Paused => client.worker.engine.unpause(),
                State::Closing => return (out, State::Closing),
            }
        }
    }
    (out, State::Open)
}

/// Ends the wait of a blocked session, as its timeout would or as another thread just has.
fn end_wait(client: &mut TestClient, out: &mut Vec<u8>) {
    if client.worker.give_up(&mut client.session, out) {
        return;
    }
    loop {
        for message in client.messages.take(client.session.client.id) {
            if let Message::Unblocked { ticket, reply } = message
                && client.worker.unblock(&mut client.session, ticket, &reply, out)
            {
                return;
            }
        }
        std::thread::yield_now();
    }
}

/// Requests that would change the rules for all that follow.
fn kept_back(words: &[Vec<u8>]) -> bool {
    let word = |at: usize| words.get(at).map(|w| w.to_ascii_lowercase()).unwrap_or_default();
    word(0) == b"config" && (word(1) == b"set" || word(1) == b"rewrite")
}

#[test]
fn every_command_survives_wild_arguments() {
    let (engine, mut rng) = (small_engine(), rng());
    let rounds = setting("KVIST_ROUNDS", 25);
    let mut client = new_client(&engine, &mut rng);
    let mut now = 1_700_000_000_000;
    let mut worst = (Duration::ZERO, String::new());
    for round in 0..rounds {
        for entry in engine.table.entries() {
            if rng.below(40) == 0 {
                fill(&mut TestClient::new(&engine));
            }
            let request = words::request(&mut rng, entry);
            if kept_back(&request) {
                continue;
            }
            now += rng.below(3) as u64 * 500;
            client.worker.begin(now);
            let (bytes, start) = (encode(&request), processor::used());
            let ((out, state), rise) = scale::rise(|| feed(&mut client, &bytes, &mut rng));
            let took = processor::used() - start;
            if took > worst.0 {
                worst = (took, shown(&bytes));
            }
            assert!(took < SLOW, "{took:?} for {}", shown(&bytes));
            let allowed = HEAVY + bytes.len() as isize * 4;
            assert!(rise < allowed, "{rise} bytes taken by {}", shown(&bytes));
            check(&out, &bytes);
            drop(engine.store.take_trash());
            let special = client.session.is_subscriber()
                || client.session.transaction.multi.is_some()
                || client.session.client.state.monitors.load(Ordering::Relaxed);
            if state == State::Closing || special || out.is_empty() || round % 10 == 0 {
                client.worker.disconnect(&mut client.session);
                client = new_client(&engine, &mut rng);
            }
        }
    }
    println!("slowest: {:?} {}", worst.0, worst.1);
    client.worker.disconnect(&mut client.session);
    assert!(engine.waits.blocked.is_empty());
}

/// Numbers that ask for the impossible, one by one.
#[test]
fn counts_without_end_are_bounded() {
    let engine = small_engine();
    let mut client = TestClient::new(&engine);
    fill(&mut client);
    const OUT_OF_RANGE: &str = "-ERR value is out of range";
    for (line, wanted) in [
        ("SRANDMEMBER T -9223372036854775807", OUT_OF_RANGE),
        ("SRANDMEMBER T -2147483648", OUT_OF_RANGE),
        ("SRANDMEMBER T -1000000", OUT_OF_RANGE),
        ("SRANDMEMBER none -2147483648", "*0"),
        ("HRANDFIELD H -4611686018427387903 WITHVALUES", OUT_OF_RANGE),
        ("HRANDFIELD h -2147483648", OUT_OF_RANGE),
        ("ZRANDMEMBER z -2147483648 WITHSCORES", OUT_OF_RANGE),
        ("ZRANDMEMBER Z -1000000", OUT_OF_RANGE),
        ("SETRANGE s 536870911 x", "-ERR string exceeds maximum allowed size"),
        ("SETRANGE s 9223372036854775807 x", "-ERR string exceeds maximum allowed size"),
        ("LCS S S", "-ERR Insufficient memory"),
        ("LCS S S LEN", "-ERR Insufficient memory"),
        ("LRANGE L -9223372036854775808 9223372036854775807", "*2000"),
        ("ZRANGE Z -9223372036854775808 9223372036854775807", "*1000"),
        ("ZRANGE Z -inf +inf BYSCORE LIMIT 9223372036854775807 9223372036854775807", "*0"),
        ("LTRIM none -9223372036854775808 9223372036854775807", "+OK"),
        ("SPOP none 9223372036854775807", "*0"),
        ("SORT L ALPHA LIMIT 9223372036854775807 9223372036854775807", "*0"),
        ("SORT L ALPHA LIMIT -9223372036854775808 9223372036854775807", "*2000"),
        ("SCAN 0 COUNT 9223372036854775807", "*2"),
        ("HSCAN H 0 COUNT 9223372036854775807", "*2"),
        ("LPOS L element5 RANK -9223372036854775808", ":5"),
        ("LPOS L element5 COUNT 0 MAXLEN 9223372036854775807", "*1"),
        ("LPOP none 9223372036854775807", "*-1"),
        ("LMPOP 9223372036854775807 l LEFT", "-ERR"),
        ("ZUNION 9223372036854775807 z", "-ERR"),
        ("SINTERCARD 9223372036854775807 t", "-ERR"),
        ("OBJECT FREQ s", "-ERR"),
        ("EXPIRE s 9223372036854775807", "-ERR invalid expire time"),
    ] {
        let (reply, rise) = scale::rise(|| client.ask(line));
        assert!(reply.starts_with(wanted), "{line}: {}", shown(reply.as_bytes()));
        assert!(rise < HEAVY, "{line} takes {rise} bytes");
    }
}

/// Changes bytes of a request, or their order.
fn spoil(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len().max(1));
        match rng.below(8) {
            0 if !bytes.is_empty() => bytes[at] = rng.next_u64() as u8,
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"*$\r\n:-0159 \"'\\"[rng.below(14)]),
            3 => bytes.truncate(at),
            4 => {
                let again = bytes[at..(at + rng.below(20)).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
            5 => {
                // A length that was announced and never comes.
                let lies: [&[u8]; 5] =
                    [b"*1048576\r\n", b"$1048576\r\n", b"*2147483648\r\n", b"$-5\r\n", b"*-1\r\n"];
                let lie = lies[rng.below(5)];
                bytes.splice(at..at, lie.iter().copied());
            }
            6 => bytes.extend((0..rng.below(30)).map(|_| rng.next_u64() as u8)),
            _ => bytes.extend_from_slice(b"\r\n"),
        }
    }
}

#[test]
fn broken_bytes_break_nothing() {
    let (engine, mut rng) = (small_engine(), rng());
    let until = Instant::now() + Duration::from_millis(30 * setting("KVIST_ROUNDS", 25));
    let most = setting("KVIST_SESSIONS", u64::MAX);
    fill(&mut TestClient::new(&engine));
    let (mut sessions, mut replies) = (0, 0);
    while Instant::now() < until && sessions < most {
        let mut client = new_client(&engine, &mut rng);
        let mut bytes = Vec::new();
        for _ in 0..1 + rng.below(20) {
            let entries = engine.table.entries();
            let entry = &entries[rng.below(entries.len())];
            let request = words::request(&mut rng, entry);
            if kept_back(&request) {
                continue;
            }
            let mut one = encode(&request);
            match rng.below(5) {
                0 => spoil(&mut one, &mut rng),
                1 if rng.below(4) == 0 => {
                    one = (0..rng.below(60)).map(|_| rng.next_u64() as u8).collect();
                }
                _ => {}
            }
            bytes.extend(one);
        }
        let ((out, state), rise) = scale::rise(|| feed(&mut client, &bytes, &mut rng));
        let allowed = 2 * HEAVY + bytes.len() as isize * 4;
        assert!(rise < allowed, "{rise} bytes taken by {}", shown(&bytes));
        replies += check(&out, &bytes);
        sessions += 1;
        assert_eq!(state == State::Closing, client.session.closing, "{}", shown(&bytes));
        client.worker.disconnect(&mut client.session);
        drop(engine.store.take_trash());
        if sessions % 50 == 0 {
            fill(&mut TestClient::new(&engine));
        }
    }
    println!("{sessions} sessions, {replies} replies");
    assert!(engine.waits.blocked.is_empty());
    engine.unpause();
    assert_eq!(TestClient::new(&engine).ask("PING"), "+PONG");
    // Whatever the sessions did, an empty dataset takes what it took.
    let mut last = TestClient::new(&engine);
    empty(&mut last);
    last.worker.txn.report_memory();
    assert_eq!(store::recount(&mut last.worker.txn.held), 0);
}

/// What `DUMP` answers for every value there is, in every form: packed, large, and compressed.
fn payloads(engine: &Arc<Engine>) -> Vec<Vec<u8>> {
    let mut client = TestClient::new(engine);
    let mut found = Vec::new();
    let forms = ["no", "yes"].map(|compress| [("0", compress), ("100000", compress)]);
    for (entries, compress) in forms.concat() {
        for kind in ["hash", "zset", "list"] {
            let name = if kind == "list" { "size" } else { "entries" };
            client.ask(&format!("CONFIG SET {kind}-max-listpack-{name} {entries}"));
        }
        client.ask(&format!("CONFIG SET set-max-intset-entries {entries}"));
        client.ask(&format!("CONFIG SET rdbcompression {compress}"));
        fill(&mut client);
        for words in words::dataset() {
            let key = String::from_utf8(words[1].clone()).unwrap();
            if let Some(payload) = dumped(&mut client, &key) {
                found.push(payload);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn dumped(client: &mut TestClient, key: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &[b"DUMP", key.as_bytes()], &mut out);
    let at = out.iter().position(|&byte| byte == b'\n')? + 1;
    (!out.starts_with(b"$-1")).then(|| out[at..out.len() - 2].to_vec())
}

/// Spoils what stands before the version and the checksum, and seals it again.
fn spoil_payload(payload: &[u8], others: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    const TELLING: &[u8] =
        b"\0\x01\x02\x3f\x40\x7f\x80\x81\xc0\xc3\xe0\xf0\xf1\xf4\xfa\xfd\xfe\xff";
    let mut body = payload[..payload.len() - 10].to_vec();
    for _ in 0..1 + rng.below(4) {
        // Lengths stand at the beginning, more often than not.
        let limit = if rng.below(2) == 0 { body.len().min(40) } else { body.len() };
        let at = rng.below(limit.max(1)).min(body.len().saturating_sub(1));
        let end = (at + rng.below(20)).min(body.len());
        match rng.below(9) {
            _ if body.is_empty() => body.push(TELLING[rng.below(TELLING.len())]),
            0 => body[at] = TELLING[rng.below(TELLING.len())],
            1 => body[at] ^= 1 << rng.below(8),
            2 => body[at] = body[at].wrapping_add(1),
            3 => body[at] = body[at].wrapping_sub(1),
            4 => body.truncate(end),
            5 => drop(body.drain(at..end)),
            6 => {
                let again = body[at..end].to_vec();
                body.splice(at..at, again);
            }
            // A length of 4 or 8 bytes, as large as they come.
            7 => {
                let lie: &[u8] =
                    [b"\x80\x7f\xff\xff\xff", b"\x81\x7f\xff\xff\xff\xff\xff\xff\xff" as &[u8]]
                        [rng.below(2)];
                body.splice(at..end, lie.iter().copied());
            }
            // What another value has there, or its type.
            _ => {
                let other = &others[rng.below(others.len())];
                let from = if rng.below(2) == 0 { 0 } else { at.min(other.len() - 10) };
                let piece = &other[from..(from + 1 + rng.below(40)).min(other.len() - 10)];
                body.splice(at..end, piece.iter().copied());
            }
        }
    }
    rdb::dump::seal(body)
}

/// What the payload stands for must be a value as good as any: it is counted rightly, dumps, comes
/// back from its own dump the same, and commands work on it.
fn is_sound(client: &mut TestClient, engine: &Arc<Engine>, rng: &mut Rng) {
    let payload = dumped(client, "k").expect("it was restored");
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &[b"RESTORE", b"again", b"0", &payload], &mut out);
    assert_eq!(out, b"+OK\r\n", "its own dump");
    let [one, other] = ["k", "again"].map(|key| client.ask(&format!("DEBUG DIGEST-VALUE {key}")));
    assert_eq!(one, other, "the dump of {}", client.ask("TYPE k"));
    for line in [
        "APPEND k x",
        "SETBIT k 9 1",
        "PFADD k x",
        "LPUSH k a b",
        "LINSERT k BEFORE a c",
        "LREM k 1 b",
        "RPOP k",
        "HSET k f v f0 w",
        "HDEL k f1 f2",
        "HGETALL k",
        "SADD k m 7",
        "SREM k m1",
        "SPOP k",
        "SMEMBERS k",
        "ZADD k 1 m 2.5 m0",
        "ZREM k m1",
        "ZPOPMIN k",
        "ZRANGE k 0 -1",
        "XLEN k",
        "XADD k * f v",
        "XTRIM k MAXLEN 5",
        "XRANGE k - +",
        "XINFO STREAM k FULL",
        "XGROUP CREATE k g 0",
        "XREADGROUP GROUP g c COUNT 3 STREAMS k >",
        "XAUTOCLAIM k x d 0 0",
        "JSON.GET k $..a",
        "JSON.DEL k $[0]",
        "LRANGE k 0 -1",
        "GET k",
        "SORT k ALPHA",
        "OBJECT ENCODING k",
        "COPY k again",
    ] {
        if rng.below(3) == 0 {
            let words = words(line);
            out.clear();
            client.worker.execute(&mut client.session, &words, &mut out);
            check(&out, line.as_bytes());
        }
    }
    client.worker.txn.report_memory();
    let told = engine.store.memory() - engine.store.shared_memory();
    assert_eq!(
        store::recount(&mut client.worker.txn.held),
        told,
        "the account after {}",
        client.ask("TYPE k")
    );
}

/// Values of unknown origin, with bytes changed and lengths that lie: an error, or a value.
#[test]
fn damaged_payloads_are_refused_or_are_values() {
    let (engine, mut rng) = (small_engine(), rng());
    let payloads = payloads(&engine);
    assert!(payloads.len() > 30, "{}", payloads.len());
    let mut client = TestClient::new(&engine);
    let (mut taken, mut refused, mut worst) = (0, 0, Duration::ZERO);
    for round in 0..setting("KVIST_ROUNDS", 25) * 60 {
        client.ask("FLUSHALL");
        drop(engine.store.take_trash());
        let payload = spoil_payload(&payloads[rng.below(payloads.len())], &payloads, &mut rng);
        let mut out = Vec::new();
        let words: [&[u8]; 4] = [b"RESTORE", b"k", b"0", &payload];
        let start = processor::used();
        let ((), rise) =
            scale::rise(|| client.worker.execute(&mut client.session, &words, &mut out));
        let took = processor::used() - start;
        worst = worst.max(took);
        assert!(took < SLOW, "{took:?} for {}", payload.escape_ascii());
        // What is compressed unpacks to 88 times as much; elements of a byte become entries.
        let allowed = payload.len() as isize * 88 * 80 + (1 << 20);
        assert!(rise < allowed, "{rise} bytes for {}", payload.escape_ascii());
        match out.as_slice() {
            b"+OK\r\n" => {
                taken += 1;
                let sound =
                    std::panic::AssertUnwindSafe(|| is_sound(&mut client, &engine, &mut rng));
                if let Err(panic) = std::panic::catch_unwind(sound) {
                    println!("round {round}: {}", payload.escape_ascii());
                    std::panic::resume_unwind(panic);
                }
            }
            b"-ERR Bad data format\r\n" => refused += 1,
            other => panic!("{}: {}", other.escape_ascii(), payload.escape_ascii()),
        }
    }
    println!("{taken} taken, {refused} refused, the slowest took {worst:?}");
    assert!(taken > 50 && refused > 50, "{taken} {refused}");
}

/// A value of about 12 MB of each type that is copied in chunks.
fn fill_heavily(client: &mut TestClient) {
    let value = "v".repeat(1000);
    for n in 0..12_000 {
        for line in [
            format!("HSET hash field:{n} {value}"),
            format!("RPUSH list {n}{value}"),
            format!("SADD set {n}{value}"),
            format!("ZADD zset {n} {n}{value}"),
            format!("XADD stream {n}-1 field {value}"),
        ] {
            let reply = client.ask(&line);
            assert!(!reply.starts_with('-'), "{reply}");
        }
    }
    client.ask("SETRANGE string 12000000 end");
}

const HEAVY_KEYS: [&str; 6] = ["hash", "list", "set", "zset", "stream", "string"];

/// Whatever a value takes, a snapshot of it takes some blocks of a mebibyte, written and read.
#[test]
fn a_large_value_is_never_whole_in_memory_as_an_image() {
    const BLOCKS: isize = 8 << 20;
    let folder = Folder::new("engine");
    let (engine, _) = data_dir::open(folder.path(), "save \"\"\nappendonly no\nshards 1").unwrap();
    fill_heavily(&mut TestClient::new(&engine));
    for compress in ["yes", "no"] {
        TestClient::new(&engine).ask(&format!("CONFIG SET rdbcompression {compress}"));
        let (saved, rise) = scale::rise(|| engine.save(Reason::Save, false));
        assert_eq!(saved.unwrap().keys, 6);
        assert!(rise < BLOCKS, "a snapshot takes {rise} bytes");
        let disk = Directory::open(folder.path()).unwrap();
        let names = disk.list().unwrap().into_iter();
        let name = names.filter(|name| name.ends_with(".kvs")).max().unwrap();
        let reader = Reader::open(&disk, &name).unwrap();
        let (mut open, mut values) = (store::Assemblies::default(), Vec::new());
        let before = scale::alive();
        let ((), rise) = scale::rise(|| {
            for place in reader.blocks.iter().filter(|place| place.db == u32::MAX - 3) {
                let piece = reader.block(place).unwrap();
                values.extend(open.take(&piece, &base::PackLimits::default()).unwrap().1);
            }
        });
        assert_eq!(values.len(), HEAVY_KEYS.len());
        let kept = scale::alive() - before;
        assert!(kept > 60 << 20, "{kept} bytes");
        // A string grows in place, or is copied once.
        assert!(rise - kept < BLOCKS + (12 << 20), "reading takes {} bytes more", rise - kept);
    }
    engine.close_data_dir();
}

/// Prefixes are compared in their order, not each with each other; and what a client calls itself
/// counts as what it takes.
#[test]
fn prefixes_and_names_of_a_client_cost_what_they_are() {
    let engine = engine_with("");
    let mut client = TestClient::new(&engine);
    let mut ask = |words: &[&[u8]]| {
        let mut out = Vec::new();
        client.worker.execute(&mut client.session, words, &mut out);
        (String::from_utf8_lossy(&out).into_owned(), client.session.client.kept())
    };
    assert_eq!(ask(&[b"HELLO", b"3"]).0.get(..1), Some("%"));
    let names: Vec<String> = (0..40_000).map(|n| format!("prefix {n:06}")).collect();
    let mut words = vec![&b"CLIENT"[..], b"TRACKING", b"ON", b"BCAST"];
    words.extend(names.iter().flat_map(|name| [&b"PREFIX"[..], name.as_bytes()]));
    let (reply, took) = processor::cost(|| ask(&words).0);
    assert_eq!(reply, "+OK\r\n");
    // Each with each other it would be more than half a minute.
    assert!(took < std::time::Duration::from_secs(10), "{took:?}");
    let (reply, took) = processor::cost(|| ask(&words).0);
    assert!(reply.contains("Prefixes for a single client must not overlap"), "{reply}");
    assert!(took < std::time::Duration::from_secs(10), "{took:?}");
    let (_, before) = ask(&[b"PING"]);
    let long = vec![b'n'; 1 << 20];
    assert!(ask(&[b"CLIENT", b"SETNAME", &long]).1 >= before + long.len());
    assert!(ask(&[b"CLIENT", b"SETINFO", b"LIB-NAME", &long]).1 >= before + 2 * long.len());
    assert_eq!(ask(&[b"CLIENT", b"SETNAME", b""]).1, before + long.len());
}

/// Scripts that a client has sent take nothing from those that come next, however many and long
/// they are.
#[test]
fn scripts_that_were_compiled_leave_room_for_others() {
    let engine = engine_with("script-memory-limit 4mb");
    let mut client = TestClient::new(&engine);
    for n in 0..200 {
        // Each is a constant of 100 kB, which the compiled script holds.
        let text = format!("return #'{n:03}{}'", "x".repeat(100_000));
        let mut out = Vec::new();
        let words = [&b"EVAL"[..], text.as_bytes(), b"0"];
        client.worker.execute(&mut client.session, &words, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), ":100003\r\n", "script {n}");
    }
}

/// A dump that is longer than a reply may be is not made first and refused then, in whatever way it
/// is asked for.
#[test]
fn a_dump_is_no_longer_than_there_is_room() {
    let engine = engine_with("max-reply-size 1mb\nscript-memory-limit 4mb");
    let mut client = TestClient::new(&engine);
    // Not to be compressed to nothing.
    let mut rng = rng();
    for n in 0..20_000 {
        let value: String = (0..30).map(|_| format!("{:x}", rng.next_u64())).collect();
        for line in [format!("HSET hash field:{n} {value}"), format!("RPUSH list {value}")] {
            client.ask(&line);
        }
    }
    for key in ["hash", "list"] {
        for line in [
            format!("DUMP {key}"),
            format!("EVAL return(redis.call('dump',KEYS[1])) 1 {key}"),
            format!("EVAL return(redis.pcall('dump',KEYS[1])) 1 {key}"),
            format!("EVAL return{{redis.call('mget','a','b'),redis.call('dump',KEYS[1])}} 1 {key}"),
        ] {
            // One whose reply is too long may be closed.
            let mut client = TestClient::new(&engine);
            let (reply, rise) = scale::rise(|| client.ask(&line));
            let start = reply.get(..40);
            assert!(reply.starts_with("-ERR"), "{line}: {start:?}");
            assert!(rise < 12 << 20, "{line}: {rise} bytes");
        }
        let mut client = TestClient::new(&engine);
        client.ask("MULTI");
        client.ask(&format!("DUMP {key}"));
        client.ask(&format!("DUMP {key}"));
        let (reply, rise) = scale::rise(|| client.ask("EXEC"));
        assert!(reply.starts_with("-ERR"), "{:?}", reply.get(..40));
        assert!(rise < 12 << 20, "{rise} bytes");
    }
    assert_eq!(client.ask("HLEN hash"), ":20000");
    // One that has room is whole.
    client.ask("CONFIG SET max-reply-size 1gb");
    let whole = dumped(&mut client, "hash").unwrap();
    assert!(whole.len() > 9 << 20);
    let mut out = Vec::new();
    let words = [&b"RESTORE"[..], b"copy", b"0", &whole];
    let before = scale::alive();
    let ((), rise) = scale::rise(|| client.worker.execute(&mut client.session, &words, &mut out));
    let kept = scale::alive() - before;
    assert_eq!(out, b"+OK\r\n");
    assert_eq!(client.ask("HLEN copy"), ":20000");
    // The request is told to no journal, and its elements are never all there twice.
    assert!(kept > 9 << 20 && rise - kept < 4 << 20, "{rise} bytes for {kept}");
}

/// A file of Redis is taken over in the memory of its values, and a part of one.
#[test]
fn a_large_value_of_a_file_is_read_in_parts() {
    let folder = Folder::new("engine");
    let file = std::fs::File::create(folder.join("dump.rdb")).unwrap();
    let mut writer = rdb::Writer::new(file, rdb::Limits::default(), false, true).unwrap();
    writer.database(0, 1, 0).unwrap();
    let fields: Vec<String> = (0..200_000).map(|n| format!("field {n:030}")).collect();
    let pairs = fields.iter().map(|field| (field.as_bytes(), &b"a value"[..]));
    let meta = rdb::Meta::default();
    writer.key_with(meta, |encoder, out| encoder.hash_plain(out, Some(b"hash"), pairs)).unwrap();
    writer.finish().unwrap();
    let before = scale::alive();
    let (opened, rise) = scale::rise(|| data_dir::open(folder.path(), "save \"\"\nshards 1"));
    let kept = scale::alive() - before;
    let (engine, recovered) = opened.unwrap();
    assert_eq!(TestClient::new(&engine).ask("HLEN hash"), ":200000", "{recovered}");
    assert!(kept > 10 << 20, "{kept} bytes");
    // Beside parts, what a table takes more while it grows.
    assert!(rise - kept < 8 << 20, "{rise} bytes for {kept}");
    engine.close_data_dir();
}
