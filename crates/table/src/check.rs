//! For tests only: hashers good and bad, and a recount of everything a table believes of itself.

use crate::table::{KeyHash, Table};
use crate::view::EntryRef;
use crate::{place, segment, size_class};

/// A good hash, made bad on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hasher {
    /// All bits are good.
    Good,
    /// All keys collide in everything.
    Constant,
    /// Good positions, but one tag.
    OneTag,
    /// Four positions in all, 16 tags.
    FewPositions,
    /// Positions that differ only in their last 20 bits: splits separate nothing for long.
    LongPrefix,
    /// Positions that come in two lumps and wrap at the end of segments.
    HighEnd,
}

impl Hasher {
    pub(crate) const ALL: [Hasher; 6] = [
        Hasher::Good,
        Hasher::Constant,
        Hasher::OneTag,
        Hasher::FewPositions,
        Hasher::LongPrefix,
        Hasher::HighEnd,
    ];
}

impl KeyHash for Hasher {
    fn hash(&self, key: &[u8]) -> u64 {
        let mut good = 0x9e37_79b9_7f4a_7c15u64 ^ key.len() as u64;
        for &byte in key {
            good = (good ^ u64::from(byte)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            good ^= good >> 32;
        }
        match self {
            Hasher::Good => good,
            Hasher::Constant => 0xabcd_ffff_ffff_ffff,
            Hasher::OneTag => good >> 16,
            Hasher::FewPositions => good & 0xf000_c000_0000_0000,
            Hasher::LongPrefix => good & 0xffff_0000_3fff_ffff | 0x5555_4000_0000,
            Hasher::HighEnd => good | 0x7fff_0000_0000,
        }
    }
}

pub(crate) fn find<'a, O, H: KeyHash>(
    table: &'a Table<O, H>,
    key: &[u8],
) -> Option<EntryRef<'a, O>> {
    table.find(table.hasher().hash(key), key)
}

/// A key of a length that suits `i`: one is empty, some are long.
pub(crate) fn key(i: usize) -> Vec<u8> {
    let mut key = if i == 0 { Vec::new() } else { format!("k{i}").into_bytes() };
    if i % 97 == 5 {
        key.resize(240 + i % 31, b'.');
    }
    key
}

/// Recounts the whole table and compares with every count, hint and link in it.
pub(crate) fn check<O, H: KeyHash>(table: &Table<O, H>) {
    table.directory.check();
    let (mut entries, mut expiring, mut objects) = (0, 0, 0);
    let mut memory = table.directory.memory();
    for (link, first) in table.directory.segments_from(0) {
        let (segment, depth, buckets) = (link.segment(), link.depth(), link.buckets());
        assert_eq!(segment.buckets(), buckets);
        let mut passed = vec![0usize; buckets as usize];
        let mut hinted = vec![false; buckets as usize];
        let before = (entries, expiring);
        for at in 0..buckets {
            // SAFETY: below the bucket count.
            let bucket = unsafe { segment.bucket(at) };
            for slot in bucket.used() {
                let slot = bucket.slot(slot);
                // SAFETY: the slot is used, and the table is borrowed.
                let entry = unsafe { EntryRef::<O>::new(slot.entry()) };
                let hash = table.hasher.hash(entry.key());
                let aligned = place::aligned(hash);
                assert_eq!(slot.tag(), place::tag(hash));
                assert_eq!(place::index(aligned, depth), place::index(first, depth));
                let home = place::home(aligned, depth, buckets);
                let mut passing = home;
                while passing != at {
                    passed[passing as usize] += 1;
                    passing = (passing + 1) % buckets;
                }
                entries += 1;
                objects += usize::from(entry.object().is_some());
                memory += entry.memory();
                if entry.deadline().is_some() {
                    expiring += 1;
                    hinted[home as usize] = true;
                }
                let found = table.find(hash, entry.key()).expect("what is there is found");
                assert!(core::ptr::eq(found.key(), entry.key()), "one entry per key");
            }
        }
        for at in 0..buckets {
            // SAFETY: below the bucket count.
            let bucket = unsafe { segment.bucket(at) };
            let overflow = usize::from(bucket.overflow());
            let sticky = overflow == usize::from(u16::MAX);
            assert!(overflow == passed[at as usize] || sticky, "overflow of bucket {at}");
            assert!(bucket.may_expire() || !hinted[at as usize], "hint of bucket {at}");
        }
        assert_eq!(segment.entries(), entries - before.0);
        assert_eq!(segment.expiring(), expiring - before.1);
        memory += segment::bytes(buckets);
    }
    assert_eq!(table.len(), entries);
    assert_eq!(table.is_empty(), entries == 0);
    assert_eq!(table.expiring(), expiring);
    assert_eq!(table.memory(), memory + objects * size_class(size_of::<O>()));
}
