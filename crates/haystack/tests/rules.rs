//! What filters find, rule by rule.

use kvist_haystack::{Defs, Dict, Evaluator, Filter, trio};

/// Which records a filter finds, by their ids.
fn found(records: &[Dict], defs: Option<&Defs>, filter: &str) -> String {
    let filter = Filter::parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
    let mut evaluator = Evaluator::new(&filter, records);
    if let Some(defs) = defs {
        evaluator = evaluator.with_namespace(defs);
    }
    let found = records.iter().filter(|record| evaluator.matches(record));
    found.map(|record| record.id().unwrap().as_str()).collect::<Vec<_>>().join(" ")
}

fn check(records: &str, cases: &[(&str, &str)]) {
    let records = trio::read(records).unwrap();
    for (filter, wanted) in cases {
        assert_eq!(found(&records, None, filter), *wanted, "{filter}");
    }
}

#[test]
fn has_and_missing() {
    let records = "id: @a\nx: false\n---\nid: @b\nx: NA\n---\nid: @c\nx: \"\"\n---\nid: @d\nnot\n";
    check(
        records,
        &[
            ("x", "a b c"),
            ("not x", "d"),
            ("not", "d"),
            ("not not", "a b c"),
            ("id", "a b c d"),
            ("x and not", ""),
            ("x or not", "a b c d"),
            ("not x or x", "a b c d"),
        ],
    );
}

#[test]
fn equal_and_unequal() {
    let records = "id: @a\nx: 123\n---\nid: @b\nx: 123°F\n---\nid: @c\nx: \"123\"\n---\n\
        id: @d\n---\n\
        id: @e\nx: NaN\n---\nid: @f\nx: @r \"R\"\n---\nid: @g\nx: 1min\n";
    check(
        records,
        &[
            ("x == 123", "a"),
            ("x == 123°F", "b"),
            ("x == 123fahrenheit", "b"),
            ("x != 123", "b c e f g"),
            ("x != 123°F", "a c e f g"),
            ("x == \"123\"", "c"),
            ("x == @r", "f"),
            ("x != @r", "a b c e g"),
            ("x == 60sec", ""),
            ("x == 1min", "g"),
            ("not x", "d"),
        ],
    );
}

#[test]
fn less_and_greater_need_kind_and_unit() {
    let records = "id: @a\nx: 10\n---\nid: @b\nx: 10kW\n---\nid: @c\nx: \"k\"\n---\nid: @d\n---\n\
        id: @e\nx: 2024-01-01\n---\nid: @f\nx: true\n---\nid: @g\nx: 08:00:00\n---\n\
        id: @h\nx: @m\n---\n\
        id: @i\nx: `m`\n---\nid: @j\nx: M\n";
    check(
        records,
        &[
            ("x < 11", "a"),
            ("x <= 10", "a"),
            ("x > 9kW", "b"),
            ("x >= 10kW", "b"),
            ("x < 11W", ""),
            ("x > \"K\"", "c"),
            ("x < \"l\"", "c"),
            ("x < 2024-01-02", "e"),
            ("x > false", "f"),
            ("x <= true", "f"),
            ("x < 8:01", "g"),
            ("x > @l", "h"),
            ("x >= `m`", "i"),
            ("x > ^a", ""),
            ("x != 0", "a b c e f g h i j"),
        ],
    );
}

#[test]
fn instants_without_their_zone() {
    let records = "id: @a\nts: 2024-07-01T08:00:00-04:00 New_York\n---\n\
        id: @b\nts: 2024-07-01T23:00:00-04:00 New_York\n---\nid: @c\nts: 2024-07-01\n---\n\
        id: @d\nts: {date: 5}\n---\nid: @e\n";
    check(
        records,
        &[
            ("ts == 2024-07-01T12:00:00Z", "a"),
            ("ts > 2024-07-01T12:00:00Z UTC", "b"),
            ("ts->date == 2024-07-01", "a b"),
            ("ts->time >= 23:00", "b"),
            ("ts->tz == \"New_York\"", "a b"),
            ("ts->tz", "a b"),
            ("ts->date->x", ""),
            ("not ts->date->x", "a b c d e"),
            ("ts->year", ""),
            ("ts->date", "a b d"),
            ("not ts->date", "c e"),
            ("ts->date == 5", "d"),
            ("ts < 2024-07-02", "c"),
        ],
    );
}

