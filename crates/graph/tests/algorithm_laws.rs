//! Algorithms against naive ones, on small random graphs.

use std::collections::{BTreeMap, BTreeSet};

use base::Rng;
use kvist_graph::algorithm::{
    Amount, Damping, FlowOptions, ForestOptions, PathCount, PathOptions, Paths, Sampling,
    Selection, Way, betweenness, breadth_first, components, harmonic, label_propagation, max_flow,
    page_rank, pair_paths, source_paths, spanning_forest,
};
use kvist_graph::storage::{NodeId, PropertyRef};
use testkit::seed;

use crate::network::{Link, Network, work};

const ROUNDS: usize = 400;

/// What each node leads to, each once.
fn successors(network: &Network) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
    let mut all: BTreeMap<NodeId, BTreeSet<NodeId>> =
        network.nodes.iter().map(|&node| (node, BTreeSet::new())).collect();
    for link in &network.links {
        all.get_mut(&link.from).unwrap().insert(link.to);
    }
    all
}

/// The distance between any two nodes, by Floyd and Warshall.
fn distances(network: &Network, both: bool) -> BTreeMap<(NodeId, NodeId), u32> {
    let mut all: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
    for link in &network.links {
        all.insert((link.from, link.to), 1);
        if both {
            all.insert((link.to, link.from), 1);
        }
    }
    all.extend(network.nodes.iter().map(|&node| ((node, node), 0)));
    for &middle in &network.nodes {
        for &from in &network.nodes {
            for &to in &network.nodes {
                let Some(first) = all.get(&(from, middle)) else { continue };
                let Some(second) = all.get(&(middle, to)) else { continue };
                let way = first + second;
                let known = all.entry((from, to)).or_insert(way);
                *known = way.min(*known);
            }
        }
    }
    all
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs())
}

#[test]
fn ranks_are_those_of_the_matrix() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let how = Damping { tolerance: 1e-13, iterations: 2000, ..Damping::default() };
        let found = page_rank(&network.graph, &Selection::default(), how, &mut work()).unwrap();
        assert_eq!(found.nodes, network.nodes);
        let (next, count) = (successors(&network), network.nodes.len() as f64);
        let rank = |node: &NodeId| found.scores[network.nodes.binary_search(node).unwrap()];
        // A rank is what flows in.
        for node in &network.nodes {
            let flows = network.nodes.iter().map(|from| match &next[from] {
                to if to.is_empty() => rank(from) / count,
                to if to.contains(node) => rank(from) / to.len() as f64,
                _ => 0.0,
            });
            let wanted = 0.15 / count + 0.85 * flows.sum::<f64>();
            assert!(close(wanted, rank(node)), "{wanted} {}", rank(node));
        }
        assert!(close(found.scores.iter().sum(), 1.0));
    }
}

#[test]
fn components_are_what_is_connected() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let found = components(&network.graph, &Selection::default(), &mut work()).unwrap();
        let distances = distances(&network, true);
        for (node, group) in found.nodes.iter().zip(&found.groups) {
            let least =
                network.nodes.iter().find(|other| distances.contains_key(&(*node, **other)));
            assert_eq!(Some(group), least);
        }
    }
}

/// How many shortest paths lead from one node to another.
fn path_counts(network: &Network) -> BTreeMap<(NodeId, NodeId), f64> {
    let (distances, next) = (distances(network, false), successors(network));
    let mut counts = BTreeMap::new();
    let mut pairs: Vec<_> = distances.iter().map(|(pair, distance)| (*distance, *pair)).collect();
    pairs.sort_unstable();
    for (distance, (from, to)) in pairs {
        let before = network.nodes.iter().filter(|node| {
            let near = distances.get(&(from, **node)).is_some_and(|near| near + 1 == distance);
            near && next[node].contains(&to)
        });
        let sum: f64 = before.map(|&node| counts[&(from, node)]).sum();
        counts.insert((from, to), if from == to { 1.0 } else { sum });
    }
    counts
}

#[test]
fn betweenness_is_the_part_of_paths_that_lead_through() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let (all, how) = (Selection::default(), Sampling::default());
        let found = betweenness(&network.graph, &all, how, &mut work()).unwrap();
        let (distances, counts) = (distances(&network, false), path_counts(&network));
        for (&node, score) in found.nodes.iter().zip(&found.scores) {
            let mut wanted = 0.0;
            for (&(from, to), distance) in &distances {
                let ways = distances.get(&(from, node)).zip(distances.get(&(node, to)));
                let through = ways.is_some_and(|(first, second)| first + second == *distance);
                if through && from != node && to != node && from != to {
                    wanted += counts[&(from, node)] * counts[&(node, to)] / counts[&(from, to)];
                }
            }
            assert!(close(wanted, *score), "{wanted} {score}");
        }
    }
}

