//! JSON documents: stored whole, changed in one place, merged, deleted. See the model for the form
//! that all of them have.

use super::{Draw, Steps, word};
use crate::tree::Tree;
use crate::value::Bytes;

impl Draw<'_> {
    pub(super) fn document(&mut self) -> Steps {
        let key = self.key('j')?;
        match self.rng.below(16) {
            0..=2 => {
                let text = self.whole(&key);
                self.one("JSON.SET", &key, vec![word("$"), text])
            }
            3..=5 => {
                let (path, value) = (self.field(), self.scalar());
                self.one("JSON.SET", &key, vec![path, value])
            }
            6 | 7 => {
                let amount = i64::try_from(self.rng.below(2001)).unwrap_or(0) - 1000;
                let amount = amount.to_string().into_bytes();
                self.one("JSON.NUMINCRBY", &key, vec![word("$.n"), amount])
            }
            8..=10 => self.append(&key),
            11 => {
                let value = self.scalar();
                self.one("JSON.ARRINSERT", &key, vec![word("$.l"), word("0"), value])
            }
            12 => self.one("JSON.ARRPOP", &key, vec![word("$.l")]),
            13 => {
                let (name, value) = (self.name(), self.scalar());
                let patch = [b"{\"o\":{\"", &name[..], b"\":", &value[..], b"}}"].concat();
                // Without a document it would make one of another form.
                if self.is_missing(&key) {
                    return None;
                }
                self.one("JSON.MERGE", &key, vec![word("$"), patch])
            }
            14 => {
                let path = self.field();
                let rest = if self.rng.chance(80) { vec![path] } else { vec![] };
                self.one("JSON.DEL", &key, rest)
            }
            _ => self.two(key),
        }
    }

    /// Two documents at once.
    fn two(&mut self, key: Bytes) -> Steps {
        let other = self.key('j')?;
        if other == key {
            return None;
        }
        let (first, second) = (self.whole(&key), self.whole(&other));
        self.one("JSON.MSET", &key, vec![word("$"), first, other, word("$"), second])
    }

    /// Elements behind an array, which is cut when it is long.
    fn append(&mut self, key: &Bytes) -> Steps {
        if self.size(key) > if Self::is_big(key) { 4000 } else { 60 } {
            return self.one("JSON.ARRTRIM", key, vec![word("$.l"), word("0"), word("9")]);
        }
        let most = if Self::is_big(key) && self.rng.chance(30) { 200 } else { 4 };
        let mut rest = vec![word("$.l")];
        for _ in 0..=self.rng.below(most) {
            let value = self.scalar();
            rest.push(value);
        }
        self.one("JSON.ARRAPPEND", key, rest)
    }

    fn name(&mut self) -> Bytes {
        format!("f{}", self.rng.below(30)).into_bytes()
    }

    fn field(&mut self) -> Bytes {
        [&b"$.o."[..], &self.name()].concat()
    }

    fn scalar(&mut self) -> Bytes {
        match self.rng.below(5) {
            0 | 1 => self.rng.below(100_000).to_string().into_bytes(),
            2 | 3 => format!("\"text {}\"", self.rng.below(1000)).into_bytes(),
            _ => format!("[{},{{\"x\":\"y\"}}]", self.rng.below(10)).into_bytes(),
        }
    }

    /// A whole document; large now and then.
    fn whole(&mut self, key: &Bytes) -> Bytes {
        let most = if Self::is_big(key) { 2000 } else { 8 };
        let count = self.rng.below(most);
        let items: Vec<Bytes> = (0..count).map(|_| self.scalar()).collect();
        let start = self.rng.below(1000).to_string();
        let head = format!("{{ \"n\" : {start}, \"o\": {{}}, \"l\": [");
        [head.as_bytes(), &items.join(&b", "[..]), b"] }"].concat()
    }
}

/// How many elements a document has in its array.
pub(super) fn size(document: &Tree) -> usize {
    let Tree::Object(members) = document else { return 0 };
    match members.get(&b"l"[..]) {
        Some(Tree::Array(items)) => items.len(),
        _ => 0,
    }
}
