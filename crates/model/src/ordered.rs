//! Ranges: a `BTreeMap` has its keys in order anyway.

use base::{Key, Keyspace, Reply};
use types::{Held, KeyList, Ordered, Span};

use crate::{Entry, Model, Value};

impl Model {
    fn within<'m>(
        &'m self,
        span: Span<'_>,
    ) -> impl DoubleEndedIterator<Item = (&'m [u8], &'m Entry)> {
        let live = self.dbs[self.db].iter().filter(|(_, entry)| self.live(entry));
        live.map(|(key, entry)| (&key[..], entry)).filter(move |(key, _)| span.contains(key))
    }
}

impl Ordered for Model {
    fn names(
        &mut self,
        span: Span<'_>,
        reverse: bool,
        most: usize,
        names: &mut KeyList,
    ) -> Result<(), base::CmdError> {
        let keys: Vec<&[u8]> = self.within(span).map(|(key, _)| key).collect();
        if reverse {
            keys.iter().rev().take(most).for_each(|key| names.push(key));
        } else {
            keys.iter().take(most).for_each(|key| names.push(key));
        }
        Ok(())
    }

    fn answer_names(
        &mut self,
        _: Span<'_>,
        _: bool,
        _: (usize, usize),
        _: &mut dyn Reply,
    ) -> Result<bool, base::CmdError> {
        // By the names, as where there are too many: so both ways are compared.
        Ok(false)
    }

    fn count_names(&mut self, span: Span<'_>) -> Result<usize, base::CmdError> {
        Ok(self.within(span).count())
    }

    fn count_overdue(&mut self, _: Span<'_>, _: usize) -> Option<usize> {
        Some(0)
    }

    fn any_expires(&mut self) -> bool {
        false
    }

    fn may_all(&self) -> bool {
        true
    }

    fn may(&self, _: &[u8]) -> bool {
        true
    }

    fn most_replied(&self) -> usize {
        1_000_000
    }

    fn look_at(&mut self, names: &KeyList, show: &mut dyn FnMut(usize, Held<'_>)) {
        for (at, name) in names.iter().enumerate() {
            let Some(entry) = self.entry(self.hasher.key(name)) else { continue };
            show(
                at,
                match &entry.value {
                    Value::Str { bytes, .. } => Held::Text(bytes),
                    Value::Json(json) => Held::Json(json),
                    value => Held::Other(value.kind()),
                },
            );
        }
    }

    fn hold<R>(&mut self, _: &KeyList, work: impl FnOnce(&mut Self) -> R) -> R {
        work(self)
    }

    fn must_stop(&self) -> bool {
        false
    }

    fn delete(&mut self, key: Key<'_>) -> bool {
        self.remove(key, true)
    }

    fn key_of<'k>(&self, name: &'k [u8]) -> Key<'k> {
        self.hasher.key(name)
    }
}
