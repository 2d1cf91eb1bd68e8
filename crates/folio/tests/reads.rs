//! Reading by id and by filter: trash, relative ids, options, plans.

use haystack::value::Rows;
use haystack::{Cell, DateTime, Defs, Dict, Name, Zone, trio, zinc};
use kvist_folio::packed::{Packed, Writer};
use kvist_folio::{Diff, ErrorKind, Flags, Layer, Project, Query, ReadOptions, Trash};

use crate::sample::{at, dict, project};

const SITE: &str = "id: @s\ndis: \"Site 10\"\nsite\narea: 10m²\n---\nid: @t\ndis: \"site \
                    2\"\nsite\narea: 20m²\n---\nid: @e\ndis: \"Ahu\"\nequip\nahu\nsiteRef: \
                    @s\n---\nid: @p\ndis: \"Temp\"\npoint\ntemp\nequipRef: @e\n";

fn ids(project: &Project, filter: &str, options: &ReadOptions) -> Vec<String> {
    let slots = project.find_all(&Query::parse(filter).unwrap(), options).unwrap();
    slots.iter().map(|slot| project.id_of(*slot).to_owned()).collect()
}

fn all() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn trash_is_never_read_but_refs_lead_into_it() {
    let mut project = project(SITE);
    let trash = Diff::update("s", dict("trash"), Some(at(0))).unwrap();
    project.commit(&[trash], at(1)).unwrap();
    assert_eq!(project.read_by_id("s").unwrap_err().to_string(), "UnknownRecErr: s");
    assert!(project.find_any("s").is_some());
    assert_eq!(ids(&project, "site", &all()), ["t"]);
    assert!(ids(&project, "id == @s", &all()).is_empty());
    assert_eq!(ids(&project, "siteRef->area == 10m²", &all()), ["e"]);
    let only = ReadOptions { trash: Trash::Only, ..all() };
    assert_eq!(ids(&project, "id", &only), ["s"]);
    let back = dict("trash:R");
    let back = Diff::update("s", back, None).unwrap().with(Flags::FORCE);
    project.commit(&[back], at(2)).unwrap();
    assert_eq!(ids(&project, "site", &all()), ["s", "t"]);
}

#[test]
fn by_ids_keeps_order_and_holes() {
    let project = project(SITE);
    let found = project.read_by_ids(["t", "nothing", "s", "t"]);
    let names = found.iter().map(|slot| slot.map(|slot| project.id_of(slot)));
    assert_eq!(names.collect::<Vec<_>>(), [Some("t"), None, Some("s"), Some("t")]);
}

#[test]
fn ids_may_be_given_without_the_prefix() {
    let mut project = Project::with_prefix(Some(Name::new("p.demo.")));
    project.commit(&[Diff::add("p.demo.a", dict("site")).unwrap()], at(0)).unwrap();
    let slot = project.read_by_id("a").unwrap();
    assert_eq!(project.read_by_id("p.demo.a"), Ok(slot));
    assert!(project.read_by_id("p.demo.p.demo.a").is_err());
}

#[test]
fn limits_sorting_and_searches() {
    let project = project(SITE);
    let options = |limit, sort, search: &str| ReadOptions {
        limit,
        sort,
        search: Some(search.to_owned()),
        ..all()
    };
    assert_eq!(ids(&project, "id", &options(None, true, "")), ["e", "t", "s", "p"]);
    assert_eq!(ids(&project, "id", &options(Some(2), true, "")), ["t", "s"]);
    assert!(ids(&project, "id", &options(Some(0), true, "")).is_empty());
    assert_eq!(ids(&project, "id", &options(None, false, "SITE*")), ["s", "t"]);
    assert_eq!(ids(&project, "id", &options(Some(1), false, "SITE*")), ["s"]);
    assert_eq!(ids(&project, "id", &options(None, false, "re:Site \\d+")), ["s"]);
    assert_eq!(ids(&project, "site", &options(None, false, "f:area > 15m²")), ["t"]);
    let count =
        |options: &ReadOptions| project.read_count(&Query::parse("id").unwrap(), options).unwrap();
    assert_eq!(
        [count(&all()), count(&options(Some(3), false, "")), count(&options(None, false, "site"))],
        [4, 3, 2]
    );
}

