//! Lists against a `VecDeque`, with all node sizes.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Op {
    Push(bool, Vec<u8>),
    Pop(bool),
    DropFrom(bool, usize),
    Set(usize, Vec<u8>),
    Insert(usize, Vec<u8>),
    Beside(Vec<u8>, bool, Vec<u8>),
    Remove(Vec<u8>, usize, bool),
    RemoveRange(usize, usize),
    Trim(usize, usize),
    Rotate(bool),
    Copy,
}

fn end(head: bool) -> End {
    if head { End::Head } else { End::Tail }
}

fn element() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        20 => (0..6u8).prop_map(|n| vec![b'a' + n]),
        4 => (0..300usize).prop_map(|n| vec![b'm'; n]),
        1 => (4000..9000usize).prop_map(|n| vec![b'l'; n]),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let head = any::<bool>;
    prop_oneof![
        20 => (head(), element()).prop_map(|(head, bytes)| Op::Push(head, bytes)),
        4 => head().prop_map(Op::Pop),
        2 => (head(), 0..6usize).prop_map(|(head, n)| Op::DropFrom(head, n)),
        4 => (any::<usize>(), element()).prop_map(|(i, bytes)| Op::Set(i, bytes)),
        6 => (any::<usize>(), element()).prop_map(|(i, bytes)| Op::Insert(i, bytes)),
        3 => (element(), head(), element()).prop_map(|(p, after, b)| Op::Beside(p, after, b)),
        2 => (element(), 0..4usize, head()).prop_map(|(b, n, head)| Op::Remove(b, n, head)),
        2 => (any::<usize>(), 0..9usize).prop_map(|(i, n)| Op::RemoveRange(i, n)),
        1 => (0..4usize, 0..4usize).prop_map(|(a, b)| Op::Trim(a, b)),
        2 => head().prop_map(Op::Rotate),
        1 => Just(Op::Copy),
    ]
}

type Model = VecDeque<Vec<u8>>;

fn remove(model: &mut Model, value: &[u8], limit: usize, head: bool) -> usize {
    let mut removed = 0;
    while removed < limit {
        let found = match head {
            true => model.iter().position(|element| element == value),
            false => model.iter().rposition(|element| element == value),
        };
        let Some(found) = found else { break };
        model.remove(found);
        removed += 1;
    }
    removed
}

fn apply(list: &mut List, model: &mut Model, op: Op, limits: &PackLimits) {
    let len = model.len();
    match op {
        Op::Push(head, bytes) => {
            list.push(end(head), &bytes, limits);
            if head { model.push_front(bytes) } else { model.push_back(bytes) }
        }
        Op::Pop(head) => {
            let expected = if head { model.pop_front() } else { model.pop_back() };
            assert_eq!(list.pop(end(head)), expected);
        }
        Op::DropFrom(head, n) => {
            list.drop_from(end(head), n);
            for _ in 0..n {
                if head {
                    model.pop_front()
                } else {
                    model.pop_back()
                };
            }
        }
        Op::Set(i, bytes) => {
            let i = i % (len + 1);
            assert_eq!(list.set(i, &bytes, limits), i < len);
            if let Some(element) = model.get_mut(i) {
                *element = bytes;
            }
        }
        Op::Insert(i, bytes) => {
            let i = i % (len + 2);
            assert_eq!(list.insert(i, &bytes, limits), i <= len);
            if i <= len {
                model.insert(i, bytes);
            }
        }
        Op::Beside(pivot, after, bytes) => {
            let found = model.iter().position(|element| *element == pivot);
            assert_eq!(list.insert_beside(&pivot, after, &bytes, limits), found.is_some());
            if let Some(found) = found {
                model.insert(found + usize::from(after), bytes);
            }
        }
        Op::Remove(value, limit, head) => {
            let removed = remove(model, &value, limit, head);
            assert_eq!(list.remove(&value, limit, end(head)), removed);
        }
        Op::RemoveRange(i, n) => {
            let i = i % (len + 1);
            let n = n.min(len - i);
            assert_eq!(list.remove_range(i, n), n);
            model.drain(i..i + n);
        }
        Op::Trim(front, back) => {
            list.trim(front, len.saturating_sub(front + back));
            model.truncate(len.saturating_sub(back));
            model.drain(..front.min(model.len()));
        }
        Op::Rotate(head) => {
            assert_eq!(list.rotate(end(head), limits), len > 0);
            if len > 0 {
                if head { model.rotate_left(1) } else { model.rotate_right(1) }
            }
        }
        Op::Copy => *list = list.clone(),
    }
}

