//! The ordered index of each database: made when first asked for, then exact.
//!
//! ```text
//!   writer   holds a shard ─► new or gone key ─► the shard's Delta ─► marks the shard (one bit)
//!                                                      │
//!   query    for each marked shard: locks it ─► Delta ─┴─► queue ─► clears the mark
//!            then, holding no shard: tree.write ◄── merges the queue, if there is anything in it
//!                                    tree.read  ──► names
//!
//!   locks, in the order in which they are taken:   shards  <  state  <  tree  <  queue
//! ```
//!
//! * **Writers** pay for a key that comes or goes: a few bytes noted in their shard. Overwriting a
//!   key costs a look at whether it was there, which the table tells anyway. They never take the
//!   lock of a tree, nor wait for who has it.
//! * **A query sees every write that was acknowledged before it**: the mark is set before the shard
//!   is let go, and cleared under the shard's lock after its delta is in the queue. Who finds the
//!   mark cleared finds the delta in the queue or in the tree. A transaction that holds shards (in
//!   `EXEC`, in a script) takes the deltas of those it holds, marked or not.
//! * **The changes of a key stay in order**: all are of one shard, whose lock is held from the
//!   taking of its delta until it is in the queue; a merge takes the whole queue, under the tree's
//!   lock.
//! * **No thread with a tree's lock waits for a shard**, so a thread that holds shards may wait for
//!   a tree.
//! * **Building** ([`Build`]): each shard in turn begins to note what comes and goes, and is then
//!   read by slices, its lock given back between them, by as many threads as there are. What was
//!   read and what was noted meanwhile come to the truth whatever came first, as changes of a set
//!   may be made twice.
//! * **Notes belong to a generation** of the index, as trees and builders do; no number is used
//!   twice. Notes of another generation than the index has now are thrown away, where the queue is
//!   locked: so what was noted for an index that was given up never gets into the next one.
//! * **`FLUSHDB`, `FLUSHALL`, `SWAPDB`** hold every shard: they empty or exchange the trees, and
//!   end what is being built by a new generation number, at which builders look under the locks of
//!   shards.
//!
//! Whether any key of a database has a deadline is known without asking every shard: see
//! `deadlines.rs`.
//!
//! Must never: take a shard's lock while holding one of an index.

mod build;
mod deadlines;
mod notes;

use sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use base::Millis;
use index::{Delta, Tree, changes};
use sync::{Mutex, RwLock};

pub use build::{Build, Run};
use deadlines::Deadlines;

use crate::shard::noted::Noted;

/// When indexes are kept: `range-index`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// From the first query on.
    #[default]
    Asked,
    /// Always.
    Always,
    /// Never: queries are errors.
    Never,
}

/// What there is of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    Off,
    /// It is being built.
    Building,
    /// All of it.
    Live,
}

/// Figures about a database's index.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// What there is of it.
    pub phase: Phase,
    /// Keys in it, without those that wait to be merged.
    pub keys: usize,
    /// Bytes it takes.
    pub memory: usize,
    /// Changes that wait to be merged, about.
    pub waiting: usize,
    /// How long the last building took, in milliseconds.
    pub built_in: Millis,
}

/// The indexes of a store, one for each database.
pub struct Indexes {
    /// How many shards there are.
    shards: usize,
    pub(crate) slots: Box<[Slot]>,
    /// The last generation of any database.
    generations: AtomicU64,
    keeping: AtomicU8,
    pub(crate) most_replied: AtomicUsize,
    /// How often databases have changed places.
    swaps: AtomicU64,
}

/// The index of one database.
pub(crate) struct Slot {
    /// Changes of the phase are made under this.
    state: Mutex<()>,
    phase: AtomicU8,
    /// Another one whenever what is being built, or was, is worth nothing any more.
    generation: AtomicU64,
    /// A bit per shard: it has noted something.
    pub marks: Box<[AtomicU64]>,
    /// About how many changes were noted and are not merged.
    waiting: AtomicUsize,
    pub deadlines: Deadlines,
    queue: Mutex<Vec<Delta>>,
    /// There is something in the queue.
    queued: AtomicBool,
    pub tree: RwLock<Tree>,
    /// Bytes of the tree.
    memory: AtomicUsize,
    built_in: AtomicU64,
    /// When it was last asked.
    pub used: AtomicU64,
}

