//! Inserts and removals in any order: counts, bytes, invariants of the graph.

use base::Rng;

use super::*;
use crate::ELEMENTS;
use crate::store::NONE;

pub fn options(element: Element, metric: Metric, dimension: usize) -> Options {
    let graph = Some(GraphOptions { m: 4, ef_construction: 20 });
    Options { element, dimension, metric, graph }
}

pub fn blob(rng: &mut Rng, element: Element, dimension: usize) -> Vec<u8> {
    let numbers = (0..dimension).map(|_| rng.below(100) as f64);
    let mut blob = Vec::new();
    element.write(numbers, &mut blob);
    blob
}

impl Vectors {
    /// Checks everything that has to hold at any time.
    pub fn check(&self) {
        let graph = self.graph.as_ref().map_or(0, Graph::recount);
        let bytes = size_of::<Self>() + self.store.recount() + graph + self.pool.recount();
        assert_eq!(self.memory(), bytes);
        let nodes = (0..self.store.end()).filter(|node| self.store.row(*node) != NONE);
        assert_eq!(nodes.clone().count(), self.len());
        let Some(graph) = &self.graph else { return };
        assert_eq!(graph.entry == NONE, self.is_empty());
        let mut highest = 0;
        for node in nodes {
            let height = graph.height(node);
            highest = highest.max(height);
            for layer in 0..=height {
                let links = graph.links(node, layer);
                assert!(graph.list(node, layer)[links.len()..].iter().all(|link| *link == NONE));
                for (at, link) in links.iter().enumerate() {
                    assert!(*link != node && !links[..at].contains(link));
                    assert!(graph.links(*link, layer).contains(&node), "symmetric");
                }
            }
        }
        assert!(self.is_empty() || graph.height(graph.entry) == highest);
        assert_eq!(graph.top(), highest);
    }

    /// How many nodes cannot be reached from the entry in the lowest layer.
    pub fn unreachable(&self) -> usize {
        let Some(graph) = self.graph.as_ref().filter(|_| !self.is_empty()) else { return 0 };
        let mut seen = std::collections::BTreeSet::from([graph.entry]);
        let mut left = vec![graph.entry];
        while let Some(node) = left.pop() {
            left.extend(graph.links(node, 0).iter().filter(|link| seen.insert(**link)));
        }
        self.len() - seen.len()
    }
}

#[test]
fn rows_come_and_go() {
    let mut rng = Rng::new(7);
    for element in ELEMENTS {
        for metric in [Metric::L2, Metric::InnerProduct, Metric::Cosine] {
            let mut vectors = Vectors::new(options(element, metric, 3));
            let mut counts = [0_usize; 40];
            for step in 0..300 {
                let row = rng.below(40);
                if rng.below(3) == 0 {
                    assert_eq!(vectors.remove(row as u32), counts[row] > 0);
                    counts[row] = 0;
                } else {
                    vectors.insert(row as u32, &blob(&mut rng, element, 3)).unwrap();
                    counts[row] += 1;
                }
                assert_eq!(vectors.len(), counts.iter().sum::<usize>());
                assert_eq!(vectors.vectors(row as u32).len(), counts[row]);
                assert_eq!(vectors.contains(row as u32), counts[row] > 0);
                if step % 10 == 0 {
                    vectors.check();
                }
            }
            assert_eq!(vectors.row_count(), counts.iter().filter(|count| **count > 0).count());
        }
    }
}

#[test]
fn the_entry_all_and_then_others() {
    let mut rng = Rng::new(9);
    let mut vectors = Vectors::new(options(Element::Float32, Metric::L2, 8));
    let empty = vectors.memory();
    for _ in 0..3 {
        for row in 0..200 {
            vectors.insert(row, &blob(&mut rng, Element::Float32, 8)).unwrap();
        }
        vectors.check();
        for left in (0..200).rev() {
            let entry = vectors.graph.as_ref().unwrap().entry;
            assert!(vectors.remove(vectors.store.row(entry)));
            assert_eq!((vectors.len(), vectors.unreachable()), (left, 0));
            vectors.check();
        }
        assert_eq!(vectors.memory(), empty);
        assert!(!vectors.remove(5));
    }
}

#[test]
fn equal_vectors_stay_reachable() {
    let graph = Some(GraphOptions { m: 8, ef_construction: 20 });
    let options = Options { graph, ..options(Element::Uint8, Metric::L2, 4) };
    let mut vectors = Vectors::new(options);
    for row in 0..600 {
        vectors.insert(row, &[(row % 3) as u8; 4]).unwrap();
    }
    vectors.check();
    assert_eq!(vectors.unreachable(), 0);
    for row in (0..600).step_by(2) {
        assert!(vectors.remove(row));
        assert_eq!(vectors.unreachable(), 0);
    }
    vectors.check();
}

#[test]
fn updates_take_no_more_memory() {
    let mut rng = Rng::new(11);
    let mut vectors = Vectors::new(options(Element::Int8, Metric::Cosine, 4));
    for row in 0..100 {
        vectors.insert(row, &blob(&mut rng, Element::Int8, 4)).unwrap();
    }
    let before = vectors.memory();
    for _ in 0..2000 {
        let row = rng.below(100) as u32;
        assert!(vectors.remove(row));
        vectors.insert(row, &blob(&mut rng, Element::Int8, 4)).unwrap();
    }
    vectors.check();
    assert!(vectors.memory() < before + 2000, "{before} to {}", vectors.memory());
}

#[test]
fn a_vector_takes_what_is_promised() {
    let graph = Some(GraphOptions { m: 16, ef_construction: 8 });
    for metric in [Metric::L2, Metric::Cosine] {
        let mut vectors =
            Vectors::new(Options { element: Element::Float32, dimension: 16, metric, graph });
        let mut rng = Rng::new(1);
        for row in 0..4096 {
            vectors.insert(row, &blob(&mut rng, Element::Float32, 16)).unwrap();
        }
        let each = vectors.memory() as f64 / 4096.0;
        assert!(each <= 4.0 * 16.0 + 160.0, "{each} bytes");
    }
}

#[test]
fn wrong_sizes_and_no_dimension() {
    let mut vectors = Vectors::new(options(Element::Float32, Metric::L2, 2));
    let wrong = WrongSize { given: 4, expected: 8 };
    assert_eq!(vectors.insert(0, &[0; 4]), Err(wrong));
    assert!(vectors.is_empty());
    let mut vectors = Vectors::new(options(Element::Float64, Metric::Cosine, 0));
    for row in 0..100 {
        vectors.insert(row, &[]).unwrap();
    }
    vectors.check();
    let mut large = Vectors::new(options(Element::Float64, Metric::L2, usize::MAX));
    assert!(large.insert(0, &[0; 8]).is_err());
}
