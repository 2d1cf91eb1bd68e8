//! Documents as a module of redis-server: what it holds is what Kvist holds, also when it has read
//! its files again.
//!
//! `KVIST_JSON_MODULE` names the module, which `crates/redis-module` is built into; without it the
//! test says so in one line and passes. `tests/whole.py --soak` builds it.

use std::time::Duration;

use kvist_differential::command::{Command, Step};
use kvist_differential::connection::Connection;
use kvist_differential::families::json;
use kvist_differential::generator::Generator;
use kvist_differential::pair::Pair;
use kvist_differential::rng::Rng;

use testkit::server::Program;
use testkit::skip;
use testkit::wait::until;

const PATIENCE: Duration = Duration::from_secs(10);

/// Asks redis-server alone.
fn ask(pair: &Pair, words: &[&str]) -> Vec<u8> {
    let mut connection = Connection::open(pair.ports()[0], PATIENCE).expect("it listens");
    let reply = connection.ask(&Command::words(words)).expect("a reply");
    assert!(reply.value.error().is_none(), "{words:?}: {}", reply.raw.escape_ascii());
    reply.raw
}

fn compare(pair: &mut Pair, when: &str) {
    let apart = pair.compare_data().expect("both answer");
    assert!(apart.is_empty(), "{when}: {apart:?}");
}

/// Writes the append-only file anew and waits until that is done.
fn rewrite(pair: &Pair) {
    ask(pair, &["BGREWRITEAOF"]);
    let done = "\r\naof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r\n";
    until("the rewriting of the file", || {
        String::from_utf8_lossy(&ask(pair, &["INFO", "persistence"])).contains(done)
    });
}

#[test]
fn documents_outlive_the_server() {
    let Some(mut oracle) = Program::redis_with_documents() else {
        return skip::because("the module is not built: set KVIST_JSON_MODULE to it");
    };
    let Some(tested) = Program::kvist() else {
        return skip::because("kvist is not built: run `cargo build --bin kvist`");
    };
    oracle
        .extra
        .extend(["--appendonly", "yes", "--enable-debug-command", "yes"].map(str::to_owned));
    let mut pair = Pair::start([&oracle, &tested], 2, PATIENCE).unwrap();
    let mut generator = Generator::new(&json::FAMILY, Rng::new(20_261, "module")).unwrap();
    generator.mute("JSON.DEBUG".to_owned());
    let findings = pair.run(&generator.steps(1500));
    assert!(findings.is_empty(), "{findings:?}");
    // A transaction is one group in the file, and a change that changes nothing is not in it.
    let words = [
        &["MULTI"][..],
        &["JSON.SET", "j0", "$", r#"{"a":[1]}"#, "EX", "100000"],
        &["JSON.MSET", "j0", "$.b", "2", "j1", "$", "[]"],
        &["JSON.ARRAPPEND", "j0", "$.a", "2"],
        &["JSON.DEL", "j1"],
        &["EXEC"],
    ];
    let steps: Vec<Step> = words.iter().map(|words| Step::Send(Command::words(words))).collect();
    let findings = pair.run(&steps);
    assert!(findings.is_empty(), "{findings:?}");
    compare(&mut pair, "before");
    ask(&pair, &["DEBUG", "LOADAOF"]);
    compare(&mut pair, "after its requests were read again");
    ask(&pair, &["CONFIG", "SET", "aof-use-rdb-preamble", "no"]);
    rewrite(&pair);
    ask(&pair, &["DEBUG", "LOADAOF"]);
    compare(&mut pair, "after the requests that stand for it were read");
    ask(&pair, &["DEBUG", "RELOAD"]);
    compare(&mut pair, "after its snapshot was read");
}

/// A look is no change, even if it changes how a document is kept, and neither is a change that
/// finds nothing to change: who watches the key goes on.
#[test]
fn only_changes_disturb_watchers() {
    let Some(oracle) = Program::redis_with_documents() else {
        return skip::because("the module is not built: set KVIST_JSON_MODULE to it");
    };
    let Some(tested) = Program::kvist() else {
        return skip::because("kvist is not built: run `cargo build --bin kvist`");
    };
    let mut pair = Pair::start([&oracle, &tested], 2, PATIENCE).unwrap();
    let send = |words: &[&str]| Step::Send(Command::words(words));
    let other = [
        &["JSON.GET", "j0", "$.a"][..],
        &["JSON.TYPE", "j0", "$.a"],
        &["JSON.NUMINCRBY", "j0", "$.none", "1"],
        &["JSON.ARRPOP", "j0", "$.e"],
        &["JSON.DEL", "j0", "$.none"],
        &["JSON.CLEAR", "j0", "$.e"],
        &["JSON.NUMINCRBY", "j0", "$.a", "1"],
        &["JSON.DEL", "j0"],
    ];
    for words in other {
        let steps = [
            send(&["JSON.SET", "j0", "$", r#"{"a":1,"e":[]}"#]),
            send(&["WATCH", "j0"]),
            Step::Other(Command::words(words)),
            send(&["MULTI"]),
            send(&["PING"]),
            send(&["EXEC"]),
        ];
        let findings = pair.run(&steps);
        assert!(findings.is_empty(), "{words:?}: {findings:?}");
    }
}
