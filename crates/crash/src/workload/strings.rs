//! Strings: overwritten, grown, counted, with and without deadlines, up to some 100 kB.

use super::{Draw, Steps, word};
use crate::unit::Step;
use crate::value::Bytes;

impl Draw<'_> {
    pub(super) fn string(&mut self) -> Steps {
        match self.rng.below(16) {
            0..=2 => {
                // Blind: also the way back for a key whose state is not known.
                let key = self.any_key('s');
                let value = self.string_value(&key);
                if self.used.contains(&key) { None } else { self.one("SET", &key, vec![value]) }
            }
            3 => self.set_for_a_time(),
            4 => {
                let (key, at) = (self.key('s')?, self.now + self.life());
                let value = self.string_value(&key);
                let at = at.to_string().into_bytes();
                self.one("SET", &key, vec![value, word("PXAT"), at])
            }
            5 => {
                let key = self.key('s')?;
                let option = *self.rng.pick(&["NX", "XX", "KEEPTTL"]);
                let value = self.string_value(&key);
                self.one("SET", &key, vec![value, word(option)])
            }
            6 => {
                let key = self.key('s')?;
                let part = self.string_value(&key);
                if self.size(&key) > 400_000 {
                    return self.one("DEL", &key, vec![]);
                }
                self.one("APPEND", &key, vec![part])
            }
            7 => {
                let key = self.key('s')?;
                let below = if Self::is_big(&key) { 150_000 } else { 60 };
                let (from, part) = (self.number(below), self.bytes(40));
                if part.is_empty() { None } else { self.one("SETRANGE", &key, vec![from, part]) }
            }
            8 | 9 => self.count(),
            10 => {
                let key = self.key('f')?;
                let quarters = i32::try_from(self.rng.below(161)).unwrap_or(0) - 80;
                let amount = format!("{}", f64::from(quarters) / 4.0);
                self.one("INCRBYFLOAT", &key, vec![word(&amount)])
            }
            11 | 12 => self.many(),
            13 => {
                let key = self.key('s')?;
                self.one("GETDEL", &key, vec![])
            }
            14 => self.get_and_expire(),
            _ => {
                let key = self.key('s')?;
                let value = self.string_value(&key);
                self.one("GETSET", &key, vec![value])
            }
        }
    }

    fn string_value(&mut self, key: &Bytes) -> Bytes {
        let most = if Self::is_big(key) && self.rng.chance(10) { 300_000 } else { 80 };
        self.bytes(most)
    }

    fn set_for_a_time(&mut self) -> Steps {
        let key = self.key('s')?;
        let (value, life) = (self.bytes(80), self.life());
        let (unit, life) = if life > 1000 && self.rng.chance(30) {
            ("EX", (life / 1000).max(1))
        } else {
            ("PX", life)
        };
        self.asking("SET", &key, vec![value, word(unit), life.to_string().into_bytes()])
    }

    fn count(&mut self) -> Steps {
        // Now and then a string that is no number: an error that must leave no trace.
        let kind = if self.rng.chance(5) { 's' } else { 'n' };
        let key = self.key(kind)?;
        if kind == 's' && (self.size(&key) == 0 || self.size(&key) > 60) {
            return None;
        }
        let amount = self.number(1000);
        match self.rng.below(4) {
            0 => self.one("INCR", &key, vec![]),
            1 => self.one("DECR", &key, vec![]),
            2 => self.one("INCRBY", &key, vec![amount]),
            _ => self.one("DECRBY", &key, vec![amount]),
        }
    }

    fn many(&mut self) -> Steps {
        let mut args = vec![word("MSET")];
        for _ in 0..=self.rng.below(5) {
            let key = self.any_key('s');
            if !self.used.contains(&key) {
                args.push(key);
                args.push(self.bytes(80));
            }
        }
        (args.len() > 2).then(|| vec![self.step(args)])
    }

    fn get_and_expire(&mut self) -> Steps {
        let (key, life) = (self.key('s')?, self.life());
        match self.rng.below(3) {
            0 => self.one("GETEX", &key, vec![word("PERSIST")]),
            1 => {
                let at = (self.now + life).to_string().into_bytes();
                self.one("GETEX", &key, vec![word("PXAT"), at])
            }
            _ => self.asking("GETEX", &key, vec![word("PX"), life.to_string().into_bytes()]),
        }
    }

    /// The same number in many keys, which are in different shards.
    pub(super) fn same_number(&mut self) -> Steps {
        *self.sequence += 1;
        let number = self.sequence.to_string();
        let steps: Vec<Step> = (0..8)
            .map(|n| {
                let mut key = self.live.prefix.clone();
                key.extend_from_slice(format!("g{n}").as_bytes());
                self.step(vec![word("SET"), key, word(&number)])
            })
            .collect();
        Some(steps)
    }
}