impl Slot {
    fn new(shards: usize) -> Self {
        Slot {
            state: Mutex::new(()),
            phase: AtomicU8::new(Phase::Off as u8),
            generation: AtomicU64::new(0),
            marks: (0..shards.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            waiting: AtomicUsize::new(0),
            deadlines: Deadlines::default(),
            queue: Mutex::default(),
            queued: AtomicBool::new(false),
            tree: RwLock::default(),
            memory: AtomicUsize::new(0),
            built_in: AtomicU64::new(0),
            used: AtomicU64::new(0),
        }
    }

    #[inline]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Off,
            1 => Phase::Building,
            _ => Phase::Live,
        }
    }

    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Puts another tree in its place, for this generation. What was noted for the old one is not
    /// for it, so no thread may find the new generation and the old tree together: both change
    /// under the tree's lock, and a thread that sees the generation sees the phase.
    fn empty(&self, phase: Phase, generation: u64) {
        let old = {
            let mut place = self.tree.write();
            let mut queue = self.queue.lock();
            queue.clear();
            self.queued.store(false, Ordering::Release);
            self.memory.store(0, Ordering::Relaxed);
            self.phase.store(phase as u8, Ordering::Release);
            self.generation.store(generation, Ordering::Release);
            std::mem::take(&mut *place)
        };
        // It may be large: no request waits for it to be freed.
        drop(old);
    }

    /// Puts a tree in its place to which what was noted meanwhile is to be added.
    fn complete(&self, tree: Tree) {
        let mut place = self.tree.write();
        self.memory.store(tree.memory(), Ordering::Relaxed);
        self.phase.store(Phase::Live as u8, Ordering::Release);
        *place = tree;
    }

    /// Takes what a shard has noted. Its lock is held.
    pub fn take(&self, number: usize, noted: &mut Noted) {
        let delta = std::mem::take(&mut noted.delta);
        let told = std::mem::take(&mut noted.told);
        noted.marked = false;
        if !delta.is_empty() {
            let mut queue = self.queue.lock();
            if noted.generation == self.generation() {
                queue.push(delta);
                self.queued.store(true, Ordering::Release);
            }
        }
        self.waiting.fetch_sub(told, Ordering::Relaxed);
        self.marks[number / 64].fetch_and(!(1 << (number % 64)), Ordering::AcqRel);
    }

    /// Brings the tree up to what is in the queue.
    pub fn merge(&self) {
        if !self.queued.load(Ordering::Acquire) {
            return;
        }
        let mut tree = self.tree.write();
        if self.phase() != Phase::Live {
            // The index that is being built will want it; or no index will.
            return;
        }
        let batch = {
            let mut queue = self.queue.lock();
            self.queued.store(false, Ordering::Release);
            std::mem::take(&mut *queue)
        };
        tree.apply(&changes(&batch));
        self.memory.store(tree.memory(), Ordering::Relaxed);
    }

    fn figures(&self) -> Figures {
        Figures {
            phase: self.phase(),
            keys: self.tree.try_read().map_or(0, |tree| tree.len()),
            memory: self.memory.load(Ordering::Relaxed),
            waiting: self.waiting.load(Ordering::Relaxed),
            built_in: self.built_in.load(Ordering::Relaxed),
        }
    }
}

impl Indexes {
    pub(crate) fn new(databases: usize, shards: usize) -> Self {
        Indexes {
            shards,
            slots: (0..databases).map(|_| Slot::new(shards)).collect(),
            generations: AtomicU64::new(0),
            keeping: AtomicU8::new(Keeping::Asked as u8),
            most_replied: AtomicUsize::new(1_000_000),
            swaps: AtomicU64::new(0),
        }
    }

    /// When indexes are kept. One that is not wanted any more goes with [`drop_index`].
    ///
    /// [`drop_index`]: crate::drop_index
    #[must_use]
    pub fn keeping(&self) -> Keeping {
        match self.keeping.load(Ordering::Acquire) {
            0 => Keeping::Asked,
            1 => Keeping::Always,
            _ => Keeping::Never,
        }
    }

