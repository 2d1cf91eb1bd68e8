//! Every command that takes many words, with so many and four times as many: made from its grammar,
//! so a new command is tried without a line here. What some do beside their words, and what two
//! requests do together, is in `request_size.rs`.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::time::Duration;

use base::Group;
use base::grammar::{Arg, Kind};
use kvist_engine::{Action, Engine, Entry};
use testkit::folder::Folder;
use testkit::processor;

use crate::data_dir::open;
use crate::test_client::TestClient;

/// How often an argument is repeated that can be, in the smaller request.
const TIMES: usize = 1500;
/// The larger takes at most so many times as long.
const MOST: u32 = 6;
/// What takes no longer than this is quick enough, whatever the smaller takes.
const QUICK: Duration = Duration::from_millis(25);

/// Commands that stop the others, and one of administrators, whose rules are compared with one
/// another where no client waits for it.
const LEFT_OUT: &[&str] =
    &["client|pause", "client|reply", "failover", "shutdown", "monitor", "acl|setuser"];

/// A request that is being made.
struct Form {
    /// How often arguments are repeated.
    times: usize,
    /// Which of several forms of an argument is taken.
    choice: usize,
    /// In which repetition.
    at: usize,
    words: Vec<String>,
    /// Keys are repeated.
    keys: bool,
}

fn is_open(arg: &Arg) -> bool {
    arg.multiple
        || match &arg.kind {
            Kind::OneOf(args) | Kind::Block(args) => args.iter().any(is_open),
            _ => false,
        }
}

impl Form {
    /// The command with all arguments that can be repeated, and the fewest others.
    fn of(entry: &Entry, times: usize, choice: usize) -> Self {
        let words = entry.name().split('|').map(str::to_owned).collect();
        let mut form = Form { times, choice, at: 0, words, keys: false };
        entry.syntax.arguments.iter().for_each(|arg| form.add(arg));
        if entry.name() == "client|tracking" {
            form.words.push("BCAST".to_owned());
        }
        form
    }

    fn add(&mut self, arg: &Arg) {
        if arg.optional && !is_open(arg) {
            return;
        }
        let times = if arg.multiple { self.times } else { 1 };
        let outside = self.at;
        for at in 0..times {
            if let Some(token) = arg.token.as_ref().filter(|_| at == 0 || arg.multiple_token) {
                self.words.push(token.clone());
            }
            self.at = if arg.multiple { at } else { outside };
            self.keys |= arg.multiple && matches!(arg.kind, Kind::Key(_));
            self.body(arg, arg.multiple);
        }
        self.at = outside;
    }

    fn body(&mut self, arg: &Arg, repeated: bool) {
        let (at, name) = (self.at, arg.name.as_str());
        let word = match &arg.kind {
            Kind::PureToken => return,
            Kind::OneOf(args) => {
                return args
                    .get(self.choice % args.len())
                    .into_iter()
                    .for_each(|arg| self.add(arg));
            }
            Kind::Block(args) => {
                self.keys |= repeated && args.iter().any(|arg| matches!(arg.kind, Kind::Key(_)));
                return args.iter().for_each(|arg| self.add(arg));
            }
            Kind::Key(_) if repeated || self.keys => format!("k{at}"),
            Kind::Key(_) => "big".to_owned(),
            Kind::Integer if name.starts_with("num") => self.times.to_string(),
            Kind::Double if name == "timeout" => "0".to_owned(),
            Kind::Integer | Kind::Double => "1".to_owned(),
            Kind::UnixTime => "2000000000".to_owned(),
            Kind::Pattern(_) => format!("v{at}*"),
            Kind::String if name == "script" => "return 1".to_owned(),
            Kind::String if name == "encoding" => "u8".to_owned(),
            Kind::String if name == "operation" => "OR".to_owned(),
            Kind::String if name == "path" => "$".to_owned(),
            Kind::String if name == "rule" => format!("~v{at}"),
            Kind::String if name == "value" => at.to_string(),
            Kind::String if name.contains("id") => format!("{}-1", at + 1),
            Kind::String => format!("v{at}"),
        };
        self.words.push(word);
    }
}

