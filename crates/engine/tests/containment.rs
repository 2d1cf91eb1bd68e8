//! Commands that panic: their client gets an error, all other clients and work go on.
//!
//! No command is known to panic, so these tests add some of their own to the table.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use base::{
    Args, Behaviour, CmdError, Edit, Effect, Flag, Key, KeyFlag, KeySpec, Kind, Nothing, Property,
    Reply, Spec, Strings, Types, Wait,
};
use kvist_engine::{Action, Engine, Message, State, Table, command_table};
use store::{Scope, Store, Txn};
use testkit::folder::Folder;
use testkit::wait::until;

use crate::contents::contents;
use crate::data_dir::{open, open_with};
use crate::test_client::{KilledOnFailure, TestClient, start};

const KEY: &[KeySpec] = &[KeySpec::one(1, &[KeyFlag::ReadWrite])];
const ONE: Spec =
    Spec { grammar: "key:key", flags: &[Flag::Write], keys: KEY, summary: "Panics.", ..Spec::NEW };

/// What is left of a command to other threads.
const LEFT: Spec = Spec {
    grammar: "key:key [CALM]",
    behaviour: Behaviour::NEW.properties(&[Property::RunsAsQuery]),
    ..ONE
};

/// Panics at once, after a change, in the middle of a reply, in the middle of an edit; waits first,
/// to panic when it is served; and panics where another thread changes a fork, where that is
/// installed, and when it has been.
static SPECS: [Spec; 8] = [
    Spec { name: "boom", ..ONE },
    Spec { name: "boom-changed", ..ONE },
    Spec { name: "boom-replying", ..ONE },
    Spec { name: "boom-editing", ..ONE },
    Spec { name: "boom-waiting", ..ONE },
    Spec { name: "boom-forked", ..LEFT },
    Spec { name: "boom-installing", ..LEFT },
    Spec { name: "boom-installed", ..LEFT },
];

/// It has begun what panics when it has been installed.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// A fork that panics where it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(thread::panicking(), "boom");
    }
}

/// What is left to another thread, and installed; one that is calm does not panic.
fn left(txn: &mut Txn, name: &[u8], args: &mut Args<'_>, key: Key<'_>) -> Result<Effect, CmdError> {
    let answer = |out: &mut dyn Reply| {
        out.simple("OK");
        Ok(())
    };
    let calm = args.token("calm");
    match name {
        b"boom-forked" if !calm => Ok(Effect::Edit(Edit::of((), |(), _, _| panic!("boom")))),
        // Where it is to be installed it is left where it is, and dropped behind that.
        b"boom-installed" if !calm => match BEGUN.swap(true, Ordering::Relaxed) {
            false => Ok(Effect::Edit(Edit::of(Bomb, move |_, _, out| answer(out)))),
            true => Ok(Effect::None),
        },
        _ if args.take_edited().is_none() => {
            Ok(Effect::Edit(Edit::of((), move |(), _, out| answer(out))))
        }
        _ if calm => {
            txn.set_string(key, b"edited", base::Deadline::Clear);
            Ok(Effect::AsSent)
        }
        _ => panic!("boom"),
    }
}

fn run(txn: &mut Txn, mut args: Args<'_>, out: &mut dyn Reply) -> Result<Effect, CmdError> {
    let name = args.argv()[0].to_ascii_lowercase();
    let key = args.key()?;
    match name.as_slice() {
        b"boom-changed" => txn.set_string(key, b"changed", base::Deadline::Clear),
        b"boom-replying" => {
            out.array(3);
            out.bulk(b"one");
        }
        b"boom-editing" => txn.edit_string(key, |bytes| {
            bytes.extend_from_slice(&[b'x'; 10_000]);
            panic!("boom in an edit")
        })?,
        b"boom-waiting" if txn.kind(key) != Some(Kind::List) => {
            let (keys, kind, until) = (vec![1], Kind::List, None);
            let in_transaction = Nothing::Null;
            return Ok(Effect::Block(Box::new(Wait {
                keys,
                kind,
                until,
                in_transaction,
                resume: None,
            })));
        }
        b"boom-forked" | b"boom-installing" | b"boom-installed" => {
            return left(txn, &name, &mut args, key);
        }
        _ => {}
    }
    panic!("boom")
}

/// An engine that knows the commands above. Panics are not printed.
fn explosive() -> Arc<Engine> {
    Engine::with_table(start(""), explosives())
}

