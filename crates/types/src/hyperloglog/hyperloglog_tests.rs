//! Sparse against dense, both against registers in a plain array, and bytes that make no sense.

use base::Rng;

use super::*;

fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut registers = Registers::default();
    registers.merge(bytes).unwrap();
    registers.iter().collect()
}

#[test]
fn the_hash_is_the_published_one() {
    // From the reference implementation, over all lengths of a last word.
    assert_eq!(murmur::hash(b"", 0), 0);
    let all: Vec<u64> = (0..9).map(|n| murmur::hash(&b"abcdefgh"[..n], SEED)).collect();
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn an_empty_one_is_sparse_and_counts_nothing() {
    let bytes = empty();
    assert_eq!(bytes, b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\0\x7f\xff");
    assert_eq!(encoding(&bytes), Some(Encoding::Sparse));
    assert_eq!(cached(&bytes), Some(0));
    assert_eq!(count(&bytes), Ok(0));
    assert!(plain(&bytes).iter().all(|rank| *rank == 0));
}

#[test]
fn both_forms_hold_the_same() {
    let mut rng = Rng::new(17);
    for sparse_max in [0, 18, 30, 300, 3000] {
        let (mut sparse, mut dense) = (empty(), empty());
        assert_eq!(to_dense(&mut dense), Ok(true));
        let mut wanted = vec![0; REGISTERS];
        for step in 0..3000 {
            // Neighbours and low ranks, so that runs are split and joined.
            let index = if rng.below(3) == 0 { rng.below(REGISTERS) } else { rng.below(60) };
            let highest = if rng.below(2000) == 0 { 51 } else { 5 };
            let rank = u8::try_from(1 + rng.below(highest)).unwrap();
            let change = wanted[index] < rank;
            wanted[index] = wanted[index].max(rank);
            assert_eq!(raise(&mut sparse, index, rank, sparse_max), Ok(change));
            assert_eq!(raise(&mut dense, index, rank, sparse_max), Ok(change));
            if encoding(&sparse) == Some(Encoding::Sparse) {
                assert!(sparse.len() <= sparse_max.max(18));
            }
            if step % 500 == 0 {
                assert_eq!(plain(&sparse), wanted);
                assert_eq!(plain(&dense), wanted);
                assert_eq!(count(&sparse), count(&dense));
            }
        }
        let mut merged = Registers::default();
        merged.merge(&sparse).unwrap();
        assert_eq!(Ok(merged.count()), count(&dense));
        // One after the other, each searched from the start, in the same order.
        let mut slowly = empty();
        for (index, rank) in wanted.iter().enumerate().filter(|(_, rank)| **rank > 0) {
            raise(&mut slowly, index, *rank, sparse_max).unwrap();
        }
        let mut copy = empty();
        merged.raise_all(&mut copy, sparse_max).unwrap();
        assert_eq!(plain(&copy), wanted);
        assert!(copy == slowly);
        let mut onto = empty();
        for _ in 0..200 {
            let rank = u8::try_from(1 + rng.below(4)).unwrap();
            raise(&mut onto, rng.below(80), rank, sparse_max).unwrap();
        }
        let mut slowly = onto.clone();
        for (index, rank) in wanted.iter().enumerate().filter(|(_, rank)| **rank > 0) {
            raise(&mut slowly, index, *rank, sparse_max).unwrap();
        }
        merged.raise_all(&mut onto, sparse_max).unwrap();
        assert!(onto == slowly);
    }
}

#[test]
fn estimates_are_near() {
    let mut bytes = empty();
    let mut added = 0_u32;
    for goal in [10_u32, 100, 1000, 10_000, 100_000] {
        while added < goal {
            added += 1;
            add(&mut bytes, added.to_string().as_bytes(), 3000).unwrap();
        }
        assert!(has_seen(&bytes, b"1") && has_seen(&bytes, goal.to_string().as_bytes()));
        let estimate = f64::from(u32::try_from(count(&bytes).unwrap()).unwrap());
        let error = (estimate - f64::from(goal)).abs() / f64::from(goal);
        assert!(error < 0.03, "{goal}: {estimate}");
    }
    assert_eq!(encoding(&bytes), Some(Encoding::Dense));
}

#[test]
fn the_cardinality_is_kept_until_it_is_out_of_date() {
    let mut bytes = empty();
    cache(&mut bytes, 1234);
    assert_eq!(cached(&bytes), Some(1234));
    add(&mut bytes, b"x", 3000).unwrap();
    assert_eq!(cached(&bytes), None);
    cache(&mut bytes, 1);
    invalidate(&mut bytes);
    assert_eq!(cached(&bytes), None);
    assert_eq!(cached(b"HYLL"), None);
}

#[test]
fn full_registers_count_as_in_redis() {
    for rank in [51, 52, 63] {
        let mut bytes = empty();
        to_dense(&mut bytes).unwrap();
        (0..REGISTERS).for_each(|index| assert!(dense::raise(&mut bytes[HEADER..], index, rank)));
        assert_eq!(count(&bytes), Ok(1 << 63));
    }
}

#[test]
fn nonsense_is_refused_or_survived() {
    let mut rng = Rng::new(23);
    for _ in 0..4_000 {
        let mut bytes = match rng.below(3) {
            0 => b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
            1 => empty(),
            _ => {
                let mut bytes = empty();
                (0..rng.below(40)).for_each(|n| {
                    add(&mut bytes, &[u8::try_from(n).unwrap()], 3000).unwrap();
                });
                bytes
            }
        };
        for _ in 0..rng.below(6) {
            let byte = u8::try_from(rng.below(256)).unwrap();
            match rng.below(4) {
                0 => bytes.push(byte),
                1 => drop(bytes.pop()),
                _ => {
                    let at = rng.below(bytes.len());
                    bytes[at] = byte;
                }
            }
        }
        let sparse_max = [0, 20, 3000][rng.below(3)];
        for _ in 0..4 {
            let index = rng.below(REGISTERS);
            let rank = u8::try_from(1 + rng.below(51)).unwrap();
            let _ = raise(&mut bytes, index, rank, sparse_max);
            let _ = add(&mut bytes, &[rank], sparse_max);
            let _ = has_seen(&bytes, &[rank]);
        }
        let fine = count(&bytes).is_ok();
        assert_eq!(fine, Registers::default().merge(&bytes).is_ok());
        assert!(opcodes(&bytes).count() <= bytes.len());
        assert_eq!(fine, to_dense(&mut bytes).is_ok());
    }
    for short in [&b""[..], b"HYLL", b"HYLL\x01", b"HYLX\x01\0\0\0\0\0\0\0\0\0\0\0"] {
        assert_eq!(encoding(short), None);
        assert_eq!(count(short), Err(Corrupted));
        assert_eq!(add(&mut short.to_vec(), b"x", 3000), Err(Corrupted));
    }
}
