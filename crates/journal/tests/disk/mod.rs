//! A disk that lies: what was written is kept apart from what was synced, and any call may fail.
//!
//! ```text
//!   write, set_len, reserve ─► now ──sync──► synced          per file, in sectors of 512 bytes
//!   create, rename, remove  ─► names ──sync_names──► synced names
//!   crash:  synced, and of the rest nothing, everything, or a random part
//! ```
//!
//! The random case leaves any sectors or pages of what was not synced, in any order, some of them
//! torn at any byte, but of names only what was done first: file systems with a journal keep that
//! order. A failed sync leaves, as Linux does, pages that look written, will not be written by the
//! next sync and are gone after a crash.
//!
//! It must never be kinder than a real disk, or tests that pass on it say nothing.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use journal::{Disk, DiskFile};
use parking_lot::Mutex;

const SECTOR: u64 = 512;
const PAGE: u64 = 4096;
type Page = [u8; 4096];

pub const EIO: i32 = 5;
pub const ENOSPC: i32 = 28;
const EFBIG: i32 = 27;

/// What may be asked of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Open,
    Create,
    Rename,
    Link,
    Remove,
    List,
    SyncNames,
    Write,
    Read,
    Len,
    SetLen,
    Reserve,
    Sync,
}

impl Call {
    /// Whether it changes what is on disk.
    fn changes(self) -> bool {
        !matches!(self, Call::Open | Call::List | Call::Read | Call::Len)
    }

    /// Whether it fails when there is no room.
    fn takes_room(self) -> bool {
        matches!(self, Call::Create | Call::Write | Call::Reserve)
    }
}

/// A failure to come.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// How many calls that it could concern pass before.
    pub after: u64,
    /// The error number.
    pub errno: i32,
    /// Once, or until the disk is healed.
    pub once: bool,
    /// Only these calls; `None` for all that change something.
    pub only: Option<Call>,
}

/// What a crash leaves of what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Nothing: power was lost, and nothing had been written back.
    Nothing,
    /// Everything, and it is still not synced: the process was killed.
    Everything,
    /// A random part, in units of sectors or pages, seeded.
    Some(u64),
}

/// Random numbers that can be repeated: xorshift.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

/// Bytes of a file; pages that are not there are zeros.
#[derive(Clone, Debug, Default)]
struct Content {
    pages: BTreeMap<u64, Arc<Page>>,
    len: u64,
}

impl Content {
    fn read(&self, offset: u64, into: &mut [u8]) -> usize {
        let want = self.len.saturating_sub(offset).min(into.len() as u64) as usize;
        into[..want].fill(0);
        let end = offset + want as u64;
        for (&page, bytes) in self.pages.range(offset / PAGE..end.div_ceil(PAGE)) {
            let (from, to) = (offset.max(page * PAGE), end.min((page + 1) * PAGE));
            if from < to {
                into[(from - offset) as usize..(to - offset) as usize].copy_from_slice(
                    &bytes[(from - page * PAGE) as usize..(to - page * PAGE) as usize],
                );
            }
        }
        want
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let inside = (at % PAGE) as usize;
            let part = (bytes.len() - done).min(PAGE as usize - inside);
            let page = self.pages.entry(at / PAGE).or_insert_with(|| Arc::new([0; 4096]));
            Arc::make_mut(page)[inside..inside + part].copy_from_slice(&bytes[done..done + part]);
            done += part;
        }
        self.len = self.len.max(offset + bytes.len() as u64);
    }

    fn set_len(&mut self, len: u64) {
        if len < self.len {
            self.pages.retain(|&page, _| page * PAGE < len);
            if let Some(page) = self.pages.get_mut(&(len / PAGE)) {
                Arc::make_mut(page)[(len % PAGE) as usize..].fill(0);
            }
        }
        self.len = len;
    }

    /// Takes a sector from elsewhere.
    fn take_sector(&mut self, from: &Content, sector: u64) {
        let (len, mut bytes) = (self.len, [0; SECTOR as usize]);
        from.read(sector * SECTOR, &mut bytes);
        self.write(sector * SECTOR, &bytes);
        self.set_len(len);
    }
}

