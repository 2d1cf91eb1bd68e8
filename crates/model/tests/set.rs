//! What random choices and size make of set commands, and what the journal is told.

use std::collections::BTreeSet;

use base::{Effect, PackLimits};

use crate::stage::{Stage, elements};

fn members(stage: &mut Stage, line: &str) -> BTreeSet<String> {
    let members = elements(&stage.ask(line).reply);
    let distinct: BTreeSet<String> = members.iter().cloned().collect();
    assert_eq!(distinct.len(), members.len(), "no member twice: {line}");
    distinct
}

fn stage_with_members(prefix: &str, members: usize) -> Stage {
    let mut stage = Stage::new();
    let members: Vec<_> = (0..members).map(|n| format!("{prefix}{n}")).collect();
    stage.ask(&format!("SADD s {}", members.join(" ")));
    stage
}

#[test]
fn the_journal_is_told_what_replays_the_same() {
    let mut stage = Stage::new();
    for (line, effect) in [
        ("SADD s a b", "as sent"),
        ("SADD s a b", "none"),
        ("SREM s x", "none"),
        ("SREM missing x", "none"),
        ("SREM s b", "as sent"),
        ("SMOVE s s a", "none"),
        ("SMOVE s t x", "none"),
        ("SMOVE s t a", "SREM s a; SADD t a"),
        ("SPOP t", "SREM t a"),
        ("SPOP t", "none"),
        ("SADD t 1 2", "as sent"),
        ("SPOP t 0", "none"),
        ("SPOP t 2", "DEL t"),
        ("SPOP t 2", "none"),
        ("SADD t 1 2", "as sent"),
        ("SPOP t 7", "DEL t"),
        ("SADD t 1 2", "as sent"),
        ("SINTERSTORE d t missing", "none"),
        ("SUNIONSTORE d t missing", "as sent"),
        ("SDIFFSTORE d t missing", "as sent"),
        ("SDIFFSTORE d t t", "as sent"),
        ("SDIFFSTORE d t t", "none"),
        ("SUNION t t", "none"),
        ("SRANDMEMBER t -3", "none"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
}

#[test]
fn replaying_the_journal_of_spop_ends_in_the_same_set() {
    for (prefix, count) in [("", 3), ("m", 3), ("m", 1500), ("m", 2990)] {
        let mut stage = stage_with_members(prefix, 3000);
        let mut twin = stage_with_members(prefix, 3000);
        let outcome = stage.ask(&format!("SPOP s {count}"));
        let popped = elements(&outcome.reply);
        assert_eq!(popped.len(), count);
        let requests = match outcome.effect {
            Effect::Rewritten(argv) => vec![argv],
            Effect::Several(all) => all,
            other => panic!("{other:?}"),
        };
        for argv in &requests {
            assert!(argv.len() <= 1026, "requests have a reasonable size");
            twin.run(&argv.iter().collect::<Vec<_>>());
        }
        let left = members(&mut stage, "SMEMBERS s");
        assert_eq!(left.len(), 3000 - count);
        assert_eq!(left, members(&mut twin, "SMEMBERS s"));
        assert!(popped.iter().all(|member| !left.contains(member)));
    }
}

#[test]
fn random_members_are_members() {
    for (prefix, size) in [("", 1), ("", 300), ("m", 20), ("m", 900)] {
        let mut stage = stage_with_members(prefix, size);
        let all = members(&mut stage, "SMEMBERS s");
        for count in [1, 2, size / 2, size, size + 5] {
            let drawn = members(&mut stage, &format!("SRANDMEMBER s {count}"));
            assert_eq!(drawn.len(), count.min(size));
            assert!(drawn.is_subset(&all));
            let drawn = elements(&stage.ask(&format!("SRANDMEMBER s -{count}")).reply);
            assert_eq!(drawn.len(), count);
            assert!(drawn.iter().all(|member| all.contains(member)));
        }
        assert_eq!(members(&mut stage, "SMEMBERS s"), all, "nothing was removed");
    }
}

#[test]
fn a_set_changes_form_at_the_limit() {
    let limits = PackLimits { set_intset_entries: 2, ..PackLimits::default() };
    let mut stage = Stage::with_limits(limits);
    for (line, reply) in [
        ("SADD s 1 2", ":2"),
        ("OBJECT ENCODING s", "$6|intset"),
        ("SADD s 3", ":1"),
        ("OBJECT ENCODING s", "$9|hashtable"),
        ("SUNIONSTORE d s", ":3"),
        ("OBJECT ENCODING d", "$9|hashtable"),
        ("SREM s 3", ":1"),
        ("OBJECT ENCODING s", "$9|hashtable"),
        ("SINTERSTORE d s", ":2"),
        ("OBJECT ENCODING d", "$6|intset"),
        ("SDIFFSTORE d s missing", ":2"),
        ("OBJECT ENCODING d", "$6|intset"),
    ] {
        assert_eq!(stage.reply(line), reply, "{line}");
    }
}

#[test]
fn a_walk_finds_every_member() {
    let mut stage = stage_with_members("m", 2000);
    for (options, wanted) in [("", 2000), ("COUNT 100", 2000), ("MATCH m1?", 10)] {
        let mut found = BTreeSet::new();
        let (mut cursor, mut steps) = ("0".to_owned(), 0);
        loop {
            let step = elements(&stage.ask(&format!("SSCAN s {cursor} {options}")).reply);
            let (next, members) = step.split_first().expect("a cursor");
            found.extend(members.iter().cloned());
            steps += 1;
            cursor.clone_from(next);
            if cursor == "0" {
                break;
            }
        }
        assert_eq!(found.len(), wanted, "{options}");
        assert!(steps > 1, "a large set is not answered in one step");
    }
}

/// Sets of several sizes and kinds, combined in every way, against plain set operations.
#[test]
fn combinations_agree_with_plain_set_operations() {
    let mut stage = Stage::new();
    let contents: [Vec<String>; 6] = [
        (0..40).map(|n| n.to_string()).collect(),
        (0..1500).step_by(3).map(|n| n.to_string()).collect(),
        (0..30).map(|n| format!("m{n}")).collect(),
        (0..900).step_by(2).map(|n| format!("m{n}")).chain((0..9).map(|n| n.to_string())).collect(),
        vec!["m2".to_owned()],
        Vec::new(),
    ];
    for (key, members) in contents.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
        stage.ask(&format!("SADD k{key} {}", members.join(" ")));
    }
    let set = |key: usize| contents[key].iter().cloned().collect::<BTreeSet<String>>();
    for (a, b, c) in (0..216).map(|n| (n % 6, n / 6 % 6, n / 36)) {
        let keys = format!("k{a} k{b} k{c}");
        let union = &(&set(a) | &set(b)) | &set(c);
        let inter = &(&set(a) & &set(b)) & &set(c);
        let diff = &(&set(a) - &set(b)) - &set(c);
        for (verb, wanted) in [("SUNION", &union), ("SINTER", &inter), ("SDIFF", &diff)] {
            assert_eq!(&members(&mut stage, &format!("{verb} {keys}")), wanted, "{verb} {keys}");
            let stored = stage.reply(&format!("{verb}STORE d {keys}"));
            assert_eq!(stored, format!(":{}", wanted.len()), "{verb}STORE {keys}");
            assert_eq!(&members(&mut stage, "SMEMBERS d"), wanted, "{verb}STORE {keys}");
        }
        let card = stage.reply(&format!("SINTERCARD 3 {keys} LIMIT 7"));
        assert_eq!(card, format!(":{}", inter.len().min(7)), "SINTERCARD {keys}");
    }
}
