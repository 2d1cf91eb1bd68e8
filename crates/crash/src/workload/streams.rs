//! Streams: entries with ids that grow, two groups, and consumers that forget to acknowledge.

use super::{Draw, Steps, word};
use crate::value::{Bytes, Stream, Value};

impl Draw<'_> {
    pub(super) fn stream(&mut self) -> Steps {
        let key = self.key('e')?;
        let stream = self.stream_at(&key);
        match self.rng.below(20) {
            0..=8 => {
                *self.sequence += 1;
                let id = word(&format!("{}-1", stream.last.max(*self.sequence) + 1));
                let value = self.bytes(40);
                let mut rest = vec![id, word("f"), value];
                if self.rng.chance(25) {
                    let most = if Self::is_big(&key) { 600 } else { 30 };
                    let most = self.number(most);
                    rest.splice(0..0, [word("MAXLEN"), most]);
                }
                self.one("XADD", &key, rest)
            }
            9 | 10 => {
                let ids = self.ids(&stream)?;
                self.one("XDEL", &key, ids)
            }
            11 => {
                let most = self.number(200);
                self.one("XTRIM", &key, vec![word("MAXLEN"), most])
            }
            12 | 13 => {
                let from = *self.rng.pick(&["0", "$"]);
                let rest = [&b"CREATE"[..], &key, &self.group_name(), from.as_bytes(), b"MKSTREAM"];
                Some(vec![self.words("XGROUP", &rest)])
            }
            14 if self.rng.chance(10) => {
                let rest = [&b"DESTROY"[..], &key, &self.group_name()];
                // It wants the key to be there.
                let there = !self.is_missing(&key);
                there.then(|| vec![self.words("XGROUP", &rest)])
            }
            14..=17 => {
                let (group, count) = (self.group_name(), self.number(12));
                let consumer = format!("c{}", self.rng.below(3));
                if count == b"0" {
                    return None;
                }
                let rest: [&[u8]; 8] = [
                    b"GROUP",
                    &group,
                    consumer.as_bytes(),
                    b"COUNT",
                    &count,
                    b"STREAMS",
                    &key,
                    b">",
                ];
                Some(vec![self.words("XREADGROUP", &rest)])
            }
            _ => {
                let mut rest = vec![self.group_name()];
                rest.extend(self.ids(&stream)?);
                self.one("XACK", &key, rest)
            }
        }
    }

    fn words(&self, name: &str, rest: &[&[u8]]) -> crate::unit::Step {
        let mut args = vec![word(name)];
        args.extend(rest.iter().map(|part| part.to_vec()));
        self.step(args)
    }

    fn group_name(&mut self) -> Bytes {
        word(if self.rng.chance(66) { "g" } else { "h" })
    }

    fn stream_at(&self, key: &Bytes) -> Stream {
        match self.live.keys.get(&(self.db, key.clone())).map(|entry| &entry.value) {
            Some(Value::Stream(stream)) if !self.is_missing(key) => stream.clone(),
            _ => Stream::default(),
        }
    }

    /// Ids that are there, or were.
    fn ids(&mut self, stream: &Stream) -> Option<Vec<Bytes>> {
        let known: Vec<u64> = stream.entries.keys().copied().collect();
        let pending = stream.groups.values().flat_map(|group| group.pending.keys().copied());
        let known: Vec<u64> = known.into_iter().chain(pending).collect();
        if known.is_empty() {
            return None;
        }
        let drawn = (0..=self.rng.below(5)).map(|_| *self.rng.pick(&known));
        let mut ids: Vec<u64> = drawn.collect();
        ids.sort_unstable();
        ids.dedup();
        Some(ids.into_iter().map(|id| word(&format!("{id}-1"))).collect())
    }
}
