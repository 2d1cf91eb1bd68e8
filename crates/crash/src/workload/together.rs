//! What connections write together, and waiting for one's own push.
//!
//! Of a shared key, each partition's model holds the partition's own part: its elements of a list,
//! its field of a hash. The rest (the sum in a counter, the group that all overwrite) is checked
//! against those parts.

use super::{Draw, word};
use crate::unit::{Step, Unit};
use crate::value::Bytes;

/// The database of the shared keys. SWAPDB and FLUSHDB leave it alone.
pub const SHARED_DB: u8 = 4;

/// How many keys the shared group has.
pub const GROUP_KEYS: usize = 8;

/// The keys that always hold the same value.
#[must_use]
pub fn shared_group_keys() -> Vec<Bytes> {
    (0..GROUP_KEYS).map(|n| format!("shared:g{n}").into_bytes()).collect()
}

impl Draw<'_> {
    pub(super) fn shared(&mut self) -> Option<Vec<Unit>> {
        self.db = SHARED_DB;
        let who = self.live.prefix[..self.live.prefix.len() - 1].to_vec();
        *self.sequence += 1;
        let number = *self.sequence;
        let steps = match self.rng.below(3) {
            0 => {
                let list = format!("shared:list:{}", self.work.cycle);
                let mut args = vec![word("RPUSH"), word(&list)];
                for part in 0..=self.rng.below(3) {
                    let mut item = self.live.prefix.clone();
                    item.extend_from_slice(format!("{number:09}.{part}").as_bytes());
                    args.push(item);
                }
                return Some(vec![Unit::new(vec![self.step(args)], false)]);
            }
            1 => vec![
                self.step(vec![word("INCR"), word("shared:counter")]),
                self.step(vec![word("HINCRBY"), word("shared:counts"), who, word("1")]),
            ],
            _ => {
                let mut value = self.live.prefix.clone();
                value.extend_from_slice(number.to_string().as_bytes());
                let keys = shared_group_keys().into_iter();
                let set = |key| self.step(vec![word("SET"), key, value.clone()]);
                let mut steps: Vec<Step> = keys.map(set).collect();
                let number = number.to_string().into_bytes();
                steps.push(self.step(vec![word("HSET"), word("shared:last"), who, number]));
                steps
            }
        };
        Some(vec![Unit::new(steps, true)])
    }

    /// A push to a key that is missing, and the pop that was waiting for it.
    pub(super) fn waiting(&mut self) -> Option<Vec<Unit>> {
        const PATIENCE: &str = "20";
        let sorted = self.rng.chance(30);
        let key = self.key(if sorted { 'z' } else { 'l' })?;
        if !self.is_missing(&key) {
            return None;
        }
        let item = self.element(&key);
        let (push, pop) = if sorted {
            let push = self.one("ZADD", &key, vec![word("1.5"), item])?;
            (push, self.one("BZPOPMIN", &key, vec![word(PATIENCE)])?)
        } else if self.rng.chance(50) {
            let more = self.elements(&key);
            let push = self.one("RPUSH", &key, [vec![item], more].concat())?;
            (push, self.one("BLPOP", &key, vec![word(PATIENCE)])?)
        } else {
            let to = self.key('l')?;
            if to == key {
                return None;
            }
            let push = self.one("LPUSH", &key, vec![item])?;
            let rest = vec![to, word("LEFT"), word("RIGHT"), word(PATIENCE)];
            (push, self.one("BLMOVE", &key, rest)?)
        };
        let mut pop: Unit = Unit::new(pop, false);
        pop.waits = true;
        Some(vec![Unit::new(push, false), pop])
    }
}
