//! Algorithms by example: figures that FalkorDB 1.4.1 and its documents give, what is refused and
//! in which words, and graphs that are meant to be too much.

use std::cell::Cell;

use kvist_graph::algorithm::{
    Budget, Error, FlowOptions, PathCount, PathOptions, Rows, Selection, betweenness, harmonic,
    max_flow, pair_paths, procedure, procedures,
};
use kvist_graph::storage::{NodeId, PropertyRef};
use kvist_graph::value::{Value, text};

use crate::network::{MEMORY, Network, work};

/// Nodes A to E of one label, X of another; parallel edges, a loop, numbers of all kinds.
fn mixed() -> Network {
    use PropertyRef::{Float, Integer, Null, Text};
    let mut network = Network::new(5, "P");
    network.add(1, "Q");
    for (kind, ends, weight, capacity) in [
        ("F", (0, 1), Integer(1), Integer(3)),
        ("F", (1, 2), Integer(2), Integer(4)),
        ("F", (1, 3), Integer(5), Float(1.5)),
        ("F", (2, 4), Integer(1), Null),
        ("F", (3, 4), Integer(-1), Null),
        ("G", (0, 5), Text("x"), Null),
        ("G", (5, 5), Null, Null),
        ("F", (0, 1), Float(0.5), Integer(2)),
    ] {
        network.link(kind, ends, [weight, capacity]);
    }
    network
}

/// Four nodes with a cycle, one with a loop, and three of which two lead to the third.
fn apart() -> Network {
    let mut network = Network::new(5, "P");
    network.add(2, "Q");
    network.add(1, "R");
    network.links("F", &[(0, 1), (1, 0), (1, 2), (3, 0), (4, 4)]);
    network.links("H", &[(6, 5), (7, 5)]);
    network
}

fn run(network: &Network, name: &str, arguments: &[Value]) -> Result<Rows, Error> {
    procedure(name).unwrap().call(&network.graph, arguments, 1, &mut work())
}

/// The rows as text, a row to a line.
fn shown(network: &Network, name: &str, arguments: &[Value]) -> String {
    let rows = match run(network, name, arguments) {
        Ok(rows) => rows,
        Err(error) => return error.to_string(),
    };
    let line = |row| {
        let values = rows.columns.iter().map(|column| match column.value(row) {
            Value::Node(id) => id.to_string(),
            Value::Path(path) => format!("{:?}", path.relationships()),
            Value::Float(number) => format!("{}", (number * 1e5).round() / 1e5),
            other => text::verbose(&other),
        });
        values.collect::<Vec<_>>().join(" ")
    };
    (0..rows.len()).map(line).collect::<Vec<_>>().join("\n")
}

fn names(names: &[&str]) -> Value {
    Value::list(names.iter().map(|&name| Value::from(name)))
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::map(entries.iter().map(|(key, value)| (*key, value.clone())))
}

/// The second column.
fn numbers(rows: &Rows) -> Vec<f64> {
    let number = |row| match rows.columns[1].value(row) {
        Value::Float(number) => number,
        other => panic!("{other:?} is no number"),
    };
    (0..rows.len()).map(number).collect()
}

fn near(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    let off = |(one, other): (&f64, &f64)| (one - other).abs();
    assert!(found.iter().zip(wanted).map(off).all(|off| off < 2e-6), "{found:?} {wanted:?}");
}

