//! The model's commands on JSON documents. All of them have the form
//! `{"n": number, "l": array, "o": object}`, so that every path of the workload finds something.

use super::{Expect, Model, int};
use crate::tree::Tree;
use crate::unit::Step;
use crate::value::{Bytes, Name, Value};

/// What stands behind `$.o.` in a path.
fn field(path: &Bytes) -> Option<&[u8]> {
    path.strip_prefix(b"$.o.")
}

fn tree(arg: Option<&Bytes>) -> Option<Tree> {
    Tree::read(arg?)
}

impl Model {
    pub(super) fn run_document(&mut self, command: &str, step: &Step) -> Option<Expect> {
        let args = step.command.args();
        if !command.starts_with("JSON.") {
            return None;
        }
        if command == "JSON.MSET" {
            // JSON.MSET key $ document …
            for three in args[1..].chunks(3) {
                let document = tree(three.get(2))?;
                self.change(&(step.db, three[0].clone()), Value::Document(document));
            }
            return Some(Expect::Any);
        }
        let name = (step.db, args.get(1)?.clone());
        let old = match self.value(&name) {
            Some(Value::Document(document)) => Some(document.clone()),
            _ => None,
        };
        if matches!(command, "JSON.SET" | "JSON.MERGE") && args.get(2)? == b"$" {
            return self.put_root(command, &name, old, tree(args.get(3))?);
        }
        if command == "JSON.DEL" && args.len() == 2 {
            return Some(Expect::count(usize::from(self.keys.remove(&name).is_some())));
        }
        let Some(mut document) = old else {
            return Some(if command == "JSON.DEL" { Expect::Int(0) } else { Expect::Error });
        };
        let expect = edit(command, &mut document, args)?;
        self.change(&name, Value::Document(document));
        Some(expect)
    }

    fn put_root(
        &mut self,
        command: &str,
        name: &Name,
        old: Option<Tree>,
        new: Tree,
    ) -> Option<Expect> {
        let document = match old {
            Some(mut old) if command == "JSON.MERGE" => {
                old.merge(new);
                old
            }
            _ => new,
        };
        self.change(name, Value::Document(document));
        Some(Expect::Any)
    }
}

/// What a command does below the root.
fn edit(command: &str, document: &mut Tree, args: &[Bytes]) -> Option<Expect> {
    let path = args.get(2)?;
    Some(match command {
        "JSON.SET" => {
            let value = tree(args.get(3))?;
            document.member(b"o")?.members()?.insert(field(path)?.to_vec(), value);
            Expect::Any
        }
        "JSON.DEL" => {
            let gone = document.member(b"o")?.members()?.remove(field(path)?);
            Expect::count(usize::from(gone.is_some()))
        }
        "JSON.NUMINCRBY" => {
            let Tree::Number(number) = document.member(b"n")? else { return None };
            *number += int(args.get(3));
            Expect::Text(Some(format!("[{number}]").into_bytes()))
        }
        "JSON.ARRAPPEND" => {
            let new: Option<Vec<Tree>> = args[3..].iter().map(|arg| tree(Some(arg))).collect();
            document.member(b"l")?.items()?.extend(new?);
            Expect::Any
        }
        "JSON.ARRINSERT" => {
            document.member(b"l")?.items()?.insert(0, tree(args.get(4))?);
            Expect::Any
        }
        "JSON.ARRPOP" => {
            document.member(b"l")?.items()?.pop();
            Expect::Any
        }
        // JSON.ARRTRIM key $.l 0 last
        "JSON.ARRTRIM" => {
            let kept = usize::try_from(int(args.get(4)) + 1).unwrap_or(0);
            document.member(b"l")?.items()?.truncate(kept);
            Expect::Any
        }
        _ => return None,
    })
}