impl Content {
    /// From this byte of a sector on it is what it was elsewhere.
    fn tear_sector(&mut self, from: &Content, sector: u64, at: u64) {
        let (len, mut bytes) = (self.len, [0; SECTOR as usize]);
        from.read(sector * SECTOR, &mut bytes);
        self.write(sector * SECTOR + at, &bytes[at as usize..]);
        self.set_len(len);
    }
}

#[derive(Clone, Debug, Default)]
struct Inode {
    now: Content,
    synced: Content,
    /// Sectors written since the last sync.
    dirty: BTreeSet<u64>,
}

impl Inode {
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.now.write(offset, bytes);
        if !bytes.is_empty() {
            let end = offset + bytes.len() as u64;
            self.dirty.extend(offset / SECTOR..end.div_ceil(SECTOR));
        }
    }

    fn set_len(&mut self, len: u64) {
        if len < self.now.len {
            let end = self.now.pages.last_key_value().map_or(0, |(page, _)| (page + 1) * PAGE);
            self.dirty.extend(len / SECTOR..end.div_ceil(SECTOR).max(len / SECTOR));
        }
        self.now.set_len(len);
    }

    fn sync(&mut self) {
        self.synced.set_len(self.now.len);
        for sector in std::mem::take(&mut self.dirty) {
            self.synced.take_sector(&self.now, sector);
        }
    }

    fn crash(&mut self, random: &mut Random) {
        let mut left = self.synced.clone();
        let unit = if random.below(2) == 0 { 1 } else { PAGE / SECTOR };
        if random.below(2) == 0 {
            left.set_len(self.now.len);
        }
        let (mut last, mut keep) = (u64::MAX, false);
        for &sector in &self.dirty {
            if sector / unit != last {
                (last, keep) = (sector / unit, random.below(2) == 0);
            }
            if keep {
                let whole = left.clone();
                left.take_sector(&self.now, sector);
                if random.below(8) == 0 {
                    left.tear_sector(&whole, sector, random.below(SECTOR));
                }
            }
        }
        (self.now, self.synced) = (left.clone(), left);
        self.dirty.clear();
    }
}

#[derive(Clone, Debug)]
enum Change {
    Is(String, usize),
    Moved(String, String),
    Gone(String),
}

type Names = BTreeMap<String, usize>;

fn change(names: &mut Names, change: &Change) {
    match change {
        Change::Is(name, inode) => _ = names.insert(name.clone(), *inode),
        Change::Moved(from, to) => {
            if let Some(inode) = names.remove(from) {
                names.insert(to.clone(), inode);
            }
        }
        Change::Gone(name) => _ = names.remove(name),
    }
}

#[derive(Clone, Debug, Default)]
struct State {
    inodes: Vec<Inode>,
    names: Names,
    synced_names: Names,
    pending: Vec<Change>,
    /// Calls so far that change something.
    changes: u64,
    /// After how many of them power is lost.
    cut: Option<u64>,
    faults: Vec<Fault>,
    /// Bytes there are for files, in pages; any number if `None`.
    room: Option<u64>,
    /// How long a file may become; any length if `None`.
    longest: Option<u64>,
    /// How often a fault struck.
    struck: u64,
    untrue: Option<Untrue>,
}

impl State {
    /// Lets a call happen, or not.
    fn enter(&mut self, call: Call) -> io::Result<()> {
        if call.changes() {
            if self.cut.is_some_and(|cut| self.changes >= cut) {
                return Err(io::Error::from_raw_os_error(EIO));
            }
            self.changes += 1;
        }
        for at in 0..self.faults.len() {
            let fault = &mut self.faults[at];
            let concerns = match fault.only {
                Some(only) => only == call,
                None if fault.errno == ENOSPC => call.takes_room(),
                None => call.changes(),
            };
            if !concerns {
                continue;
            }
            if fault.after > 0 {
                fault.after -= 1;
                continue;
            }
            let errno = fault.errno;
            if fault.once {
                self.faults.remove(at);
            }
            self.struck += 1;
            return Err(io::Error::from_raw_os_error(errno));
        }
        Ok(())
    }