fn explosives() -> Table {
    std::panic::set_hook(Box::new(|info| {
        if !info.to_string().contains("boom") {
            eprintln!("{info}");
        }
    }));
    let known = command_table().unwrap();
    let mut rows: Vec<_> = known.entries().iter().map(|e| (e.spec, e.action)).collect();
    rows.extend(SPECS.iter().map(|spec| (spec, Action::Data(run))));
    Table::new(rows).unwrap()
}

const SORRY: &str = "-ERR internal error: the command was stopped; please report it";

/// The account is right once `clients` have reported, and everything can still be locked.
fn sound(engine: &Arc<Engine>, clients: &mut [&mut TestClient]) {
    clients.iter_mut().for_each(|client| client.worker.txn.report_memory());
    let mut client = TestClient::new(engine);
    assert!(client.ask("DBSIZE").starts_with(':'));
    assert_eq!(client.feed("MULTI\r\nKEYS *\r\nSWAPDB 0 0\r\nEXEC\r\n").1, State::Open);
    client.worker.txn.report_memory();
    assert_eq!(store::recount(&mut client.worker.txn.held), engine.store.memory());
}

#[test]
fn a_panic_is_an_error_reply() {
    let engine = explosive();
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("BOOM k"), SORRY);
    assert_eq!(client.ask("BOOM-REPLYING k"), SORRY);
    assert_eq!(client.ask("BOOM-CHANGED k"), SORRY);
    assert_eq!(client.ask("GET k"), "$7\r\nchanged");
    assert_eq!(client.ask("BOOM-EDITING k"), SORRY);
    assert_eq!(client.ask("SET k v"), "+OK");
    client.ask(&format!("SETRANGE long 9000 {}", "y".repeat(9000)));
    assert_eq!(client.ask("BOOM-EDITING long"), SORRY);
    assert_eq!(client.ask("STRLEN long"), ":28000");
    let (replies, _) = client.feed("PING\r\nBOOM k\r\nPING\r\n");
    assert_eq!(replies, format!("+PONG\r\n{SORRY}\r\n+PONG\r\n"));
    sound(&engine, &mut [&mut client]);
}

/// Wherever an edit panics that another thread works at, its client is answered, and what waits for
/// it in the queue of the key goes on.
#[test]
fn an_edit_that_panics_answers_its_client_and_lets_the_next_one_go_on() {
    let engine = explosive();
    for name in ["BOOM-FORKED", "BOOM-INSTALLING", "BOOM-INSTALLED"] {
        let mut clients = [TestClient::new(&engine), TestClient::new(&engine)];
        assert_eq!(clients[0].feed(&format!("{name} k\r\n")).1, State::Blocked);
        assert_eq!(clients[1].feed(&format!("{name} k CALM\r\n")).1, State::Blocked);
        assert_eq!(clients[0].answered(), SORRY, "{name}");
        assert_eq!(clients[1].answered(), "+OK", "{name}");
        assert_eq!(clients[1].ask("GETDEL k"), "$6\r\nedited", "{name}");
        assert_eq!(clients[0].ask("PING"), "+PONG");
        let [one, two] = &mut clients;
        sound(&engine, &mut [one, two]);
    }
    assert!(engine.waits.blocked.is_empty());
}

#[test]
fn a_panic_in_a_transaction_is_one_of_its_replies() {
    let engine = explosive();
    let mut client = TestClient::new(&engine);
    let (replies, _) =
        client.feed("MULTI\r\nSET a 1\r\nBOOM-REPLYING b\r\nBOOM-EDITING c\r\nINCR a\r\nEXEC\r\n");
    let exec = replies.rsplit("+QUEUED\r\n").next().unwrap();
    assert_eq!(exec, format!("*4\r\n+OK\r\n{SORRY}\r\n{SORRY}\r\n:2\r\n"));
    assert_eq!(client.ask("PING"), "+PONG");
    sound(&engine, &mut [&mut client]);
}

