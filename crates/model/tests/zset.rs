//! What random choices, size and waiting make of sorted set commands, and what the journal is told.

use std::collections::{BTreeMap, BTreeSet};

use base::{Effect, Kind, Nothing, PackLimits, Protocol, Wait};

use crate::stage::{Stage, elements};

/// Member `mN` scores N.
fn stage_with_members(members: usize) -> Stage {
    let mut stage = Stage::new();
    let pairs: Vec<_> = (0..members).map(|n| format!("{n} m{n}")).collect();
    stage.ask(&format!("ZADD z {}", pairs.join(" ")));
    stage
}

#[test]
fn the_journal_is_told_what_replays_the_same() {
    let mut stage = Stage::new();
    for (line, effect) in [
        ("ZADD z 1 a 2 b", "as sent"),
        ("ZADD z 1 a 2 b", "none"),
        ("ZADD z NX 9 a", "none"),
        ("ZADD z XX 9 x", "none"),
        ("ZADD z GT 0 a", "none"),
        ("ZADD z INCR 0 a", "none"),
        ("ZADD z INCR 2 a", "as sent"),
        ("ZADD missing XX 1 a", "none"),
        ("ZINCRBY z 2 c", "as sent"),
        ("ZINCRBY z 0 c", "none"),
        ("ZINCRBY z x c", "none"),
        ("ZREM z x", "none"),
        ("ZREM z c", "as sent"),
        ("ZREMRANGEBYRANK z 5 6", "none"),
        ("ZREMRANGEBYSCORE z 1 0", "none"),
        ("ZREMRANGEBYLEX z + -", "none"),
        ("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f 7 g 8 h 9 i 9 j", "as sent"),
        ("ZREMRANGEBYRANK z 0 0", "as sent"),
        ("ZREMRANGEBYSCORE z 2 2", "as sent"),
        ("ZRANGESTORE d z 0 1", "as sent"),
        ("ZRANGESTORE d z 9 9", "as sent"),
        ("ZRANGESTORE d z 9 9", "none"),
        ("ZUNIONSTORE d 1 z", "as sent"),
        ("ZINTERSTORE d 1 missing", "as sent"),
        ("ZDIFFSTORE d 1 missing", "none"),
        ("ZPOPMIN z 0", "none"),
        ("ZPOPMIN z", "ZREM z c"),
        ("ZPOPMAX z 2", "ZREM z j i"),
        ("ZMPOP 2 missing z MIN COUNT 2", "ZREM z d e"),
        ("BZPOPMIN missing z 0", "ZREM z f"),
        ("BZPOPMAX z 0", "ZREM z h"),
        ("BZMPOP 0 1 z MAX", "ZREM z g"),
        ("ZPOPMIN z", "none"),
        ("ZMPOP 1 z MIN", "none"),
        ("ZUNION 1 missing", "none"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
    assert!(stage.model.keys().is_empty());
}

#[test]
fn who_finds_nothing_waits_without_a_reply() {
    let mut stage = Stage::new();
    stage.model.now = 1_000;
    for (line, keys, until) in [
        ("BZPOPMIN a b 0", vec![1, 2], None),
        ("BZPOPMAX a 1.5", vec![1], Some(2_500)),
        ("BZMPOP 0 2 a b MIN", vec![3, 4], None),
        ("BZMPOP 0.0001 1 a MAX COUNT 3", vec![3], Some(1_001)),
    ] {
        let outcome = stage.ask(line);
        assert!(outcome.reply.is_empty(), "{line}");
        let in_transaction = Nothing::NullArray;
        let wait = Wait { keys, kind: Kind::ZSet, until, in_transaction, resume: None };
        assert_eq!(outcome.effect, Effect::Block(Box::new(wait)), "{line}");
    }
}

#[test]
fn a_sorted_set_changes_form_at_the_limits() {
    let limits = PackLimits { zset_entries: 2, zset_value: 3, ..PackLimits::default() };
    let mut stage = Stage::with_limits(limits);
    for (line, reply) in [
        ("ZADD z 1 a 2 b", ":2"),
        ("OBJECT ENCODING z", "$8|listpack"),
        ("ZADD z XX 1 cccc", ":0"),
        ("ZADD z 1 c", ":1"),
        ("OBJECT ENCODING z", "$8|skiplist"),
        ("ZREM z a b", ":2"),
        ("OBJECT ENCODING z", "$8|skiplist"),
        ("ZUNIONSTORE z 1 z", ":1"),
        ("OBJECT ENCODING z", "$8|listpack"),
        ("ZINCRBY y 1 aaaa", "$1|1"),
        ("OBJECT ENCODING y", "$8|skiplist"),
        ("ZRANGESTORE x y 0 -1", ":1"),
        ("OBJECT ENCODING x", "$8|skiplist"),
        ("ZADD w 1 a 1 b 1 c", ":3"),
        ("ZRANGESTORE x w 0 1", ":2"),
        ("OBJECT ENCODING x", "$8|listpack"),
        ("ZDIFFSTORE x 1 w", ":3"),
        ("OBJECT ENCODING x", "$8|skiplist"),
    ] {
        assert_eq!(stage.reply(line), reply, "{line}");
    }
}

#[test]
fn large_and_small_sorted_sets_answer_alike() {
    for members in [100, 1000] {
        let mut stage = stage_with_members(members);
        let last = members - 1;
        for (line, wanted) in [
            ("ZRANGE z 3 4", vec!["m3".to_owned(), "m4".to_owned()]),
            ("ZREVRANGE z 0 0 WITHSCORES", vec![format!("m{last}"), last.to_string()]),
            ("ZRANGEBYSCORE z (7 9", vec!["m8".to_owned(), "m9".to_owned()]),
            ("ZREVRANGEBYSCORE z 9 (7 LIMIT 1 5", vec!["m8".to_owned()]),
            ("ZCOUNT z 10 (20", vec!["10".to_owned()]),
            ("ZRANK z m42", vec!["42".to_owned()]),
            ("ZREVRANK z m42", vec![(last - 42).to_string()]),
            ("ZREMRANGEBYRANK z 10 19", vec!["10".to_owned()]),
            ("ZCARD z", vec![(members - 10).to_string()]),
            ("ZRANGE z 9 10", vec!["m9".to_owned(), "m20".to_owned()]),
        ] {
            assert_eq!(elements(&stage.ask(line).reply), wanted, "{line} of {members}");
        }
    }
}

#[test]
fn random_members_are_members_and_come_with_their_scores() {
    for members in [1, 20, 600] {
        let mut stage = stage_with_members(members);
        let all: BTreeSet<String> = (0..members).map(|n| format!("m{n}")).collect();
        for count in [1, 2, members / 2, members, members + 5] {
            let drawn = elements(&stage.ask(&format!("ZRANDMEMBER z {count}")).reply);
            let distinct: BTreeSet<String> = drawn.iter().cloned().collect();
            assert_eq!(drawn.len(), count.min(members));
            assert_eq!(distinct.len(), drawn.len(), "no member twice");
            assert!(distinct.is_subset(&all));
            let pairs = elements(&stage.ask(&format!("ZRANDMEMBER z -{count} WITHSCORES")).reply);
            assert_eq!(pairs.len(), 2 * count);
            assert!(pairs.chunks(2).all(|pair| pair[0][1..] == pair[1][..]));
        }
    }
}

#[test]
fn every_member_is_drawn_sooner_or_later() {
    for members in [5, 600] {
        let mut stage = stage_with_members(members);
        let mut seen = BTreeSet::new();
        for _ in 0..members * 30 {
            seen.extend(elements(&stage.ask("ZRANDMEMBER z").reply));
        }
        assert_eq!(seen.len(), members);
    }
}

#[test]
fn a_walk_finds_every_member_with_its_score() {
    let mut stage = stage_with_members(2000);
    stage.protocol = Protocol::Resp3;
    for (options, wanted) in [("", 2000), ("COUNT 100", 2000), ("MATCH m1?", 10)] {
        let mut found = BTreeMap::new();
        let (mut cursor, mut steps) = ("0".to_owned(), 0);
        loop {
            let step = elements(&stage.ask(&format!("ZSCAN z {cursor} {options}")).reply);
            let (next, pairs) = step.split_first().expect("a cursor");
            found.extend(pairs.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())));
            steps += 1;
            cursor.clone_from(next);
            if cursor == "0" {
                break;
            }
        }
        assert_eq!(found.len(), wanted, "{options}");
        assert!(found.iter().all(|(member, score)| member[1..] == score[..]));
        assert!(steps > 1, "a large sorted set is not answered in one step");
    }
}