#[test]
fn ranks() {
    let all = [Value::Null, Value::Null];
    let wanted = [0.053_017_7, 0.075_551_9, 0.085_129_9, 0.085_129_9, 0.197_751_2, 0.503_419_5];
    near(&numbers(&run(&mixed(), "algo.pageRank", &all).unwrap()), &wanted);
    let wanted = [
        0.157_173_2,
        0.177_730_7,
        0.119_665_7,
        0.044_124_6,
        0.293_917_2,
        0.119_139_6,
        0.044_124_6,
        0.044_124_6,
    ];
    near(&numbers(&run(&apart(), "algo.PAGERANK", &all).unwrap()), &wanted);
    // Of a part the ranks are those of a graph that has no more. (FalkorDB begins with too small
    // ranks there, whose sum is still below 1 when it ends.)
    let mut alone = Network::new(5, "P");
    alone.links("F", &[(0, 1), (1, 0), (1, 2), (3, 0), (4, 4)]);
    let whole = numbers(&run(&alone, "algo.pageRank", &all).unwrap());
    let part = run(&apart(), "algo.pageRank", &["P".into(), "F".into()]).unwrap();
    near(&numbers(&part), &whole);
    assert!((whole.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    for none in [["Z".into(), Value::Null], ["P".into(), "Z".into()], [1.into(), Value::Null]] {
        assert_eq!(shown(&mixed(), "algo.pageRank", &none), "");
    }
    let refused = "Procedure `algo.pageRank` requires 2 arguments, got 1";
    assert_eq!(shown(&mixed(), "algo.pageRank", &[Value::Null]), refused);
}

#[test]
fn groups() {
    let apart = apart();
    let wcc = |value| shown(&apart, "algo.WCC", &[value]);
    assert_eq!(wcc(Value::Null), "0 0\n1 0\n2 0\n3 0\n4 4\n5 5\n6 5\n7 5");
    assert_eq!(shown(&apart, "algo.wcc", &[]), wcc(Value::Null));
    assert_eq!(wcc(map(&[("nodeLabels", names(&["Q", "R"]))])), "5 5\n6 5\n7 5");
    assert_eq!(wcc(map(&[("nodeLabels", names(&["Q", "Z"]))])), "5 5\n6 5");
    assert_eq!(wcc(map(&[("nodeLabels", names(&["Z"]))])), "");
    let by_type = map(&[("relationshipTypes", names(&["H", "Z"]))]);
    assert_eq!(wcc(by_type), "0 0\n1 1\n2 2\n3 3\n4 4\n5 5\n6 5\n7 5");
    assert_eq!(wcc(map(&[("nodeLabels", names(&[]))])), wcc(Value::Null));
    let spread = |rounds: i64| {
        shown(&apart, "algo.labelPropagation", &[map(&[("maxIterations", rounds.into())])])
    };
    assert_eq!(spread(1), "0 1\n1 0\n2 1\n3 0\n4 4\n5 6\n6 5\n7 5");
    assert_eq!(spread(2), "0 0\n1 1\n2 0\n3 1\n4 4\n5 5\n6 6\n7 6");
    assert_eq!(shown(&apart, "algo.labelPropagation", &[]), spread(10));
    assert_eq!(shown(&mixed(), "algo.labelPropagation", &[]), "0 0\n1 1\n2 0\n3 0\n4 1\n5 0");
}

#[test]
fn forests() {
    let mixed = mixed();
    let msf = |entries: &[(&str, Value)]| shown(&mixed, "algo.MSF", &[map(entries)]);
    let weight = ("weightAttribute", Value::from("w"));
    let nodes = "[(0), (1), (2), (3), (4), (5)]";
    assert_eq!(msf(&[]), format!("{nodes} [[0], [1], [2], [3], [5]]"));
    assert_eq!(msf(std::slice::from_ref(&weight)), format!("{nodes} [[1], [3], [4], [5], [7]]"));
    let most = [weight, ("objective", "maximize".into())];
    assert_eq!(msf(&most), format!("{nodes} [[0], [1], [2], [3], [5]]"));
    let trees = "[(0), (1), (2), (3)] [[0], [2], [3]]\n[(4)] []\n[(5), (6), (7)] [[5], [6]]";
    assert_eq!(shown(&apart(), "algo.MSF", &[]), trees);
}

#[test]
fn searches() {
    let mixed = mixed();
    let bfs = |start: u64, depth: i64, kind: Value| {
        shown(&mixed, "algo.BFS", &[Value::Node(start), depth.into(), kind])
    };
    assert_eq!(bfs(0, 10, Value::Null), "[(1), (5), (2), (3), (4)] [[0], [5], [1], [2], [3]]");
    assert_eq!(bfs(0, 2, "F".into()), "[(1), (2), (3)] [[0], [1], [2]]");
    assert_eq!(bfs(0, -1, "F".into()), "[(1), (2), (3), (4)] [[0], [1], [2], [3]]");
    assert_eq!((bfs(0, 0, "F".into()), bfs(0, 1, "Z".into())), Default::default());
    assert_eq!((bfs(5, 5, Value::Null), bfs(77, 5, Value::Null)), Default::default());
    let nothing = [Value::Null, 1.into(), Value::Null];
    assert_eq!(shown(&mixed, "algo.BFS", &nothing), "");
}

#[test]
fn centrality() {
    let some = map(&[("nodeLabels", names(&["P"])), ("relationshipTypes", names(&["F"]))]);
    let scores = shown(&mixed(), "algo.betweenness", &[some]);
    assert_eq!(scores, "0 0\n1 3\n2 1\n3 1\n4 0");
    let mut friends = Network::new(5, "P");
    friends.links("KNOWS", &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]);
    let scores = shown(&friends, "algo.harmonicCentrality", &[Value::Null]);
    assert_eq!(scores, "0 2.83333 4\n1 1.5 2\n2 1.5 2\n3 1 1\n4 0 0");
    let unknown = map(&[("nodeLabels", names(&["Z"]))]);
    assert_eq!(shown(&friends, "algo.HarmonicCentrality", &[unknown]), "unknown label Z");
}

#[test]
fn paths() {
    let mixed = mixed();
    let from = |entries: &[(&str, Value)]| {
        let ends = [("sourceNode", Value::Node(0)), ("targetNode", Value::Node(4))];
        shown(&mixed, "algo.SPpaths", &[map(&[&ends, entries].concat())])
    };
    let (weight, cost) = (("weightProp", Value::from("w")), ("costProp", Value::from("c")));
    let count = |count: i64| ("pathCount", Value::from(count));
    assert_eq!(from(&[]), "[0, 1, 3] 3 3");
    let all = "[0, 1, 3] 3 3\n[0, 2, 4] 3 3\n[7, 1, 3] 3 3\n[7, 2, 4] 3 3";
    assert_eq!(from(&[count(0)]), all);
    let all = "[7, 1, 3] 3.5 3\n[0, 1, 3] 4 3\n[7, 2, 4] 4.5 3\n[0, 2, 4] 5 3";
    assert_eq!(from(&[weight.clone(), count(9)]), all);
    let within = [weight.clone(), cost, ("maxCost", 5.into()), count(9)];
    assert_eq!(from(&within), "[7, 2, 4] 4.5 4.5");
    assert_eq!(from(&[weight.clone(), ("maxLen", 2.into())]), "");
    assert_eq!(from(&[("maxLen", (-1).into())]), "");
    assert_eq!(from(&[("relTypes", names(&["Z"]))]), "");
    assert_eq!(from(&[("sort", 1.into())]), from(&[]));
    let all = |entries: &[(&str, Value)]| {
        let source = [("sourceNode", Value::Node(0))];
        shown(&mixed, "algo.SSpaths", &[map(&[&source, entries].concat())])
    };
    assert_eq!(all(&[weight.clone(), count(0)]), "[7] 0.5 1");
    let four = "[7] 0.5 1\n[0] 1 1\n[5] 1 1\n[7, 1] 2.5 2";
    assert_eq!(all(&[weight.clone(), count(4)]), four);
    assert_eq!(all(&[weight, count(100)]).lines().count(), 11);
    let short = [count(50), ("maxCost", 1.5.into())];
    assert_eq!(all(&short), "[0] 1 1\n[5] 1 1\n[7] 1 1");
}

#[test]
fn flows() {
    let mut pipes = Network::new(3, "Node");
    for (ends, capacity) in [((0, 1), 10), ((0, 2), 5), ((1, 2), 8)] {
        pipes.link("PIPE", ends, [PropertyRef::Integer(capacity), PropertyRef::Null]);
    }
    let nodes = |ids: &[u64]| Value::list(ids.iter().map(|&id| Value::Node(id)));
    let flow = |network: &Network, sources: &[u64], targets: &[u64], kind: &str| {
        let options = [
            ("sourceNodes", nodes(sources)),
            ("targetNodes", nodes(targets)),
            ("relationshipTypes", names(&[kind])),
            ("capacityProperty", "w".into()),
        ];
        shown(network, "algo.maxFlow", &[map(&options)])
    };
    let all = "[(0), (1), (2)] [[0], [1], [2]] [8, 5, 8] 13";
    assert_eq!(flow(&pipes, &[0], &[2], "PIPE"), all);
    assert_eq!(flow(&pipes, &[0, 1], &[2], "PIPE"), "[(0), (1), (2)] [[1], [2]] [5, 8] 13");
    assert_eq!(flow(&pipes, &[2], &[0], "PIPE"), "[] [] [] 0");
    assert_eq!(flow(&pipes, &[0], &[2], "Z"), "[] [] [] 0");
    let both = "maxFlow: node 2 is both a source and a target";
    assert_eq!(flow(&pipes, &[0, 2], &[2], "PIPE"), both);
    let wrong = "maxFlow: 'w' of relationship 4 should be a finite number, not negative";
    assert_eq!(flow(&mixed(), &[0], &[4], "F"), wrong);
    let wrong = "maxFlow: 'w' of relationship 5 should be a finite number, not negative";
    assert_eq!(flow(&mixed(), &[0], &[4], "G"), wrong);
    for capacity in [f64::INFINITY, f64::NAN, -0.5] {
        let mut pipe = Network::new(2, "Node");
        pipe.link("PIPE", (0, 1), [PropertyRef::Float(capacity), PropertyRef::Null]);
        assert!(flow(&pipe, &[0], &[1], "PIPE").ends_with("not negative"));
    }
    let mut wide = Network::new(2, "Node");
    for _ in 0..2 {
        wide.link("PIPE", (0, 1), [PropertyRef::Integer(i64::MAX), PropertyRef::Null]);
    }
    assert_eq!(flow(&wide, &[0], &[1], "PIPE"), "maxFlow: capacities are too large");
    let needed = "maxFlow configuration, 'sourceNodes' should be an array of nodes, \
                  with one at least";
    assert_eq!(shown(&pipes, "algo.maxFlow", &[map(&[])]), needed);
}

/// FalkorDB's texts for options that make no sense.
#[test]
fn wrong_options() {
    let mixed = mixed();
    for (name, key, value, wanted) in [
        (
            "WCC",
            "nodeLabels",
            "P".into(),
            "wcc configuration, 'nodeLabels' should be an array of strings",
        ),
        (
            "WCC",
            "relationshipTypes",
            Value::Null,
            "wcc configuration, 'relationshipTypes' should be an array of strings",
        ),
        ("WCC", "foo", 1.into(), "wcc configuration contains unknown key"),
        (
            "betweenness",
            "samplingSize",
            0.into(),
            "betweenness configuration, 'samplingSize' should be a positive integer",
        ),
        (
            "betweenness",
            "samplingSize",
            1.5.into(),
            "betweenness configuration, 'samplingSize' should be a positive integer",
        ),
        (
            "betweenness",
            "samplingSeed",
            "x".into(),
            "betweenness configuration, 'samplingSeed' should be an integer",
        ),
        (
            "labelPropagation",
            "maxIterations",
            0.into(),
            "labelPropagation configuration, 'maxIterations' should be a positive integer",
        ),
        ("MSF", "objective", "max".into(), "msf configuration, unknown objective: max"),
        ("MSF", "objective", 1.into(), "msf configuration, 'objective' should be a string"),
        (
            "MSF",
            "weightAttribute",
            1.into(),
            "msf configuration, 'weightAttribute' should be a string",
        ),
        ("MSF", "weightAttribute", "zz".into(), "msf configuration, unknown attribute: zz"),
        ("SPpaths", "targetNode", Value::Node(0), "sourceNode and targetNode are required"),
        ("SSpaths", "targetNode", Value::Node(0), "sourceNode is required"),
        ("SSpaths", "sourceNode", 1.into(), "sourceNode must be of type Node"),
    ] {
        let found = shown(&mixed, &format!("algo.{name}"), &[map(&[(key, value)])]);
        assert_eq!(found, wanted, "{name} {key}");
    }
    for (key, value, wanted) in [
        ("targetNode", 1.into(), "sourceNode and targetNode must be of type Node"),
        ("maxLen", "x".into(), "maxLen must be integer"),
        ("maxCost", "x".into(), "maxCost must be numeric"),
        (
            "relDirection",
            "x".into(),
            "relDirection values must be 'incoming', 'outgoing' or 'both'",
        ),
        ("relTypes", "F".into(), "relTypes must be array of strings"),
        ("weightProp", 1.into(), "weightProp must be string"),
        ("costProp", 1.into(), "costProp must be string"),
        ("pathCount", "x".into(), "pathCount must be integer"),
        ("pathCount", Value::Integer(-1), "pathCount must be a non-negative integer"),
    ] {
        let ends = [("sourceNode", Value::Node(0)), ("targetNode", Value::Node(4))];
        let found = shown(&mixed, "algo.SPpaths", &[map(&[&ends[..], &[(key, value)]].concat())]);
        assert_eq!(found, wanted, "{key}");
    }
    assert_eq!(shown(&mixed, "algo.WCC", &[1.into()]), "invalid argument to algo.wcc");
    assert_eq!(shown(&mixed, "algo.MSF", &[1.into()]), "invalid argument to algo.MSF");
    assert_eq!(shown(&mixed, "algo.SPpaths", &[1.into()]), "invalid argument to algo.SPpaths");
}

/// A chain of 100,000 nodes.
fn chain() -> Network {
    let mut network = Network::new(100_000, "A");
    let ends: Vec<(NodeId, NodeId)> = (1..100_000).map(|to| (to - 1, to)).collect();
    let weight = [PropertyRef::Integer(1), PropertyRef::Null];
    for ends in ends {
        network.link("F", ends, weight);
    }
    network
}

/// 40 nodes, each of which leads to each.
fn clique() -> Network {
    let mut network = Network::new(40, "A");
    for from in 0..40 {
        for to in 0..40 {
            network.link("F", (from, to), [PropertyRef::Integer(1), PropertyRef::Null]);
        }
    }
    network
}

#[test]
fn a_long_chain() {
    let network = chain();
    let rows = |name: &str, arguments: &[Value]| run(&network, name, arguments).unwrap().len();
    assert_eq!(rows("algo.pageRank", &[Value::Null, Value::Null]), 100_000);
    assert_eq!(rows("algo.WCC", &[]), 100_000);
    assert_eq!(rows("algo.labelPropagation", &[]), 100_000);
    assert_eq!(rows("algo.betweenness", &[]), 100_000);
    assert_eq!(rows("algo.MSF", &[]), 1);
    let reached = run(&network, "algo.BFS", &[Value::Node(0), (-1).into(), Value::Null]).unwrap();
    assert!(matches!(reached.columns[0].value(0), Value::List(all, _) if all.len() == 99_999));
    for count in [PathCount::Lightest, PathCount::Most(1), PathCount::Most(3)] {
        let options = PathOptions { count, ..PathOptions::default() };
        let ends = (0, 99_999);
        let found = pair_paths(&network.graph, ends, &options, &mut work()).unwrap();
        assert_eq!((found.paths.len(), &*found.weights), (1, &[99_999.0][..]));
        assert_eq!(found.paths[0].relationships().len(), 99_999);
    }
    let options = FlowOptions {
        sources: vec![0],
        targets: vec![99_999],
        selection: Selection::default(),
        capacity: "w".into(),
    };
    assert_eq!(max_flow(&network.graph, &options, &mut work()).unwrap().edges.len(), 99_999);
}

/// Sketches of what each node reaches: about as much as there is.
#[test]
fn estimates_are_near() {
    let mut network = Network::new(5000, "A");
    // A tree, each node of which leads to the two below it.
    let ends: Vec<(NodeId, NodeId)> = (1..5000).map(|to| ((to - 1) / 2, to)).collect();
    network.links("F", &ends);
    let all = Selection::default();
    let exact = harmonic(&network.graph, &all, usize::MAX, &mut work()).unwrap();
    let about = harmonic(&network.graph, &all, 0, &mut work()).unwrap();
    for at in [0, 1, 2, 10, 100, 1000, 4999] {
        let (exact, about) = (exact.scores[at], about.scores[at]);
        assert!((exact - about).abs() <= 0.35 * exact + 0.5, "{at}: {exact} {about}");
    }
    assert!((about.reachable[0] - 4999).abs() < 1800, "{}", about.reachable[0]);
}

#[test]
fn a_clique_ends_with_its_budget() {
    let network = clique();
    let one = PathOptions { weight: Some("w".into()), ..PathOptions::default() };
    assert_eq!(pair_paths(&network.graph, (0, 1), &one, &mut work()).unwrap().weights, [1.0]);
    // There are more than 10⁴⁰ paths.
    let all = PathOptions { count: PathCount::Most(usize::MAX), ..one.clone() };
    let little = &mut Budget::new(4 << 20, &|_| true);
    assert_eq!(pair_paths(&network.graph, (0, 1), &all, little), Err(Error::Memory));
    let asked = Cell::new(0);
    let go_on = |_| {
        asked.set(asked.get() + 1);
        asked.get() < 50
    };
    let ended = pair_paths(&network.graph, (0, 1), &all, &mut Budget::new(MEMORY, &go_on));
    assert_eq!((ended, asked.get()), (Err(Error::Ended), 50));
    // A negative weight: every path is looked at.
    let mut network = network;
    network.link("F", (0, 1), [PropertyRef::Integer(-1), PropertyRef::Null]);
    asked.set(0);
    let ended = pair_paths(&network.graph, (0, 1), &one, &mut Budget::new(MEMORY, &go_on));
    assert_eq!(ended, Err(Error::Ended));
}

/// Every procedure ends when it is told to, and keeps no more than it may.
#[test]
fn all_procedures_are_bounded() {
    let network = clique();
    let node = Value::Node(0);
    let nodes = |id| Value::list([Value::Node(id)]);
    let paths = map(&[
        ("sourceNode", node.clone()),
        ("targetNode", Value::Node(1)),
        ("pathCount", Value::Integer(i64::MAX)),
    ]);
    for procedure in procedures() {
        let arguments = match procedure.name {
            "algo.pageRank" => vec![Value::Null, Value::Null],
            "algo.BFS" => vec![node.clone(), 9.into(), Value::Null],
            "algo.SPpaths" | "algo.SSpaths" => vec![paths.clone()],
            "algo.maxFlow" => vec![map(&[
                ("sourceNodes", nodes(0)),
                ("targetNodes", nodes(1)),
                ("relationshipTypes", names(&["F"])),
                ("capacityProperty", "w".into()),
            ])],
            _ => vec![],
        };
        let name = procedure.name;
        let mut little = Budget::new(200, &|_| true);
        let found = procedure.call(&network.graph, &arguments, 1, &mut little);
        assert_eq!(found, Err(Error::Memory), "{name}");
        let big = large_clique();
        let mut ended = Budget::new(MEMORY, &|_| false);
        let found = procedure.call(&big.graph, &arguments, 1, &mut ended);
        assert_eq!(found, Err(Error::Ended), "{name}");
        let empty = Network::default();
        let rows = procedure.call(&empty.graph, &arguments, 1, &mut work()).unwrap();
        let lists = usize::from(name == "algo.maxFlow");
        assert_eq!(rows.len(), lists, "{name}");
        assert_eq!(rows.names.len(), rows.columns.len());
    }
}

/// 100 nodes, each of which leads to each: enough for any procedure to ask whether to go on.
fn large_clique() -> Network {
    let mut network = Network::new(100, "A");
    for from in 0..100 {
        for to in 0..100 {
            network.link("F", (from, to), [PropertyRef::Integer(1), PropertyRef::Null]);
        }
    }
    network
}

/// 2¹⁵⁰⁰ shortest paths: no number says how many, yet each part of them is known.
#[test]
fn more_paths_than_a_number_says() {
    let mut network = Network::new(4501, "A");
    for at in 0..1500 {
        let from = 3 * at;
        network.links("F", &[(from, from + 1), (from, from + 2)]);
        network.links("F", &[(from + 1, from + 3), (from + 2, from + 3)]);
    }
    let all = Selection::default();
    let sampling = kvist_graph::algorithm::Sampling { size: 5000, seed: 0 };
    let found = betweenness(&network.graph, &all, sampling, &mut work()).unwrap();
    assert!(found.scores.iter().all(|score| score.is_finite()));
    // All that comes from before goes through a node between two diamonds, half through a side.
    let (before, after) = (3.0 * 700.0, 3.0 * 800.0);
    assert_eq!(found.scores[3 * 700], before * after);
    let side = (before + 1.0) * (after - 2.0) / 2.0;
    assert!((found.scores[3 * 700 + 1] - side).abs() < 1e-3, "{}", found.scores[3 * 700 + 1]);
}