    /// Bytes of all files that have a name, in pages.
    fn used(&self) -> u64 {
        let inodes: BTreeSet<_> = self.names.values().collect();
        inodes.into_iter().map(|&inode| self.inodes[inode].now.len.next_multiple_of(PAGE)).sum()
    }

    /// How long this file may become, up to `wanted`.
    fn fits(&self, inode: usize, wanted: u64) -> u64 {
        let Some(room) = self.room else { return wanted };
        let there = self.inodes[inode].now.len.next_multiple_of(PAGE);
        wanted.min(there + room.saturating_sub(self.used()))
    }

    /// Refuses what would make a file longer than it may become.
    fn allows(&self, len: u64) -> io::Result<()> {
        match self.longest {
            Some(longest) if len > longest => Err(io::Error::from_raw_os_error(EFBIG)),
            _ => Ok(()),
        }
    }

    /// Whether a sync of this file is none.
    fn pretends(&self, inode: usize) -> bool {
        let name = self.names.iter().find(|(_, there)| **there == inode).map(|(name, _)| name);
        match self.untrue {
            Some(Untrue::Journal) => name.is_some_and(|name| name.starts_with("journal")),
            Some(Untrue::Snapshot) => name.is_some_and(|name| name.starts_with("snapshot")),
            Some(Untrue::Manifest) => name.is_some_and(|name| name.starts_with("MANIFEST")),
            Some(Untrue::Names) | None => false,
        }
    }

    fn find(&self, name: &str) -> io::Result<usize> {
        self.names.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn change(&mut self, what: Change) {
        change(&mut self.names, &what);
        self.pending.push(what);
    }
}

/// Who is told of a call that changes something, before it happens: what, of which file, where, how
/// much. They may go on meanwhile with what others than the caller do.
type Told = dyn Fn(Call, usize, u64, usize) + Send + Sync;

#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Option<Arc<Told>>>>);

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

impl Listener {
    fn tell(&self, call: Call, inode: usize, offset: u64, len: usize) {
        let told = self.0.lock().clone();
        if let Some(told) = told {
            told(call, inode, offset, len);
        }
    }
}

/// What a disk says it has done and has not: no promise above it can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untrue {
    /// Syncs of files of the journal.
    Journal,
    /// Syncs of snapshots.
    Snapshot,
    /// Syncs of manifests.
    Manifest,
    /// Syncs of names.
    Names,
}

/// The disk.
#[derive(Clone, Debug)]
pub struct Liar {
    state: Arc<Mutex<State>>,
    path: PathBuf,
    listener: Listener,
}

impl Default for Liar {
    fn default() -> Self {
        let path = PathBuf::from("/liar");
        Liar { state: Arc::default(), path, listener: Listener::default() }
    }
}

impl Liar {
    /// How many calls have changed something.
    pub fn changes(&self) -> u64 {
        self.state.lock().changes
    }

    /// Power is lost after this many calls that change something: those behind fail and leave
    /// nothing.
    pub fn cut_after(&self, changes: u64) {
        self.state.lock().cut = Some(changes);
    }

    /// Power is lost now.
    pub fn cut(&self) {
        let mut state = self.state.lock();
        state.cut = Some(state.changes);
    }

    /// It has room for so many bytes of files, in whole pages; so have the disks found after its
    /// crashes.
    pub fn has_room(&self, bytes: u64) {
        self.state.lock().room = Some(bytes);
    }

    /// No file becomes longer than this.
    pub fn limit_files(&self, longest: Option<u64>) {
        self.state.lock().longest = longest;
    }

    /// Bytes that all files take.
    pub fn used(&self) -> u64 {
        self.state.lock().used()
    }

    /// From now on it does not do what it says, and so do the disks found after its crashes.
    pub fn pretend(&self, untrue: Untrue) {
        self.state.lock().untrue = Some(untrue);
    }

    /// `told` hears of every call that changes something, before it happens.
    pub fn listen(&self, told: impl Fn(Call, usize, u64, usize) + Send + Sync + 'static) {
        *self.listener.0.lock() = Some(Arc::new(told));
    }

    /// No waiter is told of anything any more.
    pub fn hush(&self) {
        *self.listener.0.lock() = None;
    }

