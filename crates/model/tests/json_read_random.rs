//! Random documents, paths and patches: what JSON.SET, JSON.MERGE and JSON.GET make of them, and
//! what `serde_json` does, to the byte.
//!
//! `KVIST_SEED` repeats a run.

use base::{Argv, Effect, Rng};
use serde_json::{Map, Value, json};
use testkit::seed;

use crate::stage::Stage;

const NAMES: [&str; 6] = ["a", "b", "long name of a member", "quo\"te", "é", ""];

struct Run {
    rng: Rng,
    stage: Stage,
    /// Gets what the journal is told, and nothing else.
    replica: Stage,
}

#[derive(Clone, Debug)]
enum Step {
    Name(&'static str),
    Index(usize),
    All,
}

impl Run {
    fn below(&mut self, count: usize) -> usize {
        self.rng.below(count)
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.below(6)]
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 7 } else { 12 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(10)),
            3 => json!(-1 - i64::try_from(self.rng.below(1 << 40)).expect("small")),
            4 => json!([u64::MAX, 1 << 63][self.below(2)]),
            5 => json!([0.5, -1e300, 1e-7, 1e16, 64.99, 3.0][self.below(6)]),
            6 => json!(["", "short", "a string that is longer", "\u{1}\n\"\\/é⭐"][self.below(4)]),
            7..=8 => (0..self.below(5)).map(|_| self.value(depth - 1)).collect(),
            9 => (0..self.below(40)).map(|n| json!(n)).collect(),
            _ => {
                let mut members = Map::new();
                for _ in 0..self.below(5) {
                    members.insert(self.name().to_owned(), self.value(depth - 1));
                }
                Value::Object(members)
            }
        }
    }

    /// A path, most often along what is there.
    fn path(&mut self, root: &Value) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut value = Some(root);
        for _ in 0..self.below(4) {
            let step = match (self.below(10), value) {
                (0, _) => Step::Name(self.name()),
                (1, _) => Step::Index(self.below(5)),
                (2, _) => Step::All,
                (_, Some(Value::Array(items))) if !items.is_empty() => {
                    Step::Index(self.below(items.len()))
                }
                _ => Step::Name(self.name()),
            };
            value = match &step {
                Step::Name(name) => value.and_then(|value| value.get(name)),
                Step::Index(index) => value.and_then(|value| value.get(index)),
                Step::All => None,
            };
            steps.push(step);
        }
        steps
    }

    fn ask(&mut self, words: &[&str]) -> String {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let outcome = self.stage.run(&words);
        let mut replay = |argv: &Argv| {
            self.replica.run(&argv.iter().collect::<Vec<_>>());
        };
        match outcome.effect {
            Effect::None => {}
            Effect::AsSent => replay(&Argv::new(&words)),
            Effect::Rewritten(argv) => replay(&argv),
            Effect::Several(all) => all.iter().for_each(replay),
            other => panic!("{other:?}"),
        }
        String::from_utf8(outcome.reply).expect("text")
    }

    fn get(&mut self, path: &str) -> String {
        let reply = self.ask(&["JSON.GET", "k", path]);
        let text = reply.split_once("\r\n").map_or(reply.as_str(), |(_, text)| text);
        text.trim_end_matches("\r\n").to_owned()
    }
}

fn written(steps: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Name(name) => format!("[{}]", json!(name)),
        Step::Index(index) => format!("[{index}]"),
        Step::All => "[*]".to_owned(),
    };
    steps.iter().map(step).fold("$".to_owned(), |path, step| path + &step)
}

/// Every value at a path.
fn found<'a>(root: &'a Value, steps: &[Step]) -> Vec<&'a Value> {
    let Some((step, rest)) = steps.split_first() else { return vec![root] };
    let next: Vec<&Value> = match (step, root) {
        (Step::Name(name), _) => root.get(name).into_iter().collect(),
        (Step::Index(index), _) => root.get(index).into_iter().collect(),
        (Step::All, Value::Array(items)) => items.iter().collect(),
        (Step::All, Value::Object(members)) => members.values().collect(),
        (Step::All, _) => Vec::new(),
    };
    next.into_iter().flat_map(|value| found(value, rest)).collect()
}

