//! The report's parts that need no server, or only one that answers what it is told to.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use super::answers::alike;
use super::ask::Asker;
use super::rows::{Rows, Unit};
use super::seed::Seed;
use super::{Options, PARTS};

#[test]
fn options_are_read() {
    let read = |text: &str| {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    };
    let options = read("--quick --scale 0.25 --peer a=b:1 --parts large,points").expect("options");
    assert_eq!((options.rounds, options.peers.len(), options.parts.len()), (1, 1, 2));
    assert_eq!(Seed::new(options.scale).persons, 500_000);
    assert_eq!(read("").expect("options").parts, PARTS);
    for wrong in ["--scale 0", "--scale x", "--parts nosuch", "--peer a", "--falkordb a", "--x 1"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert!(read("--falkordb /nosuch").is_err());
}

#[test]
fn a_graph_of_any_size_is_made_in_batches() {
    let seed = Seed::new(0.06);
    assert_eq!(seed.persons, 120_000);
    let nodes = seed.nodes();
    assert_eq!(nodes.len(), 3);
    assert!(nodes[2].starts_with("UNWIND range(100000, 119999) AS i"), "{}", nodes[2]);
    assert!(seed.knows()[0].contains("(7 * a.id + 13) % 120000"));
    let rows: Vec<u64> = seed.queries().iter().map(|query| query.rows).collect();
    assert_eq!(rows[..4], [10_000, 100_000, 120_000, 120_000]);
    assert_eq!(Seed::new(1e-9).persons, 1000);
}

#[test]
fn answers_are_passed_over_and_their_rows_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = listener.local_addr().expect("an address").to_string();
    let answers = "*3\r\n*1\r\n*2\r\n:1\r\n$1\r\na\r\n*2\r\n*1\r\n*2\r\n:3\r\n:-7\r\n\
                   *1\r\n*2\r\n:1\r\n\
                   $-1\r\n*1\r\n$2\r\nok\r\n*1\r\n*2\r\n$1\r\nx\r\n$1\r\ny\r\n-ERR no\r\n";
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.write_all(answers.as_bytes()).expect("a client");
        // Until the client has gone.
        while stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
    });
    let mut asker = Asker::connect(&addr).expect("a server");
    assert_eq!(asker.answer().expect("two rows"), 2);
    assert_eq!(asker.answer().expect("lines alone"), 0);
    assert!(asker.answer().expect_err("an error").to_string().contains("ERR no"));
    assert_eq!(asker.received, answers.len() as u64);
    drop(asker);
    server.join().expect("the server");
}

#[test]
fn losses_stand_first() {
    let names = ["kvist 1", "other 2"].map(str::to_owned).to_vec();
    let mut rows = Rows::new(names);
    for (name, ours, theirs) in [("won", 1.0, 10.0), ("lost", 2.0, 1.0), ("short", 6.0, 10.0)] {
        for round in 1..4 {
            rows.add(0, name, (Unit::CpuMillis, 0.5), ours * f64::from(round));
            rows.add(1, name, (Unit::CpuMillis, 0.5), theirs * f64::from(round));
        }
    }
    let text = rows.markdown();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    assert!(at("* lost (CPU ms): 2.00 of other 2") < at("* short (CPU ms): 0.60 of other 2"));
    assert!(at("* short") < at("| won | CPU ms | 2.00 | 20.00 | 0.10 | 0.50 |"));
    assert!(!text.contains("* won"));
}

#[test]
fn floats_may_differ_in_their_last_digits() {
    let rows = |text: &str| vec![vec![text.to_owned(), "a".to_owned()]];
    assert!(alike(&rows("49.95"), &rows("49.9500000000001")));
    assert!(!alike(&rows("49.95"), &rows("49.96")) && !alike(&rows("1"), &[]));
}
