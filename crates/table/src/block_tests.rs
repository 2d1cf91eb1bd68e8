//! Blocks against vectors.

use proptest::prelude::*;

use super::*;

const MANY: usize = if cfg!(miri) { 24 } else { 60 };

#[derive(Clone, Debug)]
enum Op {
    Extend(Vec<u8>),
    Parts(Vec<u8>, Vec<u8>),
    Resize(usize),
    Truncate(usize),
    Open(usize, usize),
    CopyWithin(usize, usize),
    Reserve(usize),
    Shrink,
    Words(u32, u32),
    Copy,
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..20),
        1 => (0..600usize).prop_map(|len| vec![7; len]),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => bytes().prop_map(Op::Extend),
        2 => (bytes(), bytes()).prop_map(|(a, b)| Op::Parts(a, b)),
        2 => (0..300usize).prop_map(Op::Resize),
        3 => any::<usize>().prop_map(Op::Truncate),
        4 => (any::<usize>(), 0..40usize).prop_map(|(at, more)| Op::Open(at, more)),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Op::CopyWithin(a, b)),
        1 => (0..500usize).prop_map(Op::Reserve),
        2 => Just(Op::Shrink),
        1 => (any::<u32>(), any::<u32>()).prop_map(|(a, b)| Op::Words(a, b)),
        1 => Just(Op::Copy),
    ]
}

fn apply(block: &mut Block, model: &mut Vec<u8>, words: &mut (u32, u32), op: Op) {
    let len = model.len();
    match op {
        Op::Extend(bytes) => {
            block.extend_from_slice(&bytes);
            model.extend_from_slice(&bytes);
        }
        Op::Parts(a, b) => {
            block.extend_from_parts([&a, b"", &b]);
            model.extend_from_slice(&[a, b].concat());
        }
        Op::Resize(to) => {
            block.resize(to);
            model.resize(to, 0);
        }
        Op::Truncate(to) => {
            block.truncate(to % (2 * len + 1));
            model.truncate(to % (2 * len + 1));
        }
        Op::Open(at, more) => {
            let at = at % (len + 1);
            block.open(at, more);
            // What the gap holds can be read, whatever it is.
            model.splice(at..at, block[at..at + more].to_vec());
        }
        Op::CopyWithin(from, to) => {
            let (from, to) = (from % (len + 1), to % (len + 1));
            let end = from + (len - from).min(len - to);
            block.copy_within(from..end, to);
            model.copy_within(from..end, to);
        }
        Op::Reserve(more) => {
            block.reserve(more);
            assert!(block.capacity() - block.len() >= more);
        }
        Op::Shrink => {
            block.shrink();
            assert!(block.memory() <= 2 * size_for(len));
        }
        Op::Words(start, count) if block.capacity() > 0 => {
            block.set_start(start);
            block.set_count(count);
            *words = (start, count);
        }
        Op::Words(..) => {}
        Op::Copy => {
            *block = block.clone();
            assert_eq!(block.memory(), size_for(len));
        }
    }
    if block.capacity() == 0 {
        *words = (0, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 400 }, failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn behaves_as_a_vector(ops in prop::collection::vec(op(), 0..MANY)) {
        let (mut block, mut model, mut words) = (Block::new(), Vec::new(), (0, 0));
        for op in ops {
            apply(&mut block, &mut model, &mut words, op);
            prop_assert_eq!(&block[..], &model[..]);
            prop_assert_eq!((block.len(), block.is_empty()), (model.len(), model.is_empty()));
            prop_assert_eq!((block.start(), block.count()), words);
            prop_assert!(block.capacity() >= block.len());
            prop_assert_eq!(block.memory(), size_class(block.memory()));
        }
    }
}

#[test]
fn nothing_is_allocated_for_nothing() {
    let mut block = Block::with_capacity(0);
    block.extend_from_slice(b"");
    block.resize(0);
    block.open(0, 0);
    block.truncate(0);
    block.shrink();
    block.set_start(0);
    block.set_count(0);
    assert_eq!((block.memory(), block.capacity(), &block[..]), (0, 0, &b""[..]));
    assert!(block.clone().is_empty() && block.iter_mut().next().is_none());
}

#[test]
fn grows_by_size_classes() {
    let mut block = Block::new();
    let mut sizes = Vec::new();
    for byte in 0..=255 {
        block.extend_from_slice(&[byte]);
        if sizes.last() != Some(&block.memory()) {
            sizes.push(block.memory());
        }
    }
    assert_eq!(sizes, [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]);
    assert_eq!(Block::capacity_for(0), 0);
    assert_eq!(Block::capacity_for(1), 16);
    assert_eq!(Block::capacity_for(8192 - Block::OVERHEAD), 8192 - Block::OVERHEAD);
    assert_eq!(Block::with_capacity(100).capacity(), 112);
}

#[test]
fn gives_room_back_only_when_most_is_unused() {
    let mut block = Block::new();
    block.resize(1000);
    block.set_count(3);
    block.truncate(500);
    block.shrink();
    assert_eq!(block.memory(), 1024);
    block.truncate(100);
    block.shrink();
    assert_eq!((block.memory(), block.count()), (128, 3));
    block.truncate(0);
    block.shrink();
    assert_eq!((block.memory(), block.count()), (0, 0));
}

#[test]
fn four_gibibytes_are_refused_before_anything_changes() {
    assert_eq!(Block::capacity_for(MOST - HEADER), MOST - HEADER);
    let mut block = Block::new();
    block.extend_from_slice(b"ab");
    for more in [MOST - HEADER - 1, 1 << 32, usize::MAX] {
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            block.reserve(more);
        }));
        assert!(panicked.is_err());
        assert_eq!((&block[..], block.memory()), (&b"ab"[..], 32));
    }
}

#[test]
fn moves_between_threads() {
    let mut block = Block::new();
    block.extend_from_slice(b"abc");
    let block = std::thread::spawn(move || block).join().unwrap_or_default();
    assert_eq!(format!("{block:?}"), "0..0 \"abc\"");
}
