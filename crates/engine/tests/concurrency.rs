//! Several workers at once: nothing is lost, torn or stuck.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use kvist_engine::LongRequests;

use crate::test_client::{TestClient, engine};

const THREADS: usize = 8;

#[test]
fn increments_are_not_lost() {
    let engine = engine();
    let each = 5_000;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut client = TestClient::new(&engine);
                for _ in 0..each / 50 {
                    client.feed(&"INCR counter\r\n".repeat(50));
                }
            });
        }
    });
    let expected = format!("${}\r\n{}", 5, THREADS * each);
    assert_eq!(TestClient::new(&engine).ask("GET counter"), expected);
}

#[test]
fn several_keys_are_written_and_read_as_one() {
    let engine = engine();
    TestClient::new(&engine).ask("MSET a 0 b 0 c 0 d 0 e 0");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..THREADS / 2 {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                let mut client = TestClient::new(engine);
                for n in 0..2_000 {
                    let v = n * THREADS + writer;
                    // The order of the keys differs from writer to writer.
                    let line = match writer % 2 {
                        0 => format!("MSET a {v} b {v} c {v} d {v} e {v}"),
                        _ => format!("MSET e {v} d {v} c {v} b {v} a {v}"),
                    };
                    assert_eq!(client.ask(&line), "+OK");
                }
                done.store(true, Ordering::Relaxed);
            });
        }
        for _ in 0..THREADS / 2 {
            scope.spawn(|| {
                let mut client = TestClient::new(&engine);
                while !done.load(Ordering::Relaxed) {
                    let reply = client.ask("MGET c a e b d");
                    let values: Vec<&str> = reply.split("\r\n").skip(2).step_by(2).collect();
                    assert_eq!(values.len(), 5);
                    assert!(values.iter().all(|v| v == &values[0]), "torn: {values:?}");
                }
            });
        }
    });
}

#[test]
fn transactions_are_isolated() {
    let engine = engine();
    TestClient::new(&engine).ask("MSET left 1000 right 0");
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut client = TestClient::new(&engine);
                for n in 0..500 {
                    let (from, to) = if n % 2 == 0 { ("left", "right") } else { ("right", "left") };
                    let (reply, _) = client.feed(&format!(
                        "MULTI\r\nDECR {from}\r\nINCR {to}\r\nMGET left right\r\nEXEC\r\n"
                    ));
                    let numbers: Vec<i64> =
                        reply.rsplit("\r\n").filter_map(|line| line.parse().ok()).take(2).collect();
                    assert_eq!(numbers.iter().sum::<i64>(), 1000, "{reply}");
                }
            });
        }
    });
}

#[test]
fn a_changed_watched_key_stops_the_transaction() {
    let engine = engine();
    let (mut one, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    one.ask("SET k 1");
    one.ask("WATCH k");
    one.ask("MULTI");
    one.ask("INCR k");
    other.ask("SET k 5");
    assert_eq!(one.ask("EXEC"), "*-1");
    one.ask("WATCH k");
    other.ask("GET k");
    one.ask("MULTI");
    one.ask("INCR k");
    assert_eq!(one.ask("EXEC"), "*1\r\n:6");
}

#[test]
fn optimistic_counters_lose_nothing() {
    let engine = engine();
    TestClient::new(&engine).ask("SET n 0");
    let each = 200;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut client = TestClient::new(&engine);
                for _ in 0..each {
                    loop {
                        client.ask("WATCH n");
                        let reply = client.ask("GET n");
                        let n: usize = reply.rsplit("\r\n").next().unwrap().parse().unwrap();
                        client.ask("MULTI");
                        client.ask(&format!("SET n {}", n + 1));
                        if client.ask("EXEC") != "*-1" {
                            break;
                        }
                    }
                }
            });
        }
    });
    let reply = TestClient::new(&engine).ask("GET n");
    assert!(reply.ends_with(&(THREADS * each).to_string()), "{reply}");
}

#[test]
fn memory_balances_after_everything_is_deleted() {
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let measure = |engine: &Arc<kvist_engine::Engine>, client: &mut TestClient| {
        client.worker.txn.report_memory();
        engine.store.memory()
    };
    let empty = measure(&engine, &mut client);
    for n in 0..2_000 {
        client.ask(&format!("SET key:{n} {}", "x".repeat(n % 300)));
        client.ask(&format!("APPEND key:{n} {}", "y".repeat(n % 7000)));
    }
    assert!(measure(&engine, &mut client) > 2_000_000);
    assert_eq!(client.ask("FLUSHALL"), "+OK");
    assert_eq!(measure(&engine, &mut client), empty);
}

/// Wakes the thread that waits for a future.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait_for<F: Future>(future: F) -> F::Output {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn long_requests_run_a_few_at_a_time_and_wait_no_longer_than_a_client_wants_them() {
    let long = LongRequests::new(&engine(), ("long", 2), 1);
    let (ran, goes_on) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let entered: Vec<_> = (0..6).map(|_| long.enter().expect("a place")).collect();
    let mut steps: Vec<_> = entered
        .iter()
        .map(|request| {
            let (ran, goes_on) = (Arc::clone(&ran), Arc::clone(&goes_on));
            Box::pin(request.run(move |_| {
                ran.fetch_add(1, Ordering::SeqCst);
                while !goes_on.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                thread::current().id()
            }))
        })
        .collect();
    while ran.load(Ordering::SeqCst) < 2 {
        thread::yield_now();
    }
    // Two run; no client waits for the last any more, and is not done at all.
    drop(steps.pop());
    goes_on.store(true, Ordering::SeqCst);
    let threads: Vec<_> = steps.into_iter().map(|step| wait_for(step).expect("it ran")).collect();
    assert_eq!(ran.load(Ordering::SeqCst), 5);
    let first = threads[0];
    assert!(threads.iter().filter(|&&thread| thread != first).count() >= 1, "one thread did all");
    // A step that breaks is told, and the threads go on.
    let broken = entered[0].run(|_| -> usize { panic!("as it should") });
    assert_eq!(wait_for(broken), None);
    assert_eq!(wait_for(entered[0].run(|_| 7)), Some(7));
    // There is an end to those who may wait.
    let others: Vec<_> = std::iter::from_fn(|| long.enter()).take(5000).collect();
    assert!(others.len() + entered.len() < 2000 && long.enter().is_none());
    drop(others);
    assert!(long.enter().is_some());
}
