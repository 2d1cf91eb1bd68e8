//! Hashes, lists, sets and sorted sets; the first of each kind grows out of its compact encoding.

use super::{Draw, Steps, word};
use crate::value::{Bytes, Value};

/// A collection larger than this is cut down.
const LARGEST: usize = 2500;

impl Draw<'_> {
    pub(super) fn hash(&mut self) -> Steps {
        let key = self.key('h')?;
        if self.size(&key) > LARGEST {
            return self.one("DEL", &key, vec![]);
        }
        match self.rng.below(10) {
            0..=4 => {
                let mut rest = Vec::new();
                for field in self.elements(&key) {
                    rest.push(field);
                    let most = if self.rng.chance(3) { 2000 } else { 30 };
                    rest.push(self.bytes(most));
                }
                self.one("HSET", &key, rest)
            }
            5 | 6 => {
                let fields = self.elements(&key);
                self.one("HDEL", &key, fields)
            }
            7 | 8 => {
                let field = format!("number:{}", self.rng.below(5));
                let amount = self.number(100);
                self.one("HINCRBY", &key, vec![word(&field), amount])
            }
            _ => {
                let quarters = i32::try_from(self.rng.below(81)).unwrap_or(0) - 40;
                let amount = format!("{}", f64::from(quarters) / 4.0);
                self.one("HINCRBYFLOAT", &key, vec![word("float"), word(&amount)])
            }
        }
    }

    pub(super) fn list(&mut self) -> Steps {
        let key = self.key('l')?;
        let size = self.size(&key);
        if size > LARGEST {
            return self.one("LTRIM", &key, vec![word("0"), word("99")]);
        }
        match self.rng.below(16) {
            0..=5 => {
                let name = *self.rng.pick(&["LPUSH", "RPUSH"]);
                let items = self.elements(&key);
                self.one(name, &key, items)
            }
            6 | 7 => {
                let name = *self.rng.pick(&["LPOP", "RPOP"]);
                let rest = if self.rng.chance(30) { vec![self.number(5)] } else { vec![] };
                // A pop of nothing from nothing is answered in several ways.
                if rest.first().is_some_and(|n| n == b"0") {
                    None
                } else {
                    self.one(name, &key, rest)
                }
            }
            8 | 9 => {
                let to = self.key('l')?;
                let ends =
                    *self.rng.pick(&[("LEFT", "RIGHT"), ("RIGHT", "LEFT"), ("LEFT", "LEFT")]);
                self.one("LMOVE", &key, vec![to, word(ends.0), word(ends.1)])
            }
            10 => {
                let to = self.key('l')?;
                self.one("RPOPLPUSH", &key, vec![to])
            }
            11 => {
                let (from, to) = (self.number(3), *self.rng.pick(&["-1", "-2", "20", "5"]));
                self.one("LTRIM", &key, vec![from, word(to)])
            }
            12 => {
                let (at, item) = (self.rng.below(size.max(1)), self.element(&key));
                self.one("LSET", &key, vec![word(&at.to_string()), item])
            }
            13 => {
                let item = self.item_of(&key)?;
                self.one("LREM", &key, vec![word("0"), item])
            }
            14 => {
                let (pivot, item) = (self.item_of(&key)?, self.element(&key));
                let side = *self.rng.pick(&["BEFORE", "AFTER"]);
                self.one("LINSERT", &key, vec![word(side), pivot, item])
            }
            _ => self.sort(),
        }
    }

    /// One of the items of a list.
    fn item_of(&mut self, key: &Bytes) -> Option<Bytes> {
        match self.live.keys.get(&(self.db, key.clone())).map(|entry| &entry.value) {
            Some(Value::List(list)) => list.get(self.rng.below(list.len().min(50))).cloned(),
            _ => None,
        }
    }

    fn sort(&mut self) -> Steps {
        let kind = *self.rng.pick(&['l', 't', 'z']);
        let (from, to) = (self.key(kind)?, self.key('l')?);
        let mut rest = vec![word("ALPHA")];
        if self.rng.chance(30) {
            rest.push(word("DESC"));
        }
        rest.extend([word("STORE"), to]);
        self.one("SORT", &from, rest)
    }

    pub(super) fn set(&mut self) -> Steps {
        let key = self.key('t')?;
        if self.size(&key) > LARGEST {
            return self.one("DEL", &key, vec![]);
        }
        match self.rng.below(12) {
            0..=3 => {
                let members = self.elements(&key);
                self.one("SADD", &key, members)
            }
            4 => {
                let members = self.elements(&key);
                self.one("SREM", &key, members)
            }
            5..=7 => {
                let counted = self.rng.chance(40);
                let rest = if counted { vec![self.number(20)] } else { vec![] };
                self.one("SPOP", &key, rest)
            }
            8 | 9 => {
                let (to, member) = (self.key('t')?, self.element(&key));
                self.one("SMOVE", &key, vec![to, member])
            }
            _ => {
                let name = *self.rng.pick(&["SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE"]);
                let (a, b) = (self.key('t')?, self.key('t')?);
                self.one(name, &key, vec![a, b])
            }
        }
    }

    pub(super) fn zset(&mut self) -> Steps {
        let key = self.key('z')?;
        if self.size(&key) > LARGEST {
            return self.one("DEL", &key, vec![]);
        }
        match self.rng.below(14) {
            0..=4 => {
                let mut rest = if self.rng.chance(20) { vec![word("GT")] } else { vec![] };
                for member in self.elements(&key) {
                    rest.push(self.score());
                    rest.push(member);
                }
                self.one("ZADD", &key, rest)
            }
            5 => {
                let members = self.elements(&key);
                self.one("ZREM", &key, members)
            }
            6 | 7 => {
                let (by, member) = (self.score(), self.element(&key));
                self.one("ZINCRBY", &key, vec![by, member])
            }
            8 => {
                let name = *self.rng.pick(&["ZUNIONSTORE", "ZINTERSTORE"]);
                let (a, b) = (self.key('z')?, self.key('z')?);
                self.one(name, &key, vec![word("2"), a, b])
            }
            9 | 10 => {
                let name = *self.rng.pick(&["ZPOPMIN", "ZPOPMAX"]);
                let rest = if self.rng.chance(40) { vec![self.number(5)] } else { vec![] };
                self.one(name, &key, rest)
            }
            11 => {
                let (from, to) = (self.key('z')?, self.rng.below(30).to_string());
                self.one("ZRANGESTORE", &key, vec![from, word("0"), word(&to)])
            }
            12 => {
                let from = i32::try_from(self.rng.below(200)).unwrap_or(0) - 100;
                let to = (from + 10).to_string();
                self.one("ZREMRANGEBYSCORE", &key, vec![word(&from.to_string()), word(&to)])
            }
            _ => {
                let (from, to) = (self.number(3), self.rng.below(4) + 2);
                self.one("ZREMRANGEBYRANK", &key, vec![from, word(&to.to_string())])
            }
        }
    }

    /// A number of halves: sums of them are exact.
    fn score(&mut self) -> Bytes {
        let halves = i32::try_from(self.rng.below(401)).unwrap_or(0) - 200;
        format!("{}", f64::from(halves) / 2.0).into_bytes()
    }
}
