//! Streams against a plain list of entries, and against bytes of Redis.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

type Model = Vec<(StreamId, Vec<Vec<u8>>)>;

fn limits() -> PackLimits {
    PackLimits::default()
}

fn id(ms: u64, seq: u64) -> StreamId {
    StreamId { ms, seq }
}

fn entries(log: &Log, from: StreamId, to: StreamId) -> Model {
    let whole = |entry: Entry<'_>| {
        let words = entry.fields().flat_map(|(name, value)| [name.to_vec(), value.to_vec()]);
        (entry.id, words.collect())
    };
    let up: Model = log.range(from, to).map(whole).collect();
    let mut down: Model = log.range_back(from, to).map(whole).collect();
    down.reverse();
    assert_eq!(up, down);
    up
}

/// Recounts everything from scratch.
fn check_memory(stream: &Stream) {
    let again = stream.clone();
    assert_eq!(entries(again.log(), StreamId::MIN, StreamId::MAX).len(), stream.log().len());
    // A copy has no spare room, or as much.
    assert!(again.memory() <= stream.memory() + 64 * (stream.log().node_count() + 8));
    // Taking all away leaves what an empty stream takes.
    let mut emptied = stream.clone();
    let names: Vec<Vec<u8>> = stream.groups().iter().map(|group| group.name().to_vec()).collect();
    for name in names {
        let gone = emptied.edit_group(&name, |_, group| {
            let numbers = group.numbers().to_vec();
            for number in numbers {
                let consumer = group.consumer(number).unwrap().name().to_vec();
                group.delete(&consumer);
            }
            group.pending()
        });
        assert_eq!(gone, Some(0));
        assert!(emptied.destroy_group(&name));
    }
    emptied.trim(&Trim { keep: Keep::Last(0), approximate: false, limit: 0 });
    assert_eq!(emptied.memory(), Stream::default().memory());
}