#[test]
fn a_sample_is_a_part_of_the_whole() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let score = |size, seed| {
            let all = Selection::default();
            betweenness(&network.graph, &all, Sampling { size, seed }, &mut work()).unwrap()
        };
        let (size, seed) = (1 + rng.below(4), rng.next_u64());
        let (part, whole) = (score(size, seed), score(100, 1));
        assert_eq!(part, score(size, seed));
        assert!(part.scores.iter().zip(&whole.scores).all(|(part, whole)| *part <= whole + 1e-9));
        if size >= network.nodes.len() {
            assert_eq!(part, whole);
        }
    }
}

#[test]
fn levels_are_distances() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let start = network.nodes[rng.below(network.nodes.len())];
        let depth = (rng.below(3) > 0).then_some(rng.below(4) as u64);
        let found = breadth_first(&network.graph, start, depth, None, &mut work()).unwrap();
        let distances = distances(&network, false);
        let most = depth.unwrap_or(u64::MAX);
        let mut wanted: Vec<(u32, NodeId)> = network
            .nodes
            .iter()
            .filter_map(|&node| distances.get(&(start, node)).map(|&distance| (distance, node)))
            .filter(|&(distance, _)| distance > 0 && u64::from(distance) <= most)
            .collect();
        wanted.sort_unstable();
        assert!(found.nodes.iter().eq(wanted.iter().map(|(_, node)| node)));
        for (node, edge) in found.nodes.iter().zip(&found.edges) {
            let level = distances[&(start, *node)];
            let leads = |link: &&Link| {
                let nearer = distances.get(&(start, link.from)).is_some_and(|&at| at + 1 == level);
                nearer && link.to == *node
            };
            let best = network.links.iter().filter(leads).min_by_key(|link| (link.from, link.id));
            assert_eq!(best.map(|link| link.id), Some(*edge));
        }
    }
}

#[test]
fn labels_are_those_of_most_neighbours() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let rounds = 1 + rng.below(6);
        let all = Selection::default();
        let found = label_propagation(&network.graph, &all, rounds, &mut work()).unwrap();
        let mut around: BTreeMap<NodeId, BTreeSet<NodeId>> = successors(&network);
        for link in &network.links {
            around.get_mut(&link.to).unwrap().insert(link.from);
        }
        let mut labels: BTreeMap<NodeId, NodeId> =
            network.nodes.iter().map(|&node| (node, node)).collect();
        for _ in 0..rounds {
            let old = labels.clone();
            for (node, others) in &around {
                let mut counts: BTreeMap<NodeId, i32> = BTreeMap::new();
                others.iter().for_each(|other| *counts.entry(old[other]).or_default() += 1);
                let most = counts.iter().min_by_key(|(label, count)| (-**count, **label));
                labels.insert(*node, most.map_or(old[node], |(label, _)| *label));
            }
        }
        assert!(found.nodes.iter().zip(&found.groups).eq(&labels));
    }
}

/// The sum of a forest's weights, by Prim.
fn prim(network: &Network, sign: f64) -> (usize, f64) {
    let weight = |link: &Link| link.weight.map_or(1e6, |weight| weight * sign);
    let (mut edges, mut sum) = (0, 0.0);
    let mut left: BTreeSet<NodeId> = network.nodes.iter().copied().collect();
    while let Some(start) = left.pop_first() {
        let mut tree = BTreeSet::from([start]);
        loop {
            let leaves = |link: &&Link| tree.contains(&link.from) != tree.contains(&link.to);
            let out = network.links.iter().filter(leaves);
            let Some(best) = out.min_by(|a, b| weight(a).total_cmp(&weight(b))) else { break };
            for node in [best.from, best.to] {
                tree.insert(node);
                left.remove(&node);
            }
            edges += 1;
            sum += weight(best);
        }
    }
    (edges, sum)
}

#[test]
fn forests_are_lightest() {
    let mut rng = seed::rng();
    for round in 0..ROUNDS {
        let network = Network::random(&mut rng, -2);
        let maximize = round % 2 == 1;
        let sign = if maximize { -1.0 } else { 1.0 };
        let weight = network.graph.key("w").map(|_| "w".into());
        let options = ForestOptions { weight, maximize, ..ForestOptions::default() };
        let trees = spanning_forest(&network.graph, &options, &mut work()).unwrap();
        let weights = trees.iter().flat_map(|tree| &tree.edges).map(|edge| {
            let link = network.links.iter().find(|link| link.id == *edge).unwrap();
            link.weight.map_or(1e6, |weight| weight * sign)
        });
        let (edges, sum) = prim(&network, sign);
        assert!(close(weights.sum(), sum));
        assert_eq!(trees.iter().map(|tree| tree.edges.len()).sum::<usize>(), edges);
        let groups = components(&network.graph, &Selection::default(), &mut work()).unwrap();
        let roots: BTreeSet<NodeId> = groups.groups.iter().copied().collect();
        assert!(trees.iter().map(|tree| &tree.nodes[0]).eq(&roots));
        for tree in &trees {
            assert_eq!(tree.nodes.len(), tree.edges.len() + 1);
            let with = groups.nodes.iter().zip(&groups.groups);
            assert!(tree.nodes.iter().eq(with.filter(|at| *at.1 == tree.nodes[0]).map(|at| at.0)));
        }
    }
}

