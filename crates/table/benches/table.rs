//! What the table costs: bytes per key, nanoseconds per look-up with and without prefetching in
//! batches, and the longest single insert while a table grows.
//!
//! `cargo bench -p kvist-table -- [KEYS]`, default one million; it checks every answer. Keys have
//! 16 bytes and values 100, spread over 64 tables as over the shards of a server; the growth test
//! uses one table. It must not need anything but a clock.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kvist_table::{KeyHash, Table};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TABLES: usize = 64;
const BATCH: usize = 16;
const VALUE: usize = 100;

/// Folded multiplication over 8-byte words: as fast as the hash a server would use.
#[derive(Clone)]
struct Fold;

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

impl KeyHash for Fold {
    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        let mut hash = 0x243f_6a88_85a3_08d3 ^ key.len() as u64;
        let (words, rest) = key.as_chunks::<8>();
        for &word in words {
            hash = fold(hash ^ u64::from_le_bytes(word), 0x9e37_79b9_7f4a_7c15);
        }
        for &byte in rest {
            hash = fold(hash ^ u64::from(byte), 0x9e37_79b9_7f4a_7c15);
        }
        fold(hash, 0xd6e8_feb8_6659_fd93)
    }
}

type Bench = Table<(), Fold>;

fn key(i: usize) -> [u8; 16] {
    let mut key = *b"key:000000000000";
    let mut rest = i;
    for digit in key[4..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    key
}

fn value(i: usize) -> [u8; VALUE] {
    let mut value = [b'v'; VALUE];
    value[..8].copy_from_slice(&i.to_le_bytes());
    value
}

/// Copies the whole value, as a reply would, and checks it.
fn is_value(i: usize, bytes: Option<&[u8]>) -> bool {
    let Some(Ok(reply)) = bytes.map(<[u8; VALUE]>::try_from) else { return false };
    black_box(reply)[..8] == i.to_le_bytes()
}

/// A walk over `0..keys` in an order no cache can guess.
fn shuffled(keys: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys).collect();
    let mut state = 0x1234_5678_9abc_def1u64;
    for i in (1..keys).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        order.swap(i, (fold(state, state | 1) % (i as u64 + 1)) as usize);
    }
    order
}

fn report(what: &str, keys: usize, took: Duration) {
    println!("{what:<44}{:>10.1} ns", took.as_nanos() as f64 / keys as f64);
}

fn shard(hash: u64) -> usize {
    hash as usize % TABLES
}

fn fill(tables: &mut [Bench], keys: usize) {
    let start = Instant::now();
    for i in 0..keys {
        let key = key(i);
        let hash = Fold.hash(&key);
        assert!(tables[shard(hash)].put_bytes(hash, &key, &value(i)).inserted);
    }
    report("insert", keys, start.elapsed());
    let bytes: usize = tables.iter().map(Table::memory).sum();
    println!("{:<44}{:>10.1} B", "memory per key", bytes as f64 / keys as f64);
}

fn gets(tables: &[Bench], order: &[usize]) {
    let start = Instant::now();
    for &i in order {
        let key = key(i);
        let hash = Fold.hash(&key);
        let found = tables[shard(hash)].find(hash, &key);
        assert!(is_value(i, found.and_then(|entry| entry.bytes())));
    }
    report("get, one by one", order.len(), start.elapsed());

    let start = Instant::now();
    for batch in order.chunks(BATCH) {
        let mut hashed = [(0, [0; 16], 0); BATCH];
        let hashed = &mut hashed[..batch.len()];
        for (slot, &i) in hashed.iter_mut().zip(batch) {
            let key = key(i);
            let hash = Fold.hash(&key);
            tables[shard(hash)].prefetch_bucket(hash);
            *slot = (i, key, hash);
        }
        for &(_, _, hash) in &*hashed {
            tables[shard(hash)].prefetch_entry(hash);
        }
        for (i, key, hash) in hashed {
            let found = tables[shard(*hash)].find(*hash, key);
            assert!(is_value(*i, found.and_then(|entry| entry.bytes())));
        }
    }
    report("get, prefetched in batches of 16", order.len(), start.elapsed());
}

fn misses_and_hot(tables: &[Bench], keys: usize) {
    let start = Instant::now();
    for i in keys..2 * keys {
        let key = key(i);
        let hash = Fold.hash(&key);
        assert!(tables[shard(hash)].find(hash, &key).is_none());
    }
    report("get, missing", keys, start.elapsed());

    let hot: Vec<_> = (0..keys.min(256)).map(|i| (key(i), Fold.hash(&key(i)))).collect();
    let rounds = (keys / hot.len().max(1)).max(1);
    let start = Instant::now();
    for _ in 0..rounds {
        for (key, hash) in &hot {
            black_box(tables[shard(*hash)].find(*hash, key).is_some());
        }
    }
    report("find, 256 hot keys already hashed", rounds * hot.len(), start.elapsed());
}

fn overwrites(tables: &mut [Bench], order: &[usize]) {
    let start = Instant::now();
    for &i in order {
        let key = key(i);
        let hash = Fold.hash(&key);
        assert!(!tables[shard(hash)].put_bytes(hash, &key, &value(i)).inserted);
    }
    report("overwrite, one by one", order.len(), start.elapsed());
}

fn scans(tables: &[Bench], keys: usize) {
    let start = Instant::now();
    let mut seen = 0;
    for table in tables {
        let mut cursor = 0;
        loop {
            cursor = table.scan(cursor, &mut |_| seen += 1);
            if cursor == 0 {
                break;
            }
        }
    }
    assert_eq!(seen, keys);
    report("scan", keys, start.elapsed());
}

/// How long each insert into one growing table takes: the least of three runs, so that what the
/// system did meanwhile does not count.
fn growth(keys: usize) {
    let mut least = vec![u64::MAX; keys];
    let mut table = Bench::new(Fold);
    for _ in 0..3 {
        table.clear();
        let mut before = Instant::now();
        for (i, least) in least.iter_mut().enumerate() {
            let key = key(i);
            table.put_bytes(Fold.hash(&key), &key, &i.to_le_bytes());
            let now = Instant::now();
            *least = (now - before).as_nanos().min(u128::from(*least)) as u64;
            before = now;
        }
    }
    report("insert into one growing table", keys, Duration::from_nanos(least.iter().sum()));
    let mut order: Vec<usize> = (0..keys).collect();
    order.sort_unstable_by_key(|&i| std::cmp::Reverse(least[i]));
    for &i in order.iter().take(3) {
        println!("{:<44}{:>10.1} us  at {i} keys", "longest insert", least[i] as f64 / 1e3);
    }
    let before = table.memory();
    let start = Instant::now();
    for i in 0..keys {
        let key = key(i);
        assert!(table.remove(Fold.hash(&key), &key).is_some());
    }
    report("remove", keys, start.elapsed());
    println!("{:<44}{:>10} B  of {before}", "memory when empty again", table.memory());
}

fn main() {
    let keys = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(1_000_000);
    println!("{keys} keys of 16 bytes, values of {VALUE} bytes, {TABLES} tables");
    let mut tables: Vec<Bench> = (0..TABLES).map(|_| Table::new(Fold)).collect();
    let order = shuffled(keys);
    fill(&mut tables, keys);
    gets(&tables, &order);
    misses_and_hot(&tables, keys);
    overwrites(&mut tables, &order);
    scans(&tables, keys);
    drop(tables);
    growth(keys);
}
