//! Random edits of random documents, against a plain model of them on `serde_json`: the same
//! replies and documents, whatever state a document is kept in; and the store's account of memory
//! holds.
//!
//! `KVIST_SEED` repeats a run, `KVIST_STEPS` makes it longer.
#![allow(clippy::unwrap_used)] // a test says why by failing

use base::{Deadline, Effect, Holds, Key, Protocol, Rng};
use json::{Document, Registry};
use serde_json::{Map, Value, json};
use types::Json;

use crate::pair::{Pair, seed, steps};
use crate::stage::{Stage, shown};

/// Steps of a run.
const USUAL: usize = 4000;

const NAMES: [&str; 5] = ["a", "b", "c", "name of some length", "dé"];

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(9) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => json!(rng.below(10)),
        4 => json!(-1_000_000_000_000_i64),
        5 => json!(rng.below(64) as f64 / 8.0),
        6 => json!(i64::MAX - 1),
        7 => json!("x".repeat(rng.below(40))),
        _ => json!("\"quoted\" é"),
    }
}

fn value(rng: &mut Rng, levels: usize) -> Value {
    match rng.below(8) {
        0..3 if levels > 0 => {
            (0..rng.below(5)).map(|_| value(rng, levels - 1)).collect::<Vec<_>>().into()
        }
        3..6 if levels > 0 => {
            let member =
                |rng: &mut Rng| (NAMES[rng.below(NAMES.len())].to_owned(), value(rng, levels - 1));
            (0..rng.below(5)).map(|_| member(rng)).collect::<Map<_, _>>().into()
        }
        6 if levels > 0 => json!((0..rng.below(6)).collect::<Vec<_>>()),
        _ => scalar(rng),
    }
}

/// A step of a path.
#[derive(Clone, Debug)]
enum Step {
    Name(&'static str),
    Index(i64),
    All,
    /// A name at any depth.
    Anywhere(&'static str),
    /// Two elements, one of them perhaps twice.
    Both(i64, i64),
}

/// A path that mostly leads somewhere.
fn path(rng: &mut Rng, root: &Value) -> Vec<Step> {
    let (mut path, mut value) = (Vec::new(), root);
    while rng.below(5) > 0 && path.len() < 5 {
        let there = children(value);
        let position = rng.below(there.len().max(1));
        let index = i64::try_from(position).unwrap();
        let is_wild = rng.below(8);
        let own_name = value.as_object().and_then(|members| members.keys().nth(position));
        let name = NAMES.into_iter().find(|name| own_name.is_some_and(|own| own == name));
        let is_lost = there.is_empty() || rng.below(20) == 0;
        let name = name.filter(|_| !is_lost).unwrap_or(NAMES[rng.below(NAMES.len())]);
        path.push(match (value, is_wild) {
            (_, 0) => Step::All,
            (_, 1) => Step::Anywhere(name),
            (Value::Array(_), 2) => Step::Both(index, 0),
            (Value::Array(elements), 3) => {
                Step::Index(index - i64::try_from(elements.len()).unwrap())
            }
            (Value::Array(_), _) => Step::Index(index),
            _ => Step::Name(name),
        });
        let Some(&next) = there.get(position) else { break };
        value = next;
    }
    path
}

fn typed(path: &[Step], is_legacy: bool) -> String {
    let mut text = if is_legacy { String::new() } else { "$".to_owned() };
    for step in path {
        text += &match step {
            Step::Name(name) => format!("[\"{name}\"]"),
            Step::Index(index) => format!("[{index}]"),
            Step::All => "[*]".to_owned(),
            Step::Anywhere(name) => format!("..[\"{name}\"]"),
            Step::Both(a, b) => format!("[{a},{b}]"),
        };
    }
    if text.is_empty() { ".".to_owned() } else { text }
}

type Place = Vec<usize>;

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

fn at<'v>(root: &'v mut Value, place: &[usize]) -> &'v mut Value {
    place.iter().fold(root, |value, &position| match value {
        Value::Array(elements) => &mut elements[position],
        Value::Object(members) => members.values_mut().nth(position).unwrap(),
        _ => panic!("a scalar"),
    })
}