#[test]
fn the_first_one_or_an_error() {
    let project = project(SITE);
    let slot = project.read(&Query::parse("equip").unwrap()).unwrap();
    assert_eq!(project.dict(slot, Layer::Merged).id().unwrap().as_str(), "e");
    let error = project.read(&Query::parse("nothing and site").unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownRec);
    assert_eq!(error.message(), "nothing and site");
}

#[test]
fn plans_are_told() {
    let mut project = project(SITE);
    let kind = |project: &Project, filter: &str| {
        let told = project.explain(&Query::parse(filter).unwrap());
        told.lines().next().unwrap().to_owned()
    };
    for (filter, plan) in [
        ("id == @s", "byId"),
        ("site and id == @s", "byId"),
        ("id == @nothing", "empty"),
        ("site", "tagMatch"),
        ("site and not equip", "tagMatch"),
        ("^ahu", "tagMatch"),
        ("site and nothing", "empty"),
        ("siteRef == @s", "tagValMatch"),
        ("equip and siteRef == @s", "tagValMatch"),
        ("siteRef == @s and dis > \"A\"", "tagValScan"),
        ("area > 5m²", "tagScan"),
        ("dis == \"Ahu\"", "tagScan"),
        ("equipRef->siteRef->site", "tagScan"),
        ("ph::Site", "fullScan"),
    ] {
        assert_eq!(kind(&project, filter), plan, "{filter}");
    }
    project.create_index(&haystack::Tag::new("dis").unwrap()).unwrap();
    assert_eq!(kind(&project, "dis == \"Ahu\""), "tagValMatch");
    assert_eq!(ids(&project, "dis == \"Ahu\"", &all()), ["e"]);
    let told = project.explain(&Query::parse("equip and area > 5m²").unwrap());
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[1..],
        [
            "and: up to 1 records",
            "  tag equip: up to 1 records",
            "  scan area > 5m²: up to 2 records"
        ]
    );
}

#[test]
fn definitions_say_what_symbols_are() {
    let project = project(SITE);
    let defs = trio::read("def: ^equip\n---\ndef: ^ahu\nis: [^equip]\n").unwrap();
    let defs = Defs::from_dicts(&defs);
    let query = Query::parse("^equip").unwrap().with_namespace(&defs);
    assert_eq!(project.read_count(&query, &all()).unwrap(), 1);
    assert_eq!(ids(&project, "^hot-water", &all()), [""; 0]);
}

#[test]
fn rows_come_straight_from_columns() {
    let project = project(SITE);
    let answer = project.read_all(&Query::parse("site").unwrap(), &all()).unwrap();
    assert!(matches!(answer.cell(0, 0), Cell::Ref("s", Some("Site 10"))));
    let mut text = Vec::new();
    zinc::write_grid(&mut text, &answer);
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().nth(1), Some("id,area,dis,site,mod"));
    assert_eq!(zinc::read_grid(&text).unwrap(), answer.to_grid().unwrap());
    assert!(answer.cell(2, 0).is_null() && answer.cell(0, 9).is_null());
}

/// Lists of refs to all records, followed hop by hop: each record is looked at once for each tag of
/// the path. Otherwise this takes hours.
#[test]
fn a_path_over_lists_of_refs_takes_no_product_of_them() {
    let all: Vec<String> = (0..80).map(|n| format!("@r{n}")).collect();
    let mut project = Project::default();
    for n in 0..80 {
        let end = if n == 7 { " end:5" } else { "" };
        let tags = dict(&format!("refs:[{}] one:@r{n}{end}", all.join(", ")));
        project.commit(&[Diff::add(&format!("r{n}"), tags).unwrap()], at(0)).unwrap();
    }
    let count = |filter: &str| {
        let query = Query::parse(filter).unwrap();
        project.read_count(&query, &ReadOptions::default()).unwrap()
    };
    let far = format!("one->{}", "refs->".repeat(60));
    assert_eq!(count(&format!("{far}nothing")), 0);
    assert_eq!(count(&format!("not {far}end")), 80);
    assert_eq!(count(&format!("{far}end == 5")), 80);
    assert_eq!(count(&format!("{far}end > 5")), 0);
}

