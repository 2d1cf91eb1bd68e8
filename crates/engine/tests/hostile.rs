//! What nobody should send: every command with wild arguments, and bytes that are hardly requests.
//! Nothing may panic, hang, or take memory that neither the data nor the request accounts for.
//!
//! `KVIST_SEED` repeats a run, `KVIST_ROUNDS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

#[path = "../../base/tests/processor/mod.rs"]
mod processor;
#[path = "hostile/scale.rs"]
mod scale;
mod seats;
#[path = "../../base/tests/seed/mod.rs"]
mod seed;
#[path = "hostile/words.rs"]
mod words;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{Protocol, Rng};
use kvist_engine::{Engine, Message, State};
use seats::{Seat, engine_with};
use seed::rng;
use wire::ReplyParser;

#[global_allocator]
static SCALE: scale::Scale = scale::Scale;

/// What `proto-max-bulk-len` is set to: strings, and replies made up of repeats, end here.
const LONGEST: usize = 1 << 20;
/// What one request may take at once: a few times the longest string, for growing buffers.
const HEAVY: isize = 12 << 20;
/// What one request may last, in a build without optimisation on a busy machine.
const SLOW: Duration = Duration::from_secs(5);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn encode(words: &[Vec<u8>]) -> Vec<u8> {
    wire::request(words.iter().map(Vec::as_slice))
}

/// A client on an engine with short strings.
fn seat(engine: &Arc<Engine>, rng: &mut Rng) -> Seat {
    let mut seat = Seat::new(engine);
    if rng.below(2) == 0 {
        seat.session.speak(Protocol::Resp3);
    }
    seat
}

fn small_engine() -> Arc<Engine> {
    // SAVE and its like are among the requests: they fail, and that must not stop the others.
    let engine = engine_with("stop-writes-on-bgsave-error no");
    let mut seat = Seat::new(&engine);
    assert_eq!(seat.ask(&format!("CONFIG SET proto-max-bulk-len {LONGEST}")), "+OK");
    engine
}

fn fill(seat: &mut Seat) {
    seat.ask("FLUSHALL");
    for words in words::dataset() {
        let mut out = Vec::new();
        seat.worker.feed(&mut seat.session, &mut encode(&words), &mut out);
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

/// Feeds bytes in random pieces, as a connection does, until the session ends or waits for more.
fn feed(seat: &mut Seat, bytes: &[u8], rng: &mut Rng) -> (Vec<u8>, State) {
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
            let done = seat.worker.feed(&mut seat.session, &mut input, &mut out);
            assert!(done.consumed <= input.len());
            input.drain(..done.consumed);
            match done.state {
                State::Open => break,
                // As a door that has sent everything: go on at once.
                State::Full => {}
                State::Blocked => end_wait(seat, &mut out),
                State::Paused => seat.worker.engine.unpause(),
                State::Closing => return (out, State::Closing),
            }
        }
    }
    (out, State::Open)
}

/// Ends the wait of a blocked session, as its timeout would or as another thread just has.
fn end_wait(seat: &mut Seat, out: &mut Vec<u8>) {
    if seat.worker.give_up(&mut seat.session, out) {
        return;
    }
    loop {
        for letter in seat.letters.take(seat.session.client.id) {
            if let Message::Unblocked { ticket, reply } = letter
                && seat.worker.unblock(&mut seat.session, ticket, &reply, out)
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
    let mut client = seat(&engine, &mut rng);
    let mut now = 1_700_000_000_000;
    let mut worst = (Duration::ZERO, String::new());
    for round in 0..rounds {
        for entry in engine.table.entries() {
            if rng.below(40) == 0 {
                fill(&mut Seat::new(&engine));
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
                || client.session.multi.is_some()
                || client.session.client.monitors.load(Ordering::Relaxed);
            if state == State::Closing || special || out.is_empty() || round % 10 == 0 {
                client.worker.disconnect(&mut client.session);
                client = seat(&engine, &mut rng);
            }
        }
    }
    println!("slowest: {:?} {}", worst.0, worst.1);
    client.worker.disconnect(&mut client.session);
    assert!(engine.blocked.is_empty());
}

/// Numbers that ask for the impossible, one by one.
#[test]
fn counts_without_end_are_bounded() {
    let engine = small_engine();
    let mut seat = Seat::new(&engine);
    fill(&mut seat);
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
        let (reply, rise) = scale::rise(|| seat.ask(line));
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
    fill(&mut Seat::new(&engine));
    let (mut sessions, mut replies) = (0, 0);
    while Instant::now() < until {
        let mut client = seat(&engine, &mut rng);
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
            fill(&mut Seat::new(&engine));
        }
    }
    println!("{sessions} sessions, {replies} replies");
    assert!(engine.blocked.is_empty());
    assert_eq!(Seat::new(&engine).ask("PING"), "+PONG");
    // Whatever the sessions did, an empty dataset takes what it took.
    let mut last = Seat::new(&engine);
    last.ask("FLUSHALL");
    last.worker.txn.report_memory();
    assert_eq!(last.worker.txn.recount(), 0);
}