fn select(value: &Value, place: &Place, path: &[Step], found: &mut Vec<Place>) {
    let Some((step, rest)) = path.split_first() else { return found.push(place.clone()) };
    let mut go = |position: usize, child: &Value| {
        select(child, &[place.as_slice(), &[position]].concat(), rest, found);
    };
    let element = |index: i64| {
        let elements = value.as_array()?;
        let len = i64::try_from(elements.len()).unwrap();
        let position = usize::try_from(if index < 0 { index + len } else { index }).ok()?;
        Some((position, elements.get(position)?))
    };
    match step {
        Step::Name(name) => {
            let Some(members) = value.as_object() else { return };
            if let Some(position) = members.keys().position(|key| key == name) {
                go(position, &members[*name]);
            }
        }
        Step::Index(index) => element(*index).into_iter().for_each(|(n, child)| go(n, child)),
        Step::Both(a, b) => {
            [*a, *b].into_iter().filter_map(element).for_each(|(n, child)| go(n, child));
        }
        Step::All => children(value).into_iter().enumerate().for_each(|(n, child)| go(n, child)),
        Step::Anywhere(name) => {
            let here = [&[Step::Name(name)], rest].concat();
            select(value, place, &here, found);
            for (position, child) in children(value).into_iter().enumerate() {
                select(child, &[place.as_slice(), &[position]].concat(), path, found);
            }
        }
    }
}

/// An edit.
#[derive(Clone, Debug)]
enum Edit {
    Add(Value),
    Multiply(i64),
    StrAppend(&'static str),
    Toggle,
    Append(Vec<Value>),
    Insert(i64, Value),
    Pop(i64),
    Trim(i64, i64),
    Clear,
    Del,
}

fn edit(rng: &mut Rng) -> Edit {
    let index = i64::try_from(rng.below(7)).unwrap() - 3;
    match rng.below(12) {
        0 => Edit::Add(json!(rng.below(5))),
        1 => Edit::Add(json!(0.5)),
        2 => Edit::Multiply(3),
        3 => {
            Edit::StrAppend(["", "more", "\n\"", "a longer piece of text to append"][rng.below(4)])
        }
        4 => Edit::Toggle,
        5 | 6 => Edit::Append((0..=rng.below(3)).map(|_| value(rng, 2)).collect()),
        7 | 8 => Edit::Insert(index, value(rng, 1)),
        9 => Edit::Pop(index),
        10 => Edit::Trim(index, i64::try_from(rng.below(6)).unwrap() - 2),
        _ if rng.below(3) > 0 => Edit::Del,
        _ => Edit::Clear,
    }
}

/// An edit that mostly fits what the path selects.
fn fitting(rng: &mut Rng, path: &[Step], root: &Value) -> Edit {
    let mut places = Vec::new();
    select(root, &Vec::new(), path, &mut places);
    let mut drawn = edit(rng);
    let Some(place) = places.first() else { return drawn };
    for _ in 0..10 {
        let fits = drawn.apply(at(&mut root.clone(), place));
        if matches!(drawn, Edit::Del | Edit::Clear) || matches!(fits, Ok(Some(_))) {
            break;
        }
        drawn = edit(rng);
    }
    drawn
}

impl Edit {
    fn words(&self) -> Vec<String> {
        match self {
            Edit::Add(by) => vec!["JSON.NUMINCRBY".into(), by.to_string()],
            Edit::Multiply(by) => vec!["JSON.NUMMULTBY".into(), by.to_string()],
            Edit::StrAppend(more) => vec!["JSON.STRAPPEND".into(), json!(more).to_string()],
            Edit::Toggle => vec!["JSON.TOGGLE".into()],
            Edit::Append(values) => {
                let texts = values.iter().map(Value::to_string);
                ["JSON.ARRAPPEND".into()].into_iter().chain(texts).collect()
            }
            Edit::Insert(index, value) => {
                vec!["JSON.ARRINSERT".into(), index.to_string(), value.to_string()]
            }
            Edit::Pop(index) => vec!["JSON.ARRPOP".into(), index.to_string()],
            Edit::Trim(start, stop) => {
                vec!["JSON.ARRTRIM".into(), start.to_string(), stop.to_string()]
            }
            Edit::Clear => vec!["JSON.CLEAR".into()],
            Edit::Del => vec!["JSON.DEL".into()],
        }
    }

