//! Scripts by their digests, for `EVALSHA`.
//!
//! What `SCRIPT LOAD` put here stays until `SCRIPT FLUSH`. Scripts that only `EVAL` has sent are
//! kept for clients that ask for them by digest next, but not for ever: applications that write
//! arguments into their scripts would fill the memory. Of those the one that was not used for the
//! longest time goes first. Redis does so since 7.4.
//!
//! A use of a script is noted without a lock, so the order of use is corrected late: a script that
//! would have to go, and has been used since it got its place, gets a new one instead. Each use
//! pays for one such step, so a new script costs a look or two, however many there are.

use std::collections::BTreeMap;
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

/// When a script was used, as far as is known, and a number that tells it from others.
type Place = (Millis, u64);

/// The scripts by their digests.
#[derive(Default)]
struct Known {
    scripts: HashMap<Digest, (Arc<Cached>, Option<Place>)>,
    /// Those that were never loaded, in the order in which they go, and their bytes.
    passing: BTreeMap<Place, Digest>,
    passing_bytes: u64,
    next: u64,
    /// How often it was looked which script goes.
    #[cfg(test)]
    looks: u64,
}

impl Known {
    /// Gives a script a place among those that go for others.
    fn queue(&mut self, digest: Digest, used: Millis) -> Place {
        self.next += 1;
        let place = (used, self.next);
        self.passing.insert(place, digest);
        place
    }

    /// A script was loaded: it stays.
    fn load(&mut self, digest: &Digest) {
        let Some((cached, place)) = self.scripts.get_mut(digest) else { return };
        let Some(place) = place.take() else { return };
        self.passing_bytes -= size(cached);
        self.passing.remove(&place);
    }

    /// Takes out the script that was not used for the longest time, of those that were never
    /// loaded.
    fn take_oldest(&mut self) -> Option<Arc<Cached>> {
        loop {
            #[cfg(test)]
            {
                self.looks += 1;
            }
            let (place, digest) = self.passing.pop_first()?;
            let used = self.scripts.get(&digest)?.0.used.load(Ordering::Relaxed);
            if used <= place.0 {
                let (cached, _) = self.scripts.remove(&digest)?;
                self.passing_bytes -= size(&cached);
                return Some(cached);
            }
            let place = self.queue(digest, used);
            self.scripts.get_mut(&digest)?.1 = Some(place);
        }
    }
}

/// The scripts of a server.
#[derive(Default)]
pub(crate) struct ScriptCache {
    known: RwLock<Known>,
    /// Bytes of all of them.
    memory: AtomicU64,
    /// How often all have been forgotten: interpreters forget theirs then, too.
    flushes: AtomicU64,
    /// How many had to go for others.
    evicted: AtomicU64,
}

impl ScriptCache {
    /// The script of this digest.
    pub fn get(&self, digest: &Digest) -> Option<Arc<Cached>> {
        self.known.read().scripts.get(digest).map(|(cached, _)| Arc::clone(cached))
    }

    /// Makes a script known; it stays if it is loaded.
    pub fn add(&self, script: Script, now: Millis, loaded: bool) -> Arc<Cached> {
        let mut known = self.known.write();
        if let Some((cached, _)) = known.scripts.get(script.digest()) {
            let cached = Arc::clone(cached);
            if loaded {
                known.load(script.digest());
            }
            return cached;
        }
        let cached = Arc::new(Cached {
            needs: Needs::default(),
            used: AtomicU64::new(now),
            gone: AtomicBool::new(false),
            script,
        });
        let digest = *cached.script.digest();
        let mut place = None;
        if !loaded {
            self.make_room(&mut known, size(&cached));
            place = Some(known.queue(digest, now));
            known.passing_bytes += size(&cached);
        }
        self.memory.fetch_add(size(&cached), Ordering::Relaxed);
        known.scripts.insert(digest, (Arc::clone(&cached), place));
        cached
    }

    /// Forgets scripts that were not used for the longest time, until there is room for one more of
    /// so many bytes.
    fn make_room(&self, known: &mut Known, bytes: u64) {
        while known.passing.len() >= PASSING || known.passing_bytes + bytes > PASSING_BYTES {
            let Some(cached) = known.take_oldest() else { return };
            cached.gone.store(true, Ordering::Release);
            self.memory.fetch_sub(size(&cached), Ordering::Relaxed);
            self.evicted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Forgets all of them.
    pub fn flush(&self) {
        let mut known = self.known.write();
        for (cached, _) in known.scripts.values() {
            cached.gone.store(true, Ordering::Release);
        }
        *known = Known::default();
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
        self.known.read().scripts.len()
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
        let scripts = ScriptCache::default();
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
        let scripts = ScriptCache::default();
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
    fn a_new_script_costs_a_look_or_two_however_many_there_are() {
        const NEW: usize = 3 * PASSING;
        const USED: usize = PASSING / 4;
        let scripts = ScriptCache::default();
        let looks = || scripts.known.read().looks;
        (0..PASSING).for_each(|n| drop(scripts.add(script(n), 1, false)));
        // Some of them are used again and again, in between.
        (0..USED).for_each(|n| scripts.get(script(n).digest()).unwrap().note_use(2));
        for n in 0..NEW {
            let used = scripts.get(script(n % USED).digest()).unwrap();
            used.note_use(n as u64 + 3);
            scripts.add(script(PASSING + n), n as u64 + 3, false);
        }
        assert_eq!((scripts.len(), scripts.evicted()), (PASSING, NEW as u64));
        // One that goes for each new one, and one that stays for each use.
        assert!(looks() <= (2 * NEW + USED) as u64, "{}", looks());
        for n in 0..USED {
            assert!(scripts.get(script(n).digest()).is_some(), "{n} was used");
        }
    }

    #[test]
    fn loading_makes_a_script_stay() {
        let scripts = ScriptCache::default();
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