fn check(list: &List, model: &Model) {
    assert_eq!((list.len(), list.iter().len()), (model.len(), model.len()));
    assert!(list.iter().eq(model.iter().map(Vec::as_slice)));
    assert!(list.iter().rev().eq(model.iter().rev().map(Vec::as_slice)));
    assert_eq!(list.peek(End::Head), model.front().map(Vec::as_slice));
    assert_eq!(list.peek(End::Tail), model.back().map(Vec::as_slice));
    if let Shape::Long(ring) = &list.shape {
        ring.check();
    }
}

proptest! {
    #[test]
    fn behaves_as_a_deque(
        ops in prop::collection::vec(op(), 0..120),
        size in prop_oneof![-6..6i64, Just(i64::MIN), Just(i64::MAX)],
    ) {
        let limits = PackLimits { list_size: size, ..PackLimits::default() };
        let (mut list, mut model) = (List::default(), Model::new());
        for op in ops {
            apply(&mut list, &mut model, op, &limits);
            check(&list, &model);
        }
        let len = model.len();
        for start in [0, 1, len / 3, len / 2, len.saturating_sub(2), len, len + 1] {
            prop_assert_eq!(list.get(start), model.get(start).map(Vec::as_slice));
            for count in [0, 1, len / 2, len, usize::MAX] {
                let expected = model.iter().skip(start).take(count).map(Vec::as_slice);
                prop_assert!(list.range(start, count).eq(expected.clone()));
                let expected: Vec<_> = expected.collect();
                prop_assert!(list.range(start, count).rev().eq(expected.iter().rev().copied()));
                let mut both = list.range(start, count);
                let (mut front, mut back) = (Vec::new(), Vec::new());
                while let Some(element) = both.next() {
                    front.push(element);
                    back.extend(both.next_back());
                }
                front.extend(back.into_iter().rev());
                prop_assert_eq!(front, expected);
            }
        }
    }
}

#[test]
fn nodes_hold_what_the_limit_allows() {
    let push = |size: i64, element: &[u8], n: usize| {
        let limits = PackLimits { list_size: size, ..PackLimits::default() };
        let mut list = List::default();
        for _ in 0..n {
            list.push(End::Tail, element, &limits);
        }
        list.nodes()
    };
    assert_eq!(push(-2, &[1; 1020], 14), 2);
    assert_eq!(push(-2, &[1; 1020], 15), 3);
    assert_eq!(push(-1, &[1; 1020], 16), 6);
    assert_eq!(push(3, b"x", 9), 3);
    assert_eq!(push(1000, &[1; 1020], 16), 3);
    assert_eq!(push(-2, &[1; 10_000], 5), 5);
}

#[test]
fn a_queue_keeps_its_size() {
    let limits = PackLimits::default();
    let mut list = List::default();
    let mut most = 0;
    for i in 0..50_000u32 {
        list.push(End::Tail, &i.to_le_bytes(), &limits);
        if i >= 100 {
            assert_eq!(list.pop(End::Head), Some((i - 100).to_le_bytes().to_vec()));
            most = most.max(list.memory());
        }
    }
    assert!(most < 20_000, "{most}");
}

#[test]
fn nodes_are_no_larger_than_what_is_in_them() {
    let limits = PackLimits::default();
    for end in [End::Head, End::Tail] {
        let mut list = List::default();
        for n in 0..2000_u32 {
            list.push(end, format!("element:{n:06}").as_bytes(), &limits);
            // Full nodes are of 8 KiB; what follows one is half as large from the beginning.
            let full = list.nodes() - 1;
            let last = table::size_class(16 * (list.len() - full * 511) + Block::OVERHEAD);
            let most = match full {
                0 => last,
                _ => full * (8 << 10) + last.max(4 << 10) + 64 + 24 * list.nodes(),
            };
            assert!(list.memory() <= most, "{} of {n} at {end:?}", list.memory());
        }
    }
}
