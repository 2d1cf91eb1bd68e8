//! While the dataset is read: every command, every way and by every door, is refused or answered as
//! Redis does.

use super::doors::{Doors, otherwise};
use super::slow::{READING, Slow};
use super::*;

/// Keys of the dataset that redis-server reads, each of which takes it a while.
const KEYS: &str = "10000";

/// redis-server in the middle of reading a dataset, for as long as the test takes.
fn loading_oracle() -> Option<Oracle> {
    let before = Oracle::start(&["--enable-debug-command", "yes"])?;
    let before = Host::Theirs(before);
    assert_eq!(before.tell(&format!("DEBUG POPULATE {KEYS} key 1100")), ok());
    assert_eq!(before.tell("SAVE"), ok());
    let Host::Theirs(oracle) = &before else { return None };
    let dataset = std::fs::read(oracle.folder().join("dump.rdb")).unwrap();
    let options = [
        ["--key-load-delay", "20000"],
        ["--loading-process-events-interval-bytes", "1024"],
        ["--tcp-backlog", "4000"],
        ["--rdbcompression", "no"],
    ];
    Oracle::start_loading(&[("dump.rdb", &dataset)], &options.concat())
}

/// Asks all samples all ways at once; no answer is waited for, as each takes its time.
fn ask_at_once<'s>(host: &Host, samples: &'s [Sample]) -> Vec<Asked<'s>> {
    const WAYS: [Way; 5] = [Way::Plain, Way::Pipelined, Way::Queued, Way::Scripted, Way::Called];
    let ways = |sample| WAYS.map(|way| Asked { sample, way, client: host.connect() });
    let mut asked: Vec<_> = samples.iter().flat_map(ways).collect();
    for one in &mut asked {
        say(&mut one.client, one.way, one.sample);
    }
    asked
}

#[test]
fn what_is_answered_while_the_dataset_is_read_is_as_in_redis() {
    let mut slow = Slow::new();
    let options = [&slow.args()[..], &["--maxclients", "9000"]].concat();
    let doors = Doors::start_until(READING, &options);
    let wrong = otherwise(&doors, None);
    assert!(wrong.is_empty(), "other ports:\n{}", wrong.join("\n"));
    let theirs = loading_oracle().map(Host::Theirs);
    let table = engine::command_table().unwrap();
    let samples: Vec<_> = samples(&table).into_iter().filter(|sample| !sample.ours).collect();
    let ours = Host::Ours(doors.calls.server);
    let asked = ask_at_once(&ours, &samples);
    let mut answers: Vec<_> = theirs.iter().flat_map(|host| ask_at_once(host, &samples)).collect();
    let mut wrong = Vec::new();
    for (at, mut asked) in asked.into_iter().enumerate() {
        let got = hear(&mut asked.client, asked.way);
        let Some(oracle) = answers.get_mut(at) else { continue };
        let wanted = hear(&mut oracle.client, oracle.way);
        if got != wanted {
            wrong.push(format!("{}: {got}, Redis: {wanted}", asked.name()));
        }
    }
    assert!(wrong.is_empty(), "while loading:\n{}", wrong.join("\n"));
    for host in theirs.iter().chain([&ours]) {
        assert_eq!(class(&host.tell("GET k")), "LOADING", "it still does");
    }
    slow.end();
    eventually("the dataset", || (class(&ours.tell("GET k")) == "fine").then_some(()));
}
