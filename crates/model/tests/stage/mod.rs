//! A stage on which single commands are tried: the naive host behind the table of commands.
//!
//! It does what the engine does for one request and no more: it finds the row, parses, runs, and
//! checks that exactly one reply was written, or none if an error was returned.
#![allow(dead_code)] // every test file uses its own part

use std::time::Duration;

use base::{
    Args, CmdError, EditedSlot, Effect, Handler, Hashing, KeyHasher, Pace, PackLimits, Protocol,
    Reply, Row,
};
use kvist_model::Model;
pub use testkit::transcript::shown;
use wire::RespWriter;

/// The naive host, the commands, and the protocol replies are written in.
pub struct Stage {
    pub model: Model,
    rows: Vec<Row<Model>>,
    pub protocol: Protocol,
}

/// What came of one request.
pub struct Outcome {
    /// The reply's bytes, an error included.
    pub reply: Vec<u8>,
    /// What the journal was told; `None` after an error.
    pub effect: Effect,
}

impl Stage {
    /// An empty stage, RESP2.
    pub fn new() -> Self {
        Stage::with_limits(PackLimits::default())
    }

    /// A stage on which small collections have these limits.
    pub fn with_limits(limits: PackLimits) -> Self {
        Stage {
            model: Model::new(16, KeyHasher::new(Hashing::new(7)), limits),
            rows: commands::rows(),
            protocol: Protocol::Resp2,
        }
    }

    /// Runs the request a person would type like this.
    pub fn ask(&mut self, line: &str) -> Outcome {
        let words = wire::split_line(line.as_bytes()).expect("balanced quotes");
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        self.run(&words)
    }

    /// Runs a request.
    pub fn run(&mut self, argv: &[&[u8]]) -> Outcome {
        let (run, words) = self.find(argv);
        let hasher = self.model.hasher().clone();
        let args = Args::new(argv, words, None, &hasher);
        let mut reply = Vec::new();
        let mut out = RespWriter::new(&mut reply, self.protocol);
        let mut result = run(&mut self.model, args.clone(), &mut out);
        // What would be left to another thread is done at once.
        if let Ok(Effect::Query(query)) = result {
            let done = query.run(argv, &mut Unhurried, &mut out).map(|()| Effect::None);
            result = done.inspect_err(|_| out.raw().clear());
        } else if let Ok(Effect::Edit(edit)) = result {
            let done = edit.run(argv, &mut Unhurried, &mut out).and_then(|edited| {
                let edited = EditedSlot::new(Some(edited));
                run(&mut self.model, args.installing(&edited), &mut out)
            });
            result = done.inspect_err(|_| out.raw().clear());
        }
        match result {
            Ok(effect) => Outcome { reply, effect },
            Err(error) => {
                assert!(reply.is_empty(), "a reply and an error: {argv:?}");
                RespWriter::new(&mut reply, self.protocol).error_bytes(error.bytes());
                Outcome { reply, effect: Effect::None }
            }
        }
    }

    /// The reply of a request, with bars in place of line ends.
    pub fn reply(&mut self, line: &str) -> String {
        shown(&self.ask(line).reply)
    }

    /// What the journal is told of a request: requests as one would type them, or a word.
    pub fn effect(&mut self, line: &str) -> String {
        match self.ask(line).effect {
            Effect::None => "none".to_owned(),
            Effect::AsSent => "as sent".to_owned(),
            Effect::Rewritten(argv) => typed(&argv),
            Effect::Several(all) | Effect::Unwatched(all) | Effect::Unblocks(all) => {
                all.iter().map(typed).collect::<Vec<_>>().join("; ")
            }
            Effect::Block(_) => "block".to_owned(),
            Effect::Query(_) | Effect::Edit(_) => unreachable!("they are done"),
        }
    }

    fn find(&self, argv: &[&[u8]]) -> (Handler<Model>, usize) {
        let row = |name: String| self.rows.iter().find(|row| row.spec.name == name);
        let name = lower(argv[0]);
        let subcommand = argv.get(1).and_then(|sub| row(format!("{name}|{}", lower(sub))));
        match subcommand {
            Some(row) => (row.run, 2),
            None => (row(name).expect("a command of that name").run, 1),
        }
    }
}

/// The pace of what nothing ends.
struct Unhurried;

impl Pace for Unhurried {
    fn go_on(&mut self, _: &dyn Reply, _: usize) -> Result<(), CmdError> {
        Ok(())
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

fn lower(word: &[u8]) -> String {
    String::from_utf8_lossy(word).to_lowercase()
}

fn typed(argv: &base::Argv) -> String {
    let words: Vec<_> = argv.iter().map(|word| String::from_utf8_lossy(word)).collect();
    words.join(" ")
}

/// The byte strings and integers in a reply, as texts, in order.
pub fn elements(reply: &[u8]) -> Vec<String> {
    let text = shown(reply);
    let mut lines = text.split('|');
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with('$') {
            found.extend(lines.next().map(str::to_owned));
        } else if let Some(number) = line.strip_prefix(':') {
            found.push(number.to_owned());
        }
    }
    found
}