#[test]
fn harmonic_scores_are_sums_of_inverse_distances() {
    let mut rng = seed::rng();
    for _ in 0..ROUNDS {
        let network = Network::random(&mut rng, 0);
        let all = Selection::default();
        let found = harmonic(&network.graph, &all, 100, &mut work()).unwrap();
        let about = harmonic(&network.graph, &all, 0, &mut work()).unwrap();
        let distances = distances(&network, false);
        for (at, &node) in found.nodes.iter().enumerate() {
            let from = distances.iter().filter(|((from, to), _)| *from == node && *to != node);
            let wanted: f64 = from.clone().map(|(_, &distance)| 1.0 / f64::from(distance)).sum();
            assert!(close(wanted, found.scores[at]));
            assert_eq!(found.reachable[at], from.count() as i64);
            // Sketches of a few nodes are all but exact.
            assert!((about.scores[at] - wanted).abs() < 1.0, "{} {wanted}", about.scores[at]);
            assert!((about.reachable[at] - found.reachable[at]).abs() <= 1);
        }
    }
}

/// The maximum flow, by Ford and Fulkerson on a matrix.
fn ford_fulkerson(network: &Network, sources: &[NodeId], targets: &[NodeId]) -> i64 {
    let size = *network.nodes.last().unwrap() as usize + 1;
    let mut left = vec![vec![0_i64; size]; size];
    for link in &network.links {
        left[link.from as usize][link.to as usize] += link.weight.unwrap() as i64;
    }
    let mut total = 0;
    'flow: loop {
        let mut before = vec![None; size];
        let mut stack: Vec<usize> = sources.iter().map(|&source| source as usize).collect();
        stack.iter().for_each(|&source| before[source] = Some(source));
        while let Some(node) = stack.pop() {
            if targets.contains(&(node as NodeId)) {
                let mut at = node;
                while before[at] != Some(at) {
                    let from = before[at].unwrap();
                    left[from][at] -= 1;
                    left[at][from] += 1;
                    at = from;
                }
                total += 1;
                continue 'flow;
            }
            for to in 0..size {
                if left[node][to] > 0 && before[to].is_none() {
                    before[to] = Some(node);
                    stack.push(to);
                }
            }
        }
        return total;
    }
}

#[test]
fn flows_are_largest_and_keep_the_rules() {
    let mut rng = seed::rng();
    for round in 0..ROUNDS {
        let mut network = Network::new(2 + rng.below(6), "A");
        for _ in 0..rng.below(16) {
            let mut end = || rng.below(network.nodes.len()) as NodeId;
            let ends = (end(), end());
            let capacity = rng.below(6);
            let value = match round % 2 {
                0 => PropertyRef::Integer(capacity as i64),
                _ => PropertyRef::Float(capacity as f64),
            };
            network.link("F", ends, [value, PropertyRef::Null]);
        }
        let (sources, rest) = network.nodes.split_at(1 + rng.below(network.nodes.len() - 1));
        let (sources, targets) = (&sources[..1 + rng.below(sources.len())], rest);
        let options = FlowOptions {
            sources: sources.to_vec(),
            targets: targets.to_vec(),
            selection: Selection::default(),
            capacity: "w".into(),
        };
        let found = max_flow(&network.graph, &options, &mut work()).unwrap();
        let number = |amount: Amount| match amount {
            Amount::Integer(amount) => amount as f64,
            Amount::Float(amount) => amount,
        };
        let total = number(found.total);
        assert!(close(total, ford_fulkerson(&network, sources, targets) as f64));
        let mut kept: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (edge, &flow) in found.edges.iter().zip(&found.flows) {
            let link = network.links.iter().find(|link| link.id == *edge).unwrap();
            assert!(number(flow) > 0.0 && number(flow) <= link.weight.unwrap());
            *kept.entry(link.from).or_default() -= number(flow);
            *kept.entry(link.to).or_default() += number(flow);
        }
        assert!(found.nodes.iter().eq(kept.keys()));
        let ends = |node: &NodeId| sources.contains(node) || targets.contains(node);
        assert!(kept.iter().all(|(node, kept)| ends(node) || close(*kept, 0.0)));
        let arrived = kept.iter().filter(|(node, _)| targets.contains(node));
        assert!(close(arrived.map(|(_, kept)| kept).sum(), total));
    }
}

