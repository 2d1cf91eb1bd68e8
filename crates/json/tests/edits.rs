//! Random edits against a `serde_json` model, with every byte accounted for.

use kvist_json::path::Path;
use kvist_json::{EditError, Kind, MAX_DEPTH, Node, Num, Operation, Registry, Scalar, Tree, Value};
use proptest::prelude::*;
use serde_json::{Value as Model, json};

use crate::counting::{held, hold};
use crate::samples;

fn value_of(model: &Model, registry: &mut Registry) -> Value {
    Value::parse(model.to_string().as_bytes(), registry).expect("JSON")
}

fn written(node: Node<'_>) -> String {
    let mut out = Vec::new();
    node.write(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// Numbers drawn one after the other.
struct Draws<'a>(&'a [u32], usize);

impl Draws<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.1 += 1;
        self.0[self.1 % self.0.len()] as usize % limit.max(1)
    }

    fn value(&mut self) -> Model {
        match self.below(18) {
            0 => Model::Null,
            1 => json!(true),
            2 => json!(self.below(100)),
            3 => json!(-(self.below(100_000) as i64) * 100_000),
            4 => json!(self.below(1000) as f64 / 8.0),
            5 => json!(self.below(1_000_000_000) as f64 / 7.0),
            6 => json!("x".repeat(self.below(5))),
            7 => json!("a text that is kept in a block ".repeat(self.below(8))),
            8 => json!(format!("text that repeats {}", self.below(3))),
            9 => json!([]),
            10 => json!({}),
            11 => json!({"a": self.below(9), "b": [1.5, 2.5]}),
            12 => json!((0..self.below(9)).collect::<Vec<_>>()),
            13 => json!((0..self.below(6)).map(|n| n as f64 / 3.0).collect::<Vec<_>>()),
            14 => json!({"id": 1, "name": "quo\"ted", "c": {"a": 1, "b": null}}),
            15 => json!(
                (0..self.below(40))
                    .map(|n| (format!("k{n}"), json!(n)))
                    .collect::<serde_json::Map<_, _>>()
            ),
            16 => json!(u64::MAX - self.below(5) as u64),
            _ => json!([{"a": 1, "b": 2}, {"a": 3, "b": "four and some more"}, [[]]]),
        }
    }

    /// A way to a value of the model.
    fn location(&mut self, model: &Model) -> Vec<usize> {
        let (mut at, mut location) = (model, Vec::new());
        loop {
            let len = len_of(at);
            if len == 0 || self.below(5) == 0 {
                return location;
            }
            let position = self.below(len);
            location.push(position);
            at = child(at, position);
        }
    }
}

fn len_of(model: &Model) -> usize {
    match model {
        Model::Array(elements) => elements.len(),
        Model::Object(members) => members.len(),
        _ => 0,
    }
}

fn child(model: &Model, position: usize) -> &Model {
    match model {
        Model::Array(elements) => &elements[position],
        Model::Object(members) => members.values().nth(position).expect("a member"),
        _ => panic!("a scalar"),
    }
}

fn descend<'m>(model: &'m mut Model, location: &[usize]) -> &'m mut Model {
    location.iter().fold(model, |at, &position| match at {
        Model::Array(elements) => &mut elements[position],
        Model::Object(members) => members.values_mut().nth(position).expect("a member"),
        _ => panic!("a scalar"),
    })
}

fn merge(target: &mut Model, patch: &Model) {
    let Model::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Model::Object(members) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            members.shift_remove(name);
        } else {
            merge(members.entry(name.clone()).or_insert(Model::Null), value);
        }
    }
}

/// A path to a place.
fn path_to(location: &[usize], root: Node<'_>) -> Path {
    let (mut text, mut node) = ("$".to_owned(), root);
    for &position in location {
        text += &match node.name_at(position) {
            Some(name) => format!("[{}]", json!(name)),
            None => format!("[{position}]"),
        };
        node = node.at(position).expect("a place");
    }
    Path::compile(&text).expect("a path")
}

