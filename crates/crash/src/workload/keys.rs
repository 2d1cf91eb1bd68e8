//! Deleting, renaming, copying and moving keys, and their deadlines.

use super::{DATABASES, Draw, Steps, past, word};

const KINDS: [char; 11] = ['s', 'n', 'f', 'h', 'l', 't', 'z', 'e', 'j', 'p', 'r'];

impl Draw<'_> {
    pub(super) fn key_command(&mut self) -> Steps {
        let kind = *self.rng.pick(&KINDS);
        match self.rng.below(16) {
            0 | 1 => {
                let key = self.any_key(kind);
                let name = *self.rng.pick(&["DEL", "UNLINK"]);
                let second = *self.rng.pick(&KINDS);
                let other = self.any_key(second);
                if self.used.contains(&key) || self.used.contains(&other) || key == other {
                    return None;
                }
                let rest = if self.rng.chance(20) { vec![other] } else { vec![] };
                self.one(name, &key, rest)
            }
            2..=4 => {
                let (from, to) = (self.key(kind)?, self.key(kind)?);
                let name = *self.rng.pick(&["RENAME", "RENAME", "RENAMENX"]);
                self.one(name, &from, vec![to])
            }
            5 | 6 => self.copy(kind),
            7 | 8 => {
                let (key, target) = (self.key(kind)?, self.other_db());
                let free = self.usable(target, &key);
                if free { self.one("MOVE", &key, vec![word(&target.to_string())]) } else { None }
            }
            9 | 10 => {
                let (key, life) = (self.key(kind)?, self.life());
                if life > 1000 && self.rng.chance(30) {
                    let seconds = (life / 1000).to_string().into_bytes();
                    return self.asking("EXPIRE", &key, vec![seconds]);
                }
                self.asking("PEXPIRE", &key, vec![life.to_string().into_bytes()])
            }
            11 | 12 => {
                let key = self.key(kind)?;
                // A deadline that has passed deletes at once.
                let at = if self.rng.chance(10) { past(self.now) } else { self.now + self.life() };
                self.one("PEXPIREAT", &key, vec![at.to_string().into_bytes()])
            }
            _ => {
                let key = self.key(kind)?;
                self.one("PERSIST", &key, vec![])
            }
        }
    }

    fn copy(&mut self, kind: char) -> Steps {
        let (from, to) = (self.key(kind)?, self.key(kind)?);
        let mut rest = vec![to.clone()];
        if self.rng.chance(40) {
            let target = self.other_db();
            if !self.usable(target, &to) {
                return None;
            }
            rest.extend([word("DB"), word(&target.to_string())]);
        } else if from == to {
            return None;
        }
        if self.rng.chance(70) {
            rest.push(word("REPLACE"));
        }
        self.one("COPY", &from, rest)
    }

    fn other_db(&mut self) -> u8 {
        let step = 1 + self.rng.below(usize::from(DATABASES) - 1);
        let step = u8::try_from(step).unwrap_or(1);
        (self.db + step) % DATABASES
    }
}