    /// Does it to one value: the answer, nothing if it is of another type, or an error.
    fn apply(&self, value: &mut Value) -> Result<Option<String>, &'static str> {
        let number = |n: usize| Ok(Some(format!(":{n}")));
        let place = |index: i64, len: usize| {
            let len = i64::try_from(len).unwrap();
            if index < 0 { index + len } else { index }
        };
        match (self, value) {
            (Edit::Add(by), Value::Number(old)) => {
                let old = old.clone();
                let new = match (old.as_i64(), by.as_i64()) {
                    (Some(a), Some(b)) => json!(a.checked_add(b).ok_or("ERR numeric overflow")?),
                    _ => json!(old.as_f64().unwrap() + by.as_f64().unwrap()),
                };
                Ok(Some(new.to_string()))
            }
            (Edit::Multiply(by), Value::Number(old)) => {
                let new = match old.as_i64() {
                    Some(old) => json!(old.checked_mul(*by).ok_or("ERR numeric overflow")?),
                    None => json!(old.as_f64().unwrap() * *by as f64),
                };
                Ok(Some(new.to_string()))
            }
            (Edit::StrAppend(more), Value::String(text)) => {
                text.push_str(more);
                number(text.len())
            }
            (Edit::Toggle, Value::Bool(value)) => {
                *value = !*value;
                Ok(Some(value.to_string()))
            }
            (Edit::Append(more), Value::Array(elements)) => {
                elements.extend(more.iter().cloned());
                number(elements.len())
            }
            (Edit::Insert(index, value), Value::Array(elements)) => {
                let index = usize::try_from(place(*index, elements.len())).ok();
                let index = index.filter(|&index| index <= elements.len());
                elements.insert(index.ok_or("ERR index out of bounds")?, value.clone());
                number(elements.len())
            }
            (Edit::Pop(_), Value::Array(elements)) if elements.is_empty() => {
                Ok(Some("nil".to_owned()))
            }
            (Edit::Pop(index), Value::Array(elements)) => {
                let index = usize::try_from(place(*index, elements.len())).unwrap_or(0);
                Ok(Some(elements.remove(index.min(elements.len() - 1)).to_string()))
            }
            (Edit::Trim(start, stop), Value::Array(elements)) => {
                let start = usize::try_from(place(*start, elements.len())).unwrap_or(0);
                let end = usize::try_from(place(*stop, elements.len()) + 1).unwrap_or(0);
                elements.truncate(end);
                elements.drain(..start.min(elements.len()));
                number(elements.len())
            }
            _ => Ok(None),
        }
    }

    fn unfit(&self) -> &'static str {
        match self {
            Edit::Add(_) | Edit::Multiply(_) => "does not contains a number",
            Edit::StrAppend(_) => "not a string",
            Edit::Toggle => "not a bool",
            _ => "not an array",
        }
    }
}

fn topmost(mut places: Vec<Place>) -> Vec<Place> {
    places.sort();
    places.dedup();
    let all = places.clone();
    places.retain(|place| {
        !all.iter().any(|other| other.len() < place.len() && place.starts_with(other))
    });
    places
}

