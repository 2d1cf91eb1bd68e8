//! What the table believes of its allocator, asked of the allocator itself: that size classes are
//! those of mimalloc, and that the memory it accounts for is the memory that was given away.

#![cfg(not(miri))]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kvist_table::{Block, KeyHash, Table, size_class};

unsafe extern "C" {
    fn mi_good_size(size: usize) -> usize;
    fn mi_usable_size(block: *const u8) -> usize;
}

/// mimalloc, with a count of the bytes of all blocks as they really are.
struct Counting;

static LIVING: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed to mimalloc unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the contract of this function; the block is new.
        unsafe {
            let block = mimalloc::MiMalloc.alloc(layout);
            LIVING.fetch_add(mi_usable_size(block), Relaxed);
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: by the contract of this function.
        unsafe {
            LIVING.fetch_sub(mi_usable_size(block), Relaxed);
            mimalloc::MiMalloc.dealloc(block, layout);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: by the contract of this function.
        unsafe {
            LIVING.fetch_sub(mi_usable_size(block), Relaxed);
            let block = mimalloc::MiMalloc.realloc(block, layout, size);
            LIVING.fetch_add(mi_usable_size(block), Relaxed);
            block
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Clone)]
struct Fnv;

impl KeyHash for Fnv {
    fn hash(&self, key: &[u8]) -> u64 {
        let fold = |hash: u64, &byte: &u8| {
            let mixed = (hash ^ u64::from(byte)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            mixed ^ (mixed >> 32)
        };
        key.iter().fold(0xcbf2_9ce4_8422_2325, fold)
    }
}

/// One test, as the count is of the whole process.
#[test]
fn accounts_are_true() {
    for size in 1..=65_536 {
        // SAFETY: the function takes any number.
        assert_eq!(size_class(size), unsafe { mi_good_size(size) }, "size {size}");
    }
    for size in (1..2_000_000).step_by(499) {
        let class = size_class(size);
        let block = Vec::<u8>::with_capacity(class);
        // SAFETY: the block was allocated by mimalloc.
        assert_eq!(class, unsafe { mi_usable_size(block.as_ptr()) }, "size {size}");
    }

    let mut table: Table<[u64; 6], Fnv> = Table::new(Fnv);
    let mut key = Vec::with_capacity(64);
    let value = vec![b'v'; 5000];
    let before = LIVING.load(Relaxed);
    let mut hash_of = |i: usize| {
        use std::io::Write;
        key.clear();
        write!(key, "key:{i}").expect("a vector takes it");
        (Fnv.hash(&key), key.clone())
    };
    for i in 0..20_000 {
        if i % 100 == 0 {
            assert_eq!(table.memory(), LIVING.load(Relaxed) - before, "before {i}");
        }
        let (hash, key) = hash_of(i);
        if i % 5 == 0 {
            table.put_object(hash, &key, Box::new([7; 6]));
        } else {
            table.put_bytes(hash, &key, &value[..i * i % 700]);
        }
        if i % 3 == 0 {
            let (hash, key) = hash_of(i / 2);
            table.put_bytes(hash, &key, &value[..i % 5000]);
        }
        if i % 4 == 0 {
            let (hash, key) = hash_of(i / 3);
            table.remove(hash, &key);
        }
    }
    assert_eq!(table.memory(), LIVING.load(Relaxed) - before);
    drop(table);
    assert_eq!(LIVING.load(Relaxed), before);
    blocks_take_what_they_say();
}

/// Blocks that grow a little at a time, and shrink by little and by much.
fn blocks_take_what_they_say() {
    let before = LIVING.load(Relaxed);
    let mut blocks: Vec<Block> = (0..64).map(|_| Block::new()).collect();
    let vector = LIVING.load(Relaxed) - before;
    for step in 0..20_000_usize {
        let block = &mut blocks[step % 64];
        match step % 7 {
            0 => block.truncate(block.len() / (1 + step % 5)),
            1 => block.shrink(),
            _ => block.resize(block.len() + step * 31 % 900),
        }
        if step % 5000 == 4999 {
            *block = block.clone();
        }
        if step % 100 == 0 {
            let told: usize = blocks.iter().map(Block::memory).sum();
            assert_eq!(told, LIVING.load(Relaxed) - before - vector, "step {step}");
        }
    }
    drop(blocks);
    assert_eq!(LIVING.load(Relaxed), before);
}