/// Requests that make what a command of this group works on: a value with so many elements, or so
/// many values.
fn data(group: Group, form: &Form) -> Vec<String> {
    let one = |key: &str, at: usize| match group {
        Group::Hash => format!("HSET {key} v{at} x"),
        Group::List => format!("RPUSH {key} v{at}"),
        Group::Set => format!("SADD {key} v{at}"),
        Group::SortedSet | Group::Geo => format!("ZADD {key} 1 v{at}"),
        Group::Stream => format!("XADD {key} {}-1 f v", at + 1),
        Group::HyperLogLog => format!("PFADD {key} v{at}"),
        Group::Json => format!("JSON.SET {key} $ [1,2]"),
        _ => format!("SET {key} v{at}"),
    };
    let key = |at: usize| if form.keys { format!("k{at}") } else { "big".to_owned() };
    let mut lines: Vec<String> = (0..form.times).map(|at| one(&key(at), at)).collect();
    if group == Group::Stream {
        lines.extend((0..form.times).map(|at| format!("XGROUP CREATE {} v0 0 MKSTREAM", key(at))));
    }
    lines
}

/// What a request takes this thread, on what is there before; and whether it was done.
fn cost(engine: &Arc<Engine>, before: &[String], words: &[String]) -> (Duration, bool) {
    let mut other = TestClient::new(engine);
    other.feed("FLUSHALL\r\n");
    other.feed(&before.iter().map(|line| format!("{line}\r\n")).collect::<String>());
    let mut client = TestClient::new(engine);
    let words: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
    let mut out = Vec::new();
    let (_, mut took) = processor::cost(|| {
        client.worker.execute(&mut client.session, &words, &mut out);
        if client.session.blocked.as_ref().is_some_and(|wait| wait.waits_for_keys()) {
            client.worker.give_up(&mut client.session, &mut out);
        }
    });
    if client.session.blocked.is_some() {
        out = client.answered().into_bytes();
    }
    // What is kept of it goes when its client does.
    took += processor::cost(|| client.worker.disconnect(&mut client.session)).1;
    other.worker.disconnect(&mut other.session);
    (took, !out.starts_with(b"-"))
}

/// The forms of a command that can be repeated.
fn forms(entry: &Entry, times: usize) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for choice in 0..4 {
        let form = Form::of(entry, times, choice);
        if forms.iter().all(|known| known.words != form.words) {
            forms.push(form);
        }
    }
    forms
}

#[test]
fn four_times_as_many_words_take_about_four_times_as_long() {
    let folder = Folder::new("engine");
    let (engine, _) = open(folder.path(), "appendonly yes\nsave \"\"").unwrap();
    let entries = engine.table.callable().filter(|entry| {
        !matches!(entry.action, Action::Container)
            && !LEFT_OUT.contains(&entry.name())
            && entry.syntax.arguments.iter().any(is_open)
    });
    let (mut slow, mut done, mut tried) = (Vec::new(), 0, 0);
    for entry in entries {
        let group = entry.spec.group;
        for (few, many) in forms(entry, TIMES).iter().zip(&forms(entry, 4 * TIMES)) {
            for filled in [false, true] {
                let before = |form| if filled { data(group, form) } else { Vec::new() };
                let (before_few, before_many) = (before(few), before(many));
                let mut is_done = false;
                let costs: Vec<_> = (0..3)
                    .map(|_| {
                        let (longer, is) = cost(&engine, &before_many, &many.words);
                        is_done |= is;
                        (cost(&engine, &before_few, &few.words).0, longer)
                    })
                    // Once is enough.
                    .take_while(|&(short, longer)| longer > QUICK && longer > short * MOST)
                    .collect();
                (done, tried) = (done + usize::from(is_done), tried + 1);
                if costs.len() == 3 {
                    let request: String = few.words.join(" ").chars().take(60).collect();
                    slow.push(format!("{request}, filled {filled}: {costs:?}"));
                }
            }
        }
    }
    engine.close_data_dir();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
    assert!(done > 100, "{done} of {tried} were done");
}
