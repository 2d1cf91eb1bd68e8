//! Circles in a graph: what can be reached from each other.

use std::collections::{BTreeMap, BTreeSet};

/// The circles of more than one, the largest first; the members of each in the alphabet's order.
/// Everything is asked for what it reaches, which for some hundred modules is quick enough.
pub fn of(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|from| (from.as_str(), reach(graph, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, reaches) in &reached {
        let back = |to: &&&str| reached.get(**to).is_some_and(|of| of.contains(from));
        let circle: Vec<String> = reaches.iter().filter(back).map(|to| (*to).to_owned()).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reach<'a>(graph: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(next) = open.pop() {
        for to in graph.get(next).into_iter().flatten() {
            if found.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    found
}
