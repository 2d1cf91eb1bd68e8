//! The shards of a transaction: locked before its work, given back behind it, whatever it does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::busy::{Busy, Guard};
use crate::txn::{Failed, HeldShard, Scope};
use crate::{Shard, Store, Txn};

impl Txn {
    /// Locks `scope`, runs `work`, gives everything back. `store` is this transaction's own store,
    /// borrowed from the caller so that no reference count is touched per request.
    ///
    /// # Errors
    /// `work` panicked; the panic goes no further. Or a shard is not to be had: then nothing was
    /// done, unless `work` walks over shards it does not hold.
    #[inline]
    pub fn with<R>(
        &mut self,
        store: &Store,
        scope: Scope<'_>,
        work: impl FnOnce(&mut Txn) -> R,
    ) -> Result<R, Failed> {
        self.with_or(store, scope, work, |_| ())
    }

    /// As [`Txn::with`]; if `work` panics, `broken` runs too, before anything is given back: no
    /// other thread sees what was left behind before it is, say, in the journal.
    ///
    /// # Errors
    /// As [`Txn::with`].
    #[inline]
    pub fn with_or<R>(
        &mut self,
        store: &Store,
        scope: Scope<'_>,
        work: impl FnOnce(&mut Txn) -> R,
        broken: impl FnOnce(&mut Txn),
    ) -> Result<R, Failed> {
        debug_assert!(self.held.is_empty(), "a transaction locks once");
        let work = |txn: &mut Txn| txn.outermost(work, broken);
        match scope {
            Scope::None => {
                let result = work(self);
                self.notifications.deliver(store);
                result
            }
            Scope::One(number) => {
                let mut guard = store.lock(number, self.hurried).ok_or(Failed::Busy)?;
                if guard.is_none() {
                    return Err(Failed::Busy);
                }
                if guard.as_ref().is_some_and(|s| s.waiting.has_deferred()) {
                    drop(guard);
                    return self.with_several(store, vec![number], work);
                }
                self.hold(number, &mut guard);
                let result = work(self);
                self.settle();
                self.give_back(std::iter::once(&mut guard));
                result
            }
            Scope::Many(numbers) => self.with_several(store, numbers.to_vec(), work),
            Scope::All => {
                let numbers = (0..store.slots.len()).collect();
                self.everything = true;
                let result = self.with_several(store, numbers, work);
                self.everything = false;
                result
            }
        }
    }

    pub(crate) fn hold(&mut self, number: usize, slot: &mut Option<Box<Shard>>) {
        // The slot is full whenever its lock is free, unless a transaction was broken off: that is
        // looked at before.
        if let Some(shard) = slot.take() {
            self.held.push(HeldShard { number, shard });
        }
    }

    /// Gives the held shards back: not those of a transaction that was broken off.
    pub(crate) fn give_back<'g, 's: 'g>(
        &mut self,
        guards: impl Iterator<Item = &'g mut Guard<'s>>,
    ) {
        let broken_off = std::mem::take(&mut self.broken_off);
        for (guard, held) in guards.zip(self.held.drain(..)) {
            match broken_off {
                true => self.store.withheld.lock().push(held),
                false => **guard = Some(held.shard),
            }
        }
    }

    pub(crate) fn outermost<R>(
        &mut self,
        work: impl FnOnce(&mut Txn) -> R,
        broken: impl FnOnce(&mut Txn),
    ) -> Result<R, Failed> {
        #[cfg(debug_assertions)]
        let _at_work = crate::busy::AtWork::begin(!self.held.is_empty());
        self.notifications.look_around(&self.store);
        let result = self.contain(work);
        if let Err(failed) = &result {
            if matches!(failed, Failed::Panicked(_)) {
                // Contained as well: what it is about may be what is broken.
                let _ = self.contain(broken);
            }
            // Clients that wait for these keys are served by the next request that feeds them.
            self.ready.clear();
        }
        result
    }

    /// Runs `work` on the shards that are held already.
    ///
    /// # Errors
    /// `work` panicked; the panic goes no further, and the accounts of the shards are right.
    pub fn contain<R>(&mut self, work: impl FnOnce(&mut Txn) -> R) -> Result<R, Failed> {
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        result.map_err(|panic| {
            // What it touched may have changed: watchers had better know.
            self.publish_changes();
            for held in &mut self.held {
                held.shard.recount();
            }
            if panic.is::<Busy>() {
                return Failed::Busy;
            }
            let message = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
            let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
            Failed::Panicked(message.unwrap_or_else(|| "unknown panic".to_owned()))
        })
    }
}