#[derive(Clone, Debug)]
enum Step {
    Push(u64, Vec<(u8, Vec<u8>)>),
    Delete(Vec<usize>),
    TrimLen(u64, bool, u64),
    TrimId(usize, bool, u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let value = prop_oneof![
        4 => "[a-c0-9-]{0,6}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..90),
        1 => any::<i64>().prop_map(|n| n.to_string().into_bytes()),
    ];
    let fields = proptest::collection::vec((0_u8..3, value), 1..4);
    let step = prop_oneof![
        12 => (0_u64..70_000, fields).prop_map(|(gap, fields)| Step::Push(gap, fields)),
        3 => proptest::collection::vec(0_usize..400, 1..4).prop_map(Step::Delete),
        1 => (0_u64..300, any::<bool>(), 0_u64..40).prop_map(|(n, a, l)| Step::TrimLen(n, a, l)),
        1 => (0_usize..400, any::<bool>(), 0_u64..40).prop_map(|(n, a, l)| Step::TrimId(n, a, l)),
    ];
    proptest::collection::vec(step, 0..250)
}

fn apply(stream: &mut Stream, model: &mut Model, step: Step, limits: &PackLimits) {
    match step {
        Step::Push(gap, fields) => {
            let last = stream.log().last_id();
            let next = if gap % 3 == 0 { last.next().unwrap() } else { id(last.ms + gap, gap) };
            let words: Vec<Vec<u8>> =
                fields.into_iter().flat_map(|(n, value)| [vec![b'f', n], value]).collect();
            let argv: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            stream.push(next, &argv, limits).unwrap();
            model.push((next, words));
        }
        Step::Delete(places) => {
            let ids: Vec<StreamId> = places
                .into_iter()
                .map(|at| model.get(at).map_or(id(at as u64, 3), |entry| entry.0))
                .collect();
            let before = model.len();
            model.retain(|entry| !ids.contains(&entry.0));
            assert_eq!(stream.delete(&ids), before - model.len());
        }
        Step::TrimLen(most, approximate, limit) => {
            let limit = if approximate { limit } else { 0 };
            let gone = stream.trim(&Trim { keep: Keep::Last(most), approximate, limit });
            model.drain(..gone);
            assert!(model.len() as u64 >= most || gone == 0);
            assert!(approximate || model.len() as u64 <= most);
        }
        Step::TrimId(at, approximate, limit) => {
            let from = model.get(at).map_or(id(at as u64, 0), |entry| entry.0);
            let limit = if approximate { limit } else { 0 };
            let gone = stream.trim(&Trim { keep: Keep::From(from), approximate, limit });
            assert!(model.drain(..gone).all(|entry| entry.0 < from));
            assert!(approximate || model.first().is_none_or(|entry| entry.0 >= from));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn entries_are_those_of_a_list(steps in steps(), bytes in 0_usize..400, count in 0_usize..20) {
        let limits =
            PackLimits { stream_node_bytes: bytes, stream_node_entries: count, ..limits() };
        let (mut stream, mut model) = (Stream::default(), Model::new());
        for step in steps {
            apply(&mut stream, &mut model, step, &limits);
            prop_assert_eq!(stream.log().len(), model.len());
            let first = model.first().map_or(StreamId::MIN, |entry| entry.0);
            prop_assert_eq!(stream.log().first_id(), first);
        }
        prop_assert_eq!(&entries(stream.log(), StreamId::MIN, StreamId::MAX), &model);
        for window in model.windows(7) {
            let part = entries(stream.log(), window[1].0, window[5].0);
            prop_assert_eq!(&part[..], &window[1..=5]);
        }
        // What a file says makes the same stream.
        let mut again = Stream::default();
        for (id, bytes) in stream.log().nodes() {
            again.adopt_node(id, bytes).unwrap();
        }
        prop_assert_eq!(&entries(again.log(), StreamId::MIN, StreamId::MAX), &model);
        check_memory(&stream);
    }

    #[test]
    fn damaged_nodes_are_refused_or_read(flips in vec((0_usize..300, any::<u8>()), 1..6)) {
        let mut stream = Stream::default();
        for n in 1..12_u64 {
            let number = (n * 1_000_003).to_string();
            let fields: [&[u8]; 4] = [b"name", number.as_bytes(), b"b", b"some text"];
            let words = if n % 5 == 0 { 2 } else { 4 };
            stream.push(id(n, n), &fields[..words], &limits()).unwrap();
        }
        let (first, bytes) = stream.log().nodes().next().unwrap();
        let mut bytes = bytes.to_vec();
        for (at, bits) in flips {
            let at = at % bytes.len();
            bytes[at] ^= bits;
        }
        let mut again = Stream::default();
        if again.adopt_node(first, &bytes).is_ok() {
            let _ = entries(again.log(), StreamId::MIN, StreamId::MAX);
        }
    }

    #[test]
    fn pending_is_that_of_a_map(steps in vec((0_u8..8, 0_u64..900, 0_u8..4), 0..1500)) {
        let mut stream = Stream::default();
        stream.create_group(b"g", StreamId::MIN, None);
        let mut model: BTreeMap<StreamId, u8> = BTreeMap::new();
        for (what, n, consumer) in steps {
            let name = [consumer];
            stream.edit_group(b"g", |_, group| match what {
                0..5 => {
                    let (number, _) = group.find_or_create(&name, 1);
                    let (entry, deliveries) = (id(n, 1), 1);
                    let consumer = number;
                    group.deliver(Pending { id: entry, delivered: n, deliveries, consumer });
                    model.insert(entry, name[0]);
                }
                5..7 => assert_eq!(group.acknowledge(id(n, 1)), model.remove(&id(n, 1)).is_some()),
                _ if n < 20 => {
                    let before = model.len();
                    model.retain(|_, owner| *owner != consumer);
                    assert_eq!(group.delete(&name).unwrap_or(0), before - model.len());
                }
                _ => {}
            });
        }
        let group = stream.group(b"g").unwrap();
        let name_of = |number: u32| group.consumer(number).unwrap().name()[0];
        let all: Vec<(StreamId, u8)> =
            group.pending_from(StreamId::MIN).map(|one| (one.id, name_of(one.consumer))).collect();
        prop_assert_eq!(all, model.iter().map(|(id, owner)| (*id, *owner)).collect::<Vec<_>>());
        for consumer in group.consumers() {
            let own: Vec<StreamId> = consumer.pending_from(id(300, 0)).collect();
            let wanted = model.iter().filter(|one| *one.1 == consumer.name()[0] && one.0.ms >= 300);
            prop_assert_eq!(own, wanted.map(|one| *one.0).collect::<Vec<_>>());
        }
        prop_assert_eq!(group.pending(), model.len());
        check_memory(&stream);
    }
}

#[test]
fn a_typical_entry_takes_few_bytes() {
    let mut stream = Stream::default();
    for n in 0..100_000_u64 {
        let fields: [&[u8]; 4] = [b"sensor", b"1234", b"temperature", b"19.8"];
        stream.push(id(1_700_000_000_000 + n, 0), &fields, &PackLimits::default()).unwrap();
    }
    let each = stream.memory() / 100_000;
    assert!(each <= 22, "{each} bytes for an entry");
}

#[test]
fn the_radix_tree_is_counted_as_redis_builds_it() {
    let nodes = |ids: &[(u64, u64)]| {
        let mut stream = Stream::default();
        let limits = PackLimits { stream_node_entries: 1, ..PackLimits::default() };
        for &(ms, seq) in ids {
            stream.push(id(ms, seq), &[b"f", b"v"], &limits).unwrap();
        }
        stream.log().radix_nodes()
    };
    assert_eq!(nodes(&[]), 1);
    assert_eq!(nodes(&[(1, 1)]), 2);
}