fn bulk(text: &str) -> String {
    format!("${}|{}", text.len(), text.replace("\r\n", "|"))
}

/// Does an edit to the model: the document it leaves, and the reply in RESP2.
fn expected(edit: &Edit, path: &[Step], is_legacy: bool, root: &Value) -> (Option<Value>, String) {
    let mut places = Vec::new();
    select(root, &Vec::new(), path, &mut places);
    let mut new = root.clone();
    if let Edit::Del | Edit::Clear = edit {
        let (left, count) = remove(edit, topmost(places), new);
        return (left, format!(":{count}"));
    }
    let mut answers = vec![None; places.len()];
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[b].cmp(&places[a]).then(a.cmp(&b)));
    let is_number = matches!(edit, Edit::Add(_) | Edit::Multiply(_));
    for number in order {
        let target = at(&mut new, &places[number]);
        match edit.apply(target) {
            Err(error) => return (Some(root.clone()), format!("-{error}")),
            Ok(answer) => {
                if is_number && let Some(text) = &answer {
                    *target = serde_json::from_str(text).unwrap();
                }
                answers[number] = answer;
            }
        }
    }
    let reply = match (edit, is_legacy) {
        (_, true) => match (edit, answers.into_iter().flatten().next_back()) {
            (_, None) => format!("-ERR Path does not exist or {}", edit.unfit()),
            (Edit::Pop(_), Some(answer)) if answer == "nil" => "$-1".to_owned(),
            (_, Some(answer)) if answer.starts_with(':') => answer,
            (_, Some(answer)) => bulk(&answer),
        },
        (Edit::Add(_) | Edit::Multiply(_), false) => {
            let texts: Vec<String> =
                answers.into_iter().map(|answer| answer.unwrap_or("null".to_owned())).collect();
            bulk(&format!("[{}]", texts.join(",")))
        }
        (_, false) => {
            let mut reply = format!("*{}", answers.len());
            for answer in answers {
                reply += "|";
                reply += &match answer.as_deref() {
                    None | Some("nil") => "$-1".to_owned(),
                    Some("true") if matches!(edit, Edit::Toggle) => ":1".to_owned(),
                    Some("false") if matches!(edit, Edit::Toggle) => ":0".to_owned(),
                    Some(answer) if answer.starts_with(':') => answer.to_owned(),
                    Some(answer) => bulk(answer),
                };
            }
            reply
        }
    };
    (Some(new), reply)
}

fn remove(edit: &Edit, places: Vec<Place>, mut root: Value) -> (Option<Value>, usize) {
    let mut count = 0;
    for place in places.iter().rev() {
        if let Edit::Clear = edit {
            let target = at(&mut root, place);
            let clear = match target {
                Value::Array(elements) if !elements.is_empty() => json!([]),
                Value::Object(members) if !members.is_empty() => json!({}),
                Value::Number(number) if number.as_i64() != Some(0) => json!(0),
                _ => continue,
            };
            *target = clear;
        } else {
            let Some((&last, parent)) = place.split_last() else { return (None, 1) };
            match at(&mut root, parent) {
                Value::Array(elements) => drop(elements.remove(last)),
                Value::Object(members) => {
                    let name = members.keys().nth(last).unwrap().clone();
                    members.shift_remove(&name);
                }
                _ => panic!("a scalar"),
            }
        }
        count += 1;
    }
    let is_left = count == 0 || matches!(edit, Edit::Clear) || !children(&root).is_empty();
    (is_left.then_some(root), count)
}

fn words(edit: &Edit, path: &[Step], is_legacy: bool) -> Vec<Vec<u8>> {
    let mut words = edit.words();
    words.insert(1, "key".to_owned());
    words.insert(2, typed(path, is_legacy));
    words.into_iter().map(String::into_bytes).collect()
}

fn keep(stage: &mut Stage, document: Document) {
    let hash = stage.model.hasher().hash(b"key");
    stage.model.put(Key { bytes: b"key", hash }, Json::from(document), Deadline::Keep);
}

