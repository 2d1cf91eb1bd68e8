//! A packed sequence against a vector of vectors.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    PushBack(Vec<u8>),
    PushFront(Vec<u8>),
    Insert(usize, Vec<u8>, usize),
    Replace(usize, Vec<u8>),
    Remove(usize, usize),
    DropFront(usize),
    DropBack(usize),
    Retain(u8),
    SplitAppend(usize),
    Copy,
}

fn element() -> impl Strategy<Value = Vec<u8>> {
    let len = prop_oneof![
        8 => 0..20usize,
        1 => 120..135usize,
        1 => Just(300usize),
        1 => 16_375..16_390usize,
    ];
    (len, any::<u8>()).prop_map(|(len, byte)| vec![byte; len])
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => element().prop_map(Op::PushBack),
        6 => element().prop_map(Op::PushFront),
        4 => (any::<usize>(), element(), any::<usize>())
            .prop_map(|(i, bytes, cut)| Op::Insert(i, bytes, cut)),
        3 => (any::<usize>(), element()).prop_map(|(i, bytes)| Op::Replace(i, bytes)),
        3 => (any::<usize>(), 0..4usize).prop_map(|(i, n)| Op::Remove(i, n)),
        2 => (0..4usize).prop_map(Op::DropFront),
        2 => (0..4usize).prop_map(Op::DropBack),
        1 => any::<u8>().prop_map(Op::Retain),
        1 => any::<usize>().prop_map(Op::SplitAppend),
        1 => Just(Op::Copy),
    ]
}

fn apply(packed: &mut Packed, model: &mut Vec<Vec<u8>>, op: Op) {
    let len = model.len();
    match op {
        Op::PushBack(bytes) => {
            packed.push_back(&bytes);
            model.push(bytes);
        }
        Op::PushFront(bytes) => {
            packed.push_front(&bytes);
            model.insert(0, bytes);
        }
        Op::Insert(i, bytes, cut) => {
            let i = i % (len + 1);
            let (head, tail) = bytes.split_at(cut % (bytes.len() + 1));
            let at = packed.insert_joined(packed.at(i), head, tail);
            assert_eq!(packed.get(at), bytes);
            model.insert(i, bytes);
        }
        Op::Replace(i, bytes) if len > 0 => {
            let at = packed.replace(packed.at(i % len).unwrap(), &bytes);
            assert_eq!(packed.get(at), bytes);
            model[i % len] = bytes;
        }
        Op::Remove(i, n) if len > 0 => {
            let i = i % len;
            let next = packed.remove(packed.at(i).unwrap(), n);
            model.drain(i..len.min(i + n));
            assert_eq!(next.map(|at| packed.get(at)), model.get(i).map(Vec::as_slice));
        }
        Op::Replace(..) | Op::Remove(..) => {}
        Op::DropFront(n) => {
            packed.drop_front(n);
            model.drain(..n.min(len));
        }
        Op::DropBack(n) => {
            packed.drop_back(n);
            model.truncate(len.saturating_sub(n));
        }
        Op::Retain(byte) => {
            let keep = |element: &[u8]| element.first().is_none_or(|first| *first > byte / 4);
            packed.retain(keep);
            model.retain(|element| keep(element));
        }
        Op::SplitAppend(i) if len > 0 => {
            let i = i % len;
            let rest = packed.split_off(packed.at(i).unwrap());
            assert_eq!((packed.len(), rest.len()), (i, len - i));
            check(&rest, &model[i..]);
            packed.append(&rest);
        }
        Op::SplitAppend(_) => {}
        Op::Copy => *packed = packed.clone(),
    }
}

fn check(packed: &Packed, model: &[Vec<u8>]) {
    assert_eq!(packed.len(), model.len());
    assert!(packed.iter().eq(model.iter().map(Vec::as_slice)));
    assert!(packed.iter().rev().eq(model.iter().rev().map(Vec::as_slice)));
    let bytes: usize = model.iter().map(|element| element_size(element.len())).sum();
    assert_eq!(packed.bytes(), bytes);
    assert_eq!(packed.memory(), packed.buf.memory());
    let needed = if bytes > 0 { table::grown(Block::OVERHEAD + bytes) } else { 0 };
    assert!(packed.memory() <= 2 * needed, "{} for {bytes}", packed.memory());
    let mut at = packed.first();
    for element in model {
        assert_eq!(packed.get(at.unwrap()), element);
        at = packed.next(at.unwrap());
    }
    assert_eq!(at, None);
    let mut at = packed.last();
    for element in model.iter().rev() {
        assert_eq!(packed.get(at.unwrap()), element);
        at = packed.prev(at.unwrap());
    }
    assert_eq!(at, None);
}

proptest! {
    #[test]
    fn behaves_as_a_vector(ops in prop::collection::vec(op(), 0..80)) {
        let (mut packed, mut model) = (Packed::new(), Vec::new());
        for op in ops {
            apply(&mut packed, &mut model, op);
            check(&packed, &model);
        }
        let len = model.len();
        for start in 0..len.min(8) {
            let end = len - start / 2;
            let expected = if start < end { &model[start..end] } else { &[] };
            prop_assert!(packed.range(start, end).eq(expected.iter().map(Vec::as_slice)));
            let back = packed.range(start, end).rev();
            prop_assert!(back.eq(expected.iter().rev().map(Vec::as_slice)));
        }
        for (i, element) in model.iter().enumerate() {
            let first = model.iter().position(|other| other == element);
            prop_assert_eq!(packed.find(element, 1), first.and_then(|i| packed.at(i)));
            let even = model.iter().step_by(2).position(|other| other == element);
            prop_assert_eq!(packed.find(element, 2), even.and_then(|i| packed.at(2 * i)));
            prop_assert_eq!(packed.at(i).map(|at| packed.get(at)), Some(element.as_slice()));
        }
        prop_assert_eq!(packed.at(len), None);
    }
}

#[test]
fn large_elements_keep_their_lengths() {
    let mut packed = Packed::new();
    let lens = [0, 1, 125, 126, 127, 128, 16_382, 16_383, 16_384, 2_097_151, 2_097_152];
    for len in lens {
        packed.push_front(&vec![7; len]);
    }
    assert!(packed.iter().rev().map(<[u8]>::len).eq(lens));
    assert!(packed.iter().map(<[u8]>::len).eq(lens.into_iter().rev()));
}

#[test]
fn alternating_ends_moves_little() {
    let mut packed = Packed::new();
    let mut shifts = 0;
    for _ in 0..2000 {
        let before = packed.buf.start();
        packed.push_front(b"0123456789");
        shifts += u32::from(packed.buf.start() > before);
        packed.push_back(b"0123456789");
    }
    assert!(shifts < 120, "{shifts} shifts");
}
