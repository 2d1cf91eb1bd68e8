//! Groups of streams, and what is pending in them.

use super::*;

/// However many groups a stream has, and however little is pending in each: not all of it is
/// written in one hold. Whatever becomes of the groups meanwhile, it is what it was.
#[test]
fn what_is_pending_in_many_groups_is_copied_in_pieces() {
    let mut stage = Stage::new();
    stage.fill();
    let key = stage.key("stream");
    let group = |n: u64| format!("group {n:02}").into_bytes();
    let deliver = |stream: &mut Stream, n: u64, count: u64| {
        stream.create_group(&group(n), StreamId::MIN, Some(n));
        stream.edit_group(&group(n), |_, group| {
            let consumer = group.find_or_create(b"consumer", n).0;
            for ms in 1..=count {
                let id = StreamId { ms: ms + n, seq: 0 };
                group.deliver(Pending { id, delivered: ms, deliveries: n, consumer });
            }
        });
    };
    stage
        .run(|txn| {
            Holds::<Stream>::edit(txn, key, |stream| {
                (0..60).for_each(|n| deliver(stream, n, 40));
            })
        })
        .expect("a stream");
    let was = stage.whole("stream");
    let mut copy = stage.begin("stream");
    let mut round = 0;
    loop {
        stage
            .run(|txn| {
                Holds::<Stream>::edit(txn, key, |stream| {
                    let n = 59 - round % 60;
                    stream.edit_group(&group(n), |_, group| {
                        group.acknowledge(StreamId { ms: n + 3, seq: 0 });
                        group.delete(b"consumer");
                    });
                    stream.destroy_group(&group(n / 2 + 30));
                    if round % 3 == 0 {
                        deliver(stream, n / 2 + 30, 7);
                    }
                    deliver(stream, 60 + round, 9);
                })
            })
            .expect("a stream");
        round += 1;
        if !copy.next().expect("a copy") {
            break;
        }
    }
    assert!(round > 20, "{round} pieces");
    assert!(copy.finish().expect("a copy") == was);
}

/// The name of a group, or of a consumer.
fn named(what: &str, n: usize) -> Vec<u8> {
    format!("{what} {n:03}").into_bytes()
}

/// Changes something about a group or a consumer, of names that are there and that are not.
fn change_groups(stream: &mut Stream, rng: &mut Rng) {
    let (group, consumer) = (named("group", rng.below(90)), named("consumer", rng.below(150)));
    let some = rng.below(300) as u64;
    match rng.below(10) {
        0 => _ = stream.create_group(&group, StreamId { ms: some, seq: 7 }, None),
        1 => _ = stream.destroy_group(&group),
        what => {
            stream.edit_group(&group, |_, group| match what {
                2 => _ = group.find_or_create(&consumer, some),
                3 | 4 => _ = group.delete(&consumer),
                5 => {
                    if let Some(number) = group.find(&consumer) {
                        group.see(number, 1000 + some);
                    }
                }
                6 => _ = group.acknowledge(StreamId { ms: some, seq: 0 }),
                7 => (group.last_id, group.entries_read) = (StreamId::MAX, Some(some)),
                _ => {
                    let (consumer, _) = group.find_or_create(&consumer, some);
                    let id = StreamId { ms: some, seq: 0 };
                    group.deliver(Pending { id, delivered: some, deliveries: 2, consumer });
                }
            });
        }
    }
}

/// However many groups there are, and however many consumers they have: only a chunk of them is
/// read in one hold. Whatever becomes of them meanwhile, they are what they were.
#[test]
fn groups_and_consumers_are_copied_in_chunks() {
    for (seed, nodes) in (0..8).map(|seed| (seed, seed % 2 == 0)) {
        let mut rng = Rng::new(seed);
        let mut stage = Stage::new();
        stage.fill();
        let key = stage.key("stream");
        let edit = |stage: &mut Stage, edit: &mut dyn FnMut(&mut Stream)| {
            let edited = stage.run(|txn| Holds::<Stream>::edit(txn, key, |stream| edit(stream)));
            edited.expect("a stream");
        };
        edit(&mut stage, &mut |stream| {
            if !nodes {
                // Groups stay, though there is nothing to read any more.
                stream.trim(&Trim { keep: Keep::Last(0), approximate: false, limit: 0 });
            }
            for n in 0..60 {
                stream.create_group(&named("group", n), StreamId::MIN, Some(n as u64));
                stream.edit_group(&named("group", n), |_, group| {
                    let consumers = if n % 20 == 3 { 140 } else { n % 4 };
                    for n in 0..consumers {
                        group.find_or_create(&named("consumer", n), n as u64);
                    }
                });
            }
            // Some numbers of consumers are not in the order of their names.
            (0..300).for_each(|_| change_groups(stream, &mut rng));
        });
        let was = stage.whole("stream");
        let mut copy = stage.begin("stream");
        let (busy, mut rounds) = (1 + rng.below(12), 0);
        loop {
            let changes = rng.below(busy);
            edit(&mut stage, &mut |stream| {
                (0..changes).for_each(|_| change_groups(stream, &mut rng));
            });
            rounds += 1;
            match copy.next() {
                Ok(true) => {}
                Ok(false) => break,
                Err(Changed) => panic!("groups are not followed with seed {seed}"),
            }
        }
        assert!(rounds > 4, "{rounds} chunks");
        edit(&mut stage, &mut |stream| (0..50).for_each(|_| change_groups(stream, &mut rng)));
        assert!(copy.finish().expect("a copy") == was, "other groups with seed {seed}");
        assert!(stage.whole("stream") != was, "nothing has changed with seed {seed}");
    }
}

/// A group of which too much changes is not followed any more, and nothing wrong is taken for it.
#[test]
fn a_group_that_notes_too_much_is_not_followed() {
    let mut stage = Stage::new();
    stage.fill();
    let key = stage.key("stream");
    let mut copy = stage.begin("stream");
    stage
        .run(|txn| {
            Holds::<Stream>::edit(txn, key, |stream| {
                stream.edit_group(b"group", |_, group| {
                    for n in 0..100_000 {
                        group.find_or_create(&word(n), 1);
                    }
                });
            })
        })
        .expect("a stream");
    let ended = std::iter::from_fn(|| Some(copy.next())).find(|next| *next != Ok(true));
    assert_eq!(ended, Some(Err(Changed)));
}
