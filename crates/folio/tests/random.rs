//! Random batches on a project and on a model of it; random filters on what comes of them.

use base::Rng;
use haystack::{Dict, Filter, Kind, Tag, Value};
use kvist_folio::{Diff, Flags, Project, Query, ReadOptions, Trash};

use crate::model::Model;
use crate::{naive, sample};

/// A diff that may or may not fit what is there.
fn diff(rng: &mut Rng, project: &Project) -> Diff {
    let id = sample::id(rng);
    let slot = project.slot_of(&id);
    let old = slot.and_then(|slot| match project.value(slot, "mod") {
        haystack::Cell::DateTime(instant) => Some(instant),
        _ => None,
    });
    let old = if rng.below(12) == 0 { Some(sample::at(-1)) } else { old };
    let mut changes = sample::tags(rng);
    let kinds: Vec<Tag> = changes.iter().map(|(tag, _)| tag.clone()).collect();
    for tag in kinds {
        if rng.below(4) == 0 {
            changes.set(tag, Value::REMOVE);
        }
    }
    let force = if rng.below(6) == 0 { Flags::FORCE } else { Flags::default() };
    if rng.below(10) == 0 {
        return Diff::remove(&id, old).unwrap().with(force);
    }
    if slot.is_none() && rng.below(12) > 0 || rng.below(20) == 0 {
        return Diff::add(&id, changes).unwrap();
    }
    if rng.below(4) == 0 {
        return Diff::update(&id, changes, old).unwrap().with(Flags::TRANSIENT | force);
    }
    if rng.below(4) == 0 {
        let trash = if rng.below(2) == 0 { Value::MARKER } else { Value::REMOVE };
        changes.put("trash", trash).unwrap();
    }
    Diff::update(&id, changes, old).unwrap().with(force)
}

fn check_filter(project: &Project, records: &[Dict], text: &str) -> usize {
    let query = Query::parse(text).unwrap();
    let filter = Filter::parse(text).unwrap();
    let mut found = 0;
    for trash in [Trash::Without, Trash::Only] {
        let is_meant = |record: &&Dict| record.has("trash") == (trash == Trash::Only);
        let wanted = records.iter().filter(is_meant);
        let wanted = wanted.filter(|record| naive::matches(&filter, record, records));
        let mut wanted: Vec<String> = wanted.map(|it| it.id().unwrap().to_string()).collect();
        let options = ReadOptions { trash, ..ReadOptions::default() };
        let slots = project.find_all(&query, &options).unwrap();
        assert!(slots.is_sorted());
        let mut ids: Vec<String> =
            slots.iter().map(|slot| project.id_of(*slot).to_owned()).collect();
        ids.sort();
        wanted.sort();
        assert_eq!(ids, wanted, "{text}\n{}{records:?}", project.explain(&query));
        assert_eq!(project.read_count(&query, &options).unwrap(), ids.len());
        let limited = ReadOptions { limit: Some(2), ..options };
        assert_eq!(project.find_all(&query, &limited).unwrap(), slots[..ids.len().min(2)]);
        found += ids.len();
    }
    found
}

#[test]
fn a_project_is_a_map_of_dicts() {
    let (mut done, mut refused, mut found, mut asked) = (0_usize, 0_usize, 0_usize, 0_usize);
    testkit::fuzz::fuzz(|rng| {
        let (mut project, mut model) = (Project::default(), Model::new());
        if rng.below(2) == 0 {
            project.create_index(&Tag::new("a").unwrap()).unwrap();
        }
        for round in 0..60 {
            let batch: Vec<Diff> = (0..=rng.below(3)).map(|_| diff(rng, &project)).collect();
            let now = sample::at(round / 2);
            let (ours, theirs) = (project.commit(&batch, now), model.commit(&batch, now));
            match ours {
                Ok(_) => done += 1,
                Err(_) => refused += 1,
            }
            let kind = ours.as_ref().map(|_| ()).map_err(|error| error.kind());
            assert_eq!(kind.is_ok(), theirs.is_ok(), "{ours:?} {batch:?}");
            if batch.len() == 1 {
                assert_eq!(kind, theirs);
            }
            if round == 40 {
                project.create_index(&Tag::new("b").unwrap()).unwrap();
            }
        }
        model.compare(&project);
        let records: Vec<Dict> = model.records.values().map(|record| record.merged()).collect();
        for _ in 0..30 {
            found += check_filter(&project, &records, &sample::filter(rng, 3));
            asked += records.len();
        }
    });
    // It would be no test if next to nothing were done or found, or all.
    assert!(done > refused / 4 && refused > done / 20, "{done} {refused}");
    assert!(found > asked / 20 && found < asked - asked / 20, "{found} of {asked}");
}

#[test]
fn answers_have_the_rows_of_dicts() {
    testkit::fuzz::fuzz(|rng| {
        let mut project = Project::default();
        for at in 0..rng.below(2500) {
            let diff = Diff::add(&format!("r{at}"), sample::tags(rng)).unwrap();
            project.commit(&[diff], sample::at(0)).unwrap();
        }
        let query = Query::parse(&sample::filter(rng, 2)).unwrap();
        let answer = project.read_all(&query, &ReadOptions::default()).unwrap();
        let grid = answer.to_grid().unwrap();
        assert_eq!(grid.len(), answer.len());
        let mut used = std::collections::BTreeSet::new();
        for (row, slot) in answer.slots().iter().enumerate() {
            let dict = project.dict(*slot, kvist_folio::Layer::Merged);
            used.extend(dict.iter().map(|(tag, _)| tag.clone()));
            assert_eq!(grid.row(row).to_dict(), dict);
        }
        let cols: Vec<&str> = grid.cols().iter().map(|col| col.name.as_str()).collect();
        if answer.is_empty() {
            assert_eq!(cols, ["empty"]);
            return;
        }
        assert_eq!((cols.len(), cols[0], cols[cols.len() - 1]), (used.len(), "id", "mod"));
        assert!(cols[1..cols.len() - 1].is_sorted());
        assert_eq!(grid.row(0).get("id").kind(), Kind::Ref);
    });
}
