//! Memory is counted exactly, whatever versions and forks share, and nothing is left behind.

use std::sync::Arc;

use base::{Rng, Versions};
use haystack::{DateTime, Dict, Value, Zone};

use crate::{Diff, Flags, Project};

fn now() -> DateTime {
    DateTime::from_nanos(1_700_000_000_000_000_000, Zone::named("UTC").unwrap())
}

fn some_tags(rng: &mut Rng) -> Dict {
    let mut dict = Dict::new();
    for tag in ["a", "b", "c"] {
        match rng.below(5) {
            0 => dict.put(tag, Value::MARKER).unwrap(),
            1 => dict.put(tag, rng.below(9) as f64).unwrap(),
            2 if rng.below(9) == 0 => {
                dict.put(tag, Value::id(&"r".repeat(50 + rng.below(50))).unwrap()).unwrap();
            }
            2 => dict.put(tag, Value::id(&format!("r{}", rng.below(3000))).unwrap()).unwrap(),
            3 => dict.put(tag, "x".repeat(rng.below(100))).unwrap(),
            _ => {}
        }
    }
    dict
}

fn change(project: &mut Project, rng: &mut Rng) {
    let id = format!("r{}", rng.below(3000));
    let diff = match (project.slot_of(&id).is_some(), rng.below(3)) {
        (false, _) => Diff::add(&id, some_tags(rng)),
        (true, 0) => Diff::remove(&id, None).map(|diff| diff.with(Flags::FORCE)),
        (true, _) => Diff::update(&id, some_tags(rng), None).map(|diff| diff.with(Flags::FORCE)),
    };
    project.commit(&[diff.unwrap()], now()).unwrap();
}

#[test]
fn what_is_counted_is_what_is_there() {
    testkit::fuzz::fuzz(|rng| {
        let versions = Arc::new(Versions::default());
        let mut project = Project::default();
        let empty = project.memory();
        let mut frozen = Vec::new();
        for _ in 0..rng.below(300) {
            match rng.below(20) {
                0 => frozen.push(project.freeze(&versions)),
                1 => drop(frozen.pop()),
                2 => {
                    let mut fork = project.fork(&versions);
                    (0..5).for_each(|_| change(&mut fork, rng));
                    if rng.below(2) == 0 {
                        drop(project.adopt(fork).ok());
                    }
                }
                _ => change(&mut project, rng),
            }
            project.check();
        }
        drop(frozen);
        assert_eq!(versions.kept(), 0);
        let ids = project.find_all(&crate::Query::parse("id").unwrap(), &Default::default());
        let ids: Vec<String> =
            ids.unwrap().iter().map(|slot| project.id_of(*slot).to_owned()).collect();
        for id in ids {
            let diff = Diff::remove(&id, None).unwrap().with(Flags::FORCE);
            project.commit(&[diff], now()).unwrap();
        }
        project.check();
        // What is left: the names of tags, and the set of free places.
        assert!(project.memory() < empty + 64 * 1024, "{}", project.memory());
    });
}

#[test]
fn a_version_stays_as_it_was() {
    let versions = Arc::new(Versions::default());
    let (mut project, mut rng) = (Project::default(), Rng::new(1));
    (0..2000).for_each(|_| change(&mut project, &mut rng));
    let before = project.freeze(&versions);
    let all = crate::Query::parse("id").unwrap();
    let dicts = |view: &crate::View| -> Vec<Dict> {
        let slots = view.find_all(&all, &Default::default()).unwrap();
        slots.iter().map(|slot| view.dict(*slot, crate::Layer::Merged)).collect()
    };
    let then = dicts(&before);
    (0..2000).for_each(|_| change(&mut project, &mut rng));
    assert_eq!(dicts(&before), then);
    assert_ne!(dicts(&project), then);
    assert!(versions.kept() > 0);
    drop(before);
    assert_eq!(versions.kept(), 0);
}

#[test]
fn a_fork_of_an_older_project_is_given_back() {
    let versions = Arc::new(Versions::default());
    let (mut project, mut rng) = (Project::default(), Rng::new(1));
    let mut fork = project.fork(&versions);
    change(&mut fork, &mut rng);
    change(&mut project, &mut rng);
    assert!(project.adopt(fork).is_err());
}

/// Names are shared, and counted by their register; what is long counts where it is held.
#[test]
fn long_names_count() {
    let mut project = Project::default();
    let long = |start: &str| format!("{start}{}", "x".repeat(1 << 20));
    let mut tags = Dict::new();
    tags.put("a", Value::id(&long("a")).unwrap()).unwrap();
    tags.put("b", Value::symbol(&long("b")).unwrap()).unwrap();
    tags.put("c", Value::list(vec![Value::id(&long("c")).unwrap()])).unwrap();
    tags.put("d", Value::xstr(&long("D"), "").unwrap()).unwrap();
    project.commit(&[Diff::add("r", tags).unwrap()], now()).unwrap();
    assert!(project.memory() > 4 << 20, "{}", project.memory());
}