/// A path: what it weighs, what it costs, its edges.
type Found = (f64, f64, Vec<u64>);

/// All simple paths from the last of these nodes on.
fn all_paths(
    network: &Network,
    way: Way,
    nodes: &mut Vec<NodeId>,
    so_far: &Found,
    all: &mut Vec<(NodeId, Found)>,
) {
    let here = *nodes.last().unwrap();
    for link in &network.links {
        let out = (way != Way::Incoming && link.from == here).then_some(link.to);
        let into = (way != Way::Outgoing && link.to == here).then_some(link.from);
        let Some(to) = out.or(into).filter(|to| !nodes.contains(to)) else { continue };
        let (mut edges, weight, cost) = (so_far.2.clone(), link.weight, link.cost);
        edges.push(link.id.into());
        let found = (so_far.0 + weight.unwrap_or(1.0), so_far.1 + cost.unwrap_or(1.0), edges);
        all.push((to, found.clone()));
        nodes.push(to);
        all_paths(network, way, nodes, &found, all);
        nodes.pop();
    }
}

fn options(rng: &mut Rng) -> PathOptions {
    let name = |is: bool, name: &str| is.then(|| name.into());
    PathOptions {
        types: None,
        weight: name(rng.below(4) > 0, "w"),
        cost: name(rng.below(4) > 0, "c"),
        max_cost: (rng.below(2) == 0).then(|| rng.below(8) as f64),
        max_length: (rng.below(3) == 0).then(|| rng.below(5) as u64),
        way: [Way::Outgoing, Way::Incoming, Way::Both][rng.below(3)],
        count: match rng.below(3) {
            0 => PathCount::Lightest,
            1 => PathCount::Most(1),
            _ => PathCount::Most(rng.below(8)),
        },
    }
}

/// The paths that were found are the first of all of them, as far as their order says so.
fn same_paths(found: &Paths, mut all: Vec<Found>, options: &PathOptions) {
    all.retain(|(_, cost, edges)| {
        options.max_cost.is_none_or(|most| *cost <= most)
            && options.max_length.is_none_or(|most| edges.len() as u64 <= most)
    });
    let order = |one: &Found, other: &Found| {
        let weights = one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1));
        weights.then(one.2.len().cmp(&other.2.len()))
    };
    all.sort_by(order);
    let count = match options.count {
        PathCount::Most(most) => most.min(all.len()),
        PathCount::Lightest => all.iter().filter(|path| path.0 == all[0].0).count(),
    };
    let of = |at: usize| {
        let edges = found.paths[at].relationships().to_vec();
        (found.weights[at], found.costs[at], edges)
    };
    assert_eq!(found.paths.len(), count, "{options:?} {all:?}");
    let mut seen = BTreeSet::new();
    for (at, wanted) in all.iter().take(count).enumerate() {
        let path = of(at);
        assert!(order(&path, wanted).is_eq(), "{path:?} {wanted:?} {options:?}");
        assert!(all.contains(&path), "{path:?} {all:?}");
        assert!(seen.insert(path.2));
    }
}

#[test]
fn paths_are_the_lightest_of_all() {
    let mut rng = seed::rng();
    for round in 0..4 * ROUNDS {
        let network = Network::random(&mut rng, if round % 4 == 0 { -2 } else { 0 });
        let options = options(&mut rng);
        let source = network.nodes[rng.below(network.nodes.len())];
        let target = network.nodes[rng.below(network.nodes.len())];
        let plain = |links: &[Link]| -> Vec<Link> {
            let as_said = |link: &Link| Link {
                weight: link.weight.filter(|_| options.weight.is_some()),
                cost: link.cost.filter(|_| options.cost.is_some()),
                ..*link
            };
            links.iter().map(as_said).collect()
        };
        let seen = Network { links: plain(&network.links), ..Network::default() };
        let mut all = Vec::new();
        all_paths(&seen, options.way, &mut vec![source], &(0.0, 0.0, Vec::new()), &mut all);
        let found = source_paths(&network.graph, source, &options, &mut work()).unwrap();
        same_paths(&found, all.iter().map(|(_, path)| path.clone()).collect(), &options);
        let ends = (source, target);
        let found = pair_paths(&network.graph, ends, &options, &mut work()).unwrap();
        let there = all.into_iter().filter(|(to, _)| *to == target).map(|(_, path)| path);
        same_paths(&found, there.collect(), &options);
    }
}