/// Does one random thing to both.
fn edit(draws: &mut Draws<'_>, value: &mut Value, model: &mut Model, registry: &mut Registry) {
    let location = draws.location(model);
    let target = descend(model, &location);
    let new = draws.value();
    let fresh = value_of(&new, registry);
    match draws.below(12) {
        0 | 1 => {
            let text = new.to_string();
            match Scalar::parse(text.as_bytes()) {
                Some(scalar) if draws.below(2) == 0 => {
                    let path = path_to(&location, value.root());
                    assert_eq!(value.put_scalar(&path, scalar, registry), Some(Ok(())));
                }
                _ => value.replace(&location, fresh.root(), registry).expect("a place"),
            }
            *target = new;
        }
        2 | 3 => {
            let name = format!("k{}", draws.below(300));
            let result = value.set_member(&location, &name, fresh.root(), registry);
            match target {
                Model::Object(members) => {
                    assert_eq!(result, Ok(members.insert(name, new).is_none()));
                }
                _ => assert_eq!(result, Err(EditError::WrongType)),
            }
        }
        4 => {
            if let Some((&last, parent)) = location.split_last() {
                value.delete(&location, registry).expect("a place");
                match descend(model, parent) {
                    Model::Array(elements) => drop(elements.remove(last)),
                    Model::Object(members) => {
                        let name = members.keys().nth(last).expect("a member").clone();
                        members.shift_remove(&name);
                    }
                    _ => panic!("a scalar"),
                }
            }
        }
        5 | 6 => {
            let index = draws.below(len_of(target) + 1);
            let elements = [fresh.root(), fresh.root()];
            let result = value.insert_elements(&location, index, &elements, registry);
            match target {
                Model::Array(elements) => {
                    elements.insert(index, new.clone());
                    elements.insert(index, new);
                    assert_eq!(result, Ok(elements.len()));
                }
                _ => assert_eq!(result, Err(EditError::WrongType)),
            }
        }
        7 => {
            let (start, end) = (draws.below(10), draws.below(30));
            let result = value.trim_array(&location, start, end, registry);
            match target {
                Model::Array(elements) => {
                    elements.truncate(end);
                    elements.drain(..start.min(elements.len()));
                    assert_eq!(result, Ok(elements.len()));
                }
                _ => assert_eq!(result, Err(EditError::WrongType)),
            }
        }
        8 => {
            let more = ["+", "more of it", "\"quoted\"", ""][draws.below(4)];
            let result = value.append_text(&location, more, registry);
            match target {
                Model::String(text) => {
                    text.push_str(more);
                    assert_eq!(result, Ok(text.len()));
                }
                _ => assert_eq!(result, Err(EditError::WrongType)),
            }
        }
        9 => {
            let (operand, by) =
                [(Num::I64(3), json!(3)), (Num::F64(0.5), json!(0.5))][draws.below(2)].clone();
            let result = value.calculate(&location, Operation::Add, operand, registry);
            match target.as_i64().and_then(|a| a.checked_add(by.as_i64()?)) {
                Some(sum) => *target = json!(sum),
                None if target.is_number() => {
                    let sum = target.as_f64().zip(by.as_f64()).map(|(a, b)| a + b);
                    *target = json!(sum.expect("numbers"));
                }
                None => assert_eq!(result, Err(EditError::WrongType)),
            }
        }
        10 => {
            value.clear(&location, registry).expect("a place");
            match target {
                Model::Array(elements) => elements.clear(),
                Model::Object(members) => members.clear(),
                Model::Number(_) => *target = json!(0),
                Model::Bool(_) => {
                    value.toggle(&location).expect("a truth value");
                    *target = json!(*target == json!(false));
                }
                _ => {}
            }
        }
        _ => {
            value.merge(&location, fresh.root(), registry).expect("a place");
            merge(target, &new);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn edits_do_what_they_do_to_the_model(
        numbers in proptest::collection::vec(any::<u32>(), 400..1200),
    ) {
        let mut draws = Draws(&numbers, 0);
        let mut registry = Registry::new();
        let before = held();
        let mut model = json!({"a": [1, 2, 3], "b": {"c": "d"}, "floats": [1.5, 2.25]});
        let mut value = value_of(&model, &mut registry);
        while draws.1 < numbers.len() {
            edit(&mut draws, &mut value, &mut model, &mut registry);
            prop_assert_eq!(written(value.root()), model.to_string());
            prop_assert_eq!(value.garbage(), value.recount_garbage());
        }
        // The model allocates too; it is dropped before anything is counted.
        let text = model.to_string();
        let parsed = value_of(&model, &mut registry);
        drop(model);
        prop_assert!(value.root().equals(parsed.root()));
        let mut bytes = Vec::new();
        value.root().encode(&mut bytes);
        let decoded = Value::decode(&bytes, &mut registry).expect("our own bytes");
        prop_assert_eq!(written(decoded.root()), text.clone());
        prop_assert_eq!(written(value.clone().root()), text.clone());
        value.rebuild(&mut registry);
        prop_assert_eq!(written(value.root()), text.clone());
        drop((parsed, decoded, bytes, text));
        let sum = hold(before);
        prop_assert_eq!(sum, value.memory() + registry.memory());
        let all = held();
        let memory = value.memory();
        drop(value);
        prop_assert_eq!(all - held(), memory, "what a document takes is what it gives back");
    }

    #[test]
    fn bytes_that_are_no_document_are_refused(
        numbers in proptest::collection::vec(any::<u32>(), 40..200),
        changes in proptest::collection::vec((any::<u16>(), any::<u8>(), 0_u8..3), 0..6),
    ) {
        let mut draws = Draws(&numbers, 0);
        let mut registry = Registry::new();
        let model = Model::Array((0..20).map(|_| draws.value()).collect());
        for _ in 0..3 {
            let value = value_of(&model, &mut registry);
            let mut bytes = Vec::new();
            value.root().encode(&mut bytes);
            for &(at, byte, kind) in &changes {
                let at = usize::from(at) % bytes.len().max(1);
                match kind {
                    0 => bytes.insert(at, byte),
                    1 if !bytes.is_empty() => bytes[at] = byte,
                    _ => bytes.truncate(at),
                }
            }
            match Value::decode(&bytes, &mut registry) {
                Ok(value) => {
                    let text = written(value.root());
                    let again = Value::parse(text.as_bytes(), &mut registry).expect("JSON");
                    prop_assert!(again.root().len() == value.root().len());
                }
                Err(_) => prop_assert!(!changes.is_empty()),
            }
        }
    }
}

/// A scalar is what a document of the same text is, or none at all.
#[test]
fn scalars_are_those_that_documents_are_made_of() {
    let mut registry = Registry::new();
    let first = Path::compile("$[0]").expect("a path");
    for text in [
        "0",
        "-0",
        "-0.0",
        "1.50",
        "0.1",
        "16777215.5",
        "16777216.5",
        "1e5",
        "1E-7",
        "1.5e300",
        "0.00001",
        "0.000001",
        "134217727",
        "134217728",
        "-134217729",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234567890",
        "5e-324",
        "true",
        "false",
        "null",
        "\"\"",
        "\"abc\"",
        "\"abcd\"",
        "\"\u{e9}\u{1f600}\"",
    ] {
        let scalar = Scalar::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
        let whole = Value::parse(text.as_bytes(), &mut registry).expect("JSON");
        for place in
            ["[null]", "[[\"in the way of it\"]]", "[7]", "[0.5]", "[1e300]", "[\"abcdef\"]"]
        {
            let mut value = Value::parse(place.as_bytes(), &mut registry).expect("JSON");
            assert_eq!(value.put_scalar(&first, scalar, &mut registry), Some(Ok(())));
            assert_eq!(written(value.root()), format!("[{}]", written(whole.root())), "{place}");
            assert_eq!(value.garbage(), value.recount_garbage(), "{text} for {place}");
            assert_eq!(value.root().at(0).map(Tree::kind), Some(whole.root().kind()));
        }
    }
    for text in [
        "", "\"", "\"a", "a\"", "\"a\"b\"", "\"\\n\"", "\"a\nb\"", "-", "1.", ".5", "+1", "1 ",
        " 1", "[]", "{}", "True", "truee", "1e999", "-1e999", "0x1", "NaN", "01",
    ] {
        assert!(Scalar::parse(text.as_bytes()).is_none(), "{text}");
    }
    assert!(Scalar::parse(b"\"\xff\"").is_none());
    let mut value = Value::parse(b"[1]", &mut registry).expect("JSON");
    let one = Scalar::parse(b"1").expect("a scalar");
    for path in ["$[1]", "$[0][0]", "$.a", "$[*]", "$..[0]", "$[0] + 1"] {
        let path = Path::compile(path).expect("a path");
        assert_eq!(value.put_scalar(&path, one, &mut registry), None);
    }
}

#[test]
fn arrays_grow_and_shrink_at_the_end_without_quadratic_cost() {
    let mut registry = Registry::new();
    let text = br#"{"before":"some text","numbers":[1,2,3],"mixed":[],"after":[null]}"#;
    let mut value = Value::parse(text, &mut registry).expect("JSON");
    let number = Value::parse(b"7", &mut registry).expect("JSON");
    let object =
        Value::parse(br#"{"a":1,"b":"text of some length"}"#, &mut registry).expect("JSON");
    const COUNT: usize = 1_000_000;
    for n in 0..COUNT {
        let len = value.append_elements(&[1], &[number.root()], &mut registry);
        assert_eq!(len, Ok(n + 4));
    }
    assert!(value.memory() < 4 << 20, "packed: {} bytes", value.memory());
    for n in 0..COUNT / 5 {
        let len = value.append_elements(&[2], &[object.root()], &mut registry);
        assert_eq!(len, Ok(n + 1));
    }
    for n in (0..COUNT + 3).rev() {
        let popped = value.pop_element(&[1], n, &mut registry).expect("an array");
        assert!(popped.is_some());
    }
    for n in (0..COUNT / 5).rev() {
        value.delete(&[2, n], &mut registry).expect("an element");
    }
    assert_eq!(
        written(value.root()),
        r#"{"before":"some text","numbers":[],"mixed":[],"after":[null]}"#
    );
    assert!(value.memory() < 4096, "{} bytes", value.memory());
}

#[test]
fn members_come_and_go_without_quadratic_cost() {
    const COUNT: usize = 100_000;
    let mut registry = Registry::new();
    let mut value = Value::parse(b"{}", &mut registry).expect("JSON");
    let number = Value::parse(b"7", &mut registry).expect("JSON");
    for n in 0..COUNT {
        let added = value.set_member(&[], &format!("name{n}"), number.root(), &mut registry);
        assert_eq!(added, Ok(true));
    }
    assert_eq!(value.root().len(), COUNT);
    let root = value.root();
    assert_eq!(root.member("name77777").map(|(position, _)| position), Some(77_777));
    // Every other from the front, then the rest from the middle.
    for n in 0..COUNT / 2 {
        let (position, _) = value.root().member(&format!("name{}", n * 2)).expect("a member");
        assert_eq!(position, n);
        value.delete(&[position], &mut registry).expect("a member");
    }
    for n in (0..COUNT / 2).step_by(999) {
        let name = format!("name{}", n * 2 + 1);
        assert_eq!(value.root().name_at(n), Some(name.as_str()));
        assert_eq!(value.root().member(&name).map(|(position, _)| position), Some(n));
    }
    while value.root().len() > 1 {
        value.delete(&[value.root().len() / 2], &mut registry).expect("a member");
    }
    assert_eq!(written(value.root()), r#"{"name1":7}"#);
    assert!(value.memory() < 4096, "{} bytes", value.memory());
}

#[test]
fn a_string_grows_without_quadratic_cost() {
    let mut registry = Registry::new();
    let text = br#"["",{"text":"begin","other":[1,2,3]},""]"#;
    let mut value = Value::parse(text, &mut registry).expect("JSON");
    for n in 1..=200_000 {
        let len = value.append_text(&[1, 0], "0123456789", &mut registry);
        assert_eq!(len, Ok(5 + n * 10));
    }
    assert!(value.memory() < 3 << 20);
}

#[test]
fn nothing_gets_too_deep() {
    let mut registry = Registry::new();
    let mut value = Value::parse(b"[0]", &mut registry).expect("JSON");
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let deep = Value::parse(deep.as_bytes(), &mut registry).expect("JSON");
    value.replace(&[0], deep.root(), &mut registry).expect("101 levels");
    assert_eq!(value.depth(), 101);
    let before = written(value.root());
    let inner = [0; 50];
    for result in [
        value.replace(&inner, deep.root(), &mut registry),
        value.append_elements(&inner, &[deep.root()], &mut registry).map(drop),
        value.merge(&inner, deep.root(), &mut registry),
    ] {
        assert_eq!(result, Err(EditError::Depth));
    }
    assert_eq!(written(value.root()), before);
    let rest = format!("{}{}", "[".repeat(MAX_DEPTH - 101), "]".repeat(MAX_DEPTH - 101));
    let rest = Value::parse(rest.as_bytes(), &mut registry).expect("JSON");
    value.append_elements(&[0; 100], &[rest.root()], &mut registry).expect("127 levels");
    assert_eq!(value.depth(), MAX_DEPTH);
}

#[test]
fn floats_can_be_packed() {
    let mut registry = Registry::new();
    let text = br#"{"v":[0.1,65504.0,-2.5],"w":[1,2.5],"x":[1.0]}"#;
    let mut value = Value::parse(text, &mut registry).expect("JSON");
    value.pack_floats(kvist_json::Floats::F16).expect("in range");
    let expected = r#"{"v":[0.0999755859375,65504.0,-2.5],"w":[1,2.5],"x":[1.0]}"#;
    assert_eq!(written(value.root()), expected);
    assert_eq!(value.root().descend(&[0, 0]).map(Tree::kind), Some(Kind::Number));
    let mut large = Value::parse(b"[[1.5],[70000.5]]", &mut registry).expect("JSON");
    assert_eq!(large.pack_floats(kvist_json::Floats::F16), Err(EditError::NotFinite));
    assert_eq!(written(large.root()), "[[1.5],[70000.5]]");
    // A number that does not fit makes it an array of any values again.
    let number = Value::parse(b"0.3", &mut registry).expect("JSON");
    value.replace(&[0, 1], number.root(), &mut registry).expect("an element");
    assert_eq!(written(value.root().at(0).expect("it")), "[0.0999755859375,0.3,-2.5]");
}

#[test]
fn documents_move_between_registries() {
    let (mut mine, mut yours) = (Registry::new(), Registry::new());
    let text = samples::records(20);
    let mut model: Model = serde_json::from_slice(&text).expect("JSON");
    for _ in 0..3 {
        Value::parse(&text, &mut mine).expect("JSON");
        Value::parse(&text, &mut yours).expect("JSON");
    }
    let mut value = Value::parse(&text, &mut mine).expect("JSON");
    let other = Value::parse(&text, &mut yours).expect("JSON");
    drop(mine);
    for _ in 0..3 {
        value.replace(&[3], other.root(), &mut yours).expect("a place");
        model[3] = serde_json::from_slice(&text).expect("JSON");
        value.append_elements(&[], &[other.root()], &mut yours).expect("an array");
        model.as_array_mut().expect("an array").push(serde_json::from_slice(&text).expect("JSON"));
        assert_eq!(written(value.root()), model.to_string());
    }
    value.rebuild(&mut yours);
    assert_eq!(written(value.root()), model.to_string());
}
