//! The contract of diffs and batches, rule by rule.

use haystack::{Dict, Value};
use kvist_folio::{Diff, ErrorKind, Flags, Layer, Project};

use crate::sample::{at, dict, project};

fn kind_of(project: &mut Project, diffs: &[Diff]) -> Result<(), ErrorKind> {
    project.commit(diffs, at(9)).map(drop).map_err(|error| error.kind())
}

fn update(id: &str, changes: &str) -> Diff {
    Diff::update(id, dict(changes), None).unwrap().with(Flags::FORCE)
}

fn two() -> Project {
    project("id: @a\nsite\narea: 10m²\n---\nid: @b\nsiteRef: @a\n")
}

#[test]
fn flags_have_the_values_of_the_contract() {
    let all = [
        Flags::ADD,
        Flags::REMOVE,
        Flags::TRANSIENT,
        Flags::FORCE,
        Flags::BYPASS_RESTRICTED,
        Flags::CUR_VAL,
        Flags::POINT,
        Flags::TREE_UPDATE,
    ];
    assert_eq!(all.map(|flag| flag.0), [1, 2, 4, 8, 16, 32, 64, 128]);
}

#[test]
fn flags_that_do_not_go_together() {
    let mut project = two();
    let add = Diff::add("c", Dict::new()).unwrap();
    for diff in [
        add.clone().with(Flags::TRANSIENT),
        add.clone().with(Flags::REMOVE),
        Diff::remove("a", None).unwrap().with(Flags::TRANSIENT | Flags::FORCE),
        update("a", "x").with(Flags::REMOVE),
        Diff { old_mod: Some(at(0)), ..add },
    ] {
        assert_eq!(kind_of(&mut project, &[diff]), Err(ErrorKind::Diff));
    }
    assert_eq!((project.len(), project.version()), (2, 3));
}

#[test]
fn tags_have_their_side() {
    let mut project = two();
    let err = Err(ErrorKind::Diff);
    for tag in ["id:@x", "mod:1", "transient", "hisId", "hisSize:1", "hisStart", "hisEndVal:1"] {
        assert_eq!(kind_of(&mut project, &[update("a", tag)]), err, "{tag}");
    }
    for tag in ["projMeta", "uiMeta", "ext", "fileSize:1"] {
        assert_eq!(kind_of(&mut project, &[update("a", tag)]), err, "{tag}");
        let diff = update("a", tag).with(Flags::BYPASS_RESTRICTED);
        assert_eq!(kind_of(&mut project, &[diff]), Ok(()));
    }
    for tag in ["dis:\"x\"", "disMacro:\"x\"", "equip", "navName:\"x\"", "point", "conn", "trash"] {
        let diff = update("a", tag).with(Flags::TRANSIENT);
        assert_eq!(kind_of(&mut project, &[diff]), err, "{tag}");
    }
    for tag in ["curVal:1", "connState:\"x\"", "writeLevel:1", "hisErr:\"x\"", "nextVal:1"] {
        assert_eq!(kind_of(&mut project, &[update("a", tag)]), err, "{tag}");
        let diff = update("a", tag).with(Flags::TRANSIENT);
        assert_eq!(kind_of(&mut project, &[diff]), Ok(()));
    }
    let bin = Value::xstr("Bin", "text/plain").unwrap();
    let mut changes = Dict::new();
    changes.put("file", bin).unwrap();
    let diff = Diff::update("a", changes, None).unwrap().with(Flags::FORCE);
    assert_eq!(kind_of(&mut project, &[diff.clone().with(Flags::TRANSIENT)]), err);
    assert_eq!(kind_of(&mut project, &[diff]), Ok(()));
}

#[test]
fn a_tag_does_not_change_sides() {
    let mut project = two();
    let transient = |changes| update("a", changes).with(Flags::TRANSIENT);
    assert_eq!(kind_of(&mut project, &[transient("area:1")]), Err(ErrorKind::Commit));
    assert_eq!(kind_of(&mut project, &[transient("temp:1")]), Ok(()));
    assert_eq!(kind_of(&mut project, &[update("a", "temp:2")]), Err(ErrorKind::Commit));
    assert_eq!(kind_of(&mut project, &[update("b", "temp:2")]), Ok(()));
    assert_eq!(kind_of(&mut project, &[transient("temp:R")]), Ok(()));
    assert_eq!(kind_of(&mut project, &[update("a", "temp:2")]), Ok(()));
}

#[test]
fn a_transient_change_leaves_mod_and_version() {
    let mut project = two();
    let (slot, version) = (project.read_by_id("a").unwrap(), project.version());
    let before = project.dict(slot, Layer::Persistent);
    let diff = update("a", "curVal:7°C").with(Flags::TRANSIENT);
    let done = project.commit(&[diff], at(5)).unwrap().remove(0);
    assert_eq!((done.old_mod, done.new_mod), (Some(at(0)), Some(at(0))));
    assert!(done.flags.has(Flags::CUR_VAL) && !done.flags.has(Flags::POINT));
    assert_eq!(project.version(), version);
    assert_eq!(project.dict(slot, Layer::Persistent), before);
    assert_eq!(project.dict(slot, Layer::Transient), dict("id:@a curVal:7°C"));
    assert_eq!(project.dict(slot, Layer::Merged).len(), before.len() + 1);
}

#[test]
fn mod_rises_though_the_clock_does_not() {
    let mut project = two();
    let mut mods = vec![at(0)];
    for second in [5, 5, 3, 6] {
        let diff = Diff::update("a", dict("x"), mods.last().copied()).unwrap();
        let done = project.commit(&[diff], at(second)).unwrap();
        mods.extend(done[0].new_mod);
    }
    let millis: Vec<i64> = mods.iter().map(|it| (it.nanos() - at(0).nanos()) / 1_000_000).collect();
    assert_eq!(millis, [0, 5000, 5001, 5002, 6000]);
}

