//! JSON as the model knows it: integers, plain strings, arrays and objects, which is what the
//! workload sends. The order of members counts for nothing here.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};

use crate::value::Bytes;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A number.
    Number(i64),
    /// A string of letters that nothing needs to escape.
    Text(Bytes),
    /// An array.
    Array(Vec<Tree>),
    /// An object.
    Object(BTreeMap<Bytes, Tree>),
}

impl Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &Bytes| String::from_utf8_lossy(text).into_owned();
        match self {
            Tree::Number(number) => write!(f, "{number}"),
            Tree::Text(text) => write!(f, "\"{}\"", shown(text)),
            Tree::Array(items) => {
                f.write_char('[')?;
                for (at, item) in items.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                f.write_char(']')
            }
            Tree::Object(members) => {
                f.write_char('{')?;
                for (at, (name, value)) in members.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(f, "{comma}\"{}\":{value}", shown(name))?;
                }
                f.write_char('}')
            }
        }
    }
}

impl Tree {
    /// Reads a text; `None` if it is anything that the workload never stores.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Tree> {
        let mut rest = text;
        let tree = take(&mut rest)?;
        rest.is_empty().then_some(tree)
    }

    /// The member of an object.
    pub fn member(&mut self, name: &[u8]) -> Option<&mut Tree> {
        self.members()?.get_mut(name)
    }

    /// The members, of an object.
    pub fn members(&mut self) -> Option<&mut BTreeMap<Bytes, Tree>> {
        if let Tree::Object(members) = self { Some(members) } else { None }
    }

    /// The elements, of an array.
    pub fn items(&mut self) -> Option<&mut Vec<Tree>> {
        if let Tree::Array(items) = self { Some(items) } else { None }
    }

    /// What `JSON.MERGE` makes of it: members of objects one by one, all else as a whole. The
    /// workload merges no null.
    pub fn merge(&mut self, patch: Tree) {
        match (self, patch) {
            (Tree::Object(members), Tree::Object(patch)) => {
                for (name, value) in patch {
                    match members.get_mut(&name) {
                        Some(old) => old.merge(value),
                        None => drop(members.insert(name, value)),
                    }
                }
            }
            (old, patch) => *old = patch,
        }
    }
}

/// Takes a byte, blanks before it included.
fn eat(rest: &mut &[u8], byte: u8) -> Option<()> {
    *rest = rest.trim_ascii_start();
    *rest = rest.strip_prefix(&[byte])?;
    Some(())
}

fn text(rest: &mut &[u8]) -> Option<Bytes> {
    eat(rest, b'"')?;
    let end = rest.iter().position(|&byte| byte == b'"')?;
    let (text, behind) = rest.split_at(end);
    *rest = &behind[1..];
    (!text.contains(&b'\\')).then(|| text.to_vec())
}

/// What stands between two brackets, separated by commas.
fn list<T>(
    rest: &mut &[u8],
    [open, close]: [u8; 2],
    mut one: impl FnMut(&mut &[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    eat(rest, open)?;
    let mut items = Vec::new();
    while eat(rest, close).is_none() {
        if !items.is_empty() {
            eat(rest, b',')?;
        }
        items.push(one(rest)?);
    }
    Some(items)
}

fn take(rest: &mut &[u8]) -> Option<Tree> {
    *rest = rest.trim_ascii_start();
    Some(match rest.first()? {
        b'"' => Tree::Text(text(rest)?),
        b'[' => Tree::Array(list(rest, *b"[]", take)?),
        b'{' => {
            let members = list(rest, *b"{}", |rest| {
                let name = text(rest)?;
                eat(rest, b':')?;
                Some((name, take(rest)?))
            })?;
            let count = members.len();
            let members: BTreeMap<Bytes, Tree> = members.into_iter().collect();
            Tree::Object(Some(members).filter(|members| members.len() == count)?)
        }
        _ => {
            let digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
            let end = rest.iter().position(|byte| !digit(byte)).unwrap_or(rest.len());
            let (number, behind) = rest.split_at(end);
            *rest = behind;
            Tree::Number(std::str::from_utf8(number).ok()?.parse().ok()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn texts_are_read_and_written() {
        for text in ["0", "-17", "\"a b\"", "[]", "{}", "[1,[\"x\"],{}]", "{\"a\":{\"b\":[1,2]}}"] {
            let tree = Tree::read(text.as_bytes()).map(|tree| tree.to_string());
            assert_eq!(tree.as_deref(), Some(text));
        }
        let blanks = Tree::read(b" { \"a\" : [ 1 , {} ] }").map(|tree| tree.to_string());
        assert_eq!(blanks.as_deref(), Some("{\"a\":[1,{}]}"));
        for text in ["", "[1", "[1,]x", "{\"a\"}", "1 ", "null", "\"\\n\"", "{\"a\":1,\"a\":2}"] {
            assert_eq!(Tree::read(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn merging_goes_member_by_member() {
        let mut tree = Tree::read(b"{\"a\":{\"b\":1,\"c\":2},\"d\":[1]}").expect("a tree");
        let patch = Tree::read(b"{\"a\":{\"b\":3},\"d\":[],\"e\":4}").expect("a patch");
        tree.merge(patch);
        assert_eq!(tree.to_string(), "{\"a\":{\"b\":3,\"c\":2},\"d\":[],\"e\":4}");
    }
}