/// Changes every value at a path; how many there are.
fn change(root: &mut Value, steps: &[Step], work: &mut impl FnMut(&mut Value)) -> usize {
    let Some((step, rest)) = steps.split_first() else {
        work(root);
        return 1;
    };
    let next: Vec<&mut Value> = match (step, root) {
        (Step::Name(name), root) => root.get_mut(name).into_iter().collect(),
        (Step::Index(index), root) => root.get_mut(index).into_iter().collect(),
        (Step::All, Value::Array(items)) => items.iter_mut().collect(),
        (Step::All, Value::Object(members)) => members.values_mut().collect(),
        (Step::All, _) => Vec::new(),
    };
    next.into_iter().map(|value| change(value, rest, work)).sum()
}

/// RFC 7396.
fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    let Some(members) = value.as_object_mut() else { return };
    for (name, patch) in patch {
        if patch.is_null() {
            members.shift_remove(name);
        } else {
            merge(members.entry(name).or_insert(Value::Null), patch);
        }
    }
}

/// What to do to a document, and what to answer: `None` if the path is not one to put things at.
fn assign(root: &mut Value, steps: &[Step], work: &mut impl FnMut(&mut Value)) -> &'static str {
    if change(root, steps, work) > 0 {
        return "+OK\r\n";
    }
    if steps.iter().any(|step| matches!(step, Step::All)) {
        return "-Err wrong static path\r\n";
    }
    let Some((Step::Name(name), parent)) = steps.split_last() else {
        return "-ERR array index out of range\r\n";
    };
    let mut new = Value::Null;
    work(&mut new);
    let mut is_there = false;
    change(root, parent, &mut |parent| {
        if let Some(members) = parent.as_object_mut() {
            members.insert((*name).to_owned(), new.clone());
            is_there = true;
        }
    });
    if is_there { "+OK\r\n" } else { "$-1\r\n" }
}

#[test]
fn documents_are_what_serde_makes_of_them() {
    let rng = seed::rng_of(u64::from(std::process::id()));
    let mut run = Run { rng, stage: Stage::new(), replica: Stage::new() };
    for _ in 0..300 {
        let mut model = run.value(5);
        assert_eq!(run.ask(&["JSON.SET", "k", "$", &model.to_string()]), "+OK\r\n");
        for _ in 0..20 {
            let (steps, before) = (run.path(&model), model.clone());
            let path = written(&steps);
            match run.below(5) {
                0 => {
                    let value = run.value(3);
                    let expected = assign(&mut model, &steps, &mut |old| *old = value.clone());
                    let reply = run.ask(&["JSON.SET", "k", &path, &value.to_string()]);
                    assert_eq!(reply, expected, "{path} = {value} in {before}");
                }
                1 => {
                    let mut patch = run.value(3);
                    if patch.is_null() && !steps.is_empty() {
                        patch = json!({"a": null}); // null deletes what is there
                    }
                    let expected = assign(&mut model, &steps, &mut |old| merge(old, &patch));
                    let reply = run.ask(&["JSON.MERGE", "k", &path, &patch.to_string()]);
                    assert_eq!(reply, expected, "{path} + {patch} in {before}");
                }
                2 => {
                    // What has no place does not keep the others from theirs.
                    let value = run.value(3);
                    assign(&mut model, &steps, &mut |old| *old = value.clone());
                    let text = value.to_string();
                    let words = ["JSON.MSET", "k", &path, &text, "k", "$.no.where", "1"];
                    assert_eq!(run.ask(&words), "$-1\r\n", "{path} = {text} in {before}");
                }
                3 => {
                    let expected = json!(found(&model, &steps));
                    assert_eq!(run.get(&path), expected.to_string(), "{path} of {before}");
                }
                _ => assert_eq!(run.get("."), model.to_string(), "{before}"),
            }
        }
        assert_eq!(run.get("$"), json!([model]).to_string());
        let kept = run.replica.reply("JSON.GET k");
        assert_eq!(kept, run.stage.reply("JSON.GET k"));
    }
}