fn kept(stage: &Stage) -> Option<String> {
    let hash = stage.model.hasher().hash(b"key");
    let value: Option<&Json> = stage.model.peek(Key { bytes: b"key", hash }).unwrap();
    let document = value?.document()?;
    let mut out = Vec::new();
    document.write(&mut out);
    if let Some(tree) = document.tree() {
        let mut written = Vec::new();
        tree.root().write(&mut written);
        assert_eq!(written, out, "text and tree differ");
    }
    Some(String::from_utf8(out).unwrap())
}

#[test]
fn random_edits_do_what_they_do_to_the_model() {
    let seed = seed();
    println!("KVIST_SEED={seed}");
    let (mut rng, mut registry) = (Rng::new(seed), Registry::new());
    let mut stage = Stage::new();
    let mut model = None;
    let (mut changes, mut errors) = (0, 0);
    for _ in 0..steps(USUAL) {
        let root = model.take().filter(|_| rng.below(25) > 0).unwrap_or_else(|| {
            let new = value(&mut rng, 4);
            keep(&mut stage, Document::parse(new.to_string().as_bytes(), &mut registry).unwrap());
            new
        });
        if rng.below(4) == 0 {
            let text = root.to_string();
            keep(&mut stage, Document::from_text(text.as_bytes(), &mut registry).unwrap());
        }
        let path = path(&mut rng, &root);
        let (edit, is_legacy) = (fitting(&mut rng, &path, &root), rng.below(3) == 0);
        let words = words(&edit, &path, is_legacy);
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let (after, reply) = expected(&edit, &path, is_legacy, &root);
        let said = format!("KVIST_SEED={seed}: {edit:?} {} of {root}", typed(&path, is_legacy));
        let outcome = stage.run(&words);
        assert_eq!(shown(&outcome.reply), reply, "{said}");
        assert_eq!(kept(&stage), after.as_ref().map(Value::to_string), "{said}");
        if after.as_ref() != Some(&root) {
            assert_eq!(outcome.effect, Effect::AsSent, "{said}");
            changes += 1;
        }
        errors += usize::from(reply.starts_with('-'));
        model = after;
    }
    assert!(
        changes * 4 > steps(USUAL) && errors * 20 > steps(USUAL),
        "{changes} changes, {errors} errors"
    );
}

/// The real store does the same, and its account of memory is right at any moment.
#[test]
fn the_store_agrees_and_keeps_its_account() {
    let seed = seed();
    let mut rng = Rng::new(seed);
    let mut pair = Pair::new(format!("KVIST_SEED={seed}"), 1_700_000_000_000);
    let (mut stage, mut root) = (Stage::new(), Value::Null);
    for step in 0..steps(USUAL) / 2 {
        if step % 12 == 0 {
            root = value(&mut rng, 4);
            let text = root.to_string();
            let new = Document::from_text(text.as_bytes(), &mut Registry::new()).unwrap();
            keep(&mut stage, new);
            let dump = stage.run(&[b"DUMP", b"key"]).reply;
            let at = dump.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            let dump = &dump[at..dump.len() - 2];
            pair.ask(&[b"RESTORE", b"key", b"100000000", dump, b"REPLACE"]);
        }
        if step % 50 == 0 {
            pair.speak([Protocol::Resp2, Protocol::Resp3][step / 50 % 2]);
        }
        let path = path(&mut rng, &root);
        let words = words(&fitting(&mut rng, &path, &root), &path, rng.below(3) == 0);
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        pair.ask(&words);
        pair.ask(&[b"DUMP", b"key"]);
        pair.ask(&[b"PEXPIRETIME", b"key"]);
        if step % 20 == 0 {
            pair.account();
        }
    }
    pair.ask(&[b"DEL", b"key"]);
    pair.account();
}