#[test]
fn watchers_are_told_of_what_a_panic_may_have_changed() {
    let engine = explosive();
    let (mut one, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    one.ask("WATCH k");
    assert_eq!(other.ask("BOOM-CHANGED k"), SORRY);
    one.ask("MULTI");
    assert_eq!(one.ask("EXEC"), "*-1");
}

#[test]
fn a_panic_while_being_served_hits_the_one_who_is_served() {
    let engine = explosive();
    let (mut one, mut two) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(one.feed("BOOM-WAITING k\r\n").1, State::Blocked);
    assert_eq!(two.feed("BLPOP k 0\r\n").1, State::Blocked);
    let mut pusher = TestClient::new(&engine);
    assert_eq!(pusher.ask("RPUSH k x"), ":1");
    let mut heard = Vec::new();
    for client in [&mut one, &mut two] {
        for message in client.messages.take(client.session.client.id) {
            let Message::Unblocked { ticket, reply } = message else { continue };
            let mut out = Vec::new();
            assert!(client.worker.unblock(&mut client.session, ticket, &reply, &mut out));
            heard.push(String::from_utf8(out).unwrap());
        }
    }
    assert_eq!(heard, [format!("{SORRY}\r\n"), "*2\r\n$1\r\nk\r\n$1\r\nx\r\n".to_owned()]);
    assert!(engine.waits.blocked.is_empty());
    sound(&engine, &mut [&mut one, &mut two, &mut pusher]);
}

#[test]
fn a_panic_after_a_push_leaves_the_next_request_in_peace() {
    let engine = explosive();
    let (mut waiting, mut other) = (TestClient::new(&engine), TestClient::new(&engine));
    assert_eq!(waiting.feed("BLPOP k 0\r\n").1, State::Blocked);
    // The closure of a transaction panics when a push has been published but no client served yet.
    let (hash, shard) = place(&engine.store, b"k");
    let key = Key { bytes: b"k", hash };
    let done = other.worker.txn.with(&engine.store, Scope::One(shard), |txn| {
        txn.set_string(key, b"v", base::Deadline::Clear);
        txn.publish_changes();
        panic!("boom")
    });
    assert_eq!(done.unwrap_err().to_string(), "boom");
    assert_eq!(other.ask("SET elsewhere v"), "+OK");
    assert_eq!(other.ask("DEL k"), ":1");
    assert_eq!(other.ask("RPUSH k x"), ":1");
    assert_eq!(waiting.messages.take(waiting.session.client.id).len(), 1);
    sound(&engine, &mut [&mut waiting, &mut other]);
}

fn place(store: &Store, key: &[u8]) -> (u64, usize) {
    let hash = store.hasher().hash(key);
    (hash, store.shard_of(hash))
}

/// What a command had changed when it panicked is in the journal, whatever shards others hold.
#[test]
fn the_journal_has_what_a_panic_left_behind_while_a_script_is_overdue() {
    let folder = Folder::new("engine");
    let lines = "save \"\"\nappendfsync no\nbusy-reply-threshold 20";
    let make = |start| Ok(Engine::with_table(start, explosives()));
    let (engine, _) = open_with(folder.path(), lines, make).unwrap();
    let shard = |key: &str| place(&engine.store, key.as_bytes()).1;
    let elsewhere = (0..).map(|n| format!("k{n}")).find(|key| shard(key) != shard("a")).unwrap();
    thread::scope(|scope| {
        let endless = scope.spawn(|| {
            let script = "*4\r\n$4\r\nEVAL\r\n$17\r\nwhile true do end\r\n$1\r\n1\r\n$1\r\na\r\n";
            TestClient::new(&engine).feed(script).0
        });
        let _guard = KilledOnFailure(&engine);
        let mut client = TestClient::new(&engine);
        until("a busy key", || client.ask("GET a").starts_with("-BUSY"));
        assert_eq!(client.ask(&format!("BOOM-CHANGED {elsewhere}")), SORRY);
        assert_eq!(client.ask(&format!("APPEND {elsewhere} -twice")), ":13");
        assert_eq!(client.ask("SCRIPT KILL"), "+OK");
        assert!(endless.join().unwrap().contains("killed"));
    });
    let wanted = contents(&engine);
    engine.store.log().sync().unwrap();
    engine.close_data_dir();
    drop(engine);
    let (again, recovered) = open(folder.path(), lines).unwrap();
    assert_eq!(recovered.failed, 0, "{recovered}");
    assert_eq!(contents(&again), wanted);
}

#[test]
fn others_go_on_while_commands_panic() {
    let engine = explosive();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = TestClient::new(&engine);
                for n in 0..300 {
                    let name = ["BOOM", "BOOM-CHANGED", "BOOM-EDITING"][n % 3];
                    assert_eq!(client.ask(&format!("{name} other{}", n % 7)), SORRY);
                }
                client.worker.txn.report_memory();
            });
            scope.spawn(|| {
                let mut client = TestClient::new(&engine);
                for n in 0..1_000 {
                    client.ask("INCR counter");
                    client.ask(&format!("APPEND other{} x", n % 7));
                    client.ask("MGET other0 other1 other2 counter");
                }
                client.worker.txn.report_memory();
            });
        }
    });
    assert_eq!(TestClient::new(&engine).ask("GET counter"), "$4\r\n4000");
    sound(&engine, &mut []);
}