    /// Whether it has been lost.
    pub fn is_dead(&self) -> bool {
        let state = self.state.lock();
        state.cut.is_some_and(|cut| state.changes >= cut)
    }

    /// Something will fail.
    pub fn fail(&self, fault: Fault) {
        self.state.lock().faults.push(fault);
    }

    /// Nothing fails any more; how often something has.
    pub fn heal(&self) -> u64 {
        let mut state = self.state.lock();
        state.faults.clear();
        std::mem::take(&mut state.struck)
    }

    /// How often something has failed since the last healing.
    pub fn struck(&self) -> u64 {
        self.state.lock().struck
    }

    /// The disk that is found after a crash now. This one stays as it is.
    pub fn crash(&self, leaves: Leaves) -> Liar {
        let mut state = self.state.lock().clone();
        (state.cut, state.changes, state.struck) = (None, 0, 0);
        state.faults.clear();
        match leaves {
            Leaves::Everything => {}
            Leaves::Nothing => {
                for inode in &mut state.inodes {
                    inode.now = inode.synced.clone();
                    inode.dirty.clear();
                }
                state.names = state.synced_names.clone();
                state.pending.clear();
            }
            Leaves::Some(seed) => {
                let mut random = Random::new(seed);
                for inode in &mut state.inodes {
                    inode.crash(&mut random);
                }
                let kept = random.below(state.pending.len() as u64 + 1) as usize;
                for what in state.pending.drain(..).take(kept) {
                    change(&mut state.synced_names, &what);
                }
                state.names = state.synced_names.clone();
            }
        }
        let (state, listener) = (Arc::new(Mutex::new(state)), Listener::default());
        Liar { state, path: self.path.clone(), listener }
    }

    /// The names there are and the lengths up to the last byte that is not zero.
    pub fn files(&self) -> Vec<(String, u64)> {
        let state = self.state.lock();
        let length = |inode: &usize| {
            let now = &state.inodes[*inode].now;
            let (page, bytes) =
                now.pages.iter().rev().find(|(_, bytes)| bytes.iter().any(|&byte| byte != 0))?;
            Some(page * PAGE + bytes.iter().rposition(|&byte| byte != 0)? as u64 + 1)
        };
        state.names.iter().map(|(name, inode)| (name.clone(), length(inode).unwrap_or(0))).collect()
    }

    /// Changes bits of what is there, durably.
    pub fn flip(&self, name: &str, offset: u64, bits: u8) {
        let mut state = self.state.lock();
        let inode = state.find(name).unwrap();
        let inode = &mut state.inodes[inode];
        let mut byte = [0];
        assert_eq!(inode.now.read(offset, &mut byte), 1, "{name} has no byte {offset}");
        inode.now.write(offset, &[byte[0] ^ bits]);
        inode.synced.write(offset, &[byte[0] ^ bits]);
    }

    /// All bytes of a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let state = self.state.lock();
        let content = &state.inodes[state.find(name).unwrap()].now;
        let mut bytes = vec![0; content.len as usize];
        content.read(0, &mut bytes);
        bytes
    }

    /// Puts a file there, durably.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let file = self.create(name).unwrap();
        file.write_at(0, bytes).unwrap();
        file.sync().unwrap();
        self.sync_names().unwrap();
    }

    fn handle(&self, inode: usize) -> Arc<dyn DiskFile> {
        let (state, listener) = (Arc::clone(&self.state), self.listener.clone());
        Arc::new(Handle { state, listener, inode })
    }
}

