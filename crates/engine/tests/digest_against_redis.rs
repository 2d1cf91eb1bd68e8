//! DEBUG DIGEST says what redis-server says of the same data, and DEBUG RELOAD changes nothing.
//!
//! `KVIST_SEED` repeats a run.
#![allow(clippy::unwrap_used)] // a test says why by failing

use testkit::folder::Folder;
use testkit::oracle::{Client, Oracle};
use testkit::seed::rng;

use crate::data_dir;
use crate::tame;
use crate::test_client::TestClient;

fn run(client: &mut TestClient, words: &[Vec<u8>]) -> Vec<u8> {
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, &words, &mut out);
    if client.session.blocked.is_some() {
        assert!(client.worker.give_up(&mut client.session, &mut out));
    }
    out
}

#[test]
fn digests_are_those_of_redis() {
    let Some(oracle) = Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    let mut theirs = Client::new(&oracle);
    let folder = Folder::new("engine");
    let (engine, _) = data_dir::open(folder.path(), "").unwrap();
    let mut ours = TestClient::new(&engine);
    let mut rng = rng();
    assert_eq!(ours.ask("DEBUG DIGEST"), theirs.say("DEBUG DIGEST"));
    for round in 0..30 {
        let db = [0, 0, 1, 3][rng.below(4)];
        let select = format!("SELECT {db}");
        assert_eq!(ours.ask(&select), theirs.say(&select));
        for _ in 0..120 {
            let request = tame::request(&mut rng);
            run(&mut ours, &request);
            theirs.add(&request.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        theirs.run();
        let keys: Vec<String> = (0..40).map(|n| format!("key:{n}")).collect();
        let of_values = format!("DEBUG DIGEST-VALUE {}", keys.join(" "));
        let ours_now = ours.ask(&of_values);
        let theirs_now = theirs.say(&of_values);
        let pairs = ours_now.lines().skip(1).zip(theirs_now.split(' ').skip(1));
        for (key, (our, their)) in keys.iter().zip(pairs) {
            let shown = |what: &str| format!("{what} {key}");
            let kind = theirs.say(&shown("TYPE"));
            assert_eq!(our, their, "round {round}: {key} in database {db}, {kind}");
        }
        let before = ours.ask("DEBUG DIGEST");
        assert_eq!(before, theirs.say("DEBUG DIGEST"), "round {round}");
        for line in ["DEBUG RELOAD", "DEBUG RELOAD NOSAVE NOFLUSH MERGE", "DEBUG LOADAOF"] {
            let idle = ours.ask("OBJECT IDLETIME key:1");
            let memory = store::recount(&mut ours.worker.txn.held);
            assert_eq!(ours.ask(line), "+OK");
            assert_eq!(ours.ask("DEBUG DIGEST"), before, "{line}");
            assert_eq!(ours.ask("OBJECT IDLETIME key:1"), idle, "{line}");
            drop(engine.store.take_trash());
            ours.worker.txn.report_memory();
            let after = store::recount(&mut ours.worker.txn.held);
            // What has grown in use may be smaller afterwards.
            assert!(after <= memory + memory / 4, "{line}: {memory} bytes became {after}");
        }
    }
    let reload = "DEBUG RELOAD what";
    assert_eq!(ours.ask(reload), theirs.say(reload));
    let misused = theirs.say("DEBUG DIGEST x").replace('\\', "");
    assert_eq!(ours.ask("DEBUG DIGEST x"), misused);
    engine.close_data_dir();
}
