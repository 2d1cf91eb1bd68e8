//! Scripts by their digests, for `EVALSHA`.
//!
//! What `SCRIPT LOAD` put here stays until `SCRIPT FLUSH`. Scripts that only `EVAL` has sent are
//! kept for clients that ask for them by digest next, but not for ever: applications that write
//! arguments into their scripts would fill the memory. Of those the one that was not used for the
//! longest time goes first. Redis does so since 7.4.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use base::Millis;
use hashbrown::HashMap;
use parking_lot::RwLock;
use script::Script;

use super::needs::Needs;

/// How many scripts are kept that were never loaded.
const PASSING: usize = 500;
/// How many bytes they may be. The one that was sent last is kept whatever it takes.
const PASSING_BYTES: u64 = 64 << 20;
/// Bytes a script takes beside its body, about.
const OVERHEAD: usize = 128;

/// Names a script.
pub(crate) type Digest = [u8; 40];

/// A script that is known.
pub(crate) struct Cached {
    pub script: Script,
    /// What it has turned out to need.
    pub needs: Needs,
    /// It was loaded, and so stays.
    loaded: AtomicBool,
    /// When it was last asked for.
    used: AtomicU64,
    /// It is not known any more: a thread that has it at hand must not run it by its digest.
    gone: AtomicBool,
}

impl Cached {
    /// Whether it is known still.
    pub fn is_known(&self) -> bool {
        !self.gone.load(Ordering::Acquire)
    }

    /// Notes that it was used.
    #[inline]
    pub fn note_use(&self, now: Millis) {
        // Others read it too: written only when there is something new to say.
        if self.used.load(Ordering::Relaxed) != now {
            self.used.store(now, Ordering::Relaxed);
        }
    }
}

/// The scripts of a server.
#[derive(Default)]
pub(crate) struct Scripts {
    known: RwLock<HashMap<Digest, Arc<Cached>>>,
    /// Bytes of all of them.
    memory: AtomicU64,
    /// How often all have been forgotten: interpreters forget theirs then, too.
    flushes: AtomicU64,
    /// How many had to go for others.
    evicted: AtomicU64,
}

impl Scripts {
    /// The script of this digest.
    pub fn get(&self, digest: &Digest) -> Option<Arc<Cached>> {
        self.known.read().get(digest).map(Arc::clone)
    }

    /// Makes a script known; it stays if it is loaded.
    pub fn add(&self, script: Script, now: Millis, loaded: bool) -> Arc<Cached> {
        let mut known = self.known.write();
        if let Some(cached) = known.get(script.digest()) {
            cached.loaded.fetch_or(loaded, Ordering::Relaxed);
            return Arc::clone(cached);
        }
        let cached = Arc::new(Cached {
            needs: Needs::default(),
            loaded: AtomicBool::new(loaded),
            used: AtomicU64::new(now),
            gone: AtomicBool::new(false),
            script,
        });
        self.memory.fetch_add(size(&cached), Ordering::Relaxed);
        known.insert(*cached.script.digest(), Arc::clone(&cached));
        if !loaded {
            self.make_room(&mut known, cached.script.digest());
        }
        cached
    }

    /// Forgets scripts that were not used for the longest time, while there are too many or they
    /// are too long; but never `newest`.
    fn make_room(&self, known: &mut HashMap<Digest, Arc<Cached>>, newest: &Digest) {
        loop {
            let passing = || known.values().filter(|cached| !cached.loaded.load(Ordering::Relaxed));
            let (count, bytes) =
                passing().fold((0, 0), |(count, bytes), cached| (count + 1, bytes + size(cached)));
            if count <= PASSING && bytes <= PASSING_BYTES {
                return;
            }
            let others = passing().filter(|cached| cached.script.digest() != newest);
            let oldest = others.min_by_key(|cached| cached.used.load(Ordering::Relaxed));
            let Some(digest) = oldest.map(|cached| *cached.script.digest()) else { return };
            if let Some(cached) = known.remove(&digest) {
                cached.gone.store(true, Ordering::Release);
                self.memory.fetch_sub(size(&cached), Ordering::Relaxed);
                self.evicted.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Forgets all of them.
    pub fn flush(&self) {
        let mut known = self.known.write();
        for cached in known.values() {
            cached.gone.store(true, Ordering::Release);
        }
        known.clear();
        self.memory.store(0, Ordering::Relaxed);
        self.flushes.fetch_add(1, Ordering::Release);
    }

    /// How often all have been forgotten.
    #[inline]
    pub fn flushes(&self) -> u64 {
        self.flushes.load(Ordering::Acquire)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.read().len()
    }

    /// Bytes of all of them.
    pub fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// How many had to go for others.
    pub fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }
}

fn size(cached: &Cached) -> u64 {
    (cached.script.body().len() + OVERHEAD) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(n: usize) -> Script {
        Script::new(format!("return {n}").as_bytes()).unwrap()
    }

    #[test]
    fn what_was_only_run_goes_when_others_come() {
        let scripts = Scripts::default();
        let loaded = scripts.add(script(0), 0, true);
        let first = scripts.add(script(1), 1, false);
        for n in 2..=PASSING {
            scripts.add(script(n), 2, false);
        }
        assert_eq!((scripts.len(), scripts.evicted()), (PASSING + 1, 0));
        first.note_use(9);
        let second = scripts.get(script(2).digest()).unwrap();
        for n in 3..PASSING {
            scripts.get(script(n).digest()).unwrap().note_use(3);
        }
        scripts.get(script(PASSING).digest()).unwrap().note_use(4);
        scripts.add(script(PASSING + 1), 5, false);
        assert!(loaded.is_known() && first.is_known() && !second.is_known());
        assert_eq!((scripts.len(), scripts.evicted()), (PASSING + 1, 1));
    }

    #[test]
    fn long_scripts_go_sooner() {
        let scripts = Scripts::default();
        let long = |n: u8| {
            let text = [b"return '", &vec![b'0' + n; 20 << 20][..], b"'"].concat();
            Script::new(&text).unwrap()
        };
        let loaded = scripts.add(long(0), 0, true);
        let first = scripts.add(long(1), 1, false);
        let others = [2, 3, 4].map(|n| scripts.add(long(n), u64::from(n), false));
        assert!(loaded.is_known() && !first.is_known(), "three are as many as may be");
        assert!(others.iter().all(|cached| cached.is_known()));
        assert_eq!((scripts.len(), scripts.evicted()), (4, 1));
    }

    #[test]
    fn loading_makes_a_script_stay() {
        let scripts = Scripts::default();
        let cached = scripts.add(script(0), 0, false);
        scripts.add(script(0), 0, true);
        for n in 1..=2 * PASSING {
            scripts.add(script(n), 1, false);
        }
        assert!(cached.is_known());
        assert_eq!(scripts.len(), PASSING + 1);
        scripts.flush();
        assert!(!cached.is_known());
        assert_eq!((scripts.len(), scripts.memory(), scripts.flushes()), (0, 0, 1));
    }
}