#[test]
fn a_batch_is_done_whole_or_not_at_all() {
    let mut project = two();
    let add = |id: &str| Diff::add(id, dict("x")).unwrap();
    let stale = Diff::update("b", dict("x"), Some(at(-3))).unwrap();
    let unknown = update("nothing", "x");
    for place in 0..3 {
        for (wrong, kind) in [
            (add("b"), ErrorKind::Commit),
            (unknown.clone(), ErrorKind::Commit),
            (Diff::remove("nothing", None).unwrap(), ErrorKind::Commit),
            (stale.clone(), ErrorKind::ConcurrentChange),
            (add("c1"), ErrorKind::Diff),
            (update("b", "x").with(Flags::TRANSIENT), ErrorKind::Diff),
        ] {
            let mut batch = vec![add("c1"), update("a", "area:R")];
            batch.insert(place, wrong);
            let error = project.commit(&batch, at(1)).unwrap_err();
            assert_eq!(error.kind(), kind);
            assert_eq!(error.is_commit_error(), kind != ErrorKind::Diff);
        }
    }
    assert_eq!((project.len(), project.version(), project.tag_count("area")), (2, 3, 1));
    assert_eq!(kind_of(&mut project, &[]), Err(ErrorKind::Diff));
    let force = stale.with(Flags::FORCE);
    assert_eq!(kind_of(&mut project, &[add("c1"), force, update("a", "area:R")]), Ok(()));
    assert_eq!((project.len(), project.version(), project.tag_count("area")), (3, 4, 0));
}

#[test]
fn derived_flags() {
    let mut project = two();
    let flags = |project: &mut Project, diff: Diff| {
        let asked = diff.with(Flags::CUR_VAL | Flags::TREE_UPDATE | Flags::POINT);
        project.commit(&[asked], at(1)).unwrap()[0].flags
    };
    assert_eq!(flags(&mut project, update("a", "x:1")), Flags::FORCE);
    let tree = Flags::FORCE | Flags::TREE_UPDATE;
    assert_eq!(flags(&mut project, update("a", "ref:@b")), tree);
    assert_eq!(flags(&mut project, update("a", "trash")), tree);
    let add = Diff::add("p", dict("point")).unwrap();
    assert_eq!(flags(&mut project, add), Flags::ADD | Flags::TREE_UPDATE | Flags::POINT);
    let remove = Diff::remove("p", None).unwrap().with(Flags::FORCE);
    let removed = Flags::REMOVE | Flags::FORCE | Flags::TREE_UPDATE | Flags::POINT;
    assert_eq!(flags(&mut project, remove), removed);
}

#[test]
fn ids_and_names() {
    let mut project = two();
    for id in ["", "has space", "S.x", &"x".repeat(61)] {
        let kind = Diff::add(id, Dict::new()).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::InvalidRecId, "{id}");
    }
    let colon = Diff::add("p:x", Dict::new()).unwrap();
    assert_eq!(kind_of(&mut project, &[colon]), Err(ErrorKind::InvalidRecId));
    let mut long = Dict::new();
    long.put(&"x".repeat(61), 1.0).unwrap();
    let long = Diff::update("a", long, None).unwrap().with(Flags::FORCE);
    assert_eq!(kind_of(&mut project, &[long]), Err(ErrorKind::InvalidTagName));
    assert_eq!(kind_of(&mut project, &[update("a", "name:7")]), Err(ErrorKind::InvalidTagVal));
    let spaced = update("a", "name:\"a b\"");
    assert_eq!(kind_of(&mut project, &[spaced]), Err(ErrorKind::InvalidTagVal));
    assert_eq!(kind_of(&mut project, &[update("a", "name:\"a-b\"")]), Ok(()));
}

#[test]
fn kinds_that_are_stored() {
    let mut project = two();
    let stored = [
        "M",
        "T",
        "1.5kW",
        "\"x\"",
        "@a",
        "`u`",
        "2024-01-01",
        "08:00:00",
        "2024-01-01T00:00:00Z UTC",
        "[1, [2]]",
        "{a:[1]}",
        "<<\nver:\"3.0\"\na\nN\n>>",
        "^a",
        "Span(\"today\")",
        "C(1,2)",
        "Bin(\"text/plain\")",
    ];
    for text in stored {
        assert_eq!(kind_of(&mut project, &[update("a", &format!("x:{text}"))]), Ok(()), "{text}");
        let wanted = haystack::zinc::read_value(text).unwrap();
        let slot = project.read_by_id("a").unwrap();
        assert_eq!(project.value(slot, "x"), wanted.cell());
    }
    for text in ["NA", "[NA]", "{a:{b:NA}}", "[R]", "DateSpan(\"x\")"] {
        let kind = kind_of(&mut project, &[update("a", &format!("x:{text}"))]);
        assert_eq!(kind, Err(ErrorKind::InvalidTagVal), "{text}");
    }
}

#[test]
fn refs_are_stored_without_the_names_they_came_with() {
    let mut project = two();
    let diff = update("a", "x:@b \"Bee\" y:[@b \"Bee\", 1]");
    project.commit(&[diff], at(1)).unwrap();
    let slot = project.read_by_id("a").unwrap();
    assert!(matches!(project.value(slot, "x"), haystack::Cell::Ref("b", None)));
    let text = haystack::zinc::to_text(&project.value(slot, "y"));
    assert_eq!(text.replace(' ', ""), "[@b,1]");
}