impl Disk for Liar {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.state.lock();
        state.enter(Call::Open)?;
        state.find(name).map(|inode| self.handle(inode))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        self.listener.tell(Call::Create, 0, 0, name.len());
        let mut state = self.state.lock();
        state.enter(Call::Create)?;
        if let Ok(inode) = state.find(name) {
            state.inodes[inode].set_len(0);
            return Ok(self.handle(inode));
        }
        state.inodes.push(Inode::default());
        let inode = state.inodes.len() - 1;
        state.change(Change::Is(name.to_owned(), inode));
        Ok(self.handle(inode))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.listener.tell(Call::Rename, 0, 0, to.len());
        let mut state = self.state.lock();
        state.enter(Call::Rename)?;
        state.find(from)?;
        state.change(Change::Moved(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.listener.tell(Call::Link, 0, 0, to.len());
        let mut state = self.state.lock();
        state.enter(Call::Link)?;
        let inode = state.find(from)?;
        state.change(Change::Is(to.to_owned(), inode));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.listener.tell(Call::Remove, 0, 0, name.len());
        let mut state = self.state.lock();
        state.enter(Call::Remove)?;
        state.find(name)?;
        state.change(Change::Gone(name.to_owned()));
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut state = self.state.lock();
        state.enter(Call::List)?;
        Ok(state.names.keys().filter(|name| !name.contains('/')).cloned().collect())
    }

    fn sync_names(&self) -> io::Result<()> {
        self.listener.tell(Call::SyncNames, 0, 0, 0);
        let mut state = self.state.lock();
        state.enter(Call::SyncNames)?;
        if state.untrue == Some(Untrue::Names) {
            return Ok(());
        }
        state.pending.clear();
        state.synced_names = state.names.clone();
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn longest_file(&self) -> u64 {
        self.state.lock().longest.unwrap_or(u64::MAX)
    }
}

#[derive(Debug)]
struct Handle {
    state: Arc<Mutex<State>>,
    listener: Listener,
    inode: usize,
}

impl DiskFile for Handle {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.listener.tell(Call::Write, self.inode, offset, bytes.len());
        let mut state = self.state.lock();
        state.allows(offset + bytes.len() as u64)?;
        let entered = state.enter(Call::Write);
        // A write that fails has often written a part: the dead disk alone takes nothing.
        let dead = state.cut.is_some_and(|cut| state.changes >= cut) && entered.is_err();
        let part = if entered.is_ok() { bytes.len() } else { bytes.len() / 2 };
        let fits = state.fits(self.inode, offset + part as u64).saturating_sub(offset) as usize;
        if !dead {
            state.inodes[self.inode].write(offset, &bytes[..part.min(fits)]);
        }
        entered.and(if fits < part { Err(io::Error::from_raw_os_error(ENOSPC)) } else { Ok(()) })
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock();
        state.enter(Call::Read)?;
        Ok(state.inodes[self.inode].now.read(offset, into))
    }

    fn len(&self) -> io::Result<u64> {
        let mut state = self.state.lock();
        state.enter(Call::Len)?;
        Ok(state.inodes[self.inode].now.len)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.listener.tell(Call::SetLen, self.inode, len, 0);
        let mut state = self.state.lock();
        state.enter(Call::SetLen)?;
        let longer = len > state.inodes[self.inode].now.len;
        state.allows(if longer { len } else { 0 })?;
        state.inodes[self.inode].set_len(len);
        Ok(())
    }

    fn reserve(&self, len: u64) -> io::Result<()> {
        self.listener.tell(Call::Reserve, self.inode, len, 0);
        let mut state = self.state.lock();
        state.enter(Call::Reserve)?;
        state.allows(len)?;
        let fits = state.fits(self.inode, len);
        let inode = &mut state.inodes[self.inode];
        let longer = inode.now.len.max(fits);
        // Where not all of it fits, some file systems keep what does.
        inode.set_len(longer);
        if fits < len { Err(io::Error::from_raw_os_error(ENOSPC)) } else { Ok(()) }
    }

    fn sync(&self) -> io::Result<()> {
        self.listener.tell(Call::Sync, self.inode, 0, 0);
        let mut state = self.state.lock();
        let entered = state.enter(Call::Sync);
        let dead = state.cut.is_some_and(|cut| state.changes >= cut);
        match (&entered, dead) {
            (Ok(()), _) if state.pretends(self.inode) => {}
            (Ok(()), _) => state.inodes[self.inode].sync(),
            // The system forgets that these pages were to be written.
            (Err(_), false) => state.inodes[self.inode].dirty.clear(),
            (Err(_), true) => {}
        }
        entered
    }

    /// Every other file is written in blocks only.
    fn little(&self) -> usize {
        if self.inode.is_multiple_of(2) { 0 } else { usize::MAX }
    }

    fn forget(&self, _: u64, _: u64) {}
}