    /// A generation that no index has had.
    fn next_generation(&self) -> u64 {
        self.generations.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What a shard may note about a database from now on. Its lock is held.
    pub(crate) fn noted_anew(&self, db: usize) -> Option<Box<Noted>> {
        let slot = &self.slots[db];
        (slot.phase() == Phase::Live).then(|| Noted::of(slot.generation()))
    }

    /// A database was emptied while every shard was held.
    pub(crate) fn flushed(&self, db: usize) {
        let slot = &self.slots[db];
        if slot.phase() != Phase::Live {
            self.give_up(db);
            return;
        }
        let _state = slot.state.lock();
        slot.empty(Phase::Live, slot.generation());
    }

    /// What is being built of these databases is given up: they are about to change places.
    pub(crate) fn about_to_swap(&self, dbs: [usize; 2]) {
        for db in dbs {
            if self.slots[db].phase() != Phase::Live {
                self.give_up(db);
            }
        }
    }

    /// Two databases have changed places while every shard was held.
    pub(crate) fn swapped(&self, a: usize, b: usize) {
        let (a, b) = (&self.slots[a.min(b)], &self.slots[a.max(b)]);
        let _states = (a.state.lock(), b.state.lock());
        let (mut left, mut right) = (a.tree.write(), b.tree.write());
        let (mut first, mut second) = (a.queue.lock(), b.queue.lock());
        std::mem::swap(&mut *left, &mut *right);
        std::mem::swap(&mut *first, &mut *second);
        exchange_bytes(&a.phase, &b.phase);
        for (mine, yours) in a.marks.iter().zip(&b.marks) {
            exchange(mine, yours);
        }
        for (slot, queue, tree) in [(a, &first, &left), (b, &second, &right)] {
            slot.queued.store(!queue.is_empty(), Ordering::Release);
            slot.memory.store(tree.memory(), Ordering::Relaxed);
            slot.deadlines.suspect();
        }
        // What was noted goes with its tree.
        exchange(&a.generation, &b.generation);
        exchange(&a.built_in, &b.built_in);
        exchange(&a.used, &b.used);
        let waiting = a.waiting.swap(b.waiting.load(Ordering::Relaxed), Ordering::Relaxed);
        b.waiting.store(waiting, Ordering::Relaxed);
    }

    /// Gives up the index of a database, or what is being built of it. Shards may still note what
    /// no request wants. The generation that it has now.
    pub(crate) fn give_up(&self, db: usize) -> u64 {
        let slot = &self.slots[db];
        let _state = slot.state.lock();
        let generation = self.next_generation();
        slot.empty(Phase::Off, generation);
        generation
    }

    /// How often databases have changed places.
    pub(crate) fn swaps(&self) -> u64 {
        self.swaps.load(Ordering::Acquire)
    }

    /// Databases are about to change places.
    pub(crate) fn count_swap(&self) {
        self.swaps.fetch_add(1, Ordering::AcqRel);
    }

    /// Changes when indexes are kept, and how many keys one reply may have.
    pub fn keep(&self, keeping: Keeping, most_replied: usize) {
        self.keeping.store(keeping as u8, Ordering::Release);
        self.most_replied.store(most_replied, Ordering::Relaxed);
    }

    /// Figures about the index of a database.
    #[must_use]
    pub fn figures(&self, db: usize) -> Figures {
        let mut figures = self.slots[db].figures();
        if figures.phase != Phase::Off {
            figures.memory += self.noted_memory();
        }
        figures
    }

    /// What there is of the index of a database. O(1).
    #[inline]
    #[must_use]
    pub fn phase(&self, db: usize) -> Phase {
        self.slots[db].phase()
    }

    /// Begins a new generation with the old tree still in place, which no request may ever find:
    /// for a model that shows what is found then.
    #[doc(hidden)]
    pub fn outdate(&self, db: usize) {
        let generation = self.next_generation();
        self.slots[db].generation.store(generation, Ordering::Release);
    }

    /// When the index of a database was last asked for anything.
    #[must_use]
    pub fn used(&self, db: usize) -> Millis {
        self.slots[db].used.load(Ordering::Relaxed)
    }

    /// About how many changes of a database wait to be merged into its index.
    #[must_use]
    pub fn waiting(&self, db: usize) -> usize {
        self.slots[db].waiting.load(Ordering::Relaxed)
    }

    /// Bytes that all indexes take, without what shards have noted, which is theirs.
    #[must_use]
    pub fn memory(&self) -> usize {
        let slots = self.slots.iter().filter(|slot| slot.phase() != Phase::Off);
        slots.map(|slot| self.noted_memory() + slot.memory.load(Ordering::Relaxed)).sum()
    }

    /// Bytes of the notes of one database, beside what they hold.
    fn noted_memory(&self) -> usize {
        self.shards * size_of::<Noted>()
    }
}

fn exchange(a: &AtomicU64, b: &AtomicU64) {
    let mine = a.swap(b.load(Ordering::Acquire), Ordering::AcqRel);
    b.store(mine, Ordering::Release);
}

fn exchange_bytes(a: &AtomicU8, b: &AtomicU8) {
    let mine = a.swap(b.load(Ordering::Acquire), Ordering::AcqRel);
    b.store(mine, Ordering::Release);
}