const SITES: &str = "id: @s1\nsite\narea: 10\n---\nid: @s2\nsite\narea: 20\nowner: @s1\n---\n\
    id: @one\nref: @s1\n---\nid: @both\nref: [@s1, @s2]\n---\nid: @none\nref: []\n---\n\
    id: @gone\nref: @nowhere\n---\nid: @some\nref: [@nowhere, @s2]\n---\n\
    id: @text\nref: [\"s1\"]\n---\n\
    id: @dict\nref: {area: 10 site inner: {area: 7}}\n---\nid: @num\nref: 5\n";

#[test]
fn paths_lead_through_refs_and_dicts() {
    check(
        SITES,
        &[
            ("ref->site", "one both some dict"),
            ("ref->area == 10", "one both dict"),
            ("ref->area == 20", "both some"),
            ("ref->owner->area == 10", "both some"),
            ("ref->inner->area == 7", "dict"),
            ("ref->area != 10", "both some"),
            // No tag at all on the way, or no ref: missing. An empty list: never.
            ("not ref->site", "s1 s2 gone some text num"),
            ("not ref->owner", "s1 s2 one both gone some text dict num"),
            ("not ref->owner->site", "s1 s2 one both gone some text dict num"),
            ("ref->site or not ref->site", "s1 s2 one both gone some text dict num"),
        ],
    );
}

#[test]
fn lists_of_refs_at_the_end() {
    check(
        SITES,
        &[
            ("ref", "one both none gone some text dict num"),
            ("not ref", "s1 s2"),
            ("ref == @s1", "one both"),
            ("ref == @s2", "both some"),
            ("ref != @s1", "both none gone some text dict num"),
            ("ref != @s2", "one both none gone some text dict num"),
            ("ref > @s1", "both some"),
            ("ref == \"s1\"", ""),
        ],
    );
    // The list itself is no ref, so it is unequal even if all in it are equal.
    check("id: @x\nref: [@a]\n", &[("ref != @a", "x"), ("ref == @a", "x"), ("ref < @b", "x")]);
    check("id: @x\nref: [1, @a]\n", &[("ref == @a", "x"), ("ref == 1", ""), ("ref->y", "")]);
}

#[test]
fn and_binds_tighter_than_or() {
    let records = "id: @a\nx\n---\nid: @b\ny\nz\n---\nid: @c\ny\n";
    check(
        records,
        &[
            ("x or y and z", "a b"),
            ("(x or y) and z", "b"),
            ("y and z or x", "a b"),
            ("not x and not z", "c"),
        ],
    );
}

#[test]
fn symbols_with_and_without_definitions() {
    let records = trio::read(
        "id: @a\nhot\nwater\n---\nid: @b\nwater\n---\nid: @c\nhot\n---\n\
        id: @d\nsteam\n---\nid: @e\n",
    );
    let records = records.unwrap();
    let defs = "def: ^fluid\n---\ndef: ^water\nis: ^fluid\n---\ndef: ^hot-water\nis: ^water\n---\n\
        def: ^steam\nis: [^fluid]\n";
    let defs = Defs::from_dicts(&trio::read(defs).unwrap());
    for (filter, plain, defined) in [
        ("^hot-water", "a", "a"),
        ("^water", "a b", "a b"),
        ("^fluid", "", "a b d"),
        ("^unknown", "", ""),
        ("^hot", "a c", "a c"),
        ("^lib:x", "", ""),
        ("^fluid and not hot", "", "b d"),
    ] {
        assert_eq!(found(&records, None, filter), plain, "{filter}");
        assert_eq!(found(&records, Some(&defs), filter), defined, "{filter}");
    }
}

#[test]
fn specs_by_their_kinds() {
    let records = "id: @a\nspec: @ph::Ahu\n---\nid: @b\nspec: @ph::Equip\n---\n\
        id: @c\nspec: \"x\"\n---\nid: @d\n";
    let records = trio::read(records).unwrap();
    let mut defs = Defs::new();
    defs.add_spec("ph::Ahu", "ph::Equip");
    for (filter, wanted) in [("Equip", "a b"), ("Ahu", "a"), ("ph::Equip", "a b"), ("x::Equip", "")]
    {
        assert_eq!(found(&records, Some(&defs), filter), wanted, "{filter}");
        assert_eq!(found(&records, None, filter), "", "{filter}");
    }
}
