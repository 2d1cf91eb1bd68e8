//! Memory that the data no longer needs goes back to the system.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use crate::server::{Client, Server, eventually, ok};

/// Bytes the process really takes.
fn resident(server: &Server, client: &mut Client) -> usize {
    server.info(client, "used_memory_rss").parse().unwrap()
}

#[test]
fn an_emptied_server_is_small_again() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let empty = resident(&server, &mut client);
    let value = "v".repeat(400);
    for batch in 0..100 {
        let mut words = vec!["MSET".to_owned()];
        words.extend((0..1000).flat_map(|n| [format!("key:{batch}:{n}"), value.clone()]));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(client.ask(&words), ok());
    }
    let full = resident(&server, &mut client);
    // Pages that the server no longer looks at may have gone meanwhile.
    assert!(full > empty + (25 << 20), "{full} bytes for 40 MB of values, {empty} before");
    assert_eq!(client.ask(&["FLUSHALL", "ASYNC"]), ok());
    eventually("the return of memory", || {
        // Asked seldom: the server returns it when there is little else to do.
        std::thread::sleep(std::time::Duration::from_millis(200));
        (resident(&server, &mut client) < empty + (full - empty) / 2).then_some(())
    });
}

#[test]
fn overwriting_takes_no_memory() {
    let server = Server::start(&[]);
    let mut client = server.connect();
    let (keys, batch) = (1000, 1000);
    let mut overwrite = |round: usize| {
        let mut requests = Vec::new();
        for n in 0..batch {
            let value = format!("{round}:{n}:{}", "v".repeat(900 + (round + n) % 100));
            wire::encode(&mut requests, ["SET", &format!("key:{}", n % keys), &value]);
        }
        client.send(&requests);
        (0..batch).for_each(|_| assert_eq!(client.hear(), ok()));
        resident(&server, &mut client)
    };
    // Until the allocator has seen every size.
    let before = (0..20).map(&mut overwrite).max().unwrap();
    let after = (20..120).map(&mut overwrite).max().unwrap();
    // A hundred megabytes were written meanwhile.
    assert!(after < before + (8 << 20), "{before} bytes became {after}");
}