#[test]
fn columns_as_they_lie_say_what_cells_do() {
    let texts = ["dis: \"A\"\nn: 5kW\nmixed: 1", "dis: \"B\"\nn: 6kW\nmixed: \"x\"\nm"];
    let records = (0..2500).map(|n| {
        let mut text = format!("{}\nref: @r{}\nfew: {}", texts[n % 2], n / 3, n / 1200);
        if n % 7 == 0 {
            text += "\nodd: 5m\nstate: true";
        }
        if n % 5 == 0 && n > 1100 {
            text = text.replace("5m\n", "5\n");
        }
        text
    });
    let mut project = Project::default();
    let diffs = records.enumerate().map(|(n, text)| {
        let tags = trio::read(&text).unwrap().remove(0);
        Diff::add(&format!("r{n}"), tags).unwrap()
    });
    let now = DateTime::from_nanos(1_700_000_000_000_000_000, Zone::UTC);
    project.commit(&diffs.collect::<Vec<_>>(), now).unwrap();
    let mut macros = Dict::new();
    macros.put("disMacro", "$n of $dis").unwrap();
    let cases = [("id", false), ("m", true), ("odd", false), ("odd and m", true), ("none", false)];
    for is_plain in [true, false] {
        if !is_plain {
            let diff = Diff::update("r4", macros.clone(), None).unwrap();
            project.commit(&[diff.with(Flags::FORCE)], now).unwrap();
        }
        for (filter, sort) in cases {
            let options = ReadOptions { sort, ..ReadOptions::default() };
            let answer = project.read_all(&Query::parse(filter).unwrap(), &options).unwrap();
            let (mut quick, mut slow, mut text) = (Vec::new(), Vec::new(), Vec::new());
            assert!(answer.write_columns(&mut quick, |_| true));
            assert!(Writer::write(&mut slow, &answer, |_| true));
            zinc::write_grid(&mut text, &answer);
            for bytes in [&quick, &slow] {
                let mut read = Vec::new();
                let rows = Packed::read(bytes).unwrap();
                assert_eq!(rows.row_count(), answer.len());
                zinc::write_grid(&mut read, &rows);
                assert_eq!(read, text, "{filter}");
            }
            assert!(quick.len() <= slow.len(), "{filter}");
        }
    }
}

/// Records with a value that many have are asked for segment by segment, and are the same.
#[test]
fn a_ref_that_many_records_have() {
    let mut project = Project::default();
    let diffs = (0..20_000).map(|n| {
        let tags = match n % 3 {
            0 => dict("ref:@many area:1"),
            1 => dict("ref:[@few,@many]"),
            _ => dict("ref:@other"),
        };
        Diff::add(&format!("r{n}"), if n % 4_000 == 1 { dict("ref:@few") } else { tags }).unwrap()
    });
    project.commit(&diffs.collect::<Vec<_>>(), at(1)).unwrap();
    let count = |filter: &str| {
        project.read_count(&Query::parse(filter).unwrap(), &ReadOptions::default()).unwrap()
    };
    let is_many = |n: &usize| n % 3 < 2 && n % 4_000 != 1;
    assert_eq!(count("ref == @many"), (0..20_000).filter(is_many).count());
    assert_eq!(
        count("ref == @many and area"),
        (0..20_000).filter(|n| is_many(n) && n % 3 == 0).count()
    );
    assert_eq!(count("ref == @gone"), 0);
    let first = Query::parse("ref == @many and not area").unwrap();
    let found = project.find_all(&first, &ReadOptions::limit(3)).unwrap();
    assert_eq!(found, [4, 7, 10]);
    assert!(project.explain(&first).starts_with("tagValMatch"), "{}", project.explain(&first));
}
